"""Long runs of checks: tasks on every core, a few ahead, and how far they have come."""

from __future__ import annotations

import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from typing import NoReturn, TextIO, TypeVar

AHEAD = 3
"""Tasks that are handed out for each process before their results are wanted."""
BAR_CHARACTERS = 40
BAR_SECONDS = 0.2
LINE_SECONDS = 60.0
"""How often progress is told: at a terminal as a bar, elsewhere as lines."""

R = TypeVar("R")


def in_order(work: Callable[[range], R], numbers: range, task_size: int, processes: int) -> Iterator[R]:
    """What comes of the numbers, `task_size` at a time and in their order; who stops asking ends what is not begun."""
    starts = range(numbers.start, numbers.stop, task_size)
    tasks = (range(start, min(start + task_size, numbers.stop)) for start in starts)
    # Ctrl-C is for this process; the others finish the task that they are at.
    with ProcessPoolExecutor(processes, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)) as pool:
        try:
            waiting: deque[Future[R]] = deque(pool.submit(work, task) for task in islice(tasks, AHEAD * processes))
            while waiting:
                found = waiting.popleft().result()
                waiting.extend(pool.submit(work, task) for task in islice(tasks, 1))
                yield found
        finally:
            pool.shutdown(cancel_futures=True)


def ended(main: Callable[[], int]) -> NoReturn:
    """Run a program to its end, or to Ctrl-C."""
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)


class Progress:
    """How far a long run has come, told now and then."""

    def __init__(self, total: int, out: TextIO) -> None:
        self.total = total
        self.out = out
        self.is_bar = out.isatty()
        self.began = self.told = time.monotonic()

    def __call__(self, done: int, note: str = "") -> None:
        now = time.monotonic()
        if now - self.told < (BAR_SECONDS if self.is_bar else LINE_SECONDS) and done < self.total:
            return
        self.told = now
        left = (now - self.began) * (self.total - done) / done if done else 0
        figures = f"{done:,} of {self.total:,}, {_span(left)} left{f', {note}' if note else ''}"
        if self.is_bar:
            full = BAR_CHARACTERS * done // self.total
            bar = "#" * full + "-" * (BAR_CHARACTERS - full)
            self.out.write(f"\r[{bar}] {figures}    " + ("\n" if done == self.total else ""))
        else:
            self.out.write(f"{figures}\n")
        self.out.flush()


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
