"""Turns and their deadlines, and what the house and the director may do to a table."""

from pathlib import Path
from typing import Any

import pytest
from pinochle.cards import names, parse_card, parse_hand, size
from pinochle.commands import (
    CloseTable,
    DealCards,
    ExpireTurn,
    ExtendTurn,
    KeepDeal,
    NameTrump,
    Pass,
    PassCards,
    PlaceBid,
    PlayCard,
    VoidTable,
)
from pinochle.decider import HOUSE, NOBODY, Due
from pinochle.errors import BadInput, Reason
from pinochle.events import (
    CardPlayed,
    CardsPassed,
    DealKept,
    Passed,
    TableClosed,
    TableVoided,
    TrumpNamed,
    TurnExpired,
    TurnExtended,
)
from pinochle.game import GAME, TURN_MS_MAX, default_command
from pinochle.rules import load
from pinochle.state import CLOSED, NONE, OVER, State

from tests.drive import SEED, after, called, dealt, deck_with, opened, refusal

CLASSIC = load("classic")
THIRTY = {"turn_ms": 30_000, "grace_ms": 2_000}


def timed(at_ms: int = 1_000, **about: Any) -> State:
    """A table at its first call, dealt at `at_ms`, with 30 seconds a turn."""
    return after(opened(CLASSIC, **(THIRTY | about)), DealCards(deck_with(CLASSIC, [], 3)), at_ms=at_ms)


def declared(*hands: str, profile: str = "classic") -> State:
    rules = load(profile)
    return after(called(rules, hands, **THIRTY), PlaceBid(0, 250), Pass(1), Pass(2), Pass(3))


def expired(state: State) -> tuple[Any, ...]:
    """What happens when the due seat's time has run out."""
    return GAME.decide(state, ExpireTurn(state.turn, state.deadline_ms + state.table.grace_ms))


# Who is due


def test_given_a_table_when_asked_who_is_due_then_it_is_the_house_to_deal_and_then_a_seat_with_its_deadline() -> None:
    assert Due(NOBODY, None) == GAME.due(GAME.initial())
    assert Due(HOUSE, None) == GAME.due(opened(CLASSIC))
    assert Due(0, None) == GAME.due(dealt(CLASSIC))
    assert Due(0, 31_000) == GAME.due(timed(1_000))


def test_given_a_turn_when_the_next_one_begins_then_its_time_begins_anew() -> None:
    state = after(timed(1_000), Pass(0), at_ms=9_000)
    assert (Due(1, 39_000), 3, 3) == (GAME.due(state), state.version, state.turn_version)


def test_given_an_act_stamped_earlier_when_it_is_filed_then_time_does_not_run_back() -> None:
    state = after(timed(5_000), Pass(0), at_ms=1_000)
    assert (5_000, 35_000) == (state.now_ms, state.deadline_ms)


def test_given_a_finished_table_when_asked_who_is_due_then_it_is_the_house_unless_boards_are_shared() -> None:
    assert Due(HOUSE, None) == GAME.due(after(timed(), VoidTable("rain")))
    assert Due(NOBODY, None) == GAME.due(after(timed(boards="b1"), VoidTable("rain")))
    assert Due(NOBODY, None) == GAME.due(after(timed(), VoidTable("rain"), CloseTable()))


# Expiry


def test_given_a_deadline_when_the_grace_has_not_passed_then_the_turn_does_not_expire() -> None:
    state = timed(1_000)
    assert Reason.TOO_EARLY == refusal(state, ExpireTurn(0, 31_000))
    assert Reason.TOO_EARLY == refusal(state, ExpireTurn(0, 32_999))
    assert (TurnExpired(0), Passed(0, False)) == GAME.decide(state, ExpireTurn(0, 33_000))


def test_given_no_time_limit_when_a_turn_is_expired_then_it_is_too_early_for_ever() -> None:
    assert Reason.TOO_EARLY == refusal(dealt(CLASSIC), ExpireTurn(0, 2**60))


