"""`make check-rules`: the engine against the plain reading of the rules, on random cases or on every hand's melds."""

from __future__ import annotations

import argparse
import json
import sys
from random import SystemRandom

from pinochle.cli.numbers import whole

from tests.long_runs import Progress, ended
from tests.oracle import all_melds
from tests.oracle.cases import RULES
from tests.oracle.check import CASES_DEFAULT, first_difference


def main() -> int:
    """Compare until the first difference; exit code 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("number", nargs="?", type=whole(1, 10**9), default=CASES_DEFAULT, help="how many random cases")
    parser.add_argument("--seed", type=int, default=None, help="repeat a run: its first line names its seed")
    parser.add_argument("--op", choices=sorted(RULES), default=None, help="cases of this operation only")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--all-melds", action="store_true", help="every meld of every single-deck hand, by its parts")
    what.add_argument("--every-hand", action="store_true", help="every single-deck hand, one by one (hours)")
    parser.add_argument("--profile", default="classic", help="the profile of --every-hand (default classic)")
    options = parser.parse_args()
    if options.all_melds:
        return all_melds.run(sys.stdout)
    if options.every_hand:
        return all_melds.run_every_hand(options.profile, sys.stdout)
    seed = SystemRandom().randrange(2**32) if options.seed is None else options.seed
    print(f"{options.number} cases, seed {seed}", flush=True)
    found = first_difference(options.number, seed, options.op, Progress(options.number, sys.stderr))
    if found is None:
        print(f"{options.number} cases, no difference")
        return 0
    case, got = found
    print(json.dumps(case))
    print(f"the engine says {json.dumps(got)}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    ended(main)
