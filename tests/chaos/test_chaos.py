"""Faults by the dozen while real clients play: nothing is lost or doubled, and the checker finds what was planted."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from pinochle.wire import chain
from pinochle.wire.v1 import table_pb2 as pb

from tests.chaos import ledger
from tests.chaos.checker import DOUBLED, LOST, WRONG, check_all, check_unchanged, gather, tournament_of
from tests.chaos.ledger import Ledger, Log, Row
from tests.chaos.load import Size
from tests.chaos.record import Entry, read
from tests.chaos.run import run

SECONDS, PER_MINUTE = 10, 180
SMALL = Size(streamed=3, mixed=1, unary=2, thinking_seconds=0.03, program_seconds=(2.0, 6.0))
FAULTS_MIN, ACKNOWLEDGED_MIN = 10, 50

Connection = psycopg.Connection[Any]


@pytest.mark.chaos
@pytest.mark.timeout(420)
async def test_dozens_of_faults_lose_and_double_nothing_and_every_lie_is_found() -> None:
    unfound: list[str] = []
    told: list[int] = []

    def lie(record: Path, url: str) -> None:
        entries = list(read(record))
        told.append(len(entries))
        with contextlib.closing(ledger.connected(url)) as connection:
            unfound.extend(_lies_unfound(entries, connection))

    result = await run(7, SECONDS, per_minute=PER_MINUTE, size=SMALL, then=lie)
    assert [] == [str(finding) for finding in result.findings], result.folder
    assert [] == result.troubles, result.folder
    assert sum(result.faults.values()) >= FAULTS_MIN
    assert result.acknowledged >= ACKNOWLEDGED_MIN
    assert result.tournaments >= 1
    assert 1 == len(told)
    assert [] == unfound


def _lies_unfound(entries: list[Entry], connection: Connection) -> list[str]:
    """The lies that the checker does not find as what they are: in the record first, then in the database."""
    unfound = []
    streams = _sample(entries, ledger.read(connection))
    entries = [entry for entry in entries if entry["stream"] in streams]
    held = _held(connection, streams)
    assert [] == check_all(gather(entries), held)
    for name, sort, change in _IN_THE_RECORD:
        changed = change(entries, held)
        assert changed != entries, name
        if not any(finding.sort == sort for finding in check_all(gather(changed), held)):
            unfound.append(name)
    told = gather(entries)
    before = {stream: (log.version, log.head) for stream, log in held.items()}
    for name, sort, alter in _IN_THE_DATABASE:
        alter(connection, entries, held)
        altered = _held(connection, streams)
        assert altered != held, name
        if not any(finding.sort == sort for finding in check_all(told, altered)):
            unfound.append(name)
        if sort == LOST and not check_unchanged(before, altered):
            unfound.append(f"{name}, unseen by a later look")
        connection.rollback()
    return unfound


def _sample(entries: list[Entry], held: Ledger) -> set[str]:
    """The streams that lies are told about, with the tables of tournaments among them: the others take time."""
    streams = {_first(entries, what)["stream"] for what in ("acked", "shown", "opened", "directed", "result")}
    return streams | {stream for stream, log in held.items() if log.kind == "table" and tournament_of(log) in streams}


def _held(connection: Connection, streams: set[str]) -> Ledger:
    return {stream: log for stream, log in ledger.read(connection).items() if stream in streams}


# -- lies in the record


def _first(entries: list[Entry], what: str) -> Entry:
    return next(entry for entry in entries if entry["what"] == what)


def _with(entries: list[Entry], old: Entry, **fields: Any) -> list[Entry]:
    return [old | fields if entry is old else entry for entry in entries]


def _later_version(entries: list[Entry], held: Ledger) -> list[Entry]:
    acked = _first(entries, "acked")
    return _with(entries, acked, version=acked["version"] + 1)


def _beyond_the_end(entries: list[Entry], held: Ledger) -> list[Entry]:
    acked = _first(entries, "acked")
    return [*entries, acked | {"version": held[acked["stream"]].version + 1, "id": bytes(16)}]


def _another_body(entries: list[Entry], held: Ledger) -> list[Entry]:
    acked = _first(entries, "acked")
    return _with(entries, acked, command=acked["command"] + b"\x0a\x00")


def _another_time(entries: list[Entry], held: Ledger) -> list[Entry]:
    shown = next(entry for entry in entries if entry["what"] == "shown" and entry["kind"] == "table")
    act = pb.ActView.FromString(shown["act"])
    act.at_ms += 1
    return _with(entries, shown, act=act.SerializeToString())


def _refused_too(entries: list[Entry], held: Ledger) -> list[Entry]:
    acked = _first(entries, "acked")
    return [*entries, {**acked, "what": "refused", "reason": "stale_version"}]


def _never_sent(entries: list[Entry], held: Ledger) -> list[Entry]:
    acked = _first(entries, "acked")
    return [entry for entry in entries if not (entry["what"] == "sent" and entry["id"] == acked["id"])]


def _never_shown(entries: list[Entry], held: Ledger) -> list[Entry]:
    seen = next(entry for entry in entries if entry["what"] == "shown" and entry["viewer"] == "spectator")
    about = ("what", "stream", "viewer", "version")
    return [entry for entry in entries if any(entry.get(name) != seen[name] for name in about)]


def _another_table(entries: list[Entry], held: Ledger) -> list[Entry]:
    return _with(entries, _first(entries, "opened"), commitment=bytes(32))


def _another_team(entries: list[Entry], held: Ledger) -> list[Entry]:
    entered = next(entry for entry in entries if entry.get("directive") == "EnterTeam")
    return _with(entries, entered, team=entered["team"] + 17)


def _another_result(entries: list[Entry], held: Ledger) -> list[Entry]:
    result = _first(entries, "result")
    match, attempt, table, totals = result["attempts"][0]
    changed = [[match, attempt, table, [totals[0] + 1, *totals[1:]]], *result["attempts"][1:]]
    return _with(entries, result, attempts=changed)


_IN_THE_RECORD: tuple[tuple[str, str, Callable[[list[Entry], Ledger], list[Entry]]], ...] = (
    ("acknowledged at a later version", LOST, _later_version),
    ("acknowledged, and never stored", LOST, _beyond_the_end),
    ("acknowledged with another body", LOST, _another_body),
    ("shown with another time", WRONG, _another_time),
    ("refused, and stored all the same", WRONG, _refused_too),
    ("stored, and never sent", WRONG, _never_sent),
    ("kept from a watcher", LOST, _never_shown),
    ("opened with another commitment", LOST, _another_table),
    ("entered a team that is not there", LOST, _another_team),
    ("shown with another result", WRONG, _another_result),
)


# -- lies in the database


def _acked_log(entries: list[Entry], held: Ledger) -> Log:
    return held[_first(entries, "acked")["stream"]]


def _without_the_last(connection: Connection, entries: list[Entry], held: Ledger) -> None:
    """What a commit that did not last would leave: the table as it was before."""
    log = _acked_log(entries, held)
    acked = max(entry["version"] for entry in entries if entry["what"] == "acked" and entry["stream"] == log.stream)
    connection.execute("delete from tables.acts where stream = %s and version >= %s", (log.stream, acked))
    _head(connection, log, acked - 1, log.acts[acked - 2].hash)


def _without_one(connection: Connection, entries: list[Entry], held: Ledger) -> None:
    log = _acked_log(entries, held)
    version = _first(entries, "acked")["version"]
    connection.execute("delete from tables.acts where stream = %s and version = %s", (log.stream, version))


def _twice(connection: Connection, entries: list[Entry], held: Ledger) -> None:
    """The same command again, as a new act with a proper hash."""
    log = _acked_log(entries, held)
    _append(connection, log, log.acts[_first(entries, "acked")["version"] - 1])


def _another_byte(connection: Connection, entries: list[Entry], held: Ledger) -> None:
    log = _acked_log(entries, held)
    connection.execute(
        "update tables.acts set body = set_byte(body, 3, get_byte(body, 3) # 1) where stream = %s and version = 2",
        (log.stream,),
    )


def _result_twice(connection: Connection, entries: list[Entry], held: Ledger) -> None:
    log = held[_first(entries, "result")["stream"]]
    row = next(
        row for row in log.acts if any(e.WhichOneof("kind") == "result_recorded" for e in row.tournament_body().events)
    )
    _append(connection, log, row._replace(command_id=b"x" * 16))


def _append(connection: Connection, log: Log, row: Row) -> None:
    schema = ledger.SCHEMAS[log.kind]
    version = log.version + 1
    link = chain.link(log.head, UUID(log.stream).bytes, version, row.command_id, row.body)
    query = f"insert into {schema}.acts (stream, version, command_id, body, hash) values (%s, %s, %s, %s, %s)"
    connection.execute(query, (log.stream, version, UUID(bytes=row.command_id), row.body, link))
    _head(connection, log, version, link)


def _head(connection: Connection, log: Log, version: int, head: bytes) -> None:
    schema = ledger.SCHEMAS[log.kind]
    connection.execute(
        f"update {schema}.streams set version = %s, head = %s where id = %s", (version, head, log.stream)
    )


_IN_THE_DATABASE: tuple[tuple[str, str, Callable[[Connection, list[Entry], Ledger], None]], ...] = (
    ("acts taken off the end", LOST, _without_the_last),
    ("an act taken out", LOST, _without_one),
    ("a command in the log twice", DOUBLED, _twice),
    ("a byte of a body changed", WRONG, _another_byte),
    ("a result recorded twice", DOUBLED, _result_twice),
)
