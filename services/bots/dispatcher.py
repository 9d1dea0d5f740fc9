"""Hands out the tables at which a house bot is due: those that nudges name at once, those that were missed by a sweep.

A table goes into a task unless it was handed out a short while ago and is being played (see `leases`). Tasks are
queued from a thread of their own, so that a broker that hangs holds up neither nudges nor the sweep.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from pinochle.client import AsyncClient, ClientError
from pinochle.players import BOT_PREFIX, is_house_bot
from pinochle.wire.v1.bus_pb2 import Nudge

from services.bots.leases import Leases

LOG = logging.getLogger(__name__)

Send = Callable[[tuple[str, ...]], None]


class Pace(NamedTuple):
    """How the dispatcher works: seconds unless a name says otherwise."""

    task_tables_max: int
    gather_seconds: float  # what becomes due within it goes into one task
    sweep_seconds: float
    waiting_ms: int  # a turn that has waited so long was missed
    backlog_tasks_max: int  # while more tasks than this wait, the sweep adds none


class Sender:
    """Queues tasks from a thread. `send` blocks and may raise; what could not be queued is handed to `lost`."""

    def __init__(self, send: Send, lost: Callable[[tuple[str, ...], Exception], None], tasks_max: int) -> None:
        self._send = send
        self._lost = lost
        self._tasks: queue.Queue[tuple[str, ...] | None] = queue.Queue(tasks_max)
        self._thread = threading.Thread(target=self._run, name="task-sender", daemon=True)

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def put(self, tables: tuple[str, ...]) -> bool:
        """Queue a task for these tables and return at once; False where the sender is too far behind."""
        try:
            self._tasks.put_nowait(tables)
        except queue.Full:
            return False
        return True

    def stop(self, seconds_max: float) -> None:
        """Send what waits, for so long, and end."""
        with contextlib.suppress(queue.Full):
            self._tasks.put(None, timeout=seconds_max)
        self._thread.join(seconds_max)

    def _run(self) -> None:
        while (tables := self._tasks.get()) is not None:
            try:
                self._send(tables)
            except Exception as error:  # the broker's client raises errors of several libraries
                self._lost(tables, error)


class Dispatcher:
    """Run `run()`; it never returns by itself. `found(n)` counts turns that only the sweep found."""

    def __init__(
        self,
        client: AsyncClient,
        nudges: AsyncIterator[Nudge | None],
        put: Callable[[tuple[str, ...]], bool],
        leases: Leases,
        pace: Pace,
        *,
        sleep: Callable[[float], Awaitable[Any]],
        found: Callable[[int], None] = lambda number: None,
    ) -> None:
        self._client = client
        self._nudges = nudges
        self._put = put
        self._leases = leases
        self._pace = pace
        self._sleep = sleep
        self._found = found
        self._due: dict[str, None] = {}
        self._waiting = asyncio.Event()
        self._sweep_now = asyncio.Event()
        self._clock = asyncio.get_running_loop().time
        self._is_reachable = True
        self.backlog_tasks = 0

    async def run(self) -> None:
        """Follow nudges, sweep and hand out, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
            group.create_task(self._hand_out())
            group.create_task(self._sweep_again_and_again())

    def nudged(self, nudge: Nudge) -> None:
        """Take note of one nudge."""
        table, player = nudge.stream, nudge.due_player
        if nudge.over or (player and not is_house_bot(player)):
            self._leases.drop(table)
            self._due.pop(table, None)
        elif not self._leases.renew(table, nudge.version, self._clock()) and player:
            self._offer(table, nudge.version)

    def lost(self, tables: Sequence[str]) -> None:
        """These tables could not be handed out after all; the sweep will try again."""
        for table in tables:
            self._leases.drop(table)

    async def sweep(self, waiting_ms: int) -> int:
        """Hand out every table where a house bot has been due for so long; how many were not handed out before."""
        number = 0
        async for summary in self._client.list_due(player_prefix=BOT_PREFIX, waiting_ms=waiting_ms):
            number += self._offer(summary.table, summary.version)
        return number

    def _offer(self, table: str, version: int) -> bool:
        if not self._leases.take(table, version, self._clock()):
            return False
        self._due[table] = None
        self._waiting.set()
        return True

    async def _listen(self) -> None:
        async for nudge in self._nudges:
            if nudge is None:
                self._sweep_now.set()  # nudges may have been missed while there was no connection
            else:
                self.nudged(nudge)

    async def _hand_out(self) -> None:
        while True:
            await self._waiting.wait()
            await self._sleep(self._pace.gather_seconds)
            self._waiting.clear()
            while self._due:
                tables = tuple(list(self._due)[: self._pace.task_tables_max])
                for table in tables:
                    del self._due[table]
                if not self._put(tables):
                    self.lost(tables)

    async def _sweep_again_and_again(self) -> None:
        while True:
            reconnected = False
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._pace.sweep_seconds):
                    await self._sweep_now.wait()
                    reconnected = True
            self._sweep_now.clear()
            if self.backlog_tasks > self._pace.backlog_tasks_max:
                continue
            try:
                found = await self.sweep(0 if reconnected else self._pace.waiting_ms)
                if not reconnected:
                    self._found(found)
                self._is_reachable = True
            except ClientError as error:
                if self._is_reachable:
                    LOG.warning("the sweep waits for the table service: %s", error)
                self._is_reachable = False
