"""Facts: what happened in a tournament. Events carry conclusions and reasons, so filing computes nothing.

Teams are numbered from 0 in the order of entry, rounds and the matches of a round from 1; the id of match 3
of round 1 is ``r1m3``. The teams of a match are its sides 0 and 1, and at a table of three 2. -1 means none.
"""

from __future__ import annotations

from typing import NamedTuple

from pinochle.decider import record
from pinochle.rules import RuleSet


class Pairing(NamedTuple):
    """Match `number` of a round: `teams` are its sides 0 and 1, and at a table of three 2."""

    number: int
    teams: tuple[int, ...]


class Row(NamedTuple):
    """One line of the standings; teams that are level share a rank.

    `reason` says what placed the team among those with as many wins: ``wins`` (it had none beside it),
    ``head_to_head``, ``difference``, ``lot``, or ``level`` where nothing has yet.
    """

    rank: int
    team: int
    played: int
    wins: int
    points_for: int
    points_against: int
    reason: str


class PlaceRow(NamedTuple):
    """One line of standings by places; players that are level share a rank.

    `played` counts tables with a result, `byes` rounds that were credited without one; `halves` are place points in
    halves, `points` totals. `reason` says what placed the player: ``place_points``, ``total_points`` (others have as
    many place points), ``lot``, or ``level`` where nothing has yet.
    """

    rank: int
    team: int
    played: int
    byes: int
    halves: int
    points: int
    reason: str


@record
class TournamentCreated:
    """The tournament exists, with its whole rule set.

    `seed` is secret until TournamentClosed; `commitment` pins it.
    """

    tournament: str
    name: str
    format: str
    rules: RuleSet
    deals: int
    deal_cap: int
    tie_deals: int
    turn_ms: int
    cycles: int
    commitment: bytes
    seed: bytes
    rounds: int = 0
    beat_ms: int = 0


@record
class TeamEntered:
    """A team was entered; `number` is its given place in the seeding, or 0."""

    team: int
    name: str
    players: tuple[str, ...]
    number: int


@record
class TeamWithdrawn:
    """A team was taken out before the start."""

    team: int


@record
class Seeded:
    """Entries are closed: `order` holds the teams, best first, `numbers` the given number of each, or 0.

    Teams with equal numbers, and after them all without one, stand in the order of the lots ``seeding N``.
    """

    order: tuple[int, ...]
    numbers: tuple[int, ...]


@record
class ByesGiven:
    """These teams sit the round out.

    `reason` is ``top_seeds`` (knockout), ``odd_number`` (round robin) or ``fewest_byes`` (rounds: those with the fewest
    so far, the last seeds first).
    """

    round: int
    teams: tuple[int, ...]
    reason: str


@record
class MatchesScheduled:
    """These matches are to be played; `reason`: ``seeds``, ``winners`` or, in a round robin, ``circle``.

    At tables of three ``new_meetings`` where nobody meets again, else ``fewest_meetings``; `repeated` pairs of players
    have then met before.
    """

    round: int
    pairings: tuple[Pairing, ...]
    reason: str
    repeated: int = 0


@record
class ResultRecorded:
    """A table of a match ended; `winner` is a side or -1, `totals` are by side."""

    match: str
    attempt: int
    table: str
    winner: int
    totals: tuple[int, ...]
    deals: int
    reason: str


@record
class MatchTied:
    """The attempt ended level, so a single deal is played on; `left` more may follow it."""

    match: str
    attempt: int
    left: int


@record
class MatchReplayed:
    """The attempt counts for nothing and the match goes on at another table; `reason` says why."""

    match: str
    attempt: int
    reason: str


@record
class LotDrawn:
    """The lot ``match M`` decided; `winner` is a side.

    `reason`: ``level`` after the last single deal, ``void`` after too many voided tables.
    """

    match: str
    winner: int
    reason: str


@record
class MatchWon:
    """The match is decided; `reason` is that of the deciding table, ``tie_deal`` or ``lot``."""

    match: str
    winner: int
    loser: int
    reason: str


@record
class PlacesAwarded:
    """A table of three is decided: place and place points, in halves, by seat; equal totals share.

    `reason` is that of its table, or ``void`` after too many voided ones; then there are no places.
    """

    match: str
    places: tuple[int, ...]
    halves: tuple[int, ...]
    reason: str


@record
class ByesScored:
    """Each of these players gets the mean of a round: place points in halves, and points, rounded down.

    `reason`: ``bye``, or ``void`` where the table was voided too often.
    """

    round: int
    teams: tuple[int, ...]
    halves: int
    points: int
    reason: str


@record
class TeamEliminated:
    """The team lost this match and is out (knockout)."""

    team: int
    match: str


@record
class StandingsFinal:
    """The last standings, best first (round robin)."""

    rows: tuple[Row, ...]


@record
class PlacesFinal:
    """The last standings by places, best first (rounds)."""

    rows: tuple[PlaceRow, ...]


@record
class TournamentEnded:
    """All is played: `order` holds the teams, best first, `ranks` the rank of each.

    `reason` is what ranks them: ``round_of_elimination`` or ``standings``.
    """

    champion: int
    order: tuple[int, ...]
    ranks: tuple[int, ...]
    reason: str


class PinnedTable(NamedTuple):
    """A table with its number of acts and the hash of the last; without acts it was never opened (`head` is zero)."""

    table: str
    acts: int
    head: bytes


@record
class TablesPinned:
    """How these tables ended, byte for byte, in the order of their ids; many are pinned by several acts."""

    tables: tuple[PinnedTable, ...]


@record
class TournamentClosed:
    """The last fact: the seed, for anyone to check lots and deals with, and the root over all pinned tables."""

    seed: bytes
    root: bytes = b""


Event = (
    ResultRecorded | MatchWon | TeamEliminated | MatchesScheduled | TournamentCreated | TeamEntered
    | TeamWithdrawn | Seeded | ByesGiven | MatchTied | MatchReplayed | LotDrawn | StandingsFinal
    | TournamentEnded | TournamentClosed | PlacesAwarded | ByesScored | PlacesFinal | TablesPinned
)  # fmt: skip


def match_id(round_number: int, number: int) -> str:
    """The id of a match: ``r1m3``."""
    return f"r{round_number}m{number}"
