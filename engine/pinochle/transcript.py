"""Transcripts: what one viewer of a table or a tournament was shown and sent, as JSON lines that the viewer keeps.

A house publishes its log; this is the other side's own record, to hold beside it (`pinochle.transcript_audit`).
`docs/transcripts.md` has the format. Acts, options and commands are kept as the protobuf bytes that crossed the wire.
Times are ms since the epoch by the keeper's own clock. Each line is whole by itself, so a crash costs the last line
at most: a line without its line break is what a crash leaves, and is no error.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple
from uuid import UUID

from pinochle import json_lines
from pinochle.decider import record
from pinochle.errors import BadInput

FORMAT = "pinochle-transcript"
FORMAT_VERSION = 1
KINDS = ("table", "tournament")
SPECTATOR, OWN = "spectator", "own"
VIEWERS = ("seat:0", "seat:1", "seat:2", "seat:3", SPECTATOR, OWN)
"""Who looked; OWN is whatever the token alone sees, where the keeper named no seat."""
NOTABLE = ("commitment", "root", "head")
LINE_BYTES_MAX = 2 << 20
FILE_BYTES_MAX = 64 << 20
NUMBER_MAX = (1 << 53) - 1
"""The largest whole number that every JSON reader keeps exactly."""
VERSION_MAX = 1_000_000
TEXT_CHARACTERS_MAX = 64
ID_BYTES = 16


class BadTranscript(BadInput):
    """A file that is not a transcript; `line` counts from 1. `newer`: it has a newer format."""

    def __init__(self, line: int, problem: str, *, newer: bool = False) -> None:
        self.line = line
        self.problem = problem
        self.newer = newer
        super().__init__(f"line {line}: {problem}")


@record
class Header:
    """The first line: of which stream, as whom, and when keeping began."""

    kind: str
    stream: UUID
    viewer: str
    clock_ms: int


@record
class Opened:
    """Keeping went on after a break: the program was started again. Commands of the break are not in here."""

    clock_ms: int


@record
class Clock:
    """The keeper's clock was set, or slept: times before and after this line do not compare."""

    clock_ms: int


@record
class Head:
    """The first time after a break that the house had sent all there was: the acts up to this version."""

    clock_ms: int
    version: int


@record
class Shown:
    """An act as it was received: the bytes of an ActView."""

    clock_ms: int
    version: int
    act: bytes


@record
class Turn:
    """The seat was asked to act, at this version: the version to answer with, the deadline, the bytes of Options."""

    clock_ms: int
    version: int
    turn_version: int
    deadline_ms: int
    options: bytes


@record
class Sent:
    """A command, written down before it was sent: the bytes of a PlayerCommand."""

    clock_ms: int
    command_id: bytes
    expected_version: int
    command: bytes


@record
class Answered:
    """The house's answer to a command: the version that it got, or 0 and why it was refused."""

    clock_ms: int
    command_id: bytes
    version: int
    rejection: str


@record
class Noted:
    """A fact about the stream, announced elsewhere: its commitment, a tournament's root, the last act's hash."""

    clock_ms: int
    what: str
    value: bytes


@record
class Full:
    """The file has reached its bound; nothing more is kept in it."""

    clock_ms: int


Line = Opened | Clock | Head | Shown | Turn | Sent | Answered | Noted | Full


class Transcript(NamedTuple):
    """A transcript as read; `size` is how many bytes its whole lines have, `is_cut` whether half a line follows."""

    header: Header
    lines: tuple[Line, ...]
    size: int
    is_cut: bool


def header_bytes(header: Header) -> bytes:
    """The first line, with its line break."""
    return json_lines.line(
        {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "kind": header.kind,
            "stream": str(header.stream),
            "viewer": header.viewer,
            "clock_ms": header.clock_ms,
        }
    )


def line_bytes(line: Line) -> bytes:
    """Any other line, with its line break."""
    name, fields = _FIELDS[line.__class__]
    said: dict[str, Any] = {"line": name}
    for field, form in fields:
        said[field] = form.put(getattr(line, field))
    return json_lines.line(said)


def plain_text(text: str) -> str:
    """The text with nothing in it that JSON writers spell differently, and not too long."""
    kept = ("?" if c in '"\\' or not c.isascii() or not c.isprintable() else c for c in text[:TEXT_CHARACTERS_MAX])
    return "".join(kept)


