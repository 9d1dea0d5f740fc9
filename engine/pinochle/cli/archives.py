"""`pinochle export --all` and `--with-tables`: whole archives out of the services."""

from __future__ import annotations

import argparse
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from pinochle.cli.archive_file import ArchiveFile
from pinochle.cli.connect import CallError, Service, service
from pinochle.cli.progress import Progress
from pinochle.cli.settings import OK, PROBLEM, USAGE, CommandError, Settings
from pinochle.cli.show import as_json, line
from pinochle.export import StoredAct
from pinochle.tournament import TOURNAMENT
from pinochle.tournament.lots import table_id
from pinochle.tournament.state import State
from pinochle.wire import tournament_codec

PAGE = 100
UNREADABLE = "unreadable"
"""The phase in which lists show a stream that stands still at an act of a newer version."""
LOG_SECONDS = 120.0
"""The longest that the stream of one log may take."""
RETRY_SECONDS = 1.0
RETRIES_MAX = 30
"""Tries in a row of one call that the server was too busy for, or away."""


class Source(NamedTuple):
    """The two services that an archive is read from."""

    tables: Service
    tournaments: Service


def run_export_all(options: argparse.Namespace, settings: Settings) -> int:
    """Write every tournament and table whose log is published into one archive."""
    since_ms = options.since or 0

    def fill(source: Source, out: ArchiveFile) -> None:
        for row in _closed_tournaments(source.tournaments):
            if row.updated_ms >= since_ms:
                with _left_out_if_unreadable(out, "tournament", row):
                    _add_tournament(source, out, UUID(row.tournament))
        for row in _closed_tables(source.tables):
            if row.updated_ms >= since_ms and not out.has(UUID(row.table)):
                with _left_out_if_unreadable(out, "table", row):
                    out.add("table", UUID(row.table), _log(source.tables, "table", row.table))

    return _written(options, settings, fill)


@contextmanager
def _left_out_if_unreadable(out: ArchiveFile, kind: str, row: Any) -> Iterator[None]:
    """One stream that stands still, and that operators alone may read, does not keep the others from being written."""
    try:
        yield
    except CallError as error:
        if row.phase != UNREADABLE or error.status != "PERMISSION_DENIED":
            raise
        out.problems.append(f"{kind} {getattr(row, kind)} stands still and was left out: {error}")


def run_export_with_tables(options: argparse.Namespace, settings: Settings, tournament: UUID) -> int:
    """Write one tournament and its tables into an archive."""
    return _written(options, settings, lambda source, out: _add_tournament(source, out, tournament))


def _written(options: argparse.Namespace, settings: Settings, fill: Callable[[Source, ArchiveFile], None]) -> int:
    if options.resume and options.out is None:
        raise CommandError("--resume needs --out FILE: what went to stdout cannot be gone on with", USAGE)
    path = Path(options.out) if options.out else None
    with ExitStack() as stack:
        tables = stack.enter_context(service(settings.server, settings, "TableServiceStub", "table_pb2_grpc"))
        tournaments = stack.enter_context(
            service(settings.tournaments, settings, "TournamentServiceStub", "tournament_pb2_grpc")
        )
        progress = stack.enter_context(Progress(0))
        out = stack.enter_context(ArchiveFile(path, options.format, resume=options.resume, progress=progress))
        source = Source(tables, tournaments)
        fill(source, out)
        _confirm(source, out)
        out.finish()
    if path is not None:
        show_written(str(path), out, settings.json)
    for problem in out.problems:
        line(f"pinochle: exported as it is, but {problem}", sys.stderr)
    return PROBLEM if out.problems else OK


def _confirm(source: Source, out: ArchiveFile) -> None:
    """Hold what the archive has from before against the services: it must be theirs, and whole."""
    for page in out.unsure("tournament"):
        for tournament in page:
            for act in deque(_log(source.tournaments, "tournament", str(tournament)), maxlen=1):
                out.confirm(tournament, act.version, act.hash)
    for page in out.unsure("table"):
        request = source.tables.message("table_pb2", "HeadsRequest", tables=map(str, page))
        for head in _patiently(source.tables.call, "Heads", request).heads:
            out.confirm(UUID(head.table), head.acts, head.head)


def show_written(name: str, out: ArchiveFile, json: bool) -> None:
    """Say what is in the archive that was written."""
    if json:
        as_json({"exports": out.exports, "acts": out.acts, "resumed": out.resumed, "problems": out.problems})
        return
    before = f", {out.resumed} of them from before" if out.resumed else ""
    line(f"{name}: {out.exports} exports{before}, {out.acts} acts")


