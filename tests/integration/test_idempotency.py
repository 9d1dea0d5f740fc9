"""One command id, one effect, one answer for ever: after restarts and days, out of the cache, in parallel."""

import asyncio
import dataclasses
import itertools
import random
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from pinochle.wire import codec
from pinochle.wire.v1 import table_pb2 as pb

from services.assembly import World
from services.table.process import TableProcess
from tests.integration.conftest import Arena, Caller, command_ids

DAY_MS = 86_400_000
CONNECTIONS = 50
ACT = "/pinochle.wire.v1.TableService/Act"


@asynccontextmanager
async def another(arena: Arena, *, ahead_ms: int = 0, **changes: Any) -> AsyncIterator[Arena]:
    """One more table service on the arena's store, with its own clock and settings."""
    settings = dataclasses.replace(arena.settings, **changes)
    world = World(
        lambda: time.time_ns() // 1_000_000 + ahead_ms, time.monotonic, asyncio.sleep, secrets.token_bytes
    )
    process = TableProcess(settings, world)
    port = await process.start()
    other = dataclasses.replace(arena, process=process, address=f"127.0.0.1:{port}", settings=settings, channels=[])
    try:
        yield other
    finally:
        for channel in other.channels:
            await channel.close()
        await process.stop()


async def raw_act(arena: Arena, token: str, request: pb.ActRequest) -> bytes:
    """The bytes of an answer, over a connection of its own."""
    async with grpc.aio.insecure_channel(arena.address) as channel:
        call = channel.unary_unary(ACT, request_serializer=pb.ActRequest.SerializeToString)
        metadata = (("authorization", f"Bearer {token}"),)
        return bytes(await call(request, metadata=metadata, timeout=30, wait_for_ready=True))


async def first_turn(arena: Arena, director: Caller, players: str = "abcd") -> tuple[str, pb.ActRequest]:
    """A new table's first turn: the token of its player, and an act for it."""
    table = await director.open(*players)
    spectator = await arena.caller("spectator")
    async with asyncio.timeout(20):
        while True:
            seen = await spectator.call("View", pb.ViewRequest(table=table))
            if seen.HasField("due_seat"):
                break
            await asyncio.sleep(0.01)
    token = await arena.token("player", players[seen.due_seat])
    own = await arena.with_token(token).call("View", pb.ViewRequest(table=table))
    options = codec.options_from(own.options, seen.due_seat)
    assert options is not None
    command = codec.player_command_message(options.sample(random.Random(1)))
    return token, pb.ActRequest(
        table=table, expected_version=own.turn_version, command_id=next(command_ids), command=command
    )


async def effects(arena: Arena, table: str, command_id: bytes) -> list[int]:
    """The versions at which the log holds this id as a player's."""
    operator = await arena.caller("operator")
    call = operator.tables.Log(pb.LogRequest(table=table), metadata=operator.metadata, timeout=20)
    return [act.version async for page in call for act in page.acts if act.command_id == command_id]


async def test_the_first_answer_comes_again_after_a_restart_and_a_day_later(arena: Arena) -> None:
    token, request = await first_turn(arena, await arena.caller("director"))
    first = await raw_act(arena, token, request)
    assert pb.ActResponse.FromString(first).version > 0
    await arena.process.stop()
    async with another(arena) as restarted:
        assert first == await raw_act(restarted, token, request)
        assert first == await raw_act(restarted, token, request)
    # A day later every turn of the table has expired, many times over.
    async with another(arena, ahead_ms=DAY_MS, clock_drift_ms_max=60_000, turn_grace_ms=60_000) as later:
        assert first == await raw_act(later, token, request)
        assert 1 == len(await effects(later, request.table, request.command_id))


async def test_fifty_connections_at_once_get_one_effect_and_one_answer(arena: Arena) -> None:
    token, request = await first_turn(arena, await arena.caller("director"))
    answers = await asyncio.gather(*(raw_act(arena, token, request) for _ in range(CONNECTIONS)))
    assert 1 == len(set(answers))
    assert [pb.ActResponse.FromString(answers[0]).version] == await effects(arena, request.table, request.command_id)


async def test_two_processes_on_one_store_give_one_effect_and_one_answer(arena: Arena) -> None:
    director = await arena.caller("director")
    async with another(arena) as second:
        for _ in range(4):
            token, request = await first_turn(arena, director)
            arenas = itertools.islice(itertools.cycle((arena, second)), CONNECTIONS)
            answers = await asyncio.gather(*(raw_act(one, token, request) for one in arenas))
            assert 1 == len(set(answers))
            version = pb.ActResponse.FromString(answers[0]).version
            assert [version] == await effects(second, request.table, request.command_id)


