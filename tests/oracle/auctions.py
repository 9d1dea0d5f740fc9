"""The auction, written plainly from the rules (section 6, R-CLB-02 to R-CLB-04)."""

from collections.abc import Mapping, Sequence
from typing import Any

Knobs = Mapping[str, Any]
Call = Mapping[str, Any]


def follow(knobs: Knobs, dealer: int, calls: Sequence[Call]) -> dict[str, Any]:
    """Where these calls lead: open, contract, redeal or illegal, with what the rule vectors say of each."""
    passed: list[int] = []
    standing = (dealer, knobs["min_bid"]) if knobs["dealer_opens"] else None  # R-CLB-03
    dealer_has_bid = False
    turn = (dealer + 1) % 4
    for number, call in enumerate(calls):
        if call["seat"] != turn or not is_legal(knobs, standing, call):
            return {"state": "illegal"}
        if call["call"] == "bid":
            standing = (turn, call["amount"])
            dealer_has_bid = dealer_has_bid or turn == dealer
        else:
            passed.append(turn)
        end = ending(knobs, dealer, passed, standing, dealer_has_bid)
        if end is not None:
            return end if number == len(calls) - 1 else {"state": "illegal"}  # R-AUC-12
        turn = (turn + 1) % 4
        while turn in passed:
            turn = (turn + 1) % 4
    lowest = lowest_bid(knobs, standing)
    return {
        "state": "open",
        "turn": turn,
        "min": lowest,
        "max": highest_bid(knobs, standing),
        "step": step_at(knobs, lowest),
        "pass": True,
        "pass_help": knobs["pass_with_help"],
    }


def ending(
    knobs: Knobs, dealer: int, passed: Sequence[int], standing: tuple[int, int] | None, dealer_has_bid: bool
) -> dict[str, Any] | None:
    """How the auction has ended, or None where it goes on."""
    if len(passed) == 3 and standing is not None:  # R-AUC-07
        seat, bid = standing
        forced = knobs["dealer_opens"] and seat == dealer and not dealer_has_bid  # R-CLB-03
        return {"state": "contract", "declarer": seat, "bid": bid, "forced": forced}
    stuck = {"state": "contract", "declarer": dealer, "bid": knobs["min_bid"], "forced": True}
    if len(passed) == 3 and knobs["dealer_rule"] == "forced":  # R-AUC-08
        return stuck
    if len(passed) == 4:
        return {"state": "redeal"} if knobs["dealer_rule"] == "redeal" else stuck  # R-AUC-10, R-AUC-09
    return None


def is_legal(knobs: Knobs, standing: tuple[int, int] | None, call: Call) -> bool:
    """Whether the player on turn may make this call."""
    if call["call"] == "pass":
        return True
    if call["call"] == "pass_help":
        return bool(knobs["pass_with_help"])  # R-AUC-06
    amount, highest = call["amount"], highest_bid(knobs, standing)
    if highest is not None and amount > highest:
        return False
    bid = lowest_bid(knobs, standing)
    while bid < amount:
        bid += step_at(knobs, bid)
    return bool(bid == amount)


def lowest_bid(knobs: Knobs, standing: tuple[int, int] | None) -> int:
    """The first bid of the ladder above the standing one (R-AUC-02, R-AUC-03)."""
    bid = int(knobs["min_bid"])
    while standing is not None and bid <= standing[1]:
        bid += step_at(knobs, bid)
    return bid


def highest_bid(knobs: Knobs, standing: tuple[int, int] | None) -> int | None:
    """R-AUC-04; None where there is no limit."""
    if knobs["max_raise"] is None:
        return None
    before = knobs["min_bid"] - knobs["bid_step"] if standing is None else standing[1]
    return int(before + knobs["max_raise"])


def step_at(knobs: Knobs, bid: int) -> int:
    """The step from this bid to the next (R-AUC-03, R-CLB-02)."""
    step = int(knobs["bid_step"])
    for beginning, its_step in knobs["bid_ladder"] or []:
        if bid >= beginning:
            step = its_step
    return step
