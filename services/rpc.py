"""What every gRPC service here shares: who calls, errors as statuses, limits, health, reflection and the stop."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import math
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple
from uuid import UUID

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from pinochle.errors import BadInput, Conflict, Rejected

from services.admission import Admission, TooMuch
from services.auth import Principal
from services.config import Settings
from services.eventstore import StoreUnavailable
from services.sending import Outlet, Stalled
from services.stream import Ahead, CommandReused, UnknownStream, Unreadable

LOG = logging.getLogger(__name__)

Authenticate = Callable[[str, Callable[[], None]], Awaitable[Principal | None]]
"""Who a token stands for; the function is called, and may raise, before one is asked for that was not good lately."""
STANDING_SECONDS = 1.0
"""How long the token of a long call goes unasked."""
SENT_BYTES_MAX = 4 << 20
"""What clients in every language take by default; the longest answer, a tournament of 10,000 matches, is half of it."""
RETRY_KEY = "grpc-retry-pushback-ms"
"""Trailing metadata of RESOURCE_EXHAUSTED: milliseconds after which to come back; negative: that would not help."""
RESUME_KEY = "pinochle-resume-after"
"""Trailing metadata of a stream that was read too slowly, and of a caller ahead of the log: the version after which to
go on."""


class Forbidden(Exception):
    """The caller is known but may not do this."""


class Unauthenticated(Exception):
    """There is no token, or none that is valid."""


_STATUS: tuple[tuple[type[Exception], grpc.StatusCode], ...] = (
    (BadInput, grpc.StatusCode.INVALID_ARGUMENT),
    (Rejected, grpc.StatusCode.FAILED_PRECONDITION),
    (UnknownStream, grpc.StatusCode.NOT_FOUND),
    (Unreadable, grpc.StatusCode.UNIMPLEMENTED),
    (Ahead, grpc.StatusCode.OUT_OF_RANGE),
    (CommandReused, grpc.StatusCode.ALREADY_EXISTS),
    (Unauthenticated, grpc.StatusCode.UNAUTHENTICATED),
    (Forbidden, grpc.StatusCode.PERMISSION_DENIED),
    (TooMuch, grpc.StatusCode.RESOURCE_EXHAUSTED),
    (Conflict, grpc.StatusCode.ABORTED),
    (StoreUnavailable, grpc.StatusCode.UNAVAILABLE),
    (TimeoutError, grpc.StatusCode.DEADLINE_EXCEEDED),
)


class Garbage:
    """Stands for a message that could not be read."""


GARBAGE = Garbage()


def readable(request: Any) -> Any:
    """The message; BadInput where it could not be read."""
    if request is GARBAGE:
        raise BadInput("the message can't be read: it is not of this call's type")
    return request


class Guard(NamedTuple):
    """What stands before every call of a servicer: who calls, how much it may ask for, how long a call may take.

    `seen(method, seconds)` gets the time of each unary call, `refused(reason)` each status other than OK,
    `limited(limit)` each limit that was reached.
    """

    authenticate: Authenticate
    admission: Admission
    call_seconds_max: float
    stall_seconds_max: float
    clock: Callable[[], float]
    seen: Callable[[str, float], None]
    refused: Callable[[str], None]
    limited: Callable[[str], None]

    async def abort(self, context: grpc.aio.ServicerContext, name: str, error: Exception) -> None:
        """End a call with the status of an error; what is not ours is logged and stays unnamed to the caller."""
        status, text = status_of(error)
        self.refused(status.name.lower())
        if status is grpc.StatusCode.INTERNAL:
            LOG.error("%s failed", name, exc_info=error)
        if isinstance(error, TooMuch):
            self.limited(error.limit)
            await self.admission.hold(error)
            await context.abort(status, text, _trailing(error))
        if isinstance(error, Ahead):
            await context.abort(status, text, ((RESUME_KEY, str(error.resume_after)),))
        await context.abort(status, text)


def unary(method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Wrap ``async def Method(self, request, caller: Principal)`` as a gRPC method; `self.guard` is a Guard."""
    name = method.__name__

    @functools.wraps(method)
    async def call(self: Any, request: Any, context: grpc.aio.ServicerContext) -> Any:
        guard: Guard = self.guard
        began = guard.clock()
        under_way = ""
        try:
            async with asyncio.timeout(guard.call_seconds_max):
                caller = await principal(guard, context)
                guard.admission.call(caller, name)
                under_way = guard.admission.enter(caller)
                return await method(self, readable(request), caller)
        except Exception as error:
            await guard.abort(context, name, error)
        finally:
            guard.admission.leave(under_way)
            guard.seen(name, guard.clock() - began)

    return call


