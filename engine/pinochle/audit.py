"""Audit: check the stored acts of a stream, or build its state again, with nothing but the acts.

`verify` reads the acts once and names the first one that is wrong; what it checks is written down in
`docs/verification.md`. Conclusions (who won a trick, melds, scores) are made anew with the same `decide`
and compared with the events that were stored. An act of another rules version that would be concluded
otherwise today is not an alteration as long as the chain holds: the outcome is then DIFFERS. From the first act
on that a newer version wrote, and this one cannot read, the chain alone is checked: NEWER. `rebuild` uses the
events alone.

Whatever bytes the acts hold, the answer is a report; only a wrong use of these functions raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, BinaryIO, NamedTuple
from uuid import UUID

from pinochle import export
from pinochle.checks import check_table, check_tournament, received
from pinochle.decider import Act, Decider, record
from pinochle.describe import plain
from pinochle.errors import BadInput, NewerSchema, Rejected
from pinochle.game import GAME
from pinochle.rules import RULES_VERSION
from pinochle.state import CLOSED, PHASES, State
from pinochle.tournament import TOURNAMENT, TOURNAMENT_VERSION
from pinochle.tournament import state as tournament_state
from pinochle.tournament.state import State as TournamentState
from pinochle.wire import chain, codec, newer, tournament_codec
from pinochle.wire.v1 import game_pb2, tournament_pb2

OK, BAD, DIFFERS, NEWER = "ok", "bad", "differs", "newer"
"""Outcomes: as it must be; altered or broken; intact, but concluded otherwise under another rules version; intact, but
written by a newer version, which alone can check more than the chain."""

NOTES_MAX = 5
SHOWN_CHARACTERS_MAX = 160


@record
class Problem:
    """The first act that is wrong, or too new: its version, the check it failed, and what was expected and found."""

    version: int
    check: str
    text: str

    def __str__(self) -> str:
        return f"act {self.version}: {self.check}: {self.text}"


@record
class Report:
    """What an audit found; figures and `state` are those of the acts before the first problem."""

    kind: str
    stream: UUID
    outcome: str
    acts: int
    events: int
    deals: int
    ended: bool
    head: bytes
    differing: int  # acts that this version of the rules would conclude otherwise
    problem: Problem | None
    notes: tuple[str, ...]
    state: Any

    @property
    def ok(self) -> bool:
        return self.outcome == OK

    def plain(self) -> dict[str, Any]:
        """The report as values that JSON can hold, without the state."""
        problem = self.problem
        return {
            "kind": self.kind,
            "stream": str(self.stream),
            "outcome": self.outcome,
            "acts": self.acts,
            "events": self.events,
            "deals": self.deals,
            "ended": self.ended,
            "head": self.head.hex(),
            "differing": self.differing,
            "problem": problem and {"version": problem.version, "check": problem.check, "text": problem.text},
            "notes": list(self.notes),
        }


class Kind(NamedTuple):
    """What the audit must know of one kind of stream.

    `check` returns what is wrong with an act, given the state before it, as (check, text), beyond what
    `decide` concludes; else None. `body` is the message that acts are stored as. `ended` says whether nothing can
    follow, `stands` names the phase. `rules_version` is that of the rules as they are today: of the game or of
    tournaments, each of which is raised by itself.
    """

    name: str
    decider: Decider
    body: type[Any]
    at_rest: Callable[[Act], bytes]
    from_rest: Callable[[int, bytes, bytes], Act]
    check: Callable[[UUID, Any, Act], tuple[str, str] | None]
    ended: Callable[[Any], bool]
    stands: Callable[[Any], str]
    deals: Callable[[Any], int]
    rules_version: Callable[[], int]


def verify_table(stream: UUID, acts: Iterable[export.Stored], *, must_end: bool = True) -> Report:
    """Check the acts of one table from version 1 on; one that has not ended is a problem if `must_end`."""
    return verify(TABLE, stream, acts, must_end=must_end)


def verify_tournament(stream: UUID, acts: Iterable[export.Stored], *, must_end: bool = True) -> Report:
    """Check the acts of one tournament; `deals` counts those of the results that were recorded."""
    return verify(EVENT, stream, acts, must_end=must_end)


def verify(kind: Kind, stream: UUID, acts: Iterable[export.Stored], *, must_end: bool = True) -> Report:
    """Check the acts of one stream of any kind; BadExport from the iterable becomes the report's problem."""
    walk = _Walk(kind, stream)
    problem = None
    try:
        for stored in acts:
            problem = walk.step(stored)
            if problem:
                break
    except export.BadExport as error:
        problem = Problem(max(error.line - 1, 0) or walk.acts, "file", str(error))
    if problem is None and walk.newer is None and must_end and not kind.ended(walk.state):
        stands = kind.stands(walk.state)
        text = f"expected the {kind.name} to end, found that the acts stop at version {walk.acts} ({stands})"
        problem = Problem(walk.acts + 1, "end", text)
    return walk.report(problem)


