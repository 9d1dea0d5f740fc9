"""The logs recorded at each release load, rebuild and verify for ever, and the recorder writes them alike."""

import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pinochle import audit, export
from pinochle.rules import RULES_VERSION

from tests.golden import record

RELEASES = Path(__file__).parent / "logs"
LOGS = sorted(path.relative_to(RELEASES).as_posix() for path in RELEASES.glob("*/*.jsonl"))


def expected(log: str) -> tuple[int, dict[str, Any]]:
    """The version of the rules of the release, and what the log came to then."""
    path = RELEASES / log
    said = json.loads((path.parent / record.EXPECTED).read_text(encoding="utf-8"))
    return said["rules_version"], said["logs"][path.stem]


@cache
def read(log: str) -> tuple[export.Header, tuple[export.StoredAct, ...]]:
    with (RELEASES / log).open("rb") as file:
        header, acts = export.read(file)
        return header, tuple(acts)


def test_every_release_has_a_log_for_each_of_its_expectations() -> None:
    releases = {path.parent.name for path in RELEASES.glob(f"*/{record.EXPECTED}")}
    assert "0.3.0" in releases
    assert {path.name for path in RELEASES.iterdir()} == releases
    for release in releases:
        said = json.loads((RELEASES / release / record.EXPECTED).read_text(encoding="utf-8"))
        logs = {f"{release}/{name}.jsonl" for name in said["logs"]}
        assert logs == {log for log in LOGS if log.startswith(f"{release}/")}


@pytest.mark.parametrize("log", LOGS)
def test_a_log_of_a_release_verifies(log: str) -> None:
    with (RELEASES / log).open("rb") as file:
        report = audit.verify_export(file)
    assert report.problem is None, report.problem
    assert (expected(log)[1]["acts"], expected(log)[1]["head"]) == (report.acts, report.head.hex())
    if expected(log)[0] == RULES_VERSION:
        assert (audit.OK, 0) == (report.outcome, report.differing), report.notes
    else:  # what later rules conclude otherwise is told apart from what was altered
        assert report.outcome == (audit.DIFFERS if report.differing else audit.OK)


@pytest.mark.parametrize("log", LOGS)
def test_a_log_of_a_release_comes_to_what_it_came_to_then(log: str) -> None:
    header, acts = read(log)
    found = record.figures(audit.kind_of(header.kind), list(acts))
    assert expected(log)[1] == json.loads(json.dumps(found))


@pytest.mark.parametrize("log", LOGS)
def test_a_log_of_a_release_is_written_again_as_it_was(log: str) -> None:
    header, acts = read(log)
    assert (RELEASES / log).read_bytes() == b"".join(export.lines(header.kind, header.stream, acts))


@pytest.mark.parametrize("log", LOGS)
def test_every_act_of_a_release_is_put_into_the_same_bytes_again(log: str) -> None:
    header, acts = read(log)
    kind = audit.kind_of(header.kind)
    for stored in acts:
        assert stored.body == kind.at_rest(kind.from_rest(stored.version, stored.command_id, stored.body))


def test_what_is_recorded_now_holds_every_kind_of_command_and_event_and_verifies(tmp_path: Path) -> None:
    logs = record.recordings()
    assert [] == record.unshown(logs)
    record.write(tmp_path / "now", logs)
    for path in (tmp_path / "now").glob("*.jsonl"):
        report = audit.verify_export(io.BytesIO(path.read_bytes()))
        assert (audit.OK, None) == (report.outcome, report.problem), path.name


def test_the_recorder_writes_the_same_bytes_each_time() -> None:
    assert [log.acts for log in record.recordings()] == [log.acts for log in record.recordings()]


def test_a_release_that_lacks_a_kind_of_event_is_not_written(tmp_path: Path) -> None:
    short = [log for log in record.recordings() if log.name != "classic-misdeal"]
    with pytest.raises(SystemExit, match=r"deal_thrown_in \(event\)"):
        record.write(tmp_path / "short", short)
    assert not (tmp_path / "short").exists()
