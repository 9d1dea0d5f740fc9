"""The law where boards are shared: a seat together with all that it can read of another table on the same boards.

Two worlds: in one the deal is the script's and the other table plays it in some way; in the other the deal is another
that the viewer cannot tell from the first, and the other table plays that one, in another way and at its own pace. The
other table may then be anywhere, so nothing that the viewer is told of it may say where it is.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pinochle import shuffle
from pinochle.commands import PLAYER_COMMANDS, CloseTable, Command, DealCards, OpenTable
from pinochle.rules import load
from pinochle.wire import codec
from pinochle.wire.knobs import rules_message
from pinochle.wire.v1 import table_pb2 as pb

from services.stream import Stream
from tests.leaks.check import SECONDS_A_STEP
from tests.leaks.process import TABLES, Ear, Service
from tests.leaks.script import ELSEWHERE, GRACE_MS, PLAYERS, START_MS, TURN_MS, Script, played
from tests.leaks.worlds import Leak, Other, others
from tests.rule_sets import PARTNERSHIP, STOCK

VIEWERS = 2
LOOKS = 5
OTHER_STEPS_MAX = 3
SEALED_STEPS_MAX = 60
"""Acts of a script that are compared; the other table moves up to three times as fast."""
TOURNAMENT = str(UUID(int=7, version=4))


@dataclass(slots=True)
class _Table:
    """A table of one world: its id, who acts there, and what is still to come."""

    id: str
    key: bytes
    script: Script
    commands: list[Command]
    tokens: dict[int, str]
    at: int = 0


async def check(service: Service, number: int, tokens: dict[str, str], counts: Counter[str]) -> None:
    """Hold a pair of tables to the law, for each seat of one of them; Leak where it is broken."""
    chance = random.Random(f"boards {number}")
    profile = chance.choice((*PARTNERSHIP, *STOCK))
    rules = load(profile)
    seed = chance.randbytes(shuffle.SEED_BYTES)
    opening = OpenTable(
        rules, PLAYERS[: rules.players], 0, seed, b"", TURN_MS, GRACE_MS, 1, f"round {number}", TOURNAMENT, "r1m1"
    )
    script = played(number, profile, opening, chance)
    for viewer in chance.sample(range(rules.players), VIEWERS):
        other = next((found for found in others(script, viewer, chance) if found.start == 1), None)
        if other is None:
            continue
        told = [await _world(service, script, viewer, tokens, deck, chance) for deck in (None, other)]
        for step, (first, second) in enumerate(zip(*told, strict=False)):
            if first != second:
                raise Leak(
                    f"boards {number} ({profile}): seat {viewer} can read at version {step + 2} what depends on "
                    f"cards that it cannot know, at the other table: {_first_difference(first, second)}"
                )
            counts["looks at other tables"] += len(first)
        counts["pairs of tables"] += 1


async def _world(
    service: Service, script: Script, viewer: int, tokens: dict[str, str], other: Other | None, chance: random.Random
) -> list[list[Any]]:
    """What the viewer could read after each act of its own table."""
    mine_commands = [line.command for line in script.lines]
    if other:
        mine_commands[1 : other.end + 1] = other.commands
    end = min(len(mine_commands) if other is None else other.end + 1, SEALED_STEPS_MAX)
    deck = mine_commands[1].deck  # type: ignore[union-attr]
    elsewhere = _elsewhere(script, deck, chance)
    own = _Table(*_id(2 * script.number), script, mine_commands[:end], {s: tokens[p] for s, p in enumerate(PLAYERS)})
    far = _Table(
        *_id(2 * script.number + 1), elsewhere, [line.command for line in elsewhere.lines],
        {seat: tokens[name] for seat, name in enumerate(ELSEWHERE)},
    )  # fmt: skip
    decks = {own.id: deck, far.id: deck}
    service.decks = lambda state: decks[own.id] if state.table.players == own.script.opening.players else decks[far.id]
    ears: list[Ear] = []
    try:
        service.now_ms = START_MS
        for table in (own, far):
            await _open(service, table, tokens["director"])
        token = tokens[PLAYERS[viewer]]
        ears = [
            service.listen(TABLES + "Watch", token, pb.WatchRequest(table=own.id)),
            service.listen(TABLES + "Watch", token, pb.WatchRequest(table=far.id)),
            service.listen(TABLES + "Watch", tokens["spectator"], pb.WatchRequest(table=far.id)),
            service.listen(TABLES + "Play", token, pb.PlayRequest()),
        ]
        await service.loop.settle()
        told = []
        while own.at + 1 < len(own.commands):
            await _step(service, own, script.lines[own.at + 1].at_ms)
            for _ in range(chance.randrange(OTHER_STEPS_MAX + 1)):
                if far.at + 1 < len(far.commands):
                    await _step(service, far, service.now_ms)
            looks = random.Random(f"looks {script.number} {own.at}")
            told.append([ear.take() for ear in ears] + await _asked(service, token, own, far, tokens, looks))
        return told
    finally:
        for ear in ears:
            await ear.close()
        for table in (own, far):
            service.forget(table.key)
        service.redis.published.clear()


async def _asked(
    service: Service, token: str, own: _Table, far: _Table, tokens: dict[str, str], looks: random.Random
) -> list[bytes]:
    """Some of what there is to ask for, as the player itself or as a spectator."""
    wishes: list[tuple[str, Any]] = [
        ("View", pb.ViewRequest(table=own.id, after_version=own.at)),
        ("View", pb.ViewRequest(table=far.id)),
        ("Log", pb.LogRequest(table=far.id)),
        ("List", pb.ListRequest(tables=[far.id])),
        ("List", pb.ListRequest(tournament=TOURNAMENT)),
        ("List", pb.ListRequest(open=True)),
        ("List", pb.ListRequest(open=False)),
        ("List", pb.ListRequest(latest_first=True, since_ms=START_MS)),
        ("View", pb.ViewRequest(table=far.id, head_only=True)),
        ("ListDue", pb.ListDueRequest()),
        ("Heads", pb.HeadsRequest(tables=[far.id])),
        ("Act", pb.ActRequest(table=far.id, expected_version=1, command_id=bytes(16))),
    ]
    found = []
    for method, request in looks.sample(wishes, LOOKS):
        asker = looks.choice((token, tokens["spectator"]))
        if method == "Log":
            ear = service.listen(TABLES + method, asker, request)
            await service.loop.settle()
            found.append(b"".join(ear.take()))
            await ear.close()
        else:
            found.append(await service.call(TABLES + method, asker, request))
    return found


def _elsewhere(script: Script, deck: tuple[int, ...], chance: random.Random) -> Script:
    """A game of the other table with the same first deck, in which all choose at random."""
    opening = script.opening
    moved = OpenTable(
        opening.rules, ELSEWHERE[: opening.rules.players], opening.dealer, opening.seed, opening.nonce, TURN_MS,
        GRACE_MS, 1, opening.boards, opening.tournament, "r1m2",
    )  # fmt: skip
    return played(script.number, script.profile, moved, chance, deck)


async def _open(service: Service, table: _Table, director: str) -> None:
    opening = table.script.opening
    request = pb.OpenRequest(
        table=table.id, profile="classic", knobs=rules_message(opening.rules).knobs, players=opening.players,
        dealer=opening.dealer, seed=opening.seed, turn_ms=opening.turn_ms, deal_limit=1, boards=opening.boards,
        tournament=opening.tournament, match=opening.match,
    )  # fmt: skip
    pb.OpenResponse.FromString(await service.call(TABLES + "Open", director, request))
    await service.loop.settle()
    assert 1 == service.stream(table.key).version


async def _step(service: Service, table: _Table, now_ms: int) -> None:
    """The next act of a table."""
    service.now_ms = max(service.now_ms, now_ms)
    service.seconds += SECONDS_A_STEP
    stream: Stream = service.stream(table.key)
    command = table.commands[table.at + 1]
    if isinstance(command, (DealCards, CloseTable)):
        await service.let_house(stream)
    elif isinstance(command, PLAYER_COMMANDS):
        request = pb.ActRequest(
            table=table.id,
            expected_version=stream.state.turn_version,
            command_id=table.at.to_bytes(16, "big"),
            command=codec.player_command_message(command),
        )
        await service.call(TABLES + "Act", table.tokens[command.seat], request)
        await service.loop.settle()
    else:
        await service.expire()
    if stream.version == table.at + 2:
        table.at += 1


def _id(number: int) -> tuple[str, bytes]:
    found = UUID(int=number + (1 << 101), version=4)
    return str(found), found.bytes


def _first_difference(first: list[Any], second: list[Any]) -> str:
    place = next(at for at, (one, other) in enumerate(zip(first, second, strict=True)) if one != other)
    return f"look {place}: {first[place]!r:.500} or {second[place]!r:.500}"
