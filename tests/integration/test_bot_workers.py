"""House bots by real processes: the dispatcher, a Celery worker, Valkey and the table service."""

import asyncio
import os
import random
import signal
import sys
import time
import urllib.request
import uuid
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pinochle.bots import Bot, bot
from pinochle.client import AsyncClient, ClientError, play
from pinochle.decider import Act
from pinochle.events import GameEnded, TurnExpired
from pinochle.wire import codec
from pinochle.wire.v1 import table_pb2 as pb

from services.bots.patience import Patience
from services.bots.player import Bounds, HousePlayer, Reports
from services.bots.roster import Roster
from services.bots.tasks import QUEUE, send
from services.broker import make_app
from services.config import Settings
from services.local.processes import free_port
from tests.conftest import TestValkey
from tests.integration.conftest import Arena

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60
STOP_SECONDS = 15
POLL_SECONDS = 0.05
FOUR_BOTS = ("bot:random", "bot:club", "bot:random", "bot:club")
WORKER = ("-m", "celery", "-A", "services.bots.tasks", "worker", "-Q", QUEUE, "--loglevel", "warning")
WORKER += ("--pool", "threads", "--concurrency", "4", "--without-gossip", "--without-mingle")
DISPATCHER = ("-m", "services.bots")


@dataclass
class Bots:
    """The processes of the house bots, and what they were told."""

    environ: dict[str, str]
    folder: Path
    processes: dict[str, asyncio.subprocess.Process] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)

    async def start(self, name: str, words: Iterable[str], **changed: str) -> asyncio.subprocess.Process:
        """Start one process and wait until it shows its metrics."""
        port = self.ports[name] = free_port(set(self.ports.values()))
        environ = {**self.environ, "METRICS_PORT": str(port), **changed}
        with (self.folder / f"{name}.log").open("ab") as log:
            process = self.processes[name] = await asyncio.create_subprocess_exec(
                sys.executable, *words, cwd=ROOT, env=environ, stdout=log, stderr=log
            )
        async with asyncio.timeout(SECONDS):
            while process.returncode is None:
                with suppress(OSError):
                    await self.metrics(name)
                    break
                await asyncio.sleep(POLL_SECONDS)
        return process

    async def metrics(self, name: str) -> dict[str, float]:
        """The figures of a process by name and labels."""
        url = f"http://127.0.0.1:{self.ports[name]}/metrics"
        text = await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=5).read().decode())
        lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
        return {figure: float(value) for figure, _, value in lines}

    async def are_playing(self) -> None:
        """Return once the worker has played some turns."""
        async with asyncio.timeout(SECONDS):
            while True:
                if (await self.metrics("worker")).get('bot_turns_total{bot="club"}', 0.0) > 20:
                    return
                await asyncio.sleep(POLL_SECONDS)

    async def end(self, name: str, number: signal.Signals) -> int:
        """Send a signal and wait; the exit code."""
        process = self.processes.pop(name)
        process.send_signal(number)
        return await asyncio.wait_for(process.wait(), STOP_SECONDS)

    def log(self, name: str) -> str:
        """What a process has said."""
        return (self.folder / f"{name}.log").read_text()


@asynccontextmanager
async def bots_of(arena: Arena, folder: Path, redis_url: str) -> AsyncIterator[Bots]:
    bots = Bots(
        {
            "PATH": os.defpath,
            "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "engine"))),
            "REDIS_URL": redis_url,
            "TABLE_ADDRESS": arena.address,
            "BOTS_TOKEN": await arena.token("bots"),
            "BOT_SWEEP_SECONDS": "0.3",
            "BOT_WAITING_MS": "700",
            "BOT_LEASE_SECONDS": "1.5",
        },
        folder,
    )
    try:
        yield bots
    finally:
        for process in bots.processes.values():
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


@pytest.fixture
async def bots(arena: Arena, valkey: TestValkey, tmp_path: Path) -> AsyncIterator[Bots]:
    async with bots_of(arena, tmp_path, valkey.url) as bots:
        yield bots


async def ended(arena: Arena, tables: Iterable[str], seconds_max: float = SECONDS) -> dict[str, list[Act]]:
    """The acts of these tables once they all have ended."""
    operator = await arena.caller("operator")
    acts = {}
    async with asyncio.timeout(seconds_max):
        for table in tables:
            while True:
                page = await operator.call("List", pb.ListRequest(tables=[table]))
                if page.tables[0].phase == "closed":
                    break
                await asyncio.sleep(POLL_SECONDS)
            call = operator.tables.Log(pb.LogRequest(table=table), metadata=operator.metadata, timeout=10)
            acts[table] = [
                codec.from_rest(stored.version, stored.command_id, stored.body)
                async for log in call
                for stored in log.acts
            ]
    return acts


def expired(acts: Iterable[Act]) -> list[TurnExpired]:
    return [event for act in acts for event in act.events if isinstance(event, TurnExpired)]


