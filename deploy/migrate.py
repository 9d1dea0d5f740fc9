"""Bring a database up to the newest migration: `python -m deploy.migrate`.

Each file of `deploy/migrations` is applied once, in the order of its number, in a transaction of its own,
and is recorded in `public.migrations` with its SHA-256. Nothing is applied when a file that was applied has
changed or is gone, or when a new file has a number below an applied one. Two runs at once wait for each
other. A second run changes nothing but the roles' passwords, which are set each time.

The command reads DATABASE_URL (the owner) and, for the roles' passwords, TABLES_DATABASE_URL and
TOURNAMENTS_DATABASE_URL. It exits with 0, or with 1 and one line that says why.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from services.config import BadSettings, Settings

FOLDER = Path(__file__).with_name("migrations")
ROLES = ("pinochle_tables", "pinochle_tournaments")
CONNECT_SECONDS_MAX = 5
LOCK_SECONDS_MAX = 60.0
STATEMENT_SECONDS_MAX = 600.0
POLL_SECONDS = 0.2
PASSWORD_TRIES_MAX = 20

_LOCK = 0x70696E6F63686C65  # "pinochle": the key of our advisory lock
_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")


class MigrationError(Exception):
    """The database can't be migrated; the text is one line that says why."""


@dataclass
class Report:
    """Names of the files applied before, and of those applied now (in a dry run: to be applied)."""

    before: list[str] = field(default_factory=list)
    applied: list[str] = field(default_factory=list)


def migrate(
    conninfo: str,
    passwords: Mapping[str, str],
    *,
    folder: Path = FOLDER,
    dry_run: bool = False,
    wait_seconds: float = 0,
    lock_seconds_max: float = LOCK_SECONDS_MAX,
) -> Report:
    """Apply what is missing, as the owner, and set the passwords of roles; MigrationError says why not.

    `wait_seconds` is how long the database may take to come up. A dry run changes nothing.
    """
    unknown = sorted(set(passwords) - set(ROLES))
    if unknown:
        raise MigrationError(f"no migration makes a role named {unknown[0]}")
    if empty := [role for role in passwords if not passwords[role]]:
        raise MigrationError(f"the password of {empty[0]} is empty")
    files = _files(folder)
    try:
        with _locked(conninfo, wait_seconds, lock_seconds_max) as connection:
            report = _plan(connection, files)
            if not dry_run:
                for name in report.applied:
                    _apply(connection, name, files[name])
                for role, password in passwords.items():
                    _set_password(connection, role, password)
            return report
    except psycopg.Error as error:
        raise MigrationError(_one_line(error)) from error


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m deploy.migrate", description="Migrate the database.")
    parser.add_argument("--dry-run", action="store_true", help="say what would be applied and change nothing")
    parser.add_argument("--wait", type=float, default=0, metavar="SECONDS", help="wait until it is up")
    options = parser.parse_args(arguments)
    try:
        settings = Settings.load().required("database_url", "tables_database_url", "tournaments_database_url")
        urls = (settings.tables_database_url, settings.tournaments_database_url)
        passwords = dict(map(_credentials, ROLES, urls))
        report = migrate(settings.database_url, passwords, dry_run=options.dry_run, wait_seconds=options.wait)
    except (BadSettings, MigrationError) as error:
        print(f"migrate: {error}", file=sys.stderr)
        return 1
    for name in report.applied:
        print(f"{'would apply' if options.dry_run else 'applied'} {name}")
    print(
        f"{len(report.before)} applied before, {len(report.applied)} {'to apply' if options.dry_run else 'now'}"
    )
    return 0


