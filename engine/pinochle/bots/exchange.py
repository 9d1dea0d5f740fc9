"""Cards that `club` gives to its partner: help for the declarer's trump, and losers back.

Both pick card by card. The meld that a card takes from the giver's hand counts against it; for the declarer's partner
the use that the declarer is likely to have of it counts for it. Worths are on the ten-point scale.
"""

from __future__ import annotations

from collections.abc import Callable

from pinochle.cards import (
    ACE,
    DIAMONDS,
    JACK,
    QUEEN,
    RANK_OF,
    SPADES,
    SUIT_OF,
    UNIT,
    Card,
    Hand,
    Suit,
    card_of,
    count,
    kinds,
    of_suit,
    size,
)
from pinochle.meld import best_meld
from pinochle.rules import RuleSet

TRUMP_WORTH = (70, 55, 50, 50, 45, 20)
"""The first copy of a trump to its declarer, by rank: a part of the run, and length."""
TRUMP_COPY_WORTH = (45, 30, 25, 25, 15, 12)
ACE_WORTH = 38
PINOCHLE_WORTH = 24
OWN_MELD = 0.6
"""Meld lost to the giver's hand, against worth: the declarer often gives it back, or melds it himself."""

KEPT_TRUMP = (90, 60, 50, 45, 42, 40)
KEPT_SIDE = (55, 12, 8, 3, 1, 0)
"""What a card left over is worth in play to the declarer, by rank."""
KEPT_SHORT = 3
"""Each other card of its side suit makes a card that much more worth keeping, so that short suits go."""


def cards_for_declarer(rules: RuleSet, hand: Hand, trump: Suit, number: int) -> Hand:
    """What the declarer's partner gives: trump, above all of the run, aces, and halves of a pinochle."""

    def worth(card: Card, left: Hand, given: Hand) -> float:
        rank, copy = RANK_OF[card], count(given, card)
        if SUIT_OF[card] == trump:
            return TRUMP_COPY_WORTH[rank] if copy else TRUMP_WORTH[rank]
        if rank == ACE:
            return ACE_WORTH
        if card in _PINOCHLE:
            return PINOCHLE_WORTH
        return -float(rank == 1)  # a ten is of more use in the giver's own hand

    return _picked(rules, hand, trump, number, worth, OWN_MELD)


def cards_for_partner(rules: RuleSet, hand: Hand, trump: Suit, number: int) -> Hand:
    """What the declarer gives back: the cards that lose least, in meld and in play, from short suits first."""

    def worth(card: Card, left: Hand, given: Hand) -> float:
        rank, suit = RANK_OF[card], SUIT_OF[card]
        if suit == trump:
            return -float(KEPT_TRUMP[rank])
        return -float(KEPT_SIDE[rank] + KEPT_SHORT * size(of_suit(left, suit)))

    return _picked(rules, hand, trump, number, worth, 1.0)


_PINOCHLE = (card_of(SPADES, QUEEN), card_of(DIAMONDS, JACK))


def _picked(
    rules: RuleSet, hand: Hand, trump: Suit, number: int, worth: Callable[[Card, Hand, Hand], float], own_meld: float
) -> Hand:
    """`number` cards, each the best of those left; of equal ones the first in display order."""
    left, given = hand, 0
    factor = own_meld * 10 / rules.scale
    for _ in range(number):
        melded = best_meld(rules, left, trump).points
        best, best_worth = -1, 0.0
        for card in kinds(left):
            value = worth(card, left, given)
            if best < 0 or value > best_worth:
                value -= factor * (melded - best_meld(rules, left - UNIT[card], trump).points)
                if best < 0 or value > best_worth:
                    best, best_worth = card, value
        left -= UNIT[best]
        given += UNIT[best]
    return given
