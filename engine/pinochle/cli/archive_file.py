"""An archive while it is written: into FILE.part until it is whole, so that a run that was cut off can be resumed.

Each export is put together aside and added in one go, so the part file never holds half of one that was not being
copied at that moment; such a half is cut off by the run that resumes. Memory does not grow with the archive: what is
in it already is kept in a temporary database, and an export beyond SPOOL_BYTES_MAX in a temporary file.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from pinochle.cli.files import is_special
from pinochle.cli.progress import Progress
from pinochle.cli.settings import USAGE, CommandError
from pinochle.cli.show import line
from pinochle.export import ACTS_MAX, Header, Stored
from pinochle.wire import archive, chain

SPOOL_BYTES_MAX = 8 << 20
PAGE = 500


class _Unfit(CommandError):
    """What an archive holds from before is not what it is to be gone on with."""


class ArchiveFile:
    """Use it in `with`; `finish` gives the file its name.

    Without a path it writes to stdout; that, a device or a pipe is written as it is, and cannot be gone on with.
    """

    def __init__(self, path: Path | None, form: str, *, resume: bool, progress: Progress) -> None:
        self.form = form
        self.exports = self.acts = self.resumed = 0
        self.problems: list[str] = []
        self._path: Path | None = None
        self._progress = progress
        self._seen = sqlite3.connect("")  # a database of its own on disk, gone with the connection
        self._seen.execute(
            "create table streams (id blob primary key, kind text, acts int, head blob, sure int) without rowid"
        )
        if path is None:
            self._file: BinaryIO = sys.stdout.buffer
        elif path.is_dir():
            raise CommandError(f"{path} is a folder, and not a file to write", USAGE)
        elif is_special(path):
            if resume:
                raise CommandError(f"{path} is no file: nothing can be gone on with there", USAGE)
            self._file = path.open("wb")
        else:
            self._path = path.resolve()  # a link stays one
            self._file = self._opened(_part(self._path), resume)

    def __enter__(self) -> ArchiveFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self._progress.clear()
        self._file.flush()
        self._seen.close()
        if self._file is not sys.stdout.buffer:
            self._file.close()
        if self._path is None or kind is _Unfit:
            return
        if kind is not None and not self.exports:
            _part(self._path).unlink(missing_ok=True)
        elif kind is not None:
            kept = f"{_part(self._path)} holds {self.exports} whole exports; --resume goes on from there"
            line(f"pinochle: not finished: {kept}", sys.stderr)

    def has(self, stream: UUID) -> bool:
        """Whether this stream is in the archive."""
        return self._seen.execute("select 1 from streams where id = ?", (stream.bytes,)).fetchone() is not None

    def add(self, kind: str, stream: UUID, acts: Iterable[Stored]) -> None:
        """Add one export. Acts that do not follow from each other are added as they are, and noted as a problem."""
        form, key = archive.FORMS[self.form], stream.bytes
        with tempfile.SpooledTemporaryFile(SPOOL_BYTES_MAX) as spool:
            number, head, wrong = 0, chain.START, 0
            for number, act in enumerate(acts, 1):
                spool.write(form.act(act))
                follows = act.version == number and act.hash == chain.link(head, key, number, act.command_id, act.body)
                wrong = wrong or (0 if follows else number)
                head = act.hash
            if not 1 <= number <= ACTS_MAX:
                raise CommandError(f"{kind} {stream} has {number} acts, an export 1 to {ACTS_MAX}")
            if wrong:
                text = f"{kind} {stream} is not in order: act {wrong} does not follow from the ones before"
                self.problems.append(text)
            self._file.write(form.header(Header(kind, stream, number, head)))
            spool.seek(0)
            shutil.copyfileobj(spool, self._file)
        self._count(Header(kind, stream, number, head), sure=True)
        self._progress.at(self.exports, f"{self.exports} exports, {self.acts} acts")

    def finish(self) -> None:
        """The archive is whole: give it its name. CommandError where something in it from before was not confirmed."""
        row = self._seen.execute("select id from streams where not sure").fetchone()
        if row is not None:
            raise self._unfit(UUID(bytes=row[0]))
        self._file.flush()
        if self._path is not None:
            os.fsync(self._file.fileno())
            _part(self._path).replace(self._path)

    def confirm(self, stream: UUID, acts: int, head: bytes) -> None:
        """Hold what the archive has from before against how a stream stands; CommandError where that is otherwise."""
        row = (stream.bytes, acts, head)
        query = "update streams set sure = 1 where id = ? and acts = ? and head = ?"
        if not self._seen.execute(query, row).rowcount:
            raise self._unfit(stream)

    def unsure(self, kind: str) -> Iterator[list[UUID]]:
        """What the archive has from before of one kind, and was not confirmed; PAGE at a time."""
        query, after = "select id from streams where kind = ? and not sure and id > ? order by id limit ?", b""
        while page := [key for (key,) in self._seen.execute(query, (kind, after, PAGE))]:
            yield [UUID(bytes=key) for key in page]
            after = page[-1]

    def _unfit(self, stream: UUID) -> _Unfit:
        assert self._path is not None
        text = f"holds {stream} otherwise than it stands now: remove that file and begin anew"
        return _Unfit(f"{_part(self._path)} {text}")

    def _count(self, header: Header, *, sure: bool) -> None:
        row = (header.stream.bytes, header.kind, header.acts, header.head, sure)
        if not self._seen.execute("insert or ignore into streams values (?, ?, ?, ?, ?)", row).rowcount:
            raise self._unfit(header.stream)
        self.exports += 1
        self.acts += header.acts

    def _opened(self, part: Path, resume: bool) -> BinaryIO:
        if not resume:
            try:
                return part.open("xb")
            except FileExistsError:
                text = f"{part} is there from a run that was cut off: go on with --resume, or remove it"
                raise CommandError(text, USAGE) from None
        file = part.open("r+b" if part.exists() else "w+b")
        there = archive.form_of(file)
        if there not in (None, self.form):
            file.close()
            raise CommandError(f"{part} is {there}: go on with --format {there}, or remove it", USAGE)
        end = 0
        for header, end in archive.whole_exports(file, self.form):
            self._count(header, sure=False)
            self._progress.at(end, f"{self.exports} exports were there")
        self.resumed = self.exports
        file.seek(end)
        file.truncate()
        return file


def _part(path: Path) -> Path:
    return path.with_name(path.name + ".part")
