"""Nudges and tasks that get lost, doubled, late and out of order: the bus and the broker of the simulation."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from pinochle.wire.v1.bus_pb2 import Nudge

from services.hints import Backlog
from tests.sim.faults import latency
from tests.sim.loop import SimLoop

if TYPE_CHECKING:
    from tests.sim.simulation import Simulation

LATE_SECONDS_MAX = 4.0


class SimBus:
    """Stands for `services.bus.Bus` in one process."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._loop = simulation.running()

    @property
    def is_connected(self) -> bool:
        return self._simulation.bus_is_up

    def start(self) -> None:
        pass

    async def close(self) -> None:
        pass

    def publish(self, topic: str, nudge: Nudge) -> None:
        self._simulation.passes(self._loop, "publish")
        if self._loop.is_alive and self._simulation.bus_is_up:
            data = nudge.SerializeToString()
            self._simulation.judge.nudged(topic, nudge, data)
            self._simulation.exchange.publish(self._loop, topic, data)

    async def subscribe(self, topic: str, *, own: bool = True) -> AsyncIterator[Nudge | None]:
        subscription = Subscription(self._loop, topic, own)
        self._simulation.exchange.subscriptions.append(subscription)
        yield None
        while True:
            data = await subscription.get()
            yield None if data is None else Nudge.FromString(data)


class Subscription:
    """One process's ear for one topic."""

    def __init__(self, loop: SimLoop, topic: str, own: bool) -> None:
        self.loop = loop
        self.topic = topic
        self.own = own
        self._items: deque[bytes | None] = deque()
        self._reader: asyncio.Future[None] | None = None

    def put(self, data: bytes | None) -> None:
        """From outside of the process; its reader wakes up in its turn."""
        if self.loop.is_alive:
            self._items.append(data)
            if self._reader is not None and not self._reader.done():
                self._reader.set_result(None)

    async def get(self) -> bytes | None:
        while not self._items:
            self._reader = self.loop.create_future()
            await self._reader
        return self._items.popleft()


class Exchange:
    """Carries nudges between the processes."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self.subscriptions: list[Subscription] = []

    def publish(self, origin: SimLoop, topic: str, data: bytes) -> None:
        simulation = self._simulation
        chance, rates = simulation.bus_chance, simulation.rates
        for subscription in self.subscriptions:
            loop = subscription.loop
            if subscription.topic != topic or not loop.is_alive or (loop is origin and not subscription.own):
                continue
            times = 2 if chance.random() < rates.nudge_doubled else 1
            for _ in range(times):
                if chance.random() < rates.nudge_lost:
                    continue
                late = chance.random() * LATE_SECONDS_MAX if chance.random() < rates.nudge_late else 0.0
                simulation.scheduler.after(late + latency(chance, rates), subscription.put, data)

    def died(self, loop: SimLoop) -> None:
        self.subscriptions = [one for one in self.subscriptions if one.loop is not loop]

    def is_back(self) -> None:
        """After an outage every subscriber connects anew."""
        for subscription in self.subscriptions:
            subscription.put(None)


Work = Callable[..., Coroutine[Any, Any, None]]


class Broker:
    """Queues of tasks, and the workers that take them; a task that dies with its worker may come again."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._waiting: dict[str, deque[tuple[str, tuple[Any, ...], float]]] = {}
        self._workers: dict[str, tuple[SimLoop, Work]] = {}
        self._running: list[tuple[SimLoop, str, str, tuple[Any, ...], float]] = []

    def send(self, queue: str, task: str, words: tuple[Any, ...], seconds_max: float) -> None:
        """Queue a task; ConnectionError while the broker is away."""
        simulation = self._simulation
        chance, rates = simulation.task_chance, simulation.rates
        if not simulation.bus_is_up:
            raise ConnectionError("the broker is away")
        expires = simulation.scheduler.now + seconds_max
        for _ in range(2 if chance.random() < rates.task_doubled else 1):
            if chance.random() < rates.task_lost:
                continue
            late = chance.random() * LATE_SECONDS_MAX if chance.random() < rates.task_late else 0.0
            simulation.scheduler.after(late + latency(chance, rates), self._arrived, queue, (task, words, expires))

    def backlog(self, queue: str) -> Backlog:
        """What waits for a worker."""
        if not self._simulation.bus_is_up:
            raise ConnectionError("the broker is away")
        return Backlog(len(self._waiting.get(queue, ())), 0)

    def works(self, queue: str, loop: SimLoop, work: Work) -> None:
        """From now on this process takes the tasks of the queue."""
        self._workers[queue] = (loop, work)
        self._hand_out(queue)

    def died(self, loop: SimLoop) -> None:
        """Half of the tasks under way come again."""
        for queue, (worker, _) in list(self._workers.items()):
            if worker is loop:
                del self._workers[queue]
        lost = [one for one in self._running if one[0] is loop]
        self._running = [one for one in self._running if one[0] is not loop]
        for _, queue, task, words, expires in lost:
            if self._simulation.task_chance.random() < 0.5:
                self._simulation.scheduler.after(1.0, self._arrived, queue, (task, words, expires))

    def _arrived(self, queue: str, item: tuple[str, tuple[Any, ...], float]) -> None:
        self._waiting.setdefault(queue, deque()).append(item)
        self._hand_out(queue)

    def _hand_out(self, queue: str) -> None:
        if queue not in self._workers:
            return
        loop, work = self._workers[queue]
        waiting = self._waiting.get(queue, ())
        while waiting:
            task, words, expires = waiting.popleft()
            if self._simulation.scheduler.now > expires:
                continue
            entry = (loop, queue, task, words, expires)
            self._running.append(entry)
            loop.call_soon(self._run, entry, work)

    def _run(self, entry: tuple[SimLoop, str, str, tuple[Any, ...], float], work: Work) -> None:
        loop, _, task, words, _ = entry

        def ended(_: asyncio.Task[None]) -> None:
            if entry in self._running:
                self._running.remove(entry)

        loop.create_task(work(task, *words)).add_done_callback(ended)
