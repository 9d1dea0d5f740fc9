"""`pinochle tournament`, and the audit of a whole tournament, against the running services."""

import asyncio
import os
import secrets
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import grpc
import pytest

from services.assembly import World
from services.broker import make_app
from services.config import Settings
from services.tournament.kind import QUEUE
from services.tournament.process import TournamentProcess
from tests.conftest import TestDatabase, TestValkey
from tests.integration.conftest import Arena
from tests.integration.test_cli_server import Command
from tests.integration.test_tournament_service import ROOT, Tournaments, _play


@pytest.fixture
async def pinochle(arena: Arena, database: TestDatabase, valkey: TestValkey, tmp_path: Path) -> AsyncIterator[Command]:
    """The command, told where both services are; a worker runs, and the bots' seats are played."""
    told = {
        "TOURNAMENTS_DATABASE_URL": database.tournaments_url,
        "REDIS_URL": valkey.url,
        "TABLE_ADDRESS": arena.address,
        "TOURNAMENT_LISTEN": "127.0.0.1:0",
        "SERVICE_TOKEN": await arena.token("service"),
        "HEARTBEAT_SECONDS": "0.3",
        "SWEEP_SECONDS": "0.5",
        "HEADS_CHECK_SECONDS": "0.2",
        "DRAIN_SECONDS_MAX": "2",
    }
    settings = Settings.load(told)
    world = World(lambda: time.time_ns() // 1_000_000, time.monotonic, asyncio.sleep, secrets.token_bytes)
    process = TournamentProcess(settings, world, make_app(QUEUE, settings))
    address = f"127.0.0.1:{await process.start()}"
    environ = {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'engine'}", "PATH": os.defpath, **told}
    running = Tournaments(process, arena, grpc.aio.insecure_channel(address), settings, environ)
    running.start_worker()
    bots = asyncio.create_task(_play(await arena.caller("bots")))
    yield Command(arena, tmp_path, {"PINOCHLE_TOURNAMENTS": address})
    bots.cancel()
    await asyncio.gather(bots, return_exceptions=True)
    running.end_worker(signal.SIGTERM)
    await running.channel.close()
    await process.stop()


async def created(pinochle: Command, *options: object, teams: int = 3) -> str:
    """A tournament with teams of bots, not started."""
    made = await pinochle("tournament", "create", "Spring", "--deals", 1, *options, role="director")
    assert (0, "", 1) == (made.code, made.err, len(made.lines))
    for number in range(1, teams + 1):
        words = ("enter", made.lines[0], f"Team {number}", "bot:random", "bot:random", "--number", number)
        entered = await pinochle("tournament", *words, role="director")
        assert (0, f"team {number - 1}: Team {number}") == (entered.code, entered.lines[0])
        assert entered.lines[1].startswith("commitment to the tournament's seed: ")
    return made.lines[0]


async def test_a_knockout_is_created_entered_started_watched_shown_and_verified(pinochle: Command) -> None:
    tournament = await created(pinochle)
    words = ("tournament", "watch", tournament, "--transcript", "kept")
    watching = await pinochle.start(*words, token=await pinochle.arena.token("spectator"))
    assert 0 == (await pinochle("tournament", "start", tournament, role="director")).code
    watched = await pinochle.finish(watching)
    assert 0 == watched.code
    assert " tournament created: " in watched.lines[0]
    assert " tournament closed: seed " in watched.lines[-2]
    pin = watched.lines[-1].removeprefix("pin ")

    shown = await pinochle("tournament", "show", tournament, role="spectator")
    assert shown.lines[0].startswith("Spring: knockout, closed, 3 teams; champion Team ")
    assert 2 == sum(line.startswith(("r1m", "r2m")) for line in shown.lines)
    plain = (await pinochle("tournament", "show", tournament, "--json", role="spectator")).json[0]
    tables = [attempt["table"] for match in plain["matches"] for attempt in match["attempts"]]
    assert ("closed", pin) == (plain["phase"], plain["head"])
    assert f"pin {pin}  (pinochle verify EXPORT... --root takes it)" in shown.lines
    assert f"root over its tables {plain['root']}" in shown.lines

    verified = await pinochle("verify", "--tournament", tournament, "--json", role="spectator")
    assert (0, "ok") == (verified.code, verified.json[0]["outcome"])
    verified = await pinochle("verify", *tables, "--json", role="spectator")
    assert (0, {"ok"}) == (verified.code, {report["outcome"] for report in verified.json})
    assert 0 == (await pinochle("export", "--tournament", tournament, "-o", "t.jsonl", role="spectator")).code
    verified = await pinochle("verify", "t.jsonl", "--transcript", "kept")
    assert 0 == verified.code
    assert ".spectator.jsonl: agrees, as spectator: " in verified.lines[1]
    assert not any("note: " in line for line in verified.lines)
    exports = ["t.jsonl"]
    for number, table in enumerate(tables):
        exports.append(f"{number}.jsonl")
        assert 0 == (await pinochle("export", table, "-o", exports[-1], role="spectator")).code
    verified = await pinochle("verify", *exports, "--root", pin)
    assert (0, f"{len(tables)} of its {len(tables)} tables are here and fit") == (
        verified.code, verified.lines[-1].rpartition(": ")[2]
    )  # fmt: skip
    verified = await pinochle("verify", *exports, "--root", "00" * 32)
    assert 1 == verified.code
    assert f"BAD  tournament {tournament}: pin: expected the head 0000" in verified.out
    assert "tournament created: " in (await pinochle("log", "t.jsonl")).lines[0]


async def test_a_round_robin_has_standings(pinochle: Command) -> None:
    tournament = await created(pinochle, "--format", "round-robin")
    watching = await pinochle.start("tournament", "watch", tournament, token=await pinochle.arena.token("spectator"))
    await pinochle("tournament", "start", tournament, role="director")
    assert 0 == (await pinochle.finish(watching)).code
    shown = await pinochle("tournament", "show", tournament, role="spectator")
    assert any(line.split() == ["rank", "team", "played", "wins", "points", "against"] for line in shown.lines)


async def test_single_players_at_tables_of_three_have_place_points(pinochle: Command) -> None:
    words = ("--format", "rounds", "--rounds", 2, "--profile", "three-handed-stock", "--deals", 1)
    made = await pinochle("tournament", "create", "Trios", *words, role="director")
    assert (0, "", 1) == (made.code, made.err, len(made.lines))
    tournament = made.lines[0]
    for name in ("Ann", "Bob", "Cay", "Dot"):
        entered = await pinochle("tournament", "enter", tournament, name, "bot:random", role="director")
        assert 0 == entered.code
    watching = await pinochle.start("tournament", "watch", tournament, token=await pinochle.arena.token("spectator"))
    await pinochle("tournament", "start", tournament, role="director")
    watched = await pinochle.finish(watching)
    assert 0 == watched.code
    assert 2 == sum(" places awarded: " in line for line in watched.lines)
    shown = await pinochle("tournament", "show", tournament, role="spectator")
    assert "rules: three-handed-stock" in shown.lines
    heading = ["rank", "player", "played", "byes", "place", "points", "points"]
    assert any(line.split() == heading for line in shown.lines)
    verified = await pinochle("verify", "--tournament", tournament, "--json", role="spectator")
    assert (0, "ok") == (verified.code, verified.json[0]["outcome"])


async def test_what_differs_from_the_profile_is_said_when_it_is_created_and_shown(pinochle: Command) -> None:
    made = await pinochle("tournament", "create", "Short", "--set", "target=750", role="director")
    assert (0, 1, 2) == (made.code, len(made.lines), made.err.count("\n"))
    assert made.err.startswith("rules: classic, but:\n")
    assert "target 750, not 1500" in made.err
    shown = await pinochle("tournament", "show", made.lines[0], role="spectator")
    assert "rules: classic, but:" in shown.lines
    plain = await pinochle("tournament", "create", "Short", "--set", "target=750", "--json", role="director")
    assert (750, 1) == (plain.json[0]["rules"]["target"], len(plain.json[0]["differences"]))


async def test_creating_again_with_the_same_id_is_answered_alike(pinochle: Command) -> None:
    chosen = str(uuid4())
    first = await created(pinochle, "--id", chosen, teams=0)
    assert chosen == first == await created(pinochle, "--id", chosen, teams=0)


async def test_all_tournaments_are_listed(pinochle: Command) -> None:
    ids = {await created(pinochle, teams=0) for _ in range(2)}
    listed = await pinochle("tournament", "list", role="spectator")
    assert ids == {line.split()[0] for line in listed.lines[1:]}
    plain = (await pinochle("tournament", "list", "--json", role="spectator")).json
    assert ids == {row["tournament"] for row in plain}


async def test_what_the_service_refuses_is_one_clear_line(pinochle: Command) -> None:
    tournament = await created(pinochle, teams=1)
    started = await pinochle("tournament", "start", tournament, role="director")
    assert (3, "", 1) == (started.code, started.out, started.err.count("\n"))
    assert "2 teams are needed, 1 entered" in started.err
    assert 3 == (await pinochle("tournament", "start", tournament, role="spectator")).code
    assert 3 == (await pinochle("tournament", "show", uuid4(), role="spectator")).code
    assert 3 == (await pinochle("tournament", "create", "X", "--profile", "nope", role="director")).code
