"""How the facts of the stock game are filed: what the state of its table adds, and what each event changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pinochle.cards import UNIT, Card, Hand, reveal, without
from pinochle.decider import HOUSE, record
from pinochle.events import (
    CardDrawn,
    CardPlayed,
    DealScored,
    DixExchanged,
    DixScored,
    HandDealt,
    MeldLaid,
    TrickWon,
    TurnUpShown,
)
from pinochle.phases import DEAL, DRAW, NONE, PLAY
from pinochle.stock import MELD_KINDS

if TYPE_CHECKING:
    from pinochle.state import State

@record
class Stock:
    """What a deal of the stock game has besides hands and trick."""

    cards: tuple[Card, ...]  # face down, the next to draw first; HIDDEN to every viewer
    used: tuple[Hand, ...]  # for each of MELD_KINDS the cards that were scored in it
    credited: Hand  # nines of trump that have earned their points
    has_melded: bool  # the winner of the last trick has laid its meld


NO_STOCK = Stock((), (0,) * len(MELD_KINDS), 0, False)


def _card_played(s: State, e: CardPlayed) -> None:
    hands = list(s.hands)
    hands[e.seat] = without(hands[e.seat], e.card)
    s.hands = tuple(hands)
    s.trick += (e.card,)
    s.played += UNIT[e.card]
    s.turn = (e.seat + 1) % len(hands)


def _trick_won(s: State, e: TrickWon) -> None:
    s.trick_points = plus(s.trick_points, e.seat, e.points)
    s.tricks = plus(s.tricks, e.seat, 1)
    s.leader = s.turn = e.seat
    s.trick = ()
    if s.turn_up != NONE:  # phase 1: the turn-up has not been drawn (R-TWO-05)
        s.phase = DRAW
        stock = _stock(s)
        s.stock = Stock(stock.cards, stock.used, stock.credited, has_melded=False)


def _hand_dealt(s: State, e: HandDealt) -> None:
    players = len(e.hands)
    s.deal, s.dealer, s.hands, s.turn_up = e.number, e.dealer, e.hands, e.turn_up
    s.trump, s.trick, s.played = NONE, (), 0
    s.trick_points = s.tricks = (0,) * players
    s.stock = Stock(e.stock, NO_STOCK.used, 0, has_melded=False)
    s.phase = PLAY
    s.leader = s.turn = (e.dealer + 1) % players


def _turn_up_shown(s: State, e: TurnUpShown) -> None:
    s.turn_up, s.trump = e.card, e.trump


def _card_drawn(s: State, e: CardDrawn) -> None:
    hands = list(s.hands)
    hands[e.seat] += UNIT[e.card]
    s.hands = tuple(hands)
    if e.face_up:
        s.turn_up = NONE
    else:
        stock = _stock(s)
        s.stock = Stock(stock.cards[1:], stock.used, stock.credited, stock.has_melded)
    s.phase, s.turn = PLAY, s.leader


def _dix_exchanged(s: State, e: DixExchanged) -> None:
    hands = list(s.hands)
    hands[e.seat] = without(hands[e.seat], e.gives) + UNIT[e.takes]
    s.hands = tuple(hands)
    s.turn_up = e.gives


def _dix_scored(s: State, e: DixScored) -> None:
    s.totals = plus(s.totals, e.seat, e.points)
    stock = _stock(s)
    s.stock = Stock(stock.cards, stock.used, stock.credited | UNIT[e.card], stock.has_melded)


def _meld_laid(s: State, e: MeldLaid) -> None:
    s.totals = plus(s.totals, e.seat, e.points)
    kind = MELD_KINDS.index(e.kind)
    stock = _stock(s)
    used = (*stock.used[:kind], stock.used[kind] | e.cards, *stock.used[kind + 1 :])
    credited = stock.credited | (e.cards if e.kind == "dix" else 0)
    s.stock = Stock(stock.cards, used, credited, has_melded=True)
    hands = list(s.hands)
    hands[e.seat] = reveal(hands[e.seat], e.cards)
    s.hands = tuple(hands)


def _deal_scored(s: State, e: DealScored) -> None:
    s.totals = e.totals
    s.scored += 1
    s.dealer = (s.dealer + 1) % len(s.hands)
    s.phase, s.turn = DEAL, HOUSE


def _stock(s: State) -> Stock:
    assert s.stock is not None  # these events come at tables of the stock game alone
    return s.stock


def plus(figures: tuple[int, ...], seat: int, points: int) -> tuple[int, ...]:
    """The figures by seat, one of them raised."""
    return (*figures[:seat], figures[seat] + points, *figures[seat + 1 :])


FILE: dict[type, Callable[[Any, Any], None]] = {
    CardPlayed: _card_played,
    TrickWon: _trick_won,
    HandDealt: _hand_dealt,
    TurnUpShown: _turn_up_shown,
    CardDrawn: _card_drawn,
    DixExchanged: _dix_exchanged,
    DixScored: _dix_scored,
    MeldLaid: _meld_laid,
    DealScored: _deal_scored,
}
"""How the events of the stock game are filed; those that it shares with every table are filed alike."""
