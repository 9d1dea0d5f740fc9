"""The stock game (section 15): deal, dix, melds, draws, the strict tricks, scores and both ends of a game."""

from typing import Any

import pytest
from pinochle import stock
from pinochle.cards import CARDS_END, HEARTS, PHYSICAL, SPADES, hand_of, names, parse_card, parse_hand, size
from pinochle.commands import DealCards, Draw, ExchangeDix, ExpireTurn, LayMeld, PlayCard
from pinochle.errors import BadInput, Reason, Rejected
from pinochle.events import (
    CardDrawn,
    CardPlayed,
    DealScored,
    DixExchanged,
    DixScored,
    GameEnded,
    HandDealt,
    MeldLaid,
    TrickWon,
    TurnExpired,
    TurnUpShown,
)
from pinochle.game import GAME, default_command
from pinochle.options import DrawOptions, PlayOptions, legal
from pinochle.rules import RuleSet, load
from pinochle.state import DEAL, DRAW, NONE, OVER, PLAY, State, Stock, resumed

from tests.drive import after, deal_deck, deck_with, opened, refusal

TWO, THREE = load("two-handed"), load("three-handed-stock")
IMMEDIATE = load("two-handed", stock_end="immediate", target=100)
NO_CARDS = (0,) * len(stock.MELD_KINDS)
RICH = "AHa AHb THa KHa KHb QHa QHb JHa 9Ha QSa JDa ADa"
"""A run, royal marriages, a dix and a pinochle with hearts for trump, and an ace to win the first trick with."""


def table(
    *hands: str, up: str = "JHb", stock: str = "", rules: RuleSet = TWO, totals: tuple[int, ...] = (), **about: Any
) -> State:
    """A table whose cards are dealt: seat 0 leads, since the last seat dealt."""
    before = opened(rules, rules.players - 1, **about)
    if totals:
        before = resumed(before, totals, 1)
    return after(before, DealCards(deck_with(rules, hands, rules.players - 1, up, stock)))


def events(state: State, command: Any) -> tuple[Any, ...]:
    return GAME.decide(state, command)


def played(state: State, *cards: str) -> State:
    """The state after these cards, each from the seat on turn."""
    for card in cards:
        state = after(state, PlayCard(state.turn, parse_card(card)))
    return state


def laid(state: State, kind: str, cards: str) -> State:
    return after(state, LayMeld(state.turn, kind, parse_hand(cards)))


def drawn(state: State) -> State:
    return after(state, Draw(state.turn))


def melds(state: State) -> set[tuple[str, str]]:
    """What may be laid now, as kind and cards."""
    options = legal(state)
    assert isinstance(options, DrawOptions)
    return {(meld.kind, " ".join(names(meld.cards))) for meld in options.melds}


def last_draw(state: State) -> State:
    """The state, moved on by lowest cards and draws, when the last draw is to come."""
    while state.phase == PLAY or len(stock_of(state).cards) > 1:
        state = after(state, default_command(state))
    return state


def holding(state: State, name: str) -> State:
    """The state when the strict tricks begin, with this card in a hand of two, whose holder leads."""
    while state.turn_up != NONE:
        state = after(state, default_command(state))
    holder = next(seat for seat, hand in enumerate(state.hands) if name in names(hand))
    state.hands = tuple(parse_hand(f"{name} ASa") if seat == holder else parse_hand("TSa KSa") for seat in (0, 1))
    state.turn = state.leader = holder
    return state


def stock_of(state: State) -> Stock:
    assert state.stock is not None
    return state.stock


def strict(*hands: str, trump: int = HEARTS, turn: int = 0) -> State:
    """A table in its last tricks, with these hands."""
    state = resumed(table(), (0, 0), 0)
    state.stock = Stock((), NO_CARDS, 0, has_melded=False)
    state.hands = tuple(map(parse_hand, hands))
    state.trump, state.turn_up, state.leader, state.turn = trump, NONE, turn, turn
    return state


def won(hand: str = RICH, up: str = "JHb", lead: str = "AHa", other: str = "JCa 9Cb", **about: Any) -> State:
    """A table whose seat 0 has won the first trick with the ace of trump."""
    return played(table(hand, other, up=up, **about), lead, other.split()[0])


# The deal


@pytest.mark.parametrize(("rules", "dealer"), [(TWO, 0), (TWO, 1), (THREE, 0), (THREE, 1), (THREE, 2)])
def test_given_a_deck_when_it_is_dealt_then_packets_of_four_go_round_from_the_dealers_left(
    rules: RuleSet, dealer: int
) -> None:
    """R-TWO-01, R-TWO-20."""
    dealt = events(opened(rules, dealer), DealCards(rules.cards))[0]
    players = rules.players
    for step in range(players):
        packets = [4 * step + 4 * players * time for time in range(3)]
        expected = hand_of(card for at in packets for card in rules.cards[at : at + 4])
        assert expected == dealt.hands[(dealer + 1 + step) % players]


