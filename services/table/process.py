"""One process of the table service put together: store, streams, house, servicers, and its stop."""

from __future__ import annotations

import asyncio

from pinochle.state import OVER, State
from pinochle.texts import mark
from pinochle.wire.v1 import access_pb2_grpc, table_pb2_grpc
from pinochle.wire.v1.bus_pb2 import Nudge

from services import assembly, metrics, upkeep
from services.assembly import World
from services.beat import let_go
from services.config import Settings
from services.rpc import Server
from services.stream import Stream
from services.table.access import AccessServicer
from services.table.house import House, Pace, Reports
from services.table.index import KIND, Index
from services.table.people import PeopleServicer
from services.table.servicer import Limits, TableServicer

NAME = "table"
SCHEMA = TOPIC = "tables"


class TableProcess:
    """Start with `start()`, end with `stop()`."""

    def __init__(self, settings: Settings, world: World) -> None:
        self._settings = settings
        self._world = world
        self._draining = asyncio.Event()
        self._drift_ms = 0
        self._count = metrics.acts_total.labels(NAME).inc
        self._store = assembly.event_store(settings, settings.tables_database_url, SCHEMA, world)
        self._tokens = assembly.token_store(settings, settings.tables_database_url, world)
        self._people = assembly.people(settings, settings.tables_database_url, world, mark)
        self._bus = assembly.bus(settings, world)
        self._index = Index(world.clock_ms)
        self._streams = assembly.streams(NAME, settings, KIND, self._store, world, self._moved, self._unreadable)
        self._house = House(
            self._streams,
            self._index,
            self._store,
            clock_ms=world.clock_ms,
            sleep=world.sleep,
            pace=Pace(settings.house_tick_seconds, settings.sweep_seconds, settings.turn_grace_ms),
            acts_max=settings.stream_acts_max,
            reports=Reports(
                metrics.sweep_found_total.labels(NAME).inc,
                metrics.expired_turns_total.inc,
                metrics.overdue_turns.set,
            ),
            bots_are_served=lambda: self._bus.is_connected,
        )
        self._server = Server(settings)
        self._loops: list[asyncio.Task[None]] = []

    async def start(self) -> int:
        """Connect, find what is open, and serve; returns the port."""
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
        await self._hold_clock()  # the house gives turns their time by it
        await self._house.start()
        self._add_servicers()
        port = await self._server.start(self._settings.table_listen)
        await self._compare()
        self._loops = [
            asyncio.create_task(upkeep.hear(self._bus, TOPIC, self._streams)),
            asyncio.create_task(
                upkeep.repeat(self._compare, self._settings.heads_check_seconds, self._world.sleep),
            ),
        ]
        return port

    async def stop(self) -> None:
        """Refuse new calls, end streams, finish what is under way, and let go of everything."""
        self._draining.set()
        await self._server.drain()
        await self._house.stop()
        let_go(self._streams.cached())
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        await self._store.close()
        await self._tokens.close()
        await self._people.close()
        await self._bus.close()

    def _add_servicers(self) -> None:
        settings, world = self._settings, self._world
        guard = assembly.guard(settings, self._tokens, world)
        tables = TableServicer(
            self._streams,
            self._index,
            self._store,
            guard,
            Limits(
                settings.turn_ms,
                settings.turn_grace_ms,
                settings.play_tables_max,
                settings.log_page_acts_max,
                settings.heartbeat_seconds,
                settings.followers_per_stream_max,
            ),
            people=self._people,
            entropy=world.entropy,
            draining=self._draining,
            find_open=self._house.find_open,
        )
        access = AccessServicer(
            self._tokens,
            self._index,
            guard,
            clock_ms=world.clock_ms,
            entropy=world.entropy,
            open_streams=lambda: guard.admission.streams_open,
            drift_ms=lambda: self._drift_ms,
        )
        self._server.add(table_pb2_grpc.add_TableServiceServicer_to_server, tables)
        self._server.add(access_pb2_grpc.add_AccessServiceServicer_to_server, access)
        people = PeopleServicer(self._people, guard)
        self._server.add(access_pb2_grpc.add_PeopleServiceServicer_to_server, people)

    def _moved(self, stream: Stream, view: bytes | None) -> None:
        """Tell the index and, of acts made here, everybody else and the house."""
        self._index.moved(stream)
        if view is None:
            return
        self._count()
        self._bus.publish(TOPIC, nudge(stream, view))
        self._house.moved(stream)

    def _unreadable(self, stream: Stream) -> None:
        """Leave a table alone that this version cannot read: the others go on."""
        self._house.leave(stream.key)

    async def _hold_clock(self) -> None:
        """Compare the clock with the database's; where they do not agree, correct it, and serve when they do."""
        self._drift_ms = await upkeep.clock_drift_ms(self._streams, self._store, NAME)
        agrees = abs(self._drift_ms) <= self._settings.clock_drift_ms_max
        if not agrees:
            self._world.correct(self._drift_ms)
        self._server.let_serve(agrees)

    async def _compare(self) -> None:
        """Catch up with what was missed; serve only while this process's clock agrees with the database's."""
        await self._hold_clock()
        await upkeep.compare_heads(self._streams, self._store)
        metrics.open_tables.set(len(self._index))
        metrics.cached_streams.labels(NAME).set(len(self._streams))
        metrics.commit_queue_acts.set(self._store.waiting)


def nudge(stream: Stream, view: bytes) -> Nudge:
    """What the bus carries of an act: who is due, and what a spectator may see of it."""
    state: State = stream.state
    table = state.table
    return Nudge(
        stream=stream.id,
        version=stream.version,
        due_player=table.players[state.turn] if state.turn >= 0 else "",
        deadline_ms=state.deadline_ms,
        over=state.phase >= OVER,
        tournament=table.tournament,
        sent_ms=stream.noticed_ms,
        # What happens on shared boards is shown when all have ended.
        view=b"" if table.boards else view,
    )
