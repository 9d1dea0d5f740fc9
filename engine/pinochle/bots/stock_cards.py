"""How `club` plays a card in the stock game: the points that the trick swings, and what the card is worth later.

In phase 1 any card may be played, so a card costs the melds that it is kept for, and winning earns the right to lay
one. In phase 2 all is strict; with two players the other hand is then known, and it is seen through to the end where
few cards are left.
"""

from __future__ import annotations

from pinochle.bots.stock_melding import Hopes, rounds_left, unseen_cards
from pinochle.cards import (
    COPIES,
    HIDDEN,
    HIGHER,
    PHYSICAL_MASK,
    RANK_OF,
    SUIT_CARDS,
    SUIT_OF,
    Card,
    Hand,
    Suit,
    count,
    kinds,
)
from pinochle.rules import RuleSet
from pinochle.state import NONE, State
from pinochle.stock import may_give
from pinochle.tricks import beats, legal_cards, winner

TRUMP_WORTH = (24.0, 19.0, 14.0, 12.0, 10.0, 7.0)
"""What a trump is worth in phase 2, by rank, in points of `tens_fives`."""
SIDE_WORTH = (9.0, 3.0, 1.0, 0.5, 0.0, 0.0)
"""The same for a card of another suit."""
BEATS_WITH_SUIT = 0.7
"""How often a player in phase 1 who can beat a card with a higher one of its suit does so."""
RUFFS = 0.25
"""The same with a trump."""
MELD_AT_ONCE = 0.35
"""The part of a complete meld's points that a won trick earns while many tricks are left; in the last it is all."""
NINE_SWAPPED = 12.0
"""What swapping a nine is worth: its credit and a better card."""
DENIED = 6.0
"""What it is worth that the others can't meld."""
LEAD = 0.15
"""Points that each player still to come adds to a trick, of an average card's."""
SOLVED_TRICKS_MAX = 5
"""Tricks at the end that are seen through to the last card where all hands are known."""


def best_card(view: State, legal: Hand) -> Card:
    """The card of `legal` to play, its seat being on turn; of equal ones the last in display order."""
    cards = kinds(legal)
    if len(cards) == 1:
        return cards[0]
    if view.turn_up == NONE and len(view.hands) == 2 and len(kinds(view.hands[view.turn])) <= SOLVED_TRICKS_MAX:
        return _solved(view)
    table = _Table(view)
    best, best_worth = NONE, 0.0
    for card in cards:
        worth = table.worth(card)
        if best < 0 or worth >= best_worth:
            best, best_worth = card, worth
    return best


