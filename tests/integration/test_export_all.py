"""`pinochle export --all` against the running services: whatever is published, as the operator's tool writes it."""

import asyncio
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from pinochle.wire import archive

from tests.conftest import TestDatabase
from tests.integration.test_archives import newer_act, run
from tests.integration.test_cli_server import Command, ended, opened
from tests.integration.test_cli_tournament import created, pinochle

__all__ = ["pinochle"]
CLOSED_SECONDS_MAX = 60


async def held(pinochle: Command) -> str:
    """A tournament of three teams that has been played to its end, log and all."""
    tournament = await created(pinochle)
    assert 0 == (await pinochle("tournament", "start", tournament, role="director")).code
    async with asyncio.timeout(CLOSED_SECONDS_MAX):
        assert 0 == (await pinochle("tournament", "watch", tournament, role="spectator")).code
    return tournament


def headers(path: Path) -> list[tuple[str, UUID]]:
    with path.open("rb") as file:
        return [(header.kind, header.stream) for header, _ in archive.exports(file)]


@pytest.mark.slow
async def test_all_that_is_published_goes_into_one_archive_that_verifies(
    pinochle: Command, database: TestDatabase, tmp_path: Path
) -> None:
    tournament, lone, running = await held(pinochle), await ended(pinochle.arena), await opened(pinochle.arena)
    entering = await created(pinochle)
    out = await pinochle("export", "--all", "-o", "all.jsonl", role="spectator")
    assert (0, "") == (out.code, out.err)
    found = headers(tmp_path / "all.jsonl")
    assert [("tournament", UUID(tournament)), ("table", UUID(lone))] == [found[0], found[-1]]
    assert 4 == len(found) == len(set(found))  # two matches were played
    assert not {UUID(running), UUID(entering)} & {stream for _, stream in found}

    verified = await pinochle("verify", "all.jsonl")
    fitting = f"     tournament {tournament}: 2 of its 2 tables are here and fit"
    assert (0, ["4 passed, 0 failed in all.jsonl", fitting]) == (verified.code, verified.lines[-2:])
    by_tool = await asyncio.to_thread(run, database, "export", "-o", tmp_path / "tool.jsonl")
    assert 0 == by_tool.returncode
    assert (tmp_path / "tool.jsonl").read_bytes() == (tmp_path / "all.jsonl").read_bytes()

    one = await pinochle("export", tournament, "--tournament", "--with-tables", "--format", "protobuf", "-o", "one")
    assert 3 == one.code  # without a token
    one = await pinochle("export", tournament, "--with-tables", "--format", "protobuf", "-o", "one", role="spectator")
    assert 0 == one.code
    assert found[:-1] == headers(tmp_path / "one")
    since = await pinochle("export", "--all", "--since", "2100-01-01", "-o", "none", role="spectator")
    assert (0, "none: 0 exports, 0 acts") == (since.code, since.out.strip())


async def test_an_archive_with_one_spoilt_table_says_which(pinochle: Command, tmp_path: Path) -> None:
    await ended(pinochle.arena)
    await ended(pinochle.arena)
    assert 0 == (await pinochle("export", "--all", "-o", "all.jsonl", role="spectator")).code
    lines = (tmp_path / "all.jsonl").read_bytes().splitlines(keepends=True)
    del lines[5]
    (tmp_path / "all.jsonl").write_bytes(b"".join(lines))
    verified = await pinochle("verify", "all.jsonl")
    assert 1 == verified.code
    assert verified.lines[0].startswith("BAD  all.jsonl: act 5: ")
    assert "1 passed, 1 failed in all.jsonl" == verified.lines[-1]


async def test_what_stands_still_keeps_nothing_else_out_of_the_archive(
    pinochle: Command, database: TestDatabase, tmp_path: Path
) -> None:
    lone, table, tournament = UUID(await ended(pinochle.arena)), uuid4(), uuid4()
    await asyncio.to_thread(newer_act, database, "tables", table)
    await asyncio.to_thread(newer_act, database, "tournaments", tournament)
    out = await pinochle("export", "--all", "-o", "all", role="operator")
    assert (1, 1) == (out.code, out.err.count("\n"))
    assert f"tournament {tournament}, which tables it has can be told up to there only: act 1: " in out.err
    first, *others = headers(tmp_path / "all")
    assert (("tournament", tournament), {("table", table), ("table", lone)}) == (first, set(others))
    out = await pinochle("export", "--all", "-o", "rest", role="spectator")
    assert (1, 2) == (out.code, out.err.count("\n"))
    assert f"tournament {tournament} stands still and was left out: " in out.err
    assert f"table {table} stands still and was left out: " in out.err
    assert [("table", lone)] == headers(tmp_path / "rest")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("export",), "name one table or tournament, or --all"),
        (("export", "x", "--all"), "name one table or tournament, or --all"),
        (("export", "--all", "--since", "yesterday"), "not a time: 'yesterday'"),
        (("export", "--all", "--resume"), "--resume needs --out FILE"),
        (("export", "--all", "-o", "."), ". is a folder, and not a file to write"),
        (("import", "all.jsonl"), "import needs the operator's tools"),
    ],
)
async def test_wrong_usage_is_one_line(pinochle: Command, words: tuple[str, ...], said: str) -> None:
    ran = await pinochle(*words)
    assert ran.code in (1, 2)
    assert said in ran.err
    assert 1 == ran.err.count("\n")
