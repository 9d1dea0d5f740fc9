from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Nudge(_message.Message):
    __slots__ = ("stream", "version", "due_player", "deadline_ms", "over", "tournament", "sent_ms", "view")
    STREAM_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DUE_PLAYER_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    SENT_MS_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    stream: str
    version: int
    due_player: str
    deadline_ms: int
    over: bool
    tournament: str
    sent_ms: int
    view: bytes
    def __init__(self, stream: _Optional[str] = ..., version: _Optional[int] = ..., due_player: _Optional[str] = ..., deadline_ms: _Optional[int] = ..., over: _Optional[bool] = ..., tournament: _Optional[str] = ..., sent_ms: _Optional[int] = ..., view: _Optional[bytes] = ...) -> None: ...

class Nudges(_message.Message):
    __slots__ = ("origin", "nudges")
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    NUDGES_FIELD_NUMBER: _ClassVar[int]
    origin: str
    nudges: _containers.RepeatedCompositeFieldContainer[Nudge]
    def __init__(self, origin: _Optional[str] = ..., nudges: _Optional[_Iterable[_Union[Nudge, _Mapping]]] = ...) -> None: ...
