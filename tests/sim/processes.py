"""The services' processes as production puts them together, with their ways to the world replaced."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import cache
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
from pinochle.bots import bot
from pinochle.client import channel as client_channel
from pinochle.client import stream as client_stream
from pinochle.client.errors import AccessDenied, ClientError
from pinochle.errors import Conflict, Reason, Rejected

from services import assembly, hints
from services.assembly import World, steady_world
from services.bots import __main__ as bots_main
from services.bots import tasks as bots_tasks
from services.bots.roster import Roster
from services.config import Settings
from services.eventstore import StoreUnavailable
from services.rpc import stream_key
from services.stream import UnknownStream
from services.table import process as table_process
from services.table.play import PlaySession
from services.tournament import kind as tournament_kind
from services.tournament import process as tournament_process
from services.tournament import worker as tournament_worker
from services.tournament.tables import TablesAway
from services.watching import Watcher
from tests.sim import clients
from tests.sim.judge import DRIFT_MS_MAX
from tests.sim.messages import SimBus
from tests.sim.network import SimServer
from tests.sim.store import SimStore, SimTokens

if TYPE_CHECKING:
    from tests.sim.simulation import Host, Simulation

EXPECTED_STATUSES = (
    ("Void", grpc.StatusCode.FAILED_PRECONDITION),  # the table had ended
    ("Close", grpc.StatusCode.FAILED_PRECONDITION),  # the boards are still played
    ("Act", grpc.StatusCode.ALREADY_EXISTS),  # an id was used for something else
)
LATE = frozenset({Reason.STALE_VERSION, Reason.NOT_YOUR_TURN, Reason.WRONG_PHASE, Reason.OVER})


def settings(simulation: Simulation, listen: str) -> Settings:
    """Production's settings, with turns and lists that fit short games."""
    # What one client may ask for is not what is tried here.
    no_limits = {
        field.name: field.type(field.metadata["most"]) if callable(field.type) else field.metadata["most"]
        for field in dataclasses.fields(Settings)
        if field.name.startswith("client_")
    }
    return Settings(
        **no_limits,
        tables_database_url="memory:tables",
        tournaments_database_url="memory:tournaments",
        redis_url="memory:",
        table_address="tables",
        table_listen=listen,
        tournament_address="tournaments",
        tournament_listen="tournaments",
        bots_token=simulation.token("bots"),
        service_token=simulation.token("service"),
        turn_ms=1_500,
        turn_grace_ms=120,
        clock_drift_ms_max=DRIFT_MS_MAX,
        house_tick_seconds=0.3,
        bot_lease_seconds=2.0,
        bot_lease_seconds_max=8.0,
        bot_left_seconds_max=8.0,
        bot_idle_seconds_max=0.6,
        cached_streams_max=1 if simulation.seed % 3 == 0 else 100,
        cached_acts_max=50 if simulation.seed % 3 == 1 else 500_000,
    )


def world(host: Host) -> World:
    """What a process knows of time and chance."""
    simulation = host.simulation
    return steady_world(
        lambda: simulation.true_ms() + host.offset_ms,
        lambda: simulation.scheduler.now,
        asyncio.sleep,
        host.entropy.randbytes,
    )


async def table_main(host: Host) -> None:
    """One process of the table service."""
    simulation = host.simulation
    process = table_process.TableProcess(settings(simulation, host.name), world(host))
    host.streams.append((host.loop, process._streams))
    process._index.opened = _InOrder()  # type: ignore[assignment]
    await process.start()
    await asyncio.Future()


async def tournament_main(host: Host) -> None:
    """The process of the tournament service."""
    simulation = host.simulation
    process = tournament_process.TournamentProcess(settings(simulation, ""), world(host), _app(tournament_kind.QUEUE))
    host.streams.append((host.loop, process._streams))
    await process.start()
    await asyncio.Future()


async def tournament_worker_main(host: Host) -> None:
    """A worker that advances tournaments, one task at a time."""
    simulation = host.simulation
    given = settings(simulation, "")
    worker = tournament_worker.Worker(given, world(host))
    room = asyncio.Semaphore(1)

    async def work(task: str, *words: Any) -> None:
        async with room:
            try:
                async with asyncio.timeout(given.tournament_task_seconds_max):
                    reconciler = await worker._connected()
                    if task == tournament_kind.ADVANCE:
                        await reconciler.advance(stream_key(words[0], "tournament"))
                    else:
                        await reconciler.sweep()
            except (TablesAway, StoreUnavailable, Conflict, TimeoutError, UnknownStream) as error:
                simulation.note("task", task, repr(error))
            except Exception as error:
                simulation.fail("no task fails unseen", f"{task}: {error!r}")

    simulation.broker.works(tournament_kind.QUEUE, host.loop, work)
    await asyncio.Future()


async def bots_main_(host: Host) -> None:
    """The dispatcher of the house bots."""
    simulation = host.simulation
    given = settings(simulation, "")
    bus = SimBus(simulation)
    client = client_channel.AsyncClient(
        "tables", given.bots_token, call_seconds_max=given.call_seconds_max, outage_seconds_max=given.call_seconds_max
    )
    app = _app(bots_tasks.QUEUE)
    loop = asyncio.get_running_loop()

    def put(tables: tuple[str, ...]) -> bool:
        try:
            bots_tasks.send(app, tables, simulation.true_ms(), given)
        except ConnectionError:
            loop.call_soon(dispatcher.lost, tables)
        return True

    dispatcher = bots_main.new_dispatcher(given, client, bus, SimpleNamespace(put=put))  # type: ignore[arg-type]
    await asyncio.gather(dispatcher.run(), bots_main.measure(app, dispatcher, given.bot_sweep_seconds))


