"""One command id, one effect, one answer at the tournament service: in parallel, later, at another process."""

import asyncio
import dataclasses
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import grpc
from pinochle.wire.v1 import tournament_pb2 as pb

from services.assembly import World
from services.broker import make_app
from services.tournament.kind import QUEUE
from services.tournament.process import TournamentProcess
from tests.integration.conftest import Caller, command_ids
from tests.integration.test_idempotency import refused
from tests.integration.test_tournament_service import Tournaments, service

__all__ = ["service"]
CONNECTIONS = 50


@asynccontextmanager
async def another(service: Tournaments, ahead_ms: int = 0, **changes: Any) -> AsyncIterator[Tournaments]:
    """One more tournament service on the same store, with its own clock and settings."""
    settings = dataclasses.replace(service.settings, **changes)
    world = World(lambda: time.time_ns() // 1_000_000 + ahead_ms, time.monotonic, asyncio.sleep, secrets.token_bytes)
    process = TournamentProcess(settings, world, make_app(QUEUE, settings))
    port = await process.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        try:
            yield dataclasses.replace(service, process=process, channel=channel, settings=settings)
        finally:
            await process.stop()


async def answers(services: list[Tournaments], caller: Caller, method: str, **fields: Any) -> set[bytes]:
    """What one request is answered over many connections at once, as bytes."""
    found = await asyncio.gather(
        *(services[number % len(services)].call(caller, method, **fields) for number in range(CONNECTIONS))
    )
    return {answer.SerializeToString() for answer in found}


async def test_every_command_has_one_effect_and_one_answer_wherever_and_whenever_it_comes(
    service: Tournaments,
) -> None:
    director = await service.arena.caller("director")
    tournament_id = str(uuid4())
    new: dict[str, Any] = {
        "tournament": tournament_id, "name": "Once", "format": 1, "profile": "classic", "deal_cap": 9,
    }  # fmt: skip
    commands: list[tuple[str, dict[str, Any]]] = [
        ("Create", new),
        ("Enter", {"tournament": tournament_id, "name": "Aces", "players": ("ann", "bob")}),
        ("Enter", {"tournament": tournament_id, "name": "Kings", "players": ("cid", "dot")}),
        ("Enter", {"tournament": tournament_id, "name": "Tens", "players": ("eve", "fay")}),
        ("Withdraw", {"tournament": tournament_id, "team": 0}),
        ("Start", {"tournament": tournament_id}),
    ]
    first: list[bytes] = []
    async with another(service) as second:
        for _, fields in commands:
            fields["command_id"] = next(command_ids)
        for method, fields in commands:
            found = await answers([service, second], director, method, **fields)
            assert 1 == len(found), method
            first += found
        shown = await service.call(director, "Show", tournament=tournament_id)
        assert (6, [1, 2]) == (shown.version, sorted(team.team for team in shown.teams))
    day = {"ahead_ms": 86_400_000, "clock_drift_ms_max": 60_000, "turn_grace_ms": 60_000, "cached_streams_max": 1}
    async with another(service, **day) as later:
        for (method, fields), answer in zip(commands, first, strict=True):
            assert {answer} == await answers([later], director, method, **fields)
        assert 6 == (await later.call(director, "Show", tournament=tournament_id)).version


async def test_a_command_id_with_another_body_is_an_error_and_counts_for_one_tournament(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    one, other = await service.create(director), await service.create(director)
    command_id = next(command_ids)
    entry = {"name": "Aces", "players": ("ann", "bob"), "command_id": command_id}
    for tournament_id in (one, other):
        assert 2 == (await service.call(director, "Enter", tournament=tournament_id, **entry)).version
    entry["players"] = ("una", "zoe")
    entry["name"] = "Others"
    await refused(service.call(director, "Enter", tournament=one, **entry), grpc.StatusCode.ALREADY_EXISTS)
    operator = await service.arena.caller("operator")  # another author, with ids of its own
    assert 3 == (await service.call(operator, "Enter", tournament=one, **entry)).version


async def test_a_command_id_of_another_length_is_refused(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    tournament_id = await service.create(director)
    request = service.call(director, "Start", tournament=tournament_id, command_id=b"short")
    await refused(request, grpc.StatusCode.INVALID_ARGUMENT)
    assert isinstance(await service.call(director, "Show", tournament=tournament_id), pb.ShowResponse)
