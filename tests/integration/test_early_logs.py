"""Logs, hashes and seeds are to be had with a table's last act, and by nobody who plays or watches before that."""

import asyncio
import random
from typing import Any
from uuid import UUID

import grpc
import pytest
from pinochle.options import legal
from pinochle.shuffle import commitment
from pinochle.state import CLOSED, OVER
from pinochle.wire.v1 import table_pb2 as pb

from tests.integration.conftest import Arena, Caller
from tests.integration.test_stock_tables import callers_of, closed, has_dealt, log_of
from tests.integration.test_table_service import act, play_on, until, view

TWO = ("ann", "bob")
SEED = bytes(range(100, 132))
SECONDS = 0.5


async def looked_at(caller: Caller, table: str) -> list[bytes]:
    """Every answer that this caller gets about a table, and every refusal, as bytes."""
    asked: list[tuple[str, Any]] = [
        ("View", pb.ViewRequest(table=table)),
        ("List", pb.ListRequest(tables=[table])),
        ("List", pb.ListRequest()),
        ("ListDue", pb.ListDueRequest()),
        ("Heads", pb.HeadsRequest(tables=[table])),
        *[("View", pb.ViewRequest(table=table, seat=seat)) for seat in range(2)],
    ]
    found = []
    for method, request in asked:
        try:
            found.append((await caller.call(method, request)).SerializeToString())
        except grpc.aio.AioRpcError as error:
            found.append(told(error))
    play = caller.tables.Play(iter([pb.PlayRequest(follow=[table])]), metadata=caller.metadata, timeout=SECONDS)
    for call in (
        caller.tables.Watch(pb.WatchRequest(table=table), metadata=caller.metadata, timeout=SECONDS),
        caller.tables.Log(pb.LogRequest(table=table), metadata=caller.metadata, timeout=SECONDS),
        play,
    ):
        try:
            async for answer in call:
                found.append(answer.SerializeToString())
        except grpc.aio.AioRpcError as error:
            found.append(told(error))
    return found


def told(error: grpc.aio.AioRpcError) -> bytes:
    trailing = error.trailing_metadata() or ()
    return repr((error.details(), [(key, value) for key, value in trailing])).encode()


async def hidden(arena: Arena, table: str) -> list[bytes]:
    """What must not be seen yet: the seed, every hash so far, and the stored bodies whole."""
    operator = await arena.caller("operator")
    stored = await log_of(operator, table)
    secret = [act.hash for act in stored] + [act.body for act in stored]
    return [*secret, *[act.hash.hex().encode() for act in stored], SEED, SEED.hex().encode()]


async def onlookers(arena: Arena, table: str) -> dict[str, Caller]:
    return {
        "a seat": await arena.caller("player", "ann"),
        "the other seat": await arena.caller("player", "bob"),
        "a player elsewhere": await arena.caller("player", "eve"),
        "a spectator": await arena.caller("spectator"),
        "a spectator of this table": await arena.caller("spectator", stream=table),
        "the bots": await arena.caller("bots"),
        "a director": await arena.caller("director"),
        "nobody": arena.with_token(None),
    }


async def assert_shut(arena: Arena, table: str) -> None:
    """Nobody who plays or watches sees anything of what is hidden; the log is refused."""
    callers = await onlookers(arena, table)
    secrets = await hidden(arena, table)
    seen = await asyncio.gather(*(looked_at(caller, table) for caller in callers.values()))
    for name, answers in zip(callers, seen, strict=True):
        found = [secret.hex() for secret in secrets for answer in answers if secret in answer]
        assert [] == found, name
    for name, caller in callers.items():
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await log_of(caller, table)
        expected = grpc.StatusCode.UNAUTHENTICATED if name == "nobody" else grpc.StatusCode.PERMISSION_DENIED
        assert expected == caught.value.code(), name
        if name != "nobody":
            heads = (await caller.call("Heads", pb.HeadsRequest(tables=[table]))).heads
            assert {b""} == {head.head for head in heads}, name


