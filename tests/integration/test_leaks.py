"""The law on hidden cards over real sockets: gRPC, a subscription to Valkey, the metrics endpoint, lines of the log.

One game is played on the real table service, on Postgres, once with the script's deal and once with another that a
viewer cannot tell from it. Clock, entropy and seed are the same, and so must be every byte that reaches the viewer.
"""

import asyncio
import io
import logging
import random
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from uuid import UUID

import grpc
import psycopg
import pytest
import redis.asyncio
from pinochle.commands import CloseTable, DealCards, OpenTable
from pinochle.events import HandDealt
from pinochle.redact import Viewer, redact
from pinochle.rules import load
from pinochle.wire import codec
from pinochle.wire.knobs import rules_message
from pinochle.wire.v1 import table_pb2 as pb
from pinochle.wire.v1.bus_pb2 import Nudges
from prometheus_client import disable_created_metrics

from services import bus, metrics
from services.assembly import World
from services.auth import Principal, TokenStore, new_token
from services.bus import CHANNEL
from services.config import Settings
from services.local.processes import free_port
from services.table import house
from services.table.process import TableProcess
from tests.conftest import TestDatabase, TestValkey
from tests.leaks.process import change
from tests.leaks.script import GRACE_MS, PLAYERS, TURN_MS, Script, played
from tests.leaks.worlds import Other, others

TABLE = UUID(int=1 << 90, version=4)
SERVICE = "/pinochle.wire.v1.TableService/"
WAIT_SECONDS = 20
TIMED = ("commit_", "clock_drift", "sweep_", "python_", "process_", "nudge", "cached_", "open_")
"""Metrics that count batches, sweeps and streams as they happen to come, or the Python process."""
ACTS_MIN = 20
"""Acts of the first deal at least for which two worlds agree."""


@dataclass
class Told:
    """What reached a viewer: by act what came on its streams and the bus, and then answers, metrics, log."""

    acts: list[tuple[Any, ...]] = field(default_factory=list)
    answers: list[bytes] = field(default_factory=list)
    figures: Any = None
    log: str = ""


@pytest.fixture(scope="module")
def metrics_port() -> Iterator[int]:
    disable_created_metrics()
    port = free_port(set())
    metrics.serve(port)
    return port


