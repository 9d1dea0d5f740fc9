"""The parts that every service process has, made from its settings: store, streams, tokens, bus and guard."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from services import metrics
from services.admission import Admission, AdmissionLimits
from services.auth import TokenLimits, TokenStore
from services.bus import Bus
from services.clock import SteadyClock
from services.config import Settings
from services.eventstore import EventStore, PostgresStore, StoreLimits
from services.handle import Hooks, Kind, Spent, Streams
from services.people import Mark, People, PeopleStore
from services.rpc import Guard
from services.stream import Stream

LOG = logging.getLogger(__name__)
WRITERS = 2
"""Connections on which a process writes; the others of its share read."""
MEASURED_EVERY = 32
"""One act in so many is measured by phase: observing all of them would take a quarter of the time of an act."""


@dataclass(frozen=True, slots=True)
class World:
    """What comes from outside: the clock in ms, seconds that never go back, sleeping, secret random bytes.

    `correct(drift_ms)` sets the clock back by what it is ahead of the database's.
    """

    clock_ms: Callable[[], int]
    clock: Callable[[], float]
    sleep: Callable[[float], Any]
    entropy: Callable[[int], bytes]
    correct: Callable[[int], None] = lambda drift_ms: None


def steady_world(
    wall_ms: Callable[[], int],
    clock: Callable[[], float],
    sleep: Callable[[float], Any],
    entropy: Callable[[int], bytes],
) -> World:
    """The world of a process whose time of day is not moved by steps of the machine's clock."""
    steady = SteadyClock(wall_ms, clock)
    return World(steady, clock, sleep, entropy, steady.correct)


def collect_seldom() -> None:
    """Look for cycles of garbage seldom, once a process stands: acts make next to none, and a look costs their time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def event_store(settings: Settings, url: str, schema: str, world: World) -> PostgresStore:
    """The event store in this schema; start it before use."""
    limits = StoreLimits(
        batch_acts_max=settings.commit_batch_acts_max,
        queue_acts_max=settings.commit_queue_acts_max,
        body_bytes_max=settings.act_bytes_max,
        statement_seconds_max=settings.statement_seconds_max,
        outage_seconds_max=settings.commit_outage_seconds_max,
        writers=WRITERS,
        readers_max=max(1, settings.database_connections_max - WRITERS),
    )
    return PostgresStore(
        url,
        schema,
        clock=world.clock,
        sleep=world.sleep,
        limits=limits,
        on_batch=_batch,
        on_reconnect=metrics.commit_retries_total.inc,
    )


def streams(
    name: str,
    settings: Settings,
    kind: Kind,
    store: EventStore,
    world: World,
    moved: Callable[[Stream, bytes | None], None],
    unreadable: Callable[[Stream], None] = lambda stream: None,
) -> Streams:
    """The streams of this process; `moved` hears of each new act, `unreadable` of each stream that stands still."""

    def stands_still(stream: Stream) -> None:
        LOG.error("%s %s stands still: %s", name, stream.id, stream.unreadable)
        metrics.unreadable_streams_total.labels(name).inc()
        unreadable(stream)

    return Streams(
        kind,
        store,
        clock_ms=world.clock_ms,
        clock=world.clock,
        cached_max=settings.cached_streams_max,
        cached_acts_max=settings.cached_acts_max,
        acts_max=settings.stream_acts_max,
        retries_max=settings.conflict_retries_max,
        sleep=world.sleep,
        hooks=Hooks(moved, phases(), metrics.conflicts_total.inc, stands_still),
    )


def token_store(settings: Settings, url: str, world: World) -> TokenStore:
    """The store of tokens; start it before use."""
    limits = TokenLimits(cached_max=settings.tokens_cached_max, cached_seconds=settings.tokens_cached_seconds)
    return TokenStore(url, clock_ms=world.clock_ms, clock=world.clock, limits=limits)


def people(settings: Settings, url: str, world: World, mark: Mark) -> People:
    """What is known of persons; start it before use. `mark` is what a log holds in place of a text."""
    return PeopleStore(
        url,
        mark=mark,
        salt=world.entropy,
        clock=world.clock,
        sleep=world.sleep,
        connections_max=settings.people_connections_max,
        connect_seconds_max=settings.connect_seconds_max,
        statement_seconds_max=settings.statement_seconds_max,
        seconds_max=settings.call_seconds_max,
    )


def bus(settings: Settings, world: World) -> Bus:
    """The way to nudge and to be nudged; start it on the event loop."""
    return Bus(
        settings.redis_url,
        origin=world.entropy(8).hex(),
        queue_max=settings.nudge_queue_max,
        seconds_max=settings.redis_seconds_max,
        reconnect_seconds_max=settings.redis_reconnect_seconds_max,
        on_outcome=lambda outcome, nudges: metrics.nudges_total.labels(outcome).inc(nudges),
    )


def admission(settings: Settings, world: World) -> Admission:
    """How much one client may ask for."""
    limits = AdmissionLimits(
        calls_per_second=settings.client_calls_per_second_max,
        calls_burst=settings.client_calls_burst_max,
        directing_factor=settings.directing_factor,
        calls_in_flight=settings.client_calls_in_flight_max,
        acts_per_second=settings.client_acts_per_second_max,
        acts_burst=settings.client_acts_burst_max,
        act_wait_seconds=settings.client_act_wait_seconds_max,
        refusals_per_second=settings.client_refusals_per_second_max,
        refusals_burst=settings.client_refusals_burst_max,
        failures_per_second=settings.address_bad_tokens_per_second_max,
        failures_burst=settings.address_bad_tokens_burst_max,
        streams=settings.client_streams_max,
        all_streams=settings.open_streams_max,
        held_refusals=settings.held_refusals_max,
        held_refusal_seconds=settings.held_refusal_seconds_max,
    )

    def opened(kind: str, change: int) -> None:
        metrics.open_streams.labels(kind).inc(change)

    return Admission(limits, clock=world.clock, sleep=world.sleep, opened=opened)


def guard(settings: Settings, tokens: TokenStore, world: World) -> Guard:
    """What stands before every call."""
    seconds_of = cache(metrics.rpc_seconds.labels)
    return Guard(
        tokens.look_up,
        admission(settings, world),
        settings.call_seconds_max,
        settings.stall_seconds_max,
        world.clock,
        lambda method, seconds: seconds_of(method).observe(seconds),
        lambda reason: metrics.rpc_rejections_total.labels(reason).inc(),
        lambda limit: metrics.limits_reached_total.labels(limit).inc(),
    )


def phases() -> Callable[[Spent], None]:
    """What observes the phases of acts in the metrics."""
    phases = [metrics.act_seconds.labels(name) for name in Spent._fields]
    total = metrics.act_seconds.labels("total")
    count = 0

    def observe(spent: Spent) -> None:
        nonlocal count
        count += 1
        if count % MEASURED_EVERY:
            return
        for phase, seconds in zip(phases, spent, strict=True):
            phase.observe(seconds)
        total.observe(sum(spent))

    return observe


def _batch(acts: int, seconds: float) -> None:
    metrics.commit_batch_size.observe(acts)
    metrics.commit_seconds.observe(seconds)
