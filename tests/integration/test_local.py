"""The embedded default: servers that keep what was written, and a supervisor that keeps processes running."""

import json
import os
import secrets
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

from services.config import BadSettings, Settings
from services.local import state
from services.local.__main__ import show, with_own_servers
from services.local.processes import NotReady, free_port, launch
from services.local.servers import NOBODY, Postgres, Running
from services.local.supervisor import Part, Supervisor, Tier
from services.local.system import Service, System
from tests.conftest import CLOCK, CONNECT_SECONDS, TestDatabase, TestPostgres, TestValkey

ROOT = Path(__file__).resolve().parents[2]
SECONDS_MAX = 60
SLEEPER = [sys.executable, "-c", "import time; time.sleep(300)"]
WEB = (
    "import http.server as h, os; place = '127.0.0.1', int(os.environ['METRICS_PORT']);"
    "h.HTTPServer(place, h.BaseHTTPRequestHandler).serve_forever()"
)
STAND_IN = Service("stand-in", ("-c", WEB), ("tables_database_url",), 1)


def test_postgres_keeps_a_committed_row_over_a_kill(postgres: TestPostgres) -> None:
    with psycopg.connect(postgres.admin_url, autocommit=True, connect_timeout=CONNECT_SECONDS) as connection:
        connection.execute("create table survivor (n int)")
        connection.execute("insert into survivor values (7)")

    postgres.kill()
    postgres.restart()

    with psycopg.connect(postgres.admin_url, autocommit=True, connect_timeout=CONNECT_SECONDS) as connection:
        assert [(7,)] == connection.execute("select n from survivor").fetchall()
        connection.execute("drop table survivor")


def test_postgres_makes_commits_durable(postgres: TestPostgres) -> None:
    with psycopg.connect(postgres.admin_url, connect_timeout=CONNECT_SECONDS) as connection:
        settings = [connection.execute(f"show {name}").fetchone() for name in ("fsync", "synchronous_commit")]
    assert [("on",), ("on",)] == settings


def test_postgres_lets_nobody_in_without_the_password(postgres: TestPostgres) -> None:
    wrong = postgres.admin_url.replace("admin-test-password", "guessed")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(wrong, connect_timeout=CONNECT_SECONDS)


def test_valkey_keeps_a_value_over_an_orderly_restart(valkey: TestValkey) -> None:
    with redis.Redis.from_url(valkey.url, socket_timeout=CONNECT_SECONDS) as client:
        client.set("survivor", "7")

    valkey.restart()

    with redis.Redis.from_url(valkey.url, socket_timeout=CONNECT_SECONDS) as client:
        assert b"7" == client.get("survivor")


def test_valkey_lets_nobody_in_without_the_password(valkey: TestValkey) -> None:
    with (
        redis.Redis.from_url(valkey.url.replace("test-password", "guessed")) as client,
        pytest.raises(redis.AuthenticationError),
    ):
        client.ping()


def test_postgres_removes_the_pid_file_that_a_lost_server_left(server_folder: Path) -> None:
    running = Running(_postgres(server_folder / "stale"), CLOCK)
    running.start()
    running.kill()
    # The number now belongs to another process, as after a restart of the machine.
    pid_file = server_folder / "stale" / "data" / "postmaster.pid"
    pid_file.write_text(f"{os.getpid()}\n{server_folder}\n")

    running.start()

    assert str(os.getpid()) != pid_file.read_text().split()[0]
    running.stop()