@pytest.mark.parametrize(("rules", "down"), [(TWO, 23), (THREE, 11)])
def test_given_a_deck_when_it_is_dealt_then_the_next_card_is_turned_up_and_fixes_trump(
    rules: RuleSet, down: int
) -> None:
    """R-TWO-02, R-TWO-20."""
    found = events(opened(rules, 1), DealCards(rules.cards))
    at = 12 * rules.players
    assert HandDealt(1, 1, found[0].hands, rules.cards[at], rules.cards[at + 1 :]) == found[0]
    assert down == len(found[0].stock)
    state = after(opened(rules, 1), DealCards(rules.cards))
    trump = {2: 2, 3: 3}[rules.players]  # cards 24 and 36 of a deck in display order are ADa and ACa
    assert TurnUpShown(rules.cards[at], trump) == found[1]
    assert (2, rules.cards[at], trump) == (len(found), state.turn_up, state.trump)


def test_given_copies_that_are_told_apart_when_a_deck_lacks_one_then_it_is_rejected() -> None:
    """R-DECK-04: both copies of each card, no kinds without a letter."""
    state = opened(TWO, 1)
    assert list(range(PHYSICAL, CARDS_END)) == sorted(TWO.cards)
    for deck in (load("classic").cards, (TWO.cards[1], *TWO.cards[1:]), TWO.cards[1:]):
        with pytest.raises((Rejected, BadInput)):
            events(state, DealCards(deck))


def test_given_a_nine_turned_up_when_it_is_shown_then_the_dealer_scores_ten() -> None:
    """R-TWO-03."""
    found = events(opened(TWO, 1), DealCards(deck_with(TWO, [], 1, "9Da")))
    assert DixScored(1, parse_card("9Da"), 10) == found[2]
    assert (0, 10) == table(up="9Da").totals
    assert (0, 0, 1) == table(up="9Da", rules=load("three-handed-stock", scale=1)).totals


def test_given_another_card_turned_up_when_it_is_shown_then_nobody_scores() -> None:
    assert (0, 0) == table(up="JDa").totals


def test_given_a_deal_when_it_begins_then_the_player_left_of_the_dealer_leads() -> None:
    """R-TWO-04."""
    for rules in (TWO, THREE):
        for dealer in range(rules.players):
            state = after(opened(rules, dealer), DealCards(rules.cards))
            assert (PLAY, (dealer + 1) % rules.players) == (state.phase, state.turn)


# Phase 1: tricks


def test_given_a_trick_of_phase_1_when_a_card_is_played_then_any_card_will_do() -> None:
    """R-TWO-05."""
    state = played(table("ASa ASb", "TSa KSa 9Ca 9Ha"), "ASa")
    assert state.hands[1] == legal(state).cards  # type: ignore[union-attr]
    assert Reason.ILLEGAL_CARD == refusal(state, PlayCard(1, parse_card("ASb")))
    assert Reason.ILLEGAL_CARD == refusal(state, PlayCard(1, parse_card("TS")))


@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        ("ASa ASb", 0),  # R-PLY-09: the first of equal cards
        ("ASb ASa", 0),
        ("KSa TSb", 1),
        ("ASa 9Hb", 1),
        ("9Ca ASa", 0),
        ("9Ha JHa", 1),
    ],
)
def test_given_a_trick_when_it_is_complete_then_its_winner_is_that_of_every_game(cards: str, winner: int) -> None:
    """R-TWO-06, with hearts for trump."""
    first, second = cards.split()
    state = played(table(first, second), first, second)
    assert (winner, winner, DRAW) == (state.leader, state.turn, state.phase)


def test_given_a_trick_when_it_is_won_then_its_cards_count_at_once_and_the_last_trick_bonus_does_not() -> None:
    found = events(played(table("ASa", "TSa"), "ASa"), PlayCard(1, parse_card("TSa")))
    assert (CardPlayed(1, parse_card("TSa")), TrickWon(0, 20, last=False)) == found


# The steps after a won trick


