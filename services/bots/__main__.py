"""`python -m services.bots`: the dispatcher of the house bots. The workers are Celery's, see `services.bots.tasks`."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import secrets
import sys
import time

from celery import Celery
from pinochle.client import AsyncClient

from services import assembly, hints, metrics
from services.bots.dispatcher import Dispatcher, Pace, Sender
from services.bots.leases import Leases
from services.bots.tasks import QUEUE, World, make_worker, send
from services.broker import make_app
from services.bus import Bus
from services.config import BadSettings, Settings
from services.rpc import stop_signal

LOG = logging.getLogger(__name__)
TOPIC = "tables"


async def dispatch(settings: Settings) -> None:
    """Hand out due tables until told to stop."""
    stopping = asyncio.create_task(stop_signal())
    loop = asyncio.get_running_loop()
    app = make_app(QUEUE, settings)
    world = assembly.World(clock_ms, time.monotonic, asyncio.sleep, secrets.token_bytes)
    bus = assembly.bus(settings, world)
    client = AsyncClient(
        settings.table_address,
        settings.bots_token,
        call_seconds_max=settings.call_seconds_max,
        outage_seconds_max=settings.call_seconds_max,
        message_bytes_max=settings.message_bytes_max,
    )

    def lost(tables: tuple[str, ...], error: Exception) -> None:
        metrics.task_failures_total.labels("queueing").inc()
        LOG.warning("%d tables could not be queued: %s: %s", len(tables), error.__class__.__name__, error)
        loop.call_soon_threadsafe(dispatcher.lost, tables)

    sender = Sender(lambda tables: send(app, tables, clock_ms(), settings), lost, settings.bot_enqueue_tasks_max)
    dispatcher = new_dispatcher(settings, client, bus, sender)
    sender.start()
    metrics.serve(settings.metrics_port, settings.metrics_host)
    LOG.info("the house bots' turns at %s are handed out", settings.table_address)
    working = asyncio.gather(dispatcher.run(), measure(app, dispatcher, settings.bot_sweep_seconds))
    try:
        await asyncio.wait((stopping, working), return_when="FIRST_COMPLETED")
        if working.done():
            working.result()
    finally:
        stopping.cancel()
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        await asyncio.to_thread(sender.stop, settings.drain_seconds_max)
        await bus.close()
        await client.close()
    LOG.info("stopped")


def new_dispatcher(settings: Settings, client: AsyncClient, bus: Bus, sender: Sender) -> Dispatcher:
    """The dispatcher with its numbers."""
    leases = Leases(settings.bot_lease_seconds, settings.bot_lease_seconds_max, settings.bot_leases_max)
    pace = Pace(
        settings.bot_task_tables_max,
        settings.bot_gather_seconds,
        settings.bot_sweep_seconds,
        settings.bot_waiting_ms,
        settings.task_queue_max,
    )
    found = metrics.sweep_found_total.labels("bots").inc
    return Dispatcher(client, bus.subscribe(TOPIC), sender.put, leases, pace, sleep=asyncio.sleep, found=found)


async def measure(app: Celery, dispatcher: Dispatcher, seconds: float) -> None:
    """Show again and again what waits in the queue."""
    while True:
        # The broker's client raises errors of several libraries; what nudges show is how a dead broker is noticed.
        with contextlib.suppress(Exception):
            backlog = await asyncio.to_thread(hints.backlog, app, clock_ms())
            dispatcher.backlog_tasks = backlog.tasks
            metrics.celery_queue_tasks.labels(QUEUE).set(backlog.tasks)
            metrics.celery_queue_age_seconds.labels(QUEUE).set(backlog.oldest_ms / 1000)
        await asyncio.sleep(seconds)


def clock_ms() -> int:
    """The wall clock."""
    return time.time_ns() // 1_000_000


def new_loop() -> asyncio.AbstractEventLoop:
    """An event loop, the fast one where there is one."""
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    import uvloop

    return uvloop.new_event_loop()


def worker_app() -> Celery:
    """The Celery application of a worker with the settings of the environment; exits with 2 where they are wrong."""
    try:
        settings = Settings.load().required("redis_url", "bots_token")
    except BadSettings as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
    chance = random.Random(secrets.randbits(256))
    return make_worker(settings, World(clock_ms, chance, new_loop))


def main() -> int:
    """Run the dispatcher with the settings of the environment; exit code 2 where they are wrong."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        settings = Settings.load().required("redis_url", "bots_token")
    except BadSettings as error:
        print(error, file=sys.stderr)
        return 2
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(dispatch(settings))
    return 0


if __name__ == "__main__":
    sys.exit(main())
