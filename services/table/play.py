"""One player's stream for all its tables: turns go out, answers come in."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator

from pinochle.errors import BadInput, Conflict, Reason, Rejected
from pinochle.options import legal
from pinochle.state import CLOSED, OVER, State
from pinochle.wire.codec import options_bytes, player_command_from
from pinochle.wire.framing import delimited
from pinochle.wire.v1 import table_pb2 as pb
from pinochle.wire.v1.frames_pb2 import PlayResponseFrame, TableUpdateFrame

from services.admission import Admission, TooMuch
from services.auth import Principal
from services.eventstore import StoreUnavailable
from services.handle import Streams
from services.rpc import Forbidden, readable, stream_key
from services.stream import UNREADABLE, Ahead, CommandReused, Stream, UnknownStream, Unreadable
from services.table.index import Index, Row
from services.table.rights import SEATS, acting_seat, seats_of
from services.watching import PAGE_BYTES_MAX, page, reach

LOG = logging.getLogger(__name__)
ECHOED_MAX = 64
"""How much of a table's id and of a command id comes back where they belong to nothing here."""
WISHES_EACH_MAX = 8
"""Acts, positions and tables to follow or not in one message, for each table that a stream may carry."""
AHEAD = Reason.AHEAD_OF_LOG.value


class _Seat:
    """What one seat of a followed table has been sent."""

    __slots__ = ("acted", "ahead", "number", "phase", "refusals", "turn", "version")

    def __init__(self, number: int, version: int, ahead: Ahead | None = None) -> None:
        self.number = number
        self.version = version  # acts sent up to here
        self.turn = 0  # the turn_version of the last turn sent
        self.acted = False  # an act of this seat waits to be confirmed
        self.phase = 0  # the phase that was told, once the game has ended
        self.refusals: list[tuple[bytes, str, str]] = []
        self.ahead = ahead  # it is to hear that the log does not hold what it holds

    def is_owed_news(self, stream: Stream, state: State) -> bool:
        """Whether it is on turn and lacks the turn or an act, waits for an answer, or is to hear of the end."""
        if state.turn == self.number and (self.turn != state.turn_version or self.version < stream.version):
            return True
        return self.acted or bool(self.refusals or self.ahead) or (state.phase >= OVER and self.phase < state.phase)


