"""Everyone meets everyone, once a cycle, in rounds made by the circle method.

The first team keeps its place and the others go round it, one place a round; those that face each other meet.
With an odd number an empty place goes round too, and who faces it has a bye. A round is scheduled when the
one before it is decided.
"""

from __future__ import annotations

from collections.abc import Sequence

from pinochle.tournament.events import (
    ByesGiven,
    Event,
    MatchesScheduled,
    Pairing,
    StandingsFinal,
    TournamentEnded,
)
from pinochle.tournament.standings import ranked
from pinochle.tournament.state import Match, State

_NOBODY = -1


def rounds(teams: int, cycles: int) -> int:
    """How many rounds this many teams play."""
    return (teams - 1 + teams % 2) * cycles


def opening(order: Sequence[int]) -> tuple[Event, ...]:
    """Bye and matches of round one."""
    return paired(order, 1)


def paired(order: Sequence[int], round_number: int) -> tuple[Event, ...]:
    """Bye and matches of a round (from 1). Sides alternate, and change from one cycle to the next."""
    circle = [*order, _NOBODY] if len(order) % 2 else list(order)
    cycle, turn = divmod(round_number - 1, len(circle) - 1)
    moving = circle[1:]
    standing = [circle[0], *moving[len(moving) - turn :], *moving[: len(moving) - turn]]
    half = len(circle) // 2
    bye: tuple[int, ...] = ()
    pairings: list[Pairing] = []
    for place in range(half):
        pair = (standing[place], standing[-1 - place])
        if _NOBODY in pair:
            bye = (max(pair),)
            continue
        if (cycle + (place or turn)) % 2:
            pair = (pair[1], pair[0])
        pairings.append(Pairing(len(pairings) + 1, pair))
    scheduled = MatchesScheduled(round_number, tuple(pairings), "circle")
    return (ByesGiven(round_number, bye, "odd_number"), scheduled) if bye else (scheduled,)


def after_match(state: State, match: Match) -> tuple[Event, ...]:
    """What follows from a match that has just been decided."""
    if state.undecided:
        return ()
    if match.round < rounds(len(state.order), state.created.cycles):
        return paired(state.order, match.round + 1)
    rows = ranked(state.order, state.matches.values(), state.created.seed)
    teams, ranks = tuple(row.team for row in rows), tuple(row.rank for row in rows)
    return (StandingsFinal(rows), TournamentEnded(teams[0], teams, ranks, "standings"))
