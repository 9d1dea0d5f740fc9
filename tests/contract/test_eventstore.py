"""What every event store does, in memory and on Postgres; and what only Postgres has to survive."""

import asyncio
import hashlib
import itertools
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable

import psycopg
import pytest
import pytest_asyncio
from pinochle.errors import BadInput, Conflict
from pinochle.wire.chain import START, check, link
from psycopg.conninfo import make_conninfo

from services.eventstore import (
    Append,
    BadAct,
    EventStore,
    Head,
    MemoryStore,
    PostgresStore,
    StoreLimits,
    StoreUnavailable,
)

NOW_MS = 1_764_470_000_123
SECONDS_MAX = 60


def clock_ms() -> int:
    return int(time.time() * 1000)


def stream_id(number: int) -> bytes:
    return hashlib.sha256(b"stream %d" % number).digest()[:16]


def act(stream: bytes, version: int = 0, previous: bytes = START, *, body: bytes = b"body", **others) -> Append:
    """An act whose hash is right; its command id follows from stream, version and body."""
    command = hashlib.sha256(stream + bytes([version % 256]) + body).digest()[:16]
    proof = link(previous, stream, version + 1, command, body)
    return Append(stream, version, command, body, proof, **{"due": 2, "due_at_ms": NOW_MS, "open": True} | others)


async def grow(store: EventStore, stream: bytes, acts: int) -> bytes:
    """Append acts one after the other; the last hash."""
    previous = START
    for version in range(acts):
        next_act = act(stream, version, previous)
        await store.append(next_act)
        previous = next_act.hash
    return previous


async def outcomes(*appends: Awaitable[None]) -> list[type | None]:
    """None for each append that succeeded, the class of its error for each that did not."""
    results = await asyncio.wait_for(asyncio.gather(*appends, return_exceptions=True), SECONDS_MAX)
    return [None if result is None else type(result) for result in results]


Make = Callable[..., Awaitable[PostgresStore]]


@pytest_asyncio.fixture
async def make(database) -> AsyncIterator[Make]:
    """Makes started Postgres stores on this test's database."""
    stores: list[PostgresStore] = []

    async def started(limits: StoreLimits | None = None, url: str = database.tables_url, **hooks) -> PostgresStore:
        store = PostgresStore(url, "tables", clock=time.monotonic, limits=limits, **hooks)
        stores.append(store)
        await store.start()
        return store

    yield started
    for store in stores:
        await store.close()


@pytest_asyncio.fixture(params=["memory", "postgres"])
async def store(request) -> AsyncIterator[EventStore]:
    if request.param == "memory":
        memory = MemoryStore(clock_ms)
        yield memory
        await memory.close()
        return
    database = request.getfixturevalue("database")
    postgres = PostgresStore(database.tables_url, "tables", clock=time.monotonic)
    await postgres.start()
    yield postgres
    await postgres.close()


