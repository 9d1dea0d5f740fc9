"""Chance for bots that any language can repeat, and that no other use of chance can disturb.

Numbers are SplitMix64's (state += 0x9E3779B97F4A7C15, then its two multiplying shifts), started at the first eight
bytes of SHA-256( "pinochle-arena/chance/1" | seed | each number as 8 bytes ). Good for playing, not for secrets.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")

_PURPOSE = b"pinochle-arena/chance/1"
_WORD = 2**64 - 1


class Chance:
    """A source of chance from a seed and some numbers, such as deal and seat; a Chooser."""

    __slots__ = ("_state",)

    def __init__(self, seed: bytes, *numbers: int) -> None:
        digest = sha256(_PURPOSE + seed + b"".join(number.to_bytes(8, "big") for number in numbers)).digest()
        self._state = int.from_bytes(digest[:8], "big")

    def randrange(self, stop: int, /) -> int:
        """A whole number from 0 to stop - 1: the high word of the next number times `stop`."""
        if stop < 1:
            raise ValueError(f"stop must be above 0, not {stop}")
        self._state = (self._state + 0x9E3779B97F4A7C15) & _WORD
        z = self._state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB & _WORD
        return (z ^ z >> 31) * stop >> 64

    def sample(self, population: list[T], k: int, /) -> list[T]:
        """`k` members of the list, each at most once, in the order drawn."""
        if not 0 <= k <= len(population):
            raise ValueError(f"cannot draw {k} of {len(population)}")
        rest = list(population)
        drawn = []
        for left in range(len(rest), len(rest) - k, -1):
            at = self.randrange(left)
            drawn.append(rest[at])
            rest[at] = rest[left - 1]
        return drawn
