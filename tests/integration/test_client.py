"""The client against a real table service: whole games, lost connections, bad bots, and the single calls."""

import asyncio
import contextlib
import dataclasses
import os
import random
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

import grpc
import pytest
from pinochle.client import AccessDenied, AsyncClient, BadBot, ClientError, TableView, Unreachable, play
from pinochle.decider import Act
from pinochle.errors import Reason, Rejected
from pinochle.events import TableClosed, TableOpened, TurnExpired
from pinochle.options import CallOptions
from pinochle.redact import redact
from pinochle.state import CLOSED, State, fold, initial
from pinochle.wire import codec
from pinochle.wire.v1 import table_pb2 as pb

from services.table.play import PlaySession
from services.table.process import TableProcess
from tests.integration.conftest import Arena

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60
EVERY_SEAT = ("ann", "bob", "cid", "dot")


def lowest(view: State, options: Any, chance: random.Random) -> Any:
    return options.sample(chance)


class Remembers:
    """A bot that keeps the versions of its own turns, to show that each seat has an object of its own."""

    made = 0

    def __init__(self) -> None:
        Remembers.made += 1
        self.seat: int | None = None

    def choose(self, view: State, options: Any, chance: random.Random) -> Any:
        assert self.seat in (None, options.seat)
        self.seat = options.seat
        return options.sample(chance)


async def players(arena: Arena, tables: int, deal_limit: int = 1, **fields: Any) -> tuple[list[str], dict[str, str]]:
    """Open tables with four players, and give each player a token."""
    director = await arena.caller("director")
    opened = [await director.open(*EVERY_SEAT, deal_limit=deal_limit, **fields) for _ in range(tables)]
    return opened, {player: await arena.token("player", player) for player in EVERY_SEAT}


async def play_all(address: str, tokens: dict[str, str], bots: dict[str, Any], **wishes: Any) -> dict[str, Any]:
    """Play with every player at the same time; what each played."""
    async with asyncio.timeout(SECONDS):
        games = {player: play(bots.get(player, lowest), address, token, **wishes) for player, token in tokens.items()}
        return dict(zip(games, await asyncio.gather(*games.values()), strict=True))


async def acts_of(arena: Arena, table: str) -> list[Act]:
    """The acts of a table as its log has them."""
    operator = await arena.caller("operator")
    return [
        codec.from_rest(stored.version, stored.command_id, stored.body)
        async for page in operator.tables.Log(pb.LogRequest(table=table), metadata=operator.metadata, timeout=10)
        for stored in page.acts
    ]


def folded(acts: Iterable[Act], viewer: int | Literal["house"] | None = "house") -> State:
    """The state that acts add up to, for the house or for one viewer."""
    state = initial()
    for act in acts:
        events = act.events if viewer == "house" else [redact(event, viewer) for event in act.events]
        state = fold(state, events, act.at_ms)
    return state


async def test_four_clients_play_every_table_to_its_end_and_see_what_the_log_says(arena: Arena) -> None:
    tables, tokens = await players(arena, 4)
    ended: list[TableView] = []

    played = await play_all(arena.address, tokens, {}, tables_max=4, on_over=ended.append)

    assert [4, 4, 4, 4] == [played[player].ended for player in EVERY_SEAT]
    assert {(table, seat) for table in tables for seat in range(4)} == {(view.table, view.seat) for view in ended}
    for view in ended:
        acts = await acts_of(arena, view.table)
        assert folded(acts[: view.version], view.seat) == view.state


async def test_a_class_of_bots_gives_each_seat_at_each_table_an_object_of_its_own(arena: Arena) -> None:
    _, tokens = await players(arena, 3)
    Remembers.made = 0

    await play_all(arena.address, tokens, {"ann": Remembers}, tables_max=3)

    assert 3 == Remembers.made


@pytest.mark.parametrize("threads", [0, 2])
async def test_a_bot_may_wait_while_its_other_tables_go_on(arena: Arena, threads: int) -> None:
    _, tokens = await players(arena, 4)

    async def ponders(view: State, options: Any, chance: random.Random) -> Any:
        await asyncio.sleep(0.001)
        return options.sample(chance)

    bot = lowest if threads else ponders
    played = await play_all(arena.address, tokens, {"ann": bot, "bob": ponders}, tables_max=4, threads=threads)

    assert {4} == {each.ended for each in played.values()}