async def test_what_was_forgotten_by_the_cache_is_not_forgotten(arena: Arena) -> None:
    director = await arena.caller("director")
    async with another(arena, cached_streams_max=1) as small:
        turns = [await first_turn(small, director) for _ in range(6)]
        first = await asyncio.gather(*(raw_act(small, *turn) for turn in turns))
        again = await asyncio.gather(*(raw_act(small, *turn) for turn in turns * 3))
        assert list(first) * 3 == again
        for _, request in turns:
            assert 1 == len(await effects(small, request.table, request.command_id))


async def test_the_same_id_with_another_body_is_an_error_and_has_no_effect(arena: Arena) -> None:
    token, request = await first_turn(arena, await arena.caller("director"))
    first = await raw_act(arena, token, request)
    other = pb.ActRequest.FromString(request.SerializeToString())
    other.command.Clear()
    other.command.place_bid.amount = 991
    async with another(arena, cached_streams_max=1) as second:
        for one in (arena, second):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await raw_act(one, token, other)
            assert grpc.StatusCode.ALREADY_EXISTS == caught.value.code()
            assert first == await raw_act(one, token, request)
    assert 1 == len(await effects(arena, request.table, request.command_id))


async def test_ids_count_for_one_table_and_one_author(arena: Arena) -> None:
    director = await arena.caller("director")
    one, two = await first_turn(arena, director), await first_turn(arena, director, "abcd")
    two[1].command_id = one[1].command_id
    await raw_act(arena, *one)
    answer = pb.ActResponse.FromString(await raw_act(arena, *two))
    assert (False, True) == (answer.HasField("rejection"), answer.version > 0)
    # The seat that is due next uses the id of the one before it.
    table, command_id = one[1].table, one[1].command_id
    async with asyncio.timeout(20):
        seat = None
        while seat is None:
            seen = await (await arena.caller("spectator")).call("View", pb.ViewRequest(table=table))
            seat = seen.due_seat if seen.HasField("due_seat") else None
    player = await arena.caller("player", "abcd"[seat])
    own = await player.call("View", pb.ViewRequest(table=table))
    options = codec.options_from(own.options, seat)
    assert options is not None
    command = codec.player_command_message(options.sample(random.Random(1)))
    following = pb.ActRequest(
        table=table, expected_version=own.turn_version, command_id=command_id, command=command, seat=seat
    )
    answer = await player.call("Act", following)
    assert (False, 2) == (answer.HasField("rejection"), len(await effects(arena, table, command_id)))


async def test_an_act_that_is_sent_again_on_another_stream_is_answered_and_not_done_again(arena: Arena) -> None:
    token, request = await first_turn(arena, await arena.caller("director"))
    first = pb.ActResponse.FromString(await raw_act(arena, token, request))
    other = pb.ActRequest.FromString(request.SerializeToString())
    other.command.place_bid.amount = 991
    stub = arena.with_token(token)
    call = stub.tables.Play(metadata=stub.metadata, timeout=30)
    await call.write(pb.PlayRequest(follow=[request.table], acts=[request]))
    update = (await call.read()).updates[0]
    assert (False, True) == (update.HasField("rejection"), update.version >= first.version)
    await call.write(pb.PlayRequest(acts=[other]))
    async with asyncio.timeout(20):
        while not (update := (await call.read()).updates[-1]).HasField("rejection"):
            pass
    assert ("command_reused", other.command_id) == (update.rejection.reason, update.command_id)
    call.cancel()
    assert [first.version] == await effects(arena, request.table, request.command_id)


async def test_a_table_is_opened_once_whoever_asks_and_whatever_the_defaults_are_by_then(arena: Arena) -> None:
    director = await arena.caller("director")
    table = "11111111-2222-4333-8444-555555555555"
    request = pb.OpenRequest(table=table, profile="classic", players="abcd")

    async def opened(one: Arena) -> pb.OpenResponse:
        return await one.with_token(director.metadata[0][1].split()[1]).call("Open", request)

    async with another(arena, turn_ms=7_000, turn_grace_ms=3_000) as second:
        answers = await asyncio.gather(*(opened(one) for one in (arena, second) * 10))
        assert {answers[0].SerializeToString()} == {answer.SerializeToString() for answer in answers}
        request.players[0] = "zoe"
        for one in (arena, second):
            await refused(opened(one), grpc.StatusCode.ALREADY_EXISTS)


async def refused(call: Awaitable[Any], status: grpc.StatusCode, check: Callable[[str], bool] = bool) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    assert status == caught.value.code()
    assert check(caught.value.details() or "")
