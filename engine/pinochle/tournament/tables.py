"""The tables that a tournament wants now, those that it no longer wants, and all of them with their root at the end."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from uuid import UUID

from pinochle.decider import record
from pinochle.rules import NUMBER_MAX, RuleSet
from pinochle.tournament.events import PinnedTable
from pinochle.tournament.lots import table_dealer, table_id, table_seed
from pinochle.tournament.state import GAME, REPLACED, RUNNING, WANTED, Attempt, Match, State

PINNED_MAX = 4_000
"""Tables that one act lists; its body, which names each in the command and in the event, is then below half a MiB."""
_ROOT = b"pinochle-arena/root/1"


@record
class WantedTable:
    """A table that should exist: what it is opened with, and the attempt that it decides.

    The sides sit in turn: of two, side 0 holds seats 0, 2 …, side 1 seats 1, 3 …; single players sit by side.
    """

    table: str
    tournament: str
    match: str
    attempt: int
    players: tuple[str, ...]
    rules: RuleSet
    seed: bytes
    dealer: int
    turn_ms: int
    deal_limit: int
    beat_ms: int


def wanted(state: State) -> tuple[WantedTable, ...]:
    """The tables without a result, in the order in which their matches were scheduled; needs the seed."""
    if state.phase != RUNNING:
        return ()
    return tuple(_wanted_table(state, state.matches[match]) for match in state.undecided)


def unwanted(state: State) -> tuple[str, ...]:
    """Ids of tables that count for nothing: each may still be open, or never have been opened."""
    return tuple(
        table_id(state.created.tournament, match.id, attempt.number)
        for match in state.matches.values()
        if len(match.attempts) > 1 or match.reason == "lot"
        for attempt in match.attempts
        if attempt.status == REPLACED
    )


def to_pin(state: State) -> tuple[tuple[str, bool], ...]:
    """The tables that the next CloseTournament lists: ids, in order, and whether each may never have been opened."""
    tables = sorted(
        (table_id(state.created.tournament, match.id, attempt.number), attempt.status == REPLACED)
        for match in state.matches.values()
        for attempt in match.attempts
    )
    return tuple(tables[len(state.pinned) : len(state.pinned) + PINNED_MAX])


def tables_number(state: State) -> int:
    """How many tables the tournament has had, never opened ones included."""
    return sum(len(match.attempts) for match in state.matches.values())


def root(tournament: str, tables: Iterable[PinnedTable]) -> bytes:
    """The hash over a tournament's tables in the order of their ids.

    SHA-256( "pinochle-arena/root/1" | tournament's 16 bytes | for each table: its 16 bytes | acts as 8 bytes,
    big-endian | hash of the last act )
    """
    hashed = sha256(_ROOT + UUID(tournament).bytes)
    for table in tables:
        hashed.update(UUID(table.table).bytes + table.acts.to_bytes(8, "big") + table.head)
    return hashed.digest()


def table_rules(rules: RuleSet, deals: int, kind: str) -> RuleSet:
    """What an attempt's table plays by: one game, or n deals that may end level (R-CLB-13, R-CLB-14).

    The stock game knows no number of deals: there the table's limit ends it, and no target is in reach before.
    """
    number = _deals(deals, kind)
    return _for_deals(rules, number) if number else rules


def table_deal_limit(rules: RuleSet, deals: int, deal_cap: int, kind: str) -> int:
    """After how many deals an attempt's table ends in any case."""
    return (_deals(deals, kind) if rules.is_stock else 0) or deal_cap


def _deals(deals: int, kind: str) -> int:
    return deals if kind == GAME else 1


@lru_cache(maxsize=64)
def _for_deals(rules: RuleSet, deals: int) -> RuleSet:
    length: dict[str, object] = {"game_length": "deals", "deals": deals, "deals_tie": "draw"}
    if rules.is_stock:
        length = {"target": NUMBER_MAX, "stock_end": "deal_end"}
    return RuleSet.from_knobs(rules.knobs() | length)


def _wanted_table(state: State, match: Match) -> WantedTable:
    attempt = match.attempts[-1]
    assert attempt.status == WANTED, f"match {match.id} is undecided but has no open attempt"
    return table_of(state, match, attempt)


def table_of(state: State, match: Match, attempt: Attempt) -> WantedTable:
    """The table of any attempt, as it was to be opened; needs the seed."""
    created = state.created
    seed = table_seed(created.seed, match.id, attempt.number)
    sides = [state.teams[team].players for team in match.teams]
    return WantedTable(
        table_id(created.tournament, match.id, attempt.number),
        created.tournament,
        match.id,
        attempt.number,
        tuple(player for seats in zip(*sides, strict=True) for player in seats),
        table_rules(created.rules, created.deals, attempt.kind),
        seed,
        table_dealer(seed, created.rules.players),
        created.turn_ms,
        table_deal_limit(created.rules, created.deals, created.deal_cap, attempt.kind),
        created.beat_ms,
    )
