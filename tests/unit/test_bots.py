"""The house bots: what they choose in plain cases, and how they fare in duels from fixed seeds."""

import json
from random import Random

import pytest
from pinochle.auction import BID_MAX
from pinochle.bots import BOTS, Chance, Club, RandomBot, Side, bot, duel, play_deal
from pinochle.bots.__main__ import main
from pinochle.cards import holds, parse_card, parse_hand, parse_suit
from pinochle.commands import Concede, NameTrump, Pass, PassCards, PlaceBid, PlayCard, PlayerCommand
from pinochle.errors import BadInput
from pinochle.events import AuctionWon, BidPlaced, CardPlayed, Event, HandScored
from pinochle.options import legal
from pinochle.redact import redact
from pinochle.rules import load
from pinochle.shuffle import shuffled
from pinochle.state import State, evolve, initial

from tests.drive import after, called

SEED = bytes(range(32))
STRONG = "AS AS TS KS QS JS 9S AH AD AC KC QC"
WEAK = "9S JS QS 9H JH KH 9D TD QD 9C JC TC"
CLASSIC = load("classic")


def choice(name: str, state: State) -> PlayerCommand:
    """What a bot does with a state; bots ignore what they may not see, which a property test shows."""
    options = legal(state)
    assert options is not None
    return bot(name).choose(state, options, Chance(SEED))


# The roster


def test_the_roster_names_three_house_bots() -> None:
    assert ("random", "club", "timid") == BOTS


def test_an_unknown_bot_is_refused_by_name() -> None:
    with pytest.raises(BadInput, match="no house bot 'clubs'"):
        bot("clubs")


# Chance


def test_chance_repeats_from_the_same_seed_and_numbers() -> None:
    first, second = Chance(SEED, 1, 2), Chance(SEED, 1, 2)
    assert [first.randrange(1000) for _ in range(20)] == [second.randrange(1000) for _ in range(20)]


def test_chance_differs_with_its_numbers() -> None:
    first, second = Chance(SEED, 1, 2), Chance(SEED, 2, 1)
    assert [first.randrange(1000) for _ in range(20)] != [second.randrange(1000) for _ in range(20)]


def test_chance_reaches_every_number_evenly() -> None:
    chance = Chance(SEED)
    counts = [0] * 6
    for _ in range(6000):
        counts[chance.randrange(6)] += 1
    assert all(850 < count < 1150 for count in counts)


def test_chance_samples_without_putting_back() -> None:
    drawn = Chance(SEED).sample(list(range(10)), 10)
    assert list(range(10)) == sorted(drawn)
    assert list(range(10)) != drawn


# What club does


def test_club_opens_with_a_run_and_aces_around() -> None:
    command = choice("club", called(CLASSIC, [STRONG], dealer=3))
    assert isinstance(command, PlaceBid)


def test_club_jumps_with_a_hand_that_is_worth_far_more_than_the_lowest_bid() -> None:
    command = choice("club", called(CLASSIC, [STRONG], dealer=3))
    assert isinstance(command, PlaceBid)
    assert CLASSIC.min_bid < command.amount


def test_club_passes_a_hand_without_meld_or_trump_under_a_high_bid() -> None:
    state = after(called(CLASSIC, ["", WEAK], dealer=3), PlaceBid(0, 400))
    assert Pass(1) == choice("club", state)


def test_club_stops_at_what_its_hand_is_worth() -> None:
    state = after(called(CLASSIC, ["", STRONG], dealer=3), PlaceBid(0, 1000))
    assert Pass(1) == choice("club", state)


@pytest.mark.parametrize("penalty", ["bid", "shortfall", "meld_minus_shortfall"])
def test_an_auction_of_club_players_ends_soon_even_with_tiny_steps(penalty: str) -> None:
    rules = load("classic", min_bid=1, bid_step=1, set_penalty=penalty)
    for deal in range(1, 11):
        deck = shuffled(rules.cards, SEED, deal)
        facts = play_deal(rules, [bot("club")] * 4, deck, 0, [Chance(SEED, seat) for seat in range(4)])
        assert sum(isinstance(event, BidPlaced) for event in facts) < 60


@pytest.mark.parametrize("points", [200_000, 1_000_000])
def test_club_stays_within_the_highest_bid_where_tricks_are_worth_millions(points: int) -> None:
    schedule = {"A": points, "T": points, "K": points, "Q": 0, "J": 0, "9": 0}
    rules = load("single-deck-club", trick_schedule=schedule)
    for deal in range(1, 6):
        deck = shuffled(rules.cards, SEED, deal)
        facts = play_deal(rules, [bot("club")] * 4, deck, 0, [Chance(SEED, seat) for seat in range(4)])
        assert sum(isinstance(event, BidPlaced) for event in facts) < 60


def test_club_passes_above_the_highest_bid_of_all() -> None:
    state = after(called(CLASSIC, ["", STRONG], dealer=3), PlaceBid(0, BID_MAX))
    assert Pass(1) == choice("club", state)


