"""Archives: many exports in one file, as JSON lines or as length-delimited protobuf messages of the same content.

`exports` reads either form, one record at a time, and refuses what `records` would not write byte for byte.
`docs/verification.md` has both formats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, NamedTuple
from uuid import UUID

from google.protobuf.message import DecodeError
from pinochle import export
from pinochle.export import ACTS_MAX, BadExport, Header, Stored, StoredAct
from pinochle.wire import chain
from pinochle.wire.framing import varint
from pinochle.wire.v1 import archive_pb2 as pb
from pinochle.wire.v1 import table_pb2

MESSAGE_BYTES_MAX = export.LINE_BYTES_MAX
_HEADER_TAG = b"\x0a"
_LENGTH_BYTES_MAX = 4


def exports(file: BinaryIO) -> Iterator[tuple[Header, Iterator[StoredAct]]]:
    """Each export of an archive in either form; the file must be one that can be wound back. Raises BadExport."""
    return export.read_all(file, _Messages(file) if form_of(file) == "protobuf" else None)


def form_of(file: BinaryIO) -> str | None:
    """The form of FORMS that a file has from here on, as far as its beginning tells; None where nothing follows."""
    start = file.read(2)
    file.seek(-len(start), 1)
    # A length and the tag of a header; no JSON has a line break there.
    return ("protobuf" if start[1:] == _HEADER_TAG else "jsonl") if start else None


def records(form: str, header: Header, acts: Iterable[Stored]) -> Iterator[bytes]:
    """One export in a form of FORMS."""
    of_header, of_act = FORMS[form]
    yield of_header(header)
    yield from map(of_act, acts)


def whole_exports(file: BinaryIO, form: str) -> Iterator[tuple[Header, int]]:
    """The exports at the beginning of a file that are whole and in order, and where each ends, in bytes.

    Stops at the first one that is cut off or spoilt, and raises nothing: what is to be gone on with ends there.
    """
    end = 0
    try:
        for header, acts in exports(file):
            head, size = chain.START, len(FORMS[form].header(header))
            for version, act in enumerate(acts, 1):
                if act.version != version:
                    return
                head = chain.link(head, header.stream.bytes, version, act.command_id, act.body)
                if head != act.hash:
                    return
                size += len(FORMS[form].act(act))
            end += size
            yield header, end
    except export.BadExport:
        return


class _Messages:
    """Length-delimited messages as records; a record is the message with its length before it."""

    unit = "message"

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def next(self) -> bytes:
        length, shift, prefix = 0, 0, b""
        while True:
            byte = self._file.read(1)
            if not byte:
                return prefix  # nothing, or a length that is cut off
            prefix += byte
            length |= (byte[0] & 127) << shift
            shift += 7
            if byte[0] < 128:
                break
            if len(prefix) == _LENGTH_BYTES_MAX:
                return prefix
        return prefix + self._file.read(length) if length <= MESSAGE_BYTES_MAX else prefix

    def is_header(self, record: bytes) -> bool:
        return record[_length_bytes(record) :][:1] == _HEADER_TAG

    def header(self, record: bytes) -> Header:
        message = _message(record, 1)
        said = message.header
        if message.WhichOneof("kind") != "header" or said.format != export.FORMAT:
            raise BadExport(1, f"not an export: the first message must be a header of format {export.FORMAT}")
        if said.version != export.FORMAT_VERSION:
            text = f"format version {said.version}: this reader knows version {export.FORMAT_VERSION}"
            raise BadExport(1, text, newer=said.version > export.FORMAT_VERSION)
        if said.kind not in export.KINDS:
            raise BadExport(1, f"kind {said.kind!r:.40}: it must be one of {', '.join(export.KINDS)}")
        _check_size("stream", said.stream, export.ID_BYTES, 1)
        _check_size("head", said.head, export.HASH_BYTES, 1)
        if not 1 <= said.acts <= ACTS_MAX:
            raise BadExport(1, f"acts {said.acts}: it must be a whole number from 1 to {ACTS_MAX}")
        header = Header(said.kind, UUID(bytes=said.stream), said.acts, said.head)
        _check_bytes(record, _header_record(header), 1)
        return header

    def act(self, record: bytes, number: int) -> StoredAct:
        message = _message(record, number)
        said = message.act
        if message.WhichOneof("kind") != "act":
            raise BadExport(number, "not an act")
        if not 0 <= said.version <= ACTS_MAX:
            text = f"version {said.version}: it must be a whole number from 1 to {ACTS_MAX}"
            raise BadExport(number, text)
        _check_size("command_id", said.command_id, export.ID_BYTES, number)
        _check_size("hash", said.hash, export.HASH_BYTES, number)
        act = StoredAct(said.version, said.command_id, said.body, said.hash)
        _check_bytes(record, _act_record(act), number)
        return act


def _message(record: bytes, number: int) -> pb.ArchiveRecord:
    size = _length_bytes(record)
    length = sum((byte & 127) << 7 * place for place, byte in enumerate(record[:size]))
    if length > MESSAGE_BYTES_MAX:
        raise BadExport(number, f"longer than {MESSAGE_BYTES_MAX} bytes")
    if len(record) != size + length or record[size - 1] > 127:
        raise BadExport(number, "the message is cut off")
    try:
        return pb.ArchiveRecord.FromString(record[size:])
    except DecodeError:
        raise BadExport(number, "not an ArchiveRecord") from None


def _length_bytes(record: bytes) -> int:
    """How many bytes of a record are its length."""
    return next((i for i, byte in enumerate(record[:_LENGTH_BYTES_MAX], 1) if byte < 128), len(record))


def _header_message(header: Header) -> pb.ArchiveRecord:
    said = pb.ExportHeader(
        format=export.FORMAT,
        version=export.FORMAT_VERSION,
        kind=header.kind,
        stream=header.stream.bytes,
        acts=header.acts,
        head=header.head,
    )
    return pb.ArchiveRecord(header=said)


def _act_message(act: Stored) -> pb.ArchiveRecord:
    stored = table_pb2.StoredAct(version=act.version, command_id=act.command_id, body=act.body, hash=act.hash)
    return pb.ArchiveRecord(act=stored)


def _header_record(header: Header) -> bytes:
    return _delimited(_header_message(header))


def _act_record(act: Stored) -> bytes:
    return _delimited(_act_message(act))


def _delimited(message: pb.ArchiveRecord) -> bytes:
    body = message.SerializeToString(deterministic=True)
    return varint(len(body)) + body


def _check_size(name: str, value: bytes, size: int, number: int) -> None:
    if len(value) != size:
        raise BadExport(number, f"{name}: not {size} bytes")


def _check_bytes(found: bytes, expected: bytes, number: int) -> None:
    if found != expected:
        raise BadExport(number, "not in canonical form")


class Form(NamedTuple):
    """How one record of an archive is written."""

    header: Callable[[Header], bytes]
    act: Callable[[Stored], bytes]


FORMS = {"jsonl": Form(export.header_line, export.act_line), "protobuf": Form(_header_record, _act_record)}
"""The forms of an archive by their names."""
