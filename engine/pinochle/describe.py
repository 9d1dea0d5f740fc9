"""Events for people, one line each, and as plain values for JSON.

Suits are the letters S H D C, or with `symbols` the signs of the suits. Seats are shown by number, with the
player's id where `players` are given. Hidden cards are counted, not listed; in the stock game each card has its copy
letter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from pinochle import commands as c
from pinochle import events as e
from pinochle.cards import CARDS_END, HIDDEN, NAMES, SUITS, Card, Hand, Suit, count, names
from pinochle.meld import Meld
from pinochle.rules import RuleSet
from pinochle.texts import shown
from pinochle.tournament.events import TablesPinned

SIGNS = "♠♥♦♣"
_TO_SIGNS = str.maketrans(SUITS, SIGNS)
_TEAMS = ("team 0", "team 1")


def describe(event: Any, *, symbols: bool = False, players: Sequence[str] = (), teams: bool = True) -> str:
    """One line that says what happened, without its line break; for an event of a table or of a tournament.

    `teams` is False at tables of the stock game, where a seat wins and no team.
    """
    line = _LINES.get(event.__class__)
    return line(event, _Words(symbols, players, teams)) if line else _named(event)


def plain(value: Any) -> dict[str, Any]:
    """An event or command as names and values that JSON can hold: cards as text, bytes in hexadecimal."""
    table = value.__class__ in _TABLE
    said = {f.name: _plain(getattr(value, f.name), _CARDS.get(f.name) if table else None) for f in fields(value)}
    return {
        "event" if value.__class__.__module__.endswith("events") else "command": value.__class__.__name__,
        **said,
    }


def card_text(card: Card, *, symbols: bool = False) -> str:
    """``TH``, or the rank with the suit's sign; behind it the copy letter of a physical card."""
    return _signed(NAMES[card]) if symbols else NAMES[card]


def hand_text(hand: Hand, *, symbols: bool = False) -> str:
    """The known cards in display order, and how many others there are."""
    unknown = count(hand, HIDDEN)
    known = [_signed(name) if symbols else name for name in names(hand) if name != "??"]
    return " ".join([*known, *([f"{unknown} hidden"] if unknown else [])]) or "nothing"


def _signed(name: str) -> str:
    return name[0] + name[1].translate(_TO_SIGNS) + name[2:]


def _named(event: Any) -> str:
    """An event of a tournament: its name in words, then each of its fields, but for the rules."""
    if isinstance(event, TablesPinned):
        return f"tables pinned: {len(event.tables)}, {event.tables[0].table} to {event.tables[-1].table}"
    name = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in event.__class__.__name__)
    said = [f"{name} {_listed(value)}" for name, value in list(plain(event).items())[1:] if name != "rules"]
    return f"{name.strip()}: {', '.join(said)}" if said else name.strip()


def _listed(value: Any) -> str:
    if isinstance(value, list):
        return "(" + " ".join(map(_listed, value)) + ")"
    return shown(value).replace("_", " ") if isinstance(value, str) else str(value)


class _Words:
    """The words of one line: how seats, cards and suits are written."""

    def __init__(self, symbols: bool, players: Sequence[str], teams: bool) -> None:
        self.symbols = symbols
        self.players = players
        self.teams = teams

    def seat(self, seat: int) -> str:
        return f"seat {seat} ({self.players[seat]})" if 0 <= seat < len(self.players) else f"seat {seat}"

    def card(self, card: Card) -> str:
        return card_text(card, symbols=self.symbols)

    def hand(self, hand: Hand) -> str:
        return hand_text(hand, symbols=self.symbols)

    def suit(self, suit: Suit) -> str:
        return SIGNS[suit] if self.symbols else SUITS[suit]

    def meld(self, meld: Meld) -> str:
        suit = "" if meld.suit is None else f" in {self.suit(meld.suit)}"
        copies = "" if meld.copies == 1 else f"{meld.copies} x "
        return f"{copies}{meld.name.replace('_', ' ')}{suit} {meld.points}"


def _pair(pair: tuple[int, int]) -> str:
    return f"{pair[0]} to {pair[1]}"


def _team(team: int) -> str:
    return _TEAMS[team] if team in (0, 1) else "nobody"


def _opened(x: e.TableOpened, w: _Words) -> str:
    seats = ", ".join(f"{seat} {player}" for seat, player in enumerate(x.players))
    turn = f"{x.turn_ms / 1000:g} s a turn" if x.turn_ms else "no time limit"
    most = f", at most {x.deal_limit} deals" if x.deal_limit else ""
    turn += f", a beat of {x.beat_ms} ms" if x.beat_ms else ""
    pinned = f"commitment {x.commitment.hex()}" if x.commitment else "no commitment is known"
    return f"table opened: seats {seats}; seat {x.dealer} deals first; {turn}{most}; {pinned}"


def _dealt(x: e.HandDealt, w: _Words) -> str:
    hands = "; ".join(f"{seat}: {w.hand(hand)}" for seat, hand in enumerate(x.hands))
    unseen = x.stock.count(HIDDEN)
    stock = f"{unseen} hidden" if unseen else " ".join(map(w.card, x.stock))
    return f"deal {x.number} by {w.seat(x.dealer)}: {hands}{f'; stock: {stock}' if x.stock else ''}"


def _meld_shown(x: e.MeldShown, w: _Words) -> str:
    if not x.melds:
        return f"{w.seat(x.seat)} melds nothing"
    return f"{w.seat(x.seat)} melds {x.points}: {', '.join(map(w.meld, x.melds))}; shows {w.hand(x.shown)}"


