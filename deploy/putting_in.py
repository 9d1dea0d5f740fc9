"""Put one exported stream into the database: its acts as they are, and the head row that follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
from pinochle import game
from pinochle import tournament as events
from pinochle.audit import TABLE, Kind
from pinochle.cli.side_file import Player, Text
from pinochle.errors import BadInput
from pinochle.export import Header, StoredAct
from pinochle.wire import chain
from psycopg import sql

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNCHAINED = "chain: the act does not follow from the ones before"


class Refused(Exception):
    """The stream can't be put in; nothing of it was. The text is one line that names it and says why."""


def put_in(
    connection: psycopg.Connection,
    schema: str,
    kind: Kind,
    header: Header,
    acts: Iterator[StoredAct],
    *,
    dry_run: bool = False,
) -> bool:
    """Put a stream in, in a transaction of its own; False where it is there alike. A dry run only checks.

    Refused where the stream is there otherwise, where an act does not follow from the one before, and where its events
    cannot be filed (as those that only a newer version knows). When an act was recorded is not exported, so the time at
    which it was decided takes its place.
    """
    name = f"{header.kind} {header.stream}"
    walk = _Walk(kind, header, acts)
    try:
        if _is_there(connection, schema, name, header):
            walk.check_chain()
            return False
        if dry_run:
            for _ in walk:
                pass
            _head_row(walk)
            return True
        with connection.transaction():
            _write(connection, schema, walk)
        return True
    except BadInput as error:
        raise Refused(f"{name}: {error}; nothing of it was put in") from None
    except psycopg.errors.UniqueViolation:
        raise Refused(f"{name}: somebody else put it in at the same time; start again") from None


def put_texts_in(connection: psycopg.Connection, lines: Iterator[Text | Player]) -> None:
    """Put the names and texts of a side file in, all or none; what is there already stays as it is."""
    with connection.transaction():
        for said in lines:
            if isinstance(said, Text):
                columns = "insert into people.texts (mark, stream, salt, text, players) values (%s, %s, %s, %s, %s)"
                connection.execute(f"{columns} on conflict do nothing", (*said[:4], list(said.players)))
            else:
                columns = "insert into people.persons (player, name, contact) values (%s, %s, %s)"
                connection.execute(f"{columns} on conflict do nothing", said)


class _Walk:
    """The acts with the time of each while they are checked, and the state that they add up to."""

    def __init__(self, kind: Kind, header: Header, acts: Iterator[StoredAct]) -> None:
        self.kind = kind
        self.header = header
        self.state: Any = kind.decider.initial()
        self.opened_at = EPOCH
        self._acts = acts

    def check_chain(self) -> None:
        """Read the acts of a stream that is there already; Refused where this copy of it is spoilt."""
        version = chain.check(self._acts, self.header.stream.bytes)
        if version is not None:
            raise self._bad(version, _UNCHAINED)

    def __iter__(self) -> Iterator[tuple[StoredAct, datetime]]:
        head, stream = chain.START, self.header.stream.bytes
        for version, stored in enumerate(self._acts, 1):
            head = chain.link(head, stream, version, stored.command_id, stored.body)
            if stored.version != version or stored.hash != head:
                raise self._bad(version, _UNCHAINED)
            try:
                act = self.kind.from_rest(stored.version, stored.command_id, stored.body)
                self.kind.decider.advance(self.state, act.events, act.at_ms)
                decided_at = _time(act.at_ms)
            except Exception as error:  # whatever bytes the acts hold
                known = " ".join(str(error).split()) if isinstance(error, BadInput) else ""
                raise self._bad(version, f"it can't be read or filed: {known or error.__class__.__name__}") from error
            if version == 1:
                self.opened_at = decided_at
            yield stored, decided_at

    def _bad(self, version: int, text: str) -> Refused:
        name = f"{self.header.kind} {self.header.stream}"
        return Refused(f"{name}, act {version}: {text[:200]}; nothing of this stream was put in")


def _is_there(connection: psycopg.Connection, schema: str, name: str, header: Header) -> bool:
    query = sql.SQL("select version, head from {}.streams where id = %s").format(sql.Identifier(schema))
    with connection.transaction():
        row = connection.execute(query, (header.stream,), binary=True).fetchone()
    if row is None:
        return False
    if row == (header.acts, header.head):
        return True
    there, here = f"{row[0]} acts, head {row[1].hex()[:16]}…", f"{header.acts} acts, head {header.head.hex()[:16]}…"
    raise Refused(f"{name}: the database holds it otherwise ({there}) than the archive ({here}); nothing was changed")


def _write(connection: psycopg.Connection, schema: str, walk: _Walk) -> None:
    columns = "stream, version, command_id, body, hash, recorded_at"
    copying = sql.SQL(f"copy {{}}.acts ({columns}) from stdin").format(sql.Identifier(schema))
    header = walk.header
    with connection.cursor() as cursor, cursor.copy(copying) as copy:
        for act, decided_at in walk:
            copy.write_row((header.stream, act.version, UUID(bytes=act.command_id), act.body, act.hash, decided_at))
    row = _head_row(walk)
    columns = "id, version, head, due, due_at, open, opened_at"
    inserting = sql.SQL(f"insert into {{}}.streams ({columns}) values ({', '.join(['%s'] * len(row))})")
    connection.execute(inserting.format(sql.Identifier(schema)), row)


def _head_row(walk: _Walk) -> tuple[Any, ...]:
    """The head row of a stream whose acts were read: version and hash, who is due, by when, and if it is open."""
    header, due = walk.header, game.due if walk.kind is TABLE else events.due
    who, by_ms = due(walk.state)
    due_at = None if by_ms is None else _time(by_ms)
    return header.stream, header.acts, header.head, who, due_at, not walk.kind.ended(walk.state), walk.opened_at


def _time(at_ms: int) -> datetime:
    """The moment; BadInput where Postgres and Python have no name for it."""
    try:
        return EPOCH + timedelta(milliseconds=at_ms)
    except OverflowError:
        raise BadInput(f"{at_ms} ms is no time between the years 1 and 9999") from None
