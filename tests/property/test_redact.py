"""Hidden information, on random games: views agree with the truth, and nothing in them depends on hidden cards."""

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pinochle import commands as c
from pinochle.cards import HIDDEN, cards_in, count, hand_of, holds, kinds, size, without
from pinochle.decider import Act
from pinochle.errors import Rejected
from pinochle.events import CardsPassed, HandDealt, TableOpened
from pinochle.game import GAME
from pinochle.options import legal
from pinochle.redact import Viewer, redact
from pinochle.rules import RuleSet, load
from pinochle.state import State, fold, initial
from pinochle.wire.codec import events_from, for_viewer
from pinochle.wire.v1 import table_pb2

from tests.drive import act_of, random_game
from tests.rule_sets import PARTNERSHIP, rule_sets

VIEWERS: list[Viewer] = [None, 0, 1, 2, 3]
SEEDS = st.integers(0, 2**32 - 1)

SAME = (
    "rules", "version", "turn_version", "now_ms", "deadline_ms", "phase", "turn", "dealer", "deal", "scored",
    "totals", "passed", "bid", "bidder", "declarer", "declared_out", "trump", "melds", "meld", "may_concede",
    "leader", "trick", "played", "trick_points", "tricks", "last_score", "winner", "end_reason",
)  # fmt: skip
"""What a viewer knows as well as the house does; the rest are hands, the stock, the table's seed and the
turn-up to come."""


def test_the_facts_that_views_may_lack_are_these() -> None:
    assert {"hands", "table", "turn_up", "stock", "options"} == set(State.__slots__) - set(SAME)


# Views agree with the truth


@pytest.mark.parametrize("profile", PARTNERSHIP)
def test_views_agree_with_the_truth_in_every_profile(profile: str) -> None:
    check_views(*random_game(load(profile), Random(profile), deals=3, turn_ms=30_000))


@settings(max_examples=30, deadline=None)
@given(rule_sets(), SEEDS)
def test_views_agree_with_the_truth_under_any_rules(rules: RuleSet, seed: int) -> None:
    check_views(*random_game(rules, Random(seed), deals=2))


def check_views(states: list[State], acts: list[Act]) -> None:
    views = dict.fromkeys(VIEWERS, initial())
    for truth, act in zip(states[1:], acts, strict=True):
        for viewer in VIEWERS:
            told = table_pb2.ActView.FromString(for_viewer(act, viewer))
            view = views[viewer] = fold(views[viewer], events_from(told), told.at_ms)
            assert [getattr(truth, name) for name in SAME] == [getattr(view, name) for name in SAME]
            for seat, (real, seen) in enumerate(zip(truth.hands, view.hands, strict=True)):
                assert size(real) == size(seen)
                known = hand_of(card for card in cards_in(seen) if card != HIDDEN)
                assert real == seen if seat == viewer else holds(real, known)
            if viewer is not None and truth.turn == viewer:
                assert legal(truth) == legal(view)
            assert GAME.due(truth) == GAME.due(view)


# Non-interference: a second game that differs in cards the viewer cannot know looks the same to it

Variation = list[c.Command]


@pytest.mark.parametrize("profile", [*PARTNERSHIP, "misdeal", "nobid-misdeal"])
def test_what_a_viewer_receives_does_not_depend_on_cards_it_cannot_know(profile: str) -> None:
    checked = check_interference(rules_named(profile), Random(profile), games=8, tries=150)
    assert 150 <= checked["swap"], checked
    assert 30 <= checked["late"], checked
    if rules_named(profile).exchange:
        assert 15 <= checked["pass"], checked
    if profile == "nobid-misdeal":
        assert 5 <= checked["turn_up"], checked


@settings(max_examples=20, deadline=None)
@given(rule_sets(), SEEDS)
def test_what_a_viewer_receives_does_not_depend_on_hidden_cards_under_any_rules(rules: RuleSet, seed: int) -> None:
    check_interference(rules, Random(seed), games=1, tries=60)


