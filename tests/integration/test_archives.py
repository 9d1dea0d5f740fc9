"""Archives and backups: what comes back has the same hashes and adds up to the same states, or is refused whole."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from pinochle import audit
from pinochle.export import Header, StoredAct
from pinochle.wire import archive, chain, tournament_codec

from services.local.servers import postgres_binaries
from tests.conftest import TestDatabase, TestPostgres, new_database
from tests.integration.test_unreadable import newer_body
from tests.played import STREAM, chained, hold, play

ROOT = Path(__file__).resolve().parents[2]
RUN_SECONDS_MAX = 60
Heads = dict[tuple[str, UUID], tuple[int, bytes, int, Any, bool]]


@cache
def played() -> tuple[tuple[Header, tuple[StoredAct, ...]], ...]:
    """A tournament, four tables that have ended, and one that still runs; each with an id of its own."""
    tournament = hold("knockout", 5)
    stored = tuple(chained(tournament, encode=tournament_codec.at_rest))
    found = [(Header("tournament", UUID(tournament[0].command.tournament), len(stored), stored[-1].hash), stored)]
    tables = [play(profile, 4, deals=1) for profile in ("classic", "double-deck", "two-handed", "classic-help")]
    for acts in [play("classic", 3, turn_ms=60_000)[:30], *tables]:
        stream = uuid4()
        stored = tuple(chained(acts, stream))
        found.append((Header("table", stream, len(stored), stored[-1].hash), stored))
    return tuple(found)


@pytest.fixture
def everything(tmp_path: Path) -> Path:
    """An archive of all of it."""
    return written(tmp_path / "everything.jsonl")


def written(path: Path, form: str = "jsonl") -> Path:
    path.write_bytes(b"".join(record for header, acts in played() for record in archive.records(form, header, acts)))
    return path


@pytest.fixture
def second(postgres: TestPostgres) -> Iterator[TestDatabase]:
    with new_database(postgres) as made:
        yield made


def run(database: TestDatabase, *words: object) -> subprocess.CompletedProcess[str]:
    """The operator's tool on this database."""
    told = {**os.environ, "DATABASE_URL": database.admin_url, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'engine'}"}
    return subprocess.run(
        [sys.executable, "-m", "deploy.archive", *map(str, words)],
        cwd=ROOT, env=told, capture_output=True, text=True, timeout=RUN_SECONDS_MAX, check=False,
    )  # fmt: skip


def heads(database: TestDatabase) -> Heads:
    """Every head row of the database."""
    found: Heads = {}
    with psycopg.connect(database.admin_url) as connection:
        for schema in ("tables", "tournaments"):
            query = f"select id, version, head, due, due_at, open from {schema}.streams"
            for stream, *row in connection.execute(query).fetchall():  # type: ignore[arg-type]
                found[schema, stream] = tuple(row)  # type: ignore[assignment]
    return found


def rebuilt(database: TestDatabase) -> dict[UUID, Any]:
    """The state of every stream, from the stored acts alone."""
    states = {}
    with psycopg.connect(database.admin_url) as connection:
        for schema, kind in (("tables", audit.TABLE), ("tournaments", audit.EVENT)):
            for (stream,) in connection.execute(f"select id from {schema}.streams").fetchall():  # type: ignore[arg-type]
                query = f"select version, uuid_send(command_id), body, hash from {schema}.acts where stream = %s"
                rows = connection.execute(f"{query} order by version", (stream,), binary=True)  # type: ignore[arg-type]
                states[stream] = audit.rebuild([StoredAct(*row) for row in rows.fetchall()], kind)
    return states


@pytest.mark.parametrize("form", archive.FORMS)
def test_an_archive_put_in_and_written_again_is_the_same_streams(
    database: TestDatabase, second: TestDatabase, tmp_path: Path, form: str
) -> None:
    put_in = run(database, "import", written(tmp_path / "in", form))
    assert (0, "6 streams put in, ") == (put_in.returncode, put_in.stdout[:18])
    out = run(database, "export", "--state", "all", "--format", form, "-o", tmp_path / "out")
    assert 0 == out.returncode
    read = {header.stream: (header, acts) for header, acts in streams(tmp_path / "out")}
    assert {header.stream: (header, acts) for header, acts in played()} == read

    assert 0 == run(second, "import", tmp_path / "out").returncode
    assert heads(database) == heads(second)
    assert rebuilt(database) == rebuilt(second)
    expected = {header.stream: (header.acts, header.head) for header, _ in played()}
    assert expected == {stream: row[:2] for (_, stream), row in heads(second).items()}


