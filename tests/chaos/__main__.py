"""`make chaos MINUTES=…`: real processes under load and faults; closes with what was lost and doubled.

The seed chooses the faults and their places. Times are real, so a run with the same seed is similar and not the same.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import sys

from tests.chaos.load import Size
from tests.chaos.run import Result, run

MINUTES = 10.0
FAULTS_A_MINUTE = 120.0
SHOWN_MAX = 20


def main() -> int:
    """Run once; exit code 1 where anything was lost, doubled or otherwise wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=MINUTES, help=f"with faults (default {MINUTES:g})")
    parser.add_argument("--seed", type=int, help="by default a new one")
    parser.add_argument("--per-minute", type=float, default=FAULTS_A_MINUTE, help="faults that are tried a minute")
    parser.add_argument("--only", default="", metavar="TEXT", help="only kinds of faults whose names hold this")
    parser.add_argument("--keep", action="store_true", help="keep the folder in any case")
    options = parser.parse_args()
    seed = secrets.randbelow(1 << 31) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    result = asyncio.run(
        run(
            seed,
            options.minutes * 60,
            per_minute=options.per_minute,
            size=Size(),
            only=options.only,
            say=_say,
            keep=options.keep,
        )
    )
    report(result)
    return 0 if result.passed else 1


def report(result: Result) -> None:
    """The faults by kind, what was found, and the two lines at the end."""
    if sys.stderr.isatty():
        print(file=sys.stderr)
    for name, number in sorted(result.faults.items(), key=lambda item: -item[1]):
        print(f"  {name:34} {number:>6}")
    print(f"  {'all':34} {sum(result.faults.values()):>6}")
    if result.left_out:
        print(f"left out: {result.left_out}")
    for name, number in sorted(result.counts.items()):
        print(f"  {name:34} {number:>6}")
    for line in result.errors[:SHOWN_MAX]:
        print(f"logged: {line}")
    for text in (*map(str, result.findings[:SHOWN_MAX]), *result.troubles[:SHOWN_MAX]):
        print(text)
    if result.folder is not None:
        print(f"everything is in {result.folder}")
    number = sum(result.faults.values())
    print(json.dumps(plain(result)))
    print(f"{number} faults survived, {result.acknowledged} commands acknowledged, {result.lost} lost, "
          f"{result.doubled} doubled", flush=True)  # fmt: skip


def plain(result: Result) -> dict[str, object]:
    """The result as values that JSON can hold."""
    return {
        "seed": result.seed,
        "minutes": round(result.minutes, 2),
        "faults": sum(result.faults.values()),
        "acknowledged": result.acknowledged,
        "lost": result.lost,
        "doubled": result.doubled,
        "wrong": len(result.findings) - result.lost - result.doubled + len(result.troubles),
        "acts": result.acts,
        "tables": result.tables,
        "tournaments": result.tournaments,
        "comparisons": result.looks + 1,
        "still_seconds_max": round(result.still_seconds, 1),
        "end_seconds": round(result.end_seconds, 1),
        "waits": result.waits,
        "seconds": round(result.seconds, 1),
        "by_kind": dict(result.faults),
    }


def _say(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text[:160]}", end="", file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