async def bots_worker_main(host: Host) -> None:
    """A worker that plays the house bots."""
    simulation = host.simulation
    given = settings(simulation, "")
    app = _app(bots_tasks.QUEUE)

    def queue_anew(tables: tuple[str, ...]) -> None:
        try:
            bots_tasks.send(app, tables, simulation.true_ms(), given)
        except ConnectionError as error:
            simulation.note("queue anew", repr(error))

    chance = Random(f"bots {simulation.seed} {host.starts}")
    worker = bots_tasks.Worker(
        given, bots_tasks.World(simulation.true_ms, chance, asyncio.new_event_loop), queue_anew
    )

    async def work(task: str, *words: Any) -> None:
        try:
            await worker._play(bots_tasks.checked(list(words[0]), given.bot_task_tables_max))
        except ClientError as error:
            simulation.note("task", task, repr(error))
            if isinstance(error, AccessDenied):
                simulation.fail("no task fails unseen", f"{task}: {error!r}")
        except Exception as error:
            simulation.fail("no task fails unseen", f"{task}: {error!r}")

    simulation.broker.works(bots_tasks.QUEUE, host.loop, work)
    await asyncio.Future()


MAINS: dict[str, Callable[[Host], Coroutine[Any, Any, None]]] = {
    "table": table_main,
    "tournament": tournament_main,
    "tournament-worker": tournament_worker_main,
    "bots": bots_main_,
    "bots-worker": bots_worker_main,
}


def may_end_with(error: BaseException) -> bool:
    """Whether a process may end with this error, to be started again."""
    return isinstance(error, StoreUnavailable | TimeoutError)


def may_be_told(error: Exception) -> bool:
    """Whether a player may be told this of one turn."""
    return isinstance(error, Rejected) and error.reason in LATE


def _app(queue: str) -> Any:
    """Stands for a Celery application: where tasks are sent."""
    return SimpleNamespace(conf=SimpleNamespace(task_default_queue=queue))


class _InOrder(dict[Any, None]):
    """Stands for a set of bound methods, which come in the order of addresses that differ from run to run."""

    def add(self, one: Any) -> None:
        self[one] = None

    def discard(self, one: Any) -> None:
        self.pop(one, None)


class _Numbered:
    """Objects in sets come in the order of their addresses as well: number them instead."""

    def __init__(self) -> None:
        self.last = 0

    def hash_of(self, one: Any) -> int:
        number = one.__dict__.get("_number")
        if number is None:
            self.last += 1
            number = one.__dict__["_number"] = self.last
        return number  # type: ignore[no-any-return]


class _Errors(logging.Handler):
    """What a service logs as an error is one."""

    def __init__(self, simulation: Simulation) -> None:
        super().__init__(logging.ERROR)
        self._simulation = simulation

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            text += f": {record.exc_info[1]!r}"
        self._simulation.fail("no service reports an error", text)


@contextmanager
def simulated(seed: int) -> Iterator[Simulation]:
    """Replace production's ways to the world while one seed is run."""
    from tests.sim.simulation import Simulation

    simulation = Simulation(seed)
    numbered = _Numbered()
    replaced: list[tuple[Any, str, Any]] = [
        (grpc.aio, "insecure_channel", simulation.network.channel),
        (assembly, "event_store", lambda settings, url, schema, world: SimStore(simulation, schema)),
        (assembly, "token_store", lambda settings, url, world: SimTokens(simulation)),
        (assembly, "bus", lambda settings, world: SimBus(simulation)),
        (table_process, "Server", lambda settings: SimServer(simulation)),
        (tournament_process, "Server", lambda settings: SimServer(simulation)),
        (
            hints,
            "send",
            lambda app, task, *words, now_ms, seconds_max: simulation.broker.send(
                app.conf.task_default_queue, task, words, seconds_max
            ),
        ),
        (hints, "backlog", lambda app, now_ms: simulation.broker.backlog(app.conf.task_default_queue)),
        (bots_tasks, "Roster", lambda: Roster(lambda kind: clients.QuickBot() if kind == "random" else bot(kind))),
        (client_channel, "random", simulation.pauses),
        (client_channel, "new_id", simulation.new_id),
        (client_stream, "new_id", simulation.new_id),
        (PlaySession, "__hash__", lambda one: numbered.hash_of(one)),
        (Watcher, "__hash__", lambda one: numbered.hash_of(one)),
    ]
    if hasattr(assembly, "people"):
        from services.people import MemoryPeople

        known = cache(lambda mark: MemoryPeople(mark, simulation.ids.randbytes))  # it outlives every process
        replaced.append((assembly, "people", lambda settings, url, world, mark: known(mark)))
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in replaced]
    errors = _Errors(simulation)
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    logging.getLogger("services").addHandler(errors)
    logging.getLogger("asyncio").addHandler(errors)
    is_collecting = gc.isenabled()
    gc.disable()
    for owner, name, value in replaced:
        setattr(owner, name, value)
    try:
        yield simulation
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)
        logging.getLogger("services").removeHandler(errors)
        logging.getLogger("asyncio").removeHandler(errors)
        logging.disable(level)
        if is_collecting:
            gc.enable()
