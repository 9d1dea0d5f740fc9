"""The game with a stock, written plainly from the rules (section 15): its melds, the dix, and whole deals."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from random import Random
from typing import Any

from tests.oracle.cards import RANKS, SUITS, in_display_order
from tests.oracle.tricks import legal_plays, trick_points, winning_index

Knobs = Mapping[str, Any]
Event = dict[str, Any]

SCALE_1 = {  # R-TWO-12: one, and both copies laid at once with double_melds linear and with bonus
    "run": (15, None, None), "dix": (1, None, None), "royal_marriage": (4, None, None), "marriage": (2, None, None),
    "aces_around": (10, 20, 100), "kings_around": (8, 16, 80), "queens_around": (6, 12, 60),
    "jacks_around": (4, 8, 40), "pinochle": (4, 8, 30),
}  # fmt: skip


def whole_deck() -> list[str]:
    """Every card with its copy letter (R-DECK-04)."""
    return [rank + suit + copy for suit in SUITS for rank in RANKS for copy in "ab"]


def faces(kind: str, trump: str) -> list[list[str]]:
    """What a meld of this kind is made of, copies aside; marriages come in three suits."""
    if kind == "marriage":
        return [["K" + suit, "Q" + suit] for suit in SUITS if suit != trump]
    if kind == "pinochle":
        return [["QS", "JD"]]
    if kind.endswith("_around"):
        return [[kind[0].upper() + suit for suit in SUITS]]
    return [[rank + trump for rank in {"run": "ATKQJ", "royal_marriage": "KQ", "dix": "9"}[kind]]]


def melds(
    knobs: Knobs, trump: str, hand: Sequence[str], uses: Mapping[str, Iterable[str]], credited: Iterable[str]
) -> list[Event]:
    """Every meld that may be laid (R-TWO-10 to R-TWO-14)."""
    found = []
    for kind, values in SCALE_1.items():
        fresh = []
        for card in hand:
            spent = kind in uses.get(card, ()) or (kind == "royal_marriage" and "run" in uses.get(card, ()))
            if not spent and not (kind == "dix" and card in credited):
                fresh.append(card)
        for needed in faces(kind, trump):
            choices = [[card for card in fresh if card[:2] == face] for face in needed]
            for cards in product(*choices):
                found.append(laid(knobs, kind, cards, values[0]))
            both = values[1] if knobs["double_melds"] == "linear" else values[2]
            if both is not None and all(len(copies) == 2 for copies in choices):
                found.append(laid(knobs, kind, [card for copies in choices for card in copies], both))
    return sorted(found, key=lambda meld: (meld["kind"], meld["cards"]))


def laid(knobs: Knobs, kind: str, cards: Iterable[str], points: int | None) -> Event:
    assert points is not None
    return {"kind": kind, "cards": in_display_order(cards), "points": points * knobs["scale"]}


def may_give(hand: Sequence[str], trump: str, turn_up: str) -> list[str]:
    """R-TWO-08."""
    if turn_up[:2] == "9" + trump:
        return []
    return in_display_order(card for card in hand if card[:2] == "9" + trump)


def dealt(knobs: Knobs, dealer: int, deck: Sequence[str]) -> tuple[list[list[str]], str, list[str]]:
    """Hands, turn-up and stock (R-TWO-01, R-TWO-02)."""
    players, waiting = knobs["players"], list(deck)
    hands: list[list[str]] = [[] for _ in range(players)]
    seat = (dealer + 1) % players
    while any(len(hand) < 12 for hand in hands):
        for _ in range(knobs["packet"]):
            if len(hands[seat]) < 12:
                hands[seat].append(waiting.pop(0))
        seat = (seat + 1) % players
    turn_up = waiting.pop(0)
    return [in_display_order(hand) for hand in hands], turn_up, waiting


class Stopped(Exception):
    """With `stock_end` immediate the game is over in the middle of a deal."""


class Game:
    """Deals of one game with random choices; `events` tell it in the form of the rule vectors."""

    def __init__(self, knobs: Knobs, dealer: int, decks: Sequence[Sequence[str]], chance: Random) -> None:
        self.knobs = knobs
        self.players: int = knobs["players"]
        self.chance = chance
        self.totals = [0] * self.players
        self.winner: int | None = None
        self.events: list[Event] = []
        for deck in decks:
            try:
                self.deal(dealer, deck)
            except Stopped:
                self.events.append({"t": "stopped", "totals": list(self.totals)})
            self.events.append({"t": "game_end", "over": self.winner is not None, "winner": self.winner})
            if self.winner is not None:
                return
            dealer = (dealer + 1) % self.players

    def deal(self, dealer: int, deck: Sequence[str]) -> None:
        self.hands, self.turn_up, self.stock = dealt(self.knobs, dealer, deck)
        self.is_phase_1 = True
        self.trump = self.turn_up[1]
        self.uses: dict[str, list[str]] = {}
        self.credited: list[str] = []
        bonus = self.dix(dealer, self.turn_up)
        self.events.append(
            {
                "t": "deal",
                "dealer": dealer,
                "hands": [list(hand) for hand in self.hands],
                "turn_up": self.turn_up,
                "trump": self.trump,
                "stock": len(self.stock),
                "dealer_bonus": bonus,
            }
        )
        self.credit(dealer, bonus)
        points, leader = [0] * self.players, (dealer + 1) % self.players
        while self.hands[leader]:
            trick = self.trick(leader)
            leader = (leader + winning_index(trick, self.trump)) % self.players
            last = not self.is_phase_1 and not self.hands[leader]
            points[leader] += trick_points(self.knobs, trick, last)
            self.events.append({"t": "trick", "winner": leader})
            if self.is_phase_1:
                self.after_trick(leader)
        self.totals = [total + more for total, more in zip(self.totals, points, strict=True)]
        told = {"trick_points": points, "last_trick": leader, "totals": list(self.totals)}
        self.events.append({"t": "deal_score", **told})
        ahead = [seat for seat, total in enumerate(self.totals) if total == max(self.totals)]
        if max(self.totals) >= self.knobs["target"] and len(ahead) == 1:
            self.winner = ahead[0]

    def dix(self, seat: int, card: str) -> int:
        """What a card earns as a nine of trump, once (R-TWO-14)."""
        if card[:2] != "9" + self.trump or card in self.credited:
            return 0
        self.credited.append(card)
        return int(self.knobs["scale"])

    def credit(self, seat: int, points: int) -> None:
        """Points at once; they may end the game (R-TWO-19)."""
        self.totals[seat] += points
        ahead = all(self.totals[seat] > self.totals[other] for other in range(self.players) if other != seat)
        there = ahead and self.totals[seat] >= self.knobs["target"]
        if self.knobs["stock_end"] == "immediate" and points > 0 and there:
            self.winner = seat
            raise Stopped

    def trick(self, leader: int) -> list[str]:
        trick: list[str] = []
        for step in range(self.players):
            seat = (leader + step) % self.players
            hand = self.hands[seat]
            legal: Any = "any" if self.is_phase_1 else legal_plays(self.knobs, hand, trick, self.trump)
            card = self.chance.choice(hand if legal == "any" else legal)
            hand.remove(card)
            trick.append(card)
            phase, points = 1 if self.is_phase_1 else 2, self.dix(seat, card)
            self.events.append({"t": "play", "phase": phase, "seat": seat, "card": card, "dix": points, "legal": legal})
            self.credit(seat, points)
        return trick

    def after_trick(self, seat: int) -> None:
        """Exchange, meld, draw (R-TWO-07 to R-TWO-09)."""
        hand = self.hands[seat]
        nines = may_give(hand, self.trump, self.turn_up)
        if nines and self.chance.random() < 0.7:
            gives, takes = self.chance.choice(nines), self.turn_up
            hand.remove(gives)
            hand.append(takes)
            self.turn_up, points = gives, self.dix(seat, gives)
            self.events.append({"t": "exchange", "seat": seat, "gives": gives, "takes": takes, "points": points})
            self.credit(seat, points)
        possible = melds(self.knobs, self.trump, hand, self.uses, self.credited)
        if possible and self.chance.random() < 0.8:
            meld = self.chance.choice(possible)
            for card in meld["cards"]:
                self.uses.setdefault(card, []).append(meld["kind"])
                if meld["kind"] == "dix":
                    self.credited.append(card)
            self.events.append({"t": "meld", "seat": seat, **meld})
            self.credit(seat, meld["points"])
        for step in range(self.players):
            drawer = (seat + step) % self.players
            if self.stock:
                card = self.stock.pop(0)
            else:
                card, self.is_phase_1 = self.turn_up, False
            self.hands[drawer].append(card)
            self.events.append({"t": "draw", "seat": drawer, "card": card})
