"""`make sim SEED=n` and `make sim-many N=…`: run seeds of the simulation; the first line of a failure repeats it."""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings

from pinochle.cli.numbers import whole

from tests.long_runs import Progress, ended, in_order

SEEDS_A_TASK = 20
FAILURES_SHOWN_MAX = 20


def main() -> int:
    """Run what the arguments ask for; exit code 1 where a seed failed."""
    if os.environ.get("PYTHONHASHSEED") != "0":
        # Sets of bytes come in the order of their hashes, which are the same in each run only so.
        again = [sys.executable, "-m", "tests.sim", *sys.argv[1:]]
        os.execve(sys.executable, again, os.environ | {"PYTHONHASHSEED": "0"})
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description=__doc__)
    parser.add_argument("--seed", type=int, help="run this one, and show what happened")
    parser.add_argument("--many", type=whole(1, 10**9), default=1_000, metavar="N", help="run so many (default 1000)")
    parser.add_argument("--from", dest="first", type=int, default=0, metavar="SEED", help="begin with this seed")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--go-on", action="store_true", help="do not stop at the first failures")
    options = parser.parse_args()
    if options.seed is not None:
        return _one(options.seed)
    return _many(options.first, options.many, options.processes, options.go_on)


def _one(seed: int) -> int:
    from tests.sim.simulation import run

    result = run(seed)
    print(
        f"seed {seed}: {result.acts} acts, {result.crashes} crashes, {result.seconds:.1f} virtual seconds, "
        f"{result.callbacks} callbacks, digest {result.digest:08x}"
    )
    if result.invariant:
        print(_failure(result))
        return 1
    print("passed")
    return 0


def _many(first: int, number: int, processes: int, goes_on: bool) -> int:
    passed = failed = acts = crashes = 0
    began, progress = time.monotonic(), Progress(number, sys.stderr)
    for batch in in_order(run_some, range(first, first + number), SEEDS_A_TASK, processes):
        for result in batch:
            acts, crashes = acts + result.acts, crashes + result.crashes
            if not result.invariant:
                passed += 1
                continue
            failed += 1
            if failed <= FAILURES_SHOWN_MAX:
                print(_failure(result), flush=True)
        progress(passed + failed, f"{failed} failed; FROM={first + passed + failed} goes on")
        if failed >= FAILURES_SHOWN_MAX and not goes_on:
            break
    print(f"{acts:,} acts, {crashes:,} crashes in {time.monotonic() - began:,.0f} s")
    print(f"{passed:,} passed, {failed:,} failed", flush=True)
    return 1 if failed else 0


def run_some(seeds: range) -> list:  # type: ignore[type-arg]
    """The results of some seeds."""
    from tests.sim.simulation import run_all

    warnings.filterwarnings("ignore", "coroutine .* was never awaited")  # of processes that were killed
    return run_all(seeds)


def _failure(result: object) -> str:
    from tests.sim.simulation import Result

    assert isinstance(result, Result)
    trace = "\n".join(f"    {line}" for line in result.trace[-25:])
    return (
        f"seed {result.seed} failed; make sim SEED={result.seed} repeats it\n"
        f"  {result.invariant}: {result.text}\n{trace}"
    )


if __name__ == "__main__":
    ended(main)
