"""Whole games played for tests: their acts, and the log that a store would hold of them."""

import random
from collections.abc import Callable
from uuid import UUID

from pinochle import shuffle
from pinochle.commands import CloseTable, DealCards, ExpireTurn, OpenTable
from pinochle.decider import Act
from pinochle.export import StoredAct
from pinochle.game import GAME
from pinochle.options import legal
from pinochle.rules import RULES_VERSION, load
from pinochle.state import CLOSED, DEAL, OVER, State
from pinochle.tournament import (
    TOURNAMENT,
    CloseTournament,
    CreateTournament,
    EnterTeam,
    PinnedTable,
    RecordResult,
    ReplayMatch,
    StartTournament,
    team_size,
    to_pin,
    wanted,
)  # fmt: skip
from pinochle.wire import chain, codec

STREAM = UUID("0192d3a4-5b6c-7d8e-9fa0-b1c2d3e4f506")
START_MS = 1_760_000_000_000
PLAYERS = ("ann", "bot:club", "cay", "bot:random")


def play(profile: str, chance_seed: int, *, turn_ms: int = 0, expire_every: int = 0, deals: int = 2) -> list[Act]:
    """The acts of a whole game: random legal commands, and every so many turns an expired one."""
    chance = random.Random(chance_seed)
    rules, seed = load(profile), chance.randbytes(32)
    opening = OpenTable(rules, PLAYERS[: rules.players], 1, seed, b"nonce", turn_ms, 2_000, deals)
    return play_table("director", opening, chance, expire_every)


def play_table(author: str, opening: OpenTable, chance: random.Random, expire_every: int = 0) -> list[Act]:
    """The acts of a table from its opening to its close, in the same way, with the times of each."""
    state: State = GAME.initial()
    acts: list[Act] = []
    now, turns = START_MS, 0
    rules, seed = opening.rules, opening.seed

    def accept(author: str, command: object) -> None:
        nonlocal state
        events = GAME.decide(state, command)
        third = (now - state.now_ms) // 3
        noticed_ms = state.now_ms + third if acts else 0
        received_ms = now if isinstance(command, ExpireTurn) else now - third if acts else now
        deadline_ms = state.deadline_ms if state.turn >= 0 else 0
        act = Act(
            len(acts) + 1, author, now, RULES_VERSION, chance.randbytes(16), command, events, noticed_ms, deadline_ms,
            received_ms,
        )  # fmt: skip
        acts.append(act)
        state = GAME.fold(state, events, now)

    accept(author, opening)
    while state.phase != CLOSED:
        now += chance.randrange(50)
        if state.phase == DEAL:
            accept("house", DealCards(shuffle.shuffled(rules.cards, seed, state.deal + 1, opening.nonce)))
        elif state.phase == OVER:
            accept("house", CloseTable())
        else:
            turns += 1
            if expire_every and turns % expire_every == 0:
                now = max(now, state.deadline_ms + state.table.grace_ms)
                accept("house", ExpireTurn(state.turn, now))
            else:
                options = legal(state)
                assert options is not None
                accept(f"seat:{state.turn}", options.sample(chance))
    return acts


class Held:
    """A tournament as it goes on: its acts, and the state that they add up to."""

    def __init__(self, chance: random.Random) -> None:
        self.state = TOURNAMENT.initial()
        self.acts: list[Act] = []
        self._chance = chance

    def accept(self, author: str, command: object) -> None:
        events = TOURNAMENT.decide(self.state, command)
        at_ms = START_MS + 1_000 * len(self.acts)
        command_id, number = self._chance.randbytes(16), len(self.acts) + 1
        act = Act(number, author, at_ms, RULES_VERSION, command_id, command, events, received_ms=at_ms - 1)
        self.acts.append(act)
        self.state = TOURNAMENT.fold(self.state, events, at_ms)