def _credentials(role: str, url: str) -> tuple[str, str]:
    """A role and its password, from the address at which its service connects."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:
        raise MigrationError(f"the address for {role} is not a database address") from None
    if parts.get("user") != role:
        raise MigrationError(f"the address for {role} names another user")
    return role, str(parts.get("password") or "")


def _files(folder: Path) -> dict[str, bytes]:
    """The migrations by name, in order."""
    files: dict[str, bytes] = {}
    numbers: set[str] = set()
    for path in sorted(folder.glob("*.sql")):
        match = _NAME.fullmatch(path.name)
        if match is None:
            raise MigrationError(f"{path.name} is not named like 0001_tables.sql")
        if match[1] in numbers:
            raise MigrationError(f"two migrations have the number {match[1]}")
        numbers.add(match[1])
        files[path.name] = path.read_bytes()
    if not files:
        raise MigrationError(f"{folder} holds no migrations")
    return files


@contextmanager
def _locked(conninfo: str, wait_seconds: float, lock_seconds_max: float) -> Iterator[psycopg.Connection]:
    """A connection that holds the lock against other runs on the same database."""
    with _connect(conninfo, wait_seconds) as connection:
        for name, seconds in (
            ("lock_timeout", lock_seconds_max),
            ("statement_timeout", STATEMENT_SECONDS_MAX),
        ):
            connection.execute("select set_config(%s, %s, false)", (name, str(int(seconds * 1000))))
        try:
            connection.execute("select pg_advisory_lock(%s)", (_LOCK,))
        except psycopg.errors.LockNotAvailable:
            raise MigrationError(f"another migration has held the lock for {lock_seconds_max:g} s") from None
        yield connection  # closing it gives the lock back


def _connect(conninfo: str, wait_seconds: float) -> psycopg.Connection:
    end = time.monotonic() + wait_seconds
    while True:
        try:
            return psycopg.connect(conninfo, autocommit=True, connect_timeout=CONNECT_SECONDS_MAX)
        except psycopg.OperationalError as error:
            if time.monotonic() >= end:
                raise MigrationError(f"the database can't be reached: {_one_line(error)}") from error
        time.sleep(POLL_SECONDS)


def _plan(connection: psycopg.Connection, files: Mapping[str, bytes]) -> Report:
    """What was applied and what is to come; MigrationError where the two don't fit."""
    recorded: dict[str, str] = {}
    if connection.execute("select to_regclass('public.migrations')").fetchone() != (None,):
        recorded = dict(
            connection.execute("select name, checksum from public.migrations order by name").fetchall()
        )
    for name, checksum in recorded.items():
        if name not in files:
            raise MigrationError(f"{name} was applied, but the file is missing")
        if _checksum(files[name]) != checksum:
            raise MigrationError(f"{name} was changed after it was applied; write a new migration instead")
    report = Report(list(recorded), [name for name in files if name not in recorded])
    if recorded and report.applied and report.applied[0] < report.before[-1]:
        raise MigrationError(
            f"{report.applied[0]} comes before {report.before[-1]}, which was applied already"
        )
    return report


def _apply(connection: psycopg.Connection, name: str, text: bytes) -> None:
    try:
        with connection.transaction():
            connection.execute(_RECORDS)
            connection.execute(text)
            if connection.info.transaction_status != TransactionStatus.INTRANS:
                raise MigrationError(f"{name} ends its transaction; a migration must not")
            connection.execute(
                "insert into public.migrations (name, checksum) values (%s, %s)", (name, _checksum(text))
            )
    except psycopg.Error as error:
        raise MigrationError(f"{name} failed: {_one_line(error)}") from error


_RECORDS = """create table if not exists public.migrations (
  name text primary key, checksum text not null, applied_at timestamptz not null default clock_timestamp())"""


def _set_password(connection: psycopg.Connection, role: str, password: str) -> None:
    """Let a role log in with this password; the server gets to see no more than its verifier.

    Roles belong to the cluster, but the lock to one database: another database's run may change the same
    role at the same moment, which Postgres answers with an error instead of a wait.
    """
    pgconn = connection.pgconn
    verifier = pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
    statement = sql.SQL("alter role {} login password {}").format(sql.Identifier(role), sql.Literal(verifier))
    for left in range(PASSWORD_TRIES_MAX - 1, -1, -1):
        try:
            connection.execute(statement)
            return
        except psycopg.errors.InternalError_ as error:
            if left == 0 or "concurrently updated" not in str(error):
                raise
        connection.execute("select pg_sleep(0.05)")


def _checksum(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())
