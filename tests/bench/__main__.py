"""`make bench`: named ratios of this machine in one run, one line of JSON last."""

from __future__ import annotations

import argparse
import json
import sys

from tests.bench import acts, append, bots, memory
from tests.system import running

ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench ARGS=", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"interleaved rounds (default {ROUNDS})")
    parser.add_argument("--memory", action="store_true", help="also play 2,000 tables and read the memory (minutes)")
    options = parser.parse_args()
    figures: dict[str, float] = {}
    with running() as system:
        state = system.system.state
        for name, measure in (
            (
                "group commit against one-row commits",
                lambda: append.run(state.database_url, state.tables_database_url, rounds=options.rounds),
            ),
            ("durable acts against bare echoes", lambda: acts.run(system, rounds=options.rounds)),
            ("house bots through the whole system", lambda: bots.run(system, rounds=options.rounds)),
        ):
            print(f"measuring {name} ...", file=sys.stderr, flush=True)
            figures.update(measure())
        if options.memory:
            print("measuring memory ...", file=sys.stderr, flush=True)
            figures.update(memory.run(system))
    for name, figure in figures.items():
        print(f"{name:48} {figure:,.3f}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
