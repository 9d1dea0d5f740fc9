"""Trick points, concession, the score of a hand and the end of a game (sections 10, 12 to 15, 18)."""

from typing import Any

import pytest
from pinochle.cards import parse_card
from pinochle.rules import load
from pinochle.scoring import (
    GameEnd,
    HandScore,
    game_end,
    is_short_meld,
    may_concede,
    score_hand,
    stock_game_end,
    trick_points,
)

CLUB = "double-deck-club"


def scored(
    profile: str,
    bid: int | None,
    ours: tuple[int, int],
    theirs: tuple[int, int],
    *,
    bidder: int | None = 0,
    tricks: tuple[int, int] = (6, 6),
    conceded: bool = False,
    no_play: str | None = None,
    **knobs: Any,
) -> HandScore:
    """The score of a hand in which each side has (meld, trick points)."""
    return score_hand(
        load(profile, **knobs),
        bidder=bidder,
        bid=bid,
        meld=(ours[0], theirs[0]),
        trick_points=(ours[1], theirs[1]),
        tricks=tricks,
        conceded=conceded,
        no_play=no_play,
    )


def ended(
    profile: str,
    totals: tuple[int, int],
    bidder: int | None = 0,
    outcome: str = "made",
    declared_out: bool = False,
    deals_played: int = 1,
    **knobs: Any,
) -> GameEnd:
    return game_end(
        load(profile, **knobs),
        totals=totals,
        bidder=bidder,
        outcome=outcome,
        declared_out=declared_out,
        deals_played=deals_played,
    )


# Section 12


def test_a_trick_is_worth_its_cards_and_the_last_one_its_bonus() -> None:
    """R-TPT-05, R-TPT-08."""
    trick = [parse_card(card) for card in ("AS", "TS", "KS", "QS")]
    assert 30 == trick_points(load("classic"), trick, False)
    assert 40 == trick_points(load("classic"), trick, True)
    assert 28 == trick_points(load("classic-ace11"), trick, False)
    assert 5 == trick_points(load("double-deck"), trick, True)


@pytest.mark.parametrize("profile", ["cardgames", "classic-ace11", "danish-1pt", "double-deck"])
def test_all_cards_and_the_last_trick_are_the_trick_total(profile: str) -> None:
    rules = load(profile)
    assert rules.trick_total == trick_points(rules, rules.cards, True)


# Section 10


@pytest.mark.parametrize(
    ("concession", "bid", "expected"),
    [
        ("never", 1000, False),
        ("unmakeable", 310, False),
        ("unmakeable", 320, True),
        ("short_by_limit", 300, False),
        ("short_by_limit", 310, True),
        ("any_time", 250, True),
    ],
)
def test_conceding_a_contract_with_60_in_meld(concession: str, bid: int, expected: bool) -> None:
    """R-CON-01 to R-CON-04: the limit is 60 and 250 trick points."""
    assert expected == may_concede(load("cardgames", concession=concession), bid, 60)


def test_meld_below_the_minimum_does_not_help_against_conceding() -> None:
    """R-CLB-07."""
    rules = load(CLUB, short_meld="play")
    assert may_concede(rules, 51, 19)
    assert not may_concede(rules, 51, 20)


def test_there_is_nothing_to_concede_in_a_hand_set_without_play() -> None:
    """R-CLB-08."""
    assert is_short_meld(load(CLUB), 19)
    assert not is_short_meld(load(CLUB), 20)
    assert not is_short_meld(load(CLUB, short_meld="play"), 19)
    assert not may_concede(load(CLUB), 75, 19)


def test_there_is_nothing_to_concede_without_bidding() -> None:
    """R-TRU-03."""
    assert not may_concede(load("danish-nobid", concession="any_time"), 250, 0)


# Section 13


def test_a_made_contract_scores_all_meld_and_trick_points() -> None:
    """R-SCO-01, R-SCO-04."""
    assert HandScore("made", (320, 60), (480, 150)) == scored("classic", 350, (320, 160), (60, 90))


def test_a_contract_reached_exactly_is_made() -> None:
    assert "made" == scored("classic", 340, (320, 20), (60, 230)).outcome
    assert "set" == scored("classic", 350, (320, 20), (60, 230)).outcome


def test_a_set_team_loses_its_contract() -> None:
    """R-SCO-02, R-SCO-05."""
    assert (-350, 290) == scored("classic", 350, (320, 20), (60, 230)).delta


def test_scores_are_listed_by_team_whoever_bids() -> None:
    assert (150, -350) == scored("classic", 350, (60, 90), (100, 160), bidder=1).delta


