"""The schema: what a release has published is neither removed, renumbered, renamed nor retyped."""

import re
import shutil
from pathlib import Path

import pytest

from deploy import schema

GAME = "pinochle/wire/v1/game.proto"

pytestmark = pytest.mark.skipif(not schema.PROGRAM.exists(), reason="buf is not installed: make lint does it")


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """A copy of the schema of the last release, to be changed."""
    return Path(shutil.copytree(schema.RELEASES / schema.releases()[-1], tmp_path / "protos"))


def change(protos: Path, pattern: str, by: str, file: str = GAME) -> None:
    text = (protos / file).read_text(encoding="utf-8")
    changed, times = re.subn(pattern, by, text, count=1)
    assert times == 1, pattern
    (protos / file).write_text(changed, encoding="utf-8")


def test_the_schema_of_today_keeps_to_its_style_and_breaks_nothing() -> None:
    assert [] == schema.check()


def test_the_schema_of_a_release_breaks_nothing_against_itself(released: Path) -> None:
    assert [] == schema.check(released)


@pytest.mark.parametrize(
    ("pattern", "by"),
    [
        (r"(message Passed \{\n  uint32 seat = 1;\n  bool helps = 2;\n)", r"\1  uint32 added = 3;\n"),
        (r"(DealScored deal_scored = 28;)", r"\1\n    Passed passed_again = 29;"),
        (r"(  SUIT_CLUBS = 4;)", r"\1\n  SUIT_STARS = 5;"),
        (r"(message Draw \{\})", r"\1\n\nmessage Added {\n  int64 at_ms = 1;\n}"),
    ],
)
def test_what_is_only_added_breaks_nothing(pattern: str, by: str, released: Path) -> None:
    change(released, pattern, by)
    assert [] == schema.check(released)


@pytest.mark.parametrize(
    ("what", "pattern", "by"),
    [
        ("removed", r"(message Passed \{\n  uint32 seat = 1;\n)  bool helps = 2;\n", r"\1"),
        ("renumbered", r"bool helps = 2;(\n\}\n\nmessage AuctionWon)", r"bool helps = 3;\1"),
        ("renamed", r"bool helps = 2;(\n\}\n\nmessage AuctionWon)", r"bool asks = 2;\1"),
        ("retyped", r"bool helps = 2;(\n\}\n\nmessage AuctionWon)", r"uint32 helps = 2;\1"),
        ("made repeated", r"bool helps = 2;(\n\}\n\nmessage AuctionWon)", r"repeated bool helps = 2;\1"),
        ("reserved instead", r"bool helps = 2;(\n\}\n\nmessage AuctionWon)", r'reserved 2;\n  reserved "helps";\1'),
        ("a kind of event removed", r"    DealScored deal_scored = 28;\n", ""),
        ("two kinds swapped", r"Passed passed = 4;\n    AuctionWon auction_won = 5;",
         "AuctionWon auction_won = 4;\n    Passed passed = 5;"),
        ("a value removed", r"  SUIT_CLUBS = 4;\n", ""),
        ("a value renumbered", r"SUIT_CLUBS = 4;", "SUIT_CLUBS = 5;"),
    ],
)  # fmt: skip
def test_what_breaks_stored_bytes_or_clients_is_found_and_named(
    what: str, pattern: str, by: str, released: Path
) -> None:
    change(released, pattern, by)
    found = schema.check(released)
    assert found, what
    assert all("game.proto:" in line for line in found), found


def test_a_removed_call_is_found(released: Path) -> None:
    table = "pinochle/wire/v1/table.proto"
    change(released, r"  rpc View\(ViewRequest\) returns \(ViewResponse\);\n", "", table)
    assert any('"View"' in line and "table.proto" in line for line in schema.check(released))


def test_a_removed_file_is_found(released: Path) -> None:
    (released / "pinochle/wire/v1/bus.proto").unlink()
    assert any("bus.proto" in line for line in schema.check(released))


def test_a_name_out_of_style_is_found(released: Path) -> None:
    change(released, r"(DealScored deal_scored = 28;)", r"\1\n    Passed passedAgain = 29;")
    assert any("lower_snake_case" in line for line in schema.check(released))


def test_a_schema_that_does_not_compile_is_found(released: Path) -> None:
    change(released, r"message Passed \{", "message Passed {{")
    assert any("game.proto" in line for line in schema.check(released))


def test_releases_are_in_the_order_of_their_numbers_and_only_go_up() -> None:
    assert [(0, 3, 0), (0, 10, 0)] == sorted(map(schema.version, ("0.10.0", "0.3.0")))
    for name in ("0.3", "v0.4.0", "0.04.0", "../0.4.0", ""):
        with pytest.raises(schema.SchemaError, match="three numbers"):
            schema.version(name)
    with pytest.raises(schema.SchemaError, match="kept already"):
        schema.release(schema.releases()[-1])


def test_every_release_has_its_logs_beside_its_schema() -> None:
    logs = schema.RELEASES.parent / "logs"
    assert schema.releases() == sorted((path.name for path in logs.iterdir()), key=schema.version)
