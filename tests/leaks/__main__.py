"""`make leaks N=10000`: so many games held to the law that nobody receives what depends on cards it cannot know."""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections import Counter

from pinochle.cli.numbers import whole

from tests.leaks import beats, boards
from tests.leaks.check import check, tokens_of
from tests.leaks.loop import run, running
from tests.leaks.process import Service
from tests.leaks.worlds import Leak
from tests.long_runs import Progress, ended, in_order

GAMES = 10_000
GAMES_A_TASK = 20
BOARDS_EVERY = 10
"""One game in so many is followed by one on boards that another table plays as well, and by one with a beat."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="make leaks N=10000", description=__doc__)
    parser.add_argument("--games", type=whole(1, 10**9), default=GAMES, help=f"how many (default {GAMES})")
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    failed = 0
    began, progress = time.monotonic(), Progress(options.games, sys.stderr)
    numbers = range(options.first, options.first + options.games)
    for some, leaks in in_order(some_games, numbers, GAMES_A_TASK, options.processes):
        counts += some
        failed += len(leaks)
        for text in leaks:
            print(text, flush=True)
        progress(counts["games"] + failed, f"{failed} failed")
    for name, number in sorted(counts.items()):
        print(f"{name:36} {number:>15,}")
    used = counts["CPU milliseconds"] / max(1, counts["games"]) / 1000
    print(f"{time.monotonic() - began:,.0f} s, {used:.2f} s CPU a game")
    print("python -m tests.leaks --first N --games 1 plays game N again")
    print(f"{counts['games']} passed, {failed} failed")
    return 1 if failed else 0


def some_games(numbers: range) -> tuple[Counter[str], list[str]]:
    """Check these games on one service of their own; what was counted, and the leaks."""
    gc.disable()  # looking for cycles after every few messages takes a quarter of the time
    began = time.process_time()
    try:
        counts, failed = run(_some_games(numbers))
    finally:
        gc.enable()
        gc.collect()
    counts["CPU milliseconds"] = round(1000 * (time.process_time() - began))
    return counts, failed


async def _some_games(numbers: range) -> tuple[Counter[str], list[str]]:
    service = Service(running())
    await service.start()
    counts: Counter[str] = Counter()
    failed = []
    try:
        tokens = await tokens_of(service)
        for game in numbers:
            try:
                await check(service, game, tokens, counts)
                if game % BOARDS_EVERY == 0:
                    await boards.check(service, game, tokens, counts)
                    await beats.check(service, game, tokens, counts)
                counts["games"] += 1
            except Leak as leak:
                failed.append(str(leak))
            except Exception as error:  # a game that cannot be checked has not passed
                failed.append(f"game {game}: {error.__class__.__name__}: {error}")
    finally:
        await service.stop()
    return counts, failed


if __name__ == "__main__":
    ended(main)
