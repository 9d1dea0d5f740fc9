"""The auction: whose turn, which calls, and how it ends (sections 6 and 18)."""

from typing import Any

import pytest
from pinochle import auction
from pinochle.auction import BID_MAX
from pinochle.commands import DealCards, NameTrump, OpenTable, Pass, PlaceBid
from pinochle.errors import Reason, Rejected
from pinochle.events import AuctionWon, BidPlaced, DealAbandoned, Passed
from pinochle.game import GAME
from pinochle.options import CallOptions, legal
from pinochle.rules import load
from pinochle.state import AUCTION, DEAL, TRUMP, State

Call = int | str
"""A bid, or ``pass`` or ``help``."""


def table(profile: str, dealer: int = 3, **knobs: Any) -> State:
    """A table of the profile at its first call; with dealer 3 seat 0 calls first."""
    rules = load(profile, **knobs)
    state = GAME.initial()
    for command in (OpenTable(rules, ("a", "b", "c", "d"), dealer, bytes(32)), DealCards(rules.cards)):
        state = GAME.fold(state, GAME.decide(state, command), 0)
    return state


@pytest.mark.parametrize(
    ("amount", "bid"), [(0, None), (249, None), (250, 250), (259, 250), (305, 300), (499, 475), (520, 500)]
)
def test_the_highest_bid_up_to_an_amount_is_on_the_ladder(amount: int, bid: int | None) -> None:
    rungs = ((250, 10), (300, 25), (500, 100))
    assert bid == auction.up_to(rungs, amount)
    assert bid is None or auction.is_on(rungs, bid)


def called(state: State, *calls: Call) -> State:
    """The state after these calls, each by the seat on turn."""
    for call in calls:
        state = GAME.fold(state, GAME.decide(state, command(state.turn, call)), 0)
    return state


def command(seat: int, call: Call) -> PlaceBid | Pass:
    return PlaceBid(seat, call) if isinstance(call, int) else Pass(seat, helps=call == "help")


def options(state: State) -> CallOptions:
    found = legal(state)
    assert isinstance(found, CallOptions)
    return found


def refusal(state: State, call: Call, seat: int | None = None) -> Reason:
    with pytest.raises(Rejected) as rejection:
        GAME.decide(state, command(state.turn if seat is None else seat, call))
    return rejection.value.reason


# Turns


@pytest.mark.parametrize("dealer", [0, 1, 2, 3])
def test_given_a_dealer_when_the_cards_are_dealt_then_the_left_neighbour_calls_first(dealer: int) -> None:
    """R-AUC-01."""
    assert ((dealer + 1) % 4, AUCTION) == (table("classic", dealer).turn, table("classic", dealer).phase)


def test_given_an_open_auction_when_a_seat_calls_out_of_turn_then_it_is_rejected() -> None:
    """R-AUC-01."""
    for seat in (1, 2, 3):
        assert Reason.NOT_YOUR_TURN == refusal(table("classic"), 250, seat)
        assert Reason.NOT_YOUR_TURN == refusal(table("classic"), "pass", seat)


def test_given_a_player_who_passed_when_calling_comes_round_then_that_player_is_skipped() -> None:
    """R-AUC-01, R-AUC-05."""
    state = called(table("classic"), 250, "pass", 260, "pass", 270)
    assert 2 == state.turn
    assert 0 == called(state, 280).turn


# Bids


@pytest.mark.parametrize(("amount", "expected"), [(240, False), (249, False), (250, True), (251, False), (260, True)])
def test_given_no_bid_when_a_player_opens_then_the_minimum_is_needed(amount: int, expected: bool) -> None:
    """R-AUC-02, R-AUC-03."""
    assert expected == (PlaceBid(0, amount) in options(table("classic")))


@pytest.mark.parametrize(
    ("amount", "expected"), [(0, False), (260, False), (269, False), (270, True), (1_000, True), (1_005, False)]
)
def test_given_a_bid_of_260_when_a_player_bids_then_it_is_on_the_grid_and_higher(amount: int, expected: bool) -> None:
    """R-AUC-03."""
    assert expected == (PlaceBid(1, amount) in options(called(table("classic"), 260)))


def test_given_max_raise_20_when_nobody_has_bid_then_250_and_260_are_the_openings() -> None:
    """R-AUC-04."""
    found = options(table("cardgames"))
    assert [250, 260] == [bid for bid in range(400) if PlaceBid(0, bid) in found]


def test_given_max_raise_20_when_250_stands_then_260_and_270_are_legal() -> None:
    """R-AUC-04."""
    found = options(called(table("cardgames"), 250))
    assert [260, 270] == [bid for bid in range(400) if PlaceBid(1, bid) in found]


