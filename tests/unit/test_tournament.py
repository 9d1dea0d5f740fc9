"""Tournaments: entries, seeding, pairings, results, ties, lots, standings and tables."""

from dataclasses import replace
from hashlib import sha256
from typing import Any
from uuid import UUID

import pytest
from pinochle.decider import HOUSE, NOBODY
from pinochle.errors import BadInput, Reason, Rejected
from pinochle.rules import load
from pinochle.shuffle import commitment
from pinochle.tournament import (
    DIRECTOR,
    TOURNAMENT,
    Attempt,
    ByesGiven,
    CloseTournament,
    CreateTournament,
    EnterTeam,
    LotDrawn,
    Match,
    MatchesScheduled,
    MatchReplayed,
    MatchTied,
    MatchWon,
    PinnedTable,
    RecordResult,
    ReplayMatch,
    ResultRecorded,
    Seeded,
    StandingsFinal,
    StartTournament,
    State,
    TablesPinned,
    TeamEliminated,
    TeamEntered,
    TeamWithdrawn,
    TournamentClosed,
    TournamentEnded,
    WithdrawTeam,
    ranked,
    redact,
    root,
    to_pin,
    unwanted,
    wanted,
)
from pinochle.tournament.knockout import places
from pinochle.tournament.lots import lot_side, table_id, table_seed
from pinochle.tournament.round_robin import paired
from pinochle.tournament.state import PLAYED

ID = "6f2b1f5e-3a51-4c0e-9a55-1d2c3b4a5968"
SEED = bytes(range(32))
CLASSIC = load("classic")


def a_tournament(teams: int = 0, *, start: bool = True, **changes: Any) -> State:
    """A tournament with this many teams, seeded in the order of entry; started if it has any."""
    words: dict[str, Any] = {
        "tournament": ID,
        "name": "Spring",
        "format": "knockout",
        "rules": CLASSIC,
        "seed": SEED,
        "deal_cap": 40,
    }
    state, _ = act(TOURNAMENT.initial(), CreateTournament(**(words | changes)))
    for number in range(1, teams + 1):
        state, _ = act(state, EnterTeam(f"Team {number}", ("bot:club", "bot:club"), number))
    return act(state, StartTournament())[0] if teams and start else state


def act(state: State, command: Any) -> tuple[State, tuple[Any, ...]]:
    events = TOURNAMENT.decide(state, command)
    return TOURNAMENT.fold(state, events, 0), events


def result(match: str, winner: int, attempt: int = 1, reason: str = "score", **changes: Any) -> RecordResult:
    words: dict[str, Any] = {
        "match": match,
        "attempt": attempt,
        "table": table_id(ID, match, attempt),
        "winner": winner,
        "totals": (1500, 900) if winner == 0 else (900, 1500) if winner == 1 else (700, 700),
        "deals": 9,
        "reason": reason,
    }
    return RecordResult(**(words | changes))


def refusal(state: State, command: Any) -> Reason:
    with pytest.raises(Rejected) as caught:
        TOURNAMENT.decide(state, command)
    return caught.value.reason


# Creating and entering


def test_a_tournament_publishes_the_commitment_to_its_seed_when_it_is_created() -> None:
    assert commitment(SEED) == a_tournament().created.commitment


def test_creating_the_same_tournament_again_changes_nothing() -> None:
    state = a_tournament()
    again = CreateTournament(ID, "Spring", "knockout", CLASSIC, SEED, 40)
    assert () == TOURNAMENT.decide(state, again)


