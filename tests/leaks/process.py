"""The table service as it runs in production, on memory instead of Postgres, Redis and sockets, called by its bytes."""

from __future__ import annotations

import asyncio
import copy
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, NamedTuple
from unittest import mock

import grpc
from pinochle.commands import CloseTable, Command, DealCards
from pinochle.state import DEAL, State
from pinochle.texts import mark
from prometheus_client import disable_created_metrics, generate_latest

from services import assembly, bus, rpc
from services.assembly import World
from services.auth import MemoryTokenStore, Principal, new_token
from services.config import Settings
from services.eventstore import MemoryStore
from services.people import MemoryPeople
from services.stream import Stream
from services.table import house, process
from tests.leaks.loop import StillLoop
from tests.leaks.script import START_MS

OURS = ("python_", "process_")
"""Names of metrics of the Python process, which are no news of any table."""
TABLES = "/pinochle.wire.v1.TableService/"
ENDED = b"ended"
"""Stands at the end of a stream that ended well."""
ACCESS = "/pinochle.wire.v1.AccessService/"


class Ended(Exception):
    """A call ended with this status."""

    def __init__(self, code: grpc.StatusCode, text: str) -> None:
        super().__init__(code, text)
        self.told = f"{code.name}: {text}".encode()


class Context:
    """What a servicer asks of a call; what it sends is kept in `sent`."""

    def __init__(self, token: str) -> None:
        self._metadata = (("authorization", f"Bearer {token}"),)
        self.sent: list[Any] = []

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return self._metadata

    def peer(self) -> str:
        return "ipv4:127.0.0.1:4321"

    async def write(self, message: Any) -> None:
        self.sent.append(message)

    async def send_initial_metadata(self, metadata: Any) -> None:
        """What every stream of a service begins with: none of its own."""
        assert () == metadata

    async def abort(self, code: grpc.StatusCode, details: str = "", trailing_metadata: Any = ()) -> None:
        raise Ended(code, details + "".join(map(repr, trailing_metadata)))


class Details(NamedTuple):
    """What a handler is asked for."""

    method: str
    invocation_metadata: tuple[Any, ...]


class Handlers:
    """In place of gRPC's own server: the handlers that it is given."""

    def __init__(self) -> None:
        self.held: list[Any] = []

    def add_generic_rpc_handlers(self, handlers: Any) -> None:
        self.held += handlers


class MemoryServer(rpc.Server):
    """Keeps the handlers that a real server would be given, and serves nobody."""

    def __init__(self, settings: Settings) -> None:
        self.grpc = Handlers()
        self._names: list[str] = []
        self._found: dict[str, Any] = {}

    async def start(self, listen: str) -> int:
        return 0

    def let_serve(self, serves: bool) -> None:
        assert serves

    async def drain(self) -> None:
        pass  # nobody is connected

    def method(self, name: str) -> Any:
        """The handler of a method by its full name."""
        if name not in self._found:
            details = Details(name, ())
            self._found[name] = next(found for handler in self.grpc.held if (found := handler.service(details)))
        return self._found[name]


class MemoryEvents(MemoryStore):
    """A store that is started like the other one, and can be set back."""

    waiting = 0

    async def start(self) -> None:
        pass  # there is nothing to connect to

    def set_back(self, key: bytes, version: int) -> None:
        """Forget the acts of a stream after this version."""
        del self._acts[key][version:]
        self._heads[key].version = version

    def forget(self, key: bytes) -> None:
        """Forget a stream."""
        self._acts.pop(key, None)
        self._heads.pop(key, None)
        if key in self._ids:
            self._ids.remove(key)


class MemoryTokens(MemoryTokenStore):
    """Tokens that are started like the other ones."""

    async def start(self) -> None:
        pass  # there is nothing to connect to


class MemoryRedis:
    """Keeps what is published, channel and bytes."""

    def __init__(self) -> None:
        self.published: list[bytes] = []

    def pipeline(self, transaction: bool) -> MemoryRedis:
        return self

    async def __aenter__(self) -> MemoryRedis:
        return self

    async def __aexit__(self, *_: Any) -> None:
        pass  # all has been published already

    def publish(self, channel: str, data: bytes) -> None:
        self.published.append(channel.encode() + b" " + data)

    async def execute(self) -> None:
        pass  # see publish

    def pubsub(self, ignore_subscribe_messages: bool) -> Any:
        return Silence()

    async def aclose(self) -> None:
        pass  # there is no connection


