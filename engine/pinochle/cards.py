"""Cards as small integers, hands as packed counts, and their text.

A kind of card is an int in display order (R-DECK-05): suit x 6 + rank, suits S H D C, ranks A T K Q J 9, so
``AS`` is 0 and ``9C`` is 23. ``HIDDEN`` (24) is one more kind: a card whose face the viewer does not know. In the
stock game copies are told apart (R-DECK-04), so there each physical card is a kind of its own: ``ASa`` is 32,
``ASb`` 33, ``9Cb`` 79.

A hand is one int: a 3-bit count for each kind (kind k at bit 3k), HIDDEN's count above them, then a bit for each
physical card. So copies, both decks, both games and hidden cards need no special case. All bit work stays here.

    >>> text(parse_hand("TH AS AS"))
    'AS AS TH'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from pinochle.errors import BadNotation

Card = int
Hand = int
Suit = int
T = TypeVar("T")

SUITS = "SHDC"
RANKS = "ATKQJ9"
SPADES, HEARTS, DIAMONDS, CLUBS = range(4)
ACE, TEN, KING, QUEEN, JACK, NINE = range(6)
KINDS = 24
HIDDEN: Card = KINDS

PHYSICAL: Card = 32
"""The first physical card; kind k has the physical cards PHYSICAL + 2k (copy a) and PHYSICAL + 2k + 1 (copy b)."""
CARDS_END: Card = PHYSICAL + 2 * KINDS
COPY_LETTERS = "ab"

COPY_BITS = 3
COPY_MASK = 7
SUIT_BITS = 6 * COPY_BITS
SUIT_MASK = (1 << SUIT_BITS) - 1
HIDDEN_AT = KINDS * COPY_BITS
HIDDEN_MASK = 127
PHYSICAL_AT = HIDDEN_AT + 8
KNOWN_MASK = (1 << HIDDEN_AT) - 1
PHYSICAL_MASK = ((1 << 2 * KINDS) - 1) << PHYSICAL_AT


def _of_every_card(of_kind: Callable[[int], T], of_physical: Callable[[int], T], of_hidden: T) -> tuple[T, ...]:
    """A table by card: of the kinds, of HIDDEN and the numbers that are no card, of the physical cards."""
    between = (of_hidden,) * (PHYSICAL - KINDS)
    return (*map(of_kind, range(KINDS)), *between, *map(of_physical, range(2 * KINDS)))


SUIT_OF: tuple[Suit, ...] = _of_every_card(lambda kind: kind // 6, lambda number: number // 12, -1)
RANK_OF: tuple[int, ...] = _of_every_card(lambda kind: kind % 6, lambda number: number // 2 % 6, -1)
UNIT: tuple[Hand, ...] = _of_every_card(
    lambda kind: 1 << (COPY_BITS * kind), lambda number: 1 << (PHYSICAL_AT + number), 1 << HIDDEN_AT
)
COPIES: tuple[Hand, ...] = _of_every_card(
    lambda kind: COPY_MASK << (COPY_BITS * kind), lambda number: 1 << (PHYSICAL_AT + number), 0
)  # where a hand says how many copies it holds; of HIDDEN none is known
NAMES: tuple[str, ...] = _of_every_card(
    lambda kind: RANKS[kind % 6] + SUITS[kind // 6],
    lambda number: RANKS[number // 2 % 6] + SUITS[number // 12] + COPY_LETTERS[number % 2],
    "??",
)


def _cards_where(matches: Callable[[Card], bool]) -> Hand:
    """All copies of the cards that match."""
    return sum(COPIES[card] for card in (*range(KINDS), *range(PHYSICAL, CARDS_END)) if matches(card))


def _better(suit: Suit, rank: int) -> Hand:
    return _cards_where(lambda card: SUIT_OF[card] == suit and RANK_OF[card] < rank)


SUIT_CARDS: tuple[Hand, ...] = tuple(_better(suit, len(RANKS)) for suit in range(4))
# HIGHER[card] masks the cards of the same suit that beat it (R-DECK-03).
_HIGHER = tuple(tuple(_better(suit, rank) for rank in range(len(RANKS))) for suit in range(4))
HIGHER: tuple[Hand, ...] = _of_every_card(
    lambda kind: _HIGHER[kind // 6][kind % 6], lambda number: _HIGHER[number // 12][number // 2 % 6], 0
)

_CARD_OF = {name: card for card, name in enumerate(NAMES) if name != "??"}


def card_of(suit: Suit, rank: int) -> Card:
    """The kind with this suit and rank."""
    return suit * 6 + rank


def hand_of(cards: Iterable[Card]) -> Hand:
    """The hand that holds these cards."""
    hand = 0
    for card in cards:
        hand += UNIT[card]
    return hand


def count(hand: Hand, card: Card) -> int:
    """How many copies of this kind the hand holds."""
    if card == HIDDEN:
        return hand >> HIDDEN_AT & HIDDEN_MASK
    if card >= PHYSICAL:
        return hand >> (PHYSICAL_AT + card - PHYSICAL) & 1
    return (hand >> (COPY_BITS * card)) & COPY_MASK


def holds(hand: Hand, cards: Hand) -> bool:
    """Whether the hand contains all of `cards`, copies counted."""
    for card in kinds(cards):
        copies = COPIES[card]
        if hand & copies < cards & copies:
            return False
    return count(hand, HIDDEN) >= count(cards, HIDDEN)


def of_suit(hand: Hand, suit: Suit) -> Hand:
    """The hand's cards of one suit."""
    return hand & SUIT_CARDS[suit]


