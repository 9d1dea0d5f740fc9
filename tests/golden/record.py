"""Record the logs of a release: `python -m tests.golden.record FOLDER`, run once when a release is made.

The logs are whole tables and tournaments of every kind, played by the engine with a fixed source of chance, so that
the same code writes the same bytes again. Together they hold every kind of command and event of the schema, or the
recorder refuses. FOLDER must not exist: what was recorded once is never recorded anew. Beside the logs stands
`expected.json`: what their states must come to for ever. Times are made up and in ms.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from pinochle import commands as c
from pinochle import export, shuffle
from pinochle import tournament as t
from pinochle.audit import EVENT, TABLE, Kind, rebuild, result
from pinochle.decider import Act
from pinochle.options import legal
from pinochle.rules import RULES_VERSION, RuleSet, load
from pinochle.state import CLOSED, DEAL, NONE, OVER, State
from pinochle.tournament.decider import REPLAYS_MAX
from pinochle.tournament.state import PHASES as TOURNAMENT_PHASES
from pinochle.wire import chain
from pinochle.wire.v1 import game_pb2, tournament_pb2

START_MS = 1_760_000_000_000
TURN_MS, GRACE_MS = 30_000, 2_000
PLAYERS = ("ann", "bot:club", "cay", "bot:random")
EXPECTED = "expected.json"
CHANCES_MAX = 400
"""Sources of chance that are tried until a recording shows what it is for."""


class Log(NamedTuple):
    """One stream as it is stored: a file of the release."""

    name: str
    kind: Kind
    stream: UUID
    acts: list[export.StoredAct]
    state: Any


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m tests.golden.record FOLDER")
    folder = Path(sys.argv[1])
    if folder.exists():
        raise SystemExit(f"{folder} exists: the logs of a release are recorded once")
    write(folder, recordings())
    print(f"{len(list(folder.iterdir())) - 1} logs in {folder}")


def write(folder: Path, logs: list[Log]) -> None:
    """Write the logs and what they come to; SystemExit where a kind of command or event is not among them."""
    missing = unshown(logs)
    if missing:
        raise SystemExit(f"these are nowhere in the logs: {', '.join(missing)}")
    folder.mkdir(parents=True)
    expected: dict[str, Any] = {"rules_version": RULES_VERSION, "logs": {}}
    for log in logs:
        lines = export.lines(log.kind.name, log.stream, log.acts)
        (folder / f"{log.name}.jsonl").write_bytes(b"".join(lines))
        expected["logs"][log.name] = figures(log.kind, log.acts)
    (folder / EXPECTED).write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


def figures(kind: Kind, acts: list[export.StoredAct]) -> dict[str, Any]:
    """What a log comes to, from its events alone, as values that JSON can hold."""
    state = rebuild(acts, kind)
    counted = {"acts": len(acts), "head": acts[-1].hash.hex()}
    if kind is TABLE:
        return counted | {"result": result(state) | {"players": list(state.table.players)}}
    matches = {
        match.id: {
            "teams": list(match.teams),
            "winner": match.winner,
            "reason": match.reason,
            "halves": list(match.halves),
            "attempts": [[one.kind, one.status, one.winner, list(one.totals)] for one in match.attempts],
        }
        for match in state.matches.values()
    }
    return counted | {
        "result": {
            "phase": TOURNAMENT_PHASES[state.phase],
            "champion": state.champion,
            "ranking": list(state.ranking),
            "ranks": list(state.ranks),
            "teams": {str(team.team): [team.name, list(team.players)] for team in state.teams.values()},
            "matches": matches,
        }
    }


def unshown(logs: list[Log]) -> list[str]:
    """The kinds of commands and events of the schema that none of the logs holds."""
    shown: dict[str, set[str]] = {name: set() for name in _SCHEMA}
    for log in logs:
        body, command, event = ("table", "player", "event") if log.kind is TABLE else ("tournament", "", "happening")
        for act in log.acts:
            message = _BODIES[body].FromString(act.body)
            named = message.command.WhichOneof("kind")
            shown[body].add(named)
            if named == command:
                shown["player"].add(message.command.player.WhichOneof("kind"))
            shown[event].update(one.WhichOneof("kind") for one in message.events)
    return [f"{kind} ({name})" for name, kinds in _SCHEMA.items() for kind in kinds if kind not in shown[name]]


_BODIES: dict[str, Any] = {"table": game_pb2.ActBody, "tournament": tournament_pb2.TournamentActBody}


def _kinds(message: Any) -> list[str]:
    return [field.name for field in message.DESCRIPTOR.oneofs_by_name["kind"].fields]


_SCHEMA = {
    "table": _kinds(game_pb2.Command),
    "player": _kinds(game_pb2.PlayerCommand),
    "event": _kinds(game_pb2.Event),
    "tournament": _kinds(tournament_pb2.TournamentCommand),
    "happening": _kinds(tournament_pb2.TournamentEvent),
}


class _Recording:
    """One stream on its way: commands go in, acts come out."""

    def __init__(self, kind: Kind, stream: UUID, chance: random.Random, now_ms: int = START_MS) -> None:
        self.kind, self.stream, self.chance, self.now_ms = kind, stream, chance, now_ms
        self.state = kind.decider.initial()
        self.acts: list[export.StoredAct] = []
        self.head = chain.START

    def accept(self, author: str, command: Any) -> None:
        """Carry out one command as a service would; what the rules refuse is an error."""
        version = len(self.acts) + 1
        events = self.kind.decider.decide(self.state, command)
        if not events:
            raise ValueError(f"nothing follows from {command}")
        noticed_ms = self.state.now_ms if self.kind is TABLE else 0
        deadline_ms = self.kind.decider.due(self.state).by_ms or 0
        act = Act(
            version, author, self.now_ms, RULES_VERSION, self.chance.randbytes(16), command, events, noticed_ms,
            deadline_ms, self.now_ms,
        )  # fmt: skip
        body = self.kind.at_rest(act)
        self.head = chain.link(self.head, self.stream.bytes, version, act.command_id, body)
        self.acts.append(export.StoredAct(version, act.command_id, body, self.head))
        self.state = self.kind.decider.fold(self.state, events, self.now_ms)

    def log(self, name: str) -> Log:
        return Log(name, self.kind, self.stream, self.acts, self.state)


# -- tables


def table(
    name: str, opening: c.OpenTable, seed: int, *, expire_every: int = 0, extend_at: int = 0, void_at: int = 0
) -> Log:
    """A whole table, played at random: each so many turns one expires, one gets more time, or the table is voided."""
    chance = random.Random(f"{name} {seed}")
    recording = _Recording(TABLE, UUID(bytes=chance.randbytes(16), version=4), chance)
    opening = replace(opening, seed=chance.randbytes(shuffle.SEED_BYTES))
    return _played(recording, opening, expire_every, extend_at, void_at).log(name)


def _played(
    recording: _Recording, opening: c.OpenTable, expire_every: int = 0, extend_at: int = 0, void_at: int = 0
) -> _Recording:
    by = "tournament" if opening.tournament else "director"
    recording.accept(by, opening)
    turns = 0
    while recording.state.phase != CLOSED:
        state: State = recording.state
        recording.now_ms += recording.chance.randrange(1, 900)
        if state.phase == DEAL:
            recording.accept("house", c.DealCards(_deck(state)))
            continue
        if state.phase == OVER:
            recording.accept(by if opening.boards else "house", c.CloseTable())
            continue
        turns += 1
        if turns == void_at:
            recording.accept(by, c.VoidTable("the match is played at another table"))
        elif turns == extend_at:
            recording.accept("director", c.ExtendTurn(state.deadline_ms + TURN_MS))
        elif expire_every and turns % expire_every == 0:
            recording.now_ms = max(recording.now_ms, state.deadline_ms + state.table.grace_ms)
            recording.accept("house", c.ExpireTurn(state.turn, recording.now_ms))
        else:
            options = legal(state)
            assert options is not None
            recording.accept(f"seat:{state.turn}", options.sample(recording.chance))
    return recording


def _deck(state: State) -> tuple[int, ...]:
    opened = state.table
    return shuffle.shuffled(state.rules.cards, opened.seed, state.deal + 1, opened.nonce)


def _opening(rules: RuleSet, deals: int, dealer: int = 1, turn_ms: int = 0, boards: str = "") -> c.OpenTable:
    """Everything but the seed."""
    nonce = b"drawn by the players"
    return c.OpenTable(rules, PLAYERS[: rules.players], dealer, b"", nonce, turn_ms, GRACE_MS, deals, boards)


# -- tournaments


class _Entry(NamedTuple):
    """A tournament to hold: what it is created with besides its id and seed, and its entrants."""

    format: str
    rules: RuleSet
    entrants: int
    deal_cap: int
    deals: int = 0
    tie_deals: int = 1
    rounds: int = 0


def tournament(name: str, entry: _Entry, seed: int, *, voids: int = 0, replays: int = 0) -> list[Log]:
    """A whole tournament with all of its tables; the first match is voided and played anew so often."""
    chance = random.Random(f"{name} {seed}")
    stream = UUID(bytes=chance.randbytes(16), version=4)
    event = _Recording(EVENT, stream, chance)
    create = t.CreateTournament(
        str(stream), name.title(), entry.format, entry.rules, chance.randbytes(32), entry.deal_cap,
        entry.deals, entry.tie_deals, rounds=entry.rounds,
    )  # fmt: skip
    event.accept("director", create)
    size = t.team_size(entry.rules)
    for number in range(entry.entrants + 1):
        event.now_ms += 1_000
        players = tuple(f"player-{number}-{member}" for member in range(size))
        event.accept("director", t.EnterTeam(f"Team {number}", players, 1 if number == 2 else 0))
    event.accept("director", t.WithdrawTeam(event.state.teams[min(event.state.teams)].team))
    event.accept("director", t.StartTournament())
    tables: list[Log] = []
    while wanted := t.wanted(event.state):
        event.now_ms += 1_000
        place = wanted[0]
        if replays:
            replays -= 1
            event.accept("director", t.ReplayMatch(place.match, place.attempt, "the wrong players sat down"))
            continue
        tables.append(_table_of(name, place, event, void_at=7 if voids else 0))
        voids = max(voids - 1, 0)
        state: State = tables[-1].state
        event.now_ms = max(event.now_ms, state.now_ms)
        winner = state.winner if state.winner >= 0 else NONE
        totals, reason = tuple(state.totals), state.end_reason
        result_of = t.RecordResult(place.match, place.attempt, place.table, winner, totals, state.deal, reason)
        event.accept("house", result_of)
    acts = {str(table.stream): table.acts for table in tables}
    event.accept("house", t.CloseTournament(tuple(_pinned(table, acts) for table, _ in t.to_pin(event.state))))
    return [event.log(name), *tables]


def _pinned(table: str, acts: dict[str, list[export.StoredAct]]) -> t.PinnedTable:
    """A table as the last act lists it; one that was replaced may never have been opened."""
    last = acts.get(table)
    return t.PinnedTable(table, len(last), last[-1].hash) if last else t.PinnedTable(table, 0, chain.START)


def _table_of(name: str, place: t.WantedTable, event: _Recording, void_at: int) -> Log:
    recording = _Recording(TABLE, UUID(place.table), event.chance, event.now_ms)
    opening = c.OpenTable(
        place.rules, place.players, place.dealer, place.seed, b"", place.turn_ms or TURN_MS, GRACE_MS,
        place.deal_limit, tournament=place.tournament, match=place.match,
    )  # fmt: skip
    return _played(recording, opening, void_at=void_at).log(f"{name}-{place.match}-{place.attempt}")


# -- the set


def recordings() -> list[Log]:
    """Every log of a release, in the order of their names."""
    logs = [first_with(kinds, record) for kinds, record in _tables()]
    for kinds, hold in _tournaments():
        logs.append(first_with(kinds, hold))
    return sorted((log for group in logs for log in group), key=lambda log: log.name)


def first_with(kinds: tuple[str, ...], record: Callable[[int], list[Log]]) -> list[Log]:
    """The first recording, by its source of chance, in which all these kinds of commands and events occur."""
    for seed in range(CHANCES_MAX):
        logs = record(seed)
        missing = {one.split(" ")[0] for one in unshown(logs)}
        if not missing.intersection(kinds):
            return logs
    raise SystemExit(f"no chance up to {CHANCES_MAX} showed {', '.join(kinds)}")


def _tables() -> Iterator[tuple[tuple[str, ...], Callable[[int], list[Log]]]]:
    def one(name: str, opening: c.OpenTable, *kinds: str, **script: int) -> Any:
        return kinds, lambda seed: [table(name, opening, seed, **script)]

    swap = ("cards_passed", "hand_scored", "trick_won")
    melds = ("card_drawn", "meld_laid", "dix_exchanged", "dix_scored")
    yield one("classic", _opening(load("classic", concession="never"), 2), *swap)
    yield one("classic-timed", _opening(load("classic"), 2, turn_ms=TURN_MS), expire_every=9, extend_at=5)
    yield one("classic-conceded", _opening(load("classic"), 1, 3), "conceded")
    yield one("classic-help", _opening(load("classic-help"), 1), "trick_won")
    yield one("classic-void", _opening(load("classic"), 1), "table_voided", void_at=9)
    yield one("classic-misdeal", _opening(load("classic", misdeal_option=True), 1), "deal_thrown_in", "deal_kept")
    yield one("classic-redeal", _opening(load("classic", dealer_rule="redeal"), 3), "deal_abandoned")
    yield one("classic-points", _opening(load("classic", trick_schedule=dict.fromkeys("ATKQJ9", 3)), 1), "trick_won")
    yield one("danish", _opening(load("danish"), 2), "hand_scored")
    yield one("danish-nobid", _opening(load("danish-nobid"), 1), "turn_up_shown", "trick_won")
    out = load("danish", win_rule="declared_out", target=100)
    yield one("declared-out", _opening(out, 3, boards="night 1"), "trick_won", "game_ended")
    yield one("double-deck", _opening(load("double-deck", concession="never"), 1), "trick_won")
    yield one("double-deck-club", _opening(load("double-deck-club"), 2), "play_skipped")
    played = load("double-deck-club", meld_minimum=0, short_meld="play")
    yield one("double-deck-club-played", _opening(played, 1), "trick_won")
    yield one("single-deck-club", _opening(load("single-deck-club"), 2), "hand_scored", "trick_won")
    yield one("two-handed", _opening(load("two-handed"), 1, turn_ms=TURN_MS), *melds, expire_every=11)
    yield one("three-handed-stock", _opening(load("three-handed-stock"), 1, 2), *melds[:1])


def _tournaments() -> Iterator[tuple[tuple[str, ...], Callable[[int], list[Log]]]]:
    def one(name: str, entry: _Entry, *kinds: str, **script: int) -> Any:
        return kinds, lambda seed: tournament(name, entry, seed, **script)

    partners, two, three = load("classic"), load("two-handed"), load("three-handed-stock")
    yield one("knockout", _Entry("knockout", partners, 3, 1), "byes_given", "match_replayed", voids=1, replays=1)
    lots = _Entry("knockout", load("danish"), 2, 1)
    yield one("knockout-lot", lots, "lot_drawn", voids=1, replays=REPLAYS_MAX)
    yield one("round-robin", _Entry("round_robin", two, 3, 1, deals=1), "match_tied")
    yield one("rounds", _Entry("rounds", three, 4, 1, deals=1, rounds=2), "byes_scored", "places_awarded")


if __name__ == "__main__":
    main()
