"""Which tables are being played, as far as nudges tell: those that were handed out a short while ago, or move on."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass


@dataclass(slots=True)
class _Lease:
    version: int
    until: float
    seconds: float  # how long it was given for
    moved: bool  # whether the table has moved on since it was given


class Leases:
    """A bounded set of tables that were handed out, each until some time; times are seconds of one clock.

    A table that moves on is being played, so its lease is renewed. One that is handed out again without having moved
    is left for twice as long, up to `seconds_max`: whoever fails at it is not asked every second.
    """

    def __init__(self, seconds: float, seconds_max: float, tables_max: int) -> None:
        self._seconds = seconds
        self._seconds_max = seconds_max
        self._tables_max = tables_max
        self._leases: OrderedDict[str, _Lease] = OrderedDict()

    def __len__(self) -> int:
        return len(self._leases)

    def take(self, table: str, version: int, now: float) -> bool:
        """Hand the table out, unless it is already; whether that was done."""
        lease = self._leases.get(table)
        if lease is None:
            self._leases[table] = _Lease(version, now + self._seconds, self._seconds, False)
            while len(self._leases) > self._tables_max:
                self._leases.popitem(last=False)
            return True
        if now < lease.until:
            return False
        stuck = not lease.moved and version <= lease.version
        lease.seconds = min(2 * lease.seconds, self._seconds_max) if stuck else self._seconds
        lease.version, lease.until, lease.moved = version, now + lease.seconds, False
        self._leases.move_to_end(table)
        return True

    def renew(self, table: str, version: int, now: float) -> bool:
        """Note that the table has moved on to this version; whether it is handed out."""
        lease = self._leases.get(table)
        if lease is None or now >= lease.until:
            return False
        if version > lease.version:
            lease.version, lease.moved, lease.seconds = version, True, self._seconds
            lease.until = max(lease.until, now + self._seconds)
        return True

    def drop(self, table: str) -> None:
        """The table is played no longer: no house bot is due, or it could not be handed out."""
        self._leases.pop(table, None)
