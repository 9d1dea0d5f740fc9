"""Which knobs may go together, written plainly from the rules (section 2), and random sets of them."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from tests.oracle.tricks import SCHEDULES, all_trick_points

Knobs = Mapping[str, Any]

WORDS: dict[str, tuple[str, ...]] = {
    "format": ("partnership", "stock"),
    "deck": ("single", "double"),
    "trump_source": ("auction", "turn_up"),
    "dealer_rule": ("forced", "free_then_forced", "redeal"),
    "run_extras": ("none", "king_or_queen", "king_queen_marriage"),
    "double_melds": ("bonus", "linear"),
    "must_beat": ("winning", "led", "none"),
    "bidder_meld_needs": ("nothing", "trick", "trick_points"),
    "defender_meld_needs": ("nothing", "trick", "trick_points"),
    "concession": ("never", "unmakeable", "short_by_limit", "any_time"),
    "set_penalty": ("bid", "meld_minus_shortfall", "shortfall"),
    "win_rule": ("reach", "own_bid", "declared_out"),
    "stock_end": ("deal_end", "immediate"),
    "trump_marriage": ("optional", "required"),
    "short_meld": ("play", "set_unplayed"),
    "short_tricks": ("lose_meld", "lose_all"),
    "unplayed_credit": ("nothing", "meld", "meld_half", "meld_all"),
    "set_points": ("subtract", "to_opponents"),
    "game_length": ("target", "deals", "either"),
    "deals_tie": ("extra_deal", "draw"),
}
FLAGS = ("pass_with_help", "misdeal_option", "must_overtrump", "dealer_opens")
POSITIVE = ("min_bid", "bid_step", "target", "deals")
NOT_NEGATIVE = ("last_trick", "meld_minimum", "bidder_trick_minimum", "defender_trick_minimum")
FEW = {"players": (2, 3, 4), "packet": (1, 2, 3, 4, 5), "scale": (10, 1), "exchange": (0, 2, 3, 4)}


def is_allowed(knobs: Knobs) -> bool:
    """R-CFG-02: whether the complete knob set is taken."""
    for name, value in knobs.items():
        if not value_is_allowed(name, value):
            return False
    double = knobs["deck"] == "double"
    auction = knobs["trump_source"] == "auction"
    if knobs["format"] == "stock":
        return knobs["players"] in (2, 3) and not double and not auction and knobs["exchange"] == 0
    if knobs["players"] != 4 or (not auction and knobs["exchange"] != 0):
        return False
    if knobs["min_bid"] % knobs["bid_step"] or (knobs["max_raise"] or 0) % knobs["bid_step"]:
        return False
    if double and knobs["run_extras"] != "none":
        return False
    if knobs["bid_ladder"] is not None:
        if knobs["max_raise"] is not None:
            return False
        beginning, step = knobs["min_bid"], knobs["bid_step"]
        for its_beginning, its_step in knobs["bid_ladder"]:
            bid = beginning
            while bid < its_beginning:
                bid += step
            if bid != its_beginning or its_beginning <= beginning:
                return False
            beginning, step = its_beginning, its_step
    if knobs["short_meld"] == "set_unplayed" and knobs["meld_minimum"] == 0:
        return False
    most = all_trick_points(knobs)
    return knobs["bidder_trick_minimum"] <= most and knobs["defender_trick_minimum"] <= most


def value_is_allowed(name: str, value: Any) -> bool:
    """Whether this knob may have this value at all."""
    if name in WORDS:
        return isinstance(value, str) and value in WORDS[name]
    if name in FLAGS:
        return isinstance(value, bool)
    if name in FEW:
        return is_whole(value) and value in FEW[name]
    if name in POSITIVE:
        return is_whole(value) and value > 0
    if name in NOT_NEGATIVE:
        return is_whole(value) and value >= 0
    if name == "max_raise":
        return value is None or (is_whole(value) and value > 0)
    if name == "bid_ladder":
        return value is None or (isinstance(value, list) and len(value) > 0 and all(map(is_rung, value)))
    if name == "trick_schedule":
        if isinstance(value, str):
            return value in SCHEDULES
        if not isinstance(value, dict) or sorted(value) != sorted("ATKQJ9"):
            return False
        return all(is_whole(points) and points >= 0 for points in value.values())
    return False  # a knob that the table does not name


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_rung(part: Any) -> bool:
    return isinstance(part, list) and len(part) == 2 and all(is_whole(number) and number > 0 for number in part)


# Random knobs. A rule set is a profile with a few of its knobs changed to values that are allowed, on their own.


def random_value(name: str, knobs: Knobs, chance: Random) -> Any:
    """A value that the knob may have, near to what its profile plays."""
    if name in WORDS:
        return chance.choice(WORDS[name])
    if name in FLAGS:
        return chance.random() < 0.5
    if name in FEW:
        return chance.choice(FEW[name])
    return _RANDOM[name](knobs, chance)


def _ladder(knobs: Knobs, chance: Random) -> list[list[int]] | None:
    parts, beginning, step = [], knobs["min_bid"], knobs["bid_step"]
    for _ in range(chance.randrange(4)):
        beginning += step * chance.randrange(1, 6)
        step = chance.choice((1, 2, 5, 10, 25))
        parts.append([beginning, step])
    return parts or None


def _schedule(knobs: Knobs, chance: Random) -> Any:
    if chance.random() < 0.7:
        return chance.choice(list(SCHEDULES))
    return {rank: chance.randrange(12) for rank in "ATKQJ9"}


def _trick_minimum(knobs: Knobs, chance: Random) -> int:
    most = all_trick_points(knobs)
    return chance.choice((0, 1, most // 10, most // 3, most, most + 1))


_RANDOM: dict[str, Callable[[Knobs, Random], Any]] = {
    "min_bid": lambda knobs, chance: int(knobs["bid_step"] * chance.randrange(1, 40)),
    "bid_step": lambda knobs, chance: chance.choice((1, 5, 10)),
    "max_raise": lambda knobs, chance: chance.choice((None, knobs["bid_step"] * chance.randrange(1, 5))),
    "target": lambda knobs, chance: chance.randrange(1, 1_600),
    "deals": lambda knobs, chance: chance.randrange(1, 6),
    "last_trick": lambda knobs, chance: chance.choice((0, 1, 2, 10, 20)),
    "meld_minimum": lambda knobs, chance: chance.choice((0, 4, 20, 60, 100)),
    "bidder_trick_minimum": _trick_minimum,
    "defender_trick_minimum": _trick_minimum,
    "bid_ladder": _ladder,
    "trick_schedule": _schedule,
}

WRONG = (-1, 0, 7, True, 2.5, "many", None, [], [[60]], {"A": 11, "T": 10}, [[1, 0]], [[100, 5], [60, 5]])
"""Values that most knobs may not have."""


def random_changes(knobs: Knobs, most: int, chance: Random) -> dict[str, Any]:
    """Some knobs with values that each of them may have; together they need not be allowed."""
    changed: dict[str, Any] = {}
    for name in chance.sample(sorted(knobs), chance.randrange(most + 1)):
        changed[name] = random_value(name, {**knobs, **changed}, chance)
    return changed


def random_allowed_changes(knobs: Knobs, most: int, chance: Random) -> dict[str, Any]:
    """Changes to a rule set that leave it allowed, and of the same format; none where no try succeeds."""
    for _ in range(20):
        changed = random_changes(knobs, most, chance)
        resolved = {**knobs, **changed}
        if resolved["format"] == knobs["format"] and is_allowed(resolved):
            return changed
    return {}
