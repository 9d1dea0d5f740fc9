"""Tournaments between the library's dataclasses and protobuf messages, both ways.

There are two encoders: `at_rest(act)` for the store, the exact bytes that the hash chain covers, and
`for_viewer(act)` for the world, which sees all alike. Decoders raise BadInput for messages that say nothing
sensible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID

from google.protobuf.message import DecodeError
from pinochle.decider import Act
from pinochle.errors import BadInput, NewerSchema
from pinochle.tournament import commands as c
from pinochle.tournament import events as e
from pinochle.tournament.redact import is_public, redact
from pinochle.tournament.state import NONE
from pinochle.wire import newer
from pinochle.wire.framing import delimited, repeated
from pinochle.wire.knobs import rules_from, rules_message
from pinochle.wire.v1 import tournament_pb2 as pb

FORMATS = {
    "knockout": pb.TOURNAMENT_FORMAT_KNOCKOUT,
    "round_robin": pb.TOURNAMENT_FORMAT_ROUND_ROBIN,
    "rounds": pb.TOURNAMENT_FORMAT_ROUNDS,
}
SIDES = (2, 3)
"""How many sides a match may have."""
_FORMAT_NAMES: dict[int, str] = {number: name for name, number in FORMATS.items()}
_BODY_COMMAND, _BODY_EVENTS = 4, 5
_VIEW_EVENTS = 4


def at_rest(act: Act) -> bytes:
    """The body of an act as it is stored and hashed: a TournamentActBody."""
    return _body(act, map(event_bytes, act.events), command_bytes(act.command))


def for_viewer(act: Act) -> bytes:
    """What everybody may see of an act, as the bytes of a TournamentActView."""
    return _view(act, [event_bytes(redact(event)) for event in act.events])


def encode(act: Act, command: bytes) -> tuple[bytes, bytes]:
    """The stored body and the view, the same bytes as `at_rest` and `for_viewer`; each event is encoded once.

    `command` is the act's command as bytes.
    """
    events = [event_bytes(event) for event in act.events]
    body = _body(act, events, command)
    return body, _view(act, events) if all(map(is_public, act.events)) else for_viewer(act)


def command_bytes(command: c.Command) -> bytes:
    """The command as bytes, to tell whether two are the same."""
    return command_message(command).SerializeToString()


def from_rest(version: int, command_id: bytes, body: bytes) -> Act:
    """The act of a stored body; BadInput if the bytes are not one."""
    try:
        message = pb.TournamentActBody.FromString(body)
    except DecodeError as error:
        raise BadInput(f"act {version}: the body is not a TournamentActBody") from error
    events = tuple(map(event_from, message.events))
    command = command_from(message.command)
    return Act(
        version, message.author, message.at_ms, message.rules_version, command_id, command, events,
        received_ms=message.received_ms,
    )  # fmt: skip


def events_from(view: pb.TournamentActView) -> tuple[e.Event, ...]:
    """The events of a view; BadInput for an event this reader does not know."""
    return tuple(map(event_from, view.events))


def event_bytes(event: e.Event) -> bytes:
    """The event as a serialized TournamentEvent."""
    return event_message(event).SerializeToString()


def event_message(event: e.Event) -> pb.TournamentEvent:
    """The event as a message."""
    return _EVENT_TO[event.__class__](event)


def event_from(message: pb.TournamentEvent) -> e.Event:
    """The event of a message; BadInput where the kind is unknown to this version."""
    kind = message.WhichOneof("kind")
    if kind is None:
        raise newer.no_kind(message, "an event")
    return _EVENT_FROM[kind](getattr(message, kind))


def command_message(command: c.Command) -> pb.TournamentCommand:
    """The command as a message."""
    return _COMMAND_TO[command.__class__](command)


def command_from(message: pb.TournamentCommand) -> c.Command:
    """The command of a message; BadInput where it is none."""
    kind = message.WhichOneof("kind")
    if kind is None:
        raise newer.no_kind(message, "a command")
    return _COMMAND_FROM[kind](getattr(message, kind))


def format_from(number: int) -> str:
    """The name of a format of the wire; BadInput where it is none."""
    name = _FORMAT_NAMES.get(number)
    if name is None:
        raise BadInput("the format is missing") if number == 0 else NewerSchema(f"format {number} does not exist")
    return name


def row_message(row: e.Row) -> pb.StandingsRow:
    """A line of the standings."""
    return pb.StandingsRow(
        rank=row.rank,
        team=row.team,
        played=row.played,
        wins=row.wins,
        points_for=row.points_for,
        points_against=row.points_against,
        reason=row.reason,
    )


def row_from(m: pb.StandingsRow) -> e.Row:
    """A line of the standings from its message."""
    return e.Row(m.rank, m.team, m.played, m.wins, m.points_for, m.points_against, m.reason)


def _body(act: Act, events: Iterable[bytes], command: bytes) -> bytes:
    head = pb.TournamentActBody(author=act.author, at_ms=act.at_ms, rules_version=act.rules_version)
    parts = (head.SerializeToString(), delimited(_BODY_COMMAND, command), repeated(_BODY_EVENTS, events))
    return b"".join(parts) + pb.TournamentActBody(received_ms=act.received_ms).SerializeToString()


def _view(act: Act, events: Iterable[bytes]) -> bytes:
    head = pb.TournamentActView(version=act.version, at_ms=act.at_ms, author=act.author)
    return head.SerializeToString() + repeated(_VIEW_EVENTS, events)


def place_row_message(row: e.PlaceRow) -> pb.PlaceRow:
    """A line of standings by places."""
    return pb.PlaceRow(
        rank=row.rank,
        team=row.team,
        played=row.played,
        byes=row.byes,
        halves=row.halves,
        points=row.points,
        reason=row.reason,
    )


def place_row_from(m: pb.PlaceRow) -> e.PlaceRow:
    """A line of standings by places from its message."""
    return e.PlaceRow(m.rank, m.team, m.played, m.byes, m.halves, m.points, m.reason)


def _by_side(values: Iterable[int]) -> tuple[int, ...]:
    figures = tuple(values)
    if len(figures) not in SIDES:
        raise BadInput(f"a figure for each of the {' or '.join(map(str, SIDES))} sides is needed, not {len(figures)}")
    return figures


def _side(m: pb.ResultRecorded | pb.RecordResult) -> int:
    if not m.HasField("winner"):
        return NONE
    if m.winner >= len(m.totals):
        raise BadInput(f"side {m.winner} does not exist")
    return m.winner


def _some(value: int) -> int | None:
    return None if value == NONE else value


def _pinned_message(table: e.PinnedTable) -> pb.PinnedTable:
    return pb.PinnedTable(table=UUID(table.table).bytes, acts=table.acts, head=table.head)


def _pinned_from(m: pb.PinnedTable) -> e.PinnedTable:
    if len(m.table) != 16 or len(m.head) != 32:
        raise BadInput("a pinned table has an id of 16 bytes and a hash of 32")
    return e.PinnedTable(str(UUID(bytes=m.table)), m.acts, m.head)


def _pairing_message(pairing: e.Pairing) -> pb.Pairing:
    return pb.Pairing(number=pairing.number, teams=pairing.teams)


def _pairing_from(m: pb.Pairing) -> e.Pairing:
    return e.Pairing(m.number, _by_side(m.teams))


# -- commands

_COMMAND_TO: dict[type, Callable[[Any], pb.TournamentCommand]] = {
    c.RecordResult: lambda x: pb.TournamentCommand(
        record_result=pb.RecordResult(
            match=x.match, attempt=x.attempt, table=x.table, winner=_some(x.winner), totals=x.totals,
            deals=x.deals, reason=x.reason,
        )
    ),
    c.CreateTournament: lambda x: pb.TournamentCommand(
        create_tournament=pb.CreateTournament(
            tournament=x.tournament, name=x.name, format=FORMATS[x.format], rules=rules_message(x.rules),
            seed=x.seed, deal_cap=x.deal_cap, deals=x.deals, tie_deals=x.tie_deals, turn_ms=x.turn_ms,
            cycles=x.cycles, rounds=x.rounds, beat_ms=x.beat_ms,
        )
    ),
    c.EnterTeam: lambda x: pb.TournamentCommand(
        enter_team=pb.EnterTeam(name=x.name, players=x.players, number=x.number)
    ),
    c.WithdrawTeam: lambda x: pb.TournamentCommand(withdraw_team=pb.WithdrawTeam(team=x.team)),
    c.StartTournament: lambda x: pb.TournamentCommand(start_tournament=pb.StartTournament()),
    c.ReplayMatch: lambda x: pb.TournamentCommand(
        replay_match=pb.ReplayMatch(match=x.match, attempt=x.attempt, reason=x.reason)
    ),
    c.CloseTournament: lambda x: pb.TournamentCommand(
        close_tournament=pb.CloseTournament(tables=map(_pinned_message, x.tables))
    ),
}  # fmt: skip

_COMMAND_FROM: dict[str, Callable[[Any], c.Command]] = {
    "record_result": lambda m: c.RecordResult(
        m.match, m.attempt, m.table, _side(m), _by_side(m.totals), m.deals, m.reason
    ),
    "create_tournament": lambda m: c.CreateTournament(
        m.tournament, m.name, format_from(m.format), rules_from(m.rules), m.seed, m.deal_cap, m.deals,
        m.tie_deals, m.turn_ms, m.cycles, m.rounds, m.beat_ms,
    ),
    "enter_team": lambda m: c.EnterTeam(m.name, tuple(m.players), m.number),
    "withdraw_team": lambda m: c.WithdrawTeam(m.team),
    "start_tournament": lambda m: c.StartTournament(),
    "replay_match": lambda m: c.ReplayMatch(m.match, m.attempt, m.reason),
    "close_tournament": lambda m: c.CloseTournament(tuple(map(_pinned_from, m.tables))),
}  # fmt: skip

# -- events

_EVENT_TO: dict[type, Callable[[Any], pb.TournamentEvent]] = {
    e.ResultRecorded: lambda x: pb.TournamentEvent(
        result_recorded=pb.ResultRecorded(
            match=x.match, attempt=x.attempt, table=x.table, winner=_some(x.winner), totals=x.totals,
            deals=x.deals, reason=x.reason,
        )
    ),
    e.MatchWon: lambda x: pb.TournamentEvent(
        match_won=pb.MatchWon(match=x.match, winner=x.winner, loser=x.loser, reason=x.reason)
    ),
    e.TeamEliminated: lambda x: pb.TournamentEvent(
        team_eliminated=pb.TeamEliminated(team=x.team, match=x.match)
    ),
    e.MatchesScheduled: lambda x: pb.TournamentEvent(
        matches_scheduled=pb.MatchesScheduled(
            round=x.round, pairings=map(_pairing_message, x.pairings), reason=x.reason,
            repeated_meetings=x.repeated,
        )
    ),
    e.TournamentCreated: lambda x: pb.TournamentEvent(tournament_created=created_message(x)),
    e.TeamEntered: lambda x: pb.TournamentEvent(
        team_entered=pb.TeamEntered(team=x.team, name=x.name, players=x.players, number=x.number)
    ),
    e.TeamWithdrawn: lambda x: pb.TournamentEvent(team_withdrawn=pb.TeamWithdrawn(team=x.team)),
    e.Seeded: lambda x: pb.TournamentEvent(seeded=pb.Seeded(order=x.order, numbers=x.numbers)),
    e.ByesGiven: lambda x: pb.TournamentEvent(
        byes_given=pb.ByesGiven(round=x.round, teams=x.teams, reason=x.reason)
    ),
    e.MatchTied: lambda x: pb.TournamentEvent(
        match_tied=pb.MatchTied(match=x.match, attempt=x.attempt, left=x.left)
    ),
    e.MatchReplayed: lambda x: pb.TournamentEvent(
        match_replayed=pb.MatchReplayed(match=x.match, attempt=x.attempt, reason=x.reason)
    ),
    e.LotDrawn: lambda x: pb.TournamentEvent(
        lot_drawn=pb.LotDrawn(match=x.match, winner=x.winner, reason=x.reason)
    ),
    e.StandingsFinal: lambda x: pb.TournamentEvent(
        standings_final=pb.StandingsFinal(rows=map(row_message, x.rows))
    ),
    e.PlacesAwarded: lambda x: pb.TournamentEvent(
        places_awarded=pb.PlacesAwarded(match=x.match, places=x.places, halves=x.halves, reason=x.reason)
    ),
    e.ByesScored: lambda x: pb.TournamentEvent(
        byes_scored=pb.ByesScored(
            round=x.round, teams=x.teams, halves=x.halves, points=x.points, reason=x.reason
        )
    ),
    e.PlacesFinal: lambda x: pb.TournamentEvent(
        places_final=pb.PlacesFinal(rows=map(place_row_message, x.rows))
    ),
    e.TournamentEnded: lambda x: pb.TournamentEvent(
        tournament_ended=pb.TournamentEnded(
            champion=x.champion, order=x.order, ranks=x.ranks, reason=x.reason
        )
    ),
    e.TablesPinned: lambda x: pb.TournamentEvent(
        tables_pinned=pb.TablesPinned(tables=map(_pinned_message, x.tables))
    ),
    e.TournamentClosed: lambda x: pb.TournamentEvent(
        tournament_closed=pb.TournamentClosed(seed=x.seed, root=x.root)
    ),
}  # fmt: skip


def created_message(x: e.TournamentCreated) -> pb.TournamentCreated:
    """What a tournament was created with, seed and all: redact it first."""
    return pb.TournamentCreated(
        tournament=x.tournament,
        name=x.name,
        format=FORMATS[x.format],
        rules=rules_message(x.rules),
        deals=x.deals,
        deal_cap=x.deal_cap,
        tie_deals=x.tie_deals,
        turn_ms=x.turn_ms,
        cycles=x.cycles,
        commitment=x.commitment,
        seed=x.seed,
        rounds=x.rounds,
        beat_ms=x.beat_ms,
    )


_EVENT_FROM: dict[str, Callable[[Any], e.Event]] = {
    "result_recorded": lambda m: e.ResultRecorded(
        m.match, m.attempt, m.table, _side(m), _by_side(m.totals), m.deals, m.reason
    ),
    "match_won": lambda m: e.MatchWon(m.match, m.winner, m.loser, m.reason),
    "team_eliminated": lambda m: e.TeamEliminated(m.team, m.match),
    "matches_scheduled": lambda m: e.MatchesScheduled(
        m.round, tuple(map(_pairing_from, m.pairings)), m.reason, m.repeated_meetings
    ),
    "tournament_created": lambda m: e.TournamentCreated(
        m.tournament, m.name, format_from(m.format), rules_from(m.rules), m.deals, m.deal_cap, m.tie_deals,
        m.turn_ms, m.cycles, m.commitment, m.seed, m.rounds, m.beat_ms,
    ),
    "team_entered": lambda m: e.TeamEntered(m.team, m.name, tuple(m.players), m.number),
    "team_withdrawn": lambda m: e.TeamWithdrawn(m.team),
    "seeded": lambda m: e.Seeded(tuple(m.order), tuple(m.numbers)),
    "byes_given": lambda m: e.ByesGiven(m.round, tuple(m.teams), m.reason),
    "match_tied": lambda m: e.MatchTied(m.match, m.attempt, m.left),
    "match_replayed": lambda m: e.MatchReplayed(m.match, m.attempt, m.reason),
    "lot_drawn": lambda m: e.LotDrawn(m.match, m.winner, m.reason),
    "standings_final": lambda m: e.StandingsFinal(tuple(map(row_from, m.rows))),
    "places_awarded": lambda m: e.PlacesAwarded(m.match, tuple(m.places), tuple(m.halves), m.reason),
    "byes_scored": lambda m: e.ByesScored(m.round, tuple(m.teams), m.halves, m.points, m.reason),
    "places_final": lambda m: e.PlacesFinal(tuple(map(place_row_from, m.rows))),
    "tournament_ended": lambda m: e.TournamentEnded(m.champion, tuple(m.order), tuple(m.ranks), m.reason),
    "tables_pinned": lambda m: e.TablesPinned(tuple(map(_pinned_from, m.tables))),
    "tournament_closed": lambda m: e.TournamentClosed(m.seed, m.root),
}  # fmt: skip