class Silence:
    """A subscription to which nothing comes: there are no other processes."""

    async def __aenter__(self) -> Silence:
        return self

    async def __aexit__(self, *_: Any) -> None:
        pass  # it held nothing

    async def subscribe(self, channel: str) -> None:
        pass  # nothing will come

    async def get_message(self, timeout: float) -> None:
        await asyncio.Event().wait()


class Lines(logging.Handler):
    """What a process at the level INFO writes, without the time."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s"))
        self.written: list[bytes] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.written.append(self.format(record).encode())


class Service:
    """One table service. `now_ms` is its clock; decks are dealt as `decks` says, and only when `let_house` asks."""

    def __init__(self, loop: StillLoop) -> None:
        self.loop = loop
        self.now_ms = START_MS
        self.seconds = 0.0  # never goes back, and fast enough for nobody to ask for too much
        self.decks: Callable[[State], tuple[int, ...]] | None = None
        self.redis = MemoryRedis()
        self.log = Lines()
        self._house_may = False
        self._asleep: dict[int, asyncio.Event] = {}
        self._drawn = 0
        self._held = ExitStack()
        self.store = MemoryEvents(lambda: self.now_ms)
        self.tokens = MemoryTokens(lambda: self.now_ms)

    async def start(self) -> None:
        """Build the process as production does, with memory where it would connect."""
        patched = self._held.enter_context
        disable_created_metrics()
        patched(mock.patch.object(assembly, "event_store", return_value=self.store))
        patched(mock.patch.object(assembly, "token_store", return_value=self.tokens))
        patched(mock.patch.object(assembly, "people", return_value=MemoryPeople(mark, bytes)))
        patched(mock.patch.object(bus, "Redis", mock.Mock(**{"from_url.return_value": self.redis})))
        patched(mock.patch.object(bus, "GATHER_SECONDS", 0))  # each act is told at once, while no time passes
        # Which act is measured follows from how many came before, over all tables, and it took no time here.
        patched(mock.patch.object(assembly, "MEASURED_EVERY", 1 << 60))
        # Nobody's token is revoked, and to look again before each message takes a tenth of all time.
        patched(mock.patch.object(rpc, "STANDING_SECONDS", 1e12))
        patched(mock.patch.object(process, "Server", MemoryServer))
        patched(mock.patch.object(house, "due_command", self._due_command))
        root = logging.getLogger()
        level = root.level
        root.setLevel(logging.INFO)
        root.addHandler(self.log)
        self._held.callback(root.setLevel, level)
        self._held.callback(root.removeHandler, self.log)
        world = World(lambda: self.now_ms, lambda: self.seconds, self._sleep, self._entropy)
        self._settings = Settings.load(
            {"REDIS_URL": "redis://nowhere", "HOUSE_TICK_SECONDS": "9.5", "HEADS_CHECK_SECONDS": "60"}
        )
        self._settings = replace(self._settings, sweep_seconds=self._settings.heads_check_seconds)
        self.process = process.TableProcess(self._settings, world)
        await self.process.start()
        await self.loop.settle()
        self.redis.published.clear()

    async def stop(self) -> None:
        """End it, and put everything back that was put in its place."""
        await self.process.stop()
        self._held.close()

    async def token(self, role: str, player: str | None = None) -> str:
        """A new token's text."""
        text = new_token(self._entropy)
        await self.tokens.create(text, Principal(role, player, None, None, self._entropy(6).hex()))
        return text

    # -- calls

    async def call(self, method: str, token: str, request: Any) -> bytes:
        """A unary call: the bytes of its answer, or of its status."""
        handler = self._method(method)
        data = request if request.__class__ is bytes else request.SerializeToString()
        try:
            answer = await handler.unary_unary(handler.request_deserializer(data), Context(token))
        except Ended as ended:
            return ended.told
        return handler.response_serializer(answer)  # type: ignore[no-any-return]

    def listen(self, method: str, token: str, request: Any) -> Ear:
        """A call that is answered by a stream; `request` is one message, or a queue of them."""
        return Ear(self._method(method), token, request)

    def _method(self, name: str) -> Any:
        return self.process._server.method(name)  # type: ignore[attr-defined]

    # -- the house, and time

    async def let_house(self, stream: Stream) -> None:
        """Let the house do what is due at a table."""
        self._house_may = True
        try:
            self.process._house.moved(stream)
            await self.loop.settle()
        finally:
            self._house_may = False

    async def expire(self) -> None:
        """Let the house look for turns whose time has run out."""
        await self.process._house._expire()
        await self.loop.settle()

    def _due_command(self, state: State) -> Command | None:
        if not self._house_may:
            return None
        if state.phase == DEAL:
            assert self.decks is not None
            return DealCards(self.decks(state))
        return CloseTable()

    # -- going back

    def stream(self, key: bytes) -> Stream:
        """A table in memory."""
        found = self.process._streams.peek(key)
        assert found is not None
        return found

    def kept(self, key: bytes) -> Stream:
        """A copy of a table as it is now, to go back to."""
        return _copied(self.stream(key))

    def go_back(self, kept: Stream) -> Stream:
        """Make a table what it was when the copy was taken."""
        self.store.set_back(kept.key, kept.version)
        stream = self.process._streams._cache[kept.key] = _copied(kept)
        self.process._index.remove(kept.key)
        self.process._index.moved(stream)
        return stream

    def forget(self, key: bytes) -> None:
        """Forget a table as if it had never been."""
        self.store.forget(key)
        self.process._streams._cache.pop(key, None)
        self.process._index.remove(key)

    def _entropy(self, number: int) -> bytes:
        self._drawn += 1
        return self._drawn.to_bytes(number, "big")

    async def come(self, to_ms: int) -> None:
        """Let it be this time, and what waits for it by then happen; chores that are done now and then are not."""
        self.now_ms = to_ms
        for at_ms, woken in list(self._asleep.items()):
            if at_ms <= to_ms:
                del self._asleep[at_ms]
                woken.set()
        await self.loop.settle()

    async def _sleep(self, seconds: float) -> None:
        if seconds in (self._settings.house_tick_seconds, self._settings.sweep_seconds):
            await asyncio.Event().wait()
        await self._asleep.setdefault(self.now_ms + round(1000 * seconds), asyncio.Event()).wait()


