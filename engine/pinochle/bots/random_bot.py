"""The bot `random`: any legal command, so the least that another bot must beat."""

from __future__ import annotations

from pinochle.commands import PlayerCommand
from pinochle.options import Chooser, Options
from pinochle.state import State


class RandomBot:
    """Samples the options; passes two of three times, and concedes where it may once in eight."""

    def choose(self, view: State, options: Options, chance: Chooser) -> PlayerCommand:
        """A sample of the options, whatever the view."""
        return options.sample(chance)
