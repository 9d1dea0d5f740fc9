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
        name = head[0] if head else ""
        if name not in _LINES or (len(head) == 1) == (name == "hand"):
            return False
        cards = [parse_card(self.letters.card(word, number)) for word in body if word != ","]
        if name == "hand":
            self._hand(head[1:], cards)
        elif name in self.lines:
            raise BadNotation(f"there is a line {name!r} in this deal already")
        elif name == "up":
            self._up(cards)
        elif name == "stock":
            self._stock(cards)
        else:
            self._deck(cards)
        self.lines[" ".join(head)] = number
        return True

    def contradiction(self) -> tuple[int, str] | None:
        """The line that cannot be true beside another, and why, where the hands and the turn-up make the deck."""
        if self.whole is not None or self.state.table.seed or self.rules.is_stock or self.up is None:
            return None
        dealer = self.state.dealer
        if dealer not in self.hands or self.up in cards_in(self.hands[dealer]):
            return None
        return self.lines["up"], f"expected a card of hand {dealer}, the dealer's, turned up, found {NAMES[self.up]}"

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

    def _hand(self, named: list[str], cards: list[Card]) -> None:
        seats = [str(seat) for seat in range(self.rules.players)]
        seat = int(named[0]) if len(named) == 1 and named[0] in seats else -1
        if seat < 0 or seat in self.hands:
            raise BadNotation(f"expected one hand for each seat from 0 to {self.rules.players - 1}")
        self._check_number(cards, self.rules.hand_size, f"in hand {seat}")
        self._check_copies(cards)
        self.hands[seat] = hand_of(cards)

    def _up(self, cards: list[Card]) -> None:
        if self.rules.has_auction:
            raise BadNotation("expected no line 'up': no card is turned up in this game")
        self._check_number(cards, 1, "turned up")
        # With a stock it is a card of its own, otherwise one of the dealer's hand.
        self._check_copies(cards, also_in_a_hand=not self.rules.is_stock)
        self.up = cards[0]

    def _stock(self, cards: list[Card]) -> None:
        if not self.rules.is_stock:
            raise BadNotation("expected no line 'stock': this game has none")
        face_down = len(self.rules.cards) - self.rules.players * self.rules.hand_size - 1
        self._check_number(cards, face_down, "in the stock")
        self._check_copies(cards)
        self.stock = tuple(cards)

    def _deck(self, cards: list[Card]) -> None:
        self._check_number(cards, len(self.rules.cards), "in the deck")
        self._check_forms(cards)
        for card, copies in Counter(cards).items():
            self._check_count(card, copies, "in the deck")
        self.whole = tuple(cards)

    def _check_number(self, cards: list[Card], number: int, where: str) -> None:
        if len(cards) != number:
            raise BadNotation(f"expected {number} card{'' if number == 1 else 's'} {where}, found {len(cards)}")

    def _check_copies(self, cards: list[Card], *, also_in_a_hand: bool = False) -> None:
        """No card more often than the deck has it, in this line and those before it."""
        self._check_forms(cards)
        dealt = Counter(cards)
        if not also_in_a_hand:
            for hand in self.hands.values():
                dealt.update(cards_in(hand))
        if self.rules.is_stock:
            dealt.update(self.stock or ())
            dealt.update(() if self.up is None else (self.up,))
        where = "in hands, stock and turned up" if self.rules.is_stock else "in all hands"
        for card in cards:
            self._check_count(card, dealt[card], where)

    def _check_forms(self, cards: list[Card]) -> None:
        """Cards of this deck; copies are told apart in the stock game and only there."""
        for card in cards:
            if (card >= PHYSICAL) != self.rules.is_stock or (card < KINDS and card not in self.rules.cards):
                form = "with its copy, as in QSa" if self.rules.is_stock else "of this deck, without a copy letter"
                raise BadNotation(f"expected a card {form}, found {NAMES[card]}")

    def _check_count(self, card: Card, copies: int, where: str) -> None:
        in_deck = self.rules.cards.count(card)
        if copies > in_deck:
            raise BadNotation(f"expected at most {in_deck} {NAMES[card]} {where}, found {copies}")
