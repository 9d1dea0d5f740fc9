"""Cards as text, written plainly from the rules (sections 3 to 5)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

SUITS = "SHDC"
RANKS = "ATKQJ9"

Knobs = Mapping[str, Any]


def whole_deck(knobs: Knobs) -> list[str]:
    """R-DECK-01, R-DECK-02, in display order."""
    if knobs["deck"] == "double":
        return [rank + suit for suit in SUITS for rank in "ATKQJ" for _ in range(4)]
    return [rank + suit for suit in SUITS for rank in RANKS for _ in range(2)]


def hand_size(knobs: Knobs) -> int:
    """R-DEAL-02."""
    return 20 if knobs["deck"] == "double" else 12


def in_display_order(cards: Iterable[str]) -> list[str]:
    """R-DECK-05."""
    return sorted(cards, key=lambda card: (SUITS.index(card[1]), RANKS.index(card[0]), card[2:]))


def is_higher(card: str, other: str) -> bool:
    """Whether the card is of the same suit and beats the other (R-DECK-03)."""
    return card[1] == other[1] and RANKS.index(card[0]) < RANKS.index(other[0])


def dealt(knobs: Knobs, dealer: int, deck: Sequence[str]) -> tuple[list[list[str]], str]:
    """The hands by seat, and the dealer's last card (R-DEAL-01): packet by packet from the dealer's left."""
    hands: list[list[str]] = [[], [], [], []]
    waiting = list(deck)
    seat = (dealer + 1) % 4
    last = ""
    while waiting:
        for _ in range(knobs["packet"]):
            if len(hands[seat]) < hand_size(knobs):
                last = waiting.pop(0)
                hands[seat].append(last)
        seat = (seat + 1) % 4
    return [in_display_order(hand) for hand in hands], last


def exchanged(
    knobs: Knobs, partner: Sequence[str], declarer: Sequence[str], passed: Sequence[str], returned: Sequence[str]
) -> dict[str, Any]:
    """Both hands after the exchange, or that it is not legal (section 8)."""
    giving, taking = list(partner), list(declarer)
    for giver, receiver, cards in ((giving, taking, passed), (taking, giving, returned)):
        if len(cards) != knobs["exchange"]:
            return {"legal": False}
        for card in cards:
            if card not in giver:
                return {"legal": False}
            giver.remove(card)
        receiver.extend(cards)
    return {"legal": True, "partner": in_display_order(giving), "declarer": in_display_order(taking)}
