"""The tasks of the queue `tournaments`: hints that a tournament, or any, may have something to do.

A worker is `celery -A services.tournament.tasks worker --pool solo -Q tournaments`. Tasks may be lost, doubled or
late; what they do is compare and repair, so nothing goes wrong.
"""

from __future__ import annotations

import logging
from typing import Any

from celery import Celery, signals

from services import metrics
from services.assembly import World
from services.broker import make_app
from services.config import Settings
from services.eventstore import Conflict, StoreUnavailable
from services.tournament.kind import ADVANCE, QUEUE, SWEEP
from services.tournament.tables import TablesAway
from services.tournament.worker import Worker

LOG = logging.getLogger(__name__)


def make_worker_app(settings: Settings, world: World) -> Celery:
    """The application of a worker process; what it connects to, it connects to with its first task."""
    app = make_app(QUEUE, settings)
    worker = Worker(settings, world)

    @app.task(name=ADVANCE)
    def advance(tournament: str) -> None:
        _guarded(ADVANCE, worker.advance, tournament)

    @app.task(name=SWEEP)
    def sweep() -> None:
        _guarded(SWEEP, worker.sweep)

    def serve_metrics(**_: Any) -> None:
        metrics.serve(settings.metrics_port, settings.metrics_host)

    def close(**_: Any) -> None:
        worker.close()

    signals.worker_ready.connect(serve_metrics, weak=False)
    signals.worker_shutdown.connect(close, weak=False)
    return app


def _guarded(name: str, work: Any, *words: Any) -> None:
    """Count what fails; the sweep tries again, so the broker need not."""
    try:
        work(*words)
    except (TablesAway, StoreUnavailable, Conflict, TimeoutError) as error:
        metrics.task_failures_total.labels(name).inc()
        LOG.warning("%s: %s", name, str(error) or "not done in time")
    except Exception:
        metrics.task_failures_total.labels(name).inc()
        LOG.exception("%s failed", name)


def __getattr__(name: str) -> Any:
    """`celery -A services.tournament.tasks` asks this module for `app`, which only __main__ makes."""
    if name != "app":
        raise AttributeError(name)
    from services.tournament.__main__ import worker_app

    app = globals()["app"] = worker_app()
    return app
