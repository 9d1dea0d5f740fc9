"""The auction's arithmetic: which bids are legal above a standing bid (section 6, R-CLB-02)."""

from __future__ import annotations

from pinochle.rules import RuleSet

BID_MAX = 10_000_000
"""No bid is higher, whatever the rules: a score must fit the figures of the wire after the longest game."""

Ladder = tuple[tuple[int, int], ...]
"""Parts of (from, step), in order; the first is `min_bid` with `bid_step`."""


def ladder(rules: RuleSet) -> Ladder:
    """The bids' ladder: one part for a plain grid (R-AUC-03), more with `bid_ladder` (R-CLB-02)."""
    return ((rules.min_bid, rules.bid_step), *((start, step) for start, step in rules.bid_ladder or ()))


def is_on(rungs: Ladder, amount: int) -> bool:
    """Whether the amount is a bid of this ladder."""
    for start, step in reversed(rungs):
        if amount >= start:
            return (amount - start) % step == 0
    return False


def next_above(rungs: Ladder, standing: int | None) -> int:
    """The lowest bid above the standing one; the ladder's first bid where there is none (R-AUC-02)."""
    if standing is None:
        return rungs[0][0]
    for i in range(len(rungs) - 1, -1, -1):
        start, step = rungs[i]
        if standing >= start:
            above = standing + step
            # The next part begins at a bid of this one, so a step never jumps over its beginning.
            return min(above, rungs[i + 1][0]) if i + 1 < len(rungs) else above
    return rungs[0][0]


def up_to(rungs: Ladder, amount: int) -> int | None:
    """The highest bid of the ladder that is not above the amount, or None where there is none."""
    for start, step in reversed(rungs):
        if amount >= start:
            return amount - (amount - start) % step
    return None


def highest(rules: RuleSet, standing: int | None) -> int | None:
    """The highest legal bid, or None for no limit (R-AUC-04)."""
    if rules.max_raise is None:
        return None
    base = rules.min_bid - rules.bid_step if standing is None else standing
    return base + rules.max_raise