def test_given_a_won_trick_when_the_winner_is_asked_then_exchange_meld_and_draw_are_open_to_it_alone() -> None:
    """R-TWO-07."""
    state = won()
    options = legal(state)
    assert isinstance(options, DrawOptions)
    assert (parse_hand("9Ha"), 0) == (options.nines, options.seat)
    assert {"run", "royal_marriage", "dix", "pinochle"} == {meld.kind for meld in options.melds}
    assert Reason.NOT_YOUR_TURN == refusal(state, Draw(1))
    assert Reason.NOT_YOUR_TURN == refusal(state, ExchangeDix(1, parse_card("9Hb")))
    assert Reason.WRONG_PHASE == refusal(state, PlayCard(0, parse_card("ASa")))


def test_given_a_meld_was_laid_when_a_dix_is_to_be_exchanged_then_it_is_too_late() -> None:
    """R-TWO-07, A-44."""
    state = laid(won(), "pinochle", "QSa JDa")
    assert Reason.ILLEGAL_CARD == refusal(state, ExchangeDix(0, parse_card("9Ha")))
    assert DrawOptions(0, 0, ()) == legal(state)


def test_given_a_dix_was_exchanged_when_a_meld_is_laid_then_the_card_taken_serves_in_it() -> None:
    """A-27, A-44: the exchange comes before the meld and does not use it up."""
    state = won("AHa THa KHa QHa 9Ha ASa ADa ACa AHb", lead="AHb")
    assert "run" not in {kind for kind, _ in melds(state)}
    state = after(state, ExchangeDix(0, parse_card("9Ha")))
    assert ("run", "AHa THa KHa QHa JHb") in melds(state)
    assert (160, 0) == laid(state, "run", "AHa THa KHa QHa JHb").totals


def test_given_a_draw_when_it_has_happened_then_the_turn_has_passed_to_the_next_lead() -> None:
    state = drawn(won())
    assert (PLAY, 0, 0) == (state.phase, state.turn, state.leader)
    assert Reason.WRONG_PHASE == refusal(state, Draw(0))
    assert Reason.WRONG_PHASE == refusal(state, LayMeld(0, "pinochle", parse_hand("QSa JDa")))
    assert Reason.WRONG_PHASE == refusal(state, ExchangeDix(0, parse_card("9Ha")))


def test_given_a_won_trick_when_all_draw_then_the_winner_draws_first_and_the_others_clockwise() -> None:
    """R-TWO-07."""
    state = played(table("9Sa", "ASa", "KSa", stock="TDa TDb KDa", rules=THREE), "9Sa", "ASa", "KSa")
    expected = [(1, "TDa"), (2, "TDb"), (0, "KDa")]
    assert tuple(CardDrawn(seat, parse_card(card), False) for seat, card in expected) == events(state, Draw(1))
    assert [12, 12, 12] == [size(hand) for hand in drawn(state).hands]


def test_given_a_won_trick_when_time_runs_out_then_the_house_draws() -> None:
    state = won(turn_ms=30_000)
    assert Draw(0) == default_command(state)
    found = events(state, ExpireTurn(0, state.deadline_ms))
    assert [TurnExpired, CardDrawn, CardDrawn] == [event.__class__ for event in found]


# The dix


def test_given_a_nine_of_trump_when_it_is_exchanged_then_the_turn_up_comes_to_hand_for_ten_points() -> None:
    """R-TWO-08."""
    state = won()
    nine, up = parse_card("9Ha"), parse_card("JHb")
    assert (DixExchanged(0, nine, up), DixScored(0, nine, 10)) == events(state, ExchangeDix(0, nine))
    state = after(state, ExchangeDix(0, nine))
    assert (nine, HEARTS, (10, 0)) == (state.turn_up, state.trump, state.totals)
    assert "JHb" in names(state.hands[0])
    assert "9Ha" not in names(state.hands[0])


def test_given_a_nine_turned_up_when_the_other_is_to_be_exchanged_then_it_is_rejected() -> None:
    """R-TWO-08, A-29."""
    state = won(up="9Hb", hand="AHa 9Ha")
    assert Reason.ILLEGAL_CARD == refusal(state, ExchangeDix(0, parse_card("9Ha")))
    state = after(won("AHa 9Ha 9Hb"), ExchangeDix(0, parse_card("9Ha")))
    assert Reason.ILLEGAL_CARD == refusal(state, ExchangeDix(0, parse_card("9Hb")))


@pytest.mark.parametrize("card", ["9Sa", "KHa", "9Hb", "9H", "??"])
def test_given_another_card_when_it_is_to_be_exchanged_then_it_is_rejected(card: str) -> None:
    number = 24 if card == "??" else parse_card(card)
    assert Reason.ILLEGAL_CARD == refusal(won("AHa KHa 9Sa 9Ha", other="JCa 9Hb"), ExchangeDix(0, number))


