"""Keep a set of child processes running: start them in tiers, restart what dies, stop them in reverse.

The state of every child is in `processes.json` in the data folder, their output in `logs/`.
"""

import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from services.local.processes import Clock, NotReady, kill

POLL_SECONDS = 0.05
READY_SECONDS_MAX = 60.0
STOP_SECONDS_MAX = 15.0
# The wait before a restart doubles from the first to the last of these; a long enough life starts it anew.
RESTART_SECONDS_FIRST, RESTART_SECONDS_LAST = 0.1, 5.0
STEADY_SECONDS = 20.0
LOG_BYTES_MAX = 10_000_000


@dataclass(frozen=True, slots=True)
class Part:
    """One child process: how to start it, how to see that it works, how to end it."""

    name: str
    version: str
    log: Path
    launch: Callable[[], subprocess.Popen[bytes]]
    is_ready: Callable[[], bool]
    prepare: Callable[[], None] = lambda: None
    stop_signal: signal.Signals = signal.SIGTERM


@dataclass(frozen=True, slots=True)
class Tier:
    """Parts that start side by side once the tier before works; `then` runs when they all do."""

    parts: Sequence[Part]
    then: Callable[[], None] = lambda: None


@dataclass(slots=True)
class Child:
    """A part with the process that it has at the moment."""

    part: Part
    process: subprocess.Popen[bytes] | None = None
    state: str = "waiting"  # waiting, starting, running, failed, stopped
    restarts: int = 0
    started_at_ms: int = 0
    started: float = 0.0
    start_again: float | None = None
    pause: float = RESTART_SECONDS_FIRST
    last_exit: int | None = None


@dataclass(slots=True)
class Supervisor:
    """Runs the tiers until told to stop; everything happens in the thread that calls `run`."""

    tiers: Sequence[Tier]
    folder: Path
    clock: Clock
    now_ms: Callable[[], int]
    say: Callable[[str], None]
    children: list[Child] = field(default_factory=list)

    def run(self, stop: threading.Event, started: Callable[[], None]) -> None:
        """Start everything, call `started`, keep it running until `stop` is set, and end it all.

        NotReady says which part did not come up; what had been started is ended then too.
        """
        self.children = [Child(part) for tier in self.tiers for part in tier.parts]
        try:
            for tier in self.tiers:
                self._start_tier(tier, stop)
                if stop.is_set():
                    return
                tier.then()
            started()
            while not stop.wait(POLL_SECONDS):
                self._look_after(self.children)
        finally:
            self._stop_all()

    def _start_tier(self, tier: Tier, stop: threading.Event) -> None:
        mine = [child for child in self.children if child.part in tier.parts]
        for child in mine:
            self._launch(child)
        for child in mine:

            def works(child: Child = child) -> bool:
                self._look_after(self.children)
                return child.state == "running" or stop.is_set()

            try:
                self.clock.wait(works, READY_SECONDS_MAX, f"{child.part.name} to work")
            except NotReady as error:
                raise NotReady(f"{error}; {_last_words(child.part.log)}") from None

    def _look_after(self, children: Sequence[Child]) -> None:
        """One round: collect the dead, start what is due again, notice what has become ready."""
        changed = False
        for child in children:
            before = (child.state, child.restarts)
            if child.process is not None and child.process.poll() is not None:
                self._bury(child)
            if child.start_again is not None and self.clock.now() >= child.start_again:
                child.restarts += 1
                self._launch(child)
            if child.state == "starting" and child.part.is_ready():
                child.state = "running"
            if child.state == "starting" and self.clock.now() - child.started > READY_SECONDS_MAX:
                self._give_up(child)
            changed |= before != (child.state, child.restarts)
        if changed:
            self._write()

    def _launch(self, child: Child) -> None:
        child.start_again = None
        child.started, child.started_at_ms = self.clock.now(), self.now_ms()
        _keep_log_short(child.part.log)
        try:
            child.part.prepare()
            child.process = child.part.launch()
        except (NotReady, OSError) as error:
            self.say(f"{child.part.name} could not be started: {error}")
            self._start_later(child)
            return
        child.state = "starting"
        self._write()

    def _give_up(self, child: Child) -> None:
        """End a process that hangs before it works; the next round starts it again."""
        assert child.process is not None
        self.say(f"{child.part.name} did not work within {READY_SECONDS_MAX:g} seconds and is killed")
        kill(child.process)

    def _bury(self, child: Child) -> None:
        assert child.process is not None
        child.last_exit = child.process.returncode
        # What a killed process has left running in its session would hold its ports.
        kill(child.process)
        child.process = None
        self.say(f"{child.part.name} ended with {child.last_exit}; it is started again")
        self._start_later(child)

    def _start_later(self, child: Child) -> None:
        if self.clock.now() - child.started > STEADY_SECONDS:
            child.pause = RESTART_SECONDS_FIRST
        child.state = "failed"
        child.start_again = self.clock.now() + child.pause
        child.pause = min(child.pause * 2, RESTART_SECONDS_LAST)

    def _stop_all(self) -> None:
        """End the tiers in reverse order, the parts of one tier side by side; kill what takes too long."""
        for tier in reversed(self.tiers):
            mine = [child for child in self.children if child.part in tier.parts]
            for child in mine:
                child.start_again = None
                if child.process is not None and child.process.poll() is None:
                    child.process.send_signal(child.part.stop_signal)
            for child in mine:
                self._await_end(child)
        self._write()

    def _await_end(self, child: Child) -> None:
        if child.process is not None:
            try:
                child.process.wait(STOP_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self.say(f"{child.part.name} did not end within {STOP_SECONDS_MAX:g} seconds and was killed")
            kill(child.process)
            child.last_exit = child.process.returncode
            child.process = None
        child.state = "stopped"

    def _write(self) -> None:
        """Replace `processes.json` in one step, so that a reader never sees half of it."""
        rows = [
            {
                "name": child.part.name,
                "pid": child.process.pid if child.process else None,
                "state": child.state,
                "restarts": child.restarts,
                "started_at_ms": child.started_at_ms,
                "last_exit": child.last_exit,
                "version": child.part.version,
                "log": str(child.part.log),
            }
            for child in self.children
        ]
        text = json.dumps({"supervisor": os.getpid(), "processes": rows}, indent=1)
        draft = self.folder / "processes.json.new"
        draft.write_text(text + "\n")
        draft.replace(self.folder / "processes.json")


def _last_words(log: Path) -> str:
    """Where the output of a part is, and how it ends, because a temporary folder goes with the failure."""
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return f"its output is in {log}" + (f" and ends: {lines[-1].strip()}" if lines else "")


def _keep_log_short(log: Path) -> None:
    if log.exists() and log.stat().st_size > LOG_BYTES_MAX:
        log.replace(log.with_suffix(".log.1"))