def test_given_a_turn_when_another_seats_turn_is_expired_then_it_is_rejected() -> None:
    for seat in (1, 2, 3, HOUSE):
        assert Reason.NOT_YOUR_TURN == refusal(timed(), ExpireTurn(seat, 2**60))
    assert Reason.NOT_YOUR_TURN == refusal(opened(CLASSIC, **THIRTY), ExpireTurn(HOUSE, 2**60))
    assert Reason.OVER == refusal(after(timed(), VoidTable("rain")), ExpireTurn(0, 2**60))


def test_given_an_expired_turn_when_the_house_moves_then_the_next_seat_gets_its_full_time() -> None:
    state = after(timed(1_000), ExpireTurn(0, 33_000), at_ms=33_500)
    assert Due(1, 63_500) == GAME.due(state)


def test_given_the_misdeal_option_when_time_runs_out_then_the_deal_is_kept() -> None:
    """R-DEAL-05: throwing in is optional."""
    worthless = "TS QS JS 9S TH KH JH 9H TD JD 9D QC"
    state = dealt(load("single-s3", misdeal_option=True), [worthless], **THIRTY)
    assert (TurnExpired(0), DealKept(0)) == expired(state)
    assert KeepDeal(0) == default_command(state)


def test_given_trump_to_name_when_time_runs_out_then_it_is_the_longest_suit() -> None:
    """R-TRU-01; of equal suits the first in display order."""
    assert (TurnExpired(0), TrumpNamed(0, 2, False)) == expired(declared("AS AH AD TD KD QD JD 9D AC TC KC QC"))
    assert NameTrump(0, 1) == default_command(declared("AS AH TH KH QH AD TD KD QD AC TC KC"))


def test_given_a_required_marriage_when_time_runs_out_then_the_suit_named_is_a_legal_one() -> None:
    """R-CLB-05."""
    rules = load("single-s3", trump_marriage="required")
    state = after(called(rules, ["KS QS AD AD TD TD KD KD JD JD 9D 9D"]), PlaceBid(0, 250), Pass(1), Pass(2), Pass(3))
    assert NameTrump(0, 0) == default_command(state)


def test_given_an_exchange_when_time_runs_out_then_the_lowest_cards_go() -> None:
    """R-EXC-03: the exchange is compulsory."""
    hands = ["", "", "AS 9S AH JH 9H AD QD 9D AC KC TC AS"]
    state = after(declared(*hands), NameTrump(0, 0))
    assert (TurnExpired(2), CardsPassed(2, 0, parse_hand("9S 9H 9D JH"))) == expired(state)
    state = after(state, PassCards(2, parse_hand("9S 9H 9D JH")))
    found = expired(state)
    assert [TurnExpired, CardsPassed] == [event.__class__ for event in found[:2]]
    assert 4 == size(found[1].cards)
    assert 7 == len(found)  # the melds follow in the same act


def test_given_a_card_to_play_when_time_runs_out_then_it_is_the_lowest_legal_one_and_never_a_concession() -> None:
    rules = load("single-s3", concession="any_time")
    calls = (PlaceBid(0, 250), Pass(1), Pass(2), Pass(3), NameTrump(0, 1))
    state = after(called(rules, ["AS TS 9H 9C"], **THIRTY), *calls)
    assert state.may_concede
    lowest = max(names(state.hands[0]), key=lambda name: ("ATKQJ9".index(name[0]), "SHDC".index(name[1])))
    assert (TurnExpired(0), CardPlayed(0, parse_card(lowest))) == expired(state)
    assert isinstance(default_command(state), PlayCard)


# Extension


