"""Who does not read its stream is told where to resume, holds nothing of the service meanwhile, and misses nothing."""

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import grpc
import pytest
from pinochle.client import AsyncClient, play
from pinochle.options import legal
from pinochle.wire.v1 import game_pb2, table_pb2_grpc
from pinochle.wire.v1 import table_pb2 as pb

import services.watching
from services.assembly import admission
from services.auth import Principal
from tests.integration.conftest import Arena, Caller, command_ids
from tests.integration.test_idempotency import another

STALL_SECONDS = 0.5
ACTS = 2_500
"""More than what is under way to a client that does not read: their views are about 200 kB."""
SMALL_WINDOW = (("grpc.http2.lookahead_bytes", 1_024), ("grpc.http2.bdp_probe", 0))
"""A client that takes little in advance, so that it need not be sent megabytes before it is seen not to read."""
RETRY_KEY, RESUME_KEY = "grpc-retry-pushback-ms", "pinochle-resume-after"


@pytest.fixture
async def long_table(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Arena, str]]:
    """A service that gives up slow readers soon and sends small messages, and a table with many acts."""
    monkeypatch.setattr(services.watching, "PAGE_BYTES_MAX", 2_048)
    async with another(arena, stall_seconds_max=STALL_SECONDS) as small:
        director = await small.caller("director")
        endless = game_pb2.Knob(name="target", value="1000000")
        table = await director.open(*"abcd", knobs=[endless], turn_ms=600_000)
        await _play(small, table, ACTS)
        yield small, table


async def _play(arena: Arena, table: str, acts: int) -> None:
    """Play on at random until the log is so long; within the process, which is quicker than over the wire."""
    streams = arena.process._streams
    stream = await streams.get(UUID(table).bytes)
    chance = random.Random(1)
    async with asyncio.timeout(60):
        while stream.version < acts:
            options = legal(stream.state)
            if options is None:
                await asyncio.sleep(0)  # the house deals
                continue
            await streams.handle(
                stream.key,
                f"seat:{options.seat}",
                next(command_ids),
                options.sample(chance),
                expected=stream.state.turn_version,
            )


def _sample(view: Any, options: Any, chance: random.Random) -> Any:
    return options.sample(chance)


async def followers(arena: Arena, table: str) -> int:
    stream = arena.process._streams.named(table)
    return len(stream.followers) if stream else 0


@pytest.mark.parametrize("reads", [0, 1], ids=["from the first message on", "after one message"])
async def test_a_watcher_that_does_not_read_is_told_the_version_to_resume_after(
    long_table: tuple[Arena, str], reads: int
) -> None:
    arena, table = long_table
    spectator = await arena.caller("spectator")
    channel = grpc.aio.insecure_channel(arena.address, SMALL_WINDOW)
    spectator.tables = table_pb2_grpc.TableServiceStub(channel)
    arena.channels.append(channel)
    call = spectator.tables.Watch(pb.WatchRequest(table=table), metadata=spectator.metadata)
    versions = [act.version for _ in range(reads) for act in (await call.read()).acts]
    await asyncio.sleep(4 * STALL_SECONDS)
    # It is followed no more, though the caller has not read that yet.
    assert 0 == await followers(arena, table)

    async def drain() -> None:
        while (news := await call.read()) is not grpc.aio.EOF:
            versions.extend(act.version for act in news.acts)

    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await drain()
    told = dict(caught.value.trailing_metadata() or ())
    assert (grpc.StatusCode.RESOURCE_EXHAUSTED, "0") == (caught.value.code(), told[RETRY_KEY])
    assert f"resume after version {told[RESUME_KEY]}" in (caught.value.details() or "")
    assert list(range(1, len(versions) + 1)) == versions
    assert reads <= int(told[RESUME_KEY]) <= len(versions) < ACTS
    resumed = spectator.tables.Watch(
        pb.WatchRequest(table=table, after_version=int(told[RESUME_KEY])), metadata=spectator.metadata
    )
    assert int(told[RESUME_KEY]) + 1 == (await resumed.read()).acts[0].version


async def test_the_client_resumes_by_itself_and_misses_nothing(long_table: tuple[Arena, str]) -> None:
    arena, table = long_table
    versions: list[int] = []
    opened = 0
    async with (
        AsyncClient(arena.address, await arena.token("spectator")) as client,
        grpc.aio.insecure_channel(arena.address, SMALL_WINDOW) as channel,
    ):
        client.stub = table_pb2_grpc.TableServiceStub(channel)
        watch = client.stub.Watch

        def counted(*words: Any, **named: Any) -> Any:
            nonlocal opened
            opened += 1
            return watch(*words, **named)

        client.stub.Watch = counted
        async with asyncio.timeout(60):
            async for act in client.watch(table):
                versions.append(act.version)
                if act.version in (1, 1_000):
                    await asyncio.sleep(4 * STALL_SECONDS)
                if act.version == ACTS:
                    break
    assert list(range(1, ACTS + 1)) == versions
    assert 2 <= opened


