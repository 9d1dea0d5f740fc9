"""Single players at tables of three: a fixed number of rounds, ranked by place points, then total points, then the lot.

In every round the players sit in threes as `groups` plans it. A table gives place points for its three places; players
with equal totals share those of their places. Who has a bye, or whose table was voided once too often, gets the mean of
the round instead: the place points of the middle, and the mean of all totals.

Place points are counted in halves, so that shared ones stay whole: 6, 4 and 2 halves are 3, 2 and 1 points.
"""

from __future__ import annotations

from collections.abc import Sequence

from pinochle.tournament.events import (
    ByesGiven,
    ByesScored,
    Event,
    MatchesScheduled,
    Pairing,
    PlacesAwarded,
    PlacesFinal,
    TournamentEnded,
)
from pinochle.tournament.groups import SEATS, planned
from pinochle.tournament.places import ranked_by_places
from pinochle.tournament.state import PLAYED, Match, State

PLACE_HALVES = (6, 4, 2)
"""Place points of the first, second and third place, in halves."""
MEAN_HALVES = 4


def tables(players: int, rounds: int) -> int:
    """How many tables this many players fill in all rounds."""
    return players // SEATS * rounds


def opening(order: Sequence[int]) -> tuple[Event, ...]:
    """Byes and groups of round one."""
    return paired(order, 1)


def paired(order: Sequence[int], round_number: int) -> tuple[Event, ...]:
    """Byes and groups of a round (from 1), for the players by seed."""
    plan = planned(len(order), round_number)
    pairings = tuple(
        Pairing(number, tuple(order[place] for place in group)) for number, group in enumerate(plan.groups, 1)
    )
    reason = "fewest_meetings" if plan.repeated else "new_meetings"
    scheduled = MatchesScheduled(round_number, pairings, reason, plan.repeated)
    if not plan.byes:
        return (scheduled,)
    return (ByesGiven(round_number, tuple(order[place] for place in plan.byes), "fewest_byes"), scheduled)


def plan_next(state: State) -> None:
    """Plan the round that comes next, where that is due, so that the decision which needs it finds it made.

    Planning may take up to 0.1 seconds, after a restart of a process that for each round played so far, whereas a
    round that was planned before is looked up. So a service calls this in a thread before it decides.
    """
    if state.created.format != "rounds" or len(state.undecided) > 1:
        return
    if state.round < state.created.rounds and len(state.teams) >= SEATS:
        planned(len(state.teams), state.round + 1)


def awarded(match: str, totals: Sequence[int], reason: str) -> PlacesAwarded:
    """The places of a table by its totals, and the place points for them; equal totals share."""
    places = tuple(1 + sum(other > total for other in totals) for total in totals)
    halves = []
    for place in places:
        level = places.count(place)
        halves.append(sum(PLACE_HALVES[place - 1 : place - 1 + level]) // level)
    return PlacesAwarded(match, places, tuple(halves), reason)


def after_match(state: State, match: Match) -> tuple[Event, ...]:
    """What follows from a table that has just been decided: nothing before the last one of its round."""
    if state.undecided:
        return ()
    scored = _byes_scored(state, match.round)
    if match.round < state.created.rounds:
        return (*scored, *paired(state.order, match.round + 1))
    rows = ranked_by_places(state.order, state.matches.values(), (*state.byes_scored, *scored), state.created.seed)
    teams, ranks = tuple(row.team for row in rows), tuple(row.rank for row in rows)
    return (*scored, PlacesFinal(rows), TournamentEnded(teams[0], teams, ranks, "standings"))


def _byes_scored(state: State, round_number: int) -> tuple[ByesScored, ...]:
    """What those get who did not play in a round: its mean, rounded down."""
    totals: list[int] = []
    voided: list[int] = []
    for match in state.matches.values():
        if match.round != round_number:
            continue
        last = match.attempts[-1]
        if last.status == PLAYED:
            totals += last.totals
        else:
            voided += match.teams
    mean = sum(totals) // len(totals) if totals else 0
    found = ((state.byes.get(round_number, ()), "bye"), (tuple(voided), "void"))
    return tuple(ByesScored(round_number, teams, MEAN_HALVES, mean, reason) for teams, reason in found if teams)
