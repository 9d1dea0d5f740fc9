"""A whole game at random as a script: which rules, which decks, who does what and when, all from one number."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from pinochle import shuffle
from pinochle.commands import CloseTable, Command, DealCards, ExpireTurn, OpenTable
from pinochle.game import GAME
from pinochle.options import legal
from pinochle.rules import RuleSet, profiles
from pinochle.state import DEAL, OVER, State

from tests.soak.tables import with_some_knobs

START_MS = 1_790_000_000_000
TURN_MS, GRACE_MS = 30_000, 2_000
THOUGHT_MS_MAX = 5_000
PLAYERS, ELSEWHERE = ("ann", "bob", "cid", "dot"), ("eve", "fay", "gus", "hal")
TABLE_LINES_MAX = 260
"""Acts of a script at most; a longer game is left there, as a table may be at any time."""


@dataclass(frozen=True, slots=True)
class Line:
    """One act of a script: the command, when it comes, and the events it led to."""

    at_ms: int
    command: Command
    events: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """A game: its opening, and the state before each line. `lines[0]` opens the table."""

    number: int
    profile: str
    rules: RuleSet
    opening: OpenTable
    states: list[State]
    lines: list[Line]

    @property
    def viewers(self) -> list[int | None]:
        """Everybody who may look: each seat, and a spectator where spectators may."""
        return [*range(self.rules.players), *([] if self.opening.boards else [None])]


def write(number: int, boards: str = "") -> Script:
    """The script of game `number`."""
    chance = random.Random(number)
    names = profiles()
    profile = names[number % len(names)]
    rules = with_some_knobs(profile, chance)
    deals = 1 if rules.is_stock or rules.deck == "double" else chance.choice((1, 1, 2))
    seed = chance.randbytes(shuffle.SEED_BYTES)
    opening = OpenTable(
        rules, PLAYERS[: rules.players], chance.randrange(rules.players), seed, b"", TURN_MS, GRACE_MS, deals, boards
    )
    return played(number, profile, opening, chance)


def played(
    number: int,
    profile: str,
    opening: OpenTable,
    chance: random.Random,
    deck: tuple[int, ...] | None = None,
    expires: bool = True,
) -> Script:
    """A game that begins with this opening, everybody choosing at random.

    `deck` is dealt instead of the seed's; in a quarter of the games turns run out, if this one `expires`.
    """
    states, lines = [GAME.initial()], []
    now_ms = START_MS
    command: Command | None = opening
    slow = expires and chance.randrange(4) == 0
    while command is not None and len(lines) < TABLE_LINES_MAX:
        state = states[-1]
        if deck and isinstance(command, DealCards):
            command = DealCards(deck)
        events = GAME.decide(state, command)
        lines.append(Line(now_ms, command, events))
        states.append(GAME.fold(state, events, now_ms))
        now_ms += chance.randrange(1, THOUGHT_MS_MAX)
        command = following(states[-1], chance)
        if slow and states[-1].turn >= 0 and chance.randrange(10) == 0:
            now_ms = states[-1].deadline_ms + GRACE_MS + chance.randrange(500)
            command = ExpireTurn(states[-1].turn, now_ms)
    return Script(number, profile, opening.rules, opening, states, lines)


def following(state: State, chance: random.Random) -> Command | None:
    """What is due: a deal, a random choice of the seat on turn, the close, or nothing."""
    if state.phase == DEAL:
        table = state.table
        return DealCards(shuffle.shuffled(state.rules.cards, table.seed, state.deal + 1, table.nonce))
    if state.phase == OVER and not state.table.boards:
        return CloseTable()
    options = legal(state)
    return None if options is None else options.sample(chance)

