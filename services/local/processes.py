"""Start, await and stop child processes that never outlive their parent."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = Path(__file__).with_name("launch.py")
READY_POLL_SECONDS = 0.02
# Below the range that outgoing connections take theirs from, so that none of them occupies the port of a
# server that is just being restarted.
PORTS_FROM, PORTS_TO = 20_000, 32_000


class NotReady(Exception):
    """A process or server did not become what was awaited within its deadline."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Monotonic seconds and sleeping, passed in so that no module here names them."""

    now: Callable[[], float]
    sleep: Callable[[float], object]

    def wait(self, ready: Callable[[], bool], seconds_max: float, what: str) -> None:
        """Return once `ready()` holds; NotReady after `seconds_max` seconds."""
        end = self.now() + seconds_max
        while not ready():
            if self.now() >= end:
                raise NotReady(f"{what}: not within {seconds_max:g} seconds")
            self.sleep(READY_POLL_SECONDS)


def launch(
    command: list[str],
    *,
    log: Path,
    environ: Mapping[str, str],
    folder: Path,
    uid: int = -1,
    reach: bool = False,
    when_orphaned: signal.Signals = signal.SIGKILL,
) -> subprocess.Popen[bytes]:
    """Start a command in its own session, its output appended to `log`.

    `uid` is the user to become (-1: stay), `when_orphaned` the signal that it gets when its parent dies. It
    must be called by a thread that lives as long as the child, because the kernel counts that thread as the
    parent.
    """
    words = [sys.executable, "-I", "-S", str(LAUNCHER)]
    words += [str(os.getpid()), str(int(when_orphaned)), str(uid), str(int(reach)), *command]
    with log.open("ab") as output:
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environ),
            cwd=folder,
            start_new_session=True,
        )


def stop(process: subprocess.Popen[bytes], how: signal.Signals, seconds_max: float) -> bool:
    """Ask the process to end, kill it after `seconds_max`; whether it ended by itself."""
    if process.poll() is None:
        process.send_signal(how)
    try:
        process.wait(seconds_max)
    except subprocess.TimeoutExpired:
        kill(process)
        return False
    return True


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and everything in its session's group at once, and collect it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)


def free_port(taken: set[int]) -> int:
    """A loopback TCP port that nobody listens on; it is added to `taken` and not given twice."""
    span = PORTS_TO - PORTS_FROM
    for step in range(span):
        port = PORTS_FROM + (os.getpid() * 97 + len(taken) * 11 + step) % span
        if port not in taken and is_free(port):
            taken.add(port)
            return port
    raise NotReady("no free TCP port on 127.0.0.1")


def is_free(port: int) -> bool:
    """Whether a server could listen on this loopback port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