def verify_export(file: BinaryIO, *, must_end: bool = True) -> Report:
    """Check a whole export file, format and acts; BadExport where not even its header can be read."""
    header, acts = export.read(file)
    return verify(kind_of(header.kind), header.stream, acts, must_end=must_end)


def verify_chain(stream: UUID, acts: Iterable[export.Stored]) -> Problem | None:
    """Check versions and hashes only, without decoding anything; much faster than `verify`."""
    version = chain.check(acts, stream.bytes)
    return None if version is None else Problem(version, "chain", "the act does not follow from the ones before")


def rebuild(acts: Iterable[export.Stored], kind: Kind | None = None) -> Any:
    """The state that the acts' events alone add up to; of a table by default; BadInput for a bad body."""
    kind = TABLE if kind is None else kind
    state = kind.decider.initial()
    for stored in acts:
        act = kind.from_rest(stored.version, stored.command_id, stored.body)
        kind.decider.advance(state, act.events, act.at_ms)
    return state


def result(state: State) -> dict[str, Any]:
    """How a table stands, as values that JSON can hold; `winner` is a team, in the stock game a seat, or null."""
    return {
        "phase": PHASES[state.phase],
        "winner": None if state.winner < 0 else state.winner,
        "reason": state.end_reason,
        "totals": list(state.totals),
        "deals": state.deal,
        "scored": state.scored,
        "acts": state.version,
    }


def kind_of(name: str) -> Kind:
    """The kind of stream that an export's header names; BadInput for another."""
    for kind in (TABLE, EVENT):
        if kind.name == name:
            return kind
    raise BadInput(f"not a kind of stream: {name!r:.40}")


class _Walk:
    """One pass over the acts of a stream."""

    def __init__(self, kind: Kind, stream: UUID) -> None:
        self.kind = kind
        self.stream = stream
        self.state = kind.decider.initial()
        self.head = chain.START
        self.acts = self.events = self.differing = 0
        self.at_ms = 0
        self.is_timed = False
        self.used: set[tuple[str, bytes]] = set()
        self.notes: list[str] = []
        self.newer: Problem | None = None
        self.today = kind.rules_version()
        self.beyond = 0  # acts from the first one on that is too new

    def report(self, problem: Problem | None) -> Report:
        outcome = BAD if problem else NEWER if self.newer else DIFFERS if self.differing else OK
        ended, deals = self.kind.ended(self.state), self.kind.deals(self.state)
        notes = list(self.notes)
        if self.differing > len(notes):
            notes.append(f"and {self.differing - len(notes)} more acts that differ under rules version {self.today}")
        if self.newer and problem is None:
            notes.append(f"chain intact up to act {self.acts + self.beyond}; only a newer version can check the rest")
        elif not ended and problem is None:
            notes.append(f"the {self.kind.name} has not ended ({self.kind.stands(self.state)})")
        return Report(
            self.kind.name, self.stream, outcome, self.acts, self.events, deals, ended, self.head,
            self.differing, problem or self.newer, tuple(notes), self.state,
        )  # fmt: skip

    def step(self, stored: export.Stored) -> Problem | None:
        """Check one act and file its events; what is wrong with it, or None."""
        version = self.acts + self.beyond + 1
        found = self._chained(stored, version)
        if found is None and self.newer is None:
            act = self._decoded(stored)
            found = act if isinstance(act, tuple) else self._checked(act, stored)
            if found and found[0] == NEWER:
                self.newer, found = Problem(version, *found), None
        if found:
            return Problem(version, *found)
        if self.newer:
            self.head = stored.hash
            self.beyond += 1
        return None

    def _chained(self, stored: export.Stored, version: int) -> tuple[str, str] | None:
        if stored.version != version:
            return "version", f"expected version {version}, found {stored.version}"
        if len(stored.command_id) != export.ID_BYTES:
            return (
                "chain",
                f"expected a command id of {export.ID_BYTES} bytes, found {len(stored.command_id)}",
            )
        link = chain.link(self.head, self.stream.bytes, version, stored.command_id, stored.body)
        if link != stored.hash:
            return "chain", f"expected hash {link.hex()}, found {stored.hash.hex()}"
        return None

    def _decoded(self, stored: export.Stored) -> Act | tuple[str, str]:
        try:
            act = self.kind.from_rest(stored.version, stored.command_id, stored.body)
            again = self.kind.at_rest(act)
        except Exception as error:  # a file may hold anything
            later = isinstance(error, NewerSchema) or newer.rules_version(stored.body) > self.today
            if later and newer.is_in_form(self.kind.body, stored.body):
                return NEWER, f"expected what this version knows, found {_shown(error)}"
            return "body", f"expected the body of an act, found bytes that cannot be read ({_shown(error)})"
        if again != stored.body:
            if field := newer.unknown_field(self.kind.body, stored.body):
                return NEWER, f"expected the fields that this version knows, found {field} as well"
            return (
                "body",
                f"expected the {len(again)} bytes that it encodes to, found {len(stored.body)} others",
            )
        return act

    def _checked(self, act: Act, stored: export.Stored) -> tuple[str, str] | None:
        if (act.author, act.command_id) in self.used:
            return "command id", f"expected a new one of {act.author}, found {act.command_id.hex()} again"
        problem = received(self.at_ms, self.is_timed, act) or self.kind.check(self.stream, self.state, act)
        if problem:
            return problem
        wrong = self._concluded(act)
        if wrong and act.rules_version == self.today:
            return "rules", wrong
        try:
            state = self.kind.decider.fold(self.state, act.events, act.at_ms)
        except Exception as error:
            check = NEWER if act.rules_version > self.today else "events"
            return check, f"expected events that can be filed, found ones that cannot ({_shown(error)})"
        if wrong:
            self._note(act, wrong)
        self.state, self.head, self.at_ms, self.is_timed = state, stored.hash, act.at_ms, bool(act.received_ms)
        self.used.add((act.author, act.command_id))
        self.acts += 1
        self.events += len(act.events)
        return None

    def _concluded(self, act: Act) -> str | None:
        """What the rules conclude otherwise than the act says, in a line."""
        try:
            expected = self.kind.decider.decide(self.state, act.command)
        except (Rejected, BadInput) as error:
            return f"expected no {_name(act.command)} here ({_shown(error)}), found {_said(act.command)}"
        except Exception as error:
            return f"expected a command that can be decided, found {_said(act.command)} ({_shown(error)})"
        if not expected:
            return f"expected no act, since nothing follows from {_said(act.command)}, found one"
        return None if expected == act.events else difference(expected, act.events)

    def _note(self, act: Act, wrong: str) -> None:
        self.differing += 1
        if len(self.notes) < NOTES_MAX:
            versions = f"differs under rules version {self.today} (decided under {act.rules_version})"
            self.notes.append(f"act {act.version}: chain intact, {versions}: {wrong}")