def test_given_a_turn_when_it_is_extended_then_it_is_still_the_same_turn() -> None:
    state = timed(1_000)
    assert (TurnExtended(90_000),) == GAME.decide(state, ExtendTurn(90_000))
    longer = after(state, ExtendTurn(90_000), at_ms=20_000)
    assert (Due(0, 90_000), state.turn_version) == (GAME.due(longer), longer.turn_version)
    assert state.version + 1 == longer.version
    assert Reason.TOO_EARLY == refusal(longer, ExpireTurn(0, 91_999))
    assert Due(1, 55_000) == GAME.due(after(longer, Pass(0), at_ms=25_000))


def test_given_a_turn_when_it_is_extended_to_no_later_than_it_ends_then_nothing_happens() -> None:
    assert () == GAME.decide(timed(1_000), ExtendTurn(31_000))
    assert () == GAME.decide(timed(1_000), ExtendTurn(1))


def test_given_a_turn_when_it_is_extended_beyond_reason_then_it_is_bad_input() -> None:
    for until in (0, -1, 1_000 + TURN_MS_MAX + 1, 2**62):
        with pytest.raises(BadInput, match="until_ms must be 1 to"):
            GAME.decide(timed(1_000), ExtendTurn(until))
    assert (TurnExtended(1_000 + TURN_MS_MAX),) == GAME.decide(timed(1_000), ExtendTurn(1_000 + TURN_MS_MAX))


def test_given_no_turn_or_no_time_limit_when_a_turn_is_extended_then_it_is_rejected() -> None:
    assert Reason.WRONG_PHASE == refusal(opened(CLASSIC, **THIRTY), ExtendTurn(90_000))
    assert Reason.WRONG_PHASE == refusal(dealt(CLASSIC), ExtendTurn(90_000))
    assert Reason.OVER == refusal(after(timed(), VoidTable("rain")), ExtendTurn(90_000))
    assert Reason.NOT_OPEN == refusal(GAME.initial(), ExtendTurn(90_000))


# Void and close


def test_given_a_table_when_the_director_voids_it_then_it_is_over_without_a_winner() -> None:
    for state in (opened(CLASSIC), timed(), declared()):
        assert (TableVoided("rain"),) == GAME.decide(state, VoidTable("rain"))
        ended = after(state, VoidTable("rain"))
        assert (OVER, NONE, "void", 0) == (ended.phase, ended.winner, ended.end_reason, ended.deadline_ms)
        assert () == GAME.decide(ended, VoidTable("again"))
        assert Reason.OVER == refusal(ended, Pass(0))
        assert Reason.OVER == refusal(ended, DealCards(CLASSIC.cards))


def test_given_a_void_without_a_reason_when_it_is_asked_for_then_it_is_bad_input() -> None:
    for reason in ("", "x" * 501):
        with pytest.raises(BadInput, match="the length of a reason must be 1 to 500"):
            GAME.decide(timed(), VoidTable(reason))


def test_given_a_table_that_is_over_when_it_is_closed_then_its_seed_is_published_once() -> None:
    ended = after(timed(), VoidTable("rain"))
    assert (TableClosed(SEED),) == GAME.decide(ended, CloseTable())
    closed = after(ended, CloseTable())
    assert (CLOSED, SEED) == (closed.phase, closed.table.seed)
    assert () == GAME.decide(closed, CloseTable())
    assert () == GAME.decide(closed, VoidTable("late"))
    assert Reason.OVER == refusal(closed, Pass(0))


def test_given_a_table_in_play_when_it_is_closed_then_it_is_rejected() -> None:
    for state in (opened(CLASSIC), timed()):
        assert Reason.WRONG_PHASE == refusal(state, CloseTable())


OF_SERVICES = {"stale_version", "ahead_of_log", "not_allowed"}
OF_TOURNAMENTS = {"illegal_entry", "unknown_match", "different_result", "bad_format"}


def test_every_other_reason_to_reject_a_command_is_reached_by_the_unit_tests_of_a_table() -> None:
    told = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    reasons = {reason for reason in Reason if reason.value not in OF_SERVICES | OF_TOURNAMENTS}
    assert set() == {reason for reason in reasons if f"Reason.{reason.name} == refusal" not in told}
