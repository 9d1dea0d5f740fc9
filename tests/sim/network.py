"""gRPC without sockets: channels and servers that carry bytes at drawn times, and lose what the seed says.

Messages are put into bytes and read again, those of one direction of a stream arrive in order, and each end learns of
the other's death by a broken call. Every answer is shown to the judge at the moment at which the server lets go of it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio

from tests.sim.faults import latency
from tests.sim.loop import SimLoop

if TYPE_CHECKING:
    from tests.sim.simulation import Simulation

HALF_OPEN_SECONDS_MAX = 8.0


def failure(code: grpc.StatusCode, details: str, trailing: Any = ()) -> grpc.aio.AioRpcError:
    """What a client gets of a call that failed."""
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(*trailing), details=details)


class Aborted(Exception):
    """A servicer has ended a call with a status."""

    def __init__(self, code: grpc.StatusCode, details: str, trailing: Any) -> None:
        super().__init__(code, details)
        self.code = code
        self.details = details
        self.trailing = trailing


class Context:
    """What a servicer is given of a call."""

    def __init__(self, call: _Call, write: Callable[[Any], Awaitable[None]] | None = None) -> None:
        self._call = call
        self.write = write

    def invocation_metadata(self) -> Any:
        return self._call.metadata

    def peer(self) -> str:
        return self._call.client.name

    async def send_initial_metadata(self, metadata: Any) -> None:
        """What every stream of a service begins with: none of its own."""
        assert () == metadata

    async def abort(self, code: grpc.StatusCode, details: str = "", trailing_metadata: Any = ()) -> None:
        raise Aborted(code, details, trailing_metadata)


class SimServer:
    """Stands for `services.rpc.Server`: the servicers of one process, reachable at its address while it lives."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._loop = simulation.running()
        self._handlers: dict[str, Any] = {}
        self._serves = True
        self._address = ""

    def add(self, register: Callable[[Any, Any], None], servicer: Any) -> None:
        register(servicer, self)

    def add_generic_rpc_handlers(self, handlers: Any) -> None:
        pass  # the generated code names the same handlers once more

    def add_registered_method_handlers(self, name: str, handlers: dict[str, Any]) -> None:
        for method, handler in handlers.items():
            self._handlers[f"/{name}/{method}"] = handler

    async def start(self, listen: str) -> int:
        self._address = listen
        self._simulation.network.listens(listen, self)
        return 1

    def let_serve(self, serves: bool) -> None:
        self._serves = serves

    async def drain(self) -> None:
        self._simulation.network.leaves(self._address, self)

    @property
    def loop(self) -> SimLoop:
        return self._loop

    @property
    def is_reachable(self) -> bool:
        return self._loop.is_alive and self._serves

    def handler(self, method: str) -> Any:
        return self._handlers[method]


