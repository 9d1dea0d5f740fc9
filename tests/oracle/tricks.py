"""Trick play, written plainly from the rules (sections 11 and 12)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.oracle.cards import in_display_order, is_higher, whole_deck

Knobs = Mapping[str, Any]

SCHEDULES = {  # R-TPT-01 to R-TPT-04
    "counters10": {"A": 10, "T": 10, "K": 10},
    "ace11": {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2},
    "tens_fives": {"A": 10, "T": 10, "K": 5, "Q": 5},
    "counters1": {"A": 1, "T": 1, "K": 1},
}


def winning_index(trick: Sequence[str], trump: str) -> int:
    """Which card wins the trick so far; of equal cards the first (R-PLY-08, R-PLY-09)."""
    best = 0
    for index in range(1, len(trick)):
        card, so_far = trick[index], trick[best]
        if is_higher(card, so_far) or (card[1] == trump and so_far[1] != trump):
            best = index
    return best


def legal_plays(knobs: Knobs, hand: Sequence[str], trick: Sequence[str], trump: str) -> list[str]:
    """Each distinct card that may be played, in display order."""
    return in_display_order({card for card in hand if is_legal(knobs, card, hand, trick, trump)})


def is_legal(knobs: Knobs, card: str, hand: Sequence[str], trick: Sequence[str], trump: str) -> bool:
    """Whether this card of the hand may be played to the trick."""
    if not trick:
        return True  # R-PLY-01
    led = trick[0][1]
    trumps_played = [played for played in trick if played[1] == trump]
    if any(held[1] == led for held in hand):
        if card[1] != led:
            return False  # R-PLY-02
        if led != trump and trumps_played:
            return True  # R-PLY-05
        if knobs["must_beat"] == "none":
            return True  # R-PLY-11
        # R-PLY-03 or R-PLY-10
        to_beat = trick[winning_index(trick, trump)] if knobs["must_beat"] == "winning" else trick[0]
        return is_higher(card, to_beat) or not any(is_higher(held, to_beat) for held in hand)
    if any(held[1] == trump for held in hand):
        if card[1] != trump:
            return False  # R-PLY-04
        if not knobs["must_overtrump"]:
            return True
        # R-PLY-07: higher than every trump in the trick, if the hand has such a card.
        over_all = [held for held in hand if held[1] == trump and all(is_higher(held, t) for t in trumps_played)]
        return not over_all or card in over_all
    return True  # R-PLY-06


def card_points(knobs: Knobs, card: str) -> int:
    """Trick points of one card (section 12)."""
    schedule = knobs["trick_schedule"]
    points = SCHEDULES[schedule] if isinstance(schedule, str) else schedule
    return int(points.get(card[0], 0))


def trick_points(knobs: Knobs, cards: Iterable[str], last: bool) -> int:
    """R-TPT-05, R-TPT-08."""
    return sum(card_points(knobs, card) for card in cards) + (knobs["last_trick"] if last else 0)


def all_trick_points(knobs: Knobs) -> int:
    """The limit of section 10: everything that tricks are worth in a hand."""
    return trick_points(knobs, whole_deck(knobs), last=True)
