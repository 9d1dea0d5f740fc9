"""Transcripts that were once kept are read, and agree with the logs of their games, for ever."""

from pathlib import Path

import pytest
from pinochle import audit, export
from pinochle.transcript import header_bytes, line_bytes, read
from pinochle.transcript_audit import compare

FOLDER = Path(__file__).parent / "transcripts"
GAMES = sorted(path.name.removesuffix(".log.jsonl") for path in FOLDER.glob("*.log.jsonl"))


def test_there_are_games_of_both_kinds() -> None:
    assert ["danish-nobid", "two-handed"] == GAMES


@pytest.mark.parametrize("name", GAMES)
def test_a_transcript_of_a_release_agrees_with_its_log(name: str) -> None:
    path = FOLDER / f"{name}.seat-0.jsonl"
    with path.open("rb") as file:
        kept = read(file)
    with (FOLDER / f"{name}.log.jsonl").open("rb") as file:
        header, acts = export.read(file)
        finding = compare(audit.TABLE, header.stream, acts, [kept])[0]
    assert (None, (), header.acts) == (finding.problem, finding.notes, finding.shown)
    assert finding.sent > 10
    assert path.read_bytes() == header_bytes(kept.header) + b"".join(map(line_bytes, kept.lines))
