"""The event store with delays and faults: production's MemoryStore holds the acts, every commit is judged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from services.auth import Principal
from services.eventstore import PAGE, Append, Conflict, Head, MemoryStore, StoredAct, StoreUnavailable
from tests.sim.faults import latency

if TYPE_CHECKING:
    from tests.sim.simulation import Simulation

BEHIND_SECONDS_MAX = 1.5
TIES_LAND_SHARE = 0.5
"""Of the commits under way when a process is killed, so many are carried out."""


class Database:
    """One schema, which outlives every process."""

    def __init__(self, simulation: Simulation, schema: str) -> None:
        self.simulation = simulation
        self.schema = schema
        self.memory = MemoryStore(simulation.true_ms)

    def commit(self, act: Append) -> Conflict | None:
        """Carry out one append at once, and have it judged."""
        try:
            at_once(self.memory.append(act))
        except Conflict as error:
            return error
        self.simulation.judge.committed(self.schema, act)
        return None


def at_once(work: Any) -> Any:
    """The result of a coroutine of MemoryStore, which never suspends."""
    try:
        work.send(None)
    except StopIteration as ended:
        return ended.value
    raise AssertionError("MemoryStore has suspended")


class SimStore:
    """The store as one process reaches it."""

    waiting = 0

    def __init__(self, simulation: Simulation, schema: str) -> None:
        self._simulation = simulation
        self._database = simulation.database(schema)
        self._memory = self._database.memory
        self._loop = simulation.running()

    async def start(self) -> None:
        await self._asked(lambda: None)

    async def close(self) -> None:
        pass

    async def append(self, act: Append) -> None:
        simulation, loop = self._simulation, self._loop
        scheduler, chance, rates = simulation.scheduler, simulation.store_chance, simulation.rates
        simulation.passes(loop, "append")
        if not loop.is_alive:
            if chance.random() < TIES_LAND_SHARE:
                scheduler.after(latency(chance, rates), self._database.commit, act)
            await asyncio.Future()  # the process runs no more
        answer: asyncio.Future[None] = loop.create_future()
        draw = chance.random()
        if draw < rates.store_refuses:
            scheduler.after(latency(chance, rates), _answer, loop, answer, _unavailable())
        elif draw < rates.store_refuses + rates.store_behind:
            scheduler.after(latency(chance, rates), _answer, loop, answer, _unavailable())
            scheduler.after(chance.random() * BEHIND_SECONDS_MAX, self._database.commit, act)
        else:
            is_silent = draw < rates.store_refuses + rates.store_behind + rates.store_silent
            scheduler.after(latency(chance, rates), self._land, act, answer, is_silent)
        await answer

    def _land(self, act: Append, answer: asyncio.Future[None], is_silent: bool) -> None:
        simulation, loop = self._simulation, self._loop
        chance = simulation.store_chance
        if not loop.is_alive and chance.random() >= TIES_LAND_SHARE:
            return
        error: Exception | None = self._database.commit(act)
        simulation.passes(loop, "committed")
        if is_silent:
            error = _unavailable()
        simulation.scheduler.after(latency(chance, simulation.rates), _answer, loop, answer, error)

    async def read(self, stream: bytes, after: int = 0, limit: int = PAGE) -> list[StoredAct]:
        return await self._asked(lambda: at_once(self._memory.read(stream, after, limit)))

    async def head(self, stream: bytes) -> Head | None:
        return await self._asked(lambda: at_once(self._memory.head(stream)))

    async def heads(self, streams: Sequence[bytes]) -> dict[bytes, Head]:
        return await self._asked(lambda: at_once(self._memory.heads(streams)))

    async def open_streams(self, after: bytes | None = None, limit: int = PAGE) -> list[Head]:
        return await self.streams(after, limit, True)

    async def streams(self, after: bytes | None = None, limit: int = PAGE, open: bool | None = None) -> list[Head]:
        return await self._asked(lambda: at_once(self._memory.streams(after, limit, open)))

    async def now_ms(self) -> int:
        return await self._asked(self._simulation.true_ms)

    async def _asked(self, question: Callable[[], Any]) -> Any:
        """The answer as it stood at some moment between now and when it comes."""
        simulation, loop = self._simulation, self._loop
        chance, rates = simulation.store_chance, simulation.rates
        simulation.passes(loop, "read")
        answer = loop.create_future()

        def ask() -> None:
            if not loop.is_alive:
                return
            if rates.store_refuses and chance.random() < rates.store_refuses:
                _answer(loop, answer, _unavailable())
                return
            found = question()
            simulation.scheduler.after(latency(chance, rates), _answer, loop, answer, None, found)

        simulation.scheduler.after(latency(chance, rates), ask)
        return await answer


def _unavailable() -> StoreUnavailable:
    return StoreUnavailable("the database does not answer")


def _answer(loop: Any, answer: asyncio.Future[Any], error: Exception | None, found: Any = None) -> None:
    if not loop.is_alive or answer.done():
        return
    if error is not None:
        answer.set_exception(error)
    else:
        answer.set_result(found)


class SimTokens:
    """Everybody's tokens, known to every process at once."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    async def start(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def look_up(self, text: str, *ask: Any) -> Principal | None:
        return self._simulation.tokens.get(text)

    async def create(self, text: str, principal: Principal, **about: Any) -> None:
        self._simulation.tokens[text] = principal

    async def revoke(self, token_id: str) -> bool:
        return False