def test_postgres_ends_a_server_that_still_runs_on_its_folder(server_folder: Path) -> None:
    first, second = (Running(_postgres(server_folder / "twice"), CLOCK) for _ in range(2))
    first.start()

    second.start()

    assert (False, True) == (first.is_alive(), second.is_alive())
    second.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_both_servers_run_for_an_ordinary_user(tmp_path: Path, server_folder: Path) -> None:
    folder = server_folder / "ordinary"
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)
    program = (
        "import os, sys, time; from pathlib import Path; sys.path[:0] = [sys.argv[1]];"
        "from services.local.processes import Clock; from services.local.servers import *;"
        "clock, folder = Clock(time.monotonic, time.sleep), Path(sys.argv[2]);"
        "p = Running(Postgres(folder / 'p', int(sys.argv[3]), 'pw', clock, folder / 'p.log'), clock);"
        "v = Running(Valkey(folder / 'v', int(sys.argv[4]), 'pw', clock, folder / 'v.log'), clock);"
        "p.start(); v.start(); p.stop(); v.stop(); print('both ran for', os.geteuid())"
    )
    taken: set[int] = set()
    words = [
        sys.executable,
        "-c",
        program,
        str(ROOT),
        str(folder),
        str(free_port(taken)),
        str(free_port(taken)),
    ]
    # With the right to pass through folders, because the interpreter itself may lie in root's home.
    process = launch(words, log=tmp_path / "log", environ={}, folder=folder, uid=NOBODY, reach=True)
    assert 0 == process.wait(SECONDS_MAX), (tmp_path / "log").read_text()
    assert f"both ran for {NOBODY}" in (tmp_path / "log").read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has folders that the server's user may not enter")
def test_postgres_runs_below_a_folder_that_only_root_may_enter(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    server = _postgres(private / "postgres")
    running = Running(server, CLOCK)
    running.start()
    with psycopg.connect(server.admin_url, connect_timeout=CONNECT_SECONDS) as connection:
        assert (1,) == connection.execute("select 1").fetchone()
    running.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's promise to end orphans is Linux's")
def test_a_child_dies_with_the_process_that_started_it(tmp_path: Path) -> None:
    program = (
        "import os, sys, time; from pathlib import Path; sys.path[:0] = [sys.argv[1]];"
        "from services.local.processes import launch; f = Path(sys.argv[2]);"
        "words = [sys.executable, '-c', 'import time; time.sleep(300)'];"
        "p = launch(words, log=f / 'l', environ={}, folder=f);"
        "print(p.pid, flush=True); time.sleep(300)"
    )
    words = [sys.executable, "-c", program, str(ROOT), str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        CLOCK.wait(lambda: _command(child) == "import time; time.sleep(300)", SECONDS_MAX, "the child to run")
        parent.kill()
    CLOCK.wait(lambda: _command(child) is None, SECONDS_MAX, "the child to end")


def test_the_supervisor_starts_a_killed_process_again_and_counts_it(tmp_path: Path) -> None:
    with _supervised(tmp_path, [Tier([_sleeper(tmp_path, "a"), _sleeper(tmp_path, "b")])]):
        victim = _row(tmp_path, "a")
        os.kill(victim["pid"], signal.SIGKILL)
        CLOCK.wait(lambda: _row(tmp_path, "a")["restarts"] == 1, SECONDS_MAX, "the restart")
        after = _row(tmp_path, "a")
        assert (-signal.SIGKILL, False) == (after["last_exit"], after["pid"] == victim["pid"])
        assert 0 == _row(tmp_path, "b")["restarts"]
    assert {("a", "stopped"), ("b", "stopped")} == {(row["name"], row["state"]) for row in _rows(tmp_path)}


def test_the_supervisor_waits_longer_before_each_restart_of_a_process_that_fails(tmp_path: Path) -> None:
    words = ["-c", "raise SystemExit(3)"]
    failing = Part("f", "1", tmp_path / "f.log", lambda: _start(tmp_path, words), lambda: True)
    with _supervised(tmp_path, [Tier([failing])]) as supervisor:
        CLOCK.wait(lambda: _row(tmp_path, "f")["restarts"] >= 3, SECONDS_MAX, "three restarts")
        assert supervisor.children[0].pause >= 0.8
        assert 3 == _row(tmp_path, "f")["last_exit"]


def test_the_supervisor_kills_a_process_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.local.supervisor.STOP_SECONDS_MAX", 0.3)
    program = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);print('deaf', flush=True); time.sleep(300)"
    )
    log = tmp_path / "d.log"
    deaf = Part("d", "1", log, lambda: _start(tmp_path, ["-c", program], log), lambda: "deaf" in log.read_text())
    with _supervised(tmp_path, [Tier([deaf])]):
        pass
    assert -signal.SIGKILL == _row(tmp_path, "d")["last_exit"]


