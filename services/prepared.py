"""Prepared statements of a connection, carried out through libpq, and appends by them.

A cursor converts parameters, looks the statement up among those it has prepared and makes rows: for one append that
takes about as long as the database does. Here the parameters are ready bytes in binary format, and the rows stay in the
result until somebody asks. The connection is psycopg's, and may be used by its cursors in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from psycopg import AsyncConnection, errors, sql
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult

from services import packed
from services.acts import Append

_GOOD = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK)


class Prepared:
    """A statement whose parameters are written `$1` and so on, under a name of its own. One call at a time.

    Raises psycopg's errors, OperationalError where the connection is lost, and TimeoutError after `seconds_max`.
    """

    def __init__(self, connection: AsyncConnection[Any], name: str, query: str, seconds_max: float) -> None:
        self._pgconn = connection.pgconn
        self._name = name.encode()
        self._query = query.encode()
        self._seconds_max = seconds_max

    async def prepare(self) -> None:
        """Have the server plan it; once, before it is run."""
        await self._answer(lambda: self._pgconn.send_prepare(self._name, self._query))

    async def run(self, parameters: Sequence[bytes | None]) -> PGresult:
        """What the statement gives with these parameters."""
        send, formats = self._pgconn.send_query_prepared, [Format.BINARY] * len(parameters)
        return await self._answer(lambda: send(self._name, parameters, formats, Format.BINARY))

    async def _answer(self, send: Callable[[], None]) -> PGresult:
        pgconn, loop = self._pgconn, asyncio.get_running_loop()
        answered: asyncio.Future[None] = loop.create_future()
        results: list[PGresult] = []

        def readable() -> None:
            try:
                pgconn.consume_input()
                while not pgconn.is_busy():
                    result = pgconn.get_result()
                    if result is None:
                        return _settle(answered, None)
                    results.append(result)
            except Exception as error:
                _settle(answered, error)

        def writable() -> None:
            try:
                if not pgconn.flush():
                    loop.remove_writer(socket)
            except Exception as error:
                _settle(answered, error)

        send()
        socket = pgconn.socket
        loop.add_reader(socket, readable)
        timer = loop.call_later(self._seconds_max, _settle, answered, TimeoutError())  # a fifth of asyncio.timeout
        try:
            if pgconn.flush():
                loop.add_writer(socket, writable)
            await answered
        finally:
            timer.cancel()
            loop.remove_reader(socket)
            loop.remove_writer(socket)
        for result in results:
            if result.status not in _GOOD:
                raise errors.error_from_result(result)
        if not results:
            raise errors.OperationalError("the connection was closed")
        return results[0]


def _settle(answered: asyncio.Future[None], error: Exception | None) -> None:
    if answered.done():
        return
    if error is None:
        answered.set_result(None)
    else:
        answered.set_exception(error)


class Appender:
    """Appends over one connection: acts of many streams by one statement, and an act alone by a simpler one."""

    def __init__(self, connection: AsyncConnection[Any], schema: str, seconds_max: float) -> None:
        def prepared(name: str, query: str) -> Prepared:
            text = sql.SQL(query).format(schema=sql.Identifier(schema)).as_string()
            return Prepared(connection, name, text, seconds_max)

        self._many = prepared("append", packed.APPEND)
        self._one = prepared("append_one", packed.APPEND_ONE)

    async def prepare(self) -> None:
        """Have the server plan both statements; once, before they are run."""
        await self._many.prepare()
        await self._one.prepare()

    async def run(self, acts: Sequence[Append]) -> PGresult:
        """Make acts durable, at most one of a stream; the result has a row with its id for each stream that moved."""
        if len(acts) == 1 and acts[0].version:
            return await self._one.run(packed.append_one(acts[0]))
        return await self._many.run(packed.appends(acts))
