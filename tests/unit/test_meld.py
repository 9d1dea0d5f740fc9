"""What hands meld (section 9), the misdeal option and the trumps that may be named."""

import pytest
from pinochle.cards import CLUBS, HEARTS, HIDDEN, SPADES, hand_of, hidden, parse_hand, text
from pinochle.meld import Meld, MeldResult, best_meld, has_marriage, legal_trumps, may_throw_in
from pinochle.rules import load

CLASSIC = load("classic")


def melded(profile: str, cards: str, trump: int | None = HEARTS, **knobs: object) -> MeldResult:
    return best_meld(load(profile, **knobs), parse_hand(cards), trump)


def test_the_worked_example_of_a_run_a_marriage_and_a_pinochle_is_worth_210() -> None:
    result = melded("classic", "AH TH KH QH JH KC QC QS JD 9S 9C 9D")
    assert MeldResult(
        210,
        (170, 40, 0),
        (Meld("marriage", CLUBS, 1, 20), Meld("pinochle", None, 1, 40), Meld("run", HEARTS, 1, 150)),
        parse_hand("AH TH KH QH JH KC QC QS JD"),
    ) == result


def test_the_partner_with_four_aces_and_a_dix_melds_110() -> None:
    assert (10, 0, 100) == melded("classic", "AS AH AD AC 9H").by_class


def test_a_hand_without_meld_scores_and_shows_nothing() -> None:
    assert MeldResult(0, (0, 0, 0), (), 0) == melded("classic", "AH TH KH JH 9S")


@pytest.mark.parametrize(
    ("cards", "cardgames", "classic", "danish"),
    [
        ("AH TH KH QH JH", 150, 150, 150),
        ("AH TH KH KH QH JH", 190, 190, 150),
        ("AH TH KH QH QH JH", 190, 190, 150),
        ("AH TH KH KH QH QH JH", 230, 190, 190),
        ("AH AH TH TH KH KH QH QH JH JH", 1500, 1500, 1500),
    ],
)
def test_extended_runs_differ_by_profile(cards: str, cardgames: int, classic: int, danish: int) -> None:
    """R-MEL-07."""
    points = [melded(profile, cards).points for profile in ("cardgames", "classic", "danish")]
    assert [cardgames, classic, danish] == points


def test_the_combination_with_most_cards_is_shown_among_equals() -> None:
    """R-MEL-10."""
    melds = melded("classic", "AH TH KH KH QH QH JH").melds
    assert (Meld("royal_marriage", HEARTS, 1, 40), Meld("run", HEARTS, 1, 150)) == melds


def test_a_roundhouse_is_not_added_on_top_of_its_parts() -> None:
    """R-MEL-09."""
    assert (100, 0, 140) == melded("classic", "KS QS KH QH KD QD KC QC").by_class


def test_one_queen_of_spades_in_three_classes_is_shown_once() -> None:
    """R-MEL-03, R-MEL-12."""
    result = melded("classic", "KS QS QH QD QC JD")
    assert (20, 40, 60) == result.by_class
    assert "KS QS QH QD JD QC" == text(result.shown)


def test_two_copies_are_shown_where_one_class_needs_two() -> None:
    """R-MEL-12."""
    assert "QS QS QH QD JD JD QC" == text(melded("classic", "QS QS QH QD QC JD JD").shown)


def test_double_melds_have_a_bonus_or_simply_add_up() -> None:
    """R-MEL-06."""
    cards = "QS QS JD JD AS AS AH AH AD AD AC AC"
    assert (0, 300, 1000) == melded("classic", cards).by_class
    assert (0, 80, 200) == melded("classic", cards, double_melds="linear").by_class


@pytest.mark.parametrize(
    ("copies", "run", "pinochle"), [(1, 15, 4), (2, 150, 30), (3, 225, 60), (4, 300, 90)]
)
def test_the_double_deck_prices_up_to_four_copies(copies: int, run: int, pinochle: int) -> None:
    """R-MEL-13."""
    assert run == melded("double-deck", "AH TH KH QH JH " * copies).points
    assert pinochle == melded("double-deck", "QS JD " * copies).points
    assert 10 * run == melded("double-deck-10pt", "AH TH KH QH JH " * copies).points


def test_without_trump_there_is_no_run_and_no_dix_and_every_marriage_is_plain() -> None:
    """R-CLB-06."""
    result = melded("cardgames", "AH TH KH QH JH 9H KS QS", None)
    assert (Meld("marriage", HEARTS, 1, 20), Meld("marriage", SPADES, 1, 20)) == result.melds


def test_hidden_cards_meld_nothing() -> None:
    assert 0 == best_meld(CLASSIC, hidden(12), HEARTS).points
    assert 40 == best_meld(CLASSIC, parse_hand("KH QH") + hidden(10), HEARTS).points
    assert 40 == best_meld(CLASSIC, hand_of([HIDDEN, *[8, 9]]), HEARTS).points


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("TS KS QH JD 9C", True),
        ("TS KS QH JD 9C AD", False),
        ("KS QS TH", False),
        ("KC QC TH", False),
        ("", True),
    ],
)
def test_a_hand_without_ace_and_marriage_may_be_thrown_in(cards: str, expected: bool) -> None:
    """R-DEAL-05."""
    assert expected == may_throw_in(parse_hand(cards))


def test_a_marriage_needs_both_cards_in_one_suit() -> None:
    assert not has_marriage(parse_hand("KS KS QH QD JC"))
    assert has_marriage(parse_hand("KD QD"))


def test_any_suit_may_be_trump_unless_a_marriage_is_required() -> None:
    """R-TRU-01, R-CLB-05, R-CLB-06."""
    club = load("double-deck-club")
    assert (0, 1, 2, 3) == legal_trumps(CLASSIC, parse_hand("AS"))
    assert (SPADES, CLUBS) == legal_trumps(club, parse_hand("KS QS KH QD KC QC QC"))
    assert () == legal_trumps(club, parse_hand("KS QH"))
