"""The search kernel plays by the rules of the decider, interpreted and compiled: the same cards are legal and win."""

import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pinochle import scoring, tricks
from pinochle.cards import PHYSICAL, hand_of, hidden, kinds, once, parse_hand
from pinochle.commands import Command, OpenTable, PlayCard
from pinochle.decider import Act
from pinochle.errors import BadInput
from pinochle.events import CardPlayed
from pinochle.game import GAME
from pinochle.options import PlayOptions, legal
from pinochle.rules import RuleSet, load, profiles
from pinochle.search import PURE, Kernel, card_at, compiled, from_state, legal_cards
from pinochle.search import kernel as k
from pinochle.search.position import deck_row
from pinochle.state import NONE, PLAY, State

from tests.drive import act_of, next_command, random_game
from tests.rule_sets import PARTNERSHIP, rule_sets

SEEDS = st.integers(0, 2**32 - 1)
STOCK = [name for name in profiles() if load(name).is_stock]
NUMBA = pytest.mark.skipif(find_spec("numba") is None, reason="numba, the extra `search`, is not installed")
KERNELS = ["python", pytest.param("numba", marks=NUMBA)]

by_kernel = pytest.mark.parametrize("name", KERNELS)


def named(name: str) -> Kernel:
    kernel = PURE if name == "python" else compiled()
    assert kernel is not None
    assert name == kernel.name
    return kernel


# Positions of the decider


@by_kernel
@pytest.mark.parametrize("profile", [*PARTNERSHIP, *STOCK])
def test_the_kernel_agrees_with_the_decider_on_every_card_of_random_games(name: str, profile: str) -> None:
    played = sum(follow_a_game(named(name), load(profile), Random(seed)) for seed in range(4))
    assert load(profile).hand_size * 4 <= played


@by_kernel
@settings(max_examples=40, deadline=None)
@given(rules=rule_sets(), seed=SEEDS)
def test_the_kernel_agrees_with_the_decider_under_any_rules(name: str, rules: RuleSet, seed: int) -> None:
    follow_a_game(named(name), rules, Random(seed))


@by_kernel
@settings(max_examples=40, deadline=None)
@given(rules=rule_sets(), seed=SEEDS)
def test_every_card_of_a_playout_is_accepted_by_the_decider(name: str, rules: RuleSet, seed: int) -> None:
    kernel = named(name)
    chance = Random(seed)
    at_play = [state for state in random_game(rules, chance, deals=2)[0] if state.phase == PLAY]
    if not at_play:  # passed out, conceded or set without play
        return
    state = chance.choice(at_play)
    row, seed, calls = kernel.rules(rules), k.seeded(seed), kernel.functions
    position, ahead = kernel.position(state, state.hands), kernel.position(state, state.hands)
    next_seed = calls["playout"](row, ahead, seed)

    for _ in range(int(position[k.TRICKS_LEFT]) * 4 - len(state.trick)):
        suit, at, seed = calls["choose"](row, position, seed)
        card = card_at(rules, suit, at)
        calls["play"](row, position, suit, at)
        state = GAME.fold(state, GAME.decide(state, PlayCard(state.turn, card)), 0)

    assert state.last_score is not None
    assert state.phase != PLAY
    assert list(state.trick_points) == points(rules, position)
    assert (list(ahead), next_seed) == (list(position), seed)


def follow_a_game(kernel: Kernel, rules: RuleSet, chance: Random) -> int:
    """Play a random game's cards in the kernel too, comparing everything before and after each; their number."""
    states, acts = random_game(rules, chance, deals=1) if rules.players == 4 else random_stock_game(rules, chance)
    row, played = kernel.rules(rules), 0
    for before, act, after in zip(states, acts, states[1:], strict=False):
        if before.phase != PLAY or (rules.is_stock and before.turn_up != NONE):
            continue
        position = kernel.position(before, before.hands)
        offered = legal(before)
        assert isinstance(offered, PlayOptions)
        assert offered.cards == once(legal_cards(rules, position, *kernel.functions["legal"](row, position)))
        if not isinstance(act.events[0], CardPlayed):
            continue
        suit, at = highest_copy(before, act.events[0].card, position)
        kernel.functions["play"](row, position, suit, at)
        played += 1
        if after.phase == PLAY:
            assert comparable(from_state(after, after.hands)) == comparable(position)
        else:
            assert (0, list(after.trick_points)) == (position[k.TRICKS_LEFT], points(rules, position))
    return played


def random_stock_game(rules: RuleSet, chance: Random) -> tuple[list[State], list[Act]]:
    """One random deal of the stock game: its states, the first one empty, and its acts."""
    players = tuple(f"player-{seat}" for seat in range(rules.players))
    command: Command | None = OpenTable(rules, players, chance.randrange(rules.players), bytes(32), deal_limit=1)
    states, acts = [GAME.initial()], []
    while command is not None:
        events = GAME.decide(states[-1], command)
        acts.append(act_of(states[-1], command, events))
        states.append(GAME.fold(states[-1], events, 0))
        command = next_command(states[-1], chance)
    return states, acts


