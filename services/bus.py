"""Nudges over Redis: that a stream has moved on, with what a spectator may see of it; any of them may be lost."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable

from google.protobuf.message import DecodeError
from pinochle.wire.v1.bus_pb2 import Nudge, Nudges
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

LOG = logging.getLogger(__name__)
CHANNEL = "pinochle:{}"
PUBLISH_BATCH_MAX = 512
GATHER_SECONDS = 0.01
"""The least time from one sending to the next: under load nudges share the cost of one, and a first one never waits."""


class Bus:
    """Publishing and receiving of one process. `on_outcome` hears how many were ``sent``, ``dropped`` or
    ``received``."""

    def __init__(
        self,
        url: str,
        *,
        origin: str,
        queue_max: int,
        seconds_max: float,
        reconnect_seconds_max: float,
        on_outcome: Callable[[str, int], None] = lambda outcome, nudges: None,
    ) -> None:
        self._redis = Redis.from_url(
            url,
            socket_timeout=seconds_max,
            socket_connect_timeout=seconds_max,
            retry=Retry(NoBackoff(), 0),
        )
        self._origin = origin
        self._seconds_max = seconds_max
        self._reconnect_seconds_max = reconnect_seconds_max
        self._on_outcome = on_outcome
        self._queue: deque[tuple[str, Nudge]] = deque()  # topic and nudge
        self._queue_max = queue_max
        self._waiting = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._sender: asyncio.Task[None] | None = None
        self.is_connected = False

    def start(self) -> None:
        """Begin to send what is published."""
        self._sender = asyncio.create_task(self._send())

    def publish(self, topic: str, nudge: Nudge) -> None:
        """Queue a nudge and return at once; beyond the queue's bound it is dropped, for a sweep to make good."""
        if len(self._queue) >= self._queue_max:
            self._on_outcome("dropped", 1)
            return
        self._queue.append((topic, nudge))
        self._waiting.set()
        self._idle.clear()

    async def subscribe(self, topic: str, *, own: bool = True) -> AsyncIterator[Nudge | None]:
        """Nudges as they come, for ever; None each time a connection begins, since some may have been missed.

        Without `own` those that this process published are left out.
        """
        wait = 0.05
        while True:
            try:
                async with self._redis.pubsub(ignore_subscribe_messages=True) as channel:
                    await channel.subscribe(CHANNEL.format(topic))
                    wait = 0.05
                    yield None
                    while True:
                        message = await channel.get_message(timeout=self._seconds_max / 2)
                        if message is None:
                            continue
                        with contextlib.suppress(DecodeError):  # what is no nudge is nobody's
                            batch = Nudges.FromString(message["data"])
                            if not own and batch.origin == self._origin:
                                continue
                            self._on_outcome("received", len(batch.nudges))
                            for nudge in batch.nudges:
                                yield nudge
            except Exception as error:
                await self._lost("received", error)
                await asyncio.sleep(wait)
                wait = min(2 * wait, self._reconnect_seconds_max)

    async def close(self) -> None:
        """Send what is queued, within the bound of one call, and let go."""
        if self._sender:
            with contextlib.suppress(TimeoutError, asyncio.CancelledError):
                async with asyncio.timeout(self._seconds_max):
                    await self._idle.wait()
            self._sender.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._sender
        await self._redis.aclose()

    async def _send(self) -> None:
        wait = 0.05
        while True:
            await self._waiting.wait()
            batch = [self._queue.popleft() for _ in range(min(len(self._queue), PUBLISH_BATCH_MAX))]
            if not self._queue:
                self._waiting.clear()
            try:
                async with self._redis.pipeline(transaction=False) as pipe:
                    for topic in {topic for topic, _ in batch}:
                        nudges = Nudges(origin=self._origin, nudges=[nudge for at, nudge in batch if at == topic])
                        pipe.publish(CHANNEL.format(topic), nudges.SerializeToString())
                    await pipe.execute()
                self.is_connected, wait = True, 0.05
                self._on_outcome("sent", len(batch))
            except Exception as error:
                await self._lost("sent", error)
                self.is_connected = False
                self._on_outcome("dropped", len(batch))
                await asyncio.sleep(wait)
                wait = min(2 * wait, self._reconnect_seconds_max)
            if not self._queue:
                self._idle.set()
            await asyncio.sleep(GATHER_SECONDS)

    async def _lost(self, what: str, error: Exception) -> None:
        """Go on after whatever a lost connection makes the driver raise: the event loop has errors of its own."""
        if not isinstance(error, RedisError | OSError | TimeoutError):
            LOG.warning("nudges could not be %s: %s: %s", what, error.__class__.__name__, error)
            with contextlib.suppress(Exception):
                # The driver may take such a connection for a good one.
                await self._redis.connection_pool.disconnect(inuse_connections=False)
