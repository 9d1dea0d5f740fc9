"""Transcripts that real clients keep of a real table service agree with its log, over breaks and restarts."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pinochle import audit, export
from pinochle.cli import main
from pinochle.client import AsyncClient, TableView, play
from pinochle.errors import Rejected
from pinochle.export import StoredAct
from pinochle.state import State
from pinochle.transcript import Answered, Noted, Opened, Sent, Shown, Transcript, Turn, read
from pinochle.transcript_audit import Finding, compare
from pinochle.wire import chain, codec
from pinochle.wire.v1 import table_pb2 as pb

from tests.integration.conftest import Arena
from tests.integration.test_client import breaking, until_due

SECONDS = 60
EVERY_SEAT = ("ann", "bob", "cid", "dot")


def by_chance(view: State, options: Any, chance: random.Random) -> Any:
    return options.sample(chance)


async def opened(arena: Arena, tables: int, players: Sequence[str] = EVERY_SEAT, **fields: Any) -> tuple[
    list[str], dict[str, str]
]:  # fmt: skip
    """Open tables, and give each player a token."""
    director = await arena.caller("director")
    ids = [await director.open(*players, **{"deal_limit": 1, **fields}) for _ in range(tables)]
    return ids, {player: await arena.token("player", player) for player in players}


async def play_all(address: str, tokens: dict[str, str], folder: Path, **wishes: Any) -> None:
    """Play with every player at the same time, keeping transcripts in one folder."""
    wishes = {"on_trouble": lambda error: None, "transcript": folder, **wishes}
    async with asyncio.timeout(SECONDS):
        await asyncio.gather(*(play(by_chance, address, token, **wishes) for token in tokens.values()))


async def log_of(arena: Arena, table: str) -> list[StoredAct]:
    """The stored acts of a table."""
    operator = await arena.caller("operator")
    return [
        StoredAct(act.version, act.command_id, act.body, act.hash)
        async for page in operator.tables.Log(pb.LogRequest(table=table), metadata=operator.metadata, timeout=10)
        for act in page.acts
    ]


def transcripts(folder: Path, table: str) -> dict[str, Transcript]:
    """The transcripts of one table, by the name of their viewer."""
    found = {}
    for path in folder.glob(f"{table}.*.jsonl"):
        with path.open("rb") as file:
            kept = read(file)
        found[kept.header.viewer] = kept
    return found


def write(path: str, stream: UUID, log: list[StoredAct]) -> None:
    """Write an export."""
    Path(path).write_bytes(b"".join(export.lines("table", stream, log)))


def compared(table: str, log: list[StoredAct], kept: dict[str, Transcript]) -> dict[str, Finding]:
    """The finding for each viewer."""
    return dict(zip(kept, compare(audit.TABLE, UUID(table), log, list(kept.values())), strict=True))


@pytest.mark.parametrize("profile", ["classic", "danish-nobid", "two-handed", "three-handed-stock"])
async def test_every_seat_and_a_watcher_keep_what_the_log_says(arena: Arena, tmp_path: Path, profile: str) -> None:
    players = EVERY_SEAT[: {"two-handed": 2, "three-handed-stock": 3}.get(profile, 4)]
    tables, tokens = await opened(arena, 2, players, profile=profile)
    spectator = await arena.token("spectator")

    async def watch() -> None:
        async with AsyncClient(arena.address, spectator, transcript=tmp_path) as client:
            assert [act async for act in client.watch(tables[0])]

    watching = asyncio.create_task(watch())
    await play_all(arena.address, tokens, tmp_path, tables_max=2)
    await asyncio.wait_for(watching, SECONDS)

    for table in tables:
        log, kept = await log_of(arena, table), transcripts(tmp_path, table)
        expected = {f"seat:{seat}" for seat in range(len(players))} | ({"own"} if table == tables[0] else set())
        assert expected == set(kept)
        findings = compared(table, log, kept)
        assert {None} == {finding.problem for finding in findings.values()}, findings
        acts = [codec.from_rest(act.version, act.command_id, act.body) for act in log]
        for seat in range(len(players)):
            mine = sum(act.author == f"seat:{seat}" for act in acts)
            finding = findings[f"seat:{seat}"]
            assert mine == finding.sent
            assert all(note.startswith("ends with act") for note in finding.notes), finding.notes
            turns = [line for line in kept[f"seat:{seat}"].lines if isinstance(line, Turn)]
            assert len(turns) >= mine
        if table == tables[0]:
            assert (len(log), ()) == (findings["own"].shown, findings["own"].notes)


async def test_connections_that_break_leave_no_gap_and_no_line_twice(arena: Arena, tmp_path: Path) -> None:
    tables, tokens = await opened(arena, 3, deal_limit=2)
    async with breaking(arena.address) as (address, cuts):
        await play_all(address, tokens, tmp_path, tables=tables, until_over=True)

    assert len(cuts) >= 2
    for table in tables:
        kept = transcripts(tmp_path, table)
        assert 4 == len(kept)
        findings = compared(table, await log_of(arena, table), kept)
        assert {None} == {finding.problem for finding in findings.values()}, findings
        for viewer, transcript in kept.items():
            versions = [line.version for line in transcript.lines if isinstance(line, Shown)]
            assert list(range(1, len(versions) + 1)) == versions
            assert not any("never answered" in note or "nothing was kept" in note for note in findings[viewer].notes)


async def test_a_client_that_is_started_again_goes_on_with_its_transcript(arena: Arena, tmp_path: Path) -> None:
    tables, tokens = await opened(arena, 1, deal_limit=2)
    others = asyncio.create_task(
        play_all(arena.address, {p: tokens[p] for p in EVERY_SEAT[1:]}, tmp_path / "others", tables_max=1)
    )
    path = tmp_path / "ann" / f"{tables[0]}.seat-0.jsonl"
    turns = 0

    def stop_after_three(view: TableView, command: Any) -> None:
        nonlocal turns
        turns += 1
        if turns % 3 == 0:
            raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            await play(by_chance, arena.address, tokens["ann"], transcript=path.parent, on_turn=stop_after_three)
        with path.open("ab") as file:
            file.write(b'{"line":"shown","clock_m')  # as a crash would leave it
    await asyncio.wait_for(play(by_chance, arena.address, tokens["ann"], transcript=path.parent, tables_max=1), SECONDS)
    await asyncio.wait_for(others, SECONDS)

    kept = transcripts(path.parent, tables[0])["seat:0"]
    assert 3 == sum(isinstance(line, Opened) for line in kept.lines)
    assert not kept.is_cut
    findings = compared(tables[0], await log_of(arena, tables[0]), {"seat:0": kept})
    assert findings["seat:0"].problem is None, findings
    assert not any("nothing was kept" in note for note in findings["seat:0"].notes)


async def test_commands_of_a_run_without_transcript_are_a_note(arena: Arena, tmp_path: Path) -> None:
    tables, tokens = await opened(arena, 1, deal_limit=2)
    rest = {player: tokens[player] for player in EVERY_SEAT[1:]}
    others = asyncio.create_task(play_all(arena.address, rest, tmp_path / "others", tables_max=1))
    turns = 0

    def stop_after_four(view: TableView, command: Any) -> None:
        nonlocal turns
        turns += 1
        if turns == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await play(by_chance, arena.address, tokens["ann"], on_turn=stop_after_four)
    await asyncio.wait_for(play(by_chance, arena.address, tokens["ann"], transcript=tmp_path, tables_max=1), SECONDS)
    await asyncio.wait_for(others, SECONDS)

    log, kept = await log_of(arena, tables[0]), transcripts(tmp_path, tables[0])
    finding = compared(tables[0], log, kept)["seat:0"]
    assert finding.problem is None, finding
    assert any("of this seat made while nothing was kept here" in note for note in finding.notes), finding


async def test_single_calls_keep_commands_answers_and_the_commitment(arena: Arena, tmp_path: Path) -> None:
    director = AsyncClient(arena.address, await arena.token("director"), transcript=tmp_path / "director")
    ann = AsyncClient(arena.address, await arena.token("player", "ann"), transcript=tmp_path)
    async with director, ann:
        table = await director.open(EVERY_SEAT, dealer=3, turn_ms=60_000)
        view = await until_due(ann, table, 0)
        assert view.options is not None
        command = view.options.sample(random.Random(1))
        turn = view.turn_version
        act = await ann.act(table, command, turn)
        with pytest.raises(Rejected):
            await ann.act(table, command, turn)
        await ann.view(table, 0, held=view)

    kept = transcripts(tmp_path, table)["seat:0"]
    sent = [line for line in kept.lines if isinstance(line, Sent)]
    answers = [line for line in kept.lines if isinstance(line, Answered)]
    assert [line.command_id for line in sent] == [line.command_id for line in answers]
    assert [act.version, 0] == [line.version for line in answers]
    assert answers[1].rejection in ("stale_version", "not_your_turn")
    log = await log_of(arena, table)
    noted = transcripts(tmp_path / "director", table)["own"]
    assert isinstance(noted.lines[0], Noted)
    findings = [compare(audit.TABLE, UUID(table), log, [one], must_end=False)[0] for one in (kept, noted)]
    assert [None, None] == [finding.problem for finding in findings]
    other = noted._replace(lines=(replace(noted.lines[0], value=bytes(32)),))
    problem = compare(audit.TABLE, UUID(table), log, [other], must_end=False)[0].problem
    assert (1, "commitment") == (problem and problem.version, problem and problem.check)


async def test_a_log_that_the_house_wrote_anew_is_found_out_by_the_command(
    arena: Arena, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tables, tokens = await opened(arena, 1)
    await play_all(arena.address, tokens, tmp_path / "kept", tables_max=1)
    log, stream = await log_of(arena, tables[0]), UUID(tables[0])
    write("log.jsonl", stream, log)
    assert 0 == main(["verify", "log.jsonl", "--transcript", "kept"])
    assert 4 == capsys.readouterr().out.count(": agrees, as seat:")

    # Another id for one command of seat 2, and the chain made anew: nothing that the log itself could show.
    at = next(i for i, act in enumerate(log) if codec.from_rest(1, act.command_id, act.body).author == "seat:2")
    head, forged = chain.START, []
    for i, act in enumerate(log):
        command_id = bytes(16) if i == at else act.command_id
        head = chain.link(head, stream.bytes, act.version, command_id, act.body)
        forged.append(StoredAct(act.version, command_id, act.body, head))
    write("forged.jsonl", stream, forged)
    assert 0 == main(["verify", "forged.jsonl"])
    capsys.readouterr()
    assert 1 == main(["verify", "forged.jsonl", "--transcript", "kept"])
    lines = capsys.readouterr().out.splitlines()
    bad = [line for line in lines if line.startswith("BAD")]
    assert 1 == len(bad)
    assert f"seat-2.jsonl: act {at + 1}: sent: no such command was sent: " in bad[0]
