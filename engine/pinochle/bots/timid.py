"""The bot `timid`: plays like `club` and never bids, so what it loses to `club` is what bidding is worth.

Where nobody bids it is `club`."""

from __future__ import annotations

from pinochle.bots.club import Club
from pinochle.commands import PlayerCommand
from pinochle.options import CallOptions, Chooser, Options
from pinochle.state import State


class Timid:
    """A club player that passes at every call; it declares only what a dealer is forced to."""

    def __init__(self) -> None:
        self.club = Club()

    def choose(self, view: State, options: Options, chance: Chooser) -> PlayerCommand:
        """The command for the seat on turn."""
        if isinstance(options, CallOptions):
            return self.club.passing(view, options)
        return self.club.choose(view, options, chance)
