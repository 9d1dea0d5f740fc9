"""One client, transaction or tournament that asks for too much keeps nobody else waiting: real processes, real servers.

Each test compares a victim's acts before and while somebody misbehaves, in the same run.
"""

import asyncio
import json
import random
import secrets
import statistics
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import psycopg
import pytest
from pinochle.wire import codec
from pinochle.wire.v1 import access_pb2_grpc, table_pb2_grpc
from pinochle.wire.v1 import table_pb2 as pb

from services.auth import Principal, TokenStore, new_token, new_token_id
from services.eventstore import PostgresStore
from services.local.system import SERVICES
from tests.integration.conftest import Caller, command_ids
from tests.system import RunningSystem, running

ROOT = Path(__file__).resolve().parents[2]
TIMES_SLOWER_MAX = 20
"""A bound for a machine with few cores, on which the flooder's own work counts as well; a victim that waits for what
is refused would be slower by a factor of hundreds."""
TURNS = 40
LIMITS: dict[str, Any] = {
    "client_calls_per_second_max": "200",
    "client_calls_burst_max": "400",
    "client_refusals_per_second_max": "20",
    "client_refusals_burst_max": "200",
    "address_bad_tokens_burst_max": "50",
    "stall_seconds_max": "1",
    "heartbeat_seconds": "0.2",
    "database_connections_max": "3",
}


@pytest.fixture(scope="module")
def system() -> Iterator[RunningSystem]:
    """A table service in a process of its own, with small limits."""
    with running(tuple(service for service in SERVICES if service.name == "table"), **LIMITS) as found:
        yield found


class Players:
    """Four players at tables of their own, by unary calls; `turns` plays on and gives the time of each act."""

    def __init__(self, address: str, tokens: list[str], director: str) -> None:
        self._channels = [grpc.aio.insecure_channel(address) for _ in range(5)]
        self.callers = [
            Caller(
                table_pb2_grpc.TableServiceStub(channel),
                access_pb2_grpc.AccessServiceStub(channel),
                (("authorization", f"Bearer {token}"),),
            )
            for channel, token in zip(self._channels, [*tokens, director], strict=True)
        ]
        self.director = self.callers[4]
        self._chance = random.Random(1)
        self._table = ""

    async def open(self, names: list[str]) -> str:
        self._table = await self.director.open(*names, profile="classic", turn_ms=600_000)
        return self._table

    async def turns(self, number: int) -> list[float]:
        """Seconds that each of so many acts took, one after the other."""
        took: list[float] = []
        async with asyncio.timeout(60):
            while len(took) < number:
                seen = await self.director.call("View", pb.ViewRequest(table=self._table, after_version=0))
                assert not seen.over
                if not seen.HasField("due_seat"):
                    await asyncio.sleep(0.01)
                    continue
                caller = self.callers[seen.due_seat]
                own = await caller.call("View", pb.ViewRequest(table=self._table))
                options = codec.options_from(own.options, seen.due_seat)
                if options is None:
                    continue
                request = pb.ActRequest(
                    table=self._table,
                    expected_version=own.turn_version,
                    command_id=next(command_ids),
                    command=codec.player_command_message(options.sample(self._chance)),
                )
                began = time.perf_counter()
                answer = await caller.call("Act", request)
                took.append(time.perf_counter() - began)
                assert not answer.HasField("rejection"), answer
        return took

    async def close(self) -> None:
        for channel in self._channels:
            await channel.close()


@asynccontextmanager
async def players(system: RunningSystem) -> AsyncIterator[tuple[Players, str, Any]]:
    """Players at a table, the table's id, and a way to get further tokens."""
    state = system.system.state
    store = TokenStore(
        state.tables_database_url,
        clock_ms=lambda: time.time_ns() // 1_000_000,
        clock=time.monotonic,
    )
    await store.start()

    async def token(role: str, player: str | None = None) -> str:
        text = new_token(secrets.token_bytes)
        await store.create(text, Principal(role, player, None, None, new_token_id(secrets.token_bytes)))
        return text

    names = [f"{letter}-{secrets.token_hex(3)}" for letter in "abcd"]
    found = Players(state.table_address, [await token("player", name) for name in names], system.token)
    try:
        yield found, await found.open(names), token
    finally:
        await found.close()
        await store.close()


@asynccontextmanager
async def flooded(
    kind: str, system: RunningSystem, token: str, table: str, seconds: float
) -> AsyncIterator[dict[str, Any]]:
    """A flooder in a process of its own while the block lasts; what it was answered is filled in at the end."""
    address = system.system.state.table_address
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.flood", kind, address, token, table, str(seconds),
        cwd=ROOT, stdout=asyncio.subprocess.PIPE, env={"PYTHONPATH": f"{ROOT}:{ROOT / 'engine'}"},
    )  # fmt: skip
    found: dict[str, Any] = {}
    try:
        await asyncio.sleep(2)  # until it floods
        yield found
        out, _ = await asyncio.wait_for(process.communicate(), seconds + 30)
        found.update(json.loads(out))
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def check_goes_on(before: list[float], during: list[float]) -> None:
    """The victim's acts take about as long as before; both were measured in this run."""
    slower = statistics.median(during) / statistics.median(before)
    print(f"{slower:.1f} times slower")
    assert slower < TIMES_SLOWER_MAX, f"{slower:.1f} times slower"


