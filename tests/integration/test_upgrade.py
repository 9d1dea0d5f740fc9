"""A service of mended rules takes over running tables: what was concluded stays, what comes is concluded anew."""

import asyncio
import random
import secrets
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from pinochle import audit, scoring
from pinochle.events import TrickWon
from pinochle.options import legal
from pinochle.rules import RULES_VERSION
from pinochle.state import PLAY
from pinochle.wire import codec
from pinochle.wire.v1 import table_pb2 as pb
from pinochle.wire.v1.game_pb2 import Knob

from services.assembly import World
from services.table import house, process
from services.table.index import KIND
from services.table.process import TableProcess
from tests.integration.conftest import Arena, Caller
from tests.integration.test_table_service import act, dealt, play_on, view


async def play_until(callers: list[Caller], table: str, chance: random.Random, is_there: Callable[[Any], bool]) -> None:
    """Play a table by unary calls until its state is as wanted."""
    while True:
        state, response = await view(callers[0], table)
        if is_there(state):
            return
        if not response.HasField("due_seat"):
            await asyncio.sleep(0.005)
            continue
        mine, asked = await view(callers[response.due_seat], table)
        options = legal(mine)
        if options is not None:
            await act(callers[response.due_seat], table, options.sample(chance), asked.turn_version)


async def stored(arena: Arena, table: str) -> list[Any]:
    operator = await arena.caller("operator")
    log = operator.tables.Log(pb.LogRequest(table=table), metadata=operator.metadata, timeout=10)
    return [one async for part in log for one in part.acts]


@pytest.fixture
def mend(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Every trick is worth a point more from now on, under the next version of the rules."""

    def mended() -> None:
        before: Any = scoring.trick_points
        monkeypatch.setattr(scoring, "trick_points", lambda rules, trick, last: before(rules, trick, last) + 1)
        kind = KIND._replace(rules_version=RULES_VERSION + 1)
        monkeypatch.setattr(process, "KIND", kind)
        monkeypatch.setattr(house, "KIND", kind)

    return mended


async def test_a_table_that_runs_over_an_upgrade_is_ended_by_both_versions_and_verifies(
    arena: Arena, mend: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    director = await arena.caller("director")
    seats = [await arena.caller("player", name) for name in "abcd"]
    table = await director.open(deal_limit=1, knobs=[Knob(name="concession", value='"never"')])
    await dealt(seats[0], table)
    chance = random.Random(5)
    await play_until(seats, table, chance, lambda state: state.phase == PLAY and sum(state.tricks) >= 3)
    old = await stored(arena, table)
    mend()
    world = World(lambda: time.time_ns() // 1_000_000, time.monotonic, asyncio.sleep, secrets.token_bytes)
    upgraded = TableProcess(arena.settings, world)
    arena.address = f"127.0.0.1:{await upgraded.start()}"
    try:
        seats = [await arena.caller("player", name) for name in "abcd"]
        ended = await play_on(seats, table, chance)
        acts = await stored(arena, table)
    finally:
        await upgraded.stop()
    assert [one.body for one in old] == [one.body for one in acts[: len(old)]]
    versions = [codec.from_rest(one.version, one.command_id, one.body).rules_version for one in acts]
    assert [RULES_VERSION] * len(old) + [RULES_VERSION + 1] * (len(acts) - len(old)) == versions
    monkeypatch.setattr(audit, "RULES_VERSION", RULES_VERSION + 1)
    report = audit.verify_table(UUID(table), acts)
    assert (audit.DIFFERS, None, 3) == (report.outcome, report.problem, report.differing)
    assert list(ended.totals) == audit.result(report.state)["totals"]
    won = [
        event.points
        for one in acts
        for event in codec.from_rest(one.version, one.command_id, one.body).events
        if isinstance(event, TrickWon)
    ]
    assert (12, 250 + 9) == (len(won), sum(won))
