"""The Celery task of the house bots: `play_turns(tables)` plays a round of tables on the worker's own event loop.

A worker is `celery -A services.bots.tasks worker --pool threads --concurrency 16 -Q bots`: its threads only wait for
their rounds, which all share one event loop and one stream; with `--pool solo` a round would keep other tables waiting.
The task is a hint: a doubled, late or lost one does no harm, since a table that is played already, or where no house
bot is due, is passed over, and an answer that came too late is refused.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from celery import Celery, signals
from pinochle.client import AsyncClient
from pinochle.options import Chooser

from services import hints, metrics
from services.bots.patience import Patience
from services.bots.player import Bounds, HousePlayer, Outcome, Reports
from services.bots.roster import Roster
from services.broker import make_app
from services.config import Settings

LOG = logging.getLogger(__name__)
QUEUE = "bots"
PLAY_TURNS = "bots.play_turns"
MERGE_SECONDS = 0.01
"""What several rounds leave within it is queued as one task."""
LEFT_SECONDS_MIN = 1.0
CLOSE_SECONDS_MAX = 5.0


class World(NamedTuple):
    """What comes from outside: the wall clock in ms, the bots' chance, and how event loops are made."""

    clock_ms: Callable[[], int]
    chance: Chooser
    new_loop: Callable[[], asyncio.AbstractEventLoop]


class Worker:
    """The player of one worker process, its event loop in a thread of its own, started by the first task."""

    def __init__(self, settings: Settings, world: World, queue_anew: Callable[[tuple[str, ...]], None]) -> None:
        self._settings = settings
        self._world = world
        self._queue_anew = queue_anew
        self._rest: dict[str, None] = {}
        self._lock = threading.Lock()
        self._process = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._client: AsyncClient | None = None
        self._player: HousePlayer | None = None

    def play(self, tables: list[str]) -> Outcome:
        """Play one round; from any thread."""
        # A round ends by itself long before; this is for a loop that hangs.
        return self._in_loop(self._play(tables), self._settings.task_seconds_max)

    def close(self) -> None:
        """End the stream, the connection and the loop, if this process has any."""
        if self._loop is None or self._process != os.getpid():
            return
        try:
            self._in_loop(self._close(), CLOSE_SECONDS_MAX)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            if self._thread is not None:
                self._thread.join(CLOSE_SECONDS_MAX)

    def _in_loop(self, work: Coroutine[Any, Any, Any], seconds_max: float) -> Any:
        future = asyncio.run_coroutine_threadsafe(work, self._running_loop())
        try:
            return future.result(seconds_max)
        except TimeoutError:
            future.cancel()
            raise

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            # A child made by fork has its parent's attributes, but neither its threads nor a sound connection.
            if self._loop is None or self._process != os.getpid():
                self._process, self._client, self._player = os.getpid(), None, None
                self._loop = self._world.new_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="house-bots", daemon=True)
                self._thread.start()
            return self._loop

    async def _play(self, tables: list[str]) -> Outcome:
        if self._player is None:
            self._player = self._new_player()
        outcome = await self._player.play(tables)
        if outcome.rest and not self._rest:
            asyncio.get_running_loop().call_later(MERGE_SECONDS, self._flush)
        self._rest.update(dict.fromkeys(outcome.rest))
        return outcome

    def _flush(self) -> None:
        """Queue what rounds have left, many tables to a task, so that tables that began alone come together."""
        rest, self._rest = tuple(self._rest), {}
        size = self._settings.bot_task_tables_max
        for start in range(0, len(rest), size):
            asyncio.get_running_loop().run_in_executor(None, self._queue_anew, rest[start : start + size])

    def _new_player(self) -> HousePlayer:
        settings = self._settings
        self._client = AsyncClient(
            settings.table_address,
            settings.bots_token,
            call_seconds_max=settings.call_seconds_max,
            message_bytes_max=settings.message_bytes_max,
        )
        bounds = Bounds(
            settings.bot_task_turns_max,
            settings.bot_task_seconds_max,
            settings.bot_idle_seconds_max,
            settings.bot_tables_kept_max,
            settings.play_tables_max,
        )
        patience = Patience(asyncio.get_running_loop().time, LEFT_SECONDS_MIN, settings.bot_left_seconds_max)
        reports = Reports(
            lambda kind: metrics.timed(metrics.bot_turn_seconds.labels(kind)),
            lambda kind: metrics.bot_turns_total.labels(kind).inc(),
            lambda kind: metrics.bot_failures_total.labels(kind).inc(),
        )
        return HousePlayer(self._client, Roster(), self._world.chance, bounds, patience, reports)

    async def _close(self) -> None:
        if self._player is not None:
            await self._player.close()
        if self._client is not None:
            await self._client.close()


def make_worker(settings: Settings, world: World) -> Celery:
    """The Celery application with its task, for a worker process."""
    app = make_app(QUEUE, settings)
    # For workers that are started without saying so.
    app.conf.update(worker_pool="threads", worker_concurrency=settings.bot_worker_tasks_max)

    def queue_anew(tables: tuple[str, ...]) -> None:
        try:
            send(app, tables, world.clock_ms(), settings)
        except Exception as error:  # the broker's client raises errors of several libraries
            LOG.warning("what a round left could not be queued, the sweep will find it: %s", error)

    worker = Worker(settings, world, queue_anew)

    @app.task(name=PLAY_TURNS)
    def play_turns(tables: list[str]) -> None:
        """Play the house bots' turns at these tables; what is left at the end of the round is queued anew."""
        try:
            outcome = worker.play(checked(tables, settings.bot_task_tables_max))
        except Exception as error:
            # Not raised: a task that failed needs no second run, the sweep finds what it left undone.
            metrics.task_failures_total.labels(PLAY_TURNS).inc()
            LOG.warning("a round of %s failed: %s: %s", PLAY_TURNS, error.__class__.__name__, error)
            return
        metrics.bot_task_turns.observe(outcome.turns)

    def ready(**kwargs: object) -> None:
        metrics.serve(settings.metrics_port, settings.metrics_host)

    def stopped(**kwargs: object) -> None:
        worker.close()

    signals.worker_ready.connect(ready, weak=False)
    signals.worker_shutdown.connect(stopped, weak=False)
    signals.worker_process_shutdown.connect(stopped, weak=False)
    return app


def send(app: Celery, tables: tuple[str, ...], now_ms: int, settings: Settings) -> None:
    """Queue a round of these tables; blocks, and raises where the broker is away."""
    # By the time that it is worthless the sweep has long queued the tables anew.
    hints.send(app, PLAY_TURNS, list(tables), now_ms=now_ms, seconds_max=settings.bot_lease_seconds_max)


def checked(tables: object, tables_max: int) -> list[str]:
    """The task's argument, or ValueError where it is none: anyone who reaches the broker can queue anything."""
    if not isinstance(tables, list) or not all(isinstance(table, str) for table in tables):
        raise ValueError("the tables must be a list of ids")
    if len(tables) > tables_max:
        raise ValueError(f"{len(tables)} tables in one task are above the limit of {tables_max}")
    return tables


def __getattr__(name: str) -> Any:
    """`celery -A services.bots.tasks` asks this module for `app`, which only __main__ makes."""
    if name != "app":
        raise AttributeError(name)
    from services.bots.__main__ import worker_app

    app = globals()["app"] = worker_app()
    return app