async def test_a_reader_that_only_takes_its_time_is_left_alone(long_table: tuple[Arena, str]) -> None:
    arena, table = long_table
    spectator = await arena.caller("spectator")
    call = spectator.tables.Watch(pb.WatchRequest(table=table), metadata=spectator.metadata)
    number = 0
    while number < ACTS:
        news = await call.read()
        number += len(news.acts)
        await asyncio.sleep(STALL_SECONDS / 100)
    call.cancel()


async def test_a_client_has_so_many_streams_and_calls_and_is_told_so(arena: Arena) -> None:
    async with another(arena, client_streams_max=2, followers_per_stream_max=3) as small:
        director = await small.caller("director")
        table = await director.open()
        one, other = await small.caller("spectator"), await small.caller("spectator")
        calls = [await _watched(caller, table) for caller in (one, one, other)]
        await _turned_away(one, table, "2 streams open")
        await _turned_away(other, table, "3 callers watch")
        calls[0].cancel()
        async with asyncio.timeout(10):
            while await followers(small, table) > 2:  # noqa: ASYNC110 (the end of a call is noticed elsewhere)
                await asyncio.sleep(0.01)
        calls.append(await _watched(one, table))
        for call in calls:
            call.cancel()


async def _watched(caller: Caller, table: str) -> Any:
    call = caller.tables.Watch(pb.WatchRequest(table=table), metadata=caller.metadata)
    await call.read()
    return call


async def _turned_away(caller: Caller, table: str, text: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError, match=text) as caught:
        await _watched(caller, table)
    told = dict(caught.value.trailing_metadata() or ())
    assert grpc.StatusCode.RESOURCE_EXHAUSTED == caught.value.code()
    assert int(told[RETRY_KEY]) > 0


async def test_a_fast_player_is_slowed_to_its_rate_and_loses_nothing(arena: Arena) -> None:
    async with another(arena, client_acts_per_second_max=100.0, client_acts_burst_max=1) as small:
        director = await small.caller("director")
        for _ in range(5):
            await director.open(deal_limit=1)
        tokens = [await small.token("player", name) for name in "abcd"]
        began = asyncio.get_running_loop().time()
        done = await asyncio.wait_for(
            asyncio.gather(*(play(_sample, small.address, token, tables_max=5) for token in tokens)), 60
        )
        seconds = asyncio.get_running_loop().time() - began
    assert [(5, 0)] * 4 == [(played.ended, played.failed_turns) for played in done]
    assert max(played.turns for played in done) <= 100 * seconds + 5


async def test_who_sends_far_more_than_its_rate_on_a_stream_is_ended_and_told_when_to_come_back(arena: Arena) -> None:
    async with another(arena, client_acts_per_second_max=10.0, client_acts_burst_max=20) as small:
        table = await (await small.caller("director")).open()
        player = await small.caller("player", "a")
        call = player.tables.Play(metadata=player.metadata, timeout=20)
        wishes = [pb.PlayRequest(follow=[table] * 15) for _ in range(3)]

        async def flood() -> None:
            for wish in wishes:
                await call.write(wish)
            while await call.read() is not grpc.aio.EOF:
                pass

        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await flood()
        told = dict(caught.value.trailing_metadata() or ())
    assert (grpc.StatusCode.RESOURCE_EXHAUSTED, "too many acts") == (
        caught.value.code(),
        (caught.value.details() or "").partition(";")[0],
    )
    assert 1_000 < int(told[RETRY_KEY]) < 3_000


async def test_a_client_that_is_turned_away_comes_back_when_it_was_told_to(arena: Arena) -> None:
    async with another(arena, client_calls_per_second_max=20.0, client_calls_burst_max=1) as small:
        table = await (await small.caller("director")).open()
        async with AsyncClient(small.address, await small.token("spectator")) as client:
            began = asyncio.get_running_loop().time()
            for _ in range(21):
                await client.view(table)
            assert asyncio.get_running_loop().time() - began >= 0.95


async def test_our_own_services_are_not_counted(arena: Arena) -> None:
    settings, world = arena.settings, arena.process._world
    accounts = admission(settings, world)
    bots = Principal("bots", None, None, None, "b")
    for _ in range(10 * settings.client_calls_burst_max):
        accounts.call(bots, "List")
        accounts.refused(bots)
    await accounts.act(bots, 1_000_000)
    assert "" == accounts.enter(bots)
