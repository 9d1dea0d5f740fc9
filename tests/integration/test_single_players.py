"""Tournaments of single players on the real services, played by the house bots' real processes."""

from typing import Any
from uuid import UUID

import grpc
import pytest
from pinochle.audit import OK, verify_table, verify_tournament
from pinochle.rules import load
from pinochle.tournament import ByesGiven, MatchesScheduled, PlacesFinal, ResultRecorded, StandingsFinal
from pinochle.wire.knobs import rules_from
from pinochle.wire.v1 import game_pb2
from pinochle.wire.v1 import table_pb2 as table_pb
from pinochle.wire.v1 import tournament_pb2 as pb

from tests.integration.conftest import Caller
from tests.integration.test_bot_workers import DISPATCHER, WORKER, Bots, bots  # noqa: F401 (a fixture)
from tests.integration.test_tournament_service import (  # noqa: F401 (fixtures)
    Tournaments,
    folded,
    refused,
    service,
    worker,
)

KNOCKOUT, ROUND_ROBIN = pb.TOURNAMENT_FORMAT_KNOCKOUT, pb.TOURNAMENT_FORMAT_ROUND_ROBIN
ROUNDS = pb.TOURNAMENT_FORMAT_ROUNDS
KINDS = ("bot:club", "bot:random", "bot:timid")


async def held(service: Tournaments, bots: Bots, players: int, **words: Any) -> tuple[Caller, str, pb.ShowResponse]:  # noqa: F811
    """A tournament of single house bots, one deal a table, at its end."""
    await bots.start("worker", WORKER)
    await bots.start("dispatcher", DISPATCHER)
    director = await service.arena.caller("director")
    tournament = await service.create(director, **words)
    for number in range(1, players + 1):
        entry = {"name": f"Player {number}", "players": [KINDS[number % 3]], "number": number}
        await service.call(director, "Enter", tournament=tournament, **entry)
    await service.call(director, "Start", tournament=tournament)
    return director, tournament, await service.closed(director, tournament)


async def audited(service: Tournaments, director: Caller, tournament: str, shown: pb.ShowResponse) -> None:  # noqa: F811
    """Verify the logs of the tournament and of every table that counts, and compare results."""
    request = pb.TournamentServiceLogRequest(tournament=tournament)
    call = service.stub.Log(request, metadata=director.metadata, timeout=10)
    report = verify_tournament(UUID(tournament), [act async for page in call for act in page.acts])
    assert (OK, None) == (report.outcome, report.problem)
    for match in shown.matches:
        for attempt in match.attempts:
            log = director.tables.Log(table_pb.LogRequest(table=attempt.table), metadata=director.metadata, timeout=10)
            table = verify_table(UUID(attempt.table), [act async for page in log for act in page.acts])
            assert (OK, tuple(attempt.totals)) == (table.outcome, table.state.totals)
            names = {team.team: list(team.players) for team in shown.teams}
            assert [names[team][0] for team in match.teams] == list(table.state.table.players)


@pytest.mark.usefixtures("worker")
async def test_a_knockout_of_single_players_has_a_champion(service: Tournaments, bots: Bots) -> None:  # noqa: F811
    director, tournament, shown = await held(service, bots, 5, profile="two-handed", format=KNOCKOUT)
    assert (3, 4, 5) == (shown.rounds, len(shown.matches), len(shown.teams))
    assert shown.HasField("champion")
    assert {1} == {attempt.deals for match in shown.matches for attempt in match.attempts}
    await audited(service, director, tournament, shown)


@pytest.mark.usefixtures("worker")
async def test_a_round_robin_of_single_players_has_standings(service: Tournaments, bots: Bots) -> None:  # noqa: F811
    director, tournament, shown = await held(service, bots, 3, profile="two-handed", format=ROUND_ROBIN)
    _, events = await folded(service, director, tournament)
    assert [2, 2, 2] == [row.played for row in shown.standings]
    assert 1 == sum(isinstance(event, StandingsFinal) for event in events)
    await audited(service, director, tournament, shown)