def check_turned_away(found: dict[str, Any]) -> None:
    """The flooder was refused, and told each time when to come back."""
    refused = found["answers"].get("RESOURCE_EXHAUSTED", 0)
    assert refused > 0, found["answers"]
    assert refused == len(found["delays_ms"])
    assert min(found["delays_ms"]) > 0


async def test_a_client_that_floods_with_calls_is_turned_away_and_others_play_on(system: RunningSystem) -> None:
    async with players(system) as (victims, table, token):
        before = await victims.turns(TURNS)
        async with flooded("calls", system, await token("spectator"), table, 6) as found:
            during = await victims.turns(TURNS)
    check_turned_away(found)
    rate, burst = int(LIMITS["client_calls_per_second_max"]), int(LIMITS["client_calls_burst_max"])
    assert found["answers"]["OK"] <= burst + 8 * rate
    check_goes_on(before, during)


async def test_a_player_that_floods_a_stream_with_acts_that_are_refused_is_ended(system: RunningSystem) -> None:
    async with players(system) as (victims, table, token):
        before = await victims.turns(TURNS)
        async with flooded("acts", system, await token("player", "flooder"), table, 6) as found:
            during = await victims.turns(TURNS)
    check_turned_away(found)
    check_goes_on(before, during)


async def test_who_guesses_tokens_is_turned_away_and_players_at_the_same_address_play_on(system: RunningSystem) -> None:
    async with players(system) as (victims, table, _):
        before = await victims.turns(TURNS)
        async with flooded("tokens", system, "-", table, 6) as found:
            during = await victims.turns(TURNS)
    check_turned_away(found)
    assert found["answers"]["UNAUTHENTICATED"] <= int(LIMITS["address_bad_tokens_burst_max"]) + 12 * 5
    check_goes_on(before, during)


async def test_watchers_that_never_read_keep_nobody_waiting(system: RunningSystem) -> None:
    async with players(system) as (victims, table, token):
        before = await victims.turns(2 * TURNS)
        async with flooded("watches", system, await token("spectator"), table, 5) as found:
            during = await victims.turns(2 * TURNS)
    # On a busy machine some are given up before their first message was read.
    assert found["answers"].keys() <= {"OK", "RESOURCE_EXHAUSTED"}
    assert 64 == sum(found["answers"].values())
    check_goes_on(before[TURNS:], during)


async def test_a_transaction_left_open_holds_up_its_own_table_and_is_ended(system: RunningSystem) -> None:
    async with players(system) as (victims, _, _token), players(system) as (held, table, _other):
        before = await victims.turns(TURNS)
        await held.turns(1)
        url = system.system.state.tables_database_url
        with psycopg.connect(url) as idle:
            assert "10s" == idle.execute("show idle_in_transaction_session_timeout").fetchone()[0]  # type: ignore[index]
            idle.execute("set idle_in_transaction_session_timeout = '4s'")
            idle.commit()
            idle.execute("select 1 from tables.streams where id = %s for update", (table,))
            waiting = asyncio.create_task(held.turns(1))
            during = await victims.turns(TURNS)
            assert not waiting.done()
            await waiting
            with pytest.raises(psycopg.errors.IdleInTransactionSessionTimeout):
                idle.execute("select 1")
    check_goes_on(before, during)


async def test_no_connection_of_the_services_may_wait_or_hold_a_transaction_without_end(system: RunningSystem) -> None:
    names = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
    url, clock = system.system.state.tables_database_url, time.monotonic
    query = "select " + ", ".join(f"current_setting('{name}')" for name in names)
    store = PostgresStore(url, "tables", clock=clock)
    tokens = TokenStore(url, clock_ms=lambda: 0, clock=clock)
    await store.start()
    await tokens.start()
    try:
        for writer in store._writers:
            cursor = await writer._connected(clock())
            await cursor.execute(query)
            assert ("10s", "100ms", "10s") == await cursor.fetchone()
        assert [("10s", "10s", "10s")] == (await store._readers.run(query, ()))[0]
        assert [("5s", "5s", "5s")] == (await tokens._connections.run(query, ()))[0]
    finally:
        await store.close()
        await tokens.close()
    with psycopg.connect(url) as plain:  # a person with the password of a service
        assert ("30s", "5s", "10s") == plain.execute(query).fetchone()
