"""A client of this version at a server of a newer one: it stops at a table that it cannot read, and there only."""

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from pinochle.client import AsyncClient, NewerServer, PlayStream, TableView, play
from pinochle.wire import codec
from pinochle.wire.v1 import table_pb2 as pb
from pinochle.wire.v1 import table_pb2_grpc

from tests import played
from tests.integration.test_unreadable import UNKNOWN_EVENT

FIELD = b"\x98\x06\x01"
"""Field 99, a varint, which no message here has yet."""
KNOWN, UNKNOWN = "0192d3a4-5b6c-7d8e-9fa0-b1c2d3e4f506", "0192d3a4-5b6c-7d8e-9fa0-b1c2d3e4f507"


def views() -> list[pb.ActView]:
    """What seat 0 is shown of a game."""
    return [pb.ActView.FromString(codec.for_viewer(act, 0)) for act in played.play("classic", 7)]


def newer(view: pb.ActView) -> pb.ActView:
    """The act with an event that only a newer version knows."""
    return pb.ActView.FromString(view.SerializeToString() + b"\x22" + bytes([len(UNKNOWN_EVENT)]) + UNKNOWN_EVENT)


class NewerTables(table_pb2_grpc.TableServiceServicer):
    """Plays a game at one table, and at the other sends what the client does not know; unknown fields everywhere."""

    async def Play(self, requests: Any, context: grpc.aio.ServicerContext) -> AsyncIterator[pb.PlayResponse]:
        acts = views()
        for number, act in enumerate(acts):
            over = number > len(acts) - 3
            updates = [pb.TableUpdate(table=KNOWN, seat=0, version=act.version, acts=[act], over=over)]
            if number < 5:
                shown = newer(act) if number == 2 else act
                updates.insert(0, pb.TableUpdate(table=UNKNOWN, seat=0, version=act.version, acts=[shown]))
            yield pb.PlayResponse.FromString(pb.PlayResponse(updates=updates).SerializeToString() + FIELD)
        await asyncio.sleep(10)


@pytest.fixture
async def address() -> AsyncIterator[str]:
    server = grpc.aio.server()
    table_pb2_grpc.add_TableServiceServicer_to_server(NewerTables(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield f"127.0.0.1:{port}"
    await server.stop(0)


async def test_one_table_stands_still_and_the_other_is_followed_to_its_end(address: str) -> None:
    told: list[tuple[str, int, Exception | None]] = []
    ended = asyncio.Event()

    def changed(view: TableView, error: Exception | None) -> None:
        told.append((view.table, view.version, error))
        if view.table == KNOWN and view.version == len(views()):
            ended.set()

    async with AsyncClient(address, "token") as client:
        stream = PlayStream(client, changed)
        running = asyncio.create_task(stream.run())
        async with asyncio.timeout(10):
            await ended.wait()
        stream.stop()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    unknown = [(version, type(error)) for table, version, error in told if table == UNKNOWN]
    assert [(1, type(None)), (2, type(None)), (2, NewerServer)] == unknown
    assert "act 3: an event of a kind that this version does not know" in str(told[4][2])
    assert [number + 1 for number in range(len(views()))] == [version for table, version, _ in told if table == KNOWN]


async def test_a_bot_that_plays_until_all_is_over_ends_without_the_table_that_it_cannot_read(address: str) -> None:
    failed: list[tuple[str, Exception]] = []
    done = await asyncio.wait_for(
        play(
            lambda view, options, chance: options.sample(chance),
            address,
            "token",
            until_over=True,
            chance=random.Random(1),
            on_error=lambda view, error: failed.append((view.table, error)),
        ),
        20,
    )
    assert 1 == done.ended
    assert [(UNKNOWN, NewerServer)] == [(table, type(error)) for table, error in failed]