class TestEveryStore:
    async def test_an_act_is_read_as_it_was_appended(self, store):
        first = act(stream_id(1), body=bytes(range(256)))
        before = clock_ms()
        await store.append(first)
        [stored] = await store.read(stream_id(1))
        assert (1, first.command_id, first.body, first.hash) == (
            stored.version,
            stored.command_id,
            stored.body,
            stored.hash,
        )
        assert before - 1000 <= stored.recorded_at_ms <= clock_ms() + 1000

    async def test_the_head_is_what_the_last_act_said(self, store):
        hash_ = await grow(store, stream_id(1), 3)
        assert Head(stream_id(1), 3, hash_, 2, NOW_MS, True) == await store.head(stream_id(1))

    async def test_a_stream_may_be_due_at_no_time(self, store):
        await store.append(act(stream_id(1), due=-1, due_at_ms=None))
        head = await store.head(stream_id(1))
        assert (-1, None) == (head.due, head.due_at_ms)

    async def test_acts_come_in_the_order_of_their_versions_and_form_a_chain(self, store):
        await grow(store, stream_id(1), 12)
        acts = await store.read(stream_id(1))
        assert list(range(1, 13)) == [a.version for a in acts]
        assert check(acts, stream_id(1)) is None

    async def test_reading_goes_on_behind_a_version(self, store):
        await grow(store, stream_id(1), 10)
        assert [4, 5, 6] == [a.version for a in await store.read(stream_id(1), after=3, limit=3)]
        assert [10] == [a.version for a in await store.read(stream_id(1), after=9)]
        assert [] == await store.read(stream_id(1), after=10)

    async def test_a_stream_that_was_never_opened_has_no_head_and_no_acts(self, store):
        assert await store.head(stream_id(1)) is None
        assert [] == await store.read(stream_id(1))
        assert {} == await store.heads([stream_id(1)])
        assert {} == await store.heads([])

    @pytest.mark.parametrize("version", [0, 1, 3, 4])
    async def test_another_version_than_the_stream_is_at_is_a_conflict(self, store, version):
        await grow(store, stream_id(1), 2)
        with pytest.raises(Conflict, match=f"is not at version {version}"):
            await store.append(act(stream_id(1), version, body=b"late"))
        assert [1, 2] == [a.version for a in await store.read(stream_id(1))]

    async def test_a_stream_cannot_begin_in_the_middle(self, store):
        with pytest.raises(Conflict):
            await store.append(act(stream_id(1), 5))
        assert await store.head(stream_id(1)) is None

    async def test_of_two_racers_one_wins_and_the_other_gets_a_conflict(self, store):
        await grow(store, stream_id(1), 1)
        racers = [act(stream_id(1), 1, body=b"one"), act(stream_id(1), 1, body=b"two")]
        results = await outcomes(*map(store.append, racers))
        assert {None, Conflict} == set(results)
        winner = racers[results.index(None)]
        assert [winner.body] == [a.body for a in await store.read(stream_id(1), after=1)]

    async def test_of_two_that_open_a_stream_one_wins(self, store):
        results = await outcomes(*(store.append(act(stream_id(1), body=body)) for body in (b"one", b"two")))
        assert [None, Conflict] == results

    async def test_one_that_is_late_does_not_fail_its_neighbours(self, store):
        numbers = range(20)
        await asyncio.gather(*(store.append(act(stream_id(n))) for n in numbers))
        late = 7
        appends = (store.append(act(stream_id(n), 0 if n == late else 1, body=b"next")) for n in numbers)
        assert [Conflict if n == late else None for n in numbers] == await outcomes(*appends)
        heads = await store.heads([stream_id(n) for n in numbers])
        assert [1 if n == late else 2 for n in numbers] == [heads[stream_id(n)].version for n in numbers]

    async def test_acts_of_one_stream_that_wait_together_are_stored_in_turn(self, store):
        acts = [act(stream_id(1), version) for version in range(6)]
        assert [None] * 6 == await outcomes(*map(store.append, acts))
        assert [a.hash for a in acts] == [a.hash for a in await store.read(stream_id(1))]

    async def test_new_and_old_streams_share_a_batch(self, store):
        await grow(store, stream_id(1), 1)
        appends = [
            store.append(act(stream_id(1), 1)),
            store.append(act(stream_id(2))),
            store.append(act(stream_id(3), 1)),
        ]
        assert [None, None, Conflict] == await outcomes(*appends)

    async def test_an_ended_stream_leaves_the_open_ones_and_stays_in_the_log(self, store):
        await grow(store, stream_id(1), 1)
        await grow(store, stream_id(2), 1)
        await store.append(act(stream_id(1), 1, due_at_ms=None, open=False))
        assert [stream_id(2)] == [h.stream for h in await store.open_streams(None, 10)]
        assert [stream_id(1)] == [h.stream for h in await store.streams(None, 10, open=False)]
        assert sorted([stream_id(1), stream_id(2)]) == [h.stream for h in await store.streams(None, 10)]
        assert not (await store.head(stream_id(1))).open

    async def test_pages_by_time_go_back_from_the_latest_and_stand_still_when_more_are_opened(self, store):
        for number in range(5):
            await grow(store, stream_id(number), 1 + number % 2)
            await asyncio.sleep(0.002)
        page = await store.latest(None, 2)
        assert [stream_id(4), stream_id(3)] == [row.head.stream for row in page]
        assert page[0].opened_us > page[1].opened_us
        await store.append(act(stream_id(9), open=False))
        rest = await store.latest((page[1].opened_us, page[1].head.stream), 10)
        assert [stream_id(2), stream_id(1), stream_id(0)] == [row.head.stream for row in rest]
        assert [stream_id(9)] == [row.head.stream for row in await store.latest(None, 10, False)]
        since = page[1].opened_us // 1000
        between = await store.latest(None, 10, True, since, page[0].opened_us // 1000)
        assert [stream_id(3)] == [row.head.stream for row in between]

    async def test_pages_of_streams_show_each_stream_once_in_the_order_of_ids(self, store):
        ids = sorted(stream_id(n) for n in range(25))
        await asyncio.gather(*(store.append(act(s)) for s in random.Random(1).sample(ids, 25)))
        seen, after = [], None
        while page := await store.open_streams(after, 10):
            assert len(page) <= 10
            seen += [head.stream for head in page]
            after = page[-1].stream
        assert ids == seen

    async def test_a_big_body_comes_back_whole(self, store):
        body = random.Random(1).randbytes(1 << 20)
        await store.append(act(stream_id(1), body=body))
        [stored] = await store.read(stream_id(1))
        assert body == stored.body

    async def test_an_empty_body_comes_back_empty(self, store):
        await store.append(act(stream_id(1), body=b""))
        assert [b""] == [a.body for a in await store.read(stream_id(1))]

    @pytest.mark.parametrize(
        "wrong",
        [
            {"stream": b"short"},
            {"command_id": bytes(17)},
            {"hash": bytes(31)},
            {"version": -1},
            {"version": 2**31},
            {"due": 40_000},
            {"due_at_ms": -1},
            {"due_at_ms": 10**18},
            {"body": bytes((1 << 20) + 1)},
        ],
        ids=lambda wrong: next(iter(wrong)),
    )
    async def test_a_malformed_act_is_refused_and_its_neighbour_is_not(self, store, wrong):
        bad = act(stream_id(1))
        for name, value in wrong.items():
            setattr(bad, name, value)
        assert [BadAct, None] == await outcomes(store.append(bad), store.append(act(stream_id(2))))
        assert await store.head(stream_id(1)) is None

    @pytest.mark.parametrize("limit", [0, -1, 10_001])
    async def test_a_page_out_of_bounds_is_refused(self, store, limit):
        with pytest.raises(BadInput, match="a page holds from 1 to 10000"):
            await store.read(stream_id(1), 0, limit)
        with pytest.raises(BadInput, match="a page holds from 1 to 10000"):
            await store.streams(None, limit)

    async def test_a_caller_that_is_cancelled_does_not_take_its_act_back(self, store):
        task = asyncio.ensure_future(store.append(act(stream_id(1))))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task}, timeout=SECONDS_MAX)
        await asyncio.wait_for(store.append(act(stream_id(1), 1)), SECONDS_MAX)
        assert [1, 2] == [a.version for a in await store.read(stream_id(1))]

    async def test_its_clock_is_near_ours(self, store):
        assert abs(await store.now_ms() - clock_ms()) < 5_000

    async def test_a_closed_store_says_so_at_once_and_may_be_closed_again(self, store):
        await store.close()
        for refused in (store.append(act(stream_id(1))), store.read(stream_id(1)), store.head(stream_id(1))):
            with pytest.raises(StoreUnavailable, match="not running"):
                await refused
        await store.close()