def suit_counts(hand: Hand, suit: Suit) -> int:
    """The packed counts of one suit, ace in the lowest bits: a small key for tables."""
    return (hand >> (SUIT_BITS * suit)) & SUIT_MASK


def kinds(hand: Hand) -> tuple[Card, ...]:
    """The distinct known kinds in the hand, in display order."""
    if hand >= _FIRST_PHYSICAL:
        return tuple(_physical(hand))
    spades, hearts, diamonds, clubs = _KINDS_OF
    return (
        spades[hand & SUIT_MASK]
        + hearts[hand >> SUIT_BITS & SUIT_MASK]
        + diamonds[hand >> 2 * SUIT_BITS & SUIT_MASK]
        + clubs[hand >> 3 * SUIT_BITS & SUIT_MASK]
    )


def _physical(hand: Hand) -> Iterator[Card]:
    rest = hand >> PHYSICAL_AT
    while rest:
        lowest = rest & -rest
        yield PHYSICAL + lowest.bit_length() - 1
        rest ^= lowest


_FIRST_PHYSICAL = 1 << PHYSICAL_AT


def nth_kind(singles: Hand, index: int) -> Card:
    """The kind at this place, from 0, in a hand that holds no kind twice and no hidden card."""
    while index:
        singles &= singles - 1
        index -= 1
    return _CARD_AT[(singles & -singles).bit_length() - 1]


