"""Token buckets by name: how much each client may take of something in a second, and how long it must wait for more.

A bucket is one number, the moment at which it will be full again (the generic cell rate algorithm), so that taking is
a look-up and an addition, and a client that takes nothing costs nothing: a full bucket need not be kept. Times are
seconds of a clock that never goes back; the caller reads it.
"""

from __future__ import annotations

_ROUNDING_SECONDS = 1e-6
"""Sums of seconds are not exact: what misses a whole one by so little is one."""


class Buckets:
    """One bucket for each name; `burst` is what a full one holds, `per_second` how fast it fills.

    At most `names_max` are kept; where that many are not full, those that soon will be are taken to be.
    """

    __slots__ = ("_burst_seconds", "_full_at", "_names_max", "_seconds_each", "burst")

    def __init__(self, per_second: float, burst: float, names_max: int) -> None:
        if per_second <= 0 or burst < 1 or names_max < 1:
            raise ValueError("a bucket must fill, hold something, and have room to be kept")
        self.burst = burst
        self._seconds_each = 1.0 / per_second
        self._burst_seconds = burst / per_second
        self._names_max = names_max
        self._full_at: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._full_at)

    def __contains__(self, name: str) -> bool:
        """Whether anything was taken from a bucket, as far as is kept."""
        return name in self._full_at

    def take(self, name: str, now: float, number: float = 1.0, wait_seconds_max: float = 0.0) -> float:
        """Take that many; the seconds for which they are taken in advance, 0.0 where they were there.

        Where that would be more than `wait_seconds_max` nothing is taken. More than a whole bucket is taken as one.
        """
        full_at = self._full_at.get(name, 0.0)
        if full_at < now:
            full_at = now
        if number > self.burst:
            number = self.burst
        full_at += number * self._seconds_each
        wait = full_at - now - self._burst_seconds - _ROUNDING_SECONDS
        if wait <= wait_seconds_max:
            self._full_at[name] = full_at
            if len(self._full_at) > self._names_max:
                self._forget(now)
        return wait if wait > 0.0 else 0.0

    def give_back(self, name: str) -> None:
        """Put back one that was taken and not needed."""
        if name in self._full_at:
            self._full_at[name] -= self._seconds_each

    def wait(self, name: str, now: float) -> float:
        """Seconds until one can be taken; 0.0 where it can be now."""
        full_at = self._full_at.get(name)
        if full_at is None:
            return 0.0
        return max(0.0, full_at - now + self._seconds_each - self._burst_seconds - _ROUNDING_SECONDS)

    def _forget(self, now: float) -> None:
        """Drop what is full; where that is not half of them, the fullest as well, so that this is seldom done."""
        kept = sorted((full_at, name) for name, full_at in self._full_at.items() if full_at > now)
        self._full_at = {name: full_at for full_at, name in kept[-(self._names_max // 2 or 1) :]}
