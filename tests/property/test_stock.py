"""Laws of the stock game, on random games of both profiles and of random rule sets."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pinochle import commands as c
from pinochle import events as e
from pinochle.cards import HIDDEN, NAMES, PHYSICAL, SUITS, cards_in, hand_of, names, parse_card, size
from pinochle.decider import Act
from pinochle.errors import Rejected
from pinochle.game import GAME
from pinochle.options import legal
from pinochle.redact import Viewer, redact
from pinochle.rules import RuleSet, load
from pinochle.state import DRAW, NONE, PLAY, State, fold, initial
from pinochle.wire.codec import at_rest, events_from, for_viewer, from_rest
from pinochle.wire.v1 import table_pb2

from tests.drive import act_of, random_game
from tests.property.test_game import plain_legal_cards
from tests.property.test_redact import SAME
from tests.rule_sets import STOCK, stock_rule_sets

SEEDS = st.integers(0, 2**32 - 1)
CASES = [(name, end) for name in STOCK for end in ("deal_end", "immediate")]


def rules_of(profile: str, stock_end: str) -> RuleSet:
    return load(profile, stock_end=stock_end, target=400)


# Legality: the rules once more, on names of cards


class Told:
    """What a plain reader of the events of a deal would write down."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.scored: set[tuple[str, str]] = set()  # kind of meld and card
        self.credited: set[str] = set()
        self.has_melded = False
        self.seen: set[str] = set()  # cards shown while in a hand, or taken face up

    def file(self, events: Iterable[Any]) -> None:
        for event in events:
            if isinstance(event, e.HandDealt):
                self.begin()
            elif isinstance(event, e.TrickWon):
                self.has_melded = False
            elif isinstance(event, e.MeldLaid):
                self.has_melded = True
                self.seen |= set(names(event.cards))
                self.scored |= {(event.kind, name) for name in names(event.cards)}
                self.credited |= set(names(event.cards)) if event.kind == "dix" else set()
            elif isinstance(event, e.DixScored):
                self.credited.add(NAMES[event.card])
            elif isinstance(event, e.DixExchanged):
                self.seen.add(NAMES[event.takes])
                self.seen.discard(NAMES[event.gives])
            elif isinstance(event, e.CardDrawn) and event.face_up:
                self.seen.add(NAMES[event.card])


def faces(trump: str) -> dict[str, list[list[str]]]:
    """The faces of each kind of meld (R-TWO-12)."""
    return {
        "run": [[rank + trump for rank in "ATKQJ"]],
        "dix": [["9" + trump]],
        "royal_marriage": [["K" + trump, "Q" + trump]],
        "marriage": [["K" + suit, "Q" + suit] for suit in SUITS if suit != trump],
        **{f"{word}_around": [[word[0].upper() + s for s in SUITS]] for word in ("aces", "kings", "queens", "jacks")},
        "pinochle": [["QS", "JD"]],
    }