def test_given_a_nine_when_it_is_played_in_phase_1_then_it_earns_ten_by_itself() -> None:
    """R-TWO-14."""
    state = played(table("9Ha", "9Hb"), "9Ha")
    assert (10, 0) == state.totals
    expected = (CardPlayed(1, parse_card("9Hb")), DixScored(1, parse_card("9Hb"), 10), TrickWon(0, 0, last=False))
    assert expected == events(state, PlayCard(1, parse_card("9Hb")))


def test_given_a_nine_of_another_suit_when_it_is_played_then_it_earns_nothing() -> None:
    assert (0, 0) == played(table("9Sa"), "9Sa").totals


def test_given_a_nine_when_it_is_melded_and_then_exchanged_or_played_then_it_earns_once() -> None:
    """R-TWO-14, A-24."""
    state = laid(won("AHa AHb 9Ha 9Hb", other="JCa JCb"), "dix", "9Ha")
    assert (10, 0) == state.totals
    state = played(drawn(state), "AHb", "JCb")
    assert {("dix", "9Hb")} == {meld for meld in melds(state) if meld[0] == "dix"}
    assert Reason.ILLEGAL_MELD == refusal(state, LayMeld(0, "dix", parse_hand("9Ha")))
    assert (DixExchanged(0, parse_card("9Ha"), parse_card("JHb")),) == events(state, ExchangeDix(0, parse_card("9Ha")))
    assert (10, 0) == played(drawn(state), "9Ha").totals
    assert (20, 0) == played(drawn(state), "9Hb").totals


def test_given_an_exchanged_nine_when_it_is_drawn_and_played_then_it_earns_nothing_more() -> None:
    """R-TWO-14, A-24."""
    state = holding(after(won("AHa 9Ha"), ExchangeDix(0, parse_card("9Ha"))), "9Ha")
    again = PlayCard(state.turn, parse_card("9Ha"))
    assert (CardPlayed(state.turn, parse_card("9Ha")),) == events(state, again)


def test_given_the_turned_up_nine_when_its_drawer_plays_it_then_it_earns_nothing_more() -> None:
    """R-TWO-14, A-24: it earned ten for the dealer."""
    state = holding(table(up="9Ha"), "9Ha")
    again = PlayCard(state.turn, parse_card("9Ha"))
    assert (CardPlayed(state.turn, parse_card("9Ha")),) == events(state, again)


def test_given_a_nine_when_it_is_played_in_phase_2_then_it_earns_ten() -> None:
    """R-TWO-14."""
    state = strict("9Ha ASa", "9Sa KSa")
    assert (CardPlayed(0, parse_card("9Ha")), DixScored(0, parse_card("9Ha"), 10)) == events(
        state, PlayCard(0, parse_card("9Ha"))
    )


# Melds


def test_given_a_won_trick_when_a_meld_is_laid_then_it_scores_at_once_and_stays_in_hand() -> None:
    """R-TWO-10, R-TWO-11."""
    state = won()
    cards = parse_hand("QSa JDa")
    assert (MeldLaid(0, "pinochle", cards, 40),) == events(state, LayMeld(0, "pinochle", cards))
    after_it = laid(state, "pinochle", "QSa JDa")
    assert ((40, 0), state.hands, 0, DRAW) == (after_it.totals, after_it.hands, after_it.turn, after_it.phase)


def test_given_a_meld_was_laid_when_another_is_to_follow_then_it_needs_another_trick() -> None:
    """R-TWO-10."""
    state = laid(won(other="JCa 9Cb"), "pinochle", "QSa JDa")
    assert Reason.ILLEGAL_MELD == refusal(state, LayMeld(0, "run", parse_hand("AHb THa KHa QHa JHa")))
    state = played(drawn(state), "KHb", "9Cb")
    assert ("royal_marriage", "KHa QHb") in melds(state)
    assert (80, 0) == laid(state, "royal_marriage", "KHa QHb").totals


def test_given_a_trick_when_its_loser_would_meld_then_it_is_not_its_turn() -> None:
    """R-TWO-10."""
    state = played(table("KSa QSa", "ASa KCa QCa"), "KSa", "ASa")
    assert Reason.NOT_YOUR_TURN == refusal(state, LayMeld(0, "marriage", parse_hand("KSa QSa")))
    assert {("marriage", "KCa QCa")} <= melds(state)


