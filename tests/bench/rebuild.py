"""Tables recorded through codec and chain in a Postgres of its own, and rebuilt from the stored bytes in one scan."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Any
from uuid import UUID

import psycopg
from pinochle import audit
from pinochle.export import StoredAct
from pinochle.state import CLOSED
from psycopg.conninfo import conninfo_to_dict

from deploy.migrate import migrate
from services.local.processes import Clock, free_port
from services.local.servers import Postgres, Running
from tests.played import chained, play

SCAN = """select uuid_send(stream), version, uuid_send(command_id), body, hash
from tables.acts order by stream, version"""

Recorded = dict[UUID, list[StoredAct]]


def recorded(profile: str, tables: int) -> tuple[Recorded, int]:
    """So many tables of one random deal each, as stored, and the number of their events."""
    logs: Recorded = {}
    events = 0
    for number in range(tables):
        stream = UUID(int=(number << 64) + 0x4000_8000_0000_0000_0000)
        acts = play(profile, number, deals=1)
        logs[stream] = chained(acts, stream)
        events += sum(len(act.events) for act in acts)
    return logs, events


class Tables:
    """A migrated database that holds recorded tables, while entered."""

    def __init__(self, folder: Path, logs: tuple[Recorded, int]) -> None:
        clock = Clock(time.monotonic, time.sleep)
        log = folder / "postgres.log"
        self._server = Postgres(folder / "postgres", free_port(set()), secrets.token_hex(8), clock, log)
        self._running = Running(self._server, clock)
        self._logs, self.events = logs

    def __enter__(self) -> Tables:
        self._running.start()
        try:
            password = secrets.token_hex(8)
            migrate(self._server.admin_url, {"pinochle_tables": password, "pinochle_tournaments": password})
            self._connection = psycopg.connect(self._server.admin_url, autocommit=True, connect_timeout=10)
            self._fill()
            self._logs.clear()
        except BaseException:
            self._running.stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._connection.close()
        self._running.stop()

    def place(self, database: str) -> dict[str, Any]:
        """A new empty database on the same server, for a peer."""
        self._connection.execute(f"create database {database}")
        about = conninfo_to_dict(self._server.admin_url)
        names = {"host": "host", "port": "port", "user": "user", "password": "password"}
        return {"dbname": database, **{name: about[key] for name, key in names.items()}}

    def rates(self, name: str, work: Callable[[], None]) -> dict[str, float]:
        """Events a second of one pass over all tables, by the wall clock and by this process's own seconds."""
        wall, own = time.perf_counter(), time.process_time()
        work()
        wall, own = time.perf_counter() - wall, time.process_time() - own
        return {name: self.events / wall, f"{name}_cpu": self.events / own}

    def rebuild(self) -> None:
        """Check every chain and fold every state from the decoded events."""
        for stream, acts in self._scan():
            assert audit.verify_chain(stream, acts) is None
            assert audit.rebuild(acts).phase == CLOSED

    def check_chain(self) -> None:
        """Check every chain, decoding nothing."""
        for stream, acts in self._scan():
            assert audit.verify_chain(stream, acts) is None

    def _scan(self) -> Iterator[tuple[UUID, list[StoredAct]]]:
        with self._connection.cursor(binary=True) as cursor:
            rows = cursor.execute(SCAN).fetchall()
        for stream, acts in groupby(rows, itemgetter(0)):
            yield UUID(bytes=stream), [StoredAct(*row[1:]) for row in acts]

    def _fill(self) -> None:
        columns = "(stream, version, command_id, body, hash)"
        with (
            self._connection.cursor() as cursor,
            cursor.copy(f"copy tables.acts {columns} from stdin (format binary)") as copy,
        ):
            copy.set_types(["uuid", "int4", "uuid", "bytea", "bytea"])
            for stream, acts in self._logs.items():
                for act in acts:
                    copy.write_row((stream, act.version, UUID(bytes=act.command_id), act.body, act.hash))
        self._connection.execute("analyze tables.acts")
