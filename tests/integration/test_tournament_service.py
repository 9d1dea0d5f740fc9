"""The tournament service on real Postgres, Valkey and gRPC, with a real table service and a real Celery worker."""

import asyncio
import os
import random
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import grpc
import pytest
from pinochle.shuffle import commitment
from pinochle.tournament import (
    TOURNAMENT,
    ByesGiven,
    MatchWon,
    ResultRecorded,
    State,
    TablesPinned,
    TournamentClosed,
)
from pinochle.tournament.lots import table_id
from pinochle.wire import chain, codec
from pinochle.wire import tournament_codec as tournament
from pinochle.wire.v1 import game_pb2, tournament_pb2_grpc
from pinochle.wire.v1 import table_pb2 as table_pb
from pinochle.wire.v1 import tournament_pb2 as pb

from services import hints
from services.assembly import World
from services.broker import make_app
from services.config import Settings
from services.tournament.kind import ADVANCE, QUEUE, SWEEP
from services.tournament.process import TournamentProcess
from tests.conftest import TestDatabase, TestValkey
from tests.integration.conftest import Arena, Caller, command_ids

ROOT = Path(__file__).resolve().parents[2]
WORKER = ["-m", "celery", "-A", "services.tournament.tasks", "worker", "--pool", "solo", "-Q", QUEUE]
END_SECONDS_MAX = 60.0
BOT = ("bot:random", "bot:random")


@dataclass
class Tournaments:
    """A running tournament service beside the arena's table service."""

    __test__ = False
    process: TournamentProcess
    arena: Arena
    channel: grpc.aio.Channel
    settings: Settings
    environ: dict[str, str]
    worker: subprocess.Popen[bytes] | None = None

    @property
    def stub(self) -> Any:
        return tournament_pb2_grpc.TournamentServiceStub(self.channel)

    async def call(self, caller: Caller, method: str, **fields: Any) -> Any:
        """A unary call of the service."""
        request = REQUESTS[method](**fields)
        return await getattr(self.stub, method)(request, metadata=caller.metadata, timeout=10)

    async def create(self, caller: Caller, teams: int = 0, *, start: bool = True, **changes: Any) -> str:
        """A tournament of one short deal a match, with teams of bots; started if it has any."""
        words: dict[str, Any] = {
            "name": "Test",
            "format": pb.TOURNAMENT_FORMAT_KNOCKOUT,
            "profile": "classic",
            "deals": 1,
            "deal_cap": 3,
            "tie_deals": 0 if changes.get("format") == pb.TOURNAMENT_FORMAT_ROUNDS else 1,
        }
        created = await self.call(caller, "Create", **(words | changes))
        for number in range(1, teams + 1):
            await self.call(
                caller,
                "Enter",
                tournament=created.tournament,
                name=f"Team {number}",
                players=BOT,
                number=number,
            )
        if teams and start:
            await self.call(caller, "Start", tournament=created.tournament)
        return str(created.tournament)

    async def closed(self, caller: Caller, tournament_id: str) -> pb.ShowResponse:
        """The tournament as it stands at its end."""

        async def closed() -> pb.ShowResponse | None:
            shown = await self.call(caller, "Show", tournament=tournament_id)
            return shown if shown.phase == "closed" else None

        return await until(closed, END_SECONDS_MAX)

    def start_worker(self) -> None:
        """A real worker in a process of its own."""
        self.worker = subprocess.Popen([sys.executable, *WORKER], env=self.environ, cwd=ROOT)

    def end_worker(self, how: signal.Signals) -> None:
        """End the worker and collect it."""
        if self.worker is not None:
            self.worker.send_signal(how)
            try:
                self.worker.wait(15)
            except subprocess.TimeoutExpired:
                self.worker.kill()
                self.worker.wait(5)
            self.worker = None


async def until(found: Callable[[], Awaitable[Any]], seconds_max: float = 15) -> Any:
    """What `found` finds, asked again and again."""
    async with asyncio.timeout(seconds_max):
        while True:
            if result := await found():
                return result
            await asyncio.sleep(0.05)


REQUESTS: dict[str, Any] = {
    "Create": pb.CreateRequest,
    "Enter": pb.EnterRequest,
    "Withdraw": pb.WithdrawRequest,
    "Start": pb.StartRequest,
    "Replay": pb.ReplayRequest,
    "Show": pb.ShowRequest,
    "List": pb.TournamentServiceListRequest,
}


