"""`make bench-store`: the store and the write path against their limits and peers, named ratios, one line of JSON last.

Everything is measured in one run on one fresh cluster with `synchronous_commit=on`, chain, command ids and roles
switched on; rounds are interleaved, ratios are taken within a round, and medians are reported beside the floor that
each must not fall below and the aim. The machine should do nothing else meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import NamedTuple

from services.local.system import SERVICES
from tests.bench import acts, append, bots, memory, own
from tests.bench.programs import PROGRAM, Peers
from tests.system import running

ROUNDS = 3


class Row(NamedTuple):
    """A figure by its names (for the sizes of bodies, where there are two), the floor and the aim.

    Where `floor` is above `aim` less is better.
    """

    text: str
    names: tuple[str, ...]
    floor: float
    aim: float


def _sizes(name: str) -> tuple[str, ...]:
    return tuple(name.format(body) for body in append.BODIES)


ROWS = (
    Row("durable acts, 128 in flight / pgbench one row, 32 clients", _sizes("append_{}_128_to_pgbench"), 2.5, 4),
    Row("events, three an act, 128 in flight / the same", _sizes("append_{}_events_to_pgbench"), 6, 9),
    Row("one table alone / pgbench one row, one client", _sizes("append_{}_1_to_pgbench"), 0.5, 0.65),
    Row("p99 of a commit, 32 in flight / pgbench's, 32 clients", _sizes("append_{}_32_p99_to_pgbench"), 1, 0.5),
    Row("durable acts / eventsourcing Application.save, best", _sizes("append_{}_to_eventsourcing_save"), 30, 60),
    Row("act, one Play stream, 32 tables / echo on 32 streams", ("act_one_stream_32_to_stream_echo_32",), 0.5, 0.7),
    Row("act, one Play stream, 128 tables / echo on 128 streams", ("act_one_stream_128_to_stream_echo_128",), 0.75, 1),
    Row("unary act / unary echo, 32 in flight", ("unary_act_to_unary_echo",), 0.4, 0.55),
    Row("turns of `random` bots through it all / unary echo", ("bot_turns_random_to_unary_echo",), 0.6, 1),
    Row("CPU of one act in our own code, us", ("own_us_per_act",), 40, 25),
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench-store ARGS=", description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"interleaved rounds (default {ROUNDS})")
    parser.add_argument("--peers", default="", help="the Python that has the peers; without one they are left out")
    parser.add_argument("--memory", action="store_true", help="also play 2,000 tables and read the memory (minutes)")
    options = parser.parse_args()
    figures: dict[str, float] = {}
    _tell("our own code, in process")
    figures |= own.run()
    # Here the clients play the bots' seats themselves, so that no worker may.
    with running(SERVICES[:1]) as system:
        state = system.system.state
        _tell("group commit against one-row commits")
        with Peers(options.peers, PROGRAM) as peers:
            has_peer = "version" in peers.ask("versions", package="eventsourcing")
            if not has_peer:
                print("left out: eventsourcing (not installed)", file=sys.stderr)
            about = {"peers": peers if has_peer else None, "rounds": options.rounds}
            figures |= append.run(state.database_url, state.tables_database_url, **about)
        _tell("durable acts against bare echoes")
        figures |= acts.run(system, rounds=acts.ROUNDS * options.rounds // ROUNDS)
        if options.memory:
            _tell("memory with 2,000 finished and 200 running tables")
            figures |= memory.run(system)
    with running() as system:
        _tell("house bots through the whole system")
        figures |= bots.run(system, rounds=options.rounds)
    for name, figure in figures.items():
        print(f"{name:48} {figure:,.3f}")
    print(f"\n{'what':60} {'measured':>16} {'floor':>6} {'aim':>6}")
    for row in ROWS:
        print(_line(row, figures))
    print(json.dumps({"bench": "store", **figures, "load_1m": round(os.getloadavg()[0], 1)}))


def _line(row: Row, figures: dict[str, float]) -> str:
    found = [figures[name] for name in row.names if name in figures]
    held = all(figure <= row.floor if row.aim < row.floor else figure >= row.floor for figure in found)
    shown = " / ".join(f"{figure:,.2f}" for figure in found) or "not measured"
    return f"{row.text:60} {shown:>16} {row.floor:>6} {row.aim:>6}{'' if held else '  below the floor'}"


def _tell(what: str) -> None:
    print(f"measuring {what} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
