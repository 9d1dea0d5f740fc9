"""Cards, hands and their text (section 3)."""

import doctest
from collections import Counter
from random import Random

import pytest
from pinochle import cards
from pinochle.cards import (
    HIDDEN,
    HIGHER,
    KINDS,
    KNOWN_MASK,
    NAMES,
    RANK_OF,
    SUIT_OF,
    UNIT,
    card_of,
    cards_in,
    count,
    hand_of,
    hidden,
    holds,
    kinds,
    names,
    of_suit,
    once,
    parse_card,
    parse_hand,
    parse_suit,
    size,
    suit_counts,
    text,
    without,
)
from pinochle.errors import BadNotation
from pinochle.rules import load

DISPLAY_ORDER = [rank + suit for suit in "SHDC" for rank in "ATKQJ9"]


def random_hands(number: int) -> list[list[int]]:
    chance = Random(1)
    packs = [list(load(profile).cards) for profile in ("classic", "double-deck")]
    return [chance.sample(chance.choice(packs), chance.randrange(21)) for _ in range(number)]


def test_given_all_kinds_when_they_are_listed_then_suits_are_s_h_d_c_and_ranks_high_to_low() -> None:
    """R-DECK-03, R-DECK-04, R-DECK-05."""
    assert DISPLAY_ORDER == list(NAMES[:KINDS])
    assert list(range(KINDS)) == [parse_card(name) for name in DISPLAY_ORDER]
    assert list(range(KINDS)) == [card_of(SUIT_OF[kind], RANK_OF[kind]) for kind in range(KINDS)]


@pytest.mark.parametrize(
    ("profile", "number", "copies", "ranks"), [("classic", 48, 2, "ATKQJ9"), ("double-deck", 80, 4, "ATKQJ")]
)
def test_given_a_deck_when_it_is_counted_then_each_card_is_there_as_often_as_it_should(
    profile: str, number: int, copies: int, ranks: str
) -> None:
    """R-DECK-01, R-DECK-02."""
    deck = Counter(NAMES[card] for card in load(profile).cards)
    assert {rank + suit: copies for suit in "SHDC" for rank in ranks} == deck
    assert number == deck.total()


def test_given_a_card_when_asked_what_beats_it_then_the_ten_beats_the_king() -> None:
    """R-DECK-03."""
    higher = {NAMES[card]: text(once(HIGHER[card] & KNOWN_MASK)) for card in range(6)}
    expected = {"AS": "", "TS": "AS", "KS": "AS TS", "QS": "AS TS KS", "JS": "AS TS KS QS", "9S": "AS TS KS QS JS"}
    assert expected == higher
    assert "AC TC" == text(once(HIGHER[parse_card("KC")] & KNOWN_MASK))


def test_given_any_cards_when_made_a_hand_then_the_same_cards_come_out_in_display_order() -> None:
    """R-DECK-05."""
    for drawn in random_hands(300):
        hand = hand_of(drawn)
        assert sorted(drawn) == cards_in(hand)
        assert len(drawn) == size(hand)
        assert tuple(sorted(set(drawn))) == kinds(hand)
        assert sorted(set(drawn)) == cards_in(once(hand))
        assert Counter(drawn) == {card: count(hand, card) for card in range(KINDS) if count(hand, card)}
        assert hand == parse_hand(text(hand))


def test_given_two_hands_when_asked_whether_one_holds_the_other_then_copies_count() -> None:
    assert holds(parse_hand("AS AS TH"), parse_hand("AS AS"))
    assert not holds(parse_hand("AS TH"), parse_hand("AS AS"))
    assert not holds(parse_hand("AS AS TH"), parse_hand("TS"))
    assert holds(parse_hand("AS"), 0)
    for one in random_hands(60):
        for other in random_hands(20):
            assert (Counter(other) <= Counter(one)) == holds(hand_of(one), hand_of(other))


def test_given_hidden_cards_when_a_hand_is_asked_for_them_then_they_count_as_a_kind_of_their_own() -> None:
    hand = parse_hand("AS") + hidden(20)
    assert (21, 20, (0,)) == (size(hand), count(hand, HIDDEN), kinds(hand))
    assert holds(hand, hidden(20))
    assert not holds(hand, hidden(21))
    assert not holds(parse_hand("AS"), hidden(1))
    assert ["AS", *["??"] * 20] == names(hand)
    assert UNIT[0] == once(hand)


def test_given_a_hand_when_a_card_leaves_it_then_a_known_copy_goes_before_an_unknown_one() -> None:
    hand = parse_hand("AS AS") + hidden(8)
    assert parse_hand("AS") + hidden(8) == without(hand, 0)
    assert parse_hand("AS AS") + hidden(7) == without(hand, 1)
    assert parse_hand("AS AS") + hidden(7) == without(hand, HIDDEN)
    assert parse_hand("AS AS") + hidden(0) == without(parse_hand("AS AS") + hidden(1), HIDDEN)


def test_given_a_hand_when_asked_for_a_suit_then_only_its_cards_are_left() -> None:
    hand = parse_hand("AS TH TH 9H KC") + hidden(3)
    assert ["", "TH TH 9H", "", "KC"] == [text(of_suit(hand, suit)) if suit else "" for suit in range(4)]
    assert 2 * 8 + 8**5 == suit_counts(hand, 1)


@pytest.mark.parametrize("name", ["", "A", "AX", "1S", "AS ", "as", "SA", "??", "10S", "\u2660A"])
def test_given_text_that_is_no_card_when_it_is_parsed_then_the_error_says_what_is_wanted(name: str) -> None:
    """R-DECK-04."""
    with pytest.raises(BadNotation, match="a rank of ATKQJ9 and a suit of SHDC"):
        parse_card(name)


@pytest.mark.parametrize("letter", ["", "X", "SH", "s"])
def test_given_text_that_is_no_suit_when_it_is_parsed_then_it_is_refused(letter: str) -> None:
    with pytest.raises(BadNotation, match="not a suit"):
        parse_suit(letter)


def test_given_the_four_letters_when_parsed_as_suits_then_they_are_numbered_in_display_order() -> None:
    assert [0, 1, 2, 3] == [parse_suit(letter) for letter in "SHDC"]


def test_the_examples_in_the_docstrings_run() -> None:
    assert (0, True) == (doctest.testmod(cards).failed, doctest.testmod(cards).attempted > 0)
