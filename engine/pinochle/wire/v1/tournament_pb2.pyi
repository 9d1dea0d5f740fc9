from pinochle.wire.v1 import game_pb2 as _game_pb2
from pinochle.wire.v1 import table_pb2 as _table_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TournamentFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOURNAMENT_FORMAT_UNSPECIFIED: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_KNOCKOUT: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_ROUND_ROBIN: _ClassVar[TournamentFormat]
    TOURNAMENT_FORMAT_ROUNDS: _ClassVar[TournamentFormat]
TOURNAMENT_FORMAT_UNSPECIFIED: TournamentFormat
TOURNAMENT_FORMAT_KNOCKOUT: TournamentFormat
TOURNAMENT_FORMAT_ROUND_ROBIN: TournamentFormat
TOURNAMENT_FORMAT_ROUNDS: TournamentFormat

class CreateTournament(_message.Message):
    __slots__ = ("tournament", "name", "format", "rules", "seed", "deal_cap", "deals", "tie_deals", "turn_ms", "cycles", "rounds", "beat_ms")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    DEAL_CAP_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    TIE_DEALS_FIELD_NUMBER: _ClassVar[int]
    TURN_MS_FIELD_NUMBER: _ClassVar[int]
    CYCLES_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    BEAT_MS_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    name: str
    format: TournamentFormat
    rules: _game_pb2.RuleSet
    seed: bytes
    deal_cap: int
    deals: int
    tie_deals: int
    turn_ms: int
    cycles: int
    rounds: int
    beat_ms: int
    def __init__(self, tournament: _Optional[str] = ..., name: _Optional[str] = ..., format: _Optional[_Union[TournamentFormat, str]] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., seed: _Optional[bytes] = ..., deal_cap: _Optional[int] = ..., deals: _Optional[int] = ..., tie_deals: _Optional[int] = ..., turn_ms: _Optional[int] = ..., cycles: _Optional[int] = ..., rounds: _Optional[int] = ..., beat_ms: _Optional[int] = ...) -> None: ...

class EnterTeam(_message.Message):
    __slots__ = ("name", "players", "number")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    name: str
    players: _containers.RepeatedScalarFieldContainer[str]
    number: int
    def __init__(self, name: _Optional[str] = ..., players: _Optional[_Iterable[str]] = ..., number: _Optional[int] = ...) -> None: ...

class WithdrawTeam(_message.Message):
    __slots__ = ("team",)
    TEAM_FIELD_NUMBER: _ClassVar[int]
    team: int
    def __init__(self, team: _Optional[int] = ...) -> None: ...

