"""Laws of the house bots: legal under any rules, blind to what is hidden, repeatable."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pinochle.bots import BOTS, Bot, Chance, bot, play_deal
from pinochle.cards import cards_in, hand_of, size
from pinochle.commands import Command, DealCards, OpenTable, PlayerCommand
from pinochle.events import CardsPassed, Event, HandDealt, TableOpened
from pinochle.game import GAME
from pinochle.options import Chooser, Options, legal
from pinochle.redact import redact
from pinochle.rules import RuleSet, load
from pinochle.shuffle import shuffled
from pinochle.state import State, fold, initial

from tests.drive import PLAYERS, random_game
from tests.rule_sets import PARTNERSHIP, rule_sets

ROOT = Path(__file__).resolve().parents[2]
SEED = bytes(32)
SEEDS = st.integers(0, 2**32 - 1)


class Checked:
    """A bot whose every choice must be one of its options, seen from a view without others' secrets."""

    def __init__(self, inner: Bot) -> None:
        self.inner = inner
        self.turns = 0

    def choose(self, view: State, options: Options, chance: Chooser) -> PlayerCommand:
        assert b"" == view.table.seed
        assert options.seat == view.turn
        command = self.inner.choose(view, options, chance)
        assert command in options
        self.turns += 1
        return command


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("profile", PARTNERSHIP)
def test_a_house_bot_plays_legally_in_every_profile(profile: str, name: str) -> None:
    rules = load(profile)
    checked = Checked(bot(name))
    for deal in range(1, 7):
        deck = shuffled(rules.cards, SEED, deal)
        play_deal(rules, [checked] * 4, deck, deal & 3, [Chance(SEED, deal, seat) for seat in range(4)])
    assert checked.turns > 50


@settings(max_examples=60, deadline=None)
@given(rule_sets(), SEEDS)
def test_house_bots_play_legally_under_any_rules(rules: RuleSet, seed: int) -> None:
    bots = [Checked(bot(name)) for name in ("club", "random", "club", "timid")]
    play_deal(rules, bots, shuffled(rules.cards, SEED, seed), seed & 3, [Chance(SEED, seed, seat) for seat in range(4)])


@settings(max_examples=30, deadline=None)
@given(rule_sets(), SEEDS)
def test_house_bots_find_a_legal_choice_in_states_that_chance_has_reached(rules: RuleSet, seed: int) -> None:
    states, _ = random_game(rules, Random(seed), deals=1)
    for state in states:
        options = legal(state)
        if options is None:
            continue
        for name in BOTS:
            assert bot(name).choose(state, options, Chance(SEED, seed)) in options


@settings(max_examples=40, deadline=None)
@given(rule_sets(), SEEDS, st.sampled_from(BOTS))
def test_a_choice_does_not_depend_on_cards_that_the_seat_cannot_see(rules: RuleSet, seed: int, name: str) -> None:
    player, random = bot(name), Random(seed)
    state, views, others = initial(), [initial()] * 4, [initial()] * 4
    commands: list[Command] = [
        OpenTable(rules, PLAYERS, seed & 3, SEED), DealCards(shuffled(rules.cards, SEED, seed)),
    ]  # fmt: skip
    while commands or state.turn >= 0:
        if commands:
            command = commands.pop(0)
        else:
            seat = state.turn
            command = chosen_by(player, views[seat], seed)
            assert command == chosen_by(player, others[seat], seed)
        events = GAME.decide(state, command)
        state = fold(state, events)
        for seat in range(4):
            changed = [with_other_secrets(event, seat, random) for event in events]
            views[seat] = fold(views[seat], [redact(event, seat) for event in events])
            others[seat] = fold(others[seat], [redact(event, seat) for event in changed])


def chosen_by(player: Bot, view: State, seed: int) -> PlayerCommand:
    options = legal(view)
    assert options is not None
    return player.choose(view, options, Chance(SEED, seed, view.version))  # else `random` might never pass


def with_other_secrets(event: Event, seat: int, random: Random) -> Event:
    """The event with other cards wherever this seat cannot see them: others' hands, and what others pass."""
    if isinstance(event, HandDealt):
        rest = [card for other in range(4) if other != seat for card in cards_in(event.hands[other])]
        random.shuffle(rest)
        each = len(rest) // 3
        hands = [hand_of(rest[each * part : each * (part + 1)]) for part in range(3)]
        hands.insert(seat, event.hands[seat])
        return replace(event, hands=tuple(hands))
    if isinstance(event, CardsPassed) and seat not in (event.giver, event.receiver):
        return replace(event, cards=hand_of(random.randrange(24) for _ in range(size(event.cards))))
    if isinstance(event, TableOpened):
        return replace(event, seed=random.randbytes(32))
    return event


def test_house_bots_play_the_same_under_any_hash_seed() -> None:
    assert 1 == len({digest_in_a_process(hash_seed) for hash_seed in ("0", "1", "4711")})


def digest_in_a_process(hash_seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": f"{ROOT}:{ROOT / 'engine'}"}
    script = "from tests.property.test_bots import digest; print(digest())"
    ran = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return ran.stdout.strip()


def digest() -> str:
    """A hash over the events of some deals of all house bots."""
    found = hashlib.sha256()
    for profile in ("classic", "danish", "double-deck-club", "danish-nobid"):
        rules = load(profile)
        bots = [bot(name) for name in ("club", "random", "club", "timid")]
        for deal in range(1, 6):
            deck = shuffled(rules.cards, SEED, deal)
            facts = play_deal(rules, bots, deck, deal & 3, [Chance(SEED, deal, seat) for seat in range(4)])
            found.update(repr(facts).encode())
    return found.hexdigest()
