from pinochle.wire.v1 import game_pb2 as _game_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OpenRequest(_message.Message):
    __slots__ = ("table", "profile", "knobs", "players", "dealer", "seed", "nonce", "turn_ms", "deal_limit", "boards", "tournament", "match", "beat_ms")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    KNOBS_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    NONCE_FIELD_NUMBER: _ClassVar[int]
    TURN_MS_FIELD_NUMBER: _ClassVar[int]
    DEAL_LIMIT_FIELD_NUMBER: _ClassVar[int]
    BOARDS_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    BEAT_MS_FIELD_NUMBER: _ClassVar[int]
    table: str
    profile: str
    knobs: _containers.RepeatedCompositeFieldContainer[_game_pb2.Knob]
    players: _containers.RepeatedScalarFieldContainer[str]
    dealer: int
    seed: bytes
    nonce: bytes
    turn_ms: int
    deal_limit: int
    boards: str
    tournament: str
    match: str
    beat_ms: int
    def __init__(self, table: _Optional[str] = ..., profile: _Optional[str] = ..., knobs: _Optional[_Iterable[_Union[_game_pb2.Knob, _Mapping]]] = ..., players: _Optional[_Iterable[str]] = ..., dealer: _Optional[int] = ..., seed: _Optional[bytes] = ..., nonce: _Optional[bytes] = ..., turn_ms: _Optional[int] = ..., deal_limit: _Optional[int] = ..., boards: _Optional[str] = ..., tournament: _Optional[str] = ..., match: _Optional[str] = ..., beat_ms: _Optional[int] = ...) -> None: ...

class OpenResponse(_message.Message):
    __slots__ = ("table", "version", "commitment", "rules", "differences")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCES_FIELD_NUMBER: _ClassVar[int]
    table: str
    version: int
    commitment: bytes
    rules: _game_pb2.RuleSet
    differences: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, table: _Optional[str] = ..., version: _Optional[int] = ..., commitment: _Optional[bytes] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., differences: _Optional[_Iterable[str]] = ...) -> None: ...

class ActView(_message.Message):
    __slots__ = ("version", "at_ms", "author", "events")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    version: int
    at_ms: int
    author: str
    events: _containers.RepeatedCompositeFieldContainer[_game_pb2.Event]
    def __init__(self, version: _Optional[int] = ..., at_ms: _Optional[int] = ..., author: _Optional[str] = ..., events: _Optional[_Iterable[_Union[_game_pb2.Event, _Mapping]]] = ...) -> None: ...

class CallOptions(_message.Message):
    __slots__ = ("lowest", "highest", "step", "pass_help", "ladder")
    LOWEST_FIELD_NUMBER: _ClassVar[int]
    HIGHEST_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    PASS_HELP_FIELD_NUMBER: _ClassVar[int]
    LADDER_FIELD_NUMBER: _ClassVar[int]
    lowest: int
    highest: int
    step: int
    pass_help: bool
    ladder: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, lowest: _Optional[int] = ..., highest: _Optional[int] = ..., step: _Optional[int] = ..., pass_help: _Optional[bool] = ..., ladder: _Optional[_Iterable[int]] = ...) -> None: ...

class TrumpOptions(_message.Message):
    __slots__ = ("suits", "may_declare_out")
    SUITS_FIELD_NUMBER: _ClassVar[int]
    MAY_DECLARE_OUT_FIELD_NUMBER: _ClassVar[int]
    suits: _containers.RepeatedScalarFieldContainer[_game_pb2.Suit]
    may_declare_out: bool
    def __init__(self, suits: _Optional[_Iterable[_Union[_game_pb2.Suit, str]]] = ..., may_declare_out: _Optional[bool] = ...) -> None: ...

class ExchangeOptions(_message.Message):
    __slots__ = ("number", "hand")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    number: int
    hand: _containers.RepeatedScalarFieldContainer[_game_pb2.Card]
    def __init__(self, number: _Optional[int] = ..., hand: _Optional[_Iterable[_Union[_game_pb2.Card, str]]] = ...) -> None: ...

class PlayOptions(_message.Message):
    __slots__ = ("cards", "may_concede")
    CARDS_FIELD_NUMBER: _ClassVar[int]
    MAY_CONCEDE_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[_game_pb2.Card]
    may_concede: bool
    def __init__(self, cards: _Optional[_Iterable[_Union[_game_pb2.Card, str]]] = ..., may_concede: _Optional[bool] = ...) -> None: ...

class MisdealOptions(_message.Message):
    __slots__ = ("may_throw_in",)
    MAY_THROW_IN_FIELD_NUMBER: _ClassVar[int]
    may_throw_in: bool
    def __init__(self, may_throw_in: _Optional[bool] = ...) -> None: ...

