"""What the facts of a tournament add up to, for the house and, with an empty seed, for everybody else alike.

`fold` copies a state once and files the events of one act in place; `evolve` is the fold of one event.
Nothing else changes a state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from pinochle.tournament.events import (
    ByesGiven,
    ByesScored,
    Event,
    LotDrawn,
    MatchesScheduled,
    MatchReplayed,
    MatchTied,
    MatchWon,
    PinnedTable,
    PlaceRow,
    PlacesAwarded,
    PlacesFinal,
    ResultRecorded,
    Row,
    Seeded,
    StandingsFinal,
    TablesPinned,
    TeamEliminated,
    TeamEntered,
    TeamWithdrawn,
    TournamentClosed,
    TournamentCreated,
    TournamentEnded,
    match_id,
)

NEW, ENTRY, RUNNING, OVER, CLOSED = range(5)
PHASES = ("new", "entry", "running", "over", "closed")
"""Names of the phases, by number. `over` has ended but its seed is still secret."""

GAME, TIE_DEAL = "game", "tie_deal"
"""What is played at the table of an attempt: the whole match, or one deal to break a tie."""
WANTED, PLAYED, REPLACED = "wanted", "played", "replaced"
"""What became of an attempt: its table is to be played, its result counts, or it counts for nothing."""

NONE = -1
"""No team, no side."""


class Team(NamedTuple):
    """An entrant; `number` is its given place in the seeding, or 0."""

    team: int
    name: str
    players: tuple[str, ...]
    number: int


class Attempt(NamedTuple):
    """One table of a match; `winner` is a side or -1, `totals` by side; all of it zero or empty without a result."""

    number: int
    kind: str
    status: str = WANTED
    winner: int = NONE
    totals: tuple[int, ...] = ()
    deals: int = 0
    reason: str = ""


class Match(NamedTuple):
    """A match: `teams` are its sides; `winner` is a team or -1 while it is undecided.

    At a table of three `places` and `halves` (place points in halves) are by seat once it is decided, and a first place
    that is shared leaves the winner at -1.
    """

    id: str
    round: int
    number: int
    teams: tuple[int, ...]
    attempts: tuple[Attempt, ...] = (Attempt(1, GAME),)
    winner: int = NONE
    reason: str = ""
    places: tuple[int, ...] = ()
    halves: tuple[int, ...] = ()


class State:
    """A tournament; once a state holds a dictionary, only the fold that copied it changes it, or `advance`."""

    version: int  # acts folded
    now_ms: int  # the time of the latest act
    phase: int
    created: TournamentCreated  # what it was created with; its seed is empty until the viewer may know it
    teams: dict[int, Team]  # by number; withdrawn ones are gone
    teams_numbered: int  # how many numbers are given away
    order: tuple[int, ...]  # teams by seed, best first
    round: int  # the latest round with a match
    byes: dict[int, tuple[int, ...]]  # by round
    matches: dict[str, Match]  # by id, in the order of scheduling
    undecided: dict[str, None]  # ids of matches that are not decided
    byes_scored: tuple[ByesScored, ...]  # what was credited without a table (rounds)
    eliminated: dict[int, str]  # team to the match it lost (knockout)
    standings: tuple[Row, ...]  # the final ones (round robin)
    place_standings: tuple[PlaceRow, ...]  # the final ones (rounds)
    champion: int
    ranking: tuple[int, ...]  # at the end: teams, best first
    ranks: tuple[int, ...]
    pinned: tuple[PinnedTable, ...]  # how its tables ended, in the order of their ids
    root: bytes  # over all of them, once it is closed

    __slots__ = (  # noqa: RUF023 (the order of the declarations)
        "version", "now_ms", "phase", "created", "teams", "teams_numbered", "order", "round", "byes",
        "matches", "undecided", "byes_scored", "eliminated", "standings", "place_standings", "champion", "ranking",
        "ranks", "pinned", "root",
    )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and all(
            getattr(self, name) == getattr(other, name) for name in State.__slots__
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in State.__slots__ if name != "created")
        return f"State({shown})"


def initial() -> State:
    """A tournament before it is created."""
    state = State()
    state.version = state.now_ms = state.teams_numbered = state.round = 0
    state.phase, state.champion = NEW, NONE
    state.created = None  # type: ignore[assignment]
    state.teams, state.byes, state.matches, state.undecided, state.eliminated = {}, {}, {}, {}, {}
    state.order, state.standings, state.ranking, state.ranks = (), (), (), ()
    state.byes_scored, state.place_standings = (), ()
    state.pinned, state.root = (), b""
    return state


def fold(state: State, events: Iterable[Event], at_ms: int = 0) -> State:
    """The state after one act: these events, received at `at_ms`."""
    after = State.__new__(State)
    for name in State.__slots__:
        setattr(after, name, getattr(state, name))
    for name in _DICTIONARIES:
        setattr(after, name, getattr(state, name).copy())
    advance(after, events, at_ms)
    return after


def advance(state: State, events: Iterable[Event], at_ms: int = 0) -> None:
    """File one act in the state itself, which nobody else may hold."""
    state.version += 1
    state.now_ms = max(state.now_ms, at_ms)
    for event in events:
        _FILE[event.__class__](state, event)


_DICTIONARIES = ("teams", "byes", "matches", "undecided", "eliminated")


def evolve(state: State, event: Event) -> State:
    """The state after one event, as an act of its own."""
    return fold(state, (event,))


def _result_recorded(s: State, e: ResultRecorded) -> None:
    _amend(s, e.match, status=PLAYED, winner=e.winner, totals=e.totals, deals=e.deals, reason=e.reason)


def _match_tied(s: State, e: MatchTied) -> None:
    _next_attempt(s, e.match, TIE_DEAL)


def _match_replayed(s: State, e: MatchReplayed) -> None:
    _amend(s, e.match, status=REPLACED, reason=e.reason)
    _next_attempt(s, e.match, s.matches[e.match].attempts[-1].kind)


def _lot_drawn(s: State, e: LotDrawn) -> None:
    """The table of the last attempt, if it is still open here, was voided once too often."""
    if s.matches[e.match].attempts[-1].status == WANTED:
        _amend(s, e.match, status=REPLACED, reason=e.reason)


def _amend(s: State, match: str, **changes: object) -> None:
    """Change the last attempt of a match; one that is replaced or played is never changed again."""
    found = s.matches[match]
    last = found.attempts[-1]._replace(**changes)  # type: ignore[arg-type]
    s.matches[match] = found._replace(attempts=(*found.attempts[:-1], last))


def _next_attempt(s: State, match: str, kind: str) -> None:
    found = s.matches[match]
    following = Attempt(len(found.attempts) + 1, kind)
    s.matches[match] = found._replace(attempts=(*found.attempts, following))


def _match_won(s: State, e: MatchWon) -> None:
    s.matches[e.match] = s.matches[e.match]._replace(winner=e.winner, reason=e.reason)
    del s.undecided[e.match]


def _places_awarded(s: State, e: PlacesAwarded) -> None:
    """Without places the table of the last attempt was voided once too often."""
    if not e.places:
        _amend(s, e.match, status=REPLACED, reason=e.reason)
    found = s.matches[e.match]
    first = [team for team, place in zip(found.teams, e.places, strict=False) if place == 1]
    winner = first[0] if len(first) == 1 else NONE
    s.matches[e.match] = found._replace(winner=winner, reason=e.reason, places=e.places, halves=e.halves)
    del s.undecided[e.match]


def _byes_scored(s: State, e: ByesScored) -> None:
    s.byes_scored += (e,)


def _team_eliminated(s: State, e: TeamEliminated) -> None:
    s.eliminated[e.team] = e.match


def _matches_scheduled(s: State, e: MatchesScheduled) -> None:
    s.round = max(s.round, e.round)
    for pairing in e.pairings:
        match = match_id(e.round, pairing.number)
        s.matches[match] = Match(match, e.round, pairing.number, pairing.teams)
        s.undecided[match] = None


def _byes_given(s: State, e: ByesGiven) -> None:
    s.byes[e.round] = e.teams


def _tournament_created(s: State, e: TournamentCreated) -> None:
    s.created, s.phase = e, ENTRY


def _team_entered(s: State, e: TeamEntered) -> None:
    s.teams[e.team] = Team(e.team, e.name, e.players, e.number)
    s.teams_numbered = e.team + 1


def _team_withdrawn(s: State, e: TeamWithdrawn) -> None:
    del s.teams[e.team]


def _seeded(s: State, e: Seeded) -> None:
    s.order, s.phase = e.order, RUNNING


def _standings_final(s: State, e: StandingsFinal) -> None:
    s.standings = e.rows


def _places_final(s: State, e: PlacesFinal) -> None:
    s.place_standings = e.rows


def _tournament_ended(s: State, e: TournamentEnded) -> None:
    s.champion, s.ranking, s.ranks = e.champion, e.order, e.ranks
    s.phase = OVER


def _tables_pinned(s: State, e: TablesPinned) -> None:
    s.pinned += e.tables


def _tournament_closed(s: State, e: TournamentClosed) -> None:
    s.created, s.root = replace(s.created, seed=e.seed), e.root
    s.phase = CLOSED


_FILE: dict[type, Callable[[State, Any], None]] = {
    ResultRecorded: _result_recorded,
    MatchWon: _match_won,
    TeamEliminated: _team_eliminated,
    MatchesScheduled: _matches_scheduled,
    MatchTied: _match_tied,
    MatchReplayed: _match_replayed,
    LotDrawn: _lot_drawn,
    TeamEntered: _team_entered,
    TeamWithdrawn: _team_withdrawn,
    TournamentCreated: _tournament_created,
    Seeded: _seeded,
    ByesGiven: _byes_given,
    StandingsFinal: _standings_final,
    PlacesAwarded: _places_awarded,
    ByesScored: _byes_scored,
    PlacesFinal: _places_final,
    TournamentEnded: _tournament_ended,
    TablesPinned: _tables_pinned,
    TournamentClosed: _tournament_closed,
}