@pytest.fixture
async def service(arena: Arena, database: TestDatabase, valkey: TestValkey) -> AsyncIterator[Tournaments]:
    """The tournament service, without a worker."""
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
        "TOURNAMENT_ENTRANTS_MAX": "20",
    }
    settings = Settings.load(told)
    world = World(lambda: time.time_ns() // 1_000_000, time.monotonic, asyncio.sleep, secrets.token_bytes)
    process = TournamentProcess(settings, world, make_app(QUEUE, settings))
    port = await process.start()
    channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}")
    environ = {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'engine'}", "PATH": os.defpath, **told}
    running = Tournaments(process, arena, channel, settings, environ)
    yield running
    running.end_worker(signal.SIGTERM)
    await channel.close()
    await process.stop()


@pytest.fixture
def worker(service: Tournaments) -> Iterator[None]:
    """A worker that takes the service's tasks."""
    service.start_worker()
    yield
    service.end_worker(signal.SIGTERM)


@pytest.fixture
async def bots(arena: Arena) -> AsyncIterator[None]:
    """Somebody who plays every seat of a house bot at random, on one stream."""
    caller = await arena.caller("bots")
    task = asyncio.create_task(_play(caller))
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def _play(caller: Caller) -> None:
    chance = random.Random(7)
    outgoing: asyncio.Queue[table_pb.PlayRequest] = asyncio.Queue()

    async def requests() -> AsyncIterator[table_pb.PlayRequest]:
        followed: set[str] = set()
        while True:
            try:
                yield await asyncio.wait_for(outgoing.get(), 0.1)
            except TimeoutError:
                due = await caller.call("ListDue", table_pb.ListDueRequest(player_prefix="bot:"))
                new = {table.table for table in due.tables} - followed
                followed |= new
                yield table_pb.PlayRequest(follow=new)

    async for response in caller.tables.Play(requests(), metadata=caller.metadata):
        acts = []
        for update in response.updates:
            options = codec.options_from(update.options, update.seat)
            if options is not None:
                command = codec.player_command_message(options.sample(chance))
                acts.append(
                    table_pb.ActRequest(
                        table=update.table,
                        expected_version=update.turn_version,
                        command_id=next(command_ids),
                        command=command,
                        seat=update.seat,
                    )
                )
        if acts:
            await outgoing.put(table_pb.PlayRequest(acts=acts))


async def folded(service: Tournaments, caller: Caller, tournament_id: str) -> tuple[State, list[Any]]:
    """The state and the events of a closed tournament, from its log; checks the chain."""
    request = pb.TournamentServiceLogRequest(tournament=tournament_id)
    stored = [
        act async for page in service.stub.Log(request, metadata=caller.metadata, timeout=10) for act in page.acts
    ]
    assert chain.check(stored, bytes.fromhex(tournament_id.replace("-", ""))) is None
    state, events = TOURNAMENT.initial(), []
    for item in stored:
        act = tournament.from_rest(item.version, item.command_id, item.body)
        state = TOURNAMENT.fold(state, act.events, act.at_ms)
        events += act.events
    return state, events


