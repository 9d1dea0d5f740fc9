"""Single elimination: a team that loses is out. Standard seeding, byes to the top seeds in round one.

A bracket has places for the next power of two of teams. Place `number` of round one seats the seeds that meet
there, 1 v 16 and 8 v 9 and so on, so that the best meet as late as possible; where the weaker seed does not
exist, the other has a bye. The winners of places 1 and 2 meet in place 1 of the next round, those of 3 and 4
in place 2. A match is scheduled as soon as both its teams are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pinochle.tournament.events import (
    ByesGiven,
    Event,
    MatchesScheduled,
    Pairing,
    TeamEliminated,
    TournamentEnded,
    match_id,
)
from pinochle.tournament.state import Match, State


def rounds(teams: int) -> int:
    """How many rounds this many teams play."""
    return (teams - 1).bit_length()


@lru_cache(maxsize=64)
def places(teams: int) -> tuple[tuple[int, int], ...]:
    """The seeds (from 1) that meet in each place of round one; a seed above `teams` does not exist."""
    seeds = [1]
    for _ in range(rounds(teams)):
        top = 2 * len(seeds) + 1
        seeds = [seed for stronger in seeds for seed in (stronger, top - stronger)]
    return tuple(zip(seeds[::2], seeds[1::2], strict=True))


def opening(order: Sequence[int]) -> tuple[Event, ...]:
    """Byes and matches that follow from the seeding, those of round two between teams with byes included."""
    first: list[Pairing] = []
    byes: dict[int, int] = {}  # place to team
    for number, (stronger, weaker) in enumerate(places(len(order)), 1):
        if weaker > len(order):
            byes[number] = order[stronger - 1]
        else:
            first.append(Pairing(number, (order[stronger - 1], order[weaker - 1])))
    second = [
        Pairing((number + 1) // 2, (byes[number], byes[number + 1]))
        for number in byes
        if number % 2 and number + 1 in byes
    ]
    events: list[Event] = []
    if byes:
        rank = {team: seed for seed, team in enumerate(order)}
        events.append(ByesGiven(1, tuple(sorted(byes.values(), key=rank.__getitem__)), "top_seeds"))
    events.append(MatchesScheduled(1, tuple(first), "seeds"))
    if second:
        events.append(MatchesScheduled(2, tuple(second), "seeds"))
    return tuple(events)


def after_match(state: State, match: Match) -> tuple[Event, ...]:
    """What follows from a match that has just been decided."""
    loser = match.teams[0] if match.winner == match.teams[1] else match.teams[1]
    out = TeamEliminated(loser, match.id)
    if match.round == rounds(len(state.order)):
        return (out, _ended(state, match.winner, {**state.eliminated, loser: match.id}))
    first = match.number % 2 == 1
    other = _winner(state, match.round, match.number + 1 if first else match.number - 1)
    if other is None:
        return (out,)
    pair = (match.winner, other) if first else (other, match.winner)
    following = Pairing((match.number + 1) // 2, pair)
    return (out, MatchesScheduled(match.round + 1, (following,), "winners"))


def _winner(state: State, round_number: int, number: int) -> int | None:
    """The team that comes from this place, or None while that is open."""
    match = state.matches.get(match_id(round_number, number))
    if match is not None:
        return match.winner if match.winner >= 0 else None
    if round_number != 1:
        return None
    stronger, weaker = places(len(state.order))[number - 1]
    return state.order[stronger - 1] if weaker > len(state.order) else None


def _ended(state: State, champion: int, eliminated: dict[int, str]) -> TournamentEnded:
    """Teams that lost in the same round share a rank and stand by seed."""
    last = rounds(len(state.order))

    def rank(team: int) -> int:
        if team == champion:
            return 1
        return 2 ** (last - state.matches[eliminated[team]].round) + 1

    order = sorted(state.order, key=rank)
    return TournamentEnded(champion, tuple(order), tuple(map(rank, order)), "round_of_elimination")
