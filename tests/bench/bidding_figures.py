"""Measure what hands are worth to a declarer, and print the weights for `pinochle.bots.valuation`.

    PYTHONPATH=engine python tests/bench/bidding_figures.py --deals 20000

For each kind of game the dealer declares every deal unbidden, whatever the hand, and `club` plays all four seats. Two
least-squares fits follow: team meld over the dealer's own (ten-point scale, at most GAIN_MAX so that rare double runs
do not bend the rest), and the team's share of the trick points. Hands that somebody would bid are the ones that matter,
so hands below the median of the present valuation count WEAK_WEIGHT. A second run starts from the first one's weights.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from pinochle.bots import Chance, bot, play_deal
from pinochle.bots.valuation import FEATURES, Weights, best_prospect, features
from pinochle.events import HandDealt, HandScored, TrumpNamed
from pinochle.meld import best_meld
from pinochle.rules import RuleSet, load
from pinochle.shuffle import shuffled

GAIN_MAX = {"single": 400, "double": 1500}
WEAK_WEIGHT = 0.3
SEED = bytes(range(32))

KINDS = {
    ("single", 0): load("single-s3"),
    ("single", 4): load("classic", concession="never"),
    ("double", 0): load("double-deck"),
    ("double", 4): load("double-deck", exchange=4),
}


class Row(NamedTuple):
    """One deal played out; meld on the ten-point scale, `share` of all trick points."""

    features: tuple[float, ...]
    own: float
    gain: float
    share: float
    defence: float
    promise: float
    """The present valuation of the hand, as a share of all trick points."""


def main() -> None:
    options = argparse.ArgumentParser(description="print fitted weights for the bidding of the house bots")
    options.add_argument("--deals", type=int, default=20_000, help="deals for each kind of game")
    deals = options.parse_args().deals
    for (deck, exchange), rules in KINDS.items():
        rows = [row(rules, deal) for deal in range(1, deals + 1)]
        print(f'    ("{deck}", {exchange}): {literal(fitted(rows))},', flush=True)


def row(rules: RuleSet, deal: int) -> Row:
    """One deal played out with the dealer, seat 0, as declarer."""
    timid = bot("timid")
    chances = [Chance(SEED, deal, seat) for seat in range(4)]
    facts = play_deal(rules, [timid] * 4, shuffled(rules.cards, SEED, deal), 0, chances)
    hand = next(one for one in facts if isinstance(one, HandDealt)).hands[0]
    trump = next(one for one in facts if isinstance(one, TrumpNamed)).suit
    score = next(one for one in facts if isinstance(one, HandScored))
    own = best_meld(rules, hand, trump).points
    unit = 10 / rules.scale
    gain = min((score.meld[0] - own) * unit, GAIN_MAX[rules.deck])
    promise = best_prospect(rules, hand, (0, 1, 2, 3)).total / rules.trick_total
    share = score.trick_points[0] / rules.trick_total
    return Row(features(hand, trump), own * unit, gain, share, score.meld[1] * unit, promise)


def fitted(rows: list[Row]) -> Weights:
    """Both fits, with the deviations of what they leave unexplained, and what they say of a random hand."""
    median = sorted(one.promise for one in rows)[len(rows) // 2]
    weights = [1.0 if one.promise >= median else WEAK_WEIGHT for one in rows]
    xs = [one.features for one in rows]
    gain, gain_deviation = least_squares(xs, [one.gain for one in rows], weights)
    share, share_deviation = least_squares(xs, [one.share for one in rows], weights)
    melds = [one.own + dot(gain, one.features) for one in rows]
    shares = [dot(share, one.features) for one in rows]
    return Weights(
        gain, share, gain_deviation, share_deviation, fmean(melds), stdev(melds), fmean(shares), stdev(shares),
        fmean(one.defence for one in rows),
    )  # fmt: skip


def least_squares(
    xs: Sequence[Sequence[float]], ys: Sequence[float], weights: Sequence[float]
) -> tuple[tuple[float, ...], float]:
    """Weighted least squares by the normal equations; a feature that never occurs gets 0."""
    n = len(FEATURES)
    left = [[0.0] * n for _ in range(n)]
    right = [0.0] * n
    for x, y, weight in zip(xs, ys, weights, strict=True):
        for i in range(n):
            if x[i]:
                right[i] += weight * x[i] * y
                for j in range(n):
                    left[i][j] += weight * x[i] * x[j]
    for i in range(n):
        left[i][i] += 1e-6
    answer = solve(left, right)
    errors = [weight * (y - dot(answer, x)) ** 2
              for x, y, weight in zip(xs, ys, weights, strict=True)]  # fmt: skip
    return tuple(answer), (sum(errors) / sum(weights)) ** 0.5


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def solve(left: list[list[float]], right: list[float]) -> list[float]:
    """The solution of a regular system of linear equations, by elimination with pivots."""
    n = len(right)
    rows = [[*left[i], right[i]] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(n):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def literal(weights: Weights) -> str:
    gain = ", ".join(f"{one:.0f}" for one in weights.gain)
    share = ", ".join(f"{one:.3f}" for one in weights.share)
    field = f"{weights.meld:.0f}, {weights.meld_spread:.0f}, {weights.tricks:.3f}, {weights.tricks_spread:.3f}"
    return (
        f"Weights(\n        ({gain}),\n        ({share}),\n"
        f"        {weights.gain_deviation:.0f}, {weights.share_deviation:.3f}, {field}, {weights.defence:.0f},\n    )"
    )


if __name__ == "__main__":
    main()