class TestBatches:
    async def test_appends_that_wait_together_share_a_commit(self, make):
        sizes: list[int] = []
        store = await make(StoreLimits(writers=1), on_batch=lambda size, seconds: sizes.append(size))
        await asyncio.gather(*(store.append(act(stream_id(n))) for n in range(100)))
        assert 100 == sum(sizes)
        assert len(sizes) <= 3

    async def test_who_comes_shortly_after_another_shares_its_commit_up_to_a_bound(self, make):
        sizes: list[int] = []
        limits = StoreLimits(writers=1, gather_acts=4, gather_turns=8, gather_seconds_max=SECONDS_MAX)
        store = await make(limits, on_batch=lambda size, seconds: sizes.append(size))

        async def append(n: int) -> None:
            for _ in range(3 * n):
                await asyncio.sleep(0)
            await store.append(act(stream_id(n)))

        await asyncio.gather(*map(append, range(3)))
        assert [3] == sizes
        await asyncio.gather(*map(append, range(3, 8)))
        assert [3, 4, 1] == sizes

    async def test_no_batch_is_above_its_bounds(self, make):
        sizes: list[int] = []
        limits = StoreLimits(writers=1, batch_acts_max=8, batch_bytes_max=1000)
        store = await make(limits, on_batch=lambda size, seconds: sizes.append(size))
        await asyncio.gather(*(store.append(act(stream_id(n))) for n in range(40)))
        assert 8 == max(sizes)
        await asyncio.gather(*(store.append(act(stream_id(n), 1, body=bytes(400))) for n in range(10)))
        assert [2] * 5 == sizes[-5:]

    async def test_a_full_queue_refuses_at_once_and_what_waits_is_stored(self, make):
        store = await make(StoreLimits(writers=1, queue_acts_max=10))
        results = await outcomes(*(store.append(act(stream_id(n))) for n in range(15)))
        assert [None] * 10 + [StoreUnavailable] * 5 == results
        assert 0 == store.waiting
        await store.append(act(stream_id(11)))

    async def test_a_queue_with_too_many_bytes_refuses_at_once(self, make):
        store = await make(StoreLimits(writers=1, queue_bytes_max=1000))
        results = await outcomes(*(store.append(act(stream_id(n), body=bytes(400))) for n in range(3)))
        assert [None, None, StoreUnavailable] == results

    async def test_a_key_that_exists_fails_the_culprit_alone(self, make, database):
        store = await make()
        await asyncio.gather(*(store.append(act(stream_id(n))) for n in range(9)))
        with psycopg.connect(database.admin_url, autocommit=True) as admin:
            admin.execute(
                "insert into tables.acts select stream, 2, command_id, body, hash from tables.acts where stream = %s",
                (stream_id(4).hex(),),
            )
        results = await outcomes(*(store.append(act(stream_id(n), 1)) for n in range(9)))
        assert [BadAct if n == 4 else None for n in range(9)] == results
        assert 1 == (await store.head(stream_id(4))).version

    async def test_a_held_row_keeps_its_own_stream_waiting_and_no_other(self, make, database):
        store = await make()
        await asyncio.gather(*(store.append(act(stream_id(n))) for n in range(3)))
        with psycopg.connect(database.admin_url) as admin:
            admin.execute("select 1 from tables.streams where id = %s for update", (stream_id(1).hex(),))
            held = asyncio.ensure_future(store.append(act(stream_id(1), 1)))
            for version in range(1, 50):
                await asyncio.wait_for(asyncio.gather(*(store.append(act(stream_id(n), version)) for n in (0, 2))), 2)
            assert not held.done()
        await asyncio.wait_for(held, SECONDS_MAX)
        assert [50, 2, 50] == [(await store.head(stream_id(n))).version for n in range(3)]

    async def test_acts_of_a_held_stream_are_stored_in_their_order_when_it_is_free(self, make, database):
        store = await make()
        await store.append(act(stream_id(1)))
        with psycopg.connect(database.admin_url) as admin:
            admin.execute("select 1 from tables.streams where id = %s for update", (stream_id(1).hex(),))
            appends = []
            for version in range(1, 6):
                appends.append(asyncio.ensure_future(store.append(act(stream_id(1), version))))
                await asyncio.sleep(0.2)
        await asyncio.wait_for(asyncio.gather(*appends), SECONDS_MAX)
        assert 6 == (await store.head(stream_id(1))).version

    async def test_an_act_that_its_caller_gave_up_is_not_lost_behind_a_held_row_nor_is_the_next(self, make, database):
        store = await make()
        first = act(stream_id(1))
        await store.append(first)
        with psycopg.connect(database.admin_url) as admin:
            admin.execute("select 1 from tables.streams where id = %s for update", (stream_id(1).hex(),))
            second, third = (act(stream_id(1), 1, first.hash, body=body) for body in (b"given up", b"the next"))
            given_up = asyncio.ensure_future(store.append(second))
            await asyncio.sleep(0.02)  # its statement waits for the row
            given_up.cancel()
            following = asyncio.ensure_future(store.append(third))
            await asyncio.sleep(0.5)
            assert (2, False) == (store.waiting, following.done())
        assert [Conflict] == await outcomes(following)
        assert second.hash == (await store.head(stream_id(1))).hash
        assert 0 == store.waiting

    @pytest.mark.parametrize("mode", ["share", "access exclusive"])
    async def test_acts_for_a_table_of_the_database_that_is_locked_are_told_that_the_store_is_away(
        self, make, database, mode
    ):
        store = await make()
        await asyncio.gather(*(store.append(act(stream_id(n))) for n in range(4)))
        with psycopg.connect(database.admin_url) as admin:
            admin.execute(f"lock table tables.streams in {mode} mode")
            assert [StoreUnavailable] * 4 == await outcomes(*(store.append(act(stream_id(n), 1)) for n in range(4)))
        await store.append(act(stream_id(1), 1))
        assert 0 == store.waiting

    async def test_a_row_that_is_never_free_fails_its_act_in_time_and_not_the_stream(self, make, database):
        store = await make(StoreLimits(outage_seconds_max=0.5))
        await store.append(act(stream_id(1)))
        with psycopg.connect(database.admin_url) as admin:
            admin.execute("select 1 from tables.streams where id = %s for update", (stream_id(1).hex(),))
            with pytest.raises(StoreUnavailable, match="another transaction holds"):
                await asyncio.wait_for(store.append(act(stream_id(1), 1)), SECONDS_MAX)
        await store.append(act(stream_id(1), 1))
        assert 2 == (await store.head(stream_id(1))).version

    async def test_a_transaction_left_open_is_ended_and_the_act_that_it_held_up_is_stored(self, make, database):
        store = await make()
        await store.append(act(stream_id(1)))
        with psycopg.connect(database.tables_url) as idle:
            assert "10s" == idle.execute("show idle_in_transaction_session_timeout").fetchone()[0]
            idle.execute("set idle_in_transaction_session_timeout = '500ms'")
            idle.commit()
            idle.execute("select 1 from tables.streams where id = %s for update", (stream_id(1).hex(),))
            await asyncio.wait_for(store.append(act(stream_id(1), 1)), SECONDS_MAX)
            with pytest.raises(psycopg.errors.IdleInTransactionSessionTimeout):
                idle.execute("select 1")
        assert 2 == (await store.head(stream_id(1))).version

    async def test_closing_carries_out_what_is_queued(self, make):
        store = await make(StoreLimits(batch_acts_max=4))
        appends = asyncio.gather(*(store.append(act(stream_id(n))) for n in range(30)))
        await asyncio.sleep(0)
        await store.close()
        assert [None] * 30 == await asyncio.wait_for(appends, SECONDS_MAX)

    async def test_a_writer_that_broke_leaves_nobody_waiting(self, make):
        def broken(size: int, seconds: float) -> None:
            raise RuntimeError("a hook that fails")

        store = await make(StoreLimits(writers=1, batch_acts_max=2), on_batch=broken)
        results = await outcomes(*(store.append(act(stream_id(n))) for n in range(5)))
        assert [None, None, StoreUnavailable, StoreUnavailable, StoreUnavailable] == results
        with pytest.raises(StoreUnavailable, match="not running"):
            await store.append(act(stream_id(9)))

    async def test_head_rows_are_moved_in_place(self, make, database):
        store = await make()
        ids = [stream_id(n) for n in range(50)]
        for version in range(20):
            await asyncio.gather(*(store.append(act(s, version)) for s in ids))
        await store.close()  # a connection that ends reports its counts
        with psycopg.connect(database.admin_url, autocommit=True) as admin:
            query = (
                "select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables"
                " where schemaname = 'tables' and relname = 'streams'"
            )
            updated, in_place = admin.execute(query).fetchone()
        assert 19 * 50 == updated
        assert in_place > 0.8 * updated


