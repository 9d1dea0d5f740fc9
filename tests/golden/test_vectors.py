"""The rule vectors, run through the engine, and the runner itself."""

import io
import json
from pathlib import Path

import pytest
from pinochle.vectors import OPS, run

FILES = sorted((Path(__file__).parent / "vectors").glob("*.jsonl"))
LINES = [line for path in FILES for line in path.read_text(encoding="utf-8").splitlines()]

GOOD = {
    "id": "case-1",
    "op": "may_concede",
    "profile": "cardgames",
    "knobs": {},
    "rules": ["R-CON-02"],
    "input": {"bid": 330, "meld": 60},
    "expected": {"may_concede": True},
}


def ran(tmp_path: Path, *lines: str) -> tuple[int, int, list[str]]:
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    out = io.StringIO()
    passed, failed = run([path], out)
    return passed, failed, out.getvalue().splitlines()


def test_every_operation_of_the_vectors_is_known() -> None:
    assert set(OPS) == {json.loads(line)["op"] for line in LINES}


def test_all_vectors_pass() -> None:
    out = io.StringIO()
    assert (len(LINES), 0) == run(FILES, out), out.getvalue()


@pytest.mark.parametrize("op", sorted(OPS))
def test_every_vector_of_an_operation_passes(op: str, tmp_path: Path) -> None:
    cases = [line for line in LINES if json.loads(line)["op"] == op]
    assert cases, f"no vector exercises {op}"
    assert (len(cases), 0, [f"{len(cases)} passed, 0 failed"]) == ran(tmp_path, *cases)


def test_a_passing_case_is_counted_and_not_mentioned(tmp_path: Path) -> None:
    assert (1, 0, ["1 passed, 0 failed"]) == ran(tmp_path, json.dumps(GOOD), "", "   ")


def test_a_differing_result_is_reported_with_id_expected_got_and_rules(tmp_path: Path) -> None:
    wrong = json.dumps(GOOD | {"expected": {"may_concede": False}})
    line = 'case-1: expected {"may_concede": false} got {"may_concede": true} [R-CON-02]'
    assert (0, 1, [line, "0 passed, 1 failed"]) == ran(tmp_path, wrong)


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("deal", "dealer", 3),
        ("contract", "forced", True),
        ("meld", "points", 1),
        ("meld_totals", "may_concede", True),
        ("play", "legal", ["AS"]),
        ("play", "card", "9C"),
        ("trick", "winner", 9),
        ("hand_score", "delta", [1, 1]),
        ("game_end", "winner", 0),
    ],
)
def test_a_hand_with_one_wrong_event_fails(kind: str, field: str, value: object, tmp_path: Path) -> None:
    case = next(json.loads(line) for line in LINES if '"id": "s-full_hand-0001"' in line)
    event = next(event for event in case["expected"]["events"] if event["t"] == kind)
    assert event[field] != value
    event[field] = value
    passed, failed, lines = ran(tmp_path, json.dumps(case))
    assert (0, 1) == (passed, failed)
    assert lines[0].startswith("s-full_hand-0001: expected.events")


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_hand_without_its_last_events_fails(cut: int, tmp_path: Path) -> None:
    case = next(json.loads(line) for line in LINES if '"id": "s-full_hand-0001"' in line)
    del case["expected"]["events"][-cut:]
    assert (0, 1) == ran(tmp_path, json.dumps(case))[:2]


@pytest.mark.parametrize("deck", [["ASa"] * 48, ["AS"] * 48, ["ASa"]])
def test_a_deal_of_something_else_than_the_deck_is_refused(deck: list[str], tmp_path: Path) -> None:
    deal = GOOD | {"op": "deal", "profile": "two-handed", "input": {"dealer": 0, "deck": deck}}
    passed, failed, lines = ran(tmp_path, json.dumps(deal))
    assert (0, 1) == (passed, failed)
    assert "illegal_deck" in lines[0]


def test_one_is_not_taken_for_true(tmp_path: Path) -> None:
    assert ran(tmp_path, json.dumps(GOOD | {"expected": {"may_concede": 1}}))[:2] == (0, 1)


def test_a_long_result_is_reported_by_its_first_difference(tmp_path: Path) -> None:
    melds = (json.loads(line) for line in LINES if '"op": "best_meld"' in line)
    case = next(case for case in melds if len(case["expected"]["melds"]) >= 4)
    case["expected"]["melds"][1]["points"] += 1
    found = ran(tmp_path, json.dumps(case))[2][0]
    assert found.startswith(f"{case['id']}: expected.melds[1].points ")


def test_an_unknown_operation_fails(tmp_path: Path) -> None:
    passed, failed, lines = ran(tmp_path, json.dumps(GOOD | {"op": "juggle"}))
    assert (0, 1, "case-1: unknown operation 'juggle' [R-CON-02]") == (passed, failed, lines[0])


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "null",
        '"text"',
        "[" * 100_000,
        json.dumps({name: value for name, value in GOOD.items() if name != "expected"}),
        json.dumps({name: value for name, value in GOOD.items() if name != "id"}),
        json.dumps(GOOD | {"knobs": []}),
        json.dumps(GOOD | {"input": 3}),
        json.dumps(GOOD | {"op": ["may_concede"]}),
    ],
)
def test_a_malformed_line_fails_and_the_rest_is_run(line: str, tmp_path: Path) -> None:
    passed, failed, lines = ran(tmp_path, line, json.dumps(GOOD))
    assert (1, 1) == (passed, failed)
    assert "cases.jsonl:1: malformed: " in lines[0]


@pytest.mark.parametrize(
    "change",
    [
        {"profile": "bridge"},
        {"knobs": {"no_such_knob": 1}},
        {"input": {}},
        {"input": {"bid": "many", "meld": None}},
        {"op": "best_meld", "input": {"trump": "X", "hand": []}},
        {"op": "best_meld", "input": {"trump": "S", "hand": ["1S"]}},
        {"op": "trick_winner", "input": {"trump": "S", "trick": [], "leader": 0, "last": False}},
    ],
)
def test_an_input_the_engine_cannot_take_fails_in_one_line(change: dict, tmp_path: Path) -> None:
    passed, failed, lines = ran(tmp_path, json.dumps(GOOD | change), json.dumps(GOOD))
    assert (1, 1, 2) == (passed, failed, len(lines))


def test_a_file_that_cannot_be_read_counts_as_failed(tmp_path: Path) -> None:
    binary = tmp_path / "binary.jsonl"
    binary.write_bytes(b"\xff\xfe\x00")
    out = io.StringIO()
    assert (0, 2) == run([tmp_path / "missing.jsonl", binary], out)
    assert 3 == len(out.getvalue().splitlines())


def test_a_line_without_end_is_not_read_into_memory(tmp_path: Path) -> None:
    passed, failed, lines = ran(tmp_path, json.dumps(GOOD), " " * 1_000_001, json.dumps(GOOD))
    assert (1, 1) == (passed, failed)
    assert lines[0].endswith("cases.jsonl:2: longer than 1000000 characters, the rest is not read")
