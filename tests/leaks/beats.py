"""The law of the beat: whoever thinks fast and whoever thinks slowly within a beat look the same to everybody else.

One game is played twice with the same acts, each of them received at another moment of the same beat. Whatever reaches
the seats, a spectator and the bus must be the same bytes at the same time: nothing before the tick, everything at it.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any
from uuid import UUID

from pinochle import shuffle
from pinochle.commands import CloseTable, DealCards, OpenTable
from pinochle.rules import load
from pinochle.wire import codec
from pinochle.wire.knobs import rules_message
from pinochle.wire.v1 import table_pb2 as pb

from tests.leaks.check import SECONDS_A_STEP, Visitors
from tests.leaks.process import TABLES, Service
from tests.leaks.script import GRACE_MS, PLAYERS, START_MS, TURN_MS, Script, played
from tests.leaks.worlds import Leak, Viewer
from tests.rule_sets import PARTNERSHIP, STOCK

BEATS_MAX = 3
ACTS_MAX = 40


async def check(service: Service, number: int, tokens: dict[str, str], counts: Counter[str]) -> None:
    """Hold one game to the law of the beat; Leak where it is broken."""
    chance = random.Random(f"beats {number}")
    profile = chance.choice((*PARTNERSHIP, *STOCK))
    rules = load(profile)
    beat_ms = chance.choice((100, 1_000, 5_000))
    opening = OpenTable(
        rules, PLAYERS[: rules.players], 0, chance.randbytes(shuffle.SEED_BYTES), b"", TURN_MS, GRACE_MS + beat_ms, 1,
        beat_ms=beat_ms,
    )  # fmt: skip
    script = played(number, profile, opening, chance, expires=False)
    beats = [chance.randint(1, BEATS_MAX) for _ in script.lines]
    worlds = [await _world(service, script, beats, random.Random(pace), tokens) for pace in range(2)]
    for at, (first, second) in enumerate(zip(*worlds, strict=True)):
        if first != second:
            raise Leak(f"beats {number} ({profile}): version {at + 2} shows how long a seat thought: {first} {second}")
        counts["acts on a beat"] += 1


async def _world(
    service: Service, script: Script, beats: list[int], pace: random.Random, tokens: dict[str, str]
) -> list[Any]:
    """What everybody heard with each act, and when."""
    table = UUID(int=script.number + (1 << 102), version=4)
    held: dict[Viewer, str] = {seat: tokens[PLAYERS[seat]] for seat in range(script.rules.players)}
    held[None] = tokens["spectator"]
    visitors = Visitors(service, str(table), held, plays=False)
    heard = []
    try:
        await _open(service, str(table), script, tokens["director"])
        seats = range(script.rules.players)
        await visitors.connect([*seats, None], seats, 1, dict.fromkeys(seats, 1))
        for at, line in enumerate(script.lines[1 : ACTS_MAX + 1], start=1):
            if isinstance(line.command, CloseTable):
                break
            heard.append(await _step(service, visitors, script, at, beats[at], pace))
        return heard
    finally:
        await visitors.close()
        service.forget(table.bytes)


async def _step(
    service: Service, visitors: Visitors, script: Script, at: int, beats: int, pace: random.Random
) -> list[Any]:
    """One act: sent at some moment of its beat, heard of at the tick."""
    stream = service.stream(UUID(visitors.table).bytes)
    command: Any = script.lines[at].command
    service.seconds += SECONDS_A_STEP
    service.redis.published.clear()
    if isinstance(command, DealCards):
        service.decks = lambda state: command.deck
        await service.come(stream.state.now_ms + 10)
        await service.let_house(stream)
        return [visitors.take(viewer) for viewer in visitors.watch]
    beat_ms, since_ms = stream.state.table.beat_ms, stream.state.now_ms
    tick_ms = since_ms + beats * beat_ms
    await service.come(tick_ms - pace.randrange(beat_ms))
    request = pb.ActRequest(
        table=visitors.table,
        expected_version=stream.state.turn_version,
        command_id=at.to_bytes(16, "big"),
        command=codec.player_command_message(command),
    )
    visitors.play[command.seat].send(pb.PlayRequest(acts=[request]))
    await service.loop.settle()
    before = [] if service.now_ms == tick_ms else [visitors.take(viewer) for viewer in visitors.watch]
    if any(any(channels) for channels in before) or (before and service.redis.published):
        raise Leak(f"beats {script.number}: something was given out before the tick, at version {at + 1}")
    await service.come(tick_ms)
    if stream.version != at + 1:
        raise AssertionError(f"the act of version {at + 1} was not given out at its tick")
    return [[visitors.take(viewer) for viewer in visitors.watch], tuple(service.redis.published)]


async def _open(service: Service, table: str, script: Script, director: str) -> None:
    opening = replace(script.opening)
    service.now_ms = START_MS
    request = pb.OpenRequest(
        table=table, profile="classic", knobs=rules_message(opening.rules).knobs, players=opening.players,
        dealer=opening.dealer, seed=opening.seed, turn_ms=opening.turn_ms, deal_limit=1, beat_ms=opening.beat_ms,
    )  # fmt: skip
    pb.OpenResponse.FromString(await service.call(TABLES + "Open", director, request))
    await service.loop.settle()