class TestManyWriters:
    async def test_two_processes_worth_of_writers_leave_no_gap_no_double_and_no_deadlock(self, make):
        stores = [await make(), await make()]
        ids = [stream_id(n) for n in range(8)]
        won: dict[tuple[bytes, int], bytes] = {}
        refusals: list[type] = []

        async def race(number: int) -> None:
            chance, store = random.Random(number), stores[number % 2]
            for turn in range(25):
                s = chance.choice(ids)
                head = await store.head(s)
                version, previous = (head.version, head.hash) if head else (0, START)
                attempt = act(s, version, previous, body=b"%d/%d" % (number, turn))
                try:
                    await store.append(attempt)
                except Conflict:
                    refusals.append(Conflict)
                else:
                    assert (s, version + 1) not in won
                    won[s, version + 1] = attempt.hash

        await asyncio.wait_for(asyncio.gather(*map(race, range(24))), SECONDS_MAX)
        assert 24 * 25 == len(won) + len(refusals)
        assert refusals
        for s in ids:
            acts = await stores[0].read(s)
            assert check(acts, s) is None
            assert [won[s, a.version] for a in acts] == [a.hash for a in acts]
        assert len(won) == sum(head.version for head in await stores[1].streams())

    async def test_two_writers_with_the_same_streams_in_opposite_order_both_end(self, make):
        stores = [await make(), await make()]
        ids = [stream_id(n) for n in range(64)]
        for version in range(15):
            forth = [stores[0].append(act(s, version, body=b"a")) for s in ids]
            back = [stores[1].append(act(s, version, body=b"b")) for s in reversed(ids)]
            results = await outcomes(*forth, *back)
            assert {None, Conflict} >= set(results)
            assert 64 == results.count(None)


