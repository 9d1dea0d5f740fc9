"""What the house does at tables: deals, closes, plays expired turns, gives time back, and finds what was missed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from hashlib import sha256
from typing import Any, NamedTuple

from pinochle import shuffle
from pinochle.commands import CloseTable, Command, DealCards, ExpireTurn, ExtendTurn, VoidTable
from pinochle.decider import HOUSE, Due
from pinochle.errors import BadInput, Conflict, Rejected
from pinochle.events import TableOpened
from pinochle.players import is_house_bot
from pinochle.state import DEAL, OVER, State

from services.eventstore import PAGE, EventStore, StoreUnavailable
from services.handle import Streams
from services.stream import CommandReused, Stream, UnknownStream, Unreadable, id_text
from services.table.index import KIND, Index, Row
from services.upkeep import repeat

LOG = logging.getLogger(__name__)
AUTHOR = "house"
UNDER_WAY_MAX = 256


class Pace(NamedTuple):
    """How often the house looks, in seconds, and how long a turn may be overdue, in ms."""

    tick_seconds: float
    sweep_seconds: float
    grace_ms: int


class Reports(NamedTuple):
    """Figures that the house gives: what a sweep found, turns that it played, turns that are overdue."""

    found: Callable[[int], None]
    expired: Callable[[], None]
    overdue: Callable[[int], None]


class House:
    """The house of one process. House bots' turns expire only while `bots_are_served()`: else it is our outage."""

    def __init__(
        self,
        streams: Streams,
        index: Index,
        store: EventStore,
        *,
        clock_ms: Callable[[], int],
        sleep: Callable[[float], Awaitable[Any]],
        pace: Pace,
        acts_max: int,
        reports: Reports,
        bots_are_served: Callable[[], bool],
    ) -> None:
        self._streams = streams
        self._index = index
        self._store = store
        self._clock_ms = clock_ms
        self._sleep = sleep
        self._pace = pace
        self._acts_max = acts_max
        self._reports = reports
        self._bots_are_served = bots_are_served
        self._left: set[bytes] = set()  # tables that this version cannot read
        self._under_way: dict[bytes, asyncio.Task[None]] = {}
        self._loops: list[asyncio.Task[None]] = []
        self._stops = False

    async def start(self) -> None:
        """Find every open table, give open turns their time back, and begin to look after them."""
        await self.find_open()
        for row in list(self._index.rows()):
            if row.due >= 0 and row.due_at_ms:
                await self._give_back(row)
        for work, seconds in ((self._expire, self._pace.tick_seconds), (self._sweep, self._pace.sweep_seconds)):
            self._loops.append(asyncio.create_task(repeat(work, seconds, self._sleep)))

    async def stop(self) -> None:
        """End the looking; what is under way is finished."""
        self._stops = True
        for task in self._loops:
            task.cancel()
        await asyncio.gather(*self._loops, *self._under_way.values(), return_exceptions=True)

    def moved(self, stream: Stream) -> None:
        """Do what is due from the house at a table that has just moved in this process."""
        state: State = stream.state
        if stream.version >= self._acts_max and state.phase < OVER:
            self._begin(stream.key, self._handle(stream, VoidTable(f"the game takes more than {self._acts_max} acts")))
        elif stream.due == HOUSE:
            self._begin(stream.key, self._act(stream.key))

    def leave(self, key: bytes) -> None:
        """Look after a table no longer: this version cannot read it, and will not learn to while the process lasts."""
        self._left.add(key)
        self._index.remove(key)

    def _begin(self, key: bytes, work: Coroutine[Any, Any, None]) -> bool:
        """Start work on a table unless some is under way; whether it was started."""
        if key in self._under_way or len(self._under_way) >= UNDER_WAY_MAX:
            work.close()
            return False
        stream = self._streams.peek(key)
        version = stream.version if stream else 0

        def ended(_: asyncio.Task[None]) -> None:
            self._under_way.pop(key, None)
            # What became due by this work could not begin beside it; without progress the sweep tries again.
            now = self._streams.peek(key)
            if now is not None and now.version > version and not self._stops:
                self.moved(now)

        task = self._under_way[key] = asyncio.ensure_future(self._guarded(key, work))
        task.add_done_callback(ended)
        return True

    async def _guarded(self, key: bytes, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except (Rejected, Conflict, CommandReused, UnknownStream) as error:
            LOG.info("the house was late at %s: %s", key.hex(), error)
        except Unreadable:
            self.leave(key)  # said when it was found
        except StoreUnavailable as error:
            LOG.warning("the house could not act at %s: %s", key.hex(), error)
        except Exception:
            LOG.exception("the house failed at %s", key.hex())

    async def _act(self, key: bytes) -> None:
        """Deal or close, whichever is due."""
        stream = await self._streams.get(key)
        command = due_command(stream.state)
        if command is not None:
            await self._handle(stream, command)

    async def _handle(
        self, stream: Stream, command: Command, received_ms: int | None = None, expected: int | None = None
    ) -> None:
        # The id follows from the version, so two processes that do the same chore do it once.
        command_id = sha256(AUTHOR.encode() + stream.key + stream.version.to_bytes(8, "big")).digest()[:16]
        await self._streams.handle(
            stream.key, AUTHOR, command_id, command, received_ms=received_ms, expected=expected
        )

    async def _expire(self) -> None:
        """Play for every seat whose time, with the grace, has run out."""
        now_ms = self._clock_ms()
        overdue = 0
        for row in list(self._index.rows()):
            if row.due < 0 or not row.due_at_ms or now_ms < row.due_at_ms:
                continue
            overdue += 1
            if is_house_bot(row.due_player) and not self._bots_are_served():
                continue
            if now_ms >= row.due_at_ms + self._pace.grace_ms:
                self._begin(row.key, self._expire_turn(row.key))
        self._reports.overdue(overdue)

    async def _expire_turn(self, key: bytes) -> None:
        stream = await self._streams.get(key)
        state: State = stream.state
        now_ms = self._clock_ms()
        if stream.held is not None:
            return  # the seat has acted; what it did is given out with the next beat
        table = state.table
        if state.turn < 0 or not state.deadline_ms or now_ms < state.deadline_ms + table.grace_ms:
            return
        # Meant for this turn: the seat's own act may be on its way, and the next turn may be the same seat's.
        if now_ms >= stream.noticed_ms + table.turn_ms + table.grace_ms:
            await self._handle(stream, ExpireTurn(state.turn, now_ms), now_ms, state.version)
            self._reports.expired()
        elif stream.noticed_ms > state.now_ms + table.grace_ms:
            # The act before was long on its way into the store: no player could know of this turn.
            await self._handle(stream, ExtendTurn(now_ms + table.turn_ms), now_ms, state.version)

    async def _give_back(self, row: Row) -> None:
        """After a start nobody can have acted for a while: a turn begins anew."""
        try:
            stream = await self._streams.get(row.key)
            await self._handle(stream, ExtendTurn(self._clock_ms() + stream.state.table.turn_ms))
        except Unreadable:
            self.leave(row.key)
        except (Rejected, Conflict, CommandReused):
            return  # somebody has acted meanwhile, perhaps another process that starts as well

    async def _sweep(self) -> None:
        """Find tables that other processes opened, and chores of the house that nobody did."""
        await self.find_open()
        late_ms = self._clock_ms() - int(self._pace.sweep_seconds * 1000)
        missed = [row for row in self._index.rows() if row.due == HOUSE and row.moved_ms <= late_ms]
        self._reports.found(sum(self._begin(row.key, self._act(row.key)) for row in missed))

    async def find_open(self) -> None:
        """File every open table's head; read the first act of those that are new to this process."""
        after: bytes | None = None
        seen: set[bytes] = set()
        known = {row.key for row in self._index.rows()}
        while True:
            page = await self._store.open_streams(after, PAGE)
            for head in page:
                seen.add(head.stream)
                if head.stream in self._left:
                    continue
                if head.stream in self._index:
                    self._index.stands(head.stream, head.version, head.due, head.due_at_ms)
                    continue
                opened = await self._opening(head.stream)
                if opened is not None and head.stream not in self._index:
                    self._index.add(
                        head.stream, id_text(head.stream), opened, head.version, Due(head.due, head.due_at_ms)
                    )
            if len(page) < PAGE:
                break
            after = page[-1].stream
        for key in known - seen:
            self._index.remove(key)
        self._left &= seen

    async def _opening(self, key: bytes) -> TableOpened | None:
        """How a table was opened, from its first act; None where this version cannot read that."""
        stored = await self._store.read(key, 0, 1)
        try:
            opened = KIND.decode(stored[0].version, stored[0].command_id, stored[0].body).events[0]
            if isinstance(opened, TableOpened):
                return opened
        except BadInput:
            pass
        with suppress(Unreadable):
            await self._streams.get(key)  # which says and counts it
        self.leave(key)
        return None


def due_command(state: State) -> Command | None:
    """What the house must do now: deal the next deck of the seed, close the table, or nothing."""
    if state.phase == DEAL:
        return DealCards(shuffle.shuffled(state.rules.cards, state.table.seed, state.deal + 1, state.table.nonce))
    if state.phase == OVER and not state.table.boards:
        return CloseTable()
    return None
