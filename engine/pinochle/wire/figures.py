"""Cards, seats, teams and other figures of the wire: whatever is read becomes a sound value or BadInput.

On the wire a card or a suit is one more than in the library, because 0 means that it is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import eq
from typing import Any

from pinochle.auction import Ladder
from pinochle.cards import CARDS_END, HIDDEN, KINDS, PHYSICAL, UNIT, Card, Hand, cards_in, hand_of
from pinochle.errors import BadInput
from pinochle.state import NONE
from pinochle.wire.v1 import game_pb2 as pb

COPIES_MAX = 4
CARDS_MAX = 80
SEATS_MIN, SEATS = 2, 4


def wire_cards(hand: Hand) -> list[Any]:  # the generated types want their own enum, and take numbers
    """Every card of a hand as wire numbers, in display order."""
    return [card + 1 for card in cards_in(hand)]


def hand_from(cards: Sequence[int]) -> Hand:
    """The hand of wire cards; BadInput for a number that is no card, or for cards that no deck has together."""
    _check_number(cards)
    inside = sorted(cards)
    if inside and inside[0] > 0 and inside[-1] <= KINDS and not any(map(eq, inside, inside[COPIES_MAX:])):
        return sum(map(_UNIT_OF, inside))  # the usual case, in a third of the time
    numbers = [card - 1 for card in inside]
    for number in set(numbers):
        if not 0 <= number < CARDS_END or HIDDEN < number < PHYSICAL:
            raise BadInput(f"card {number + 1} does not exist")
        if number != HIDDEN and numbers.count(number) > (COPIES_MAX if number < KINDS else 1):
            raise BadInput("more copies of a card than any deck has")
    if any(number < KINDS for number in numbers) and any(number >= PHYSICAL for number in numbers):
        raise BadInput("cards with and without copy letters in one hand")
    return hand_of(numbers)


_UNIT_OF = (0, *UNIT[:KINDS]).__getitem__


def deck_from(cards: Sequence[int]) -> tuple[Card, ...]:
    """A deck, in order; BadInput for a number that is no card."""
    _check_number(cards)
    if cards and min(cards) > 0 and max(cards) <= KINDS:
        return tuple([card - 1 for card in cards])
    return tuple(map(card_from, cards))


def hands_from(hands: Sequence[pb.Hand]) -> tuple[Hand, ...]:
    """The hand of each seat; BadInput for another number of them."""
    if not SEATS_MIN <= len(hands) <= SEATS:
        raise BadInput(f"{len(hands)} hands were dealt, not {SEATS_MIN} to {SEATS}")
    return tuple(hand_from(hand.cards) for hand in hands)


def card_from(number: int) -> Card:
    """A card of the wire; BadInput where it is none."""
    if not 1 <= number <= CARDS_END or HIDDEN + 1 < number <= PHYSICAL:
        raise BadInput("the card is missing" if number == 0 else f"card {number} does not exist")
    return number - 1


def seat_from(number: int) -> int:
    """A seat of the wire; BadInput where it is none."""
    if not 0 <= number < SEATS:
        raise BadInput(f"seat {number} does not exist")
    return number


def suit_from(number: int) -> int:
    """A suit of the wire; BadInput where it is none."""
    if not 1 <= number <= 4:
        raise BadInput("the suit is missing" if number == 0 else f"suit {number} does not exist")
    return number - 1


def pair_from(values: Iterable[int]) -> tuple[int, int]:
    """A figure for each team; BadInput for another number of them."""
    pair = tuple(values)
    if len(pair) != 2:
        raise BadInput("a figure for each of the two teams is needed")
    return pair


def by_seat_from(values: Iterable[int]) -> tuple[int, ...]:
    """A figure for each seat of the stock game; BadInput for another number of them."""
    figures = tuple(values)
    if not SEATS_MIN <= len(figures) < SEATS:
        raise BadInput("a figure for each of two or three seats is needed")
    return figures


def team_from(message: Any, field: str, teams: int = 2) -> int:
    """The team in an optional field, NONE where it is absent; BadInput where it is none of so many."""
    if not message.HasField(field):
        return NONE
    team: int = getattr(message, field)
    if team >= teams:
        raise BadInput(f"team {team} does not exist")
    return team


def ladder_from(numbers: Sequence[int]) -> Ladder:
    """A bid ladder from its flattened pairs; BadInput where it is none."""
    if not numbers or len(numbers) % 2 or not all(numbers[1::2]):
        raise BadInput("a bid ladder is pairs of a bid and a step above zero")
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def _check_number(cards: Sequence[int]) -> None:
    if len(cards) > CARDS_MAX:
        raise BadInput(f"{len(cards)} cards are more than any deck has")
