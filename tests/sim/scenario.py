"""What one seed is about: tables, tournaments, players, and the plan of what goes wrong when."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID

from pinochle.players import is_house_bot

from tests.sim.faults import CRASH_POINTS, Crash, Rates, draw_rates

TABLE_PROFILES = ("classic", "classic", "classic-short", "classic-swap2", "danish", "danish-nobid", "single-deck-club")
STOCK_PROFILES = ("two-handed", "three-handed-stock")
SEATS = {"two-handed": 2, "three-handed-stock": 3}
TURN_MS, SHORT_TURN_MS = 1_500, 300
CALM_SECONDS_MAX = 7.0


@dataclass(slots=True)
class Player:
    """Someone outside: `way` is stream, calls or watch; `table` and `seat` belong to the latter two."""

    name: str
    way: str
    table: str = ""
    seat: int = 0
    think_seconds: float = 0.0


@dataclass(slots=True)
class Table:
    """A table that the director opens."""

    id: str
    profile: str
    knobs: dict[str, Any]
    players: list[str]
    dealer: int | None
    turn_ms: int
    deals: int
    boards: str
    seed: bytes
    gives_seed: bool
    voided_after: float


@dataclass(slots=True)
class Event:
    """A tournament that the director runs."""

    id: str
    format: str
    profile: str
    knobs: dict[str, Any]
    deals: int
    turn_ms: int
    tie_deals: int
    teams: list[list[str]]


@dataclass(slots=True)
class Outage:
    """From `at` on for `seconds`: `what` is pause or clock (of `host`), vanish (a client), or bus."""

    what: str
    host: str
    at: float
    seconds: float
    by_ms: int = 0


@dataclass(slots=True)
class Scenario:
    """Everything that is decided before the first callback runs."""

    rates: Rates
    calm_at: float
    table_hosts: int
    has_house_bots: bool = False
    tables: list[Table] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    players: list[Player] = field(default_factory=list)
    crashes: list[Crash] = field(default_factory=list)
    outages: list[Outage] = field(default_factory=list)

    @property
    def hosts(self) -> list[str]:
        """The services' processes."""
        names = [f"table-{number}" for number in range(1, self.table_hosts + 1)]
        if self.has_house_bots:
            names += ["bots", "bots-worker"]
        if self.events:
            names += ["tournament", "tournament-worker"]
        return names


def draw(seed: int) -> Scenario:
    """The scenario of a seed."""
    chance = Random(f"scenario {seed}")
    scenario = Scenario(draw_rates(chance), 0.3 + CALM_SECONDS_MAX * chance.random() ** 2, 1 + (chance.random() < 0.4))
    kind = chance.random()
    if kind < 0.84:
        _draw_tables(scenario, chance, 2 if chance.random() < 0.08 else 1)
    else:
        _draw_event(scenario, chance)
    _draw_faults(scenario, chance)
    return scenario


def _id(chance: Random) -> str:
    return str(UUID(bytes=chance.randbytes(16), version=4))


def _draw_tables(scenario: Scenario, chance: Random, number: int) -> None:
    stock = chance.random() < 0.05
    profile = chance.choice(STOCK_PROFILES if stock else TABLE_PROFILES)
    boards = _id(chance) if number > 1 and chance.random() < 0.5 else ""
    turn_ms = TURN_MS if chance.random() < 0.5 else SHORT_TURN_MS
    knobs = {"concession": "any_time"} if not stock and chance.random() < 0.9 else {}
    for _ in range(number):
        seats = SEATS.get(profile, 4)
        deals = 1 if chance.random() < 0.9 else 2
        table = Table(
            _id(chance), profile, knobs, [], chance.choice((None, 0, 1)), turn_ms, deals, boards, chance.randbytes(32),
            chance.random() < 0.5, 0.2 + chance.random() if chance.random() < 0.04 else 0.0,
        )  # fmt: skip
        _draw_players(scenario, chance, table, seats)
        scenario.tables.append(table)
    if not boards and chance.random() < 0.6:
        scenario.players.append(Player("eve", "watch", scenario.tables[0].id))
    if chance.random() < 0.3:
        first = scenario.tables[0]
        seated = [player for player in first.players if not is_house_bot(player)]
        if seated:
            scenario.players.append(Player(chance.choice(seated), "watch", first.id))


def _draw_players(scenario: Scenario, chance: Random, table: Table, seats: int) -> None:
    """Mostly a table is played in one way; a few are mixed."""
    way = chance.choice(("house", "stream", "calls", "mixed", "mixed"))
    known = {player.name for player in scenario.players}
    for seat in range(seats):
        how = chance.choice(("house", "house", "stream", "calls", "calls", "nobody")) if way == "mixed" else way
        if how == "house":
            table.players.append("bot:random" if chance.random() < 0.9 else "bot:timid")
            scenario.has_house_bots = True
            continue
        name = ("ann", "bob", "cid", "dot")[seat] + ("" if how == "stream" else f":{how}")
        if table.boards:  # which nobody plays twice
            name += f":{len(scenario.tables)}"
        table.players.append(name)
        think = chance.choice((0.0, 0.02, 0.2)) if how == "stream" else 0.0
        if how == "calls":
            scenario.players.append(Player(name, "calls", table.id, seat))
        elif how == "stream" and name not in known:
            scenario.players.append(Player(name, "stream", think_seconds=think))


def _draw_event(scenario: Scenario, chance: Random) -> None:
    teams = chance.choice((2, 2, 2, 3, 4))
    kind = "knockout" if chance.random() < 0.8 or teams > 3 else "round_robin"
    players = [["bot:random", "bot:random"] for _ in range(teams)]
    scenario.has_house_bots = True
    if chance.random() < 0.3:
        players[0][0] = "ann"
        scenario.players.append(Player("ann", "stream"))
    scenario.events.append(
        Event(_id(chance), kind, "classic", {}, 1, SHORT_TURN_MS, chance.choice((0, 1)), players)
    )


def _draw_faults(scenario: Scenario, chance: Random) -> None:
    if not any(getattr(scenario.rates, name) for name in Rates.__slots__):
        return
    hosts = scenario.hosts
    for _ in range(chance.choice((0, 1, 1, 2, 2, 4))):
        host = chance.choice(hosts if chance.random() < 0.4 else hosts[: scenario.table_hosts])
        point = chance.choice(CRASH_POINTS)
        scale = 1_500 if point == "callback" else 50
        number = 1 + int(scale * chance.random() ** 3)
        scenario.crashes.append(Crash(host, point, number, 0.05 + 1.5 * chance.random() ** 2))
    calm_at = scenario.calm_at
    for _ in range(chance.choice((0, 0, 0, 1, 2))):
        host = chance.choice(hosts)
        scenario.outages.append(Outage("pause", host, calm_at * chance.random(), 0.05 + 2.5 * chance.random() ** 2))
    if chance.random() < 0.15:
        host = f"table-{1 + chance.randrange(scenario.table_hosts)}"
        by_ms = chance.choice((-1, 1)) * chance.choice((90, 5_000, 3_600_000))
        scenario.outages.append(Outage("clock", host, calm_at * chance.random(), calm_at, by_ms))
    if chance.random() < 0.12:
        scenario.outages.append(Outage("bus", "", calm_at * chance.random(), 2.0 * chance.random()))
    if scenario.players and chance.random() < 0.35:
        number = chance.randrange(len(scenario.players))
        at = calm_at * chance.random() ** 2
        scenario.outages.append(Outage("vanish", f"client-{number}", at, 0.1 + 3 * chance.random() ** 2))