class StartTournament(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RecordResult(_message.Message):
    __slots__ = ("match", "attempt", "table", "winner", "totals", "deals", "reason")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    match: str
    attempt: int
    table: str
    winner: int
    totals: _containers.RepeatedScalarFieldContainer[int]
    deals: int
    reason: str
    def __init__(self, match: _Optional[str] = ..., attempt: _Optional[int] = ..., table: _Optional[str] = ..., winner: _Optional[int] = ..., totals: _Optional[_Iterable[int]] = ..., deals: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class ReplayMatch(_message.Message):
    __slots__ = ("match", "attempt", "reason")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    match: str
    attempt: int
    reason: str
    def __init__(self, match: _Optional[str] = ..., attempt: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class PinnedTable(_message.Message):
    __slots__ = ("table", "acts", "head")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ACTS_FIELD_NUMBER: _ClassVar[int]
    HEAD_FIELD_NUMBER: _ClassVar[int]
    table: bytes
    acts: int
    head: bytes
    def __init__(self, table: _Optional[bytes] = ..., acts: _Optional[int] = ..., head: _Optional[bytes] = ...) -> None: ...

class CloseTournament(_message.Message):
    __slots__ = ("tables",)
    TABLES_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[PinnedTable]
    def __init__(self, tables: _Optional[_Iterable[_Union[PinnedTable, _Mapping]]] = ...) -> None: ...

class TournamentCommand(_message.Message):
    __slots__ = ("create_tournament", "enter_team", "withdraw_team", "start_tournament", "record_result", "replay_match", "close_tournament")
    CREATE_TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    ENTER_TEAM_FIELD_NUMBER: _ClassVar[int]
    WITHDRAW_TEAM_FIELD_NUMBER: _ClassVar[int]
    START_TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    RECORD_RESULT_FIELD_NUMBER: _ClassVar[int]
    REPLAY_MATCH_FIELD_NUMBER: _ClassVar[int]
    CLOSE_TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    create_tournament: CreateTournament
    enter_team: EnterTeam
    withdraw_team: WithdrawTeam
    start_tournament: StartTournament
    record_result: RecordResult
    replay_match: ReplayMatch
    close_tournament: CloseTournament
    def __init__(self, create_tournament: _Optional[_Union[CreateTournament, _Mapping]] = ..., enter_team: _Optional[_Union[EnterTeam, _Mapping]] = ..., withdraw_team: _Optional[_Union[WithdrawTeam, _Mapping]] = ..., start_tournament: _Optional[_Union[StartTournament, _Mapping]] = ..., record_result: _Optional[_Union[RecordResult, _Mapping]] = ..., replay_match: _Optional[_Union[ReplayMatch, _Mapping]] = ..., close_tournament: _Optional[_Union[CloseTournament, _Mapping]] = ...) -> None: ...

class TournamentCreated(_message.Message):
    __slots__ = ("tournament", "name", "format", "rules", "deals", "deal_cap", "tie_deals", "turn_ms", "cycles", "commitment", "seed", "rounds", "beat_ms")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    DEAL_CAP_FIELD_NUMBER: _ClassVar[int]
    TIE_DEALS_FIELD_NUMBER: _ClassVar[int]
    TURN_MS_FIELD_NUMBER: _ClassVar[int]
    CYCLES_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    BEAT_MS_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    name: str
    format: TournamentFormat
    rules: _game_pb2.RuleSet
    deals: int
    deal_cap: int
    tie_deals: int
    turn_ms: int
    cycles: int
    commitment: bytes
    seed: bytes
    rounds: int
    beat_ms: int
    def __init__(self, tournament: _Optional[str] = ..., name: _Optional[str] = ..., format: _Optional[_Union[TournamentFormat, str]] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., deals: _Optional[int] = ..., deal_cap: _Optional[int] = ..., tie_deals: _Optional[int] = ..., turn_ms: _Optional[int] = ..., cycles: _Optional[int] = ..., commitment: _Optional[bytes] = ..., seed: _Optional[bytes] = ..., rounds: _Optional[int] = ..., beat_ms: _Optional[int] = ...) -> None: ...

class TeamEntered(_message.Message):
    __slots__ = ("team", "name", "players", "number")
    TEAM_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    team: int
    name: str
    players: _containers.RepeatedScalarFieldContainer[str]
    number: int
    def __init__(self, team: _Optional[int] = ..., name: _Optional[str] = ..., players: _Optional[_Iterable[str]] = ..., number: _Optional[int] = ...) -> None: ...

class TeamWithdrawn(_message.Message):
    __slots__ = ("team",)
    TEAM_FIELD_NUMBER: _ClassVar[int]
    team: int
    def __init__(self, team: _Optional[int] = ...) -> None: ...

class Seeded(_message.Message):
    __slots__ = ("order", "numbers")
    ORDER_FIELD_NUMBER: _ClassVar[int]
    NUMBERS_FIELD_NUMBER: _ClassVar[int]
    order: _containers.RepeatedScalarFieldContainer[int]
    numbers: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, order: _Optional[_Iterable[int]] = ..., numbers: _Optional[_Iterable[int]] = ...) -> None: ...

class ByesGiven(_message.Message):
    __slots__ = ("round", "teams", "reason")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TEAMS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    round: int
    teams: _containers.RepeatedScalarFieldContainer[int]
    reason: str
    def __init__(self, round: _Optional[int] = ..., teams: _Optional[_Iterable[int]] = ..., reason: _Optional[str] = ...) -> None: ...

class Pairing(_message.Message):
    __slots__ = ("number", "teams")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TEAMS_FIELD_NUMBER: _ClassVar[int]
    number: int
    teams: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, number: _Optional[int] = ..., teams: _Optional[_Iterable[int]] = ...) -> None: ...

class MatchesScheduled(_message.Message):
    __slots__ = ("round", "pairings", "reason", "repeated_meetings")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    PAIRINGS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REPEATED_MEETINGS_FIELD_NUMBER: _ClassVar[int]
    round: int
    pairings: _containers.RepeatedCompositeFieldContainer[Pairing]
    reason: str
    repeated_meetings: int
    def __init__(self, round: _Optional[int] = ..., pairings: _Optional[_Iterable[_Union[Pairing, _Mapping]]] = ..., reason: _Optional[str] = ..., repeated_meetings: _Optional[int] = ...) -> None: ...

class ResultRecorded(_message.Message):
    __slots__ = ("match", "attempt", "table", "winner", "totals", "deals", "reason")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    match: str
    attempt: int
    table: str
    winner: int
    totals: _containers.RepeatedScalarFieldContainer[int]
    deals: int
    reason: str
    def __init__(self, match: _Optional[str] = ..., attempt: _Optional[int] = ..., table: _Optional[str] = ..., winner: _Optional[int] = ..., totals: _Optional[_Iterable[int]] = ..., deals: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class MatchTied(_message.Message):
    __slots__ = ("match", "attempt", "left")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    match: str
    attempt: int
    left: int
    def __init__(self, match: _Optional[str] = ..., attempt: _Optional[int] = ..., left: _Optional[int] = ...) -> None: ...

class MatchReplayed(_message.Message):
    __slots__ = ("match", "attempt", "reason")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    match: str
    attempt: int
    reason: str
    def __init__(self, match: _Optional[str] = ..., attempt: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class LotDrawn(_message.Message):
    __slots__ = ("match", "winner", "reason")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    match: str
    winner: int
    reason: str
    def __init__(self, match: _Optional[str] = ..., winner: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class MatchWon(_message.Message):
    __slots__ = ("match", "winner", "loser", "reason")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    LOSER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    match: str
    winner: int
    loser: int
    reason: str
    def __init__(self, match: _Optional[str] = ..., winner: _Optional[int] = ..., loser: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class TeamEliminated(_message.Message):
    __slots__ = ("team", "match")
    TEAM_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    team: int
    match: str
    def __init__(self, team: _Optional[int] = ..., match: _Optional[str] = ...) -> None: ...

class StandingsRow(_message.Message):
    __slots__ = ("rank", "team", "played", "wins", "points_for", "points_against", "reason")
    RANK_FIELD_NUMBER: _ClassVar[int]
    TEAM_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FOR_FIELD_NUMBER: _ClassVar[int]
    POINTS_AGAINST_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    rank: int
    team: int
    played: int
    wins: int
    points_for: int
    points_against: int
    reason: str
    def __init__(self, rank: _Optional[int] = ..., team: _Optional[int] = ..., played: _Optional[int] = ..., wins: _Optional[int] = ..., points_for: _Optional[int] = ..., points_against: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class StandingsFinal(_message.Message):
    __slots__ = ("rows",)
    ROWS_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[StandingsRow]
    def __init__(self, rows: _Optional[_Iterable[_Union[StandingsRow, _Mapping]]] = ...) -> None: ...

class PlacesAwarded(_message.Message):
    __slots__ = ("match", "places", "halves", "reason")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    HALVES_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    match: str
    places: _containers.RepeatedScalarFieldContainer[int]
    halves: _containers.RepeatedScalarFieldContainer[int]
    reason: str
    def __init__(self, match: _Optional[str] = ..., places: _Optional[_Iterable[int]] = ..., halves: _Optional[_Iterable[int]] = ..., reason: _Optional[str] = ...) -> None: ...

class ByesScored(_message.Message):
    __slots__ = ("round", "teams", "halves", "points", "reason")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TEAMS_FIELD_NUMBER: _ClassVar[int]
    HALVES_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    round: int
    teams: _containers.RepeatedScalarFieldContainer[int]
    halves: int
    points: int
    reason: str
    def __init__(self, round: _Optional[int] = ..., teams: _Optional[_Iterable[int]] = ..., halves: _Optional[int] = ..., points: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class PlaceRow(_message.Message):
    __slots__ = ("rank", "team", "played", "byes", "halves", "points", "reason")
    RANK_FIELD_NUMBER: _ClassVar[int]
    TEAM_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    BYES_FIELD_NUMBER: _ClassVar[int]
    HALVES_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    rank: int
    team: int
    played: int
    byes: int
    halves: int
    points: int
    reason: str
    def __init__(self, rank: _Optional[int] = ..., team: _Optional[int] = ..., played: _Optional[int] = ..., byes: _Optional[int] = ..., halves: _Optional[int] = ..., points: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class PlacesFinal(_message.Message):
    __slots__ = ("rows",)
    ROWS_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[PlaceRow]
    def __init__(self, rows: _Optional[_Iterable[_Union[PlaceRow, _Mapping]]] = ...) -> None: ...

class TournamentEnded(_message.Message):
    __slots__ = ("champion", "order", "ranks", "reason")
    CHAMPION_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    champion: int
    order: _containers.RepeatedScalarFieldContainer[int]
    ranks: _containers.RepeatedScalarFieldContainer[int]
    reason: str
    def __init__(self, champion: _Optional[int] = ..., order: _Optional[_Iterable[int]] = ..., ranks: _Optional[_Iterable[int]] = ..., reason: _Optional[str] = ...) -> None: ...

class TablesPinned(_message.Message):
    __slots__ = ("tables",)
    TABLES_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[PinnedTable]
    def __init__(self, tables: _Optional[_Iterable[_Union[PinnedTable, _Mapping]]] = ...) -> None: ...

class TournamentClosed(_message.Message):
    __slots__ = ("seed", "root")
    SEED_FIELD_NUMBER: _ClassVar[int]
    ROOT_FIELD_NUMBER: _ClassVar[int]
    seed: bytes
    root: bytes
    def __init__(self, seed: _Optional[bytes] = ..., root: _Optional[bytes] = ...) -> None: ...

class TournamentEvent(_message.Message):
    __slots__ = ("tournament_created", "team_entered", "team_withdrawn", "seeded", "byes_given", "matches_scheduled", "result_recorded", "match_tied", "match_replayed", "lot_drawn", "match_won", "team_eliminated", "standings_final", "tournament_ended", "tournament_closed", "places_awarded", "byes_scored", "places_final", "tables_pinned")
    TOURNAMENT_CREATED_FIELD_NUMBER: _ClassVar[int]
    TEAM_ENTERED_FIELD_NUMBER: _ClassVar[int]
    TEAM_WITHDRAWN_FIELD_NUMBER: _ClassVar[int]
    SEEDED_FIELD_NUMBER: _ClassVar[int]
    BYES_GIVEN_FIELD_NUMBER: _ClassVar[int]
    MATCHES_SCHEDULED_FIELD_NUMBER: _ClassVar[int]
    RESULT_RECORDED_FIELD_NUMBER: _ClassVar[int]
    MATCH_TIED_FIELD_NUMBER: _ClassVar[int]
    MATCH_REPLAYED_FIELD_NUMBER: _ClassVar[int]
    LOT_DRAWN_FIELD_NUMBER: _ClassVar[int]
    MATCH_WON_FIELD_NUMBER: _ClassVar[int]
    TEAM_ELIMINATED_FIELD_NUMBER: _ClassVar[int]
    STANDINGS_FINAL_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_ENDED_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_CLOSED_FIELD_NUMBER: _ClassVar[int]
    PLACES_AWARDED_FIELD_NUMBER: _ClassVar[int]
    BYES_SCORED_FIELD_NUMBER: _ClassVar[int]
    PLACES_FINAL_FIELD_NUMBER: _ClassVar[int]
    TABLES_PINNED_FIELD_NUMBER: _ClassVar[int]
    tournament_created: TournamentCreated
    team_entered: TeamEntered
    team_withdrawn: TeamWithdrawn
    seeded: Seeded
    byes_given: ByesGiven
    matches_scheduled: MatchesScheduled
    result_recorded: ResultRecorded
    match_tied: MatchTied
    match_replayed: MatchReplayed
    lot_drawn: LotDrawn
    match_won: MatchWon
    team_eliminated: TeamEliminated
    standings_final: StandingsFinal
    tournament_ended: TournamentEnded
    tournament_closed: TournamentClosed
    places_awarded: PlacesAwarded
    byes_scored: ByesScored
    places_final: PlacesFinal
    tables_pinned: TablesPinned
    def __init__(self, tournament_created: _Optional[_Union[TournamentCreated, _Mapping]] = ..., team_entered: _Optional[_Union[TeamEntered, _Mapping]] = ..., team_withdrawn: _Optional[_Union[TeamWithdrawn, _Mapping]] = ..., seeded: _Optional[_Union[Seeded, _Mapping]] = ..., byes_given: _Optional[_Union[ByesGiven, _Mapping]] = ..., matches_scheduled: _Optional[_Union[MatchesScheduled, _Mapping]] = ..., result_recorded: _Optional[_Union[ResultRecorded, _Mapping]] = ..., match_tied: _Optional[_Union[MatchTied, _Mapping]] = ..., match_replayed: _Optional[_Union[MatchReplayed, _Mapping]] = ..., lot_drawn: _Optional[_Union[LotDrawn, _Mapping]] = ..., match_won: _Optional[_Union[MatchWon, _Mapping]] = ..., team_eliminated: _Optional[_Union[TeamEliminated, _Mapping]] = ..., standings_final: _Optional[_Union[StandingsFinal, _Mapping]] = ..., tournament_ended: _Optional[_Union[TournamentEnded, _Mapping]] = ..., tournament_closed: _Optional[_Union[TournamentClosed, _Mapping]] = ..., places_awarded: _Optional[_Union[PlacesAwarded, _Mapping]] = ..., byes_scored: _Optional[_Union[ByesScored, _Mapping]] = ..., places_final: _Optional[_Union[PlacesFinal, _Mapping]] = ..., tables_pinned: _Optional[_Union[TablesPinned, _Mapping]] = ...) -> None: ...

class TournamentActBody(_message.Message):
    __slots__ = ("author", "at_ms", "rules_version", "command", "events", "received_ms")
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_MS_FIELD_NUMBER: _ClassVar[int]
    author: str
    at_ms: int
    rules_version: int
    command: TournamentCommand
    events: _containers.RepeatedCompositeFieldContainer[TournamentEvent]
    received_ms: int
    def __init__(self, author: _Optional[str] = ..., at_ms: _Optional[int] = ..., rules_version: _Optional[int] = ..., command: _Optional[_Union[TournamentCommand, _Mapping]] = ..., events: _Optional[_Iterable[_Union[TournamentEvent, _Mapping]]] = ..., received_ms: _Optional[int] = ...) -> None: ...

class TournamentActView(_message.Message):
    __slots__ = ("version", "at_ms", "author", "events")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    version: int
    at_ms: int
    author: str
    events: _containers.RepeatedCompositeFieldContainer[TournamentEvent]
    def __init__(self, version: _Optional[int] = ..., at_ms: _Optional[int] = ..., author: _Optional[str] = ..., events: _Optional[_Iterable[_Union[TournamentEvent, _Mapping]]] = ...) -> None: ...

class CreateRequest(_message.Message):
    __slots__ = ("tournament", "name", "format", "profile", "knobs", "deals", "deal_cap", "tie_deals", "turn_ms", "cycles", "seed", "rounds", "beat_ms", "command_id")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    KNOBS_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    DEAL_CAP_FIELD_NUMBER: _ClassVar[int]
    TIE_DEALS_FIELD_NUMBER: _ClassVar[int]
    TURN_MS_FIELD_NUMBER: _ClassVar[int]
    CYCLES_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    BEAT_MS_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    name: str
    format: TournamentFormat
    profile: str
    knobs: _containers.RepeatedCompositeFieldContainer[_game_pb2.Knob]
    deals: int
    deal_cap: int
    tie_deals: int
    turn_ms: int
    cycles: int
    seed: bytes
    rounds: int
    beat_ms: int
    command_id: bytes
    def __init__(self, tournament: _Optional[str] = ..., name: _Optional[str] = ..., format: _Optional[_Union[TournamentFormat, str]] = ..., profile: _Optional[str] = ..., knobs: _Optional[_Iterable[_Union[_game_pb2.Knob, _Mapping]]] = ..., deals: _Optional[int] = ..., deal_cap: _Optional[int] = ..., tie_deals: _Optional[int] = ..., turn_ms: _Optional[int] = ..., cycles: _Optional[int] = ..., seed: _Optional[bytes] = ..., rounds: _Optional[int] = ..., beat_ms: _Optional[int] = ..., command_id: _Optional[bytes] = ...) -> None: ...

class CreateResponse(_message.Message):
    __slots__ = ("tournament", "version", "commitment", "rules", "differences")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCES_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    version: int
    commitment: bytes
    rules: _game_pb2.RuleSet
    differences: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, tournament: _Optional[str] = ..., version: _Optional[int] = ..., commitment: _Optional[bytes] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., differences: _Optional[_Iterable[str]] = ...) -> None: ...

class EnterRequest(_message.Message):
    __slots__ = ("tournament", "name", "players", "number", "command_id")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    name: str
    players: _containers.RepeatedScalarFieldContainer[str]
    number: int
    command_id: bytes
    def __init__(self, tournament: _Optional[str] = ..., name: _Optional[str] = ..., players: _Optional[_Iterable[str]] = ..., number: _Optional[int] = ..., command_id: _Optional[bytes] = ...) -> None: ...

class EnterResponse(_message.Message):
    __slots__ = ("team", "version", "commitment")
    TEAM_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    team: int
    version: int
    commitment: bytes
    def __init__(self, team: _Optional[int] = ..., version: _Optional[int] = ..., commitment: _Optional[bytes] = ...) -> None: ...

class WithdrawRequest(_message.Message):
    __slots__ = ("tournament", "team", "command_id")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    TEAM_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    team: int
    command_id: bytes
    def __init__(self, tournament: _Optional[str] = ..., team: _Optional[int] = ..., command_id: _Optional[bytes] = ...) -> None: ...

class WithdrawResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class StartRequest(_message.Message):
    __slots__ = ("tournament", "command_id")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    command_id: bytes
    def __init__(self, tournament: _Optional[str] = ..., command_id: _Optional[bytes] = ...) -> None: ...

class StartResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class ReplayRequest(_message.Message):
    __slots__ = ("tournament", "match", "attempt", "reason", "command_id")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    match: str
    attempt: int
    reason: str
    command_id: bytes
    def __init__(self, tournament: _Optional[str] = ..., match: _Optional[str] = ..., attempt: _Optional[int] = ..., reason: _Optional[str] = ..., command_id: _Optional[bytes] = ...) -> None: ...

class ReplayResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class ShowRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class Team(_message.Message):
    __slots__ = ("team", "name", "players", "number", "seed", "eliminated_in", "rank", "player_names")
    TEAM_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    ELIMINATED_IN_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    PLAYER_NAMES_FIELD_NUMBER: _ClassVar[int]
    team: int
    name: str
    players: _containers.RepeatedScalarFieldContainer[str]
    number: int
    seed: int
    eliminated_in: str
    rank: int
    player_names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, team: _Optional[int] = ..., name: _Optional[str] = ..., players: _Optional[_Iterable[str]] = ..., number: _Optional[int] = ..., seed: _Optional[int] = ..., eliminated_in: _Optional[str] = ..., rank: _Optional[int] = ..., player_names: _Optional[_Iterable[str]] = ...) -> None: ...

class Byes(_message.Message):
    __slots__ = ("round", "teams")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TEAMS_FIELD_NUMBER: _ClassVar[int]
    round: int
    teams: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, round: _Optional[int] = ..., teams: _Optional[_Iterable[int]] = ...) -> None: ...

class Attempt(_message.Message):
    __slots__ = ("number", "kind", "status", "table", "winner", "totals", "deals", "reason")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    number: int
    kind: str
    status: str
    table: str
    winner: int
    totals: _containers.RepeatedScalarFieldContainer[int]
    deals: int
    reason: str
    def __init__(self, number: _Optional[int] = ..., kind: _Optional[str] = ..., status: _Optional[str] = ..., table: _Optional[str] = ..., winner: _Optional[int] = ..., totals: _Optional[_Iterable[int]] = ..., deals: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class Match(_message.Message):
    __slots__ = ("match", "round", "number", "teams", "attempts", "winner", "reason", "places", "halves")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TEAMS_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    HALVES_FIELD_NUMBER: _ClassVar[int]
    match: str
    round: int
    number: int
    teams: _containers.RepeatedScalarFieldContainer[int]
    attempts: _containers.RepeatedCompositeFieldContainer[Attempt]
    winner: int
    reason: str
    places: _containers.RepeatedScalarFieldContainer[int]
    halves: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, match: _Optional[str] = ..., round: _Optional[int] = ..., number: _Optional[int] = ..., teams: _Optional[_Iterable[int]] = ..., attempts: _Optional[_Iterable[_Union[Attempt, _Mapping]]] = ..., winner: _Optional[int] = ..., reason: _Optional[str] = ..., places: _Optional[_Iterable[int]] = ..., halves: _Optional[_Iterable[int]] = ...) -> None: ...

class ShowResponse(_message.Message):
    __slots__ = ("tournament", "version", "phase", "created", "teams", "rounds", "byes", "matches", "standings", "champion", "ranking", "updated_ms", "place_standings", "differences", "profile", "head", "root")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    TEAMS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    BYES_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    CHAMPION_FIELD_NUMBER: _ClassVar[int]
    RANKING_FIELD_NUMBER: _ClassVar[int]
    UPDATED_MS_FIELD_NUMBER: _ClassVar[int]
    PLACE_STANDINGS_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCES_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    HEAD_FIELD_NUMBER: _ClassVar[int]
    ROOT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    version: int
    phase: str
    created: TournamentCreated
    teams: _containers.RepeatedCompositeFieldContainer[Team]
    rounds: int
    byes: _containers.RepeatedCompositeFieldContainer[Byes]
    matches: _containers.RepeatedCompositeFieldContainer[Match]
    standings: _containers.RepeatedCompositeFieldContainer[StandingsRow]
    champion: int
    ranking: _containers.RepeatedScalarFieldContainer[int]
    updated_ms: int
    place_standings: _containers.RepeatedCompositeFieldContainer[PlaceRow]
    differences: _containers.RepeatedScalarFieldContainer[str]
    profile: str
    head: bytes
    root: bytes
    def __init__(self, tournament: _Optional[str] = ..., version: _Optional[int] = ..., phase: _Optional[str] = ..., created: _Optional[_Union[TournamentCreated, _Mapping]] = ..., teams: _Optional[_Iterable[_Union[Team, _Mapping]]] = ..., rounds: _Optional[int] = ..., byes: _Optional[_Iterable[_Union[Byes, _Mapping]]] = ..., matches: _Optional[_Iterable[_Union[Match, _Mapping]]] = ..., standings: _Optional[_Iterable[_Union[StandingsRow, _Mapping]]] = ..., champion: _Optional[int] = ..., ranking: _Optional[_Iterable[int]] = ..., updated_ms: _Optional[int] = ..., place_standings: _Optional[_Iterable[_Union[PlaceRow, _Mapping]]] = ..., differences: _Optional[_Iterable[str]] = ..., profile: _Optional[str] = ..., head: _Optional[bytes] = ..., root: _Optional[bytes] = ...) -> None: ...

class TournamentServiceListRequest(_message.Message):
    __slots__ = ("after", "limit", "open", "latest_first", "since_ms", "until_ms")
    AFTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    OPEN_FIELD_NUMBER: _ClassVar[int]
    LATEST_FIRST_FIELD_NUMBER: _ClassVar[int]
    SINCE_MS_FIELD_NUMBER: _ClassVar[int]
    UNTIL_MS_FIELD_NUMBER: _ClassVar[int]
    after: str
    limit: int
    open: bool
    latest_first: bool
    since_ms: int
    until_ms: int
    def __init__(self, after: _Optional[str] = ..., limit: _Optional[int] = ..., open: _Optional[bool] = ..., latest_first: _Optional[bool] = ..., since_ms: _Optional[int] = ..., until_ms: _Optional[int] = ...) -> None: ...

class TournamentSummary(_message.Message):
    __slots__ = ("tournament", "version", "name", "format", "phase", "teams", "matches_decided", "matches", "champion", "updated_ms", "opened_ms")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    TEAMS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_DECIDED_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    CHAMPION_FIELD_NUMBER: _ClassVar[int]
    UPDATED_MS_FIELD_NUMBER: _ClassVar[int]
    OPENED_MS_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    version: int
    name: str
    format: TournamentFormat
    phase: str
    teams: int
    matches_decided: int
    matches: int
    champion: str
    updated_ms: int
    opened_ms: int
    def __init__(self, tournament: _Optional[str] = ..., version: _Optional[int] = ..., name: _Optional[str] = ..., format: _Optional[_Union[TournamentFormat, str]] = ..., phase: _Optional[str] = ..., teams: _Optional[int] = ..., matches_decided: _Optional[int] = ..., matches: _Optional[int] = ..., champion: _Optional[str] = ..., updated_ms: _Optional[int] = ..., opened_ms: _Optional[int] = ...) -> None: ...

class TournamentServiceListResponse(_message.Message):
    __slots__ = ("tournaments", "next")
    TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    tournaments: _containers.RepeatedCompositeFieldContainer[TournamentSummary]
    next: str
    def __init__(self, tournaments: _Optional[_Iterable[_Union[TournamentSummary, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class TournamentServiceWatchRequest(_message.Message):
    __slots__ = ("tournament", "after_version", "at_ms")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    AFTER_VERSION_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    after_version: int
    at_ms: int
    def __init__(self, tournament: _Optional[str] = ..., after_version: _Optional[int] = ..., at_ms: _Optional[int] = ...) -> None: ...

class TournamentServiceWatchResponse(_message.Message):
    __slots__ = ("acts", "version", "over", "head")
    ACTS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    HEAD_FIELD_NUMBER: _ClassVar[int]
    acts: _containers.RepeatedCompositeFieldContainer[TournamentActView]
    version: int
    over: bool
    head: bytes
    def __init__(self, acts: _Optional[_Iterable[_Union[TournamentActView, _Mapping]]] = ..., version: _Optional[int] = ..., over: _Optional[bool] = ..., head: _Optional[bytes] = ...) -> None: ...

class TournamentServiceLogRequest(_message.Message):
    __slots__ = ("tournament", "after_version")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    AFTER_VERSION_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    after_version: int
    def __init__(self, tournament: _Optional[str] = ..., after_version: _Optional[int] = ...) -> None: ...

class TournamentServiceLogResponse(_message.Message):
    __slots__ = ("acts",)
    ACTS_FIELD_NUMBER: _ClassVar[int]
    acts: _containers.RepeatedCompositeFieldContainer[_table_pb2.StoredAct]
    def __init__(self, acts: _Optional[_Iterable[_Union[_table_pb2.StoredAct, _Mapping]]] = ...) -> None: ...
