"""`make leaks N=10000`: so many games held to the law that nobody receives what depends on cards it cannot know."""

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

from tests.leaks import beats, boards
from tests.leaks.check import check, tokens_of
from tests.leaks.loop import run, running
from tests.leaks.process import Service
from tests.leaks.worlds import Leak

GAMES = 10_000
GAMES_A_TASK = 20
BOARDS_EVERY = 10
"""One game in so many is followed by one on boards that another table plays as well, and by one with a beat."""
BAR = 40
TOLD_EVERY_SECONDS = 1.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="make leaks N=10000", description=__doc__)
    parser.add_argument("--games", type=int, default=GAMES, help=f"how many (default {GAMES})")
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    failed: list[str] = []
    began, told = time.monotonic(), 0.0
    with ProcessPoolExecutor(options.processes) as pool:
        for some, leaks in _results(pool, options.first, options.games, options.processes):
            counts += some
            failed += leaks
            for text in leaks:
                print(text, flush=True)  # now, so that a run that is cut short has told what it found
            if time.monotonic() - told > TOLD_EVERY_SECONDS:
                told = time.monotonic()
                _bar(counts["games"] + len(failed), options.games, told - began)
    _bar(options.games, options.games, time.monotonic() - began)
    print(file=sys.stderr)
    for name, number in sorted(counts.items()):
        print(f"{name:36} {number:>15,}")
    used = counts["CPU milliseconds"] / max(1, counts["games"]) / 1000
    print(f"{time.monotonic() - began:,.0f} s, {used:.2f} s CPU a game")
    print("python -m tests.leaks --first N --games 1 plays game N again")
    print(f"{counts['games']} passed, {len(failed)} failed")
    return 1 if failed else 0


def some_games(first: int, number: int) -> tuple[Counter[str], list[str]]:
    """Check these games on one service of their own; what was counted, and the leaks."""
    gc.disable()  # looking for cycles after every few messages takes a quarter of the time
    began = time.process_time()
    try:
        counts, failed = run(_some_games(first, number))
    finally:
        gc.enable()
        gc.collect()
    counts["CPU milliseconds"] = round(1000 * (time.process_time() - began))
    return counts, failed


async def _some_games(first: int, number: int) -> tuple[Counter[str], list[str]]:
    service = Service(running())
    await service.start()
    counts: Counter[str] = Counter()
    failed = []
    try:
        tokens = await tokens_of(service)
        for game in range(first, first + number):
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


def _results(
    pool: ProcessPoolExecutor, first: int, games: int, processes: int
) -> Iterator[tuple[Counter[str], list[str]]]:
    """What comes of the games, a few tasks ahead."""
    starts = iter(range(first, first + games, GAMES_A_TASK))
    waiting = []
    for _ in count():
        while len(waiting) < 2 * processes and (start := next(starts, None)) is not None:
            waiting.append(pool.submit(some_games, start, min(GAMES_A_TASK, first + games - start)))
        if not waiting:
            return
        yield waiting.pop(0).result()


def _bar(done: int, of: int, seconds: float) -> None:
    filled = BAR * done // max(1, of)
    left = seconds / done * (of - done) if done else 0
    line = f"\r[{'#' * filled}{'.' * (BAR - filled)}] {done:,} of {of:,} games, {seconds:,.0f} s, {left:,.0f} s left  "
    print(line, end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
