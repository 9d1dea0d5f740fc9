"""The runner of migrations, on a real server."""

import concurrent.futures
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from deploy.migrate import FOLDER, MigrationError, main, migrate

PASSWORDS = {"pinochle_tables": "tables-test-password", "pinochle_tournaments": "tournaments-test-password"}
NAMES = sorted(path.name for path in FOLDER.glob("*.sql"))


@pytest.fixture
def empty(postgres) -> Iterator[str]:
    """The address of a database in which nothing was done yet."""
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(postgres.admin_url, autocommit=True, connect_timeout=10) as admin:
        admin.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        yield make_conninfo(postgres.admin_url, dbname=name)
        admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the migrations that a test may change."""
    return Path(shutil.copytree(FOLDER, tmp_path / "migrations"))


def rows(conninfo: str, query: str) -> list[tuple]:
    with psycopg.connect(conninfo, connect_timeout=10) as connection:
        return connection.execute(query).fetchall()


def test_the_first_run_applies_every_file_in_order_and_the_second_none(empty):
    first = migrate(empty, PASSWORDS)
    second = migrate(empty, PASSWORDS)
    assert (first.before, first.applied) == ([], NAMES)
    assert (second.before, second.applied) == (NAMES, [])
    assert rows(empty, "select count(*) from public.migrations where length(checksum) = 64") == [
        (len(NAMES),)
    ]


def test_a_dry_run_names_the_files_and_changes_nothing(empty):
    assert migrate(empty, PASSWORDS, dry_run=True).applied == NAMES
    assert rows(empty, "select to_regclass('tables.acts'), to_regclass('public.migrations')") == [
        (None, None)
    ]


def test_a_changed_file_is_refused_by_name(empty, folder):
    migrate(empty, PASSWORDS, folder=folder)
    (folder / NAMES[0]).write_text((folder / NAMES[0]).read_text() + "\n")
    with pytest.raises(MigrationError, match=rf"^{NAMES[0]} was changed after it was applied"):
        migrate(empty, PASSWORDS, folder=folder)


def test_a_missing_file_is_refused_by_name(empty, folder):
    migrate(empty, PASSWORDS, folder=folder)
    (folder / NAMES[1]).unlink()
    with pytest.raises(MigrationError, match=rf"^{NAMES[1]} was applied, but the file is missing"):
        migrate(empty, PASSWORDS, folder=folder)


def test_a_new_file_below_an_applied_one_is_refused(empty, folder):
    migrate(empty, PASSWORDS, folder=folder)
    (folder / "0000_late.sql").write_text("select 1;")
    with pytest.raises(MigrationError, match=r"^0000_late\.sql comes before"):
        migrate(empty, PASSWORDS, folder=folder)


def test_a_file_that_fails_leaves_nothing_behind_and_can_be_mended(empty, folder):
    bad = folder / "0900_bad.sql"
    bad.write_text("create table public.half (n int);\nselect 1 / 0;")
    with pytest.raises(MigrationError, match=r"^0900_bad\.sql failed: division by zero"):
        migrate(empty, PASSWORDS, folder=folder)
    assert rows(empty, "select to_regclass('public.half')") == [(None,)]
    bad.write_text("create table public.whole (n int);")
    assert migrate(empty, PASSWORDS, folder=folder).applied == ["0900_bad.sql"]


def test_a_file_that_ends_its_own_transaction_is_refused(empty, folder):
    (folder / "0900_commits.sql").write_text("select 1; commit;")
    with pytest.raises(MigrationError, match="ends its transaction"):
        migrate(empty, PASSWORDS, folder=folder)


def test_a_file_with_a_bad_name_is_refused(empty, folder):
    (folder / "new-table.sql").write_text("select 1;")
    with pytest.raises(MigrationError, match=r"^new-table\.sql is not named like"):
        migrate(empty, PASSWORDS, folder=folder)


def test_two_files_with_one_number_are_refused(empty, folder):
    (folder / "0001_again.sql").write_text("select 1;")
    with pytest.raises(MigrationError, match="two migrations have the number 0001"):
        migrate(empty, PASSWORDS, folder=folder)


def test_a_held_lock_ends_the_wait_with_a_clear_error(empty):
    with psycopg.connect(empty, autocommit=True, connect_timeout=10) as other:
        other.execute("select pg_advisory_lock(%s)", (0x70696E6F63686C65,))
        with pytest.raises(MigrationError, match=r"another migration has held the lock for 0\.2 s"):
            migrate(empty, PASSWORDS, lock_seconds_max=0.2)


def test_runs_at_the_same_moment_apply_each_file_once(empty):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(lambda _: migrate(empty, PASSWORDS), range(4)))
    assert sorted(name for report in reports for name in report.applied) == NAMES


def test_databases_of_one_cluster_can_be_migrated_at_the_same_moment(postgres):
    names = [f"test_{uuid.uuid4().hex}" for _ in range(3)]
    addresses = [make_conninfo(postgres.admin_url, dbname=name) for name in names]
    with psycopg.connect(postgres.admin_url, autocommit=True, connect_timeout=10) as admin:
        for name in names:
            admin.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        try:
            with concurrent.futures.ThreadPoolExecutor(3) as pool:
                reports = list(pool.map(lambda address: migrate(address, PASSWORDS), addresses))
            assert [report.applied for report in reports] == [NAMES] * 3
        finally:
            for name in names:
                admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def test_a_database_that_is_down_is_a_clear_error_after_the_wait():
    nowhere = "postgresql://nobody@127.0.0.1:1/nothing"
    with pytest.raises(MigrationError, match=r"^the database can't be reached"):
        migrate(nowhere, PASSWORDS, wait_seconds=0.3)


def test_a_role_logs_in_with_its_new_password_only(empty):
    migrate(empty, PASSWORDS)
    address = make_conninfo(empty, user="pinochle_tables", password="tables-test-password")
    assert rows(address, "select current_user") == [("pinochle_tables",)]
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(make_conninfo(address, password="another"), connect_timeout=10)


@pytest.mark.parametrize(
    ("passwords", "message"),
    [
        ({"postgres": "x"}, "no migration makes a role named postgres"),
        ({"pinochle_tables": ""}, "the password of pinochle_tables is empty"),
    ],
)
def test_bad_passwords_are_refused(empty, passwords, message):
    with pytest.raises(MigrationError, match=message):
        migrate(empty, passwords)


def test_the_command_says_what_it_applied(empty, monkeypatch, capsys):
    for role, word in (("pinochle_tables", "TABLES"), ("pinochle_tournaments", "TOURNAMENTS")):
        monkeypatch.setenv(f"{word}_DATABASE_URL", f"postgresql://{role}:{PASSWORDS[role]}@127.0.0.1/x")
    monkeypatch.setenv("DATABASE_URL", empty_url(empty))
    assert main(["--wait", "5"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out == [*(f"applied {name}" for name in NAMES), f"0 applied before, {len(NAMES)} now"]


def test_the_command_names_a_setting_that_is_missing(monkeypatch, capsys):
    for name in ("DATABASE_URL", "TABLES_DATABASE_URL", "TOURNAMENTS_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert main([]) == 1
    assert "DATABASE_URL must be set" in capsys.readouterr().err


def empty_url(conninfo: str) -> str:
    """A conninfo with spaces as a URL, which is what the environment holds."""
    parts = psycopg.conninfo.conninfo_to_dict(conninfo)
    place = f"{parts['user']}:{parts.get('password', '')}@{parts['host']}:{parts['port']}"
    return f"postgresql://{place}/{parts['dbname']}"