async def test_tables_of_house_bots_are_played_to_their_end_by_a_worker(arena: Arena, bots: Bots) -> None:
    await bots.start("worker", WORKER)
    await bots.start("dispatcher", DISPATCHER)
    director = await arena.caller("director")
    tables = [await director.open(*FOUR_BOTS, deal_limit=2) for _ in range(6)]

    logs = await ended(arena, tables)

    assert all(isinstance(acts[-2].events[-1], GameEnded) for acts in logs.values())
    assert [] == [event for acts in logs.values() for event in expired(acts)]
    turns = sum(act.author.startswith("seat:") for acts in logs.values() for act in acts)
    figures = await bots.metrics("worker")
    played = {kind: figures[f'bot_turns_total{{bot="{kind}"}}'] for kind in ("random", "club")}
    assert turns == sum(played.values())
    assert played["club"] == figures['bot_turn_seconds_count{bot="club"}'] > 0
    assert turns == figures["bot_task_turns_sum"]
    assert 'celery_queue_age_seconds{queue="bots"}' in await bots.metrics("dispatcher")


async def test_a_remote_player_and_house_bots_share_a_table(arena: Arena, bots: Bots) -> None:
    await bots.start("worker", WORKER)
    await bots.start("dispatcher", DISPATCHER)
    director = await arena.caller("director")
    for seat in range(4):
        players = [*FOUR_BOTS]
        players[seat] = "ann"
        await director.open(*players, deal_limit=1)

    began = time.monotonic()
    async with asyncio.timeout(SECONDS):
        played = await play(bot("club"), arena.address, await arena.token("player", "ann"), tables_max=4)

    assert 4 == played.ended
    # With a sweep at each of its turns a table would take ten seconds.
    assert time.monotonic() - began < 9
    figures = await bots.metrics("dispatcher")
    assert figures['sweep_found_total{service="bots"}'] <= 4


async def test_tables_whose_nudges_nobody_heard_are_found_by_the_sweep(arena: Arena, bots: Bots) -> None:
    director = await arena.caller("director")
    tables = [await director.open(*FOUR_BOTS, deal_limit=1) for _ in range(2)]
    await asyncio.sleep(1)
    await bots.start("worker", WORKER)
    await bots.start("dispatcher", DISPATCHER)

    assert set(tables) == set(await ended(arena, tables))


async def test_a_worker_that_is_killed_is_replaced_and_no_turn_is_played_twice(arena: Arena, bots: Bots) -> None:
    await bots.start("worker", WORKER)
    await bots.start("dispatcher", DISPATCHER)
    director = await arena.caller("director")
    tables = [await director.open(*FOUR_BOTS, deal_limit=4) for _ in range(4)]
    await bots.are_playing()
    await bots.end("worker", signal.SIGKILL)
    await bots.start("worker", WORKER)

    for acts in (await ended(arena, tables)).values():
        assert list(range(1, len(acts) + 1)) == [act.version for act in acts]
        assert len(acts) == len({(act.author, act.command_id) for act in acts})


