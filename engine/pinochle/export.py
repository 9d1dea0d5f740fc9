"""Exports: the stored acts of one stream as JSON lines, in canonical bytes, for anyone to keep and check.

The first line is the header, then comes one line per act; `docs/verification.md` has the format. The reader
refuses a file that is not byte for byte what the writer would write, and names the line (from 1). It reads
line by line and holds one at a time. What the acts say is the audit's business, not the reader's.

An archive is exports one behind the other; `read_all` reads it, or a single export, in the same way.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Protocol
from uuid import UUID

from pinochle import json_lines
from pinochle.decider import record
from pinochle.errors import BadInput

FORMAT = "pinochle-export"
FORMAT_VERSION = 1
KINDS = ("table", "tournament")
LINE_BYTES_MAX = 2 << 20
"""A body is at most 1 MiB, a third longer in base64."""
ACTS_MAX = 1_000_000
ID_BYTES, HASH_BYTES = 16, 32


class BadExport(BadInput):
    """A file that is not an export; `line` counts from 1 in its export, `before` are the lines of those before it.

    `newer`: what is wrong with it is that it has a newer format.
    """

    def __init__(
        self, line: int, problem: str, before: int = 0, unit: str = "line", *, newer: bool = False
    ) -> None:
        self.line = line
        self.problem = problem
        self.newer = newer
        super().__init__(f"{unit} {before + line}: {problem}")


class Stored(Protocol):
    """What an export holds of an act; versions count from 1, ids have 16 bytes, hashes 32."""

    @property
    def version(self) -> int: ...
    @property
    def command_id(self) -> bytes: ...
    @property
    def body(self) -> bytes: ...
    @property
    def hash(self) -> bytes: ...


@record
class StoredAct:
    """One act exactly as stored."""

    version: int
    command_id: bytes
    body: bytes
    hash: bytes


@record
class Header:
    """What the first line says: the stream's kind and id, how many acts follow, and the last one's hash."""

    kind: str
    stream: UUID
    acts: int
    head: bytes


def lines(kind: str, stream: UUID, acts: Sequence[Stored]) -> Iterator[bytes]:
    """The lines of an export with their line breaks; BadInput for an unknown kind or too many acts."""
    if kind not in KINDS or not 1 <= len(acts) <= ACTS_MAX:
        raise BadInput(f"an export holds 1 to {ACTS_MAX} acts of a {' or a '.join(KINDS)}")
    yield header_line(Header(kind, stream, len(acts), acts[-1].hash))
    for act in acts:
        yield act_line(act)


def read(file: BinaryIO) -> tuple[Header, Iterator[StoredAct]]:
    """The header, and the acts one by one as they are asked for; both raise BadExport.

    After the last act the header's count and head are checked, so only a reader that asks for all acts
    knows that nothing is cut off.
    """
    first = file.readline(LINE_BYTES_MAX + 1)
    if not first:
        raise BadExport(1, "the file is empty")
    header = _header(first)
    return header, _acts(file, header)


class Records(Protocol):
    """The records of an archive in some form, one after the other; `unit` is what one is called."""

    unit: str

    def next(self) -> bytes:
        """The next record, or nothing at the end."""

    def is_header(self, record: bytes) -> bool:
        """Whether an export begins with it, as far as can be seen without reading it."""

    def header(self, record: bytes) -> Header:
        """The record as a header; BadExport with line 1."""

    def act(self, record: bytes, number: int) -> StoredAct:
        """The record as an act; BadExport with this line."""


def read_all(file: BinaryIO, records: Records | None = None) -> Iterator[tuple[Header, Iterator[StoredAct]]]:
    """Each export of an archive: its header, and its acts as they are asked for; all of them raise BadExport.

    Acts that were not asked for are passed over, so one bad export does not hide those that follow. What is raised by
    the outer iterator ends it: there is no telling where another export begins.
    """
    source = records or _Lines(file)
    record, before = source.next(), 0
    if not record:
        raise BadExport(1, "the file is empty", unit=source.unit)
    while record:
        try:
            header = source.header(record)
        except BadExport as error:
            raise BadExport(1, error.problem, before, source.unit, newer=error.newer) from None
        one = _Export(source, header, before)
        yield header, one.acts()
        record = one.rest()
        before = one.before + one.lines


class _Export:
    """One export of an archive while it is read."""

    def __init__(self, source: Records, header: Header, before: int) -> None:
        self.source = source
        self.header = header
        self.before = before
        self.lines = 1
        self.following: bytes | None = None  # what was read beyond its end

    def acts(self) -> Iterator[StoredAct]:
        head = b""
        for number in range(2, self.header.acts + 2):
            record = self._next()
            if not record or self.source.is_header(record):
                self.following = record
                found = f"expected {self.header.acts} acts, found {number - 2}"
                raise self._bad(number, f"the {'file' if not record else 'export'} ends here: {found}")
            try:
                act = self.source.act(record, number)
            except BadExport as error:
                raise self._bad(number, error.problem) from None
            head = act.hash
            yield act
        self.following = self._next()
        if self.following and not self.source.is_header(self.following):
            raise self._bad(self.header.acts + 2, f"more follows: expected {self.header.acts} acts")
        if head != self.header.head:
            wrong = f"head: expected {head.hex()}, the hash of the last act, found {self.header.head.hex()}"
            raise self._bad(1, wrong)

    def rest(self) -> bytes:
        """The header of the next export, or nothing; what is left of this one is passed over."""
        record = self._next() if self.following is None else self.following
        while record and not self.source.is_header(record):
            record = self._next()
        return record

    def _next(self) -> bytes:
        record = self.source.next()
        if record and not self.source.is_header(record):
            self.lines += 1
        return record

    def _bad(self, line: int, problem: str) -> BadExport:
        return BadExport(line, problem, self.before, self.source.unit)


class _Lines:
    """JSON lines as records."""

    unit = "line"

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def next(self) -> bytes:
        return self._file.readline(LINE_BYTES_MAX + 1)

    def is_header(self, record: bytes) -> bool:
        return record.startswith(b'{"format":')

    def header(self, record: bytes) -> Header:
        return _header(record)

    def act(self, record: bytes, number: int) -> StoredAct:
        return _act(record, number)


def _acts(file: BinaryIO, header: Header) -> Iterator[StoredAct]:
    head = b""
    for number in range(2, header.acts + 2):
        line = file.readline(LINE_BYTES_MAX + 1)
        if not line:
            raise BadExport(number, f"the file ends here: expected {header.acts} acts, found {number - 2}")
        act = _act(line, number)
        head = act.hash
        yield act
    number = header.acts + 2
    if file.read(1):
        raise BadExport(number, f"more follows: expected {header.acts} acts")
    if head != header.head:
        raise BadExport(
            1, f"head: expected {head.hex()}, the hash of the last act, found {header.head.hex()}"
        )


def header_line(header: Header) -> bytes:
    """The first line of an export."""
    return json_lines.line(
        {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "kind": header.kind,
            "stream": str(header.stream),
            "acts": header.acts,
            "head": header.head.hex(),
        }
    )


def act_line(act: Stored) -> bytes:
    """The line of an act."""
    body = b64encode(act.body).decode()
    return json_lines.line(
        {"version": act.version, "command_id": act.command_id.hex(), "body": body, "hash": act.hash.hex()}
    )


def _header(line: bytes) -> Header:
    said = _fields(line, 1)
    json_lines.check_header(said, "an export", FORMAT, FORMAT_VERSION, KINDS, BadExport)
    stream = said.get("stream")
    try:
        parsed = UUID(stream) if isinstance(stream, str) else None
    except ValueError:
        parsed = None
    if parsed is None or str(parsed) != stream:
        raise BadExport(1, f"stream {stream!r:.60}: not a UUID in lower case")
    acts = said.get("acts")
    if type(acts) is not int or not 1 <= acts <= ACTS_MAX:
        raise BadExport(1, f"acts {acts!r:.20}: it must be a whole number from 1 to {ACTS_MAX}")
    header = Header(said["kind"], parsed, acts, _hex(said, "head", HASH_BYTES, 1))
    json_lines.check_bytes(line, header_line(header), 1, BadExport)
    return header


def _act(line: bytes, number: int) -> StoredAct:
    said = _fields(line, number)
    version, body = said.get("version"), said.get("body")
    if type(version) is not int or not 0 <= version <= ACTS_MAX:
        raise BadExport(number, f"version {version!r:.20}: it must be a whole number from 1 to {ACTS_MAX}")
    try:
        body_bytes = b64decode(body, validate=True) if isinstance(body, str) else None
    except ValueError:
        body_bytes = None
    if body_bytes is None:
        raise BadExport(number, "body: not base64")
    command_id, link = _hex(said, "command_id", ID_BYTES, number), _hex(said, "hash", HASH_BYTES, number)
    act = StoredAct(version, command_id, body_bytes, link)
    json_lines.check_bytes(line, act_line(act), number, BadExport)
    return act


def _fields(line: bytes, number: int) -> dict[str, Any]:
    if len(line) > LINE_BYTES_MAX:
        raise BadExport(number, f"longer than {LINE_BYTES_MAX} bytes")
    if not line.endswith(b"\n"):
        raise BadExport(number, "the line is cut off: it has no line break")
    return json_lines.fields(line, number, BadExport)


def _hex(said: dict[str, Any], name: str, size: int, number: int) -> bytes:
    value = said.get(name)
    try:
        decoded = bytes.fromhex(value) if isinstance(value, str) else b""
    except ValueError:
        decoded = b""
    if len(decoded) != size:
        raise BadExport(number, f"{name}: not {size} bytes in hexadecimal")
    return decoded
