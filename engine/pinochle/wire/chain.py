"""The hash chain over the acts of a stream: link one act, check many.

Each hash covers the one before it and this act's stream, version, command id and body, so an act that was
altered, dropped, inserted, swapped or moved to another stream is found. Stream and command ids are 16 raw
bytes, hashes 32, versions count from 1. The body is the exact bytes that are stored; nothing here decodes
them.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from struct import Struct
from typing import Protocol

START = bytes(32)
"""What stands before the first act of every stream."""

_pack_version = Struct(">Q").pack


class Link(Protocol):
    """What `check` reads of an act."""

    @property
    def version(self) -> int: ...
    @property
    def command_id(self) -> bytes: ...
    @property
    def body(self) -> bytes: ...
    @property
    def hash(self) -> bytes: ...


def link(previous: bytes, stream: bytes, version: int, command_id: bytes, body: bytes) -> bytes:
    """The hash of one act: SHA-256(previous, stream, version as 8 bytes big-endian, command id, body)."""
    if len(previous) != 32 or len(stream) != 16 or len(command_id) != 16:
        raise ValueError("a link takes a hash of 32 bytes, a stream id of 16 and a command id of 16")
    return sha256(b"".join((previous, stream, _pack_version(version), command_id, body))).digest()


def check(acts: Iterable[Link], stream: bytes, *, after: int = 0, previous: bytes = START) -> int | None:
    """The first version at which a stream's acts, in order, do not follow from the ones before; else None.

    Begins after version `after`, whose hash is `previous`. A dropped or doubled act shows as the version that
    should have stood in its place. That acts are missing at the end only the head row can tell.
    """
    for expected, act in enumerate(acts, after + 1):
        if act.version != expected or act.hash != link(previous, stream, expected, act.command_id, act.body):
            return expected
        previous = act.hash
    return None
