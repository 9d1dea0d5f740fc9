"""Numbers on the command line: what each option takes, refused with the option's name before anything begins."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def whole(lowest: int, highest: int) -> Callable[[str], int]:
    """The type of an option that takes a whole number in this range."""

    def read(text: str) -> int:
        digits = text.removeprefix("-")
        number = int(text) if digits.isascii() and digits.isdecimal() and len(digits) <= 18 else None
        if number is None or not lowest <= number <= highest:
            raise argparse.ArgumentTypeError(f"not a whole number from {lowest} to {highest}: {text!r:.20}")
        return number

    return read


def seconds(highest: float, *, or_zero: bool = False) -> Callable[[str], float]:
    """The type of an option that takes seconds above 0 up to the highest, or 0 as well."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not (0 < number <= highest or (or_zero and number == 0)):  # nan is neither
            least = "from 0 to" if or_zero else "above 0 and up to"
            raise argparse.ArgumentTypeError(f"not a number {least} {highest:g}: {text!r:.20}")
        return number

    return read
