"""Ways to spoil a log, with the chain as it was or made anew: what a verifier must find."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from pinochle.export import StoredAct
from pinochle.wire import chain
from pinochle.wire.v1.game_pb2 import ActBody
from pinochle.wire.v1.tournament_pb2 import TournamentActBody

Log = Sequence[StoredAct]

BODIES: dict[str, Any] = {"table": ActBody, "tournament": TournamentActBody}


def relinked(stored: Log, stream: UUID) -> list[StoredAct]:
    """The acts with their versions and the chain made anew, as somebody would who can write the whole log."""
    made, head = [], chain.START
    for version, act in enumerate(stored, 1):
        head = chain.link(head, stream.bytes, version, act.command_id, act.body)
        made.append(StoredAct(version, act.command_id, act.body, head))
    return made


def with_body(stored: Log, at: int, body: bytes, stream: UUID) -> list[StoredAct]:
    """The log with another body at one place, and the chain made anew."""
    return relinked([*stored[:at], replace(stored[at], body=body), *stored[at + 1 :]], stream)


def lines_spoilt(lines: Sequence[bytes], chance: random.Random) -> Iterator[bytes]:
    """An export spoilt in its lines: each way that there is, at a random place."""
    at = chance.randrange(1, len(lines))
    other = chance.randrange(1, len(lines))
    whole = b"".join(lines)
    for byte in (chance.randrange(len(whole)), chance.randrange(len(lines[0]))):
        yield whole[:byte] + bytes((whole[byte] ^ 1 << chance.randrange(8),)) + whole[byte + 1 :]
    yield b"".join([*lines[:at], *lines[at + 1 :]])
    yield b"".join([*lines[:at], lines[other], *lines[at:]])
    yield b"".join(lines[other] if i == at else lines[at] if i == other else line for i, line in enumerate(lines))
    yield b"".join(lines[:at])
    yield whole[: chance.randrange(1, len(whole))]
    yield whole + b"\n"
    yield whole + lines[at]
    yield b"".join([*lines[:at], lines[at].replace(b":", b": ", 1), *lines[at + 1 :]])
    yield b"".join([*lines[:at], b"[" * 100_000 + b"\n", *lines[at + 1 :]])


def acts_spoilt(stored: Log, stream: UUID, elsewhere: Log, chance: random.Random) -> Iterator[list[StoredAct]]:
    """Acts dropped, put in twice, swapped, cut off, from another stream: as they are, and with the chain made anew."""
    at, other = (chance.randrange(len(stored)) for _ in range(2))
    swapped = list(stored)
    swapped[at], swapped[other] = swapped[other], swapped[at]
    moved = elsewhere[min(at, len(elsewhere) - 1)]
    for spoilt in (
        [*stored[:at], *stored[at + 1 :]],
        [*stored[:at], stored[other], *stored[at:]],
        [*stored[:at], replace(stored[other], command_id=chance.randbytes(16)), *stored[at:]],
        swapped,
        list(stored[: max(1, at)]),
        [*stored[:at], moved, *stored[at + 1 :]],
        [*stored[:at], moved, *stored[at:]],
    ):
        if spoilt:
            yield spoilt
            yield relinked(spoilt, stream)
    yield list(elsewhere)


def bytes_spoilt(stored: Log, stream: UUID, chance: random.Random) -> list[StoredAct]:
    """One bit of one body turned, or a byte more or less, and the chain made anew."""
    at = chance.randrange(len(stored))
    body = bytearray(stored[at].body)
    byte = chance.randrange(len(body))
    how = chance.randrange(4)
    if how < 2:
        body[byte] ^= 1 << chance.randrange(8)
    elif how == 2:
        del body[byte]
    else:
        body.insert(byte, chance.randrange(256))
    return with_body(stored, at, bytes(body), stream)


def facts_spoilt(stored: Log, stream: UUID, kind: str, chance: random.Random) -> list[StoredAct]:
    """One field somewhere in the command, an event or the head of one act is another, and the chain made anew."""
    while True:
        at = chance.randrange(len(stored))
        body = BODIES[kind].FromString(stored[at].body)
        _change(_somewhere(body, chance), chance)
        try:
            changed = body.SerializeToString(deterministic=True)
        except (DecodeError, ValueError):
            continue
        if changed != stored[at].body:
            return with_body(stored, at, changed, stream)


def _somewhere(message: Message, chance: random.Random) -> Message:
    """A message within this one: deep ones are taken as often as flat ones."""
    while True:
        inner = [
            one
            for field, value in message.ListFields()
            if field.type == FieldDescriptor.TYPE_MESSAGE
            for one in (value if _is_list(value) else [value])
        ]
        if not inner or (not chance.randrange(4) and message.ListFields()):
            return message
        message = chance.choice(inner)


def _change(message: Message, chance: random.Random) -> None:
    """Give one field of a message another value."""
    if not message.DESCRIPTOR.fields:
        return
    field: Any = chance.choice(list(message.DESCRIPTOR.fields))
    value = getattr(message, field.name)
    if _is_list(value):
        _change_list(value, chance)
    elif field.type == FieldDescriptor.TYPE_MESSAGE:
        if message.HasField(field.name):
            message.ClearField(field.name)
        else:
            value.SetInParent()
    elif field.has_presence and message.HasField(field.name) and not chance.randrange(2):
        message.ClearField(field.name)
    else:
        setattr(message, field.name, _other(field, value, chance))


def _change_list(values: Any, chance: random.Random) -> None:
    if not len(values):
        return
    one, other = chance.randrange(len(values)), chance.randrange(len(values))
    if chance.randrange(2) and not isinstance(values[one], Message):
        values[one], values[other] = values[other], values[one]
    elif chance.randrange(2):
        del values[one]
    else:
        values.append(values[one])


def _other(field: Any, value: Any, chance: random.Random) -> Any:
    if field.type == FieldDescriptor.TYPE_BYTES:
        return chance.choice([b"", value + b"\0", bytes(reversed(value))])
    if field.type == FieldDescriptor.TYPE_STRING:
        return chance.choice(["", value + "x", "house", "seat:1", "director", "deal_limit", "null", "ä"])
    if field.type == FieldDescriptor.TYPE_BOOL:
        return not value
    if field.type == FieldDescriptor.TYPE_ENUM:
        return chance.choice(list(field.enum_type.values)).number
    step = chance.choice([1, 1, 10, 100_000])
    return value + step if value < step or chance.randrange(2) else value - step


def _is_list(value: Any) -> bool:
    return hasattr(value, "append")
