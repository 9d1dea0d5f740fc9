"""`make soak DEALS=N`: random deals over all profiles and knobs, on every core; the first broken invariant ends it."""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections import Counter

from pinochle.cli.numbers import whole

from tests.long_runs import Progress, ended, in_order
from tests.soak.tables import Broken, Played, play

DEALS = 100_000
TABLES_A_TASK = 50


def main() -> int:
    parser = argparse.ArgumentParser(prog="make soak DEALS=N", description=__doc__)
    parser.add_argument("--deals", type=whole(1, 10**9), default=DEALS, help=f"how many at least (default {DEALS})")
    parser.add_argument("--first", type=int, default=0, help="the number of the first table")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    deals: Counter[str] = Counter()
    tables = acts = 0
    began, progress = time.monotonic(), Progress(options.deals, sys.stderr)
    try:
        for batch in in_order(_batch, range(options.first, sys.maxsize), TABLES_A_TASK, options.processes):
            for played in batch:
                tables, acts = tables + 1, acts + played.acts
                deals[played.profile] += played.deals
            progress(min(deals.total(), options.deals), f"{tables:,} tables")
            if deals.total() >= options.deals:
                break
    except Broken as error:
        print(f"{error}\n{deals.total():,} deals passed before; python -m tests.soak --first N plays table N again")
        return 1
    for name, number in sorted(deals.items()):
        print(f"{name:24} {number:>10,} deals")
    seconds = time.monotonic() - began
    print(f"{deals.total():,} deals, {tables:,} tables, {acts:,} acts in {seconds:,.0f} s: no invariant was broken")
    return 0


def _batch(numbers: range) -> list[Played]:
    gc.disable()  # a table leaves next to no cycles; looking for them after every few acts takes a quarter of the time
    played = [play(number) for number in numbers]
    gc.collect()
    return played


if __name__ == "__main__":
    ended(main)
