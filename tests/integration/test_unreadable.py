"""A table that holds an act of a newer version stands still with a clear error, and every other one goes on."""

import asyncio
import logging
import random
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import grpc
import psycopg
import pytest
from pinochle import audit, export
from pinochle.client import AsyncClient, NewerServer, PlayStream, TableView
from pinochle.commands import CloseTable, ExtendTurn
from pinochle.decider import Act
from pinochle.events import TurnExtended
from pinochle.rules import RULES_VERSION
from pinochle.wire import chain, codec
from pinochle.wire.v1 import game_pb2
from pinochle.wire.v1 import table_pb2 as pb
from prometheus_client import REGISTRY

from services.assembly import World
from services.table.process import TableProcess
from tests.integration.conftest import Arena, Caller, command_ids
from tests.integration.test_table_service import dealt, play_on, until, view

UNKNOWN_EVENT = b"\xa2\x7d\x02\x08\x01"
"""An Event of kind number 2004, which no version knows yet."""
UNKNOWN_FIELD = b"\x98\x06\x01"
"""Field 99, a varint, which no message here has yet."""
SAYS = "an event of a kind that this version does not know"


def newer_body() -> bytes:
    """What a newer version would store: a known command, an unknown event."""
    command = codec.command_bytes(CloseTable())
    frame = game_pb2.ActFrame(author="house", at_ms=1, rules_version=99, command=command, events=[UNKNOWN_EVENT])
    return frame.SerializeToString()


def append(arena: Arena, table: UUID, body: bytes, due: int = -1) -> int:
    """Store an act of another version, as its process would; the act's version."""
    with psycopg.connect(arena.database.admin_url, connect_timeout=10) as database:
        found = database.execute("select version, head from tables.streams where id = %s", (table,)).fetchone()
        version, before = (found[0] + 1, bytes(found[1])) if found else (1, chain.START)
        command_id = next(command_ids)
        link = chain.link(before, table.bytes, version, command_id, body)
        database.execute(
            "insert into tables.acts (stream, version, command_id, body, hash) values (%s, %s, %s, %s, %s)",
            (table, version, UUID(bytes=command_id), body, link),
        )
        database.execute(
            "insert into tables.streams (id, version, head, due, open)"
            " values (%(id)s, %(version)s, %(head)s, %(due)s, true)"
            " on conflict (id) do update set version = excluded.version, head = excluded.head, due = excluded.due",
            {"id": table, "version": version, "head": link, "due": due},
        )
    return version


def found_unreadable() -> float:
    return REGISTRY.get_sample_value("unreadable_streams_total", {"service": "table"}) or 0.0


async def refused(call: Any) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    return error.value.code(), error.value.details() or ""


async def players(arena: Arena) -> list[Caller]:
    return [await arena.caller("player", name) for name in "abcd"]


async def stands_still(caller: Caller, table: str) -> pb.TableSummary:
    async def is_shown() -> pb.TableSummary | None:
        summary = (await caller.call("List", pb.ListRequest(tables=[table]))).tables[0]
        return summary if summary.phase == "unreadable" else None

    return await until(is_shown)


async def test_calls_about_such_a_table_are_refused_with_what_is_wrong_and_no_act_is_added(arena: Arena) -> None:
    director, seats = await arena.caller("director"), await players(arena)
    table = await director.open(deal_limit=1)
    await dealt(seats[0], table)
    before = found_unreadable()
    version = append(arena, UUID(table), newer_body())
    summary = await stands_still(director, table)
    assert (version - 1, "") == (summary.version, summary.due_player)
    text = f"{table} cannot be read by this version of the service: act {version}: {SAYS}"
    for call in (
        seats[0].call("View", pb.ViewRequest(table=table)),
        seats[0].call("Act", pb.ActRequest(table=table, command_id=bytes(16), command={"draw": {}})),
        director.call("Void", pb.VoidRequest(table=table, reason="over")),
    ):
        assert (grpc.StatusCode.UNIMPLEMENTED, text) == await refused(call)
    assert before + 1 == found_unreadable()
    with psycopg.connect(arena.database.admin_url) as database:
        counted = database.execute("select count(*) from tables.acts where stream = %s", (UUID(table),)).fetchone()
    assert (version,) == counted


