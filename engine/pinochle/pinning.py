"""What pins a log from outside: a hash that somebody noted, and a tournament's list of its tables.

An audit shows that the acts of one stream fit each other; it cannot show that all of them were not written anew. Here
the reports of audits are held beside a noted hash (the head of a tournament, or of a lone table), and tables beside
their tournament: its list of their last hashes, how it wanted them opened, and the results that it recorded. What does
not fit is named by its stream. Streams that an audit found bad are left out: they are named already. Of one that a
newer version wrote only the head is known: a noted hash still pins it, and it says nothing of its tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from pinochle.decider import record
from pinochle.events import TableOpened
from pinochle.tournament.events import PinnedTable
from pinochle.tournament.lots import table_id
from pinochle.tournament.state import PLAYED, Attempt, Match
from pinochle.tournament.state import State as TournamentState
from pinochle.tournament.tables import WantedTable, table_of

if TYPE_CHECKING:
    from pinochle.audit import Report


@record
class Finding:
    """What does not fit: which stream, the check it failed (``pin`` or ``table``), and what was expected and found."""

    kind: str
    stream: UUID
    check: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind} {self.stream}: {self.check}: {self.text}"


class Covered(NamedTuple):
    """A tournament, how many tables it lists that were ever opened, and how many of these were there and fitted."""

    tournament: UUID
    tables: int
    fitting: int


class _Seen(NamedTuple):
    """What is kept of the report of a table; of one that a newer version wrote only the head."""

    stream: UUID
    acts: int | None
    head: bytes
    opened: TableOpened | None = None
    result: tuple[int, tuple[int, ...], int, str] | None = None


class Pins:
    """Takes the reports of any number of streams, then says what does not fit. `root` is the noted hash, if any."""

    def __init__(self, root: bytes | None = None) -> None:
        self._root = root
        self._tables: dict[UUID, _Seen] = {}
        self._tournaments: dict[UUID, tuple[bytes, TournamentState | None]] = {}
        self._heads: dict[UUID, bytes] = {}
        self._twice: list[Finding] = []
        self._has_bad_tournament = False
        self.covered: list[Covered] = []

    def add(self, report: Report) -> None:
        """Take the report of one stream; of a table little of it is kept."""
        if report.outcome == "bad":
            self._has_bad_tournament |= report.kind == "tournament"
            return
        known = self._heads.setdefault(report.stream, report.head)
        if known != report.head:
            text = f"expected one log of it, found two, with the heads {known.hex()} and {report.head.hex()}"
            self._twice.append(Finding(report.kind, report.stream, "pin", text))
            return
        is_newer, state = report.problem is not None, report.state
        if report.kind == "tournament":
            self._tournaments[report.stream] = (report.head, None if is_newer else state)
        elif is_newer:
            self._tables[report.stream] = _Seen(report.stream, None, report.head)
        else:
            result = (state.winner, tuple(state.totals), state.deal, state.end_reason) if report.ended else None
            self._tables[report.stream] = _Seen(report.stream, report.acts, report.head, state.table, result)

    def findings(self) -> list[Finding]:
        """What does not fit, the noted hash first; call it once, when every report was taken."""
        found = [*self._twice, *self._noted()]
        belongs: set[UUID] = set()
        states = {stream: state for stream, (_, state) in self._tournaments.items() if state is not None}
        for stream, state in states.items():
            found += self._tables_of(stream, state, belongs)
        if self._root is not None and states and len(states) == len(self._tournaments):
            found += [
                Finding("table", table, "pin", "expected a table of the tournament that has this root, found another")
                for table in self._tables
                if table not in belongs
            ]
        return found

    def _noted(self) -> Iterator[Finding]:
        """The noted hash is that of the one tournament, or where there is none of the one table."""
        if self._root is None:
            return
        heads = {stream: head for stream, (head, _) in self._tournaments.items()}
        kind = "tournament"
        if not heads and not self._has_bad_tournament:
            kind, heads = "table", {stream: table.head for stream, table in self._tables.items()}
        for stream, head in heads.items():
            if head != self._root:
                yield Finding(kind, stream, "pin", f"expected the head {self._root.hex()}, found {head.hex()}")

    def _tables_of(self, stream: UUID, state: TournamentState, belongs: set[UUID]) -> Iterator[Finding]:
        attempts = _attempts(state)
        pinned = {UUID(table.table): table for table in state.pinned}
        fitting = 0
        for table in self._tables.values():
            place = attempts.get(table.stream)
            if place is None:
                if table.opened is not None and table.opened.tournament == str(stream):
                    belongs.add(table.stream)
                    yield Finding("table", table.stream, "table", f"expected a table of {stream}, which has none such")
                continue
            belongs.add(table.stream)
            wrong = _unlike_pinned(table, pinned.get(table.stream), bool(pinned)) or _unlike_wanted(table, state, place)
            if wrong:
                yield Finding("table", table.stream, *wrong)
            else:
                fitting += 1
        listed = sum(table.acts > 0 for table in state.pinned) or len(attempts)
        self.covered.append(Covered(stream, listed, fitting))


def _attempts(state: TournamentState) -> dict[UUID, tuple[Match, Attempt]]:
    """The matches and attempts of a tournament by the ids of their tables."""
    return {
        UUID(table_id(state.created.tournament, match.id, attempt.number)): (match, attempt)
        for match in state.matches.values()
        for attempt in match.attempts
    }


def _unlike_pinned(table: _Seen, pinned: PinnedTable | None, has_pins: bool) -> tuple[str, str] | None:
    """What differs from the tournament's list; one that has not been closed, or of before, has no list."""
    if pinned is None:
        return ("pin", "expected a table of the tournament's list, found another") if has_pins else None
    if table.acts not in (None, pinned.acts):
        return "pin", f"expected {pinned.acts} acts, which the tournament lists, found {table.acts}"
    if table.head != pinned.head:
        return "pin", f"expected the head {pinned.head.hex()}, which the tournament lists, found {table.head.hex()}"
    return None


def _unlike_wanted(table: _Seen, state: TournamentState, place: tuple[Match, Attempt]) -> tuple[str, str] | None:
    """What differs from how the tournament wanted the table, or from the result that it recorded."""
    match, attempt = place
    if table.opened is not None and state.created.seed:  # while it is secret there is nothing to compare with
        for name, (expected, found) in _opening(table.opened, table_of(state, match, attempt)).items():
            if expected != found:
                return "table", f"expected {name} {_shown(expected)} for {match.id}, found {_shown(found)}"
    if attempt.status == PLAYED and table.result is not None:
        recorded = (attempt.winner, attempt.totals, attempt.deals, attempt.reason)
        if recorded != table.result:
            return "table", f"expected the recorded result of {match.id}, {recorded}, found {table.result}"
    return None


def _opening(opened: TableOpened, wanted: WantedTable) -> dict[str, tuple[Any, Any]]:
    """What the tournament says of the opening of a table, and what the table says."""
    return {
        "the seed": (wanted.seed, opened.seed),
        "the players": (wanted.players, opened.players),
        "the rules": (wanted.rules, opened.rules),
        "the dealer": (wanted.dealer, opened.dealer),
        "the nonce": (b"", opened.nonce),
        "the deal limit": (wanted.deal_limit, opened.deal_limit),
        "the time of a turn": (wanted.turn_ms or opened.turn_ms, opened.turn_ms),
        "the beat": (wanted.beat_ms, opened.beat_ms),
        "the tournament": (wanted.tournament, opened.tournament),
        "the match": (wanted.match, opened.match),
    }


def _shown(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else f"{value!r:.80}"
