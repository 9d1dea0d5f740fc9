"""How many tasks wait in a queue of the broker, and for how long the oldest has."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff


class Backlog(NamedTuple):
    """Waiting tasks, and the seconds for which the oldest of them has waited (0 where it does not say)."""

    tasks: int
    age_seconds: float


class Queue:
    """One queue of a Celery broker on Redis. `header` names the tasks' header with their time of queueing, in ms."""

    def __init__(self, url: str, name: str, header: str, clock_ms: Callable[[], int], seconds_max: float) -> None:
        self._redis = Redis.from_url(
            url, socket_timeout=seconds_max, socket_connect_timeout=seconds_max, retry=Retry(NoBackoff(), 0)
        )
        self._name = name
        self._header = header
        self._clock_ms = clock_ms

    async def backlog(self) -> Backlog:
        """What waits now; RedisError, OSError or TimeoutError where the broker does not answer."""
        async with self._redis.pipeline(transaction=False) as pipe:
            # A queue is a list: new tasks come in at its left end, workers take from its right.
            pipe.llen(self._name)
            pipe.lindex(self._name, -1)
            tasks, oldest = await pipe.execute()
        return Backlog(tasks, self._age_seconds(oldest))

    async def close(self) -> None:
        """Let go of the connection."""
        await self._redis.aclose()

    def _age_seconds(self, message: bytes | None) -> float:
        if message is None:
            return 0.0
        try:
            queued_ms = int(json.loads(message)["headers"][self._header])
        except (ValueError, KeyError, TypeError):
            return 0.0
        return max(0, self._clock_ms() - queued_ms) / 1000