def test_given_max_raise_when_a_bid_is_too_high_then_the_refusal_names_the_range() -> None:
    with pytest.raises(Rejected) as rejection:
        GAME.decide(table("cardgames"), PlaceBid(0, 300))
    assert "illegal_bid: the lowest bid is 250, the highest 260, in steps of 10" == str(rejection.value)


def test_given_no_max_raise_when_a_player_jumps_then_any_bid_of_the_grid_is_legal() -> None:
    """R-AUC-04."""
    assert None is options(table("classic")).highest
    assert 5_000 == called(table("classic"), 5_000).bid


def test_given_no_max_raise_when_a_bid_is_beyond_all_figures_then_it_is_rejected() -> None:
    assert BID_MAX == called(table("classic"), BID_MAX).bid
    assert Reason.ILLEGAL_BID == refusal(table("classic"), BID_MAX + 10)
    assert Reason.ILLEGAL_BID == refusal(table("classic"), 2**32 - 6)


def test_given_the_highest_bid_there_is_when_others_call_then_only_a_pass_is_left() -> None:
    state = called(table("classic"), BID_MAX)
    assert Reason.ILLEGAL_BID == refusal(state, options(state).lowest)

    class LikesToBid:
        def randrange(self, stop: int) -> int:
            return 0

    assert Pass(1) == options(state).sample(LikesToBid())  # type: ignore[arg-type]


# Passing


def test_given_a_player_who_passed_when_that_player_calls_again_then_it_is_rejected() -> None:
    """R-AUC-05."""
    assert Reason.NOT_YOUR_TURN == refusal(called(table("classic"), "pass"), 250, 0)


def test_given_pass_with_help_when_a_player_helps_then_it_is_a_pass_with_one_public_bit() -> None:
    """R-AUC-06."""
    state = table("classic-help")
    assert (Passed(0, helps=True),) == GAME.decide(state, Pass(0, helps=True))
    assert 1 == called(state, "help").passed
    assert (Passed(0, helps=False),) == GAME.decide(state, Pass(0))


def test_given_no_pass_with_help_when_a_player_helps_then_it_is_rejected() -> None:
    """R-AUC-06."""
    assert Reason.ILLEGAL_CALL == refusal(table("classic"), "help")


def test_given_three_helping_passes_when_nobody_has_bid_then_the_auction_ends_as_with_plain_ones() -> None:
    """R-AUC-06, R-AUC-08."""
    assert (3, TRUMP) == (called(table("classic-help"), "help", "help", "help").declarer, TRUMP)


# The end


def test_given_a_standing_bid_when_three_have_passed_then_the_bidder_declares() -> None:
    """R-AUC-07."""
    state = called(table("classic"), 250, 260, "pass", "pass")
    assert (Passed(0, False), AuctionWon(1, 260, forced=False)) == GAME.decide(state, Pass(0))
    state = called(state, "pass")
    assert (1, 260, TRUMP, 1) == (state.declarer, state.bid, state.phase, state.turn)


def test_given_an_auction_that_has_ended_when_anybody_calls_then_it_is_rejected() -> None:
    """R-AUC-12."""
    state = called(table("classic"), 250, "pass", "pass", "pass")
    assert Reason.WRONG_PHASE == refusal(state, 260, 0)
    assert Reason.WRONG_PHASE == refusal(state, "pass", 0)
    for seat in (1, 2, 3):
        assert Reason.NOT_YOUR_TURN == refusal(state, 260, seat)


def test_given_a_declarer_when_another_seat_names_trump_then_it_is_rejected() -> None:
    """R-AUC-11."""
    state = called(table("classic"), 250, "pass", "pass", "pass")
    with pytest.raises(Rejected) as rejection:
        GAME.decide(state, NameTrump(2, 0))
    assert Reason.NOT_YOUR_TURN == rejection.value.reason


def test_given_a_forced_dealer_when_three_pass_then_the_dealer_declares_without_a_turn() -> None:
    """R-AUC-08."""
    state = called(table("classic"), "pass", "pass")
    assert (Passed(2, False), AuctionWon(3, 250, forced=True)) == GAME.decide(state, Pass(2))


def test_given_a_free_dealer_when_three_pass_then_the_dealer_may_still_bid() -> None:
    """R-AUC-09."""
    state = called(table("cardgames"), "pass", "pass", "pass")
    assert (3, AUCTION, 250, 260) == (state.turn, state.phase, options(state).lowest, options(state).highest)
    assert (BidPlaced(3, 260), AuctionWon(3, 260, forced=False)) == GAME.decide(state, PlaceBid(3, 260))