class TestLostConnections:
    async def test_a_connection_that_is_cut_is_made_again_and_the_act_is_stored_once(self, make, database):
        lost: list[int] = []
        store = await make(on_reconnect=lambda: lost.append(1))
        await store.append(act(stream_id(1)))
        with psycopg.connect(database.admin_url, autocommit=True) as admin:
            admin.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
            )
        await asyncio.wait_for(store.append(act(stream_id(1), 1)), SECONDS_MAX)
        assert [1, 2] == [a.version for a in await store.read(stream_id(1))]
        assert [1] == lost

    async def test_an_act_that_was_stored_before_its_connection_was_lost_is_a_success(self, make):
        """Its answer is lost on the way, so the act goes out again and meets itself."""
        store = await make(StoreLimits(writers=1))
        await store.append(act(stream_id(1)))
        ours, other = act(stream_id(1), 1, body=b"ours"), act(stream_id(2), 0, body=b"other")
        deaf = _Deaf(store._writers[0])
        assert [None, None] == await outcomes(store.append(ours), store.append(other))
        assert deaf.answers_lost == 1
        assert [ours.hash] == [a.hash for a in await store.read(stream_id(1), after=1)]

    async def test_a_stream_that_another_moved_while_the_connection_was_lost_is_a_conflict(self, make):
        store, rival = await make(StoreLimits(writers=1)), await make()
        await store.append(act(stream_id(1)))
        _Deaf(store._writers[0], before=lambda: rival.append(act(stream_id(1), 1, body=b"theirs")))
        with pytest.raises(Conflict):
            await asyncio.wait_for(store.append(act(stream_id(1), 1, body=b"ours")), SECONDS_MAX)
        assert [b"theirs"] == [a.body for a in await store.read(stream_id(1), after=1)]

    async def test_the_server_is_killed_under_load_and_no_acknowledged_act_is_lost_or_doubled(self, make, postgres):
        store = await make()
        done: dict[bytes, list[bytes]] = {stream_id(n): [] for n in range(24)}
        stop = asyncio.Event()

        async def play(stream: bytes) -> None:
            previous = START
            for version in itertools.count():
                if stop.is_set():
                    return
                next_act = act(stream, version, previous)
                await store.append(next_act)
                previous = next_act.hash
                done[stream].append(previous)

        players = [asyncio.create_task(play(stream)) for stream in done]
        for _ in range(3):
            await asyncio.sleep(0.4)
            postgres.kill()
            await asyncio.sleep(0.2)
            postgres.restart()  # here, not in a thread: the server ends with the thread that started it
        before = sum(map(len, done.values()))
        await asyncio.sleep(0.7)
        stop.set()
        await asyncio.wait_for(asyncio.gather(*players), SECONDS_MAX)
        assert sum(map(len, done.values())) > before
        for stream, hashes in done.items():
            acts, after = [], 0
            while page := await store.read(stream, after):
                acts += page
                after = page[-1].version
            assert hashes == [a.hash for a in acts]
            assert check(acts, stream) is None

    async def test_a_server_that_stays_away_ends_the_wait_with_a_clear_error(self, make, postgres):
        limits = StoreLimits(outage_seconds_max=0.5, connect_seconds_max=0.5, read_seconds_max=0.5)
        store = await make(limits)
        await store.append(act(stream_id(1)))
        postgres.kill()
        try:
            results = await outcomes(*(store.append(act(stream_id(n), 1)) for n in range(5)))
            assert [StoreUnavailable] * 5 == results
            with pytest.raises(StoreUnavailable, match="can't reach the database"):
                await asyncio.wait_for(store.read(stream_id(1)), SECONDS_MAX)
        finally:
            postgres.restart()
        await asyncio.wait_for(store.append(act(stream_id(1), 1)), SECONDS_MAX)
        assert 2 == (await store.head(stream_id(1))).version

    async def test_a_wrong_password_is_a_clear_error_at_the_start(self, make, database):
        wrong = make_conninfo(database.tables_url, password="wrong")
        with pytest.raises(StoreUnavailable, match="password authentication failed"):
            await make(StoreLimits(connect_seconds_max=0.3), wrong)


