from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Card(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CARD_UNSPECIFIED: _ClassVar[Card]
    CARD_AS: _ClassVar[Card]
    CARD_TS: _ClassVar[Card]
    CARD_KS: _ClassVar[Card]
    CARD_QS: _ClassVar[Card]
    CARD_JS: _ClassVar[Card]
    CARD_9S: _ClassVar[Card]
    CARD_AH: _ClassVar[Card]
    CARD_TH: _ClassVar[Card]
    CARD_KH: _ClassVar[Card]
    CARD_QH: _ClassVar[Card]
    CARD_JH: _ClassVar[Card]
    CARD_9H: _ClassVar[Card]
    CARD_AD: _ClassVar[Card]
    CARD_TD: _ClassVar[Card]
    CARD_KD: _ClassVar[Card]
    CARD_QD: _ClassVar[Card]
    CARD_JD: _ClassVar[Card]
    CARD_9D: _ClassVar[Card]
    CARD_AC: _ClassVar[Card]
    CARD_TC: _ClassVar[Card]
    CARD_KC: _ClassVar[Card]
    CARD_QC: _ClassVar[Card]
    CARD_JC: _ClassVar[Card]
    CARD_9C: _ClassVar[Card]
    CARD_HIDDEN: _ClassVar[Card]
    CARD_AS_A: _ClassVar[Card]
    CARD_AS_B: _ClassVar[Card]
    CARD_TS_A: _ClassVar[Card]
    CARD_TS_B: _ClassVar[Card]
    CARD_KS_A: _ClassVar[Card]
    CARD_KS_B: _ClassVar[Card]
    CARD_QS_A: _ClassVar[Card]
    CARD_QS_B: _ClassVar[Card]
    CARD_JS_A: _ClassVar[Card]
    CARD_JS_B: _ClassVar[Card]
    CARD_9S_A: _ClassVar[Card]
    CARD_9S_B: _ClassVar[Card]
    CARD_AH_A: _ClassVar[Card]
    CARD_AH_B: _ClassVar[Card]
    CARD_TH_A: _ClassVar[Card]
    CARD_TH_B: _ClassVar[Card]
    CARD_KH_A: _ClassVar[Card]
    CARD_KH_B: _ClassVar[Card]
    CARD_QH_A: _ClassVar[Card]
    CARD_QH_B: _ClassVar[Card]
    CARD_JH_A: _ClassVar[Card]
    CARD_JH_B: _ClassVar[Card]
    CARD_9H_A: _ClassVar[Card]
    CARD_9H_B: _ClassVar[Card]
    CARD_AD_A: _ClassVar[Card]
    CARD_AD_B: _ClassVar[Card]
    CARD_TD_A: _ClassVar[Card]
    CARD_TD_B: _ClassVar[Card]
    CARD_KD_A: _ClassVar[Card]
    CARD_KD_B: _ClassVar[Card]
    CARD_QD_A: _ClassVar[Card]
    CARD_QD_B: _ClassVar[Card]
    CARD_JD_A: _ClassVar[Card]
    CARD_JD_B: _ClassVar[Card]
    CARD_9D_A: _ClassVar[Card]
    CARD_9D_B: _ClassVar[Card]
    CARD_AC_A: _ClassVar[Card]
    CARD_AC_B: _ClassVar[Card]
    CARD_TC_A: _ClassVar[Card]
    CARD_TC_B: _ClassVar[Card]
    CARD_KC_A: _ClassVar[Card]
    CARD_KC_B: _ClassVar[Card]
    CARD_QC_A: _ClassVar[Card]
    CARD_QC_B: _ClassVar[Card]
    CARD_JC_A: _ClassVar[Card]
    CARD_JC_B: _ClassVar[Card]
    CARD_9C_A: _ClassVar[Card]
    CARD_9C_B: _ClassVar[Card]

class Suit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUIT_UNSPECIFIED: _ClassVar[Suit]
    SUIT_SPADES: _ClassVar[Suit]
    SUIT_HEARTS: _ClassVar[Suit]
    SUIT_DIAMONDS: _ClassVar[Suit]
    SUIT_CLUBS: _ClassVar[Suit]
CARD_UNSPECIFIED: Card
CARD_AS: Card
CARD_TS: Card
CARD_KS: Card
CARD_QS: Card
CARD_JS: Card
CARD_9S: Card
CARD_AH: Card
CARD_TH: Card
CARD_KH: Card
CARD_QH: Card
CARD_JH: Card
CARD_9H: Card
CARD_AD: Card
CARD_TD: Card
CARD_KD: Card
CARD_QD: Card
CARD_JD: Card
CARD_9D: Card
CARD_AC: Card
CARD_TC: Card
CARD_KC: Card
CARD_QC: Card
CARD_JC: Card
CARD_9C: Card
CARD_HIDDEN: Card
CARD_AS_A: Card
CARD_AS_B: Card
CARD_TS_A: Card
CARD_TS_B: Card
CARD_KS_A: Card
CARD_KS_B: Card
CARD_QS_A: Card
CARD_QS_B: Card
CARD_JS_A: Card
CARD_JS_B: Card
CARD_9S_A: Card
CARD_9S_B: Card
CARD_AH_A: Card
CARD_AH_B: Card
CARD_TH_A: Card
CARD_TH_B: Card
CARD_KH_A: Card
CARD_KH_B: Card
CARD_QH_A: Card
CARD_QH_B: Card
CARD_JH_A: Card
CARD_JH_B: Card
CARD_9H_A: Card
CARD_9H_B: Card
CARD_AD_A: Card
CARD_AD_B: Card
CARD_TD_A: Card
CARD_TD_B: Card
CARD_KD_A: Card
CARD_KD_B: Card
CARD_QD_A: Card
CARD_QD_B: Card
CARD_JD_A: Card
CARD_JD_B: Card
CARD_9D_A: Card
CARD_9D_B: Card
CARD_AC_A: Card
CARD_AC_B: Card
CARD_TC_A: Card
CARD_TC_B: Card
CARD_KC_A: Card
CARD_KC_B: Card
CARD_QC_A: Card
CARD_QC_B: Card
CARD_JC_A: Card
CARD_JC_B: Card
CARD_9C_A: Card
CARD_9C_B: Card
SUIT_UNSPECIFIED: Suit
SUIT_SPADES: Suit
SUIT_HEARTS: Suit
SUIT_DIAMONDS: Suit
SUIT_CLUBS: Suit

class Knob(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class RuleSet(_message.Message):
    __slots__ = ("knobs",)
    KNOBS_FIELD_NUMBER: _ClassVar[int]
    knobs: _containers.RepeatedCompositeFieldContainer[Knob]
    def __init__(self, knobs: _Optional[_Iterable[_Union[Knob, _Mapping]]] = ...) -> None: ...

class Hand(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[Card]
    def __init__(self, cards: _Optional[_Iterable[_Union[Card, str]]] = ...) -> None: ...

class Meld(_message.Message):
    __slots__ = ("name", "suit", "copies", "points")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SUIT_FIELD_NUMBER: _ClassVar[int]
    COPIES_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    suit: Suit
    copies: int
    points: int
    def __init__(self, name: _Optional[str] = ..., suit: _Optional[_Union[Suit, str]] = ..., copies: _Optional[int] = ..., points: _Optional[int] = ...) -> None: ...

class PlayCard(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: Card
    def __init__(self, card: _Optional[_Union[Card, str]] = ...) -> None: ...

class PlaceBid(_message.Message):
    __slots__ = ("amount",)
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    amount: int
    def __init__(self, amount: _Optional[int] = ...) -> None: ...

class Pass(_message.Message):
    __slots__ = ("helps",)
    HELPS_FIELD_NUMBER: _ClassVar[int]
    helps: bool
    def __init__(self, helps: _Optional[bool] = ...) -> None: ...

class NameTrump(_message.Message):
    __slots__ = ("suit", "declare_out")
    SUIT_FIELD_NUMBER: _ClassVar[int]
    DECLARE_OUT_FIELD_NUMBER: _ClassVar[int]
    suit: Suit
    declare_out: bool
    def __init__(self, suit: _Optional[_Union[Suit, str]] = ..., declare_out: _Optional[bool] = ...) -> None: ...

class PassCards(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[Card]
    def __init__(self, cards: _Optional[_Iterable[_Union[Card, str]]] = ...) -> None: ...

class Concede(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class KeepDeal(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ThrowIn(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ExchangeDix(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: Card
    def __init__(self, card: _Optional[_Union[Card, str]] = ...) -> None: ...

class LayMeld(_message.Message):
    __slots__ = ("kind", "cards")
    KIND_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    kind: str
    cards: _containers.RepeatedScalarFieldContainer[Card]
    def __init__(self, kind: _Optional[str] = ..., cards: _Optional[_Iterable[_Union[Card, str]]] = ...) -> None: ...

class Draw(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class OpenTable(_message.Message):
    __slots__ = ("rules", "players", "dealer", "seed", "nonce", "turn_ms", "grace_ms", "deal_limit", "boards", "tournament", "match", "beat_ms")
    RULES_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    NONCE_FIELD_NUMBER: _ClassVar[int]
    TURN_MS_FIELD_NUMBER: _ClassVar[int]
    GRACE_MS_FIELD_NUMBER: _ClassVar[int]
    DEAL_LIMIT_FIELD_NUMBER: _ClassVar[int]
    BOARDS_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    BEAT_MS_FIELD_NUMBER: _ClassVar[int]
    rules: RuleSet
    players: _containers.RepeatedScalarFieldContainer[str]
    dealer: int
    seed: bytes
    nonce: bytes
    turn_ms: int
    grace_ms: int
    deal_limit: int
    boards: str
    tournament: str
    match: str
    beat_ms: int
    def __init__(self, rules: _Optional[_Union[RuleSet, _Mapping]] = ..., players: _Optional[_Iterable[str]] = ..., dealer: _Optional[int] = ..., seed: _Optional[bytes] = ..., nonce: _Optional[bytes] = ..., turn_ms: _Optional[int] = ..., grace_ms: _Optional[int] = ..., deal_limit: _Optional[int] = ..., boards: _Optional[str] = ..., tournament: _Optional[str] = ..., match: _Optional[str] = ..., beat_ms: _Optional[int] = ...) -> None: ...

class DealCards(_message.Message):
    __slots__ = ("deck",)
    DECK_FIELD_NUMBER: _ClassVar[int]
    deck: _containers.RepeatedScalarFieldContainer[Card]
    def __init__(self, deck: _Optional[_Iterable[_Union[Card, str]]] = ...) -> None: ...

class ExpireTurn(_message.Message):
    __slots__ = ("seat", "at_ms")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    at_ms: int
    def __init__(self, seat: _Optional[int] = ..., at_ms: _Optional[int] = ...) -> None: ...

class ExtendTurn(_message.Message):
    __slots__ = ("until_ms",)
    UNTIL_MS_FIELD_NUMBER: _ClassVar[int]
    until_ms: int
    def __init__(self, until_ms: _Optional[int] = ...) -> None: ...

class VoidTable(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class CloseTable(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class PlayerCommand(_message.Message):
    __slots__ = ("play_card", "place_bid", "name_trump", "pass_cards", "concede", "keep_deal", "throw_in", "exchange_dix", "lay_meld", "draw")
    PLAY_CARD_FIELD_NUMBER: _ClassVar[int]
    PLACE_BID_FIELD_NUMBER: _ClassVar[int]
    PASS_FIELD_NUMBER: _ClassVar[int]
    NAME_TRUMP_FIELD_NUMBER: _ClassVar[int]
    PASS_CARDS_FIELD_NUMBER: _ClassVar[int]
    CONCEDE_FIELD_NUMBER: _ClassVar[int]
    KEEP_DEAL_FIELD_NUMBER: _ClassVar[int]
    THROW_IN_FIELD_NUMBER: _ClassVar[int]
    EXCHANGE_DIX_FIELD_NUMBER: _ClassVar[int]
    LAY_MELD_FIELD_NUMBER: _ClassVar[int]
    DRAW_FIELD_NUMBER: _ClassVar[int]
    play_card: PlayCard
    place_bid: PlaceBid
    name_trump: NameTrump
    pass_cards: PassCards
    concede: Concede
    keep_deal: KeepDeal
    throw_in: ThrowIn
    exchange_dix: ExchangeDix
    lay_meld: LayMeld
    draw: Draw
    def __init__(self, play_card: _Optional[_Union[PlayCard, _Mapping]] = ..., place_bid: _Optional[_Union[PlaceBid, _Mapping]] = ..., name_trump: _Optional[_Union[NameTrump, _Mapping]] = ..., pass_cards: _Optional[_Union[PassCards, _Mapping]] = ..., concede: _Optional[_Union[Concede, _Mapping]] = ..., keep_deal: _Optional[_Union[KeepDeal, _Mapping]] = ..., throw_in: _Optional[_Union[ThrowIn, _Mapping]] = ..., exchange_dix: _Optional[_Union[ExchangeDix, _Mapping]] = ..., lay_meld: _Optional[_Union[LayMeld, _Mapping]] = ..., draw: _Optional[_Union[Draw, _Mapping]] = ..., **kwargs) -> None: ...

class Command(_message.Message):
    __slots__ = ("seat", "player", "open_table", "deal_cards", "expire_turn", "extend_turn", "void_table", "close_table")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    OPEN_TABLE_FIELD_NUMBER: _ClassVar[int]
    DEAL_CARDS_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TURN_FIELD_NUMBER: _ClassVar[int]
    EXTEND_TURN_FIELD_NUMBER: _ClassVar[int]
    VOID_TABLE_FIELD_NUMBER: _ClassVar[int]
    CLOSE_TABLE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    player: PlayerCommand
    open_table: OpenTable
    deal_cards: DealCards
    expire_turn: ExpireTurn
    extend_turn: ExtendTurn
    void_table: VoidTable
    close_table: CloseTable
    def __init__(self, seat: _Optional[int] = ..., player: _Optional[_Union[PlayerCommand, _Mapping]] = ..., open_table: _Optional[_Union[OpenTable, _Mapping]] = ..., deal_cards: _Optional[_Union[DealCards, _Mapping]] = ..., expire_turn: _Optional[_Union[ExpireTurn, _Mapping]] = ..., extend_turn: _Optional[_Union[ExtendTurn, _Mapping]] = ..., void_table: _Optional[_Union[VoidTable, _Mapping]] = ..., close_table: _Optional[_Union[CloseTable, _Mapping]] = ...) -> None: ...

class CardPlayed(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: Card
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[Card, str]] = ...) -> None: ...

class TrickWon(_message.Message):
    __slots__ = ("seat", "points", "last")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    seat: int
    points: int
    last: bool
    def __init__(self, seat: _Optional[int] = ..., points: _Optional[int] = ..., last: _Optional[bool] = ...) -> None: ...

class BidPlaced(_message.Message):
    __slots__ = ("seat", "amount")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    amount: int
    def __init__(self, seat: _Optional[int] = ..., amount: _Optional[int] = ...) -> None: ...

class Passed(_message.Message):
    __slots__ = ("seat", "helps")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HELPS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    helps: bool
    def __init__(self, seat: _Optional[int] = ..., helps: _Optional[bool] = ...) -> None: ...

class AuctionWon(_message.Message):
    __slots__ = ("seat", "bid", "forced")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BID_FIELD_NUMBER: _ClassVar[int]
    FORCED_FIELD_NUMBER: _ClassVar[int]
    seat: int
    bid: int
    forced: bool
    def __init__(self, seat: _Optional[int] = ..., bid: _Optional[int] = ..., forced: _Optional[bool] = ...) -> None: ...

class DealAbandoned(_message.Message):
    __slots__ = ("next_dealer",)
    NEXT_DEALER_FIELD_NUMBER: _ClassVar[int]
    next_dealer: int
    def __init__(self, next_dealer: _Optional[int] = ...) -> None: ...

class TrumpNamed(_message.Message):
    __slots__ = ("seat", "suit", "declare_out")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SUIT_FIELD_NUMBER: _ClassVar[int]
    DECLARE_OUT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    suit: Suit
    declare_out: bool
    def __init__(self, seat: _Optional[int] = ..., suit: _Optional[_Union[Suit, str]] = ..., declare_out: _Optional[bool] = ...) -> None: ...

class CardsPassed(_message.Message):
    __slots__ = ("giver", "receiver", "cards")
    GIVER_FIELD_NUMBER: _ClassVar[int]
    RECEIVER_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    giver: int
    receiver: int
    cards: _containers.RepeatedScalarFieldContainer[Card]
    def __init__(self, giver: _Optional[int] = ..., receiver: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[Card, str]]] = ...) -> None: ...

class MeldShown(_message.Message):
    __slots__ = ("seat", "points", "melds", "shown")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    MELDS_FIELD_NUMBER: _ClassVar[int]
    SHOWN_FIELD_NUMBER: _ClassVar[int]
    seat: int
    points: int
    melds: _containers.RepeatedCompositeFieldContainer[Meld]
    shown: _containers.RepeatedScalarFieldContainer[Card]
    def __init__(self, seat: _Optional[int] = ..., points: _Optional[int] = ..., melds: _Optional[_Iterable[_Union[Meld, _Mapping]]] = ..., shown: _Optional[_Iterable[_Union[Card, str]]] = ...) -> None: ...

class MeldsTotaled(_message.Message):
    __slots__ = ("meld", "may_concede")
    MELD_FIELD_NUMBER: _ClassVar[int]
    MAY_CONCEDE_FIELD_NUMBER: _ClassVar[int]
    meld: _containers.RepeatedScalarFieldContainer[int]
    may_concede: bool
    def __init__(self, meld: _Optional[_Iterable[int]] = ..., may_concede: _Optional[bool] = ...) -> None: ...

class PlaySkipped(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class Conceded(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class HandScored(_message.Message):
    __slots__ = ("bidder", "bid", "meld", "counted_meld", "trick_points", "tricks", "outcome", "delta", "totals")
    BIDDER_FIELD_NUMBER: _ClassVar[int]
    BID_FIELD_NUMBER: _ClassVar[int]
    MELD_FIELD_NUMBER: _ClassVar[int]
    COUNTED_MELD_FIELD_NUMBER: _ClassVar[int]
    TRICK_POINTS_FIELD_NUMBER: _ClassVar[int]
    TRICKS_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    DELTA_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    bidder: int
    bid: int
    meld: _containers.RepeatedScalarFieldContainer[int]
    counted_meld: _containers.RepeatedScalarFieldContainer[int]
    trick_points: _containers.RepeatedScalarFieldContainer[int]
    tricks: _containers.RepeatedScalarFieldContainer[int]
    outcome: str
    delta: _containers.RepeatedScalarFieldContainer[int]
    totals: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, bidder: _Optional[int] = ..., bid: _Optional[int] = ..., meld: _Optional[_Iterable[int]] = ..., counted_meld: _Optional[_Iterable[int]] = ..., trick_points: _Optional[_Iterable[int]] = ..., tricks: _Optional[_Iterable[int]] = ..., outcome: _Optional[str] = ..., delta: _Optional[_Iterable[int]] = ..., totals: _Optional[_Iterable[int]] = ...) -> None: ...

class GameEnded(_message.Message):
    __slots__ = ("winner", "reason")
    WINNER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    winner: int
    reason: str
    def __init__(self, winner: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class HandDealt(_message.Message):
    __slots__ = ("number", "dealer", "hands", "turn_up", "stock")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    TURN_UP_FIELD_NUMBER: _ClassVar[int]
    STOCK_FIELD_NUMBER: _ClassVar[int]
    number: int
    dealer: int
    hands: _containers.RepeatedCompositeFieldContainer[Hand]
    turn_up: Card
    stock: _containers.RepeatedScalarFieldContainer[Card]
    def __init__(self, number: _Optional[int] = ..., dealer: _Optional[int] = ..., hands: _Optional[_Iterable[_Union[Hand, _Mapping]]] = ..., turn_up: _Optional[_Union[Card, str]] = ..., stock: _Optional[_Iterable[_Union[Card, str]]] = ...) -> None: ...

class CardDrawn(_message.Message):
    __slots__ = ("seat", "card", "face_up")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    FACE_UP_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: Card
    face_up: bool
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[Card, str]] = ..., face_up: _Optional[bool] = ...) -> None: ...

class DixExchanged(_message.Message):
    __slots__ = ("seat", "gives", "takes")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    GIVES_FIELD_NUMBER: _ClassVar[int]
    TAKES_FIELD_NUMBER: _ClassVar[int]
    seat: int
    gives: Card
    takes: Card
    def __init__(self, seat: _Optional[int] = ..., gives: _Optional[_Union[Card, str]] = ..., takes: _Optional[_Union[Card, str]] = ...) -> None: ...

class DixScored(_message.Message):
    __slots__ = ("seat", "card", "points")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: Card
    points: int
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[Card, str]] = ..., points: _Optional[int] = ...) -> None: ...

class MeldLaid(_message.Message):
    __slots__ = ("seat", "kind", "cards", "points")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    kind: str
    cards: _containers.RepeatedScalarFieldContainer[Card]
    points: int
    def __init__(self, seat: _Optional[int] = ..., kind: _Optional[str] = ..., cards: _Optional[_Iterable[_Union[Card, str]]] = ..., points: _Optional[int] = ...) -> None: ...

class DealScored(_message.Message):
    __slots__ = ("trick_points", "last_trick", "totals")
    TRICK_POINTS_FIELD_NUMBER: _ClassVar[int]
    LAST_TRICK_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    trick_points: _containers.RepeatedScalarFieldContainer[int]
    last_trick: int
    totals: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, trick_points: _Optional[_Iterable[int]] = ..., last_trick: _Optional[int] = ..., totals: _Optional[_Iterable[int]] = ...) -> None: ...

class TurnUpShown(_message.Message):
    __slots__ = ("card", "trump")
    CARD_FIELD_NUMBER: _ClassVar[int]
    TRUMP_FIELD_NUMBER: _ClassVar[int]
    card: Card
    trump: Suit
    def __init__(self, card: _Optional[_Union[Card, str]] = ..., trump: _Optional[_Union[Suit, str]] = ...) -> None: ...

class DealKept(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class DealThrownIn(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class TableOpened(_message.Message):
    __slots__ = ("rules", "players", "dealer", "commitment", "seed", "nonce", "turn_ms", "grace_ms", "deal_limit", "boards", "tournament", "match", "beat_ms")
    RULES_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    NONCE_FIELD_NUMBER: _ClassVar[int]
    TURN_MS_FIELD_NUMBER: _ClassVar[int]
    GRACE_MS_FIELD_NUMBER: _ClassVar[int]
    DEAL_LIMIT_FIELD_NUMBER: _ClassVar[int]
    BOARDS_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    BEAT_MS_FIELD_NUMBER: _ClassVar[int]
    rules: RuleSet
    players: _containers.RepeatedScalarFieldContainer[str]
    dealer: int
    commitment: bytes
    seed: bytes
    nonce: bytes
    turn_ms: int
    grace_ms: int
    deal_limit: int
    boards: str
    tournament: str
    match: str
    beat_ms: int
    def __init__(self, rules: _Optional[_Union[RuleSet, _Mapping]] = ..., players: _Optional[_Iterable[str]] = ..., dealer: _Optional[int] = ..., commitment: _Optional[bytes] = ..., seed: _Optional[bytes] = ..., nonce: _Optional[bytes] = ..., turn_ms: _Optional[int] = ..., grace_ms: _Optional[int] = ..., deal_limit: _Optional[int] = ..., boards: _Optional[str] = ..., tournament: _Optional[str] = ..., match: _Optional[str] = ..., beat_ms: _Optional[int] = ...) -> None: ...

class TurnExpired(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class TurnExtended(_message.Message):
    __slots__ = ("until_ms",)
    UNTIL_MS_FIELD_NUMBER: _ClassVar[int]
    until_ms: int
    def __init__(self, until_ms: _Optional[int] = ...) -> None: ...

class TableVoided(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class TableClosed(_message.Message):
    __slots__ = ("seed",)
    SEED_FIELD_NUMBER: _ClassVar[int]
    seed: bytes
    def __init__(self, seed: _Optional[bytes] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("card_played", "trick_won", "bid_placed", "passed", "auction_won", "deal_abandoned", "trump_named", "cards_passed", "meld_shown", "melds_totaled", "play_skipped", "conceded", "hand_scored", "game_ended", "hand_dealt", "turn_up_shown", "deal_kept", "deal_thrown_in", "table_opened", "turn_expired", "turn_extended", "table_voided", "table_closed", "card_drawn", "dix_exchanged", "dix_scored", "meld_laid", "deal_scored")
    CARD_PLAYED_FIELD_NUMBER: _ClassVar[int]
    TRICK_WON_FIELD_NUMBER: _ClassVar[int]
    BID_PLACED_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    AUCTION_WON_FIELD_NUMBER: _ClassVar[int]
    DEAL_ABANDONED_FIELD_NUMBER: _ClassVar[int]
    TRUMP_NAMED_FIELD_NUMBER: _ClassVar[int]
    CARDS_PASSED_FIELD_NUMBER: _ClassVar[int]
    MELD_SHOWN_FIELD_NUMBER: _ClassVar[int]
    MELDS_TOTALED_FIELD_NUMBER: _ClassVar[int]
    PLAY_SKIPPED_FIELD_NUMBER: _ClassVar[int]
    CONCEDED_FIELD_NUMBER: _ClassVar[int]
    HAND_SCORED_FIELD_NUMBER: _ClassVar[int]
    GAME_ENDED_FIELD_NUMBER: _ClassVar[int]
    HAND_DEALT_FIELD_NUMBER: _ClassVar[int]
    TURN_UP_SHOWN_FIELD_NUMBER: _ClassVar[int]
    DEAL_KEPT_FIELD_NUMBER: _ClassVar[int]
    DEAL_THROWN_IN_FIELD_NUMBER: _ClassVar[int]
    TABLE_OPENED_FIELD_NUMBER: _ClassVar[int]
    TURN_EXPIRED_FIELD_NUMBER: _ClassVar[int]
    TURN_EXTENDED_FIELD_NUMBER: _ClassVar[int]
    TABLE_VOIDED_FIELD_NUMBER: _ClassVar[int]
    TABLE_CLOSED_FIELD_NUMBER: _ClassVar[int]
    CARD_DRAWN_FIELD_NUMBER: _ClassVar[int]
    DIX_EXCHANGED_FIELD_NUMBER: _ClassVar[int]
    DIX_SCORED_FIELD_NUMBER: _ClassVar[int]
    MELD_LAID_FIELD_NUMBER: _ClassVar[int]
    DEAL_SCORED_FIELD_NUMBER: _ClassVar[int]
    card_played: CardPlayed
    trick_won: TrickWon
    bid_placed: BidPlaced
    passed: Passed
    auction_won: AuctionWon
    deal_abandoned: DealAbandoned
    trump_named: TrumpNamed
    cards_passed: CardsPassed
    meld_shown: MeldShown
    melds_totaled: MeldsTotaled
    play_skipped: PlaySkipped
    conceded: Conceded
    hand_scored: HandScored
    game_ended: GameEnded
    hand_dealt: HandDealt
    turn_up_shown: TurnUpShown
    deal_kept: DealKept
    deal_thrown_in: DealThrownIn
    table_opened: TableOpened
    turn_expired: TurnExpired
    turn_extended: TurnExtended
    table_voided: TableVoided
    table_closed: TableClosed
    card_drawn: CardDrawn
    dix_exchanged: DixExchanged
    dix_scored: DixScored
    meld_laid: MeldLaid
    deal_scored: DealScored
    def __init__(self, card_played: _Optional[_Union[CardPlayed, _Mapping]] = ..., trick_won: _Optional[_Union[TrickWon, _Mapping]] = ..., bid_placed: _Optional[_Union[BidPlaced, _Mapping]] = ..., passed: _Optional[_Union[Passed, _Mapping]] = ..., auction_won: _Optional[_Union[AuctionWon, _Mapping]] = ..., deal_abandoned: _Optional[_Union[DealAbandoned, _Mapping]] = ..., trump_named: _Optional[_Union[TrumpNamed, _Mapping]] = ..., cards_passed: _Optional[_Union[CardsPassed, _Mapping]] = ..., meld_shown: _Optional[_Union[MeldShown, _Mapping]] = ..., melds_totaled: _Optional[_Union[MeldsTotaled, _Mapping]] = ..., play_skipped: _Optional[_Union[PlaySkipped, _Mapping]] = ..., conceded: _Optional[_Union[Conceded, _Mapping]] = ..., hand_scored: _Optional[_Union[HandScored, _Mapping]] = ..., game_ended: _Optional[_Union[GameEnded, _Mapping]] = ..., hand_dealt: _Optional[_Union[HandDealt, _Mapping]] = ..., turn_up_shown: _Optional[_Union[TurnUpShown, _Mapping]] = ..., deal_kept: _Optional[_Union[DealKept, _Mapping]] = ..., deal_thrown_in: _Optional[_Union[DealThrownIn, _Mapping]] = ..., table_opened: _Optional[_Union[TableOpened, _Mapping]] = ..., turn_expired: _Optional[_Union[TurnExpired, _Mapping]] = ..., turn_extended: _Optional[_Union[TurnExtended, _Mapping]] = ..., table_voided: _Optional[_Union[TableVoided, _Mapping]] = ..., table_closed: _Optional[_Union[TableClosed, _Mapping]] = ..., card_drawn: _Optional[_Union[CardDrawn, _Mapping]] = ..., dix_exchanged: _Optional[_Union[DixExchanged, _Mapping]] = ..., dix_scored: _Optional[_Union[DixScored, _Mapping]] = ..., meld_laid: _Optional[_Union[MeldLaid, _Mapping]] = ..., deal_scored: _Optional[_Union[DealScored, _Mapping]] = ...) -> None: ...

class ActBody(_message.Message):
    __slots__ = ("author", "at_ms", "rules_version", "command", "events", "noticed_ms", "deadline_ms", "received_ms")
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NOTICED_MS_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_MS_FIELD_NUMBER: _ClassVar[int]
    author: str
    at_ms: int
    rules_version: int
    command: Command
    events: _containers.RepeatedCompositeFieldContainer[Event]
    noticed_ms: int
    deadline_ms: int
    received_ms: int
    def __init__(self, author: _Optional[str] = ..., at_ms: _Optional[int] = ..., rules_version: _Optional[int] = ..., command: _Optional[_Union[Command, _Mapping]] = ..., events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ..., noticed_ms: _Optional[int] = ..., deadline_ms: _Optional[int] = ..., received_ms: _Optional[int] = ...) -> None: ...

class ActFrame(_message.Message):
    __slots__ = ("author", "at_ms", "rules_version", "command", "events", "noticed_ms", "deadline_ms", "received_ms")
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NOTICED_MS_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_MS_FIELD_NUMBER: _ClassVar[int]
    author: str
    at_ms: int
    rules_version: int
    command: bytes
    events: _containers.RepeatedScalarFieldContainer[bytes]
    noticed_ms: int
    deadline_ms: int
    received_ms: int
    def __init__(self, author: _Optional[str] = ..., at_ms: _Optional[int] = ..., rules_version: _Optional[int] = ..., command: _Optional[bytes] = ..., events: _Optional[_Iterable[bytes]] = ..., noticed_ms: _Optional[int] = ..., deadline_ms: _Optional[int] = ..., received_ms: _Optional[int] = ...) -> None: ...
