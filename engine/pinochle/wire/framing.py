"""Protobuf fields put together from ready bytes, so that a public event is encoded once for all."""

from __future__ import annotations

from collections.abc import Iterable


def varint(value: int) -> bytes:
    """A non-negative integer as a protobuf varint."""
    if value < 128:
        return bytes((value,))
    return bytes((value & 127 | 128,)) + varint(value >> 7)


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