def test_creating_another_tournament_under_the_same_id_is_refused() -> None:
    again = CreateTournament(ID, "Autumn", "knockout", CLASSIC, SEED, 40)
    assert Reason.ALREADY_OPEN == refusal(a_tournament(), again)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "swiss"}, "format must be one of knockout, round_robin"),
        ({"deal_cap": 0}, "deal_cap must be 1 to 10000, not 0"),
        ({"deals": 8, "deal_cap": 7}, "deal_cap must be 8 to 10000, not 7"),
        ({"tie_deals": 21}, "tie_deals must be 0 to 20"),
        ({"turn_ms": -1}, "turn_ms must be 0 to 604800000"),
        ({"cycles": 2}, "cycles belongs to the format round_robin; it must be 1 for knockout, not 2"),
        ({"cycles": 9, "format": "round_robin"}, "cycles must be 1 to 8"),
        ({"name": ""}, "the length of name of a tournament must be 1 to 80"),
        ({"name": "a\nb"}, "no control characters"),
        ({"name": " a"}, "no space at its ends"),
        ({"tournament": ID.upper()}, "a UUID in lower case"),
        ({"tournament": "x"}, "a UUID in lower case"),
        ({"seed": b"short"}, "a seed has 32 bytes"),
        ({"format": "rounds", "rounds": 3}, "format rounds is for tables of three"),
        ({"rules": load("two-handed"), "format": "rounds", "rounds": 3}, "format rounds is for tables of three"),
        ({"rules": load("three-handed-stock")}, "format knockout needs two sides at a table"),
        ({"rules": load("three-handed-stock"), "format": "round_robin"}, "tables of three are played in format rounds"),
        ({"rounds": 2}, "rounds belongs to the format rounds; it must be 0 for knockout, not 2"),
        ({"rules": load("three-handed-stock"), "format": "rounds"}, "rounds must be 1 to 40, not 0"),
        ({"rules": load("three-handed-stock"), "format": "rounds", "rounds": 41}, "rounds must be 1 to 40, not 41"),
    ],
)
def test_a_malformed_tournament_is_refused_in_one_line(change: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words) as caught:
        a_tournament(**change)
    assert "\n" not in str(caught.value)


def test_a_command_before_the_tournament_exists_is_refused() -> None:
    assert Reason.NOT_OPEN == refusal(TOURNAMENT.initial(), StartTournament())


def test_something_that_is_no_command_is_refused() -> None:
    with pytest.raises(BadInput):
        TOURNAMENT.decide(a_tournament(), "start")  # type: ignore[arg-type]


def test_teams_are_numbered_in_the_order_of_entry() -> None:
    _, events = act(a_tournament(2, start=False), EnterTeam("Aces", ("ann", "bob")))
    assert (TeamEntered(2, "Aces", ("ann", "bob"), 0),) == events


def test_entering_the_same_team_again_changes_nothing() -> None:
    state, _ = act(a_tournament(), EnterTeam("Aces", ("ann", "bob")))
    assert () == TOURNAMENT.decide(state, EnterTeam("Aces", ("ann", "bob")))


@pytest.mark.parametrize(
    "entry",
    [
        EnterTeam("Aces", ("cat", "dan")),  # the name is taken
        EnterTeam("Kings", ("bob", "dan")),  # bob plays already
        EnterTeam("Kings", ("dan", "dan")),  # one player twice
    ],
)
def test_a_name_or_a_player_twice_is_refused(entry: EnterTeam) -> None:
    state, _ = act(a_tournament(), EnterTeam("Aces", ("ann", "bob")))
    assert Reason.ILLEGAL_ENTRY == refusal(state, entry)


def test_a_house_bot_may_play_in_several_teams() -> None:
    assert 3 == len(a_tournament(3).teams)


def test_a_knockout_takes_at_most_its_limit_of_teams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pinochle.tournament.decider.ENTRANTS_MAX", 2)
    state = a_tournament(2, start=False)
    assert Reason.ILLEGAL_ENTRY == refusal(state, EnterTeam("Late", ("bot:club", "bot:club")))


@pytest.mark.parametrize(
    "entry",
    [EnterTeam("Aces", ("ann",)), EnterTeam("Aces", ("ann", "")), EnterTeam("Aces", ("ann", "bob"), -1)],
)
def test_a_malformed_entry_is_refused(entry: EnterTeam) -> None:
    with pytest.raises(BadInput):
        TOURNAMENT.decide(a_tournament(), entry)


def test_entries_are_closed_after_the_start() -> None:
    assert Reason.WRONG_PHASE == refusal(a_tournament(2), EnterTeam("Late", ("ann", "bob")))


def test_a_withdrawn_team_is_gone_and_its_number_is_not_given_again() -> None:
    state, events = act(a_tournament(3, start=False), WithdrawTeam(2))
    assert (TeamWithdrawn(2),) == events
    assert () == TOURNAMENT.decide(state, WithdrawTeam(2))
    assert 3 == act(state, EnterTeam("Aces", ("ann", "bob")))[1][0].team


def test_withdrawing_an_unknown_team_or_after_the_start_is_refused() -> None:
    assert Reason.ILLEGAL_ENTRY == refusal(a_tournament(2, start=False), WithdrawTeam(7))
    assert Reason.WRONG_PHASE == refusal(a_tournament(2), WithdrawTeam(1))


# Starting


def test_a_start_with_one_team_is_refused() -> None:
    assert Reason.BAD_FORMAT == refusal(a_tournament(1, start=False), StartTournament())