def streaming(kind: str) -> Callable[[Callable[..., AsyncGenerator[Any, None]]], Callable[..., Awaitable[None]]]:
    """Wrap ``Method(self, request, caller)`` that gives an async generator as a gRPC method that sends a stream.

    What it yields is a message, or a Reached. The request may be a stream as well. `kind` is what open streams are
    counted as. A caller that reads too slowly is told where to resume; until it has read that, its stream counts as
    open.
    """

    def wrap(method: Callable[..., AsyncGenerator[Any, None]]) -> Callable[..., Awaitable[None]]:
        name = method.__name__

        @functools.wraps(method)
        async def call(self: Any, request: Any, context: grpc.aio.ServicerContext) -> None:
            guard: Guard = self.guard
            with contextlib.ExitStack() as slot:
                try:
                    async with asyncio.timeout(guard.call_seconds_max):
                        caller = await principal(guard, context)
                    guard.admission.call(caller, name)
                    slot.enter_context(guard.admission.stream(caller, kind))
                    standing = Standing(guard, context)
                    given = standing.checked(request) if hasattr(request, "__aiter__") else readable(request)
                    after = getattr(request, "after_version", None)
                    async with asyncio.timeout(guard.call_seconds_max):
                        # With the first message it would stay under way with that, and no status could follow.
                        await context.send_initial_metadata(())
                    outlet = Outlet(context.write, standing.check, guard.stall_seconds_max, guard.clock)
                    await outlet.send(method(self, given, caller), after)
                except Exception as error:
                    await guard.abort(context, name, error)

        return call

    return wrap


async def principal(guard: Guard, context: grpc.aio.ServicerContext) -> Principal:
    """Who calls, by the bearer token in the call's metadata; Unauthenticated where there is none that is valid."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            scheme, _, token = str(value).partition(" ")
            if scheme.lower() != "bearer" or not token:
                raise Unauthenticated("authorization must read: Bearer TOKEN")
            is_strange = False

            def ask() -> None:
                nonlocal is_strange
                is_strange = True
                guard.admission.stranger(context.peer())

            found = await guard.authenticate(token.strip(), ask)
            if found is None:
                raise Unauthenticated("the token is unknown, expired or revoked")
            if is_strange:
                guard.admission.welcome(context.peer())
            return found
    guard.admission.stranger(context.peer())
    raise Unauthenticated("a token is needed: authorization: Bearer TOKEN")


class Standing:
    """Whether the token of a long call is still good: looked up again now and then, when something goes in or out."""

    def __init__(self, guard: Guard, context: grpc.aio.ServicerContext) -> None:
        self._guard = guard
        self._context = context
        self._until = guard.clock() + STANDING_SECONDS

    async def check(self) -> None:
        """Unauthenticated where the token has been revoked or has expired since the call began."""
        now = self._guard.clock()
        if now < self._until:
            return
        self._until = now + STANDING_SECONDS
        # While the database is away nobody can be revoked, and watching needs no database.
        with contextlib.suppress(StoreUnavailable):
            await principal(self._guard, self._context)

    async def checked(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """The requests of a stream, until the token is no longer good."""
        async for request in requests:
            await self.check()
            yield request


def status_of(error: Exception) -> tuple[grpc.StatusCode, str]:
    """The gRPC status of an error and one line for the caller; what is not ours stays unnamed."""
    for kind, status in _STATUS:
        if isinstance(error, kind):
            return status, str(error) or "the call took too long"
    return grpc.StatusCode.INTERNAL, "an unexpected error; it was logged"


def _trailing(error: TooMuch) -> tuple[tuple[str, str], ...]:
    """What tells a caller when to come back, and where to resume."""
    seconds = error.retry_seconds
    pairs = [(RETRY_KEY, "-1" if seconds is None else str(math.ceil(seconds * 1000)))]
    if isinstance(error, Stalled) and error.after is not None:
        pairs.append((RESUME_KEY, str(error.after)))
    return tuple(pairs)


def stream_key(text: str, what: str) -> bytes:
    """The 16 bytes of a stream's id; BadInput where the text is no UUID in its usual form."""
    try:
        parsed = UUID(text)
    except ValueError:
        raise BadInput(f"{what}: not an id: {text[:60]!r}") from None
    if str(parsed) != text:
        raise BadInput(f"{what}: write the id as {parsed}")
    return parsed.bytes


