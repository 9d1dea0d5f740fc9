"""Advancing under faults: lost calls, lost answers, doubled runs and restarts change nothing but the time it takes."""

import asyncio
import random
from hashlib import sha256
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pinochle.rules import load
from pinochle.tournament import (
    CreateTournament,
    EnterTeam,
    ReplayMatch,
    StartTournament,
    State,
    WantedTable,
    root,
    sides,
    team_size,
)
from pinochle.tournament.state import CLOSED, RUNNING
from pinochle.wire.v1 import table_pb2 as pb

from services.eventstore import MemoryStore
from services.handle import Hooks, Streams
from services.tournament.kind import KIND
from services.tournament.reconcile import Reconciler
from services.tournament.tables import TableRefused, TablesAway

ID = "6f2b1f5e-3a51-4c0e-9a55-1d2c3b4a5968"
KEY = UUID(ID).bytes
TABLES_MAX = 3


class MemoryTables:
    """A table service that fails before or after it has done what was asked, in one of `calm` calls."""

    def __init__(self, chance: random.Random, calm: int) -> None:
        self.chance = chance
        self.calm = calm
        self.opened: dict[str, WantedTable] = {}
        self.results: dict[str, pb.TableSummary] = {}
        self.closed: set[str] = set()

    async def summaries(self, tables: Any) -> dict[str, pb.TableSummary]:
        await self._fail()
        found = {table: self.results[table] for table in tables if table in self.results}
        await self._fail()
        return found

    async def open(self, wanted: WantedTable) -> None:
        await self._fail()
        if wanted.table in self.opened:
            if self.opened[wanted.table] != wanted:
                raise TableRefused("the table is open with other content")
        else:
            self.opened[wanted.table] = wanted
            self.results[wanted.table] = pb.TableSummary(table=wanted.table, totals=[0] * sides(wanted.rules))
        await self._fail()

    async def void(self, table: str, reason: str) -> None:
        await self._fail()
        if not self.results[table].end_reason:
            self.results[table].end_reason = "void"
        await self._fail()

    async def close_table(self, table: str) -> None:
        await self._fail()
        if not self.results[table].end_reason:
            raise TableRefused("the game has not ended")
        self.closed.add(table)
        await self._fail()

    async def heads(self, tables: Any) -> dict[str, pb.TableHead]:
        await self._fail()
        return {table: self.head(table) for table in tables if table in self.results}

    def head(self, table: str) -> pb.TableHead:
        """A table of some length; its hash shows once it is closed."""
        head = sha256(table.encode()).digest() if table in self.closed else b""
        return pb.TableHead(table=table, acts=7, head=head)

    def play(self) -> None:
        """End one of the open tables somehow."""
        running = self.running()
        if running:
            ended = self.results[self.chance.choice(running)]
            winner, reason = self.chance.choice(
                [(0, "score"), (1, "score"), (1, "deal_limit"), (None, "draw"), (None, "void")]
            )
            ended.end_reason = reason
            ended.deals = 4
            ended.totals[:] = [self.chance.randrange(100) for _ in ended.totals]
            if len(ended.totals) > 2 and reason != "void":
                highest = max(ended.totals)
                winner = list(ended.totals).index(highest) if list(ended.totals).count(highest) == 1 else None
                ended.end_reason = "deal_limit"
            if winner is not None:
                ended.winner = winner

    def running(self) -> list[str]:
        return [table for table, summary in self.results.items() if not summary.end_reason]

    async def _fail(self) -> None:
        await asyncio.sleep(0)
        if self.chance.randrange(self.calm) == 0:
            raise TablesAway("a fault of this test")


class Arena:
    """A store, the tables, and reconcilers over them that come and go."""

    def __init__(self, seed: int, calm: int) -> None:
        self.chance = random.Random(seed)
        self.store = MemoryStore(lambda: 0)
        self.tables = MemoryTables(self.chance, calm)
        self.now_ms = 0

    def reconciler(self) -> Reconciler:
        """A new process: nothing in memory."""
        return Reconciler(
            self.streams(), self.store, self.tables, entropy=self.chance.randbytes, tables_max=TABLES_MAX
        )

    def streams(self) -> Streams:
        return Streams(
            KIND,
            self.store,
            clock_ms=lambda: self.now_ms,
            clock=lambda: 0.0,
            cached_max=10,
            acts_max=10_000,
            retries_max=3,
            hooks=Hooks(lambda stream, view: None, lambda spent: None, lambda: None),
        )

    async def start(self, format_name: str, teams: int) -> None:
        seed = self.chance.randbytes(32)
        alone = format_name == "rounds"
        rules = load("three-handed-stock" if alone else "classic")
        await self.do(CreateTournament(ID, "Any", format_name, rules, seed, 9, 2, 1, rounds=2 if alone else 0))
        for number in range(teams):
            await self.do(EnterTeam(f"Team {number}", ("bot:club",) * team_size(rules)))
        await self.do(StartTournament())

    async def do(self, command: Any) -> None:
        await self.streams().handle(KEY, "director", self.chance.randbytes(16), command, opens=True)

    async def state(self) -> State:
        return (await self.streams().get(KEY)).state


