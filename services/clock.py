"""The time of day of one process, which steps of the machine's clock do not move, held to the database's.

A turn ends by this time, so a clock that is set forward must not end everybody's turn.
"""

from __future__ import annotations

from collections.abc import Callable


class SteadyClock:
    """Milliseconds since 1970: read from `wall_ms` once, then counted on by `clock`, seconds that never go back."""

    def __init__(self, wall_ms: Callable[[], int], clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began_ms = wall_ms() - clock() * 1000

    def __call__(self) -> int:
        return int(self._began_ms + self._clock() * 1000)

    def correct(self, drift_ms: int) -> None:
        """Take away by how much it is ahead of the database's clock."""
        self._began_ms -= drift_ms