# The card that a bit of a hand belongs to, by the bit's place.
_CARD_AT = (*(at // COPY_BITS for at in range(HIDDEN_AT)), *range(HIDDEN, HIDDEN + 8), *range(PHYSICAL, CARDS_END))


def cards_in(hand: Hand) -> list[Card]:
    """Every card of the hand in display order, copies repeated, hidden ones last."""
    if hand >= _FIRST_PHYSICAL:
        return [*_physical(hand), *(HIDDEN,) * count(hand, HIDDEN)]
    spades, hearts, diamonds, clubs = _CARDS_OF
    return [
        *spades[hand & SUIT_MASK],
        *hearts[hand >> SUIT_BITS & SUIT_MASK],
        *diamonds[hand >> 2 * SUIT_BITS & SUIT_MASK],
        *clubs[hand >> 3 * SUIT_BITS & SUIT_MASK],
        *(HIDDEN,) * (hand >> HIDDEN_AT),  # no physical cards are above it here
    ]


class _OfSuit(dict[int, tuple[Card, ...]]):
    """Packed counts of one suit to its cards, worked out when first asked for; as many as decks can deal."""

    def __init__(self, suit: Suit, copies_max: int) -> None:
        self.suit, self.copies_max = suit, copies_max

    def __missing__(self, counts: int) -> tuple[Card, ...]:
        found: tuple[Card, ...] = ()
        for rank in range(6):
            copies = counts >> COPY_BITS * rank & COPY_MASK
            found += (card_of(self.suit, rank),) * min(copies, self.copies_max)
        self[counts] = found
        return found


_KINDS_OF = tuple(_OfSuit(suit, 1) for suit in range(4))
_CARDS_OF = tuple(_OfSuit(suit, COPY_MASK) for suit in range(4))


def size(hand: Hand) -> int:
    """How many cards the hand holds, hidden ones included."""
    known = hand & KNOWN_MASK
    # Adding the three bit planes counts each copy once without a loop over kinds.
    return (
        (known & _ONES).bit_count()
        + 2 * (known & (_ONES << 1)).bit_count()
        + 4 * (known & (_ONES << 2)).bit_count()
        + (hand >> HIDDEN_AT & HIDDEN_MASK)
        + (hand >> PHYSICAL_AT).bit_count()
    )


_ONES = sum(UNIT[:KINDS])


def once(hand: Hand) -> Hand:
    """Each known kind of the hand once, copies forgotten; physical cards have none."""
    return (hand | hand >> 1 | hand >> 2) & _ONES | hand & PHYSICAL_MASK


def once_of_kinds(hand: Hand) -> Hand:
    """As `once`, for a hand without physical cards."""
    return (hand | hand >> 1 | hand >> 2) & _ONES


def hidden(number: int) -> Hand:
    """A hand of that many unknown cards."""
    return number * UNIT[HIDDEN]


def without(hand: Hand, card: Card) -> Hand:
    """The hand less one card, or less one unknown card where that card is not known to be in it."""
    return hand - (UNIT[card] if hand & COPIES[card] else UNIT[HIDDEN])


def reveal(hand: Hand, cards: Hand) -> Hand:
    """The hand with unknown cards turned into those that everybody has now seen in it."""
    if not count(hand, HIDDEN):
        return hand
    for card in kinds(cards):
        unseen = count(cards, card) - count(hand, card)
        if unseen > 0:
            hand += unseen * (UNIT[card] - UNIT[HIDDEN])
    return hand


def physical(kind: Card, copy: int) -> Card:
    """One of the two physical cards of a kind; copy 0 is a, 1 is b."""
    return PHYSICAL + 2 * kind + copy


def parse_card(name: str) -> Card:
    """``TH`` to the ten of hearts, ``QSa`` to one of two physical cards (R-DECK-04); BadNotation if it is no card."""
    card = _CARD_OF.get(name)
    if card is None:
        raise BadNotation(f"not a card: {name!r} (a rank of {RANKS} and a suit of {SUITS}, as in TH)")
    return card


def parse_hand(names: str) -> Hand:
    """``"AS AS TH"`` to a hand."""
    return hand_of(parse_card(name) for name in names.split())


def parse_suit(letter: str) -> Suit:
    """``S`` to 0; BadNotation if it is no suit."""
    suit = SUITS.find(letter) if len(letter) == 1 else -1
    if suit < 0:
        raise BadNotation(f"not a suit: {letter!r} (one of {SUITS})")
    return suit


def names(hand: Hand) -> list[str]:
    """The hand's cards as text, in display order."""
    return [NAMES[card] for card in cards_in(hand)]


def text(hand: Hand) -> str:
    """The hand as one line of text, in display order."""
    return " ".join(names(hand))
