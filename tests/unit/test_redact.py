"""What each viewer may see of an event (section 17)."""

import pytest
from pinochle.cards import HIDDEN, hidden, holds, parse_card, parse_hand, size
from pinochle.commands import DealCards, KeepDeal, NameTrump, OpenTable, Pass, PassCards, PlaceBid, ThrowIn, VoidTable
from pinochle.events import CardsPassed, DealKept, DealThrownIn, HandDealt, MeldShown, TableClosed, TableOpened
from pinochle.game import GAME
from pinochle.redact import Viewer, is_public, redact
from pinochle.rules import load
from pinochle.state import NONE, State, fold

from tests.drive import PLAYERS, SEED, act_of, deck_with

VIEWERS: list[Viewer] = [None, 0, 1, 2, 3]
HANDS = tuple(map(parse_hand, ("AS TS", "AH TH", "AD TD", "AC TC")))


@pytest.mark.parametrize("viewer", VIEWERS)
def test_given_a_deal_when_it_is_seen_then_each_hand_is_its_holders_alone(viewer: Viewer) -> None:
    """R-DEAL-03, R-VIS-02."""
    seen = redact(HandDealt(1, 3, HANDS, NONE), viewer)
    expected = tuple(HANDS[seat] if seat == viewer else hidden(2) for seat in range(4))
    assert HandDealt(1, 3, expected, NONE) == seen


@pytest.mark.parametrize("viewer", VIEWERS)
def test_given_a_turn_up_to_come_when_the_deal_is_seen_then_nobody_knows_it(viewer: Viewer) -> None:
    """R-TRU-03: it is shown by an event of its own, with the misdeal option much later."""
    seen = redact(HandDealt(1, 3, HANDS, parse_card("AC")), viewer)
    assert isinstance(seen, HandDealt)
    assert HIDDEN == seen.turn_up


@pytest.mark.parametrize("viewer", VIEWERS)
def test_given_passed_cards_when_they_are_seen_then_only_giver_and_receiver_know_them(viewer: Viewer) -> None:
    """R-EXC-04, R-VIS-03."""
    passed = CardsPassed(3, 1, parse_hand("AS AS TH 9C"))
    expected = passed if viewer in (1, 3) else CardsPassed(3, 1, hidden(4))
    assert expected == redact(passed, viewer)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_given_a_table_when_its_opening_is_seen_then_the_seed_is_not_but_its_commitment_is(viewer: Viewer) -> None:
    event = TableOpened(load("classic"), PLAYERS, 0, b"c" * 32, SEED, b"nonce", 0, 0, 0, "", "", "")
    seen = redact(event, viewer)
    assert isinstance(seen, TableOpened)
    assert (b"", b"c" * 32, b"nonce") == (seen.seed, seen.commitment, seen.nonce)
    assert TableClosed(SEED) == redact(TableClosed(SEED), viewer)


@pytest.mark.parametrize(
    "event", [DealKept(1), DealThrownIn(1), MeldShown(0, 20, (), parse_hand("KS QS")), TableClosed(SEED)], ids=repr
)
def test_given_a_public_event_when_it_is_seen_then_it_is_the_same_for_all(event: object) -> None:
    """R-VIS-01."""
    assert is_public(event)  # type: ignore[arg-type]
    assert all(redact(event, viewer) is event for viewer in VIEWERS)  # type: ignore[arg-type]


def test_given_secret_events_when_asked_then_they_are_not_public() -> None:
    opened_event = TableOpened(load("classic"), PLAYERS, 0, b"", b"", b"", 0, 0, 0, "", "", "")
    for event in (HandDealt(1, 3, HANDS, NONE), CardsPassed(3, 1, hidden(4)), opened_event):
        assert not is_public(event)


# Views: states folded from what a viewer receives


