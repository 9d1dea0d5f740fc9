"""Laws of the house bots in the stock game: legal under any rules, blind to what is hidden, repeatable."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pinochle.bots import BOTS, Bot, Chance, bot, play_deal
from pinochle.cards import HIDDEN, PHYSICAL_MASK, count
from pinochle.commands import PlayerCommand
from pinochle.options import Chooser, Options
from pinochle.rules import RuleSet, load
from pinochle.shuffle import shuffled
from pinochle.state import State

ROOT = Path(__file__).resolve().parents[2]
SEED = bytes(32)
PROFILES = ("two-handed", "three-handed-stock")


class Checked:
    """A bot whose every choice must be one of its options, seen from a view without others' secrets."""

    def __init__(self, inner: Bot) -> None:
        self.inner = inner
        self.turns = 0

    def choose(self, view: State, options: Options, chance: Chooser) -> PlayerCommand:
        assert options.seat == view.turn
        assert view.stock is not None
        assert {HIDDEN} >= set(view.stock.cards)
        laid = 0
        for used in view.stock.used:
            laid |= used
        for seat, hand in enumerate(view.hands):
            if seat == view.turn:
                assert 0 == count(hand, HIDDEN)
            elif view.stock.used and view.trump >= 0:
                # Only melds, the turn-up and cards swapped for it are ever known in another hand.
                assert (hand & PHYSICAL_MASK & ~laid).bit_count() <= 3
        command = self.inner.choose(view, options, chance)
        assert command in options
        self.turns += 1
        return command



@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("profile", PROFILES)
def test_a_house_bot_plays_legally_in_the_stock_game(profile: str, name: str) -> None:
    rules = load(profile)
    checked = Checked(bot(name))
    for deal in range(1, 6):
        play(rules, [checked] * rules.players, deal)
    assert checked.turns > 150


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(PROFILES),
    st.fixed_dictionaries(
        {
            "must_beat": st.sampled_from(("winning", "led", "none")),
            "must_overtrump": st.booleans(),
            "double_melds": st.sampled_from(("linear", "bonus")),
            "scale": st.sampled_from((1, 10)),
            "trick_schedule": st.sampled_from(("tens_fives", "counters10", "ace11", "counters1")),
            "stock_end": st.sampled_from(("deal_end", "immediate")),
            "target": st.sampled_from((50, 1000)),
            "packet": st.integers(1, 5),
        }
    ),
    st.integers(0, 2**32 - 1),
)
def test_house_bots_play_legally_under_any_rules_of_the_stock_game(
    profile: str, knobs: dict[str, object], seed: int
) -> None:
    rules = load(profile, **knobs)
    bots = [Checked(bot(name)) for name in ("club", "random", "timid")][: rules.players]
    play(rules, bots, seed)


def test_house_bots_play_the_stock_game_the_same_under_any_hash_seed() -> None:
    assert 1 == len({digest_in_a_process(hash_seed) for hash_seed in ("0", "4711")})


def play(rules: RuleSet, bots: list[Checked] | list[Bot], deal: int) -> list[object]:
    deck = shuffled(rules.cards, SEED, deal)
    chances = [Chance(SEED, deal, seat) for seat in range(rules.players)]
    return list(play_deal(rules, bots, deck, deal % rules.players, chances))


def digest_in_a_process(hash_seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": f"{ROOT}:{ROOT / 'engine'}"}
    script = "from tests.property.test_stock_bots import digest; print(digest())"
    command = [sys.executable, "-c", script]
    ran = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    return ran.stdout.strip()


def digest() -> str:
    """A hash over the events of some deals."""
    found = hashlib.sha256()
    for profile in PROFILES:
        rules = load(profile)
        for deal in range(1, 6):
            found.update(repr(play(rules, [bot("club")] * rules.players, deal)).encode())
    return found.hexdigest()