class Network:
    """Who listens where, and the calls under way."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self._servers: dict[str, SimServer] = {}
        self._calls: dict[_Call, None] = {}
        self.links: dict[tuple[str, str], str] = {}  # where (process, address) really leads to

    def listens(self, address: str, server: SimServer) -> None:
        self._servers[address] = server

    def leaves(self, address: str, server: SimServer) -> None:
        if self._servers.get(address) is server:
            del self._servers[address]

    def server(self, address: str) -> SimServer | None:
        """Who answers at an address now; one address may stand for several processes, as behind a balancer."""
        simulation = self.simulation
        addresses = simulation.addresses.get(address, (address,))
        found = [
            server
            for one in addresses
            if (server := self._servers.get(one)) is not None and server.is_reachable
        ]
        if not found:
            return None
        return found[int(simulation.network_chance.random() * len(found))]

    def channel(self, address: str, *options: Any, **more: Any) -> Channel:
        return Channel(self, address)

    def began(self, call: _Call) -> None:
        self._calls[call] = None

    def ended(self, call: _Call) -> None:
        self._calls.pop(call, None)

    def died(self, loop: SimLoop) -> None:
        """Break what a process that was killed had under way."""
        for call in list(self._calls):
            if call.client is loop:
                call.client_gone()
            elif call.server is not None and call.server.loop is loop:
                call.server_gone()


class Channel:
    """Stands for a channel of grpc.aio."""

    def __init__(self, network: Network, address: str) -> None:
        self._network = network
        self._address = address

    def unary_unary(self, method: str, request_serializer: Any, response_deserializer: Any, **more: Any) -> Any:
        network, address = self._network, self._address

        async def call(request: Any, *, timeout: float | None = None, metadata: Any = (), **more: Any) -> Any:
            one = _Unary(network, address, method, metadata, response_deserializer)
            return await one.run(request, request_serializer(request), timeout)

        return call

    def unary_stream(self, method: str, request_serializer: Any, response_deserializer: Any, **more: Any) -> Any:
        def call(request: Any, *, metadata: Any = (), **more: Any) -> _Stream:
            one = _Stream(self._network, self._address, method, metadata, response_deserializer)
            one.begin(request, request_serializer(request))
            return one

        return call

    def stream_stream(self, method: str, request_serializer: Any, response_deserializer: Any, **more: Any) -> Any:
        def call(requests: AsyncIterator[Any], *, metadata: Any = (), **more: Any) -> _Stream:
            one = _Stream(self._network, self._address, method, metadata, response_deserializer)
            one.begin_feeding(requests, request_serializer)
            return one

        return call

    async def close(self, grace: float | None = None) -> None:
        pass  # a call that is under way ends by itself


class _Call:
    """One call: the ends know each other only by what arrives."""

    def __init__(self, network: Network, address: str, method: str, metadata: Any, parse: Any) -> None:
        self.network = network
        self.simulation = network.simulation
        self.scheduler = network.simulation.scheduler
        self.client: SimLoop = network.simulation.running()
        self.server: SimServer | None = None
        self.task: asyncio.Task[None] | None = None  # of the server
        self.method = method
        self.name = method[method.rindex("/") + 1 :]
        self.request: Any = None
        self._address = address
        self.metadata = metadata
        self._parse = parse
        self._there_at = self._back_at = 0.0
        self._is_over = False  # for the server
        self._is_done = False  # for the client
        network.began(self)

    def _later(self) -> float:
        simulation = self.simulation
        return latency(simulation.network_chance, simulation.rates)

    def _there(self, callback: Callable[..., None], *args: Any) -> None:
        """At the server's end, after all that was sent there before."""
        self._there_at = max(self.scheduler.now + self._later(), self._there_at + 1e-7)
        self.scheduler.at(self._there_at, callback, *args)

    def _back(self, callback: Callable[..., None], *args: Any) -> None:
        """At the client's end, after all that was sent there before."""
        self._back_at = max(self.scheduler.now + self._later(), self._back_at + 1e-7)
        self.scheduler.at(self._back_at, callback, *args)

    def _happens(self, share: float) -> bool:
        return share > 0 and self.simulation.network_chance.random() < share

    def _serve(self, work: Callable[[], Any]) -> None:
        """Start the server's side in its process."""
        if self._is_over:
            return
        server = self.network.server(self._address)
        if server is None:
            self._is_over = True
            self._back(self._fail, grpc.StatusCode.UNAVAILABLE, "nobody listens there")
            return
        self.server = server
        loop = server.loop

        def start() -> None:
            if not self._is_over:
                self.task = loop.create_task(work())

        loop.call_soon(start)

    def _stop_server(self) -> None:
        """The server learns that nobody waits for this call any more."""
        if self._is_over:
            return
        self._is_over = True
        self.network.ended(self)
        if self.server is not None and self.task is not None:
            self.server.loop.call_soon(self.task.cancel)

    def _fail(self, code: grpc.StatusCode, details: str, trailing: Any = ()) -> None:
        raise NotImplementedError

    def _lost(self) -> None:
        """The connection breaks: the client learns it soon, the server soon or late."""
        self._back(self._fail, grpc.StatusCode.UNAVAILABLE, "the connection was lost")
        draw = self.simulation.network_chance.random()
        self.scheduler.after(draw * (HALF_OPEN_SECONDS_MAX if draw > 0.7 else 0.02), self._stop_server)

    def client_gone(self) -> None:
        self._is_done = True
        draw = self.simulation.network_chance.random()
        self.scheduler.after(draw * (HALF_OPEN_SECONDS_MAX if draw > 0.7 else 0.02), self._stop_server)

    def server_gone(self) -> None:
        self._is_over = True
        self.network.ended(self)
        self._back(self._fail, grpc.StatusCode.UNAVAILABLE, "the server is gone")

    def _sent(self, data: bytes) -> Any:
        """The server has let go of an answer: read it, and have it judged."""
        message = self._parse(data)
        assert self.server is not None
        self.simulation.judge.answered(self, message, data)
        return message

    def _refused(self, error: Exception) -> None:
        """The server ends the call with an error."""
        code, details, trailing = grpc.StatusCode.UNKNOWN, repr(error), ()
        if isinstance(error, Aborted):
            code, details, trailing = error.code, error.details, error.trailing
        self._is_over = True
        self.network.ended(self)
        self.simulation.judge.refused(self, code, details)
        self._back(self._fail, code, details, trailing)

    @property
    def token(self) -> str:
        """The token that the caller sent."""
        return next((value.partition(" ")[2] for key, value in self.metadata if key == "authorization"), "")


