"""A match of two bots without a server: the same deals played again with sides changed, so that luck cancels out.

Every deal is a table of its own: opened, dealt from the seed, played until it is scored. The bots see what they would
see at a real table, states folded from redacted events. In the first play bot A has the seats 0 and 2, in the second
the seats 1 and 3, with the same cards, dealer and chance. A mirrored deal's result is the mean over its plays of A's
score less B's; the standard error is taken over deals, which are independent. A deal thrown in or passed out scores 0.

In the stock game A has seat 0 in the first play, seat 1 in the second, and of three seats seat 2 in the third; bot B
has all others, and the mean of what they score is B's score.

The same seed always gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import NamedTuple

from pinochle.bots.chance import Chance
from pinochle.bots.protocol import Bot
from pinochle.commands import DealCards, OpenTable
from pinochle.events import AuctionWon, Event, HandScored
from pinochle.game import decide
from pinochle.options import legal
from pinochle.redact import is_public, redact
from pinochle.rules import RuleSet
from pinochle.shuffle import SEED_BYTES, shuffled
from pinochle.state import State, fold, initial

NORMAL_95 = 1.959964
"""Standard errors on either side of the mean that hold 95 % of a normal distribution."""

PLAYERS = ("seat:0", "seat:1", "seat:2", "seat:3")


class Side(NamedTuple):
    """What one bot did over all its plays: contracts it declared, those it bid for itself, those it made."""

    declared: int
    voluntary: int
    made: int

    @property
    def voluntary_share(self) -> float | None:
        """Of its contracts, those won by a bid; None without contracts."""
        return self.voluntary / self.declared if self.declared else None

    @property
    def made_share(self) -> float | None:
        """Of its contracts, those made; None without contracts."""
        return self.made / self.declared if self.declared else None


class DuelResult(NamedTuple):
    """Bot A against bot B. Scores are in the units of the game, per deal, A's less B's; the stock game has no sides."""

    deals: int
    mean: float
    error: float
    """The standard error of the mean."""
    win_share: float
    """Mirrored deals won by A, equal ones counted half."""
    unscored: int
    """Plays thrown in or passed out."""
    sides: tuple[Side, Side]

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true mean lies with 95 % confidence."""
        return self.mean - NORMAL_95 * self.error, self.mean + NORMAL_95 * self.error

    @property
    def voluntary_share(self) -> float | None:
        """Of all auctions that found a declarer, those won by a bid; None without auctions."""
        declared = self.sides[0].declared + self.sides[1].declared
        return (self.sides[0].voluntary + self.sides[1].voluntary) / declared if declared else None


def duel(
    bot_a: Bot,
    bot_b: Bot,
    rules: RuleSet,
    deals: int,
    seed: bytes,
    progress: Callable[[int], None] | None = None,
) -> DuelResult:
    """Play `deals` mirrored deals from a seed of 32 bytes; `progress` is told how many are done after each."""
    if deals < 1:
        raise ValueError(f"a duel has at least 1 deal, not {deals}")
    differences: list[float] = []
    counts = [[0, 0, 0], [0, 0, 0]]
    unscored = 0
    for deal in range(1, deals + 1):
        deck = shuffled(rules.cards, seed, deal)
        difference, plays = 0.0, rules.players if rules.is_stock else 2
        for swapped in range(plays):
            seats = (swapped,) if rules.is_stock else (swapped, swapped + 2)
            bots = [bot_a if seat in seats else bot_b for seat in range(rules.players)]
            chances = [Chance(seed, deal, seat) for seat in range(rules.players)]
            facts = play_deal(rules, bots, deck, deal % rules.players, chances)
            score = _lead(facts, swapped) if rules.is_stock else _count(facts, swapped, counts)
            if score is None:
                unscored += 1
            else:
                difference += score
        differences.append(difference / plays)
        if progress:
            progress(deal)
    mean = sum(differences) / deals
    spread = sum((one - mean) ** 2 for one in differences)
    error = sqrt(spread / (deals - 1) / deals) if deals > 1 else float("inf")
    wins = sum(1.0 if one > 0 else 0.5 if one == 0 else 0.0 for one in differences)
    return DuelResult(deals, mean, error, wins / deals, unscored, (Side(*counts[0]), Side(*counts[1])))


def play_deal(
    rules: RuleSet, bots: Sequence[Bot], deck: tuple[int, ...], dealer: int, chances: Sequence[Chance]
) -> list[Event]:
    """The events of one deal on a table of its own, played by a bot and a source of chance for each seat."""
    facts: list[Event] = []
    state, views = initial(), [initial()] * rules.players
    opening = OpenTable(rules, PLAYERS[: rules.players], dealer, seed=bytes(SEED_BYTES))
    for start in (opening, DealCards(deck)):
        state, views = _step(state, views, decide(state, start), facts)
    while state.turn >= 0:
        seat = state.turn
        view = views[seat]
        options = legal(view)
        assert options is not None
        command = bots[seat].choose(view, options, chances[seat])
        state, views = _step(state, views, decide(state, command), facts)
    return facts


def _step(state: State, views: list[State], events: tuple[Event, ...], facts: list[Event]) -> tuple[State, list[State]]:
    facts += events
    state = fold(state, events)
    for event in events:
        if not is_public(event):
            return state, [fold(view, [redact(one, seat) for one in events]) for seat, view in enumerate(views)]
    return state, [fold(view, events) for view in views]


def _lead(facts: list[Event], seat: int) -> float:
    """What the player of a seat has scored in a deal of the stock game, less the mean of the others."""
    totals = fold(fold(initial(), facts[:1]), facts[1:]).totals
    return totals[seat] - (sum(totals) - totals[seat]) / (len(totals) - 1)


def _count(facts: list[Event], swapped: int, counts: list[list[int]]) -> int | None:
    """Add the contract to its side's counts; A's score less B's, None for a deal without a score."""
    scored = None
    for event in facts:
        if event.__class__ is AuctionWon:
            side = counts[(event.seat & 1) ^ swapped]
            side[0] += 1
            side[1] += not event.forced
        elif event.__class__ is HandScored:
            scored = event
    if scored is None:
        return None
    if scored.outcome == "made":
        counts[scored.bidder ^ swapped][2] += 1
    return scored.delta[swapped] - scored.delta[1 - swapped]
