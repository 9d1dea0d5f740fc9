"""Trick play: which cards are legal and who wins (section 11)."""

from __future__ import annotations

from collections.abc import Sequence

from pinochle.cards import HIGHER, RANK_OF, SUIT_CARDS, SUIT_OF, Card, Hand, Suit
from pinochle.rules import RuleSet


def winner(trick: Sequence[Card], trump: Suit | None) -> int:
    """The index of the card that wins the trick so far (R-PLY-08, R-PLY-09); the trick is not empty."""
    return trick.index(_best(trick, trump))  # the first of equal cards


def _best(trick: Sequence[Card], trump: Suit | None) -> Card:
    """The card that wins the trick so far."""
    best = trick[0]
    strengths = _STRENGTH[-1 if trump is None else trump][SUIT_OF[best]]
    highest = strengths[best]
    for card in trick:
        if strengths[card] > highest:
            best, highest = card, strengths[card]
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
    first = trick[0]
    best = _best(trick, trump) if len(trick) > 1 else first
    led, winning = SUIT_OF[first], SUIT_OF[best]
    following = hand & SUIT_CARDS[led]
    if following:
        if winning != led or rules.must_beat == "none":
            return following  # R-PLY-05: a trumped trick cannot be won by following
        return following & HIGHER[best if rules.must_beat == "winning" else first] or following
    trumps = hand & SUIT_CARDS[trump] if trump is not None else 0
    if not trumps:
        return hand  # R-PLY-06
    if winning == trump and rules.must_overtrump:
        return trumps & HIGHER[best] or trumps  # R-PLY-07
    return trumps


def _strengths(trump: Suit | None, led: Suit) -> tuple[int, ...]:
    """How strong a kind is in a trick: trumps over the led suit over all others, which cannot win."""
    levels = [2 if suit == trump else 1 if suit == led else 0 for suit in SUIT_OF]
    return tuple(level and 10 * level - rank for level, rank in zip(levels, RANK_OF, strict=True))


# By trump, no trump last, and by the suit that was led.
_STRENGTH = tuple(tuple(_strengths(trump, led) for led in range(4)) for trump in (0, 1, 2, 3, None))
