"""Standings of a round robin: wins, then head to head, then points difference, then the lot.

Among teams with as many wins, those count that they won against each other; where that leaves some of them
level, the same is asked of these alone. Who is still level goes by the difference of points over all matches.
Only a match's own game counts for points, not the single deals after a tie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from pinochle.tournament.events import Row
from pinochle.tournament.lots import lot_order
from pinochle.tournament.state import GAME, PLAYED, Match

Placed = Iterator[tuple[tuple[int, ...], str]]


def ranked(order: Sequence[int], matches: Iterable[Match], seed: bytes | None = None) -> tuple[Row, ...]:
    """The standings after these matches, best first; without a seed, teams that are level share a rank."""
    decided = [match for match in matches if match.winner >= 0]
    score = _Score(order, decided)
    rows: list[Row] = []
    for group, reason in _by_wins(tuple(order), score):
        if len(group) > 1 and seed is not None:
            group, reason = lot_order(seed, "standings " + ",".join(map(str, sorted(group))), group), "lot"
        rank = len(rows) + 1
        for at, team in enumerate(group):
            shared = rank if reason == "level" else rank + at
            rows.append(score.row(team, shared, reason))
    return tuple(rows)


class _Score:
    """What each team has from the decided matches."""

    def __init__(self, order: Sequence[int], decided: list[Match]) -> None:
        self.played = dict.fromkeys(order, 0)
        self.wins = dict.fromkeys(order, 0)
        self.made = dict.fromkeys(order, 0)
        self.conceded = dict.fromkeys(order, 0)
        self.beaten: dict[int, list[int]] = {team: [] for team in order}
        for match in decided:
            first, second = match.teams
            self.beaten[match.winner].append(second if match.winner == first else first)
            self.wins[match.winner] += 1
            self.played[first] += 1
            self.played[second] += 1
            for attempt in match.attempts:
                if attempt.kind == GAME and attempt.status == PLAYED:
                    self._add(first, *attempt.totals)
                    self._add(second, *reversed(attempt.totals))

    def _add(self, team: int, made: int, conceded: int) -> None:
        self.made[team] += made
        self.conceded[team] += conceded

    def row(self, team: int, rank: int, reason: str) -> Row:
        return Row(
            rank, team, self.played[team], self.wins[team], self.made[team], self.conceded[team], reason
        )


def _by_wins(group: tuple[int, ...], score: _Score) -> Placed:
    for part in _split(group, score.wins.__getitem__):
        yield from _by_meetings(part, "wins", score)


def _by_meetings(group: tuple[int, ...], reason: str, score: _Score) -> Placed:
    if len(group) == 1:
        yield group, reason
        return
    members = set(group)
    parts = _split(group, lambda team: sum(other in members for other in score.beaten[team]))
    if len(parts) == 1:
        yield from _by_difference(group, score)
    else:
        for part in parts:
            yield from _by_meetings(part, "head_to_head", score)


def _by_difference(group: tuple[int, ...], score: _Score) -> Placed:
    for part in _split(group, lambda team: score.made[team] - score.conceded[team]):
        yield part, "difference" if len(part) == 1 else "level"


def _split(group: tuple[int, ...], value: Callable[[int], int]) -> list[tuple[int, ...]]:
    """The group in parts of equal value, highest first, each in the order it had."""
    parts: dict[int, list[int]] = {}
    for team in group:
        parts.setdefault(value(team), []).append(team)
    return [tuple(parts[high]) for high in sorted(parts, reverse=True)]
