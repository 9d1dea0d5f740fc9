"""The open tables at a glance: who sits where, who is due and since when, without holding their states in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pinochle.decider import NOBODY, Due
from pinochle.events import TableOpened
from pinochle.game import GAME, due
from pinochle.rules import RULES_VERSION
from pinochle.state import CLOSED, State
from pinochle.wire import codec

from services.beat import next_tick
from services.handle import Kind
from services.stream import Stream


def _head(state: State) -> tuple[int, int | None, bool]:
    who, by_ms = due(state)
    return who, by_ms, state.phase < CLOSED


def _release(state: State, author: str, received_ms: int) -> int:
    """What a seat does is given out on the beat of its table, counted from the act that began the turn."""
    beat_ms = state.table.beat_ms if author.startswith("seat:") else 0
    return next_tick(state.now_ms, beat_ms, received_ms) if beat_ms else 0


KIND = Kind(GAME, RULES_VERSION, codec.encode, codec.from_rest, codec.command_bytes, _head, _release)
"""Tables as streams."""


@dataclass(slots=True)
class Row:
    """One open table. `moved_ms` is when this process last saw it move; `due` is a seat, HOUSE or NOBODY."""

    key: bytes
    id: str
    players: tuple[str, ...]
    tournament: str
    match: str
    version: int
    due: int
    due_at_ms: int | None
    moved_ms: int
    boards: str = ""

    @property
    def due_player(self) -> str:
        """The player on turn, or empty."""
        return self.players[self.due] if self.due >= 0 else ""


class Index:
    """Rows of all open tables, by id and by player. `opened` hears of each new row."""

    def __init__(self, clock_ms: Callable[[], int]) -> None:
        self._clock_ms = clock_ms
        self._rows: dict[bytes, Row] = {}
        self._by_player: dict[str, set[bytes]] = {}
        self.opened: set[Callable[[Row], None]] = set()

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: bytes) -> bool:
        return key in self._rows

    def rows(self) -> Iterable[Row]:
        """Every open table, in no order."""
        return self._rows.values()

    def get(self, key: bytes) -> Row | None:
        """The row of an open table."""
        return self._rows.get(key)

    def of_player(self, player: str) -> set[bytes]:
        """The open tables at which this player sits."""
        return self._by_player.get(player, set())

    def played_on(self, boards: str, tournament: str, other_than: bytes) -> Row | None:
        """An open table on these boards, but for one, at which somebody still has to act."""
        return next(
            (
                row
                for row in self._rows.values()
                if (row.boards, row.tournament) == (boards, tournament) and row.due != NOBODY and row.key != other_than
            ),
            None,
        )

    def moved(self, stream: Stream) -> None:
        """File where a stream in memory stands now."""
        if not stream.is_open:
            self.remove(stream.key)
            return
        by_ms = stream.deadline_ms or None
        row = self._rows.get(stream.key)
        if row is None:
            self.add(stream.key, stream.id, stream.state.table, stream.version, Due(stream.due, by_ms))
        else:
            row.version, row.due, row.due_at_ms, row.moved_ms = stream.version, stream.due, by_ms, self._clock_ms()

    def add(self, key: bytes, table: str, opened: TableOpened, version: int, who: Due) -> None:
        """File a table that was not known."""
        row = Row(
            key,
            table,
            opened.players,
            opened.tournament,
            opened.match,
            version,
            who.who,
            who.by_ms,
            self._clock_ms(),
            opened.boards,
        )
        self._rows[key] = row
        for player in set(row.players):
            self._by_player.setdefault(player, set()).add(key)
        for hear in tuple(self.opened):
            hear(row)

    def stands(self, key: bytes, version: int, who: int, by_ms: int | None) -> bool:
        """File a head that was read; whether it is news."""
        row = self._rows[key]
        if row.version >= version:
            return False
        row.version, row.due, row.due_at_ms, row.moved_ms = version, who, by_ms, self._clock_ms()
        return True

    def remove(self, key: bytes) -> None:
        """Forget a table that is closed."""
        row = self._rows.pop(key, None)
        for player in set(row.players) if row else ():
            tables = self._by_player[player]
            tables.discard(key)
            if not tables:
                del self._by_player[player]
