"""Meld: the best combination of melds in a hand, what it shows, and the rules that look for a marriage.

The classes of melds are independent (R-MEL-02 to 04) and class 1 falls apart into suits, so a hand is a few
table lookups: one for each suit, one for the pinochles, one for the sets around. The tables fill as they are
used and are bounded (TABLE_ENTRIES_MAX each). Hidden cards meld nothing. Points are in the units of the game,
`scale` included (R-MEL-11).

Inside, a suit is six groups of four bits, a group for each rank, with as many low bits set as there are
copies: so `&` is the smaller count of each rank and `|` the larger one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from pinochle.cards import (
    ACE,
    CLUBS,
    COPY_BITS,
    COPY_MASK,
    DIAMONDS,
    JACK,
    KING,
    QUEEN,
    SPADES,
    SUIT_BITS,
    SUIT_MASK,
    Hand,
    Suit,
)
from pinochle.rules import RuleSet

TABLE_ENTRIES_MAX = 16_384
COPIES_MAX = 4


class Meld(NamedTuple):
    """One entry of a combination: `copies` of the same meld; `suit` is None in classes 2 and 3."""

    name: str
    suit: Suit | None
    copies: int
    points: int


class MeldResult(NamedTuple):
    """The best combination of a hand (R-MEL-04, R-MEL-10).

    `by_class` has the points of classes 1, 2 and 3. `melds` is sorted by name, then by the suit's letter.
    `shown` is the part of the hand that goes on the table (R-MEL-12).
    """

    points: int
    by_class: tuple[int, int, int]
    melds: tuple[Meld, ...]
    shown: Hand


def best_meld(rules: RuleSet, hand: Hand, trump: Suit | None) -> MeldResult:
    """The best combination of the hand; with `trump` None no suit is trump (R-CLB-06).

    >>> from pinochle.cards import HEARTS, parse_hand
    >>> from pinochle.rules import load
    >>> best_meld(load("classic"), parse_hand("AH TH KH QH JH KC QC QS JD"), HEARTS).by_class
    (170, 40, 0)
    """
    scale = rules.scale
    suits = (
        _unary(hand & SUIT_MASK),
        _unary(hand >> SUIT_BITS & SUIT_MASK),
        _unary(hand >> _DIAMONDS_AT & SUIT_MASK),
        _unary(hand >> _CLUBS_AT & SUIT_MASK),
    )
    spades, hearts, diamonds, clubs = suits
    melds: tuple[Meld, ...] = ()
    used = [0, 0, 0, 0]

    first = 0
    for suit in (0, 1, 2, 3):
        held = suits[suit]
        if suit == trump:
            part = _trump_melds(held, suit, scale, rules.double_melds, rules.run_extras)
        else:
            pairs = held >> _KING & held >> _QUEEN & _GROUP
            if not pairs:
                continue
            part = _marriages(pairs, suit, scale)
        first += part.points
        melds += part.melds
        used[suit] = part.used

    second = 0
    pairs = spades >> _QUEEN & diamonds >> _JACK & _GROUP
    if pairs:
        part = _pinochles(pairs, scale, rules.double_melds)
        second = part.points
        melds += part.melds
        used[SPADES] |= pairs << _QUEEN
        used[DIAMONDS] |= pairs << _JACK

    third = 0
    sets = spades & hearts & diamonds & clubs & _AROUND_RANKS
    if sets:
        part = _sets_around(sets, scale, rules.double_melds)
        third = part.points
        melds += part.melds
        used = [suit_used | sets for suit_used in used]

    if not melds:
        return _NO_MELD
    if len(melds) > 1:
        melds = tuple(sorted(melds, key=_by_name_and_suit))
    shown = _counts(used[0]) | _counts(used[1]) << SUIT_BITS
    shown |= _counts(used[2]) << _DIAMONDS_AT | _counts(used[3]) << _CLUBS_AT
    return MeldResult(first + second + third, (first, second, third), melds, shown)


def has_marriage(hand: Hand) -> bool:
    """Whether the hand holds a king and a queen of one suit."""
    return any(_has_pair(hand, suit) for suit in range(4))


def may_throw_in(hand: Hand) -> bool:
    """Whether a dealt hand qualifies for the misdeal option: no ace and no marriage (R-DEAL-05)."""
    return not hand & _ACES and not has_marriage(hand)


def legal_trumps(rules: RuleSet, dealt_hand: Hand) -> tuple[Suit, ...]:
    """The suits the declarer may name, in display order; none: set at once (R-TRU-01, R-CLB-05, 06)."""
    if rules.trump_marriage == "optional":
        return (0, 1, 2, 3)
    return tuple(suit for suit in range(4) if _has_pair(dealt_hand, suit))


# Values on the ten-point scale, by number of copies (R-MEL-05, R-MEL-06, R-MEL-13).

_BONUS: dict[str, tuple[int, ...]] = {
    "run": (0, 150, 1500, 2250, 3000),
    "pinochle": (0, 40, 300, 600, 900),
    "aces_around": (0, 100, 1000, 1500, 2000),
    "kings_around": (0, 80, 800, 1200, 1600),
    "queens_around": (0, 60, 600, 900, 1200),
    "jacks_around": (0, 40, 400, 600, 800),
}
_EACH: dict[str, int] = {"run_king": 190, "run_queen": 190, "run_marriage": 230} | {
    "royal_marriage": 40,
    "marriage": 20,
    "dix": 10,
}
# By `run_extras`: extended runs, each with the kings and queens it uses besides those of a run (R-MEL-07).
_EXTENDED_RUNS: dict[str, tuple[tuple[str, int, int], ...]] = {
    "none": (),
    "king_or_queen": (("run_king", 1, 0), ("run_queen", 0, 1)),
    "king_queen_marriage": (("run_king", 1, 0), ("run_queen", 0, 1), ("run_marriage", 1, 1)),
}

_DIAMONDS_AT, _CLUBS_AT = SUIT_BITS * DIAMONDS, SUIT_BITS * CLUBS
_GROUP_BITS = 4
_GROUP = 15
_KING, _QUEEN, _JACK = _GROUP_BITS * KING, _GROUP_BITS * QUEEN, _GROUP_BITS * JACK
_SETS = (("aces_around", ACE), ("kings_around", KING), ("queens_around", QUEEN), ("jacks_around", JACK))
_AROUND_RANKS = sum(_GROUP << _GROUP_BITS * rank for _, rank in _SETS)
_ACES = sum(COPY_MASK << SUIT_BITS * suit for suit in range(4))


class _Part(NamedTuple):
    """The best of one part of a hand: `used` are the cards of one suit in groups of four bits."""

    points: int
    melds: tuple[Meld, ...]
    used: int


_NO_MELD = MeldResult(0, (0, 0, 0), (), 0)


def _value(name: str, copies: int, scale: int, double_melds: str) -> int:
    """Points of some copies of a meld in one hand."""
    if name in _EACH:
        points = copies * _EACH[name]
    elif double_melds == "linear":
        points = copies * _BONUS[name][1]
    else:
        points = _BONUS[name][copies]
    return points * scale // 10


@lru_cache(maxsize=TABLE_ENTRIES_MAX)
def _trump_melds(held: int, suit: Suit, scale: int, double_melds: str, run_extras: str) -> _Part:
    """Class 1 in trump: the most points, then the most cards, then the fewest entries (R-MEL-10)."""
    ace, ten, king, queen, jack, nine = (_copies(held, rank) for rank in range(6))
    runs_max = min(ace, ten, king, queen, jack)
    choices = []
    for name, more_kings, more_queens in (("", 0, 0), *_EXTENDED_RUNS[run_extras]):
        # The single deck has room for one extended run at most, the double deck has none (R-CFG-02).
        extended = 1 if name else 0
        for runs in range(runs_max - extended + 1):
            kings = king - runs - extended * (1 + more_kings)
            queens = queen - runs - extended * (1 + more_queens)
            if kings < 0 or queens < 0:
                continue
            royals = min(kings, queens)
            entries = (("run", runs), (name, extended), ("royal_marriage", royals), ("dix", nine))
            melds = tuple(
                Meld(meld, suit, copies, _value(meld, copies, scale, double_melds))
                for meld, copies in entries
                if copies
            )
            in_runs = runs + extended
            used = (in_runs, in_runs, king - kings + royals, queen - queens + royals, in_runs, nine)
            choices.append((sum(meld.points for meld in melds), sum(used), -len(melds), melds, used))
    points, _, _, melds, used = max(choices)
    return _Part(points, melds, sum(_group(copies) << _GROUP_BITS * rank for rank, copies in enumerate(used)))


@lru_cache(maxsize=TABLE_ENTRIES_MAX)
def _marriages(pairs: int, suit: Suit, scale: int) -> _Part:
    """Class 1 in a suit that is not trump; `pairs` is a group of four bits."""
    copies = pairs.bit_count()
    meld = Meld("marriage", suit, copies, _value("marriage", copies, scale, "linear"))
    return _Part(meld.points, (meld,), pairs << _KING | pairs << _QUEEN)


@lru_cache(maxsize=TABLE_ENTRIES_MAX)
def _pinochles(pairs: int, scale: int, double_melds: str) -> _Part:
    copies = pairs.bit_count()
    meld = Meld("pinochle", None, copies, _value("pinochle", copies, scale, double_melds))
    return _Part(meld.points, (meld,), 0)


@lru_cache(maxsize=TABLE_ENTRIES_MAX)
def _sets_around(sets: int, scale: int, double_melds: str) -> _Part:
    found = [(name, _copies(sets, rank)) for name, rank in _SETS]
    melds = tuple(
        Meld(name, None, copies, _value(name, copies, scale, double_melds))
        for name, copies in found
        if copies
    )
    return _Part(sum(meld.points for meld in melds), melds, sets)


@lru_cache(maxsize=TABLE_ENTRIES_MAX)
def _unary(suit_counts: int) -> int:
    """Packed counts of a suit as groups of four bits; copies beyond the deck's four count as four."""
    found = 0
    for rank in range(6):
        copies = min(suit_counts >> COPY_BITS * rank & COPY_MASK, COPIES_MAX)
        found |= _group(copies) << _GROUP_BITS * rank
    return found


@lru_cache(maxsize=TABLE_ENTRIES_MAX)
def _counts(groups: int) -> int:
    """Groups of four bits back to the packed counts of a suit."""
    return sum(_copies(groups, rank) << COPY_BITS * rank for rank in range(6))


def _group(copies: int) -> int:
    return (1 << copies) - 1


def _copies(groups: int, rank: int) -> int:
    return (groups >> _GROUP_BITS * rank & _GROUP).bit_count()


def _has_pair(hand: Hand, suit: Suit) -> bool:
    held = hand >> SUIT_BITS * suit
    return bool(held >> COPY_BITS * KING & COPY_MASK) and bool(held >> COPY_BITS * QUEEN & COPY_MASK)


def _by_name_and_suit(meld: Meld) -> tuple[str, int]:
    return meld.name, 0 if meld.suit is None else -meld.suit  # C D H S: the reverse of display order
