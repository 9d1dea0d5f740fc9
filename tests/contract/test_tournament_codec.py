"""What a tournament stores and shows: every command and event comes back from its bytes as it was."""

from typing import Any, get_args

import pytest
from pinochle.decider import Act
from pinochle.errors import BadInput
from pinochle.rules import load
from pinochle.tournament import (
    PINNED_MAX,
    TOURNAMENT,
    CloseTournament,
    Command,
    CreateTournament,
    EnterTeam,
    Event,
    PinnedTable,
    RecordResult,
    ReplayMatch,
    StartTournament,
    TablesPinned,
    TournamentCreated,
    WithdrawTeam,
    redact,
    to_pin,
    wanted,
)
from pinochle.wire import tournament_codec as codec
from pinochle.wire.v1 import tournament_pb2 as pb

ID = "6f2b1f5e-3a51-4c0e-9a55-1d2c3b4a5968"
SEED = bytes(range(32))


def acts_of(format_name: str) -> list[Act]:
    """A whole tournament of five teams with a withdrawal, a replay, a tie, a lot and a voided table."""
    state, acts = TOURNAMENT.initial(), []

    def do(author: str, command: Any) -> None:
        nonlocal state
        events = TOURNAMENT.decide(state, command)
        at_ms = 1_700_000_000_000 + len(acts)
        acts.append(Act(len(acts) + 1, author, at_ms, 1, bytes(16), command, events, received_ms=at_ms - 3))
        state = TOURNAMENT.fold(state, events, 0)

    alone = format_name == "rounds"
    rules = load("three-handed-stock" if alone else "double-deck-club")
    rounds = 2 if alone else 0
    do("director", CreateTournament(ID, "Åben turnering", format_name, rules, SEED, 30, 6, 1, 20_000, 1, rounds))
    for number in range(6):
        do("director", EnterTeam(f"Team {number}", (f"p{number}", "bot:club")[: 1 if alone else 2], number))
    do("director", WithdrawTeam(5))
    do("director", StartTournament())
    do("director", ReplayMatch("r1m1" if alone else "r1m2", 1, "the light went out"))
    endings = iter([(-1, "draw"), (-1, "deal_limit"), (-1, "void"), (1, "score")])
    while tables := wanted(state):
        winner, reason = next(endings, (0, "deal_limit"))
        table = tables[0]
        totals: tuple[int, ...] = (-250, 1510)
        if alone:
            winner, reason, totals = (-1, "void", (0, 0, 0)) if reason == "void" else (2, "score", (90, 90, 1010))
        do("house", RecordResult(table.match, table.attempt, table.table, winner, totals, 9, reason))
    pinned = [PinnedTable(table, 300 + at, bytes((at,)) * 32) for at, (table, _) in enumerate(to_pin(state), 1)]
    do("house", CloseTournament(tuple(pinned)))
    return acts


@pytest.fixture(scope="module")
def acts() -> list[Act]:
    return acts_of("knockout") + acts_of("round_robin") + acts_of("rounds")


def test_the_acts_of_these_tests_hold_every_kind_of_command_and_event(acts: list[Act]) -> None:
    assert set(get_args(Command)) == {act.command.__class__ for act in acts}
    assert set(get_args(Event)) == {event.__class__ for act in acts for event in act.events}


def test_an_act_comes_back_from_its_stored_bytes_as_it_was(acts: list[Act]) -> None:
    for act in acts:
        assert act == codec.from_rest(act.version, act.command_id, codec.at_rest(act))


def test_a_view_holds_the_acts_redacted_events(acts: list[Act]) -> None:
    for act in acts:
        view = pb.TournamentActView.FromString(codec.for_viewer(act))
        assert (act.version, act.at_ms, act.author) == (view.version, view.at_ms, view.author)
        assert tuple(map(redact, act.events)) == codec.events_from(view)


def test_encode_gives_the_same_bytes_as_the_two_encoders(acts: list[Act]) -> None:
    for act in acts:
        assert (codec.at_rest(act), codec.for_viewer(act)) == codec.encode(act, codec.command_bytes(act.command))


def test_no_view_before_the_end_holds_the_seed(acts: list[Act]) -> None:
    first = next(act for act in acts if act.events[0].__class__ is TournamentCreated)
    assert SEED in codec.at_rest(first)
    assert SEED not in codec.for_viewer(first)


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xff\xff",
        b"",
        pb.TournamentActBody(command=pb.TournamentCommand(record_result=pb.RecordResult())).SerializeToString(),
        pb.TournamentActBody(command=pb.TournamentCommand(create_tournament=pb.CreateTournament())).SerializeToString(),
        pb.TournamentActBody(
            command=pb.TournamentCommand(start_tournament=pb.StartTournament()), events=[pb.TournamentEvent()]
        ).SerializeToString(),
    ],
)
def test_bytes_that_say_nothing_sensible_are_refused(body: bytes) -> None:
    with pytest.raises(BadInput):
        codec.from_rest(1, bytes(16), body)


def test_a_side_that_does_not_exist_is_refused() -> None:
    message = pb.TournamentEvent(result_recorded=pb.ResultRecorded(winner=2, totals=[0, 0]))
    with pytest.raises(BadInput, match="side 2"):
        codec.event_from(message)


@pytest.mark.parametrize(("number", "words"), [(0, "missing"), (7, "does not exist")])
def test_a_format_that_does_not_exist_is_refused(number: int, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        codec.format_from(number)


def test_the_start_of_a_full_knockout_is_a_small_act() -> None:
    state = TOURNAMENT.initial()
    commands: list[Any] = [CreateTournament(ID, "Many", "knockout", load("classic"), SEED, 30)]
    commands += [EnterTeam(f"Team {number}", ("bot:club", "bot:club")) for number in range(600)]
    for command in commands:
        state = TOURNAMENT.fold(state, TOURNAMENT.decide(state, command), 0)
    events = TOURNAMENT.decide(state, StartTournament())
    assert len(events) <= 4
    assert len(codec.at_rest(Act(602, "director", 0, 1, bytes(16), StartTournament(), events))) < 20_000


def test_an_act_that_lists_as_many_tables_as_one_may_is_below_half_a_mebibyte() -> None:
    tables = tuple(PinnedTable(ID, 999_999, bytes(range(32))) for _ in range(PINNED_MAX))
    act = Act(99_999, "house", 1_900_000_000_000, 1, bytes(16), CloseTournament(tables), (TablesPinned(tables),))
    assert len(codec.at_rest(act)) < 512 << 10
    assert act == codec.from_rest(99_999, bytes(16), codec.at_rest(act))


@pytest.mark.parametrize("table", [pb.PinnedTable(table=bytes(15), head=bytes(32)), pb.PinnedTable(table=bytes(16))])
def test_a_pinned_table_without_an_id_or_a_hash_is_refused(table: pb.PinnedTable) -> None:
    with pytest.raises(BadInput, match="16 bytes"):
        codec.event_from(pb.TournamentEvent(tables_pinned=pb.TablesPinned(tables=[table])))
