"""Archives straight from and into the database: `python -m deploy.archive export` and `… import`.

Both are for the operator, read DATABASE_URL (the owner) and need no service. `export` writes what `pinochle export
--all` writes, from one moment of the database; with `--state all` running tables and tournaments as well, which is a
backup and no publication: whoever holds it knows every hidden card. `import` puts an archive into a database that has
been migrated: a stream is put in whole or not at all, one that is there alike is passed over, and one that is there
otherwise ends the run. Tokens are in no archive.

Exit codes: 0; 1 and one line that says why; 2 for wrong usage or settings.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from pinochle.audit import EVENT, TABLE, Kind
from pinochle.cli import side_file
from pinochle.cli.archive_file import ArchiveFile
from pinochle.cli.archives import fold_into, show_written, tables_of
from pinochle.cli.files import opened
from pinochle.cli.moments import when
from pinochle.cli.progress import Progress, through
from pinochle.cli.settings import CommandError
from pinochle.errors import BadInput
from pinochle.export import StoredAct
from pinochle.wire import archive
from psycopg import sql

from deploy.putting_in import Refused, put_in, put_texts_in
from services.config import BadSettings, Settings

CONNECT_SECONDS_MAX = 5
LOCK_SECONDS_MAX = 10
PAGE = 500
SCHEMAS = {"table": "tables", "tournament": "tournaments"}
KINDS: dict[str, Kind] = {"table": TABLE, "tournament": EVENT}
STATES = ("ended", "all")


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        settings = Settings.load().required("database_url")
        with psycopg.connect(settings.database_url, connect_timeout=CONNECT_SECONDS_MAX) as connection:
            connection.execute(f"set lock_timeout = '{LOCK_SECONDS_MAX}s'")
            connection.commit()
            return int(options.run(options, connection))
    except BadSettings as error:
        return _fail(str(error), 2)
    except CommandError as error:
        return _fail(str(error), error.code)
    except (BadInput, Refused, psycopg.Error, OSError) as error:
        return _fail(str(error), 1)
    except KeyboardInterrupt:
        return _fail("interrupted", 130)


def run_export(options: argparse.Namespace, connection: psycopg.Connection) -> int:
    """Write everything that the database held at the moment at which this began."""
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.read_only = True
    path = Path(options.out) if options.out else None
    if options.resume and path is None:
        raise CommandError("--resume needs --out FILE", 2)
    with (
        connection.transaction(),
        Progress(_streams(connection, options)) as progress,
        ArchiveFile(path, options.format, resume=options.resume, progress=progress) as out,
    ):
        for tournament in _listed(connection, "tournament", options):
            _add_with_tables(connection, out, tournament, options)
        for table in _listed(connection, "table", options):
            if not out.has(table):
                out.add("table", table, _acts(connection, "table", table))
        _confirm(connection, out)
        if options.texts:
            _write_texts(connection, Path(options.texts), out)
        out.finish()
    if path is not None:
        show_written(str(path), out, options.json)
    for problem in out.problems:
        print(f"archive: exported as it is, but {problem}", file=sys.stderr)
    return 1 if out.problems else 0


def run_import(options: argparse.Namespace, connection: psycopg.Connection) -> int:
    """Put every stream of an archive in."""
    counts = {"imported": 0, "there": 0, "acts": 0}
    path = Path(options.file)
    try:
        with opened(path) as file, Progress(path.stat().st_size) as progress:
            for header, acts in archive.exports(file):
                kind, schema = KINDS[header.kind], SCHEMAS[header.kind]
                note = f"{counts['imported']} streams put in, {counts['there']} were there"
                read = through(progress, file, acts, note)
                if put_in(connection, schema, kind, header, read, dry_run=options.dry_run):
                    counts["imported"] += 1
                    counts["acts"] += header.acts
                else:
                    counts["there"] += 1
    except (BadInput, Refused, psycopg.Error, KeyboardInterrupt):
        if counts["imported"] and not options.dry_run:
            text = f"{counts['imported']} streams are in the database; the same command goes on after them"
            print(f"archive: {text}", file=sys.stderr)
        raise
    if options.texts and not options.dry_run:
        with Path(options.texts).open("rb") as file:
            put_texts_in(connection, side_file.read(file))
    if options.json:
        print(json.dumps(counts | {"dry_run": options.dry_run}, separators=(",", ":")))
    else:
        would = "would be put in" if options.dry_run else "put in"
        print(f"{counts['imported']} streams {would}, {counts['acts']} acts; {counts['there']} were there already")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deploy.archive", description="Archives from and into a database.")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    out = actions.add_parser("export", help="write an archive from the database")
    out.add_argument("-o", "--out", metavar="FILE", help="where to write; by default to stdout")
    out.add_argument("--format", choices=archive.FORMS, default="jsonl", help="default: jsonl")
    out.add_argument("--state", choices=STATES, default="ended", help="all: what still runs, too; default: ended")
    out.add_argument("--since", type=when, metavar="TIME", help="only what moved since (2026-11-30[T05:00Z])")
    out.add_argument("--resume", action="store_true", help="go on with FILE.part, which a run left that was cut off")
    out.add_argument("--texts", metavar="FILE", help="write names and texts into a side file")
    out.set_defaults(run=run_export)
    back = actions.add_parser("import", help="put an archive into the database")
    back.add_argument("file", metavar="FILE", help="an archive or an export")
    back.add_argument("--dry-run", action="store_true", help="check everything and write nothing")
    back.add_argument("--texts", metavar="FILE", help="put the names and texts of a side file in as well")
    back.set_defaults(run=run_import)
    for action in (out, back):
        action.add_argument("--json", action="store_true", help="answer with JSON")
    return parser


class _Filter(NamedTuple):
    """The condition of a query over streams, and its parameters."""

    text: str
    parameters: dict[str, Any]


def _filter(schema: str, options: argparse.Namespace) -> _Filter:
    conditions = ["true"]
    if options.state == "ended":
        conditions.append("not s.open")
    if options.since is not None:
        acts = f"{schema}.acts a where a.stream = s.id and a.version = s.version"
        conditions.append(f"(select a.recorded_at from {acts}) >= to_timestamp(%(since)s / 1000.0)")
    return _Filter(" and ".join(conditions), {"since": options.since})


def _streams(connection: psycopg.Connection, options: argparse.Namespace) -> int:
    """How many streams are to be written, but for tables that come with a tournament alone."""
    total = 0
    for schema in SCHEMAS.values():
        text, parameters = _filter(schema, options)
        query = sql.SQL(f"select count(*) from {schema}.streams s where {text}")
        row = connection.execute(query, parameters).fetchone()
        total += row[0] if row else 0
    return total


def _listed(connection: psycopg.Connection, kind: str, options: argparse.Namespace) -> Iterator[UUID]:
    """The ids of one kind's streams in their order, page by page."""
    schema = SCHEMAS[kind]
    text, parameters = _filter(schema, options)
    query = f"select s.id from {schema}.streams s where {text} and s.id > %(after)s order by s.id limit {PAGE}"
    after = UUID(int=0)
    while True:
        page = connection.execute(sql.SQL(query), {**parameters, "after": after}).fetchall()
        for (stream,) in page:
            yield stream
        if len(page) < PAGE:
            return
        after = page[-1][0]