class _Unary(_Call):
    async def run(self, request: Any, data: bytes, seconds_max: float | None) -> Any:
        self.request = request
        self._answer = self.client.create_future()
        if self._happens(self.simulation.rates.call_lost):
            self._lost()
        else:
            self._there(self._serve, lambda: self._work(data))
        timer = None
        if seconds_max is not None:
            timer = self.client.call_later(
                seconds_max, self._fail, grpc.StatusCode.DEADLINE_EXCEEDED, "no answer in time"
            )
        try:
            return await self._answer
        finally:
            self._is_done = True
            if timer is not None:
                timer.cancel()
            if not self._is_over:  # it is this side that gives up
                self._there(self._stop_server)

    async def _work(self, data: bytes) -> None:
        assert self.server is not None
        handler = self.server.handler(self.method)
        try:
            request = handler.request_deserializer(data)
            response = await handler.unary_unary(request, Context(self))
            answer = response if response.__class__ is bytes else handler.response_serializer(response)
            self.simulation.passes(self.server.loop, "reply")
            if not self.server.loop.is_alive or self._is_over:
                return
            message = self._sent(answer)
        except Exception as error:
            if not self._is_over:
                self._refused(error)
            return
        self._is_over = True
        self.network.ended(self)
        if self._happens(self.simulation.rates.reply_lost):
            self._back(self._fail, grpc.StatusCode.UNAVAILABLE, "the connection was lost")
        else:
            self._back(self._deliver, message)

    def _deliver(self, message: Any) -> None:
        if self.client.is_alive and not self._answer.done():
            self._answer.set_result(message)

    def _fail(self, code: grpc.StatusCode, details: str, trailing: Any = ()) -> None:
        if self.client.is_alive and not self._answer.done():
            self._answer.set_exception(failure(code, details, trailing))


class _Inbox:
    """Messages in the order of their arrival, for one reader."""

    __slots__ = ("_items", "_loop", "_reader")

    def __init__(self, loop: SimLoop) -> None:
        self._loop = loop
        self._items: deque[Any] = deque()
        self._reader: asyncio.Future[None] | None = None

    def put(self, item: Any) -> None:
        """From outside of the process; its reader wakes up in its turn."""
        if self._loop.is_alive:
            self._items.append(item)
            if self._reader is not None and not self._reader.done():
                self._reader.set_result(None)

    def cancel(self) -> None:
        """End the waiting of the reader, as if it had been cancelled."""
        if self._reader is not None:
            self._reader.cancel()

    async def get(self) -> Any:
        while not self._items:
            self._reader = self._loop.create_future()
            await self._reader
        return self._items.popleft()


class _End:
    """Nothing more comes."""


_END = _End()