class Ear:
    """One stream to a caller, and what came over it; `take` gives what is new."""

    def __init__(self, handler: Any, token: str, request: Any) -> None:
        self._handler = handler
        self._sent: asyncio.Queue[Any] = asyncio.Queue()
        self._context = Context(token)
        if handler.request_streaming:
            self.send(request)
            call = handler.stream_stream(self._requests(), self._context)
        else:
            call = handler.unary_stream(handler.request_deserializer(request.SerializeToString()), self._context)
        self._task = asyncio.ensure_future(self._hear(call))

    def send(self, request: Any) -> None:
        """Send one more message."""
        self._sent.put_nowait(request.SerializeToString())

    def take(self) -> tuple[bytes, ...]:
        """What came since this was asked last."""
        sent, self._context.sent = self._context.sent, []
        serialize = self._handler.response_serializer
        return tuple(message if message.__class__ is bytes else serialize(message) for message in sent)

    async def close(self) -> None:
        """Hang up."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _requests(self) -> AsyncIterator[Any]:
        while True:
            yield self._handler.request_deserializer(await self._sent.get())

    async def _hear(self, call: Awaitable[None]) -> None:
        try:
            await call
            self._context.sent.append(ENDED)
        except Ended as ended:
            self._context.sent.append(ended.told)


def metrics_text() -> list[bytes]:
    """What the metrics endpoint shows, line by line, without the figures of the Python process."""
    return [
        line
        for line in generate_latest().splitlines()
        if not line.startswith(b"#") and not line.decode().startswith(OURS)
    ]


def change(before: list[bytes], after: list[bytes]) -> tuple[tuple[bytes, float], ...]:
    """What has changed between two texts of metrics: names with labels, and by how much."""
    old = dict(line.rsplit(b" ", 1) for line in before)
    new = (line.rsplit(b" ", 1) for line in after)
    changed = ((name, float(value) - float(old.get(name, b"0"))) for name, value in new if old.get(name) != value)
    return tuple(sorted(changed))


def _copied(stream: Stream) -> Stream:
    """A stream of its own with the same facts; states, views and acts never change and are shared."""
    new = copy.copy(stream)
    for name in Stream.__slots__:
        value = getattr(stream, name)
        if isinstance(value, (list, dict, set)):
            setattr(new, name, value.copy())
    new.followers, new.lock = set(), asyncio.Lock()
    return new