def difference(expected: tuple[Any, ...], found: tuple[Any, ...]) -> str:
    """The first point in which two lists of events differ, in a line."""
    for number, (one, other) in enumerate(zip(expected, found, strict=False), 1):
        if one == other:
            continue
        if one.__class__ is not other.__class__:
            return f"event {number}: expected {_said(one)}, found {_said(other)}"
        left, right = plain(one), plain(other)
        for field in fields(one):
            if getattr(one, field.name) != getattr(other, field.name):
                was, is_ = _shown(left[field.name]), _shown(right[field.name])
                return f"event {number}, {_name(one)}.{field.name}: expected {was}, found {is_}"
    if len(expected) > len(found):
        return f"event {len(found) + 1}: expected {_said(expected[len(found)])}, found no more"
    return f"event {len(expected) + 1}: expected no more, found {_said(found[len(expected)])}"


def _name(value: Any) -> str:
    return value.__class__.__name__


def _said(value: Any) -> str:
    inside = ", ".join(f"{name}={item}" for name, item in list(plain(value).items())[1:])
    return _shown(f"{_name(value)}({inside})")


def _shown(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= SHOWN_CHARACTERS_MAX else text[: SHOWN_CHARACTERS_MAX - 1] + "…"


TABLE = Kind(
    "table",
    GAME,
    game_pb2.ActBody,
    codec.at_rest,
    codec.from_rest,
    check_table,
    lambda state: state.phase == CLOSED,
    lambda state: PHASES[state.phase],
    lambda state: state.deal,
    lambda: RULES_VERSION,
)
"""Tables, by the rules of the game."""


def _deals_recorded(state: TournamentState) -> int:
    return sum(attempt.deals for match in state.matches.values() for attempt in match.attempts)


EVENT = Kind(
    "tournament",
    TOURNAMENT,
    tournament_pb2.TournamentActBody,
    tournament_codec.at_rest,
    tournament_codec.from_rest,
    check_tournament,
    lambda state: state.phase == tournament_state.CLOSED,
    lambda state: tournament_state.PHASES[state.phase],
    _deals_recorded,
    lambda: TOURNAMENT_VERSION,
)
"""Tournaments of every format."""
