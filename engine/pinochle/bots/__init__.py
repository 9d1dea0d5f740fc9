"""Bots: the protocol that every bot follows, the house's own, and duels between them."""

from pinochle.bots.chance import Chance
from pinochle.bots.club import Club, Nerve
from pinochle.bots.duel import DuelResult, Side, duel, play_deal
from pinochle.bots.protocol import Bot
from pinochle.bots.random_bot import RandomBot
from pinochle.bots.roster import BOTS, bot, check_house_bots
from pinochle.bots.timid import Timid

__all__ = [
    "BOTS", "Bot", "Chance", "Club", "DuelResult", "Nerve", "RandomBot", "Side", "Timid", "bot", "check_house_bots",
    "duel", "play_deal",
]  # fmt: skip