@pytest.mark.parametrize(
    ("kind", "cards"),
    [
        ("pinochle", "QSa"),
        ("pinochle", "QSa JDb"),
        ("pinochle", "QSb JDa"),
        ("marriage", "KHa QHa"),
        ("royal_marriage", "KHa QHa KHb QHb"),
        ("run", "AHb THa KHa QHa JHa KHb"),
        ("dix", "9Sa"),
        ("jacks_around", "JHa JDa"),
        ("four_aces", "AHb"),
        ("", ""),
    ],
)
def test_given_cards_that_are_no_such_meld_when_they_are_laid_then_it_is_rejected(kind: str, cards: str) -> None:
    """R-TWO-12: runs, dix and marriages one at a time, and no longer runs."""
    assert Reason.ILLEGAL_MELD == refusal(won(RICH.replace("ADa", "9Sa")), LayMeld(0, kind, parse_hand(cards)))


def test_given_a_laid_card_when_it_serves_in_another_kind_then_no_new_card_is_needed() -> None:
    """R-TWO-11: a pinochle out of cards that lie in queens and jacks around."""
    state = won("AHa AHb QSa QHa QDa QCa JSa JHa JDa JCa", other="9Ca 9Cb 9Sa", lead="AHa", up="THb")
    state = played(drawn(laid(state, "queens_around", "QSa QHa QDa QCa")), "AHb", "9Cb")
    state = drawn(laid(state, "jacks_around", "JSa JHa JDa JCa"))
    state = played(state, "QHa", "9Sa")
    assert ("pinochle", "QSa JDa") in melds(state)
    assert (140, 0) == laid(state, "pinochle", "QSa JDa").totals


def test_given_one_fresh_queen_when_queens_around_are_laid_again_then_all_four_must_be_fresh() -> None:
    """R-TWO-11."""
    used = list(NO_CARDS)
    used[stock.MELD_KINDS.index("queens_around")] = parse_hand("QSa QHa QDa QCa")
    for hand, expected in [
        ("QSa QHa QDa QCa QSb", []),
        ("QSa QHa QDa QCa QSb QHb QDb", []),
        ("QSa QHa QDa QCa QSb QHb QDb QCb", ["QSb QHb QDb QCb"]),
        ("QSb QHb QDb QCb", ["QSb QHb QDb QCb"]),
    ]:
        found = stock.legal_melds(TWO, SPADES, parse_hand(hand), tuple(used), 0)
        assert expected == [" ".join(names(meld.cards)) for meld in found if meld.kind == "queens_around"]


def test_given_a_laid_card_when_it_is_played_then_it_serves_no_more() -> None:
    """R-TWO-11: playable, and then no longer possessed."""
    state = drawn(laid(won(other="9Ca 9Cb"), "pinochle", "QSa JDa"))
    assert PlayCard(0, parse_card("QSa")) in legal(state)  # type: ignore[operator]
    state = played(drawn(laid(won("AHa KSa QSa AHb", other="9Ca 9Cb"), "marriage", "KSa QSa")), "KSa", "9Cb")
    assert not {meld for meld in melds(state) if "KSa" in meld[1]}


SINGLES = {
    "run": ("AHa THb KHa QHa JHb", 150),
    "dix": ("9Hb", 10),
    "royal_marriage": ("KHb QHa", 40),
    "marriage": ("KSa QSb", 20),
    "aces_around": ("ASa AHb ADa ACb", 100),
    "kings_around": ("KSa KHb KDa KCb", 80),
    "queens_around": ("QSa QHa QDb QCb", 60),
    "jacks_around": ("JSa JHa JDb JCb", 40),
    "pinochle": ("QSa JDb", 40),
}
BOTH = {
    "aces_around": ("ASa ASb AHa AHb ADa ADb ACa ACb", 200, 1_000),
    "kings_around": ("KSa KSb KHa KHb KDa KDb KCa KCb", 160, 800),
    "queens_around": ("QSa QSb QHa QHb QDa QDb QCa QCb", 120, 600),
    "jacks_around": ("JSa JSb JHa JHb JDa JDb JCa JCb", 80, 400),
    "pinochle": ("QSa QSb JDa JDb", 80, 300),
}


