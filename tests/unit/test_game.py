"""The course of a table: deal, misdeal option, trump, exchange, melds, concession, score and end (sections 5 to 14)."""

from random import Random
from typing import Any

import pytest
from pinochle.cards import cards_in, count, hand_of, hidden, names, parse_hand, size
from pinochle.commands import (
    Concede,
    DealCards,
    KeepDeal,
    NameTrump,
    OpenTable,
    Pass,
    PassCards,
    PlaceBid,
    PlayCard,
    ThrowIn,
)
from pinochle.errors import BadInput, Reason, Rejected
from pinochle.events import (
    AuctionWon,
    CardPlayed,
    CardsPassed,
    Conceded,
    DealAbandoned,
    DealKept,
    DealThrownIn,
    GameEnded,
    HandDealt,
    HandScored,
    MeldShown,
    MeldsTotaled,
    PlaySkipped,
    TableOpened,
    TrickWon,
    TrumpNamed,
    TurnUpShown,
)
from pinochle.game import GAME
from pinochle.options import ExchangeOptions, MisdealOptions, PlayOptions, TrumpOptions, legal
from pinochle.rules import load
from pinochle.shuffle import commitment
from pinochle.state import AUCTION, DEAL, EXCHANGE, MISDEAL, NONE, OVER, PLAY, RETURN, State, resumed

from tests.drive import PLAYERS, SEED, after, called, dealt, deck_with, opened, refusal

WORTHLESS = "TS QS JS 9S TH KH JH 9H TD JD 9D QC"
FIRST_BIDS = (PlaceBid(0, 250), Pass(1), Pass(2), Pass(3))


def declared(profile: str, hands: Any = (), bid: int | None = None, **knobs: Any) -> State:
    """Seat 0 has won the auction and is to name trump."""
    rules = load(profile, **knobs)
    return after(called(rules, hands), PlaceBid(0, bid or rules.min_bid), Pass(1), Pass(2), Pass(3))


def events(state: State, command: Any) -> tuple[Any, ...]:
    return GAME.decide(state, command)


def kinds_of(found: tuple[Any, ...]) -> list[type]:
    return [event.__class__ for event in found]


# Opening


def test_given_nothing_when_a_table_is_opened_then_its_first_event_holds_the_whole_rule_set() -> None:
    """R-CFG-01; the seed is pinned by its commitment."""
    rules = load("classic", target=700)
    command = OpenTable(rules, PLAYERS, 2, SEED, b"nonce", 30_000, 1_000, 9, "boards", "event", "match")
    expected = TableOpened(
        rules, PLAYERS, 2, commitment(SEED), SEED, b"nonce", 30_000, 1_000, 9, "boards", "event", "match"
    )
    assert (expected,) == events(GAME.initial(), command)
    state = after(GAME.initial(), command)
    assert (DEAL, 2, rules, (0, 0)) == (state.phase, state.dealer, state.rules, state.totals)