async def test_a_watcher_gets_every_act_before_it_and_then_the_error(arena: Arena) -> None:
    director = await arena.caller("director")
    table = await director.open(deal_limit=1)
    watching = director.tables.Watch(pb.WatchRequest(table=table), metadata=director.metadata, timeout=10)
    seen: list[int] = []
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await _watched(watching, seen, lambda: append(arena, UUID(table), newer_body()))
    assert [1, 2] == seen
    assert grpc.StatusCode.UNIMPLEMENTED == error.value.code()
    assert SAYS in (error.value.details() or "")


async def test_other_tables_are_played_on_and_lists_and_sweeps_pass_over_it(
    arena: Arena, caplog: pytest.LogCaptureFixture
) -> None:
    director, seats = await arena.caller("director"), await players(arena)
    tables = [await director.open(deal_limit=1) for _ in range(3)]
    for table in tables:
        await dealt(seats[0], table)
    with caplog.at_level(logging.WARNING):
        append(arena, UUID(tables[1]), newer_body())
        await stands_still(director, tables[1])
        chance = random.Random(1)
        for table in (tables[0], tables[2]):
            assert (await play_on(seats, table, chance)).end_reason
        await asyncio.sleep(4 * arena.settings.sweep_seconds)
    errors = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert 1 == len(errors), errors
    assert "stands still" in errors[0]
    assert tables[1] in errors[0]
    listed = await director.call("List", pb.ListRequest())
    assert sorted(tables) == [summary.table for summary in listed.tables]
    operator = await arena.caller("operator")
    due = await operator.call("ListDue", pb.ListDueRequest())
    assert tables[1] not in [summary.table for summary in due.tables]


async def test_the_stored_bytes_can_be_had_by_an_operator_and_by_nobody_else(arena: Arena) -> None:
    director, operator = await arena.caller("director"), await arena.caller("operator")
    table = await director.open(deal_limit=1)
    version = append(arena, UUID(table), newer_body())
    await stands_still(director, table)
    log = operator.tables.Log(pb.LogRequest(table=table), metadata=operator.metadata, timeout=10)
    acts = [stored async for part in log for stored in part.acts]
    assert (version, newer_body()) == (acts[-1].version, acts[-1].body)
    assert chain.check(acts, UUID(table).bytes) is None
    assert grpc.StatusCode.PERMISSION_DENIED == (
        await refused(director.tables.Log(pb.LogRequest(table=table), metadata=director.metadata, timeout=10).read())
    )[0]


async def test_a_field_that_is_not_known_stops_nothing_and_is_kept_in_store_log_and_export(
    arena: Arena, tmp_path: Path
) -> None:
    director, seats = await arena.caller("director"), await players(arena)
    table = await director.open(deal_limit=1, turn_ms=60_000)
    response = await dealt(seats[0], table)
    until_ms = int(time.time() * 1_000) + 60_000
    command, events = ExtendTurn(until_ms), (TurnExtended(until_ms),)
    body = codec.at_rest(Act(3, "director", until_ms - 60_000, RULES_VERSION, b"", command, events)) + UNKNOWN_FIELD
    version = append(arena, UUID(table), body, due=response.due_seat)
    assert (await play_on(seats, table, random.Random(4))).end_reason

    async def is_closed() -> bool:
        return (await director.call("List", pb.ListRequest(tables=[table]))).tables[0].phase == "closed"

    await until(is_closed)
    log = director.tables.Log(pb.LogRequest(table=table), metadata=director.metadata, timeout=10)
    acts = [stored async for part in log for stored in part.acts]
    assert body == acts[version - 1].body
    assert all(UNKNOWN_FIELD not in one.SerializeToString() for one in (await view(seats[0], table))[1].acts)
    path = tmp_path / "table.jsonl"
    path.write_bytes(b"".join(export.lines("table", UUID(table), acts)))
    with path.open("rb") as file:
        report = audit.verify_export(file)
    assert (audit.NEWER, acts[-1].hash) == (report.outcome, report.head)
    assert "ActBody.99" in str(report.problem)


