"""Scores and the end of a game, written plainly from the rules (sections 10, 13, 14 and 18)."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.oracle.tricks import all_trick_points

Knobs = Mapping[str, Any]


def on_the_board(knobs: Knobs, meld: int) -> int:
    """A team's meld after the meld minimum (R-CLB-07)."""
    return 0 if meld < knobs["meld_minimum"] else meld


def is_set_unplayed(knobs: Knobs, meld: int) -> bool:
    """R-CLB-08."""
    return bool(knobs["short_meld"] == "set_unplayed" and meld < knobs["meld_minimum"])


def may_concede(knobs: Knobs, bid: int, meld: int) -> bool:
    """Section 10; `meld` is the bidding team's, before the meld minimum."""
    if knobs["trump_source"] != "auction":
        return False  # R-TRU-03
    if is_set_unplayed(knobs, meld):
        return False  # R-CLB-08: there is nothing to concede
    most = on_the_board(knobs, meld) + all_trick_points(knobs)
    return {
        "never": False,
        "unmakeable": bid > most,
        "short_by_limit": bid >= most,
        "any_time": True,
    }[knobs["concession"]]


def score_hand(
    knobs: Knobs,
    bidder: int | None,
    bid: int | None,
    meld: Sequence[int],
    trick_points: Sequence[int],
    tricks: Sequence[int],
    conceded: bool,
    no_play: str | None = None,
) -> dict[str, Any]:
    """Section 13 with the club rules, in the order that section 18 gives."""
    counted = [on_the_board(knobs, meld[0]), on_the_board(knobs, meld[1])]
    points = [trick_points[0], trick_points[1]]
    if bidder is None or bid is None:
        for team in (0, 1):
            as_defenders(knobs, team, counted, points, tricks)  # R-SCO-08
        delta = [counted[0] + points[0], counted[1] + points[1]]
        return {"outcome": "no_bid", "counted_meld": counted, "delta": delta}

    other = 1 - bidder
    if conceded or no_play is not None:  # R-SCO-06, R-CLB-11
        everything = all_trick_points(knobs)
        points[bidder] = 0
        points[other] = {"meld_half": everything // 2, "meld_all": everything}.get(knobs["unplayed_credit"], 0)
        if knobs["unplayed_credit"] == "nothing":
            counted[other] = 0
        made = False
    else:
        pulled_too_little = points[bidder] < knobs["bidder_trick_minimum"]  # R-CLB-09
        if pulled_too_little or is_void(knobs["bidder_meld_needs"], points[bidder], tricks[bidder]):
            counted[bidder] = 0  # R-SCO-03
        made = counted[bidder] + points[bidder] >= bid and not pulled_too_little
        as_defenders(knobs, other, counted, points, tricks)

    delta = [0, 0]
    delta[other] = counted[other] + points[other]
    if made:
        delta[bidder] = counted[bidder] + points[bidder]  # R-SCO-01
    else:
        shortfall = max(0, bid - counted[bidder] - points[bidder])
        lost = bid if knobs["set_penalty"] == "bid" else shortfall  # R-SCO-05
        if knobs["set_penalty"] == "meld_minus_shortfall":
            delta[bidder] += counted[bidder]
        if knobs["set_points"] == "to_opponents":
            delta[other] += lost  # R-CLB-12
        else:
            delta[bidder] -= lost
    outcome = "conceded" if conceded else "made" if made else "set"
    return {"outcome": outcome, "counted_meld": counted, "delta": delta}


def as_defenders(knobs: Knobs, team: int, counted: list[int], points: list[int], tricks: Sequence[int]) -> None:
    """Take from a team what it did not save (R-SCO-04, R-CLB-10)."""
    if is_void(knobs["defender_meld_needs"], points[team], tricks[team]):
        counted[team] = 0
    if points[team] < knobs["defender_trick_minimum"]:
        counted[team] = 0
        if knobs["short_tricks"] == "lose_all":
            points[team] = 0


def is_void(needs: str, points: int, tricks: int) -> bool:
    """Whether the team's meld is void for lack of tricks (R-SCO-03)."""
    if needs == "trick":
        return tricks == 0
    if needs == "trick_points":
        return points == 0
    return False


def game_end(
    knobs: Knobs,
    totals: Sequence[int],
    bidder: int | None,
    outcome: str,
    declared_out: bool,
    deals_played: int,
) -> dict[str, Any]:
    """Whether the game is over after a scored hand, and who won (section 14, R-CLB-13, R-CLB-14)."""
    ahead = None if totals[0] == totals[1] else 0 if totals[0] > totals[1] else 1
    if knobs["game_length"] in ("target", "either"):
        winner = winner_by_target(knobs, totals, bidder, outcome, declared_out, ahead)
        if winner is not None:
            return {"over": True, "winner": winner}
    if knobs["game_length"] in ("deals", "either") and deals_played >= knobs["deals"]:
        return {"over": ahead is not None or knobs["deals_tie"] == "draw", "winner": ahead}
    return {"over": False, "winner": None}


def winner_by_target(
    knobs: Knobs,
    totals: Sequence[int],
    bidder: int | None,
    outcome: str,
    declared_out: bool,
    ahead: int | None,
) -> int | None:
    """R-END-01 to R-END-05."""
    target = knobs["target"]
    if bidder is not None and knobs["win_rule"] in ("own_bid", "declared_out"):
        if outcome != "made" or totals[bidder] < target:
            return None
        if knobs["win_rule"] == "declared_out" and not declared_out:
            return None
        return bidder
    if totals[0] >= target and totals[1] >= target:
        return ahead if bidder is None else bidder
    if totals[0] >= target:
        return 0
    if totals[1] >= target:
        return 1
    return None
