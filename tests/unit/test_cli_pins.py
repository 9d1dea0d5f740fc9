"""`pinochle verify --root`: one noted hash for a tournament and all its tables, in one file or in many."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from uuid import UUID

import pytest
from pinochle import audit, export
from pinochle.cli.program import main
from pinochle.cli.settings import OK, PROBLEM, USAGE
from pinochle.export import Header, StoredAct
from pinochle.wire import archive

from tests.played import STREAM, chained, hold_with_tables, play

Said = Callable[..., tuple[int, str]]


@cache
def event() -> tuple[tuple[str, UUID, tuple[StoredAct, ...]], ...]:
    """A tournament and its tables: kind, id and acts of each."""
    acts, tables = hold_with_tables("knockout", 9, teams=3)
    return (
        ("tournament", STREAM, tuple(chained(acts, STREAM, audit.EVENT.at_rest))),
        *(("table", UUID(table), tuple(chained(played, UUID(table)))) for table, played in tables.items()),
    )


def pin() -> str:
    return event()[0][2][-1].hash.hex()


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """Run a command; its exit code and what it wrote to stdout."""

    def run(*words: object) -> tuple[int, str]:
        code = main([str(word) for word in words])
        return code, capsys.readouterr().out

    return run


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """An export of each stream."""
    paths = []
    for number, (kind, stream, acts) in enumerate(event()):
        paths.append(tmp_path / f"{number}.jsonl")
        paths[-1].write_bytes(b"".join(export.lines(kind, stream, acts)))
    return paths


def test_the_files_of_a_tournament_are_held_against_its_pin(said: Said, files: list[Path]) -> None:
    code, out = said("verify", *files, "--root", pin())
    assert (OK, f"     tournament {STREAM} under this root: 2 of its 2 tables are here and fit") == (
        code, out.splitlines()[-1]
    )  # fmt: skip
    code, out = said("verify", *files, "--root", "ab" * 32)
    assert PROBLEM == code
    assert f"BAD  tournament {STREAM}: pin: expected the head {'ab' * 32}, found {pin()}" in out.splitlines()


@pytest.mark.parametrize("form", archive.FORMS)
def test_an_archive_in_one_file_is_held_against_its_pin(said: Said, tmp_path: Path, form: str) -> None:
    path = tmp_path / "all"
    path.write_bytes(
        b"".join(
            record
            for kind, stream, acts in event()
            for record in archive.records(form, Header(kind, stream, len(acts), acts[-1].hash), acts)
        )
    )
    assert OK == said("verify", path, "--root", pin())[0]
    assert PROBLEM == said("verify", path, "--root", event()[1][2][-1].hash.hex())[0]


def test_a_table_is_held_against_its_tournament_without_a_root(said: Said, files: list[Path]) -> None:
    code, out = said("verify", *files[:2])
    assert OK == code
    assert out.splitlines()[-1] == f"     tournament {STREAM}: 1 of its 2 tables are here and fit"


def test_a_lone_export_is_held_against_its_head(said: Said, files: list[Path]) -> None:
    head = event()[1][2][-1].hash.hex()
    assert OK == said("verify", files[1], "--root", head)[0]
    assert PROBLEM == said("verify", files[1], "--root", pin())[0]
    assert OK == said("verify", files[0], "--root", pin())[0]


def test_a_table_that_the_root_does_not_cover_is_named(said: Said, files: list[Path], tmp_path: Path) -> None:
    other = UUID(int=5)
    stray = tmp_path / "stray.jsonl"
    stray.write_bytes(b"".join(export.lines("table", other, chained(play("classic", 3, deals=1), other))))
    assert OK == said("verify", *files, stray)[0]
    code, out = said("verify", *files, stray, "--root", pin())
    assert PROBLEM == code
    assert f"BAD  table {other}: pin: " in out


def test_programs_get_every_finding_as_json(said: Said, files: list[Path]) -> None:
    code, out = said("verify", *files, "--root", "ab" * 32, "--json")
    assert PROBLEM == code
    lines = [json.loads(line) for line in out.splitlines()]
    assert ["ok", "ok", "ok", "bad"] == [line["outcome"] for line in lines[:-1]]
    assert ("pin", str(STREAM)) == (lines[-2]["problem"]["check"], lines[-2]["stream"])
    assert {"tournament": str(STREAM), "tables": 2, "fitting": 2, "root": ""} == lines[-1]
    assert f"     tournament {STREAM}: 2 of its 2" in said("verify", *files, "--root", "ab" * 32)[1]


@pytest.mark.parametrize("root", ["", "ab", "xy" * 32, "ab" * 33, " " + "ab" * 31 + "a"])
def test_what_is_no_hash_is_refused(said: Said, files: list[Path], root: str) -> None:
    with pytest.raises(SystemExit) as left:
        said("verify", *files, "--root", root)
    assert USAGE == left.value.code
