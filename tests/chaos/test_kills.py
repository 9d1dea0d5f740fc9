"""kill -9 of every process while a tournament runs: it reaches its end, nothing acknowledged is lost or doubled."""

import asyncio
import itertools
import random
from collections import Counter
from typing import Any
from uuid import UUID

import grpc
import pytest
from pinochle import audit
from pinochle.wire import codec
from pinochle.wire.v1 import access_pb2, access_pb2_grpc, table_pb2_grpc, tournament_pb2, tournament_pb2_grpc
from pinochle.wire.v1 import table_pb2 as pb

from tests.system import RunningSystem, running

KILLED = ("table", "bots-worker", "tournament", "valkey", "postgres", "tournament-worker", "bots", "table")
TEAMS = 8
BETWEEN_KILLS_SECONDS = 3
THINKING_SECONDS = 0.7
TOURNAMENT_SECONDS_MAX = 300
RETRY_SECONDS = 0.2
PASSING = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.ABORTED}
PASSING |= {grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN}

_ids = (number.to_bytes(16, "big") for number in itertools.count(random.getrandbits(100)))


class Client:
    """Calls that are made again, unchanged, until they are answered: what a client that must not lose anything does."""

    def __init__(self, system: RunningSystem, token: str) -> None:
        self.metadata = (("authorization", f"Bearer {token}"),)
        state = system.system.state
        self._channels = [
            grpc.aio.insecure_channel(address, options=(("grpc.max_reconnect_backoff_ms", 500),))
            for address in (state.table_address, state.tournament_address)
        ]
        self.tables = table_pb2_grpc.TableServiceStub(self._channels[0])
        self.access = access_pb2_grpc.AccessServiceStub(self._channels[0])
        self.tournaments = tournament_pb2_grpc.TournamentServiceStub(self._channels[1])
        self.tries = 0

    async def call(self, method: Any, request: Any) -> Any:
        async with asyncio.timeout(60):
            while True:
                self.tries += 1
                try:
                    return await method(request, metadata=self.metadata, timeout=5)
                except grpc.aio.AioRpcError as error:
                    if error.code() not in PASSING:
                        raise
                    await asyncio.sleep(RETRY_SECONDS)

    async def log(self, method: Any, request: Any) -> list[Any]:
        call = method(request, metadata=self.metadata, timeout=30)
        return [act async for page in call for act in page.acts]

    async def close(self) -> None:
        for channel in self._channels:
            await channel.close()


async def remote_player(
    client: Client, tournament: str, acknowledged: dict[bytes, tuple[str, int]], killing: asyncio.Task[list[str]]
) -> None:
    """Play every seat of one player, one call at a time, noting what was acknowledged; until cancelled.

    While there is killing it takes its time, so that the tournament cannot be over before.
    """
    chance = random.Random(7)
    while True:
        listed = await client.call(client.tables.List, pb.ListRequest(tournament=tournament, open=True))
        for table in listed.tables:
            seats = [seat for seat, player in enumerate(table.players) if player == "alice"]
            if table.HasField("due_seat") and table.due_seat in seats:
                await take_turn(client, table.table, table.due_seat, chance, acknowledged)
                await asyncio.sleep(0 if killing.done() else THINKING_SECONDS)
        await asyncio.sleep(0.02)


async def take_turn(
    client: Client, table: str, seat: int, chance: random.Random, acknowledged: dict[bytes, tuple[str, int]]
) -> None:
    view = await client.call(client.tables.View, pb.ViewRequest(table=table, head_only=True, seat=seat))
    options = codec.options_from(view.options, seat)
    if options is None:
        return
    command_id = next(_ids)
    command = codec.player_command_message(options.sample(chance))
    request = pb.ActRequest(
        table=table, seat=seat, expected_version=view.turn_version, command_id=command_id, command=command
    )
    answer = await client.call(client.tables.Act, request)
    if not answer.HasField("rejection"):
        acknowledged[command_id] = (table, answer.version)


