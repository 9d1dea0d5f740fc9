"""Any game at any version, and lists of tables by state and time, whose pages stand still while others are opened."""

import asyncio
import json
from pathlib import Path

import grpc
import psycopg
import pytest
from pinochle.client import AsyncClient
from pinochle.state import CLOSED
from pinochle.wire.v1 import table_pb2 as pb

from tests.integration.conftest import Arena
from tests.integration.test_cli_server import Command, ended, opened, pinochle

__all__ = ["pinochle"]


async def three(arena: Arena) -> list[str]:
    """Three tables, in the order in which they were opened."""
    director = await arena.caller("director")
    return [await director.open() for _ in range(3)]


async def listed(arena: Arena, **fields: object) -> pb.ListResponse:
    return await (await arena.caller("spectator")).call("List", pb.ListRequest(latest_first=True, **fields))


async def test_pages_by_time_stand_still_while_tables_are_opened(arena: Arena) -> None:
    first, second, third = await three(arena)
    page = await listed(arena, limit=2)
    assert [third, second] == [row.table for row in page.tables]
    assert page.tables[0].opened_ms >= page.tables[1].opened_ms > 0
    later = await three(arena)
    rest = await listed(arena, limit=2, after=page.next)
    assert ([first], "") == ([row.table for row in rest.tables], rest.next)
    anew = await listed(arena, limit=3)
    assert later[::-1] == [row.table for row in anew.tables]


async def test_a_list_by_state_and_time_holds_what_was_asked_for(arena: Arena) -> None:
    done = await ended(arena)
    first, second, third = await three(arena)
    assert [done] == [row.table for row in (await listed(arena, open=False)).tables]
    assert [third, second, first] == [row.table for row in (await listed(arena, open=True)).tables]
    async with await psycopg.AsyncConnection.connect(arena.database.admin_url) as connection:
        for table, year in ((first, 2001), (second, 2002), (third, 2003)):
            moment = f"{year}-01-01T00:00:00.000001Z"
            await connection.execute("update tables.streams set opened_at = %s where id = %s", (moment, table))
    between = await listed(arena, since_ms=1_000_000_000_000, until_ms=1_030_000_000_000)  # 2001-09-09 to 2002-08-22
    assert [second] == [row.table for row in between.tables]
    at_the_edge = await listed(arena, since_ms=1_009_843_200_000, until_ms=1_041_379_200_001)
    assert [third, second] == [row.table for row in at_the_edge.tables]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"after": "nonsense", "latest_first": True}, "not the `next` of a page"),
        ({"after": "12.nonsense", "latest_first": True}, "not an id"),
        ({"since_ms": 5}, "belong to latest_first"),
        ({"since_ms": -5, "latest_first": True}, "not below 0"),
        ({"limit": 201, "latest_first": True}, "at most 200"),
    ],
)
async def test_a_list_that_makes_no_sense_is_refused(arena: Arena, fields: dict[str, object], said: str) -> None:
    caller = await arena.caller("spectator")
    with pytest.raises(grpc.aio.AioRpcError, match=said) as refused:
        await caller.call("List", pb.ListRequest(**fields))
    assert grpc.StatusCode.INVALID_ARGUMENT == refused.value.code()


async def test_every_version_of_a_table_can_be_seen_by_those_who_may_see_it(arena: Arena) -> None:
    table = await ended(arena)
    token = await arena.token("player", "b")
    async with AsyncClient(arena.address, token) as client:
        whole = await client.view(table, 1)
        assert CLOSED == whole.state.phase
        for version in range(1, whole.version + 1):
            view = await client.view(table, 1, at=version)
            assert (version, None) == (view.version, view.options)
            seen = view.state.hands
        assert whole.state == (await client.view(table, 1, at=whole.version)).state
        assert seen == whole.state.hands
    player = await arena.caller("player", "b")
    for version in (whole.version + 1, -1):
        with pytest.raises(grpc.aio.AioRpcError, match="until_version: from 0 to") as refused:
            await player.call("View", pb.ViewRequest(table=table, until_version=version))
        assert grpc.StatusCode.INVALID_ARGUMENT == refused.value.code()


async def test_the_command_lists_tables_and_shows_one_at_a_version(
    arena: Arena, pinochle: Command, tmp_path: Path
) -> None:
    done, running = await ended(arena), await opened(arena)
    tables = await pinochle("tables", role="spectator")
    assert (0, [running, done]) == (tables.code, [line.split()[0] for line in tables.lines[1:]])
    only = await pinochle("tables", "--state", "ended", "--json", role="spectator")
    assert [done] == [row["table"] for row in only.json]
    first = await pinochle("tables", "--limit", 1, role="spectator")
    rest = await pinochle("tables", "--limit", 1, *first.err.split()[-2:], role="spectator")
    assert (f"{running} ", f"{done} ", "") == (first.lines[1][:37], rest.lines[1][:37], rest.err)
    none = await pinochle("tables", "--since", "2100-01-01", role="spectator")
    assert (0, 1) == (none.code, len(none.lines))

    assert 0 == (await pinochle("export", done, "-o", "t.jsonl", role="spectator")).code
    by_file = await pinochle("replay", "t.jsonl", "--at", 2)
    by_wire = await pinochle("replay", done, "--at", 2, role="player", player="a")
    assert ("-- step 2, house", "-- step 2, house") == (by_file.lines[0][:16], by_wire.lines[0][:16])
    assert "12 hidden" in by_wire.out
    assert "12 hidden" not in by_file.out
    plain = json.loads((await pinochle("replay", "t.jsonl", "--at", 2, "--json")).out)
    assert (2, 4, 12) == (plain["version"], len(plain["hands"]), len(plain["hands"][0]))
    words = (("log", "t.jsonl", "--at", 3), ("log", done, "--at", 3))
    for ran in await asyncio.gather(*(pinochle(*said, role="spectator") for said in words)):
        assert {"1", "2", "3"} == {line.split()[0] for line in ran.lines if line[:5].strip()}
    beyond = await pinochle("replay", "t.jsonl", "--at", 5_000)
    assert (2, True) == (beyond.code, "there are steps 1 to" in beyond.err)
