"""What a Celery worker needs to advance tournaments: one event loop in a thread, with store, bus and channel."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from services import assembly, metrics
from services.assembly import World
from services.config import Settings
from services.rpc import stream_key
from services.stream import Stream, UnknownStream, Unreadable
from services.tournament.kind import KIND, SCHEMA, TOPIC
from services.tournament.process import nudge, table_client
from services.tournament.reconcile import Done, Reconciler

NAME = "tournament"
STOP_SECONDS_MAX = 10.0


class Worker:
    """Connects at its first task, so that nothing is held over a fork; close it at the end."""

    def __init__(self, settings: Settings, world: World) -> None:
        self._settings = settings
        self._world = world
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connecting = asyncio.Lock()
        self._reconciler: Reconciler | None = None
        self._closers: list[Callable[[], Coroutine[Any, Any, None]]] = []

    def advance(self, tournament: str) -> Done:
        """Advance one tournament, within the time of a task."""
        key = stream_key(tournament, "tournament")

        async def work() -> Done:
            try:
                return await (await self._connected()).advance(key)
            except (UnknownStream, Unreadable):
                return Done()  # a table may name a tournament that never was, or one that stands still

        return self._run(work())

    def sweep(self) -> Done:
        """Advance all that wait; what is found had been missed."""

        async def work() -> Done:
            return await (await self._connected()).sweep()

        with metrics.timed(metrics.sweep_seconds.labels(NAME)):
            done = self._run(work())
        metrics.sweep_found_total.labels(NAME).inc(done.steps)
        return done

    def close(self) -> None:
        """Let go of everything and end the thread."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is None:
            return

        async def close_all() -> None:
            for close in reversed(self._closers):
                await close()

        try:
            asyncio.run_coroutine_threadsafe(close_all(), loop).result(STOP_SECONDS_MAX)
        finally:
            loop.call_soon_threadsafe(loop.stop)

    def _run(self, work: Coroutine[Any, Any, Done]) -> Done:
        seconds_max = self._settings.tournament_task_seconds_max

        async def bounded() -> Done:
            async with asyncio.timeout(seconds_max):
                return await work

        future = asyncio.run_coroutine_threadsafe(bounded(), self._started())
        return future.result(seconds_max + STOP_SECONDS_MAX)

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="tournaments", daemon=True).start()
            return self._loop

    async def _connected(self) -> Reconciler:
        """The reconciler, connected with the first task that finds everything there."""
        async with self._connecting:
            if self._reconciler is None:
                self._reconciler = await self._connect()
            return self._reconciler

    async def _connect(self) -> Reconciler:
        settings, world = self._settings, self._world
        store = assembly.event_store(settings, settings.tournaments_database_url, SCHEMA, world)
        try:
            await store.start()
        except BaseException:
            await store.close()
            raise
        bus = assembly.bus(settings, world)
        bus.start()
        tables = table_client(settings)

        def moved(stream: Stream, view: bytes | None) -> None:
            metrics.cached_streams.labels(NAME).set(len(streams))
            if view is not None:
                metrics.acts_total.labels(NAME).inc()
                bus.publish(TOPIC, nudge(stream, view))

        streams = assembly.streams(NAME, settings, KIND, store, world, moved)
        self._closers = [store.close, tables.close, bus.close]
        return Reconciler(
            streams,
            store,
            tables,
            entropy=world.entropy,
            tables_max=settings.tournament_open_tables_max,
        )
