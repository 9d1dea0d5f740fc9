"""One run of one seed: processes are started, killed and started again, and all is judged until all has ended."""

from __future__ import annotations

import asyncio
import gc
import sys
from asyncio import events
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any
from uuid import UUID

from pinochle.players import is_house_bot

from services.auth import Principal, new_token
from tests.sim import clients, processes
from tests.sim.judge import Judge, Log
from tests.sim.loop import Scheduler, SimLoop, Stuck
from tests.sim.messages import Broker, Exchange
from tests.sim.network import Network
from tests.sim.scenario import Scenario, draw
from tests.sim.store import Database

EPOCH_MS = 1_700_000_000_000
CALM_END_SECONDS = 400.0
"""After the last fault everything has ended within it."""
CHECK_SECONDS = 1.0
TRACE_MAX = 80
START_AGAIN_SECONDS = 0.3
CALLBACKS_MAX = 2_000_000


@dataclass(slots=True)
class Result:
    """What became of a seed; `invariant` is empty where it passed."""

    seed: int
    invariant: str
    text: str
    trace: list[str]
    acts: int
    seconds: float  # virtual
    callbacks: int
    crashes: int
    digest: int


class Host:
    """A machine with one process, which may be killed and started again."""

    def __init__(self, simulation: Simulation, name: str, main: Callable[[Host], Coroutine[Any, Any, None]]) -> None:
        self.simulation = simulation
        self.name = name
        self.main = main
        self.loop = SimLoop(simulation.scheduler, name)
        self.is_up = False
        self.is_done = False  # a client that has nothing left to do
        self.starts = 0
        self.offset_ms = 0
        self.streams: list[tuple[SimLoop, Any]] = []  # what the write path of this process holds
        self.passed: Counter[str] = Counter()
        self.entropy = Random(f"{name} {simulation.seed}")

    def start(self) -> None:
        """Start the process with nothing remembered."""
        simulation = self.simulation
        self.loop = SimLoop(simulation.scheduler, self.name)
        simulation.by_loop[self.loop] = self
        self.is_up = True
        self.starts += 1
        self.streams = []
        simulation.note("start", self.name)
        crash = next((one for one in simulation.plan if one.host == self.name and one.point == "callback"), None)
        if crash is not None:
            self.loop.dies_at = crash.number

            def die() -> None:
                simulation.plan.remove(crash)
                self.kill(crash.down_seconds)

            self.loop.on_death = die
        loop = self.loop

        def begin() -> None:
            loop.create_task(self.main(self)).add_done_callback(self._ended)

        loop.call_soon(begin)

    def _ended(self, task: Any) -> None:
        """The process has ended by itself: a client is done, a service could not start."""
        error = task.exception()
        if error is None:
            self.is_done = True
            self.simulation.clients_left -= 1
            return
        self.simulation.note("ended", self.name, repr(error))
        if not processes.may_end_with(error):
            self.simulation.fail("no process ends by itself", f"{self.name}: {error!r}")
        self.kill(START_AGAIN_SECONDS)

    def kill(self, down_seconds: float) -> None:
        """End the process between two of its steps, and start it again after a while."""
        simulation = self.simulation
        if not self.is_up:
            return
        simulation.note("kill", self.name)
        simulation.crashes += 1
        self.is_up = False
        loop = self.loop
        simulation.abandoned += loop.die()
        self._report(loop)
        simulation.network.died(loop)
        simulation.exchange.died(loop)
        simulation.broker.died(loop)
        simulation.scheduler.after(down_seconds, self.start)

    def _report(self, loop: SimLoop) -> None:
        for failure in loop.failures:
            self.simulation.fail("no task fails unseen", f"{self.name}: {failure}")


