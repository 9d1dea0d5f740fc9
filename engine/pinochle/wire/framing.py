"""Protobuf fields put together from ready bytes, so that a public event is encoded once for all."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache


def varint(value: int) -> bytes:
    """A non-negative integer as a protobuf varint."""
    if value < 128:
        return bytes((value,))
    if value < 1 << 14:
        return bytes((value & 127 | 128, value >> 7))
    return _CONTINUED[value & (1 << 14) - 1] + _high(value >> 14)


_CONTINUED = tuple(bytes((low & 127 | 128, low >> 7 | 128)) for low in range(1 << 14))
"""The first two bytes of a longer varint, by its lowest 14 bits."""


@lru_cache(1024)  # of a time in ms the rest stays the same for 16 s
def _high(value: int) -> bytes:
    return varint(value)


@lru_cache(4096)  # the same versions and times come again and again, in the views and bodies of one moment
def number(field: int, value: int) -> bytes:
    """An integer field of at most 64 bits with its tag, `field` below 16; nothing for 0, which protobuf leaves out."""
    return bytes((field << 3,)) + varint(value & (1 << 64) - 1) if value else b""


_TAGS = tuple(bytes((field << 3 | 2,)) for field in range(16))
_SIZES = tuple(varint(size) for size in range(4096))
"""Most payloads are smaller than this; looking their size up is what makes putting them together cheap."""


def delimited(field: int, payload: bytes) -> bytes:
    """One length-delimited field (a sub-message, bytes or text) with its tag, `field` below 16."""
    size = len(payload)
    return _TAGS[field] + (_SIZES[size] if size < 4096 else varint(size)) + payload


def repeated(field: int, payloads: Iterable[bytes]) -> bytes:
    """A repeated length-delimited field."""
    return b"".join([delimited(field, payload) for payload in payloads])
