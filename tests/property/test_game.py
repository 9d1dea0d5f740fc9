"""Laws of the partnership game, on random games of every profile and of random rule sets; some hold for both games."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pinochle import commands as c
from pinochle import events as e
from pinochle.cards import HIDDEN, RANK_OF, SUIT_OF, cards_in, hand_of, hidden, kinds, size
from pinochle.errors import Rejected
from pinochle.game import GAME
from pinochle.options import Options, legal
from pinochle.rules import KNOBS, RuleSet, load
from pinochle.state import AUCTION, EXCHANGE, MISDEAL, PLAY, RETURN, TRUMP, State, fold, initial
from pinochle.wire.codec import at_rest, from_rest

from tests.drive import random_game
from tests.rule_sets import FREE, PARTNERSHIP, STOCK, rule_sets, stock_rule_sets

ROOT = Path(__file__).resolve().parents[2]
SEEDS = st.integers(0, 2**32 - 1)


def test_the_random_rule_sets_vary_every_knob_that_the_partnership_game_has() -> None:
    fixed = {"format", "players"}
    apart = {"deck", "run_extras", "trump_source", "exchange", "min_bid", "bid_step", "max_raise", "bid_ladder"}
    minimums = {"meld_minimum", "short_meld", "bidder_trick_minimum", "defender_trick_minimum"}
    assert set(KNOBS) == set(FREE) | fixed | apart | minimums


# Legality


@pytest.mark.parametrize("profile", PARTNERSHIP)
def test_decide_accepts_exactly_what_legal_offers_in_every_profile(profile: str) -> None:
    chance = Random(profile)
    states, _ = random_game(load(profile), chance, deals=2)
    assert 60 < check_legality(states, chance, every=2)


@settings(max_examples=25, deadline=None)
@given(rule_sets(), SEEDS)
def test_decide_accepts_exactly_what_legal_offers_under_any_rules(rules: RuleSet, seed: int) -> None:
    chance = Random(seed)
    states, _ = random_game(rules, chance, deals=2)
    check_legality(states, chance, every=5)


def check_legality(states: list[State], chance: Random, every: int) -> int:
    """Compare `decide`, `legal` and the rules as written in `is_allowed`, for all commands; returns the turns."""
    turns = 0
    for state in states:
        offered = legal(state)
        turns += offered is not None
        if offered is not None and chance.randrange(every) and state.phase == PLAY:
            continue
        for command in candidates(state, offered, chance):
            expected = command.seat == state.turn >= 0 and is_allowed(state, command)
            in_options = offered is not None and command.seat == state.turn and command in offered
            assert expected == in_options, command
            assert expected == accepts(state, command), command
    return turns


def accepts(state: State, command: c.PlayerCommand) -> bool:
    try:
        return bool(GAME.decide(state, command))
    except Rejected:
        return False


def candidates(state: State, offered: Options | None, chance: Random) -> Iterator[c.PlayerCommand]:
    """Every command of every seat; of bids those near the legal ones, of exchanges a sample."""
    near = getattr(offered, "lowest", 250)
    amounts = {-1, 0, 1, 249, 250, 3_000, 10**9, 2**40, *range(near - 12, near + 31)}
    if getattr(offered, "highest", None) is not None:
        amounts |= set(range(offered.highest - 6, offered.highest + 7))  # type: ignore[union-attr]
    for seat in (-1, 0, 1, 2, 3, 4):
        yield from (c.PlayCard(seat, card) for card in range(-1, 26))
        yield from (c.PlaceBid(seat, amount) for amount in sorted(amounts))
        yield from (c.Pass(seat), c.Pass(seat, helps=True), c.Concede(seat), c.KeepDeal(seat), c.ThrowIn(seat))
        yield from (c.NameTrump(seat, suit, out) for suit in range(-1, 5) for out in (False, True))
        yield from (c.PassCards(seat, hand) for hand in some_hands(state, seat, chance))


def some_hands(state: State, seat: int, chance: Random) -> Iterator[int]:
    yield from (0, -1, hidden(state.rules.exchange if state.rules else 4))
    if seat not in range(4) or not state.hands[seat]:
        return
    number = state.rules.exchange or 4
    own = cards_in(state.hands[seat])
    for wanted in (number, number, number, number - 1, number + 1):
        yield hand_of(chance.sample(own, min(wanted, len(own))))
    yield hand_of(own[:1] * number)  # perhaps more copies than there are
    yield hand_of(chance.sample(list(state.rules.cards), number))


def is_allowed(s: State, command: c.PlayerCommand) -> bool:
    """The rules once more, written as plainly as possible on lists of cards, for the seat on turn."""
    rules = s.rules
    hand = cards_in(s.hands[s.turn])
    match command:
        case c.PlayCard():
            return s.phase == PLAY and command.card in plain_legal_cards(rules, hand, list(s.trick), s.trump)
        case c.Concede():
            return s.phase == PLAY and not s.played and s.turn == s.declarer and plain_may_concede(s)
        case c.PlaceBid():
            return s.phase == AUCTION and command.amount in plain_bids(s, command.amount)
        case c.Pass():
            return s.phase == AUCTION and (rules.pass_with_help or not command.helps)
        case c.NameTrump():
            held = [card % 6 for card in hand if card // 6 == command.suit]
            suit_ok = command.suit in range(4) and (rules.trump_marriage == "optional" or {2, 3} <= set(held))
            out_ok = not command.declare_out or (rules.win_rule == "declared_out" and rules.game_length != "deals")
            return s.phase == TRUMP and suit_ok and out_ok
        case c.PassCards():
            if s.phase not in (EXCHANGE, RETURN) or command.cards < 0:
                return False
            given = Counter(cards_in(command.cards))
            return given.total() == rules.exchange and given <= Counter(hand)
        case c.KeepDeal():
            return s.phase == MISDEAL
        case c.ThrowIn():
            marriage = any({suit * 6 + 2, suit * 6 + 3} <= set(hand) for suit in range(4))
            return s.phase == MISDEAL and not marriage and all(card % 6 for card in hand)
    raise AssertionError(command)


def plain_legal_cards(rules: RuleSet, hand: list[int], trick: list[int], trump: int) -> set[int]:
    """The algorithm at the end of section 11."""
    if not trick:
        return set(hand)
    led = SUIT_OF[trick[0]]
    trumps_in = [card for card in trick if SUIT_OF[card] == trump]
    following = [card for card in hand if SUIT_OF[card] == led]
    if following:
        if led != trump and trumps_in:
            return set(following)
        best = min((card for card in trick if SUIT_OF[card] == led), key=lambda card: RANK_OF[card])
        reference = {"winning": best, "led": trick[0], "none": None}[rules.must_beat]
        if reference is None:
            return set(following)
        return {card for card in following if RANK_OF[card] < RANK_OF[reference]} or set(following)
    trumps = [card for card in hand if SUIT_OF[card] == trump]
    if not trumps:
        return set(hand)
    if trumps_in and rules.must_overtrump:
        highest = min(RANK_OF[card] for card in trumps_in)
        return {card for card in trumps if RANK_OF[card] < highest} or set(trumps)
    return set(trumps)


def plain_bids(s: State, up_to: int) -> list[int]:
    """Every legal bid up to an amount, counted up rung by rung."""
    rules, bids = s.rules, []
    parts = [(rules.min_bid, rules.bid_step), *(rules.bid_ladder or ())]
    bid = rules.min_bid
    highest = 10_000_000  # no bid is higher, so that scores fit their fields
    if rules.max_raise is not None:
        highest = (s.bid or rules.min_bid - rules.bid_step) + rules.max_raise
    if not rules.min_bid <= up_to <= highest:
        return []
    while bid <= up_to:
        if bid > s.bid:
            bids.append(bid)
        bid += [step for start, step in parts if bid >= start][-1]
    return bids


def plain_may_concede(s: State) -> bool:
    rules, meld = s.rules, s.meld[s.declarer % 2]
    most = (meld if meld >= rules.meld_minimum else 0) + rules.trick_total
    return {
        "never": False, "any_time": True, "unmakeable": s.bid > most, "short_by_limit": s.bid >= most
    }[rules.concession]  # fmt: skip


# Conservation


@pytest.mark.parametrize("profile", PARTNERSHIP)
def test_no_card_appears_or_vanishes_in_any_profile(profile: str) -> None:
    _, acts = random_game(load(profile), Random(profile), deals=3)
    assert check_cards(acts) > 1


@settings(max_examples=60, deadline=None)
@given(rule_sets(), SEEDS)
def test_no_card_appears_or_vanishes_under_any_rules(rules: RuleSet, seed: int) -> None:
    _, acts = random_game(rules, Random(seed), deals=2)
    check_cards(acts)


def check_cards(acts: list) -> int:
    """Count all cards after every event, and the points of every hand that is played; returns the deals."""
    state, deck, deals = initial(), Counter[int](), 0
    for act in acts:
        for event in act.events:
            totals, state = state.totals, fold(state, (event,))
            if isinstance(event, e.HandDealt):
                deck, deals = Counter(act.command.deck), deals + 1
                assert deck.total() == {"single": 48, "double": 80}[state.rules.deck]
            if deals:
                assert deck == Counter(card for hand in (state.played, *state.hands) for card in cards_in(hand))
            if isinstance(event, e.HandScored):
                played = event.outcome != "conceded" and size(state.played) == deck.total()
                assert (state.rules.trick_total if played else 0) == sum(event.trick_points)
                assert (state.rules.hand_size if played else 0) == sum(event.tricks)
                assert tuple(map(sum, zip(event.delta, totals, strict=True))) == event.totals
    return deals


# Determinism

ALIKE = """
from random import Random
from hashlib import sha256
from pinochle.rules import load
from pinochle.wire.codec import at_rest
from tests.drive import random_game
from tests.rule_sets import PARTNERSHIP, STOCK
told = sha256()
for profile in PARTNERSHIP + STOCK:
    states, acts = random_game(load(profile), Random(profile), deals=2)
    for act in acts:
        told.update(at_rest(act))
    told.update(repr(states[-1]).encode())