async def assert_open(arena: Arena, table: str) -> None:
    """Everybody with a token may have the log, and what it shows is what was committed to."""
    for name, caller in (await onlookers(arena, table)).items():
        if name == "nobody":
            continue
        stored = await log_of(caller, table)
        (head,) = (await caller.call("Heads", pb.HeadsRequest(tables=[table]))).heads
        assert (len(stored), stored[-1].hash) == (head.acts, head.head)
    state, _ = await view(await arena.caller("spectator"), table)
    assert (CLOSED, commitment(SEED)) == (state.phase, commitment(state.table.seed))


async def test_a_running_table_shows_neither_log_nor_hash_nor_seed_and_a_closed_one_does(arena: Arena) -> None:
    director = await arena.caller("director")
    table = await director.open(*TWO, profile="two-handed", seed=SEED, deal_limit=1)
    callers = await callers_of(arena, TWO)
    await until(lambda: has_dealt(callers[0], table))
    await assert_shut(arena, table)
    await act_once(callers, table)
    await assert_shut(arena, table)
    await play_on(callers, table, random.Random(1))
    await closed(director, table)
    await assert_open(arena, table)


async def act_once(callers: list[Caller], table: str) -> None:
    state, response = await view(callers[0], table)
    if state.turn != 0:
        state, response = await view(callers[1], table)
    options = legal(state)
    assert options is not None
    answer = await act(callers[state.turn], table, options.sample(random.Random(2)), response.turn_version)
    assert not answer.HasField("rejection")


async def test_a_table_that_has_ended_on_boards_that_others_play_stays_shut_until_all_have_ended(arena: Arena) -> None:
    director = await arena.caller("director")
    same = {"profile": "two-handed", "seed": SEED, "dealer": 0, "boards": "pair", "deal_limit": 1}
    callers, others = await callers_of(arena, TWO), await callers_of(arena, ("cid", "dot"))
    first, second = [await director.open(*players, **same) for players in (TWO, ("cid", "dot"))]
    await until(lambda: has_dealt(others[0], second))
    final = await play_on(callers, first, random.Random(1))
    assert OVER == final.phase
    await assert_shut(arena, first)
    await assert_shut(arena, second)
    for early in (director, await arena.caller("operator"), await arena.caller("service")):
        with pytest.raises(grpc.aio.AioRpcError, match=f"table {second} still plays these boards"):
            await early.call("Close", pb.CloseRequest(table=first))
    await assert_shut(arena, first)
    await play_on(others, second, random.Random(2))
    await assert_shut(arena, second)
    for table in (first, second):
        await director.call("Close", pb.CloseRequest(table=table))
        await assert_open(arena, table)


async def test_a_table_on_the_same_boards_of_another_tournament_is_not_waited_for(arena: Arena) -> None:
    director = await arena.caller("director")
    callers = await callers_of(arena, TWO)
    same = {"profile": "two-handed", "seed": SEED, "dealer": 0, "boards": "pair", "deal_limit": 1}
    await director.open(*TWO, **same, tournament="another")
    table = await director.open(*TWO, **same)
    await until(lambda: has_dealt(callers[0], table))
    await play_on(callers, table, random.Random(1))
    await director.call("Close", pb.CloseRequest(table=table))
    await assert_open(arena, table)


async def test_a_voided_table_opens_with_its_last_act(arena: Arena) -> None:
    director = await arena.caller("director")
    table = await director.open(*TWO, profile="two-handed", seed=SEED)
    await until(lambda: has_dealt(director, table))
    await assert_shut(arena, table)
    await director.call("Void", pb.VoidRequest(table=table, reason="a test"))
    await closed(director, table)
    await assert_open(arena, table)


@pytest.mark.parametrize(
    ("tables", "words"), [([str(UUID(int=1))] * 1_001, "at most 1000 tables"), (["x"], "not an id")]
)
async def test_too_many_tables_or_what_is_no_id_are_refused(arena: Arena, tables: list[str], words: str) -> None:
    spectator = await arena.caller("spectator")
    with pytest.raises(grpc.aio.AioRpcError, match=words) as caught:
        await spectator.call("Heads", pb.HeadsRequest(tables=tables))
    assert grpc.StatusCode.INVALID_ARGUMENT == caught.value.code()


async def test_tables_that_do_not_exist_have_no_head(arena: Arena) -> None:
    spectator = await arena.caller("spectator")
    assert [] == list((await spectator.call("Heads", pb.HeadsRequest(tables=[str(UUID(int=1))]))).heads)
