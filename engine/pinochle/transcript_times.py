"""What the times of a transcript can show about the times in the log, without trust in either clock.

Let `d` be how far the keeper's clock is ahead of the house's (ms, perhaps negative). What happened at the house at
time h, and was seen here at time k, gives d <= k - h; what was sent here at k, and came to the house at h, gives
d >= k - h. As long as neither clock is set, one d must satisfy all of them, within TOLERANCE_MS. If none does, a time
in the log cannot be true. What the network may have done, a late turn or a late answer, is a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pinochle.transcript import Line, Sent, Shown, Turn

TOLERANCE_MS = 2_000
"""How far two honest clocks may drift, or be corrected, while one part of a transcript is kept."""
DELAY_MS_MIN = 1_000
"""Shorter delays are not worth a note."""


class _Bound(NamedTuple):
    """A bound on d, and the version of the act that it comes from."""

    ms: int
    version: int


class Times:
    """The bounds on d for each part of one transcript; a part ends where the keeper's clock was set or it stopped."""

    def __init__(self) -> None:
        self._part = -1
        self._parts: dict[int, int] = {}  # by the identity of the line
        self._most: dict[int, _Bound] = {}
        self._least: dict[int, _Bound] = {}
        self._notices: dict[int, _Bound] = {}  # the longest time from notice to sight, d included
        self._receipts: dict[int, _Bound] = {}  # the longest time from sending to receipt, less d
        self._expired: list[tuple[int, int, int, int]] = []  # part, version, deadline, time of the answer

    def place(self, line: Line, begins: bool) -> None:
        """Take in the next line of the transcript, which must live as long as this; `begins` starts a part."""
        self._part += begins
        self._parts[id(line)] = self._part

    def seen(
        self, version: int, what: str, house_ms: int, lines: Sequence[Shown | Turn], *, is_notice: bool = False
    ) -> tuple[str, str] | None:
        """Something that the house did at `house_ms` and that was seen here; what is wrong with that time, or None."""
        first = lines[0]
        part = self._parts[id(first)]
        bound = _Bound(first.clock_ms - house_ms, version)
        if is_notice and (part not in self._notices or bound.ms > self._notices[part].ms):
            self._notices[part] = bound
        if part not in self._most or bound.ms < self._most[part].ms:
            self._most[part] = bound
        least = self._least.get(part)
        if least is None or least.ms <= bound.ms + TOLERANCE_MS:
            return None
        late = least.ms - bound.ms
        by = f"by the command of act {least.version} by {least.ms} ms or more"
        here = f"by this act the clock here is ahead by {bound.ms} ms or less, {by}"
        return "time", f"{what} {late} ms later than it came here: {here}"

    def received(self, version: int, house_ms: int, lines: Sequence[Sent]) -> tuple[str, str] | None:
        """A command that the house received at `house_ms`; what is wrong with that time, or None."""
        first = lines[0]
        part = self._parts[id(first)]
        bound = _Bound(first.clock_ms - house_ms, version)
        late = _Bound(-bound.ms, version)
        if part not in self._receipts or late.ms > self._receipts[part].ms:
            self._receipts[part] = late
        if part not in self._least or bound.ms > self._least[part].ms:
            self._least[part] = bound
        most = self._most.get(part)
        if most is None or bound.ms <= most.ms + TOLERANCE_MS:
            return None
        early = bound.ms - most.ms
        by = f"by act {most.version} by {most.ms} ms or less"
        here = f"by this command the clock here is ahead by {bound.ms} ms or more, {by}"
        return "time", f"received {early} ms before it was sent: {here}"

    def since(self, line: Line, house_ms: int) -> int:
        """How long after this line the house did something at `house_ms`, at least; 0 ms where it cannot be told."""
        least = self._least.get(self._parts[id(line)])
        return 0 if least is None else house_ms + least.ms - line.clock_ms

    def expired(self, version: int, deadline_ms: int, answers: Sequence[Sent]) -> None:
        """A turn that the house let expire, though these answers to it were sent."""
        first = answers[0]
        self._expired.append((self._parts[id(first)], version, deadline_ms, first.clock_ms))

    def notes(self) -> list[str]:
        """What may be worth a look, each in a line, and shows nothing by itself."""
        notes = []
        off = [bound.ms for bound in self._most.values() if bound.ms < -TOLERANCE_MS]
        off += [bound.ms for bound in self._least.values() if bound.ms > TOLERANCE_MS]
        if off:
            most = max(off, key=abs)
            where = "ahead of" if most > 0 else "behind"
            notes.append(f"the clock here was {where} the house's by {abs(most)} ms or more")
        for part, version, deadline_ms, clock_ms in self._expired:
            left = deadline_ms - clock_ms + self._least[part].ms if part in self._least and deadline_ms else 0
            when = f" {left} ms or more before its deadline" if left > 0 else ""
            notes.append(f"act {version}: this seat's turn expired, an answer had been sent{when}")
        turns = [
            _Bound(seen.ms - self._most[part].ms, seen.version)
            for part, seen in self._notices.items()
            if part in self._most
        ]
        notes += _longest(turns, "the turn came here {} ms or more after the house says it was published")
        answers = [
            _Bound(came.ms + self._least[part].ms, came.version)
            for part, came in self._receipts.items()
            if part in self._least
        ]
        notes += _longest(answers, "the command is said to have been received {} ms or more after it was sent")
        return notes


def _longest(delays: list[_Bound], text: str) -> list[str]:
    if not delays or max(delays).ms < DELAY_MS_MIN:
        return []
    longest = max(delays)
    return [f"act {longest.version}: {text.format(longest.ms)}"]