def test_a_round_robin_with_too_many_matches_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pinochle.tournament.decider.MATCHES_MAX", 11)
    state = a_tournament(4, start=False, format="round_robin", cycles=2)
    assert Reason.BAD_FORMAT == refusal(state, StartTournament())


def test_starting_again_changes_nothing() -> None:
    assert () == TOURNAMENT.decide(a_tournament(2), StartTournament())


def test_numbered_teams_are_seeded_by_number_and_the_rest_behind_them_by_lot() -> None:
    state = a_tournament()
    for name, number in (("a", 0), ("b", 9), ("c", 0), ("d", 2), ("e", 0)):
        state, _ = act(state, EnterTeam(name, ("bot:club", "bot:club"), number))
    seeded = TOURNAMENT.decide(state, StartTournament())[0]
    assert isinstance(seeded, Seeded)
    assert (3, 1) == seeded.order[:2]
    assert [0, 2, 4] == sorted(seeded.order[2:])
    assert (2, 9, 0, 0, 0) == seeded.numbers


def test_another_seed_draws_other_lots() -> None:
    orders = set()
    for last in range(10):
        state = a_tournament(seed=SEED[:31] + bytes([last]))
        for name in "abcdef":
            state, _ = act(state, EnterTeam(name, ("bot:club", "bot:club")))
        orders.add(TOURNAMENT.decide(state, StartTournament())[0].order)
    assert len(orders) > 5


def test_sixteen_teams_meet_one_and_sixteen_eight_and_nine() -> None:
    meet = ((1, 16), (8, 9), (4, 13), (5, 12), (2, 15), (7, 10), (3, 14), (6, 11))
    assert meet == places(16)


def test_with_five_teams_the_top_three_have_byes_and_two_and_three_meet_at_once() -> None:
    events = TOURNAMENT.decide(a_tournament(5, start=False), StartTournament())
    assert (
        Seeded((0, 1, 2, 3, 4), (1, 2, 3, 4, 5)),
        ByesGiven(1, (0, 1, 2), "top_seeds"),
        MatchesScheduled(1, ((2, (3, 4)),), "seeds"),
        MatchesScheduled(2, ((2, (1, 2)),), "seeds"),
    ) == events


def test_the_circle_of_five_gives_each_team_one_bye_and_every_pair_one_match() -> None:
    rounds = [paired((0, 1, 2, 3, 4), number) for number in range(1, 6)]
    byes = [events[0].teams[0] for events in rounds]
    pairs = [frozenset(pairing.teams) for events in rounds for pairing in events[1].pairings]
    assert [0, 1, 2, 3, 4] == sorted(byes)
    assert 10 == len(set(pairs)) == len(pairs)


# Results


def test_the_winner_of_a_table_wins_the_match_and_the_loser_is_out() -> None:
    _, events = act(a_tournament(4), result("r1m1", 1))
    assert (
        ResultRecorded("r1m1", 1, table_id(ID, "r1m1", 1), 1, (900, 1500), 9, "score"),
        MatchWon("r1m1", 3, 0, "score"),
        TeamEliminated(0, "r1m1"),
    ) == events


def test_the_next_match_is_scheduled_when_both_its_teams_are_known() -> None:
    state, _ = act(a_tournament(4), result("r1m2", 0))
    _, events = act(state, result("r1m1", 0))
    assert MatchesScheduled(2, ((1, (0, 1)),), "winners") == events[-1]


def test_the_final_ends_a_knockout_with_a_champion_and_shared_ranks() -> None:
    state = a_tournament(4)
    for match in ("r1m1", "r1m2", "r2m1"):
        state, events = act(state, result(match, 0))
    assert TournamentEnded(0, (0, 1, 2, 3), (1, 2, 3, 3), "round_of_elimination") == events[-1]


def test_the_same_result_again_changes_nothing() -> None:
    state, _ = act(a_tournament(4), result("r1m1", 0))
    assert () == TOURNAMENT.decide(state, result("r1m1", 0))


def test_another_result_for_the_same_table_is_refused() -> None:
    state, _ = act(a_tournament(4), result("r1m1", 0))
    assert Reason.DIFFERENT_RESULT == refusal(state, result("r1m1", 1))


@pytest.mark.parametrize(
    "command",
    [result("r9m1", 0), result("r1m1", 0, attempt=2), result("r1m1", 0, table=table_id(ID, "r1m2", 1))],
)
def test_a_result_of_an_unknown_match_attempt_or_table_is_refused(command: RecordResult) -> None:
    assert Reason.UNKNOWN_MATCH == refusal(a_tournament(4), command)


