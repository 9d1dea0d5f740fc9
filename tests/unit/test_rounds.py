"""Single players' tournaments: places and byes at tables of three, and matches of two players."""

from typing import Any

import pytest
from pinochle.errors import BadInput, Reason, Rejected
from pinochle.rules import NUMBER_MAX, load
from pinochle.tournament import (
    TOURNAMENT,
    Attempt,
    ByesGiven,
    ByesScored,
    CreateTournament,
    EnterTeam,
    Match,
    MatchesScheduled,
    MatchReplayed,
    MatchTied,
    PlaceRow,
    PlacesAwarded,
    PlacesFinal,
    RecordResult,
    StartTournament,
    State,
    TournamentEnded,
    ranked_by_places,
    table_deal_limit,
    table_rules,
    wanted,
)
from pinochle.tournament.decider import REPLAYS_MAX
from pinochle.tournament.lots import table_id
from pinochle.tournament.rounds import awarded

ID = "6f2b1f5e-3a51-4c0e-9a55-1d2c3b4a5968"
SEED = bytes(range(32))
TWO, THREE = load("two-handed"), load("three-handed-stock")


def a_tournament(players: int, **changes: Any) -> State:
    """A started tournament of single players, seeded in the order of entry."""
    words: dict[str, Any] = {"format": "rounds", "rules": THREE, "deal_cap": 40, "rounds": 2}
    state, _ = act(TOURNAMENT.initial(), CreateTournament(ID, "Spring", seed=SEED, **(words | changes)))
    for number in range(players):
        state, _ = act(state, EnterTeam(f"Player {number}", (f"p{number}",), number + 1))
    return act(state, StartTournament())[0]


def act(state: State, command: Any) -> tuple[State, tuple[Any, ...]]:
    events = TOURNAMENT.decide(state, command)
    return TOURNAMENT.fold(state, events, 0), events


def result(match: str, *totals: int, attempt: int = 1, reason: str = "score") -> RecordResult:
    winner = totals.index(max(totals)) if totals.count(max(totals)) == 1 and reason != "void" else -1
    return RecordResult(match, attempt, table_id(ID, match, attempt), winner, totals, 4, reason)


def voided(match: str, attempt: int) -> RecordResult:
    return result(match, 0, 0, 0, attempt=attempt, reason="void")


# Places


@pytest.mark.parametrize(
    ("totals", "places", "halves"),
    [
        ((900, 1010, 300), (2, 1, 3), (4, 6, 2)),
        ((900, 900, 300), (1, 1, 3), (5, 5, 2)),
        ((900, 300, 300), (1, 2, 2), (6, 3, 3)),
        ((300, 300, 300), (1, 1, 1), (4, 4, 4)),
    ],
)
def test_players_with_equal_totals_share_the_points_of_their_places(
    totals: tuple[int, ...], places: tuple[int, ...], halves: tuple[int, ...]
) -> None:
    assert PlacesAwarded("r1m1", places, halves, "score") == awarded("r1m1", totals, "score")


def test_a_shared_first_place_decides_the_table_without_a_winner() -> None:
    state, events = act(a_tournament(3), result("r1m1", 900, 900, 300, reason="deal_limit"))
    assert (-1, (1, 1, 3)) == (state.matches["r1m1"].winner, state.matches["r1m1"].places)
    assert not any(isinstance(event, MatchTied) for event in events)
    assert 2 == state.round


def test_the_winner_is_the_team_with_the_first_place() -> None:
    state, _ = act(a_tournament(3), result("r1m1", 300, 1010, 900))
    match = state.matches["r1m1"]
    assert match.teams[1] == match.winner


@pytest.mark.parametrize("winner", [-1, 0, 2])
def test_a_winner_without_the_highest_total_is_refused(winner: int) -> None:
    report = RecordResult("r1m1", 1, table_id(ID, "r1m1", 1), winner, (300, 1010, 900), 4, "deal_limit")
    with pytest.raises(BadInput, match="must be the side with the highest total, 1"):
        TOURNAMENT.decide(a_tournament(3), report)


def test_a_result_of_two_sides_is_refused_at_a_table_of_three() -> None:
    report = RecordResult("r1m1", 1, table_id(ID, "r1m1", 1), 0, (1010, 900), 4, "score")
    with pytest.raises(BadInput, match="the number of totals must be 3, not 2"):
        TOURNAMENT.decide(a_tournament(3), report)


# Byes and voided tables


def test_the_last_seeds_have_the_first_byes() -> None:
    state = a_tournament(5)
    assert {1: (4, 3)} == state.byes


def test_a_bye_scores_the_mean_of_its_round() -> None:
    _, events = act(a_tournament(4), result("r1m1", 300, 1000, 501))
    assert ByesScored(1, (3,), 4, 600, "bye") == events[2]
    assert isinstance(events[3], ByesGiven)
    assert MatchesScheduled(2, events[4].pairings, "fewest_meetings", 1) == events[4]


