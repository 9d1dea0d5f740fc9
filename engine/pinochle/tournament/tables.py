"""The tables that a tournament wants now, and those that it no longer wants."""

from __future__ import annotations

from functools import lru_cache

from pinochle.decider import record
from pinochle.rules import RuleSet
from pinochle.tournament.lots import table_dealer, table_id, table_seed
from pinochle.tournament.state import GAME, REPLACED, RUNNING, WANTED, Match, State


@record
class WantedTable:
    """A table that should exist: what it is opened with, and the attempt that it decides.

    The teams sit opposite: side 0 holds seats 0, 2 …, side 1 seats 1, 3 …
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


def table_rules(rules: RuleSet, deals: int, kind: str) -> RuleSet:
    """What an attempt's table plays by: one game, or n deals that may end level (R-CLB-13, R-CLB-14)."""
    number = deals if kind == GAME else 1
    return _for_deals(rules, number) if number else rules


@lru_cache(maxsize=64)
def _for_deals(rules: RuleSet, deals: int) -> RuleSet:
    knobs = rules.knobs() | {"game_length": "deals", "deals": deals, "deals_tie": "draw"}
    return RuleSet.from_knobs(knobs)


def _wanted_table(state: State, match: Match) -> WantedTable:
    created, attempt = state.created, match.attempts[-1]
    assert attempt.status == WANTED, f"match {match.id} is undecided but has no open attempt"
    seed = table_seed(created.seed, match.id, attempt.number)
    first, second = (state.teams[team].players for team in match.teams)
    return WantedTable(
        table_id(created.tournament, match.id, attempt.number),
        created.tournament,
        match.id,
        attempt.number,
        tuple(player for pair in zip(first, second, strict=True) for player in pair),
        table_rules(created.rules, created.deals, attempt.kind),
        seed,
        table_dealer(seed, created.rules.players),
        created.turn_ms,
        created.deal_cap,
    )