def test_the_supervisor_starts_a_process_again_that_hangs_before_it_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    works = threading.Event()
    works.set()
    part = Part("h", "1", tmp_path / "h.log", lambda: _start(tmp_path, SLEEPER[1:]), works.is_set)
    with _supervised(tmp_path, [Tier([part])]):
        monkeypatch.setattr("services.local.supervisor.READY_SECONDS_MAX", 0.3)
        works.clear()
        os.kill(_row(tmp_path, "h")["pid"], signal.SIGKILL)
        CLOCK.wait(lambda: _row(tmp_path, "h")["restarts"] >= 2, SECONDS_MAX, "the second restart")
        works.set()
        CLOCK.wait(lambda: _row(tmp_path, "h")["state"] == "running", SECONDS_MAX, "it to work")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"database_url": "garbage"}, "^DATABASE_URL: not an address"),
        ({"redis_url": "garbage"}, "^REDIS_URL: not an address"),
        ({"redis_url": "redis://127.0.0.1:1/0"}, "^REDIS_URL: no Redis answers"),
    ],
)
def test_an_address_where_nothing_can_be_is_refused_at_once(tmp_path: Path, given: dict[str, str], words: str) -> None:
    system = System(tmp_path, state.State(), Settings(**given), CLOCK, lambda: "x" * 43)
    with pytest.raises(BadSettings, match=words):
        system.tiers({})


def test_a_given_port_that_is_taken_is_refused_at_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(state.BadState, match=f"^port {port} for table is taken"):
            state.State().port("table", set(), port)


def test_a_part_that_never_works_is_named_and_everything_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.local.supervisor.READY_SECONDS_MAX", 0.3)
    (tmp_path / "n.log").write_text("one\nno such table\n")
    never = Part("n", "1", tmp_path / "n.log", lambda: _start(tmp_path, SLEEPER[1:]), lambda: False)
    supervisor = _supervisor(tmp_path, [Tier([_sleeper(tmp_path, "a")]), Tier([never])])
    with pytest.raises(
        NotReady, match=r"^n to work: not within 0.3 seconds; its output is in .*n\.log and ends: no such table$"
    ):
        supervisor.run(threading.Event(), lambda: None)
    assert {"stopped"} == {row["state"] for row in _rows(tmp_path)}


def test_a_folder_takes_one_system_at_a_time(tmp_path: Path) -> None:
    with (
        state.locked(tmp_path),
        pytest.raises(state.FolderInUse, match=rf"^{tmp_path} is in use by process {os.getpid()};"),
        state.locked(tmp_path),
    ):
        pass
    with state.locked(tmp_path):
        pass


def test_the_state_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    state.save(tmp_path, state.State(bots_token="pin_x"))
    assert 0o600 == stat.S_IMODE((tmp_path / state.FILE).stat().st_mode)
    assert state.State(bots_token="pin_x") == state.load(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", '{"ports": 3}'])
def test_a_damaged_state_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / state.FILE).write_text(text)
    with pytest.raises(state.BadState, match=r"state\.json"):
        state.load(tmp_path)


def test_the_second_start_resumes_data_addresses_and_tokens(server_folder: Path) -> None:
    folder = server_folder / "resumed"
    folder.mkdir(mode=0o711)
    with _up(folder) as first:
        assert first.operator_token.startswith("pin_")
        before = state.load(folder)
        _execute(before.database_url, "create table kept (n int)", "insert into kept values (7)")
        assert _tokens(before.database_url) == {"operator", "bots", "service"}
    with _up(folder) as second:
        after = state.load(folder)
        assert ("", before) == (second.operator_token, after)
        assert [(7,)] == _execute(after.database_url, "select n from kept")
        assert {"postgres", "valkey", "stand-in"} == {r["name"] for r in _rows(folder) if r["state"] == "running"}


def test_every_service_reaches_the_database_as_its_own_role_only(server_folder: Path) -> None:
    folder = server_folder / "roles"
    folder.mkdir(mode=0o711)
    with _up(folder):
        held = state.load(folder)
        assert [("pinochle_tables",)] == _execute(held.tables_database_url, "select current_user::text")
        assert [("pinochle_tournaments",)] == _execute(held.tournaments_database_url, "select current_user::text")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            _execute(held.tables_database_url, "delete from tables.acts")