def _scored(x: e.HandScored, w: _Words) -> str:
    contract = f"{_team(x.bidder)} bid {x.bid}: {x.outcome}; " if x.bidder >= 0 else ""
    meld = f"meld {_pair(x.meld)}, counted {_pair(x.counted_meld)}"
    score = f"score {x.delta[0]:+d} and {x.delta[1]:+d}, totals {_pair(x.totals)}"
    return f"{contract}{meld}; trick points {_pair(x.trick_points)}; {score}"


def _ended(x: e.GameEnded, w: _Words) -> str:
    result = f"{_team(x.winner) if w.teams else w.seat(x.winner)} wins" if x.winner >= 0 else "no winner"
    return f"the game is over: {result} ({x.reason.replace('_', ' ')})"


def _drawn(x: e.CardDrawn, w: _Words) -> str:
    card = "a card" if x.card == HIDDEN else w.card(x.card)
    return f"{w.seat(x.seat)} {'takes the turn-up' if x.face_up else 'draws'} {card}"


def _laid(x: e.MeldLaid, w: _Words) -> str:
    return f"{w.seat(x.seat)} lays {x.kind.replace('_', ' ')} {w.hand(x.cards)}: {x.points} points"


def _deal_scored(x: e.DealScored, w: _Words) -> str:
    points, totals = (" to ".join(map(str, figures)) for figures in (x.trick_points, x.totals))
    return f"trick points {points}, the last trick to {w.seat(x.last_trick)}; totals {totals}"


_LINES: dict[type, Callable[[Any, _Words], str]] = {
    e.CardPlayed: lambda x, w: f"{w.seat(x.seat)} plays {w.card(x.card)}",
    e.TrickWon: lambda x, w: f"{w.seat(x.seat)} wins the {'last ' if x.last else ''}trick, {x.points} points",
    e.BidPlaced: lambda x, w: f"{w.seat(x.seat)} bids {x.amount}",
    e.Passed: lambda x, w: f"{w.seat(x.seat)} passes{' with help' if x.helps else ''}",
    e.AuctionWon: lambda x, w: f"{w.seat(x.seat)} has the contract at {x.bid}{', forced' if x.forced else ''}",
    e.DealAbandoned: lambda x, w: f"the deal is not scored; {w.seat(x.next_dealer)} deals",
    e.TrumpNamed: lambda x, w: (
        f"{w.seat(x.seat)} names {w.suit(x.suit)} trump{' and declares out' if x.declare_out else ''}"
    ),
    e.CardsPassed: lambda x, w: f"{w.seat(x.giver)} passes {w.hand(x.cards)} to {w.seat(x.receiver)}",
    e.MeldShown: _meld_shown,
    e.MeldsTotaled: lambda x, w: f"melds: {_pair(x.meld)}{'; the hand may be conceded' if x.may_concede else ''}",
    e.PlaySkipped: lambda x, w: f"the hand is not played: {x.reason.replace('_', ' ')}",
    e.Conceded: lambda x, w: f"{w.seat(x.seat)} concedes",
    e.HandScored: _scored,
    e.GameEnded: _ended,
    e.HandDealt: _dealt,
    e.TurnUpShown: lambda x, w: f"{w.card(x.card)} is turned up: {w.suit(x.trump)} is trump",
    e.DealKept: lambda x, w: f"{w.seat(x.seat)} keeps the deal",
    e.DealThrownIn: lambda x, w: f"{w.seat(x.seat)} throws the deal in",
    e.CardDrawn: _drawn,
    e.DixExchanged: lambda x, w: f"{w.seat(x.seat)} gives {w.card(x.gives)} for the turn-up {w.card(x.takes)}",
    e.DixScored: lambda x, w: f"{w.seat(x.seat)} scores {x.points} for {w.card(x.card)}",
    e.MeldLaid: _laid,
    e.DealScored: _deal_scored,
    e.TableOpened: _opened,
    e.TurnExpired: lambda x, w: f"the time of {w.seat(x.seat)} ran out; the house plays",
    e.TurnExtended: lambda x, w: f"the turn is extended until {x.until_ms} ms",
    e.TableVoided: lambda x, w: f"the table ends without a result: {shown(x.reason)}",
    e.TableClosed: lambda x, w: f"the seed was {x.seed.hex()}" if x.seed else "the seed is not known",
}

_TABLE = frozenset(
    {
        *_LINES,
        *c.PLAYER_COMMANDS,
        c.OpenTable,
        c.DealCards,
        c.ExpireTurn,
        c.ExtendTurn,
        c.VoidTable,
        c.CloseTable,
    }
)


def _card_or_none(card: Card) -> str | None:
    return NAMES[card] if 0 <= card < CARDS_END else None


def _suit_or_none(suit: Suit) -> str | None:
    return SUITS[suit] if 0 <= suit < len(SUITS) else None


_CARDS: dict[str, Callable[[Any], Any]] = {
    "card": _card_or_none,
    "turn_up": _card_or_none,
    "gives": _card_or_none,
    "takes": _card_or_none,
    "cards": names,
    "shown": names,
    "hands": lambda hands: [names(hand) for hand in hands],
    "deck": lambda deck: list(map(_card_or_none, deck)),
    "stock": lambda stock: list(map(_card_or_none, stock)),
    "suit": _suit_or_none,
    "trump": _suit_or_none,
    "melds": lambda melds: [
        {
            "meld": x.name,
            "suit": None if x.suit is None else SUITS[x.suit],
            "copies": x.copies,
            "points": x.points,
        }
        for x in melds
    ],
}


def _plain(value: Any, written: Callable[[Any], Any] | None) -> Any:
    if written is not None:
        return written(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, RuleSet):
        return value.knobs()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {str(key): _plain(item, None) for key, item in value.items()}
    if isinstance(value, (tuple, list, set, frozenset)):
        return [_plain(item, None) for item in value]
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name), None) for f in fields(value)}
    return value
