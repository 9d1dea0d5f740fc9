"""Advance tournaments: make the tables what the state wants, and the state what the tables say.

Each step may be lost, doubled or interrupted: the next run compares again and does what is still to do. Table ids
follow from match and attempt, so a table is opened once; a result that is known changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from pinochle.decider import HOUSE
from pinochle.errors import BadInput, Conflict, Rejected
from pinochle.tournament import (
    CloseTournament,
    Command,
    PinnedTable,
    RecordResult,
    State,
    WantedTable,
    due,
    plan_next_round,
    to_pin,
    unwanted,
    wanted,
)
from pinochle.tournament.state import CLOSED, NONE, OVER
from pinochle.wire.chain import START
from pinochle.wire.v1 import table_pb2 as pb

from services.eventstore import PAGE, EventStore, StoreUnavailable
from services.handle import COMMAND_ID_BYTES, Streams
from services.stream import Stream, Unreadable, id_text
from services.tournament.tables import TableRefused, Tables, TablesAway

LOG = logging.getLogger(__name__)
AUTHOR = "house"
PASSES_MAX = 16
"""Times in a row that one run records results and looks again; the next run takes the rest."""
CALLS_AT_ONCE = 16
TOURNAMENTS_AT_ONCE = 8
PATIENCE_MS_MIN, PATIENCE_MS_MAX = 1_000, 60_000
"""How long a sweep leaves a tournament alone after a failure: doubled with each one, up to the most."""


@dataclass(slots=True)
class Done:
    """What one run did; `refused` counts what the table service or the rules would not take."""

    recorded: int = 0
    opened: int = 0
    voided: int = 0
    closed: int = 0
    refused: int = 0

    def add(self, other: Done) -> None:
        """Count what another run did as well."""
        self.recorded += other.recorded
        self.opened += other.opened
        self.voided += other.voided
        self.closed += other.closed
        self.refused += other.refused

    @property
    def steps(self) -> int:
        """How many things were found to do, and done."""
        return self.recorded + self.opened + self.voided + self.closed


class Reconciler:
    """Advances tournaments. `tables_max` is how many tables of one tournament are open at the same time."""

    def __init__(
        self,
        streams: Streams,
        store: EventStore,
        tables: Tables,
        *,
        entropy: Callable[[int], bytes],
        tables_max: int,
    ) -> None:
        self._streams = streams
        self._store = store
        self._tables = tables
        self._entropy = entropy
        self._tables_max = tables_max
        self._failures: dict[bytes, tuple[int, int]] = {}  # how many in a row, and until when to wait

    async def advance(self, key: bytes) -> Done:
        """Do everything that a tournament waits for; raises TablesAway, StoreUnavailable and Conflict."""
        done = Done()
        stream = await self._streams.get(key)
        await self._streams.refresh(stream)
        for _ in range(PASSES_MAX):
            state: State = stream.state
            if due(state).who != HOUSE:
                return done
            if state.phase == OVER:
                break
            # A window over the matches in their order: as they end, later ones move into it.
            window = wanted(state)[: self._tables_max]
            known = await self._tables.summaries([table.table for table in window])
            for table in window:
                if _is_over(known.get(table.table)):
                    stream = await self._record(stream, table, known[table.table], done)
            if stream.state is state:
                await self._open([table for table in window if table.table not in known], done)
                break
        stream = await self._tidy(stream, done)
        if done.steps:
            LOG.info("tournament %s: %s", stream.id, done)
        return done

    async def sweep(self) -> Done:
        """Advance every tournament that waits for the house; one that fails is left alone for a while."""
        room = asyncio.Semaphore(TOURNAMENTS_AT_ONCE)
        total = Done()

        async def one(key: bytes) -> None:
            async with room:
                await self._advance_patiently(key, total)

        await asyncio.gather(*(one(key) for key in await self.waiting()))
        return total

    async def waiting(self) -> list[bytes]:
        """The tournaments that wait for the house."""
        keys: list[bytes] = []
        after: bytes | None = None
        while True:
            heads = await self._store.open_streams(after, PAGE)
            keys += [head.stream for head in heads if head.due == HOUSE]
            if len(heads) < PAGE:
                return keys
            after = heads[-1].stream

    async def _advance_patiently(self, key: bytes, total: Done) -> None:
        failures, until_ms = self._failures.get(key, (0, 0))
        if self._streams.now_ms() < until_ms:
            return
        try:
            done = await self.advance(key)
        except (TablesAway, StoreUnavailable, Conflict, Unreadable) as error:
            LOG.warning("tournament %s could not be advanced: %s", id_text(key), error)
        except Exception:
            LOG.exception("tournament %s failed to advance", id_text(key))
        else:
            total.add(done)
            if not done.refused:
                self._failures.pop(key, None)
                return
        wait_ms = min(PATIENCE_MS_MIN << min(failures, 10), PATIENCE_MS_MAX)
        self._failures[key] = (failures + 1, self._streams.now_ms() + wait_ms)

    async def _record(self, stream: Stream, table: WantedTable, summary: pb.TableSummary, done: Done) -> Stream:
        winner = summary.winner if summary.HasField("winner") else NONE
        command = RecordResult(
            table.match, table.attempt, table.table, winner, tuple(summary.totals), summary.deals, summary.end_reason
        )
        stream, changed = await self._do(stream, command, done)
        done.recorded += changed
        return stream

    async def _do(self, stream: Stream, command: Command, done: Done) -> tuple[Stream, bool]:
        """One command of the house, and whether it changed anything; what the rules refuse is counted."""
        await asyncio.to_thread(plan_next_round, stream.state)
        try:
            outcome = await self._streams.handle(stream.key, AUTHOR, self._entropy(COMMAND_ID_BYTES), command)
        except (Rejected, BadInput) as error:
            LOG.error("tournament %s: %s: %s", stream.id, command, error)
            done.refused += 1
            return stream, False
        return outcome.stream, outcome.changed

    async def _open(self, tables: Sequence[WantedTable], done: Done) -> None:
        room = asyncio.Semaphore(CALLS_AT_ONCE)

        async def one(table: WantedTable) -> None:
            async with room:
                try:
                    await self._tables.open(table)
                    done.opened += 1
                except TableRefused as error:
                    LOG.error("table %s of match %s: %s", table.table, table.match, error)
                    done.refused += 1

        await _all(one(table) for table in tables)

    async def _tidy(self, stream: Stream, done: Done) -> Stream:
        """Void tables that count for nothing; when all is over, pin all tables and publish the seed."""
        state: State = stream.state
        replaced = unwanted(state)
        known = await self._tables.summaries(replaced) if replaced else {}
        for table, summary in known.items():
            if not _is_over(summary):
                await self._tables.void(table, "the match is played at another table")
                done.voided += 1
        while stream.state.phase == OVER:
            pinned = await self._pinned(stream, done)
            if not pinned:
                return stream
            stream, changed = await self._do(stream, CloseTournament(pinned), done)
            if not changed:
                return stream
            done.closed += stream.state.phase == CLOSED
        return stream

    async def _pinned(self, stream: Stream, done: Done) -> tuple[PinnedTable, ...]:
        """The tables to be listed next, with their last hashes; nothing while one of them is not closed.

        Tables close before they are listed, and all of them before the last act, which lists the last ones: wherever
        this is interrupted, the next run finds what is still to do.
        """
        listed = await asyncio.to_thread(to_pin, stream.state)
        ids = [table for table, _ in listed]
        heads = await self._tables.heads(ids)
        unclosed = [table for table in ids if table in heads and not heads[table].head]
        if unclosed:
            await self._close(unclosed, done)
            heads = await self._tables.heads(ids)
        missing = [table for table, may_be_unopened in listed if table not in heads and not may_be_unopened]
        for table in missing:
            LOG.error("tournament %s: table %s, which gave a result, is not there", stream.id, table)
            done.refused += 1
        if missing or any(not head.head for head in heads.values()):
            return ()
        return tuple(
            PinnedTable(table, heads[table].acts, heads[table].head) if table in heads else PinnedTable(table, 0, START)
            for table in ids
        )

    async def _close(self, tables: Sequence[str], done: Done) -> None:
        room = asyncio.Semaphore(CALLS_AT_ONCE)

        async def one(table: str) -> None:
            async with room:
                try:
                    await self._tables.close_table(table)
                except TableRefused as error:
                    LOG.error("table %s cannot be closed: %s", table, error)
                    done.refused += 1

        await _all(one(table) for table in tables)


def _is_over(summary: pb.TableSummary | None) -> bool:
    return summary is not None and bool(summary.end_reason)


async def _all(works: Iterable[Awaitable[None]]) -> None:
    """Do all of it side by side; the first error is raised when everything has ended."""
    for error in await asyncio.gather(*works, return_exceptions=True):
        if error is not None:
            raise error