def _confirm(connection: psycopg.Connection, out: ArchiveFile) -> None:
    """Hold what the archive has from before against the database."""
    for kind, schema in SCHEMAS.items():
        query = f"select id, version, head from {schema}.streams where id = any(%s)"
        for page in out.unsure(kind):
            for stream, version, head in connection.execute(query, (page,), binary=True):
                out.confirm(stream, version, head)


def _add_with_tables(
    connection: psycopg.Connection, out: ArchiveFile, tournament: UUID, options: argparse.Namespace
) -> None:
    for table in tables_of(fold_into(out, tournament, _acts(connection, "tournament", tournament))):
        if not out.has(table) and _is_wanted(connection, table, options):
            out.add("table", table, _acts(connection, "table", table))


def _is_wanted(connection: psycopg.Connection, table: UUID, options: argparse.Namespace) -> bool:
    """Whether a table of a tournament exists, and has ended or is wanted all the same."""
    row = connection.execute("select open from tables.streams where id = %s", (table,)).fetchone()
    return row is not None and (options.state == "all" or not row[0])


def _acts(connection: psycopg.Connection, kind: str, stream: UUID) -> Iterator[StoredAct]:
    query = f"select version, uuid_send(command_id), body, hash from {SCHEMAS[kind]}.acts where stream = %s"
    after = 0
    while True:
        rows = connection.execute(
            sql.SQL(f"{query} and version > %s order by version limit {PAGE}"), (stream, after), binary=True
        ).fetchall()
        for row in rows:
            yield StoredAct(*row)
        if len(rows) < PAGE:
            return
        after = rows[-1][0]


def _write_texts(connection: psycopg.Connection, path: Path, out: ArchiveFile) -> None:
    """The texts whose marks are in the archive, and the names of all players; for the owner of the file alone."""
    with open(path, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        after = ""
        while True:
            query = "select mark, stream, salt, text, players from people.texts where mark > %s order by mark limit %s"
            rows = connection.execute(query, (after, PAGE), binary=True).fetchall()
            for mark, stream, salt, text, players in rows:
                if out.has(stream):
                    file.write(side_file.text_line(side_file.Text(mark, stream, salt, text, tuple(players))))
            if len(rows) < PAGE:
                break
            after = rows[-1][0]
        for row in connection.execute("select player, name, contact from people.persons order by player"):
            file.write(side_file.player_line(side_file.Player(*row)))


def _fail(text: str, code: int) -> int:
    print(f"archive: {' '.join(text.split())}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