class _Table:
    """What the seat on turn knows of the others' cards, of the trick and of its melds; made for one choice."""

    __slots__ = (
        "after", "hopes", "is_first_phase", "known", "led", "missing", "on_table", "prize", "trump", "unit", "unseen",
        "values", "winning",
    )  # fmt: skip

    def __init__(self, view: State) -> None:
        seat, rules, trick, players = view.turn, view.rules, view.trick, len(view.hands)
        self.trump, self.values = view.trump, rules.trick_values
        self.unit = rules.trick_total / 250
        self.is_first_phase = view.turn_up != NONE
        self.unseen = unseen = unseen_cards(view, seat)
        self.known = [hand & PHYSICAL_MASK for hand in view.hands]
        total = unseen.bit_count()
        hidden = [count(hand, HIDDEN) for hand in view.hands]
        self.missing = [1.0 - held / total if total else 1.0 for held in hidden]
        self.after = [(seat + step) % players for step in range(1, players - len(trick))]
        self.led, self.winning = NONE, NONE
        if trick:
            self.led, self.winning = SUIT_OF[trick[0]], trick[winner(trick, view.trump)]
        average = rules.trick_total / len(rules.cards)
        self.on_table = LEAD * average * len(self.after) + sum(rules.trick_values[RANK_OF[card]] for card in trick)
        self.hopes = Hopes(view, unseen) if self.is_first_phase else None
        self.prize = self._prize(view) if self.hopes else 0.0

    def _prize(self, view: State) -> float:
        """What winning a trick of phase 1 is worth besides its points."""
        assert self.hopes is not None
        rounds = rounds_left(view)
        ready = self.hopes.ready[:rounds]
        prize = DENIED * self.unit
        if ready:
            # The more melds wait for each trick that is left, the more a lost trick costs.
            pressure = min(1.0, len(ready) / rounds)
            prize += ready[0] * (MELD_AT_ONCE + (1.0 - MELD_AT_ONCE) * pressure)
        if may_give(view.hands[view.turn], view.trump, view.turn_up):
            prize += NINE_SWAPPED * self.unit / rounds
        if rounds == 1:
            prize -= self._later(view.turn_up)  # goes to the last in drawing order
        return prize

    def worth(self, card: Card) -> float:
        """Expected points for the seat less the others', and less what the card is worth later."""
        chance = self._chance_to_hold(card) if self.led == NONE or beats(card, self.winning, self.trump) else 0.0
        points = self.on_table + self.values[RANK_OF[card]]
        kept = self._later(card) + (self.hopes.kept(card) if self.hopes else 0.0)
        return (2.0 * chance - 1.0) * points + chance * self.prize - kept

    def _later(self, card: Card) -> float:
        """What a card is worth in phase 2."""
        if SUIT_OF[card] == self.trump:
            return self.unit * TRUMP_WORTH[RANK_OF[card]]
        if self.is_first_phase:
            return self.unit * SIDE_WORTH[RANK_OF[card]]
        if self.led == NONE and not self.unseen & HIGHER[card]:
            return 0.0  # cash what nothing beats
        return self.unit * SIDE_WORTH[RANK_OF[card]]

    def _chance_to_hold(self, card: Card) -> float:
        """The chance that nobody still to come beats the card."""
        led = SUIT_OF[card] if self.led == NONE else self.led
        chance = 1.0
        for seat in self.after:
            chance *= 1.0 - self._chance_to_beat(seat, card, led)
        return chance

    def _chance_to_beat(self, seat: int, card: Card, led: Suit) -> float:
        higher = self._chance_of(seat, HIGHER[card])
        if SUIT_OF[card] == self.trump:
            if self.is_first_phase:
                return higher * BEATS_WITH_SUIT
            return higher if led == self.trump else (1.0 - self._chance_of(seat, SUIT_CARDS[led])) * higher
        trumps = self._chance_of(seat, SUIT_CARDS[self.trump])
        if self.is_first_phase:
            above = higher * BEATS_WITH_SUIT
            return above + (1.0 - above) * trumps * RUFFS
        return higher + (1.0 - higher) * (1.0 - self._chance_of(seat, SUIT_CARDS[led])) * trumps

    def _chance_of(self, seat: int, cards: Hand) -> float:
        """The chance that a seat holds one of these cards."""
        if self.known[seat] & cards:
            return 1.0
        return 1.0 - self.missing[seat] ** (self.unseen & cards).bit_count()


def _solved(view: State) -> Card:
    """The best card where both hands are known, all play being perfect."""
    seat = view.turn
    hands = [0, 0]
    hands[seat] = view.hands[seat] & PHYSICAL_MASK
    hands[1 - seat] = (view.hands[1 - seat] & PHYSICAL_MASK) | unseen_cards(view, seat)
    card, _ = _End(view.rules, view.trump).best((hands[0], hands[1]), seat, view.trick)
    return card


class _End:
    """The last tricks of two known hands; made for one choice, and remembers what it has found."""

    __slots__ = ("_found", "_rules", "_trump")

    def __init__(self, rules: RuleSet, trump: Suit) -> None:
        self._rules = rules
        self._trump = trump
        self._found: dict[tuple[tuple[Hand, Hand], int], tuple[Card, int]] = {}

    def best(self, hands: tuple[Hand, Hand], seat: int, trick: tuple[Card, ...]) -> tuple[Card, int]:
        """The card to play, and what it makes: points of this trick and all later ones, the seat's less the other's."""
        if not trick and (hands, seat) in self._found:
            return self._found[hands, seat]
        best, best_points = NONE, 0
        for card in _different(legal_cards(self._rules, hands[seat], trick, self._trump)):
            points = self._after(hands, seat, trick, card)
            if best < 0 or points > best_points:
                best, best_points = card, points
        if not trick:
            self._found[hands, seat] = best, best_points
        return best, best_points

    def _after(self, hands: tuple[Hand, Hand], seat: int, trick: tuple[Card, ...], card: Card) -> int:
        mine = hands[seat] ^ COPIES[card]
        rest = (hands[0], mine) if seat else (mine, hands[1])
        if not trick:
            return -self.best(rest, 1 - seat, (card,))[1]
        values = self._rules.trick_values
        points = values[RANK_OF[trick[0]]] + values[RANK_OF[card]]
        wins = beats(card, trick[0], self._trump)
        if not rest[0] | rest[1]:
            points += self._rules.last_trick
            return points if wins else -points
        if wins:
            return points + self.best(rest, seat, ())[1]
        return -points - self.best(rest, 1 - seat, ())[1]


def _different(cards: Hand) -> list[Card]:
    """The cards, one of two copies only."""
    found: list[Card] = []
    for card in kinds(cards):
        if not found or found[-1] ^ card != 1:
            found.append(card)
    return found
