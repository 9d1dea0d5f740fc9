"""What follows from a tournament's seed: lots and the seed of each table; and each table's public id.

    lots of L    = pinochle.shuffle.lot with the seed SHA-256( "pinochle-arena/lots/1" | seed | L )
    order of L   = for i = last ... 1: swap item i with item lot(number i, i + 1 options)
    table seed   = SHA-256( "pinochle-arena/table/1" | seed | match id | attempt as 8 bytes )
    dealer       = lot(table seed, number 0, options: the seats)
    table id     = SHA-256( "pinochle-arena/table-id/1" | tournament's 16 bytes | match id
                   | attempt as 8 bytes ), its first 16 bytes marked as a UUID of version 5

Numbers are big-endian, text is UTF-8. Labels L: "seeding N" (teams with the given number N, or 0), "match M",
"standings T" (T: the teams that are level, ascending, with commas). The items are the teams, ascending.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from uuid import UUID

from pinochle.shuffle import lot

TABLE_IDS_MAX = 1 << 14
"""Ids that are kept at hand: a large tournament asks for all of its own again and again."""
_LOTS = b"pinochle-arena/lots/1"
_TABLE = b"pinochle-arena/table/1"
_TABLE_ID = b"pinochle-arena/table-id/1"


def lots_seed(seed: bytes, label: str) -> bytes:
    """The seed of the lots with this label."""
    return sha256(_LOTS + seed + label.encode()).digest()


def lot_order(seed: bytes, label: str, teams: Iterable[int]) -> tuple[int, ...]:
    """The teams in the order of the lots with this label."""
    items = sorted(teams)
    own = lots_seed(seed, label)
    for i in range(len(items) - 1, 0, -1):
        j = lot(own, i, i + 1)
        items[i], items[j] = items[j], items[i]
    return tuple(items)


def lot_side(seed: bytes, match: str) -> int:
    """The side that the lot lets win a match."""
    return lot(lots_seed(seed, f"match {match}"), 0, 2)


def table_seed(seed: bytes, match: str, attempt: int) -> bytes:
    """The seed of the table for an attempt (from 1) of a match."""
    return sha256(_TABLE + seed + match.encode() + attempt.to_bytes(8, "big")).digest()


def table_dealer(seed: bytes, seats: int) -> int:
    """The first dealer of the table with this seed."""
    return lot(seed, 0, seats)


@lru_cache(maxsize=TABLE_IDS_MAX)
def table_id(tournament: str, match: str, attempt: int) -> str:
    """The id of the table for an attempt of a match, as text: the same whoever opens it."""
    words = _TABLE_ID + UUID(tournament).bytes + match.encode() + attempt.to_bytes(8, "big")
    return str(UUID(bytes=sha256(words).digest()[:16], version=5))
