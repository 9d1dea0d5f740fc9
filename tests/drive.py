"""Drive a table through its decider in tests: open, deal, act, refuse, play on at random."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from pinochle.cards import Card, Hand, cards_in, parse_card, parse_hand
from pinochle.commands import CloseTable, Command, DealCards, KeepDeal, OpenTable
from pinochle.decider import HOUSE, NOBODY, Act
from pinochle.errors import Reason, Rejected
from pinochle.events import Event
from pinochle.game import GAME
from pinochle.options import legal
from pinochle.rules import RULES_VERSION, RuleSet
from pinochle.shuffle import shuffled
from pinochle.state import DEAL, MISDEAL, State

PLAYERS = ("ann", "bob", "cid", "dot")
SEED = bytes(range(32))


def opened(rules: RuleSet, dealer: int = 3, **about: Any) -> State:
    """A new table that waits for its first deal."""
    return after(GAME.initial(), OpenTable(rules, PLAYERS[: rules.players], dealer, SEED, **about))


def dealt(rules: RuleSet, hands: Sequence[str | Hand] = (), dealer: int = 3, **about: Any) -> State:
    """A table whose cards are dealt: these hands from seat 0 on, the rest at random but repeatable."""
    return after(opened(rules, dealer, **about), DealCards(deck_with(rules, hands, dealer)))


def called(rules: RuleSet, hands: Sequence[str | Hand] = (), dealer: int = 3, **about: Any) -> State:
    """A table at its first call, every hand kept."""
    state = dealt(rules, hands, dealer, **about)
    while state.phase == MISDEAL:
        state = after(state, KeepDeal(state.turn))
    return state


def after(state: State, *commands: Command, at_ms: int = 0) -> State:
    """The state after these commands, an act each."""
    for command in commands:
        state = GAME.fold(state, GAME.decide(state, command), at_ms)
    return state


def refusal(state: State, command: Command) -> Reason:
    """Why the command is rejected; fails if it is not."""
    with pytest.raises(Rejected) as rejection:
        GAME.decide(state, command)
    return rejection.value.reason


def deck_with(
    rules: RuleSet, hands: Sequence[str | Hand], dealer: int, turn_up: str = "", stock: str = ""
) -> tuple[Card, ...]:
    """A deck that deals these hands from seat 0 on; short ones are filled up at random.

    In the stock game the rest follows: the turn-up, if one is named, and the first cards of the stock.
    """
    players = rules.players
    chosen = [cards_in(parse_hand(hand) if isinstance(hand, str) else hand) for hand in hands]
    chosen += [[] for _ in range(players - len(chosen))]
    next_cards = [parse_card(name) for name in (*turn_up.split(), *stock.split())]
    rest = list(rules.cards)
    for card in (*next_cards, *(card for hand in chosen for card in hand)):
        rest.remove(card)
    Random(len(rest)).shuffle(rest)
    for hand in chosen:
        while len(hand) < rules.hand_size:
            hand.append(rest.pop())
    deck: list[Card] = []
    for at in range(0, rules.hand_size, rules.packet):
        for step in range(1, players + 1):
            deck += chosen[(dealer + step) % players][at : at + rules.packet]
    return (*deck, *next_cards, *rest)


def next_command(state: State, chance: Random) -> Command | None:
    """What is due, chosen at random; None where nothing is."""
    who = GAME.due(state).who
    if who == NOBODY:
        return None
    if who == HOUSE:
        return DealCards(deal_deck(state)) if state.phase == DEAL else CloseTable()
    options = legal(state)
    assert options is not None
    return options.sample(chance)


def deal_deck(state: State) -> tuple[Card, ...]:
    """The deck that the table's seed gives for its next deal."""
    return shuffled(state.rules.cards, state.table.seed, state.deal + 1, state.table.nonce)


def act_of(state: State, command: Command, events: Sequence[Event], at_ms: int = 0) -> Act:
    """The accepted command as the act that a table would store."""
    seat = getattr(command, "seat", None)
    author = "house" if seat is None else f"seat:{seat}"
    version = state.version + 1
    return Act(version, author, at_ms, RULES_VERSION, version.to_bytes(16, "big"), command, tuple(events))


def random_game(
    rules: RuleSet, chance: Random, deals: int = 2, dealer: int | None = None, turn_ms: int = 0
) -> tuple[list[State], list[Act]]:
    """A whole random game of at most this many deals, closed: its states, the first one empty, and its acts."""
    seed = chance.randbytes(32)
    first = chance.randrange(rules.players) if dealer is None else dealer
    command: Command | None = OpenTable(rules, PLAYERS[: rules.players], first, seed, turn_ms=turn_ms, deal_limit=deals)
    states, acts = [GAME.initial()], []
    while command is not None:
        events = GAME.decide(states[-1], command)
        acts.append(act_of(states[-1], command, events, at_ms=len(acts)))
        states.append(GAME.fold(states[-1], events, len(acts) - 1))
        command = next_command(states[-1], chance)
    return states, acts
