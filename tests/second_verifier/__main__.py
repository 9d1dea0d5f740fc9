"""`python -m tests.second_verifier`: both verifiers on many logs, good and spoilt; the first difference ends it.

Each number is a table of random profile and knobs, or a tournament, and with it spoilt copies of a log; all of it
follows from the number alone.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pinochle import export
from pinochle.cli.numbers import whole
from pinochle.commands import OpenTable
from pinochle.rules import profiles

from tests import spoilt
from tests.long_runs import Progress, ended, in_order
from tests.played import PLAYERS, STREAM, play_table
from tests.second_verifier.compare import Verdict, a_log, both, of, table
from tests.soak.tables import with_some_knobs

LOGS = 1_000
LOGS_A_TASK = 10
SPOILT_A_LOG = 6

Differences = list[tuple[str, list[Verdict], list[Verdict]]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.second_verifier", description=__doc__)
    parser.add_argument(
        "--logs", type=whole(1, 10**9), default=LOGS, help=f"how many, each with its copies (default {LOGS})"
    )
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    said: Counter[str] = Counter()
    began, differing, progress = time.monotonic(), 0, Progress(options.logs, sys.stderr)
    numbers = range(options.first, options.first + options.logs)
    found = in_order(compared, numbers, LOGS_A_TASK, options.processes)
    for done, (counts, differences) in enumerate(found, 1):
        said += counts
        differing += len(differences)
        for name, ours, theirs in differences:
            print(f"\n{name}: the library says {ours}, the second verifier {theirs}")
        progress(min(LOGS_A_TASK * done, options.logs), f"{said.total():,} exports, {differing} failed")
    outcomes = ", ".join(f"{number:,} {outcome}" for outcome, number in sorted(said.items()))
    print(f"{outcomes} in {time.monotonic() - began:,.0f} s", file=sys.stderr)
    print(f"{said.total() - differing} passed, {differing} failed")
    return 1 if differing else 0


def compared(numbers: range) -> tuple[Counter[str], Differences]:
    """How often each outcome was said of the exports of these numbers, and where the two say otherwise."""
    files = {name: data for number in numbers for name, data in exports(number)}
    with tempfile.TemporaryDirectory() as folder:
        said = both(Path(folder), files)
    counts = Counter(verdict.outcome for ours, _ in said.values() for verdict in ours)
    return counts, [(name, ours, theirs) for name, (ours, theirs) in said.items() if ours != theirs]


def exports(number: int) -> Iterator[tuple[str, bytes]]:
    """The exports of one number, each with a name that says what it is."""
    chance = random.Random(number)
    rules = with_some_knobs(profiles()[number % len(profiles())], chance)
    players, seed = PLAYERS[: rules.players], chance.randbytes(32)
    opening = OpenTable(rules, players, number % rules.players, seed, b"", 20_000, 500, deal_limit=3)
    yield f"{number}-knobs", table(play_table("house", opening, chance, 5 + number % 20))
    kind, log, elsewhere = a_log(number)
    yield f"{number}-whole", of(kind, log)
    for way, data in enumerate(spoilt.lines_spoilt(list(export.lines(kind, STREAM, log)), chance)):
        yield f"{number}-lines-{way}", data
    for way, acts in enumerate(spoilt.acts_spoilt(log, STREAM, elsewhere, chance)):
        yield f"{number}-acts-{way}", of(kind, acts)
    for way in range(SPOILT_A_LOG):
        yield f"{number}-bytes-{way}", of(kind, spoilt.bytes_spoilt(log, STREAM, chance))
        yield f"{number}-facts-{way}", of(kind, spoilt.facts_spoilt(log, STREAM, kind, chance))


if __name__ == "__main__":
    ended(main)