def streams(path: Path) -> Iterator[tuple[Header, tuple[StoredAct, ...]]]:
    with path.open("rb") as file:
        for header, acts in archive.exports(file):
            yield header, tuple(acts)


def test_what_still_runs_is_in_an_archive_only_where_that_was_asked_for(
    database: TestDatabase, everything: Path, tmp_path: Path
) -> None:
    run(database, "import", everything)
    assert 0 == run(database, "export", "-o", tmp_path / "ended").returncode
    ended = {header.stream for header, _ in streams(tmp_path / "ended")}
    assert {header.stream for header, _ in played()} - ended == {played()[1][0].stream}


def test_a_head_row_that_was_put_in_says_who_is_due(database: TestDatabase, everything: Path) -> None:
    run(database, "import", everything)
    header, acts = played()[1]
    state = audit.rebuild(acts)
    due, due_at, is_open = heads(database)["tables", header.stream][2:]
    assert (state.turn, state.deadline_ms, True) == (due, round(due_at.timestamp() * 1000), is_open)


def test_a_dry_run_writes_nothing_and_finds_what_is_spoilt(database: TestDatabase, everything: Path) -> None:
    dry = run(database, "import", everything, "--dry-run")
    assert (0, "6 streams would be put in") == (dry.returncode, dry.stdout[:25])
    spoil(everything, 200)
    assert 1 == run(database, "import", everything, "--dry-run").returncode
    assert {} == heads(database)


def spoil(path: Path, line: int) -> None:
    """Change the body of one act, and no more."""
    lines = path.read_bytes().splitlines(keepends=True)
    at = lines[line].index(b'"body":"') + 20
    lines[line] = lines[line][:at] + (b"A" if lines[line][at : at + 1] != b"A" else b"B") + lines[line][at + 1 :]
    path.write_bytes(b"".join(lines))


def test_a_spoilt_stream_is_refused_whole_and_those_before_it_stay(database: TestDatabase, everything: Path) -> None:
    first = played()[0][0]
    spoil(everything, first.acts + 1 + 12)
    put_in = run(database, "import", everything)
    assert 1 == put_in.returncode
    running = played()[1][0].stream
    assert f"table {running}, act 12: chain: the act does not follow from the ones before" in put_in.stderr
    assert {("tournaments", first.stream)} == set(heads(database))
    with psycopg.connect(database.admin_url) as connection:
        assert (0,) == connection.execute("select count(*) from tables.acts").fetchone()

    assert 0 == run(database, "import", written(everything)).returncode
    assert 6 == len(heads(database))


def test_a_stream_that_is_there_otherwise_is_refused_and_stays_as_it_was(
    database: TestDatabase, everything: Path, tmp_path: Path
) -> None:
    header, acts = played()[2]
    shorter = tmp_path / "shorter"
    part = acts[:20]
    cut = Header("table", header.stream, len(part), part[-1].hash)
    shorter.write_bytes(b"".join(archive.records("jsonl", cut, part)))
    assert 0 == run(database, "import", shorter).returncode
    before = heads(database)["tables", header.stream]
    put_in = run(database, "import", everything)
    assert 1 == put_in.returncode
    assert f"table {header.stream}: the database holds it otherwise (20 acts, head " in put_in.stderr
    assert before == heads(database)["tables", header.stream]


def test_an_import_that_was_killed_goes_on_with_the_same_command(database: TestDatabase, everything: Path) -> None:
    told = {**os.environ, "DATABASE_URL": database.admin_url, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'engine'}"}
    process = subprocess.Popen(
        [sys.executable, "-m", "deploy.archive", "import", everything], cwd=ROOT, env=told, stdout=subprocess.DEVNULL
    )
    until = time.monotonic() + RUN_SECONDS_MAX
    while not heads(database) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait(RUN_SECONDS_MAX)
    there = len(heads(database))
    again = run(database, "import", everything)
    assert (0, f"{6 - there} streams put in") == (again.returncode, again.stdout.partition(",")[0])
    assert again.stdout.endswith(f"; {there} were there already\n")
    assert {header.stream for header, _ in played()} == {stream for _, stream in heads(database)}