class LegalMeld(_message.Message):
    __slots__ = ("kind", "cards", "points")
    KIND_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    kind: str
    cards: _containers.RepeatedScalarFieldContainer[_game_pb2.Card]
    points: int
    def __init__(self, kind: _Optional[str] = ..., cards: _Optional[_Iterable[_Union[_game_pb2.Card, str]]] = ..., points: _Optional[int] = ...) -> None: ...

class DrawOptions(_message.Message):
    __slots__ = ("nines", "melds")
    NINES_FIELD_NUMBER: _ClassVar[int]
    MELDS_FIELD_NUMBER: _ClassVar[int]
    nines: _containers.RepeatedScalarFieldContainer[_game_pb2.Card]
    melds: _containers.RepeatedCompositeFieldContainer[LegalMeld]
    def __init__(self, nines: _Optional[_Iterable[_Union[_game_pb2.Card, str]]] = ..., melds: _Optional[_Iterable[_Union[LegalMeld, _Mapping]]] = ...) -> None: ...

class Options(_message.Message):
    __slots__ = ("play", "call", "trump", "exchange", "misdeal", "draw")
    PLAY_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    TRUMP_FIELD_NUMBER: _ClassVar[int]
    EXCHANGE_FIELD_NUMBER: _ClassVar[int]
    MISDEAL_FIELD_NUMBER: _ClassVar[int]
    DRAW_FIELD_NUMBER: _ClassVar[int]
    play: PlayOptions
    call: CallOptions
    trump: TrumpOptions
    exchange: ExchangeOptions
    misdeal: MisdealOptions
    draw: DrawOptions
    def __init__(self, play: _Optional[_Union[PlayOptions, _Mapping]] = ..., call: _Optional[_Union[CallOptions, _Mapping]] = ..., trump: _Optional[_Union[TrumpOptions, _Mapping]] = ..., exchange: _Optional[_Union[ExchangeOptions, _Mapping]] = ..., misdeal: _Optional[_Union[MisdealOptions, _Mapping]] = ..., draw: _Optional[_Union[DrawOptions, _Mapping]] = ...) -> None: ...

class ActRequest(_message.Message):
    __slots__ = ("table", "expected_version", "command_id", "command", "seat")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_VERSION_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    table: str
    expected_version: int
    command_id: bytes
    command: _game_pb2.PlayerCommand
    seat: int
    def __init__(self, table: _Optional[str] = ..., expected_version: _Optional[int] = ..., command_id: _Optional[bytes] = ..., command: _Optional[_Union[_game_pb2.PlayerCommand, _Mapping]] = ..., seat: _Optional[int] = ...) -> None: ...

class Rejection(_message.Message):
    __slots__ = ("reason", "detail", "resume_after")
    REASON_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    RESUME_AFTER_FIELD_NUMBER: _ClassVar[int]
    reason: str
    detail: str
    resume_after: int
    def __init__(self, reason: _Optional[str] = ..., detail: _Optional[str] = ..., resume_after: _Optional[int] = ...) -> None: ...

class ActResponse(_message.Message):
    __slots__ = ("version", "rejection", "act")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    REJECTION_FIELD_NUMBER: _ClassVar[int]
    ACT_FIELD_NUMBER: _ClassVar[int]
    version: int
    rejection: Rejection
    act: ActView
    def __init__(self, version: _Optional[int] = ..., rejection: _Optional[_Union[Rejection, _Mapping]] = ..., act: _Optional[_Union[ActView, _Mapping]] = ...) -> None: ...

class PlayRequest(_message.Message):
    __slots__ = ("resume", "acts", "follow", "unfollow")
    RESUME_FIELD_NUMBER: _ClassVar[int]
    ACTS_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    UNFOLLOW_FIELD_NUMBER: _ClassVar[int]
    resume: Resume
    acts: _containers.RepeatedCompositeFieldContainer[ActRequest]
    follow: _containers.RepeatedScalarFieldContainer[str]
    unfollow: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, resume: _Optional[_Union[Resume, _Mapping]] = ..., acts: _Optional[_Iterable[_Union[ActRequest, _Mapping]]] = ..., follow: _Optional[_Iterable[str]] = ..., unfollow: _Optional[_Iterable[str]] = ...) -> None: ...

class Resume(_message.Message):
    __slots__ = ("positions",)
    POSITIONS_FIELD_NUMBER: _ClassVar[int]
    positions: _containers.RepeatedCompositeFieldContainer[Position]
    def __init__(self, positions: _Optional[_Iterable[_Union[Position, _Mapping]]] = ...) -> None: ...

class Position(_message.Message):
    __slots__ = ("table", "version", "at_ms")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    table: str
    version: int
    at_ms: int
    def __init__(self, table: _Optional[str] = ..., version: _Optional[int] = ..., at_ms: _Optional[int] = ...) -> None: ...

