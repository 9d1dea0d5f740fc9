"""One table of random deals, every act of it held to the invariants, its log verified from its bytes alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pinochle import audit, export, shuffle
from pinochle.cards import UNIT, Hand, hand_of
from pinochle.commands import PLAYER_COMMANDS, CloseTable, Command, DealCards, OpenTable
from pinochle.decider import Act
from pinochle.errors import BadRules
from pinochle.events import DealScored, HandScored
from pinochle.game import GAME, legal
from pinochle.rules import KNOBS, RULES_VERSION, RuleSet, load, profiles
from pinochle.state import (
    AUCTION,
    DEAL,
    DRAW,
    EXCHANGE,
    MISDEAL,
    NONE,
    OVER,
    PLAY,
    RETURN,
    TRUMP,
    State,
)  # fmt: skip
from pinochle.wire import chain, codec

DEALS_A_TABLE_MAX = 8
KNOBS_CHANGED_MAX = 4


class Broken(AssertionError):
    """An invariant does not hold; the text says at which table, and how to play it again."""


@dataclass
class Played:
    """What a table came to."""

    profile: str
    deals: int
    acts: int


def play(number: int) -> Played:
    """Play table `number`: its profile, knobs, seed and players' choices follow from the number alone."""
    chance = random.Random(number)
    names = profiles()
    name = names[number % len(names)]
    rules = with_some_knobs(name, chance)
    try:
        stored = list(_acts(number, rules, chance))
        report = audit.verify_table(UUID(int=number), stored)
        if not report.ok:
            raise Broken(str(report.problem))
        if report.state.version != len(stored):
            raise Broken("the log folds to another number of acts")
    except Exception as error:
        raise Broken(f"table {number} ({name}, {rules.knobs()}): {type(error).__name__}: {error}") from error
    return Played(name, report.deals, report.acts)


def with_some_knobs(name: str, chance: random.Random) -> RuleSet:
    """The profile; half the time with some knobs taken from other profiles, where R-CFG-02 allows it."""
    rules = load(name)
    if chance.randrange(2):
        return rules
    for _ in range(chance.randint(1, KNOBS_CHANGED_MAX)):
        other = load(chance.choice(profiles())).knobs()
        knob = chance.choice(sorted(KNOBS))
        try:
            rules = RuleSet.from_knobs(rules.knobs() | {knob: other[knob]})
        except BadRules:
            continue
    return rules


def _acts(number: int, rules: RuleSet, chance: random.Random) -> Iterator[export.StoredAct]:
    """The stored acts of one table, checked as they are made."""
    seed = chance.randbytes(shuffle.SEED_BYTES)
    players = tuple("abcd"[: rules.players])
    deck = hand_of(rules.cards)
    state: State = GAME.initial()
    previous, stream = chain.START, UUID(int=number).bytes
    command: Command | None = OpenTable(
        rules, players, chance.randrange(rules.players), seed, deal_limit=DEALS_A_TABLE_MAX
    )
    while command is not None:
        events = GAME.decide(state, command)
        at_ms = state.now_ms + 1
        state = GAME.fold(state, events, at_ms)
        _check(rules, state, events, deck)
        author = f"seat:{command.seat}" if isinstance(command, PLAYER_COMMANDS) else "house"
        command_id = state.version.to_bytes(16, "big")
        body = codec.at_rest(Act(state.version, author, at_ms, RULES_VERSION, command_id, command, events))
        previous = chain.link(previous, stream, state.version, command_id, body)
        yield export.StoredAct(state.version, command_id, body, previous)
        command = _next(state, seed, chance)


def _next(state: State, seed: bytes, chance: random.Random) -> Command | None:
    """What is due: a deal, a random choice of the seat on turn, the close, or nothing."""
    if state.phase == DEAL:
        return DealCards(shuffle.shuffled(state.rules.cards, seed, state.deal + 1))
    if state.phase == OVER:
        return CloseTable()
    options = legal(state)
    return None if options is None else options.sample(chance)


def _check(rules: RuleSet, state: State, events: tuple[Any, ...], deck: Hand) -> None:
    """No card appears or vanishes, and the points of a deal's tricks add up to the schedule's total."""
    if state.phase in (MISDEAL, AUCTION, TRUMP, EXCHANGE, RETURN, PLAY, DRAW):
        held = sum(state.hands) + state.played
        if state.stock is not None:
            held += hand_of(state.stock.cards) + (0 if state.turn_up == NONE else UNIT[state.turn_up])
        if held != deck:
            raise Broken(f"at version {state.version} the cards are no longer those of the deck")
    for event in events:
        played = isinstance(event, DealScored) or (isinstance(event, HandScored) and any(event.tricks))
        if played and sum(event.trick_points) != rules.trick_total:
            raise Broken(f"at version {state.version} the tricks come to {event.trick_points}, not {rules.trick_total}")
