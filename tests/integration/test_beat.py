"""A beat over real gRPC and Postgres: what seats do reaches everybody at ticks, refusals come at once."""

import asyncio
import gc
import time
from itertools import pairwise
from typing import Any

import grpc
import pytest
from pinochle.commands import Pass, PlaceBid
from pinochle.wire import codec
from pinochle.wire.v1 import table_pb2 as pb

from tests.integration.conftest import Arena, Caller, command_ids
from tests.integration.test_table_service import dealt

BEAT_MS = 400


def request(table: str, command: Any, expected: int, **fields: Any) -> pb.ActRequest:
    fields.setdefault("command_id", next(command_ids))
    message = codec.player_command_message(command)
    return pb.ActRequest(table=table, expected_version=expected, command=message, **fields)


async def opened(arena: Arena, beat_ms: int = BEAT_MS) -> tuple[str, list[Caller]]:
    """A table with a beat, seat 1 to call, and its players."""
    director = await arena.caller("director")
    table = await director.open(dealer=0, deal_limit=1, beat_ms=beat_ms, turn_ms=60_000)
    return table, [await arena.caller("player", name) for name in "abcd"]


async def test_an_act_reaches_watchers_and_its_author_at_the_tick_with_the_ticks_time(arena: Arena) -> None:
    table, callers = await opened(arena)
    view = await dealt(callers[0], table)
    began_ms = view.acts[-1].at_ms
    watch = callers[0].tables.Watch(pb.WatchRequest(table=table, after_version=2), metadata=callers[0].metadata)
    act = asyncio.create_task(callers[1].call("Act", request(table, Pass(1), view.turn_version)))

    async def first() -> pb.ActView:
        async for news in watch:
            for found in news.acts:
                return found
        raise AssertionError("the watch ended")

    shown = await asyncio.wait_for(first(), 10)
    heard_ms = time.time_ns() // 1_000_000
    assert 0 == (shown.at_ms - began_ms) % BEAT_MS
    assert began_ms < shown.at_ms <= heard_ms
    assert 3 == (await asyncio.wait_for(act, 10)).version
    watch.cancel()


async def test_a_refusal_comes_at_once_and_a_second_act_of_the_turn_is_none(arena: Arena) -> None:
    table, callers = await opened(arena, beat_ms=2_000)
    view = await dealt(callers[1], table)
    began = time.monotonic()
    low = await callers[1].call("Act", request(table, PlaceBid(1, 1), view.turn_version))
    act = asyncio.create_task(callers[1].call("Act", request(table, Pass(1), view.turn_version)))
    await asyncio.sleep(0.2)
    second = await callers[1].call("Act", request(table, PlaceBid(1, 250), view.turn_version))
    assert ("illegal_bid", "stale_version") == (low.rejection.reason, second.rejection.reason)
    assert not act.done(), f"an answer after {time.monotonic() - began:.3f} s"
    assert 3 == (await asyncio.wait_for(act, 10)).version


async def test_a_call_that_is_given_up_and_made_again_with_its_id_gets_the_one_answer(arena: Arena) -> None:
    table, callers = await opened(arena, beat_ms=1_000)
    view = await dealt(callers[1], table)
    asked = request(table, Pass(1), view.turn_version)
    with pytest.raises(grpc.aio.AioRpcError):
        await callers[1].call("Act", asked, seconds=0.1)
    assert 3 == (await callers[1].call("Act", asked)).version
    assert 3 == (await callers[1].call("View", pb.ViewRequest(table=table))).version


async def test_acts_that_wait_for_their_beat_do_not_keep_the_messages_that_they_came_with(arena: Arena) -> None:
    table, callers = await opened(arena, beat_ms=2_000)
    view = await dealt(callers[1], table)
    sent = pb.PlayRequest(acts=[request(table, Pass(1), view.turn_version)]).SerializeToString()
    channel = grpc.aio.insecure_channel(arena.address)
    method = "/pinochle.wire.v1.TableService/Play"
    stream = channel.stream_stream(method, None, pb.PlayResponse.FromString)(metadata=callers[1].metadata)
    before = messages()
    for _ in range(20):
        await stream.write(sent)
    (update,) = (await asyncio.wait_for(stream.read(), 10)).updates
    assert not update.HasField("rejection")
    await asyncio.sleep(0.2)
    kept = len(messages()) - len(before)
    assert kept < 5, f"{kept} of 20 messages are kept"
    stream.cancel()
    await channel.close()


def messages() -> list[Any]:
    """The messages of Play streams that this process holds, those of other tests included."""
    return [found for found in gc.get_objects() if isinstance(found, pb.ActRequest | pb.PlayRequest)]


async def test_players_on_streams_play_a_whole_table_and_each_of_their_acts_is_on_the_beat(arena: Arena) -> None:
    table, callers = await opened(arena, beat_ms=100)
    await asyncio.wait_for(asyncio.gather(*(play(caller) for caller in callers)), 60)
    acts = (await callers[0].call("View", pb.ViewRequest(table=table))).acts
    waited = [act.at_ms - before.at_ms for before, act in pairwise(acts) if act.author[:4] == "seat"]
    assert 48 < len(waited)
    assert {0} == {length % 100 for length in waited}
    assert 100 <= min(waited)


async def play(caller: Caller) -> None:
    """Answer every turn with the first thing that is allowed, until the table is over."""
    outgoing: asyncio.Queue[pb.PlayRequest] = asyncio.Queue()
    await outgoing.put(pb.PlayRequest())

    async def requests() -> Any:
        while True:
            yield await outgoing.get()

    async for response in caller.tables.Play(requests(), metadata=caller.metadata):
        for update in response.updates:
            if update.over:
                return
            assert not update.HasField("rejection"), update.rejection
            options = codec.options_from(update.options, update.seat)
            if options is not None:
                await outgoing.put(pb.PlayRequest(acts=[request(update.table, first_of(options), update.turn_version)]))


def first_of(options: Any) -> Any:
    class Lowest:
        def randrange(self, stop: int, /) -> int:
            return min(1, stop - 1)

        def sample(self, population: list[int], k: int, /) -> list[int]:
            return population[:k]

    return options.sample(Lowest())


async def test_a_beat_out_of_range_is_refused_with_its_bounds(arena: Arena) -> None:
    director = await arena.caller("director")
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await director.open(beat_ms=60_000)
    assert "beat_ms must be 100 to 5000, not 60000" in (error.value.details() or "")
