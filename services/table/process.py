"""One process of the table service put together: store, streams, house, servicers, and its stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pinochle.state import OVER, State
from pinochle.wire.v1 import access_pb2_grpc, table_pb2_grpc
from pinochle.wire.v1.bus_pb2 import Nudge

from services import metrics
from services.auth import TokenLimits, TokenStore
from services.bus import Bus
from services.config import Settings
from services.eventstore import PostgresStore, StoreLimits
from services.handle import Hooks, Stream, Streams
from services.rpc import Guard, Server
from services.table.access import AccessServicer
from services.table.house import House, Pace, Reports
from services.table.index import KIND, Index
from services.table.servicer import Limits, TableServicer

LOG = logging.getLogger(__name__)
TOPIC = "tables"


@dataclass(frozen=True, slots=True)
class World:
    """What comes from outside: the wall clock in ms, seconds that never go back, sleeping, and secret random bytes."""

    clock_ms: Callable[[], int]
    clock: Callable[[], float]
    sleep: Callable[[float], Any]
    entropy: Callable[[int], bytes]


class TableProcess:
    """Start with `start()`, end with `stop()`."""

    def __init__(self, settings: Settings, world: World) -> None:
        self._settings = settings
        self._world = world
        self._draining = asyncio.Event()
        self._drift_ms = 0
        self._store = PostgresStore(
            settings.tables_database_url,
            "tables",
            clock=world.clock,
            limits=store_limits(settings),
            on_batch=_batch,
            on_reconnect=metrics.commit_retries_total.inc,
        )
        self._tokens = TokenStore(
            settings.tables_database_url,
            clock_ms=world.clock_ms,
            clock=world.clock,
            limits=TokenLimits(cached_max=settings.tokens_cached_max, cached_seconds=settings.tokens_cached_seconds),
        )
        self._bus = Bus(
            settings.redis_url,
            queue_max=settings.nudge_queue_max,
            seconds_max=settings.redis_seconds_max,
            reconnect_seconds_max=settings.redis_reconnect_seconds_max,
            on_outcome=lambda outcome: metrics.nudges_total.labels(outcome).inc(),
        )
        self._index = Index(world.clock_ms)
        phases = {name: metrics.act_seconds.labels(name) for name in ("load", "decide", "encode", "fold", "append")}
        self._streams = Streams(
            KIND,
            self._store,
            clock_ms=world.clock_ms,
            cached_max=settings.cached_streams_max,
            acts_max=settings.stream_acts_max,
            retries_max=settings.conflict_retries_max,
            hooks=Hooks(self._moved, lambda name: phases[name].time(), metrics.conflicts_total.inc),
        )
        self._house = House(
            self._streams,
            self._index,
            self._store,
            clock_ms=world.clock_ms,
            sleep=world.sleep,
            pace=Pace(
                settings.house_tick_seconds,
                settings.heads_check_seconds,
                settings.sweep_seconds,
                settings.turn_grace_ms,
            ),
            reports=Reports(
                metrics.sweep_found_total.labels("table").inc,
                metrics.expired_turns_total.inc,
                metrics.overdue_turns.set,
                self._drifted,
            ),
            bots_are_served=lambda: self._bus.is_connected,
        )
        self._server = Server(settings)
        self._listener: asyncio.Task[None] | None = None

    async def start(self) -> int:
        """Connect, find what is open, and serve; returns the port."""
        await self._store.start()
        await self._tokens.start()
        self._bus.start()
        self._drifted(self._world.clock_ms() - await self._store.now_ms())
        await self._house.start()
        self._listener = asyncio.create_task(self._listen())
        self._add_servicers()
        port = await self._server.start(self._settings.table_listen)
        self._drifted(self._drift_ms)
        return port

    async def stop(self) -> None:
        """Refuse new calls, end streams, finish what is under way, and let go of everything."""
        self._draining.set()
        await self._server.drain()
        await self._house.stop()
        if self._listener:
            self._listener.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._listener
        await self._store.close()
        await self._tokens.close()
        await self._bus.close()

    def _add_servicers(self) -> None:
        settings, world = self._settings, self._world
        guard = Guard(
            self._tokens.look_up,
            settings.call_seconds_max,
            world.clock,
            lambda method, seconds: metrics.rpc_seconds.labels(method).observe(seconds),
            lambda reason: metrics.rpc_rejections_total.labels(reason).inc(),
        )
        tables = TableServicer(
            self._streams,
            self._index,
            self._store,
            guard,
            Limits(
                settings.turn_ms, settings.turn_grace_ms, settings.play_tables_max, settings.open_streams_max,
                settings.streams_per_token_max, settings.log_page_acts_max, settings.heartbeat_seconds,
            ),
            entropy=world.entropy,
            draining=self._draining,
            opened=lambda kind, change: metrics.open_streams.labels(kind).inc(change),
        )  # fmt: skip
        access = AccessServicer(
            self._tokens,
            self._index,
            guard,
            clock_ms=world.clock_ms,
            entropy=world.entropy,
            open_streams=lambda: tables.open_streams,
            drift_ms=lambda: self._drift_ms,
        )
        self._server.add(table_pb2_grpc.add_TableServiceServicer_to_server, tables)
        self._server.add(access_pb2_grpc.add_AccessServiceServicer_to_server, access)

    def _moved(self, stream: Stream, view: bytes | None) -> None:
        """Tell the index, the house and, of acts made here, everybody else."""
        self._index.moved(stream)
        metrics.open_tables.set(len(self._index))
        metrics.cached_streams.labels("table").set(len(self._streams))
        if view is None:
            return
        metrics.acts_total.labels("table").inc()
        state: State = stream.state
        opened = state.table
        self._bus.publish(
            TOPIC,
            Nudge(
                stream=stream.id,
                version=stream.version,
                due_player=opened.players[state.turn] if state.turn >= 0 else "",
                deadline_ms=state.deadline_ms,
                over=state.phase >= OVER,
                tournament=opened.tournament,
                sent_ms=self._world.clock_ms(),
                # What happens on shared boards is shown when all have ended.
                view=b"" if opened.boards else view,
            ),
        )
        self._house.moved(stream)

    async def _listen(self) -> None:
        """Catch up with acts that other processes made at streams in memory."""
        async for nudge in self._bus.subscribe(TOPIC):
            if nudge is None:
                continue
            metrics.nudge_lag_seconds.observe(max(0, self._world.clock_ms() - nudge.sent_ms) / 1000)
            try:
                stream = self._streams.named(nudge.stream)
                if stream and stream.version < nudge.version:
                    await self._streams.refresh(stream)
            except Exception:
                LOG.exception("a nudge could not be followed")

    def _drifted(self, drift_ms: int) -> None:
        """Serve only while this process's clock agrees with the database's."""
        self._drift_ms = drift_ms
        metrics.clock_drift_seconds.labels("table").set(drift_ms / 1000)
        self._server.let_serve(abs(drift_ms) <= self._settings.clock_drift_ms_max)


def _batch(acts: int, seconds: float) -> None:
    metrics.commit_batch_size.observe(acts)
    metrics.commit_seconds.observe(seconds)


def store_limits(settings: Settings) -> StoreLimits:
    """The event store's limits by these settings."""
    return StoreLimits(
        batch_acts_max=settings.commit_batch_acts_max,
        queue_acts_max=settings.commit_queue_acts_max,
        body_bytes_max=settings.act_bytes_max,
        statement_seconds_max=settings.statement_seconds_max,
        readers_max=max(1, settings.database_connections_max - 1),
    )
