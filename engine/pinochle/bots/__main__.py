"""`python -m pinochle.bots A B`: a duel of two house bots, its figures in a few lines or as one JSON line.

The seed is fixed unless given, so that a run can be repeated. Exit code 2 for wrong input.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence

from pinochle.bots.duel import DuelResult, duel
from pinochle.bots.roster import BOTS, bot
from pinochle.errors import BadInput, BadRules
from pinochle.rules import load, profiles
from pinochle.shuffle import SEED_BYTES

DEALS_MAX = 1_000_000
PROGRESS_EVERY = 100


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the duel that the arguments name; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m pinochle.bots",
        description="Play mirrored deals between two house bots and show what came of it. In the stock game the first "
        "one has each seat in turn, the second all others.",
    )
    parser.add_argument("bots", nargs=2, metavar="BOT", help=f"one of {', '.join(BOTS)}")
    parser.add_argument("--profile", default="classic", help=f"one of {', '.join(profiles())}")
    deals = "mirrored deals, each played again with sides changed (default 1000)"
    parser.add_argument("--deals", type=int, default=1000, help=deals)
    parser.add_argument("--seed", default="00" * SEED_BYTES, help="64 hexadecimal digits that all decks follow from")
    parser.add_argument("--json", action="store_true", help="one JSON line instead of text")
    options = parser.parse_args(arguments)
    try:
        first, second = bot(options.bots[0]), bot(options.bots[1])
        rules = load(options.profile)
        if not 1 <= options.deals <= DEALS_MAX:
            raise BadInput(f"deals must be 1 to {DEALS_MAX}, not {options.deals}")
        seed = _seed(options.seed)
    except (BadInput, BadRules) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    result = duel(first, second, rules, options.deals, seed, _progress(options.deals))
    if options.json:
        print(json.dumps(as_json(result)))
    else:
        print("\n".join(lines(options.bots, result, is_stock=rules.is_stock)))
    return 0


def lines(names: Sequence[str], result: DuelResult, *, is_stock: bool = False) -> list[str]:
    """The result for people; the stock game has no contracts to tell of."""
    low, high = result.interval
    said = [
        f"{names[0]} against {names[1]}: {result.mean:+.1f} a deal (95 %: {low:+.1f} to {high:+.1f}), "
        f"{_percent(result.win_share)} of {result.deals} mirrored deals won",
    ]
    if is_stock:
        return said
    said.append(f"auctions won by a bid: {_percent(result.voluntary_share)}")
    for name, side in zip(names, result.sides, strict=True):
        said.append(f"{name}: {side.declared} contracts, {_percent(side.made_share)} made")
    return said


def as_json(result: DuelResult) -> dict[str, object]:
    """The result as plain values; shares are null where there were no contracts."""
    return {
        "deals": result.deals,
        "mean": round(result.mean, 3),
        "error": round(result.error, 3) if result.deals > 1 else None,
        "win_share": round(result.win_share, 4),
        "unscored": result.unscored,
        "sides": [side._asdict() for side in result.sides],
    }


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{share:.0%}"


def _seed(digits: str) -> bytes:
    try:
        seed = bytes.fromhex(digits)
    except ValueError:
        seed = b""
    if len(seed) != SEED_BYTES:
        raise BadInput(f"seed must be {2 * SEED_BYTES} hexadecimal digits")
    return seed


def _progress(deals: int) -> Callable[[int], None] | None:
    if not sys.stderr.isatty():
        return None

    def show(done: int) -> None:
        if done % PROGRESS_EVERY == 0 or done == deals:
            print(f"\r{done} of {deals} deals", end="\n" if done == deals else "", file=sys.stderr, flush=True)

    return show


if __name__ == "__main__":
    sys.exit(main())
