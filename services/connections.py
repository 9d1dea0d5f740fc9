"""A few Postgres connections whose statements outlive a restart of the server.

A statement that is safe to run twice (every read is) is tried again, within a deadline, while connections
turn out to be lost. One that is not safe is sent once, over a connection that has just been checked; if the
connection is lost then, StoreUnavailable says that the outcome is unknown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from services import packed
from services.acts import StoreLimits, StoreUnavailable

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]

BACKOFF_SECONDS_MIN, BACKOFF_SECONDS_MAX = 0.02, 0.5
# A pool that failed to connect tries again only when it is asked again, so it is asked again soon.
GIVE_UP_SECONDS, ASK_SECONDS = 0.05, 1.0

KEEPALIVE: dict[str, Any] = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
"""How a peer that vanished without a word is noticed, in seconds."""
SERVER_VERSION_MIN = 170_000  # MERGE with RETURNING


class Connections:
    """A pool of up to `connections_max`; `seconds_max` bounds a call of `run` with all its tries."""

    def __init__(
        self,
        conninfo: str,
        name: str,
        *,
        connections_max: int,
        connect_seconds_max: float,
        statement_seconds_max: float,
        seconds_max: float,
        clock: Clock,
        sleep: Sleep,
        read_only: bool = False,
    ) -> None:
        self._name = name
        self._connect_seconds_max = connect_seconds_max
        self._seconds_max = seconds_max
        self._clock = clock
        self._sleep = sleep
        options = timeouts(statement_seconds_max, statement_seconds_max)
        if read_only:
            options += " -c default_transaction_read_only=on"
        self._pool = AsyncConnectionPool(
            conninfo,
            min_size=1,
            max_size=connections_max,
            timeout=ASK_SECONDS,
            reconnect_timeout=GIVE_UP_SECONDS,
            open=False,
            name=name,
            configure=_configure,
            kwargs={
                "autocommit": True,
                "options": options,
                "connect_timeout": max(2, int(connect_seconds_max)),
                **KEEPALIVE,
            },
        )

    async def start(self) -> None:
        """Connect; StoreUnavailable if the database can't be reached in time."""
        await self._pool.open(wait=False)
        deadline = self._clock() + self._connect_seconds_max
        try:
            await self._run("select 1", (), True, deadline)
        except BaseException:
            await self.close()
            raise

    async def run(
        self, query: str, parameters: tuple[Any, ...], *, again: bool = True
    ) -> tuple[list[tuple[Any, ...]], int]:
        """The rows of a statement and how many it concerned; `again` if it may run twice."""
        return await self._run(query, parameters, again, self._clock() + self._seconds_max)

    async def close(self) -> None:
        """Let go of every connection; a second call does nothing."""
        await self._pool.close(timeout=self._connect_seconds_max)

    async def _run(
        self, query: str, parameters: tuple[Any, ...], again: bool, deadline: float
    ) -> tuple[list[tuple[Any, ...]], int]:
        wait = BACKOFF_SECONDS_MIN
        while True:
            sent = False
            try:
                async with (
                    asyncio.timeout(max(0.001, deadline - self._clock())),
                    self._pool.connection() as connection,
                ):
                    if not again:
                        await self._pool.check_connection(connection)
                    sent = True
                    cursor = connection.cursor(binary=True)
                    await cursor.execute(query, parameters, prepare=True)
                    return (await cursor.fetchall() if cursor.description else []), cursor.rowcount
            except PoolClosed as error:
                raise StoreUnavailable(f"the {self._name} are not running") from error
            except (psycopg.OperationalError, PoolTimeout, TimeoutError) as error:
                if (sent and not again) or self._clock() + wait >= deadline:
                    text = " ".join(str(error).split()) or "no answer in time"
                    raise StoreUnavailable(f"the {self._name} can't reach the database: {text}") from error
            await self._sleep(wait)
            wait = min(2 * wait, BACKOFF_SECONDS_MAX)


def timeouts(statement_seconds: float, lock_seconds: float) -> str:
    """The server's own limits, as connection options."""
    statement, lock = int(statement_seconds * 1000), int(lock_seconds * 1000)
    return (
        f"-c statement_timeout={statement} -c lock_timeout={lock} "
        f"-c idle_in_transaction_session_timeout={statement}"
    )


async def _configure(connection: psycopg.AsyncConnection[Any]) -> None:
    packed.register(connection)


async def connect_to_append(conninfo: str, limits: StoreLimits) -> psycopg.AsyncConnection[Any]:
    """A connection on which acts are made durable; TimeoutError after its limit.

    Raises StoreUnavailable where the server is too old.
    """
    own = timeouts(limits.statement_seconds_max, limits.lock_seconds_max)
    async with asyncio.timeout(limits.connect_seconds_max):
        connection = await psycopg.AsyncConnection.connect(
            conninfo, autocommit=True, options=f"{own} -c synchronous_commit=on {_PLANNER}", **KEEPALIVE
        )
    if connection.info.server_version < SERVER_VERSION_MIN:
        await connection.close()
        raise StoreUnavailable("Postgres 17 or newer is needed")
    packed.register(connection)
    return connection


# A batch is small and the tables are large, whatever the planner believes: look each row up by its key.
_PLANNER = "-c plan_cache_mode=force_generic_plan -c enable_hashjoin=off -c enable_mergejoin=off -c enable_seqscan=off"