print(told.hexdigest())
"""


def test_two_processes_with_different_hash_seeds_make_the_same_bytes() -> None:
    digests = set()
    for hash_seed in ("0", "1"):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": f"{ROOT}:{ROOT / 'engine'}"}
        done = subprocess.run(
            [sys.executable, "-c", ALIKE], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=100
        )
        assert "" == done.stderr
        digests.add(done.stdout.strip())
    assert {hashlib.sha256().digest_size * 2} == set(map(len, digests))
    assert 1 == len(digests)


@settings(max_examples=50, deadline=None)
@given(rule_sets(), SEEDS)
def test_stored_acts_fold_to_the_states_that_the_game_had(rules: RuleSet, seed: int) -> None:
    states, acts = random_game(rules, Random(seed), deals=2, turn_ms=30_000)
    state = GAME.initial()
    for expected, act in zip(states[1:], acts, strict=True):
        again = from_rest(act.version, act.command_id, at_rest(act))
        assert act == again
        assert again.events == GAME.decide(state, again.command)
        state = GAME.fold(state, again.events, again.at_ms)
        assert expected == state


def test_a_fold_leaves_the_state_before_it_as_it_was() -> None:
    for profile in ("classic", "danish-nobid", "double-deck-club", *STOCK):
        states, acts = random_game(load(profile), Random(7), deals=2)
        before = [repr(state) for state in states]
        for state, act in zip(states, acts, strict=False):
            fold(state, act.events, 5)
            legal(state)
        assert before == [repr(state) for state in states]


@settings(max_examples=30, deadline=None)
@given(st.one_of(rule_sets(), stock_rule_sets()), SEEDS)
def test_every_sample_of_the_options_is_one_of_them(rules: RuleSet, seed: int) -> None:
    chance = Random(seed)
    states, _ = random_game(rules, chance, deals=1)
    for state in states:
        offered = legal(state)
        for _ in range(3 if offered else 0):
            assert offered.sample(chance) in offered  # type: ignore[union-attr, operator]
    assert HIDDEN not in {card for state in states for hand in state.hands for card in kinds(hand)}


@settings(max_examples=25, deadline=None)
@given(st.one_of(rule_sets(), stock_rule_sets()), SEEDS)
def test_a_state_that_advances_in_place_is_the_one_that_a_fold_gives(rules: RuleSet, seed: int) -> None:
    states, acts = random_game(rules, Random(seed), deals=1, turn_ms=1000)
    state = GAME.initial()
    for folded, act in zip(states[1:], acts, strict=True):
        legal(state)
        GAME.advance(state, act.events, act.at_ms)
        assert folded == state
        assert legal(folded) == legal(state)
