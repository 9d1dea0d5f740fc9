"""Wishes: what a director or the house may ask of a tournament; `decide` makes them events or rejects them.

The entrants are teams, as large as one side of a table: a single player where everybody plays alone. The teams of a
match are its sides 0 and 1, and at a table of three 2, as at its table.
"""

from __future__ import annotations

from pinochle.decider import record
from pinochle.rules import RuleSet
from pinochle.tournament.events import PinnedTable


@record
class RecordResult:
    """Record how a table ended (house); `winner` is a side or -1, `reason` the table's or ``void``."""

    match: str
    attempt: int
    table: str
    winner: int
    totals: tuple[int, ...]
    deals: int
    reason: str


@record
class CreateTournament:
    """Create a tournament (director).

    `deals` 0 plays a match as one game by `rules`, n as n scored deals; after `deal_cap` deals, unscored ones
    included, a table ends in any case. `tie_deals` single deals at most are played on for a match that ends
    level, then the lot decides. `turn_ms` 0 leaves the time of a turn to the table service. `cycles` is how
    often all meet in a round robin, `rounds` how many rounds the format of that name has (0 in all others).
    `beat_ms` is the beat of every table, 0 for none. `seed`
    (32 bytes) is what every lot and every table's seed follows from.
    """

    tournament: str
    name: str
    format: str
    rules: RuleSet
    seed: bytes
    deal_cap: int
    deals: int = 0
    tie_deals: int = 3
    turn_ms: int = 0
    cycles: int = 1
    rounds: int = 0
    beat_ms: int = 0


@record
class EnterTeam:
    """Enter a team (director); `number` is its place in the seeding, 1 for the best, or 0 for the lot."""

    name: str
    players: tuple[str, ...]
    number: int = 0


@record
class WithdrawTeam:
    """Take a team out before the start (director)."""

    team: int


@record
class StartTournament:
    """Close the entries, seed and pair (director)."""


@record
class ReplayMatch:
    """Count this attempt of an undecided match for nothing and play it anew at another table (director)."""

    match: str
    attempt: int
    reason: str


@record
class CloseTournament:
    """Pin the next tables of an ended tournament by their last hashes; with the last of them publish the seed (house).

    Tables come in the order of their ids, PINNED_MAX in an act where more follow. Without any the tournament is closed
    as it was before tables were pinned.
    """

    tables: tuple[PinnedTable, ...] = ()


Command = (
    RecordResult
    | CreateTournament
    | EnterTeam
    | WithdrawTeam
    | StartTournament
    | ReplayMatch
    | CloseTournament
)  # fmt: skip
