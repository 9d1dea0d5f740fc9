"""`python -m services.local up` as a person runs it: every real process, one folder, Ctrl-C."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.health import is_serving
from services.local import state
from services.local.system import SERVICES
from tests.conftest import CLOCK

ROOT = Path(__file__).resolve().parents[2]
SECONDS_MAX = 90
NAMES = {"postgres", "valkey", *(service.name for service in SERVICES)}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="pinochle-up-") as path:
        Path(path).chmod(0o711)
        yield Path(path) / "data"


def test_up_runs_every_process_until_ctrl_c_and_the_next_one_resumes(folder: Path) -> None:
    with _running(folder) as first:
        assert NAMES == {row["name"] for row in _rows(folder) if row["state"] == "running"}
        held = state.load(folder)
        assert is_serving(held.table_address)
        assert is_serving(held.tournament_address)
    assert 0 == first.returncode
    assert 1 == len(re.findall(r"pin_[A-Za-z0-9_-]{43}", _output(folder)))
    assert {"stopped"} == {row["state"] for row in _rows(folder)}

    with _running(folder):
        again = state.load(folder)
        assert (held.bots_token, held.passwords) == (again.bots_token, again.passwords)
    assert 1 == len(re.findall(r"pin_[A-Za-z0-9_-]{43}", _output(folder)))


def test_up_on_a_folder_in_use_is_refused_in_one_line(folder: Path) -> None:
    with _running(folder) as first:
        words = [sys.executable, "-m", "services.local", "up", "--data", str(folder)]
        second = subprocess.run(
            words, cwd=ROOT, env=_environ(), capture_output=True, text=True, timeout=SECONDS_MAX, check=False
        )
        expected = f"pinochle: {folder} is in use by process {first.pid}; stop that one first\n"
        assert (1, "", expected) == (second.returncode, second.stdout, second.stderr)


def test_up_starts_every_killed_process_again(folder: Path) -> None:
    with _running(folder):
        before = {row["name"]: row["pid"] for row in _rows(folder)}
        for pid in before.values():
            os.kill(pid, signal.SIGKILL)

        def all_run_again() -> bool:
            return all(row["state"] == "running" and row["restarts"] >= 1 for row in _rows(folder))

        CLOCK.wait(all_run_again, SECONDS_MAX, "every process to run again")
        held = state.load(folder)
        CLOCK.wait(lambda: is_serving(held.table_address), SECONDS_MAX, "the table service to serve")
        CLOCK.wait(
            lambda: is_serving(held.tournament_address), SECONDS_MAX, "the tournament service to serve"
        )


@contextmanager
def _running(folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """The system while it runs; it is ended as by Ctrl-C, and must end by itself."""
    seen = len(_output(folder))
    words = [sys.executable, "-m", "services.local", "up", "--data", str(folder)]
    with (folder.parent / "output").open("ab") as output:
        process = subprocess.Popen(
            words, cwd=ROOT, env=_environ(), stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )

    def ready() -> bool:
        assert process.poll() is None, _output(folder)
        return "running; Ctrl-C" in _output(folder)[seen:]

    try:
        CLOCK.wait(ready, SECONDS_MAX, "the system to run")
        yield process
        process.send_signal(signal.SIGINT)
        assert 0 == process.wait(SECONDS_MAX), _output(folder)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(SECONDS_MAX)


def _environ() -> dict[str, str]:
    """The tests' own environment without addresses, so that embedded servers are used."""
    ours = {"DATABASE_URL", "TABLES_DATABASE_URL", "TOURNAMENTS_DATABASE_URL", "REDIS_URL"}
    return {name: value for name, value in os.environ.items() if name not in ours}


def _output(folder: Path) -> str:
    path = folder.parent / "output"
    return path.read_text() if path.exists() else ""


def _rows(folder: Path) -> list[dict[str, object]]:
    return list(json.loads((folder / "processes.json").read_text())["processes"])
