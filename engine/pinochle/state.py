"""What the facts of a table add up to, for the house and, folded from redacted events, for every viewer alike.

`fold` copies a state once and files the events of one act in place; `evolve` is the fold of one event. Nothing else
changes a state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from pinochle.cards import HIDDEN, UNIT, Card, Hand, Suit, cards_in, count, holds, kinds, without
from pinochle.decider import HOUSE
from pinochle.events import (
    AuctionWon,
    BidPlaced,
    CardPlayed,
    CardsPassed,
    Conceded,
    DealAbandoned,
    DealKept,
    DealThrownIn,
    Event,
    GameEnded,
    HandDealt,
    HandScored,
    MeldShown,
    MeldsTotaled,
    Passed,
    PlaySkipped,
    TableClosed,
    TableOpened,
    TableVoided,
    TrickWon,
    TrumpNamed,
    TurnExpired,
    TurnExtended,
    TurnUpShown,
)
from pinochle.rules import RuleSet

NEW, DEAL, MISDEAL, AUCTION, TRUMP, EXCHANGE, RETURN, PLAY, OVER, CLOSED = range(10)
PHASES = ("new", "deal", "misdeal", "auction", "trump", "exchange", "return", "play", "over", "closed")
"""Names of the phases, by number. `deal` waits for the house; `over` has ended but its seed is still secret."""

NONE = -1
"""No seat, no team, no suit."""


class State:
    """A table. Seats are 0 to 3, teams 0 and 1, times ms since the epoch; NONE (-1) where there is none."""

    rules: RuleSet
    table: TableOpened  # what the table was opened with; its seed is empty until the viewer may know it
    version: int  # acts folded
    turn_version: int  # the version at which the present turn began
    now_ms: int  # the time of the latest act
    deadline_ms: int  # when the present turn ends; 0 for never
    phase: int
    turn: int  # the seat to act, or HOUSE
    dealer: int
    deal: int  # deals dealt, unscored ones included
    scored: int  # deals scored
    totals: tuple[int, int]
    hands: tuple[Hand, ...]  # what each seat holds, HIDDEN where the viewer does not know
    passed: int  # bit s: seat s has passed
    bid: int  # the standing bid, the contract once there is a declarer; 0 for none
    bidder: int  # who made it
    declarer: int
    declared_out: bool
    trump: Suit
    turn_up: Card  # without bidding: the card that will be, or was, shown (R-TRU-03)
    melds: tuple[MeldShown | None, ...]  # by seat
    meld: tuple[int, int]  # by team, before any minimum
    may_concede: bool
    leader: int
    trick: tuple[Card, ...]  # cards of the present trick, in order from the leader
    played: Hand  # every card played in this deal
    trick_points: tuple[int, int]
    tricks: tuple[int, int]
    last_score: HandScored | None
    winner: int
    end_reason: str
    options: object  # what `legal` found for this state; forgotten by a copy

    __slots__ = (  # noqa: RUF023 (in the order of the facts above, `options` last)
        "rules", "table", "version", "turn_version", "now_ms", "deadline_ms", "phase", "turn", "dealer",
        "deal", "scored", "totals", "hands", "passed", "bid", "bidder", "declarer", "declared_out", "trump",
        "turn_up", "melds", "meld", "may_concede", "leader", "trick", "played", "trick_points", "tricks",
        "last_score", "winner", "end_reason", "options",
    )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and all(getattr(self, name) == getattr(other, name) for name in _FACTS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in _FACTS if name not in ("rules", "table"))
        return f"State({shown})"


_FACTS = State.__slots__[:-1]


def initial() -> State:
    """A table before it is opened: no rules, no players."""
    state = State()
    state.rules = state.table = state.last_score = state.options = None  # type: ignore[assignment]
    state.version = state.turn_version = state.now_ms = state.deadline_ms = state.deal = state.scored = 0
    state.phase, state.turn, state.dealer, state.winner = NEW, HOUSE, NONE, NONE
    state.totals, state.end_reason = (0, 0), ""
    _clear_deal(state)
    return state


def fold(state: State, events: Iterable[Event], at_ms: int = 0) -> State:
    """The state after one act: these events, received at `at_ms`."""
    after = _copy(state)
    after.version += 1
    if at_ms > after.now_ms:
        after.now_ms = at_ms
    new_turn = True
    for event in events:
        kind = event.__class__
        if kind is CardPlayed:
            _card_played(after, event)  # type: ignore[arg-type]
        else:
            _FILE[kind](after, event)
            if kind is TurnExtended:
                new_turn = False
    if new_turn:
        after.turn_version = after.version
        turn_ms = after.table.turn_ms
        after.deadline_ms = after.now_ms + turn_ms if turn_ms and after.turn >= 0 else 0
    return after


def evolve(state: State, event: Event) -> State:
    """The state after one event, as an act of its own."""
    return fold(state, (event,))


def resumed(state: State, totals: tuple[int, int], scored: int) -> State:
    """The state of a table that goes on with a game begun elsewhere, after `scored` scored deals."""
    after = _copy(state)
    after.totals, after.scored = totals, scored
    return after


def _copy(state: State) -> State:
    # Written out: a loop over the names would take ten times as long, on every act.
    new = State.__new__(State)
    new.rules = state.rules
    new.table = state.table
    new.version = state.version
    new.turn_version = state.turn_version
    new.now_ms = state.now_ms
    new.deadline_ms = state.deadline_ms
    new.phase = state.phase
    new.turn = state.turn
    new.dealer = state.dealer
    new.deal = state.deal
    new.scored = state.scored
    new.totals = state.totals
    new.hands = state.hands
    new.passed = state.passed
    new.bid = state.bid
    new.bidder = state.bidder
    new.declarer = state.declarer
    new.declared_out = state.declared_out
    new.trump = state.trump
    new.turn_up = state.turn_up
    new.melds = state.melds
    new.meld = state.meld
    new.may_concede = state.may_concede
    new.leader = state.leader
    new.trick = state.trick
    new.played = state.played
    new.trick_points = state.trick_points
    new.tricks = state.tricks
    new.last_score = state.last_score
    new.winner = state.winner
    new.end_reason = state.end_reason
    new.options = None
    return new


def _clear_deal(state: State) -> None:
    state.hands = (0, 0, 0, 0)
    state.passed = state.bid = state.played = 0
    state.bidder = state.declarer = state.trump = state.turn_up = state.leader = NONE
    state.declared_out = state.may_concede = False
    state.melds = (None, None, None, None)
    state.meld = state.trick_points = state.tricks = (0, 0)
    state.trick = ()


def _card_played(s: State, e: CardPlayed) -> None:
    seat, card = e.seat, e.card
    hands = list(s.hands)
    hands[seat] = without(hands[seat], card)
    s.hands = tuple(hands)
    s.trick += (card,)
    s.played += UNIT[card]
    s.may_concede = False
    s.turn = (seat + 1) & 3


def _trick_won(s: State, e: TrickWon) -> None:
    ours, theirs = s.trick_points, s.tricks
    if e.seat & 1:
        s.trick_points, s.tricks = (ours[0], ours[1] + e.points), (theirs[0], theirs[1] + 1)
    else:
        s.trick_points, s.tricks = (ours[0] + e.points, ours[1]), (theirs[0] + 1, theirs[1])
    s.leader = s.turn = e.seat
    s.trick = ()


def _bid_placed(s: State, e: BidPlaced) -> None:
    s.bid, s.bidder = e.amount, e.seat
    s.turn = next_caller(s, e.seat)


def _passed(s: State, e: Passed) -> None:
    s.passed |= 1 << e.seat
    s.turn = next_caller(s, e.seat)


def next_caller(s: State, seat: int) -> int:
    """The next seat clockwise that has not passed (R-AUC-01); the seat itself where all others have."""
    for step in (1, 2, 3):
        turn = (seat + step) & 3
        if not s.passed >> turn & 1:
            return turn
    return seat


def _auction_won(s: State, e: AuctionWon) -> None:
    s.declarer, s.bid, s.bidder = e.seat, e.bid, e.seat
    s.phase, s.turn = TRUMP, e.seat


def _deal_abandoned(s: State, e: DealAbandoned) -> None:
    s.dealer = e.next_dealer
    _wait_for_deal(s)


def _wait_for_deal(s: State) -> None:
    s.phase, s.turn = DEAL, HOUSE


def _trump_named(s: State, e: TrumpNamed) -> None:
    s.trump, s.declared_out = e.suit, e.declare_out
    s.leader = e.seat
    if s.rules.exchange:
        s.phase, s.turn = EXCHANGE, (e.seat + 2) & 3
    else:
        s.phase, s.turn = PLAY, e.seat


def _cards_passed(s: State, e: CardsPassed) -> None:
    hands = list(s.hands)
    if holds(hands[e.giver], e.cards):
        hands[e.giver] -= e.cards
    else:  # a viewer need not know that the giver held them
        for card in cards_in(e.cards):
            hands[e.giver] = without(hands[e.giver], card)
    hands[e.receiver] += e.cards
    s.hands = tuple(hands)
    if e.giver == s.declarer:
        s.phase, s.turn = PLAY, e.giver
    else:
        s.phase, s.turn = RETURN, e.receiver


def _meld_shown(s: State, e: MeldShown) -> None:
    s.melds = (*s.melds[: e.seat], e, *s.melds[e.seat + 1 :])
    _reveal(s, e.seat, e.shown)


def _reveal(s: State, seat: int, cards: Hand) -> None:
    """Turn unknown cards of a hand into those that everybody has now seen in it."""
    hand = s.hands[seat]
    if not count(hand, HIDDEN):
        return
    for card in kinds(cards):
        unseen = count(cards, card) - count(hand, card)
        if unseen > 0:
            hand += unseen * (UNIT[card] - UNIT[HIDDEN])
    s.hands = (*s.hands[:seat], hand, *s.hands[seat + 1 :])


def _melds_totaled(s: State, e: MeldsTotaled) -> None:
    s.meld, s.may_concede = e.meld, e.may_concede


def _not_to_concede(s: State, e: PlaySkipped | Conceded) -> None:
    s.may_concede = False


def _hand_scored(s: State, e: HandScored) -> None:
    s.last_score = e
    s.totals = e.totals
    s.scored += 1
    s.dealer = (s.dealer + 1) & 3
    _wait_for_deal(s)


def _game_ended(s: State, e: GameEnded) -> None:
    s.winner, s.end_reason = e.winner, e.reason
    s.phase, s.turn = OVER, HOUSE


def _hand_dealt(s: State, e: HandDealt) -> None:
    _clear_deal(s)
    s.deal, s.dealer, s.hands, s.turn_up = e.number, e.dealer, e.hands, e.turn_up
    left = (e.dealer + 1) & 3
    if s.rules.misdeal_option:
        s.phase, s.turn = MISDEAL, left
    else:
        _begin_calls(s)


def _begin_calls(s: State) -> None:
    left = (s.dealer + 1) & 3
    s.turn = left
    if s.rules.trump_source == "auction":
        s.phase = AUCTION
        if s.rules.dealer_opens:
            s.bid, s.bidder = s.rules.min_bid, s.dealer
    else:
        s.phase, s.leader = PLAY, left


def _turn_up_shown(s: State, e: TurnUpShown) -> None:
    s.turn_up, s.trump = e.card, e.trump
    _reveal(s, s.dealer, UNIT[e.card])


def _deal_kept(s: State, e: DealKept) -> None:
    if e.seat == s.dealer:
        _begin_calls(s)
    else:
        s.turn = (e.seat + 1) & 3


def _deal_thrown_in(s: State, e: DealThrownIn) -> None:
    s.turn = HOUSE


def _table_opened(s: State, e: TableOpened) -> None:
    s.rules, s.table, s.dealer = e.rules, e, e.dealer
    _wait_for_deal(s)


def _turn_expired(s: State, e: TurnExpired) -> None:
    """A mark only; what the house played follows as ordinary events."""


def _turn_extended(s: State, e: TurnExtended) -> None:
    s.deadline_ms = e.until_ms


def _table_voided(s: State, e: TableVoided) -> None:
    s.winner, s.end_reason = NONE, "void"
    s.phase, s.turn = OVER, HOUSE


def _table_closed(s: State, e: TableClosed) -> None:
    s.table = replace(s.table, seed=e.seed)
    s.phase, s.turn = CLOSED, HOUSE


_FILE: dict[type, Callable[[State, Any], None]] = {
    CardPlayed: _card_played,
    TrickWon: _trick_won,
    BidPlaced: _bid_placed,
    Passed: _passed,
    AuctionWon: _auction_won,
    DealAbandoned: _deal_abandoned,
    TrumpNamed: _trump_named,
    CardsPassed: _cards_passed,
    MeldShown: _meld_shown,
    MeldsTotaled: _melds_totaled,
    PlaySkipped: _not_to_concede,
    Conceded: _not_to_concede,
    HandScored: _hand_scored,
    GameEnded: _game_ended,
    HandDealt: _hand_dealt,
    TurnUpShown: _turn_up_shown,
    DealKept: _deal_kept,
    DealThrownIn: _deal_thrown_in,
    TableOpened: _table_opened,
    TurnExpired: _turn_expired,
    TurnExtended: _turn_extended,
    TableVoided: _table_voided,
    TableClosed: _table_closed,
}