def hold(format_name: str, chance_seed: int, teams: int = 5) -> list[Act]:
    """The acts of a whole tournament with results made up, a voided table and ties among them."""
    chance = random.Random(chance_seed)
    event = Held(chance)
    accept = event.accept

    alone = format_name == "rounds"
    rules, seed = load("three-handed-stock" if alone else "classic"), chance.randbytes(32)
    rounds = 3 if alone else 0
    create = CreateTournament(str(STREAM), "Spring", format_name, rules, seed, 30, tie_deals=1, rounds=rounds)
    accept("director", create)
    for number in range(teams):
        accept("director", EnterTeam(f"Team {number}", ("bot:club", "bot:random")[: 1 if alone else 2], number))
    accept("director", StartTournament())
    while tables := wanted(event.state):
        table = chance.choice(tables)
        winner, reason = chance.choice([(0, "score"), (1, "score"), (-1, "draw"), (-1, "void")])
        totals = tuple(chance.randrange(-500, 2_000) for _ in range(3 if alone else 2))
        if alone and reason != "void":
            alone_first = totals.count(max(totals)) == 1
            winner, reason = (totals.index(max(totals)), "score") if alone_first else (-1, "draw")
        accept("house", RecordResult(table.match, table.attempt, table.table, winner, totals, 5, reason))
    pinned = tuple(PinnedTable(table, 9, chance.randbytes(32)) for table, _ in to_pin(event.state))
    accept("house", CloseTournament(pinned))
    return event.acts


def hold_with_tables(
    format_name: str, chance_seed: int, teams: int = 3, deals: int = 1
) -> tuple[list[Act], dict[str, list[Act]]]:
    """A whole tournament whose tables are really played: its acts, and those of each table by its id, in order.

    One match is replayed before its table is opened.
    """
    chance = random.Random(chance_seed)
    event = Held(chance)
    accept = event.accept
    tables: dict[str, list[Act]] = {}

    rules = load("three-handed-stock" if format_name == "rounds" else "classic")
    rounds = 1 if format_name == "rounds" else 0
    size = team_size(rules)
    create = CreateTournament(
        str(STREAM), "Spring", format_name, rules, chance.randbytes(32), 30, deals, tie_deals=1, turn_ms=20_000,
        rounds=rounds,
    )  # fmt: skip
    accept("director", create)
    for number in range(teams):
        accept("director", EnterTeam(f"Team {number}", tuple(f"p{number}.{one}" for one in range(size)), number))
    accept("director", StartTournament())
    accept("director", ReplayMatch(wanted(event.state)[0].match, 1, "the wrong players sat down"))
    while open_tables := wanted(event.state):
        place = chance.choice(open_tables)
        opening = OpenTable(
            place.rules, place.players, place.dealer, place.seed, b"", place.turn_ms, 2_000, place.deal_limit, "",
            place.tournament, place.match,
        )  # fmt: skip
        tables[place.table] = played = play_table("tournament", opening, chance, 11)
        end = GAME.initial()
        for act in played:
            end = GAME.fold(end, act.events, act.at_ms)
        result = RecordResult(
            place.match, place.attempt, place.table, end.winner, tuple(end.totals), end.deal, end.end_reason
        )
        accept("house", result)
    heads = {table: chained(played, UUID(table))[-1].hash for table, played in tables.items()}
    pinned = [
        PinnedTable(table, len(tables[table]) if table in tables else 0, heads.get(table, chain.START))
        for table, _ in to_pin(event.state)
    ]
    accept("house", CloseTournament(tuple(pinned)))
    return event.acts, dict(sorted(tables.items()))


def chained(acts: list[Act], stream: UUID = STREAM, encode: Callable[[Act], bytes] = codec.at_rest) -> list[StoredAct]:
    """The acts as a store holds them, each hash made from the one before."""
    stored, head = [], chain.START
    for act in acts:
        body = encode(act)
        head = chain.link(head, stream.bytes, act.version, act.command_id, body)
        stored.append(StoredAct(act.version, act.command_id, body, head))
    return stored
