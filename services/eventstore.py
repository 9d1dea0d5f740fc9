"""The event store: numbered acts of streams, appended once, never changed; in Postgres or in memory.

An append names the version that the stream is expected to be at and raises Conflict if it is not; it
returns when the act is durable. Each stream is ordered by its own version, and nothing orders streams
against each other. Ids are 16 raw bytes, times milliseconds since 1970 in UTC. Pages are in the order of
the ids' bytes.

Errors: Conflict (another act came first), BadAct (a malformed act), StoreUnavailable (no answer in time, or
too much is waiting; append the same act again to learn what became of it).
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right, insort
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Protocol

from pinochle.errors import Conflict
from psycopg import sql

from services import packed
from services.acts import (
    TIME_MS_MAX,
    Append,
    BadAct,
    Head,
    Opened,
    StoredAct,
    StoreLimits,
    StoreUnavailable,
    check_append,
    check_page,
)
from services.connections import Clock, Connections, Sleep
from services.groupcommit import GroupCommit

__all__ = [
    "PAGE",
    "Append",
    "BadAct",
    "Conflict",
    "EventStore",
    "Head",
    "MemoryStore",
    "Opened",
    "PostgresStore",
    "StoreLimits",
    "StoreUnavailable",
    "StoredAct",
]

PAGE = 1_000
"""How many acts or heads an answer holds if the caller does not say."""


class EventStore(Protocol):
    """What the write path and the sweeps need of a store."""

    async def append(self, act: Append) -> None:
        """Return once the act is durable. A caller that is cancelled does not take its act back."""

    async def read(self, stream: bytes, after: int = 0, limit: int = PAGE) -> list[StoredAct]:
        """The acts after version `after`, in order; fewer than `limit` only at the end."""

    async def head(self, stream: bytes) -> Head | None:
        """Where the stream stands; None if it was never opened."""

    async def heads(self, streams: Sequence[bytes]) -> dict[bytes, Head]:
        """Where each of these streams stands; those never opened are left out."""

    async def open_streams(self, after: bytes | None = None, limit: int = PAGE) -> list[Head]:
        """A page of the streams that have not ended, from the one behind the id `after`."""

    async def streams(self, after: bytes | None = None, limit: int = PAGE, open: bool | None = None) -> list[Head]:
        """A page of all streams, or only of those that are open, or only of those that have ended."""

    async def latest(
        self,
        before: tuple[int, bytes] | None = None,
        limit: int = PAGE,
        open: bool | None = None,
        since_ms: int = 0,
        until_ms: int = TIME_MS_MAX,
    ) -> list[Opened]:
        """A page of streams in the order of opening, latest first: those opened from `since_ms` to before `until_ms`.

        `before` is time and id of the last one of the page before; what is opened meanwhile moves no page.
        """

    async def now_ms(self) -> int:
        """The store's own clock, to compare a process's with."""

    async def close(self) -> None:
        """Finish what is under way and let go of everything; a second call does nothing."""


class MemoryStore:
    """A store in this process, lost with it. Never suspends, so that a simulator decides what runs when."""

    def __init__(self, clock_ms: Callable[[], int], limits: StoreLimits | None = None) -> None:
        self._clock_ms = clock_ms
        self._limits = limits or StoreLimits()
        self._acts: dict[bytes, list[StoredAct]] = {}
        self._heads: dict[bytes, Head] = {}
        self._ids: list[bytes] = []
        self._closed = False

    async def append(self, act: Append) -> None:
        check_append(act, self._limits)
        self._require_open()
        head = self._heads.get(act.stream)
        if act.version != (0 if head is None else head.version):
            raise Conflict(f"stream {act.stream.hex()} is not at version {act.version}")
        version = act.version + 1
        stored = StoredAct(version, act.command_id, act.body, act.hash, self._clock_ms())
        if head is None:
            insort(self._ids, act.stream)
            self._acts[act.stream] = []
        self._acts[act.stream].append(stored)
        self._heads[act.stream] = Head(act.stream, version, act.hash, act.due, act.due_at_ms, act.open)

    async def read(self, stream: bytes, after: int = 0, limit: int = PAGE) -> list[StoredAct]:
        self._require_open()
        check_page(limit, self._limits)
        return self._acts.get(stream, [])[max(0, after) : max(0, after) + limit]

    async def head(self, stream: bytes) -> Head | None:
        self._require_open()
        return self._heads.get(stream)

    async def heads(self, streams: Sequence[bytes]) -> dict[bytes, Head]:
        self._require_open()
        return {stream: self._heads[stream] for stream in streams if stream in self._heads}

    async def open_streams(self, after: bytes | None = None, limit: int = PAGE) -> list[Head]:
        return await self.streams(after, limit, True)

    async def streams(self, after: bytes | None = None, limit: int = PAGE, open: bool | None = None) -> list[Head]:
        self._require_open()
        check_page(limit, self._limits)
        page: list[Head] = []
        for position in range(0 if after is None else bisect_right(self._ids, after), len(self._ids)):
            head = self._heads[self._ids[position]]
            if open is None or head.open == open:
                page.append(head)
                if len(page) == limit:
                    break
        return page

    async def latest(
        self,
        before: tuple[int, bytes] | None = None,
        limit: int = PAGE,
        open: bool | None = None,
        since_ms: int = 0,
        until_ms: int = TIME_MS_MAX,
    ) -> list[Opened]:
        self._require_open()
        check_page(limit, self._limits)
        found = [
            Opened(head, 1000 * self._acts[key][0].recorded_at_ms)
            for key, head in self._heads.items()
            if (open is None or head.open == open) and since_ms <= self._acts[key][0].recorded_at_ms < until_ms
        ]
        found.sort(key=lambda row: (row.opened_us, row.head.stream), reverse=True)
        return [row for row in found if before is None or (row.opened_us, row.head.stream) < before][:limit]

    async def now_ms(self) -> int:
        self._require_open()
        return self._clock_ms()

    async def close(self) -> None:
        self._closed = True

    def _require_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("the event store is not running")


class PostgresStore:
    """A store in one schema of a Postgres database (17 or newer), used as that schema's role.

    `clock` counts seconds and never goes back; `sleep` waits between two tries to reach the database. The
    hooks are told of each batch, `on_batch(acts, seconds)`, and of each lost connection, `on_reconnect()`.
    """

    def __init__(
        self,
        conninfo: str,
        schema: str,
        *,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
        limits: StoreLimits | None = None,
        on_batch: Callable[[int, float], None] | None = None,
        on_reconnect: Callable[[], None] | None = None,
    ) -> None:
        self._limits = limits or StoreLimits()
        # Where many appends wait, the process makes one batch ready while the database makes another's durable.
        self._writers = tuple(
            GroupCommit(
                conninfo,
                schema,
                clock=clock,
                sleep=sleep,
                limits=self._limits,
                on_batch=on_batch,
                on_reconnect=on_reconnect,
            )
            for _ in range(self._limits.writers)
        )
        self._queries = _queries(schema)
        self._readers = Connections(
            conninfo,
            f"readers of {schema}",
            connections_max=self._limits.readers_max,
            connect_seconds_max=self._limits.connect_seconds_max,
            statement_seconds_max=self._limits.statement_seconds_max,
            seconds_max=self._limits.read_seconds_max,
            clock=clock,
            sleep=sleep,
            read_only=True,
        )

    @property
    def waiting(self) -> int:
        """How many appends are queued or under way."""
        return sum(writer.waiting for writer in self._writers)

    async def start(self) -> None:
        """Connect; StoreUnavailable if the database can't be reached in time."""
        try:
            for writer in self._writers:
                await writer.start()
            await self._readers.start()
        except BaseException:
            await self.close()
            raise

    async def append(self, act: Append) -> None:
        check_append(act, self._limits)
        await self._writer(act.stream).append(act)

    def _writer(self, stream: bytes) -> GroupCommit:
        """The one that has acts of this stream; else the first, alone with the fullest batches up to a bound."""
        for writer in self._writers:
            if writer.serves(stream):
                return writer
        first = self._writers[0]
        return first if first.waiting < self._limits.spread_acts_min else min(self._writers, key=_waiting)

    async def read(self, stream: bytes, after: int = 0, limit: int = PAGE) -> list[StoredAct]:
        check_page(limit, self._limits)
        rows = await self._rows("read", (packed.uuids([stream]), after, limit))
        return [StoredAct(*row) for row in rows]

    async def head(self, stream: bytes) -> Head | None:
        return (await self.heads([stream])).get(stream)

    async def heads(self, streams: Sequence[bytes]) -> dict[bytes, Head]:
        found: dict[bytes, Head] = {}
        size = self._limits.page_max
        for start in range(0, len(streams), size):
            rows = await self._rows("heads", (packed.uuids(streams[start : start + size]),))
            found.update((row[0], Head(*row)) for row in rows)
        return found

    async def open_streams(self, after: bytes | None = None, limit: int = PAGE) -> list[Head]:
        return await self.streams(after, limit, True)

    async def streams(self, after: bytes | None = None, limit: int = PAGE, open: bool | None = None) -> list[Head]:
        check_page(limit, self._limits)
        which = {None: "all", True: "open", False: "ended"}[open]
        if after is None:
            rows = await self._rows(f"{which} first", (limit,))
        else:
            rows = await self._rows(f"{which} after", (packed.uuids([after]), limit))
        return [Head(*row) for row in rows]

    async def latest(
        self,
        before: tuple[int, bytes] | None = None,
        limit: int = PAGE,
        open: bool | None = None,
        since_ms: int = 0,
        until_ms: int = TIME_MS_MAX,
    ) -> list[Opened]:
        check_page(limit, self._limits)
        which = {None: "all", True: "open", False: "ended"}[open]
        times = (since_ms, min(until_ms, TIME_MS_MAX))
        if before is None:
            rows = await self._rows(f"{which} latest", (*times, limit))
        else:
            rows = await self._rows(f"{which} before", (*times, before[0], packed.uuids([before[1]]), limit))
        return [Opened(Head(*row[:-1]), row[-1]) for row in rows]

    async def now_ms(self) -> int:
        return (await self._rows("now", ()))[0][0]

    async def close(self) -> None:
        await asyncio.gather(*(writer.close() for writer in self._writers))
        await self._readers.close()

    async def _rows(self, query: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        return (await self._readers.run(self._queries[query], parameters))[0]


_waiting = attrgetter("waiting")


def _queries(schema: str) -> dict[str, str]:
    """Every read, by a short name."""
    columns = f"uuid_send(id), version, head, due, {_ms('due_at')}, open"
    heads = f"select {columns} from {{schema}}.streams where"
    latest = f"select {columns}, {_us('opened_at')} from {{schema}}.streams where"
    acts = f"select version, uuid_send(command_id), body, hash, {_ms('recorded_at')} from {{schema}}.acts"
    texts = {
        "read": f"{acts} where stream = (%b::uuid[])[1] and version > %b order by version limit %b",
        "heads": f"{heads} id = any(%b::uuid[])",
        "now": f"select {_ms('clock_timestamp()')}",
    }
    for which, condition in (("all", "true"), ("open", "open"), ("ended", "not open")):
        texts[f"{which} first"] = f"{heads} {condition} order by id limit %b"
        texts[f"{which} after"] = f"{heads} {condition} and id > (%b::uuid[])[1] order by id limit %b"
        listed = f"{latest} {condition} and opened_at >= {_moment(3)} and opened_at < {_moment(3)}"
        order = "order by opened_at desc, id desc limit %b"
        texts[f"{which} latest"] = f"{listed} {order}"
        texts[f"{which} before"] = f"{listed} and (opened_at, id) < ({_moment(6)}, (%b::uuid[])[1]) {order}"
    name = sql.Identifier(schema)
    return {key: sql.SQL(text).format(schema=name).as_string() for key, text in texts.items()}


def _us(moment: str) -> str:
    return f"(extract(epoch from {moment}) * 1000000)::int8"


def _moment(digits: int) -> str:
    """A parameter that counts so small parts of a second since 1970; exact, as no floating number would be."""
    return f"(timestamptz 'epoch' + %b::int8 * interval '{10**-digits:.{digits}f} seconds')"


def _ms(moment: str) -> str:
    return f"(extract(epoch from {moment}) * 1000)::int8"
