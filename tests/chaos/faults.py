"""The faults: which there are, how often each comes, and what it does to the arena."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import NamedTuple

import psycopg
import redis.asyncio

from tests.chaos.arena import CHAOS_SERVICES, Arena, children, send
from tests.chaos.proxy import Link

SERVICES = tuple(service.name for service in CHAOS_SERVICES)
ADMIN_SECONDS_MAX = 4
SHUTDOWN_SECONDS_MAX = 15.0
"""How long a Postgres that was told to end may take before it is killed."""
TRIES_MAX = 5
EVERYWHERE = 0.1
"""How often a fault of connections hits all of them at once."""


class NotNow(Exception):
    """There was nothing to do this fault to; it does not count."""


class Kind(NamedTuple):
    """One kind of fault; `rest_seconds` is how long it does not come again."""

    name: str
    weight: float
    rest_seconds: float
    do: Callable[[Faults], Awaitable[str]]
    needs_volume: bool = False


@dataclass(slots=True)
class Faults:
    """Puts faults in, chosen by the seed; `counts` are those that were done, by kind."""

    arena: Arena
    chance: Random
    per_minute: float
    only: str = ""  # of kinds whose names hold this
    counts: Counter[str] = field(default_factory=Counter)
    last: str = ""
    paused: asyncio.Event = field(default_factory=asyncio.Event)  # set while faults may come
    _rested: dict[str, float] = field(default_factory=dict)
    _later: set[asyncio.Task[None]] = field(default_factory=set)
    _stopped: set[int] = field(default_factory=set)
    _balloon: Path | None = None

    async def run(self) -> None:
        """One fault after the other, until cancelled."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due = max(due + self.chance.expovariate(self.per_minute / 60), loop.time() - 1)
            await asyncio.sleep(max(0.0, due - loop.time()))
            await self.paused.wait()
            for _ in range(TRIES_MAX):
                if await self.one():
                    break

    async def one(self) -> bool:
        """One fault of a kind whose rest is over; whether there was anything to do it to."""
        now = asyncio.get_running_loop().time()
        kinds = [
            kind for kind in KINDS
            if self._rested.get(kind.name, 0.0) <= now and (self.arena.has_volume or not kind.needs_volume)
            and self.only in kind.name
        ]  # fmt: skip
        if not kinds:
            return False
        kind = self.chance.choices(kinds, [kind.weight for kind in kinds])[0]
        self._rested[kind.name] = now + kind.rest_seconds
        try:
            async with asyncio.timeout(ADMIN_SECONDS_MAX * 2):
                what = await kind.do(self)
        except (NotNow, TimeoutError, OSError, psycopg.Error, redis.RedisError):
            return False
        self.counts[kind.name] += 1
        self.last = f"{kind.name}: {what}"
        with (self.arena.folder / "faults.log").open("a") as file:
            file.write(f"{datetime.now(UTC).isoformat(timespec='milliseconds')} {self.last}\n")
        return True

    async def settle(self) -> None:
        """End what still lasts: processes go on, the volume has room, rows are free."""
        await asyncio.gather(*self._later, return_exceptions=True)
        send(sorted(self._stopped), signal.SIGCONT)
        self._burst()

    def abandon(self) -> None:
        """As `settle`, at once."""
        for task in self._later:
            task.cancel()
        send(sorted(self._stopped), signal.SIGCONT)
        self._burst()

    # -- connections

    def _links(self) -> tuple[list[Link], str]:
        links = [link for link in self.arena.links.values() if link.pairs]
        if not links:
            raise NotNow
        if self.chance.random() < EVERYWHERE:
            return links, "every link"
        link = self.chance.choice(links)
        return [link], link.name

    async def cut(self) -> str:
        links, where = self._links()
        return f"{sum(link.cut() for link in links)} connections, {where}"

    async def tear(self) -> str:
        links, where = self._links()
        return f"{sum(link.tear() for link in links)} connections, {where}"

    async def half_close(self) -> str:
        links, where = self._links()
        to_server = self.chance.random() < 0.5
        return f"{sum(link.half_close(to_server) for link in links)} connections, {where}"

    async def stall(self) -> str:
        links, where = self._links()
        seconds = self.chance.uniform(0.2, 3.0)
        return f"{sum(link.stall(seconds) for link in links)} connections for {seconds:.1f} s, {where}"

    async def silence(self) -> str:
        links, where = self._links()
        seconds = self.chance.uniform(0.2, 2.0)
        return f"{sum(link.silence(seconds) for link in links)} connections for {seconds:.1f} s, {where}"

    async def refuse(self) -> str:
        links, where = self._links()
        seconds = self.chance.uniform(0.3, 2.0)
        for link in links:
            link.refuse(seconds)
            link.cut()
        return f"for {seconds:.1f} s, {where}"

    # -- processes

    def _pid(self, name: str) -> int:
        pid = self.arena.running.pid(name)
        if not pid or not Path(f"/proc/{pid}").exists():
            raise NotNow
        return pid

    async def kill_service(self) -> str:
        name = self.chance.choice(SERVICES)
        self._rest(f"kill {name}", 15)
        os.killpg(self._pid(name), signal.SIGKILL)
        return name

    async def stop_service(self) -> str:
        name = self.chance.choice(SERVICES)
        return self._stop(name, [self._pid(name)], self.chance.uniform(0.3, 3.0))

    async def stop_valkey(self) -> str:
        return self._stop("valkey", [self._pid("valkey")], self.chance.uniform(0.3, 3.0))

    async def stop_postgres(self) -> str:
        pid = self._pid("postgres")
        return self._stop("postgres", [pid, *children(pid)], self.chance.uniform(0.3, 2.0))

    async def stop_backend(self) -> str:
        pid, what = await self._backend()
        return self._stop(what, [pid], self.chance.uniform(0.3, 3.0))

    def _stop(self, name: str, pids: list[int], seconds: float) -> str:
        send(pids, signal.SIGSTOP)
        self._stopped.update(pids)

        async def go_on() -> None:
            await asyncio.sleep(seconds)
            send(pids, signal.SIGCONT)
            self._stopped.difference_update(pids)

        self._spawn(go_on())
        return f"{name} for {seconds:.1f} s"

    # -- Postgres

    async def kill_backend(self) -> str:
        pid, what = await self._backend()
        os.kill(pid, signal.SIGKILL)
        return what

    async def restart_postgres(self) -> str:
        pid = self._pid("postgres")
        os.kill(pid, signal.SIGINT)

        async def insist() -> None:
            # Told to end while it recovers, Postgres may stay; who runs it kills it then.
            await asyncio.sleep(SHUTDOWN_SECONDS_MAX)
            with contextlib.suppress(NotNow):
                if self._pid("postgres") == pid:
                    send([pid, *children(pid)], signal.SIGKILL)

        self._spawn(insist())
        return "fast"

    async def kill_postgres(self) -> str:
        pid = self._pid("postgres")
        send([pid, *children(pid)], signal.SIGKILL)
        return f"process {pid} and all that it had started"

    async def terminate_backend(self) -> str:
        pid, what = await self._backend()
        await self._admin("select pg_terminate_backend(%s)", (pid,))
        return what

    async def cancel_statements(self) -> str:
        rows = await self._admin(
            "select count(pg_cancel_backend(pid)) from pg_stat_activity where usename like 'pinochle_%%' and pid = any("
            " select pid from pg_stat_activity where state = 'active')",
            (),
        )
        return f"{rows[0][0]} statements"

    async def hold_rows(self) -> str:
        """Lock the rows of some streams that are open, as a forgotten transaction would."""
        seconds = self.chance.uniform(0.5, 3.0)
        schema = self.chance.choice(("tables", "tables", "tournaments"))
        connection = await self._connected()
        rows = await (
            await connection.execute(f"select from {schema}.streams where open order by random() limit 3 for update")
        ).fetchall()

        async def release() -> None:
            try:
                await asyncio.sleep(seconds)
            finally:
                with contextlib.suppress(psycopg.Error):
                    await connection.close()

        self._spawn(release())
        if not rows:
            raise NotNow
        return f"{len(rows)} of {schema} for {seconds:.1f} s"

    async def _backend(self) -> tuple[int, str]:
        rows = await self._admin("select pid, usename from pg_stat_activity where usename like 'pinochle_%%'", ())
        if not rows:
            raise NotNow
        pid, name = self.chance.choice(rows)
        return int(pid), f"a backend of {name}"

    async def _admin(self, query: str, parameters: tuple[object, ...]) -> list[tuple[object, ...]]:
        connection = await self._connected()
        try:
            return await (await connection.execute(query, parameters)).fetchall()  # type: ignore[arg-type]
        finally:
            await connection.close()

    async def _connected(self) -> psycopg.AsyncConnection[tuple[object, ...]]:
        async with asyncio.timeout(ADMIN_SECONDS_MAX):
            return await psycopg.AsyncConnection.connect(self.arena.admin_url, connect_timeout=ADMIN_SECONDS_MAX)

    # -- the volume

    async def fill(self) -> str:
        """Leave no byte on the database's volume for a while."""
        self._blow_up()
        seconds = self.chance.uniform(0.5, 4.0)
        self._spawn(self._burst_later(seconds))
        return f"for {seconds:.1f} s"

    async def fill_and_switch(self) -> str:
        """The same, while the log of the database needs a new file."""
        self._blow_up()
        self._spawn(self._burst_later(2.0))
        with contextlib.suppress(psycopg.Error, TimeoutError):
            async with asyncio.timeout(2):
                for _ in range(4):  # files that are kept for later use have room of their own
                    await self._admin("select pg_switch_wal(), pg_logical_emit_message(true, 'chaos', 'x')", ())
        return "for 2.0 s"

    def _blow_up(self) -> None:
        if self._balloon is not None:
            raise NotNow
        self._balloon = self.arena.folder / "postgres" / "balloon"
        size = 1 << 28
        with self._balloon.open("wb") as file:
            end = 0
            while size >= 4_096:
                try:
                    os.posix_fallocate(file.fileno(), end, size)
                    end += size
                except OSError:
                    size //= 2

    def _burst(self) -> None:
        if self._balloon is not None:
            self._balloon.unlink(missing_ok=True)
            self._balloon = None

    async def _burst_later(self, seconds: float) -> None:
        try:
            await asyncio.sleep(seconds)
        finally:
            self._burst()

    # -- Redis

    async def flush(self) -> str:
        async with redis.asyncio.Redis.from_url(self.arena.redis_url, socket_timeout=ADMIN_SECONDS_MAX) as client:
            await client.flushall()
        return "everything"

    async def restart_valkey(self) -> str:
        os.kill(self._pid("valkey"), signal.SIGTERM)
        return "in order"

    async def kill_valkey(self) -> str:
        os.kill(self._pid("valkey"), signal.SIGKILL)
        return "valkey"

    def _rest(self, what: str, seconds: float) -> None:
        now = asyncio.get_running_loop().time()
        if self._rested.get(what, 0.0) > now:
            raise NotNow
        self._rested[what] = now + seconds

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._later.add(task)  # type: ignore[arg-type]
        task.add_done_callback(self._later.discard)  # type: ignore[arg-type]


