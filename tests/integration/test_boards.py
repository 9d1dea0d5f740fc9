"""Tables that share their boards, over real gRPC: nothing of one is shown while another is still played."""

from typing import Any

import grpc
import pytest
from pinochle.wire.v1 import table_pb2 as pb

from tests.integration.conftest import Arena, Caller
from tests.integration.test_table_service import dealt

BOARDS: dict[str, Any] = {"boards": "round 1", "seed": bytes(32), "dealer": 0, "deal_limit": 1}


async def both(director: Caller) -> tuple[str, str]:
    """Two tables on the same boards."""
    return await director.open(*"abcd", **BOARDS), await director.open(*"efgh", **BOARDS)


async def test_players_and_spectators_are_told_who_plays_the_same_boards_elsewhere_and_no_more(arena: Arena) -> None:
    director, player = await arena.caller("director"), await arena.caller("player", "a")
    here, there = await both(director)
    await dealt(player, here)
    for caller in (player, await arena.caller("spectator")):
        (row,) = (await caller.call("List", pb.ListRequest(tables=[there]))).tables
        shown = {field.name for field, _ in row.ListFields()}
        assert ("sealed", list("efgh")) == (row.phase, list(row.players))
        assert {"table", "players", "phase", "profile"} == shown - {"opened_ms"}
        (head,) = (await caller.call("Heads", pb.HeadsRequest(tables=[there]))).heads
        assert (0, b"") == (head.acts, head.head)
        with pytest.raises(grpc.aio.AioRpcError, match="still played elsewhere"):
            await caller.call("View", pb.ViewRequest(table=there))


async def test_a_director_is_told_who_is_due_there_but_no_scores(arena: Arena) -> None:
    director = await arena.caller("director")
    _, there = await both(director)
    await dealt(await arena.caller("player", "e"), there)
    (row,) = (await director.call("List", pb.ListRequest(tables=[there]))).tables
    assert ("auction", 1, "f", []) == (row.phase, row.due_seat, row.due_player, list(row.totals))


async def test_a_player_is_seated_at_one_table_of_the_same_boards_only(arena: Arena) -> None:
    director = await arena.caller("director")
    table = await director.open(*"abcd", **BOARDS)
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await director.open(*"efga", **BOARDS)
    assert f"player a plays these boards at table {table} already" == error.value.details()
    await director.open(*"abcd", **BOARDS | {"boards": "round 2"})
    await director.open("bot:club", "bot:club", "e", "f", **BOARDS)
    await director.open("bot:club", "bot:club", "g", "h", **BOARDS)
