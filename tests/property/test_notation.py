"""Random games of every profile and of random rules, written and read back: nothing is lost."""

import re
from functools import cache
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


PIECES = (
    ":", ";", ",", "!", "{", "}", "<", ">", "(", ")", '"', "\\", "[", "]", "#", "\n", " ", "\t", "\x0b", "\u2028",
    "\ud800", "0", "3", "4", "9", "-1", "01", "\u0663", "\u00b2", "99999999999999999",
    "=", "=x", "=[]", "={}", "=null", "=1e999",
    "{@1}", "{@9999999999999999}", "{v1}", "{seat:4}", "<until 1>", "<until 999999999999999>", "(dix 10)", "!9S", "9Sa",
    "H12", "10S", "\u2660A", "??", "\n:\n", "\n: 1\n", "\ndeal 1:\n", "\nhand 0:\n", "\nhand:\n", "\nup: 9S\n",
    "\nstock:\n", "\ndeck:\n", "\nclosed\n", "\nopen:\n", "\nvoid: \"x\"\n", "\nlay 0: dix 9Sa\n", "\ndraw: 0\n",
    "\nexchange 0: 9Sa\n", "\nkeep: 0\n", "\nthrow in: 0\n", "\nconcede: 0\n", "\n1. 0: 9S\n", "\nscore\n", "\n;\n",
    "\nrules: profile=1\n", "\nrules: trick_schedule={}\n", '\n[Seed "00"]\n', '\n[Nonce "0"]\n', '\n[TurnMs "9"]\n',
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    profile=st.sampled_from(["classic-help", "danish-nobid", "two-handed"]),
    annotated=st.booleans(),
    seeded=st.booleans(),
    edits=st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(("", *PIECES)) | st.text(max_size=3)),
        min_size=1,
        max_size=4,
    ),
)
def test_a_text_spoilt_anywhere_is_another_game_or_refused_in_one_line(
    profile: str, annotated: bool, seeded: bool, edits: list[tuple[float, int, str]]
) -> None:
    text = good(profile, annotated, seeded)
    for place, length, piece in edits:
        at = int(place * len(text))
        text = text[:at] + piece + text[at + length :]
    found = said(text)
    assert not isinstance(found, str) or re.fullmatch(r"line [1-9]\d*: [^\n]+", found), found


@cache
def good(profile: str, annotated: bool, seeded: bool) -> str:
    text = write(play(profile, 1, deals=1, turn_ms=30_000, expire_every=9), annotations=annotated)
    return text if seeded else "\n".join(line for line in text.splitlines() if not line.startswith("[Seed"))


@settings(max_examples=100, deadline=None)
@given(lines=st.lists(st.sampled_from(PIECES) | st.text(max_size=20), max_size=6), known=st.booleans())
def test_text_of_any_kind_is_refused_in_one_line(lines: list[str], known: bool) -> None:
    found = said(("[Pinochle \"1\"]\n" if known else "") + "".join(lines))
    assert isinstance(found, str)
    assert re.fullmatch(r"line [1-9]\d*: [^\n]+", found), found


def said(text: str) -> Game | str:
    """The game, or why there is none."""
    try:
        return read(text)
    except BadNotation as error:
        return str(error)