async def ended(arena: Arena) -> State:
    """Advance and play until the tournament is closed."""
    workers = [arena.reconciler(), arena.reconciler()]
    for _ in range(2_000):
        at = arena.chance.randrange(2)
        if arena.chance.randrange(5) == 0:
            workers[at] = arena.reconciler()
        doubled = arena.chance.randrange(3) == 0
        runs = [worker.advance(KEY) for worker in (workers if doubled else workers[at : at + 1])]
        for error in await asyncio.gather(*runs, return_exceptions=True):
            assert not isinstance(error, BaseException) or isinstance(error, TablesAway), error
        assert doubled or len(arena.tables.running()) <= TABLES_MAX + 1
        state = await arena.state()
        if state.phase == CLOSED:
            return state
        if state.phase == RUNNING and arena.chance.randrange(12) == 0:
            match = arena.chance.choice([state.matches[m] for m in state.undecided])
            if len(match.attempts) < 3:
                await arena.do(ReplayMatch(match.id, len(match.attempts), "a test"))
        arena.tables.play()
    raise AssertionError("the tournament did not end")


def assert_pinned(state: State, tables: MemoryTables) -> None:
    """Every table of the tournament is listed once, in order, with what it is known by, and the root is over these."""
    pinned = [table.table for table in state.pinned]
    assert sorted(set(pinned)) == pinned
    assert set(tables.opened) <= set(pinned)
    for table in state.pinned:
        head = tables.head(table.table) if table.table in tables.opened else pb.TableHead(head=bytes(32))
        assert (head.acts, head.head) == (table.acts, table.head)
    assert root(ID, state.pinned) == state.root


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(("knockout", "round_robin", "rounds")), st.integers(3, 9))
def test_a_tournament_ends_whatever_calls_fail_and_every_result_is_its_tables(
    seed: int, format_name: str, teams: int
) -> None:
    async def run() -> None:
        arena = Arena(seed, calm=6)
        await arena.start(format_name, teams)
        state = await ended(arena)
        counted = {
            (match.id, attempt.number): attempt
            for match in state.matches.values()
            for attempt in match.attempts
            if attempt.status == "played"
        }
        assert [] == arena.tables.running()
        assert set(arena.tables.opened) == arena.tables.closed
        assert_pinned(state, arena.tables)
        for table, wanted in arena.tables.opened.items():
            attempt = counted.pop((wanted.match, wanted.attempt), None)
            if attempt is not None:
                summary = arena.tables.results[table]
                assert (tuple(summary.totals), summary.end_reason) == (attempt.totals, attempt.reason)
        assert {} == counted

    asyncio.run(run())


async def test_a_table_that_is_refused_is_counted_and_the_others_are_opened() -> None:
    arena = Arena(1, calm=10**9)
    await arena.start("knockout", 4)
    reconciler = arena.reconciler()
    await reconciler.advance(KEY)
    taken = next(iter(arena.tables.opened))
    del arena.tables.results[taken]
    arena.tables.opened[taken] = None  # type: ignore[assignment]
    done = await reconciler.advance(KEY)
    assert (1, 0) == (done.refused, done.opened)


async def test_a_sweep_leaves_a_tournament_that_fails_longer_each_time() -> None:
    arena = Arena(1, calm=1)
    await arena.start("knockout", 2)
    reconciler = arena.reconciler()
    tried = []
    for second in range(20):
        arena.now_ms = second * 1_000
        before = arena.chance.getstate()
        await reconciler.sweep()
        if before != arena.chance.getstate():
            tried.append(second)
    assert [0, 1, 3, 7, 15] == tried


async def test_a_run_with_nothing_to_do_adds_no_act() -> None:
    arena = Arena(1, calm=10**9)
    await arena.start("knockout", 2)
    reconciler = arena.reconciler()
    await reconciler.advance(KEY)
    before = await arena.store.head(KEY)
    assert 0 == (await reconciler.advance(KEY)).steps
    assert before == await arena.store.head(KEY)


@pytest.mark.parametrize("seed", range(3))
async def test_a_sweep_finds_what_no_task_was_sent_for(seed: int) -> None:
    arena = Arena(seed, calm=10**9)
    await arena.start("knockout", 5)
    reconciler = arena.reconciler()
    for _ in range(200):
        await reconciler.sweep()
        arena.tables.play()
        if (await arena.state()).phase == CLOSED:
            return
    raise AssertionError("the sweeps did not finish the tournament")
