"""Tournaments as streams, and the words that name what belongs to them."""

from __future__ import annotations

from pinochle.tournament import TOURNAMENT, TOURNAMENT_VERSION, State, due
from pinochle.tournament.state import CLOSED
from pinochle.wire import tournament_codec as codec

from services.handle import Kind

SCHEMA = "tournaments"
TOPIC = "tournaments"
TABLES_TOPIC = "tables"
QUEUE = "tournaments"
ADVANCE, SWEEP = "tournaments.advance", "tournaments.sweep"
"""Names of the tasks."""


def _head(state: State) -> tuple[int, int | None, bool]:
    who, by_ms = due(state)
    return who, by_ms, state.phase < CLOSED


KIND = Kind(TOURNAMENT, TOURNAMENT_VERSION, codec.encode, codec.from_rest, codec.command_bytes, _head)
