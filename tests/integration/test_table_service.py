"""The table service over real gRPC: whole games, streams, watching, rights and bad input."""

import asyncio
import dataclasses
import random
import time
from typing import Any

import pytest
from pinochle.game import fold, legal
from pinochle.state import CLOSED, OVER, State, initial
from pinochle.wire import codec
from pinochle.wire.v1 import table_pb2 as pb

from services.assembly import World
from services.table.process import TableProcess
from tests.integration.conftest import Arena, Caller, command_ids


async def view(caller: Caller, table: str, seat: int | None = None) -> tuple[State, pb.ViewResponse]:
    state, after = initial(), 0
    while True:
        request = pb.ViewRequest(table=table, after_version=after, seat=seat)
        response = await caller.call("View", request)
        for act in response.acts:
            state = fold(state, codec.events_from(act), act.at_ms)
            after = act.version
        if not response.more:
            return state, response


async def until(condition: Any, seconds: float = 10) -> Any:
    async with asyncio.timeout(seconds):
        while not (found := await condition()):  # noqa: ASYNC110 (what is awaited is at the other end of a wire)
            await asyncio.sleep(0.02)
    return found


async def dealt(caller: Caller, table: str) -> pb.ViewResponse:
    async def has_dealt() -> pb.ViewResponse | None:
        _, response = await view(caller, table)
        return response if response.HasField("due_seat") else None

    return await until(has_dealt)


async def act(caller: Caller, table: str, command: Any, expected: int, **fields: Any) -> pb.ActResponse:
    message = codec.player_command_message(command)
    fields.setdefault("command_id", next(command_ids))
    return await caller.call("Act", pb.ActRequest(table=table, expected_version=expected, command=message, **fields))


async def play_on(callers: list[Caller], table: str, chance: random.Random) -> State:
    """Play a table to its end by unary calls, each seat through its own eyes."""
    while True:
        state, response = await view(callers[0], table)
        if response.over:
            return state
        if not response.HasField("due_seat"):
            await asyncio.sleep(0.005)
            continue
        seat = response.due_seat
        own, mine = await view(callers[seat], table)
        if own.turn != seat:
            continue
        options = codec.options_from(mine.options, seat)
        assert options == legal(own)
        answer = await act(callers[seat], table, options.sample(chance), mine.turn_version)
        assert not answer.HasField("rejection"), answer


async def test_a_whole_game_over_unary_calls_ends_and_its_log_is_published(arena: Arena) -> None:
    director = await arena.caller("director")
    players = [await arena.caller("player", name) for name in "abcd"]
    table = await director.open(deal_limit=1)
    final = await play_on(players, table, random.Random(1))
    assert final.phase >= OVER
    spectator = await arena.caller("spectator")

    async def closed() -> bool:
        return (await view(spectator, table))[0].phase == CLOSED

    await until(closed)
    stored = [
        a
        async for page in spectator.tables.Log(pb.LogRequest(table=table), metadata=spectator.metadata)
        for a in page.acts
    ]
    state = initial()
    for item in stored:
        found = codec.from_rest(item.version, item.command_id, item.body)
        state = fold(state, found.events, found.at_ms)
    assert (final.totals, CLOSED) == (state.totals, state.phase)


async def test_players_on_one_stream_each_get_their_turns_and_play_to_the_end(arena: Arena) -> None:
    director = await arena.caller("director")
    tables = [await director.open(deal_limit=1) for _ in range(5)]
    callers = [await arena.caller("player", name) for name in "abcd"]
    ended = await asyncio.wait_for(
        asyncio.gather(*(stream_player(caller, len(tables), random.Random(i)) for i, caller in enumerate(callers))), 60
    )
    for table in tables:
        assert {True} == {table in over for over in ended}


async def stream_player(caller: Caller, tables: int, chance: random.Random) -> set[str]:
    """Play every table of the caller on one stream until all have ended."""
    outgoing: asyncio.Queue[pb.PlayRequest] = asyncio.Queue()
    await outgoing.put(pb.PlayRequest())

    async def requests() -> Any:
        while True:
            yield await outgoing.get()

    states: dict[str, State] = {}
    over: set[str] = set()
    async for response in caller.tables.Play(requests(), metadata=caller.metadata):
        answers = []
        for update in response.updates:
            state = states.get(update.table, initial())
            for item in update.acts:
                state = fold(state, codec.events_from(item), item.at_ms)
            states[update.table] = state
            assert state.version == update.version
            assert not update.HasField("rejection"), update.rejection
            options = codec.options_from(update.options, update.seat)
            if options is not None:
                assert options == legal(state)
                command = codec.player_command_message(options.sample(chance))
                answers.append(
                    pb.ActRequest(
                        table=update.table,
                        expected_version=update.turn_version,
                        command_id=next(command_ids),
                        command=command,
                    )
                )
            if update.over:
                over.add(update.table)
        if answers:
            await outgoing.put(pb.PlayRequest(acts=answers))
        if len(over) == tables:
            return over
    return over


async def test_a_process_that_cannot_listen_ends_and_leaves_nothing_behind(arena: Arena) -> None:
    settings = dataclasses.replace(arena.settings, table_listen=arena.address)
    before = asyncio.all_tasks()
    process = TableProcess(
        settings, World(lambda: time.time_ns() // 1_000_000, time.monotonic, asyncio.sleep, random.randbytes)
    )
    with pytest.raises(RuntimeError, match="bind"):
        await asyncio.wait_for(process.start(), 30)
    assert set() == {task for task in asyncio.all_tasks() - before if "psycopg" in str(task) or "services" in str(task)}
