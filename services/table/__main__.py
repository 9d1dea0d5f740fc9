"""`python -m services.table`: one process of the table service."""

from __future__ import annotations

import asyncio
import logging
import secrets
import sys
import time

from services import metrics
from services.assembly import collect_seldom, steady_world
from services.config import BadSettings, Settings
from services.eventstore import StoreUnavailable
from services.rpc import stop_signal
from services.table.process import TableProcess


async def serve(settings: Settings) -> None:
    """Serve until told to stop."""
    world = steady_world(lambda: time.time_ns() // 1_000_000, time.monotonic, asyncio.sleep, secrets.token_bytes)
    process = TableProcess(settings, world)
    stopped = asyncio.create_task(stop_signal())
    port = await process.start()
    collect_seldom()
    metrics.serve(settings.metrics_port, settings.metrics_host)
    logging.info("tables are served at port %d", port)
    await stopped
    logging.info("stopping")
    await process.stop()


def main() -> int:
    """Run with the settings of the environment; exit code 2 where they are wrong, 1 where the database is away."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        settings = Settings.load().required("tables_database_url", "redis_url")
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


if __name__ == "__main__":
    sys.exit(main())
