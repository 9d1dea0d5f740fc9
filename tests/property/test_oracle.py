"""The engine agrees with a second, plain reading of the rules (tests/oracle); `make check-rules` goes on for hours."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pinochle.rules import load
from pinochle.vectors import Case

from tests.oracle import __main__ as command
from tests.oracle import all_melds, auctions, cases, melds, scores, stock, tricks
from tests.oracle.cards import dealt, exchanged
from tests.oracle.check import first_difference
from tests.oracle.rule_sets import is_allowed

SEED = 20_261_130
LONG = {"hand": 60, "game": 15, "stock_game": 20}
VECTORS = sorted((Path(__file__).parents[1] / "golden" / "vectors").glob("*.jsonl"))


@pytest.mark.parametrize("op", sorted(cases.RULES))
def test_the_engine_answers_random_cases_as_the_plain_reading_does(op: str) -> None:
    assert None is first_difference(LONG.get(op, 400), SEED, op)


def _plain_meld(knobs: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    found = melds.best_meld(knobs, given["hand"], given["trump"])
    return {name: found[name] for name in ("total", "by_class", "melds")}


def _plain_auction(knobs: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    return auctions.follow(knobs, given["dealer"], given["calls"])


def _plain_winner(knobs: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    index = tricks.winning_index(given["trick"], given["trump"])
    points = tricks.trick_points(knobs, given["trick"], given["last"])
    return {"index": index, "seat": (given["leader"] + index) % 4, "points": points}


PLAIN: dict[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Any]] = {
    "best_meld": _plain_meld,
    "auction": _plain_auction,
    "trick_winner": _plain_winner,
    "legal_plays": lambda knobs, given: {
        "legal": tricks.legal_plays(knobs, given["hand"], given["trick"], given["trump"])
    },
    "legal_trumps": lambda knobs, given: {"suits": melds.legal_trumps(knobs, given["hand"])},
    "may_throw_in": lambda knobs, given: {"may_throw_in": melds.may_throw_in(knobs, given["hand"])},
    "may_concede": lambda knobs, given: {"may_concede": scores.may_concede(knobs, given["bid"], given["meld"])},
    "hand_score": lambda knobs, given: scores.score_hand(knobs, **given),
    "game_end": lambda knobs, given: scores.game_end(knobs, **{"deals_played": 0, **given}),
    "exchange": lambda knobs, given: exchanged(knobs, **given),
    "stock_melds": lambda knobs, given: {"melds": stock.melds(knobs, **given)},
    "stock_exchange": lambda knobs, given: {"may_give": stock.may_give(**given)},
    "ruleset_valid": lambda knobs, given: {"valid": is_allowed(knobs)},
}


@pytest.mark.parametrize("op", sorted(PLAIN))
def test_the_plain_reading_gives_what_the_rule_vectors_expect(op: str) -> None:
    tried = 0
    for line in (line for path in VECTORS for line in path.read_text(encoding="utf-8").splitlines()):
        case = Case.parse(line)
        if case.op == op:
            knobs = {**load(case.profile).knobs(), **case.knobs}
            expected = {name: value for name, value in case.expected.items() if name != "reason"}
            got = PLAIN[op](knobs, case.input)
            assert in_order(expected) == in_order(got), case.id
            tried += 1
    assert tried


def in_order(said: dict[str, Any]) -> dict[str, Any]:
    """The same with its lists sorted where the vectors compare sets."""
    return {
        name: sorted(value, key=str) if name in ("legal", "melds") and isinstance(value, list) else value
        for name, value in said.items()
    }


def test_the_plain_deal_gives_everybody_a_full_hand() -> None:
    for name, knobs in cases.PROFILES.items():
        if name in cases.PARTNERSHIP:
            case = cases.case_of("deal", Random(name))
            size = 20 if load(case["profile"]).deck == "double" else 12
            hands, last = dealt({**cases.PROFILES[case["profile"]], **case["knobs"]}, 1, case["input"]["deck"])
            assert [size] * 4 == list(map(len, hands)), knobs
            assert last in hands[1]


def test_an_engine_that_errs_is_found_and_the_case_is_a_rule_vector(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(cases.ENGINE, "trick_winner", lambda case: {"index": 0, "seat": 0, "points": 0})
    monkeypatch.setattr("sys.argv", ["tests.oracle", "50", "--seed", "3", "--op", "trick_winner"])
    assert 1 == command.main()
    out, err = capsys.readouterr()
    case = Case.parse(out.splitlines()[-1])
    assert ("trick_winner", "the engine says") == (case.op, err.splitlines()[-1][:15])
    assert _plain_winner({**load(case.profile).knobs(), **case.knobs}, case.input) == case.expected


def test_an_engine_that_raises_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(case: Case) -> Any:
        raise KeyError("broken")

    monkeypatch.setitem(cases.ENGINE, "best_meld", broken)
    found = first_difference(50, 3, "best_meld")
    assert found is not None
    assert {"error": "KeyError: 'broken'"} == found[1]


def test_a_case_depends_on_the_seed_and_its_number_alone() -> None:
    first, second = (cases.random_case(Random("7/12")) for _ in (1, 2))
    assert json.dumps(first) == json.dumps(second)


def test_the_parts_make_all_hands_of_the_single_deck() -> None:
    assert 287_134_346 == all_melds.hands_of(all_melds.PARTS)


def test_every_part_of_a_hand_melds_as_the_plain_reading_says() -> None:
    rules = load("cardgames")
    parts_in_hands = 4 * 729 + 9 + 4 * 81
    assert 5 * parts_in_hands == all_melds.check_parts([rules])


def test_random_hands_are_worth_the_sum_of_their_parts_and_meld_as_the_plain_reading_says() -> None:
    assert 5_000 == all_melds.check_random("classic", 5_000, 200, SEED)


def test_a_wrong_count_or_a_wrong_meld_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(all_melds.Difference, match="not 287134346"):
        all_melds.hands_of([*all_melds.PARTS[:-1], (0, 0, 0, 0, 0, 0)])
    monkeypatch.setitem(melds.AT_SCALE_1, "marriage", (3, 6))
    with pytest.raises(all_melds.Difference, match="with trump"):
        all_melds.check_random("classic", 200, 0, SEED)


def test_every_hand_one_by_one_is_as_many_as_the_parts_say() -> None:
    spades = all_melds.part_number({0: 2, 1: 2, 2: 2, 3: 2, 4: 1})  # nine cards: three more in the other suits
    parts = all_melds.worth(load("classic"))
    hands = dict(all_melds.hands_with(spades, parts))
    assert all_melds.hands_of(all_melds.PARTS, suits=3, size=3) == len(hands)