async def start(operator: Client) -> str:
    request = tournament_pb2.CreateRequest(
        name="Endurance",
        format=tournament_pb2.TOURNAMENT_FORMAT_KNOCKOUT,
        profile="classic",
        deals=12,
        deal_cap=20,
        tie_deals=2,
        tournament="22222222-2222-4222-8222-222222222222",
    )
    tournament = (await operator.call(operator.tournaments.Create, request)).tournament
    for number in range(TEAMS):
        players = ["alice", "bot:club"] if number == 0 else ["bot:club", "bot:club"]
        entry = tournament_pb2.EnterRequest(tournament=tournament, name=f"Team {number}", players=players)
        await operator.call(operator.tournaments.Enter, entry)
    await operator.call(operator.tournaments.Start, tournament_pb2.StartRequest(tournament=tournament))
    return str(tournament)


async def closed(operator: Client, tournament: str) -> Any:
    while True:
        shown = await operator.call(operator.tournaments.Show, tournament_pb2.ShowRequest(tournament=tournament))
        if shown.phase == "closed":
            return shown
        await asyncio.sleep(0.2)


async def kill_in_turn(system: RunningSystem, done: asyncio.Event) -> list[str]:
    """Kill each process once it works again after the kill before; the names of those that were killed."""
    killed = []
    for name in KILLED:
        try:
            async with asyncio.timeout(BETWEEN_KILLS_SECONDS):
                await done.wait()
            return killed
        except TimeoutError:
            pass
        before = system.kill(name)
        killed.append(name)
        async with asyncio.timeout(60):
            while system.pid(name) in (0, before):  # noqa: ASYNC110 (the supervisor writes a file)
                await asyncio.sleep(0.05)
    return killed


@pytest.mark.timeout(420)
async def test_a_tournament_outlives_kill_9_of_every_process_and_loses_nothing() -> None:
    with running() as system:
        operator = Client(system, system.token)
        made = await operator.call(
            operator.access.CreateToken, access_pb2.CreateTokenRequest(role="player", player="alice")
        )
        alice = Client(system, made.token)
        acknowledged: dict[bytes, tuple[str, int]] = {}
        tournament = await start(operator)
        done = asyncio.Event()
        killing = asyncio.create_task(kill_in_turn(system, done))
        playing = asyncio.create_task(remote_player(alice, tournament, acknowledged, killing))
        async with asyncio.timeout(TOURNAMENT_SECONDS_MAX):
            shown = await closed(operator, tournament)
        done.set()
        killed = await killing
        assert not playing.done(), playing.exception()
        playing.cancel()

        assert list(KILLED) == killed, "the tournament was over before every process had been killed"
        attempts = [attempt for match in shown.matches for attempt in match.attempts]
        assert TEAMS - 1 == sum(match.HasField("winner") for match in shown.matches)
        stored: Counter[bytes] = Counter()
        versions: dict[bytes, tuple[str, int]] = {}
        for attempt in attempts:
            acts = await operator.log(operator.tables.Log, pb.LogRequest(table=attempt.table))
            report = audit.verify_table(UUID(attempt.table), acts)
            assert report.ok, report.problem
            assert tuple(attempt.totals) == audit.rebuild(acts).totals
            for act in acts:
                stored[act.command_id] += 1
                versions[act.command_id] = (attempt.table, act.version)
        log = await operator.log(
            operator.tournaments.Log, tournament_pb2.TournamentServiceLogRequest(tournament=tournament)
        )
        report = audit.verify_tournament(UUID(tournament), log)
        assert report.ok, report.problem
        assert len(acknowledged) > 20
        assert acknowledged == {command_id: versions.get(command_id) for command_id in acknowledged}
        assert {1} == {stored[command_id] for command_id in acknowledged}
        await operator.close()
        await alice.close()
