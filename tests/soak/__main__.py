"""`make soak DEALS=N`: random deals over all profiles and knobs, on every core; the first broken invariant ends it."""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import count

from tests.soak.tables import Broken, Played, play

DEALS = 100_000
TABLES_A_TASK = 50
TOLD_EVERY_SECONDS = 10


def main() -> int:
    parser = argparse.ArgumentParser(prog="make soak DEALS=N", description=__doc__)
    parser.add_argument("--deals", type=int, default=DEALS, help=f"how many at least (default {DEALS})")
    parser.add_argument("--first", type=int, default=0, help="the number of the first table")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    deals: Counter[str] = Counter()
    tables = acts = 0
    began = told = time.monotonic()
    with ProcessPoolExecutor(options.processes) as pool:
        try:
            for played in _results(pool, options.first, options.processes, options.deals, deals):
                tables, acts = tables + 1, acts + played.acts
                deals[played.profile] += played.deals
                if time.monotonic() - told > TOLD_EVERY_SECONDS:
                    told = time.monotonic()
                    so_far = f"{deals.total():,} of {options.deals:,} deals, {tables:,} tables"
                    print(so_far, file=sys.stderr, flush=True)
        except Broken as error:
            print(f"{error}\n{deals.total():,} deals passed before; python -m tests.soak --first N plays table N again")
            return 1
    for name, number in sorted(deals.items()):
        print(f"{name:24} {number:>10,} deals")
    seconds = time.monotonic() - began
    print(f"{deals.total():,} deals, {tables:,} tables, {acts:,} acts in {seconds:,.0f} s: no invariant was broken")
    return 0


def _results(
    pool: ProcessPoolExecutor, first: int, processes: int, enough: int, deals: Counter[str]
) -> Iterator[Played]:
    """Tables as they are played, a few tasks ahead, until there are enough deals."""
    numbers = count(first, TABLES_A_TASK)
    waiting = [pool.submit(_batch, next(numbers)) for _ in range(2 * processes)]
    while waiting:
        yield from waiting.pop(0).result()
        if deals.total() < enough:
            waiting.append(pool.submit(_batch, next(numbers)))


def _batch(first: int) -> list[Played]:
    gc.disable()  # a table leaves next to no cycles; looking for them after every few acts takes a quarter of the time
    played = [play(number) for number in range(first, first + TABLES_A_TASK)]
    gc.collect()
    return played


if __name__ == "__main__":
    sys.exit(main())