def test_club_passes_with_help_where_it_has_three_aces() -> None:
    hand = "AS 9S JS AH 9H JH AD 9D QD 9C JC QC"
    state = after(called(load("danish"), ["", hand], dealer=3), PlaceBid(0, 260))
    state = raised(state, 420)
    assert Pass(state.turn, helps=True) == choice("club", state)


def raised(state: State, amount: int) -> State:
    """Seats 0 and 1 of a table bid on to an amount, the others pass, and seat 1 is on turn."""
    while state.bid < amount or state.turn != 1:
        lowest = legal(state).lowest  # type: ignore[union-attr]
        state = after(state, PlaceBid(state.turn, lowest) if state.turn in (0, 1) else Pass(state.turn))
    return state


def test_timid_never_bids_even_with_a_run_and_aces_around() -> None:
    assert Pass(0) == choice("timid", called(CLASSIC, [STRONG], dealer=3))


def test_club_never_bids_without_a_marriage_where_one_is_required() -> None:
    rules = load("double-deck-club")
    hand = "AS AS AS AS TS TS KS KS JS JS AH AH AD AD AC AC TH TD TC KC"
    assert isinstance(choice("club", called(rules, [hand], dealer=3)), Pass)


def test_club_names_the_suit_of_its_run() -> None:
    assert NameTrump(0, parse_suit("S")) == choice("club", won(CLASSIC, STRONG))


def test_club_declares_out_wherever_it_may_since_that_costs_nothing() -> None:
    rules = load("classic", win_rule="declared_out")
    assert NameTrump(0, parse_suit("S"), declare_out=True) == choice("club", won(rules, STRONG))


def won(rules, hand: str, bid: int = 250) -> State:  # type: ignore[no-untyped-def]
    """A table where seat 0 holds a hand and has won the auction."""
    return after(called(rules, [hand], dealer=3), PlaceBid(0, bid), Pass(1), Pass(2), Pass(3))


def test_club_helps_a_declarer_to_the_run_with_trump() -> None:
    hands = ["TS KS JS JH JH 9H 9H 9D 9D JC 9C 9C", "", "AS QS 9S TH TH KH QD JD JD TC KC AD"]
    state = after(called(CLASSIC, hands, dealer=3), PlaceBid(0, 250), Pass(1), Pass(2), Pass(3))
    state = after(state, NameTrump(0, parse_suit("S")))
    command = choice("club", state)
    assert isinstance(command, PassCards)
    assert holds(command.cards, parse_hand("AS QS"))


def test_a_declarer_keeps_its_run_and_its_aces() -> None:
    state = after(won(CLASSIC, STRONG), NameTrump(0, parse_suit("S")))
    state = after(state, choice("club", state))
    command = choice("club", state)
    assert isinstance(command, PassCards)
    assert not command.cards & parse_hand("AS TS KS QS JS AH AD AC")


def test_club_concedes_a_contract_that_it_cannot_make() -> None:
    assert Concede(0) == choice("club", melded(WEAK, 900))


def test_club_plays_a_contract_that_it_has_nearly_melded() -> None:
    assert isinstance(choice("club", melded(STRONG, 300)), PlayCard)


def melded(hand: str, bid: int) -> State:
    """A table of `classic` without exchange where seat 0 declares with a hand and is about to lead."""
    return after(won(load("classic", exchange=0), hand, bid), NameTrump(0, parse_suit("S")))


def test_club_gives_a_counter_to_a_trick_that_its_partner_is_sure_of() -> None:
    state = third_hand(lead="AH", third="TH KH 9H QD 9D JD 9S QS JC QC 9C JC", trump="C")
    command = choice("club", state)
    assert isinstance(command, PlayCard)
    assert command.card in (parse_card("TH"), parse_card("KH"))


def test_club_keeps_counters_from_a_trick_that_the_opponents_win() -> None:
    state = third_hand(lead="9H", second="AH", third="TH KH 9H QD 9D JD 9S QS JC QC 9C JC", trump="C")
    assert PlayCard(2, parse_card("9H")) == choice("club", state)


def third_hand(lead: str, third: str, trump: str, second: str = "") -> State:
    """Seat 2 is third to play, to this card of seat 0 and what seat 1 played; trump is seat 0's longest."""
    hands = [f"{lead} AC AC TC TC KC", f"{second} JH" if second else "JH QH", third]
    state = after(called(load("single-s3"), hands, dealer=3), PlaceBid(0, 250), Pass(1), Pass(2), Pass(3))
    state = after(state, NameTrump(0, parse_suit(trump)), PlayCard(0, parse_card(lead)))
    played = parse_card(second) if second else choice("club", state).card  # type: ignore[union-attr]
    return after(state, PlayCard(1, played))


# Duels


