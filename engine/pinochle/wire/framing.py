"""Length-delimited protobuf fields put together from ready bytes, so that a public event is encoded once for all."""

from __future__ import annotations

from collections.abc import Iterable


def varint(value: int) -> bytes:
    """A non-negative integer as a protobuf varint."""
    if value < 128:
        return bytes((value,))
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def delimited(field: int, payload: bytes) -> bytes:
    """One length-delimited field (a sub-message, bytes or text) with its tag, `field` below 16."""
    return bytes((field << 3 | 2,)) + varint(len(payload)) + payload


def repeated(field: int, payloads: Iterable[bytes]) -> bytes:
    """A repeated length-delimited field."""
    return b"".join([delimited(field, payload) for payload in payloads])
