"""What a bot is: one function from what its seat may see, and what it may do, to the command it sends.

A bot is pure. All it knows comes in: the view, a State folded from events that were redacted for its seat, so that
unknown cards are HIDDEN; the options, all that the table would accept; and a source of chance, so that a game can be
repeated. It keeps no memory of its own between turns, may be asked about any table at any time, and is shared by
seats and tables.
"""

from __future__ import annotations

from typing import Protocol

from pinochle.commands import PlayerCommand
from pinochle.options import Chooser, Options
from pinochle.state import State


class Bot(Protocol):
    """A player for any seat of any table, of either game."""

    def choose(self, view: State, options: Options, chance: Chooser) -> PlayerCommand:
        """The command for the seat on turn, `options.seat`; it must be in `options`."""
        ...
