"""Sound rows for the kernel, from rule sets, states and hands; and the kernel's cards as those of the library.

>>> from pinochle.rules import load
>>> sum(PURE.deal_and_play(load("classic"), seed=1, number=10))
2500
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

from pinochle import tricks
from pinochle.cards import HIDDEN, PHYSICAL, RANK_OF, SUIT_OF, Card, Hand, card_of, count, hand_of, kinds, size
from pinochle.errors import BadInput
from pinochle.rules import RuleSet
from pinochle.search import kernel
from pinochle.search.kernel import Row
from pinochle.state import NONE, PLAY, State

MUST_BEAT = {"none": kernel.NEVER, "led": kernel.THE_LED, "winning": kernel.THE_WINNING}


@dataclass(frozen=True, slots=True)
class Kernel:
    """The functions of `pinochle.search.kernel`, interpreted or compiled, and `row`, which makes the rows they take.

    `deal` and the functions on rows are for searches that keep their rows; the methods make rows as they go.
    """

    name: str
    row: Callable[[Iterable[int]], Row]
    functions: dict[str, Callable[..., Any]]

    def rules(self, rules: RuleSet) -> Row:
        """The rules of trick play as a row."""
        return self.row(rules_row(rules))

    def position(self, state: State, hands: Sequence[Hand]) -> Row:
        """A state of trick play, with these hands, as a row; BadInput where they do not fit."""
        return self.row(from_state(state, hands))

    def playouts(self, rules: Row, position: Row, seed: int, number: int) -> list[int]:
        """Each team's final trick points, summed over `number` random playouts of a position, which stays as it is."""
        scratch, sums = self.row([0] * kernel.POSITION_LENGTH), self.row([0] * kernel.SEATS_MAX)
        self.functions["playouts"](rules, position, scratch, kernel.seeded(seed), number, sums)
        return [int(points) for points in sums[: rules[kernel.TEAMS]]]

    def deal_and_play(self, rules: RuleSet, seed: int, number: int) -> list[int]:
        """Each team's trick points, summed over `number` hands dealt and played at random with random trumps."""
        row, sums = self.rules(rules), self.row([0] * kernel.SEATS_MAX)
        scratch, deck = self.row([0] * kernel.POSITION_LENGTH), self.row(deck_row(rules))
        self.functions["deal_and_play"](row, scratch, deck, kernel.seeded(seed), number, sums)
        return [int(points) for points in sums[: row[kernel.TEAMS]]]


PURE = Kernel("python", list, {function.__name__: function for function in kernel.COMPILABLE})
"""The kernel as it stands, without anything to install."""


@cache
def compiled() -> Kernel | None:
    """The kernel compiled by numba; None where that is not installed."""
    if find_spec("numba") is None:
        return None
    from pinochle.search import by_numba

    return Kernel("numba", by_numba.row, by_numba.functions())


def fastest() -> Kernel:
    """The compiled kernel where there is one, else the interpreted."""
    return compiled() or PURE


def rules_row(rules: RuleSet) -> list[int]:
    """The knobs of trick play; in the stock game every player is a team, and the row is that of phase 2."""
    teams = rules.players if rules.is_stock else 2
    shift = rules.copies.bit_length() - 1
    beat, overtrump = MUST_BEAT[rules.must_beat], int(rules.must_overtrump)
    return [rules.players, teams, rules.hand_size, shift, beat, overtrump, rules.last_trick, *rules.trick_values]


def deck_row(rules: RuleSet) -> list[int]:
    """Every physical card of the deck as the kernel deals it."""
    bits = len(rules.cards) // 4
    return [suit << kernel.CARD_SUIT_AT | at for suit in range(4) for at in range(bits)]


def from_state(state: State, hands: Sequence[Hand]) -> list[int]:
    """A state of trick play as a row, with these hands in place of those that the viewer may know in part.

    Of equal cards a hand is given the lowest bits. In the stock game only phase 2 is strict play; what a nine of trump
    earns when it is played is no trick point and left out. BadInput where the state is not at such play, a card is
    unknown, or the hands and the cards played are not the deck.
    """
    rules, trick = state.rules, state.trick
    if state.phase != PLAY or (rules.is_stock and state.turn_up != NONE):
        raise BadInput("only strict trick play can be searched")
    _check_hands(state, hands)
    row = [0] * kernel.POSITION_LENGTH
    row[kernel.TRUMP], row[kernel.TURN] = state.trump, state.turn
    row[kernel.TRICKS_LEFT] = size(hands[state.turn])
    row[kernel.LAID] = len(trick)
    if trick:
        winner = tricks.winner(trick, state.trump)
        best = trick[winner]
        row[kernel.LED], row[kernel.LED_RANK] = SUIT_OF[trick[0]], RANK_OF[trick[0]]
        row[kernel.BEST], row[kernel.BEST_RANK] = SUIT_OF[best], RANK_OF[best]
        row[kernel.BEST_SEAT] = (state.leader + winner) % rules.players
        row[kernel.WORTH] = sum(rules.trick_values[RANK_OF[card]] for card in trick)
    row[kernel.POINTS : kernel.POINTS + len(state.trick_points)] = state.trick_points
    for seat, hand in enumerate(hands):
        row[kernel.HANDS + 4 * seat : kernel.HANDS + 4 * seat + 4] = suits_of(hand, rules.copies)
    return row


def suits_of(hand: Hand, copies: int) -> list[int]:
    """A known hand as the kernel's four suits, of equal cards the lowest bits; physical cards have their own."""
    suits = [0, 0, 0, 0]
    for card in kinds(hand):
        suit, rank = SUIT_OF[card], RANK_OF[card]
        if card < PHYSICAL:
            suits[suit] |= ((1 << count(hand, card)) - 1) << rank * copies
        else:
            suits[suit] |= 1 << (card - PHYSICAL - suit * _PHYSICAL_OF_SUIT)
    return suits


def card_at(rules: RuleSet, suit: int, at: int) -> Card:
    """The card that a bit of a suit stands for: a kind, in the stock game a physical card."""
    if rules.is_stock:
        return PHYSICAL + int(suit) * _PHYSICAL_OF_SUIT + int(at)
    return card_of(int(suit), int(at) // rules.copies)


def legal_cards(rules: RuleSet, position: Row, suit: int, cards: int) -> Hand:
    """What the kernel's `legal` returned, as a hand."""
    hand = kernel.HANDS + 4 * int(position[kernel.TURN])
    sets = {int(suit): int(cards)} if suit >= 0 else {one: int(position[hand + one]) for one in range(4)}
    return hand_of(card_at(rules, one, at) for one, held in sets.items() for at in range(32) if held >> at & 1)


_PHYSICAL_OF_SUIT = 12


def _check_hands(state: State, hands: Sequence[Hand]) -> None:
    if len(hands) != state.rules.players:
        raise BadInput(f"{state.rules.players} hands are needed, not {len(hands)}")
    for seat, (hand, held) in enumerate(zip(hands, state.hands, strict=True)):
        if hand < 0 or count(hand, HIDDEN):
            raise BadInput(f"seat {seat} holds cards that are not known")
        if size(hand) != size(held):
            raise BadInput(f"seat {seat} holds {size(held)} cards, not {size(hand)}")
    if sum(hands) + state.played != hand_of(state.rules.cards):
        raise BadInput("the hands and the cards played are not the whole deck")
