"""The lines of one deal: hands, the card turned up, the stock, or the whole deck."""

from __future__ import annotations

from collections import Counter

from pinochle import shuffle
from pinochle.cards import KINDS, NAMES, PHYSICAL, Card, Hand, cards_in, hand_of, parse_card, text
from pinochle.errors import BadNotation
from pinochle.events import HandDealt
from pinochle.notation.decks import deck_of
from pinochle.notation.letters import Letters
from pinochle.notation.lines import Annotation
from pinochle.state import State

_LINES = ("hand", "up", "stock", "deck")


class Deal:
    """What the text says of a deal; with a known seed or a deck line the rest is only compared."""

    def __init__(self, state: State, letters: Letters, said: Annotation, number: int) -> None:
        self.state = state
        self.rules = state.rules
        self.letters = letters
        self.said = said
        self.number = number  # the line that the deal begins in
        self.lines: dict[str, int] = {}
        self.hands: dict[int, Hand] = {}
        self.up: Card | None = None
        self.stock: tuple[Card, ...] | None = None
        self.whole: tuple[Card, ...] | None = None

    def line(self, head: list[str], body: list[str], number: int) -> bool:
        """Take a line of the deal; False where it is another line."""
        name = head[0]
        if name not in _LINES or (len(head) == 1) == (name == "hand"):
            return False
        self.lines[" ".join(head)] = number
        cards = [parse_card(self.letters.card(word, number)) for word in body if word != ","]
        if name == "hand":
            seat = int(head[1]) if len(head) == 2 and head[1] in "0123" else -1
            if not 0 <= seat < self.rules.players or seat in self.hands:
                raise BadNotation(f"expected one hand for each seat from 0 to {self.rules.players - 1}")
            if len(cards) != self.rules.hand_size:
                raise BadNotation(f"expected {self.rules.hand_size} cards in hand {seat}, found {len(cards)}")
            self._check_copies(cards)
            self.hands[seat] = hand_of(cards)
        elif name == "up":
            if len(cards) != 1:
                raise BadNotation(f"expected one card turned up, found {len(cards)}")
            self.up = cards[0]
        elif name == "stock":
            self.stock = tuple(cards)
        else:
            self.whole = tuple(cards)
        return True

    def deck(self) -> tuple[Card, ...]:
        """The deck that was dealt; BadNotation where the text says too little."""
        table = self.state.table
        if self.whole is not None:
            return self.whole
        if table.seed:
            return shuffle.shuffled(self.rules.cards, table.seed, self.state.deal + 1, table.nonce)
        missing = [f"hand {seat}" for seat in range(self.rules.players) if seat not in self.hands]
        if not self.rules.has_auction and self.up is None:
            missing.append("up")
        if self.rules.is_stock and self.stock is None:
            missing.append("stock")
        if missing:
            raise BadNotation(f"expected the line {missing[0]!r} in deal {self.state.deal + 1}")
        hands = [self.hands[seat] for seat in range(self.rules.players)]
        up = -1 if self.up is None else self.up
        if not self.rules.is_stock and up >= 0 and up not in cards_in(hands[self.state.dealer]):
            raise BadNotation(f"expected the card turned up, {NAMES[up]}, in hand {self.state.dealer}, the dealer's")
        return deck_of(self.rules, self.state.dealer, hands, up, self.stock or ())

    def difference(self, dealt: object) -> tuple[int, str] | None:
        """The first line that says otherwise than what was dealt, and what was expected there."""
        assert isinstance(dealt, HandDealt)
        expected = {f"hand {seat}": text(hand) for seat, hand in enumerate(dealt.hands)}
        found = {f"hand {seat}": text(hand) for seat, hand in self.hands.items()}
        if self.up is not None:
            expected["up"] = NAMES[dealt.turn_up] if dealt.turn_up >= 0 else "no such line"
            found["up"] = NAMES[self.up]
        if self.stock is not None:
            expected["stock"] = " ".join(NAMES[card] for card in dealt.stock) or "no such line"
            found["stock"] = " ".join(NAMES[card] for card in self.stock)
        for name, said in found.items():
            if said != expected[name]:
                return self.lines[name], f"expected '{name}: {expected[name]}', found {said!r}"
        return None

    def _check_copies(self, cards: list[Card]) -> None:
        """No card more often than the deck has it; copies are told apart in the stock game and only there."""
        for card in cards:
            if (card >= PHYSICAL) != self.rules.is_stock or (card < KINDS and card not in self.rules.cards):
                form = "with its copy, as in QSa" if self.rules.is_stock else "of this deck, without a copy letter"
                raise BadNotation(f"expected a card {form}, found {NAMES[card]}")
        dealt = Counter(cards)
        for hand in self.hands.values():
            dealt.update(cards_in(hand))
        for card, copies in dealt.items():
            in_deck = self.rules.cards.count(card)
            if copies > in_deck:
                raise BadNotation(f"expected at most {in_deck} {NAMES[card]} in all hands, found {copies}")