def test_a_leak_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself: were cards passed shown to everybody, or hands to partners, it would fail."""

    def shows_partner(event: Any, viewer: Viewer) -> Any:
        seen = redact(event, viewer)
        if isinstance(event, HandDealt) and viewer is not None:
            mate = viewer ^ 2
            seen.hands = (*seen.hands[:mate], event.hands[mate], *seen.hands[mate + 1 :])
        return seen

    def shows_passed(event: Any, viewer: Viewer) -> Any:
        return event if isinstance(event, CardsPassed) else redact(event, viewer)

    for leaky in (shows_partner, shows_passed):
        with monkeypatch.context() as patched:
            patched.setattr("pinochle.wire.codec.redact", leaky)
            with pytest.raises(AssertionError):
                check_interference(load("classic"), Random(1), games=3, tries=100)


def rules_named(name: str) -> RuleSet:
    if name == "misdeal":
        return load("single-s3", misdeal_option=True, exchange=3)
    if name == "nobid-misdeal":
        return load("danish-nobid", misdeal_option=True)
    return load(name)


def check_interference(rules: RuleSet, chance: Random, games: int, tries: int) -> Counter[str]:
    """Play games, vary what a viewer cannot know, and compare the bytes it receives; returns what was checked."""
    checked: Counter[str] = Counter()
    for _ in range(games):
        states, acts = random_game(rules, chance, deals=2)
        deals = [at for at, act in enumerate(acts) if isinstance(act.command, c.DealCards)]
        for _ in range(tries):
            start = chance.choice(deals)
            end = chance.randrange(start, next((at for at in deals if at > start), len(acts)))
            viewer = chance.choice(VIEWERS)
            kind, commands = variation(states, acts[start : end + 1], start, viewer, chance)
            if commands is None:
                continue
            other = replayed(states[start], acts[start : end + 1], commands)
            if other is None:
                continue
            checked[kind] += 1
            checked["late"] += sum(states[end + 1].tricks) >= 3
            for mine, theirs in zip(acts[start : end + 1], other, strict=True):
                assert for_viewer(mine, viewer) == for_viewer(theirs, viewer), (kind, viewer, mine.command)
    return checked


def variation(
    states: list[State], acts: list[Act], start: int, viewer: Viewer, chance: Random
) -> tuple[str, Variation | None]:
    """The same commands with one thing changed that the viewer cannot know at the end of them."""
    commands = [act.command for act in acts]
    passes = [at for at, command in enumerate(commands) if isinstance(command, c.PassCards)]
    kinds_of = ["swap"] * 3
    if any(commands[at].seat % 2 != (viewer or 0) % 2 or viewer is None for at in passes):  # type: ignore[union-attr]
        kinds_of += ["pass"] * 2
    if not states[start].rules.has_auction:
        kinds_of.append("turn_up")
    kind = chance.choice(kinds_of)
    if kind == "swap":
        return kind, swapped_deal(states[start], states[start + len(acts)], commands, viewer, chance)
    if kind == "turn_up":
        return kind, other_turn_up(states[start], commands, chance)
    at = chance.choice(passes)
    before = states[start + at]
    given = other_cards(before.hands[before.turn], commands[at].cards, chance)  # type: ignore[union-attr]
    if given is None:
        return kind, None
    commands[at] = c.PassCards(before.turn, given)
    return kind, commands


def swapped_deal(before: State, now: State, commands: Variation, viewer: Viewer, chance: Random) -> Variation | None:
    """Exchange a card of one hand for another's in the deck, both not yet played and not the viewer's."""
    deck = list(commands[0].deck)  # type: ignore[union-attr]
    holder = holders(before.rules, before.dealer)
    one, other = chance.sample([seat for seat in range(4) if seat != viewer], 2)
    places = [
        [at for at in range(len(deck)) if holder[at] == seat and count(now.hands[seat], deck[at])]
        for seat in (one, other)
    ]
    if not all(places):
        return None
    here, there = map(chance.choice, places)
    if deck[here] == deck[there]:
        return None
    deck[here], deck[there] = deck[there], deck[here]
    return [c.DealCards(tuple(deck)), *commands[1:]]


def holders(rules: RuleSet, dealer: int) -> list[int]:
    """The seat that gets each card of the deck (R-DEAL-01)."""
    found: list[int] = []
    for at in range(0, rules.hand_size, rules.packet):
        packet = min(rules.packet, rules.hand_size - at)
        found += [(dealer + step) % 4 for step in (1, 2, 3, 4) for _ in range(packet)]
    return found


def other_turn_up(before: State, commands: Variation, chance: Random) -> Variation | None:
    """Another of the dealer's cards comes last."""
    deck = list(commands[0].deck)  # type: ignore[union-attr]
    own = [at for at, seat in enumerate(holders(before.rules, before.dealer)) if seat == before.dealer]
    at = chance.choice(own)
    if deck[at] == deck[-1]:
        return None
    deck[at], deck[-1] = deck[-1], deck[at]
    return [c.DealCards(tuple(deck)), *commands[1:]]


def other_cards(hand: int, given: int, chance: Random) -> int | None:
    """As many cards of the hand, one of them another."""
    out = chance.choice(cards_in(given))
    rest = hand - given
    spare = [card for card in kinds(rest) if card != out]
    return None if not spare else without(given, out) + hand_of([chance.choice(spare)])


def replayed(state: State, acts: Sequence[Act], commands: Variation) -> list[Act] | None:
    """The acts of these commands; None where one is rejected, or a public fact is another than before."""
    found = []
    for act, command in zip(acts, commands, strict=True):
        try:
            events = GAME.decide(state, command)
        except Rejected:
            return None
        if list(public(events)) != list(public(act.events)):
            return None
        found.append(act_of(state, command, events, act.at_ms))
        state = GAME.fold(state, events, act.at_ms)
    return found


def public(events: Sequence[Any]) -> Iterator[Any]:
    """Facts that everybody sees whole (R-VIS-01), and of the others that they happened."""
    for event in events:
        yield event.__class__ if isinstance(event, (HandDealt, CardsPassed, TableOpened)) else event
