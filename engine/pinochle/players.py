"""Player ids: how they are written, and which of them are house bots."""

from __future__ import annotations

import re

from pinochle.errors import BadInput

BOT_PREFIX = "bot:"
"""House bots are players whose ids begin so: ``bot:club``."""
PLAYER_ID_LENGTH_MAX = 64

_PLAYER_ID = re.compile(rf"[A-Za-z0-9._:-]{{1,{PLAYER_ID_LENGTH_MAX}}}")


def check_player(player: str) -> None:
    """BadInput for text that is no player id."""
    if not _PLAYER_ID.fullmatch(player):
        raise BadInput(f"not a player id: {player!r:.70} (1 to {PLAYER_ID_LENGTH_MAX} letters, digits and . _ : -)")


def is_house_bot(player: str) -> bool:
    """Whether the house plays for this player."""
    return player.startswith(BOT_PREFIX)