async def test_a_bot_that_raises_at_one_table_plays_its_others_to_their_end(arena: Arena) -> None:
    _, tokens = await players(arena, 2)
    director = await arena.caller("director")
    bad = await director.open(*EVERY_SEAT, deal_limit=1, match="bad", turn_ms=100)
    failures: list[tuple[str, str]] = []

    def stumbles(view: State, options: Any, chance: random.Random) -> Any:
        if view.table.match == "bad" and not failures:
            raise ZeroDivisionError("no idea")
        return options.sample(chance)

    played = await play_all(
        arena.address,
        tokens,
        {"ann": stumbles},
        tables_max=3,
        on_error=lambda view, error: failures.append((view.table, str(error))),
    )

    assert 3 == played["ann"].ended
    assert [(bad, "no idea")] == failures
    assert 1 == played["ann"].failed_turns
    expired = [event for act in await acts_of(arena, bad) for event in act.events if isinstance(event, TurnExpired)]
    assert [TurnExpired(0)] == expired


async def test_a_choice_that_is_not_among_the_options_is_reported_and_never_sent(arena: Arena) -> None:
    _, tokens = await players(arena, 1, turn_ms=100)
    errors: list[Exception] = []

    def cheats(view: State, options: Any, chance: random.Random) -> Any:
        return options.sample(chance) if errors else "ace of spades"

    played = await play_all(
        arena.address, tokens, {"ann": cheats}, tables_max=1, on_error=lambda view, error: errors.append(error)
    )

    assert [BadBot] == [type(error) for error in errors]
    assert "the bot chose 'ace of spades'" in str(errors[0])
    assert 1 == played["ann"].ended


async def test_an_unknown_token_is_refused_in_one_clear_line(arena: Arena) -> None:
    for token in ("pin_" + "x" * 43, "nonsense", "", "two\nlines"):
        with pytest.raises(AccessDenied, match="token") as refusal:
            await asyncio.wait_for(play(lowest, arena.address, token), SECONDS)
        assert isinstance(refusal.value, PermissionError)
        assert "\n" not in str(refusal.value)


async def test_a_server_that_is_not_there_is_given_up_after_the_outage_that_was_allowed() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        troubles: list[ClientError] = []
        with pytest.raises(Unreachable, match=r"no answer in 0\.5 seconds"):
            await asyncio.wait_for(
                play(lowest, address, "pin_x", outage_seconds_max=0.5, on_trouble=troubles.append), SECONDS
            )
    assert 1 == len(troubles)


async def test_play_stops_after_its_seconds_though_nothing_ends(arena: Arena) -> None:
    token = await arena.token("player", "ann")

    played = await asyncio.wait_for(play(lowest, arena.address, token, seconds_max=0.3), SECONDS)

    assert (0, 0) == (played.turns, played.ended)


async def test_connections_that_break_again_and_again_lose_no_act_and_store_none_twice(arena: Arena) -> None:
    tables, tokens = await players(arena, 4, deal_limit=2)
    answered: dict[tuple[str, int | None], list[int]] = {}

    def note(view: TableView, command: Any) -> None:
        answered.setdefault((view.table, view.seat), []).append(view.turn_version)

    async with breaking(arena.address) as (address, cuts):
        played = await play_all(
            address, tokens, {}, tables=tables, until_over=True, on_turn=note, on_trouble=lambda error: None
        )

    assert {4} == {each.ended for each in played.values()}
    assert len(cuts) >= 2
    for turns in answered.values():
        assert sorted(set(turns)) == turns
    for table in tables:
        acts = await acts_of(arena, table)
        assert CLOSED == folded(acts).phase
        # Nobody was late, so each act of a seat is the one answer to one turn.
        for seat in range(4):
            assert len(answered[table, seat]) == sum(act.author == f"seat:{seat}" for act in acts)


