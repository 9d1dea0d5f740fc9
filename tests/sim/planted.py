"""Faults put into production code on purpose, to show that the simulator finds each of them.

Each is a context manager; while it lasts, seeds that `happens_in` a fault's kind of scenario fail soon.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from pinochle.events import TableOpened
from pinochle.tournament import RecordResult
from pinochle.tournament import decider as tournament_decider
from pinochle.tournament.events import ResultRecorded
from pinochle.tournament.state import PLAYED
from pinochle.wire import codec

from services.eventstore import MemoryStore
from services.handle import Streams
from services.table import house as table_house
from services.table import play as table_play
from services.table import servicer as table_servicer
from services.tournament.reconcile import Reconciler
from tests.sim.scenario import Scenario
from tests.sim.store import SimStore


class Planted(NamedTuple):
    """A fault, the invariants that it may break, and the scenarios in which it can show."""

    plant: Callable[[], AbstractContextManager[None]]
    breaks: frozenset[str]
    happens_in: Callable[[Scenario], bool]


@contextmanager
def _replaced(*changes: tuple[Any, str, Any]) -> Iterator[None]:
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    for owner, name, value in changes:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)


def answer_before_commit() -> AbstractContextManager[None]:
    """The write path goes on before the store has answered."""
    append = SimStore.append

    async def at_once(self: SimStore, act: Any) -> None:
        task = asyncio.ensure_future(append(self, act))
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())

    return _replaced((SimStore, "append", at_once))


def conflict_check_dropped() -> AbstractContextManager[None]:
    """The store takes an act at whatever version the stream is."""
    append = MemoryStore.append

    async def anywhere(self: MemoryStore, act: Any) -> None:
        head = await self.head(act.stream)
        await append(self, replace(act, version=head.version if head else 0))

    return _replaced((MemoryStore, "append", anywhere))


def sweep_forgotten() -> AbstractContextManager[None]:
    """Nobody looks for what the house left undone."""

    async def nothing(self: table_house.House) -> None:
        return None

    return _replaced((table_house.House, "_sweep", nothing))


def ids_forgotten() -> AbstractContextManager[None]:
    """A process that reads a log does not learn which commands are in it."""
    catch_up = Streams._catch_up

    async def without_ids(self: Streams, stream: Any, tell: bool = True) -> bool:
        known = dict(stream.commands)
        moved = await catch_up(self, stream, tell)
        stream.commands.clear()
        stream.commands.update(known)
        return moved

    return _replaced((Streams, "_catch_up", without_ids))


def watcher_late() -> AbstractContextManager[None]:
    """Who watches from the beginning is not sent the first act."""
    page = table_servicer.page

    def late(stream: Any, after: int, viewer: int | None = None) -> Any:
        return page(stream, max(after, min(1, stream.version)), viewer)

    return _replaced((table_servicer, "page", late), (table_play, "page", late))


def result_recorded_twice() -> AbstractContextManager[None]:
    """A result that is known is taken again, and a doubled task brings it."""
    record, do = tournament_decider._record, Reconciler._do

    def again(state: Any, command: RecordResult) -> tuple[Any, ...]:
        attempt = state.matches[command.match].attempts[command.attempt - 1]
        if attempt.status == PLAYED:
            about = (command.match, command.attempt, command.table, command.winner)
            return (ResultRecorded(*about, command.totals, command.deals, command.reason),)
        return record(state, command)

    async def twice(self: Reconciler, stream: Any, command: Any, done: Any) -> Any:
        if isinstance(command, RecordResult):
            stream, _ = await do(self, stream, command, done)
        return await do(self, stream, command, done)

    decide = dict(tournament_decider._DECIDE)
    decide[RecordResult] = again
    return _replaced((tournament_decider, "_DECIDE", decide), (Reconciler, "_do", twice))


def seed_shown_early() -> AbstractContextManager[None]:
    """Everybody sees a table's seed from its beginning."""
    redact = codec.redact

    def shown(event: Any, viewer: int | None) -> Any:
        return event if isinstance(event, TableOpened) else redact(event, viewer)

    return _replaced((codec, "redact", shown))


def _always(scenario: Scenario) -> bool:
    return True


PLANTED: dict[str, Planted] = {
    "answer before commit": Planted(
        answer_before_commit,
        frozenset(
            {
                "an acknowledged command is in the log",
                "a viewer's stream is the log",
                "a nudge follows its commit",
            }
        ),
        _always,
    ),
    "conflict check dropped": Planted(
        conflict_check_dropped, frozenset({"versions have no gaps", "the log is sound"}),
        lambda scenario: scenario.table_hosts > 1,
    ),
    "sweep forgotten": Planted(sweep_forgotten, frozenset({"everything progresses", "everything ends"}), _always),
    "ids forgotten": Planted(
        ids_forgotten,
        frozenset({"an acknowledged command is in the log", "the same command has one answer", "the log is sound"}),
        _always,
    ),
    "watcher late": Planted(watcher_late, frozenset({"a viewer's stream is the log"}), _always),
    "result recorded twice": Planted(
        result_recorded_twice, frozenset({"brackets advance exactly once"}), lambda scenario: bool(scenario.events)
    ),
    "seed shown early": Planted(seed_shown_early, frozenset({"nothing hidden is shown"}), _always),
}  # fmt: skip
"""By name."""


def find(planted: Planted, seeds_max: int) -> tuple[int, Any]:
    """How many seeds were run until one failed, and its result; the last result where none did."""
    from tests.sim.scenario import draw
    from tests.sim.simulation import run

    number, seed, result = 0, 0, None
    with planted.plant():
        while number < seeds_max:
            if planted.happens_in(draw(seed)):
                number += 1
                result = run(seed)
                if result.invariant:
                    break
            seed += 1
    return number, result
