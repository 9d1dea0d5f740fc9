"""One prepared statement of a connection, carried out through libpq.

A cursor converts parameters, looks the statement up among those it has prepared and makes rows: for one append that
takes about as long as the database does. Here the parameters are ready bytes in binary format, and the rows stay in the
result until somebody asks. The connection is psycopg's, and may be used by its cursors in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from psycopg import AsyncConnection, errors
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult

_NAME = b"prepared"
_GOOD = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK)


class Prepared:
    """A statement whose parameters are written `$1` and so on. One call at a time.

    Raises psycopg's errors, OperationalError where the connection is lost, and TimeoutError after `seconds_max`.
    """

    def __init__(self, connection: AsyncConnection[Any], query: str, seconds_max: float) -> None:
        self._pgconn = connection.pgconn
        self._query = query.encode()
        self._seconds_max = seconds_max

    async def prepare(self) -> None:
        """Have the server plan it; once, before it is run."""
        await self._answer(lambda: self._pgconn.send_prepare(_NAME, self._query))

    async def run(self, parameters: Sequence[bytes]) -> PGresult:
        """What the statement gives with these parameters."""
        send, formats = self._pgconn.send_query_prepared, [Format.BINARY] * len(parameters)
        return await self._answer(lambda: send(_NAME, parameters, formats, Format.BINARY))

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
