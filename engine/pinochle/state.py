"""What the facts of a table add up to, for the house and, folded from redacted events, for every viewer alike.

`fold` copies a state once and files the events of one act in the copy; `evolve` is the fold of one event. `advance`
files them in the state itself, for whoever alone holds it. Nothing else changes a state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pinochle import partnership_state, stock_state
from pinochle.cards import Card, Hand, Suit
from pinochle.decider import HOUSE
from pinochle.events import (
    Event,
    GameEnded,
    HandScored,
    MeldShown,
    TableClosed,
    TableOpened,
    TableVoided,
    TurnExpired,
    TurnExtended,
)
from pinochle.phases import (
    AUCTION,
    CLOSED,
    DEAL,
    DRAW,
    EXCHANGE,
    MISDEAL,
    NEW,
    NONE,
    OVER,
    PHASES,
    PLAY,
    RETURN,
    TRUMP,
)  # fmt: skip
from pinochle.rules import RuleSet
from pinochle.stock_state import NO_STOCK, Stock

__all__ = [
    "AUCTION", "CLOSED", "DEAL", "DRAW", "EXCHANGE", "MISDEAL", "NEW", "NONE", "OVER", "PHASES", "PLAY", "RETURN",
    "TRUMP", "State", "Stock", "advance", "evolve", "fold", "initial", "resumed",
]  # fmt: skip


class State:
    """A table. Seats are 0 to 3, teams 0 and 1, times ms since the epoch; NONE (-1) where there is none.

    In the stock game nobody has a partner, so whatever is by team is by seat there.
    """

    rules: RuleSet
    table: TableOpened  # what the table was opened with; its seed is empty until the viewer may know it
    version: int  # acts folded
    turn_version: int  # the version at which the present turn began
    now_ms: int  # the time of the latest act
    deadline_ms: int  # when the present turn ends; 0 for never
    phase: int
    turn: int  # the seat to act, or HOUSE
    dealer: int
    deal: int  # deals dealt, unscored ones included
    scored: int  # deals scored
    totals: tuple[int, ...]  # by team
    hands: tuple[Hand, ...]  # what each seat holds, HIDDEN where the viewer does not know
    passed: int  # bit s: seat s has passed
    bid: int  # the standing bid, the contract once there is a declarer; 0 for none
    bidder: int  # who made it
    declarer: int
    declared_out: bool
    trump: Suit
    turn_up: Card  # the card that will be, or was, shown (R-TRU-03); in the stock game until it is drawn
    melds: tuple[MeldShown | None, ...]  # by seat
    meld: tuple[int, int]  # by team, before any minimum
    may_concede: bool
    leader: int
    trick: tuple[Card, ...]  # cards of the present trick, in order from the leader
    played: Hand  # every card played in this deal
    trick_points: tuple[int, ...]  # by team
    tricks: tuple[int, ...]  # by team
    last_score: HandScored | None
    stock: Stock | None  # of a table of the stock game
    winner: int
    end_reason: str
    options: object  # what `legal` found for this state; forgotten with the next act

    __slots__ = (  # noqa: RUF023 (in the order of the facts above, `options` last)
        "rules", "table", "version", "turn_version", "now_ms", "deadline_ms", "phase", "turn", "dealer",
        "deal", "scored", "totals", "hands", "passed", "bid", "bidder", "declarer", "declared_out", "trump",
        "turn_up", "melds", "meld", "may_concede", "leader", "trick", "played", "trick_points", "tricks",
        "last_score", "stock", "winner", "end_reason", "options",
    )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and all(getattr(self, name) == getattr(other, name) for name in _FACTS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in _FACTS if name not in ("rules", "table"))
        return f"State({shown})"


_FACTS = State.__slots__[:-1]


def initial() -> State:
    """A table before it is opened: no rules, no players."""
    state = State()
    state.rules = state.table = state.last_score = state.stock = state.options = None  # type: ignore[assignment]
    state.version = state.turn_version = state.now_ms = state.deadline_ms = state.deal = state.scored = 0
    state.phase, state.turn, state.dealer, state.winner = NEW, HOUSE, NONE, NONE
    state.totals, state.end_reason = (0, 0), ""
    partnership_state.clear_deal(state)
    return state


def fold(state: State, events: Sequence[Event], at_ms: int = 0) -> State:
    """The state after one act: these events, received at `at_ms`."""
    after = _copy(state)
    advance(after, events, at_ms)
    return after


def advance(state: State, events: Sequence[Event], at_ms: int = 0) -> None:
    """File one act in the state itself, which nobody else may hold."""
    state.options = None
    state.version = version = state.version + 1
    if at_ms > state.now_ms:
        state.now_ms = at_ms
    file = _PARTNERSHIP_FILE if state.stock is None else _STOCK_FILE
    for event in events:
        file[event.__class__](state, event)
    if events and events[0].__class__ is TurnExtended:  # the one event of its act: the turn goes on
        return
    state.turn_version = version
    turn_ms = state.table.turn_ms
    if turn_ms:
        state.deadline_ms = state.now_ms + turn_ms if state.turn >= 0 else 0


def evolve(state: State, event: Event) -> State:
    """The state after one event, as an act of its own."""
    return fold(state, (event,))


def resumed(state: State, totals: tuple[int, ...], scored: int) -> State:
    """The state of a table that goes on with a game begun elsewhere, after `scored` scored deals."""
    after = _copy(state)
    after.totals, after.scored, after.options = totals, scored, None
    return after


def _copy(state: State) -> State:
    # Written out: a loop over the names would take ten times as long, on every act.
    new = State.__new__(State)
    new.rules = state.rules
    new.table = state.table
    new.version = state.version
    new.turn_version = state.turn_version
    new.now_ms = state.now_ms
    new.deadline_ms = state.deadline_ms
    new.phase = state.phase
    new.turn = state.turn
    new.dealer = state.dealer
    new.deal = state.deal
    new.scored = state.scored
    new.totals = state.totals
    new.hands = state.hands
    new.passed = state.passed
    new.bid = state.bid
    new.bidder = state.bidder
    new.declarer = state.declarer
    new.declared_out = state.declared_out
    new.trump = state.trump
    new.turn_up = state.turn_up
    new.melds = state.melds
    new.meld = state.meld
    new.may_concede = state.may_concede
    new.leader = state.leader
    new.trick = state.trick
    new.played = state.played
    new.trick_points = state.trick_points
    new.tricks = state.tricks
    new.last_score = state.last_score
    new.stock = state.stock
    new.winner = state.winner
    new.end_reason = state.end_reason
    return new


def _game_ended(s: State, e: GameEnded) -> None:
    s.winner, s.end_reason = e.winner, e.reason
    s.phase, s.turn = OVER, HOUSE


def _table_opened(s: State, e: TableOpened) -> None:
    s.rules, s.table, s.dealer = e.rules, e, e.dealer
    if e.rules.is_stock:
        s.totals, s.stock = (0,) * e.rules.players, NO_STOCK
    s.phase, s.turn = DEAL, HOUSE


def _turn_expired(s: State, e: TurnExpired) -> None:
    """A mark only; what the house played follows as ordinary events."""


def _turn_extended(s: State, e: TurnExtended) -> None:
    s.deadline_ms = e.until_ms


def _table_voided(s: State, e: TableVoided) -> None:
    s.winner, s.end_reason = NONE, "void"
    s.phase, s.turn = OVER, HOUSE


def _table_closed(s: State, e: TableClosed) -> None:
    s.table = replace(s.table, seed=e.seed)
    s.phase, s.turn = CLOSED, HOUSE


_SHARED: dict[type, Callable[[State, Any], None]] = {
    GameEnded: _game_ended,
    TableOpened: _table_opened,
    TurnExpired: _turn_expired,
    TurnExtended: _turn_extended,
    TableVoided: _table_voided,
    TableClosed: _table_closed,
}
_PARTNERSHIP_FILE = _SHARED | partnership_state.FILE
_STOCK_FILE = _SHARED | stock_state.FILE
