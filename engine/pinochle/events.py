"""Facts: what happened at a table. Events carry conclusions (winner, points, score), so filing them computes nothing.

Teams are 0 (seats 0 and 2) and 1 (seats 1 and 3), R-SEAT-01; pairs such as `meld` are indexed by team. -1 means none.
"""

from __future__ import annotations

from pinochle.cards import CARDS_END, Card, Hand, Suit
from pinochle.decider import record
from pinochle.meld import Meld
from pinochle.rules import RuleSet

Pair = tuple[int, int]


@record
class CardPlayed:
    """A card was played to the trick."""

    seat: int
    card: Card


@record
class TrickWon:
    """A trick was won; `points` include the last-trick bonus when `last` (R-PLY-08, R-TPT-05)."""

    seat: int
    points: int
    last: bool


@record
class BidPlaced:
    """A bid was made."""

    seat: int
    amount: int


@record
class Passed:
    """A seat left the auction; `helps` is the public bit of R-AUC-06."""

    seat: int
    helps: bool


@record
class AuctionWon:
    """The auction ended; `forced` where the dealer got it without bidding (R-AUC-07 to R-AUC-09)."""

    seat: int
    bid: int
    forced: bool


@record
class DealAbandoned:
    """The deal ended unscored (R-DEAL-06, R-AUC-10); `next_dealer` deals again."""

    next_dealer: int


@record
class TrumpNamed:
    """The declarer named trump and, where the rules ask, declared out (R-TRU-01, R-TRU-02)."""

    seat: int
    suit: Suit
    declare_out: bool


@record
class CardsPassed:
    """Cards went from one partner to the other; secret to everybody else (R-EXC-04)."""

    giver: int
    receiver: int
    cards: Hand


@record
class MeldShown:
    """A seat's best combination, and the cards shown for it (R-MEL-01, R-MEL-12)."""

    seat: int
    points: int
    melds: tuple[Meld, ...]
    shown: Hand


@record
class MeldsTotaled:
    """Both teams' melds, before any minimum; `may_concede` is open to the declarer (section 10)."""

    meld: Pair
    may_concede: bool


@record
class PlaySkipped:
    """The hand is not played: ``no_marriage`` or ``short_meld`` (R-CLB-06, R-CLB-08)."""

    reason: str


@record
class Conceded:
    """The declarer gave the hand up (section 10)."""

    seat: int


@record
class HandScored:
    """The score of a hand; `bidder` is a team or -1 (section 13)."""

    bidder: int
    bid: int
    meld: Pair
    counted_meld: Pair
    trick_points: Pair
    tricks: Pair
    outcome: str
    delta: Pair
    totals: Pair


@record
class GameEnded:
    """The game is over; `winner` is a team, a seat of the stock game, or -1 (``score``, ``draw``, ``deal_limit``)."""

    winner: int
    reason: str


@record
class HandDealt:
    """Hands were dealt, indexed by seat; each is secret to its holder (R-DEAL-03). `number` counts from 1.

    `turn_up` is the card that TurnUpShown will show and secret until then (R-TRU-03, R-TWO-02); -1 with an auction.
    `stock` is the face-down stock of the stock game, next to draw first; nobody knows its order (R-VIS-04).
    """

    number: int
    dealer: int
    hands: tuple[Hand, ...]
    turn_up: Card
    stock: tuple[Card, ...] = ()


@record
class TurnUpShown:
    """A card is shown and fixes trump: the dealer's last one, in the stock game one that nobody holds."""

    card: Card
    trump: Suit


@record
class DealKept:
    """A seat kept its hand where the misdeal option is in force (R-DEAL-05)."""

    seat: int


@record
class DealThrownIn:
    """A seat threw the deal in (R-DEAL-05)."""

    seat: int


@record
class CardDrawn:
    """A card was drawn: from the face-down stock, secret to the drawer, or the turn-up (R-TWO-07, R-TWO-09)."""

    seat: int
    card: Card
    face_up: bool


@record
class DixExchanged:
    """A nine of trump was swapped for the turn-up and lies there now (R-TWO-08)."""

    seat: int
    gives: Card
    takes: Card


@record
class DixScored:
    """A nine of trump earned its points: by being turned up, exchanged or played (R-TWO-14)."""

    seat: int
    card: Card
    points: int


@record
class MeldLaid:
    """The winner of a trick laid a meld of this kind, scored at once (R-TWO-10, R-TWO-12)."""

    seat: int
    kind: str
    cards: Hand
    points: int


@record
class DealScored:
    """The end of a deal of the stock game: all figures by seat, `totals` after it (R-TWO-18)."""

    trick_points: tuple[int, ...]
    last_trick: int
    totals: tuple[int, ...]


@record
class TableOpened:
    """The table exists, with its whole rule set. `seed` is secret until TableClosed; `commitment` pins it."""

    rules: RuleSet
    players: tuple[str, ...]
    dealer: int
    commitment: bytes
    seed: bytes
    nonce: bytes
    turn_ms: int
    grace_ms: int
    deal_limit: int
    boards: str
    tournament: str
    match: str
    beat_ms: int = 0


@record
class TurnExpired:
    """The seat's time ran out; the events that follow in this act were chosen by the house."""

    seat: int


@record
class TurnExtended:
    """The due seat has until `until_ms` now."""

    until_ms: int


@record
class TableVoided:
    """The table ended without a result."""

    reason: str


@record
class TableClosed:
    """The table's last fact: its seed, for anyone to check the deals with."""

    seed: bytes


CARD_PLAYED = tuple(tuple(CardPlayed(seat, card) for card in range(CARDS_END)) for seat in range(4))
"""Every CardPlayed there is, by seat and card: records never change, and looking one up is cheaper than making it."""

Event = (
    CardPlayed | TrickWon | BidPlaced | Passed | AuctionWon | DealAbandoned | TrumpNamed | CardsPassed | MeldShown
    | MeldsTotaled | PlaySkipped | Conceded | HandScored | GameEnded | HandDealt | TurnUpShown | DealKept | DealThrownIn
    | CardDrawn | DixExchanged | DixScored | MeldLaid | DealScored
    | TableOpened | TurnExpired | TurnExtended | TableVoided | TableClosed
)  # fmt: skip
