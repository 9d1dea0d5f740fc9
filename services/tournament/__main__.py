"""`python -m services.tournament`: one process of the tournament service; and what its workers are made from."""

from __future__ import annotations

import asyncio
import logging
import secrets
import sys
import time

from celery import Celery

from services import metrics
from services.assembly import World, collect_seldom, steady_world
from services.broker import make_app
from services.config import BadSettings, Settings
from services.eventstore import StoreUnavailable
from services.rpc import stop_signal
from services.tournament.kind import QUEUE
from services.tournament.process import TournamentProcess
from services.tournament.tasks import make_worker_app

NEEDED = ("tournaments_database_url", "redis_url", "service_token")


async def serve(settings: Settings) -> None:
    """Serve until told to stop."""
    process = TournamentProcess(settings, _world(), make_app(QUEUE, settings))
    stopped = asyncio.create_task(stop_signal())
    port = await process.start()
    collect_seldom()
    metrics.serve(settings.metrics_port, settings.metrics_host)
    logging.info("tournaments are served at port %d", port)
    await stopped
    logging.info("stopping")
    await process.stop()


def worker_app() -> Celery:
    """The application of a worker, with the settings of the environment; exits where they are wrong."""
    _log()
    try:
        return make_worker_app(Settings.load().required(*NEEDED), _world())
    except BadSettings as error:
        sys.exit(str(error))


def main() -> int:
    """Run with the settings of the environment; exit code 2 where they are wrong, 1 where the database is away."""
    _log()
    try:
        settings = Settings.load().required(*NEEDED)
        if sys.platform != "win32":
            import uvloop

            uvloop.run(serve(settings))
        else:
            asyncio.run(serve(settings))
    except BadSettings as error:
        print(error, file=sys.stderr)
        return 2
    except StoreUnavailable as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _log() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")


def _world() -> World:
    return steady_world(lambda: time.time_ns() // 1_000_000, time.monotonic, asyncio.sleep, secrets.token_bytes)


if __name__ == "__main__":
    sys.exit(main())
