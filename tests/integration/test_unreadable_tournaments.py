"""A tournament that holds an act of a newer version, or has such a table, stands still there, and the rest goes on."""

import asyncio
import random
from typing import Any
from uuid import UUID

import grpc
import psycopg
from pinochle.options import legal
from pinochle.tournament import CloseTournament
from pinochle.tournament.lots import table_id
from pinochle.wire import chain, tournament_codec
from pinochle.wire.v1 import game_pb2
from pinochle.wire.v1 import table_pb2 as table_pb
from prometheus_client import REGISTRY

from tests.integration.conftest import Arena, Caller, command_ids
from tests.integration.test_table_service import act, view
from tests.integration.test_tournament_service import Tournaments, bots, service, until, worker
from tests.integration.test_unreadable import SAYS, UNKNOWN_EVENT, append, newer_body

__all__ = ["bots", "service", "worker"]
SECONDS_MAX = 60.0


def append_to_tournament(arena: Arena, tournament: UUID) -> int:
    """Store an act of a newer version, as its process would; the act's version."""
    command = tournament_codec.command_bytes(CloseTournament(()))
    frame = game_pb2.ActFrame(author="house", at_ms=1, rules_version=99, command=command, events=[UNKNOWN_EVENT])
    body = frame.SerializeToString()
    with psycopg.connect(arena.database.admin_url, connect_timeout=10) as database:
        heads = "select version, head from tournaments.streams where id = %s"
        found = database.execute(heads, (tournament,)).fetchone()
        assert found is not None
        version, command_id = found[0] + 1, next(command_ids)
        link = chain.link(bytes(found[1]), tournament.bytes, version, command_id, body)
        database.execute(
            "insert into tournaments.acts (stream, version, command_id, body, hash) values (%s, %s, %s, %s, %s)",
            (tournament, version, UUID(bytes=command_id), body, link),
        )
        database.execute(
            "update tournaments.streams set version = %s, head = %s where id = %s", (version, link, tournament)
        )
    return version


async def refused(service: Tournaments, caller: Caller, tournament: str) -> str | None:
    """What Show says where it refuses, else None."""
    try:
        await service.call(caller, "Show", tournament=tournament)
    except grpc.aio.AioRpcError as error:
        return f"{error.code().name}: {error.details()}"
    return None


async def test_other_tournaments_are_played_on(service: Tournaments, bots: None, worker: None) -> None:
    director = await service.arena.caller("director")
    before = REGISTRY.get_sample_value("unreadable_streams_total", {"service": "tournament"}) or 0.0
    bad = await service.create(director, 2)
    version = append_to_tournament(service.arena, UUID(bad))
    good = await service.create(director, 2)
    assert (await service.closed(director, good)).ranking

    async def told() -> str | None:
        return await refused(service, director, bad)

    text = f"UNIMPLEMENTED: {bad} cannot be read by this version of the service: act {version}: {SAYS}"
    assert text == await until(told)
    listed = await service.call(director, "List")
    phases = {summary.tournament: summary.phase for summary in listed.tournaments}
    assert {bad: "unreadable", good: "closed"} == phases
    assert before + 1 == REGISTRY.get_sample_value("unreadable_streams_total", {"service": "tournament"})
    with psycopg.connect(service.arena.database.admin_url) as database:
        found = database.execute("select version from tournaments.streams where id = %s", (UUID(bad),)).fetchone()
    assert (version,) == found


async def test_with_such_a_table_the_other_matches_go_on(service: Tournaments, worker: None) -> None:
    director = await service.arena.caller("director")
    tournament = await service.create(director, 4)
    tables = [table_id(tournament, match, 1) for match in ("r1m1", "r1m2")]

    async def both_are_open() -> bool:
        found = await director.call("List", table_pb.ListRequest(tables=tables))
        return len(found.tables) == 2

    await until(both_are_open, SECONDS_MAX)
    append(service.arena, UUID(tables[0]), newer_body(), due=0)
    caller = await service.arena.caller("bots")
    await play_one(caller, tables[1])

    async def recorded() -> Any:
        shown = await service.call(director, "Show", tournament=tournament)
        return shown if any(match.HasField("winner") for match in shown.matches) else None

    shown = await until(recorded, SECONDS_MAX)
    assert {"r1m1": False, "r1m2": True} == {match.match: match.HasField("winner") for match in shown.matches}
    listed = await director.call("List", table_pb.ListRequest(tables=tables))
    assert {tables[0]: "unreadable", tables[1]: "closed"} == {table.table: table.phase for table in listed.tables}


async def play_one(caller: Caller, table: str) -> None:
    """Play all seats of a table to its end."""
    chance = random.Random(3)
    while True:
        _, response = await view(caller, table, 0)
        if response.over:
            return
        if not response.HasField("due_seat"):
            await asyncio.sleep(0.01)
            continue
        state, asked = await view(caller, table, response.due_seat)
        options = legal(state)
        if options is not None:
            await act(caller, table, options.sample(chance), asked.turn_version, seat=response.due_seat)
