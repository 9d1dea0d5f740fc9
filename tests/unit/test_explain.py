"""Rule sets in words: a sentence for every knob and value, and what differs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pinochle.errors import BadRules
from pinochle.explain import (
    about,
    differences,
    explain,
    knob_text,
    lineage,
    nearest,
    parse_knob,
    rule,
    sentence,
    unused,
)
from pinochle.rules import KNOBS, RuleSet, load, profile, profiles

DOCUMENT = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
NUMBERS: dict[str, list[Any]] = {
    "packet": [1, 2, 5], "min_bid": [1, 250], "bid_step": [1, 10], "max_raise": [None, 20], "exchange": [0, 2, 3, 4],
    "scale": [10, 1], "players": [2, 3, 4], "last_trick": [0, 10], "target": [1, 1500], "deals": [1, 4],
    "meld_minimum": [0, 20], "bidder_trick_minimum": [0, 20], "defender_trick_minimum": [0, 20],
    "bid_ladder": [None, [[300, 25]], [[300, 25], [400, 50]]],
    "trick_schedule": ["counters10", "ace11", "tens_fives", "counters1", dict.fromkeys("ATKQJ9", 3)],
}  # fmt: skip
NEEDED: dict[tuple[str, Any], dict[str, Any]] = {
    ("format", "stock"): {"players": 2, "trump_source": "turn_up", "exchange": 0},
    ("players", 2): {"format": "stock", "trump_source": "turn_up", "exchange": 0},
    ("players", 3): {"format": "stock", "trump_source": "turn_up", "exchange": 0},
    ("deck", "double"): {"run_extras": "none"},
    ("trump_source", "turn_up"): {"exchange": 0},
    ("short_meld", "set_unplayed"): {"meld_minimum": 20},
}


def values(knob: str) -> list[Any]:
    """All values of a knob that has few, some of a number's."""
    if knob in NUMBERS:
        return NUMBERS[knob]
    if KNOBS[knob] == "true or false":
        return [True, False]
    return re.split(r", | or ", KNOBS[knob].removeprefix("one of "))


def with_value(knob: str, value: Any) -> RuleSet:
    plain = {"bid_step": 1} if knob in ("min_bid", "max_raise") else {}
    changed = {
        "max_raise": None,
        **plain,
        **NEEDED.get((knob, repr(value) if isinstance(value, dict) else _key(value)), {}),
    }
    return load("classic", **{**changed, knob: value})


def _key(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list) else value


@pytest.mark.parametrize("knob", KNOBS)
def test_every_value_of_a_knob_has_a_sentence_of_its_own_and_a_rule(knob: str) -> None:
    said = []
    for value in values(knob):
        rules = with_value(knob, value)
        said.append(sentence(rules, knob))
        assert re.fullmatch(r"[A-Z][^\n]*\.", said[-1]), said[-1]
        assert f"**{rule(rules, knob)}**" in DOCUMENT
    assert len(said) == len(set(said)) > 1


def test_the_scale_is_told_in_the_words_of_extended_runs() -> None:
    assert "worth 40 more" in sentence(load("classic"), "run_extras")
    assert "with both 8 more" in sentence(load("cardgames", scale=1), "run_extras")


@pytest.mark.parametrize("knob", KNOBS)
@pytest.mark.parametrize("profile", ["two-handed", "three-handed-stock", "danish-nobid"])
def test_a_game_without_partners_or_bidding_is_told_in_its_own_words(profile: str, knob: str) -> None:
    rules = load(profile)
    if knob in unused(rules):
        return
    foreign = "bidding team|[Dd]efender|[Dd]eclarer|contract" + ("|team|partner|[Rr]uns" if rules.is_stock else "")
    said = []
    for value in values(knob):
        try:
            said.append(sentence(load(profile, **{knob: value}), knob))
        except BadRules:
            continue  # a value of the other games
    assert said
    assert len(said) == len(set(said))
    assert [] == [words for words in said if re.search(foreign, words)]
    assert f"**{rule(rules, knob)}**" in DOCUMENT