def every_meld(trump: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """All sets of physical cards that are a meld with this trump, whoever holds them."""
    for kind, ways in faces(trump).items():
        for way in ways:
            for letters in product("ab", repeat=len(way)):
                yield kind, tuple(face + letter for face, letter in zip(way, letters, strict=True))
            if "around" in kind or kind == "pinochle":
                yield kind, tuple(face + letter for face in way for letter in "ab")


def may_lay(told: Told, held: set[str], kind: str, cards: tuple[str, ...]) -> bool:
    """R-TWO-10 to R-TWO-14."""
    barred = {"royal_marriage": ["royal_marriage", "run"]}.get(kind, [kind])
    fresh = not any((other, card) in told.scored for other in barred for card in cards)
    return not told.has_melded and set(cards) <= held and fresh and not (kind == "dix" and set(cards) & told.credited)


def is_allowed(s: State, told: Told, command: c.PlayerCommand) -> bool:
    """The rules as plainly as possible, for the seat on turn."""
    hand = cards_in(s.hands[s.turn])
    trump = SUITS[s.trump]
    match command:
        case c.PlayCard():
            if s.turn_up != NONE:
                return s.phase == PLAY and command.card in hand
            return s.phase == PLAY and command.card in plain_legal_cards(s.rules, hand, list(s.trick), s.trump)
        case c.Draw():
            return s.phase == DRAW
        case c.ExchangeDix():
            nine = command.card in hand and NAMES[command.card][:2] == "9" + trump
            return s.phase == DRAW and nine and not told.has_melded and NAMES[s.turn_up][:2] != "9" + trump
        case c.LayMeld():
            if s.phase != DRAW or (command.kind, tuple(names(command.cards))) not in melds_by_cards(trump):
                return False
            return may_lay(told, set(names(s.hands[s.turn])), command.kind, tuple(names(command.cards)))
    return False  # there is no auction, exchange or concession here


def melds_by_cards(trump: str) -> set[tuple[str, tuple[str, ...]]]:
    """All melds, their cards in display order."""
    if trump not in _MELDS:
        _MELDS[trump] = {(kind, tuple(names(hand_of(map(parse_card, cards))))) for kind, cards in every_meld(trump)}
    return _MELDS[trump]


_MELDS: dict[str, set[tuple[str, tuple[str, ...]]]] = {}


def candidates(state: State, chance: Random) -> Iterator[c.PlayerCommand]:
    """Every command of every seat; of melds all that the deck holds, and others that are none."""
    for seat in range(-1, 4):
        yield from (c.PlayCard(seat, card) for card in range(-1, 81))
        yield from (c.ExchangeDix(seat, card) for card in range(-1, 81))
        yield from (c.Draw(seat), c.Pass(seat), c.Concede(seat), c.KeepDeal(seat), c.ThrowIn(seat))
        yield from (c.PlaceBid(seat, 250), c.NameTrump(seat, 0), c.PassCards(seat, 0))
    kinds = sorted(faces("S"))
    for seat in {state.turn, 0}:
        for kind, cards in melds_by_cards(SUITS[state.trump]):
            hand = hand_of(map(parse_card, cards))
            yield c.LayMeld(seat, kind, hand)
            yield c.LayMeld(seat, chance.choice(kinds), hand)
        for _ in range(5):
            some = hand_of(chance.sample(state.rules.cards, chance.randrange(1, 6)))
            yield c.LayMeld(seat, chance.choice(kinds), some)
        yield from (c.LayMeld(seat, "run", 0), c.LayMeld(seat, "", 0), c.LayMeld(seat, "marriage", -1))


def accepts(state: State, command: c.PlayerCommand) -> bool:
    try:
        return bool(GAME.decide(state, command))
    except Rejected:
        return False


def check_legality(states: list[State], acts: list[Act], chance: Random, every: int) -> Counter[str]:
    """Compare `decide`, `legal` and the rules as written above, for all commands; counts what was allowed."""
    told, allowed = Told(), Counter[str]()
    for state, act in zip(states[1:], acts, strict=True):
        told.file(act.events)
        if state.turn < 0 or (state.phase == PLAY and chance.randrange(every)):
            continue
        offered = legal(state)
        assert offered is not None
        for command in candidates(state, chance):
            expected = command.seat == state.turn and is_allowed(state, told, command)
            assert expected == (command.seat == state.turn and command in offered), command
            assert expected == accepts(state, command), command
            allowed[command.__class__.__name__] += expected
    return allowed


@pytest.mark.parametrize(("profile", "stock_end"), CASES)
def test_decide_accepts_exactly_what_legal_offers(profile: str, stock_end: str) -> None:
    chance = Random(profile + stock_end)
    allowed = Counter[str]()
    for _ in range(4 if profile == "two-handed" else 10):
        allowed += check_legality(*random_game(rules_of(profile, stock_end), chance, deals=2), chance, every=20)
    assert {"PlayCard", "Draw", "ExchangeDix", "LayMeld"} == set(allowed)
    assert 50 < allowed["LayMeld"]


@settings(max_examples=15, deadline=None)
@given(stock_rule_sets(), SEEDS)
def test_decide_accepts_exactly_what_legal_offers_under_any_rules(rules: RuleSet, seed: int) -> None:
    chance = Random(seed)
    check_legality(*random_game(rules, chance, deals=1), chance, every=20)


# Conservation


def check_cards(acts: list[Act]) -> int:
    """Count all cards and points after every event; returns how many deals were scored."""
    state, scored, credits = initial(), 0, Counter[int]()
    for act in acts:
        for event in act.events:
            before, state = state, fold(state, (event,))
            if isinstance(event, e.HandDealt):
                credits = Counter(dict(enumerate(before.totals)))
            elif isinstance(event, e.DixScored | e.MeldLaid):
                credits[event.seat] += event.points
            elif isinstance(event, e.DealScored):
                scored += 1
                assert state.rules.trick_total == sum(event.trick_points)
                assert size(state.played) == 48
                assert sum(state.tricks) == 24 if state.rules.players == 2 else 16
                expected = [credits[seat] + points for seat, points in enumerate(event.trick_points)]
                assert expected == list(event.totals)
            if state.deal and state.stock is not None:
                lying = [*state.stock.cards, *([state.turn_up] if state.turn_up != NONE else [])]
                held = [card for hand in (state.played, *state.hands) for card in cards_in(hand)]
                assert sorted([*lying, *held]) == list(range(PHYSICAL, PHYSICAL + 48))
                nines = [NAMES[card] for card in cards_in(state.stock.credited)]
                assert all(name[:2] == "9" + SUITS[state.trump] for name in nines)
    return scored


@pytest.mark.parametrize(("profile", "stock_end"), CASES)
def test_no_card_and_no_point_appears_or_vanishes(profile: str, stock_end: str) -> None:
    chance = Random(profile + stock_end)
    assert 10 < sum(check_cards(random_game(rules_of(profile, stock_end), chance, deals=4)[1]) for _ in range(8))
    assert 250 == rules_of(profile, stock_end).trick_total  # R-TWO-18


@settings(max_examples=40, deadline=None)
@given(stock_rule_sets(), SEEDS)
def test_no_card_and_no_point_appears_or_vanishes_under_any_rules(rules: RuleSet, seed: int) -> None:
    check_cards(random_game(rules, Random(seed), deals=2)[1])


@settings(max_examples=40, deadline=None)
@given(stock_rule_sets(), SEEDS)
def test_no_nine_earns_its_points_twice_in_a_deal(rules: RuleSet, seed: int) -> None:
    """R-TWO-14."""
    credited: list[str] = []
    for act in random_game(rules, Random(seed), deals=2)[1]:
        for event in act.events:
            if isinstance(event, e.HandDealt):
                credited = []
            elif isinstance(event, e.DixScored):
                credited.append(NAMES[event.card])
            elif isinstance(event, e.MeldLaid) and event.kind == "dix":
                credited += names(event.cards)
            assert len(credited) == len(set(credited)) <= 2


# Stored acts


@settings(max_examples=40, deadline=None)
@given(stock_rule_sets(), SEEDS)
def test_stored_acts_fold_to_the_states_that_the_game_had(rules: RuleSet, seed: int) -> None:
    states, acts = random_game(rules, Random(seed), deals=2, turn_ms=30_000)
    state = GAME.initial()
    for expected, act in zip(states[1:], acts, strict=True):
        again = from_rest(act.version, act.command_id, at_rest(act))
        assert act == again
        assert again.events == GAME.decide(state, again.command)
        state = GAME.fold(state, again.events, again.at_ms)
        assert expected == state


# Views


def viewers(rules: RuleSet) -> list[Viewer]:
    return [None, *range(rules.players)]


def check_views(states: list[State], acts: list[Act]) -> None:
    """Fold what each viewer receives, and compare it with the truth and with what everybody has seen."""
    views: dict[Viewer, State] = dict.fromkeys(viewers(states[-1].rules), initial())
    told = Told()
    for truth, act in zip(states[1:], acts, strict=True):
        told.file(act.events)
        for viewer in views:
            message = table_pb2.ActView.FromString(for_viewer(act, viewer))
            view = views[viewer] = fold(views[viewer], events_from(message), message.at_ms)
            assert [getattr(truth, name) for name in SAME] == [getattr(view, name) for name in SAME]
            assert GAME.due(truth) == GAME.due(view)
            assert truth.stock is not None
            assert view.stock is not None
            assert truth.turn_up == view.turn_up  # R-VIS-01
            assert (HIDDEN,) * len(truth.stock.cards) == view.stock.cards  # R-VIS-04
            same = ("used", "credited", "has_melded")
            assert [getattr(truth.stock, name) for name in same] == [getattr(view.stock, name) for name in same]
            for seat, (real, seen) in enumerate(zip(truth.hands, view.hands, strict=True)):
                if seat == viewer:
                    assert real == seen
                    continue
                assert size(real) == size(seen)
                known = {name for name in names(seen) if name != "??"}
                assert told.seen & set(names(real)) == known  # R-VIS-05: what was shown and is still held
            if viewer is not None and truth.turn == viewer:
                assert legal(truth) == legal(view)


@pytest.mark.parametrize(("profile", "stock_end"), CASES)
def test_views_hold_what_everybody_has_seen_and_the_own_hand_and_nothing_else(profile: str, stock_end: str) -> None:
    for game in range(3):
        chance = Random(f"{profile}{stock_end}{game}")
        check_views(*random_game(rules_of(profile, stock_end), chance, deals=3, turn_ms=30_000))


@settings(max_examples=20, deadline=None)
@given(stock_rule_sets(), SEEDS)
def test_views_agree_with_the_truth_under_any_rules(rules: RuleSet, seed: int) -> None:
    check_views(*random_game(rules, Random(seed), deals=2))


# Non-interference: a second deal that differs in cards the viewer cannot know looks the same to it


def check_interference(rules: RuleSet, chance: Random, games: int, tries: int) -> Counter[str]:
    """Play games, exchange two cards that a viewer cannot know, and compare the bytes that it receives."""
    checked: Counter[str] = Counter()
    for _ in range(games):
        states, acts = random_game(rules, chance, deals=2)
        deals = [at for at, act in enumerate(acts) if isinstance(act.command, c.DealCards)]
        for _ in range(tries):
            start = chance.choice(deals)
            end = chance.randrange(start, next((at for at in deals if at > start), len(acts)))
            viewer = chance.choice(viewers(rules))
            kind, swapped = swapped_deal(states[end + 1], acts[start : end + 1], viewer, chance)
            other = swapped and replayed(states[start], acts[start : end + 1], swapped)
            if not other:
                continue
            checked[kind] += 1
            checked["late"] += sum(states[end + 1].tricks) >= 6
            for mine, theirs in zip(acts[start : end + 1], other, strict=True):
                assert for_viewer(mine, viewer) == for_viewer(theirs, viewer), (kind, viewer, mine.command)
    return checked


def swapped_deal(now: State, acts: list[Act], viewer: Viewer, chance: Random) -> tuple[str, c.DealCards | None]:
    """The deal with two cards in each other's place, of which the viewer knows neither by now."""
    assert now.stock is not None
    told = Told()
    for act in acts:
        told.file(act.events)
    stock = set(now.stock.cards)
    unknown = stock.copy()
    for seat, hand in enumerate(now.hands):
        if seat != viewer:
            unknown |= {card for card in cards_in(hand) if NAMES[card] not in told.seen}
    pairs = {"copies": [(card, card + 1) for card in unknown if card % 2 == 0 and card + 1 in unknown]}
    pairs["stock"] = [(one, other) for one in stock for other in stock if one < other]
    pairs["hands"] = [(one, other) for one in unknown - stock for other in unknown if one != other]
    kind = chance.choice(sorted(pairs))
    if not pairs[kind]:
        return kind, None
    one, other = chance.choice(sorted(pairs[kind]))
    exchanged = {one: other, other: one}
    deck = acts[0].command.deck
    return kind, c.DealCards(tuple(exchanged.get(card, card) for card in deck))


def replayed(state: State, acts: list[Act], deal: c.DealCards) -> list[Act] | None:
    """The acts of the same commands after another deal; None where one is rejected, or a public fact is another."""
    found = []
    for number, act in enumerate(acts):
        command = act.command if number else deal
        try:
            events = GAME.decide(state, command)
        except Rejected:
            return None
        if list(public(events)) != list(public(act.events)):
            return None
        found.append(act_of(state, command, events, act.at_ms))
        state = GAME.fold(state, events, act.at_ms)
    return found


def public(events: Iterable[Any]) -> Iterator[Any]:
    """Facts that everybody sees whole, and of the others that they happened."""
    for event in events:
        if isinstance(event, e.CardDrawn) and not event.face_up:
            yield event.seat
        else:
            yield event.__class__ if isinstance(event, e.HandDealt | e.TableOpened) else event


@pytest.mark.parametrize(("profile", "stock_end"), CASES)
def test_what_a_viewer_receives_does_not_depend_on_cards_it_cannot_know(profile: str, stock_end: str) -> None:
    checked = check_interference(rules_of(profile, stock_end), Random(profile + stock_end), games=8, tries=200)
    assert 30 <= min(checked[kind] for kind in ("copies", "stock", "hands", "late")), checked


@settings(max_examples=15, deadline=None)
@given(stock_rule_sets(), SEEDS)
def test_what_a_viewer_receives_does_not_depend_on_hidden_cards_under_any_rules(rules: RuleSet, seed: int) -> None:
    check_interference(rules, Random(seed), games=1, tries=60)


def shows_drawn(event: Any, viewer: Viewer) -> Any:
    return event if isinstance(event, e.CardDrawn) else redact(event, viewer)


def shows_next(event: Any, viewer: Viewer) -> Any:
    seen = redact(event, viewer)
    if isinstance(event, e.HandDealt):
        seen.stock = (*event.stock[:1], *seen.stock[1:])
    return seen


def shows_copies(event: Any, viewer: Viewer) -> Any:
    """Cards of a drawn face become known by their letter alone, here as copy a or b of one card."""
    seen = redact(event, viewer)
    if isinstance(event, e.CardDrawn) and seen != event:
        seen.card = PHYSICAL + event.card % 2
    return seen


@pytest.mark.parametrize("leaky", [shows_drawn, shows_next, shows_copies])
def test_a_leak_would_be_found(leaky: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself: were drawn cards, the next of the stock or a copy letter shown, it would fail."""
    monkeypatch.setattr("pinochle.wire.codec.redact", leaky)
    with pytest.raises(AssertionError):
        check_interference(load("two-handed"), Random(1), games=4, tries=150)
