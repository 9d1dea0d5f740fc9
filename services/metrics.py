"""Every metric of every service, each named for the question that it answers, and the server that shows them.

No label grows with tables, players or tournaments: phases, queues, bots, services, methods and reasons are
closed sets. Times are seconds.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import Counter, Gauge, Histogram, start_http_server

_FAST = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
_SLOW = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)

# Where does the time of one act go? Phases: load, decide, encode, fold, append (which waits for the commit).
act_seconds = Histogram("act_seconds", "Time of one act by phase.", ["phase"], buckets=_FAST)
acts_total = Counter("acts_total", "Acts made durable.", ["service"])

# Does the group commit gather, and who races whom?
commit_batch_size = Histogram("commit_batch_size", "Acts in one commit.", buckets=_SIZES)
commit_seconds = Histogram("commit_seconds", "Time of one commit of the group writer.", buckets=_FAST)
commit_retries_total = Counter("commit_retries_total", "Commits done again after a lost connection.")
commit_queue_acts = Gauge("commit_queue_acts", "Acts that wait for the group writer.")
conflicts_total = Counter("conflicts_total", "Appends that found their stream moved on.")

# How late do nudges come, and how many are lost?
nudge_lag_seconds = Histogram("nudge_lag_seconds", "From an act to the receipt of its nudge.", buckets=_FAST)
nudges_total = Counter("nudges_total", "Nudges by what became of them: sent, dropped, received.", ["outcome"])
sweep_found_total = Counter("sweep_found_total", "Overdue streams that a sweep found.", ["service"])
sweep_seconds = Histogram("sweep_seconds", "Time of one sweep.", ["service"], buckets=_SLOW)
expired_turns_total = Counter("expired_turns_total", "Turns that the house played because their time was up.")

# What is open?
open_tables = Gauge("open_tables", "Tables that have not ended.")
open_tournaments = Gauge("open_tournaments", "Tournaments that have not ended.")
open_streams = Gauge("open_streams", "Streams to callers by kind: play, watch, log.", ["kind"])
unreadable_streams_total = Counter(
    "unreadable_streams_total", "Streams found to hold an act that this version cannot read.", ["service"]
)
cached_streams = Gauge("cached_streams", "Streams whose state is in memory.", ["service"])
clock_drift_seconds = Gauge("clock_drift_seconds", "This process's clock less that of Postgres.", ["service"])

# Who calls, and who is turned away?
rpc_seconds = Histogram("rpc_seconds", "Time of a unary call by method.", ["method"], buckets=_SLOW)
rpc_rejections_total = Counter("rpc_rejections_total", "Commands and calls refused, by reason.", ["reason"])
limits_reached_total = Counter("limits_reached_total", "Calls and streams turned away by a limit.", ["limit"])

# Do the house bots keep up?
bot_turn_seconds = Histogram("bot_turn_seconds", "A bot's choice of what to do.", ["bot"], buckets=_FAST)
bot_turns_total = Counter("bot_turns_total", "Turns that house bots played.", ["bot"])
bot_failures_total = Counter("bot_failures_total", "Turns that a house bot could not play.", ["bot"])
bot_task_turns = Histogram("bot_task_turns", "Turns that one task played.", buckets=(0, *_SIZES, 1_024))
overdue_turns = Gauge("overdue_turns", "Turns past their deadline at the last sweep.")
celery_queue_age_seconds = Gauge("celery_queue_age_seconds", "Age of the oldest task that waits.", ["queue"])
celery_queue_tasks = Gauge("celery_queue_tasks", "Tasks that wait.", ["queue"])
task_failures_total = Counter("task_failures_total", "Tasks that ended with an error.", ["task"])


def serve(port: int, host: str = "127.0.0.1") -> None:
    """Show the metrics at http://host:port/metrics from a thread of their own; port 0 shows none."""
    if port:
        start_http_server(port, host)


@contextmanager
def timed(histogram: Histogram) -> Iterator[None]:
    """Observe the seconds that the block takes, also where it fails."""
    start = time.perf_counter()
    try:
        yield
    finally:
        histogram.observe(time.perf_counter() - start)