def test_what_a_knob_does_in_a_game_with_a_stock_is_told_for_that_game() -> None:
    beat = "After the last draw, who follows suit must beat the card that was led, if possible."
    double = "Two pinochles or sets around laid at once are worth far more than twice one of them."
    assert [
        f"{double} (double_melds bonus, not linear; R-TWO-12)",
        f"{beat} (must_beat led, not winning; R-TWO-15)",
    ] == explain(load("two-handed", double_melds="bonus", must_beat="led"), load("two-handed"))
    assert "No cards are passed between players." == sentence(load("two-handed"), "exchange")


def test_without_bidding_what_is_said_of_defenders_is_meant_for_both_teams() -> None:
    changed = {"defender_meld_needs": "trick", "defender_trick_minimum": 20, "short_tricks": "lose_all"}
    assert [
        "A team's meld counts only if it wins a trick. (defender_meld_needs trick, not nothing; R-SCO-08)",
        "A team must take 20 in tricks to save its meld. (defender_trick_minimum 20, not 0; R-CLB-10)",
        "A team with too few trick points loses these as well as its meld. "
        "(short_tricks lose_all, not lose_meld; R-CLB-10)",
    ] == explain(load("danish-nobid", **changed), load("danish-nobid"))


def test_nothing_differs_from_the_same_rules() -> None:
    for name in profiles():
        assert [] == explain(load(name), load(name))


def test_what_differs_is_told_in_the_order_of_the_rules_with_both_values_and_the_rule() -> None:
    gives = "The declarer's partner passes two cards to the declarer, who gives as many back."
    assert [
        f"{gives} (exchange 2, not 4; R-EXC-05)",
        "Who follows suit may play any card of it. (must_beat none, not winning; R-PLY-11)",
    ] == explain(load("classic", must_beat="none", exchange=2), load("classic"))


@pytest.mark.parametrize("name", [name for name in profiles() if profile(name)["is"]])
def test_a_profile_differs_from_its_base_in_the_knobs_that_it_names(name: str) -> None:
    said = profile(name)
    assert set(said["knobs"]) == {one.knob for one in differences(load(name), load(said["is"]))}


def test_a_knob_without_effect_is_said_to_have_none() -> None:
    found = explain(load("danish-nobid", min_bid=300), load("danish-nobid"))
    assert ["The lowest bid is 300. That has no effect in this game. (min_bid 300, not 250; R-AUC-02)"] == found


def test_the_knobs_without_effect_are_those_of_the_rules() -> None:
    assert {"stock_end", "deals", "deals_tie"} == unused(load("classic"))
    assert {"stock_end", "target", "win_rule"} == unused(load("double-deck-club"))
    assert {"stock_end"} == unused(load("classic", game_length="either"))
    assert "dealer_rule" in unused(load("classic", dealer_opens=True))
    assert {"min_bid", "unplayed_credit", "win_rule"} <= unused(load("danish-nobid"))
    assert not {"defender_meld_needs", "meld_minimum", "misdeal_option"} & unused(load("danish-nobid"))
    assert {"game_length", "run_extras", "meld_minimum"} <= unused(load("two-handed"))
    assert not {"stock_end", "double_melds", "must_beat", "last_trick"} & unused(load("two-handed"))


def test_the_nearest_profile_is_found_with_what_to_change() -> None:
    for name in profiles():
        assert (name, {}) == nearest(load(name))
    assert ("classic-swap2", {"target": 900}) == nearest(load("classic", exchange=2, target=900))


def test_every_profile_has_a_line_about_it() -> None:
    for name in profiles():
        assert re.fullmatch(r"[A-Z].{10,110}\.", about(name)), name
    with pytest.raises(BadRules, match="unknown profile"):
        about("bridge")


def test_a_lineage_ends_at_the_base() -> None:
    assert ["double-deck-club", "double-deck"] == lineage("double-deck-club")
    assert ["classic"] == lineage("classic")


@pytest.mark.parametrize("name", profiles())
def test_knobs_come_back_from_their_text(name: str) -> None:
    for knob, value in load(name, trick_schedule=dict.fromkeys("ATKQJ9", 1)).knobs().items():
        text = f"{knob}={knob_text(value)}"
        assert " " not in text
        assert (knob, value) == parse_knob(text)


@pytest.mark.parametrize("text", ["", "exchange", "=2"])
def test_what_is_no_knob_is_refused(text: str) -> None:
    with pytest.raises(BadRules, match="not a knob"):
        parse_knob(text)