def _add_tournament(source: Source, out: ArchiveFile, tournament: UUID) -> None:
    """Add a tournament, then its tables; those that the archive holds from before are not added again."""
    acts = _log(source.tournaments, "tournament", str(tournament))
    for table in tables_of(fold_into(out, tournament, acts)):
        if out.has(table):
            continue
        try:
            out.add("table", table, _log(source.tables, "table", str(table)))
        except CallError as error:
            if error.status != "NOT_FOUND":  # a table that the tournament no longer wanted was never opened
                raise


def fold_into(out: ArchiveFile, tournament: UUID, acts: Iterable[StoredAct]) -> State:
    """Add a tournament that the archive does not hold from before; the state that its acts add up to.

    An act that cannot be read is added as it is, and noted: what tables follow from it only a newer version can tell.
    """
    folding = _Folding(acts)
    if out.has(tournament):
        last = deque(folding, maxlen=1)
        if last:
            out.confirm(tournament, last[0].version, last[0].hash)
    else:
        out.add("tournament", tournament, folding)
    if folding.problem:
        text = f"which tables it has can be told up to there only: {folding.problem}"
        out.problems.append(f"tournament {tournament}, {text}")
    return folding.state


class _Folding:
    """Acts of a tournament that pass through, and the state that they add up to, up to the first unreadable one."""

    def __init__(self, acts: Iterable[StoredAct]) -> None:
        self.state: State = TOURNAMENT.initial()
        self.problem = ""
        self._acts = acts

    def __iter__(self) -> Iterator[StoredAct]:
        for stored in self._acts:
            if not self.problem:
                self._fold(stored)
            yield stored

    def _fold(self, stored: StoredAct) -> None:
        try:
            act = tournament_codec.from_rest(stored.version, stored.command_id, stored.body)
            self.state = TOURNAMENT.fold(self.state, act.events, act.at_ms)
        except Exception as error:  # whatever bytes the acts hold
            self.problem = f"act {stored.version}: {error}"


def tables_of(state: State) -> Iterator[UUID]:
    """The tables of a tournament in the order of their matches, whether or not they were opened."""
    for match in state.matches.values():
        for attempt in match.attempts:
            yield UUID(table_id(state.created.tournament, match.id, attempt.number))


def _closed_tournaments(tournaments: Service) -> Iterator[Any]:
    pages = _pages(tournaments, "tournament_pb2", "TournamentServiceListRequest")
    return (row for page in pages for row in page.tournaments)


def _closed_tables(tables: Service) -> Iterator[Any]:
    return (row for page in _pages(tables, "table_pb2", "ListRequest") for row in page.tables)


def _pages(served: Service, module: str, kind: str) -> Iterator[Any]:
    """The pages of a list of what has ended and is published."""
    after = ""
    while True:
        page = _patiently(served.call, "List", served.message(module, kind, after=after, limit=PAGE, open=False))
        yield page
        if not page.next or page.next == after:
            return
        after = page.next


def _log(served: Service, kind: str, stream: str) -> Iterator[StoredAct]:
    """The acts of one stream; a stream that breaks is taken up where it broke."""
    requests = {"table": ("table_pb2", "LogRequest"), "tournament": ("tournament_pb2", "TournamentServiceLogRequest")}
    module, request = requests[kind]
    after, tries = 0, 0
    while True:
        try:
            message = served.message(module, request, **{kind: stream, "after_version": after})
            for page in served.stream("Log", message, LOG_SECONDS):
                for act in page.acts:
                    yield StoredAct(act.version, act.command_id, act.body, act.hash)
                    after, tries = act.version, 0
            return
        except CallError as error:
            tries = _pause(error, tries)


def _patiently(call: Callable[[str, Any], Any], name: str, request: Any) -> Any:
    tries = 0
    while True:
        try:
            return call(name, request)
        except CallError as error:
            tries = _pause(error, tries)


def _pause(error: CallError, tries: int) -> int:
    """Wait where the server is away or too busy, up to the bound; raise where waiting will not help."""
    if not error.is_passing or tries >= RETRIES_MAX:
        raise error
    if not tries:
        line(f"pinochle: {error}; trying again for {RETRIES_MAX * RETRY_SECONDS:g} s", sys.stderr)
    time.sleep(RETRY_SECONDS)
    return tries + 1
