"""Run random cases through both readings of the rules until they differ."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any, TextIO

from tests.oracle.cases import answer, case_of, is_same, random_case

CASES_DEFAULT = 100_000
BAR_CHARACTERS = 40
BAR_SECONDS = 0.2
LINE_SECONDS = 60.0
"""How often progress is told: at a terminal as a bar, elsewhere as lines."""


def first_difference(
    number: int, seed: int, op: str | None = None, progress: Callable[[int], None] | None = None
) -> tuple[dict[str, Any], Any] | None:
    """The first of so many cases that the engine answers otherwise, and its answer; None if there is none.

    Each case depends on the seed and its own number alone.
    """
    for index in range(number):
        chance = Random(f"{seed}/{index}")
        case = random_case(chance) if op is None else case_of(op, chance)
        case["id"] = f"{case['id']}-{seed}-{index}"
        got = answer(case)
        if not is_same(case["expected"], got):
            return case, got
        if progress is not None:
            progress(index + 1)
    return None


class Progress:
    """How far a long run has come, told now and then."""

    def __init__(self, total: int, out: TextIO) -> None:
        self.total = total
        self.out = out
        self.is_bar = out.isatty()
        self.began = self.told = time.monotonic()

    def __call__(self, done: int) -> None:
        now = time.monotonic()
        if now - self.told < (BAR_SECONDS if self.is_bar else LINE_SECONDS) and done < self.total:
            return
        self.told = now
        left = (now - self.began) * (self.total - done) / done
        figures = f"{done:,} of {self.total:,}, {_span(left)} left"
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
