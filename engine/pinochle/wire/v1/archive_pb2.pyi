from pinochle.wire.v1 import table_pb2 as _table_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ExportHeader(_message.Message):
    __slots__ = ("format", "version", "kind", "stream", "acts", "head")
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    STREAM_FIELD_NUMBER: _ClassVar[int]
    ACTS_FIELD_NUMBER: _ClassVar[int]
    HEAD_FIELD_NUMBER: _ClassVar[int]
    format: str
    version: int
    kind: str
    stream: bytes
    acts: int
    head: bytes
    def __init__(self, format: _Optional[str] = ..., version: _Optional[int] = ..., kind: _Optional[str] = ..., stream: _Optional[bytes] = ..., acts: _Optional[int] = ..., head: _Optional[bytes] = ...) -> None: ...

class ArchiveRecord(_message.Message):
    __slots__ = ("header", "act")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    ACT_FIELD_NUMBER: _ClassVar[int]
    header: ExportHeader
    act: _table_pb2.StoredAct
    def __init__(self, header: _Optional[_Union[ExportHeader, _Mapping]] = ..., act: _Optional[_Union[_table_pb2.StoredAct, _Mapping]] = ...) -> None: ...
