"""Fixtures for tests that need a real Postgres or Valkey; each is started once a session when asked for.

DATABASE_URL and REDIS_URL, where set, name servers to use instead; they must be servers for tests, because
roles get new passwords and one Redis database is emptied.
"""

import os
import shutil
import signal
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
import pytest
import redis
from psycopg import sql

from services.local.processes import Clock, free_port
from services.local.servers import Postgres, Running, Valkey

CLOCK = Clock(time.monotonic, time.sleep)
PASSWORDS = {"pinochle_tables": "tables-test-password", "pinochle_tournaments": "tournaments-test-password"}
REDIS_DATABASE = 9
CONNECT_SECONDS = 10


def pytest_configure() -> None:
    """Programs that the tests stop with Ctrl-C must hear it, also where the tests were started in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass
class TestPostgres:
    """A running Postgres; only an embedded one can be killed and restarted."""

    __test__ = False
    admin_url: str
    running: Running | None = None
    templates: list[str] = field(default_factory=list)

    def kill(self) -> None:
        self._embedded().kill()

    def restart(self) -> None:
        self._embedded().restart()

    def _embedded(self) -> Running:
        if self.running is None:
            pytest.skip("the Postgres at DATABASE_URL is not ours to stop")
        return self.running


@dataclass
class TestValkey:
    """A running Valkey or Redis, its own database emptied before each test."""

    __test__ = False
    url: str
    running: Running | None = None

    def kill(self) -> None:
        self._embedded().kill()

    def restart(self) -> None:
        self._embedded().restart()

    def _embedded(self) -> Running:
        if self.running is None:
            pytest.skip("the Redis at REDIS_URL is not ours to stop")
        return self.running


@dataclass(frozen=True)
class TestDatabase:
    """One migrated database: as its owner, and as each service's role."""

    __test__ = False
    name: str
    admin_url: str
    tables_url: str
    tournaments_url: str


@pytest.fixture(scope="session")
def server_folder() -> Iterator[Path]:
    """A folder that another user may enter, as Postgres must when the tests run as root."""
    folder = Path(tempfile.mkdtemp(prefix="pinochle-tests-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres(request: pytest.FixtureRequest) -> Iterator[TestPostgres]:
    if url := os.environ.get("DATABASE_URL"):
        server = TestPostgres(url)
        yield server
        for name in server.templates:
            _administer(url, "drop database if exists {} with (force)", name)
        return
    folder = request.getfixturevalue("server_folder")
    log = folder / "postgres.log"
    embedded = Postgres(folder / "postgres", free_port(set()), "admin-test-password", CLOCK, log)
    running = Running(embedded, CLOCK)
    running.start()
    yield TestPostgres(embedded.admin_url, running)
    running.stop()


@pytest.fixture
def database(postgres: TestPostgres) -> Iterator[TestDatabase]:
    """A database of this test's own, migrated; dropped afterwards even if a connection is left."""
    with new_database(postgres) as made:
        yield made


@contextmanager
def new_database(postgres: TestPostgres) -> Iterator[TestDatabase]:
    """A migrated database for as long as the block lasts."""
    if postgres.running is not None and not postgres.running.is_alive():
        postgres.restart()
    if not postgres.templates:
        postgres.templates.append(_migrated_template(postgres.admin_url))
    name = f"test_{uuid.uuid4().hex}"
    _administer(postgres.admin_url, "create database {} template {}", name, postgres.templates[0])
    # A copy has the template's tables and rights, but not the rights on the database itself.
    _administer(postgres.admin_url, "revoke all on database {} from public", name)
    for role in PASSWORDS:
        _administer(postgres.admin_url, "grant connect on database {} to {}", name, role)
    try:
        yield TestDatabase(
            name,
            _at(postgres.admin_url, name),
            _at(postgres.admin_url, name, "pinochle_tables"),
            _at(postgres.admin_url, name, "pinochle_tournaments"),
        )
    finally:
        if postgres.running is not None and not postgres.running.is_alive():
            postgres.restart()
        _administer(postgres.admin_url, "drop database if exists {} with (force)", name)


@pytest.fixture(scope="session")
def valkey_server(request: pytest.FixtureRequest) -> Iterator[TestValkey]:
    if url := os.environ.get("REDIS_URL"):
        yield TestValkey(urlsplit(url)._replace(path=f"/{REDIS_DATABASE}").geturl())
        return
    folder = request.getfixturevalue("server_folder")
    server = Valkey(folder / "valkey", free_port(set()), "test-password", CLOCK, folder / "valkey.log")
    running = Running(server, CLOCK)
    running.start()
    yield TestValkey(urlsplit(server.url)._replace(path=f"/{REDIS_DATABASE}").geturl(), running)
    running.stop()


@pytest.fixture
def valkey(valkey_server: TestValkey) -> TestValkey:
    if valkey_server.running is not None and not valkey_server.running.is_alive():
        valkey_server.restart()
    with redis.Redis.from_url(valkey_server.url, socket_timeout=CONNECT_SECONDS) as client:
        client.flushdb()
    return valkey_server


def _migrated_template(admin_url: str) -> str:
    """A migrated database to copy: faster than running every migration for every test."""
    from deploy.migrate import migrate

    name = f"test_template_{uuid.uuid4().hex}"
    _administer(admin_url, "create database {}", name)
    migrate(_at(admin_url, name), PASSWORDS)
    return name


def _administer(url: str, statement: str, *names: str) -> None:
    with psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS) as connection:
        connection.execute("set statement_timeout = '30s'")
        connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def _at(url: str, database: str, role: str | None = None) -> str:
    """The same server, another database, and as another role."""
    parts = urlsplit(url)
    place = parts.netloc
    if role is not None:
        place = f"{role}:{quote(PASSWORDS[role])}@{place.rpartition('@')[2]}"
    return urlunsplit(parts._replace(netloc=place, path=f"/{database}"))