def test_given_an_open_table_when_it_is_opened_alike_again_then_nothing_happens() -> None:
    command = OpenTable(load("classic"), PLAYERS, 2, SEED)
    state = after(GAME.initial(), command)
    assert () == events(state, command)
    assert Reason.ALREADY_OPEN == refusal(state, OpenTable(load("classic"), PLAYERS, 3, SEED))
    assert Reason.ALREADY_OPEN == refusal(state, OpenTable(load("classic-short"), PLAYERS, 2, SEED))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"players": PLAYERS[:3]}, "the number of players must be 4, not 3"),
        ({"players": (*PLAYERS, "eve")}, "the number of players must be 4, not 5"),
        ({"players": ("", *PLAYERS[1:])}, "not a player id: '' (1 to 64 letters, digits and . _ : -)"),
        ({"players": ("x" * 65, *PLAYERS[1:])}, f"not a player id: '{'x' * 65}' (1 to 64 letters, digits and . _ : -)"),
        ({"players": (*PLAYERS[:3], "a b")}, "not a player id: 'a b' (1 to 64 letters, digits and . _ : -)"),
        ({"dealer": 4}, "dealer must be 0 to 3, not 4"),
        ({"dealer": -1}, "dealer must be 0 to 3, not -1"),
        ({"seed": b"short"}, "a seed has 32 bytes, not 5"),
        ({"nonce": bytes(65)}, "the nonce's length must be 0 to 64, not 65"),
        ({"turn_ms": -1}, "turn_ms must be 0 to 604800000, not -1"),
        ({"turn_ms": 604_800_001}, "turn_ms must be 0 to 604800000, not 604800001"),
        ({"grace_ms": 2**31}, "grace_ms must be 0 to 604800000, not 2147483648"),
        ({"deal_limit": 10_001}, "deal_limit must be 0 to 10000, not 10001"),
        ({"boards": "x" * 201}, "the length of boards must be 0 to 200, not 201"),
        ({"tournament": "x" * 201}, "the length of tournament must be 0 to 200, not 201"),
        ({"match": "x" * 201}, "the length of match must be 0 to 200, not 201"),
        ({"rules": load("two-handed"), "players": PLAYERS[:3]}, "the number of players must be 2, not 3"),
        ({"rules": load("two-handed"), "players": PLAYERS[:2], "dealer": 2}, "dealer must be 0 to 1, not 2"),
        ({"rules": load("three-handed-stock"), "players": PLAYERS}, "the number of players must be 3, not 4"),
    ],
)
def test_given_a_malformed_opening_when_it_is_asked_for_then_one_line_says_what_is_wrong(
    change: dict[str, Any], words: str
) -> None:
    asked = {"rules": load("classic"), "players": PLAYERS, "dealer": 0, "seed": SEED} | change
    with pytest.raises(BadInput) as error:
        events(GAME.initial(), OpenTable(**asked))
    assert words == str(error.value)


def test_given_something_that_is_no_command_when_it_is_decided_then_it_is_bad_input() -> None:
    with pytest.raises(BadInput, match="not a command"):
        events(opened(load("classic")), "play AS")


# Dealing


@pytest.mark.parametrize(
    ("profile", "packet", "last_of_first_round"),
    [("classic", 3, 11), ("classic", 5, 19), ("danish", 4, 15), ("double-deck", 4, 15), ("classic", 1, 3)],
)
def test_given_a_deck_when_it_is_dealt_then_packets_go_round_from_the_dealers_left(
    profile: str, packet: int, last_of_first_round: int
) -> None:
    """R-DEAL-01, R-DEAL-02, R-SEAT-01."""
    rules = load(profile, packet=packet)
    deck = tuple(Random(3).sample(rules.cards, len(rules.cards)))
    found = events(opened(rules, dealer=1), DealCards(deck))
    assert [HandDealt] == kinds_of(found)
    hands = found[0].hands
    assert [rules.hand_size] * 4 == [size(hand) for hand in hands]
    first = [hand_of(deck[step * packet : (step + 1) * packet]) for step in range(4)]  # seats 2, 3, 0, 1
    for seat, packet_cards in zip((2, 3, 0, 1), first, strict=True):
        assert all(count(hands[seat], card) >= count(packet_cards, card) for card in cards_in(packet_cards))
    assert count(hands[1], deck[last_of_first_round]) > 0
    assert count(hands[1], deck[-1]) > 0


def test_given_a_deck_that_is_not_the_rules_deck_when_it_is_dealt_then_it_is_rejected() -> None:
    """R-DECK-01."""
    state = opened(load("classic"))
    good = load("classic").cards
    for deck in ((), good[:-1], (*good, 0), (0, *good[:-1]), load("double-deck").cards, (24, *good[1:])):
        assert Reason.ILLEGAL_DECK == refusal(state, DealCards(deck))


def test_given_cards_in_play_when_another_deck_is_dealt_then_it_is_rejected() -> None:
    state = dealt(load("classic"))
    assert Reason.WRONG_PHASE == refusal(state, DealCards(load("classic").cards))


# The misdeal option


