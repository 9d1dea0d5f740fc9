"""Which rule sets are taken and which are refused (section 2), and what follows from their knobs."""

import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from pinochle.errors import BadRules
from pinochle.rules import BID_LADDER_PARTS_MAX, KNOBS, NUMBER_MAX, RuleSet, load, profile, profiles

NAMES = [
    "cardgames",
    "classic",
    "classic-ace11",
    "classic-help",
    "classic-min100",
    "classic-short",
    "classic-swap2",
    "classic-swap3",
    "classic-tens-fives",
    "danish",
    "danish-1pt",
    "danish-nobid",
    "danish-strict",
    "double-deck",
    "double-deck-10pt",
    "double-deck-club",
    "single-deck-club",
    "single-s3",
    "three-handed-stock",
    "two-handed",
]
CLUB_OFF: dict[str, Any] = {
    "bid_ladder": None,
    "dealer_opens": False,
    "trump_marriage": "optional",
    "meld_minimum": 0,
    "short_meld": "play",
    "bidder_trick_minimum": 0,
    "defender_trick_minimum": 0,
    "short_tricks": "lose_meld",
    "unplayed_credit": "meld",
    "set_points": "subtract",
    "game_length": "target",
    "deals": 4,
    "deals_tie": "extra_deal",
}
# A value of the right kind that no game allows, or of a kind that only looks right.
WRONG: dict[str, list[Any]] = {
    "format": ["solo", None, 1],
    "players": [1, 5, True, 4.0, "4"],
    "deck": ["triple", 48],
    "packet": [0, 6, True, 3.0],
    "scale": [0, 100, True, "10"],
    "trump_source": ["named", None],
    "min_bid": [0, -250, True, 250.0, None, NUMBER_MAX + 10],
    "bid_step": [0, -1, True, None],
    "max_raise": [0, -10, False, "20", 2_000_000],
    "pass_with_help": [0, 1, "true", None],
    "dealer_rule": ["free", None],
    "misdeal_option": [1, None],
    "exchange": [1, 5, -4, False, 4.0],
    "run_extras": ["all", None, True],
    "double_melds": ["square"],
    "must_beat": ["always", True],
    "must_overtrump": ["winning", 1],
    "trick_schedule": [
        "fives",
        None,
        7,
        [],
        {},
        {"A": 1, "T": 1, "K": 1, "Q": 0, "J": 0},
        {"A": 1, "T": 1, "K": 1, "Q": 0, "J": 0, "9": -1},
        {"A": 1, "T": 1, "K": 1, "Q": 0, "J": 0, "9": 0.5},
        {"A": True, "T": 1, "K": 1, "Q": 0, "J": 0, "9": 0},
        {"A": 1, "T": 1, "K": 1, "Q": 0, "J": 0, "9": 0, "8": 0},
        {"A": 1, "T": 1, "K": 1, "Q": 0, "J": 0, 9: 0},
    ],
    "last_trick": [-1, True, 10.0],
    "bidder_meld_needs": ["tricks"],
    "defender_meld_needs": [None],
    "concession": ["sometimes", True],
    "set_penalty": ["double"],
    "target": [0, -1, NUMBER_MAX + 1],
    "win_rule": ["first"],
    "stock_end": ["never", None],
    "bid_ladder": [
        [],
        {},
        "60,5",
        60,
        [[60]],
        [[60, 5, 1]],
        [[60, 0]],
        [[0, 5]],
        [[60, True]],
        [["60", 5]],
        [60, 5],
        [[60 + i, 1] for i in range(BID_LADDER_PARTS_MAX + 1)],
    ],
    "dealer_opens": [0],
    "trump_marriage": [True],
    "meld_minimum": [-1, True],
    "short_meld": ["set"],
    "bidder_trick_minimum": [-1, 20.0],
    "defender_trick_minimum": [-1],
    "short_tricks": [None],
    "unplayed_credit": ["half"],
    "set_points": ["both"],
    "game_length": ["timed"],
    "deals": [0, True],
    "deals_tie": ["replay"],
}


def test_all_profiles_are_there() -> None:
    assert profiles() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_profile_survives_json(name: str) -> None:
    rules = load(name)
    stored = json.loads(json.dumps(rules.knobs()))
    assert rules == RuleSet.from_knobs(stored)
    assert sorted(KNOBS) == list(stored)


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("-club")])
def test_only_club_profiles_have_club_rules(name: str) -> None:
    """R-CLB-01."""
    knobs = load(name).knobs()
    assert {name: knobs[name] for name in CLUB_OFF} == CLUB_OFF


