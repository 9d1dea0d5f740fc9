"""How much one client may ask for: calls, acts, refusals, failed tokens, calls under way and open streams.

A client is a player, whatever the number of its tokens, or a token of another role; who has no good token yet is known
by its address. Our own services (house bots, tournaments) are not counted. What is over a limit raises TooMuch, which
says when to come back; an answer of that kind is held back for a moment, so that who asks again at once is slowed down
without keeping anybody else waiting.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from services.auth import Principal
from services.rates import Buckets

OWN_ROLES = frozenset({"bots", "service"})
"""Our own services: they ask for what tables and players need, and are bounded by settings of their own."""
DIRECTING_ROLES = frozenset({"operator", "director"})
COSTS = {"Open": 5, "Create": 5, "Start": 10, "Show": 5, "List": 10, "ListDue": 10, "Log": 10}
"""As how many calls one of these counts; every other is one."""
CLIENTS_MAX = 20_000
"""Clients whose buckets are kept, of each kind."""
SOON_SECONDS = 0.2
"""When to come back where room is made by whatever ends first."""


class TooMuch(Exception):
    """A limit of this service is reached. `retry_seconds` is when to come back; None: waiting does not help."""

    def __init__(self, text: str, retry_seconds: float | None = None, limit: str = "other") -> None:
        super().__init__(text)
        self.retry_seconds = retry_seconds
        self.limit = limit


@dataclass(frozen=True, slots=True)
class AdmissionLimits:
    """Numbers for one client, and for all together where they say so; see `services.config` for what they mean."""

    calls_per_second: float
    calls_burst: int
    directing_factor: int
    calls_in_flight: int
    acts_per_second: float
    acts_burst: int
    act_wait_seconds: float
    refusals_per_second: float
    refusals_burst: int
    failures_per_second: float
    failures_burst: int
    streams: int
    all_streams: int
    held_refusals: int
    held_refusal_seconds: float


class Admission:
    """The accounts of all clients of one process. `opened(kind, change)` hears of each stream."""

    def __init__(
        self,
        limits: AdmissionLimits,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[Any]],
        opened: Callable[[str, int], None],
    ) -> None:
        self.limits = limits
        self._clock = clock
        self._sleep = sleep
        self._opened = opened
        factor = limits.directing_factor
        self._calls = Buckets(limits.calls_per_second, limits.calls_burst, CLIENTS_MAX)
        self._directing = Buckets(limits.calls_per_second * factor, limits.calls_burst * factor, CLIENTS_MAX)
        self._acts = Buckets(limits.acts_per_second, limits.acts_burst, CLIENTS_MAX)
        self._refusals = Buckets(limits.refusals_per_second, limits.refusals_burst, CLIENTS_MAX)
        self._failures = Buckets(limits.failures_per_second, limits.failures_burst, CLIENTS_MAX)
        self._in_flight: dict[str, int] = {}
        self._streams: dict[str, int] = {}
        self._streams_open = 0
        self._refusals_held = 0

    @property
    def streams_open(self) -> int:
        """Streams to all callers."""
        return self._streams_open

    # -- calls

    def call(self, caller: Principal, method: str) -> None:
        """Count one call; TooMuch where the client has made too many lately, or was refused too often."""
        role = caller.role
        if role in OWN_ROLES:
            return
        client, now = caller.client, self._clock()
        buckets = self._calls if role not in DIRECTING_ROLES else self._directing
        wait = buckets.take(client, now, COSTS.get(method, 1.0))
        if wait:
            raise TooMuch("too many calls; come back later", wait, "calls")
        if client in self._refusals:
            self._check_refusals(client, now)

    def enter(self, caller: Principal) -> str:
        """Count a call as under way, until `leave` with what this returns; TooMuch where too many are."""
        if caller.role in OWN_ROLES:
            return ""
        client = caller.client
        count = self._in_flight.get(client, 0)
        if count >= self.limits.calls_in_flight:
            text = f"you have {count} calls under way; wait for their answers"
            raise TooMuch(text, SOON_SECONDS, "calls_in_flight")
        self._in_flight[client] = count + 1
        return client

    def leave(self, client: str) -> None:
        """A call has ended."""
        if client:
            _less(self._in_flight, client)

    # -- what players send

    async def act(self, caller: Principal, number: int) -> None:
        """Count acts and wishes on a stream; waits until there is room for them, TooMuch where that takes too long."""
        if caller.role in OWN_ROLES:
            return
        client, now = caller.client, self._clock()
        if client in self._refusals:
            self._check_refusals(client, now)
        longest = self.limits.act_wait_seconds
        wait = self._acts.take(client, now, number, longest)
        if wait > longest:
            raise TooMuch("too many acts; come back later", wait, "acts")
        if wait:
            await self._sleep(wait)

    def refused(self, caller: Principal) -> None:
        """Count an act that was refused; TooMuch where too many were."""
        if caller.role not in OWN_ROLES:
            wait = self._refusals.take(caller.client, self._clock())
            if wait:
                raise _too_many_refusals(wait)

    def _check_refusals(self, client: str, now: float) -> None:
        wait = self._refusals.wait(client, now)
        if wait:
            raise _too_many_refusals(wait)

    # -- who has no good token

    def stranger(self, address: str) -> None:
        """Count a token that may be no good; TooMuch where too many were. `address` is gRPC's name of the peer."""
        wait = self._failures.take(_network(address), self._clock())
        if wait:
            raise TooMuch("too many bad tokens from your address; come back later", wait, "tokens")

    def welcome(self, address: str) -> None:
        """The stranger's token was good: count it no more."""
        self._failures.give_back(_network(address))

    # -- streams

    @contextmanager
    def stream(self, caller: Principal, kind: str) -> Iterator[None]:
        """Count one stream of the caller while the block lasts; TooMuch where it may not have another."""
        client, limits = caller.client, self.limits
        held = self._streams.get(client, 0)
        if held >= limits.streams and caller.role not in OWN_ROLES:
            text = f"you have {held} streams open; end one before you open another"
            raise TooMuch(text, SOON_SECONDS, "streams")
        if self._streams_open >= limits.all_streams:
            raise TooMuch("the service has all the streams it takes; come back later", 1.0, "all_streams")
        self._streams[client] = held + 1
        self._streams_open += 1
        self._opened(kind, 1)
        try:
            yield
        finally:
            self._opened(kind, -1)
            self._streams_open -= 1
            _less(self._streams, client)

    # -- answers

    async def hold(self, error: TooMuch) -> None:
        """Hold back an answer for a moment, unless many are held already."""
        if error.retry_seconds is None or self._refusals_held >= self.limits.held_refusals:
            return
        self._refusals_held += 1
        try:
            await self._sleep(min(error.retry_seconds, self.limits.held_refusal_seconds))
        finally:
            self._refusals_held -= 1


def _network(address: str) -> str:
    """Where a peer is, without its port: an IPv4 address, or the /64 of an IPv6 address; `ipv4:127.0.0.1:5000`."""
    kind, _, rest = address.partition(":")
    if kind == "ipv6":
        host = rest.rpartition(":")[0].replace("%5B", "[").replace("%5D", "]").strip("[]").partition("%")[0]
        try:
            return str(ipaddress.ip_network((host, 64), strict=False))
        except ValueError:
            return rest
    return rest.rpartition(":")[0] if kind == "ipv4" else address


def _too_many_refusals(wait: float) -> TooMuch:
    return TooMuch("too many of your acts were refused; come back later", wait, "refusals")


def _less(counts: dict[str, int], client: str) -> None:
    counts[client] -= 1
    if not counts[client]:
        del counts[client]
