"""Events in words and as plain values."""

import json
from typing import get_args

import pytest
from pinochle import events as e
from pinochle.cards import hidden, parse_hand
from pinochle.describe import describe, hand_text, plain
from pinochle.meld import Meld

from tests.played import hold, play

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


def test_every_event_of_whole_games_and_tournaments_has_a_line_and_plain_values() -> None:
    acts = [act for name in ("classic", "danish-nobid", "double-deck-club") for act in play(name, 3, turn_ms=9_000)]
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
    assert len(seen) > 25


def test_no_event_of_a_table_is_without_words_of_its_own() -> None:
    from pinochle import describe as module

    assert set(get_args(e.Event)) == set(module._LINES)


def test_cards_are_plain_text() -> None:
    assert {"event": "CardPlayed", "seat": 2, "card": "TH"} == plain(e.CardPlayed(2, 7))
    assert ["AS", "??"] == plain(e.CardsPassed(0, 2, parse_hand("AS") + hidden(1)))["cards"]
