"""Sends the messages of a stream one after the other, and gives up a caller that does not read them.

Nothing is queued for a caller: its stream goes on from the log when the message before has left. So a slow one costs
no memory and nobody waits for it; one whose message does not leave in time is told after which version to resume.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, NamedTuple

from services.admission import TooMuch


class Stalled(TooMuch):
    """The caller does not read its stream. `after` is the version that it was sent, where the stream has one."""

    def __init__(self, after: int | None) -> None:
        text = "you read too slowly: open the stream again and resume"
        super().__init__(text if after is None else f"{text} after version {after}", 0.0, "slow_readers")
        self.after = after


class Reached(NamedTuple):
    """A message of a stream, and the version up to which the caller has everything with it."""

    message: Any
    version: int


class Outlet:
    """One stream's way out: one timer, however many messages. `check` is awaited before each, and may raise."""

    def __init__(
        self,
        write: Callable[[Any], Awaitable[None]],
        check: Callable[[], Awaitable[None]],
        stall_seconds_max: float,
        clock: Callable[[], float],
    ) -> None:
        self._write = write
        self._check = check
        self._seconds_max = stall_seconds_max
        self._clock = clock
        self._since = 0.0  # when the message under way began to be sent; 0: there is none
        self._stalled = False
        self._task = asyncio.current_task()
        self._timer = asyncio.get_running_loop().call_later(stall_seconds_max / 2, self._look)

    async def send(self, messages: AsyncGenerator[Any, None], after: int | None) -> None:
        """Send them all; Stalled where one does not leave. `after` is the version that the caller began with."""
        try:
            async with contextlib.aclosing(messages):
                async for message in messages:
                    await self._check()
                    if message.__class__ is Reached:
                        await self._send(message.message, after)
                        after = message.version
                    else:
                        await self._send(message, after)
        finally:
            self._timer.cancel()

    async def _send(self, message: Any, after: int | None) -> None:
        self._since = self._clock()
        try:
            await self._write(message)
        except asyncio.CancelledError:
            if not self._stalled:
                raise
            assert self._task is not None
            self._task.uncancel()
            raise Stalled(after) from None
        self._since = 0.0

    def _look(self) -> None:
        if self._since and self._clock() - self._since >= self._seconds_max:
            self._stalled = True
            assert self._task is not None
            self._task.cancel()
        else:
            self._timer = asyncio.get_running_loop().call_later(self._seconds_max / 2, self._look)