class _Stream(_Call):
    """A call whose answers are a stream, as the client holds it."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._answers = _Inbox(self.client)
        self._requests: _Inbox | None = None
        self._feeding: asyncio.Task[None] | None = None
        self._is_cancelled = False
        self.memory: Any = None  # the judge's own

    def begin(self, request: Any, data: bytes) -> None:
        self.request = request
        if self._happens(self.simulation.rates.call_lost):
            self._lost()
            return
        self._there(self._serve, lambda: self._work_one(data))

    def begin_feeding(self, requests: AsyncIterator[Any], serialize: Callable[[Any], bytes]) -> None:
        if self._happens(self.simulation.rates.call_lost):
            self._lost()
            return
        self._early: list[Any] = []
        self._there(self._serve, self._work_many)
        self._feeding = self.client.create_task(self._feed(requests, serialize))

    async def _feed(self, requests: AsyncIterator[Any], serialize: Callable[[Any], bytes]) -> None:
        async for request in requests:
            if self._is_done:
                return
            self.simulation.judge.requested(self, request)
            if self._happens(self.simulation.rates.stream_broken):
                self._lost()
                return
            self._there(self._arrived, serialize(request))
        self._there(self._arrived, _END)

    def _arrived(self, data: Any) -> None:
        if self._requests is not None:
            self._requests.put(data)
        else:
            self._early.append(data)

    async def _work_many(self) -> None:
        assert self.server is not None
        handler = self.server.handler(self.method)
        self._requests = _Inbox(self.server.loop)
        for data in self._early:
            self._requests.put(data)
        inbox = self._requests

        async def requests() -> AsyncIterator[Any]:
            while (data := await inbox.get()) is not _END:
                yield handler.request_deserializer(data)

        await self._answer_all(handler, handler.stream_stream, requests())

    async def _work_one(self, data: bytes) -> None:
        assert self.server is not None
        handler = self.server.handler(self.method)
        await self._answer_all(handler, handler.unary_stream, handler.request_deserializer(data))

    async def _answer_all(self, handler: Any, method: Callable[..., Any], request: Any) -> None:
        """Send what the servicer yields, or writes itself; gRPC allows both."""

        async def write(response: Any) -> None:
            self._send(response if response.__class__ is bytes else handler.response_serializer(response))
            if self.simulation.network_chance.random() < 0.3:
                await asyncio.sleep(0)

        try:
            answers = method(request, Context(self, write))
            if hasattr(answers, "__aiter__"):
                async for response in answers:
                    await write(response)
            else:
                await answers
        except Exception as error:
            if not self._is_over:
                self._refused(error)
            return
        if not self._is_over:
            self._is_over = True
            self.network.ended(self)
            self._back(self._deliver, _END)

    def _send(self, data: bytes) -> None:
        assert self.server is not None
        loop = self.server.loop
        self.simulation.passes(loop, "reply")
        if not loop.is_alive or self._is_over:
            return
        message = self._sent(data)
        if self._happens(self.simulation.rates.stream_broken):
            self._lost()
        else:
            self._back(self._deliver, message)

    def _deliver(self, message: Any) -> None:
        if not self._is_done:
            self._is_done = message is _END
            self._answers.put(message)

    def _fail(self, code: grpc.StatusCode, details: str, trailing: Any = ()) -> None:
        if not self._is_done:
            self._is_done = True
            self._answers.put(failure(code, details, trailing))

    # -- what the client sees

    def cancel(self) -> bool:
        if self._is_cancelled:
            return False
        self._is_cancelled = self._is_done = True
        if self._feeding is not None:
            self._feeding.cancel()
        if not self._is_over and self.client.is_alive:
            self._there(self._stop_server)
        self._answers.cancel()
        return True

    async def read(self) -> Any:
        if self._is_cancelled:
            raise asyncio.CancelledError
        found = await self._answers.get()
        if isinstance(found, Exception):
            raise found
        return grpc.aio.EOF if found is _END else found

    async def __aiter__(self) -> AsyncIterator[Any]:
        while (found := await self.read()) is not grpc.aio.EOF:
            yield found
