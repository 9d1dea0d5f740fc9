"""`pinochle log`, `export` and `verify`: what was recorded, of a table at a server or in an export file."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID

from pinochle import export
from pinochle.cli.connect import CallError, Service, missing, service, stream_id
from pinochle.cli.files import opened, write_whole
from pinochle.cli.moments import when
from pinochle.cli.pins import noted_hash, show_pins
from pinochle.cli.progress import Progress, through
from pinochle.cli.settings import OK, OTHER_RULES, PROBLEM, TOO_NEW, USAGE, CommandError, Settings
from pinochle.cli.show import as_json, line, moment, takes_symbols
from pinochle.cli.side_file import Marks
from pinochle.cli.times import show_times
from pinochle.describe import describe, plain
from pinochle.errors import BadInput
from pinochle.events import TableOpened
from pinochle.export import BadExport, StoredAct
from pinochle.pinning import Pins
from pinochle.thinking import thought_ms

TABLE_PB = "table_pb2"
LOG_SECONDS = 120.0
"""The longest that the stream of a whole log may take."""
FOLLOW_SECONDS = 3600.0
RETRY_SECONDS = 1.0
RETRIES_MAX = 30
"""Tries in a row to reach a server again while following; a message received starts the count anew."""


def add(commands: Any, everywhere: argparse.ArgumentParser) -> None:
    """Add the commands."""
    log = commands.add_parser(
        "log",
        parents=[everywhere],
        help="a table's events for people",
        description="The events of a table as the caller may see them, or all that an export file holds.",
    )
    log.add_argument("what", metavar="TABLE|FILE", help="a table's id, or an export file")
    log.add_argument("--seat", type=int, choices=range(4), help="which of your seats looks")
    log.add_argument("--at", type=int, metavar="VERSION", help="only up to this act")
    log.add_argument("--follow", action="store_true", help="go on until the table has ended")
    log.add_argument("--times", action="store_true", help="how long each seat thought, of a log that is published")
    log.set_defaults(run=run_log)
    out = commands.add_parser(
        "export",
        parents=[everywhere],
        help="write the stored acts of an ended table, or of everything that has ended, to a file",
        description="Write the stored acts of an ended table, of a tournament, or of all that is published, as JSON "
        "lines or binary (docs/verification.md).",
    )
    out.add_argument("table", metavar="TABLE", nargs="?", help="the table's id, or a tournament's with --tournament")
    out.add_argument("--tournament", action="store_true", help="export a tournament")
    out.add_argument("--with-tables", action="store_true", help="export a tournament and its tables behind it")
    out.add_argument("--all", action="store_true", help="every tournament and table whose log is published")
    since = "of all of it: only what has ended since (2026-11-30 or 2026-11-30T05:00Z)"
    out.add_argument("--since", type=when, metavar="TIME", help=since)
    out.add_argument("--format", choices=("jsonl", "protobuf"), default="jsonl", help="default: jsonl")
    out.add_argument("--resume", action="store_true", help="go on with FILE.part, which a run left that was cut off")
    out.add_argument("-o", "--out", metavar="FILE", help="where to write; by default to stdout")
    out.set_defaults(run=run_export)
    verify = commands.add_parser(
        "verify",
        parents=[everywhere],
        help="check the chain, the rules and the decks of an export or a table",
        description="Check exports, or ended tables at the server, and name the first act that is wrong.",
    )
    verify.add_argument("what", nargs="+", metavar="TABLE|FILE", help="a table's id, or an export file")
    verify.add_argument("--tournament", action="store_true", help="ids are those of tournaments")
    verify.add_argument("--running", action="store_true", help="take what has not ended, too (for operators)")
    beside = "also hold beside it what a client kept: a file, or a folder of them; as often as wanted"
    verify.add_argument("--transcript", action="append", default=[], metavar="FILE", help=beside)
    noted = "a noted hash: the pin of the tournament whose exports these are, or the head of a lone export"
    verify.add_argument("--root", type=noted_hash, metavar="HASH", help=noted)
    texts = "a side file: its texts must have the marks that the exports hold"
    verify.add_argument("--texts", metavar="FILE", help=texts)
    verify.set_defaults(run=run_verify)


def run_log(options: argparse.Namespace, settings: Settings) -> int:
    """Show the events of a file or a table."""
    table = _table(options.what)
    if options.at is not None and (options.at < 1 or options.follow or options.times):
        raise CommandError("--at is a version from 1 on, and stands without --follow and --times", USAGE)
    if table is None:
        if options.follow or options.seat is not None:
            raise CommandError("--follow and --seat are for tables at a server", USAGE)
        with _opened(options.what) as file:
            return _log_file(file, settings, options.times, options.at)
    if options.times:
        return show_times(_audit().kind_of("table"), _fetched(table, "table", settings), settings.json)
    with service(settings.server, settings, "TableServiceStub", "table_pb2_grpc") as tables:
        return _log_table(tables, str(table), options.seat, options.follow, options.at, settings)


def _log_file(file: BinaryIO, settings: Settings, times: bool, at: int | None) -> int:
    kind_of = _audit().kind_of
    shown = _Shown(settings.json)
    try:
        header, acts = export.read(file)
        kind = kind_of(header.kind)
        if times:
            return show_times(kind, acts, settings.json)
        for stored in islice(acts, at):
            act = _read(file, kind, stored)
            shown.act(act.version, act.at_ms, act.author, act.events, act)
    except BadExport as error:
        raise CommandError(f"{file.name}: {error}") from None
    return OK


def _read(file: BinaryIO, kind: Any, stored: StoredAct) -> Any:
    """One act of a file; CommandError where it cannot be read."""
    try:
        return kind.from_rest(stored.version, stored.command_id, stored.body)
    except BadInput as error:
        raise CommandError(f"{file.name}: act {stored.version}: {error}") from None


def _log_table(
    tables: Service, table: str, seat: int | None, follow: bool, at: int | None, settings: Settings
) -> int:
    shown = _Shown(settings.json)
    if not follow:
        after, more = 0, True
        while more:
            fields = {"table": table, "after_version": after, "seat": seat, "until_version": at}
            page = tables.call("View", tables.message(TABLE_PB, "ViewRequest", **fields))
            after = shown.views(page.acts, after)
            more = page.more and bool(page.acts)
        return OK
    after, at_ms, tries = 0, 0, 0
    while True:
        fields = {"table": table, "after_version": after, "at_ms": at_ms, "seat": seat}
        request = tables.message(TABLE_PB, "WatchRequest", **fields)
        try:
            ended = False
            for news in tables.stream("Watch", request, FOLLOW_SECONDS):
                after, tries = shown.views(news.acts, after), 0
                at_ms = news.acts[-1].at_ms if news.acts else at_ms
                ended = news.over and after >= news.version
            if ended:
                return OK  # the server ends the stream with the last act; without that it is being stopped
        except CallError as error:
            if not error.is_passing or tries >= RETRIES_MAX or not after:
                raise
        tries += 1
        time.sleep(RETRY_SECONDS)


class _Shown:
    """Shows the acts of one stream, from the first on; that one says whether seats or teams play."""

    def __init__(self, json: bool) -> None:
        self.json = json
        self.teams = True

    def views(self, views: Iterable[Any], after: int) -> int:
        """Show acts as a viewer may see them; the last version seen."""
        from pinochle.wire import codec

        for view in views:
            self.act(view.version, view.at_ms, view.author, codec.events_from(view))
            after = view.version
        return after

    def act(self, version: int, at_ms: int, author: str, events: Sequence[Any], stored: Any = None) -> None:
        """Show one act; the stored one also says when it was asked for and when its command came."""
        if self.json:
            said = {"version": version, "at_ms": at_ms, "author": author}
            if stored is not None and stored.received_ms:
                said |= {name: getattr(stored, name) for name in ("noticed_ms", "deadline_ms", "received_ms")}
            as_json({**said, "events": [plain(event) for event in events]})
            return
        symbols = takes_symbols()
        for number, event in enumerate(events):
            if isinstance(event, TableOpened):
                self.teams = not event.rules.is_stock
            first = f"{version:>5} {moment(at_ms)} {author:<10}" if number == 0 else " " * 37
            thought = thinking(stored) if number == 0 else ""
            line(f"{first} {describe(event, symbols=symbols, teams=self.teams)}{thought}")


def thinking(act: Any) -> str:
    """How long a seat thought, in words, where a stored act of a seat says so."""
    took_ms = None if act is None else thought_ms(act)
    return "" if took_ms is None else f"  [{took_ms / 1000:.3f} s]"


def run_export(options: argparse.Namespace, settings: Settings) -> int:
    """Write an export; what is not in order is written all the same, and said."""
    if (options.table is None) != options.all:
        raise CommandError("name one table or tournament, or --all", USAGE)
    if options.since is not None and not options.all:
        raise CommandError("--since belongs to --all", USAGE)
    if options.all or options.with_tables:
        archives = _archives()
        if options.all:
            return int(archives.run_export_all(options, settings))
        return int(archives.run_export_with_tables(options, settings, stream_id(options.table)))
    if options.resume or options.format != "jsonl":
        raise CommandError("--resume and --format are for archives: --all, or --with-tables", USAGE)
    stream = stream_id(options.table)
    kind = "tournament" if options.tournament else "table"
    acts = _fetched(stream, kind, settings)
    if not acts:
        raise CommandError(f"the {kind} has no acts")
    lines = export.lines(kind, stream, acts)
    if options.out is None:
        sys.stdout.buffer.writelines(lines)
        sys.stdout.flush()
    else:
        write_whole(Path(options.out), lines)
    problem = _audit().verify_chain(stream, acts)
    if options.out is not None and settings.json:
        as_json({"kind": kind, "stream": str(stream), "acts": len(acts), "head": acts[-1].hash.hex()})
    elif options.out is not None:
        line(f"{options.out}: {len(acts)} acts of {kind} {stream}")
    if problem:
        raise CommandError(f"the {kind} was exported as it is, but it is not in order: {problem}")
    return OK


def run_verify(options: argparse.Namespace, settings: Settings) -> int:
    """Verify everything that was named; the worst finding decides the exit code."""
    audit, pins = _audit(), Pins(options.root)
    found: set[str] = set()
    marks = Marks(options.texts) if options.texts else None
    for what in options.what:
        stream = _table(what)
        if stream is None:
            with _opened(what) as file:
                found |= _verify_file(what, file, not options.running, settings, pins, marks)
        else:
            kind = "tournament" if options.tournament else "table"
            acts = _fetched(stream, kind, settings)
            report = audit.verify(audit.kind_of(kind), stream, acts, must_end=not options.running)
            found.add(report.outcome)
            pins.add(report)
            _show_report(what, report, settings.json)
    if marks is not None and not marks.show(settings.json):
        found.add(audit.BAD)
    if not show_pins(pins, options.root, json=settings.json):
        found.add(audit.BAD)
    if options.transcript:
        logs, must_end = _logs(options, settings), not options.running
        found |= _transcripts().held_beside(logs, options.transcript, must_end=must_end, json=settings.json)
    worst = ((audit.BAD, PROBLEM), (audit.NEWER, TOO_NEW), (audit.DIFFERS, OTHER_RULES))
    return next((code for outcome, code in worst if outcome in found), OK)


def _verify_file(
    what: str, file: BinaryIO, must_end: bool, settings: Settings, pins: Pins, marks: Marks | None
) -> set[str]:
    """Verify each export of a file, and note it for what is held beside it; the outcomes there were."""
    audit, archive = _audit(), _archive()
    found: dict[str, int] = {}
    with Progress(os.fstat(file.fileno()).st_size) as progress:
        try:
            for header, acts in archive.exports(file):
                note = f"{sum(found.values())} verified, now {header.kind} {header.stream}"
                read: Iterator[Any] = through(progress, file, acts, note)
                if marks is not None:
                    read = marks.through(header.stream, read)
                report = audit.verify(audit.kind_of(header.kind), header.stream, read, must_end=must_end)
                found[report.outcome] = found.get(report.outcome, 0) + 1
                progress.clear()
                pins.add(report)
                _show_report(what, report, settings.json)
        except BadExport as error:
            outcome = audit.NEWER if error.newer else audit.BAD
            found[outcome] = found.get(outcome, 0) + 1
            progress.clear()
            _show_unreadable(what, error, outcome, settings.json)
    if sum(found.values()) > 1 and not settings.json:
        bad = found.get(audit.BAD, 0) + found.get(audit.NEWER, 0)
        line(f"{sum(found.values()) - bad} passed, {bad} failed in {what}")
    return set(found)


def _logs(options: argparse.Namespace, settings: Settings) -> Iterator[tuple[str, UUID, Iterable[Any]]]:
    """Every log that was named, once more: kind, id, acts."""
    for what in options.what:
        stream = _table(what)
        if stream is None:
            with _opened(what) as file:
                yield from _transcripts().logs_of(file)
        else:
            kind = "tournament" if options.tournament else "table"
            yield kind, stream, _fetched(stream, kind, settings)


def _show_unreadable(what: str, error: BadExport, outcome: str, json: bool) -> None:
    if json:
        problem = {"version": 0, "check": "file", "text": str(error)}
        as_json({"source": what, "outcome": outcome, "problem": problem})
    else:
        line(f"{_WORDS[outcome]} {what}: {error}")


_WORDS = {"bad": "BAD ", "newer": "too new for this version:"}


def _show_report(what: str, report: Any, json: bool) -> None:
    if json:
        as_json({"source": what, **report.plain()})
        return
    figures = f"{report.acts} acts, {report.events} events, {report.deals} deals"
    if report.problem:
        line(f"{_WORDS[report.outcome]} {what}: {report.problem}")
        line(f"     in order before it: {figures}")
    else:
        word = "ok  " if report.ok else "ok, but not under these rules:"
        line(f"{word} {what}: {report.kind} {report.stream}: {figures}")
    for note in report.notes:
        line(f"     note: {note}")


def _table(what: str) -> UUID | None:
    """The id, where a table is meant; None for a file. A file that has an id for its name is found with ./ before."""
    try:
        return UUID(what)
    except ValueError:
        return None


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    try:
        file = opened(Path(path))  # closed below; what goes wrong while it is read is not caught
    except OSError as error:
        raise CommandError(f"{path}: neither an id nor a file that can be read: {error.strerror}") from None
    with file:
        yield file


def _fetched(stream: UUID, kind: str, settings: Settings) -> list[StoredAct]:
    """The whole log of a stream from the server."""
    if kind == "table":
        address, stub, module, request = settings.server, "TableServiceStub", TABLE_PB, "LogRequest"
    else:
        address, stub, module = settings.tournaments, "TournamentServiceStub", "tournament_pb2"
        request = "TournamentServiceLogRequest"
    with service(address, settings, stub, f"{module}_grpc") as served:
        pages = served.stream("Log", served.message(module, request, **{kind: str(stream)}), LOG_SECONDS)
        return [StoredAct(a.version, a.command_id, a.body, a.hash) for page in pages for a in page.acts]


def _archives() -> Any:
    try:
        from pinochle.cli import archives
    except ImportError:
        raise missing("protobuf") from None
    return archives


def _transcripts() -> Any:
    try:
        from pinochle.cli import transcripts
    except ImportError:
        raise missing("protobuf") from None
    return transcripts


def _archive() -> Any:
    try:
        from pinochle.wire import archive
    except ImportError:
        raise missing("protobuf") from None
    return archive


def _audit() -> Any:
    try:
        from pinochle import audit
    except ImportError:
        raise missing("protobuf") from None
    return audit