@pytest.mark.parametrize("kind", stock.MELD_KINDS)
def test_given_the_cards_of_a_kind_when_they_are_laid_then_they_have_its_value(kind: str) -> None:
    """R-TWO-12."""
    cards, points = SINGLES[kind]
    for scale in (10, 1):
        found = stock.legal_melds(load("two-handed", scale=scale), HEARTS, parse_hand(cards), NO_CARDS, 0)
        assert (kind, parse_hand(cards), points * scale // 10) in found


@pytest.mark.parametrize("kind", BOTH)
def test_given_both_copies_of_a_kind_when_they_are_laid_at_once_then_they_are_one_meld(kind: str) -> None:
    """R-TWO-12, A-25: linear twice the value, with bonus that of R-MEL-06."""
    cards, linear, bonus = BOTH[kind]
    for double_melds, scale, points in [("linear", 10, linear), ("bonus", 10, bonus), ("bonus", 1, bonus // 10)]:
        rules = load("two-handed", double_melds=double_melds, scale=scale)
        found = stock.legal_melds(rules, HEARTS, parse_hand(cards), NO_CARDS, 0)
        assert (kind, parse_hand(cards), points) in found
        assert SINGLES[kind][1] * scale // 10 == min(meld.points for meld in found if meld.kind == kind)


@pytest.mark.parametrize("kind", ["run", "dix", "royal_marriage", "marriage"])
def test_given_both_copies_of_the_other_kinds_when_they_are_laid_then_it_is_one_at_a_time(kind: str) -> None:
    """R-TWO-12."""
    faces = {name[:2] for name in SINGLES[kind][0].split()}
    hand = parse_hand(" ".join(face + copy for face in faces for copy in "ab"))
    found = [meld for meld in stock.legal_melds(TWO, HEARTS, hand, NO_CARDS, 0) if meld.kind == kind]
    assert {len(faces)} == {size(meld.cards) for meld in found}
    assert 2 ** len(faces) == len(found)


def test_given_one_pinochle_laid_when_the_second_follows_then_both_score_singly_and_never_as_both_at_once() -> None:
    """A-25: also reached in two tricks, and then without the bonus."""
    rules = load("two-handed", double_melds="bonus")
    state = won("AHa AHb QSa QSb JDa JDb", rules=rules, other="9Ca 9Cb")
    state = played(drawn(laid(state, "pinochle", "QSa JDb")), "AHb", "9Cb")
    assert {("pinochle", "QSb JDa")} == {meld for meld in melds(state) if meld[0] == "pinochle"}
    assert (80, 0) == laid(state, "pinochle", "QSb JDa").totals


def test_given_a_royal_marriage_when_it_becomes_a_run_then_both_score() -> None:
    """R-TWO-13."""
    state = won("AHa ASa ASb THa KHa QHa JHa", lead="ASa", other="9Ca 9Cb")
    state = played(drawn(laid(state, "royal_marriage", "KHa QHa")), "ASb", "9Cb")
    assert ("royal_marriage", "KHa QHa") not in melds(state)
    assert (190, 0) == laid(state, "run", "AHa THa KHa QHa JHa").totals


def test_given_a_run_when_its_king_or_queen_would_marry_then_they_do_not_even_with_a_fresh_partner() -> None:
    """R-TWO-13, A-26."""
    used = list(NO_CARDS)
    used[stock.MELD_KINDS.index("run")] = parse_hand("AHa THa KHa QHa JHa")
    for hand, expected in [
        ("KHa QHa", []),
        ("KHa QHb", []),
        ("KHb QHa", []),
        ("KHa QHa KHb QHb", ["KHb QHb"]),
    ]:
        found = stock.legal_melds(TWO, HEARTS, parse_hand(hand), tuple(used), 0)
        assert expected == [" ".join(names(meld.cards)) for meld in found if meld.kind == "royal_marriage"]


# The last draw, and the strict tricks


def test_given_the_last_draw_of_two_when_it_comes_then_the_loser_takes_the_turn_up() -> None:
    """R-TWO-09; before it the winner may still exchange and meld."""
    state = last_draw(table())
    assert (DRAW, 1) == (state.phase, len(stock_of(state).cards))
    assert isinstance(legal(state), DrawOptions)
    winner, up, last = state.turn, state.turn_up, stock_of(state).cards[0]
    assert (CardDrawn(winner, last, False), CardDrawn(1 - winner, up, True)) == events(state, Draw(winner))
    state = drawn(state)
    assert (PLAY, winner, NONE) == (state.phase, state.turn, state.turn_up)  # R-TWO-16
    assert [12, 12] == [size(hand) for hand in state.hands]


def test_given_the_last_trick_before_the_strict_ones_when_it_is_won_then_exchange_and_meld_are_open() -> None:
    """R-TWO-09."""
    state = resumed(last_draw(table()), (0, 0), 0)
    mine = parse_hand("9Ha KSa QSa ASa ADa ACa TSa TDa TCa JSa JCa")
    state.hands = tuple(mine if seat == state.turn else hand for seat, hand in enumerate(state.hands))
    state.turn_up, state.stock = parse_card("JHb"), Stock(stock_of(state).cards, NO_CARDS, 0, has_melded=False)
    state = after(state, ExchangeDix(state.turn, parse_card("9Ha")))
    assert 30 == max(laid(state, "marriage", "KSa QSa").totals)


def test_given_three_players_when_four_tricks_are_played_then_the_third_in_order_takes_the_turn_up() -> None:
    """R-TWO-09, R-TWO-20."""
    state = table(rules=THREE)
    for _ in range(4):
        while state.phase == PLAY:
            state = after(state, default_command(state))
        winner, found = state.turn, events(state, Draw(state.turn))
        state = drawn(state)
    order = [(winner + step) % 3 for step in range(3)]
    assert [(order[0], False), (order[1], False), (order[2], True)] == [(x.seat, x.face_up) for x in found]
    assert (NONE, [12, 12, 12], winner) == (state.turn_up, [size(hand) for hand in state.hands], state.turn)


@pytest.mark.parametrize(
    ("led", "hand", "legal_cards"),
    [
        ("KSa", "ASa TSb QSa AHa", "ASa TSb"),  # follow suit and beat
        ("ASa", "ASb TSb AHa", "ASb TSb"),  # follow suit where nothing beats
        ("ASa", "9Ha ACa", "9Ha"),  # trump when void
        ("ASa", "ACa KDa", "ACa KDa"),
        ("QHa", "KHa JHa ACa", "KHa"),
        ("ASb", "ASa TSa", "ASa TSa"),  # an equal card does not beat
    ],
)
def test_given_the_last_twelve_tricks_when_a_card_is_played_then_play_is_strict(
    led: str, hand: str, legal_cards: str
) -> None:
    """R-TWO-15."""
    state = played(strict(f"{led} 9Ca", hand), led)
    assert PlayOptions(1, parse_hand(legal_cards), may_concede=False) == legal(state)


def test_given_lax_rules_when_the_last_tricks_are_played_then_the_knobs_hold() -> None:
    """R-TWO-15: `must_beat` and `must_overtrump`."""
    state = played(strict("KSa QHa 9Ca", "ASa QSa KHa"), "KSa")
    state.rules = load("two-handed", must_beat="none")
    state.options = None
    assert parse_hand("ASa QSa") == legal(state).cards  # type: ignore[union-attr]


def test_given_a_strict_trick_when_it_is_won_then_its_winner_leads_without_a_draw() -> None:
    state = played(strict("KSa 9Ca", "ASa KHa"), "KSa", "ASa")
    assert (PLAY, 1, 1) == (state.phase, state.turn, state.leader)
    assert Reason.WRONG_PHASE == refusal(state, Draw(1))


# Scores


def test_given_the_very_last_trick_when_it_is_won_then_it_is_worth_the_bonus_and_the_deal_is_scored() -> None:
    """R-TWO-17, R-TWO-18: all trick points are credited to all together."""
    state = strict("ASa", "TSa")
    state.trick_points, state.totals = (100, 120), (300, 200)
    found = events(played(state, "ASa"), PlayCard(1, parse_card("TSa")))
    scored = DealScored((130, 120), 0, (430, 320))
    assert (CardPlayed(1, parse_card("TSa")), TrickWon(0, 30, last=True), scored) == found
    state = played(state, "ASa", "TSa")
    assert (DEAL, 0, (430, 320), 1) == (state.phase, state.dealer, state.totals, state.scored)


@pytest.mark.parametrize("rules", [TWO, THREE], ids=["two", "three"])
def test_given_a_whole_deal_when_it_is_scored_then_trick_points_add_up_to_250_and_the_deal_moves_on(
    rules: RuleSet,
) -> None:
    """R-TWO-01, R-TWO-18."""
    state = table(rules=rules)
    found: tuple[Any, ...] = ()
    while state.phase != DEAL:
        found = events(state, default_command(state))
        state = GAME.fold(state, found, 0)
    assert 250 == sum(found[-1].trick_points)
    assert 0 == state.dealer
    state = after(state, DealCards(deal_deck(state)))
    assert (2, 1, 1) == (state.deal, state.turn, state.leader)
    assert (0, NO_CARDS) == (state.played, stock_of(state).used)


@pytest.mark.parametrize(
    ("totals", "points", "winner"),
    [
        ((870, 880), (130, 120), None),  # 1000 to 1000
        ((869, 870), (130, 120), None),  # 999 to 990
        ((870, 870), (130, 120), 0),  # 1000 to 990
        ((900, 930), (130, 120), 1),  # 1030 to 1050
        ((1_000, 800), (0, 250), 1),
    ],
)
def test_given_the_end_of_a_deal_when_somebody_is_at_the_target_then_the_higher_total_wins(
    totals: tuple[int, int], points: tuple[int, int], winner: int | None
) -> None:
    """R-TWO-19, A-23."""
    state = strict("ASa", "9Sa")
    state.trick_points, state.totals = (points[0] - 20, points[1]), totals
    found = events(played(state, "ASa"), PlayCard(1, parse_card("9Sa")))
    final = tuple(map(sum, zip(totals, points, strict=True)))
    assert DealScored(points, 0, final) == found[2]
    assert ((GameEnded(winner, "score"),) if winner is not None else ()) == found[3:]


def test_given_deal_end_when_a_meld_reaches_the_target_then_the_deal_goes_on() -> None:
    """R-TWO-19."""
    state = laid(won(totals=(960, 0)), "pinochle", "QSa JDa")
    assert ((1_000, 0), DRAW) == (state.totals, state.phase)


@pytest.mark.parametrize(
    ("totals", "wins"), [((60, 99), True), ((99, 138), True), ((59, 0), False), ((60, 100), False), ((99, 139), False)]
)
def test_given_immediate_when_a_meld_reaches_the_target_then_only_who_is_ahead_of_all_wins(
    totals: tuple[int, int], wins: bool
) -> None:
    """R-TWO-19."""
    found = events(won(rules=IMMEDIATE, totals=totals), LayMeld(0, "pinochle", parse_hand("QSa JDa")))
    assert ((GameEnded(0, "score"),) if wins else ()) == found[1:]


def test_given_immediate_when_the_dealers_nine_reaches_the_target_then_no_card_is_played() -> None:
    """R-TWO-19."""
    state = table(up="9Ha", rules=IMMEDIATE, totals=(0, 90))
    assert (OVER, 1, "score", (0, 100)) == (state.phase, state.winner, state.end_reason, state.totals)


def test_given_immediate_when_an_exchange_reaches_the_target_then_the_game_stops() -> None:
    """R-TWO-19."""
    found = events(won(rules=IMMEDIATE, totals=(90, 0)), ExchangeDix(0, parse_card("9Ha")))
    assert [DixExchanged, DixScored, GameEnded] == [event.__class__ for event in found]


def test_given_immediate_when_a_played_nine_reaches_the_target_then_the_trick_is_not_finished() -> None:
    """R-TWO-19."""
    state = played(table("9Ha", "9Hb", rules=IMMEDIATE, totals=(0, 90)), "9Ha")
    found = events(state, PlayCard(1, parse_card("9Hb")))
    assert [CardPlayed, DixScored, GameEnded] == [event.__class__ for event in found]
    assert 1 == found[-1].winner


def test_given_immediate_when_a_nine_that_has_earned_its_points_is_used_then_nothing_stops() -> None:
    """R-TWO-19: only a credit of more than 0 points does."""
    state = laid(won("AHa AHb 9Ha", other="9Ca 9Cb", rules=IMMEDIATE, totals=(0, 0)), "dix", "9Ha")
    state = resumed(played(drawn(state), "AHb", "9Cb"), (150, 100), 1)
    assert (DixExchanged(0, parse_card("9Ha"), parse_card("JHb")),) == events(state, ExchangeDix(0, parse_card("9Ha")))


def test_given_immediate_when_trick_points_reach_the_target_then_it_is_judged_at_the_end_of_the_deal() -> None:
    """R-TWO-19."""
    state = strict("ASa KSa", "9Sa JSa")
    state.rules, state.totals, state.trick_points = IMMEDIATE, (90, 0), (90, 120)
    state = played(state, "ASa", "9Sa")
    assert PLAY == state.phase
    state = played(state, "KSa", "JSa")
    assert (OVER, 0, (205, 120)) == (state.phase, state.winner, state.totals)


@pytest.mark.parametrize("seat", [0, 1])
def test_given_immediate_and_a_tie_at_the_target_when_a_deal_begins_then_the_first_credit_wins(seat: int) -> None:
    """A-43."""
    state = table("9Ha ASa", "9Hb", rules=IMMEDIATE, totals=(120, 120))
    assert PLAY == state.phase
    state = played(state, "9Ha") if seat == 0 else played(state, "ASa", "9Hb")
    assert (OVER, seat) == (state.phase, state.winner)


@pytest.mark.parametrize(("totals", "winner"), [((10, 0), 0), ((0, 30), 1), ((0, 20), NONE)])
def test_given_a_cap_on_deals_when_it_is_reached_then_the_highest_total_wins_if_it_stands_alone(
    totals: tuple[int, int], winner: int
) -> None:
    state = strict("ASa", "9Sa")
    state = resumed(state, totals, 0)
    state.table = opened(TWO, 1, deal_limit=1).table
    state.trick_points = (115, 115)
    assert GameEnded(winner, "deal_limit") == events(played(state, "ASa"), PlayCard(1, parse_card("9Sa")))[-1]
