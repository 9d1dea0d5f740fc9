"""Trick play: which cards are legal and who wins (section 11)."""

from __future__ import annotations

from collections.abc import Sequence

from pinochle.cards import HIGHER, RANK_OF, SUIT_CARDS, SUIT_OF, Card, Hand, Suit
from pinochle.rules import RuleSet


def winner(trick: Sequence[Card], trump: Suit | None) -> int:
    """The index of the card that wins the trick so far (R-PLY-08, R-PLY-09); the trick is not empty."""
    best = 0
    for i in range(1, len(trick)):
        if beats(trick[i], trick[best], trump):
            best = i
    return best


def beats(card: Card, other: Card, trump: Suit | None) -> bool:
    """Whether `card`, played later, takes the trick from `other`, which is winning it."""
    suit, winning = SUIT_OF[card], SUIT_OF[other]
    if suit == winning:
        return RANK_OF[card] < RANK_OF[other]
    return suit == trump


def legal_cards(rules: RuleSet, hand: Hand, trick: Sequence[Card], trump: Suit | None) -> Hand:
    """The part of the hand that may be played to this trick, all copies included (R-PLY-01 to R-PLY-11)."""
    if not trick:
        return hand
    led = SUIT_OF[trick[0]]
    following = hand & SUIT_CARDS[led]
    best = trick[winner(trick, trump)]
    if following:
        if led != trump and SUIT_OF[best] == trump:
            return following  # R-PLY-05: a trumped trick cannot be won by following
        if rules.must_beat == "none":
            return following
        return following & HIGHER[best if rules.must_beat == "winning" else trick[0]] or following
    trumps = hand & SUIT_CARDS[trump] if trump is not None else 0
    if not trumps:
        return hand  # R-PLY-06
    if SUIT_OF[best] == trump and rules.must_overtrump:
        return trumps & HIGHER[best] or trumps  # R-PLY-07
    return trumps
