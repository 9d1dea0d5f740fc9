"""Wishes: what a player or the house may ask of a table. `decide` turns them into events or rejects them.

Commands of a player carry the seat that sends them; the others are the house's, the director's or the tournament's.
"""

from __future__ import annotations

from pinochle.cards import CARDS_END, Card, Hand, Suit
from pinochle.decider import record
from pinochle.rules import RuleSet


@record
class PlayCard:
    """Play a card to the trick (section 11)."""

    seat: int
    card: Card


@record
class PlaceBid:
    """Bid this amount (R-AUC-02 to R-AUC-04)."""

    seat: int
    amount: int


@record
class Pass:
    """Leave the auction (R-AUC-05), with `helps` as a pass with help (R-AUC-06)."""

    seat: int
    helps: bool = False


@record
class NameTrump:
    """Name trump (R-TRU-01), and state whether the team declares out (R-TRU-02)."""

    seat: int
    suit: Suit
    declare_out: bool = False


@record
class PassCards:
    """Give cards to the partner: first declarer's partner, then the declarer (R-EXC-01, R-EXC-02)."""

    seat: int
    cards: Hand


@record
class Concede:
    """Give the hand up before the first lead (section 10)."""

    seat: int


@record
class KeepDeal:
    """Keep a dealt hand where the misdeal option is in force (R-DEAL-05)."""

    seat: int


@record
class ThrowIn:
    """Throw the deal in (R-DEAL-05)."""

    seat: int


@record
class ExchangeDix:
    """Swap this nine of trump for the turn-up, after winning a trick (R-TWO-08)."""

    seat: int
    card: Card


@record
class LayMeld:
    """Lay one meld after winning a trick (R-TWO-10)."""

    seat: int
    kind: str
    cards: Hand


@record
class Draw:
    """End the turn after a won trick: all draw, the winner first (R-TWO-07)."""

    seat: int


@record
class OpenTable:
    """Open a table (house). Lengths in ms; `deal_limit` 0 means none; `boards` names the boards it shares, if any.

    What seats do is given out on ticks of `beat_ms`; 0 for at once.
    """

    rules: RuleSet
    players: tuple[str, ...]
    dealer: int
    seed: bytes
    nonce: bytes = b""
    turn_ms: int = 0
    grace_ms: int = 0
    deal_limit: int = 0
    boards: str = ""
    tournament: str = ""
    match: str = ""
    beat_ms: int = 0


@record
class DealCards:
    """Deal this deck, index 0 first (house; R-DEAL-01)."""

    deck: tuple[Card, ...]


@record
class ExpireTurn:
    """Play for a seat whose time has run out at `at_ms` (house)."""

    seat: int
    at_ms: int


@record
class ExtendTurn:
    """Give the due seat until `until_ms` (house, after an outage; director)."""

    until_ms: int


@record
class VoidTable:
    """End the table without a result (director)."""

    reason: str


@record
class CloseTable:
    """Publish the seed of an ended table: its last act (house; the tournament where boards are shared)."""


PLAY_CARD = tuple(tuple(PlayCard(seat, card) for card in range(CARDS_END)) for seat in range(4))
"""Every PlayCard there is, by seat and card: records never change, and looking one up is cheaper than making it."""

PlayerCommand = (
    PlayCard | PlaceBid | Pass | NameTrump | PassCards | Concede | KeepDeal | ThrowIn | ExchangeDix | LayMeld | Draw
)  # fmt: skip
HouseCommand = OpenTable | DealCards | ExpireTurn | ExtendTurn | VoidTable | CloseTable
Command = PlayerCommand | HouseCommand

PLAYER_COMMANDS = (
    PlayCard, PlaceBid, Pass, NameTrump, PassCards, Concede, KeepDeal, ThrowIn, ExchangeDix, LayMeld, Draw,
)  # fmt: skip