async def test_a_play_stream_goes_on_with_its_other_tables(arena: Arena) -> None:
    director = await arena.caller("director")
    tables = [await director.open("a", "a2", "a3", "a4", deal_limit=1, dealer=3) for _ in range(2)]
    token = await arena.token("player", "a")
    told: list[tuple[str, Exception | None]] = []
    due = asyncio.Event()

    def changed(view: TableView, error: Exception | None) -> None:
        told.append((view.table, error))
        if view.table == tables[1] and view.version > 2:
            due.set()

    async with AsyncClient(arena.address, token) as client:
        stream = PlayStream(client, changed)
        running = asyncio.create_task(stream.run())
        try:
            await until(lambda: _is(len({table for table, _ in told}) == 2))
            append(arena, UUID(tables[0]), newer_body())
            await until(lambda: _is(any(table == tables[0] and error for table, error in told)))
            await director.call("Void", pb.VoidRequest(table=tables[1], reason="enough"))
            async with asyncio.timeout(10):
                await due.wait()
            assert not running.done()
        finally:
            stream.stop()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
    errors = [error for table, error in told if table == tables[0] and error]
    assert [NewerServer] == [type(error) for error in errors]
    assert SAYS in str(errors[0])
    assert not [error for table, error in told if table == tables[1] and error]


async def test_a_stream_that_names_such_a_table_is_told_of_it_and_serves_the_others(arena: Arena) -> None:
    director = await arena.caller("director")
    good, bad = await director.open(deal_limit=1, dealer=3), await director.open(deal_limit=1)
    append(arena, UUID(bad), newer_body())
    await stands_still(director, bad)
    caller = await arena.caller("player", "a")

    async def requests() -> Any:
        yield pb.PlayRequest(follow=[bad, good])
        await asyncio.sleep(10)

    playing = caller.tables.Play(requests(), metadata=caller.metadata, timeout=10)
    heard: dict[str, pb.TableUpdate] = {}
    async for response in playing:
        heard |= {update.table: update for update in response.updates}
        if len(heard) == 2:
            break
    playing.cancel()
    assert ("unreadable", "") == (heard[bad].rejection.reason, heard[good].rejection.reason)
    assert SAYS in heard[bad].rejection.detail


async def test_a_service_starts_beside_such_tables_and_looks_after_the_others(arena: Arena) -> None:
    director, seats = await arena.caller("director"), await players(arena)
    good, bad = await director.open(deal_limit=1, turn_ms=60_000), await director.open(deal_limit=1, turn_ms=60_000)
    never = UUID(bytes=secrets.token_bytes(16), version=4)
    for table in (good, bad):
        await dealt(seats[0], table)
    append(arena, UUID(bad), newer_body(), due=2)
    append(arena, never, newer_body())
    world = World(lambda: time.time_ns() // 1_000_000, time.monotonic, asyncio.sleep, secrets.token_bytes)
    another = TableProcess(arena.settings, world)
    arena.address = f"127.0.0.1:{await another.start()}"
    try:
        assert (await play_on(await players(arena), good, random.Random(2))).end_reason
        director = await arena.caller("director")
        listed = await director.call("List", pb.ListRequest(tables=[bad, str(never)]))
        assert ["unreadable", "unreadable"] == [summary.phase for summary in listed.tables]
    finally:
        await another.stop()


async def _watched(watching: Any, seen: list[int], then: Callable[[], object]) -> None:
    """Note the versions that come, and do something when there are two."""
    async for response in watching:
        seen += [one.version for one in response.acts]
        if seen == [1, 2] and response.acts:
            then()


async def _is(condition: bool) -> bool:
    return condition
