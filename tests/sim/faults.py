"""What goes wrong in one run: rates and plans drawn from the seed, and the draws that adapters ask for."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

LATENCY_SECONDS = 0.0003
LATENCY_SPREAD_SECONDS = 0.004
SLOW_SECONDS_MAX = 0.6


@dataclass(slots=True)
class Rates:
    """How often things go wrong, as shares of the occasions; all zero after the calm has come."""

    slow: float = 0.0  # a message, or an answer of the store, takes long
    nudge_lost: float = 0.0
    nudge_doubled: float = 0.0
    nudge_late: float = 0.0
    task_lost: float = 0.0
    task_doubled: float = 0.0
    task_late: float = 0.0
    store_refuses: float = 0.0  # nothing stored, the caller gets an error
    store_silent: float = 0.0  # stored, the caller gets an error
    store_behind: float = 0.0  # the caller gets an error, then it is stored
    call_lost: float = 0.0  # a request does not arrive
    reply_lost: float = 0.0  # it is carried out, the answer does not arrive
    stream_broken: float = 0.0  # a message of a stream breaks it
    client_careless: float = 0.0  # a client repeats itself, vanishes, comes back with an old version

    def calm(self) -> None:
        """Nothing goes wrong any more."""
        for name in self.__slots__:
            setattr(self, name, 0.0)


CRASH_POINTS = ("callback", "read", "append", "committed", "publish", "reply")
"""Where a service is killed: after any callback, before a read or an append is under way, between a commit and its
answer, at a nudge, at a reply."""


@dataclass(slots=True)
class Crash:
    """The `number`-th time that the process `host` passes `point` it is killed, and started again after a while."""

    host: str
    point: str
    number: int
    down_seconds: float


def draw_rates(chance: Random) -> Rates:
    """Some seeds see no faults of a kind, some a few, some many."""
    rates = Rates()
    if chance.random() < 0.06:
        return rates
    strength = chance.choice((0.3, 1.0, 1.0, 2.5))

    def share(most: float) -> float:
        return 0.0 if chance.random() < 0.35 else most * chance.random() * strength

    rates.slow = share(0.03)
    rates.nudge_lost, rates.nudge_doubled, rates.nudge_late = share(0.4), share(0.2), share(0.2)
    rates.task_lost, rates.task_doubled, rates.task_late = share(0.3), share(0.2), share(0.2)
    rates.store_refuses, rates.store_silent, rates.store_behind = share(0.04), share(0.04), share(0.03)
    rates.call_lost, rates.reply_lost = share(0.05), share(0.08)
    rates.stream_broken = share(0.02)
    rates.client_careless = share(0.3)
    return rates


def latency(chance: Random, rates: Rates) -> float:
    """How long one message takes."""
    draw = chance.random()
    if draw < rates.slow:
        return chance.random() * SLOW_SECONDS_MAX
    return LATENCY_SECONDS + LATENCY_SPREAD_SECONDS * draw * draw * draw
