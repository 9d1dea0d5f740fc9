"""Run random cases through both readings of the rules until they differ."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tests.oracle.cases import answer, case_of, is_same, random_case

CASES_DEFAULT = 100_000


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
