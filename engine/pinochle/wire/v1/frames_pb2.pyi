from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class ActViewFrame(_message.Message):
    __slots__ = ("version", "at_ms", "author", "events")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    AT_MS_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    version: int
    at_ms: int
    author: str
    events: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, version: _Optional[int] = ..., at_ms: _Optional[int] = ..., author: _Optional[str] = ..., events: _Optional[_Iterable[bytes]] = ...) -> None: ...

class TableUpdateFrame(_message.Message):
    __slots__ = ("table", "seat", "version", "acts", "options", "deadline_ms", "turn_version", "rejection", "command_id", "over")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ACTS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    TURN_VERSION_FIELD_NUMBER: _ClassVar[int]
    REJECTION_FIELD_NUMBER: _ClassVar[int]
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    table: str
    seat: int
    version: int
    acts: _containers.RepeatedScalarFieldContainer[bytes]
    options: bytes
    deadline_ms: int
    turn_version: int
    rejection: bytes
    command_id: bytes
    over: bool
    def __init__(self, table: _Optional[str] = ..., seat: _Optional[int] = ..., version: _Optional[int] = ..., acts: _Optional[_Iterable[bytes]] = ..., options: _Optional[bytes] = ..., deadline_ms: _Optional[int] = ..., turn_version: _Optional[int] = ..., rejection: _Optional[bytes] = ..., command_id: _Optional[bytes] = ..., over: _Optional[bool] = ...) -> None: ...

class PlayResponseFrame(_message.Message):
    __slots__ = ("updates",)
    UPDATES_FIELD_NUMBER: _ClassVar[int]
    updates: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, updates: _Optional[_Iterable[bytes]] = ...) -> None: ...
