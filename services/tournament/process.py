"""One process of the tournament service put together: store, streams, servicer, its ears and its timers."""

from __future__ import annotations

import asyncio
import logging

from celery import Celery
from pinochle.decider import HOUSE
from pinochle.texts import mark
from pinochle.tournament import due
from pinochle.tournament.state import OVER
from pinochle.wire.v1 import tournament_pb2_grpc
from pinochle.wire.v1.bus_pb2 import Nudge

from services import assembly, hints, metrics, upkeep
from services.assembly import World
from services.config import Settings
from services.eventstore import PAGE
from services.rpc import Server
from services.stream import Stream
from services.tournament.kind import ADVANCE, KIND, SCHEMA, SWEEP, TABLES_TOPIC, TOPIC
from services.tournament.reconcile import Reconciler
from services.tournament.servicer import Limits, TournamentServicer
from services.tournament.tables import TableClient

LOG = logging.getLogger(__name__)
NAME = "tournament"


class TournamentProcess:
    """Start with `start()`, end with `stop()`. `app` is where tasks are sent; the process runs none itself
    while the broker takes them."""

    def __init__(self, settings: Settings, world: World, app: Celery) -> None:
        self._settings = settings
        self._world = world
        self._app = app
        self._draining = asyncio.Event()
        self._store = assembly.event_store(settings, settings.tournaments_database_url, SCHEMA, world)
        self._tokens = assembly.token_store(settings, settings.tournaments_database_url, world)
        self._people = assembly.people(settings, settings.tournaments_database_url, world, mark)
        self._bus = assembly.bus(settings, world)
        self._streams = assembly.streams(NAME, settings, KIND, self._store, world, self._moved)
        self._tables = table_client(settings)
        self._reconciler = Reconciler(
            self._streams,
            self._store,
            self._tables,
            entropy=world.entropy,
            tables_max=settings.tournament_open_tables_max,
        )
        self._server = Server(settings)
        self._wanted: dict[str, None] = {}
        self._news = asyncio.Event()
        self._loops: list[asyncio.Task[None]] = []

    async def start(self) -> int:
        """Connect, and serve; returns the port."""
        try:
            return await self._start()
        except BaseException:
            await self.stop()  # a connection that is still tried would keep the process from ending
            raise

    async def _start(self) -> int:
        await self._store.start()
        await self._tokens.start()
        await self._people.start()
        self._bus.start()
        settings = self._settings
        self._loops = [
            asyncio.create_task(self._hear_tables()),
            asyncio.create_task(upkeep.hear(self._bus, TOPIC, self._streams)),
            asyncio.create_task(self._send_hints()),
            asyncio.create_task(upkeep.repeat(self._compare, settings.heads_check_seconds, self._world.sleep)),
            asyncio.create_task(upkeep.repeat(self._look_for_work, settings.sweep_seconds, self._world.sleep)),
        ]
        servicer = TournamentServicer(
            self._streams,
            self._store,
            assembly.guard(settings, self._tokens, self._world),
            Limits(
                settings.tournament_entrants_max,
                settings.log_page_acts_max,
                settings.heartbeat_seconds,
                settings.followers_per_stream_max,
            ),
            people=self._people,
            entropy=self._world.entropy,
            draining=self._draining,
        )
        self._server.add(tournament_pb2_grpc.add_TournamentServiceServicer_to_server, servicer)
        port = await self._server.start(settings.tournament_listen)
        await self._compare()
        return port

    async def stop(self) -> None:
        """Refuse new calls, end streams, finish what is under way, and let go of everything."""
        self._draining.set()
        await self._server.drain()
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        await self._tables.close()
        await self._store.close()
        await self._tokens.close()
        await self._people.close()
        await self._bus.close()

    def _moved(self, stream: Stream, view: bytes | None) -> None:
        metrics.cached_streams.labels(NAME).set(len(self._streams))
        if view is None:
            return
        metrics.acts_total.labels(NAME).inc()
        self._bus.publish(TOPIC, nudge(stream, view))
        if due(stream.state).who == HOUSE:
            self._want(stream.id)

    def _want(self, tournament: str) -> None:
        """Have a tournament advanced soon; one that is asked for already is asked for once."""
        if len(self._wanted) < self._settings.task_queue_max:
            self._wanted[tournament] = None
            self._news.set()

    async def _hear_tables(self) -> None:
        """A table that has ended moves its tournament."""
        async for heard in self._bus.subscribe(TABLES_TOPIC):
            if heard is not None and heard.over and heard.tournament:
                self._want(heard.tournament)

    async def _send_hints(self) -> None:
        """Queue a task for each tournament that is wanted, once for all that comes within a moment."""
        while True:
            await self._news.wait()
            await self._world.sleep(self._settings.tournament_debounce_seconds)
            self._news.clear()
            while self._wanted:
                tournament = next(iter(self._wanted))
                del self._wanted[tournament]
                if not await self._hint(ADVANCE, tournament):
                    self._wanted.clear()  # the sweep finds them

    async def _hint(self, task: str, *words: str) -> bool:
        """Queue a task; False where the broker does not take it."""
        try:
            await asyncio.to_thread(
                hints.send,
                self._app,
                task,
                *words,
                now_ms=self._world.clock_ms(),
                seconds_max=self._settings.task_seconds_max,
            )
        except Exception as error:  # the drivers' errors have no root of their own
            LOG.warning("a task could not be queued: %s", error)
            return False
        return True

    async def _look_for_work(self) -> None:
        """Have tournaments that wait for the house swept; by this process itself while there is no broker."""
        metrics.open_tournaments.set(await self._count_open())
        waiting = await self._reconciler.waiting()
        try:
            tasks, oldest_ms = await asyncio.to_thread(hints.backlog, self._app, self._world.clock_ms())
        except Exception as error:
            LOG.warning("the broker is away, sweeping here: %s", error)
            if waiting:
                async with asyncio.timeout(self._settings.tournament_task_seconds_max):
                    await self._reconciler.sweep()
            return
        metrics.celery_queue_tasks.labels(self._app.conf.task_default_queue).set(tasks)
        metrics.celery_queue_age_seconds.labels(self._app.conf.task_default_queue).set(oldest_ms / 1000)
        if waiting and tasks < self._settings.task_queue_max:
            await self._hint(SWEEP)

    async def _count_open(self) -> int:
        count, after = 0, None
        while True:
            heads = await self._store.open_streams(after, PAGE)
            count += len(heads)
            if len(heads) < PAGE:
                return count
            after = heads[-1].stream

    async def _compare(self) -> None:
        """Catch up with what was missed; serve only while this process's clock agrees with the database's."""
        drift_ms = await upkeep.clock_drift_ms(self._streams, self._store, NAME)
        agrees = abs(drift_ms) <= self._settings.clock_drift_ms_max
        if not agrees:
            self._world.correct(drift_ms)
        self._server.let_serve(agrees)
        await upkeep.compare_heads(self._streams, self._store)


def table_client(settings: Settings) -> TableClient:
    """The way to the table service; use it on the event loop on which it was made."""
    return TableClient(
        settings.table_address,
        settings.service_token,
        seconds_max=settings.call_seconds_max,
        message_bytes_max=settings.message_bytes_max,
    )


def nudge(stream: Stream, view: bytes) -> Nudge:
    """What the bus carries of an act."""
    over = stream.state.phase >= OVER
    return Nudge(stream=stream.id, version=stream.version, over=over, sent_ms=stream.noticed_ms, view=view)
