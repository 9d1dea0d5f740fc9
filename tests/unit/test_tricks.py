"""Trick play: legal cards and the winner (section 11)."""

import pytest
from pinochle.cards import cards_in, names, once, parse_card, parse_hand, parse_suit
from pinochle.commands import PlayCard
from pinochle.errors import Reason
from pinochle.rules import RuleSet, load
from pinochle.tricks import legal_cards, winner

from tests.drive import after, called, refusal

STRICT = load("cardgames")
LED = load("danish")
FREE = load("single-s3", must_beat="none", must_overtrump=False)


def legal(rules: RuleSet, trump: str, trick: str, hand: str) -> str:
    cards = [parse_card(name) for name in trick.split()]
    return " ".join(names(once(legal_cards(rules, parse_hand(hand), cards, parse_suit(trump)))))


@pytest.mark.parametrize("rules", [STRICT, LED, FREE])
def test_given_the_lead_when_a_player_leads_then_any_card_is_legal(rules: RuleSet) -> None:
    """R-PLY-01."""
    assert "AS TH 9D JC" == legal(rules, "S", "", "AS TH 9D JC")


@pytest.mark.parametrize("rules", [STRICT, LED, FREE])
def test_given_a_led_suit_when_a_player_holds_it_then_it_must_be_followed(rules: RuleSet) -> None:
    """R-PLY-02."""
    assert "9H" == legal(rules, "S", "AH", "AS 9H 9H JD")


def test_given_must_beat_winning_when_a_higher_card_is_held_then_it_must_be_played() -> None:
    """R-PLY-03, also when the partner is winning."""
    assert "AH TH" == legal(STRICT, "S", "KH", "AH TH QH JH")
    assert "AH" == legal(STRICT, "S", "9H TH", "AH KH QH")
    assert "AH" == legal(STRICT, "S", "KH TH 9H", "AH KH QH")


def test_given_an_equal_card_when_it_is_all_one_has_then_it_does_not_beat() -> None:
    """R-PLY-03: unable to beat, any card of the suit."""
    assert "AH KH 9H" == legal(STRICT, "S", "AH", "AH KH 9H")


def test_given_a_player_void_in_the_led_suit_when_trump_is_held_then_it_must_be_played() -> None:
    """R-PLY-04."""
    for rules in (STRICT, LED, FREE):
        assert "AS 9S" == legal(rules, "S", "AH", "AS 9S AD TC")


@pytest.mark.parametrize("rules", [STRICT, LED, FREE])
def test_given_a_trumped_trick_when_a_player_follows_then_any_card_of_the_suit_is_legal(rules: RuleSet) -> None:
    """R-PLY-05."""
    assert "AH QH" == legal(rules, "S", "KH 9S", "AH QH AS")


@pytest.mark.parametrize("rules", [STRICT, LED, FREE])
def test_given_neither_suit_nor_trump_when_a_player_plays_then_anything_is_legal(rules: RuleSet) -> None:
    """R-PLY-06."""
    assert "AD TC 9C" == legal(rules, "S", "KH 9S", "AD TC 9C")


def test_given_a_trumped_trick_when_a_player_is_void_then_a_higher_trump_must_be_played_if_held() -> None:
    """R-PLY-07."""
    assert "AS TS" == legal(STRICT, "S", "KH KS", "AS TS QS 9S AD")
    assert "QS 9S" == legal(STRICT, "S", "KH KS", "QS 9S AD")
    assert "AS TS QS 9S" == legal(LED, "S", "KH KS", "AS TS QS 9S AD")


def test_given_must_beat_led_when_others_played_higher_then_only_the_led_card_counts() -> None:
    """R-PLY-10, trump leads included."""
    assert "AH TH" == legal(LED, "S", "KH TH", "AH TH QH")
    assert "AS TS KS" == legal(LED, "S", "QS TS", "AS TS KS JS")
    assert "QH" == legal(LED, "S", "KH TH", "QH AD")


def test_given_must_beat_none_when_a_player_follows_then_any_card_of_the_suit_is_legal() -> None:
    """R-PLY-11."""
    assert "AH TH QH" == legal(FREE, "S", "KH", "AH TH QH AS")
    assert "AS QS" == legal(FREE, "S", "KS", "AS QS AH")


@pytest.mark.parametrize(
    ("trump", "trick", "expected"),
    [
        ("S", "KH TH AH 9H", 2),
        ("S", "KH TH AD QH", 1),  # another suit does not win
        ("S", "AH 9S AH JS", 3),  # the highest trump
        ("H", "AS 9H TS AS", 1),
        ("S", "AH AH TH AH", 0),  # R-PLY-09
        ("S", "AH QS JS QS", 1),  # R-PLY-09 among trumps
        ("D", "9C AS AH TH", 0),
    ],
)
def test_given_a_trick_when_it_is_full_then_the_highest_trump_or_card_of_the_led_suit_wins(
    trump: str, trick: str, expected: int
) -> None:
    """R-PLY-08, R-PLY-09."""
    assert expected == winner([parse_card(name) for name in trick.split()], parse_suit(trump))


def test_the_worked_example_of_the_rules() -> None:
    """Spades are trump, QH is led: section 11."""
    assert "9D TC" == legal(STRICT, "S", "QH", "9D TC")
    assert "AH TH" == legal(STRICT, "S", "QH 9D", "9H TH AH")
    assert "QS" == legal(STRICT, "S", "QH 9D AH", "QS AD TC 9C")
    assert 3 == winner([parse_card(name) for name in ("QH", "9D", "AH", "QS")], 0)


def test_given_a_trick_won_when_the_next_begins_then_its_winner_leads() -> None:
    """R-PLY-12; without bidding the player left of the dealer leads first (R-TRU-03)."""
    state = called(load("danish-nobid"), ["AH 9H", "QH 9H", "KH JH", "AH JH 9D"], dealer=3)
    assert (0, 0) == (state.leader, state.turn)
    for name in ("AH", "QH", "KH", "JH"):
        state = after(state, PlayCard(state.turn, parse_card(name)))
    assert (0, 0, (), (1, 0)) == (state.leader, state.turn, state.trick, state.tricks)


def test_given_a_card_that_is_not_held_when_it_is_played_then_it_is_rejected() -> None:
    state = called(load("danish-nobid"), ["AH AH", "QH"], dealer=3)
    missing = next(card for card in range(24) if card not in cards_in(state.hands[0]))
    assert Reason.ILLEGAL_CARD == refusal(state, PlayCard(0, missing))
    for nothing in (-1, 24, 25, 10**9):
        assert Reason.ILLEGAL_CARD == refusal(state, PlayCard(0, nothing))


def test_given_a_card_that_does_not_follow_when_it_is_played_then_it_is_rejected() -> None:
    """R-PLY-02."""
    state = after(called(load("danish-nobid"), ["AH AH", "QH 9C"], dealer=3), PlayCard(0, parse_card("AH")))
    assert Reason.ILLEGAL_CARD == refusal(state, PlayCard(1, parse_card("9C")))
    assert Reason.NOT_YOUR_TURN == refusal(state, PlayCard(2, parse_card("9C")))