def test_an_export_that_was_cut_off_is_gone_on_with_and_ends_the_same(
    database: TestDatabase, everything: Path, tmp_path: Path
) -> None:
    run(database, "import", everything)
    whole, part = tmp_path / "whole", tmp_path / "again.part"
    assert 0 == run(database, "export", "--state", "all", "-o", whole).returncode
    part.write_bytes(whole.read_bytes()[: whole.stat().st_size * 2 // 3])
    refused = run(database, "export", "--state", "all", "-o", tmp_path / "again")
    assert 2 == refused.returncode
    assert "go on with --resume, or remove it" in refused.stderr
    resumed = run(database, "export", "--state", "all", "-o", tmp_path / "again", "--resume")
    assert 0 == resumed.returncode
    assert " of them from before" in resumed.stdout
    assert whole.read_bytes() == (tmp_path / "again").read_bytes()
    assert not part.exists()


def test_an_archive_into_a_pipe_or_over_a_link_replaces_neither(
    database: TestDatabase, everything: Path, tmp_path: Path
) -> None:
    run(database, "import", everything)
    assert 0 == run(database, "export", "-o", tmp_path / "plain").returncode
    expected = (tmp_path / "plain").read_bytes()
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as reader:
        reading = reader.submit((tmp_path / "pipe").read_bytes)
        assert 0 == run(database, "export", "-o", tmp_path / "pipe").returncode
        assert expected == reading.result(RUN_SECONDS_MAX)
    assert (tmp_path / "pipe").is_fifo()
    assert 2 == run(database, "export", "-o", tmp_path / "pipe", "--resume").returncode
    (tmp_path / "link").symlink_to("target")
    assert 0 == run(database, "export", "-o", tmp_path / "link").returncode
    assert (tmp_path / "link").is_symlink()
    assert expected == (tmp_path / "target").read_bytes()


@pytest.mark.parametrize("what", ["fewer acts", "not here", "twice"])
def test_what_is_no_longer_as_the_database_has_it_is_not_gone_on_with(
    database: TestDatabase, everything: Path, tmp_path: Path, what: str
) -> None:
    run(database, "import", everything)
    (header, acts), *_ = [each for each in played() if each[0].kind == "table"]
    if what == "fewer acts":  # as a running table was some acts ago
        acts = acts[:-5]
        header = Header("table", header.stream, len(acts), acts[-1].hash)
    elif what == "not here":
        other = uuid4()
        acts = tuple(chained(play("classic", 5, deals=1), other))
        header = Header("table", other, len(acts), acts[-1].hash)
    there = b"".join(archive.records("jsonl", header, acts)) * (2 if what == "twice" else 1)
    (tmp_path / "again.part").write_bytes(there)
    refused = run(database, "export", "--state", "all", "-o", tmp_path / "again", "--resume")
    assert (1, 1) == (refused.returncode, refused.stderr.count("\n"))
    assert f"holds {header.stream} otherwise than it stands now" in refused.stderr
    assert not (tmp_path / "again").exists()


def test_what_was_cut_off_is_not_gone_on_with_in_the_other_form(
    database: TestDatabase, everything: Path, tmp_path: Path
) -> None:
    run(database, "import", everything)
    part = tmp_path / "again.part"
    for there, other in (("jsonl", "protobuf"), ("protobuf", "jsonl")):
        kept = written(part, there).read_bytes()[:-100]
        part.write_bytes(kept)
        refused = run(database, "export", "--format", other, "-o", tmp_path / "again", "--resume")
        assert (2, 1) == (refused.returncode, refused.stderr.count("\n"))
        assert f"again.part is {there}: go on with --format {there}, or remove it" in refused.stderr
        assert kept == part.read_bytes()


def newer_act(database: TestDatabase, schema: str, stream: UUID) -> int:
    """Store an act of a kind that this version does not know behind a stream, or as its first; the act's version."""
    with psycopg.connect(database.admin_url) as connection:
        query = f"select version, head from {schema}.streams where id = %s"
        row = connection.execute(query, (stream,), binary=True).fetchone()  # type: ignore[arg-type]
        version, before = (row[0] + 1, row[1]) if row else (1, chain.START)
        link = chain.link(before, stream.bytes, version, stream.bytes, newer_body())
        acts = f"insert into {schema}.acts (stream, version, command_id, body, hash) values (%s, %s, %s, %s, %s)"
        connection.execute(acts, (stream, version, stream, newer_body(), link))  # type: ignore[arg-type]
        head = f"""insert into {schema}.streams (id, version, head, due, open) values (%s, %s, %s, -1, false)
            on conflict (id) do update set version = excluded.version, head = excluded.head"""
        connection.execute(head, (stream, version, link))  # type: ignore[arg-type]
    return int(version)


def test_what_only_a_newer_version_can_read_is_written_with_the_rest_and_refused_by_an_import(
    database: TestDatabase, second: TestDatabase, everything: Path, tmp_path: Path
) -> None:
    run(database, "import", everything)
    tournament, table = played()[0][0].stream, played()[2][0].stream
    version = newer_act(database, "tournaments", tournament)
    newer_act(database, "tables", table)
    out = run(database, "export", "--state", "all", "-o", tmp_path / "out")
    assert (1, 1) == (out.returncode, out.stderr.count("\n"))
    assert f"tournament {tournament}, which tables it has can be told up to there only: act {version}: " in out.stderr
    expected = {(stream, row[1]) for (_, stream), row in heads(database).items()}
    assert expected == {(header.stream, header.head) for header, _ in streams(tmp_path / "out")}
    put_in = run(second, "import", tmp_path / "out")
    assert (1, 1) == (put_in.returncode, put_in.stderr.count("\n"))
    assert f"tournament {tournament}, act {version}: it can't be read or filed: an event of a kind" in put_in.stderr


def test_a_spoilt_copy_of_a_stream_that_is_there_is_refused(database: TestDatabase, everything: Path) -> None:
    run(database, "import", everything)
    before = heads(database)
    spoil(everything, 5)
    for words in ((), ("--dry-run",)):
        refused = run(database, "import", everything, *words)
        assert 1 == refused.returncode
        assert f"tournament {played()[0][0].stream}, act 5: chain: " in refused.stderr
    assert before == heads(database)


def test_a_time_that_no_calendar_has_is_refused_by_a_dry_run_as_well(database: TestDatabase, tmp_path: Path) -> None:
    acts = play("classic", 4, deals=1)
    stored = tuple(chained([replace(acts[0], at_ms=300_000 * 366 * 86_400_000), *acts[1:]]))
    path = tmp_path / "late"
    header = Header("table", STREAM, len(stored), stored[-1].hash)
    path.write_bytes(b"".join(archive.records("jsonl", header, stored)))
    for words in ((), ("--dry-run",)):
        refused = run(database, "import", path, *words)
        assert (1, 1) == (refused.returncode, refused.stderr.count("\n"))
        assert f"table {STREAM}, act 1: it can't be read or filed: 9486720000000000 ms is no time" in refused.stderr


@pytest.mark.parametrize(
    "said",
    [
        {"player": "alice", "name": "\ud800", "contact": ""},
        {"player": "no id", "name": "", "contact": ""},
        {"player": "alice", "name": None, "contact": ""},
        {"player": "alice"},
    ],
)
def test_a_line_that_is_no_name_in_a_side_file_is_refused_in_one_line(
    database: TestDatabase, everything: Path, tmp_path: Path, said: dict[str, Any]
) -> None:
    texts = tmp_path / "texts"
    texts.write_text(json.dumps(said) + "\n")
    refused = run(database, "import", everything, "--texts", texts)
    assert (1, 1) == (refused.returncode, refused.stderr.count("\n"))
    assert refused.stderr.startswith("archive: line 1: not a ")


def test_a_backup_by_pg_dump_restores_to_the_same_heads_and_states(
    database: TestDatabase, second: TestDatabase, everything: Path, tmp_path: Path
) -> None:
    run(database, "import", everything)
    dump = tmp_path / "arena.dump"
    tool("pg_dump", "--format=custom", f"--file={dump}", f"--dbname={database.admin_url}")
    restore = ("--clean", "--if-exists", "--single-transaction", "--exit-on-error")
    tool("pg_restore", *restore, f"--dbname={second.admin_url}", str(dump))
    assert heads(database) == heads(second)
    assert rebuilt(database) == rebuilt(second)
    with psycopg.connect(second.tables_url) as connection:  # the roles have their rights again, and no more
        assert (5,) == connection.execute("select count(*) from tables.streams").fetchone()
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("delete from tables.acts")


def tool(name: str, *words: str) -> None:
    ran = subprocess.run(
        [postgres_binaries() / name, *words], capture_output=True, text=True, timeout=RUN_SECONDS_MAX, check=False
    )
    assert (0, "") == (ran.returncode, ran.stderr)


def test_the_command_puts_an_archive_in_by_the_operators_tool(database: TestDatabase, everything: Path) -> None:
    told = {**os.environ, "DATABASE_URL": database.admin_url, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'engine'}"}
    words = [sys.executable, "-m", "pinochle.cli", "import", str(everything)]
    ran = subprocess.run(
        words, cwd=ROOT, env=told, capture_output=True, text=True, timeout=RUN_SECONDS_MAX, check=False
    )
    assert (0, "", "6 streams put in") == (ran.returncode, ran.stderr, ran.stdout.partition(",")[0])
    assert 6 == len(heads(database))


def test_a_file_that_is_no_archive_is_refused_in_one_line(database: TestDatabase, tmp_path: Path) -> None:
    nonsense = tmp_path / "nonsense"
    nonsense.write_bytes(b"nonsense\n")
    ran = run(database, "import", nonsense)
    assert (1, "archive: line 1: not JSON\n") == (ran.returncode, ran.stderr)