@pytest.mark.parametrize("name", ["cardgames", "classic", "danish", "single-s3", "double-deck", "two-handed"])
def test_a_base_profile_says_every_knob(name: str) -> None:
    said = profile(name)
    assert said["is"] is None
    assert sorted(KNOBS) == sorted(said["knobs"])


def test_a_derived_profile_says_only_what_it_changes() -> None:
    assert {"is": "classic", "knobs": {"exchange": 2}} == profile("classic-swap2")
    assert load("classic-swap2") == load("classic", exchange=2)


def test_what_profile_gives_is_a_copy() -> None:
    profile("double-deck-club")["knobs"]["bid_ladder"].append([100, 10])
    assert {"bid_ladder": [[60, 5]]}.items() <= profile("double-deck-club")["knobs"].items()


def test_the_club_profiles_are_those_of_the_table() -> None:
    assert load("double-deck-club") == load(
        "double-deck",
        concession="unmakeable",
        bid_ladder=[[60, 5]],
        trump_marriage="required",
        meld_minimum=20,
        short_meld="set_unplayed",
        bidder_trick_minimum=20,
        defender_trick_minimum=20,
        short_tricks="lose_all",
        game_length="deals",
    )
    assert load("single-deck-club") == load(
        "single-s3", min_bid=100, bidder_meld_needs="trick", set_points="to_opponents", game_length="deals"
    )


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("cardgames", 250),
        ("classic-ace11", 250),
        ("classic-tens-fives", 250),
        ("danish-1pt", 25),
        ("double-deck", 50),
        ("double-deck-10pt", 490),
        ("two-handed", 250),
    ],
)
def test_the_trick_points_add_up(name: str, total: int) -> None:
    """Section 12."""
    assert total == load(name).trick_total


def test_the_single_deck_has_48_cards_and_hands_of_12() -> None:
    """R-DECK-01, R-DEAL-02."""
    rules = load("classic")
    assert (48, 12, 2) == (len(rules.cards), rules.hand_size, rules.copies)
    assert (0, 0, 1, 1) == rules.cards[:4]


def test_the_double_deck_has_80_cards_without_nines_and_hands_of_20() -> None:
    """R-DECK-02, R-DEAL-02."""
    rules = load("double-deck")
    assert (80, 20, 4) == (len(rules.cards), rules.hand_size, rules.copies)
    assert {0, 1, 2, 3, 4} == {card % 6 for card in rules.cards}


def test_a_custom_schedule_counts_and_survives_json() -> None:
    """R-TPT-07."""
    points = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 1}
    rules = load("classic", trick_schedule=points, last_trick=0)
    assert (11, 10, 4, 3, 2, 1) == rules.trick_values
    assert 8 * 31 == rules.trick_total
    assert points == json.loads(json.dumps(rules.knobs()))["trick_schedule"]


def test_a_set_stored_before_the_club_knobs_has_them_off() -> None:
    """R-CLB-01."""
    stored = {name: value for name, value in load("classic").knobs().items() if name not in CLUB_OFF}
    assert load("classic") == RuleSet.from_knobs(stored)


def test_a_missing_knob_is_named() -> None:
    stored = load("classic").knobs()
    del stored["target"]
    with pytest.raises(BadRules, match=r"^knob target is missing: it must be a whole number from 1 to "):
        RuleSet.from_knobs(stored)


def test_an_unknown_knob_is_named() -> None:
    with pytest.raises(BadRules, match=r"^unknown knob 'no_such_knob'$"):
        load("classic", no_such_knob=1)
    with pytest.raises(BadRules, match=r"^unknown knob 'profile'$"):
        load("classic", profile="danish")


def test_what_follows_from_the_knobs_is_no_knob() -> None:
    with pytest.raises(BadRules, match="unknown knob 'hand_size'"):
        load("classic", hand_size=13)


@pytest.mark.parametrize("name", ["bridge", "", "../classic", None, ["classic"], 7])
def test_an_unknown_profile_is_refused(name: Any) -> None:
    with pytest.raises(BadRules, match=r"^unknown profile .*: it must be one of cardgames, classic, "):
        load(name)


@pytest.mark.parametrize("knobs", [None, [], "classic", 4])
def test_knobs_must_be_a_mapping(knobs: Any) -> None:
    with pytest.raises(BadRules, match="knobs must be a mapping"):
        RuleSet.from_knobs(knobs)


