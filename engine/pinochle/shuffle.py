"""From a seed to a deck, written down so that any language can repeat it.

    block(i)  = SHA-256( "pinochle-arena/deck/1" | seed | SHA-256(nonce) | deal as 8 bytes | i as 8 bytes )
                for i = 0, 1, ...
    words     = the blocks in order, cut into 8-byte words
    numbers   = big-endian, unsigned
    draw(n)   = the next word below 2^64 - (2^64 mod n), modulo n; words at or above that bound are skipped
    deck      = the cards in display order, then for i = last ... 1: swap card i with card draw(i + 1)

A lot is draw(options) with "pinochle-arena/lot/1", an empty nonce and the lot's number in place of the deal's. The
commitment to a seed is SHA-256( "pinochle-arena/seed/1" | seed ). The nonce is what the house does not choose,
recorded after the commitment; it is empty where there is none, and then nothing shows that the seed itself was not
chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256

from pinochle.cards import Card
from pinochle.errors import BadInput

SEED_BYTES = 32
NONCE_BYTES_MAX = 64

_DECK = b"pinochle-arena/deck/1"
_SEED = b"pinochle-arena/seed/1"
_LOT = b"pinochle-arena/lot/1"


def commitment(seed: bytes) -> bytes:
    """The 32-byte commitment to a seed of 32 bytes; BadInput for any other length."""
    _check(seed)
    return sha256(_SEED + seed).digest()


def shuffled(cards: Sequence[Card], seed: bytes, deal: int, nonce: bytes = b"") -> tuple[Card, ...]:
    """The deck of deal number `deal` (from 1): `cards`, given in display order, shuffled as above."""
    _check(seed)
    deck = list(cards)
    draw = _draws(_words(_DECK, seed, nonce, deal))
    for i in range(len(deck) - 1, 0, -1):
        j = draw(i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return tuple(deck)


def lot(seed: bytes, number: int, options: int) -> int:
    """Draw lot number `number` among 0 … options-1, from a seed, repeatable like a deck."""
    _check(seed)
    return _draws(_words(_LOT, seed, b"", number))(options)


def _words(purpose: bytes, seed: bytes, nonce: bytes, number: int) -> Iterator[int]:
    prefix = purpose + seed + sha256(nonce).digest() + number.to_bytes(8, "big")
    counter = 0
    while True:
        block = sha256(prefix + counter.to_bytes(8, "big")).digest()
        for at in range(0, 32, 8):
            yield int.from_bytes(block[at : at + 8], "big")
        counter += 1


def _draws(words: Iterator[int]) -> Callable[[int], int]:
    def draw(n: int) -> int:
        bound = 2**64 - (2**64 % n)
        for word in words:
            if word < bound:
                return word % n
        raise AssertionError("words never end")

    return draw


def _check(seed: bytes) -> None:
    if len(seed) != SEED_BYTES:
        raise BadInput(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