@pytest.mark.parametrize(
    ("needs", "points", "tricks", "counts"),
    [
        ("nothing", 0, 0, True),
        ("trick", 0, 0, False),
        ("trick", 0, 1, True),
        ("trick_points", 0, 1, False),
        ("trick_points", 10, 1, True),
    ],
)
def test_meld_may_need_a_trick_or_trick_points(needs: str, points: int, tricks: int, counts: bool) -> None:
    """R-SCO-03, R-SCO-04."""
    knobs = {"bidder_meld_needs": needs, "defender_meld_needs": needs}
    won = (tricks, 12 - tricks)
    bidding = scored("classic", 250, (400, points), (0, 250 - points), tricks=won, **knobs)
    defending = scored("classic", 250, (400, points), (0, 250 - points), tricks=won, bidder=1, **knobs)
    assert (400 if counts else 0) == bidding.counted_meld[0]
    assert ("made" if counts else "set") == bidding.outcome
    assert (400 + points if counts else points) == defending.delta[0]


@pytest.mark.parametrize(
    ("set_penalty", "expected"), [("bid", -350), ("meld_minus_shortfall", 100 - 50), ("shortfall", -50)]
)
def test_the_set_penalty_is_the_contract_or_the_shortfall(set_penalty: str, expected: int) -> None:
    """R-SCO-05: contract 350, meld 100, 200 in tricks are 50 short."""
    assert expected == scored("classic", 350, (100, 200), (0, 50), set_penalty=set_penalty).delta[0]


def test_conceding_costs_the_penalty_and_the_defenders_score_their_meld() -> None:
    """R-SCO-06."""
    score = scored("cardgames", 330, (60, 0), (80, 0), tricks=(0, 0), conceded=True)
    assert HandScore("conceded", (60, 80), (-330, 80)) == score


def test_conceding_with_enough_meld_has_no_shortfall() -> None:
    """A-39."""
    score = scored("classic", 300, (320, 0), (0, 0), tricks=(0, 0), conceded=True, set_penalty="shortfall")
    assert (0, 0) == score.delta


def test_without_bidding_both_teams_score_as_defenders() -> None:
    """R-SCO-08."""
    score = scored("danish-nobid", None, (100, 0), (40, 250), bidder=None, defender_meld_needs="trick_points")
    assert HandScore("no_bid", (0, 40), (0, 290)) == score


# Section 18


@pytest.mark.parametrize(
    ("ours", "theirs", "outcome", "delta"),
    [
        ((35, 28), (19, 22), "made", (63, 22)),
        ((70, 19), (24, 31), "set", (-60, 55)),
        ((35, 31), (40, 19), "made", (66, 0)),
    ],
)
def test_the_worked_examples_of_the_double_deck_club(
    ours: tuple[int, int], theirs: tuple[int, int], outcome: str, delta: tuple[int, int]
) -> None:
    """R-CLB-07, R-CLB-09, R-CLB-10: contract 60."""
    score = scored(CLUB, 60, ours, theirs)
    assert (outcome, delta) == (score.outcome, score.delta)


def test_short_defenders_may_keep_their_trick_points() -> None:
    """R-CLB-10."""
    score = scored(CLUB, 60, (35, 31), (40, 19), short_tricks="lose_meld")
    assert HandScore("made", (35, 0), (66, 19)) == score


def test_too_few_trick_points_set_even_a_contract_that_they_reach_alone() -> None:
    """R-CLB-09."""
    score = scored("double-deck", 10, (60, 19), (0, 31), min_bid=10, bidder_trick_minimum=20)
    assert HandScore("set", (0, 0), (-10, 31)) == score


def test_short_meld_is_set_without_play() -> None:
    """R-CLB-08, R-CLB-11."""
    score = scored(CLUB, 60, (19, 0), (40, 0), tricks=(0, 0), no_play="short_meld")
    assert HandScore("set", (0, 40), (-60, 40)) == score


def test_defenders_of_an_unplayed_hand_need_the_meld_minimum_and_no_tricks() -> None:
    """R-CLB-11, A-51."""
    assert (-60, 0) == scored(CLUB, 60, (0, 0), (19, 0), tricks=(0, 0), no_play="no_marriage").delta
    assert (-60, 20) == scored(CLUB, 60, (0, 0), (20, 0), tricks=(0, 0), no_play="no_marriage").delta


@pytest.mark.parametrize(
    ("credit", "counted", "delta"),
    [("nothing", 0, 0), ("meld", 40, 40), ("meld_half", 40, 65), ("meld_all", 40, 90)],
)
def test_defenders_are_credited_for_a_hand_not_played(credit: str, counted: int, delta: int) -> None:
    """R-CLB-11."""
    for how in ({"no_play": "no_marriage"}, {"conceded": True}):
        score = scored(CLUB, 90, (0, 0), (40, 0), tricks=(0, 0), unplayed_credit=credit, **how)
        assert (counted, delta) == (score.counted_meld[1], score.delta[1])


def test_half_of_an_odd_total_is_rounded_down() -> None:
    """R-CLB-11: 25 trick points."""
    score = scored("danish-1pt", 30, (0, 0), (4, 0), conceded=True, unplayed_credit="meld_half")
    assert (-30, 16) == score.delta


def test_set_points_go_to_the_opponents() -> None:
    """R-CLB-12."""
    assert (0, 410) == scored("single-deck-club", 200, (60, 120), (80, 130)).delta


