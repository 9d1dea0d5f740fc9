"""How the facts of the partnership game are filed: what each event changes in the state of its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pinochle.cards import COPIES, HIDDEN, UNIT, cards_in, holds, reveal, without
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
    HandDealt,
    HandScored,
    MeldShown,
    MeldsTotaled,
    Passed,
    PlaySkipped,
    TrickWon,
    TrumpNamed,
    TurnUpShown,
)
from pinochle.phases import AUCTION, DEAL, EXCHANGE, MISDEAL, NONE, PLAY, RETURN, TRUMP

if TYPE_CHECKING:
    from pinochle.state import State


def clear_deal(state: State) -> None:
    """Forget everything about a deal; the next one begins so."""
    state.hands = (0, 0, 0, 0)
    state.passed = state.bid = state.played = 0
    state.bidder = state.declarer = state.trump = state.turn_up = state.leader = NONE
    state.declared_out = state.may_concede = False
    state.melds = (None, None, None, None)
    state.meld = state.trick_points = state.tricks = (0, 0)
    state.trick = ()


def card_played(s: State, e: CardPlayed) -> None:
    """File the commonest event: written out, since `without` and a list of the hands would take twice the time."""
    seat, card = e.seat, e.card
    first, second, third, fourth = s.hands
    if seat == 0:
        s.hands = (first - UNIT[card if first & COPIES[card] else HIDDEN], second, third, fourth)
    elif seat == 1:
        s.hands = (first, second - UNIT[card if second & COPIES[card] else HIDDEN], third, fourth)
    elif seat == 2:
        s.hands = (first, second, third - UNIT[card if third & COPIES[card] else HIDDEN], fourth)
    else:
        s.hands = (first, second, third, fourth - UNIT[card if fourth & COPIES[card] else HIDDEN])
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
    s.hands = (*s.hands[: e.seat], reveal(s.hands[e.seat], e.shown), *s.hands[e.seat + 1 :])


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


def _hand_dealt(s: State, e: HandDealt) -> None:
    clear_deal(s)
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
    dealer = s.dealer
    s.hands = (*s.hands[:dealer], reveal(s.hands[dealer], UNIT[e.card]), *s.hands[dealer + 1 :])


def _deal_kept(s: State, e: DealKept) -> None:
    if e.seat == s.dealer:
        _begin_calls(s)
    else:
        s.turn = (e.seat + 1) & 3


def _deal_thrown_in(s: State, e: DealThrownIn) -> None:
    s.turn = HOUSE


FILE: dict[type, Callable[[Any, Any], None]] = {
    CardPlayed: card_played,
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
    HandDealt: _hand_dealt,
    TurnUpShown: _turn_up_shown,
    DealKept: _deal_kept,
    DealThrownIn: _deal_thrown_in,
}
"""How the events of the partnership game are filed; those that it shares with every table are filed alike."""