def views(*commands: object) -> tuple[State, dict[Viewer, State]]:
    """The true state after these commands, and every viewer's."""
    truth = GAME.initial()
    seen = {viewer: GAME.initial() for viewer in VIEWERS}
    for command in commands:
        act = act_of(truth, command, GAME.decide(truth, command))  # type: ignore[arg-type]
        truth = fold(truth, act.events)
        for viewer in VIEWERS:
            seen[viewer] = fold(seen[viewer], [redact(event, viewer) for event in act.events])
    return truth, seen


def opening(profile: str, **knobs: object) -> list[object]:
    return [OpenTable(load(profile, **knobs), PLAYERS, 3, SEED)]


def test_given_melds_when_they_are_shown_then_everybody_knows_those_cards_in_that_hand() -> None:
    """R-MEL-12, R-VIS-01: one QS serving twice is shown once."""
    rules = load("single-s3")
    hands = ["KS QS JD AS AH AD TC 9C 9C 9S TH JH"]
    deck = deck_with(rules, hands, 3)
    calls = [PlaceBid(0, 250), Pass(1), Pass(2), Pass(3), NameTrump(0, 3)]
    truth, seen = views(*opening("single-s3"), DealCards(deck), *calls)
    shown = truth.melds[0].shown  # type: ignore[union-attr]
    assert parse_hand("KS QS JD 9C 9C") == shown
    for viewer in (None, 1, 2, 3):
        assert shown + hidden(7) == seen[viewer].hands[0]
    assert truth.hands[0] == seen[0].hands[0]


def test_given_an_exchange_when_cards_go_both_ways_then_the_partners_know_what_they_gave() -> None:
    """R-VIS-03."""
    hands = ["AS AS TS TS KS KS JS JS 9S 9S AH TH", "", "AC AC TC TC KC KC JC JC 9C 9C AD TD"]
    deck = deck_with(load("classic-swap2"), hands, 3)
    calls = [PlaceBid(0, 250), Pass(1), Pass(2), Pass(3), NameTrump(0, 3), PassCards(2, parse_hand("AD TD"))]
    _, seen = views(*opening("classic-swap2"), DealCards(deck), *calls)
    assert parse_hand("AD TD") + hidden(12) == seen[2].hands[0]
    assert hidden(10) == seen[0].hands[2]
    assert hidden(14) == seen[1].hands[0] == seen[None].hands[0]
    truth, seen = views(*opening("classic-swap2"), DealCards(deck), *calls, PassCards(0, parse_hand("AH AD")))
    assert holds(seen[2].hands[0], parse_hand("TD"))
    assert not holds(seen[2].hands[0], parse_hand("AD"))
    assert holds(seen[0].hands[2], parse_hand("AH AD"))
    assert 12 == size(seen[2].hands[0]) == size(seen[0].hands[2])
    assert truth.hands[2] == seen[2].hands[2]


def test_given_the_misdeal_option_when_hands_are_kept_or_thrown_in_then_views_differ_in_nothing_but_own_cards() -> None:
    """R-DEAL-05, R-VIS-02: being asked says nothing about a hand."""
    rules = load("single-s3", misdeal_option=True)
    worthless = "TS QS JS 9S TH KH JH 9H TD JD 9D QC"
    for hand in (worthless, worthless.replace("9S", "AS")):
        deck = deck_with(rules, [hand], 3)
        truth, seen = views(*opening("single-s3", misdeal_option=True), DealCards(deck), KeepDeal(0))
        assert {(truth.phase, 1)} == {(view.phase, view.turn) for view in seen.values()}
    deck = deck_with(rules, [worthless], 3)
    truth, seen = views(*opening("single-s3", misdeal_option=True), DealCards(deck), ThrowIn(0))
    assert {truth.phase} == {view.phase for view in seen.values()}
    assert hidden(12) == seen[1].hands[0]


def test_given_a_game_that_ends_before_it_is_played_when_it_is_seen_then_the_hands_stay_hidden() -> None:
    """R-VIS-06."""
    deck = deck_with(load("classic"), [], 3)
    truth, seen = views(*opening("classic"), DealCards(deck), VoidTable("rain"))
    assert all(hidden(12) == seen[None].hands[seat] for seat in range(4))
    assert truth.hands[1] == seen[1].hands[1]
