"""Cards as small integers, hands as packed counts, and their text.

A kind of card is an int in display order (R-DECK-05): suit x 6 + rank, suits S H D C, ranks A T K Q J 9, so
``AS`` is 0 and ``9C`` is 23. ``HIDDEN`` (24) is one more kind: a card whose face the viewer does not know.

A hand is one int with a 3-bit count for each kind (kind k at bit 3k), HIDDEN's count above them, so copies, the
double deck and hidden cards need no special case. All bit work stays in this module.

    >>> text(parse_hand("TH AS AS"))
    'AS AS TH'
"""

from __future__ import annotations

from collections.abc import Iterable

from pinochle.errors import BadNotation

Card = int
Hand = int
Suit = int

SUITS = "SHDC"
RANKS = "ATKQJ9"
SPADES, HEARTS, DIAMONDS, CLUBS = range(4)
ACE, TEN, KING, QUEEN, JACK, NINE = range(6)
KINDS = 24
HIDDEN: Card = KINDS

COPY_BITS = 3
COPY_MASK = 7
SUIT_BITS = 6 * COPY_BITS
SUIT_MASK = (1 << SUIT_BITS) - 1
HIDDEN_AT = KINDS * COPY_BITS
KNOWN_MASK = (1 << HIDDEN_AT) - 1

SUIT_OF: tuple[Suit, ...] = tuple(kind // 6 for kind in range(KINDS))
RANK_OF: tuple[int, ...] = tuple(kind % 6 for kind in range(KINDS))
UNIT: tuple[Hand, ...] = tuple(1 << (COPY_BITS * kind) for kind in range(KINDS + 1))
COPIES: tuple[Hand, ...] = (*(COPY_MASK << (COPY_BITS * kind) for kind in range(KINDS)), 0)  # none is known of HIDDEN
SUIT_CARDS: tuple[Hand, ...] = tuple(SUIT_MASK << (SUIT_BITS * suit) for suit in range(4))
NAMES: tuple[str, ...] = (*(RANKS[kind % 6] + SUITS[kind // 6] for kind in range(KINDS)), "??")

# HIGHER[card] masks the kinds of the same suit that beat it (R-DECK-03).
HIGHER: tuple[Hand, ...] = tuple(
    sum(COPIES[better] for better in range(kind - kind % 6, kind)) for kind in range(KINDS)
)

_CARD_OF = {name: kind for kind, name in enumerate(NAMES[:KINDS])}


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
        return hand >> HIDDEN_AT
    return (hand >> (COPY_BITS * card)) & COPY_MASK


def holds(hand: Hand, cards: Hand) -> bool:
    """Whether the hand contains all of `cards`, copies counted."""
    for card in kinds(cards):
        copies = COPIES[card]
        if hand & copies < cards & copies:
            return False
    return hand >> HIDDEN_AT >= cards >> HIDDEN_AT


def of_suit(hand: Hand, suit: Suit) -> Hand:
    """The hand's cards of one suit."""
    return hand & SUIT_CARDS[suit]


def suit_counts(hand: Hand, suit: Suit) -> int:
    """The packed counts of one suit, ace in the lowest bits: a small key for tables."""
    return (hand >> (SUIT_BITS * suit)) & SUIT_MASK


def kinds(hand: Hand) -> tuple[Card, ...]:
    """The distinct known kinds in the hand, in display order."""
    spades, hearts, diamonds, clubs = _KINDS_OF
    return (
        spades[hand & SUIT_MASK]
        + hearts[hand >> SUIT_BITS & SUIT_MASK]
        + diamonds[hand >> 2 * SUIT_BITS & SUIT_MASK]
        + clubs[hand >> 3 * SUIT_BITS & SUIT_MASK]
    )


def nth_kind(singles: Hand, index: int) -> Card:
    """The kind at this place, from 0, in a hand that holds no kind twice and no hidden card."""
    for _ in range(index):
        singles &= singles - 1
    return ((singles & -singles).bit_length() - 1) // COPY_BITS


def cards_in(hand: Hand) -> list[Card]:
    """Every card of the hand in display order, copies repeated, hidden ones last."""
    spades, hearts, diamonds, clubs = _CARDS_OF
    return [
        *spades[hand & SUIT_MASK],
        *hearts[hand >> SUIT_BITS & SUIT_MASK],
        *diamonds[hand >> 2 * SUIT_BITS & SUIT_MASK],
        *clubs[hand >> 3 * SUIT_BITS & SUIT_MASK],
        *(HIDDEN,) * (hand >> HIDDEN_AT),
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
        + (hand >> HIDDEN_AT)
    )


_ONES = sum(UNIT[:KINDS])


def once(hand: Hand) -> Hand:
    """Each known kind of the hand once, copies forgotten."""
    return (hand | hand >> 1 | hand >> 2) & _ONES


def hidden(number: int) -> Hand:
    """A hand of that many unknown cards."""
    return number * UNIT[HIDDEN]


def without(hand: Hand, card: Card) -> Hand:
    """The hand less one card, or less one unknown card where that card is not known to be in it."""
    return hand - (UNIT[card] if hand & COPIES[card] else UNIT[HIDDEN])


def parse_card(name: str) -> Card:
    """``TH`` to the ten of hearts (R-DECK-04); BadNotation if it is no card."""
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