class Server:
    """A gRPC server with health, reflection and limits, that drains when it is told to stop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._health = health.aio.HealthServicer()
        self._names: list[str] = []
        self._serves = True
        self._reporting: asyncio.Future[None] | None = None
        self.grpc = grpc.aio.server(
            options=(
                ("grpc.max_receive_message_length", settings.message_bytes_max),
                ("grpc.max_send_message_length", SENT_BYTES_MAX),
                ("grpc.max_concurrent_streams", settings.connection_calls_max),
                ("grpc.so_reuseport", 0),
                ("grpc.keepalive_time_ms", 20_000),
                ("grpc.keepalive_timeout_ms", 10_000),
                ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
            ),
            maximum_concurrent_rpcs=settings.calls_in_flight_max + settings.open_streams_max,
        )

    def add(self, register: Callable[[Any, Any], None], servicer: Any) -> None:
        """Add a servicer by the generated `add_…Servicer_to_server`.

        Its answers may be bytes that are ready to be sent; a message that cannot be read reaches it as Garbage.
        """
        register(servicer, self)

    def add_generic_rpc_handlers(self, handlers: Any) -> None:
        """Nothing: the generated code calls it first, and what it calls next is enough."""

    def add_registered_method_handlers(self, name: str, handlers: dict[str, Any]) -> None:
        """Called by the generated code with the service's name and its methods."""
        lenient = {
            method: handler._replace(
                request_deserializer=_or_garbage(handler.request_deserializer),
                response_serializer=_or_bytes(handler.response_serializer),
            )
            for method, handler in handlers.items()
        }
        self.grpc.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, lenient),))
        self._names.append(name)

    async def start(self, listen: str) -> int:
        """Listen at host:port and report health; returns the port."""
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self.grpc)
        reflection.enable_server_reflection([*self._names, health.SERVICE_NAME, reflection.SERVICE_NAME], self.grpc)
        port = self.grpc.add_insecure_port(listen)
        await self.grpc.start()
        await self._report()
        return port

    def let_serve(self, serves: bool) -> None:
        """Report SERVING or NOT_SERVING from the next health check on."""
        if serves != self._serves:
            self._serves = serves
            self._reporting = asyncio.ensure_future(self._report())

    async def _report(self) -> None:
        status = health_pb2.HealthCheckResponse.SERVING if self._serves else health_pb2.HealthCheckResponse.NOT_SERVING
        for name in ("", *self._names):
            await self._health.set(name, status)

    async def drain(self) -> None:
        """Refuse new calls, give those under way their time, then end them."""
        await self._health.enter_graceful_shutdown()
        await self.grpc.stop(self._settings.drain_seconds_max)


def _or_bytes(serialize: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    return lambda response: response if response.__class__ is bytes else serialize(response)


def _or_garbage(parse: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    def read(data: bytes) -> Any:
        try:
            return parse(data)
        except Exception:
            return GARBAGE

    return read


async def stop_signal() -> None:
    """Return when the process is told to stop, by SIGTERM or SIGINT."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    await stopped.wait()
