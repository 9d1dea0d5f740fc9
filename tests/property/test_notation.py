"""Random games of every profile and of random rules, written and read back: nothing is lost."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pinochle.errors import BadNotation
from pinochle.notation import Game, read, write
from pinochle.rules import RuleSet, profiles

from tests.drive import random_game
from tests.played import play
from tests.rule_sets import rule_sets


@pytest.mark.parametrize("profile", profiles())
def test_a_random_game_comes_back_act_by_act_and_event_by_event(profile: str) -> None:
    for seed in range(2):
        acts = play(profile, seed, turn_ms=30_000, expire_every=9)
        assert acts == list(read(write(acts)).acts)
        events = [event for act in acts for event in act.events]
        assert events == list(read(write(events)).events)


@settings(max_examples=25, deadline=None)
@given(rules=rule_sets(), seed=st.integers(0, 2**32))
def test_a_game_by_any_rules_comes_back_with_its_rules(rules: RuleSet, seed: int) -> None:
    _, acts = random_game(rules, Random(seed), deals=2)
    game = read(write(acts))
    assert (rules, acts) == (game.rules, list(game.acts))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_text_with_a_word_changed_is_another_game_or_refused_in_one_line(seed: int) -> None:
    chance = Random(seed)
    profile = chance.choice(profiles())
    text = write(play(profile, seed % 4, deals=1), annotations=False)
    words = text.split(" ")
    at = chance.randrange(len(words))
    words[at] = chance.choice([chance.choice(words), "", "9S", "0", ";", "{", "!", words[at][:-1], words[at] + "\n"])
    found = said(" ".join(words))
    if isinstance(found, str):
        assert found.startswith("line ")
        assert "\n" not in found
    else:
        assert found.events == read(write(found.events)).events


def said(text: str) -> Game | str:
    """The game, or why there is none."""
    try:
        return read(text)
    except BadNotation as error:
        return str(error)
