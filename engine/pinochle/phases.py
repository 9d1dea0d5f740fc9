"""The phases of a table, as numbers that only grow within a deal, and the number that means nobody and nothing."""

from __future__ import annotations

NEW, DEAL, MISDEAL, AUCTION, TRUMP, EXCHANGE, RETURN, PLAY, DRAW, OVER, CLOSED = range(11)
PHASES = (
    "new", "deal", "misdeal", "auction", "trump", "exchange", "return", "play", "draw", "over", "closed",
)  # fmt: skip
"""Their names, by number. `deal` waits for the house; `over` has ended but its seed is still secret."""

NONE = -1
"""No seat, no team, no suit, no card."""
