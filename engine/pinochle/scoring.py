"""Scores: what tricks are worth, what a hand scores, when a game is over (sections 10 to 14 and 18).

Team 0 is seats 0 and 2, team 1 is seats 1 and 3; pairs are indexed by team. Points are in the units of the
game. The checks of a hand's score run in the order that section 18 gives: meld minimum, played or not,
conditions on tricks, made or set, penalty and to whom.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pinochle.cards import Card
from pinochle.rules import RuleSet

Pair = tuple[int, int]

MADE = "made"
SET = "set"
CONCEDED = "conceded"
NO_BID = "no_bid"

NO_MARRIAGE = "no_marriage"
SHORT_MELD = "short_meld"


class HandScore(NamedTuple):
    """What a hand scores: `outcome` is made, set, conceded or no_bid; `delta` is added to the totals."""

    outcome: str
    counted_meld: Pair
    delta: Pair


class GameEnd(NamedTuple):
    """Whether the game is over, and the winner: a team, in the stock game a seat; None if over is a draw."""

    over: bool
    winner: int | None


def trick_points(rules: RuleSet, cards: Iterable[Card], last: bool) -> int:
    """Trick points of these cards, with the bonus of the last trick if `last` (R-TPT-05, R-TPT-08)."""
    values = rules.card_points
    points = rules.last_trick if last else 0
    for card in cards:
        points += values[card]
    return points


def may_concede(rules: RuleSet, bid: int, meld: int) -> bool:
    """Whether the declarer may concede with this meld of the team (section 10, R-CLB-07, R-CLB-08)."""
    if not rules.has_auction or is_short_meld(rules, meld):
        return False
    limit = _on_board(rules, meld) + rules.trick_total
    match rules.concession:
        case "any_time":
            return True
        case "unmakeable":
            return bid > limit
        case "short_by_limit":
            return bid >= limit
    return False


def is_short_meld(rules: RuleSet, meld: int) -> bool:
    """Whether the bidding team's `meld` sets it without play (R-CLB-08)."""
    return rules.has_auction and rules.short_meld == "set_unplayed" and meld < rules.meld_minimum


def score_hand(
    rules: RuleSet,
    *,
    bidder: int | None,
    bid: int | None,
    meld: Sequence[int],
    trick_points: Sequence[int],
    tricks: Sequence[int],
    conceded: bool = False,
    no_play: str | None = None,
) -> HandScore:
    """The score of a partnership hand (section 13).

    `bidder` is the bidding team and `bid` its contract, both None without bidding. `meld` is as melded and
    `tricks` the number of tricks won. `no_play` is no_marriage or short_meld when the hand was set without
    play (R-CLB-06, R-CLB-08). Of a hand not played, conceded ones included, trick points and tricks are not
    read.
    """
    on_board = (_on_board(rules, meld[0]), _on_board(rules, meld[1]))
    if bidder is None or bid is None:
        return _score_without_bidding(rules, on_board, trick_points, tricks)

    defenders = 1 - bidder
    if conceded or no_play:
        outcome = CONCEDED if conceded else SET
        bidder_meld = on_board[bidder]
        defender_meld, defender_points = _unplayed_credit(rules, on_board[defenders])
        bidder_points = 0
    else:
        bidder_points, bidder_won = trick_points[bidder], tricks[bidder]
        short = bidder_points < rules.bidder_trick_minimum
        counts = not short and _meld_counts(rules.bidder_meld_needs, bidder_points, bidder_won)
        bidder_meld = on_board[bidder] if counts else 0
        made = not short and bidder_meld + bidder_points >= bid
        outcome = MADE if made else SET
        defender_meld, defender_points = _earned(
            rules, on_board[defenders], trick_points[defenders], tricks[defenders]
        )

    if outcome == MADE:
        bidder_delta, to_defenders = bidder_meld + bidder_points, 0
    else:
        bidder_delta, to_defenders = _penalty(rules, bid, bidder_meld, bidder_points)
    defender_delta = defender_meld + defender_points + to_defenders
    return HandScore(
        outcome,
        _by_team(bidder, bidder_meld, defender_meld),
        _by_team(bidder, bidder_delta, defender_delta),
    )