@pytest.mark.parametrize(
    ("set_penalty", "delta"), [("meld_minus_shortfall", (100, 100)), ("shortfall", (0, 100))]
)
def test_a_shortfall_goes_to_the_opponents(set_penalty: str, delta: tuple[int, int]) -> None:
    """R-CLB-12: contract 350 is 50 short."""
    score = scored("classic", 350, (100, 200), (0, 50), set_penalty=set_penalty, set_points="to_opponents")
    assert delta == score.delta


def test_without_bidding_the_trick_minimum_holds_for_both_teams() -> None:
    """R-CLB-10."""
    knobs = {"defender_trick_minimum": 100, "bidder_trick_minimum": 250, "short_tricks": "lose_all"}
    score = scored("danish-nobid", None, (100, 160), (40, 90), bidder=None, **knobs)
    assert HandScore("no_bid", (100, 0), (260, 0)) == score


# Section 14


@pytest.mark.parametrize(
    ("totals", "bidder", "expected"),
    [
        ((1490, 1200), 0, GameEnd(False, None)),
        ((1500, 1200), 1, GameEnd(True, 0)),
        ((1700, 1600), 1, GameEnd(True, 1)),
        ((1500, 1600), 0, GameEnd(True, 0)),
    ],
)
def test_the_target_is_reached(totals: tuple[int, int], bidder: int, expected: GameEnd) -> None:
    """R-END-01, R-END-02."""
    assert expected == ended("classic", totals, bidder)


def test_both_over_the_target_the_bidding_team_wins_even_if_set() -> None:
    """A-38."""
    assert GameEnd(True, 1) == ended("classic", (1700, 1600), 1, "set")


def test_a_team_must_win_on_its_own_bid() -> None:
    """R-END-03."""
    assert GameEnd(True, 0) == ended("classic", (1500, 1600), 0, "made", win_rule="own_bid")
    assert GameEnd(False, None) == ended("classic", (1500, 1600), 0, "set", win_rule="own_bid")
    assert GameEnd(False, None) == ended("classic", (1500, 1400), 1, "made", win_rule="own_bid")


def test_a_team_must_have_declared_out() -> None:
    """R-END-04."""
    assert GameEnd(True, 0) == ended("classic", (1500, 0), 0, "made", True, win_rule="declared_out")
    assert GameEnd(False, None) == ended("classic", (1500, 0), 0, "made", False, win_rule="declared_out")
    assert GameEnd(False, None) == ended("classic", (1500, 0), 0, "conceded", True, win_rule="declared_out")


def test_without_bidding_the_higher_total_wins() -> None:
    """R-END-05."""
    for rule in ("reach", "own_bid", "declared_out"):
        assert GameEnd(True, 1) == ended("danish-nobid", (1500, 1510), None, "no_bid", win_rule=rule)
        assert GameEnd(True, 0) == ended("danish-nobid", (1500, 1490), None, "no_bid", win_rule=rule)
        assert GameEnd(False, None) == ended("danish-nobid", (1510, 1510), None, "no_bid", win_rule=rule)


def test_a_game_of_four_deals_ends_after_the_fourth_whatever_the_totals() -> None:
    """R-CLB-13."""
    assert GameEnd(False, None) == ended(CLUB, (600, 0), deals_played=3)
    assert GameEnd(True, 1) == ended(CLUB, (-60, 40), deals_played=4)


def test_a_tie_after_the_last_deal_is_played_off_or_drawn() -> None:
    """R-CLB-14."""
    assert GameEnd(False, None) == ended(CLUB, (90, 90), deals_played=4)
    assert GameEnd(True, 0) == ended(CLUB, (100, 90), deals_played=5)
    assert GameEnd(True, None) == ended(CLUB, (90, 90), deals_played=4, deals_tie="draw")


def test_with_either_length_the_target_is_judged_first() -> None:
    """R-CLB-13."""
    assert GameEnd(True, 1) == ended(CLUB, (510, 500), 1, deals_played=4, game_length="either")
    assert GameEnd(True, 0) == ended(CLUB, (510, 100), 1, deals_played=2, game_length="either")
    assert GameEnd(True, 0) == ended(CLUB, (410, 400), 1, deals_played=4, game_length="either")
    assert GameEnd(False, None) == ended(CLUB, (410, 400), 1, deals_played=3, game_length="either")


@pytest.mark.parametrize(
    ("totals", "expected"),
    [
        ((990, 995), GameEnd(False, None)),
        ((1000, 990), GameEnd(True, 0)),
        ((1010, 1100), GameEnd(True, 1)),
        ((1010, 1010), GameEnd(False, None)),
        ((900, 1010, 1010), GameEnd(False, None)),
        ((1005, 1000, 1010), GameEnd(True, 2)),
    ],
)
def test_a_stock_game_ends_with_one_player_ahead(totals: tuple[int, ...], expected: GameEnd) -> None:
    """R-TWO-19."""
    assert expected == stock_game_end(load("two-handed"), totals)
