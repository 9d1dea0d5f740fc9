from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class CreateTokenRequest(_message.Message):
    __slots__ = ("role", "player", "stream", "seat", "expires_seconds", "note")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    STREAM_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_SECONDS_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    role: str
    player: str
    stream: str
    seat: int
    expires_seconds: int
    note: str
    def __init__(self, role: _Optional[str] = ..., player: _Optional[str] = ..., stream: _Optional[str] = ..., seat: _Optional[int] = ..., expires_seconds: _Optional[int] = ..., note: _Optional[str] = ...) -> None: ...

class CreateTokenResponse(_message.Message):
    __slots__ = ("token", "id", "expires_ms")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_MS_FIELD_NUMBER: _ClassVar[int]
    token: str
    id: str
    expires_ms: int
    def __init__(self, token: _Optional[str] = ..., id: _Optional[str] = ..., expires_ms: _Optional[int] = ...) -> None: ...

class RevokeTokenRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class RevokeTokenResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WhoAmIRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WhoAmIResponse(_message.Message):
    __slots__ = ("role", "player", "stream", "seat")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    STREAM_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    role: str
    player: str
    stream: str
    seat: int
    def __init__(self, role: _Optional[str] = ..., player: _Optional[str] = ..., stream: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class StatusRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class StatusResponse(_message.Message):
    __slots__ = ("version", "started_ms", "open_tables", "open_streams", "overdue_turns", "stuck_tables", "database_clock_drift_ms")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    STARTED_MS_FIELD_NUMBER: _ClassVar[int]
    OPEN_TABLES_FIELD_NUMBER: _ClassVar[int]
    OPEN_STREAMS_FIELD_NUMBER: _ClassVar[int]
    OVERDUE_TURNS_FIELD_NUMBER: _ClassVar[int]
    STUCK_TABLES_FIELD_NUMBER: _ClassVar[int]
    DATABASE_CLOCK_DRIFT_MS_FIELD_NUMBER: _ClassVar[int]
    version: str
    started_ms: int
    open_tables: int
    open_streams: int
    overdue_turns: int
    stuck_tables: _containers.RepeatedScalarFieldContainer[str]
    database_clock_drift_ms: int
    def __init__(self, version: _Optional[str] = ..., started_ms: _Optional[int] = ..., open_tables: _Optional[int] = ..., open_streams: _Optional[int] = ..., overdue_turns: _Optional[int] = ..., stuck_tables: _Optional[_Iterable[str]] = ..., database_clock_drift_ms: _Optional[int] = ...) -> None: ...

class SetPersonRequest(_message.Message):
    __slots__ = ("player", "name", "contact")
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CONTACT_FIELD_NUMBER: _ClassVar[int]
    player: str
    name: str
    contact: str
    def __init__(self, player: _Optional[str] = ..., name: _Optional[str] = ..., contact: _Optional[str] = ...) -> None: ...

class SetPersonResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetPersonRequest(_message.Message):
    __slots__ = ("player",)
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    player: str
    def __init__(self, player: _Optional[str] = ...) -> None: ...

class GetPersonResponse(_message.Message):
    __slots__ = ("name", "contact")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CONTACT_FIELD_NUMBER: _ClassVar[int]
    name: str
    contact: str
    def __init__(self, name: _Optional[str] = ..., contact: _Optional[str] = ...) -> None: ...

class ForgetRequest(_message.Message):
    __slots__ = ("player",)
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    player: str
    def __init__(self, player: _Optional[str] = ...) -> None: ...

class ForgetResponse(_message.Message):
    __slots__ = ("texts",)
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    texts: int
    def __init__(self, texts: _Optional[int] = ...) -> None: ...