@pytest.mark.parametrize(
    "change",
    [
        {"reason": "luck"},
        {"winner": 2},
        {"totals": (1, 2, 3)},
        {"deals": -1},
        {"reason": "draw"},
        {"winner": -1},
    ],
)
def test_a_malformed_result_is_refused(change: dict[str, Any]) -> None:
    command = replace(result("r1m1", 0), **change)
    with pytest.raises(BadInput):
        TOURNAMENT.decide(a_tournament(4), command)


# Ties, lots and replays


@pytest.mark.parametrize("reason", ["draw", "deal_limit"])
def test_a_level_table_leads_to_a_single_deal(reason: str) -> None:
    state, events = act(a_tournament(2, tie_deals=2), result("r1m1", -1, reason=reason))
    assert MatchTied("r1m1", 1, 1) == events[-1]
    assert [("deals", 1, "draw")] == [
        (table.rules.game_length, table.rules.deals, table.rules.deals_tie) for table in wanted(state)
    ]


def test_the_single_deal_decides_a_tie() -> None:
    state, _ = act(a_tournament(2), result("r1m1", -1, reason="draw"))
    _, events = act(state, result("r1m1", 1, attempt=2))
    assert MatchWon("r1m1", 1, 0, "tie_deal") == events[1]


def test_the_lot_decides_after_the_last_single_deal() -> None:
    state, _ = act(a_tournament(2, tie_deals=1), result("r1m1", -1, reason="draw"))
    _, events = act(state, result("r1m1", -1, attempt=2, reason="draw"))
    side = lot_side(SEED, "r1m1")
    assert LotDrawn("r1m1", side, "level") == events[1]
    assert MatchWon("r1m1", side, 1 - side, "lot") == events[2]


def test_without_single_deals_the_lot_decides_at_once() -> None:
    _, events = act(a_tournament(2, tie_deals=0), result("r1m1", -1, reason="draw"))
    assert [ResultRecorded, LotDrawn, MatchWon] == [event.__class__ for event in events[:3]]


def test_a_voided_table_is_played_anew_at_another_table() -> None:
    before = a_tournament(2)
    state, events = act(before, result("r1m1", -1, reason="void", totals=(0, 0), deals=0))
    assert (MatchReplayed("r1m1", 1, "void"),) == events
    assert [(2, "target")] == [(table.attempt, table.rules.game_length) for table in wanted(state)]
    assert (wanted(before)[0].table,) == unwanted(state)


def test_a_result_of_a_replaced_table_changes_nothing() -> None:
    state, _ = act(a_tournament(2), ReplayMatch("r1m1", 1, "the table lost its players"))
    assert () == TOURNAMENT.decide(state, result("r1m1", 0))
    assert () == TOURNAMENT.decide(state, ReplayMatch("r1m1", 1, "again"))


def test_a_decided_match_is_not_replayed() -> None:
    state, _ = act(a_tournament(4), result("r1m1", 0))
    assert Reason.DIFFERENT_RESULT == refusal(state, ReplayMatch("r1m1", 1, "too late"))


def test_a_tie_deal_that_is_voided_is_followed_by_another_tie_deal_that_still_counts_as_the_first() -> None:
    state, _ = act(a_tournament(2, tie_deals=1), result("r1m1", -1, reason="draw"))
    state, _ = act(state, result("r1m1", -1, attempt=2, reason="void"))
    assert [1] == [table.rules.deals for table in wanted(state)]
    _, events = act(state, result("r1m1", -1, attempt=3, reason="draw"))
    assert LotDrawn in [event.__class__ for event in events]


def test_after_too_many_voided_tables_the_lot_decides() -> None:
    state = a_tournament(2)
    for attempt in range(1, 6):
        state, _ = act(state, result("r1m1", -1, attempt=attempt, reason="void"))
    assert Reason.WRONG_PHASE == refusal(state, ReplayMatch("r1m1", 6, "once more"))
    state, events = act(state, result("r1m1", -1, attempt=6, reason="void"))
    assert LotDrawn("r1m1", lot_side(SEED, "r1m1"), "void") == events[0]
    assert () == TOURNAMENT.decide(state, result("r1m1", -1, attempt=6, reason="void"))
    assert 6 == len(unwanted(state))


# Standings


def a_match(number: int, winner: int, loser: int, points: tuple[int, int] = (1500, 1000)) -> Match:
    played = Attempt(1, "game", PLAYED, 0, points, 9, "score")
    return Match(f"r1m{number}", 1, number, (winner, loser), (played,), winner, "score")