@pytest.mark.parametrize(
    ("base", "name", "value"),
    [(base, name, value) for base in ("classic", "two-handed") for name in KNOBS for value in WRONG[name]],
    ids=lambda value: repr(value)[:30],
)
def test_a_value_that_is_not_allowed_is_refused_in_one_line_even_where_unused(
    base: str, name: str, value: Any
) -> None:
    """R-CFG-02, R-CFG-04."""
    with pytest.raises(BadRules, match=rf"^knob {name} is .*: it must be ") as refused:
        load(base, **{name: value})
    assert "\n" not in str(refused.value)
    assert KNOBS[name] in str(refused.value)


def test_a_number_too_long_to_write_out_is_refused_like_any_other() -> None:
    with pytest.raises(BadRules, match="knob target is a number too long to show: it must be a whole number"):
        load("classic", target=10**5000)


def test_a_refusal_names_knob_value_and_allowed_values() -> None:
    with pytest.raises(BadRules, match=r"^knob exchange is 1: it must be one of 0, 2, 3, 4$"):
        load("classic", exchange=1)


@pytest.mark.parametrize(
    ("base", "knobs", "named"),
    [
        ("classic", {"players": 3}, "players"),
        ("two-handed", {"players": 4}, "players"),
        ("two-handed", {"deck": "double"}, "deck"),
        ("two-handed", {"trump_source": "auction"}, "trump_source"),
        ("two-handed", {"exchange": 2}, "exchange"),
        ("danish-nobid", {"exchange": 4}, "exchange"),
        ("classic", {"min_bid": 255}, "min_bid"),
        ("danish-nobid", {"min_bid": 255}, "min_bid"),
        ("classic", {"max_raise": 15}, "max_raise"),
        ("double-deck", {"run_extras": "king_or_queen"}, "run_extras"),
        ("double-deck", {"bid_ladder": [[60, 5]], "max_raise": 10}, "bid_ladder"),
        ("double-deck", {"bid_ladder": [[50, 5]]}, "bid_ladder"),
        ("double-deck", {"bid_ladder": [[40, 5]]}, "bid_ladder"),
        ("double-deck", {"bid_ladder": [[60, 5], [98, 10]]}, "bid_ladder"),
        ("double-deck", {"bid_ladder": [[60, 5], [60, 10]]}, "bid_ladder"),
        ("classic", {"bid_ladder": [[255, 5]]}, "bid_ladder"),
        ("double-deck", {"short_meld": "set_unplayed"}, "short_meld"),
        ("double-deck", {"bidder_trick_minimum": 51}, "bidder_trick_minimum"),
        ("classic", {"defender_trick_minimum": 251}, "defender_trick_minimum"),
        ("classic", {"last_trick": 0, "defender_trick_minimum": 241}, "defender_trick_minimum"),
    ],
)
def test_knobs_that_contradict_each_other_are_refused(base: str, knobs: dict[str, Any], named: str) -> None:
    """R-CFG-02."""
    with pytest.raises(BadRules, match=rf"^knob {named} is "):
        load(base, **knobs)


@pytest.mark.parametrize(
    ("base", "knobs"),
    [
        ("classic", {"max_raise": 50}),
        ("classic", {"min_bid": 120}),
        ("classic", {"defender_trick_minimum": 250}),
        ("classic", {"stock_end": "immediate"}),
        ("double-deck", {"bid_ladder": [[60, 5], [100, 10]]}),
        ("double-deck", {"bidder_trick_minimum": 50, "last_trick": 2}),
        ("danish-nobid", {"win_rule": "own_bid", "concession": "any_time"}),
        ("two-handed", {"min_bid": 255, "max_raise": 7, "run_extras": "king_or_queen"}),
        ("two-handed", {"misdeal_option": True}),
        ("two-handed", {"bid_ladder": [[60, 5]], "short_meld": "set_unplayed", "bidder_trick_minimum": 999}),
        ("two-handed", {"players": 3}),
        ("classic", {"min_bid": NUMBER_MAX, "target": NUMBER_MAX}),
    ],
)
def test_what_the_game_does_not_use_is_free_in_its_allowed_values(base: str, knobs: dict[str, Any]) -> None:
    """R-CFG-04."""
    found = load(base, **knobs).knobs()
    assert {name: found[name] for name in knobs} == knobs


def test_a_rule_set_does_not_change_and_can_be_a_key() -> None:
    """R-CFG-01."""
    rules = load("double-deck-club")
    with pytest.raises(FrozenInstanceError):
        rules.target = 1  # type: ignore[misc]
    assert {rules: 1}[load("double-deck-club")] == 1