async def test_an_act_that_ends_every_stream_is_given_up_and_the_other_tables_go_on(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables, tokens = await players(arena, 2)
    act = PlaySession._act

    async def breaks(self: PlaySession, request: Any) -> None:
        if request.table != tables[0] or self._caller.player != "ann":
            return await act(self, request)
        self._failure = ZeroDivisionError("a fault of the service")
        self._news.set()

    monkeypatch.setattr(PlaySession, "_act", breaks)
    failed: asyncio.Queue[tuple[str, Exception]] = asyncio.Queue()
    ended: asyncio.Queue[str] = asyncio.Queue()
    wishes = {
        "on_error": lambda view, error: failed.put_nowait((view.table, error)),
        "on_over": lambda view: ended.put_nowait(view.table),
        "on_trouble": lambda error: None,
    }
    async with asyncio.timeout(SECONDS):
        playing = [
            asyncio.create_task(play(lowest, arena.address, tokens[player], **(wishes if player == "ann" else {})))
            for player in EVERY_SEAT
        ]
        table, error = await failed.get()
        over = await ended.get()
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)

    assert tables == [table, over]
    assert "streams ended without answering an act" in str(error)
    assert failed.empty()


async def test_an_act_at_which_the_service_fails_is_an_error_of_its_own(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables, tokens = await players(arena, 2)
    streams = arena.process._streams
    handle = streams.handle

    async def breaks(key: bytes, author: str, *words: Any, **more: Any) -> Any:
        if author == "seat:0" and str(UUID(bytes=key)) == tables[0]:
            raise ZeroDivisionError("a fault of the service")
        return await handle(key, author, *words, **more)

    monkeypatch.setattr(streams, "handle", breaks)
    failed: asyncio.Queue[tuple[str, Exception]] = asyncio.Queue()
    ended: asyncio.Queue[str] = asyncio.Queue()
    wishes = {
        "on_error": lambda view, error: failed.put_nowait((view.table, error)),
        "on_over": lambda view: ended.put_nowait(view.table),
    }
    async with asyncio.timeout(SECONDS):
        playing = [
            asyncio.create_task(play(lowest, arena.address, tokens[player], **(wishes if player == "ann" else {})))
            for player in EVERY_SEAT
        ]
        table, error = await failed.get()
        over = await ended.get()
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
    assert tables == [table, over]
    assert "unexpected error" in str(error)


async def test_a_restart_of_the_service_is_sat_out(arena: Arena) -> None:
    _, tokens = await players(arena, 2, deal_limit=2)
    turns = 0
    enough = asyncio.Event()

    def note(view: TableView, command: Any) -> None:
        nonlocal turns
        turns += 1
        if turns > 30:
            enough.set()

    playing = asyncio.create_task(
        play_all(arena.address, tokens, {}, tables_max=2, on_turn=note, on_trouble=lambda error: None)
    )
    await asyncio.wait_for(enough.wait(), SECONDS)
    await arena.process.stop()
    again = TableProcess(dataclasses.replace(arena.settings, table_listen=arena.address), arena.process._world)
    await again.start()
    try:
        played = await playing
    finally:
        await again.stop()

    assert {2} == {each.ended for each in played.values()}


async def test_single_calls_open_view_act_and_list(arena: Arena) -> None:
    director = AsyncClient(arena.address, await arena.token("director"))
    async with director, AsyncClient(arena.address, await arena.token("player", "ann")) as ann:
        table = await director.open(EVERY_SEAT, profile="classic", knobs={"min_bid": 200}, dealer=3, turn_ms=60_000)
        view = await until_due(ann, table, 0)
        options = view.options
        assert isinstance(options, CallOptions)
        assert 200 == options.lowest
        command = options.sample(random.Random(1))
        act = await ann.act(table, command, view.turn_version, command_id=b"0123456789abcdef")
        again = await ann.act(table, command, view.turn_version, command_id=b"0123456789abcdef")

        assert act == again
        assert view.version + 1 == act.version
        assert "seat:0" == act.author
        with pytest.raises(Rejected) as refusal:
            await ann.act(table, command, view.turn_version)
        assert refusal.value.reason in (Reason.STALE_VERSION, Reason.NOT_YOUR_TURN)
        await ann.view(table, 0, held=view)
        assert act.version == view.version
        assert view.options is None
        assert [table] == [summary.table async for summary in director.list(open=True)]
        assert ["bob"] == [summary.due_player async for summary in director.list_due(player_prefix="bo")]
        assert [] == [summary async for summary in director.list_due(player_prefix="bot:")]
        with pytest.raises(AccessDenied, match="permission denied"):
            await ann.open(EVERY_SEAT)
        with pytest.raises(ClientError, match="not found"):
            await ann.view("00000000-0000-4000-8000-000000000000", 0)


async def test_a_watcher_gets_every_act_once_over_a_connection_that_breaks(arena: Arena) -> None:
    tables, tokens = await players(arena, 1)
    spectator = await arena.token("spectator")
    async with breaking(arena.address, 500) as (address, cuts), AsyncClient(address, spectator) as client:

        async def watched() -> list[Any]:
            return [act async for act in client.watch(tables[0])]

        watching = asyncio.create_task(watched())
        await play_all(arena.address, tokens, {}, tables_max=1)
        acts = await asyncio.wait_for(watching, SECONDS)

    assert len(cuts) >= 2
    assert [act.version for act in await acts_of(arena, tables[0])] == [act.version for act in acts]
    assert isinstance(acts[0].events[0], TableOpened)
    assert isinstance(acts[-1].events[-1], TableClosed)


async def test_bytes_that_are_no_message_are_a_clear_error() -> None:
    async def one(request: bytes, context: Any) -> bytes:
        return b"\xff"

    async def some(request: Any, context: Any) -> AsyncIterator[bytes]:
        yield b"\xff"

    handlers = {
        "View": grpc.unary_unary_rpc_method_handler(one),
        "Watch": grpc.unary_stream_rpc_method_handler(some),
        "Play": grpc.stream_stream_rpc_method_handler(some),
    }
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("pinochle.wire.v1.TableService", handlers),))
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    async with asyncio.timeout(SECONDS), AsyncClient(address, "token") as client:
        with pytest.raises(ClientError, match="an answer cannot be read"):
            await client.view(str(UUID(int=1)))
        with pytest.raises(ClientError, match="an answer cannot be read"):
            await anext(client.watch(str(UUID(int=1))))
        with pytest.raises(ClientError, match="an answer cannot be read"):
            await play(lowest, address, "token")
    await server.stop(None)


