"""A tournament: what a command leads to, and who is due."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from pinochle.decider import HOUSE, NOBODY, Decider, Due
from pinochle.errors import BadInput, Reason, Rejected
from pinochle.game import TURN_MS_MAX, check_beat, check_range, check_reason
from pinochle.players import check_player, is_house_bot
from pinochle.rules import RuleSet
from pinochle.shuffle import commitment
from pinochle.tournament import knockout, round_robin, rounds
from pinochle.tournament.commands import (
    CloseTournament,
    Command,
    CreateTournament,
    EnterTeam,
    RecordResult,
    ReplayMatch,
    StartTournament,
    WithdrawTeam,
)
from pinochle.tournament.events import (
    Event,
    LotDrawn,
    MatchReplayed,
    MatchTied,
    MatchWon,
    PinnedTable,
    PlacesAwarded,
    ResultRecorded,
    Seeded,
    TablesPinned,
    TeamEntered,
    TeamWithdrawn,
    TournamentClosed,
    TournamentCreated,
)
from pinochle.tournament.lots import lot_order, lot_side, table_id
from pinochle.tournament.state import (
    CLOSED,
    ENTRY,
    NEW,
    NONE,
    OVER,
    PLAYED,
    REPLACED,
    RUNNING,
    TIE_DEAL,
    Attempt,
    Match,
    State,
    advance,
    evolve,
    fold,
    initial,
)
from pinochle.tournament.tables import root, tables_number, to_pin

TOURNAMENT_VERSION = 1
"""Raised whenever these rules conclude something else than before; every stored act names its version."""

FORMATS = ("knockout", "round_robin", "rounds")
ENTRANTS_MIN = 2
ENTRANTS_MAX = 4096
ROUND_ROBIN_ENTRANTS_MAX = 128
"""128 teams meet in 8,128 matches a cycle."""
ROUNDS_ENTRANTS_MAX = 128
ROUNDS_MAX = 40
CYCLES_MAX = 8
MATCHES_MAX = 10_000
"""More than that, with the ties and replays of each, would not fit into one stream."""
DEALS_MAX = 1_000
DEAL_CAP_MAX = 10_000
TIE_DEALS_MAX = 20
REPLAYS_MAX = 5
"""Attempts of a match that may count for nothing; if one more table is voided, the lot decides."""
NAME_LENGTH_MAX = 80
NUMBER_MAX = 1_000_000
POINTS_MAX = 1_000_000_000_000
TABLE_ACTS_MAX = 1_000_000

VOID = "void"
_REASONS = ("score", "draw", "deal_limit", VOID)

DIRECTOR = -3
"""`Due.who` while a director takes entries."""


def due(state: State) -> Due:
    """Who must act next: the director before the start, the house until the seed is out, then nobody."""
    if state.phase == ENTRY:
        return Due(DIRECTOR, None)
    return Due(HOUSE if state.phase in (RUNNING, OVER) else NOBODY, None)


def decide(state: State, command: Command) -> tuple[Event, ...]:
    """The events that a command leads to; Rejected where the state does not allow it."""
    decider = _DECIDE.get(command.__class__)
    if decider is None:
        raise BadInput(f"not a command: {command!r}")
    if state.phase == NEW and command.__class__ is not CreateTournament:
        raise Rejected(Reason.NOT_OPEN)
    return decider(state, command)


def team_size(rules: RuleSet) -> int:
    """How many players a team of this game has: one where everybody plays alone."""
    return 1 if rules.is_stock else rules.players // 2


def sides(rules: RuleSet) -> int:
    """How many teams meet at a table of this game."""
    return rules.players // team_size(rules)


def _record(s: State, c: RecordResult) -> tuple[Event, ...]:
    match, attempt = _attempt(s, c.match, c.attempt)
    if c.table != table_id(s.created.tournament, match.id, attempt.number):
        raise Rejected(Reason.UNKNOWN_MATCH, f"attempt {c.attempt} of {c.match} is played at another table")
    _check_result(c, len(match.teams))
    if attempt.status == REPLACED:
        return ()
    if attempt.status == PLAYED:
        if attempt[-4:] == (c.winner, c.totals, c.deals, c.reason):
            return ()
        raise Rejected(Reason.DIFFERENT_RESULT, f"attempt {c.attempt} of {c.match} has a result")
    if c.reason == VOID:
        if _replays(match) < REPLAYS_MAX:
            return (MatchReplayed(match.id, attempt.number, VOID),)
        if s.created.format == "rounds":
            return _decided(s, (PlacesAwarded(match.id, (), (), VOID),), match)
        return _by_lot(s, (), match, VOID)
    recorded = ResultRecorded(match.id, attempt.number, c.table, c.winner, c.totals, c.deals, c.reason)
    if s.created.format == "rounds":
        return _decided(s, (recorded, rounds.awarded(match.id, c.totals, c.reason)), match)
    if c.winner != NONE:
        return _won(s, (recorded,), match, c.winner, TIE_DEAL if attempt.kind == TIE_DEAL else c.reason)
    used = sum(one.kind == TIE_DEAL and one.status != REPLACED for one in match.attempts)
    if used < s.created.tie_deals:
        return (recorded, MatchTied(match.id, attempt.number, s.created.tie_deals - used - 1))
    return _by_lot(s, (recorded,), match, "level")


def _attempt(s: State, match: str, number: int) -> tuple[Match, Attempt]:
    found = s.matches.get(match)
    if found is None:
        raise Rejected(Reason.UNKNOWN_MATCH, f"no match {match:.20}")
    if not 1 <= number <= len(found.attempts):
        raise Rejected(Reason.UNKNOWN_MATCH, f"{match} has attempts 1 to {len(found.attempts)}, not {number}")
    return found, found.attempts[number - 1]


def _check_result(c: RecordResult, number: int) -> None:
    _check_one_of("the reason of a result", c.reason, _REASONS)
    check_range("the winner", c.winner, NONE, number - 1)
    check_range("the number of totals", len(c.totals), number, number)
    for total in c.totals:
        check_range("a total", total, -POINTS_MAX, POINTS_MAX)
    check_range("deals", c.deals, 0, DEAL_CAP_MAX)
    if (c.reason in ("draw", VOID)) != (c.winner == NONE) and c.reason != "deal_limit":
        raise BadInput(f"a result by {c.reason} has {'no' if c.winner != NONE else 'a'} winner")
    if number > 2 and c.reason != VOID:
        highest = max(c.totals)
        expected = c.totals.index(highest) if c.totals.count(highest) == 1 else NONE
        if c.winner != expected:
            raise BadInput(f"the winner must be the side with the highest total, {expected}, not {c.winner}")


def _replays(match: Match) -> int:
    return sum(attempt.status == REPLACED for attempt in match.attempts)


def _by_lot(s: State, before: tuple[Event, ...], match: Match, reason: str) -> tuple[Event, ...]:
    side = lot_side(s.created.seed, match.id)
    return _won(s, (*before, LotDrawn(match.id, side, reason)), match, side, "lot")


def _won(s: State, before: tuple[Event, ...], match: Match, side: int, reason: str) -> tuple[Event, ...]:
    """These events, the winner, and what follows in the format."""
    return _decided(s, (*before, MatchWon(match.id, match.teams[side], match.teams[1 - side], reason)), match)


def _decided(s: State, events: tuple[Event, ...], match: Match) -> tuple[Event, ...]:
    """These events, which decide the match, and what follows in the format."""
    after = fold(s, events)
    return (*events, *_FORMATS[s.created.format].after_match(after, after.matches[match.id]))


def _create(s: State, c: CreateTournament) -> tuple[Event, ...]:
    created = TournamentCreated(
        c.tournament, c.name, c.format, c.rules, c.deals, c.deal_cap, c.tie_deals, c.turn_ms, c.cycles,
        commitment(c.seed), c.seed, c.rounds, c.beat_ms,
    )  # fmt: skip
    if s.phase != NEW:
        if s.created == created:
            return ()
        raise Rejected(Reason.ALREADY_OPEN)
    _check_uuid(c.tournament)
    _check_name("the name of a tournament", c.name)
    _check_one_of("format", c.format, FORMATS)
    _check_sides(c)
    check_range("deals", c.deals, 0, DEALS_MAX)
    check_range("deal_cap", c.deal_cap, max(1, c.deals), DEAL_CAP_MAX)
    check_range("tie_deals", c.tie_deals, 0, TIE_DEALS_MAX)
    check_range("turn_ms", c.turn_ms, 0, TURN_MS_MAX)
    check_beat(c.beat_ms)
    if c.format != "round_robin" and c.cycles != 1:
        raise BadInput(f"cycles belongs to the format round_robin; it must be 1 for {c.format}, not {c.cycles}")
    check_range("cycles", c.cycles, 1, CYCLES_MAX)
    if c.format != "rounds" and c.rounds:
        raise BadInput(f"rounds belongs to the format rounds; it must be 0 for {c.format}, not {c.rounds}")
    if c.format == "rounds":
        check_range("rounds", c.rounds, 1, ROUNDS_MAX)
    return (created,)


def _check_sides(c: CreateTournament) -> None:
    if sides(c.rules) == 2 and c.format == "rounds":
        raise BadInput("format rounds is for tables of three; where two sides meet it is knockout or round_robin")
    if sides(c.rules) == 3 and c.format != "rounds":
        raise BadInput(f"format {c.format} needs two sides at a table; tables of three are played in format rounds")


def _check_uuid(text: str) -> None:
    try:
        is_canonical = str(UUID(text)) == text
    except ValueError:
        is_canonical = False
    if not is_canonical:
        raise BadInput(f"the id of a tournament must be a UUID in lower case with hyphens, not {text!r:.60}")


def _check_name(what: str, name: str) -> None:
    check_range(f"the length of {what.removeprefix('the ')}", len(name), 1, NAME_LENGTH_MAX)
    if not name.isprintable() or name != name.strip():
        raise BadInput(f"{what} must have no control characters and no space at its ends")


def check_team_name(name: str) -> None:
    """BadInput for a name that no team may have."""
    _check_name("the name of a team", name)


def _check_one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise BadInput(f"{name} must be one of {', '.join(allowed)}, not {value!r:.60}")


def _enter(s: State, c: EnterTeam) -> tuple[Event, ...]:
    for team in s.teams.values():
        if (team.name, team.players, team.number) == (c.name, c.players, c.number):
            return ()
    if s.phase != ENTRY:
        raise Rejected(Reason.WRONG_PHASE, "entries are closed")
    check_team_name(c.name)
    check_range("the number of players in a team", len(c.players), *[team_size(s.created.rules)] * 2)
    for player in c.players:
        check_player(player)
    check_range("the number of a team", c.number, 0, NUMBER_MAX)
    limit = {"knockout": ENTRANTS_MAX, "rounds": ROUNDS_ENTRANTS_MAX}.get(s.created.format, ROUND_ROBIN_ENTRANTS_MAX)
    if len(s.teams) >= limit:
        raise Rejected(Reason.ILLEGAL_ENTRY, f"format {s.created.format} takes {limit} teams at most")
    if any(team.name == c.name for team in s.teams.values()):
        raise Rejected(Reason.ILLEGAL_ENTRY, f"there is a team {c.name!r} already")
    entered = {player for team in s.teams.values() for player in team.players}
    for at, player in enumerate(c.players):
        if not is_house_bot(player) and (player in entered or player in c.players[:at]):
            raise Rejected(Reason.ILLEGAL_ENTRY, f"player {player} is entered already")
    return (TeamEntered(s.teams_numbered, c.name, c.players, c.number),)


def _withdraw(s: State, c: WithdrawTeam) -> tuple[Event, ...]:
    if s.phase != ENTRY:
        raise Rejected(Reason.WRONG_PHASE, "the tournament has started; the house plays for who is away")
    if c.team not in s.teams:
        if 0 <= c.team < s.teams_numbered:
            return ()
        raise Rejected(Reason.ILLEGAL_ENTRY, f"no team {c.team}")
    return (TeamWithdrawn(c.team),)


def _start(s: State, c: StartTournament) -> tuple[Event, ...]:
    if s.phase != ENTRY:
        return ()
    least = max(ENTRANTS_MIN, sides(s.created.rules))
    if len(s.teams) < least:
        raise Rejected(Reason.BAD_FORMAT, f"{least} teams are needed, {len(s.teams)} entered")
    cycles = s.created.cycles if s.created.format == "round_robin" else 0
    if len(s.teams) * (len(s.teams) - 1) // 2 * cycles > MATCHES_MAX:
        raise Rejected(Reason.BAD_FORMAT, f"more than {MATCHES_MAX} matches would have to be played")
    by_number: dict[int, list[int]] = {}
    for team in s.teams.values():
        by_number.setdefault(team.number, []).append(team.team)
    order: list[int] = []
    for number in sorted(by_number, key=lambda number: (number == 0, number)):
        order += lot_order(s.created.seed, f"seeding {number}", by_number[number])
    seeded = Seeded(tuple(order), tuple(s.teams[team].number for team in order))
    return (seeded, *_FORMATS[s.created.format].opening(order))


def _replay(s: State, c: ReplayMatch) -> tuple[Event, ...]:
    match, attempt = _attempt(s, c.match, c.attempt)
    check_reason(c.reason)
    if attempt.status == REPLACED:
        return ()
    if attempt.status == PLAYED:
        raise Rejected(Reason.DIFFERENT_RESULT, f"attempt {c.attempt} of {c.match} has a result")
    if _replays(match) >= REPLAYS_MAX:
        raise Rejected(Reason.WRONG_PHASE, f"{REPLAYS_MAX} attempts of {c.match} have been replaced already")
    return (MatchReplayed(match.id, attempt.number, c.reason),)


def _close(s: State, c: CloseTournament) -> tuple[Event, ...]:
    if s.phase < OVER:
        raise Rejected(Reason.WRONG_PHASE, "the tournament has not ended")
    if s.phase == CLOSED or (c.tables and set(c.tables) <= set(s.pinned)):
        return ()
    if not c.tables and not s.pinned:
        return (TournamentClosed(s.created.seed),)
    _check_pinned(c.tables, to_pin(s))
    pinned = (*s.pinned, *c.tables)
    listed = TablesPinned(c.tables)
    if len(pinned) < tables_number(s):
        return (listed,)
    return (listed, TournamentClosed(s.created.seed, root(s.created.tournament, pinned)))


def _check_pinned(tables: tuple[PinnedTable, ...], expected: tuple[tuple[str, bool], ...]) -> None:
    if tuple(table.table for table in tables) != tuple(table for table, _ in expected):
        raise BadInput(f"the {len(expected)} tables that follow in the order of their ids must be listed")
    for table, (_, may_be_unopened) in zip(tables, expected, strict=True):
        check_range("the acts of a table", table.acts, 0 if may_be_unopened else 1, TABLE_ACTS_MAX)
        check_range("the size of a hash", len(table.head), 32, 32)
        if (table.acts == 0) != (table.head == bytes(32)):
            raise BadInput(f"table {table.table} must have acts and a hash, or neither")


_DECIDE: dict[type, Callable[[State, Any], tuple[Event, ...]]] = {
    RecordResult: _record,
    CreateTournament: _create,
    EnterTeam: _enter,
    WithdrawTeam: _withdraw,
    StartTournament: _start,
    ReplayMatch: _replay,
    CloseTournament: _close,
}

_FORMATS: dict[str, Any] = {"knockout": knockout, "round_robin": round_robin, "rounds": rounds}

TOURNAMENT = Decider(initial, decide, evolve, due, fold, advance)
