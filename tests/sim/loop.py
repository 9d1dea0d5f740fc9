"""Virtual time and seeded order: one scheduler, and an asyncio event loop for each simulated process.

Callbacks of one process run in the order in which they were scheduled, as asyncio promises. Which process runs next is
drawn from the seed, and what comes from outside (messages, the store's answers, timers) comes at drawn times: these are
the interleavings that can happen. A process that is killed runs nothing more; what it held is abandoned as it stands.
"""

from __future__ import annotations

import asyncio
import contextvars
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine
from heapq import heappop, heappush
from random import Random
from typing import Any

CALLBACK_SECONDS = 4e-6
"""Virtual time that each callback takes."""


class Stuck(Exception):
    """Nothing can ever happen again, though the simulation is not done."""


class Handle:
    """A callback that waits; `process` None is the world outside of all processes."""

    __slots__ = ("args", "callback", "context", "is_cancelled", "process", "when_")

    def __init__(
        self, process: SimLoop | None, callback: Callable[..., Any], args: tuple[Any, ...],
        context: contextvars.Context | None, when: float = 0.0,
    ) -> None:  # fmt: skip
        self.process = process
        self.callback = callback
        self.args = args
        self.context = context
        self.is_cancelled = False
        self.when_ = when

    def cancel(self) -> None:
        self.is_cancelled = True

    def cancelled(self) -> bool:
        return self.is_cancelled

    def when(self) -> float:
        return self.when_


class Scheduler:
    """The only clock and the only source of order. `now` counts virtual seconds from 0."""

    def __init__(self, chance: Random) -> None:
        self.now = 0.0
        self.callbacks = 0
        self.halted = False
        self._chance = chance.random
        self._number = 0
        self._timers: list[tuple[float, int, Handle]] = []
        self._runnable: list[SimLoop] = []

    def at(self, when: float, callback: Callable[..., Any], *args: Any) -> Handle:
        """Have the world do something at a time; it belongs to no process."""
        handle = Handle(None, callback, args, None, when)
        self._number += 1
        heappush(self._timers, (when, self._number, handle))
        return handle

    def after(self, seconds: float, callback: Callable[..., Any], *args: Any) -> Handle:
        """Have the world do something after so many seconds."""
        return self.at(self.now + seconds, callback, *args)

    def push(self, handle: Handle) -> None:
        """File a process's timer."""
        self._number += 1
        heappush(self._timers, (handle.when_, self._number, handle))

    def wake(self, process: SimLoop) -> None:
        """A process has something to run."""
        if not process.is_listed and not process.is_paused:
            process.is_listed = True
            self._runnable.append(process)

    def run(self, is_done: Callable[[], bool], until: float) -> bool:
        """Run until `is_done()` (asked whenever nothing is ready) or until a time; whether it was done."""
        timers, runnable, chance = self._timers, self._runnable, self._chance
        set_running = events._set_running_loop
        current: SimLoop | None = None
        try:
            while not self.halted:
                while timers and (timers[0][0] <= self.now or not runnable):
                    if not runnable and is_done():
                        return True
                    when, _, handle = heappop(timers)
                    if when > self.now:
                        if when > until:
                            return is_done()
                        self.now = when
                    if handle.is_cancelled:
                        continue
                    process = handle.process
                    if process is not None:
                        if process.is_alive:
                            process.ready.append(handle)
                            self.wake(process)
                        continue
                    handle.callback(*handle.args)
                if not runnable:
                    if is_done():
                        return True
                    raise Stuck("nothing is left to happen")
                index = int(chance() * len(runnable))
                process = runnable[index]
                ready = process.ready
                if not ready or process.is_paused:
                    runnable[index] = runnable[-1]
                    runnable.pop()
                    process.is_listed = False
                    continue
                if process is not current:
                    set_running(process)
                    current = process
                handle = ready.popleft()
                if handle.is_cancelled:
                    continue
                self.now += CALLBACK_SECONDS
                self.callbacks += 1
                context = handle.context
                if context is None:
                    handle.callback(*handle.args)
                else:
                    context.run(handle.callback, *handle.args)
                process.steps += 1
                if process.steps == process.dies_at:
                    process.on_death()
            return True
        finally:
            set_running(None)


class SimLoop(asyncio.AbstractEventLoop):
    """The event loop of one simulated process, from its start until it is killed."""

    def __init__(self, scheduler: Scheduler, name: str) -> None:
        self.scheduler = scheduler
        self.name = name
        self.ready: deque[Handle] = deque()
        self.is_alive = True
        self.is_paused = False
        self.is_listed = False
        self.steps = 0
        self.dies_at = 0  # after so many callbacks, 0: never
        self.on_death: Callable[[], None] = lambda: None
        self.tasks: list[asyncio.Task[Any]] = []
        self.failures: list[str] = []
        self.generators: dict[int, Any] = {}

    # -- what asyncio asks of a loop

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., Any], *args: Any, context: contextvars.Context | None = None
    ) -> Handle:
        handle = Handle(self, callback, args, context or contextvars.copy_context())
        if self.is_alive:
            self.ready.append(handle)
            if not self.is_listed:
                self.scheduler.wake(self)
        return handle

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., Any], *args: Any, context: contextvars.Context | None = None
    ) -> Handle:
        handle = Handle(self, callback, args, context or contextvars.copy_context(), when)
        if self.is_alive:
            self.scheduler.push(handle)
        return handle

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., Any], *args: Any, context: contextvars.Context | None = None
    ) -> Handle:
        return self.call_at(self.scheduler.now + delay, callback, *args, context=context)

    def time(self) -> float:
        return self.scheduler.now

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(  # type: ignore[override]
        self, coro: Coroutine[Any, Any, Any], *, name: str | None = None, context: contextvars.Context | None = None
    ) -> asyncio.Task[Any]:
        task = asyncio.Task(coro, loop=self, name=name or "", context=context)
        self.tasks.append(task)
        if len(self.tasks) > 256:
            self.tasks = [one for one in self.tasks if not one.done()]
        return task

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        """Threads end at a drawn time; their work itself is done at once, in the order of the scheduler."""
        future = self.create_future()

        def work() -> None:
            if future.cancelled():
                return
            try:
                future.set_result(func(*args))
            except Exception as error:
                future.set_exception(error)

        self.call_later(self.scheduler._chance() * 0.001, work)
        return future

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return not self.is_alive

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if self.is_alive:
            self.failures.append(f"{context.get('message')}: {error!r}")

    # -- the simulator's own

    def die(self) -> list[asyncio.Task[Any]]:
        """Run nothing more; the tasks that were under way, for the simulator to hold until it is over."""
        self.is_alive = False
        self.ready.clear()
        abandoned = [task for task in self.tasks if not task.done()]
        for task in abandoned:
            task._log_destroy_pending = False  # type: ignore[attr-defined]
        self.tasks = []
        return abandoned

    def pause(self, seconds: float) -> None:
        """Run nothing for a while; what comes meanwhile waits."""
        self.is_paused = True
        self.scheduler.after(seconds, self._go_on)

    def _go_on(self) -> None:
        self.is_paused = False
        if self.is_alive and self.ready:
            self.scheduler.wake(self)

    def started(self, generator: Any) -> None:
        """An asynchronous generator has begun in this process."""
        self.generators[id(generator)] = generator.__class__

    def dropped(self, generator: Any) -> None:
        """An asynchronous generator of this process is no longer used: end it, as asyncio does."""
        if self.is_alive:
            self.create_task(generator.aclose())
