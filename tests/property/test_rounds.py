"""Laws of rounds at tables of three: seats, byes and meetings for any number of players, and standings that add up."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pinochle.audit import EVENT, OK, rebuild, verify_tournament
from pinochle.rules import load
from pinochle.tournament import (
    TOURNAMENT,
    ByesGiven,
    ByesScored,
    CreateTournament,
    EnterTeam,
    MatchesScheduled,
    PlacesAwarded,
    PlacesFinal,
    RecordResult,
    StartTournament,
    State,
    TournamentEnded,
    plan_next_round,
    ranked_by_places,
    redact,
    wanted,
)
from pinochle.tournament.groups import Round, _plan, planned
from pinochle.wire import tournament_codec

from tests.played import STREAM, chained, hold

THREE = load("three-handed-stock")
PLAYERS_MAX = 128
ROUNDS_PROVED = 20
BEST_FOR_FEW = {3: 1, 4: 1, 5: 2, 6: 1, 7: 1}
"""For so many players more rounds without a repeated meeting do not exist; the test below tries all."""


def rounds_of(players: int, number: int) -> list[Round]:
    return [planned(players, round_number) for round_number in range(1, number + 1)]


def meetings(rounds: list[Round]) -> Counter[frozenset[int]]:
    return Counter(frozenset(pair) for found in rounds for group in found.groups for pair in combinations(group, 2))


# The plan


@pytest.mark.parametrize("players", [*range(3, 40), 64, 100, PLAYERS_MAX])
def test_every_player_sits_or_has_a_bye_and_all_play_equally_often_up_to_byes(players: int) -> None:
    rounds = rounds_of(players, 20)
    for number, found in enumerate(rounds, 1):
        seated = [player for group in found.groups for player in group]
        assert list(range(players)) == sorted((*seated, *found.byes))
        assert players % 3 == len(found.byes)
        played = Counter(player for one in rounds[:number] for group in one.groups for player in group)
        counts = {played[player] for player in range(players)}
        assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("players", range(8, PLAYERS_MAX + 1))
def test_nobody_meets_twice_in_as_many_rounds_as_there_are_full_tables(players: int) -> None:
    # The bound: from 8 players on players // 3 rounds, at most ROUNDS_PROVED; 12 players have one less.
    number = 3 if players == 12 else min(players // 3, ROUNDS_PROVED)
    rounds = rounds_of(players, number)
    assert [0] * number == [found.repeated for found in rounds]
    assert {1} == set(meetings(rounds).values())


@pytest.mark.parametrize("players", BEST_FOR_FEW)
def test_for_few_players_nobody_meets_twice_as_long_as_that_is_possible(players: int) -> None:
    free = BEST_FOR_FEW[players]
    assert [0] * free == [found.repeated for found in rounds_of(players, free)]
    assert free == longest(players)


def longest(players: int) -> int:
    """Rounds without a repeated meeting, byes being fair: the most there can be, by trying all; small fields only."""

    def groupings(rest: frozenset[int], met: frozenset[frozenset[int]]) -> Any:
        if not rest:
            yield met
            return
        first = min(rest)
        for pair in combinations(sorted(rest - {first}), 2):
            new = {frozenset(two) for two in combinations((first, *pair), 2)}
            if not new & met:
                yield from groupings(rest - {first, *pair}, met | new)

    def after(met: frozenset[frozenset[int]], byes: tuple[int, ...]) -> int:
        best = 0
        for free in combinations(range(players), players % 3):
            had = [count + (player in free) for player, count in enumerate(byes)]
            if max(had) - min(had) > 1:
                continue
            for then in groupings(frozenset(range(players)) - set(free), met):
                best = max(best, 1 + after(then, tuple(had)))
        return best

    return after(frozenset(), (0,) * players)


@pytest.mark.parametrize("players", range(8, 40))
def test_no_two_players_meet_much_more_often_than_others(players: int) -> None:
    met = meetings(rounds_of(players, 20))
    often = [met[frozenset(pair)] for pair in combinations(range(players), 2)]
    assert max(often) - min(often) <= 3


@pytest.mark.parametrize("players", [9, 10, 31, 60])
def test_seats_go_round(players: int) -> None:
    groups = [group for found in rounds_of(players, 12) for group in found.groups]
    seats = Counter((player, seat) for group in groups for seat, player in enumerate(group))
    for player in range(players):
        counts = [seats[player, seat] for seat in range(3)]
        assert max(counts) - min(counts) <= 4


@pytest.mark.parametrize(
    ("players", "number", "digest"),
    [
        (8, 20, "ac37d5b1493e9078"),
        (9, 20, "c3eb51d25fad4918"),
        (23, 30, "46ba7c08a22d4b4d"),
        (40, 40, "3a37ad6e8823edff"),
        (62, 34, "0264ff622832e611"),
        (128, 25, "4838b53b32af24c7"),
    ],
)
def test_plans_stay_what_they_were_so_that_running_tournaments_keep_theirs(
    players: int, number: int, digest: str
) -> None:
    plain = [(found.byes, found.groups, found.repeated) for found in rounds_of(players, number)]
    assert digest == sha256(repr(plain).encode()).hexdigest()[:16]


def test_threads_that_ask_for_the_same_plan_get_the_same_rounds() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: planned(59, number), [*range(12, 0, -1)] * 4))
    assert rounds_of(59, 12)[::-1] * 4 == found
    plain = [(one.byes, one.groups, one.repeated) for one in rounds_of(59, 12)]
    assert "38b02431064325b6" == sha256(repr(plain).encode()).hexdigest()[:16]


def test_the_round_that_comes_next_is_planned_when_it_is_due_and_not_before() -> None:
    _plan.cache_clear()
    made = _plan(113)
    state = TOURNAMENT.initial()

    def do(command: Any) -> None:
        nonlocal state
        state = TOURNAMENT.fold(state, TOURNAMENT.decide(state, command), 0)

    do(CreateTournament(str(STREAM), "Any", "rounds", THREE, b"\x05" * 32, 30, rounds=2))
    for at in range(113):
        do(EnterTeam(f"Player {at}", (f"p{at}",), at))
    plan_next_round(state)
    assert 1 == made.count
    do(StartTournament())
    while tables := wanted(state):
        assert state.round == made.count
        plan_next_round(state)
        assert min(2, state.round + (len(tables) == 1)) == made.count
        do(RecordResult(tables[0].match, 1, tables[0].table, 0, (300, 200, 100), 5, "score"))
    plan_next_round(state)
    assert (2, 2) == (state.round, made.count)


def test_a_round_of_a_plan_does_not_depend_on_how_many_are_asked_for() -> None:
    assert planned(17, 3) == rounds_of(17, 9)[2]


# Tournaments


class Played:
    """A whole tournament of random totals, ties and voided tables among them."""

    def __init__(self, data: st.DataObject, players: int, rounds: int) -> None:
        self.events: list[Any] = []
        self.state: State = TOURNAMENT.initial()
        chance = data.draw(st.randoms(use_true_random=False))
        seed = data.draw(st.binary(min_size=32, max_size=32))
        self.do(CreateTournament(str(STREAM), "Any", "rounds", THREE, seed, 30, rounds=rounds))
        for at in range(players):
            self.do(EnterTeam(f"Player {at}", (f"p{at}",), chance.randrange(4)))
        self.do(StartTournament())
        voided = chance.randrange(4) == 0
        while tables := wanted(self.state):
            table = chance.choice(tables)
            totals = tuple(chance.choice((200, 300, 1000, 1100)) for _ in range(3))
            top = max(totals)
            winner = totals.index(top) if totals.count(top) == 1 else -1
            reason = "score" if winner >= 0 else "deal_limit"
            if voided and table.match == "r1m1":
                winner, totals, reason = -1, (0, 0, 0), "void"
            report = RecordResult(table.match, table.attempt, table.table, winner, totals, 5, reason)
            self.do(report)
            assert () == TOURNAMENT.decide(self.state, report)

    def do(self, command: Any) -> None:
        events = TOURNAMENT.decide(self.state, command)
        self.events += events
        self.state = TOURNAMENT.fold(self.state, events, 0)

    def all(self, kind: type) -> list[Any]:
        return [event for event in self.events if event.__class__ is kind]


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(3, 20), st.integers(1, 6))
def test_standings_add_up_to_what_the_tables_and_byes_gave(data: st.DataObject, players: int, rounds: int) -> None:
    played = Played(data, players, rounds)
    (final,) = played.all(PlacesFinal)
    halves, points = Counter[int](), Counter[int]()
    for match in played.state.matches.values():
        last = match.attempts[-1]
        for team, half, total in zip(match.teams, match.halves, last.totals, strict=False):
            halves[team] += half
            points[team] += total
    for bye in played.all(ByesScored):
        for team in bye.teams:
            halves[team] += bye.halves
            points[team] += bye.points
    assert {row.team: (halves[row.team], points[row.team]) for row in final.rows} == {
        row.team: (row.halves, row.points) for row in final.rows
    }
    assert 4 * players * rounds == sum(row.halves for row in final.rows)
    assert {rounds} == {row.played + row.byes for row in final.rows}


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(3, 20), st.integers(1, 6))
def test_every_player_has_a_rank_of_its_own_by_place_points_then_points(
    data: st.DataObject, players: int, rounds: int
) -> None:
    played = Played(data, players, rounds)
    (final,) = played.all(PlacesFinal)
    (ended,) = played.all(TournamentEnded)
    assert list(range(1, players + 1)) == [row.rank for row in final.rows]
    keys = [(row.halves, row.points) for row in final.rows]
    assert sorted(keys, reverse=True) == keys
    assert (final.rows[0].team, tuple(row.team for row in final.rows)) == (ended.champion, ended.order)
    for row in final.rows:
        level = [other for other in keys if other == (row.halves, row.points)]
        alike = [other for other in final.rows if other.halves == row.halves]
        expected = "lot" if len(level) > 1 else "total_points" if len(alike) > 1 else "place_points"
        assert expected == row.reason


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(3, 20), st.integers(1, 6))
def test_groups_byes_and_places_are_in_the_log_with_their_reasons(
    data: st.DataObject, players: int, rounds: int
) -> None:
    played = Played(data, players, rounds)
    scheduled = played.all(MatchesScheduled)
    assert list(range(1, rounds + 1)) == [event.round for event in scheduled]
    met: set[frozenset[int]] = set()
    for event in scheduled:
        pairs = {frozenset(two) for pairing in event.pairings for two in combinations(pairing.teams, 2)}
        reason = "fewest_meetings" if pairs & met else "new_meetings"
        assert (len(pairs & met), reason) == (event.repeated, event.reason)
        met |= pairs
    assert (rounds if players % 3 else 0) == len(played.all(ByesGiven))
    assert {"fewest_byes"} >= {event.reason for event in played.all(ByesGiven)}
    assert rounds * (players // 3) == len(played.all(PlacesAwarded))


@settings(max_examples=15, deadline=None)
@given(st.data(), st.integers(3, 12), st.integers(1, 4))
def test_a_spectator_folds_the_same_tournament_and_sees_live_standings(
    data: st.DataObject, players: int, rounds: int
) -> None:
    played = Played(data, players, rounds)
    seen = TOURNAMENT.initial()
    for event in played.events:
        seen = TOURNAMENT.evolve(seen, redact(event))
    assert b"" == seen.created.seed
    assert (played.state.matches, played.state.place_standings) == (seen.matches, seen.place_standings)
    live = ranked_by_places(seen.order, seen.matches.values(), seen.byes_scored)
    assert [(row.halves, row.points) for row in live] == [(row.halves, row.points) for row in seen.place_standings]


@pytest.mark.parametrize("teams", [3, 5, 7])
def test_a_tournament_in_rounds_is_audited(teams: int) -> None:
    acts = hold("rounds", 9, teams)
    log = chained(acts, STREAM, tournament_codec.at_rest)
    report = verify_tournament(STREAM, log)
    assert (OK, None) == (report.outcome, report.problem)
    assert rebuild(log, EVENT) == report.state