async def test_doubled_late_and_senseless_tasks_do_no_harm(arena: Arena, bots: Bots) -> None:
    await bots.start("worker", WORKER)
    settings = Settings.load(bots.environ)
    app = make_app(QUEUE, settings)
    director = await arena.caller("director")
    tables = [await director.open(*FOUR_BOTS, deal_limit=1) for _ in range(3)]
    strange = [str(uuid.uuid4()), "nonsense", ""]

    def queue(words: tuple[str, ...]) -> None:
        send(app, words, time.time_ns() // 1_000_000, settings)

    for _ in range(4):
        await asyncio.to_thread(queue, tuple(tables))
        await asyncio.to_thread(queue, (strange[0], *tables))
    await asyncio.to_thread(queue, tuple(strange))
    await asyncio.to_thread(lambda: app.send_task("bots.play_turns", args=[{"no": "list"}]))
    logs = await ended(arena, tables)
    before = {table: len(acts) for table, acts in logs.items()}
    await asyncio.to_thread(queue, tuple(tables))
    last = await director.open(*FOUR_BOTS, deal_limit=1)
    await asyncio.to_thread(queue, (last,))

    assert {last} == set(await ended(arena, [last]))
    assert before == {table: len(acts) for table, acts in (await ended(arena, tables)).items()}
    assert [] == [event for acts in logs.values() for event in expired(acts)]
    figures = await bots.metrics("worker")
    assert 1 <= figures['task_failures_total{task="bots.play_turns"}'] <= 2


async def test_valkey_may_go_and_come_back(arena: Arena, bots: Bots, valkey: TestValkey) -> None:
    await bots.start("worker", WORKER)
    await bots.start("dispatcher", DISPATCHER)
    valkey.kill()
    director = await arena.caller("director")
    tables = [await director.open(*FOUR_BOTS, deal_limit=1) for _ in range(2)]
    await asyncio.sleep(1)
    await asyncio.to_thread(valkey.restart)

    assert set(tables) == set(await ended(arena, tables))


async def test_both_processes_end_cleanly_when_told_to(arena: Arena, bots: Bots) -> None:
    await bots.start("worker", WORKER)
    await bots.start("dispatcher", DISPATCHER)
    director = await arena.caller("director")
    for _ in range(2):
        await director.open(*FOUR_BOTS, deal_limit=50)
    await bots.are_playing()

    assert 0 == await bots.end("dispatcher", signal.SIGTERM)
    assert 0 == await bots.end("worker", signal.SIGTERM)
    assert "Traceback" not in bots.log("dispatcher") + bots.log("worker")


@pytest.mark.parametrize("words", [DISPATCHER, WORKER])
async def test_missing_settings_are_named_in_one_line(bots: Bots, words: tuple[str, ...]) -> None:
    process = await bots.start("wrong", words, BOTS_TOKEN="")

    assert 2 == await asyncio.wait_for(process.wait(), SECONDS)
    assert "BOTS_TOKEN must be set\n" == bots.log("wrong")


class Stumbles:
    """Raises or cheats where it is told to, and plays at random elsewhere."""

    def __init__(self, choose: Any) -> None:
        self.choose = choose


@pytest.mark.parametrize("fault", ["raises", "cheats", "is unknown"])
async def test_a_bot_that_fails_is_left_alone_and_its_table_goes_on(arena: Arena, fault: str) -> None:
    def choose(view: Any, options: Any, chance: random.Random) -> Any:
        if fault == "raises":
            raise ZeroDivisionError("no idea")
        return "the ace of spades"

    def make(kind: str) -> Bot:
        if kind == "club":
            return Stumbles(choose) if fault != "is unknown" else bot("unheard-of")
        return bot(kind)

    director = await arena.caller("director")
    good = await director.open(*["bot:random"] * 4, deal_limit=1)
    bad = await director.open("bot:club", "bot:random", "bot:random", "bot:random", deal_limit=1, turn_ms=100, dealer=3)
    failures: list[str] = []
    loop = asyncio.get_running_loop()
    async with AsyncClient(arena.address, await arena.token("bots")) as client:
        player = HousePlayer(
            client,
            Roster(make),
            random.Random(1),
            Bounds(turns_max=10_000, seconds_max=20, idle_seconds_max=0.5, tables_kept_max=100, tables_max=100),
            Patience(loop.time, 0.3, 60),
            Reports(failure=failures.append),
        )
        async with asyncio.timeout(SECONDS):
            outcome = await player.play([good, bad])
            assert outcome.rest == ()
            while True:  # what the dispatcher's sweep does
                page = await director.call("List", pb.ListRequest(tables=[bad]))
                if page.tables[0].phase == "closed":
                    break
                await player.play([bad])
                await asyncio.sleep(POLL_SECONDS)
        await player.close()

    logs = await ended(arena, [good, bad])
    assert [] == expired(logs[good])
    assert {0} == {event.seat for event in expired(logs[bad])}
    # Asked about twenty times a second for two seconds, but left alone for 0.3, 0.6, 1.2 seconds and so on.
    assert 1 <= len(failures) <= 6


async def test_a_round_ends_at_its_bounds_and_says_what_is_left(arena: Arena) -> None:
    director = await arena.caller("director")
    tables = [await director.open(*["bot:random"] * 4, deal_limit=3) for _ in range(3)]
    loop = asyncio.get_running_loop()
    async with AsyncClient(arena.address, await arena.token("bots")) as client:

        def player(turns_max: int, seconds_max: float, tables_max: int = 100) -> HousePlayer:
            bounds = Bounds(turns_max, seconds_max, 1.0, 100, tables_max)
            return HousePlayer(client, Roster(), random.Random(1), bounds, Patience(loop.time, 1, 60))

        by_turns = player(turns_max=20, seconds_max=20)
        short = await by_turns.play(tables)
        again = await by_turns.play(tables)
        await by_turns.close()
        narrow = player(turns_max=10_000, seconds_max=0.3, tables_max=2)
        crowded = await narrow.play(tables)
        await narrow.close()

    assert (20, set(tables)) == (short.turns, set(short.rest))
    assert 20 == again.turns
    assert tables[2] in crowded.rest


async def test_a_worker_with_a_wrong_token_says_so_and_plays_nothing(arena: Arena) -> None:
    loop = asyncio.get_running_loop()
    director = await arena.caller("director")
    table = await director.open(*FOUR_BOTS, deal_limit=1)
    async with AsyncClient(arena.address, "pin_" + "x" * 43) as client:
        bounds = Bounds(100, 5.0, 1.0, 100, 100)
        player = HousePlayer(client, Roster(), random.Random(1), bounds, Patience(loop.time, 1, 60))
        with pytest.raises(ClientError, match="unauthenticated"):
            await player.play([table])
        assert (0, ()) == await player.play([table])  # it is left alone for a while now
        await player.close()
