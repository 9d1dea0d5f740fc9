"""The stock game's own rules: its deal, the melds that may be laid, the dix (section 15). Copies are told apart."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from pinochle.cards import (
    ACE,
    DIAMONDS,
    JACK,
    KING,
    NINE,
    QUEEN,
    RANK_OF,
    SPADES,
    SUIT_OF,
    TEN,
    UNIT,
    Card,
    Hand,
    Suit,
    card_of,
    hand_of,
    physical,
)
from pinochle.rules import RuleSet

MELD_KINDS = (
    "run", "dix", "royal_marriage", "marriage", "aces_around", "kings_around", "queens_around", "jacks_around",
    "pinochle",
)  # fmt: skip
"""The kinds of melds, in the order of R-TWO-12."""

_RUN = MELD_KINDS.index("run")
_AROUND = {"aces_around": ACE, "kings_around": KING, "queens_around": QUEEN, "jacks_around": JACK}
_ONCE = {"run": 150, "royal_marriage": 40, "marriage": 20, "dix": 10, "pinochle": 40}
_ONCE |= {"aces_around": 100, "kings_around": 80, "queens_around": 60, "jacks_around": 40}
_BOTH_BONUS = {"aces_around": 1000, "kings_around": 800, "queens_around": 600, "jacks_around": 400, "pinochle": 300}
"""Both copies laid at once, with `double_melds` bonus (R-MEL-06); linear doubles the single value."""


class StockMeld(NamedTuple):
    """A meld that may be laid: its kind, its cards and its points."""

    kind: str
    cards: Hand
    points: int


def deal(rules: RuleSet, dealer: int, deck: tuple[Card, ...]) -> tuple[tuple[Hand, ...], Card, tuple[Card, ...]]:
    """The hands by seat, the turn-up, and the face-down stock with the next to draw first (R-TWO-01, R-TWO-02)."""
    players = rules.players
    hands, held, at = [0] * players, 0, 0
    while held < rules.hand_size:
        packet = min(rules.packet, rules.hand_size - held)
        for step in range(1, players + 1):
            hands[(dealer + step) % players] += hand_of(deck[at : at + packet])
            at += packet
        held += packet
    return tuple(hands), deck[at], deck[at + 1 :]


def dix_points(rules: RuleSet) -> int:
    """What a nine of trump earns once a deal (R-TWO-14)."""
    return _scaled(rules, _ONCE["dix"])


def is_dix(card: Card, trump: Suit) -> bool:
    """Whether the card is a nine of trump."""
    return RANK_OF[card] == NINE and SUIT_OF[card] == trump


def may_give(hand: Hand, trump: Suit, turn_up: Card) -> Hand:
    """The nines of trump that may be swapped for the turn-up, which must not be one itself (R-TWO-08)."""
    return 0 if is_dix(turn_up, trump) else hand & _NINES[trump]


def legal_melds(
    rules: RuleSet, trump: Suit, hand: Hand, used: tuple[Hand, ...], credited: Hand
) -> tuple[StockMeld, ...]:
    """Every meld that may be laid now, sorted by kind and cards.

    `hand` is all that the player possesses, laid cards included; `used` says for each of MELD_KINDS which cards have
    been scored in it; `credited` holds the nines that have earned their points (R-TWO-11 to R-TWO-14).
    """
    found = []
    for kind, combinations in _combinations(trump):
        spent = used[MELD_KINDS.index(kind)]
        if kind == "royal_marriage":
            spent |= used[_RUN]  # R-TWO-13
        elif kind == "dix":
            spent |= credited
        missing = ~(hand & ~spent)
        for cards, double in combinations:
            if not cards & missing:
                found.append(StockMeld(kind, cards, _scaled(rules, _points(rules, kind, double))))
    return tuple(found)


@lru_cache(maxsize=4)
def _combinations(trump: Suit) -> tuple[tuple[str, tuple[tuple[Hand, bool], ...]], ...]:
    """For each kind, in alphabetical order, every way to lay one meld of it; True where that is both copies at once."""
    return tuple((kind, tuple(_ways(kind, trump))) for kind in sorted(MELD_KINDS))


def _ways(kind: str, trump: Suit) -> Iterator[tuple[Hand, bool]]:
    if kind == "marriage":
        for suit in range(4):
            if suit != trump:
                yield from _laid(((suit, KING), (suit, QUEEN)), may_double=False)
    elif kind in _AROUND:
        yield from _laid(tuple((suit, _AROUND[kind]) for suit in range(4)), may_double=True)
    elif kind == "pinochle":
        yield from _laid(((SPADES, QUEEN), (DIAMONDS, JACK)), may_double=True)
    else:
        ranks = {"run": (ACE, TEN, KING, QUEEN, JACK), "royal_marriage": (KING, QUEEN), "dix": (NINE,)}[kind]
        yield from _laid(tuple((trump, rank) for rank in ranks), may_double=False)


def _laid(faces: tuple[tuple[Suit, int], ...], *, may_double: bool) -> Iterator[tuple[Hand, bool]]:
    """A copy of each of these faces, in every combination; and, where it may be, both of each at once."""
    pairs = [_copies(suit, rank) for suit, rank in faces]
    for number, cards in enumerate(product(*pairs)):
        if may_double and number == 2 ** len(pairs) // 2:  # where it stands in the order of cards
            yield hand_of(card for pair in pairs for card in pair), True
        yield hand_of(cards), False


@lru_cache(maxsize=24)
def _copies(suit: Suit, rank: int) -> tuple[Card, Card]:
    kind = card_of(suit, rank)
    return physical(kind, 0), physical(kind, 1)


def _points(rules: RuleSet, kind: str, double: bool) -> int:
    if not double:
        return _ONCE[kind]
    return _BOTH_BONUS[kind] if rules.double_melds == "bonus" else 2 * _ONCE[kind]


def _scaled(rules: RuleSet, points: int) -> int:
    """Points of scale 10 in the units of the game (R-CFG-03)."""
    return points * rules.scale // 10


_NINES: tuple[Hand, ...] = tuple(sum(UNIT[card] for card in _copies(suit, NINE)) for suit in range(4))
