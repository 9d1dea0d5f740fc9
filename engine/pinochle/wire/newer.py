"""What a newer version may have written: fields of a message that this version does not know.

New fields have numbers above those that were there, so bytes in the order of the fields' numbers hold the unknown ones
of each message last, and come out again as they went in.
"""

from __future__ import annotations

from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet
from pinochle.errors import BadInput, NewerSchema
from pinochle.wire.v1 import game_pb2 as pb


def unknown_field(kind: type[Message], data: bytes) -> str | None:
    """The first field that this version does not know, as ``CardPlayed.3``; None where there is none.

    None as well for bytes that are not in the one form that the message has, which a newer version keeps to.
    """
    return _first(kind.FromString(data)) if is_in_form(kind, data) else None


def is_in_form(kind: type[Message], data: bytes) -> bool:
    """Whether the bytes are this message in the one form that it has, of this version or of a newer one."""
    try:
        return kind.FromString(data).SerializeToString(deterministic=True) == data
    except DecodeError:
        return False


def no_kind(message: Message, what: str) -> BadInput:
    """What is wrong with a message of no known kind: one that only a newer version knows, or none at all."""
    if _unknown(message) is not None:
        return NewerSchema(f"{what} of a kind that this version does not know")
    return BadInput(f"{what} of no kind")


def rules_version(body: bytes) -> int:
    """The version of the rules that a stored body names, of a table or a tournament; 0 where it can't be read."""
    try:
        return pb.ActFrame.FromString(body).rules_version
    except DecodeError:
        return 0


def _first(message: Message) -> str | None:
    number = _unknown(message)
    if number is not None:
        return f"{message.DESCRIPTOR.name}.{number}"
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for inner in (value,) if isinstance(value, Message) else value:
            if found := _first(inner):
                return found
    return None


def _unknown(message: Message) -> int | None:
    """The first number in a message that this version does not know; a known one in another wire type is none."""
    known = message.DESCRIPTOR.fields_by_number
    unknown = UnknownFieldSet(message)
    numbers = (unknown[i].field_number for i in range(len(unknown)))
    return next((number for number in numbers if number not in known), None)