def test_wins_rank_first() -> None:
    rows = ranked((0, 1, 2), [a_match(1, 2, 0), a_match(2, 2, 1), a_match(3, 1, 0)])
    assert [(1, 2, "wins"), (2, 1, "wins"), (3, 0, "wins")] == [
        (row.rank, row.team, row.reason) for row in rows
    ]


def test_equal_wins_are_separated_by_the_match_between_them_whatever_the_points() -> None:
    matches = [
        a_match(1, 1, 0, (1500, 1490)),
        a_match(2, 0, 2, (1500, -900)),
        a_match(3, 0, 3),
        a_match(4, 1, 3),
    ]
    rows = ranked((0, 1, 2, 3), matches)
    assert [(1, 1, "head_to_head"), (2, 0, "head_to_head")] == [(r.rank, r.team, r.reason) for r in rows[:2]]


def test_a_circle_of_wins_is_separated_by_points_difference() -> None:
    matches = [a_match(1, 0, 1, (1500, 100)), a_match(2, 1, 2, (1500, 1400)), a_match(3, 2, 0, (1500, 1400))]
    rows = ranked((2, 1, 0), matches)
    assert [(1, 0, "difference"), (2, 2, "difference"), (3, 1, "difference")] == [
        (row.rank, row.team, row.reason) for row in rows
    ]


def test_what_stays_level_shares_a_rank_until_the_lot_is_drawn() -> None:
    matches = [a_match(1, 0, 1), a_match(2, 1, 2), a_match(3, 2, 0)]
    shown, final = ranked((0, 1, 2), matches), ranked((0, 1, 2), matches, SEED)
    assert [(1, "level")] * 3 == [(row.rank, row.reason) for row in shown]
    assert [(1, "lot"), (2, "lot"), (3, "lot")] == [(row.rank, row.reason) for row in final]


def test_single_deals_after_a_tie_do_not_count_for_points() -> None:
    level = Attempt(1, "game", PLAYED, -1, (700, 700), 8, "draw")
    decider = Attempt(2, "tie_deal", PLAYED, 0, (40, 10), 1, "score")
    rows = ranked((0, 1), [Match("r1m1", 1, 1, (0, 1), (level, decider), 0, "tie_deal")])
    assert [(700, 700), (700, 700)] == [(row.points_for, row.points_against) for row in rows]


def test_a_round_robin_goes_on_when_the_round_is_decided_and_ends_with_standings() -> None:
    state = a_tournament(3, format="round_robin")
    classes = []
    while state.undecided:
        state, events = act(state, result(next(iter(state.undecided)), 0))
        classes.append([event.__class__ for event in events[2:]])
    assert [
        [ByesGiven, MatchesScheduled],
        [ByesGiven, MatchesScheduled],
        [StandingsFinal, TournamentEnded],
    ] == classes


# Tables


def test_a_wanted_table_seats_the_teams_opposite_and_has_a_seed_of_its_own() -> None:
    state = a_tournament()
    for name, players in (("a", ("ann", "bob")), ("b", ("cat", "dan"))):
        state, _ = act(state, EnterTeam(name, players, ord(name)))
    (table,) = wanted(act(state, StartTournament())[0])
    assert ("ann", "cat", "bob", "dan") == table.players
    assert table_seed(SEED, "r1m1", 1) == table.seed
    assert (table_id(ID, "r1m1", 1), "r1m1", 40, CLASSIC) == (
        table.table,
        table.match,
        table.deal_limit,
        table.rules,
    )
    assert 0 <= table.dealer < 4


def test_a_match_of_fixed_deals_may_end_level() -> None:
    (table,) = wanted(a_tournament(2, deals=6))
    assert ("deals", 6, "draw") == (table.rules.game_length, table.rules.deals, table.rules.deals_tie)


def test_nothing_is_wanted_before_the_start_and_after_the_end() -> None:
    state = a_tournament(2)
    assert () == wanted(a_tournament(2, start=False))
    assert () == wanted(act(state, result("r1m1", 0))[0])


# The end


def test_the_seed_is_secret_until_the_tournament_is_closed() -> None:
    state = a_tournament(2)
    assert Reason.WRONG_PHASE == refusal(state, CloseTournament())
    state, _ = act(state, result("r1m1", 0))
    state, events = act(state, CloseTournament(pins(state)))
    assert SEED == events[-1].seed
    assert () == TOURNAMENT.decide(state, CloseTournament())