async def test_the_example_plays_until_ctrl_c_and_ends_with_exit_code_0(arena: Arena) -> None:
    tables, tokens = await players(arena, 1, dealer=3)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(ROOT / "examples" / "bot.py"),
        arena.address,
        tokens["ann"],
        env={"PYTHONPATH": str(ROOT / "engine"), "PATH": os.defpath},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )

    async def has_acted(client: AsyncClient) -> None:
        async for act in client.watch(tables[0]):
            if act.author == "seat:0":
                return

    async with asyncio.timeout(SECONDS), AsyncClient(arena.address, await arena.token("spectator")) as client:
        acted = asyncio.create_task(has_acted(client))
        exited = asyncio.create_task(process.wait())
        await asyncio.wait((acted, exited), return_when="FIRST_COMPLETED")
        acted.cancel()
        if not exited.done():
            process.send_signal(signal.SIGINT)
        output, errors = await process.communicate()

    assert (0, b"") == (process.returncode, errors)
    assert output.startswith(b"Played(")


async def until_due(client: AsyncClient, table: str, seat: int) -> TableView:
    """The view once its seat is due: the house deals in its own time."""
    async with asyncio.timeout(SECONDS):
        view = await client.view(table, seat)
        while view.options is None:
            await asyncio.sleep(0.02)
            await client.view(table, seat, held=view)
    return view


@asynccontextmanager
async def breaking(address: str, after_bytes: int = 10_000) -> AsyncIterator[tuple[str, list[int]]]:
    """A relay to the address that drops all its connections after so many bytes, and what is on its way with them, and
    again after twice as many each time, so that whatever is long passes at last; the counts of those it dropped."""
    host, _, port = address.rpartition(":")
    pipes: set[asyncio.StreamWriter] = set()
    cuts: list[int] = []
    passed = 0

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal passed, after_bytes
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                passed += len(data)
                if passed >= after_bytes:
                    passed, after_bytes = 0, 2 * after_bytes
                    cut()
                writer.write(data)
                await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        out_reader, out_writer = await asyncio.open_connection(host, int(port))
        pipes.update((writer, out_writer))
        await asyncio.gather(pump(reader, out_writer), pump(out_reader, writer))

    def cut() -> None:
        cuts.append(len(pipes))
        for writer in pipes:
            writer.transport.abort()
        pipes.clear()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}", cuts
    finally:
        server.close()
        for writer in pipes:
            writer.transport.abort()