class PlayResponse(_message.Message):
    __slots__ = ("updates",)
    UPDATES_FIELD_NUMBER: _ClassVar[int]
    updates: _containers.RepeatedCompositeFieldContainer[TableUpdate]
    def __init__(self, updates: _Optional[_Iterable[_Union[TableUpdate, _Mapping]]] = ...) -> None: ...

class TableUpdate(_message.Message):
    __slots__ = ("table", "seat", "version", "acts", "options", "deadline_ms", "turn_version", "rejection", "command_id", "over")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ACTS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    TURN_VERSION_FIELD_NUMBER: _ClassVar[int]
    REJECTION_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    table: str
    seat: int
    version: int
    acts: _containers.RepeatedCompositeFieldContainer[ActView]
    options: Options
    deadline_ms: int
    turn_version: int
    rejection: Rejection
    command_id: bytes
    over: bool
    def __init__(self, table: _Optional[str] = ..., seat: _Optional[int] = ..., version: _Optional[int] = ..., acts: _Optional[_Iterable[_Union[ActView, _Mapping]]] = ..., options: _Optional[_Union[Options, _Mapping]] = ..., deadline_ms: _Optional[int] = ..., turn_version: _Optional[int] = ..., rejection: _Optional[_Union[Rejection, _Mapping]] = ..., command_id: _Optional[bytes] = ..., over: _Optional[bool] = ...) -> None: ...

class WatchRequest(_message.Message):
    __slots__ = ("table", "after_version", "seat", "at_ms")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    AFTER_VERSION_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    table: str
    after_version: int
    seat: int
    at_ms: int
    def __init__(self, table: _Optional[str] = ..., after_version: _Optional[int] = ..., seat: _Optional[int] = ..., at_ms: _Optional[int] = ...) -> None: ...

class WatchResponse(_message.Message):
    __slots__ = ("acts", "version", "over")
    ACTS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    acts: _containers.RepeatedCompositeFieldContainer[ActView]
    version: int
    over: bool
    def __init__(self, acts: _Optional[_Iterable[_Union[ActView, _Mapping]]] = ..., version: _Optional[int] = ..., over: _Optional[bool] = ...) -> None: ...

class ViewRequest(_message.Message):
    __slots__ = ("table", "after_version", "seat", "at_ms", "until_version", "head_only")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    AFTER_VERSION_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    UNTIL_VERSION_FIELD_NUMBER: _ClassVar[int]
    HEAD_ONLY_FIELD_NUMBER: _ClassVar[int]
    table: str
    after_version: int
    seat: int
    at_ms: int
    until_version: int
    head_only: bool
    def __init__(self, table: _Optional[str] = ..., after_version: _Optional[int] = ..., seat: _Optional[int] = ..., at_ms: _Optional[int] = ..., until_version: _Optional[int] = ..., head_only: _Optional[bool] = ...) -> None: ...

class ViewResponse(_message.Message):
    __slots__ = ("acts", "version", "options", "deadline_ms", "turn_version", "due_seat", "over", "more")
    ACTS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    TURN_VERSION_FIELD_NUMBER: _ClassVar[int]
    DUE_SEAT_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    acts: _containers.RepeatedCompositeFieldContainer[ActView]
    version: int
    options: Options
    deadline_ms: int
    turn_version: int
    due_seat: int
    over: bool
    more: bool
    def __init__(self, acts: _Optional[_Iterable[_Union[ActView, _Mapping]]] = ..., version: _Optional[int] = ..., options: _Optional[_Union[Options, _Mapping]] = ..., deadline_ms: _Optional[int] = ..., turn_version: _Optional[int] = ..., due_seat: _Optional[int] = ..., over: _Optional[bool] = ..., more: _Optional[bool] = ...) -> None: ...

class LogRequest(_message.Message):
    __slots__ = ("table", "after_version")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    AFTER_VERSION_FIELD_NUMBER: _ClassVar[int]
    table: str
    after_version: int
    def __init__(self, table: _Optional[str] = ..., after_version: _Optional[int] = ...) -> None: ...

class StoredAct(_message.Message):
    __slots__ = ("version", "command_id", "body", "hash")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    version: int
    command_id: bytes
    body: bytes
    hash: bytes
    def __init__(self, version: _Optional[int] = ..., command_id: _Optional[bytes] = ..., body: _Optional[bytes] = ..., hash: _Optional[bytes] = ...) -> None: ...

class LogResponse(_message.Message):
    __slots__ = ("acts",)
    ACTS_FIELD_NUMBER: _ClassVar[int]
    acts: _containers.RepeatedCompositeFieldContainer[StoredAct]
    def __init__(self, acts: _Optional[_Iterable[_Union[StoredAct, _Mapping]]] = ...) -> None: ...