class PlaySession:
    """The server's side of one Play stream; it is the follower of every table on it.

    `admission` bounds what the caller may send; None: nothing is counted.
    """

    def __init__(
        self,
        streams: Streams,
        index: Index,
        caller: Principal,
        *,
        tables_max: int,
        draining: asyncio.Event,
        admission: Admission | None = None,
    ) -> None:
        self._streams = streams
        self._index = index
        self._caller = caller
        self._admission = admission
        self._tables_max = tables_max
        self._draining = draining
        self._tables: dict[str, tuple[Stream, dict[int, _Seat]]] = {}  # seats by number
        self._dirty: dict[str, None] = {}
        self._news = asyncio.Event()
        self._spawn = asyncio.get_running_loop().create_task  # to ask for the loop costs a system call each time
        self._acts: set[asyncio.Task[bool]] = set()
        self._room = asyncio.Semaphore(2 * tables_max)
        self._positions: dict[str, tuple[int, int]] = {}  # versions held, and when the act at each was made
        self._follows_all = True
        self._joining: set[asyncio.Task[None]] = set()
        self._strays: list[bytes] = []
        self._lost: list[bytes] = []  # what is said of tables that are gone
        self._failure: Exception | None = None
        self._has_ended = False

    def moved(self, stream: Stream) -> None:
        """A table on this stream has moved on; an act may end after its table was unfollowed."""
        if stream.id in self._tables:
            self._dirty[stream.id] = None
            self._news.set()

    async def run(self, requests: AsyncIterator[pb.PlayRequest]) -> AsyncGenerator[bytes, None]:
        """PlayResponses as bytes, until the caller ends its side or the service drains."""
        reader = self._spawn(self._read(requests))
        reader.add_done_callback(lambda _: self._news.set())
        drained = self._spawn(self._draining.wait())
        drained.add_done_callback(lambda _: self._news.set())
        self._index.opened.add(self._opened)
        try:
            while True:
                await self._news.wait()
                self._news.clear()
                if self._failure:
                    raise self._failure
                while self._dirty or self._strays or self._lost:
                    updates = self._updates()
                    if updates:
                        yield PlayResponseFrame(updates=updates).SerializeToString()
                if drained.done():
                    raise StoreUnavailable("the service is stopping; come back and resume")
                if reader.done() and not self._acts and not self._dirty:
                    reader.result()
                    return
        finally:
            self._has_ended = True
            self._index.opened.discard(self._opened)
            for task in (reader, drained, *self._joining):
                task.cancel()
            await asyncio.gather(reader, drained, *self._joining, return_exceptions=True)
            for stream, _ in self._tables.values():
                stream.followers.discard(self)

    # -- what comes in

    async def _read(self, requests: AsyncIterator[pb.PlayRequest]) -> None:
        first = True
        async for request in requests:
            readable(request)
            wishes = _wishes(request)
            if wishes > WISHES_EACH_MAX * self._tables_max:  # nobody else is heard while one message is gone through
                raise TooMuch(f"a message asks for {WISHES_EACH_MAX * self._tables_max} things at most, not {wishes}")
            if self._admission is not None:
                await self._admission.act(self._caller, wishes)
            for position in request.resume.positions:
                stream_key(position.table, "resume")
                self._positions[position.table] = (position.version, position.at_ms)
            if len(self._positions) > self._tables_max:
                raise TooMuch(f"a stream carries {self._tables_max} tables at most")
            if request.follow:
                self._follows_all = False
                for table in request.follow:
                    await self._follow(table)
            elif first and self._caller.role == "player":
                for key in list(self._index.of_player(self._caller.player or "")):
                    row = self._index.get(key)
                    if row:
                        await self._follow(row.id)
                for table in list(self._positions):  # those that have ended since
                    await self._follow(table)
            for table in request.unfollow:
                self._unfollow(table)
            for act in request.acts:
                await self._room.acquire()
                task = self._spawn(self._act(act))
                self._acts.add(task)
                task.add_done_callback(self._act_done)
            first = False

    def _opened(self, row: Row) -> None:
        if self._follows_all and self._caller.role == "player" and self._caller.player in row.players:
            task = self._spawn(self._follow(row.id))
            self._joining.add(task)
            task.add_done_callback(self._joined)

    def _joined(self, task: asyncio.Task[None]) -> None:
        self._joining.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._failure = task.exception()  # type: ignore[assignment]
            self._news.set()

    async def _follow(self, table: str) -> None:
        """Join a table; of one that cannot be read or is gone the player is told, and the others go on."""
        try:
            await self._join(table)
        except UnknownStream:
            if table not in self._positions:
                raise
            del self._positions[table]
            gone = Ahead(f"table {table} is not in the log, which was restored to an older point: forget it", 0)
            self._lost.append(pb.TableUpdate(table=table, rejection=_ahead(gone)).SerializeToString())
            self._news.set()
        except Unreadable as error:
            self._tables[table] = (error.stream, {})
            self.moved(error.stream)

    async def _join(self, table: str) -> None:
        if table in self._tables:
            return
        if len(self._tables) >= self._tables_max:
            raise TooMuch(f"a stream carries {self._tables_max} tables at most")
        stream = await self._streams.get(stream_key(table, "table"))
        opened = stream.state.table
        seats = seats_of(self._caller, table, opened.players, opened.tournament)
        if not seats:
            if not self._follows_all:
                raise Forbidden(f"you hold no seat at table {table}")
            return  # the token is for another table
        version, at_ms = self._positions.get(table, (0, 0))
        ahead = None
        try:
            await reach(self._streams, stream, version, at_ms)
        except Ahead as error:
            version, ahead = 0, error
        # Meanwhile somebody else may have had this table followed, or the stream has ended.
        if self._has_ended or table in self._tables:
            return
        stream = self._streams.follow(stream, self)
        self._positions.pop(table, None)
        self._tables[table] = (stream, {seat: _Seat(seat, version, ahead) for seat in seats})
        self.moved(stream)

    def _unfollow(self, table: str) -> None:
        found = self._tables.pop(table, None)
        if found:
            found[0].followers.discard(self)
            self._dirty.pop(table, None)
            self._make_room(sum(len(seat.refusals) for seat in found[1].values()))

    async def _act(self, request: pb.ActRequest) -> bool:
        """Carry out one act; what goes wrong with it is its own answer and ends nothing else. Whether it was done."""
        table, command_id, expected = request.table, request.command_id, request.expected_version
        try:
            if table not in self._tables:
                await self._join(table)
            stream, seats = self._tables.get(table) or (None, {})
            asked = request.seat if request.HasField("seat") else None
            acting = acting_seat(self._caller, seats, asked)
        except Exception as error:
            self._answer(table, command_id, *self._refusal(error))
            return False
        assert stream is not None
        seat = seats[acting]
        try:
            command = player_command_from(request.command, acting)
            del request  # an act may wait for a while, and must not keep the whole message that it came with
            outcome = await self._streams.handle(stream.key, SEATS[acting], command_id, command, expected=expected)
        except Exception as error:
            if table in self._tables and self._tables[table][1].get(acting) is seat:
                seat.refusals.append((command_id[:ECHOED_MAX], *self._refusal(error)))
                self.moved(stream)
            else:  # the table was unfollowed meanwhile
                self._answer(table, command_id, *self._refusal(error))
            return False
        # What was held for a beat may have been sent before its answer gets here, with the turn that followed it.
        if outcome.repeated or seat.version < outcome.version:
            seat.acted = True
        self.moved(stream)
        return True

    def _refusal(self, error: Exception) -> tuple[str, str]:
        """What the player is told of an act that failed; who is refused too often is told so, and the stream ends."""
        reason, detail = _refusal(error)
        if reason != UNAVAILABLE and self._admission is not None:
            try:
                self._admission.refused(self._caller)
            except TooMuch as too_many:
                self._failure = too_many
                self._news.set()
        return reason, detail

    def _answer(self, table: str, command_id: bytes, reason: str, detail: str) -> None:
        """Refuse an act that belongs to no table on this stream."""
        refusal = pb.Rejection(reason=reason, detail=detail)
        update = pb.TableUpdate(table=table[:ECHOED_MAX], command_id=command_id[:ECHOED_MAX], rejection=refusal)
        self._strays.append(update.SerializeToString())
        self._news.set()

    def _act_done(self, task: asyncio.Task[bool]) -> None:
        self._acts.discard(task)
        # A refusal keeps its room until it is sent, so that who does not read its answers is not read either.
        if task.cancelled() or task.exception() or task.result():
            self._room.release()
        self._news.set()

    def _make_room(self, answers: int) -> None:
        for _ in range(answers):
            self._room.release()

    # -- what goes out

    def _updates(self) -> list[bytes]:
        """Updates for the tables that have moved, as TableUpdate bytes, up to the bound of one message."""
        updates, self._strays = self._strays, []
        self._make_room(len(updates))
        updates += self._lost
        self._lost.clear()
        size = sum(map(len, updates))
        while self._dirty and size < PAGE_BYTES_MAX:
            table = next(iter(self._dirty))
            stream, seats = self._tables[table]
            if stream.unreadable:
                updates.append(_stands_still(stream))
                self._unfollow(table)
                continue
            whole = True
            state: State = stream.state
            for seat in seats.values():
                if seat.is_owed_news(stream, state):
                    self._make_room(0 if seat.ahead else min(1, len(seat.refusals)))
                    update, done = _update(stream, state, seat)
                    whole = whole and done
                    updates.append(update)
                    size += len(update)
            if whole:
                del self._dirty[table]
                if stream.state.phase == CLOSED:
                    self._unfollow(table)
        return updates