def highest_copy(state: State, card: int, position: Any) -> tuple[int, int]:
    """The suit and bit of a card such that what is left of the hand has the lowest bits."""
    if card >= PHYSICAL:
        return divmod(card - PHYSICAL, 12)
    suit, rank = divmod(card, 6)
    copies = state.rules.copies
    held = int(position[k.HANDS + 4 * state.turn + suit]) >> rank * copies & (1 << copies) - 1
    return suit, rank * copies + held.bit_length() - 1


def comparable(position: Any) -> list[int]:
    """A position as a list, without what is not read while no card is in the trick."""
    numbers = [int(number) for number in position]
    if not numbers[k.LAID]:
        numbers[k.LED : k.WORTH] = [0] * (k.WORTH - k.LED)
    return numbers


def points(rules: RuleSet, position: Any) -> list[int]:
    teams = rules.players if rules.is_stock else 2
    return [int(number) for number in position[k.POINTS : k.POINTS + teams]]


# Two and three seats, and whole hands


@by_kernel
@pytest.mark.parametrize("profile", [*STOCK, "classic", "double-deck"])
@pytest.mark.parametrize("must_beat", ["winning", "led", "none"])
def test_hands_dealt_by_the_kernel_are_played_by_the_rules(name: str, profile: str, must_beat: str) -> None:
    rules = load(profile, must_beat=must_beat)
    kernel, chance = named(name), Random(f"{profile} {must_beat}")
    row, deck = kernel.rules(rules), kernel.row(deck_row(rules))
    position, seed = kernel.row([0] * k.POSITION_LENGTH), k.seeded(chance.getrandbits(62))
    for _ in range(5):
        seed = kernel.functions["deal"](row, position, deck, seed)
        position[k.TRUMP], position[k.TURN] = chance.randrange(4), chance.randrange(rules.players)
        dealt = Counter(card for seat in range(rules.players) for card in held(rules, position, seat))
        assert rules.players * rules.hand_size == dealt.total()
        assert dealt <= Counter(rules.cards)
        seed = play_beside_the_rules(kernel, rules, row, position, seed)


def play_beside_the_rules(kernel: Kernel, rules: RuleSet, row: Any, position: Any, seed: int) -> int:
    trump, leader, seats = int(position[k.TRUMP]), int(position[k.TURN]), rules.players
    hands = [Counter(held(rules, position, seat)) for seat in range(seats)]
    won = [0] * (seats if rules.is_stock else 2)
    for left in range(rules.hand_size, 0, -1):
        trick: list[int] = []
        for step in range(seats):
            seat = (leader + step) % seats
            assert seat == position[k.TURN]
            mine = hand_of(hands[seat].elements())
            found = legal_cards(rules, position, *kernel.functions["legal"](row, position))
            assert tricks.legal_cards(rules, mine, trick, trump) == found
            suit, at, seed = kernel.functions["choose"](row, position, seed)
            card = card_at(rules, suit, at)
            assert card in kinds(found)
            kernel.functions["play"](row, position, suit, at)
            hands[seat] -= Counter([card])
            trick.append(card)
        leader = (leader + tricks.winner(trick, trump)) % seats
        won[leader % len(won)] += scoring.trick_points(rules, trick, left == 1)
        assert (won, left - 1) == (points(rules, position), position[k.TRICKS_LEFT])
    return seed


def held(rules: RuleSet, position: Any, seat: int) -> list[int]:
    """The cards of a seat, copies repeated."""
    hand = k.HANDS + 4 * seat
    return [card_at(rules, suit, at) for suit in range(4) for at in range(32) if int(position[hand + suit]) >> at & 1]


@by_kernel
@pytest.mark.parametrize("profile", PARTNERSHIP)
def test_the_points_of_hands_dealt_and_played_are_all_there(name: str, profile: str) -> None:
    rules = load(profile)
    assert 50 * rules.trick_total == sum(named(name).deal_and_play(rules, seed=7, number=50))


@NUMBA
@settings(max_examples=40, deadline=None)
@given(rules=rule_sets(), seed=SEEDS)
def test_the_compiled_kernel_computes_what_the_interpreted_does(rules: RuleSet, seed: int) -> None:
    expected = PURE.deal_and_play(rules, seed, number=5)
    assert expected == named("numba").deal_and_play(rules, seed, number=5)


@by_kernel
def test_playouts_add_up_final_points_and_leave_the_position_as_it_was(name: str) -> None:
    kernel, rules = named(name), load("classic")
    state = next(state for state in random_game(rules, Random(5))[0] if sum(state.tricks) == 4)
    row, position = kernel.rules(rules), kernel.position(state, state.hands)
    before = list(position)
    sums = kernel.playouts(row, position, 3, 100)
    assert 100 * rules.trick_total == sum(sums)
    assert all(total >= 100 * won for total, won in zip(sums, state.trick_points, strict=True))
    assert before == list(position)
    assert sums == kernel.playouts(row, position, 3, 100)
    assert sums != kernel.playouts(row, position, 4, 100)


