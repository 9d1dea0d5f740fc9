"""How `club` melds in the stock game, and what each card of its hand promises as part of melds still to come.

A hope is a meld that is not laid yet. It is worth its points times the chance that the missing cards are drawn, and
that a trick is won to lay it with. A card's part of that is what the hopes lose if the card is played.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from pinochle.cards import (
    COPIES,
    DIAMONDS,
    JACK,
    PHYSICAL_MASK,
    QUEEN,
    SPADES,
    UNIT,
    Card,
    Hand,
    Suit,
    card_of,
    kinds,
    physical,
)
from pinochle.commands import Draw, ExchangeDix, LayMeld, PlayerCommand
from pinochle.options import DrawOptions
from pinochle.rules import RuleSet
from pinochle.state import NONE, State
from pinochle.stock import MELD_KINDS, StockMeld


def after_trick(view: State, options: DrawOptions) -> PlayerCommand:
    """What the winner of a trick does: swap a nine, lay the meld that promises most, or draw."""
    seat = options.seat
    if options.nines:
        assert view.stock is not None
        earning = options.nines & ~view.stock.credited
        return ExchangeDix(seat, kinds(earning or options.nines)[0])
    if not options.melds:
        return Draw(seat)
    best = best_meld(view, options.melds)
    return LayMeld(seat, best.kind, best.cards)


def best_meld(view: State, melds: tuple[StockMeld, ...]) -> StockMeld:
    """The meld to lay: the highest, but a royal marriage before its run while there is time for both (R-TWO-13).

    Of equal ones that which shows the fewest new cards.
    """
    assert view.stock is not None
    shown = 0
    for used in view.stock.used:
        shown |= used
    wins_again = chance_to_win_one(view, rounds_left(view) - 1)
    run = max((meld.points for meld in melds if meld.kind == "run"), default=0)

    def promise(meld: StockMeld) -> tuple[float, int]:
        later = wins_again * run if meld.kind == "royal_marriage" else 0.0
        return meld.points + later, -(meld.cards & ~shown).bit_count()

    return max(melds, key=promise)


def rounds_left(view: State) -> int:
    """How many times all draw from the stock still: as many won tricks can be melded with."""
    assert view.stock is not None
    return 0 if view.turn_up == NONE else (len(view.stock.cards) + 1) // len(view.hands)


def chance_to_win_one(view: State, tricks: int) -> float:
    """The chance to win at least one of so many tricks, each player being as good as another."""
    return 1.0 - (1.0 - 1.0 / len(view.hands)) ** max(tricks, 0)


def unseen_cards(view: State, seat: int) -> Hand:
    """Cards whose place a seat does not know: face down in the stock, or hidden in other hands."""
    unseen = PHYSICAL_MASK - view.played
    for hand in view.hands:
        unseen &= ~hand
    return unseen & ~UNIT[view.turn_up] if view.turn_up != NONE else unseen


class Hopes:
    """What the seat on turn may meld still; made for one choice."""

    __slots__ = ("_chances", "_hand", "_open", "_turn_up", "_unseen", "ready")

    def __init__(self, view: State, unseen: Hand) -> None:
        assert view.stock is not None
        seat, rounds = view.turn, rounds_left(view)
        self._hand = view.hands[seat] & PHYSICAL_MASK
        self._unseen = unseen
        self._turn_up = UNIT[view.turn_up] if view.turn_up != NONE else 0
        total = unseen.bit_count()
        missed = 1.0 - min(rounds - 1, total) / total if rounds > 1 and total else 1.0
        self._chances = tuple(1.0 - missed**copies for copies in range(3))
        self._open: list[tuple[float, float, list[Hand]]] = []
        self.ready: list[float] = []
        """The points of melds that are complete, each once, highest first."""
        at_once, later = chance_to_win_one(view, rounds), chance_to_win_one(view, rounds // 2)
        for pattern in _patterns(view.rules, view.trump):
            spent = 0
            for kind in pattern.spent:
                spent |= view.stock.used[kind]
            fresh = [copies & ~spent for copies in pattern.copies]
            held = [self._hand & copies for copies in fresh]
            chance = 1.0
            for mine, copies in zip(held, fresh, strict=True):
                chance *= 1.0 if mine else self._to_draw(copies)
            if all(held):
                self.ready.append(pattern.points)
            if chance:
                self._open.append((chance * pattern.points, at_once if all(held) else later, fresh))
        self.ready.sort(reverse=True)

    def kept(self, card: Card) -> float:
        """What the hopes lose where this card of the hand is played."""
        unit, loss = COPIES[card], 0.0
        for worth, laid, fresh in self._open:
            for copies in fresh:
                if copies & unit:
                    if not copies & self._hand & ~unit:
                        loss += worth * laid * (1.0 - self._to_draw(copies))
                    break
        return loss

    def _to_draw(self, copies: Hand) -> float:
        """The chance to come by one of these copies, none of which is held."""
        chance = self._chances[(copies & self._unseen).bit_count()]
        return chance + (1.0 - chance) * TURN_UP_CHANCE if copies & self._turn_up else chance


TURN_UP_CHANCE = 0.3
"""The chance to get the turn-up in time to meld with it, which takes a nine of trump."""


class _Pattern(NamedTuple):
    points: float
    copies: tuple[Hand, ...]
    """For each card of the meld both of its copies."""
    spent: tuple[int, ...]
    """Places in MELD_KINDS of the kinds that use its cards up."""


@lru_cache(maxsize=64)
def _patterns(rules: RuleSet, trump: Suit) -> tuple[_Pattern, ...]:
    """The melds that take more than one card."""
    unit = rules.scale / 10
    run = MELD_KINDS.index("run")

    def pattern(kind: str, points: int, cards: list[Card], *also: int) -> _Pattern:
        both = tuple(UNIT[physical(card, 0)] + UNIT[physical(card, 1)] for card in cards)
        return _Pattern(points * unit, both, (MELD_KINDS.index(kind), *also))

    found = [
        pattern("run", 150, [card_of(trump, rank) for rank in range(5)]),
        pattern("royal_marriage", 40, [card_of(trump, rank) for rank in (2, 3)], run),
        pattern("pinochle", 40, [card_of(SPADES, QUEEN), card_of(DIAMONDS, JACK)]),
    ]
    found += [
        pattern("marriage", 20, [card_of(suit, rank) for rank in (2, 3)]) for suit in range(4) if suit != trump
    ]
    arounds = (("aces_around", 0, 100), ("kings_around", 2, 80), ("queens_around", 3, 60), ("jacks_around", 4, 40))
    found += [pattern(kind, points, [card_of(suit, rank) for suit in range(4)]) for kind, rank, points in arounds]
    return tuple(found)