def test_a_table_that_is_voided_too_often_scores_the_mean_of_its_round_for_all_three() -> None:
    state, _ = act(a_tournament(6, rounds=1), result("r1m1", 300, 1000, 500))
    for attempt in range(1, REPLAYS_MAX + 1):
        state, events = act(state, voided("r1m2", attempt))
        assert (MatchReplayed("r1m2", attempt, "void"),) == events
    teams = state.matches["r1m2"].teams
    state, events = act(state, voided("r1m2", REPLAYS_MAX + 1))
    assert PlacesAwarded("r1m2", (), (), "void") == events[0]
    assert ByesScored(1, teams, 4, 600, "void") == events[1]
    assert ("replaced", -1) == (state.matches["r1m2"].attempts[-1].status, state.matches["r1m2"].winner)


# Standings


def test_total_points_come_after_place_points_and_the_lot_after_both() -> None:
    def table(number: int, teams: tuple[int, ...], totals: tuple[int, ...]) -> Match:
        award = awarded(f"r1m{number}", totals, "score")
        attempt = Attempt(1, "game", "played", -1, totals, 4, "score")
        return Match(f"r1m{number}", 1, number, teams, (attempt,), -1, "score", award.places, award.halves)

    tables = [table(1, (0, 1, 2), (1000, 500, 100)), table(2, (3, 4, 5), (1200, 500, 200))]
    rows = ranked_by_places(range(6), tables, ())
    assert [(1, 3, "total_points"), (2, 0, "total_points"), (3, 1, "level"), (3, 4, "level")] == [
        (row.rank, row.team, row.reason) for row in rows[:4]
    ]
    final = ranked_by_places(range(6), tables, (), SEED)
    assert ["lot", "lot"] == [row.reason for row in final[2:4]]
    assert [1, 2, 3, 4, 5, 6] == [row.rank for row in final]


def test_the_last_table_ends_the_tournament_with_its_standings() -> None:
    _, events = act(a_tournament(3, rounds=1), result("r1m1", 300, 1000, 500))
    rows = (
        PlaceRow(1, 1, 1, 0, 6, 1000, "place_points"),
        PlaceRow(2, 2, 1, 0, 4, 500, "place_points"),
        PlaceRow(3, 0, 1, 0, 2, 300, "place_points"),
    )
    assert (PlacesFinal(rows), TournamentEnded(1, (1, 2, 0), (1, 2, 3), "standings")) == events[2:]


# Entries and tables


def test_three_players_are_needed_for_rounds() -> None:
    with pytest.raises(Rejected, match="3 teams are needed, 2 entered") as caught:
        a_tournament(2)
    assert Reason.BAD_FORMAT == caught.value.reason


def test_a_team_of_single_players_has_one() -> None:
    state, _ = act(TOURNAMENT.initial(), CreateTournament(ID, "Spring", "knockout", TWO, SEED, 40))
    with pytest.raises(BadInput, match="the number of players in a team must be 1, not 2"):
        TOURNAMENT.decide(state, EnterTeam("Two", ("ann", "bob")))


def test_rounds_take_so_many_players_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pinochle.tournament.decider.ROUNDS_ENTRANTS_MAX", 3)
    with pytest.raises(Rejected, match="format rounds takes 3 teams at most"):
        a_tournament(4)


def test_the_players_of_a_table_of_three_sit_in_the_order_of_their_group() -> None:
    state = a_tournament(3)
    (table,) = wanted(state)
    assert tuple(f"p{team}" for team in state.matches["r1m1"].teams) == table.players
    assert (THREE, 40) == (table.rules, table.deal_limit)


def test_a_match_of_two_players_is_two_seats() -> None:
    (table,) = wanted(a_tournament(2, format="knockout", rules=TWO, rounds=0))
    assert ("p0", "p1") == table.players


def test_so_many_deals_of_the_stock_game_are_the_tables_limit_and_no_target_is_in_reach() -> None:
    rules = table_rules(load("two-handed", stock_end="immediate"), 3, "game")
    assert (NUMBER_MAX, "deal_end") == (rules.target, rules.stock_end)
    assert (3, 1, 40) == (
        table_deal_limit(TWO, 3, 40, "game"),
        table_deal_limit(TWO, 3, 40, "tie_deal"),
        table_deal_limit(TWO, 0, 40, "game"),
    )
    assert 40 == table_deal_limit(load("classic"), 3, 40, "game")


def test_a_match_of_two_players_that_ends_level_goes_on_with_a_single_deal() -> None:
    state = a_tournament(2, format="knockout", rules=TWO, rounds=0, deals=2)
    state, events = act(state, result("r1m1", 500, 500, reason="deal_limit"))
    assert MatchTied("r1m1", 1, 2) == events[-1]
    (table,) = wanted(state)
    assert (NUMBER_MAX, 1) == (table.rules.target, table.deal_limit)
