"""`make bench`: named ratios of this machine in one run, one line of JSON last."""

from __future__ import annotations

import argparse
import json
import sys

from services.local.system import SERVICES
from tests.bench import acts, append, bots, memory
from tests.system import running

ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench ARGS=", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"interleaved rounds (default {ROUNDS})")
    parser.add_argument("--memory", action="store_true", help="also play 2,000 tables and read the memory (minutes)")
    options = parser.parse_args()
    figures: dict[str, float] = {}
    # Here the clients play the bots' seats themselves, so that no worker may.
    with running(SERVICES[:1]) as system:
        state = system.system.state
        _tell("group commit against one-row commits")
        figures |= append.run(state.database_url, state.tables_database_url, rounds=options.rounds)
        _tell("durable acts against bare echoes")
        figures |= acts.run(system, rounds=options.rounds)
        if options.memory:
            _tell("memory with 2,000 finished and 200 running tables")
            figures |= memory.run(system)
    with running() as system:
        _tell("house bots through the whole system")
        figures |= bots.run(system, rounds=options.rounds)
    for name, figure in figures.items():
        print(f"{name:48} {figure:,.3f}")
    print(json.dumps(figures))


def _tell(what: str) -> None:
    print(f"measuring {what} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
