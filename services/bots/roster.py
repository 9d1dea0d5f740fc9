"""Which players the house plays for: `bot:club` is played by the library's bot `club`."""

from __future__ import annotations

from collections.abc import Callable

from pinochle.bots import Bot, bot
from pinochle.errors import BadInput
from pinochle.players import BOT_PREFIX, is_house_bot


class Roster:
    """The bots by player id, each made once. `make(kind)` raises BadInput for a kind that it does not know."""

    def __init__(self, make: Callable[[str], Bot] = bot) -> None:
        self._make = make
        self._bots: dict[str, Bot] = {}

    def bot(self, player: str) -> Bot:
        """The bot that plays for a player; BadInput where there is none."""
        found = self._bots.get(player)
        if found is None:
            if not is_house_bot(player):
                raise BadInput(f"{player!r} is no house bot")
            found = self._bots[player] = self._make(player.removeprefix(BOT_PREFIX))
        return found

    def kind(self, player: str) -> str:
        """The bot's kind, for figures: one of a closed set, as only kinds that could be made are named."""
        return player.removeprefix(BOT_PREFIX) if player in self._bots else "unknown"