@pytest.mark.usefixtures("worker")
async def test_rounds_at_tables_of_three_end_with_place_points(service: Tournaments, bots: Bots) -> None:  # noqa: F811
    words = {"profile": "three-handed-stock", "format": ROUNDS, "rounds": 3}
    director, tournament, shown = await held(service, bots, 8, **words)
    state, events = await folded(service, director, tournament)
    assert (3, 6, 8) == (shown.rounds, len(shown.matches), len(shown.place_standings))
    assert 3 * 8 * 4 == sum(row.halves for row in shown.place_standings)
    assert [3] * 8 == [row.played + row.byes for row in shown.place_standings]
    (final,) = [event for event in events if isinstance(event, PlacesFinal)]
    assert [row.team for row in final.rows] == [row.team for row in shown.place_standings] == list(state.ranking)
    assert final.rows[0].team == shown.champion
    assert {"new_meetings"} == {event.reason for event in events if isinstance(event, MatchesScheduled)}
    assert {"fewest_byes"} == {event.reason for event in events if isinstance(event, ByesGiven)}
    assert {3} == {len(event.totals) for event in events if isinstance(event, ResultRecorded)}
    for match in shown.matches:
        assert 12 == sum(match.halves)
    await audited(service, director, tournament, shown)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"profile": "three-handed-stock"}, "tables of three are played in format rounds"),
        ({"profile": "three-handed-stock", "format": ROUND_ROBIN}, "format round_robin needs two sides at a table"),
        ({"profile": "two-handed", "format": ROUNDS, "rounds": 2}, "format rounds is for tables of three"),
        ({"profile": "classic", "format": ROUNDS, "rounds": 2}, "format rounds is for tables of three"),
        ({"profile": "three-handed-stock", "format": ROUNDS}, "rounds must be 1 to 40, not 0"),
        ({"profile": "classic", "rounds": 2}, "rounds belongs to the format rounds; it must be 0 for knockout, not 2"),
        (
            {"profile": "three-handed-stock", "format": ROUNDS, "rounds": 2, "cycles": 2},
            "cycles belongs to the format round_robin; it must be 1 for rounds, not 2",
        ),
        (
            {"profile": "three-handed-stock", "format": ROUNDS, "rounds": 2, "tie_deals": 2},
            "tie_deals belongs to the formats knockout and round_robin; it must be 0 for rounds",
        ),
        ({"format": 9}, "format 9 does not exist"),
    ],
)
async def test_a_format_that_the_game_has_no_sides_for_is_refused_in_one_line(
    service: Tournaments, words: dict[str, Any], said: str  # noqa: F811
) -> None:
    director = await service.arena.caller("director")
    with refused(grpc.StatusCode.INVALID_ARGUMENT, said):
        await service.create(director, **words)


async def test_a_team_of_two_is_refused_where_everybody_plays_alone(service: Tournaments) -> None:  # noqa: F811
    director = await service.arena.caller("director")
    tournament = await service.create(director, profile="two-handed")
    with refused(grpc.StatusCode.INVALID_ARGUMENT, "the number of players in a team must be 1, not 2"):
        await service.call(director, "Enter", tournament=tournament, name="Two", players=["ann", "bob"])


async def test_two_players_are_too_few_for_a_table_of_three(service: Tournaments) -> None:  # noqa: F811
    director = await service.arena.caller("director")
    tournament = await service.create(director, profile="three-handed-stock", format=ROUNDS, rounds=2)
    for player in ("ann", "bob"):
        await service.call(director, "Enter", tournament=tournament, name=player, players=[player])
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "3 teams are needed, 2 entered"):
        await service.call(director, "Start", tournament=tournament)


async def test_answers_hold_the_rules_and_what_differs_from_the_profile(service: Tournaments) -> None:  # noqa: F811
    director = await service.arena.caller("director")
    knobs = [game_pb2.Knob(name="target", value="750")]
    words = {"name": "Short", "format": KNOCKOUT, "profile": "two-handed", "knobs": knobs, "deal_cap": 20}
    created = await service.call(director, "Create", **words)
    expected = load("two-handed", target=750)
    assert expected == rules_from(created.rules)
    (sentence,) = created.differences
    assert "target 750, not 1000" in sentence
    shown = await service.call(director, "Show", tournament=created.tournament)
    assert ("two-handed", [sentence]) == (shown.profile, list(shown.differences))
    opened = await director.call(
        "Open", table_pb.OpenRequest(profile="two-handed", knobs=knobs, players=["ann", "bob"])
    )
    assert (expected, [sentence]) == (rules_from(opened.rules), list(opened.differences))


async def test_a_profile_as_it_is_has_no_differences(service: Tournaments) -> None:  # noqa: F811
    director = await service.arena.caller("director")
    opened = await director.call("Open", table_pb.OpenRequest(profile="classic", players=list("abcd")))
    assert (load("classic"), []) == (rules_from(opened.rules), list(opened.differences))
