"""Keeping transcripts: what this client was shown and sent, a file for each table and seat in one folder.

The format is that of `pinochle.transcript`. A file is opened for appending, written and closed at each message, so a
crash of the program costs half a line at most, which the next start removes. What is sent is written before it is
sent. Files are for their owner alone: a seat's cards are in them. A file that cannot be written is reported once, and
then left alone, since a transcript with a hole would tell a lie; the play goes on.
"""

from __future__ import annotations

import os
import sys
import time
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable
from hashlib import blake2b
from pathlib import Path
from uuid import UUID

from pinochle import transcript as t
from pinochle.errors import BadInput
from pinochle.wire.v1 import table_pb2 as pb
from pinochle.wire.v1 import tournament_pb2

TABLES_MAX = 1024
"""Files whose contents are in mind at the same time; one that is needed again is read again."""
CLOCK_STEP_MS_MAX = 500
"""How far the clock may run from an even course before the transcript says that it was set."""
AHEAD_MAX = 10_000
"""An act so far beyond those shown is kept as often as it comes, and not remembered."""
_FULL_BYTES = 64
"""Room that is kept for the last line of a file that is full."""


class TranscriptFolder:
    """The transcripts of one client. `clock_ms` is the time of day, `steady_ms` a clock that nobody sets."""

    def __init__(
        self,
        folder: Path | str,
        *,
        on_trouble: Callable[[str], None] | None = None,
        clock_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        steady_ms: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
        file_bytes_max: int = t.FILE_BYTES_MAX,
    ) -> None:
        self.folder = Path(folder)
        self._on_trouble = on_trouble or _print_trouble
        self._clock_ms = clock_ms
        self._steady_ms = steady_ms
        self._file_bytes_max = file_bytes_max
        self._ahead = clock_ms() - steady_ms()
        self._settings = 0  # how often the clock was set
        self._files: OrderedDict[tuple[str, str], _File] = OrderedDict()

    def seen(self, table: str, seat: int | None, news: pb.ViewResponse | pb.TableUpdate | pb.WatchResponse) -> None:
        """Keep what came of a table for this seat (None: whoever the token is)."""
        file = self._file(table, _viewer(seat))
        if file is None:
            return
        now = self.now_ms()
        lines = file.shown(news.acts, now)
        has_options = not isinstance(news, pb.WatchResponse) and news.HasField("options")
        if not file.has_head and file.top >= news.version and _is_whole(news, has_options):
            file.has_head = True
            lines.append(t.Head(now, news.version))
        if not isinstance(news, pb.WatchResponse) and has_options:
            turn = (news.version, news.turn_version, news.deadline_ms, news.options.SerializeToString())
            if turn != file.turn:
                file.turn = turn
                lines.append(t.Turn(now, *turn))
        if isinstance(news, pb.TableUpdate) and news.command_id and news.HasField("rejection"):
            lines.append(_refusal(now, news))
        self._write(file, lines, now)

    def tournament_seen(self, tournament: str, news: tournament_pb2.TournamentServiceWatchResponse) -> None:
        """Keep what came of a tournament, which everybody sees alike."""
        file = self._file(tournament, t.SPECTATOR, "tournament")
        if file is None:
            return
        now = self.now_ms()
        lines = file.shown(news.acts, now)
        if not file.has_head and file.top >= news.version:
            file.has_head = True
            lines.append(t.Head(now, news.version))
        if news.head and news.head != file.pin:
            file.pin = news.head
            lines.append(t.Noted(now, "head", news.head))
        self._write(file, lines, now)

    def sent(self, request: pb.ActRequest) -> None:
        """Keep a command; to be called before it is sent."""
        file = self._file(request.table, _viewer(request.seat))
        if file is not None:
            now = self.now_ms()
            command = request.command.SerializeToString()
            line = t.Sent(now, request.command_id, request.expected_version, command)
            self._write(file, [line], now)

    def answered(self, request: pb.ActRequest, answer: pb.ActResponse | pb.TableUpdate) -> None:
        """Keep the answer to a command: the version that it got, or why it was refused."""
        file = self._file(request.table, _viewer(request.seat))
        if file is None:
            return
        now = self.now_ms()
        if answer.HasField("rejection"):
            line = t.Answered(now, request.command_id, 0, answer.rejection.reason)
            self._write(file, [line], now)
        elif isinstance(answer, pb.ActResponse):
            lines = file.shown((answer.act,), now) if answer.HasField("act") else []
            lines.append(t.Answered(now, request.command_id, answer.version, ""))
            self._write(file, lines, now)

    def noted(self, table: str, what: str, value: bytes) -> None:
        """Keep a fact about a table that was announced outside its acts: its ``commitment``."""
        file = self._file(table, t.OWN)
        if file is not None:
            now = self.now_ms()
            self._write(file, [t.Noted(now, what, value)], now)

    def now_ms(self) -> int:
        """The time of day; notices where the clock was set, or slept, since the last time."""
        now = self._clock_ms()
        ahead = now - self._steady_ms()
        if abs(ahead - self._ahead) > CLOCK_STEP_MS_MAX:
            self._ahead = ahead
            self._settings += 1
        return now

    def _file(self, stream: str, viewer: str, kind: str = "table") -> _File | None:
        """The file of a stream and viewer, read or begun where it is not in mind; None where there can be none."""
        key = (stream, viewer)
        file = self._files.get(key)
        if file is not None:
            self._files.move_to_end(key)
            return None if file.is_closed else file
        try:
            file = self._opened(kind, UUID(stream), viewer)
        except ValueError:
            return None  # nothing has such an id, and no file shall have its name
        except OSError as error:
            self._on_trouble(f"no transcript of {kind} {stream} is kept: {error.strerror or error}")
            file = _File(Path(), 0, self._settings)
            file.is_closed = True
        self._files[key] = file
        if len(self._files) > TABLES_MAX:
            self._files.popitem(last=False)
        return None if file.is_closed else file

    def _opened(self, kind: str, stream: UUID, viewer: str) -> _File:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        now = self.now_ms()
        path = self.folder / f"{stream}.{viewer.replace(':', '-')}.jsonl"
        header = t.header_bytes(t.Header(kind, stream, viewer, now))
        try:
            with path.open("rb") as opened:
                held = t.read(opened)
        except FileNotFoundError:
            return self._begun(path, header)
        except BadInput as error:
            if not _is_begun(path, header):
                beside = path.with_suffix(f".{now}.jsonl")
                self._on_trouble(f"{path}: {error}; going on in {beside.name}")
                return self._begun(beside, header)
            os.truncate(path, 0)  # not even its first line was finished
            return self._begun(path, header)
        if (held.header.kind, held.header.stream, held.header.viewer) != (kind, stream, viewer):
            beside = path.with_suffix(f".{now}.jsonl")
            self._on_trouble(f"{path}: of another game or viewer; going on in {beside.name}")
            return self._begun(beside, header)
        if held.is_cut:
            os.truncate(path, held.size)
        file = _File(path, held.size, self._settings)
        file.holds(held)
        self._write(file, [t.Opened(now)], now)
        return file

    def _begun(self, path: Path, header: bytes) -> _File:
        _append(path, header)
        return _File(path, len(header), self._settings)

    def _write(self, file: _File, lines: list[t.Line], now: int) -> None:
        if not lines or file.is_closed:
            return
        if file.settings != self._settings:
            file.settings = self._settings
            lines.insert(0, t.Clock(now))
        data = b"".join(map(t.line_bytes, lines))
        if file.size + len(data) > self._file_bytes_max - _FULL_BYTES:
            file.is_closed = True
            data = t.line_bytes(t.Full(now))
            self._on_trouble(f"{file.path}: full, {self._file_bytes_max} bytes; no more of it is kept")
        try:
            _append(file.path, data)
        except OSError as error:
            file.is_closed = True
            self._on_trouble(f"{file.path}: {error.strerror or error}; no more of it is kept")
        file.size += len(data)


