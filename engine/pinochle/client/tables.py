"""A table as one seat, or a spectator, sees it: the library's own State, folded from what the server sends.

The server sends acts with what is secret left out; folding them with `pinochle.state.fold`, as the server folds the
full ones, gives a State in which unknown cards are HIDDEN.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pinochle.client.errors import ClientError, NewerServer
from pinochle.errors import BadInput, NewerSchema
from pinochle.events import Event
from pinochle.options import Options
from pinochle.state import OVER, State, fold, initial
from pinochle.wire import codec
from pinochle.wire.v1 import table_pb2 as pb


class SeenAct(NamedTuple):
    """One act as a viewer may see it; `author` is ``seat:2``, ``house``, ``director`` or ``operator``."""

    version: int
    at_ms: int
    author: str
    events: tuple[Event, ...]


class Gap(ClientError):
    """Acts are missing between those held and those received."""


class TableView:
    """What one seat (None: a spectator) knows of a table; kept up to date in place, its `state` replaced."""

    __slots__ = ("deadline_ms", "options", "restarts", "seat", "state", "table")

    def __init__(self, table: str, seat: int | None) -> None:
        self.table = table
        self.seat = seat
        self.state: State = initial()
        self.options: Options | None = None
        """What the seat may do; None where it is not on turn, or has answered."""
        self.deadline_ms = 0
        """When the turn ends, ms since the epoch; 0: never."""
        self.restarts = 0
        """How often the server turned out to hold another log than this view did."""

    def __repr__(self) -> str:
        return f"TableView({self.table!r}, seat={self.seat}, version={self.version})"

    def restart(self) -> None:
        """Hold nothing of the table any more: the server was restored to an older point, and sends it from act 1."""
        self.state, self.options, self.deadline_ms = initial(), None, 0
        self.restarts += 1

    @property
    def version(self) -> int:
        """How many acts the view holds."""
        return self.state.version

    @property
    def turn_version(self) -> int:
        """The version at which the present turn began: what an answer has to name."""
        return self.state.turn_version

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.state.phase >= OVER

    @property
    def due_player(self) -> str:
        """The player whose turn it is; empty: the house's, or nobody's."""
        state = self.state
        return state.table.players[state.turn] if state.turn >= 0 else ""

    def fold(self, acts: Iterable[pb.ActView]) -> None:
        """Take in acts, those held already left aside. Gap where one is missing: ask for those after `version`."""
        state = self.state
        for act in acts:
            if act.version <= state.version:
                continue
            if act.version != state.version + 1:
                self.state = state
                raise Gap(f"table {self.table}: act {state.version + 1} is missing, act {act.version} came")
            try:
                events = codec.events_from(act)
            except NewerSchema as error:
                raise NewerServer(f"table {self.table}, act {act.version}: {error}") from error
            except BadInput as error:
                raise ClientError(f"table {self.table}, act {act.version}: {error}") from error
            state = fold(state, events, act.at_ms)
        self.state = state

    def update(self, news: pb.ViewResponse | pb.TableUpdate) -> None:
        """Take in acts with the options and the deadline that came with them."""
        self.fold(news.acts)
        state = self.state
        current = state.turn >= 0 and news.turn_version == state.turn_version
        # Only the seat on turn gets options, so it is theirs.
        self.options = codec.options_from(news.options, state.turn) if current else None
        self.deadline_ms = news.deadline_ms if current else 0


def seen(act: pb.ActView) -> SeenAct:
    """An act of the wire with its events as the library's."""
    return SeenAct(act.version, act.at_ms, act.author, codec.events_from(act))