class ListRequest(_message.Message):
    __slots__ = ("after", "limit", "open", "tournament", "tables", "latest_first", "since_ms", "until_ms")
    AFTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    OPEN_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    LATEST_FIRST_FIELD_NUMBER: _ClassVar[int]
    SINCE_MS_FIELD_NUMBER: _ClassVar[int]
    UNTIL_MS_FIELD_NUMBER: _ClassVar[int]
    after: str
    limit: int
    open: bool
    tournament: str
    tables: _containers.RepeatedScalarFieldContainer[str]
    latest_first: bool
    since_ms: int
    until_ms: int
    def __init__(self, after: _Optional[str] = ..., limit: _Optional[int] = ..., open: _Optional[bool] = ..., tournament: _Optional[str] = ..., tables: _Optional[_Iterable[str]] = ..., latest_first: _Optional[bool] = ..., since_ms: _Optional[int] = ..., until_ms: _Optional[int] = ...) -> None: ...

class TableSummary(_message.Message):
    __slots__ = ("table", "version", "players", "phase", "totals", "deals", "winner", "end_reason", "tournament", "match", "due_seat", "due_player", "deadline_ms", "profile", "updated_ms", "opened_ms")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    END_REASON_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    DUE_SEAT_FIELD_NUMBER: _ClassVar[int]
    DUE_PLAYER_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    UPDATED_MS_FIELD_NUMBER: _ClassVar[int]
    OPENED_MS_FIELD_NUMBER: _ClassVar[int]
    table: str
    version: int
    players: _containers.RepeatedScalarFieldContainer[str]
    phase: str
    totals: _containers.RepeatedScalarFieldContainer[int]
    deals: int
    winner: int
    end_reason: str
    tournament: str
    match: str
    due_seat: int
    due_player: str
    deadline_ms: int
    profile: str
    updated_ms: int
    opened_ms: int
    def __init__(self, table: _Optional[str] = ..., version: _Optional[int] = ..., players: _Optional[_Iterable[str]] = ..., phase: _Optional[str] = ..., totals: _Optional[_Iterable[int]] = ..., deals: _Optional[int] = ..., winner: _Optional[int] = ..., end_reason: _Optional[str] = ..., tournament: _Optional[str] = ..., match: _Optional[str] = ..., due_seat: _Optional[int] = ..., due_player: _Optional[str] = ..., deadline_ms: _Optional[int] = ..., profile: _Optional[str] = ..., updated_ms: _Optional[int] = ..., opened_ms: _Optional[int] = ...) -> None: ...

class ListResponse(_message.Message):
    __slots__ = ("tables", "next")
    TABLES_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[TableSummary]
    next: str
    def __init__(self, tables: _Optional[_Iterable[_Union[TableSummary, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class HeadsRequest(_message.Message):
    __slots__ = ("tables",)
    TABLES_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, tables: _Optional[_Iterable[str]] = ...) -> None: ...

class TableHead(_message.Message):
    __slots__ = ("table", "acts", "head")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ACTS_FIELD_NUMBER: _ClassVar[int]
    HEAD_FIELD_NUMBER: _ClassVar[int]
    table: str
    acts: int
    head: bytes
    def __init__(self, table: _Optional[str] = ..., acts: _Optional[int] = ..., head: _Optional[bytes] = ...) -> None: ...

class HeadsResponse(_message.Message):
    __slots__ = ("heads",)
    HEADS_FIELD_NUMBER: _ClassVar[int]
    heads: _containers.RepeatedCompositeFieldContainer[TableHead]
    def __init__(self, heads: _Optional[_Iterable[_Union[TableHead, _Mapping]]] = ...) -> None: ...

class ListDueRequest(_message.Message):
    __slots__ = ("player_prefix", "waiting_ms", "after", "limit")
    PLAYER_PREFIX_FIELD_NUMBER: _ClassVar[int]
    WAITING_MS_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    player_prefix: str
    waiting_ms: int
    after: str
    limit: int
    def __init__(self, player_prefix: _Optional[str] = ..., waiting_ms: _Optional[int] = ..., after: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class ListDueResponse(_message.Message):
    __slots__ = ("tables", "next")
    TABLES_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[TableSummary]
    next: str
    def __init__(self, tables: _Optional[_Iterable[_Union[TableSummary, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class VoidRequest(_message.Message):
    __slots__ = ("table", "reason")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    table: str
    reason: str
    def __init__(self, table: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class VoidResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class CloseRequest(_message.Message):
    __slots__ = ("table",)
    TABLE_FIELD_NUMBER: _ClassVar[int]
    table: str
    def __init__(self, table: _Optional[str] = ...) -> None: ...

class CloseResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...