def pins(state: State) -> tuple[PinnedTable, ...]:
    """What the next act lists, with made up acts and hashes."""
    return tuple(PinnedTable(table, 9, table.encode()[:32]) for table, _ in to_pin(state))


def test_the_last_act_lists_every_table_in_the_order_of_ids_and_a_root_over_them() -> None:
    state, _ = act(a_tournament(4), ReplayMatch("r1m1", 1, "a test"))
    for match, attempt in (("r1m1", 2), ("r1m2", 1), ("r2m1", 1)):
        state, _ = act(state, result(match, 0, attempt=attempt))
    tables = pins(state)
    assert sorted(table_id(ID, match, n) for match, n in (("r1m1", 1), ("r1m1", 2), ("r1m2", 1), ("r2m1", 1))) == [
        table.table for table in tables
    ]
    closed, events = act(state, CloseTournament(tables))
    hashed = b"".join(UUID(x.table).bytes + (9).to_bytes(8, "big") + x.head for x in tables)
    over_all = sha256(b"pinochle-arena/root/1" + UUID(ID).bytes + hashed).digest()
    assert (TablesPinned(tables), TournamentClosed(SEED, over_all)) == events
    assert (tables, over_all) == (closed.pinned, closed.root)


def test_many_tables_are_listed_by_several_acts_and_the_seed_comes_with_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pinochle.tournament.tables.PINNED_MAX", 2)
    state = a_tournament(4)
    for match in ("r1m1", "r1m2", "r2m1"):
        state, _ = act(state, result(match, 0))
    first = pins(state)
    state, events = act(state, CloseTournament(first))
    assert ((TablesPinned(first),), 2, HOUSE) == (events, len(first), TOURNAMENT.due(state).who)
    assert () == TOURNAMENT.decide(state, CloseTournament(first))
    last = pins(state)
    _, events = act(state, CloseTournament(last))
    assert (TablesPinned(last), TournamentClosed(SEED, root(ID, (*first, *last)))) == events


@pytest.mark.parametrize(
    "spoil",
    [
        lambda tables: tables[1:],
        lambda tables: tables[::-1],
        lambda tables: (*tables, tables[-1]),
        lambda tables: (tables[0]._replace(table=ID), *tables[1:]),
        lambda tables: (tables[0]._replace(acts=0), *tables[1:]),
        lambda tables: (tables[0]._replace(acts=0, head=bytes(32)), *tables[1:]),
        lambda tables: (tables[0]._replace(head=bytes(32)), *tables[1:]),
        lambda tables: (tables[0]._replace(head=b"short"), *tables[1:]),
    ],
)
def test_a_list_of_tables_that_is_not_the_tournaments_is_refused(spoil: Any) -> None:
    state = a_tournament(4)
    for match in ("r1m1", "r1m2", "r2m1"):
        state, _ = act(state, result(match, 0))
    with pytest.raises(BadInput):
        TOURNAMENT.decide(state, CloseTournament(spoil(pins(state))))


def test_a_table_that_was_replaced_may_never_have_been_opened() -> None:
    state, _ = act(a_tournament(2), ReplayMatch("r1m1", 1, "a test"))
    state, _ = act(state, result("r1m1", 0, attempt=2))
    unopened = table_id(ID, "r1m1", 1)
    tables = tuple(x._replace(acts=0, head=bytes(32)) if x.table == unopened else x for x in pins(state))
    _, events = act(state, CloseTournament(tables))
    assert tables == events[0].tables


def test_a_tournament_of_before_its_tables_were_pinned_closes_as_it_did() -> None:
    state, _ = act(a_tournament(2), result("r1m1", 0))
    assert (TournamentClosed(SEED),) == TOURNAMENT.decide(state, CloseTournament())


def test_nobody_sees_the_seed_when_the_tournament_is_created() -> None:
    create = CreateTournament(ID, "Spring", "knockout", CLASSIC, SEED, 40)
    (created,) = TOURNAMENT.decide(TOURNAMENT.initial(), create)
    assert b"" == redact(created).seed
    assert SEED == created.seed


def test_the_director_is_due_first_then_the_house_then_nobody() -> None:
    entry, running = a_tournament(2, start=False), a_tournament(2)
    over, _ = act(running, result("r1m1", 0))
    closed, _ = act(over, CloseTournament())
    assert [DIRECTOR, HOUSE, HOUSE, NOBODY] == [TOURNAMENT.due(s).who for s in (entry, running, over, closed)]
