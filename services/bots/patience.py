"""Leaves what fails again and again alone for longer each time, and comes back to it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

REMEMBERED_MAX = 10_000


class Patience:
    """Failures in a row by key: each doubles the time for which the key is left, up to `seconds_max`."""

    def __init__(self, clock: Callable[[], float], seconds_min: float, seconds_max: float) -> None:
        self._clock = clock
        self._seconds_min = seconds_min
        self._seconds_max = seconds_max
        self._failures: OrderedDict[Hashable, tuple[int, float]] = OrderedDict()  # how many, and left until when

    def failed(self, key: Hashable) -> float:
        """Count a failure; the seconds for which the key is left now."""
        count, _ = self._failures.pop(key, (0, 0.0))
        seconds = min(self._seconds_max, self._seconds_min * 2.0 ** min(count, 60))
        self._failures[key] = (count + 1, self._clock() + seconds)
        while len(self._failures) > REMEMBERED_MAX:
            self._failures.popitem(last=False)
        return seconds

    def worked(self, key: Hashable) -> None:
        """Forget the failures of a key."""
        self._failures.pop(key, None)

    def leaves(self, key: Hashable) -> bool:
        """Whether the key is to be left alone now."""
        return key in self._failures and self._clock() < self._failures[key][1]
