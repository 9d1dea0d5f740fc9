"""What the event store takes and gives: acts, heads, limits and errors.

An act is one accepted command with the events it caused, opaque here. Ids are 16 raw bytes, hashes 32, times
milliseconds since 1970 in UTC. Versions count a stream's acts from 1. Everything is re-exported by
`eventstore`.
"""

from __future__ import annotations

from dataclasses import dataclass

from pinochle.errors import BadInput

VERSION_MAX = 2**31 - 2
DUE_MIN, DUE_MAX = -(2**15), 2**15 - 1
TIME_MS_MAX = 253_402_300_799_000  # the end of the year 9999


class BadAct(BadInput):
    """An act that can't be stored as it is; nothing was stored."""


class StoreUnavailable(Exception):
    """The store can't answer now. An append may or may not have happened: append the same act again to
    know."""


@dataclass(slots=True)
class Append:
    """An act to be stored as version `version + 1`, and what its stream's head row says after it."""

    stream: bytes
    version: int  # the version that the stream is expected to be at; 0 opens it
    command_id: bytes
    body: bytes
    hash: bytes
    due: int  # who must act next; opaque
    due_at_ms: int | None
    open: bool  # false with the act that ends the stream


@dataclass(slots=True)
class StoredAct:
    """One act as it was stored."""

    version: int
    command_id: bytes
    body: bytes
    hash: bytes
    recorded_at_ms: int  # by the store's clock


@dataclass(slots=True)
class Head:
    """Where a stream stands."""

    stream: bytes
    version: int
    hash: bytes
    due: int
    due_at_ms: int | None
    open: bool


@dataclass(slots=True)
class Opened:
    """A stream in a list by the time of opening, in microseconds since 1970 by the store's clock."""

    head: Head
    opened_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreLimits:
    """The store's limits; each has a number here, and a process may give others from its settings."""

    writers: int = 2  # connections that write; the queue's limits hold for each
    spread_acts_min: int = 24  # appends that wait for the first writer, from which the others help
    gather_acts: int = 12  # a commit that fewer share waits for company ...
    gather_turns: int = 8  # ... until nobody has come in so many turns of the event loop ...
    gather_seconds_max: float = 0.005  # ... or this time is over
    batch_acts_max: int = 512  # beyond it a batch only adds latency
    batch_bytes_max: int = 4 << 20
    queue_acts_max: int = 10_000  # waiting appends; one more is refused at once
    queue_bytes_max: int = 64 << 20
    body_bytes_max: int = 1 << 20
    page_max: int = 10_000  # acts or heads in one answer
    statement_seconds_max: float = 10.0
    lock_seconds_max: float = 0.1  # for a row that another process holds; then its act is set aside
    connect_seconds_max: float = 5.0
    read_seconds_max: float = 10.0  # a read with all its tries
    outage_seconds_max: float = 30.0  # how long an append waits for a lost database
    backoff_seconds_min: float = 0.02  # between two tries to reach the database; doubled up to the most
    backoff_seconds_max: float = 1.0
    close_seconds_max: float = 10.0  # for appends under way when the store is closed
    readers_max: int = 2  # connections that read

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) <= 0:
                raise ValueError(f"the store's limit {name} must be above 0")


def check_append(act: Append, limits: StoreLimits) -> None:
    """BadAct with one clear line if a field is malformed; what passes here, Postgres takes."""
    if len(act.stream) != 16 or len(act.command_id) != 16:
        raise BadAct("a stream id and a command id have 16 bytes each")
    if len(act.hash) != 32:
        raise BadAct(f"a hash has 32 bytes, not {len(act.hash)}")
    if len(act.body) > limits.body_bytes_max:
        raise BadAct(f"a body of {len(act.body)} bytes is above the limit of {limits.body_bytes_max}")
    if not 0 <= act.version <= VERSION_MAX:
        raise BadAct(f"version {act.version} is not from 0 to {VERSION_MAX}")
    if not DUE_MIN <= act.due <= DUE_MAX:
        raise BadAct(f"due {act.due} is not from {DUE_MIN} to {DUE_MAX}")
    if act.due_at_ms is not None and not 0 <= act.due_at_ms <= TIME_MS_MAX:
        raise BadAct(f"due_at_ms {act.due_at_ms} is not from 0 to {TIME_MS_MAX}")


def check_page(limit: int, limits: StoreLimits) -> None:
    """BadInput if a page is empty or above the limit."""
    if not 1 <= limit <= limits.page_max:
        raise BadInput(f"a page holds from 1 to {limits.page_max}, not {limit}")
