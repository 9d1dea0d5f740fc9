"""Packed binary arrays as Postgres parameters, several times cheaper than the driver's lists.

Each function turns a list into one `bytes` object in the binary array format. Appends send them as they are; `register`
teaches a connection or pool connection the type of ids, which cursors take as well. Register before making a cursor: a
cursor copies what its connection knows. In a cursor's statement the parameter is written `%b`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from struct import Struct
from typing import Any

from psycopg import AsyncConnection
from psycopg.adapt import Dumper
from psycopg.pq import Format

from services.acts import Append

_header = Struct(">iiiii").pack  # dimensions, has nulls, element type, length, lower bound
_length = Struct(">i").pack
_bool = Struct(">i?").pack
_int2 = Struct(">ih").pack
_int4 = Struct(">ii").pack
_NULL = _length(-1)
_UUID_LENGTH = _length(16)
_TIME_LENGTH = _length(8)
_EPOCH_2000_MS = 946_684_800_000  # Postgres counts microseconds from 2000-01-01


class Uuids(bytes):
    """uuid[]"""


# One unnest feeds both tables, and the streams that come back are the winners. MERGE also opens streams,
# and like the rest of the statement it locks rows in the batch's order.
APPEND = """with moved as (
  merge into {schema}.streams s
  using unnest($1::uuid[], $2::int4[], $3::bytea[], $4::int2[], $5::timestamptz[], $6::bool[],
               $7::uuid[], $8::bytea[]) x (id, version, head, due, due_at, open, command_id, body)
  on s.id = x.id
  when matched and s.version = x.version then
    update set version = x.version + 1, head = x.head, due = x.due, due_at = x.due_at, open = x.open
  when not matched and x.version = 0 then
    insert (id, version, head, due, due_at, open) values (x.id, 1, x.head, x.due, x.due_at, x.open)
  returning s.id, s.version, x.command_id, x.body, x.head)
insert into {schema}.acts (stream, version, command_id, body, hash)
select * from moved returning uuid_send(stream)"""

# The same for one act of a stream that exists, in seven eighths of the time.
APPEND_ONE = """with moved as (
  update {schema}.streams set version = version + 1, head = $3::bytea, due = $4::int2, due_at = $5::timestamptz,
    open = $6::bool
  where id = $1::uuid and version = $2::int4 returning id, version)
insert into {schema}.acts (stream, version, command_id, body, hash)
select id, version, $7::uuid, $8::bytea, $3 from moved returning uuid_send(stream)"""


def append_one(act: Append) -> tuple[bytes | None, ...]:
    """An act as the parameters of APPEND_ONE."""
    return (
        act.stream, act.version.to_bytes(4, "big"), act.hash, act.due.to_bytes(2, "big", signed=True),
        None if act.due_at_ms is None else _time(act.due_at_ms), b"\1" if act.open else b"\0", act.command_id, act.body,
    )  # fmt: skip


def appends(acts: Sequence[Append]) -> tuple[bytes, ...]:
    """Acts as columns, one array each: the parameters of APPEND."""
    return (
        uuids([act.stream for act in acts]),
        ints4([act.version for act in acts]),
        blobs([act.hash for act in acts]),
        ints2([act.due for act in acts]),
        times([act.due_at_ms for act in acts]),
        bools([act.open for act in acts]),
        uuids([act.command_id for act in acts]),
        blobs([act.body for act in acts]),
    )


def uuids(values: Sequence[bytes]) -> Uuids:
    """Ids of 16 raw bytes each."""
    if not values:
        return Uuids(_header(0, 0, 2950, 0, 1)[:12])
    return Uuids(_header(1, 0, 2950, len(values), 1) + _UUID_LENGTH + _UUID_LENGTH.join(values))


def ints2(values: Sequence[int]) -> bytes:
    return _header(1, 0, 21, len(values), 1) + b"".join(map(_int2, repeat(2), values))


def ints4(values: Sequence[int]) -> bytes:
    return _header(1, 0, 23, len(values), 1) + b"".join(map(_int4, repeat(4), values))


def bools(values: Sequence[bool]) -> bytes:
    return _header(1, 0, 16, len(values), 1) + b"".join(map(_bool, repeat(1), values))


def blobs(values: Sequence[bytes]) -> bytes:
    return _header(1, 0, 17, len(values), 1) + b"".join([_length(len(v)) + v for v in values])


def times(values: Sequence[int | None]) -> bytes:
    """Milliseconds since 1970, None for null."""
    packed = [_NULL if v is None else _TIME_LENGTH + _time(v) for v in values]
    return _header(1, 1, 1184, len(values), 1) + b"".join(packed)


def _time(ms: int) -> bytes:
    return ((ms - _EPOCH_2000_MS) * 1000).to_bytes(8, "big", signed=True)


def register(connection: AsyncConnection[Any]) -> None:
    """Teach a connection ids of that form."""
    connection.adapters.register_dumper(Uuids, _UuidsDumper)


class _UuidsDumper(Dumper):
    format = Format.BINARY
    oid = 2951

    def dump(self, obj: bytes) -> bytes:
        return obj
