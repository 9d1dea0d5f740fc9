"""After a restore to an older point a client that holds more than the log is told so, and never goes on with it."""

import asyncio
import os
import random
import secrets
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from pinochle import audit
from pinochle.client import AheadOfLog, AsyncClient, ClientError, TableView, play
from pinochle.errors import Reason, Rejected
from pinochle.export import StoredAct
from pinochle.state import CLOSED
from pinochle.wire.v1 import table_pb2 as pb

from services.assembly import World
from services.auth import Principal, TokenStore, new_token, new_token_id
from services.config import Settings
from services.local.processes import free_port
from services.local.servers import postgres_binaries
from services.table.process import TableProcess
from tests.conftest import TestDatabase, TestValkey

ROOT = Path(__file__).resolve().parents[2]
PLAYERS = ("a", "b", "c", "d")
SECONDS_MAX = 60
THINKING_SECONDS = 0.02


class Arena:
    """A table service that can be stopped and started again at the same address, on one database."""

    def __init__(self, database: TestDatabase, valkey: TestValkey, folder: Path) -> None:
        self.database = database
        self.dump = folder / "arena.dump"
        self.address = f"127.0.0.1:{free_port(set())}"
        self.tokens: dict[str, str] = {}
        told = {"TABLES_DATABASE_URL": database.tables_url, "REDIS_URL": valkey.url, "TABLE_LISTEN": self.address}
        told |= {"HEARTBEAT_SECONDS": "0.3", "DRAIN_SECONDS_MAX": "1", "HEADS_CHECK_SECONDS": "0.2"}
        self.settings = Settings.load(told)
        self.process: TableProcess | None = None

    async def start(self) -> None:
        world = World(lambda: time.time_ns() // 1_000_000, time.monotonic, asyncio.sleep, secrets.token_bytes)
        self.process = TableProcess(self.settings, world)
        await self.process.start()

    async def stop(self) -> None:
        if self.process is not None:
            await self.process.stop()
            self.process = None

    async def make_tokens(self) -> None:
        store = TokenStore(self.database.tables_url, clock_ms=lambda: 0, clock=time.monotonic)
        await store.start()
        roles = [("director", None), ("spectator", None), *(("player", player) for player in PLAYERS)]
        for role, player in roles:
            text = self.tokens[player or role] = new_token(secrets.token_bytes)
            await store.create(text, Principal(role, player, None, None, new_token_id(secrets.token_bytes)))
        await store.close()

    def client(self, who: str) -> AsyncClient:
        return AsyncClient(self.address, self.tokens[who], outage_seconds_max=20)

    async def back_up(self) -> None:
        words = ("pg_dump", "--format=custom", f"--file={self.dump}", f"--dbname={self.database.admin_url}")
        await asyncio.to_thread(tool, *words)

    async def restore(self) -> None:
        """As docs/operations.md says: the services stopped, everything put back in one transaction."""
        await self.stop()
        words = ("pg_restore", "--clean", "--if-exists", "--single-transaction", "--exit-on-error")
        await asyncio.to_thread(tool, *words, f"--dbname={self.database.admin_url}", str(self.dump))
        await self.start()


def tool(name: str, *words: str) -> None:
    subprocess.run([postgres_binaries() / name, *words], check=True, timeout=SECONDS_MAX)


@pytest.fixture
async def arena(database: TestDatabase, valkey: TestValkey, tmp_path: Path) -> AsyncIterator[Arena]:
    arena = Arena(database, valkey, tmp_path)
    await arena.start()
    await arena.make_tokens()
    yield arena
    await arena.stop()


@asynccontextmanager
async def clients(arena: Arena) -> AsyncIterator[list[AsyncClient]]:
    made = [arena.client(player) for player in PLAYERS]
    yield made
    for client in made:
        await client.close()


async def play_until(players: list[AsyncClient], table: str, version: int) -> list[TableView]:
    """Play at random to this version; every player's view there."""
    chance = random.Random(version)
    async with asyncio.timeout(SECONDS_MAX):
        while True:
            views = [await client.view(table, seat) for seat, client in enumerate(players)]
            if min(view.version for view in views) >= version or views[0].state.phase == CLOSED:
                return views
            for client, view in zip(players, views, strict=True):
                if view.options is not None:
                    with suppress(Rejected):
                        await client.act(table, view.options.sample(chance), view.turn_version)


async def test_who_calls_ahead_of_a_restored_log_is_told_where_to_resume(arena: Arena) -> None:
    async with clients(arena) as players, arena.client("director") as director, arena.client("spectator") as watcher:
        table = await director.open(PLAYERS, deal_limit=3)
        await play_until(players, table, 12)
        await arena.back_up()
        backed_up = (await watcher.view(table)).version
        later = await director.open(PLAYERS)
        held = await play_until(players, table, 30)
        watched = await watcher.view(table)
        await arena.restore()

        for client, view in zip(players, held, strict=True):
            with pytest.raises(AheadOfLog, match="restored to an older point") as told:
                await client.view(table, view.seat, held=view)
            assert backed_up == told.value.resume_after
        with pytest.raises(AheadOfLog) as told:
            await anext(watcher.watch(table, watched.version, at_ms=watched.state.now_ms))
        assert backed_up == told.value.resume_after
        with pytest.raises(AheadOfLog) as told:  # who does not say when is not told more than is known
            await anext(watcher.watch(table, watched.version))
        assert 0 == told.value.resume_after
        due = next(view for view in held if view.options is not None)
        with pytest.raises(Rejected) as refused:
            await players[due.seat or 0].act(table, due.options.sample(random.Random(1)), due.turn_version)  # type: ignore[union-attr]
        assert Reason.AHEAD_OF_LOG == refused.value.reason
        with pytest.raises(ClientError, match="not found"):
            await players[0].view(later, 0)

        held[0].restart()
        await players[0].view(table, 0, held=held[0])
        assert (1, True) == (held[0].restarts, backed_up <= held[0].version < 30)


async def test_a_log_that_has_gone_on_past_what_is_held_is_noticed_as_well(arena: Arena) -> None:
    async with clients(arena) as players, arena.client("director") as director, arena.client("spectator") as watcher:
        table = await director.open(PLAYERS, deal_limit=3)
        await play_until(players, table, 12)
        await arena.back_up()
        backed_up = (await watcher.view(table)).version
        await play_until(players, table, 20)
        watched = await watcher.view(table)
        await arena.restore()
        await play_until(players, table, watched.version + 5)

        with pytest.raises(AheadOfLog, match=f"act {watched.version} of .* is not the one that you hold") as told:
            await watcher.view(table, held=watched)
        assert backed_up == told.value.resume_after
        acts = watcher.watch(table, watched.version, at_ms=watched.state.now_ms)
        with pytest.raises(AheadOfLog):
            await anext(acts)


async def test_players_on_streams_are_told_and_play_the_restored_game_to_its_end(arena: Arena) -> None:
    troubles: list[ClientError] = []
    ended: dict[str, TableView] = {}

    async def choose(view: Any, options: Any, chance: random.Random) -> Any:
        await asyncio.sleep(THINKING_SECONDS)
        return options.sample(chance)

    def playing(player: str) -> Any:
        return play(
            choose, arena.address, arena.tokens[player], tables_max=1, outage_seconds_max=20, seconds_max=SECONDS_MAX,
            on_over=lambda view: ended.update({player: view}), on_trouble=troubles.append,
        )  # fmt: skip

    async with arena.client("director") as director, arena.client("spectator") as watcher:
        table = await director.open(PLAYERS, deal_limit=4)
        tasks = [asyncio.create_task(playing(player)) for player in PLAYERS]
        await reached(watcher, table, 12)
        await arena.back_up()
        backed_up = (await watcher.view(table)).version
        gone = await director.open(PLAYERS)
        await reached(watcher, table, backed_up + 12)
        await arena.restore()
        await asyncio.wait_for(asyncio.gather(*tasks), SECONDS_MAX)

        told = [error for error in troubles if isinstance(error, AheadOfLog)]
        assert 4 <= len([error for error in told if table in str(error)])
        assert 4 == len([error for error in told if f"table {gone} is not in the log" in str(error)])
        final = await reached(watcher, table, 1 << 30)
        stored = [
            StoredAct(act.version, act.command_id, act.body, act.hash)
            async for page in watcher.stub.Log(pb.LogRequest(table=table), metadata=watcher.metadata, timeout=10)
            for act in page.acts
        ]
    assert audit.verify_table(audit.UUID(table), stored).ok
    for view in ended.values():
        assert final.state.totals == view.state.totals
    assert set(PLAYERS) == set(ended)


async def reached(watcher: AsyncClient, table: str, version: int) -> TableView:
    """The table when it is at this version, or has been closed."""
    async with asyncio.timeout(SECONDS_MAX):
        while True:
            view = await watcher.view(table)
            if view.version >= version or view.state.phase == CLOSED:
                return view
            await asyncio.sleep(0.02)


async def test_a_process_whose_database_is_restored_under_it_ends_and_who_followed_is_told_by_the_next_one(
    database: TestDatabase, valkey: TestValkey, tmp_path: Path
) -> None:
    arena = Arena(database, valkey, tmp_path)
    await arena.make_tokens()
    told = {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'engine'}", "PATH": os.defpath, "REDIS_URL": valkey.url,
        "TABLES_DATABASE_URL": database.tables_url, "TABLE_LISTEN": arena.address, "HEADS_CHECK_SECONDS": "0.2",
    }  # fmt: skip
    words = (sys.executable, "-m", "services.table")
    process = await asyncio.create_subprocess_exec(*words, cwd=ROOT, env=told, stderr=asyncio.subprocess.PIPE)
    try:
        async with clients(arena) as players, arena.client("director") as director:
            table = await director.open(PLAYERS, deal_limit=3)
            await play_until(players, table, 10)
            await arena.back_up()
            await play_until(players, table, 20)
        following = await follow(arena, table)
        assert following.stdout is not None
        async with asyncio.timeout(SECONDS_MAX):
            for _ in range(20):
                await following.stdout.readline()
        words = ("pg_restore", "--clean", "--if-exists", "--single-transaction", "--exit-on-error")
        await asyncio.to_thread(tool, *words, f"--dbname={database.admin_url}", str(arena.dump))
        _, said = await asyncio.wait_for(process.communicate(), SECONDS_MAX)
    finally:
        if process.returncode is None:
            process.kill()
    assert 1 == process.returncode
    assert f"of {table}, which it had stored: it was restored to an older point" in said.decode()
    await arena.start()
    try:
        _, said = await asyncio.wait_for(following.communicate(), SECONDS_MAX)
    finally:
        if following.returncode is None:
            following.kill()
        await arena.stop()
    assert (3, 1) == (following.returncode, said.count(b"\n"))
    assert said.startswith(b"pinochle: Watch was refused: out of range: ")


async def follow(arena: Arena, table: str) -> asyncio.subprocess.Process:
    """`pinochle log --follow` of a spectator."""
    told = {
        "PYTHONPATH": str(ROOT / "engine"), "PATH": os.defpath,
        "PINOCHLE_SERVER": arena.address, "PINOCHLE_TOKEN": arena.tokens["spectator"],
    }  # fmt: skip
    words = (sys.executable, "-m", "pinochle.cli", "log", table, "--follow", "--json")
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*words, env=told, stdout=pipe, stderr=pipe)
