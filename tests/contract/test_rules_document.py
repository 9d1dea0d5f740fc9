"""docs/rules.md names every profile and knob as they are, and defines every rule that code and tests cite."""

import re
from pathlib import Path
from typing import Any

import pytest
from pinochle.rules import KNOBS, load, profile, profiles

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in TEXT.splitlines() if line.startswith("| ")]
CITATION = re.compile(r"\b[RA]-(?:[A-Z]+-)?\d\d\b")
CITING = [
    path
    for folder in ("engine", "services", "protos", "tests")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".toml", ".proto", ".jsonl") and path.name != "test_rules_document.py"
]


def shown(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str([list(part) for part in value]) if isinstance(value, tuple) else str(value)


def test_every_knob_has_a_row() -> None:
    assert set() == {name for name in KNOBS if not any(row[0] == f"`{name}`" for row in ROWS)}


@pytest.mark.parametrize("name", [name for name, allowed in KNOBS.items() if re.match(r"one of|\w+ or", allowed)])
def test_every_allowed_value_is_in_the_knobs_row(name: str) -> None:
    row = next(row for row in ROWS if row[0] == f"`{name}`")
    words = re.split(r", or |, | or ", KNOBS[name].removeprefix("one of "))
    assert words
    assert [] == [word for word in words if re.fullmatch(r"\w+", word) and word not in row[1]]


def test_every_profile_is_named() -> None:
    assert set() == {name for name in profiles() if f"`{name}`" not in TEXT}


def tables() -> list[tuple[str, str, str]]:
    """(profile, knob, value) for each cell of a table whose head names profiles."""
    found, head = [], [""]
    for row in ROWS:
        if row[0] == "knob":
            head = row
        elif re.fullmatch(r"`\w+`", row[0]) and head[0] == "knob" and len(row) == len(head):
            found += [
                (title.strip("`"), row[0].strip("`"), cell)
                for title, cell in zip(head, row, strict=True)
                if title.strip("`") in profiles()
            ]
    return found


@pytest.mark.parametrize(("name", "knob", "cell"), tables())
def test_a_value_in_the_tables_is_the_profiles(name: str, knob: str, cell: str) -> None:
    unused = name == "two-handed" or knob == "stock_end"
    assert cell == shown(getattr(load(name), knob)) or (cell == "–" and unused)


def test_the_tables_show_every_knob_of_every_base_profile() -> None:
    bases = [name for name in profiles() if profile(name)["is"] is None]
    told = {(name, knob) for name, knob, _ in tables()}
    first = list(KNOBS)[: list(KNOBS).index("bid_ladder")]
    assert {(name, knob) for name in bases for knob in first} <= told
    club = [knob for knob in KNOBS if knob not in first]
    assert {(name, knob) for name in ("double-deck-club", "single-deck-club") for knob in club} <= told


@pytest.mark.parametrize("name", [name for name in profiles() if profile(name)["is"] is not None])
def test_a_derived_profile_is_told_with_all_it_changes(name: str) -> None:
    row = next(row for row in ROWS if f"`{name}`" in row[0] and len(row) == 3)
    said = profile(name)
    assert f"`{said['is']}`" == row[1]
    for knob, value in said["knobs"].items():
        in_text = f"`{knob}` {shown(value)}" in row[2] or (f"`{knob}`" in row[2] and shown(value) in row[2])
        in_table = (name, knob) in {(one, other) for one, other, _ in tables()}
        assert in_text or in_table, knob


def test_every_rule_that_is_cited_is_defined() -> None:
    cited: dict[str, str] = {}
    for path in CITING:
        for number in CITATION.findall(path.read_text(encoding="utf-8")):
            cited.setdefault(number, str(path.relative_to(ROOT)))
    defined = set(re.findall(r"\*\*(R-[A-Z]+-\d\d)\*\*", TEXT)) | {row[0] for row in ROWS if row[0].startswith("A-")}
    assert {} == {number: where for number, where in cited.items() if number not in defined}


def test_every_rule_is_defined_once_and_every_reference_in_the_text_leads_somewhere() -> None:
    defined = re.findall(r"\*\*(R-[A-Z]+-\d\d)\*\*", TEXT)
    assert len(defined) == len(set(defined))
    assert set() == {number for number in re.findall(r"R-[A-Z]+-\d\d", TEXT) if number not in defined}
