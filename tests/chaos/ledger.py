"""The log as it stands in the database: every stream with its acts, read directly, without any service."""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from pinochle.wire.v1 import game_pb2, tournament_pb2

CONNECT_SECONDS_MAX = 10
SCHEMAS = {"table": "tables", "tournament": "tournaments"}


class Row(NamedTuple):
    """One act as it is stored."""

    version: int
    command_id: bytes
    body: bytes
    hash: bytes

    def table_body(self) -> game_pb2.ActBody:
        """What a table's act holds."""
        return game_pb2.ActBody.FromString(self.body)

    def tournament_body(self) -> tournament_pb2.TournamentActBody:
        """What a tournament's act holds."""
        return tournament_pb2.TournamentActBody.FromString(self.body)


class Log(NamedTuple):
    """One stream: its acts in the order of their versions, and what its head row says; version 0: it has none."""

    kind: str
    stream: str
    acts: list[Row]
    version: int
    head: bytes


Ledger = dict[str, Log]


def connected(url: str) -> psycopg.Connection[Any]:
    """A connection of the database's owner."""
    options = "-c statement_timeout=120s -c default_transaction_isolation=repeatable\\ read"
    return psycopg.connect(url, connect_timeout=CONNECT_SECONDS_MAX, options=options)


def read(connection: psycopg.Connection[Any]) -> Ledger:
    """Every stream of the database as of one moment."""
    ledger: Ledger = {}
    with connection.transaction(), connection.cursor(binary=True) as cursor:
        for kind, schema in SCHEMAS.items():
            heads = cursor.execute(f"select id, version, head from {schema}.streams").fetchall()  # type: ignore[arg-type]
            for stream, version, head in heads:
                ledger[str(stream)] = Log(kind, str(stream), [], version, head)
            cursor.execute(
                f"select stream, version, command_id, body, hash from {schema}.acts order by stream, version"  # type: ignore[arg-type]
            )
            for stream, version, command_id, body, link in cursor:
                log = ledger.setdefault(str(stream), Log(kind, str(stream), [], 0, b""))
                log.acts.append(Row(version, _id(command_id), body, link))
    return ledger


def _id(value: UUID) -> bytes:
    return value.bytes
