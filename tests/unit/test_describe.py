"""Events in words and as plain values."""

import json
from typing import get_args

import pytest
from pinochle import commands as c
from pinochle import events as e
from pinochle.cards import HIDDEN, hidden, parse_card, parse_hand
from pinochle.describe import describe, hand_text, plain
from pinochle.meld import Meld

from tests.played import hold, play
from tests.rule_sets import STOCK

RUN = parse_hand("AH TH KH QH JH")


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (e.CardPlayed(2, 7), "seat 2 plays TH"),
        (e.TrickWon(1, 30, False), "seat 1 wins the trick, 30 points"),
        (e.TrickWon(1, 30, True), "seat 1 wins the last trick, 30 points"),
        (e.Passed(3, True), "seat 3 passes with help"),
        (e.AuctionWon(0, 250, True), "seat 0 has the contract at 250, forced"),
        (e.TrumpNamed(0, 1, True), "seat 0 names H trump and declares out"),
        (e.CardsPassed(0, 2, hidden(4)), "seat 0 passes 4 hidden to seat 2"),
        (e.MeldShown(1, 0, (), 0), "seat 1 melds nothing"),
        (
            e.MeldShown(1, 150, (Meld("run", 1, 1, 150),), RUN),
            "seat 1 melds 150: run in H 150; shows AH TH KH QH JH",
        ),
        (e.MeldsTotaled((150, 40), True), "melds: 150 to 40; the hand may be conceded"),
        (e.GameEnded(-1, "deal_limit"), "the game is over: no winner (deal limit)"),
        (e.TurnUpShown(23, 3), "9C is turned up: C is trump"),
        (e.CardPlayed(0, parse_card("QSb")), "seat 0 plays QSb"),
        (e.CardDrawn(1, HIDDEN, face_up=False), "seat 1 draws a card"),
        (e.CardDrawn(1, parse_card("THa"), face_up=False), "seat 1 draws THa"),
        (e.CardDrawn(1, parse_card("9Ca"), face_up=True), "seat 1 takes the turn-up 9Ca"),
        (e.DixExchanged(0, parse_card("9Ca"), parse_card("ACb")), "seat 0 gives 9Ca for the turn-up ACb"),
        (e.DixScored(0, parse_card("9Ca"), 10), "seat 0 scores 10 for 9Ca"),
        (e.MeldLaid(2, "royal_marriage", parse_hand("KCa QCb"), 40), "seat 2 lays royal marriage KCa QCb: 40 points"),
        (
            e.DealScored((90, 60, 100), 2, (90, 1_060, 100)),
            "trick points 90 to 60 to 100, the last trick to seat 2; totals 90 to 1060 to 100",
        ),
        (
            e.HandDealt(2, 1, (parse_hand("QSa JDb"), hidden(12)), HIDDEN, (HIDDEN,) * 23),
            "deal 2 by seat 1: 0: QSa JDb; 1: 12 hidden; stock: 23 hidden",
        ),
        (
            e.HandDealt(2, 1, (parse_hand("QSa"), parse_hand("QSb")), 33, (parse_card("9Cb"), parse_card("ASa"))),
            "deal 2 by seat 1: 0: QSa; 1: QSb; stock: 9Cb ASa",
        ),
        (
            e.HandScored(1, 250, (20, 100), (0, 100), (90, 160), (4, 8), "made", (90, 260), (90, 260)),
            "team 1 bid 250: made; meld 20 to 100, counted 0 to 100; trick points 90 to 160; "
            "score +90 and +260, totals 90 to 260",
        ),
    ],
)
def test_an_event_is_one_line(event: object, line: str) -> None:
    assert line == describe(event)


def test_players_and_signs_of_the_suits_are_shown_where_asked_for() -> None:
    assert "seat 2 (ann) plays T♥" == describe(e.CardPlayed(2, 7), symbols=True, players=("", "", "ann", ""))
    assert "A♠ 9♣ 2 hidden" == hand_text(parse_hand("AS 9C") + hidden(2), symbols=True)


def test_copy_letters_stand_behind_the_signs_of_the_suits() -> None:
    assert "seat 0 plays Q♠b" == describe(e.CardPlayed(0, parse_card("QSb")), symbols=True)
    assert "Q♠a J♦b" == hand_text(parse_hand("QSa JDb"), symbols=True)


def test_the_winner_is_a_seat_where_there_are_no_teams() -> None:
    ended = e.GameEnded(1, "score")
    assert "the game is over: team 1 wins (score)" == describe(ended)
    assert "the game is over: seat 1 (bob) wins (score)" == describe(ended, players=("ann", "bob"), teams=False)
    assert "the game is over: no winner (draw)" == describe(e.GameEnded(-1, "draw"), teams=False)


def test_every_event_of_whole_games_and_tournaments_has_a_line_and_plain_values() -> None:
    profiles = ("classic", "danish-nobid", "double-deck-club", *STOCK)
    acts = [act for name in profiles for act in play(name, 3, turn_ms=9_000)]
    acts += hold("knockout", 3) + hold("round_robin", 3)
    seen = set()
    for act in acts:
        assert act.command.__class__.__name__ == plain(act.command)["command"]
        json.dumps(plain(act.command))
        for event in act.events:
            seen.add(type(event))
            assert describe(event)
            assert "\n" not in describe(event)
            assert type(event).__name__ == json.loads(json.dumps(plain(event)))["event"]
    assert len(seen) > 30


def test_no_event_of_a_table_is_without_words_of_its_own() -> None:
    from pinochle import describe as module

    assert set(get_args(e.Event)) == set(module._LINES)


def test_cards_are_plain_text() -> None:
    assert {"event": "CardPlayed", "seat": 2, "card": "TH"} == plain(e.CardPlayed(2, 7))
    assert {"event": "DixExchanged", "seat": 0, "gives": "9Ca", "takes": "ACb"} == plain(
        e.DixExchanged(0, parse_card("9Ca"), parse_card("ACb"))
    )
    assert ["??", "QSb"] == plain(e.HandDealt(1, 0, (0, 0), HIDDEN, (HIDDEN, parse_card("QSb"))))["stock"]
    assert ["9Cb", None] == plain(c.DealCards((parse_card("9Cb"), 80)))["deck"]
    assert ["AS", "??"] == plain(e.CardsPassed(0, 2, parse_hand("AS") + hidden(1)))["cards"]