def _wishes(request: pb.PlayRequest) -> int:
    """How much a message asks for, as a number of acts."""
    return len(request.acts) + len(request.follow) + len(request.unfollow) + len(request.resume.positions) or 1


def _refusal(error: Exception) -> tuple[str, str]:
    """What a player is told of an act that failed: a reason, and one line. What is not expected is logged."""
    if isinstance(error, Rejected):
        return error.reason.value, error.detail
    for kinds, reason in _REASONS:
        if isinstance(error, kinds):
            return reason, str(error)
    LOG.error("an act failed", exc_info=error)
    return "failed", "an unexpected error; it was logged"


UNAVAILABLE = "unavailable"
"""The reason that says nothing about the act itself: it may be sent again."""
_REASONS: tuple[tuple[tuple[type[Exception], ...], str], ...] = (
    ((BadInput,), "malformed"),
    ((CommandReused,), "command_reused"),
    ((Forbidden, UnknownStream, TooMuch), "not_allowed"),
    ((Unreadable,), UNREADABLE),
    ((Conflict, StoreUnavailable), UNAVAILABLE),
)
"""Why an act was not carried out, beyond the rules' own reasons."""


def _update(stream: Stream, state: State, seat: _Seat) -> tuple[bytes, bool]:
    """What this seat must be sent now, and whether that is all of it."""
    acts, version = page(stream, seat.version, seat.number)
    whole = version == stream.version
    update = TableUpdateFrame(table=stream.id, seat=seat.number, version=version, acts=acts)
    if whole:
        seat.acted = False
        if state.turn == seat.number:
            seat.turn = state.turn_version
            options = legal(state)
            assert options is not None
            update.options = options_bytes(options)
            update.deadline_ms = state.deadline_ms
            update.turn_version = state.turn_version
        if state.phase >= OVER:
            seat.phase = state.phase
            update.over = True
    seat.version = version
    if seat.ahead:
        update.rejection = _ahead(seat.ahead).SerializeToString()
        seat.ahead = None
        whole = whole and not seat.refusals
    elif seat.refusals:
        command_id, reason, detail = seat.refusals.pop(0)
        update.command_id = command_id
        update.rejection = pb.Rejection(reason=reason, detail=detail).SerializeToString()
        whole = whole and not seat.refusals
    return update.SerializeToString(), whole


def _ahead(error: Ahead) -> pb.Rejection:
    """What is said where the log does not hold what the player does: a rejection of no act, then all from act 1."""
    return pb.Rejection(reason=AHEAD, detail=str(error), resume_after=error.resume_after)


def _stands_still(stream: Stream) -> bytes:
    """What is said of a table that this version cannot read, in place of its turns: a rejection of no act."""
    refusal = pb.Rejection(reason=UNREADABLE, detail=str(Unreadable(stream)))
    return pb.TableUpdate(table=stream.id, rejection=refusal).SerializeToString()


def act_response(stream: Stream, version: int, seat: int) -> bytes:
    """An ActResponse: the version, and what the seat may see of the act where it has one."""
    return pb.ActResponse(version=version).SerializeToString() + delimited(3, stream.view(version, seat))
