"""Random rule sets of both games: any knobs that R-CFG-02 allows together."""

from typing import Any

from hypothesis import strategies as st
from pinochle.rules import RuleSet, load, profiles

PARTNERSHIP = [name for name in profiles() if not load(name).is_stock]
"""Every profile of the four-handed game."""
STOCK = [name for name in profiles() if load(name).is_stock]
"""Every profile of the game with a stock."""

FREE: dict[str, st.SearchStrategy[Any]] = {
    "packet": st.integers(1, 5),
    "scale": st.sampled_from([10, 1]),
    "pass_with_help": st.booleans(),
    "dealer_rule": st.sampled_from(["forced", "free_then_forced", "redeal"]),
    "misdeal_option": st.booleans(),
    "double_melds": st.sampled_from(["bonus", "linear"]),
    "must_beat": st.sampled_from(["winning", "led", "none"]),
    "must_overtrump": st.booleans(),
    "trick_schedule": st.one_of(
        st.sampled_from(["counters10", "ace11", "tens_fives", "counters1"]),
        st.fixed_dictionaries({rank: st.integers(0, 12) for rank in "ATKQJ9"}),
    ),
    "last_trick": st.sampled_from([0, 1, 2, 10, 20]),
    "bidder_meld_needs": st.sampled_from(["nothing", "trick", "trick_points"]),
    "defender_meld_needs": st.sampled_from(["nothing", "trick", "trick_points"]),
    "concession": st.sampled_from(["never", "unmakeable", "short_by_limit", "any_time"]),
    "set_penalty": st.sampled_from(["bid", "meld_minus_shortfall", "shortfall"]),
    "target": st.integers(1, 1_500),
    "win_rule": st.sampled_from(["reach", "own_bid", "declared_out"]),
    "stock_end": st.sampled_from(["deal_end", "immediate"]),
    "dealer_opens": st.booleans(),
    "trump_marriage": st.sampled_from(["optional", "required"]),
    "short_tricks": st.sampled_from(["lose_meld", "lose_all"]),
    "unplayed_credit": st.sampled_from(["nothing", "meld", "meld_half", "meld_all"]),
    "set_points": st.sampled_from(["subtract", "to_opponents"]),
    "game_length": st.sampled_from(["target", "deals", "either"]),
    "deals": st.integers(1, 4),
    "deals_tie": st.sampled_from(["extra_deal", "draw"]),
}
"""Knobs with their allowed values, whatever the others are."""


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet:
    """A valid rule set of the partnership game."""
    knobs: dict[str, Any] = {name: draw(values) for name, values in FREE.items()}
    double, auction = draw(st.booleans()), draw(st.integers(0, 3)) > 0
    knobs |= {"format": "partnership", "players": 4, "deck": "double" if double else "single"}
    extras = ["none"] if double else ["none", "king_or_queen", "king_queen_marriage"]
    knobs["run_extras"] = draw(st.sampled_from(extras))
    knobs["trump_source"] = "auction" if auction else "turn_up"
    knobs["exchange"] = draw(st.sampled_from([0, 2, 3, 4])) if auction else 0
    knobs["meld_minimum"] = draw(st.sampled_from([0, 0, 4, 20, 60]))
    knobs["short_meld"] = draw(st.sampled_from(["play", "set_unplayed"])) if knobs["meld_minimum"] else "play"
    knobs |= draw(bids())
    knobs |= {"bidder_trick_minimum": 0, "defender_trick_minimum": 0}
    total = RuleSet.from_knobs(knobs).trick_total
    for name in ("bidder_trick_minimum", "defender_trick_minimum"):
        knobs[name] = draw(st.sampled_from([0, 0, min(1, total), total // 3, total]))
    return RuleSet.from_knobs(knobs)


@st.composite
def stock_rule_sets(draw: st.DrawFn) -> RuleSet:
    """A valid rule set of the stock game."""
    knobs: dict[str, Any] = load("two-handed").knobs() | {name: draw(values) for name, values in FREE.items()}
    return RuleSet.from_knobs(knobs | {"players": draw(st.sampled_from([2, 3]))})


@st.composite
def bids(draw: st.DrawFn) -> dict[str, Any]:
    """The knobs of a grid with or without a limit on raises, or of a ladder."""
    step = draw(st.sampled_from([1, 5, 10]))
    low = step * draw(st.integers(1, 40))
    said: dict[str, Any] = {"bid_step": step, "min_bid": low, "max_raise": None, "bid_ladder": None}
    shape = draw(st.integers(0, 2))
    if shape == 1:
        said["max_raise"] = step * draw(st.integers(1, 4))
    elif shape == 2:
        said["bid_ladder"] = []
        for _ in range(draw(st.integers(1, 3))):
            low += step * draw(st.integers(1, 5))
            step = draw(st.sampled_from([1, 2, 5, 10, 25]))
            said["bid_ladder"].append([low, step])
    return said