class TestRights:
    """What the services' roles may not do, whatever their code says."""

    @pytest.mark.parametrize(
        "statement",
        [
            "update {own}.acts set body = ''",
            "delete from {own}.acts",
            "truncate {own}.acts",
            "drop table {own}.acts",
            "alter table {own}.acts disable trigger all",
            "delete from {own}.streams",
            "truncate {own}.streams",
            "update {own}.streams set id = gen_random_uuid()",
            "update {own}.streams set opened_at = now()",
            "create table {own}.mine (n int)",
            "create table public.mine (n int)",
            "create schema mine",
            "select * from {other}.acts",
            "select * from {other}.streams",
            "insert into {other}.streams select * from {own}.streams",
            "delete from auth.tokens",
            "truncate auth.tokens",
            "select * from public.migrations",
        ],
    )
    @pytest.mark.parametrize("own", ["tables", "tournaments"])
    async def test_a_role_is_denied(self, database, own, statement):
        other = "tournaments" if own == "tables" else "tables"
        store = PostgresStore(getattr(database, f"{own}_url"), own, clock=time.monotonic)
        await store.start()
        await store.append(act(stream_id(1)))
        await store.close()
        with psycopg.connect(getattr(database, f"{own}_url"), autocommit=True) as connection:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement.format(own=own, other=other))
            assert (1,) == connection.execute(f"select count(*) from {own}.acts").fetchone()

    @pytest.mark.parametrize(
        "statement",
        [
            "insert into auth.tokens (hash, id, role) values ('', 'x', 'operator')",
            "update auth.tokens set role = 'operator'",
        ],
    )
    async def test_the_tournament_service_cannot_make_or_change_tokens(self, database, statement):
        connection = psycopg.connect(database.tournaments_url, autocommit=True)
        with connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement)


class _Deaf:
    """Loses the answer to a writer's next append, after (or, with `before`, instead of) carrying it out.

    The statement really runs, or a rival's does, and then the connection is really closed.
    """

    def __init__(self, writer, before: Callable[[], Awaitable[None]] | None = None) -> None:
        self.answers_lost = 0
        self._run = writer._appender.run
        self._connection = writer._connection
        self._before = before
        writer._appender = self  # until the writer connects again

    async def run(self, acts):
        self.answers_lost += 1
        if self._before is None:
            await self._run(acts)
        else:
            await self._before()
        await self._connection.close()
        raise psycopg.OperationalError("the connection was lost")