class _File:
    """One transcript as far as the keeper must remember it."""

    __slots__ = ("_digests", "has_head", "is_closed", "path", "pin", "settings", "size", "top", "turn")

    def __init__(self, path: Path, size: int, settings: int) -> None:
        self.path = path
        self.size = size
        self.settings = settings
        self.top = 0  # the highest version that was shown
        self.turn: tuple[int, int, int, bytes] | None = None
        self.pin = b""  # the announced hash of the last act
        self.has_head = False
        self.is_closed = False
        self._digests = array("Q")  # of the acts from 1 on; 0: not shown

    def holds(self, held: t.Transcript) -> None:
        """Take in what an earlier run has kept."""
        for line in held.lines:
            if isinstance(line, t.Shown):
                self._is_new(line.version, line.act)
            elif isinstance(line, t.Turn):
                self.turn = (line.version, line.turn_version, line.deadline_ms, line.options)
            elif isinstance(line, t.Noted) and line.what == "head":
                self.pin = line.value
        self.is_closed = bool(held.lines) and isinstance(held.lines[-1], t.Full)

    def shown(self, acts: Iterable[pb.ActView | tournament_pb2.TournamentActView], now: int) -> list[t.Line]:
        """Lines for the acts that were not shown yet, or were shown otherwise."""
        lines: list[t.Line] = []
        for act in acts:
            data = act.SerializeToString()
            if 0 < act.version <= t.VERSION_MAX and self._is_new(act.version, data):
                lines.append(t.Shown(now, act.version, data))
        return lines

    def _is_new(self, version: int, data: bytes) -> bool:
        digests, digest = self._digests, _digest(data)
        if version > len(digests) + AHEAD_MAX:
            return True
        if version > len(digests):
            digests.extend([0] * (version - len(digests)))
            self.top = version
        is_new = digests[version - 1] != digest
        digests[version - 1] = digest
        return is_new


def _viewer(seat: int | None) -> str:
    return t.OWN if seat is None else f"seat:{seat}"


def _is_whole(news: pb.ViewResponse | pb.TableUpdate | pb.WatchResponse, has_options: bool) -> bool:
    """Whether the message goes to the head, where it holds acts up to the version that it names."""
    if isinstance(news, pb.TableUpdate):
        return has_options or news.over  # other updates may be the first of several
    return not (isinstance(news, pb.ViewResponse) and news.more)


def _refusal(now: int, news: pb.TableUpdate) -> t.Answered:
    command_id = news.command_id[: t.ID_BYTES].ljust(t.ID_BYTES, b"\0")
    return t.Answered(now, command_id, 0, news.rejection.reason)


def _digest(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest()) or 1


def _append(path: Path, data: bytes) -> None:
    """Append whole lines, with one call to the system where it takes them at once."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    finally:
        os.close(descriptor)


def _is_begun(path: Path, header: bytes) -> bool:
    """Whether the file holds nothing but the beginning of a first line."""
    with path.open("rb") as file:
        data = file.read(2 * len(header))
    return b"\n" not in data and len(data) < 2 * len(header) and data[:20] == header[: len(data)][:20]


def _print_trouble(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
