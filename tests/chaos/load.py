"""The load: real clients that play, act, watch, look and direct, and go on through whatever happens."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from random import Random
from typing import Any

import grpc
from pinochle.client.channel import AsyncClient
from pinochle.client.errors import AheadOfLog, ClientError, NewerServer
from pinochle.client.stream import PlayStream
from pinochle.client.tables import TableView
from pinochle.wire import codec
from pinochle.wire.v1 import access_pb2, access_pb2_grpc, tournament_pb2, tournament_pb2_grpc
from pinochle.wire.v1 import table_pb2 as pb

from tests.chaos.arena import Arena
from tests.chaos.record import SPECTATOR, RecordedStub, Recorder

OUTAGE_SECONDS_MAX = 120.0
CALL_SECONDS_MAX = 4.0
ANSWER_SECONDS_MAX = 4.0
SILENCE_SECONDS_MAX = 12.0
"""A watched tournament gives a sign of life every few seconds."""
PROBES = 3
REPEATED, AT_ONCE, ALTERED = 0.2, 0.1, 0.05
"""How often an acknowledged command is sent again, at the same moment twice, and again with another body."""


@dataclass(frozen=True, slots=True)
class Size:
    """How many tables are played at the same time, by whom, and how long players think at most."""

    streamed: int = 6  # over Play streams
    mixed: int = 3  # over Play streams, beside house bots
    unary: int = 3  # one call at a time
    tournaments: int = 1  # of house bots
    deals: int = 1
    thinking_seconds: float = 0.06
    program_seconds: tuple[float, float] = (4.0, 20.0)  # after which a program vanishes and comes again


@dataclass(slots=True)
class Load:
    """Everything that runs against the arena; `stop_opening` lets it come to its end."""

    arena: Arena
    recorder: Recorder
    chance: Random
    size: Size
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict)  # players by table, of those under way
    ended: int = 0
    tournaments_ended: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    surprises: list[str] = field(default_factory=list)
    is_opening: bool = True
    _tokens: dict[str, str] = field(default_factory=dict)
    _clients: list[AsyncClient] = field(default_factory=list)
    _openers: list[asyncio.Task[None]] = field(default_factory=list)
    _others: list[asyncio.Task[None]] = field(default_factory=list)

    async def start(self) -> None:
        """Make tokens and clients, and begin."""
        director = self._client("directors", self.arena.token)
        access = access_pb2_grpc.AccessServiceStub(director._channel)
        for number in range(4):
            for kind in "pq":
                player = f"{kind}{number}"
                request = access_pb2.CreateTokenRequest(role="player", player=player)
                self._tokens[player] = (await director.call(access.CreateToken, request)).token
        size = self.size
        for number in range(4):
            self._others.append(self._task(self._program(f"p{number}")))
        for number in range(size.streamed + size.mixed):
            self._openers.append(self._task(self._tables(director, number, number < size.streamed)))
        actors = [self._client(f"q{number}", self._tokens[f"q{number}"]) for number in range(4)]
        for number in range(size.unary):
            self._openers.append(self._task(self._driven(director, number, actors)))
        for _ in range(size.tournaments):
            self._openers.append(self._task(self._tournaments(director)))
        self._others.append(self._task(self._looks(actors)))

    async def drain(self, seconds_max: float) -> None:
        """Open nothing more, and wait for what is open to end; TimeoutError names what does not."""
        self.is_opening = False
        _, late = await asyncio.wait(self._openers, timeout=seconds_max)
        if late:
            raise TimeoutError(
                f"{len(self.tables)} tables and {len(late) - len(self.tables)} tournaments or more did not end within "
                f"{seconds_max:g} seconds: {', '.join(sorted(self.tables)[:5])}"
            )

    async def probe(self, seconds_max: float) -> None:
        """Tables of house bots alone are played at their usual pace again, whichever services they come upon."""
        director = self._client("directors", self.arena.token)
        for _ in range(PROBES):
            for name in ("directors to table", "bots-worker to table"):
                self.arena.links[name].cut()
            tables = [await self._open(director, ("bot:club", "bot:random") * 2) for _ in range(2)]
            watching = asyncio.gather(*(self._watched(director, table) for table in tables))
            try:
                async with asyncio.timeout(seconds_max):
                    await watching
            except TimeoutError:
                text = f"tables of house bots alone were not played within {seconds_max:g} seconds, all faults over"
                raise TimeoutError(text) from None

    async def stop(self) -> None:
        """End every client."""
        for task in (*self._openers, *self._others):
            task.cancel()
        await asyncio.gather(*self._openers, *self._others, return_exceptions=True)
        for client in self._clients:
            await client.close()

    def failure(self) -> BaseException | None:
        """What has ended a part of the load that should have gone on."""
        for task in (*self._openers, *self._others):
            if task.done() and not task.cancelled() and task.exception() is not None:
                return task.exception()
        return None

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return asyncio.create_task(work)

    def _client(self, link: str, token: str) -> AsyncClient:
        client = AsyncClient(
            self.arena.address(f"{link} to table"),
            token,
            call_seconds_max=CALL_SECONDS_MAX,
            outage_seconds_max=OUTAGE_SECONDS_MAX,
        )
        client.stub = RecordedStub(client.stub, self.recorder)
        self._clients.append(client)
        return client

    # -- tables

    async def _open(self, director: AsyncClient, players: tuple[str, ...]) -> str:
        """A new table, asked for until it is there."""
        request = pb.OpenRequest(
            table=str(uuid.uuid4()), profile="classic", players=players, deal_limit=self.size.deals,
            turn_ms=self.chance.choice((1_500, 10_000, 60_000)),
        )  # fmt: skip
        answer = await director.call(director.stub.Open, request)
        self.recorder.add(
            "opened", answer.table, version=answer.version, commitment=answer.commitment, players=list(players)
        )
        self.tables[answer.table] = players
        self.counts["tables"] += 1
        return str(answer.table)

    async def _tables(self, director: AsyncClient, number: int, all_ours: bool) -> None:
        """One table after the other, played by programs, each watched from act 1 to its end."""
        watcher = self._client(f"watchers-{number % 3}", self.arena.token)
        while self.is_opening:
            players = ["p0", "p1", "p2", "p3"]
            self.chance.shuffle(players)
            if not all_ours:
                players[number % 2] = "bot:club"
                players[2 + number % 2] = "bot:random"
            table = await self._open(director, tuple(players))
            await self._watched(watcher, table)

    async def _watched(self, watcher: AsyncClient, table: str) -> None:
        """A spectator of a table, until it is closed."""
        async for _ in watcher.watch(table):
            self.counts["acts watched"] += 1
        del self.tables[table]
        self.ended += 1

    # -- programs over Play streams

    async def _program(self, player: str) -> None:
        """A player's program: it plays for a while, vanishes, and comes again with what it held, or with nothing."""
        held: dict[tuple[str, int], TableView] = {}
        while True:
            self.counts["programs started"] += 1
            client = self._client(player, self._tokens[player])
            stream = PlayStream(client, lambda view, error: None, answer_seconds_max=ANSWER_SECONDS_MAX)
            stream._on_update = _Thinker(stream, self.chance, self.size.thinking_seconds, self._surprise).changed
            stream.views.update(held)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.chance.uniform(*self.size.program_seconds)):
                    await stream.run()
            stream.stop()
            await client.close()
            self._clients.remove(client)
            held = dict(stream.views) if self.chance.random() < 0.5 else {}

    def _surprise(self, text: str) -> None:
        self.surprises.append(text)

    # -- actors, one call at a time

    async def _driven(self, director: AsyncClient, number: int, actors: list[AsyncClient]) -> None:
        """One table after the other whose four seats make single calls."""
        watcher = self._client(f"watchers-{number % 3}", self.arena.token)
        while self.is_opening:
            table = await self._open(director, ("q0", "q1", "q2", "q3"))
            watching = asyncio.create_task(self._watched(watcher, table))
            try:
                await self._drive(table, actors)
                await watching
            finally:
                watching.cancel()

    async def _drive(self, table: str, actors: list[AsyncClient]) -> None:
        due = 0
        while True:
            request = pb.ViewRequest(table=table, head_only=True, seat=due)
            view = await actors[due].call(actors[due].stub.View, request)
            if view.over:
                return
            if view.HasField("due_seat") and view.due_seat != due:
                due = view.due_seat
            elif view.HasField("options"):
                await self._act(table, due, view, actors[due])
            else:
                await asyncio.sleep(0.02)  # the house is on turn

    async def _act(self, table: str, seat: int, view: pb.ViewResponse, actor: AsyncClient) -> None:
        options = codec.options_from(view.options, seat)
        if options is None:
            return

        def request(command_id: bytes) -> pb.ActRequest:
            command = codec.player_command_message(options.sample(self.chance))
            return pb.ActRequest(
                table=table, seat=seat, expected_version=view.turn_version, command_id=command_id, command=command
            )

        first = request(uuid.uuid4().bytes)
        if self.chance.random() < AT_ONCE:
            answers = await asyncio.gather(*(actor.call(actor.stub.Act, first) for _ in range(3)))
            self.counts["commands sent at once"] += 1
            told = {answer.version for answer in answers if not answer.HasField("rejection")}
            if len(told) > 1:
                self._surprise(f"table {table}: command {first.command_id.hex()} was told to be acts {sorted(told)}")
        else:
            await actor.call(actor.stub.Act, first)
        if self.chance.random() < REPEATED:
            self.counts["commands repeated"] += 1
            await actor.call(actor.stub.Act, first)
        if self.chance.random() < ALTERED:
            await self._alter(request(first.command_id), first, actor)
        await asyncio.sleep(self.chance.random() * self.size.thinking_seconds)

    async def _alter(self, other: pb.ActRequest, first: pb.ActRequest, actor: AsyncClient) -> None:
        """The id of a command with another body: an error, or a refusal where the first was refused."""
        if other.command == first.command:
            return
        self.counts["ids used again"] += 1
        try:
            await actor.call(actor.stub.Act, other)
        except ClientError as error:
            if "used for another command" not in str(error):
                raise

    # -- others

    async def _looks(self, actors: list[AsyncClient]) -> None:
        """Look at tables from some version on, as a seat or as a spectator, again and again."""
        spectator = self._client("watchers-0", self.arena.token)
        while True:
            await asyncio.sleep(0.15)
            tables = list(self.tables.items())
            if not tables:
                continue
            table, players = self.chance.choice(tables)
            request = pb.ViewRequest(table=table, after_version=self.chance.randrange(1, 10))
            client = spectator
            if players[0] == "q0" and self.chance.random() < 0.7:
                request.seat = seat = self.chance.randrange(4)
                client = actors[seat]
            with contextlib.suppress(AheadOfLog):  # it has not come so far yet
                await client.call(client.stub.View, request)
                self.counts["looks"] += 1

    async def _tournaments(self, director: AsyncClient) -> None:
        """One knockout of house bots after the other."""
        address = self.arena.address("directors to tournament")
        options = (("grpc.max_reconnect_backoff_ms", 1_000), ("grpc.initial_reconnect_backoff_ms", 100))
        async with grpc.aio.insecure_channel(address, options) as channel:
            stub = tournament_pb2_grpc.TournamentServiceStub(channel)
            while self.is_opening:
                tournament = await self._create(director, stub)
                await self._watch_tournament(director, stub, tournament)
                self.recorder.add("result", tournament, **await self._shown(director, stub, tournament))
                self.tournaments_ended += 1

    async def _create(self, director: AsyncClient, stub: Any) -> str:
        create = tournament_pb2.CreateRequest(
            tournament=str(uuid.uuid4()), name="Endurance", profile="classic", deals=1, deal_cap=3, tie_deals=1,
            format=tournament_pb2.TOURNAMENT_FORMAT_KNOCKOUT,
        )  # fmt: skip
        made = await director.call(stub.Create, create)
        tournament = str(made.tournament)
        self.recorder.add(
            "directed", tournament, directive="CreateTournament", version=made.version, commitment=made.commitment
        )
        for number in range(4):
            bots = ["bot:club", "bot:random"]
            entry = tournament_pb2.EnterRequest(tournament=tournament, name=f"Team {number}", players=bots)
            entered = await director.call(stub.Enter, entry)
            self.recorder.add(
                "directed", tournament, directive="EnterTeam", version=entered.version, team=entered.team
            )
        started = await director.call(stub.Start, tournament_pb2.StartRequest(tournament=tournament))
        self.recorder.add("directed", tournament, directive="StartTournament", version=started.version)
        self.counts["tournaments"] += 1
        return tournament

    async def _watch_tournament(self, director: AsyncClient, stub: Any, tournament: str) -> None:
        """Every act of a tournament, over as many streams as it takes, until it is closed."""
        version, retry = 0, director.retry()
        while True:
            request = tournament_pb2.TournamentServiceWatchRequest(tournament=tournament, after_version=version)
            call = stub.Watch(request, metadata=director.metadata)
            try:
                while True:
                    async with asyncio.timeout(SILENCE_SECONDS_MAX):
                        news = await call.read()
                    if news is grpc.aio.EOF:
                        await asyncio.sleep(0.1)
                        break
                    retry.answered()
                    self.recorder.acts("tournament", tournament, SPECTATOR, news.acts)
                    version = max([version, *(act.version for act in news.acts)])
                    if news.head:
                        self.recorder.add("head", tournament, version=version, head=news.head.hex())
                        return
            except (grpc.aio.AioRpcError, TimeoutError) as error:
                await retry.wait(error)
            finally:
                call.cancel()

    async def _shown(self, director: AsyncClient, stub: Any, tournament: str) -> dict[str, Any]:
        """What a closed tournament is shown as."""
        show = await director.call(stub.Show, tournament_pb2.ShowRequest(tournament=tournament))
        attempts = [
            [match.match, attempt.number, attempt.table, list(attempt.totals)]
            for match in show.matches
            for attempt in match.attempts
        ]
        return {"phase": show.phase, "version": show.version, "head": show.head.hex(), "attempts": attempts}


class _Thinker:
    """Answers the turns of one stream, each after a while."""

    def __init__(
        self, stream: PlayStream, chance: Random, seconds_max: float, surprise: Callable[[str], None]
    ) -> None:
        self._stream = stream
        self._chance = chance
        self._seconds_max = seconds_max
        self._surprise = surprise
        self._asked: dict[tuple[str, int], int] = {}

    def changed(self, view: TableView, error: Exception | None) -> None:
        """News of one table."""
        if isinstance(error, AheadOfLog | NewerServer):
            self._surprise(f"table {view.table}: {error}")
        key = (view.table, view.seat or 0)
        if view.options is None or self._asked.get(key) == view.turn_version:
            return
        self._asked[key] = view.turn_version
        wait = self._chance.random() * self._seconds_max
        asyncio.get_running_loop().call_later(wait, self._answer, view, view.turn_version)

    def _answer(self, view: TableView, turn: int) -> None:
        if view.options is not None and view.turn_version == turn and not self._stream._stopped.is_set():
            self._stream.answer(view, view.options.sample(self._chance))


