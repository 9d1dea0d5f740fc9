"""The largest tournament that the service takes keeps nobody else waiting: what takes long is done in small pieces."""

import asyncio
import gc
import statistics
import time
from collections.abc import Awaitable
from typing import Any
from uuid import UUID

from pinochle.tournament import EnterTeam, RecordResult, wanted
from pinochle.wire.v1 import tournament_pb2 as pb

from tests.integration.conftest import Caller, command_ids
from tests.integration.test_tournament_idempotency import another
from tests.integration.test_tournament_service import Tournaments, service

__all__ = ["service"]
TEAMS = 1_024
RESULTS = 400
TICK_SECONDS = 0.002


class Watched:
    """How long work took, the longest time for which the event loop stood still meanwhile, and a neighbour's calls.

    What other tests left behind is no longer looked through for garbage, which would stop everything for long.
    """

    def __init__(self, running: Tournaments, caller: Caller, neighbour: str) -> None:
        self._running = running
        self._caller = caller
        self._neighbour = neighbour

    async def __call__(self, *works: Awaitable[Any]) -> tuple[float, float, list[float]]:
        longest, done, calls = 0.0, False, list[float]()

        async def tick() -> None:
            nonlocal longest
            while not done:
                began = time.perf_counter()
                await asyncio.sleep(TICK_SECONDS)
                longest = max(longest, time.perf_counter() - began - TICK_SECONDS)

        async def ask() -> None:
            while not done:
                began = time.perf_counter()
                await self._running.call(self._caller, "Show", tournament=self._neighbour)
                calls.append(time.perf_counter() - began)

        gc.collect()
        gc.freeze()
        tasks = [asyncio.create_task(tick()), asyncio.create_task(ask())]
        await asyncio.sleep(0.05)
        longest, began = 0.0, time.perf_counter()
        await asyncio.gather(*works)
        took, done = time.perf_counter() - began, True
        gc.unfreeze()
        await asyncio.gather(*tasks)
        return took, longest, calls


async def huge(running: Tournaments, director: Caller) -> str:
    """A started knockout with as many teams as there may be, some of its matches decided."""
    tournament_id = await running.create(director, name="Huge", format=pb.TOURNAMENT_FORMAT_KNOCKOUT)
    streams, key = running.process._streams, UUID(tournament_id).bytes
    for number in range(1, TEAMS + 1):
        entry = EnterTeam(f"Team {number}", (f"a{number}", f"b{number}"), number)
        await streams.handle(key, "director", next(command_ids), entry)
    await running.call(director, "Start", tournament=tournament_id)
    stream = await streams.get(key)
    for table in wanted(stream.state)[:RESULTS]:
        result = RecordResult(table.match, table.attempt, table.table, 0, (10, 5), 1, "score")
        await streams.handle(key, "house", next(command_ids), result)
    return tournament_id


async def test_reading_and_showing_a_huge_tournament_lets_others_in_between(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    neighbour = await service.create(director, 2, start=False)
    async with another(service, tournament_entrants_max=TEAMS) as first:
        tournament_id = await huge(first, director)
    async with another(service, tournament_entrants_max=TEAMS) as cold:
        watched = Watched(cold, director, neighbour)
        _, _, before = await watched(asyncio.sleep(0.5))
        shows = [cold.call(director, "Show", tournament=tournament_id) for _ in range(20)]
        took, longest, during = await watched(*shows)
    print(f"longest block {longest * 1e3:.0f} ms of {took * 1e3:.0f} ms; a neighbour's call {len(during)} times,"
          f" median {statistics.median(during) / statistics.median(before):.1f} times slower")  # fmt: skip
    assert longest < took / 4
    assert len(during) > 5


async def test_a_huge_tournament_is_refused_no_answer_for_its_size(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    async with another(service, tournament_entrants_max=TEAMS) as running:
        tournament_id = await huge(running, director)
        shown = await running.call(director, "Show", tournament=tournament_id)
        assert (TEAMS, True) == (len(shown.teams), len(shown.matches) >= TEAMS // 2)
        again = await running.call(director, "Show", tournament=tournament_id)
        assert shown == again
