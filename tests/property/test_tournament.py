"""Laws of tournaments for any number of teams and any results: ties, voided tables and doubled reports."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pinochle.errors import Rejected
from pinochle.rules import load
from pinochle.tournament import (
    TOURNAMENT,
    ByesGiven,
    CreateTournament,
    EnterTeam,
    MatchesScheduled,
    MatchWon,
    RecordResult,
    StandingsFinal,
    StartTournament,
    State,
    TeamEliminated,
    TournamentEnded,
    redact,
    wanted,
)
from pinochle.tournament.knockout import places

ID = "6f2b1f5e-3a51-4c0e-9a55-1d2c3b4a5968"
CLASSIC = load("classic")
Outcome = tuple[int, str]
OUTCOMES: tuple[Outcome, ...] = (
    (0, "score"),
    (1, "score"),
    (0, "deal_limit"),
    (1, "deal_limit"),
    (-1, "deal_limit"),
    (-1, "draw"),
    (-1, "void"),
)


class Played:
    """A whole tournament of random results; each report of a table is followed by an old one once more."""

    def __init__(self, data: st.DataObject, format_name: str, teams: int, cycles: int = 1) -> None:
        self.events: list[Any] = []
        self.state: State = TOURNAMENT.initial()
        self.chance = data.draw(st.randoms(use_true_random=False))
        numbers = data.draw(st.lists(st.integers(0, 9), min_size=teams, max_size=teams))
        seed = data.draw(st.binary(min_size=32, max_size=32))
        self.do(CreateTournament(ID, "Any", format_name, CLASSIC, seed, 30, tie_deals=1, cycles=cycles))
        for at, number in enumerate(numbers):
            self.do(EnterTeam(f"Team {at}", ("bot:club", "bot:random"), number))
        self.do(StartTournament())
        self.reports: list[RecordResult] = []
        while tables := wanted(self.state):
            table = self.chance.choice(tables)
            winner, reason = self.chance.choice(OUTCOMES)
            totals = (self.chance.randrange(2000), self.chance.randrange(2000))
            report = RecordResult(table.match, table.attempt, table.table, winner, totals, 5, reason)
            self.reports.append(report)
            self.do(report)
            self._repeat_a_report()

    def do(self, command: Any) -> None:
        events = TOURNAMENT.decide(self.state, command)
        self.events += events
        self.state = TOURNAMENT.fold(self.state, events, 0)

    def _repeat_a_report(self) -> None:
        again = self.chance.choice(self.reports)
        before = self.state
        assert () == TOURNAMENT.decide(before, again)

    def all(self, kind: type) -> list[Any]:
        return [event for event in self.events if event.__class__ is kind]

    def pairs(self) -> list[frozenset[int]]:
        return [frozenset(p.teams) for event in self.all(MatchesScheduled) for p in event.pairings]


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(2, 70))
def test_a_knockout_plays_every_match_once_and_leaves_one_champion(data: st.DataObject, teams: int) -> None:
    played = Played(data, "knockout", teams)
    (ended,) = played.all(TournamentEnded)
    won = played.all(MatchWon)
    scheduled = [(event.round, p.number) for event in played.all(MatchesScheduled) for p in event.pairings]
    assert teams - 1 == len(won) == len({event.match for event in won})
    assert teams - 1 == len(scheduled) == len(set(scheduled))
    assert set(range(teams)) - {ended.champion} == {event.team for event in played.all(TeamEliminated)}
    assert teams - 1 == len(played.all(TeamEliminated))


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(2, 70))
def test_byes_of_a_knockout_are_in_round_one_and_to_the_top_seeds(data: st.DataObject, teams: int) -> None:
    played = Played(data, "knockout", teams)
    free = (1 << (teams - 1).bit_length()) - teams
    expected = [ByesGiven(1, played.state.order[:free], "top_seeds")] if free else []
    assert expected == played.all(ByesGiven)


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(2, 70))
def test_a_knockout_ranks_by_the_round_of_elimination(data: st.DataObject, teams: int) -> None:
    played = Played(data, "knockout", teams)
    state = played.state
    assert set(range(teams)) == set(state.ranking)
    assert [1, 2] == list(state.ranks[:2])
    rounds = [state.matches[state.eliminated[team]].round for team in state.ranking[1:]]
    assert sorted(rounds, reverse=True) == rounds
    for rank, team in zip(state.ranks, state.ranking, strict=True):
        assert 1 + sum(other < rank for other in state.ranks) == rank, team


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 11))
def test_the_two_best_seeds_can_meet_only_in_the_final(exponent: int) -> None:
    seats = [seed for place in places(2 << exponent) for seed in place]
    half = len(seats) // 2
    assert (1 in seats[:half]) != (2 in seats[:half])


@settings(max_examples=20, deadline=None)
@given(st.data(), st.integers(2, 24), st.integers(1, 3))
def test_a_round_robin_pairs_everyone_once_a_cycle(data: st.DataObject, teams: int, cycles: int) -> None:
    played = Played(data, "round_robin", teams, cycles)
    met = Counter(played.pairs())
    assert {frozenset(pair): cycles for pair in combinations(range(teams), 2)} == met
    assert len(played.all(MatchWon)) == met.total()


@settings(max_examples=20, deadline=None)
@given(st.data(), st.integers(2, 24))
def test_a_round_robin_gives_at_most_one_bye_a_round_and_each_team_as_many(
    data: st.DataObject, teams: int
) -> None:
    played = Played(data, "round_robin", teams)
    byes = [team for event in played.all(ByesGiven) for team in event.teams]
    rounds = Counter(event.round for event in played.all(ByesGiven))
    assert (list(range(teams)) if teams % 2 else []) == sorted(byes)
    assert all(count == 1 for count in rounds.values())
    for event in played.all(MatchesScheduled):
        seated = [team for pairing in event.pairings for team in pairing.teams]
        assert len(seated) == len(set(seated)) == teams - teams % 2


@settings(max_examples=20, deadline=None)
@given(st.data(), st.integers(2, 24))
def test_final_standings_rank_by_wins_and_give_every_team_its_own_rank(
    data: st.DataObject, teams: int
) -> None:
    played = Played(data, "round_robin", teams)
    (final,) = played.all(StandingsFinal)
    wins = Counter(event.winner for event in played.all(MatchWon))
    assert list(range(1, teams + 1)) == [row.rank for row in final.rows]
    assert [wins[row.team] for row in final.rows] == [row.wins for row in final.rows]
    assert sorted((row.wins for row in final.rows), reverse=True) == [row.wins for row in final.rows]


@settings(max_examples=20, deadline=None)
@given(st.data(), st.sampled_from(("knockout", "round_robin")), st.integers(2, 16))
def test_a_replay_folds_to_the_same_state_and_a_spectators_lacks_only_the_seed(
    data: st.DataObject, format_name: str, teams: int
) -> None:
    played = Played(data, format_name, teams)
    assert _same_but_version(played.state, _folded(played.events, lambda event: event))
    seen = _folded(played.events, redact)
    assert b"" == seen.created.seed
    assert played.state.matches == seen.matches
    assert (played.state.ranking, played.state.standings) == (seen.ranking, seen.standings)


@settings(max_examples=20, deadline=None)
@given(st.data(), st.integers(2, 16))
def test_the_order_of_reports_changes_no_winner_of_round_one(data: st.DataObject, teams: int) -> None:
    played = Played(data, "knockout", teams)
    first = [report for report in played.reports if report.match.startswith("r1m")]
    other = _started(played)
    pending = list(reversed(first))
    while pending:  # a report of a later attempt is early until the one before it is in
        waiting = []
        for report in pending:
            try:
                events = TOURNAMENT.decide(other, report)
            except Rejected:
                waiting.append(report)
                continue
            other = TOURNAMENT.fold(other, events, 0)
        assert len(waiting) < len(pending)
        pending = waiting
    for match in other.matches.values():
        if match.round == 1:
            assert played.state.matches[match.id] == match


def _started(played: Played) -> State:
    created = played.state.created
    state = TOURNAMENT.initial()
    commands: list[Any] = [CreateTournament(ID, "Any", "knockout", CLASSIC, created.seed, 30, tie_deals=1)]
    commands += [EnterTeam(team.name, team.players, team.number) for team in played.state.teams.values()]
    for command in [*commands, StartTournament()]:
        state = TOURNAMENT.fold(state, TOURNAMENT.decide(state, command), 0)
    return state


def _folded(events: list[Any], seen: Callable[[Any], Any]) -> State:
    state = TOURNAMENT.initial()
    for event in events:
        state = TOURNAMENT.evolve(state, seen(event))
    return state


def _same_but_version(one: State, other: State) -> bool:
    names = [name for name in State.__slots__ if name != "version"]
    return all(getattr(one, name) == getattr(other, name) for name in names)
