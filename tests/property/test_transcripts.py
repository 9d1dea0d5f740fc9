"""Transcripts of random games: honest ones agree with the log wherever either is cut, and forged logs do not pass."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pinochle import audit
from pinochle.decider import Act
from pinochle.export import StoredAct
from pinochle.game import GAME
from pinochle.rules import RuleSet, load, profiles
from pinochle.transcript import Shown, Transcript
from pinochle.transcript_audit import Finding, compare
from pinochle.wire import codec

from tests.drive import random_game
from tests.played import START_MS, STREAM, chained
from tests.rule_sets import rule_sets, stock_rule_sets
from tests.transcripts import as_file, from_file, kept_of

SEEDS = st.integers(0, 2**32 - 1)


def game(rules: RuleSet, chance: Random) -> list[Act]:
    """A random game with times, and ids that nobody else has."""
    acts = random_game(rules, chance, deals=1, turn_ms=30_000)[1]
    acts = [replace(act, at_ms=START_MS + act.at_ms, command_id=chance.randbytes(16)) for act in acts]
    state, timed = GAME.initial(), []
    for act in acts:
        if state.version:
            deadline = state.deadline_ms if state.turn >= 0 else 0
            act = replace(act, noticed_ms=state.now_ms, deadline_ms=deadline, received_ms=act.at_ms)
        timed.append(act)
        state = GAME.fold(state, act.events, act.at_ms)
    return timed


def viewers(rules: RuleSet) -> list[int | None]:
    return [None, *range(rules.players)]


def findings(log: list[StoredAct], kept: list[Transcript], must_end: bool = True) -> Iterator[Finding]:
    yield from compare(audit.TABLE, STREAM, log, kept, must_end=must_end)


def check_cuts(rules: RuleSet, chance: Random) -> None:
    acts = game(rules, chance)
    log = chained(acts)
    whole = [kept_of(acts, viewer, ahead_ms=chance.randrange(-9_000, 9_000)) for viewer in viewers(rules)]
    assert [None] * len(whole) == [finding.problem for finding in findings(log, whole)]

    cut = []
    for kept in whole:
        data = as_file(kept)
        cut.append(from_file(data[: chance.randrange(data.index(b"\n") + 1, len(data))]))
    assert {None} >= {finding.problem for finding in findings(log, cut)}

    end = chance.randrange(1, len(acts))
    assert {None} == {finding.problem for finding in findings(log[:end], whole, must_end=False)}
    for finding in findings(log[:end], whole):
        assert finding.problem is not None
        assert (end + 1, "missing") == (finding.problem.version, finding.problem.check)


@pytest.mark.parametrize("profile", profiles())
def test_honest_transcripts_agree_with_the_log_at_any_cut_in_every_profile(profile: str) -> None:
    check_cuts(load(profile), Random(profile))


@settings(max_examples=15, deadline=None)
@given(st.one_of(rule_sets(), stock_rule_sets()), SEEDS)
def test_honest_transcripts_agree_with_the_log_at_any_cut_under_any_rules(rules: RuleSet, seed: int) -> None:
    check_cuts(rules, Random(seed))


@settings(max_examples=15, deadline=None)
@given(st.one_of(rule_sets(), stock_rule_sets()), SEEDS)
def test_breaks_in_the_keeping_are_notes_and_no_differences(rules: RuleSet, seed: int) -> None:
    chance = Random(seed)
    acts = game(rules, chance)
    breaks = sorted(chance.sample(range(1, len(acts)), min(5, len(acts) - 1)))
    kept = [kept_of(acts, viewer, breaks=breaks) for viewer in viewers(rules)]
    assert {None} == {finding.problem for finding in findings(chained(acts), kept)}


@settings(max_examples=15, deadline=None)
@given(st.one_of(rule_sets(), stock_rule_sets()), SEEDS)
def test_any_act_in_another_ones_place_is_found_by_whoever_sees_a_difference(rules: RuleSet, seed: int) -> None:
    chance = Random(seed)
    acts = game(rules, chance)
    other = game(rules, chance)
    at = chance.randrange(min(len(acts), len(other)))
    forged = [*acts[:at], *(replace(act, version=i) for i, act in enumerate(other[at:], at + 1))]
    log = []
    state = GAME.initial()
    for act in forged:  # as far as such a log can be read at all
        try:
            state = GAME.fold(state, act.events, act.at_ms)
        except Exception:
            break
        log.append(act)
    for viewer in viewers(rules):
        kept = kept_of(acts, viewer)
        shown = {line.version: line.act for line in kept.lines if isinstance(line, Shown)}
        first = next((act.version for act in log if shown.get(act.version) != codec.for_viewer(act, viewer)), None)
        finding = next(findings(chained(log), [kept], must_end=False))
        if first is not None:
            assert finding.problem is not None
            assert finding.problem.version <= first


@settings(max_examples=15, deadline=None)
@given(st.one_of(rule_sets(), stock_rule_sets()), SEEDS)
def test_a_spoilt_transcript_never_raises(rules: RuleSet, seed: int) -> None:
    chance = Random(seed)
    acts = game(rules, chance)
    kept = kept_of(acts, chance.choice(viewers(rules)))
    lines = list(kept.lines)
    for _ in range(5):
        at = chance.randrange(len(lines))
        line = lines[at]
        for name in ("act", "command", "options", "value"):
            if hasattr(line, name):
                data = bytearray(getattr(line, name) or b"\0")
                data[chance.randrange(len(data))] = chance.randrange(256)
                lines[at] = replace(line, **{name: bytes(data)})
        for name in ("version", "turn_version", "expected_version", "deadline_ms"):
            if hasattr(line, name) and chance.random() < 0.2:
                lines[at] = replace(lines[at], **{name: chance.choice([0, 1, 10**6])})
    finding = next(findings(chained(acts), [kept._replace(lines=tuple(lines))]))
    assert finding.problem is None or finding.problem.check not in ("log", "stream")
