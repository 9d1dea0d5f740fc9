"""Standings of single players at tables of three: place points, then total points, then the lot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pinochle.tournament.events import ByesScored, PlaceRow
from pinochle.tournament.lots import lot_order
from pinochle.tournament.state import PLAYED, Match


def ranked_by_places(
    order: Sequence[int], matches: Iterable[Match], byes: Iterable[ByesScored], seed: bytes | None = None
) -> tuple[PlaceRow, ...]:
    """The standings after these tables and byes, best first; without a seed, players that are level share a rank."""
    played, sat_out, halves, points = (dict.fromkeys(order, 0) for _ in range(4))
    for match in matches:
        last = match.attempts[-1]
        if last.status != PLAYED:
            continue
        for team, place_halves, total in zip(match.teams, match.halves, last.totals, strict=True):
            played[team] += 1
            halves[team] += place_halves
            points[team] += total
    for bye in byes:
        for team in bye.teams:
            sat_out[team] += 1
            halves[team] += bye.halves
            points[team] += bye.points
    level: dict[tuple[int, int], list[int]] = {}
    for team in order:
        level.setdefault((halves[team], points[team]), []).append(team)
    rows: list[PlaceRow] = []
    for key in sorted(level, reverse=True):
        group: Sequence[int] = level[key]
        alone = sum(other[0] == key[0] for other in level) == 1
        reason = "level" if len(group) > 1 else "place_points" if alone else "total_points"
        if len(group) > 1 and seed is not None:
            group, reason = lot_order(seed, "standings " + ",".join(map(str, sorted(group))), group), "lot"
        rank = len(rows) + 1
        for at, team in enumerate(group):
            shared = rank if reason == "level" else rank + at
            rows.append(PlaceRow(shared, team, played[team], sat_out[team], halves[team], points[team], reason))
    return tuple(rows)