def test_given_a_free_dealer_when_all_four_pass_then_the_dealer_declares_all_the_same() -> None:
    """R-AUC-09."""
    state = called(table("cardgames"), "pass", "pass", "pass")
    assert (Passed(3, False), AuctionWon(3, 250, forced=True)) == GAME.decide(state, Pass(3))


def test_given_the_redeal_rule_when_all_four_pass_then_the_next_dealer_deals_and_nothing_is_scored() -> None:
    """R-AUC-10."""
    state = called(table("danish", 2, dealer_rule="redeal"), "pass", "pass", "pass")
    assert (Passed(2, False), DealAbandoned(3)) == GAME.decide(state, Pass(2))
    state = called(state, "pass")
    assert (DEAL, 3, (0, 0), 0) == (state.phase, state.dealer, state.totals, state.scored)


def test_given_the_redeal_rule_when_three_pass_then_the_dealer_may_bid() -> None:
    """R-AUC-10."""
    state = called(table("danish", dealer_rule="redeal"), "pass", "pass", "pass")
    assert (BidPlaced(3, 250), AuctionWon(3, 250, forced=False)) == GAME.decide(state, PlaceBid(3, 250))


# Bid ladders

PARTS = {"bid_ladder": [[60, 5], [100, 10]]}


def test_given_a_ladder_when_bids_are_listed_then_the_step_changes_at_each_part() -> None:
    """R-CLB-02: 50 1 [[60, 5], [100, 10]]."""
    rungs = auction.ladder(load("double-deck-club", **PARTS))
    expected = [*range(50, 60), *range(60, 100, 5), *range(100, 141, 10)]
    assert expected == [bid for bid in range(141) if auction.is_on(rungs, bid)]
    assert expected[1:] == [auction.next_above(rungs, bid) for bid in expected[:-1]]
    assert 50 == auction.next_above(rungs, None)


@pytest.mark.parametrize(
    ("standing", "lowest", "step"), [(57, 58, 1), (58, 59, 1), (59, 60, 5), (60, 65, 5), (90, 95, 5), (95, 100, 10)]
)
def test_given_a_ladder_when_a_bid_stands_then_the_step_is_that_of_the_lowest_bid(
    standing: int, lowest: int, step: int
) -> None:
    """R-CLB-02: "step" is the distance from the lowest legal bid to the next one."""
    found = options(called(table("double-deck-club", **PARTS), standing))
    assert (lowest, step, None) == (found.lowest, found.step, found.highest)


def test_given_a_ladder_when_a_bid_is_between_its_rungs_then_it_is_rejected() -> None:
    """R-CLB-02."""
    state = table("double-deck-club", **PARTS)
    for bid in (49, 61, 64, 97, 105):
        assert Reason.ILLEGAL_BID == refusal(state, bid)
    for bid in (50, 59, 60, 65, 100, 200):
        assert bid == called(state, bid).bid


# The dealer opens


def test_given_dealer_opens_when_the_first_player_calls_then_the_bid_is_above_the_minimum() -> None:
    """R-CLB-03."""
    state = table("classic", dealer_opens=True)
    assert (0, 250, 3) == (state.turn, state.bid, state.bidder)
    assert Reason.ILLEGAL_BID == refusal(state, 250)
    assert 260 == options(state).lowest


@pytest.mark.parametrize("dealer_rule", ["forced", "free_then_forced", "redeal"])
def test_given_dealer_opens_when_three_pass_then_the_dealer_is_forced(dealer_rule: str) -> None:
    """R-CLB-03, R-CFG-04: `dealer_rule` is ignored."""
    state = called(table("classic", dealer_opens=True, dealer_rule=dealer_rule), "pass", "pass")
    assert (Passed(2, False), AuctionWon(3, 250, forced=True)) == GAME.decide(state, Pass(2))


@pytest.mark.parametrize("dealer_rule", ["forced", "free_then_forced", "redeal"])
def test_given_dealer_opens_when_overbid_then_the_dealer_may_bid_or_pass_in_turn(dealer_rule: str) -> None:
    """R-CLB-03."""
    state = called(table("classic", dealer_opens=True, dealer_rule=dealer_rule), "pass", 260, "pass")
    assert (3, 270) == (state.turn, options(state).lowest)
    assert (Passed(3, False), AuctionWon(1, 260, forced=False)) == GAME.decide(state, Pass(3))
    state = called(state, 270)
    assert (Passed(1, False), AuctionWon(3, 270, forced=False)) == GAME.decide(state, Pass(1))


def test_given_dealer_opens_and_max_raise_when_the_first_player_bids_then_the_raise_counts_from_the_minimum() -> None:
    """R-AUC-04, R-CLB-03."""
    found = options(table("cardgames", dealer_opens=True))
    assert [260, 270] == [bid for bid in range(400) if PlaceBid(0, bid) in found]