KINDS = (
    Kind("connections cut", 14, 0, Faults.cut),
    Kind("connections torn in a message", 8, 0, Faults.tear),
    Kind("connections half-closed", 6, 0, Faults.half_close),
    Kind("connections stalled", 10, 0, Faults.stall),
    Kind("answers lost", 12, 0, Faults.silence),
    Kind("connections refused", 4, 0, Faults.refuse),
    Kind("service stopped for seconds", 10, 0, Faults.stop_service),
    Kind("service killed", 8, 2, Faults.kill_service),
    Kind("redis flushed", 3, 3, Faults.flush),
    Kind("redis stopped for seconds", 2, 6, Faults.stop_valkey),
    Kind("redis restarted", 1, 15, Faults.restart_valkey),
    Kind("redis killed", 1, 15, Faults.kill_valkey),
    Kind("postgres stopped for seconds", 1.5, 8, Faults.stop_postgres),
    Kind("postgres backend stopped", 3, 2, Faults.stop_backend),
    Kind("postgres backend ended", 3, 0, Faults.terminate_backend),
    Kind("postgres statements cancelled", 3, 0, Faults.cancel_statements),
    Kind("postgres rows held", 3, 2, Faults.hold_rows),
    Kind("postgres backend killed, recovery", 1, 15, Faults.kill_backend),
    Kind("postgres restarted", 1, 20, Faults.restart_postgres),
    Kind("postgres killed, recovery", 1, 20, Faults.kill_postgres),
    Kind("postgres disk full", 2, 8, Faults.fill, needs_volume=True),
    Kind("postgres disk full at a new log file", 0.7, 30, Faults.fill_and_switch, needs_volume=True),
)