# Chance


def test_every_seat_is_dealt_every_card_about_as_often() -> None:
    rules = load("classic")
    row, deck = PURE.rules(rules), deck_row(rules)
    position, seed = [0] * k.POSITION_LENGTH, k.seeded(1)
    deals = 2_000
    dealt: Counter[tuple[int, int, int]] = Counter()
    for _ in range(deals):
        seed = k.deal(row, position, deck, seed)
        for seat in range(4):
            for suit in range(4):
                cards = position[k.HANDS + 4 * seat + suit]
                dealt.update((seat, suit, at) for at in range(12) if cards >> at & 1)
    expected = deals / 4
    spread = sum((dealt[seat, suit, at] - expected) ** 2 / expected for seat in range(4) for suit in range(4)
                 for at in range(12))  # fmt: skip
    # 192 places, of which the 48 cards and the 4 hands fix 51; a card has one seat, so the variance is 3/4 of a count.
    assert 95 < spread < 195


@by_kernel
def test_every_physical_card_that_is_legal_is_chosen_about_as_often(name: str) -> None:
    kernel, rules = named(name), load("classic")
    position = kernel.row([0] * k.POSITION_LENGTH)
    position[k.TRICKS_LEFT] = 12
    position[k.HANDS : k.HANDS + 4] = kernel.row([0b11, 0b1000, 0, 0b100001])
    row, seed, number = kernel.rules(rules), k.seeded(2), 5_000
    chosen: Counter[tuple[int, int]] = Counter()
    for _ in range(number):
        suit, at, seed = kernel.functions["choose"](row, position, seed)
        chosen[suit, at] += 1
    assert {(0, 0), (0, 1), (1, 3), (3, 0), (3, 5)} == set(chosen)
    assert all(abs(times - number / 5) < 150 for times in chosen.values())


def test_neighbouring_seeds_begin_far_from_each_other() -> None:
    seeds = [k.seeded(number) for number in range(1_000)]
    differing = [(one ^ other).bit_count() for one, other in pairwise(seeds)]
    assert 30 < sum(differing) / len(differing) < 33
    assert 1_000 == len({seed >> 31 for seed in seeds})


# Bad input, and a machine without numba


def second_to_play() -> State:
    """One card has been laid to the first trick of a deal, by seat 0."""
    for seed in range(100):
        for state in random_game(load("classic"), Random(seed))[0]:
            if state.phase == PLAY and len(state.trick) == 1 and state.turn == 1 and sum(state.tricks) == 0:
                return state
    raise AssertionError("no seed gives such a state")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda hands: hands[:3], "4 hands are needed, not 3"),
        (lambda hands: (*hands[:3], hidden(12)), "seat 3 holds cards that are not known"),
        (lambda hands: (*hands[:3], -1), "seat 3 holds cards that are not known"),
        (lambda hands: (hands[0], parse_hand("AS"), *hands[2:]), "seat 1 holds 12 cards, not 1"),
        (lambda hands: (hands[0], hands[0], *hands[2:]), "seat 1 holds 12 cards, not 11"),
        (lambda hands: (hands[0], hands[2], *hands[2:]), "the hands and the cards played are not the whole deck"),
    ],
)
def test_hands_that_do_not_fit_are_refused(change: Any, text: str) -> None:
    state = second_to_play()
    with pytest.raises(BadInput, match=text):
        from_state(state, change(state.hands))


def test_a_state_that_is_not_at_play_is_refused() -> None:
    states = random_game(load("classic"), Random(1))[0]
    bidding = next(state for state in states if state.deal and state.phase != PLAY)
    with pytest.raises(BadInput, match="only strict trick play can be searched"):
        from_state(bidding, bidding.hands)


def test_phase_1_of_the_stock_game_is_refused() -> None:
    states = random_stock_game(load("two-handed"), Random(1))[0]
    early = next(state for state in states if state.phase == PLAY and state.turn_up != NONE)
    with pytest.raises(BadInput, match="only strict trick play can be searched"):
        from_state(early, early.hands)


def test_other_hands_than_the_true_ones_are_taken_where_they_fit() -> None:
    state = second_to_play()
    first, second, third, fourth = state.hands
    found, true = from_state(state, (first, second, fourth, third)), from_state(state, state.hands)
    at = k.HANDS + 8
    assert [*true[:at], *true[at + 4 :], *true[at : at + 4]] == found


def test_without_numba_the_fastest_kernel_is_the_interpreted() -> None:
    program = "import sys; sys.modules['numba'] = None; from pinochle.search import fastest; print(fastest().name)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert ("python\n", 0) == (done.stdout, done.returncode), done.stderr