def test_a_bot_ties_with_itself_on_mirrored_deals() -> None:
    result = duel(bot("random"), RandomBot(), CLASSIC, 20, SEED)
    assert (0.0, 0.0, 0.5) == (result.mean, result.error, result.win_share)


def test_a_duel_repeats_from_its_seed() -> None:
    first = duel(bot("club"), bot("random"), CLASSIC, 10, SEED)
    assert first == duel(Club(), RandomBot(), CLASSIC, 10, SEED)


def test_swapping_the_bots_turns_the_sign() -> None:
    there = duel(bot("club"), bot("random"), CLASSIC, 10, SEED)
    back = duel(bot("random"), bot("club"), CLASSIC, 10, SEED)
    assert there.mean == -back.mean
    assert there.sides == back.sides[::-1]


def test_a_duel_reports_every_pair() -> None:
    seen: list[int] = []
    duel(bot("random"), bot("random"), CLASSIC, 3, SEED, seen.append)
    assert [1, 2, 3] == seen


def test_a_duel_counts_what_the_events_say() -> None:
    result = duel(bot("club"), bot("timid"), CLASSIC, 5, SEED)
    bots = {0: (bot("club"), bot("timid")) * 2, 1: (bot("timid"), bot("club")) * 2}
    sides, differences = [[0, 0, 0], [0, 0, 0]], []
    for deal in range(1, 6):
        deck = shuffled(CLASSIC.cards, SEED, deal)
        for swapped in (0, 1):
            facts = play_deal(CLASSIC, bots[swapped], deck, deal & 3, [Chance(SEED, deal, seat) for seat in range(4)])
            auction = next(event for event in facts if isinstance(event, AuctionWon))
            score = next(event for event in facts if isinstance(event, HandScored))
            counts = sides[(auction.seat + swapped) % 2]
            counts[0] += 1
            counts[1] += not auction.forced
            counts[2] += score.outcome == "made"
            differences.append(score.delta[swapped] - score.delta[1 - swapped])
    assert (Side(*sides[0]), Side(*sides[1])) == result.sides
    assert sum(differences) / 10 == result.mean


def test_the_views_of_a_deal_are_what_a_table_would_send() -> None:
    seen: list[State] = []

    class Watcher:
        def choose(self, view: State, options, chance) -> PlayerCommand:  # type: ignore[no-untyped-def]
            seen.append(view)
            return options.sample(chance)

    deck = shuffled(CLASSIC.cards, SEED, 1)
    facts = play_deal(CLASSIC, [Watcher()] * 4, deck, 3, [Random(seat) for seat in range(4)])
    last = seen[-1]
    assert shown_hands(facts, last) == last.hands


def shown_hands(facts: list[Event], view: State) -> tuple[int, ...]:
    """The hands that the seat on turn knows when as many cards are played as in its view."""
    state, cards = initial(), 0
    played = sum(view.tricks) * 4 + len(view.trick)
    for event in facts:
        if isinstance(event, CardPlayed):
            if cards == played:
                break
            cards += 1
        state = evolve(state, redact(event, view.turn))
    return state.hands


@pytest.mark.parametrize(
    ("profile", "over_random", "over_timid"),
    [
        ("classic", 150, 60),
        ("cardgames", 150, 60),
        ("danish", 150, 60),
        ("single-s3", 150, 0),
        ("double-deck", 20, 0),
        ("double-deck-club", 40, 8),
    ],
)
def test_club_beats_random_and_timid_by_a_margin(profile: str, over_random: float, over_timid: float) -> None:
    rules = load(profile)
    assert over_random < duel(bot("club"), bot("random"), rules, 100, SEED).interval[0]
    assert over_timid < duel(bot("club"), bot("timid"), rules, 300, SEED).mean


def test_most_auctions_of_club_players_are_won_by_a_bid_and_most_contracts_made() -> None:
    result = duel(bot("club"), bot("club"), CLASSIC, 100, SEED)
    assert 0.6 < result.voluntary_share  # type: ignore[operator]
    assert 0.55 < result.sides[0].made_share < 0.8  # type: ignore[operator]


def test_club_plays_a_game_without_bidding() -> None:
    result = duel(bot("club"), bot("random"), load("danish-nobid"), 60, SEED)
    assert result.interval[0] > 0
    assert result.voluntary_share is None


# The command line


def test_the_command_line_shows_a_duel_as_one_json_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["club", "random", "--deals", "5", "--json"])
    assert 5 == json.loads(capsys.readouterr().out)["deals"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["club", "nobody"], "no house bot 'nobody'"),
        (["club", "random", "--profile", "bridge"], "unknown profile"),
        (["club", "random", "--deals", "0"], "deals must be 1 to"),
        (["club", "random", "--seed", "abc"], "seed must be 64"),
    ],
)
def test_wrong_input_is_refused_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == main(arguments)
    said = capsys.readouterr().err
    assert message in said
    assert 1 == said.count("\n")
