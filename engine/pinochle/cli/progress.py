"""How far a long command is, on stderr: a bar at a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, TextIO, TypeVar

BAR_CHARACTERS = 24
FIRST_SECONDS, BAR_SECONDS, LINE_SECONDS = 0.5, 0.1, 10.0
"""After how long it is shown first, and how often then: as a bar, and as lines."""

Item = TypeVar("Item")


class Progress:
    """Call `at` as often as wanted; `total` 0 is not known. Ends with its `with` block and leaves no bar behind."""

    def __init__(self, total: int, out: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._out = sys.stderr if out is None else out
        self._clock = clock
        self._is_bar = self._out.isatty()
        self._next = clock() + (FIRST_SECONDS if self._is_bar else LINE_SECONDS)
        self._shown = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()

    def at(self, done: int, note: str) -> None:
        """So much of the total is done; the note says it in words."""
        now = self._clock()
        if now < self._next:
            return
        self._next = now + (BAR_SECONDS if self._is_bar else LINE_SECONDS)
        text = f"{self._part(done)}{note}"
        if self._is_bar:
            print(f"\r{text.ljust(self._shown)}", end="", file=self._out, flush=True)
            self._shown = len(text)
        else:
            print(text, file=self._out, flush=True)

    def clear(self) -> None:
        """Take the bar away, so that something else can be written in its place."""
        if self._shown:
            print(f"\r{' ' * self._shown}\r", end="", file=self._out, flush=True)
            self._shown = 0

    def _part(self, done: int) -> str:
        if not self._total:
            return ""
        part = min(1.0, done / self._total)
        filled = int(part * BAR_CHARACTERS)
        bar = f"[{'#' * filled}{'-' * (BAR_CHARACTERS - filled)}] " if self._is_bar else ""
        return f"{bar}{part:4.0%}  "


def through(progress: Progress, file: BinaryIO, items: Iterable[Item], note: str) -> Iterator[Item]:
    """The items that are read from a file, with the progress of its reading."""
    for item in items:
        progress.at(file.tell(), note)
        yield item
