"""An event loop whose clock stands still: time passes only when the test says so, or when nothing else can happen."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


STUCK_SECONDS = 10.0


class _Jumping(selectors.DefaultSelector):
    """Does not wait for the next timer, but lets its time come at once."""

    def __init__(self) -> None:
        super().__init__()
        self.jumped = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is not None:
            self.jumped += max(0.0, timeout)
            return super().select(0)
        found = super().select(STUCK_SECONDS)  # there is no timer: only another thread can bring something
        if not found:
            raise RuntimeError("everything waits, and nothing will come")
        return found


class StillLoop(asyncio.SelectorEventLoop):
    """Timers fire when `advance` has passed their time; nothing ever waits for the real clock."""

    def __init__(self) -> None:
        self._now = 0.0
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._now + self._jumping.jumped

    async def settle(self) -> None:
        """Let everything run that can, until all wait for something that only the caller can bring."""
        await asyncio.sleep(0)
        while self._ready:  # type: ignore[attr-defined]  # noqa: ASYNC110 (there is no event for: nothing is left)
            await asyncio.sleep(0)

    async def advance(self, seconds: float) -> None:
        """Let so much time pass, and what is due by then happen."""
        self._now += seconds
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await self.settle()


def running() -> StillLoop:
    """The loop of this kind that runs now."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, StillLoop)
    return loop


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on a loop of this kind to its end."""
    loop = StillLoop()
    try:
        return loop.run_until_complete(main)
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
