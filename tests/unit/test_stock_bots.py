"""The house bot `club` in the stock game: what it chooses in plain cases, and how it fares in duels."""

import pytest
from pinochle.bots import Chance, Club, RandomBot, bot, duel
from pinochle.bots.__main__ import main
from pinochle.cards import Card, hand_of, hidden, parse_card, parse_hand, size
from pinochle.commands import DealCards, Draw, ExchangeDix, LayMeld, OpenTable, PlayCard, PlayerCommand
from pinochle.events import CardDrawn
from pinochle.game import decide
from pinochle.options import legal
from pinochle.rules import RuleSet, load
from pinochle.state import State, fold, initial, resumed

SEED = bytes(range(32))
TWO = load("two-handed")


def dealt(first: str, second: str, turn_up: str, stock: str = "", rules: RuleSet = TWO) -> State:
    """A table of two, seat 0 to lead: these cards, the rest of the deck in the stock."""
    hands = [list(map(parse_card, first.split())), list(map(parse_card, second.split()))]
    up = parse_card(turn_up)
    ahead = list(map(parse_card, stock.split()))
    rest = [card for card in rules.cards if card not in (*hands[0], *hands[1], up, *ahead)]
    for hand in hands:
        while len(hand) < rules.hand_size:
            hand.append(rest.pop())
    deck: list[Card] = []
    for at in range(0, rules.hand_size, rules.packet):
        for hand in hands:
            deck += hand[at : at + rules.packet]
    deck += [up, *ahead, *rest]
    state = fold(initial(), decide(initial(), OpenTable(rules, ("ann", "bob"), 1, SEED)))
    return after(state, DealCards(tuple(deck)))


def after(state: State, *commands: object) -> State:
    for command in commands:
        state = fold(state, decide(state, command))  # type: ignore[arg-type]
    return state


def played(state: State, *cards: str) -> State:
    for card in cards:
        state = after(state, PlayCard(state.turn, parse_card(card)))
    return state


def choice(state: State, name: str = "club") -> PlayerCommand:
    view = resumed(state, state.totals, state.scored)
    view.hands = tuple(hand if seat == state.turn else hidden(size(hand)) for seat, hand in enumerate(state.hands))
    options = legal(view)
    assert options is not None
    return bot(name).choose(view, options, Chance(SEED))


# What club does after a trick


def test_club_lays_the_highest_meld() -> None:
    state = dealt("KHa QHa ASa AHa ADa ACa ACb 9Sa 9Sb JSa TCa 9Ha", "9Ca 9Cb", "JDa")
    state = played(state, "ACb", "9Ca")
    assert LayMeld(0, "aces_around", parse_hand("ASa AHa ADa ACa")) == choice(state)


def test_club_lays_a_royal_marriage_before_its_run_while_there_is_time() -> None:
    state = dealt("AHa THa KHa QHa JHa ACa 9Sa 9Sb JSa TCa 9Ca JCa", "9Cb", "9Ha")
    state = played(state, "ACa", "9Cb")
    assert LayMeld(0, "royal_marriage", parse_hand("KHa QHa")) == choice(state)


def test_club_swaps_the_nine_before_it_melds() -> None:
    state = dealt("9Ha KHa QHa ACa 9Sa 9Sb JSa TCa 9Ca JCa 9Da JDb", "9Cb", "AHa")
    state = played(state, "ACa", "9Cb")
    assert ExchangeDix(0, parse_card("9Ha")) == choice(state)


def test_club_draws_where_it_has_nothing_to_lay() -> None:
    state = dealt("ACa 9Sa 9Sb JSa TCa 9Ca JCa 9Da JDb TSa TSb TDa", "9Cb", "AHa")
    assert Draw(0) == choice(played(state, "ACa", "9Cb"))


# What club plays


def test_club_keeps_what_it_melds_with_when_it_leads() -> None:
    state = dealt("ASa AHa ADa KSa QSa JDa 9Ca JCa KHa QHa 9Da 9Cb", "", "TDa")
    command = choice(state)
    assert isinstance(command, PlayCard)
    assert command.card in list(map(parse_card, ("9Ca", "9Cb", "JCa", "9Da")))


def test_club_takes_a_ten_with_an_ace_that_it_needs_for_nothing() -> None:
    state = dealt("TSa 9Ca", "ASa ASb 9Da 9Db JDa TCa TCb TSb 9Sa 9Sb JCa JCb", "9Ha")
    command = choice(played(state, "TSa"))
    assert isinstance(command, PlayCard)
    assert command.card in (parse_card("ASa"), parse_card("ASb"))


def test_club_wins_a_cheap_trick_to_lay_a_meld_that_is_ready() -> None:
    state = dealt("9Sa 9Ca", "JSa KHa QHa KDa QDa TCa TCb 9Da 9Db 9Cb JCa TDa", "9Ha")
    assert PlayCard(1, parse_card("JSa")) == choice(played(state, "9Sa"))


def test_club_sees_the_last_tricks_through() -> None:
    # Leading the low spade makes the other play its ace, after which the ten is good; leading the ten loses both.
    state = with_hands("TSa 9Ha", "ASa KCa", trump="9D", turn=0)
    assert PlayCard(0, parse_card("9Ha")) == choice(state)


def with_hands(first: str, second: str, trump: str, turn: int) -> State:
    """A table of two near the end of a deal: only these cards are left."""
    state = dealt("", "", "9Da")
    hands = (parse_hand(first), parse_hand(second))
    facts = []
    stock = state.stock
    assert stock is not None
    # Everything else is played, out of turn: the facts are filed, not decided.
    cards = stock.cards
    for at, card in enumerate(cards):
        facts.append(CardDrawn(at % 2, card, face_up=False))
    facts.append(CardDrawn(1, state.turn_up, face_up=True))
    state = fold(state, facts)
    rest = [card for card in state.rules.cards if not (hands[0] | hands[1]) & hand_of([card])]
    state = resumed(state, (0, 0), 0)
    state.hands = hands
    state.played = hand_of(rest)
    state.turn = state.leader = turn
    return state


def test_timid_plays_the_stock_game_like_club() -> None:
    state = dealt("ASa AHa ADa KSa QSa JDa 9Ca JCa KHa QHa 9Da 9Cb", "", "TDa")
    assert choice(state) == choice(state, "timid")


# Duels


@pytest.mark.parametrize(("profile", "least"), [("two-handed", 120.0), ("three-handed-stock", 40.0)])
def test_club_beats_random_clearly_in_the_stock_game(profile: str, least: float) -> None:
    result = duel(Club(), RandomBot(), load(profile), 25, SEED)
    assert least < result.interval[0]
    assert 0.9 < result.win_share


@pytest.mark.parametrize("profile", ["two-handed", "three-handed-stock"])
def test_a_bot_is_level_with_itself_at_every_seat(profile: str) -> None:
    result = duel(Club(), Club(), load(profile), 3, SEED)
    assert (0.0, 0.5) == (round(result.mean, 9), result.win_share)


def test_a_duel_in_the_stock_game_tells_of_no_contracts(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["club", "random", "--profile", "two-handed", "--deals", "2"])
    said = capsys.readouterr().out
    assert "of 2 mirrored deals won" in said
    assert "contracts" not in said