class Simulation:
    """All there is in one run."""

    def __init__(self, seed: int, scenario: Scenario | None = None) -> None:
        self.seed = seed
        self.scenario = scenario or draw(seed)
        self.rates = self.scenario.rates
        self.plan = list(self.scenario.crashes)
        self.scheduler = Scheduler(Random(f"order {seed}"))
        self.network_chance = Random(f"network {seed}")
        self.store_chance = Random(f"store {seed}")
        self.bus_chance = Random(f"bus {seed}")
        self.task_chance = Random(f"tasks {seed}")
        self.ids = Random(f"ids {seed}")
        self.pauses = Random(f"pauses {seed}")
        self.by_loop: dict[SimLoop, Host] = {}
        self.trace: deque[tuple[Any, ...]] = deque(maxlen=TRACE_MAX)
        self.failure: tuple[str, str] | None = None
        self.crashes = 0
        self._is_over = False
        self.abandoned: list[Any] = []
        self.bus_is_up = True
        self.is_calm = False
        self.network = Network(self)
        self.exchange = Exchange(self)
        self.broker = Broker(self)
        self.judge = Judge(self)
        self.addresses = {"tables": tuple(f"table-{n}" for n in range(1, self.scenario.table_hosts + 1))}
        self.tokens: dict[str, Principal] = {}
        self._token_texts: dict[str, str] = {}
        self._databases: dict[str, Database] = {}
        self.expected = frozenset(processes.EXPECTED_STATUSES)
        self.hosts: dict[str, Host] = {}
        self._add_hosts()
        self.clients_left = sum(name.startswith("client") for name in self.hosts)
        self._endless = sum(player.way == "stream" for player in self.scenario.players)

    # -- what happens

    def run(self) -> Result:
        """Run to the end, or to the first broken invariant."""
        scheduler, scenario = self.scheduler, self.scenario
        for host in self.hosts.values():
            scheduler.after(0.0 if not host.name.startswith("client") else 0.001, host.start)
        for outage in scenario.outages:
            scheduler.after(outage.at, self._goes_wrong, outage)
        scheduler.after(scenario.calm_at, self._calm)
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(firstiter=self._generator_began, finalizer=self._generator_dropped)
        self._generators: dict[int, SimLoop] = {}
        try:
            is_done = scheduler.run(self._is_done, scenario.calm_at + CALM_END_SECONDS)
            if not is_done:
                clients_left = [host for host in self.hosts.values() if host.name.startswith("client")]
                left = [host.name for host in clients_left if not host.is_done]
                self.fail("everything ends", f"{self.judge.open} streams are open, clients: {', '.join(left)}")
            elif self.failure is None:
                self.judge.check_end()
                for host in self.hosts.values():
                    host._report(host.loop)
        except Stuck as error:
            self.fail("everything progresses", str(error))
        finally:
            self._clear()
            sys.set_asyncgen_hooks(*hooks)
        return self._result()

    def _is_done(self) -> bool:
        if self.failure is not None:
            return True
        return self.clients_left <= self._endless and self.judge.open == 0 and self._all_opened()

    def _all_opened(self) -> bool:
        wanted = [*self.scenario.tables, *self.scenario.events]
        return all(UUID(one.id).bytes in self.judge.logs for one in wanted)

    def _calm(self) -> None:
        """The faults end; from now on everything has to go forward."""
        self.note("calm")
        self.rates.calm()
        self.plan.clear()
        self.is_calm = True
        for host in self.hosts.values():
            host.offset_ms = 0
            host.loop.dies_at = 0
        if not self.bus_is_up:
            self.bus_is_up = True
            self.exchange.is_back()
        self._check()

    def _check(self) -> None:
        self.judge.check_progress(self.scenario.calm_at + 3.0)
        if self.failure is None:
            self.scheduler.after(CHECK_SECONDS, self._check)

    def _goes_wrong(self, outage: Any) -> None:
        if self.is_calm:
            return
        self.note(outage.what, outage.host, round(outage.seconds, 2))
        host = self.hosts.get(outage.host)
        if outage.what == "bus":
            self.bus_is_up = False
            self.scheduler.after(outage.seconds, self._bus_is_back)
        elif host is None:
            return
        elif outage.what == "clock":
            host.offset_ms = outage.by_ms
        elif outage.what == "vanish" and not host.is_done:
            host.kill(outage.seconds)
        elif outage.what == "pause" and host.is_up:
            host.loop.pause(outage.seconds)

    def _bus_is_back(self) -> None:
        if not self.bus_is_up:
            self.bus_is_up = True
            self.exchange.is_back()

    def passes(self, loop: SimLoop, point: str) -> None:
        """A process comes to a point at which it may be killed."""
        host = self.by_loop.get(loop)
        if host is None or not self.plan or not loop.is_alive:
            return
        host.passed[point] += 1
        for crash in self.plan:
            if crash.host == host.name and crash.point == point and crash.number == host.passed[point]:
                self.plan.remove(crash)
                self.note("at", point, crash.number)
                host.kill(crash.down_seconds)
                return

    # -- what there is

    def _add_hosts(self) -> None:
        for name in self.scenario.hosts:
            self.hosts[name] = Host(self, name, processes.MAINS[name.partition("-")[0] if "table" in name else name])
        mains = [lambda host, table=table: clients.direct_table(self, table) for table in self.scenario.tables]
        mains += [lambda host, event=event: clients.direct_tournament(self, event) for event in self.scenario.events]
        for player in self.scenario.players:
            mains.append(lambda host, player=player: self._play(host, player))
        # Players come first, so that a plan can name them by their number.
        mains = mains[len(mains) - len(self.scenario.players) :] + mains[: len(mains) - len(self.scenario.players)]
        for number, main in enumerate(mains):
            name = f"client-{number}"
            self.hosts[name] = Host(self, name, main)

    async def _play(self, host: Host, player: Any) -> None:
        chance = host.entropy
        if player.way == "stream":
            await clients.play_by_stream(self, player.name, player.think_seconds, chance)
        elif player.way == "calls":
            await clients.play_by_calls(self, player.name, player.table, player.seat, chance)
        else:
            await clients.watch(self, player.name, player.table, chance)

    def running(self) -> SimLoop:
        """The process that runs now."""
        loop = events._get_running_loop()
        assert isinstance(loop, SimLoop)
        return loop

    def database(self, schema: str) -> Database:
        found = self._databases.get(schema)
        if found is None:
            found = self._databases[schema] = Database(self, schema)
        return found

    def true_ms(self) -> int:
        """The time of day by the database's clock."""
        return EPOCH_MS + int(self.scheduler.now * 1000)

    def new_id(self) -> bytes:
        """A command id."""
        return self.ids.randbytes(16)

    def token(self, who: str) -> str:
        """The token of a role, or of a player."""
        text = self._token_texts.get(who)
        if text is None:
            text = self._token_texts[who] = new_token(self.ids.randbytes)
            role = who if who in ("director", "bots", "service") else "spectator" if who == "eve" else "player"
            self.tokens[text] = Principal(role, who if role == "player" else None, None, None, f"id-{who}")
        return text

    def seat_of(self, token: str, log: Log) -> int | None:
        """The viewer that a caller is who does not say it."""
        player = self.tokens[token].player
        held = [seat for seat, one in enumerate(log.state.table.players) if one == player and not is_house_bot(one)]
        return held[0] if len(held) == 1 else None

    async def opened(self, table: str) -> None:
        """Return when a table is in the log."""
        while UUID(table).bytes not in self.judge.logs:  # noqa: ASYNC110 (a client polls)
            await asyncio.sleep(0.05)

    def phase_of(self, table: str) -> int:
        log = self.judge.logs.get(UUID(table).bytes)
        return log.state.phase if log else -1

    def version_of(self, table: str) -> int:
        return len(self.judge.logs[UUID(table).bytes].acts)

    # -- what is told

    def note(self, *words: Any) -> None:
        """Remember what happened, for the trace of a failing seed."""
        self.trace.append((self.scheduler.now, *words))

    def fail(self, invariant: str, text: str) -> None:
        """An invariant is broken; the first one counts."""
        if self.failure is None and not self._is_over:
            self.failure = (invariant, text)
            self.scheduler.halted = True

    def troubled(self, player: str, error: Exception) -> None:
        """A client reports an error of a turn; late answers are part of the game."""
        self.note("trouble", player, repr(error))
        if not processes.may_be_told(error):
            self.fail("no call fails without a reason", f"{player}: {error!r}")

    def _result(self) -> Result:
        invariant, text = self.failure or ("", "")
        trace = [_line(one) for one in self.trace] if self.failure else []
        return Result(
            self.seed, invariant, text, trace, self.judge.commits, self.scheduler.now, self.scheduler.callbacks,
            self.crashes, self.judge.digest,
        )  # fmt: skip

    def _generator_began(self, generator: Any) -> None:
        loop = events._get_running_loop()
        if loop is not None:
            self._generators[id(generator)] = loop  # type: ignore[assignment]

    def _generator_dropped(self, generator: Any) -> None:
        loop = self._generators.pop(id(generator), None)
        if loop is not None:
            loop.dropped(generator)

    def _clear(self) -> None:
        """Let go of what the processes held, without any of it having an effect."""
        self._is_over = True
        for host in self.hosts.values():
            self.abandoned += host.loop.die()
        for task in self.abandoned:
            try:
                task.get_coro().close()
            except BaseException:
                continue  # what ends while it is thrown away may complain
        self.abandoned.clear()
        self._generators.clear()


def _line(one: tuple[Any, ...]) -> str:
    return f"{one[0]:9.4f}  " + " ".join(str(word)[:120] for word in one[1:])


def run(seed: int) -> Result:
    """Run one seed, with production's ways to the world replaced while it lasts."""
    with processes.simulated(seed) as simulation:
        return simulation.run()


def run_all(seeds: Iterable[int]) -> list[Result]:
    """Run seeds one after the other. Garbage is collected between them: within one, its time would be chance too."""
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        results = [run(seed) for seed in seeds]
        gc.collect()
    finally:
        if is_collecting:
            gc.enable()
    return results
