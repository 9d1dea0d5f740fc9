"""Acts that wait for a beat: decided when they come, given out at a fixed tick, so that nobody can time who made them.

A held act is nowhere but in this process: what is lost with it was never answered, and comes again with the same id.
Whoever asks again meanwhile waits for the same answer; another command for the same turn is refused, as it would be if
the first had taken effect at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, NamedTuple

from pinochle.errors import Reason, Rejected

from services.stream import CommandReused, Stream

HELD_MS_MAX = 6_000
"""Longer than any beat, and shorter than a call: for how long an act is held at most."""


def next_tick(since_ms: int, beat_ms: int, received_ms: int) -> int:
    """The first tick, counted from `since_ms`, that is not before the receipt; never `since_ms` itself."""
    return since_ms + beat_ms * max(1, -(-(received_ms - since_ms) // beat_ms))


class Held(NamedTuple):
    """An act that is held: whose it is, and the task that will give it out and has its answer."""

    author: str
    command_id: bytes
    command: bytes
    answer: asyncio.Task[Any]

    def answer_to(self, author: str, command_id: bytes, command: bytes) -> asyncio.Task[Any] | None:
        """The answer, if it is this command that is held; Rejected where its author has acted already."""
        if author != self.author:
            return None
        if command_id != self.command_id:
            raise Rejected(Reason.STALE_VERSION, "this turn has been answered; the act is given out with the next beat")
        if command != self.command:
            raise CommandReused("this command id was used for another command")
        return self.answer


def hold(
    stream: Stream,
    author: str,
    command_id: bytes,
    command: bytes,
    wait: Coroutine[Any, Any, None],
    release: Callable[[], Awaitable[Any]],
) -> asyncio.Task[Any]:
    """Hold an act of the stream until `wait` is over and then have it carried out by `release`; its answer to come."""

    async def released() -> Any:
        await wait
        async with stream.lock:
            if stream.held is held:  # else the table went on elsewhere, and its next act is held by now
                stream.held = None
            return await release()

    task = asyncio.ensure_future(released())
    # Whoever still waits for the answer has the error as well; where nobody does, it is nobody's.
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    stream.held = held = Held(author, command_id, command, task)
    return task


async def until(at_ms: int, clock_ms: Callable[[], int], sleep: Callable[[float], Awaitable[Any]]) -> None:
    """Return when the clock has come to a time, or after HELD_MS_MAX, however far the clock is set back meanwhile."""
    most_ms = HELD_MS_MAX
    while (left_ms := min(at_ms - clock_ms(), most_ms)) > 0:
        await sleep(left_ms / 1000)
        most_ms -= left_ms


def let_go(streams: Iterable[Stream]) -> None:
    """Give up the acts that are held: they were not answered, and come again."""
    for stream in streams:
        if stream.held is not None:
            stream.held.answer.cancel()