def game_end(
    rules: RuleSet,
    *,
    totals: Sequence[int],
    bidder: int | None,
    outcome: str,
    declared_out: bool,
    deals_played: int,
) -> GameEnd:
    """Whether a partnership game is over after a scored hand (section 14, R-CLB-13, R-CLB-14).

    `totals` are those after the hand; `deals_played` counts the scored deals, this one included.
    """
    if rules.game_length != "deals":
        winner = _target_winner(rules, totals, bidder, outcome, declared_out)
        if winner is not None:
            return GameEnd(True, winner)
    if rules.game_length != "target" and deals_played >= rules.deals:
        winner = _higher(totals)
        return GameEnd(winner is not None or rules.deals_tie == "draw", winner)
    return GameEnd(False, None)


def stock_game_end(rules: RuleSet, totals: Sequence[int]) -> GameEnd:
    """Whether a stock game is over after a complete deal; `totals` are indexed by seat (R-TWO-19)."""
    top = max(totals)
    if top < rules.target or list(totals).count(top) > 1:
        return GameEnd(False, None)
    return GameEnd(True, list(totals).index(top))


def _on_board(rules: RuleSet, meld: int) -> int:
    return meld if meld >= rules.meld_minimum else 0  # R-CLB-07


def _meld_counts(needs: str, points: int, tricks: int) -> bool:
    """Whether a team's meld counts by `bidder_meld_needs` or `defender_meld_needs` (R-SCO-03, R-SCO-04)."""
    if needs == "trick":
        return tricks > 0
    return needs == "nothing" or points > 0


def _earned(rules: RuleSet, meld: int, points: int, tricks: int) -> Pair:
    """Counted meld and trick points of defenders, and of both teams without bidding (R-SCO-04, R-CLB-10)."""
    if points < rules.defender_trick_minimum:
        return 0, points if rules.short_tricks == "lose_meld" else 0
    return meld if _meld_counts(rules.defender_meld_needs, points, tricks) else 0, points


def _unplayed_credit(rules: RuleSet, meld: int) -> Pair:
    """Counted meld and trick points of the defenders for a hand that is not played (R-SCO-06, R-CLB-11)."""
    match rules.unplayed_credit:
        case "nothing":
            return 0, 0
        case "meld_half":
            return meld, rules.trick_total // 2
        case "meld_all":
            return meld, rules.trick_total
    return meld, 0


def _penalty(rules: RuleSet, bid: int, meld: int, points: int) -> Pair:
    """What a set bidding team scores, and what its defenders get on top (R-SCO-05, R-CLB-12)."""
    loss = bid if rules.set_penalty == "bid" else max(0, bid - meld - points)
    kept = meld if rules.set_penalty == "meld_minus_shortfall" else 0
    if rules.set_points == "to_opponents":
        return kept, loss
    return kept - loss, 0


def _score_without_bidding(
    rules: RuleSet, on_board: Pair, trick_points: Sequence[int], tricks: Sequence[int]
) -> HandScore:
    """R-SCO-08: both teams score as defenders do."""
    first = _earned(rules, on_board[0], trick_points[0], tricks[0])
    second = _earned(rules, on_board[1], trick_points[1], tricks[1])
    return HandScore(NO_BID, (first[0], second[0]), (sum(first), sum(second)))


def _by_team(bidder: int, of_bidder: int, of_defenders: int) -> Pair:
    return (of_bidder, of_defenders) if bidder == 0 else (of_defenders, of_bidder)


def _target_winner(
    rules: RuleSet, totals: Sequence[int], bidder: int | None, outcome: str, declared_out: bool
) -> int | None:
    """The team that wins by its total, if any (R-END-01 to R-END-05)."""
    there = [team for team in (0, 1) if totals[team] >= rules.target]
    if bidder is None:
        return _higher(totals) if len(there) == 2 else there[0] if there else None
    if rules.win_rule == "reach":
        return bidder if len(there) == 2 else there[0] if there else None
    if outcome != MADE or bidder not in there:
        return None
    return bidder if rules.win_rule == "own_bid" or declared_out else None


def _higher(totals: Sequence[int]) -> int | None:
    return None if totals[0] == totals[1] else int(totals[1] > totals[0])
