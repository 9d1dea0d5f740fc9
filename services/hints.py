"""Send Celery tasks as hints that lose their worth with time, and see how many wait and for how long."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from celery import Celery

QUEUED_MS = "queued_ms"
"""The header of a task that says when it was queued, in ms since the epoch."""


class Backlog(NamedTuple):
    """What waits in a queue: how many tasks, and for how long the oldest of them has, in ms."""

    tasks: int
    oldest_ms: int


def send(app: Celery, task: str, *words: Any, now_ms: int, seconds_max: float) -> None:
    """Queue a task that is worthless after `seconds_max`; blocks for the time of a call to the broker."""
    app.send_task(task, args=words, expires=seconds_max, headers={QUEUED_MS: now_ms})


def backlog(app: Celery, now_ms: int) -> Backlog:
    """What waits in the application's own queue; blocks for the time of a call to the broker."""
    with app.connection_for_read() as connection:
        connection.ensure_connection(max_retries=1)
        client = connection.default_channel.client
        queue = app.conf.task_default_queue
        number = int(client.llen(queue))
        # New tasks are pushed at the left.
        oldest = client.lindex(queue, -1) if number else None
    queued_ms = _queued_ms(oldest) if oldest else None
    return Backlog(number, 0 if queued_ms is None else max(0, now_ms - queued_ms))


def _queued_ms(message: bytes) -> int | None:
    try:
        queued = json.loads(message)["headers"].get(QUEUED_MS)
    except (ValueError, KeyError, AttributeError):
        return None
    return queued if isinstance(queued, int) else None
