"""The whole system, or some of its processes, on a folder of its own: for benchmarks and for tests that kill."""

import json
import os
import secrets
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from services.config import Settings
from services.local import state as folder_state
from services.local.processes import Clock
from services.local.supervisor import Supervisor
from services.local.system import SERVICES, Service, System

START_SECONDS_MAX = 90
STOP_SECONDS_MAX = 60


@dataclass
class RunningSystem:
    """Processes under a supervisor; `token` is an operator's."""

    system: System
    folder: Path
    token: str

    def pid(self, name: str) -> int:
        """The process with this name, as the supervisor last wrote it down; 0 while there is none."""
        rows = json.loads((self.folder / "processes.json").read_text())["processes"]
        return next((row["pid"] or 0 for row in rows if row["name"] == name), 0)

    def kill(self, name: str) -> int:
        """kill -9 the whole process group of a process; the pid that it had."""
        pid = self.pid(name)
        os.killpg(pid, signal.SIGKILL)
        return pid


@contextmanager
def running(
    services: Sequence[Service] = SERVICES,
    *,
    folder: Path | None = None,
    make: Callable[..., System] = System,
    **limits: str,
) -> Iterator[RunningSystem]:
    """Start these processes with Postgres and Valkey, and stop them all; `limits` are variables of Settings.

    A `folder` that is given belongs to the caller and stays; `make` makes the system.
    """
    is_own = folder is None
    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="pinochle-system-"))
        folder.chmod(0o711)
    clock = Clock(time.monotonic, time.sleep)
    state = folder_state.load(folder)
    settings = Settings.load({name.upper(): value for name, value in limits.items()})
    system = make(folder, state, settings, clock, lambda: secrets.token_urlsafe(32), services=services)
    system.operator_token = f"pin_{secrets.token_urlsafe(32)}"
    tiers = system.tiers({})
    folder_state.save(folder, system.state)
    supervisor = Supervisor(tiers, folder, clock, lambda: time.time_ns() // 1_000_000, lambda text: None)
    stop, started = threading.Event(), threading.Event()
    failures: list[BaseException] = []

    def supervise() -> None:
        try:
            supervisor.run(stop, started.set)
        except BaseException as error:
            failures.append(error)
        finally:
            started.set()

    thread = threading.Thread(target=supervise, name="supervisor")
    thread.start()
    try:
        assert started.wait(START_SECONDS_MAX), "the system did not start in time"
        if failures:
            raise failures[0]
        yield RunningSystem(system, folder, system.operator_token)
    finally:
        stop.set()
        thread.join(STOP_SECONDS_MAX)
        if is_own:
            shutil.rmtree(folder, ignore_errors=True)