@pytest.mark.parametrize(("profile", "viewer"), [("classic", 0), ("classic-swap3", None), ("two-handed", 1)])
async def test_every_byte_that_reaches_a_viewer_is_the_same_in_a_world_that_it_cannot_tell_from_this_one(
    profile: str, viewer: Viewer, database: TestDatabase, valkey: TestValkey, metrics_port: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    mine, theirs = await both(profile, viewer, database, valkey, metrics_port, monkeypatch)
    assert ACTS_MIN - 1 <= len(mine.acts)
    assert mine.acts == theirs.acts
    assert mine.answers == theirs.answers
    assert mine.figures == theirs.figures
    assert mine.log == theirs.log


async def test_a_hand_that_is_shown_is_found_over_real_sockets(
    database: TestDatabase, valkey: TestValkey, metrics_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shows_all(event: Any, viewer: Viewer) -> Any:
        return event if isinstance(event, HandDealt) else redact(event, viewer)

    monkeypatch.setattr(codec, "redact", shows_all)
    mine, theirs = await both("classic", 0, database, valkey, metrics_port, monkeypatch)
    assert mine.acts != theirs.acts
    assert mine.answers != theirs.answers


async def both(
    profile: str, viewer: Viewer, database: TestDatabase, valkey: TestValkey, port: int, monkeypatch: pytest.MonkeyPatch
) -> list[Told]:
    """A world and another one, as the viewer knows them up to where they part."""
    script, other = worlds(profile, viewer)
    monkeypatch.setattr(bus, "GATHER_SECONDS", 0)  # what shares a message follows from the time that things take
    told = []
    for world in (None, other):
        monkeypatch.setattr(house, "due_command", dealing(script, world))
        told.append(await one(script, world, other.end, viewer, database, valkey, port))
    return told


def worlds(profile: str, viewer: Viewer) -> tuple[Script, Other]:
    """A game, and another deal that the viewer cannot tell from its first one for long enough."""
    rules = load(profile)
    for number in count():
        chance = random.Random(number)
        opening = OpenTable(rules, PLAYERS[: rules.players], 0, chance.randbytes(32), b"", TURN_MS, GRACE_MS, 1)
        script = played(number, profile, opening, chance, expires=False)
        for other in others(script, viewer, chance):
            if other.start == 1 and other.end >= ACTS_MIN and len(deals(script, other.end)) == 1:
                return script, other
    raise AssertionError("there is always one")


def deals(script: Script, end: int) -> list[int]:
    return [at for at, line in enumerate(script.lines[: end + 1]) if isinstance(line.command, DealCards)]


def dealing(script: Script, other: Other | None) -> Any:
    """What the house does, with the decks of a world."""

    def due(state: Any) -> Any:
        line = script.lines[state.version].command
        if other and state.version == other.start:
            return other.commands[0]
        return line if isinstance(line, (DealCards, CloseTable)) else None

    return due


async def one(
    script: Script, other: Other | None, end: int, viewer: Viewer, database: TestDatabase, valkey: TestValkey, port: int
) -> Told:
    """Play one world on a service of its own, and note all that the viewer gets."""
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        admin.execute("truncate tables.acts, tables.streams, auth.tokens cascade")
    now, drawn = [script.lines[0].at_ms], [0]

    def entropy(size: int) -> bytes:
        drawn[0] += 1
        return drawn[0].to_bytes(size, "big")

    settings = Settings.load({
        "TABLES_DATABASE_URL": database.tables_url, "REDIS_URL": valkey.url, "TABLE_LISTEN": "127.0.0.1:0",
        "HEARTBEAT_SECONDS": "300", "SWEEP_SECONDS": "600", "HEADS_CHECK_SECONDS": "60", "DRAIN_SECONDS_MAX": "1",
    })  # fmt: skip
    lines = io.StringIO()
    handler = logging.StreamHandler(lines)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    process = TableProcess(settings, World(lambda: now[0], time.monotonic, asyncio.sleep, entropy))
    port_grpc = await process.start()
    logging.getLogger("services").addHandler(handler)
    logging.getLogger("services").setLevel(logging.INFO)
    visit = Visit(f"127.0.0.1:{port_grpc}", valkey.url)
    try:
        await visit.connect(database, script, viewer, entropy, lambda: now[0])
        return await visit.play(script, other, end, now, port, lines)
    finally:
        logging.getLogger("services").removeHandler(handler)
        await visit.close()
        await process.stop()


class Visit:
    """A viewer's connections, and those of the players who act."""

    def __init__(self, address: str, redis_url: str) -> None:
        self.channel = grpc.aio.insecure_channel(address)
        self.redis = redis.asyncio.Redis.from_url(redis_url)
        self.nudges: asyncio.Queue[bytes] = asyncio.Queue()
        self.messages: asyncio.Queue[bytes] = asyncio.Queue()
        self.tasks: list[asyncio.Task[None]] = []
        self.tokens: dict[str, str] = {}

    async def connect(
        self, database: TestDatabase, script: Script, viewer: Viewer, entropy: Any, clock_ms: Any
    ) -> None:
        """Make tokens, open the table, wait for the deal, and begin to listen."""
        store = TokenStore(database.tables_url, clock_ms=clock_ms, clock=time.monotonic)
        await store.start()
        for role, player in (("director", None), ("spectator", None), *(("player", name) for name in PLAYERS)):
            text = new_token(entropy)
            await store.create(text, Principal(role, player, None, None, entropy(6).hex()))
            self.tokens[player or role] = text
        await store.close()
        self.viewer = viewer
        self.token = self.tokens["spectator"] if viewer is None else self.tokens[PLAYERS[viewer]]
        subscription = self.redis.pubsub(ignore_subscribe_messages=True)
        await subscription.subscribe(CHANNEL.format("tables"))
        self.tasks.append(asyncio.create_task(self._hear(subscription)))
        opening = script.opening
        request = pb.OpenRequest(
            table=str(TABLE), profile="classic", knobs=rules_message(opening.rules).knobs, players=opening.players,
            dealer=opening.dealer, seed=opening.seed, turn_ms=opening.turn_ms, deal_limit=opening.deal_limit,
        )  # fmt: skip
        pb.OpenResponse.FromString(await self.call("Open", request, self.tokens["director"]))
        async with asyncio.timeout(WAIT_SECONDS):
            await self._nudge(2)
        self.tasks.append(asyncio.create_task(self._watch()))

    async def play(
        self, script: Script, other: Other | None, end: int, now: list[int], port: int, lines: io.StringIO
    ) -> Told:
        """Play on up to a line, each act when the one before has come through everywhere."""
        told = Told(acts=[(await self._message(2),)])
        before = await asyncio.to_thread(scraped, port)
        for at in range(2, end + 1):
            command: Any = other.commands[at - other.start] if other else script.lines[at].command
            if isinstance(command, CloseTable):
                end = at - 1
                break
            now[0] = script.lines[at].at_ms
            request = pb.ActRequest(
                table=str(TABLE), expected_version=script.states[at].turn_version, command_id=at.to_bytes(16, "big"),
                command=codec.player_command_message(command),
            )  # fmt: skip
            answer = await self.call("Act", request, self.tokens[PLAYERS[command.seat]])
            assert pb.ActResponse.FromString(answer).version == at + 1
            own = answer if command.seat == self.viewer else b""
            told.acts.append((await self._message(at + 1), await self._nudge(at + 1), own))
        following = script.lines[end + 1].command if end + 1 < len(script.lines) else None
        if isinstance(following, DealCards | CloseTable):  # the house does it by itself, sooner or later
            await self._message(end + 2)
            await self._nudge(end + 2)
        figures = change(before, await asyncio.to_thread(scraped, port))
        # A series that begins with nothing counted begins in one world only, since the process goes on.
        told.figures = [(name, by) for name, by in figures if by and is_ours(name)]
        told.answers = [await self.call(method, request) for method, request in asked()]
        told.log = lines.getvalue()
        return told

    async def call(self, method: str, request: Any, token: str = "") -> bytes:
        """A unary call: the bytes of its answer, or its status."""
        data = request if isinstance(request, bytes) else request.SerializeToString()
        metadata = (("authorization", f"Bearer {token or self.token}"),)
        try:
            ask = self.channel.unary_unary(SERVICE + method)
            return bytes(await ask(data, metadata=metadata, timeout=WAIT_SECONDS))
        except grpc.aio.AioRpcError as error:
            return f"{error.code().name}: {error.details()}".encode()

    async def close(self) -> None:
        """Hang up."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self.channel.close()
        await self.redis.aclose()

    async def _watch(self) -> None:
        request = pb.WatchRequest(table=str(TABLE), after_version=0).SerializeToString()
        metadata = (("authorization", f"Bearer {self.token}"),)
        messages: AsyncIterator[bytes] = self.channel.unary_stream(SERVICE + "Watch")(request, metadata=metadata)
        async for message in messages:
            self.messages.put_nowait(message)

    async def _hear(self, subscription: Any) -> None:
        async for message in subscription.listen():
            self.nudges.put_nowait(message["data"])

    async def _message(self, version: int) -> list[bytes]:
        return await until(self.messages, lambda data: pb.WatchResponse.FromString(data).version >= version)

    async def _nudge(self, version: int) -> list[bytes]:
        return await until(self.nudges, lambda data: Nudges.FromString(data).nudges[-1].version >= version)


async def until(queue: "asyncio.Queue[bytes]", is_last: Any) -> list[bytes]:
    """What comes, up to the message that says so."""
    found: list[bytes] = []
    async with asyncio.timeout(WAIT_SECONDS):
        while not found or not is_last(found[-1]):
            found.append(await queue.get())
    return found


def asked() -> Iterator[tuple[str, Any]]:
    """What a viewer may try, allowed or not."""
    table = str(TABLE)
    yield "View", pb.ViewRequest(table=table)
    yield "List", pb.ListRequest()
    for card in range(24):
        command = codec.player_command_message(codec.c.PlayCard(3, card))
        yield "Act", pb.ActRequest(table=table, expected_version=1, command_id=bytes(16), command=command)
    for seat in range(4):
        yield "View", pb.ViewRequest(table=table, seat=seat)
    yield "Void", pb.VoidRequest(table=table, reason="enough")
    yield "Act", b"\xff"


def scraped(port: int) -> list[bytes]:
    """The lines of the metrics endpoint that hold figures."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=WAIT_SECONDS) as answer:
        return [line for line in answer.read().splitlines() if not line.startswith(b"#")]


def is_ours(name: bytes) -> bool:
    """Whether a figure counts what happened, and not how long it took."""
    text = name.decode()
    return not text.startswith(TIMED) and "_seconds" not in text
