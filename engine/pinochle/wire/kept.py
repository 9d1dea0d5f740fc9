"""What a transcript keeps, from the bytes that crossed the wire: acts as shown, commands, options.

BadInput for bytes that are none of these, or of a kind that this version does not know.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError, Message
from pinochle import commands as c
from pinochle import options as o
from pinochle.errors import BadInput
from pinochle.wire import codec, tournament_codec
from pinochle.wire.v1 import game_pb2 as game_pb
from pinochle.wire.v1 import table_pb2 as table_pb
from pinochle.wire.v1 import tournament_pb2 as tournament_pb

_VIEWS: dict[str, tuple[type[Message], Any]] = {
    "table": (table_pb.ActView, codec.events_from),
    "tournament": (tournament_pb.TournamentActView, tournament_codec.events_from),
}


def act_view(kind: str, data: bytes) -> tuple[Any, tuple[Any, ...]]:
    """An act of a table or a tournament as it was shown: the message, and its events."""
    message, events = _VIEWS[kind]
    view = _parsed(message, data)
    return view, events(view)


def command_from(data: bytes, seat: int) -> c.PlayerCommand:
    """A player's command."""
    return codec.player_command_from(_parsed(game_pb.PlayerCommand, data), seat)


def command_bytes(command: c.PlayerCommand) -> bytes:
    """A player's command as it is sent, without its seat."""
    return codec.player_command_message(command).SerializeToString()


def options_from(data: bytes, seat: int) -> o.Options | None:
    """What a seat was offered; None for nothing."""
    return codec.options_from(_parsed(table_pb.Options, data), seat)


def options_bytes(options: o.Options) -> bytes:
    """What a seat is offered, as it is sent."""
    return codec.options_message(options).SerializeToString()


def _parsed(message: Any, data: bytes) -> Any:
    try:
        return message.FromString(data)
    except DecodeError:
        raise BadInput(f"{len(data)} bytes that are no {message.DESCRIPTOR.name}") from None