def read(file: BinaryIO) -> Transcript:
    """The whole transcript; BadTranscript names the first line that is none, or not in canonical form."""
    header = read_header(file)
    lines: list[Line] = []
    size = len(header_bytes(header))
    while data := file.readline(LINE_BYTES_MAX + 1):
        number = len(lines) + 2
        if len(data) > LINE_BYTES_MAX:
            raise BadTranscript(number, f"longer than {LINE_BYTES_MAX} bytes")
        if size + len(data) > FILE_BYTES_MAX:
            raise BadTranscript(number, f"the file is longer than {FILE_BYTES_MAX} bytes")
        if not data.endswith(b"\n"):
            return Transcript(header, tuple(lines), size, True)
        lines.append(_line(data, number))
        size += len(data)
    return Transcript(header, tuple(lines), size, False)


def read_header(file: BinaryIO) -> Header:
    """The first line alone; BadTranscript where it is none."""
    first = file.readline(LINE_BYTES_MAX + 1)
    if not first:
        raise BadTranscript(1, "the file is empty")
    if not first.endswith(b"\n"):
        raise BadTranscript(1, "not a transcript: its first line is cut off or too long")
    return _header(first)


class _Form(NamedTuple):
    """How a value is written as JSON, and read: None where it is not such a value."""

    put: Callable[[Any], Any]
    get: Callable[[Any], Any]


def _number(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= NUMBER_MAX else None


def _version(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= VERSION_MAX else None


def _base64(value: Any) -> bytes | None:
    try:
        return b64decode(value, validate=True) if isinstance(value, str) else None
    except ValueError:
        return None


def _hexadecimal(value: Any) -> bytes | None:
    try:
        return bytes.fromhex(value) if isinstance(value, str) and len(value) <= 2 * TEXT_CHARACTERS_MAX else None
    except ValueError:
        return None


def _id(value: Any) -> bytes | None:
    found = _hexadecimal(value)
    return found if found is not None and len(found) == ID_BYTES else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and plain_text(value) == value else None


_NUMBER = _Form(int, _number)
_VERSION = _Form(int, _version)
_BYTES = _Form(lambda value: b64encode(value).decode(), _base64)
_HEX = _Form(bytes.hex, _hexadecimal)
_ID = _Form(bytes.hex, _id)
_TEXT = _Form(plain_text, _text)
_WHAT = _Form(str, lambda value: value if value in NOTABLE else None)

_TIME = ("clock_ms", _NUMBER)
_FIELDS: dict[type, tuple[str, tuple[tuple[str, _Form], ...]]] = {
    Opened: ("opened", (_TIME,)),
    Clock: ("clock", (_TIME,)),
    Head: ("head", (_TIME, ("version", _VERSION))),
    Shown: ("shown", (_TIME, ("version", _VERSION), ("act", _BYTES))),
    Turn: (
        "turn",
        (_TIME, ("version", _VERSION), ("turn_version", _VERSION), ("deadline_ms", _NUMBER), ("options", _BYTES)),
    ),
    Sent: ("sent", (_TIME, ("command_id", _ID), ("expected_version", _VERSION), ("command", _BYTES))),
    Answered: ("answered", (_TIME, ("command_id", _ID), ("version", _VERSION), ("rejection", _TEXT))),
    Noted: ("noted", (_TIME, ("what", _WHAT), ("value", _HEX))),
    Full: ("full", (_TIME,)),
}
_BY_NAME = {name: (kind, fields) for kind, (name, fields) in _FIELDS.items()}


def _header(data: bytes) -> Header:
    said = json_lines.fields(data, 1, BadTranscript)
    json_lines.check_header(said, "a transcript", FORMAT, FORMAT_VERSION, KINDS, BadTranscript)
    if said.get("viewer") not in VIEWERS:
        raise BadTranscript(1, f"viewer {said.get('viewer')!r:.40}: it must be one of {', '.join(VIEWERS)}")
    try:
        stream = UUID(said["stream"]) if isinstance(said.get("stream"), str) else None
    except ValueError:
        stream = None
    clock_ms = _number(said.get("clock_ms"))
    if stream is None or clock_ms is None:
        raise BadTranscript(1, "stream must be a UUID in lower case, clock_ms a whole number")
    header = Header(said["kind"], stream, said["viewer"], clock_ms)
    json_lines.check_bytes(data, header_bytes(header), 1, BadTranscript)
    return header


def _line(data: bytes, number: int) -> Line:
    said = json_lines.fields(data, number, BadTranscript)
    name = said.get("line")
    known = _BY_NAME.get(name) if isinstance(name, str) else None
    if known is None:
        raise BadTranscript(number, f"line {name!r:.40}: it must be one of {', '.join(_BY_NAME)}")
    kind, fields = known
    values = []
    for field, form in fields:
        value = form.get(said.get(field))
        if value is None:
            raise BadTranscript(number, f"{field} {said.get(field)!r:.60}: not what a line {name!r} has there")
        values.append(value)
    line: Line = kind(*values)
    json_lines.check_bytes(data, line_bytes(line), number, BadTranscript)
    return line