def test_given_the_misdeal_option_when_cards_are_dealt_then_everybody_is_asked_from_the_dealers_left() -> None:
    """R-DEAL-05: a hand that does not qualify can only be kept."""
    state = dealt(load("single-s3", misdeal_option=True), ["AS KH QH"], dealer=2)
    asked = []
    while state.phase == MISDEAL:
        asked.append(state.turn)
        assert (DealKept(state.turn),) == events(state, KeepDeal(state.turn))
        state = after(state, KeepDeal(state.turn))
    assert ([3, 0, 1, 2], AUCTION, 3) == (asked, state.phase, state.turn)


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        (WORTHLESS, True),
        (WORTHLESS.replace("9S", "AS"), False),
        (WORTHLESS.replace("9S", "QH"), False),
        (WORTHLESS.replace("9S", "KC"), False),
    ],
)
def test_given_a_hand_when_it_is_thrown_in_then_it_has_neither_ace_nor_marriage(hand: str, expected: bool) -> None:
    """R-DEAL-05."""
    state = dealt(load("single-s3", misdeal_option=True), [hand])
    assert MisdealOptions(0, may_throw_in=expected) == legal(state)
    if expected:
        assert (DealThrownIn(0), DealAbandoned(3)) == events(state, ThrowIn(0))
    else:
        assert Reason.ILLEGAL_MISDEAL == refusal(state, ThrowIn(0))


def test_given_a_deal_thrown_in_when_it_goes_on_then_the_same_dealer_deals_and_nothing_is_scored() -> None:
    """R-DEAL-06."""
    state = after(dealt(load("single-s3", misdeal_option=True), [WORTHLESS]), ThrowIn(0))
    assert (DEAL, 3, 0, (0, 0), 1) == (state.phase, state.dealer, state.scored, state.totals, state.deal)
    again = after(state, DealCards(load("single-s3").cards))
    assert (2, MISDEAL, 0) == (again.deal, again.phase, again.turn)


def test_given_no_misdeal_option_when_a_hand_is_thrown_in_then_it_is_the_wrong_phase() -> None:
    state = dealt(load("single-s3"), [WORTHLESS])
    assert Reason.WRONG_PHASE == refusal(state, ThrowIn(0))
    assert Reason.WRONG_PHASE == refusal(state, KeepDeal(0))


# No bid


