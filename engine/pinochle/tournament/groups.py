"""Who sits with whom at tables of three: for any number of players, meetings repeat as little as possible.

The plan follows from the number of players alone. Byes go to those who have had the fewest, the last seeds first; which
of them is left to the search. A round is searched for in which nobody meets anybody again; where none is found, one is
built and improved by swaps, so that pairs that have met less meet first. Within a group seats go round.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, permutations
from threading import Lock
from typing import NamedTuple

SEATS = 3
NODES_MAX = 3_000
"""Groups that the search for a round without repeated meetings tries at most."""
SWEEPS_MAX = 50
"""Times that all swaps of two players are tried at most."""
PLANS_MAX = 128
"""Numbers of players whose plans are kept."""

Trio = tuple[int, int, int]


class Round(NamedTuple):
    """One round, by places in the seeding from 0; each group in the order of its seats."""

    byes: tuple[int, ...]
    groups: tuple[Trio, ...]
    repeated: int
    """Pairs in it that have met before."""


def planned(players: int, number: int) -> Round:
    """Round `number` (from 1) for this many players, at least three."""
    if players < SEATS or number < 1:
        raise ValueError(f"no round {number} of {players} players")
    return _plan(players).round(number)


@lru_cache(maxsize=PLANS_MAX)
def _plan(players: int) -> _Plan:
    return _Plan(players)


class _Plan:
    """The rounds of a number of players, made as far as they have been asked for; what was made never changes.

    Threads may ask at the same time: making rounds takes a while, so a service does it beside its event loop.
    """

    def __init__(self, players: int) -> None:
        self._making = Lock()
        self._players = players
        self._rounds: list[Round] = []
        self._met = [[0] * players for _ in range(players)]
        self._seated = [[0] * SEATS for _ in range(players)]
        self._byes = [0] * players

    @property
    def count(self) -> int:
        """How many rounds have been made."""
        return len(self._rounds)

    def round(self, number: int) -> Round:
        """This round, and all before it, made where they are not."""
        if len(self._rounds) < number:
            with self._making:
                while len(self._rounds) < number:
                    self._rounds.append(self._next())
        return self._rounds[number - 1]

    def _next(self) -> Round:
        met = self._met
        byes, trios = self._grouped()
        groups = tuple(sorted((self._in_seats(trio) for trio in trios), key=min))
        repeated = sum(met[one][other] > 0 for trio in groups for one, other in combinations(trio, 2))
        for player in byes:
            self._byes[player] += 1
        for trio in groups:
            for seat, player in enumerate(trio):
                self._seated[player][seat] += 1
            for one, other in permutations(trio, 2):
                met[one][other] += 1
        return Round(byes, groups, repeated)

    def _grouped(self) -> tuple[tuple[int, ...], list[Trio]]:
        """Byes and groups in which nobody meets again, or else those of the first byes that repeat least."""
        everyone, budget = range(self._players), _Budget(NODES_MAX)
        unmet = [
            sum(1 << other for other in everyone if other != player and not self._met[player][other])
            for player in everyone
        ]
        choices = self._possible_byes()
        for byes in choices:
            trios = _all_new((1 << self._players) - 1 & ~sum(1 << player for player in byes), unmet, budget)
            if trios is not None:
                return byes, trios
            if budget.nodes < 0:
                break
        byes = choices[0]
        return byes, _fewest_again([player for player in everyone if player not in byes], self._met)

    def _possible_byes(self) -> list[tuple[int, ...]]:
        """Who may have the byes of the next round, the last seeds first: nobody gets ahead by more than one."""
        free = self._players % SEATS
        by_count = sorted(range(self._players), key=lambda player: (self._byes[player], -player))
        most = self._byes[by_count[free - 1]]  # of those that must have one
        certain = [player for player in by_count if self._byes[player] < most] if free else []
        level = [player for player in by_count if self._byes[player] == most]
        return [(*certain, *chosen) for chosen in combinations(level, free - len(certain))]

    def _in_seats(self, trio: Trio) -> Trio:
        """The group in the order in which its players have had these seats least."""
        one, two, three = min(
            permutations(sorted(trio)),
            key=lambda order: sum(self._seated[player][seat] ** 2 for seat, player in enumerate(order)),
        )
        return one, two, three


class _Budget:
    """How many groups may still be tried."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes


def _all_new(seated: int, unmet: Sequence[int], budget: _Budget) -> list[Trio] | None:
    """Groups in which nobody meets anybody again, or None where the search finds none; players are bits of a set.

    `unmet` says for each player who has not met that one yet, those with a bye included.
    """

    def search(rest: int, found: list[Trio]) -> list[Trio] | None:
        if not rest:
            return found
        budget.nodes -= 1
        if budget.nodes < 0:
            return None
        # The player with the fewest left to meet comes first, so that a dead end shows early.
        player, fewest = -1, len(unmet)
        for one in _members(rest):
            left = (unmet[one] & rest).bit_count()
            if left < SEATS - 1:
                return None
            if left < fewest:
                player, fewest = one, left
        candidates = unmet[player] & rest
        for second in _members(candidates):
            # Higher numbers only: each pair is tried once.
            for third in _members(candidates & unmet[second] & -(2 << second)):
                taken = 1 << player | 1 << second | 1 << third
                done = search(rest & ~taken, [*found, (player, second, third)])
                if done is not None or budget.nodes < 0:
                    return done
        return None

    return search(seated, [])


def _members(players: int) -> list[int]:
    """The players in a set of bits, ascending."""
    found = []
    while players:
        lowest = players & -players
        found.append(lowest.bit_length() - 1)
        players ^= lowest
    return found


def _fewest_again(seated: Sequence[int], met: Sequence[Sequence[int]]) -> list[Trio]:
    """Groups in which as few as possible meet again, the often met least: built one by one, improved by swaps."""
    costs = [[times**2 for times in row] for row in met]
    left = {player: sum(met[player][other] for other in seated) for player in seated}  # meetings with those not placed
    groups = []
    while left:
        player = max(left, key=left.__getitem__)
        del left[player]
        group = [player, *_cheapest_pair(list(left), costs, player)]
        for other in group[1:]:
            del left[other]
        for other in left:
            left[other] -= sum(met[other][placed] for placed in group)
        groups.append(group)
    for _ in range(SWEEPS_MAX):
        swapped = [_swapped(one, other, costs) for one, other in combinations(groups, 2)]
        if not any(swapped):
            break
    return [(one, two, three) for one, two, three in groups]


def _cheapest_pair(rest: Sequence[int], costs: Sequence[Sequence[int]], player: int) -> tuple[int, int]:
    """The first two of the rest that cost least beside the player."""
    pair, least = (-1, -1), -1
    for at, one in enumerate(rest):
        with_one, beside = costs[one], costs[player]
        if 0 <= least <= beside[one]:
            continue
        for other in rest[at + 1 :]:
            cost = beside[one] + beside[other] + with_one[other]
            if least < 0 or cost < least:
                pair, least = (one, other), cost
                if not cost:
                    return pair
    return pair


def _swapped(one: list[int], other: list[int], costs: Sequence[Sequence[int]]) -> bool:
    """Swap two players of two groups where that lowers the cost; whether any were."""
    changed = False
    for at in range(SEATS):
        for to in range(SEATS):
            leaves, comes = costs[one[at]], costs[other[to]]
            two, three, five, six = one[at - 1], one[at - 2], other[to - 1], other[to - 2]  # who stays
            if comes[two] + comes[three] + leaves[five] + leaves[six] < (
                leaves[two] + leaves[three] + comes[five] + comes[six]
            ):
                one[at], other[to] = other[to], one[at]
                changed = True
    return changed