def test_servers_that_the_environment_names_are_not_started(
    database: TestDatabase, valkey: TestValkey, tmp_path: Path
) -> None:
    given = {"DATABASE_URL": database.admin_url, "REDIS_URL": valkey.url}
    given |= {
        "TABLES_DATABASE_URL": database.tables_url,
        "TOURNAMENTS_DATABASE_URL": database.tournaments_url,
    }
    settings = Settings.load(given)
    with _up(tmp_path, settings):
        assert ["stand-in"] == [row["name"] for row in _rows(tmp_path)]
        held = state.load(tmp_path)
        assert (database.admin_url, valkey.url) == (held.database_url, held.redis_url)


def test_whoever_starts_a_system_is_told_of_the_servers_that_the_environment_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = Settings.load({"DATABASE_URL": "postgresql://owner:secret@db/arena", "REDIS_URL": "redis://cache"})
    show(System(tmp_path, state.State(), given, CLOCK, lambda: ""))
    told = capsys.readouterr().out
    assert "database            the one that DATABASE_URL names, " in told
    assert "redis               the one that REDIS_URL names\n" in told
    assert "secret" not in told
    show(System(tmp_path, state.State(), Settings(), CLOCK, lambda: ""))
    assert "_URL" not in capsys.readouterr().out


def test_a_demonstration_uses_no_server_that_the_environment_names() -> None:
    names = ("DATABASE_URL", "TABLES_DATABASE_URL", "TOURNAMENTS_DATABASE_URL", "REDIS_URL")
    given = Settings.load(dict.fromkeys(names, "redis://other"))
    assert Settings() == with_own_servers(given)


def _postgres(folder: Path) -> Postgres:
    return Postgres(folder, free_port(set()), "admin-test-password", CLOCK, folder.with_suffix(".log"))


def _start(folder: Path, words: list[str], log: Path | None = None) -> subprocess.Popen[bytes]:
    return launch([sys.executable, *words], log=log or folder / "output.log", environ={}, folder=folder)


def _sleeper(folder: Path, name: str) -> Part:
    return Part(name, "1", folder / f"{name}.log", lambda: _start(folder, SLEEPER[1:]), lambda: True)


def _supervisor(folder: Path, tiers: list[Tier]) -> Supervisor:
    return Supervisor(tiers, folder, CLOCK, lambda: time.time_ns() // 1_000_000, lambda text: None)


@contextmanager
def _supervised(folder: Path, tiers: list[Tier]) -> Iterator[Supervisor]:
    """The supervisor at work in a thread of its own; an error in it is an error of the test."""
    supervisor, stop, started = _supervisor(folder, tiers), threading.Event(), threading.Event()
    with ThreadPoolExecutor(1) as threads:
        work = threads.submit(supervisor.run, stop, started.set)
        work.add_done_callback(lambda _: started.set())
        try:
            assert started.wait(SECONDS_MAX)
            if not work.done():
                yield supervisor
        finally:
            stop.set()
            work.result(SECONDS_MAX)


@contextmanager
def _up(folder: Path, settings: Settings | None = None) -> Iterator[System]:
    """The system of a folder with a stand-in for the services, whose own tests run them."""
    new_secret = partial(secrets.token_urlsafe, 32)
    system = System(folder, state.load(folder), settings or Settings(), CLOCK, new_secret, services=(STAND_IN,))
    tiers = system.tiers({})
    state.save(folder, system.state)
    with _supervised(folder, tiers):
        yield system


def _rows(folder: Path) -> list[dict[str, Any]]:
    return list(json.loads((folder / "processes.json").read_text())["processes"])


def _row(folder: Path, name: str) -> dict[str, Any]:
    (row,) = [row for row in _rows(folder) if row["name"] == name]
    return row


def _execute(url: str, *statements: str) -> list[Any]:
    with psycopg.connect(url, connect_timeout=CONNECT_SECONDS) as connection:
        done = [connection.execute(statement) for statement in statements]
        return done[-1].fetchall() if done[-1].description else []


def _tokens(url: str) -> set[str]:
    return {role for (role,) in _execute(url, "select role from auth.tokens")}


def _command(pid: int) -> str | None:
    """The last word of a process's command line; None where it is gone or waits to be collected."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return None
    return words[-2].decode() if len(words) > 1 else None
