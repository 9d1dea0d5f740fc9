"""The group commit: one writer makes all waiting appends durable in one statement and one commit.

What `GroupCommit.append` gives is done when the act is durable. Each batch holds a stream at most once and is sorted by
stream, so that two processes never wait for each other. A stream that is not at the expected version gets
Conflict and its neighbours are stored. If the statement fails, the batch is done again one by one. If the
connection is lost the outcome is unknown: the same act is appended again at the same version, and only when
that says conflict is the row at that version read and compared; a read alone would prove nothing while the
old commit may still be under way. An act whose stream's row another transaction holds is set aside until the
row is free, or its time is over; the others go on.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar
from uuid import UUID

import psycopg
from pinochle.errors import Conflict
from psycopg import sql

from services.acts import Append, BadAct, StoreLimits, StoreUnavailable
from services.connections import Clock, Sleep, connect_to_append
from services.heldrows import HeldRows
from services.prepared import Appender

T = TypeVar("T")


class GroupCommit:
    """A queue of appends and the one task and connection that write them.

    `clock` counts seconds and never goes back. `on_batch(size, seconds)` is told of each batch that was
    carried out, `on_reconnect()` of each connection that was lost. Neither may raise.
    """

    def __init__(
        self,
        conninfo: str,
        schema: str,
        *,
        clock: Clock,
        sleep: Sleep,
        limits: StoreLimits,
        on_batch: Callable[[int, float], None] | None,
        on_reconnect: Callable[[], None] | None,
    ) -> None:
        self._conninfo = conninfo
        self._clock = clock
        self._sleep = sleep
        self._limits = limits
        self._seconds_max = limits.statement_seconds_max + limits.lock_seconds_max
        self._on_batch = on_batch or (lambda size, seconds: None)
        self._on_reconnect = on_reconnect or (lambda: None)
        self._schema = schema
        self._stored = sql.SQL(_STORED).format(schema=sql.Identifier(schema)).as_string()
        self._connection: psycopg.AsyncConnection[Any] | None = None
        self._cursor: psycopg.AsyncCursor[Any] | None = None
        self._appender: Appender  # on this connection
        self._failures = 0  # since the last statement that was answered
        self._ready: dict[bytes, _Waiting] = {}  # the next act of each stream, oldest first
        self._later: dict[bytes, deque[_Waiting]] = {}  # further acts of streams, each waiting for the one before
        self._under_way: list[_Waiting] = []
        self._held: HeldRows[_Waiting] = HeldRows(schema, clock)
        self._count = 0
        self._bytes = 0
        self._streams: dict[bytes, int] = {}  # how many appends of each are queued or under way
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._future: Callable[[], asyncio.Future[None]]
        self._closing = False

    @property
    def waiting(self) -> int:
        """How many appends are queued or under way."""
        return self._count

    def serves(self, stream: bytes) -> bool:
        """Whether an append of this stream is queued or under way; the next one must come here as well."""
        return stream in self._streams

    async def start(self) -> None:
        """Connect and begin to write; StoreUnavailable if the database can't be reached in time."""
        await self._connected(self._clock() + self._limits.connect_seconds_max)
        loop = asyncio.get_running_loop()
        self._future = loop.create_future  # to ask for the loop at each act costs a system call
        self._task = loop.create_task(self._write(), name="group commit")
        self._task.add_done_callback(lambda _: self._abandon())

    def append(self, act: Append) -> asyncio.Future[None]:
        """Queue an act, which was checked; done once it is durable. Who gives up waiting does not take it back."""
        if self._task is None or self._task.done() or self._closing:
            raise StoreUnavailable("the event store is not running")
        size = len(act.body)
        if self._count >= self._limits.queue_acts_max or self._bytes + size > self._limits.queue_bytes_max:
            raise StoreUnavailable("too many appends are waiting")
        waiting = _Waiting(act, self._future(), self._clock())
        self._count += 1
        self._bytes += size
        stream = act.stream
        before = self._streams.get(stream, 0)
        self._streams[stream] = before + 1
        if before:
            self._later.setdefault(stream, deque()).append(waiting)
        else:
            self._ready[stream] = waiting
        self._wake.set()
        return waiting.done

    async def close(self) -> None:
        """Carry out what is queued, within a limit, and disconnect."""
        self._closing = True
        self._wake.set()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=self._limits.close_seconds_max)
            if not self._task.done():
                self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        await self._disconnect()

    def _abandon(self) -> None:
        """The writer has ended, in order or not: nobody may be left waiting for it."""
        queued = (waiting for queue in self._later.values() for waiting in queue)
        unfinished = [*self._under_way, *self._ready.values(), *self._held.overdue(self._clock()), *queued]
        self._fail(unfinished, StoreUnavailable("the event store was closed"))
        self._ready.clear()
        self._later.clear()

    async def _write(self) -> None:
        """Take what waits, commit it, again and again."""
        while True:
            if self._held:
                await self._look_at_held()
            if not self._ready:
                if self._closing and not self._held:
                    return
                self._wake.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._held.seconds_to_ask()):
                        await self._wake.wait()
                continue
            await self._gather()
            self._under_way = batch = self._take()
            began = self._clock()
            try:
                await self._commit(batch)
            except Exception as error:  # a fault of ours must not leave callers waiting for ever
                self._fail(batch, error)
            self._under_way = []
            self._release(batch)
            self._on_batch(len(batch), self._clock() - began)

    async def _gather(self) -> None:
        """Wait for company while there is some: who is heard of in the next turns of the loop shares the commit.

        A loop that has nothing else to do is through with its turns at once, so that a lone act hardly waits.
        """
        limits = self._limits
        until, count, turns = self._clock() + limits.gather_seconds_max, 0, 0
        while len(self._ready) < limits.gather_acts and turns < limits.gather_turns and self._clock() < until:
            turns = turns + 1 if self._count == count else 0
            count = self._count
            await asyncio.sleep(0)

    def _take(self) -> list[_Waiting]:
        """The next batch, sorted by stream; a stream is in it at most once."""
        limits = self._limits
        if len(self._ready) <= limits.batch_acts_max and self._bytes <= limits.batch_bytes_max:
            batch = list(self._ready.values())
            self._ready = {}
        else:
            batch, size = [], 0
            for waiting in self._ready.values():
                size += len(waiting.act.body)
                if batch and (size > limits.batch_bytes_max or len(batch) >= limits.batch_acts_max):
                    break
                batch.append(waiting)
            for waiting in batch:
                del self._ready[waiting.act.stream]
        batch.sort(key=_stream)
        return batch

    def _release(self, batch: list[_Waiting]) -> None:
        """Make the next act ready of each stream whose act was in the batch."""
        if not self._later:
            return
        for waiting in batch:
            queue = self._later.get(waiting.act.stream)
            if queue is not None and waiting.act.stream not in self._ready and waiting.act.stream not in self._held:
                self._ready[waiting.act.stream] = queue.popleft()
                if not queue:
                    del self._later[waiting.act.stream]

    async def _commit(self, batch: list[_Waiting]) -> None:
        """Settle each act of a batch, whatever happens to the connection meanwhile."""
        deadline = min(waiting.since for waiting in batch) + self._limits.outage_seconds_max
        while batch:
            try:
                await self._attempt(await self._connected(deadline), batch, deadline)
                self._failures = 0
            except _Lost as lost:
                await self._disconnect()
                self._failures += 1
                self._on_reconnect()
                for waiting in batch:
                    waiting.unsure = True
                if self._clock() >= deadline:
                    self._fail(batch, StoreUnavailable(f"the database was lost: {_one_line(lost)}"))
            except StoreUnavailable as error:
                self._fail(batch, error)
            except psycopg.Error as error:  # the whole table is held, say, so that nothing can be asked of it
                self._fail(batch, StoreUnavailable(f"the database failed: {_one_line(error)}"))
            held = self._held
            batch = [waiting for waiting in batch if not waiting.settled and waiting.act.stream not in held]

    async def _attempt(self, cursor: psycopg.AsyncCursor[Any], batch: list[_Waiting], deadline: float) -> None:
        """One statement for the batch; one each if that fails."""
        try:
            won = await self._answer(cursor, self._appender.run([waiting.act for waiting in batch]))
        except psycopg.errors.LockNotAvailable as error:
            free = await self._held.set_aside(batch, partial(self._statement, cursor))
            if len(free) == len(batch) == 1:
                await self._refuse(cursor, batch[0], error)
            elif len(free) == len(batch):
                for waiting in batch:
                    await self._attempt(cursor, [waiting], deadline)
            elif free:
                await self._attempt(cursor, free, deadline)
            return
        except psycopg.Error as error:
            if len(batch) == 1:
                return await self._refuse(cursor, batch[0], error)
            for waiting in batch:
                if self._clock() >= deadline:
                    raise StoreUnavailable("the database is too slow") from error
                await self._attempt(cursor, [waiting], deadline)
            return
        if won.ntuples == len(batch):
            for waiting in batch:
                self._settle(waiting, None)
            return
        streams = {won.get_value(row, 0) for row in range(won.ntuples)}
        for waiting in batch:
            if waiting.act.stream in streams:
                self._settle(waiting, None)
            else:
                await self._lose(cursor, waiting)

    async def _look_at_held(self) -> None:
        """Make ready what was set aside and is free now; fail what has waited too long."""
        late = self._held.overdue(self._clock() - self._limits.outage_seconds_max)
        self._fail(late, StoreUnavailable("another transaction holds the stream"))
        try:
            cursor = await self._connected(self._clock())
            freed = await self._held.freed(partial(self._statement, cursor))
        except (_Lost, StoreUnavailable):
            await self._disconnect()
            freed = []
        except psycopg.Error:
            freed = []  # the whole table is held, say
        self._ready.update((waiting.act.stream, waiting) for waiting in freed)
        self._release(late)

    async def _lose(self, cursor: psycopg.AsyncCursor[Any], waiting: _Waiting) -> None:
        """The stream was not at the expected version, perhaps because an earlier try of this act succeeded."""
        act = waiting.act
        if waiting.unsure:
            key = (UUID(bytes=act.stream), act.version + 1)
            if await self._statement(cursor, self._stored, key) == [(act.command_id, act.hash)]:
                self._settle(waiting, None)
                return
        self._settle(waiting, Conflict(f"stream {UUID(bytes=act.stream)} is not at version {act.version}"))

    async def _refuse(self, cursor: psycopg.AsyncCursor[Any], waiting: _Waiting, error: psycopg.Error) -> None:
        """Tell the one act that made the statement fail why; its transaction was rolled back."""
        if isinstance(error, psycopg.errors.UniqueViolation) and error.diag.constraint_name == "streams_pkey":
            await self._lose(cursor, waiting)  # another process opened the stream at the same moment
        elif isinstance(error, psycopg.IntegrityError | psycopg.DataError):
            self._settle(waiting, BadAct(f"the database refused an act: {_one_line(error)}"))
        else:
            self._settle(waiting, StoreUnavailable(f"the database failed: {_one_line(error)}"))

    async def _statement(
        self, cursor: psycopg.AsyncCursor[Any], query: str, parameters: tuple[Any, ...]
    ) -> list[tuple[Any, ...]]:
        """The rows of one statement."""

        async def rows() -> list[tuple[Any, ...]]:
            async with asyncio.timeout(self._seconds_max):
                await cursor.execute(query, parameters, prepare=True)
                return await cursor.fetchall()

        return await self._answer(cursor, rows())

    async def _answer(self, cursor: psycopg.AsyncCursor[Any], statement: Awaitable[T]) -> T:
        """What a statement gives; _Lost if its outcome is unknown, psycopg.Error if it was rolled back."""
        try:
            return await statement
        except TimeoutError:
            raise _Lost("the server did not answer in time") from None
        except psycopg.Error as error:
            state = error.sqlstate or ""
            silent = isinstance(error, psycopg.OperationalError) and not state
            if cursor.connection.closed or silent or state.startswith(("08", "57P")):
                raise _Lost(_one_line(error)) from error
            raise

    async def _connected(self, deadline: float) -> psycopg.AsyncCursor[Any]:
        """The writer's cursor, after as many tries to connect as the deadline allows, one at least."""
        if self._cursor is not None:
            return self._cursor
        limits = self._limits
        while True:
            if self._failures:
                wait = limits.backoff_seconds_min * 2 ** min(self._failures - 1, 20)
                await self._sleep(min(wait, limits.backoff_seconds_max))
            try:
                return await self._connect()
            except (psycopg.Error, OSError, TimeoutError) as error:
                self._failures += 1
                if self._clock() >= deadline:
                    text = _one_line(error) or "no answer in time"
                    raise StoreUnavailable(f"the database can't be reached: {text}") from error

    async def _connect(self) -> psycopg.AsyncCursor[Any]:
        connection = await connect_to_append(self._conninfo, self._limits)
        try:
            self._appender = Appender(connection, self._schema, self._seconds_max)
            async with asyncio.timeout(self._limits.connect_seconds_max):
                await self._appender.prepare()
        except BaseException:
            await connection.close()
            raise
        self._connection = connection
        self._cursor = connection.cursor(binary=True)
        return self._cursor

    async def _disconnect(self) -> None:
        connection, self._connection, self._cursor = self._connection, None, None
        if connection is not None:
            await connection.close()

    def _fail(self, batch: list[_Waiting], error: Exception) -> None:
        for waiting in batch:
            self._settle(waiting, error)

    def _settle(self, waiting: _Waiting, error: Exception | None) -> None:
        if waiting.settled:
            return
        waiting.settled = True
        stream = waiting.act.stream
        self._streams[stream] -= 1
        if not self._streams[stream]:
            del self._streams[stream]
        self._count -= 1
        self._bytes -= len(waiting.act.body)
        if waiting.done.done():
            return  # its caller was cancelled
        if error is None:
            waiting.done.set_result(None)
        else:
            waiting.done.set_exception(error)


_STORED = "select uuid_send(command_id), hash from {schema}.acts where stream = %b and version = %b"


@dataclass(slots=True)
class _Waiting:
    """An append in the queue."""

    act: Append
    done: asyncio.Future[None]
    since: float
    unsure: bool = False  # a connection was lost while it was under way
    settled: bool = False


_stream = attrgetter("act.stream")


class _Lost(Exception):
    """The connection was lost, and with it the outcome of the statement under way."""


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
