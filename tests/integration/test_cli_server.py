"""The command `pinochle` against a running table service, each run a process of its own."""

import asyncio
import json
import os
import random
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pinochle.state import CLOSED

from tests.integration.conftest import Arena
from tests.integration.test_table_service import dealt, play_on, until, view

ENGINE = Path(__file__).resolve().parents[2] / "engine"
SECONDS_MAX = 60


@dataclass
class Ran:
    """What one run of the command did."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def json(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]


@dataclass
class Command:
    """The command, told where the service is."""

    arena: Arena
    folder: Path
    told: dict[str, str] = field(default_factory=dict)

    async def __call__(self, *words: object, role: str | None = None, player: str | None = None) -> Ran:
        """Run it with a new token of this role, or with none."""
        return await self.finish(await self.start(*words, token=await self.arena.token(role, player) if role else ""))

    async def start(self, *words: object, token: str) -> asyncio.subprocess.Process:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PINOCHLE_")}
        told = {"PYTHONPATH": str(ENGINE), "PINOCHLE_SERVER": self.arena.address, "PINOCHLE_TOKEN": token, **self.told}
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "pinochle.cli", *map(str, words),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, cwd=self.folder, env={**kept, **told},
        )  # fmt: skip

    async def finish(self, process: asyncio.subprocess.Process) -> Ran:
        try:
            async with asyncio.timeout(SECONDS_MAX):
                out, err = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
        return Ran(process.returncode or 0, out.decode(), err.decode())


@pytest.fixture
def pinochle(arena: Arena, tmp_path: Path) -> Command:
    return Command(arena, tmp_path)


async def opened(arena: Arena, **fields: Any) -> str:
    """A table at which the first deal lies."""
    director = await arena.caller("director")
    table = await director.open(**fields)
    await dealt(director, table)
    return table


async def ended(arena: Arena, **fields: Any) -> str:
    """A table whose game is over and whose seed is out."""
    table = await opened(arena, deal_limit=1, **fields)
    await play_to_the_end(arena, table)
    return table


async def play_to_the_end(arena: Arena, table: str) -> None:
    players = [await arena.caller("player", name) for name in "abcd"]
    await play_on(players, table, random.Random(1))

    async def closed() -> bool:
        return (await view(players[0], table))[0].phase == CLOSED

    await until(closed)


async def test_a_log_shows_what_the_caller_may_see(arena: Arena, pinochle: Command) -> None:
    table = await opened(arena)
    watched = await pinochle("log", table, role="spectator")
    assert 0 == watched.code
    assert 4 == next(line for line in watched.lines if "deal 1" in line).count("12 hidden")
    own = await pinochle("log", table, role="player", player="b")
    dealt_line = next(line for line in own.lines if "deal 1" in line)
    assert 3 == dealt_line.count("12 hidden")
    assert " 1: 12 hidden" not in dealt_line


async def test_a_log_of_anothers_seat_is_refused(arena: Arena, pinochle: Command) -> None:
    table = await opened(arena)
    ran = await pinochle("log", table, "--seat", 2, role="player", player="b")
    assert 3 == ran.code
    assert ran.err.startswith("pinochle: View was refused: permission denied: ")


async def test_a_followed_log_ends_with_the_table(arena: Arena, pinochle: Command) -> None:
    table = await opened(arena, deal_limit=1)
    following = await pinochle.start("log", table, "--follow", "--json", token=await arena.token("spectator"))
    await play_to_the_end(arena, table)
    ran = await pinochle.finish(following)
    assert 0 == ran.code
    assert list(range(1, len(ran.json) + 1)) == [act["version"] for act in ran.json]
    assert any(event["event"] == "GameEnded" for event in ran.json[-1]["events"] + ran.json[-2]["events"])


async def test_control_c_ends_following_at_once(arena: Arena, pinochle: Command) -> None:
    table = await opened(arena)
    following = await pinochle.start("log", table, "--follow", token=await arena.token("spectator"))
    assert following.stdout is not None
    async with asyncio.timeout(SECONDS_MAX):
        while b"deal 1" not in await following.stdout.readline():
            assert following.returncode is None
        following.send_signal(signal.SIGINT)
        _, err = await following.communicate()
    assert (130, b"") == (following.returncode, err)


async def test_an_ended_table_is_verified_at_the_server_and_as_a_file(arena: Arena, pinochle: Command) -> None:
    table = await ended(arena)
    at_server = await pinochle("verify", table, "--json", role="spectator")
    assert (0, "ok") == (at_server.code, at_server.json[0]["outcome"])
    written = await pinochle("export", table, "-o", "table.jsonl", role="spectator")
    assert (0, "") == (written.code, written.err)
    from_file = await pinochle("verify", "table.jsonl", "--json")
    told = ("outcome", "acts", "events", "deals", "head")
    assert [at_server.json[0][name] for name in told] == [from_file.json[0][name] for name in told]
    assert "the seed was" in (await pinochle("log", "table.jsonl")).lines[-1]


async def test_an_export_to_stdout_is_the_same_file(arena: Arena, pinochle: Command, tmp_path: Path) -> None:
    table = await ended(arena)
    await pinochle("export", table, "-o", "table.jsonl", role="spectator")
    shown = await pinochle("export", table, role="spectator")
    assert await asyncio.to_thread((tmp_path / "table.jsonl").read_text) == shown.out
    assert ["table.jsonl"] == os.listdir(tmp_path)


async def test_an_export_into_a_pipe_or_over_a_link_replaces_neither(
    arena: Arena, pinochle: Command, tmp_path: Path
) -> None:
    table = await ended(arena)
    await pinochle("export", table, "-o", "plain.jsonl", role="spectator")
    expected = (tmp_path / "plain.jsonl").read_bytes()
    os.mkfifo(tmp_path / "pipe")
    reading = asyncio.create_task(asyncio.to_thread((tmp_path / "pipe").read_bytes))
    assert 0 == (await pinochle("export", table, "-o", "pipe", role="spectator")).code
    assert expected == await asyncio.wait_for(reading, 10)
    assert (tmp_path / "pipe").is_fifo()
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "link.part").write_text("of a run that was cut off")
    assert 0 == (await pinochle("export", table, "-o", "link", role="spectator")).code
    assert (tmp_path / "link").is_symlink()
    assert expected == (tmp_path / "target").read_bytes()
    assert {"plain.jsonl", "pipe", "target", "link", "link.part"} == set(os.listdir(tmp_path))


async def test_an_export_of_one_stream_leaves_the_part_of_an_archive_alone(
    arena: Arena, pinochle: Command, tmp_path: Path
) -> None:
    (tmp_path / "table.jsonl.part").write_text("of a run that was cut off")
    assert 0 == (await pinochle("export", await ended(arena), "-o", "table.jsonl", role="spectator")).code
    assert "of a run that was cut off" == (tmp_path / "table.jsonl.part").read_text()


async def test_a_running_table_is_exported_and_verified_for_the_operator_only(arena: Arena, pinochle: Command) -> None:
    table = await opened(arena)
    for command in ("export", "verify"):
        ran = await pinochle(command, table, role="spectator")
        assert (3, "") == (ran.code, ran.out)
        assert ran.err.startswith("pinochle: Log was refused: permission denied: the log of a table is published")
    assert 1 == (await pinochle("verify", table, role="operator")).code
    assert 0 == (await pinochle("verify", table, "--running", role="operator")).code
    assert 0 == (await pinochle("export", table, role="operator")).code


async def test_a_table_with_turns_that_expired_is_in_order(arena: Arena, pinochle: Command) -> None:
    table = await opened(arena, turn_ms=600_000)
    spectator = await arena.caller("spectator")
    for _ in range(3):
        before = (await view(spectator, table))[1].version
        arena.clock_ahead_ms[0] += 700_000

        async def moved(before: int = before) -> bool:
            return (await view(spectator, table))[1].version > before

        await until(moved)
    log = await pinochle("log", table, role="operator")
    assert "ran out; the house plays" in log.out
    assert 0 == (await pinochle("verify", table, "--running", role="operator")).code


async def test_a_token_that_was_made_lets_in_and_one_that_was_revoked_does_not(arena: Arena, pinochle: Command) -> None:
    table = await opened(arena)
    made = await pinochle("token", "create", "player", "--player", "c", "--expires", "2h", "--json", role="operator")
    assert 0 == made.code
    held = made.json[0]
    revoked_unused = await pinochle("token", "create", "spectator", "--json", role="operator")
    revoked = await pinochle("token", "revoke", revoked_unused.json[0]["id"], role="operator")
    assert 0 == revoked.code
    log = await pinochle.finish(await pinochle.start("log", table, token=held["token"]))
    assert 3 == next(line for line in log.lines if "deal 1" in line).count("12 hidden")
    refused = await pinochle.finish(await pinochle.start("log", table, token=revoked_unused.json[0]["token"]))
    assert (3, True) == (refused.code, "unauthenticated" in refused.err)


async def test_a_token_is_printed_alone_on_stdout(pinochle: Command) -> None:
    ran = await pinochle("token", "create", "spectator", "--expires", "2h", role="operator")
    assert 1 == len(ran.lines)
    assert ran.out.startswith("pin_")
    assert ", good until " in ran.err


async def test_only_those_who_may_make_tokens(pinochle: Command) -> None:
    ran = await pinochle("token", "create", "operator", role="director")
    assert (3, "") == (ran.code, ran.out)


async def test_the_status_shows_the_figures_of_the_service(arena: Arena, pinochle: Command) -> None:
    await opened(arena)
    ran = await pinochle("status", role="operator")
    assert 0 == ran.code
    assert "  open tables    1" in ran.lines
    assert 1 == (await pinochle("status", "--json", role="operator")).json[0]["table"]["open_tables"]
    assert 3 == (await pinochle("status", role="spectator")).code


async def test_without_a_token_the_answer_says_where_it_goes(arena: Arena, pinochle: Command) -> None:
    ran = await pinochle("log", await opened(arena))
    assert (3, "pinochle: View needs a token: set PINOCHLE_TOKEN\n") == (ran.code, ran.err)


async def test_a_table_that_does_not_exist_is_one_clear_line(pinochle: Command) -> None:
    for command in ("log", "export", "verify"):
        ran = await pinochle(command, UUID(int=5), role="operator")
        assert (3, "", 1) == (ran.code, ran.out, ran.err.count("\n"))
        assert "was refused: not found: " in ran.err
