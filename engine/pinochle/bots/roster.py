"""The house bots by name; a seat held by `bot:club` is played by `bot("club")`."""

from __future__ import annotations

from collections.abc import Iterable

from pinochle.bots.club import Club
from pinochle.bots.protocol import Bot
from pinochle.bots.random_bot import RandomBot
from pinochle.bots.timid import Timid
from pinochle.errors import BadInput
from pinochle.players import BOT_PREFIX, is_house_bot

_MAKERS = {"random": RandomBot, "club": Club, "timid": Timid}

BOTS: tuple[str, ...] = tuple(_MAKERS)
"""The names of the house bots."""


def bot(name: str) -> Bot:
    """The house bot of this name, ready for any table; BadInput for any other name."""
    maker = _MAKERS.get(name)
    if maker is None:
        raise BadInput(f"no house bot {name!r:.80}: it must be one of {', '.join(BOTS)}")
    return maker()


def check_house_bots(players: Iterable[str]) -> None:
    """BadInput where one of these player ids is that of a house bot which does not exist."""
    for player in players:
        if is_house_bot(player) and player.removeprefix(BOT_PREFIX) not in _MAKERS:
            names = ", ".join(BOT_PREFIX + name for name in BOTS)
            raise BadInput(f"there is no house bot {player!r:.70}; there are: {names}")
