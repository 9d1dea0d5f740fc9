"""Celery applications whose tasks are hints: they may be lost, doubled or late, and a dead worker's come back soon."""

from __future__ import annotations

from celery import Celery

from services.config import Settings


def make_app(name: str, settings: Settings) -> Celery:
    """An application with one queue of its own, named `name`, on the Redis of the settings."""
    app = Celery(name, broker=settings.redis_url)
    app.conf.update(
        task_default_queue=name,
        task_ignore_result=True,
        # A task is taken off the queue when it is done, and goes back if its worker dies (redelivery is looked for
        # every `unacked_restore_interval` x `unacked_restore_throttle` seconds; by default that would be 100).
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        broker_transport_options={
            "visibility_timeout": settings.broker_visibility_seconds,
            "unacked_restore_interval": settings.broker_restore_seconds,
            "unacked_restore_throttle": 1,
            "socket_timeout": settings.redis_seconds_max * 5,
            "socket_connect_timeout": settings.redis_seconds_max,
            "socket_keepalive": True,
        },
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_connection_timeout=settings.redis_seconds_max,
        # Lost connections must not end a worker, nor run its task again while it still runs.
        worker_cancel_long_running_tasks_on_connection_loss=False,
        task_time_limit=settings.task_seconds_max,
        task_serializer="json",
        accept_content=["json"],
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
        task_publish_retry_policy={"max_retries": 1, "interval_start": 0.1, "interval_max": 0.2},
    )
    return app