@contextmanager
def refused(code: grpc.StatusCode, words: str) -> Iterator[None]:
    """The block's call ends with this status and says this."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        yield
    assert (code, True) == (caught.value.code(), words in (caught.value.details() or "")), caught.value.details()
    assert "\n" not in (caught.value.details() or "")


@pytest.mark.usefixtures("worker", "bots")
async def test_a_knockout_of_five_bot_teams_reaches_its_champion(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    tournament_id = await service.create(director, 5)
    shown = await service.closed(director, tournament_id)
    state, events = await folded(service, director, tournament_id)
    assert shown.champion == state.champion
    assert [ByesGiven(1, state.order[:3], "top_seeds")] == [e for e in events if isinstance(e, ByesGiven)]
    assert 4 == sum(isinstance(event, MatchWon) for event in events)
    assert commitment(state.created.seed) == state.created.commitment == shown.created.commitment
    assert (3, 4, 1) == (shown.rounds, len(shown.matches), shown.teams[0].seed)
    spectator = await service.arena.caller("spectator")
    tables = [attempt.table for match in shown.matches for attempt in match.attempts]
    listed = await spectator.call("List", table_pb.ListRequest(tables=tables))
    assert {table.table: tuple(table.totals) for table in listed.tables} == {
        event.table: event.totals for event in events if isinstance(event, ResultRecorded)
    }


@pytest.mark.usefixtures("worker", "bots")
async def test_a_tournaments_beat_is_that_of_its_tables(service: Tournaments) -> None:
    director, spectator = await service.arena.caller("director"), await service.arena.caller("spectator")
    tournament_id = await service.create(director, 2, beat_ms=100)
    shown = await service.closed(director, tournament_id)
    assert 100 == shown.created.beat_ms
    view = await spectator.call("View", table_pb.ViewRequest(table=table_id(tournament_id, "r1m1", 1)))
    assert 100 == view.acts[0].events[0].table_opened.beat_ms
    waited = [act.at_ms - before.at_ms for before, act in pairwise(view.acts) if act.author.startswith("seat")]
    assert {0} == {length % 100 for length in waited}
    with refused(grpc.StatusCode.INVALID_ARGUMENT, "beat_ms must be 100 to 5000, not 99"):
        await service.create(director, beat_ms=99)


@pytest.mark.usefixtures("worker", "bots")
async def test_a_round_robin_of_three_bot_teams_ends_with_standings(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    tournament_id = await service.create(director, 3, format=pb.TOURNAMENT_FORMAT_ROUND_ROBIN)
    shown = await service.closed(director, tournament_id)
    assert [1, 2, 3] == [row.rank for row in shown.standings]
    assert [row.team for row in shown.standings] == list(shown.ranking)
    assert shown.standings[0].team == shown.champion


@pytest.mark.usefixtures("bots")
async def test_a_killed_worker_is_made_good_by_the_next(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    service.start_worker()
    tournament_id = await service.create(director, 6)
    for _ in range(3):
        await asyncio.sleep(0.7)
        service.end_worker(signal.SIGKILL)
        service.start_worker()
    shown = await service.closed(director, tournament_id)
    state, _ = await folded(service, director, tournament_id)
    assert 5 == len(state.matches)
    assert shown.champion == state.champion


@pytest.mark.usefixtures("bots")
async def test_without_a_broker_the_service_advances_by_itself(service: Tournaments, valkey: TestValkey) -> None:
    director = await service.arena.caller("director")
    tournament_id = await service.create(director, 3, start=False)
    valkey.kill()
    try:
        await service.call(director, "Start", tournament=tournament_id)
        shown = await service.closed(director, tournament_id)
    finally:
        valkey.restart()
    assert shown.HasField("champion")


@pytest.mark.usefixtures("worker", "bots")
async def test_a_watcher_gets_every_act_once_and_the_seed_at_the_end(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    spectator = await service.arena.caller("spectator")
    tournament_id = await service.create(director, 3, start=False)
    request = pb.TournamentServiceWatchRequest(tournament=tournament_id, after_version=1)
    watching = service.stub.Watch(request, metadata=spectator.metadata, timeout=END_SECONDS_MAX)
    await service.call(director, "Start", tournament=tournament_id)
    responses = [response async for response in watching]
    acts = [act for response in responses for act in response.acts]
    assert list(range(2, len(acts) + 2)) == [act.version for act in acts]
    pinned, last = tournament.events_from(acts[-1])
    assert isinstance(pinned, TablesPinned)
    assert isinstance(last, TournamentClosed)
    log = service.stub.Log(
        pb.TournamentServiceLogRequest(tournament=tournament_id), metadata=spectator.metadata, timeout=END_SECONDS_MAX
    )
    assert {b"", [act async for page in log for act in page.acts][-1].hash} == {one.head for one in responses}
    heads = (await spectator.call("Heads", table_pb.HeadsRequest(tables=[one.table for one in pinned.tables]))).heads
    assert {(one.table, one.acts, one.head) for one in heads} == set(pinned.tables)
    assert {"director", "house"} == {act.author for act in acts}


@pytest.mark.usefixtures("worker")
async def test_a_voided_table_and_a_replayed_match_are_played_anew(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    tournament_id = await service.create(director, 2)
    first, second, third = (table_id(tournament_id, "r1m1", attempt) for attempt in (1, 2, 3))

    async def ends(*tables: str) -> list[str] | None:
        answer = await director.call("List", table_pb.ListRequest(tables=tables))
        return [table.end_reason for table in answer.tables]

    async def are(expected: list[str], *tables: str) -> bool:
        return await ends(*tables) == expected

    await until(lambda: are([""], first))
    await director.call("Void", table_pb.VoidRequest(table=first, reason="a test"))
    await until(lambda: are(["void", ""], first, second))
    await service.call(director, "Replay", tournament=tournament_id, match="r1m1", attempt=2, reason="a test")
    await until(lambda: are(["void", "void", ""], first, second, third))
    shown = await service.call(director, "Show", tournament=tournament_id)
    assert ["replaced", "replaced", "wanted"] == [a.status for a in shown.matches[0].attempts]


@pytest.mark.usefixtures("worker")
async def test_doubled_tasks_and_tasks_for_nothing_do_no_harm(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    tournament_id = await service.create(director, 2)
    app = make_app(QUEUE, service.settings)
    for words in [(ADVANCE, tournament_id)] * 5 + [(ADVANCE, str(uuid4())), (ADVANCE, "x"), (SWEEP,)]:
        await asyncio.to_thread(hints.send, app, *words, now_ms=0, seconds_max=30)

    async def is_done() -> bool:
        return not (await asyncio.to_thread(hints.backlog, app, 0)).tasks

    await until(is_done)
    request = table_pb.ListRequest(tables=[table_id(tournament_id, "r1m1", 1)])
    assert 1 == len((await director.call("List", request)).tables)
    shown = await service.call(director, "Show", tournament=tournament_id)
    assert 4 == shown.version


async def test_the_backlog_tells_how_many_tasks_wait_and_since_when(service: Tournaments) -> None:
    app = make_app("a-queue-of-this-test", service.settings)
    assert (0, 0) == await asyncio.to_thread(hints.backlog, app, 5_000)
    for now_ms in (1_000, 2_000):
        await asyncio.to_thread(hints.send, app, SWEEP, now_ms=now_ms, seconds_max=30)
    assert (2, 4_000) == await asyncio.to_thread(hints.backlog, app, 5_000)


async def test_creating_and_entering_again_is_answered_alike(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    tournament_id = str(uuid4())
    words: dict[str, Any] = {"tournament": tournament_id, "name": "Twice", "format": 1, "deal_cap": 9}
    answers = [await service.call(director, "Create", profile="classic", **words) for _ in range(2)]
    assert answers[0] == answers[1]
    entry: dict[str, Any] = {"tournament": tournament_id, "name": "Aces", "players": ("ann", "bob")}
    entered = [await service.call(director, "Enter", **entry) for _ in range(2)]
    commitment = answers[0].commitment
    assert 32 == len(commitment)
    assert entered[0] == entered[1] == pb.EnterResponse(team=0, version=2, commitment=commitment)
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "already_open"):
        await service.call(director, "Create", profile="danish", **words)


async def test_a_list_pages_through_tournaments(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    made = sorted([await service.create(director, name=f"N{number}") for number in range(5)])
    found: list[str] = []
    after = ""
    while True:
        page = await service.call(director, "List", limit=2, after=after, open=True)
        found += [summary.tournament for summary in page.tournaments]
        after = page.next
        if not after:
            break
    assert made == found
    assert [] == list((await service.call(director, "List", open=False)).tournaments)


async def test_the_seed_is_shown_to_nobody_before_the_end(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    seed = secrets.token_bytes(32)
    tournament_id = await service.create(director, 2, seed=seed)
    shown = await service.call(director, "Show", tournament=tournament_id)
    request = pb.TournamentServiceWatchRequest(tournament=tournament_id)
    first = await anext(aiter(service.stub.Watch(request, metadata=director.metadata, timeout=10)))
    assert seed not in shown.SerializeToString() + first.SerializeToString()
    assert commitment(seed) == shown.created.commitment
    log = pb.TournamentServiceLogRequest(tournament=tournament_id)
    with refused(grpc.StatusCode.PERMISSION_DENIED, "when it has ended"):
        await anext(aiter(service.stub.Log(log, metadata=director.metadata, timeout=10)))


BAD: list[tuple[str, dict[str, Any], grpc.StatusCode, str]] = [
    ("Create", {"profile": "nope"}, grpc.StatusCode.INVALID_ARGUMENT, "unknown profile"),
    ("Create", {"format": 0}, grpc.StatusCode.INVALID_ARGUMENT, "the format is missing"),
    ("Create", {"format": 9}, grpc.StatusCode.INVALID_ARGUMENT, "format 9 does not exist"),
    ("Create", {"deal_cap": 0}, grpc.StatusCode.INVALID_ARGUMENT, "deal_cap must be"),
    ("Create", {"profile": "three-handed-stock"}, grpc.StatusCode.INVALID_ARGUMENT, "format knockout needs two sides"),
    ("Create", {"tournament": "x"}, grpc.StatusCode.INVALID_ARGUMENT, "not an id"),
    ("Create", {"seed": b"x"}, grpc.StatusCode.INVALID_ARGUMENT, "a seed has 32 bytes"),
    ("Create", {"name": ""}, grpc.StatusCode.INVALID_ARGUMENT, "length of name"),
    (
        "Create",
        {"knobs": [game_pb2.Knob(name="x", value="1")]},
        grpc.StatusCode.INVALID_ARGUMENT,
        "unknown knob",
    ),
    ("Enter", {"players": ("bot:nope", "ann")}, grpc.StatusCode.INVALID_ARGUMENT, "no house bot"),
    ("Enter", {"players": ("a b", "ann")}, grpc.StatusCode.INVALID_ARGUMENT, "not a player id"),
    ("Enter", {"players": ("ann",)}, grpc.StatusCode.INVALID_ARGUMENT, "players in a team"),
    ("Enter", {"players": ("ann", "ann")}, grpc.StatusCode.FAILED_PRECONDITION, "illegal_entry"),
    ("Enter", {"tournament": str(uuid4())}, grpc.StatusCode.NOT_FOUND, "nothing with the id"),
    ("Withdraw", {"team": 4_000_000_000}, grpc.StatusCode.FAILED_PRECONDITION, "no team"),
    ("Start", {}, grpc.StatusCode.FAILED_PRECONDITION, "2 teams are needed"),
    (
        "Replay",
        {"match": "r1m1", "attempt": 1, "reason": "x"},
        grpc.StatusCode.FAILED_PRECONDITION,
        "unknown_match",
    ),
    ("Show", {"tournament": "garbage"}, grpc.StatusCode.INVALID_ARGUMENT, "not an id"),
    ("List", {"limit": 101}, grpc.StatusCode.INVALID_ARGUMENT, "at most 100"),
]


async def test_bad_input_gets_a_clear_status_and_writes_nothing(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    tournament_id = await service.create(director)
    good: dict[str, dict[str, Any]] = {
        "Create": {"name": "Bad", "format": 1, "profile": "classic", "deal_cap": 9},
        "Enter": {"tournament": tournament_id, "name": "Aces", "players": ("ann", "bob")},
        "List": {},
    }
    for method, change, code, words in BAD:
        with refused(code, words):
            await service.call(director, method, **(good.get(method, {"tournament": tournament_id}) | change))
    page = await service.call(director, "List")
    assert [(tournament_id, 1)] == [(summary.tournament, summary.version) for summary in page.tournaments]


async def test_bytes_that_are_no_message_are_refused(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    call = service.channel.unary_unary("/pinochle.wire.v1.TournamentService/Create")
    with refused(grpc.StatusCode.INVALID_ARGUMENT, ""):
        await call(b"\xff\xff\xff", metadata=director.metadata, timeout=10)


async def test_a_message_above_the_limit_is_refused(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    with refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "larger"):
        await service.call(director, "Show", tournament="x" * 2_000_000)


async def test_a_tournament_takes_no_more_teams_than_the_service_allows(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    tournament_id = await service.create(director, 20, start=False)
    with refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "20 teams"):
        await service.call(director, "Enter", tournament=tournament_id, name="Late", players=BOT)


async def test_only_directors_run_tournaments_and_a_token_is_needed_to_look(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    tournament_id = await service.create(director)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("Create", {"name": "Mine", "format": 1, "profile": "classic", "deal_cap": 9}),
        ("Enter", {"tournament": tournament_id, "name": "Mine", "players": BOT}),
        ("Withdraw", {"tournament": tournament_id}),
        ("Start", {"tournament": tournament_id}),
        ("Replay", {"tournament": tournament_id}),
    ]
    others = [await service.arena.caller(role) for role in ("spectator", "bots", "service")]
    others.append(await service.arena.caller("player", "ann"))
    others.append(await service.arena.caller("director", stream=str(uuid4())))
    for caller in others:
        for method, fields in calls:
            with refused(grpc.StatusCode.PERMISSION_DENIED, ""):
                await service.call(caller, method, **fields)
    nobody, unknown = service.arena.with_token(None), service.arena.with_token("pin_" + "x" * 43)
    for caller in (nobody, unknown):
        with refused(grpc.StatusCode.UNAUTHENTICATED, "token"):
            await service.call(caller, "Show", tournament=tournament_id)
    elsewhere = await service.arena.caller("spectator", stream=str(uuid4()))
    with refused(grpc.StatusCode.PERMISSION_DENIED, "another"):
        await service.call(elsewhere, "Show", tournament=tournament_id)


async def test_a_watcher_from_beyond_the_end_is_told_so(service: Tournaments) -> None:
    director = await service.arena.caller("director")
    request = pb.TournamentServiceWatchRequest(tournament=await service.create(director), after_version=99)
    with refused(grpc.StatusCode.OUT_OF_RANGE, "at version 1"):
        await anext(aiter(service.stub.Watch(request, metadata=director.metadata, timeout=10)))