def test_given_no_bidding_when_cards_are_dealt_then_the_dealers_last_card_is_shown_and_all_meld() -> None:
    """R-TRU-03, R-MEL-01: the player left of the dealer leads."""
    rules = load("danish-nobid")
    deck = deck_with(rules, [], dealer=1)
    found = events(opened(rules, dealer=1), DealCards(deck))
    assert [HandDealt, TurnUpShown, MeldShown, MeldShown, MeldShown, MeldShown, MeldsTotaled] == kinds_of(found)
    assert TurnUpShown(deck[-1], deck[-1] // 6) == found[1]
    assert [2, 3, 0, 1] == [event.seat for event in found[2:6]]
    assert False is found[-1].may_concede
    state = dealt(rules, dealer=1)
    assert (PLAY, 2, 2, NONE, 12) == (state.phase, state.turn, state.leader, state.declarer, size(state.hands[1]))
    assert count(state.hands[1], deck[-1]) > 0
    assert Reason.ILLEGAL_CONCESSION == refusal(state, Concede(2))


def test_given_no_bidding_and_the_misdeal_option_when_all_have_kept_then_the_card_is_shown() -> None:
    """R-DEAL-05: asked before the trump card is shown."""
    state = dealt(load("danish-nobid", misdeal_option=True))
    assert (MISDEAL, NONE) == (state.phase, state.trump)
    state = after(state, KeepDeal(0), KeepDeal(1), KeepDeal(2))
    assert NONE == state.trump
    found = events(state, KeepDeal(3))
    assert [DealKept, TurnUpShown, *[MeldShown] * 4, MeldsTotaled] == kinds_of(found)
    assert (PLAY, 0) == (after(state, KeepDeal(3)).phase, after(state, KeepDeal(3)).turn)


# Trump


def test_given_a_declarer_when_trump_is_named_then_any_suit_will_do() -> None:
    """R-TRU-01."""
    state = declared("classic")
    assert TrumpOptions(0, (0, 1, 2, 3), may_declare_out=False) == legal(state)
    assert (TrumpNamed(0, 3, False),) == events(state, NameTrump(0, 3))
    for suit in (-1, 4, 10**6):
        assert Reason.ILLEGAL_TRUMP == refusal(state, NameTrump(0, suit))


def test_given_another_win_rule_when_the_declarer_declares_out_then_it_is_rejected() -> None:
    """R-TRU-02."""
    assert Reason.ILLEGAL_TRUMP == refusal(declared("classic"), NameTrump(0, 0, declare_out=True))
    assert True is after(declared("classic", win_rule="declared_out"), NameTrump(0, 0, declare_out=True)).declared_out


def test_given_a_game_of_deals_when_the_declarer_declares_out_then_it_is_rejected() -> None:
    """R-CLB-13."""
    state = declared("classic", win_rule="declared_out", game_length="deals")
    assert Reason.ILLEGAL_TRUMP == refusal(state, NameTrump(0, 0, declare_out=True))


def test_given_a_required_marriage_when_trump_is_named_then_only_suits_with_king_and_queen_will_do() -> None:
    """R-CLB-05, R-CLB-15: the declarer alone knows which they are."""
    hand = "AS TS KS QS JS 9S AH KH TD QD JD KC"
    state = declared("single-s3", [hand], trump_marriage="required")
    assert TrumpOptions(0, (0,), may_declare_out=False) == legal(state)
    with pytest.raises(Rejected) as rejection:
        events(state, NameTrump(0, 1))
    assert "illegal_trump: one of S" == str(rejection.value)


# Exchange


def test_given_an_exchange_when_trump_is_named_then_the_partner_moves_first() -> None:
    """R-EXC-01."""
    state = after(declared("classic"), NameTrump(0, 0))
    assert (EXCHANGE, 2, ExchangeOptions(2, state.hands[2], 4)) == (state.phase, state.turn, legal(state))
    assert Reason.NOT_YOUR_TURN == refusal(state, PassCards(0, hand_of(cards_in(state.hands[0])[:4])))


def test_given_an_exchange_when_cards_go_both_ways_then_received_ones_may_be_returned() -> None:
    """R-EXC-02, R-EXC-03."""
    state = after(declared("classic"), NameTrump(0, 0))
    before = state.hands
    given = hand_of(cards_in(before[2])[:4])
    assert (CardsPassed(2, 0, given),) == events(state, PassCards(2, given))
    state = after(state, PassCards(2, given))
    assert (RETURN, 0, 16, 8) == (state.phase, state.turn, size(state.hands[0]), size(state.hands[2]))
    found = events(state, PassCards(0, given))
    assert [CardsPassed, *[MeldShown] * 4, MeldsTotaled] == kinds_of(found)
    assert [0, 1, 2, 3] == [event.seat for event in found[1:5]]
    assert before == after(state, PassCards(0, given)).hands


@pytest.mark.parametrize(("profile", "number"), [("classic-swap2", 2), ("classic-swap3", 3), ("classic", 4)])
def test_given_an_exchange_when_the_number_is_wrong_then_it_is_rejected(profile: str, number: int) -> None:
    """R-EXC-03, R-EXC-05."""
    state = after(declared(profile), NameTrump(0, 0))
    mine = cards_in(state.hands[2])
    assert RETURN == after(state, PassCards(2, hand_of(mine[:number]))).phase
    for wrong in (0, number - 1, number + 1, 12):
        assert Reason.ILLEGAL_CARDS == refusal(state, PassCards(2, hand_of(mine[:wrong])))


def test_given_an_exchange_when_cards_are_not_held_then_it_is_rejected() -> None:
    """R-EXC-01, copies counted."""
    hands = ["AS AS", "TS TS", "KH QH JH 9H TH AD"]
    state = after(declared("classic-swap2", hands), NameTrump(0, 0))
    for cards in ("AS AS", "KH AS", "KH TS"):
        assert Reason.ILLEGAL_CARDS == refusal(state, PassCards(2, parse_hand(cards)))
    one = next(card for card in cards_in(state.hands[2]) if count(state.hands[2], card) == 1)
    assert Reason.ILLEGAL_CARDS == refusal(state, PassCards(2, hand_of([one, one])))
    assert Reason.ILLEGAL_CARDS == refusal(state, PassCards(2, hidden(2)))
    assert Reason.ILLEGAL_CARDS == refusal(state, PassCards(2, -1))


def test_given_an_exchange_when_melds_are_counted_then_they_are_those_of_the_hands_afterwards() -> None:
    """R-MEL-01."""
    hands = ["KS KS AS AS TS TS JH JH 9D 9D 9C 9C", "", "QS QS AH AH TH TH KD KD JD JD TC TC"]
    state = after(declared("classic-swap2", hands), NameTrump(0, 0), PassCards(2, parse_hand("QS QS")))
    found = events(state, PassCards(0, parse_hand("9C 9C")))
    assert (0, 80, "KS KS QS QS") == (found[1].seat, found[1].points, " ".join(names(found[1].shown)))


def test_given_no_exchange_when_trump_is_named_then_all_meld_at_once() -> None:
    """R-EXC-05."""
    found = events(declared("single-s3"), NameTrump(0, 1))
    assert [TrumpNamed, *[MeldShown] * 4, MeldsTotaled] == kinds_of(found)
    assert Reason.WRONG_PHASE == refusal(after(declared("single-s3"), NameTrump(0, 1)), PassCards(0, 1))


def test_given_shown_melds_when_the_hands_are_looked_at_then_the_cards_have_gone_back() -> None:
    """R-MEL-12."""
    state = declared("single-s3")
    assert state.hands == after(state, NameTrump(0, 1)).hands


# Concession


@pytest.mark.parametrize(
    ("concession", "bid", "expected"),
    [
        ("never", 2_000, False),
        ("any_time", 250, True),
        ("unmakeable", 250, False),
        ("unmakeable", 2_000, True),
        ("short_by_limit", 2_000, True),
    ],
)
def test_given_a_contract_when_the_melds_are_down_then_conceding_is_open_as_the_rules_say(
    concession: str, bid: int, expected: bool
) -> None:
    """R-CON-01 to R-CON-05."""
    state = after(declared("single-s3", bid=bid, concession=concession), NameTrump(0, 1))
    options = legal(state)
    assert isinstance(options, PlayOptions)
    assert expected == options.may_concede == state.may_concede
    assert (Concede(0) in options) == expected
    if not expected:
        assert Reason.ILLEGAL_CONCESSION == refusal(state, Concede(0))


def test_given_a_concession_when_it_is_scored_then_the_contract_is_lost_and_the_defenders_keep_their_meld() -> None:
    """R-SCO-06."""
    state = after(declared("single-s3", concession="any_time"), NameTrump(0, 1))
    theirs = state.meld[1]
    found = events(state, Concede(0))
    expected = HandScored(0, 250, state.meld, state.meld, (0, 0), (0, 0), "conceded", (-250, theirs), (-250, theirs))
    assert (Conceded(0), expected) == found
    state = after(state, Concede(0))
    assert (DEAL, 0, 1, (-250, theirs)) == (state.phase, state.dealer, state.scored, state.totals)


def test_given_the_first_lead_when_the_declarer_concedes_then_it_is_too_late() -> None:
    """Section 10: before the first lead, by the declarer alone."""
    state = after(declared("single-s3", concession="any_time"), NameTrump(0, 1))
    for seat in (1, 2, 3):
        assert Reason.NOT_YOUR_TURN == refusal(state, Concede(seat))
    state = after(state, PlayCard(0, cards_in(state.hands[0])[0]))
    assert False is state.may_concede
    assert Reason.ILLEGAL_CONCESSION == refusal(state, Concede(1))


# Tricks and scores


def test_given_a_hand_when_it_is_played_out_then_its_last_act_scores_it_and_passes_the_deal_on() -> None:
    """R-TPT-05, R-TPT-08, R-SCO-01, R-SEAT-03."""
    state, chance = after(declared("single-s3"), NameTrump(0, 1)), Random(5)
    won: list[TrickWon] = []
    while state.phase == PLAY:
        found = events(state, PlayCard(state.turn, chance.choice(cards_in(legal(state).cards))))  # type: ignore[union-attr]
        assert isinstance(found[0], CardPlayed)
        won += [event for event in found if isinstance(event, TrickWon)]
        state = GAME.fold(state, found, 0)
    assert [False] * 11 + [True] == [event.last for event in won]
    score = found[-1]
    assert isinstance(score, HandScored)
    assert 250 == sum(score.trick_points) == sum(event.points for event in won)
    assert tuple(sum(event.points for event in won if event.seat % 2 == team) for team in (0, 1)) == score.trick_points
    assert 12 == sum(score.tricks)
    assert (DEAL, 0, 1, score) == (state.phase, state.dealer, state.scored, state.last_score)


def conceding(state: State) -> State:
    """One deal in which seat after dealer bids the minimum and concedes at once."""
    rules = state.rules
    first = (state.dealer + 1) % 4
    state = after(state, DealCards(rules.cards), PlaceBid(first, rules.min_bid))
    while state.phase == AUCTION:
        state = after(state, Pass(state.turn))
    return after(state, NameTrump(first, 0), Concede(first))


def test_given_the_target_when_a_team_reaches_it_then_the_game_is_over() -> None:
    """R-END-01."""
    rules = load("single-s3", concession="any_time", target=100, defender_meld_needs="nothing")
    state = conceding(resumed(opened(rules), (0, 99), 3))
    assert (OVER, 1, "score") == (state.phase, state.winner, state.end_reason)
    assert Reason.OVER == refusal(state, DealCards(rules.cards))
    assert Reason.OVER == refusal(state, PlayCard(0, 0))


def test_given_a_game_of_four_deals_when_they_are_scored_then_the_higher_total_wins() -> None:
    """R-CLB-13."""
    rules = load("single-s3", concession="any_time", game_length="deals", deals=4)
    state = opened(rules)
    for scored in range(3):
        state = conceding(state)
        assert (DEAL, scored + 1) == (state.phase, state.scored)
    state = conceding(resumed(state, (10_000, 0), 3))
    assert (OVER, 0, "score") == (state.phase, state.winner, state.end_reason)


@pytest.mark.parametrize(("deals_tie", "phase"), [("extra_deal", DEAL), ("draw", OVER)])
def test_given_a_tie_after_the_last_deal_when_it_is_judged_then_the_knob_decides(deals_tie: str, phase: int) -> None:
    """R-CLB-14."""
    rules = load("single-s3", concession="any_time", game_length="deals", deals=2, deals_tie=deals_tie)
    gain = conceding(opened(rules)).totals
    state = conceding(resumed(opened(rules), (-gain[0], -gain[1]), 1))
    assert ((0, 0), phase, NONE) == (state.totals, state.phase, state.winner)
    assert ("draw" if phase == OVER else "") == state.end_reason


def test_given_a_deal_limit_when_it_is_reached_then_the_higher_total_wins() -> None:
    rules = load("single-s3", concession="any_time")
    first = conceding(opened(rules, deal_limit=2))
    assert DEAL == first.phase
    for lead, winner in ((10, 0), (-10, 1), (0, NONE)):
        after_one = resumed(first, (first.totals[0] + lead, first.totals[1]), 1)
        state = conceding(after_one)
        assert (OVER, winner, "deal_limit") == (state.phase, state.winner, state.end_reason)


def test_given_a_deal_limit_when_the_last_deal_is_not_scored_then_the_game_ends_all_the_same() -> None:
    """R-AUC-10, R-DEAL-06: deals that are thrown in count against the table's cap, not as scored deals."""
    state = called(load("danish", dealer_rule="redeal"), deal_limit=1)
    state = after(state, Pass(0), Pass(1), Pass(2))
    assert (DealAbandoned(0), GameEnded(NONE, "deal_limit")) == events(state, Pass(3))[1:]
    state = after(state, Pass(3))
    assert (OVER, NONE, 0) == (state.phase, state.winner, state.scored)
    state = dealt(load("single-s3", misdeal_option=True), [WORTHLESS], deal_limit=1)
    assert (DealThrownIn(0), DealAbandoned(3), GameEnded(NONE, "deal_limit")) == events(state, ThrowIn(0))


# Club rules

NO_MARRIAGE = "AS TS KS KS JS AH TH KH JH JH AD TD QD QD JD AC TC KC KC JC"
MELDING = "AS AH AD AC KS QS KH QH KD QD KC QC JS JH JD JC TS TH TD TC"


def test_given_no_marriage_when_the_auction_ends_then_the_bidding_team_is_set_at_once() -> None:
    """R-CLB-06, R-CLB-11: only the defenders meld, without trump."""
    state = called(load("double-deck-club"), [NO_MARRIAGE, MELDING])
    state = after(state, PlaceBid(0, 50), Pass(1), Pass(2))
    found = events(state, Pass(3))
    assert AuctionWon(0, 50, forced=False) == found[1]
    assert PlaySkipped("no_marriage") == found[2]
    assert [1, 3] == [event.seat for event in found[3:5]]
    assert all(meld.name not in ("run", "royal_marriage", "dix") for event in found[3:5] for meld in event.melds)
    theirs = found[3].points + found[4].points
    assert MeldsTotaled((0, theirs), may_concede=False) == found[5]
    assert HandScored(0, 50, (0, theirs), (0, theirs), (0, 0), (0, 0), "set", (-50, theirs), (-50, theirs)) == found[6]
    state = after(state, Pass(3))
    assert (DEAL, 0, 1, NONE) == (state.phase, state.dealer, state.scored, state.trump)


def test_given_a_stuck_dealer_without_a_marriage_when_three_pass_then_the_team_is_set_at_once() -> None:
    """R-CLB-04, R-CLB-06."""
    state = after(called(load("double-deck-club"), ["", "", "", NO_MARRIAGE]), Pass(0), Pass(1))
    found = events(state, Pass(2))
    assert (AuctionWon(3, 50, forced=True), PlaySkipped("no_marriage")) == found[1:3]
    assert (1, "set", -50) == (found[6].bidder, found[6].outcome, found[6].delta[1])


def test_given_a_short_meld_when_the_melds_are_down_then_the_bidding_team_is_set_without_play() -> None:
    """R-CLB-07, R-CLB-08."""
    hands = ["KS QS AS AS TS TS TS JH JH JH TH TH TD TD TD JC JC TC TC TC", "", "AH AH KH KH KH KD KD KD AD JS JS JS"]
    state = declared("double-deck-club", hands)
    found = events(state, NameTrump(0, 0))
    assert [TrumpNamed, *[MeldShown] * 4, MeldsTotaled, PlaySkipped, HandScored] == kinds_of(found)
    assert PlaySkipped("short_meld") == found[6]
    totaled, score = found[5], found[7]
    assert totaled.meld[0] < 20
    assert False is totaled.may_concede
    assert (0, "set", -50, (0, 0)) == (score.counted_meld[0], score.outcome, score.delta[0], score.trick_points)
    assert DEAL == after(state, NameTrump(0, 0)).phase


def test_given_enough_meld_when_the_melds_are_down_then_the_hand_is_played() -> None:
    """R-CLB-07."""
    state = after(declared("double-deck-club", [MELDING]), NameTrump(0, 0))
    assert PLAY == state.phase
    assert state.meld[0] >= 20


# What nobody may do

ANY = [
    PlayCard(0, 0),
    PlaceBid(0, 250),
    Pass(0),
    NameTrump(0, 0),
    PassCards(0, parse_hand("AS AS TS TS")),
    Concede(0),
    KeepDeal(0),
    ThrowIn(0),
]


@pytest.mark.parametrize(
    ("state", "fitting"),
    [
        (dealt(load("single-s3", misdeal_option=True)), (KeepDeal, ThrowIn)),
        (dealt(load("classic")), (PlaceBid, Pass)),
        (declared("classic"), (NameTrump,)),
        (after(declared("single-s3"), NameTrump(0, 1)), (PlayCard, Concede)),
    ],
    ids=["misdeal", "auction", "trump", "play"],
)
def test_given_a_phase_when_another_phases_command_comes_then_it_is_the_wrong_phase(
    state: State, fitting: tuple[type, ...]
) -> None:
    for command in ANY:
        if not isinstance(command, fitting):
            assert Reason.WRONG_PHASE == refusal(state, command)


@pytest.mark.parametrize("seat", [-2, -1, 1, 4, 10**9])
@pytest.mark.parametrize("command", ANY, ids=lambda command: command.__class__.__name__)
def test_given_a_turn_when_another_seat_moves_then_it_is_rejected(seat: int, command: Any) -> None:
    for state in (dealt(load("classic")), declared("classic"), opened(load("classic"))):
        other = command.__class__(seat, *[getattr(command, name) for name in command.__slots__[1:]])
        assert Reason.NOT_YOUR_TURN == refusal(state, other)


@pytest.mark.parametrize("command", [*ANY, DealCards(())], ids=lambda command: command.__class__.__name__)
def test_given_no_table_when_anything_but_an_opening_comes_then_it_is_rejected(command: Any) -> None:
    assert Reason.NOT_OPEN == refusal(GAME.initial(), command)
