"""Calls to the services: every one with a deadline, every failure as one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from pinochle.cli.settings import REFUSED, USAGE, CommandError, Settings

MESSAGE_BYTES_MAX = 16 << 20
DETAIL_CHARACTERS_MAX = 300


@contextmanager
def service(address: str, settings: Settings, stub: str, module: str) -> Iterator[Service]:
    """A stub of a service at this address, by the names of its class and of its generated module."""
    grpc, generated = _grpc(), _generated(module)
    # A proxy for web pages is no way to a service of one's own.
    options = [("grpc.max_receive_message_length", MESSAGE_BYTES_MAX), ("grpc.enable_http_proxy", 0)]
    with grpc.insecure_channel(address, options=options) as channel:
        yield Service(address, settings, getattr(generated, stub)(channel))


class Service:
    """Calls by name; CommandError for every failure."""

    def __init__(self, address: str, settings: Settings, stub: Any) -> None:
        self.address = address
        self.settings = settings
        self.stub = stub
        self.metadata = [("authorization", f"Bearer {settings.token}")] if settings.token else []

    def call(self, name: str, request: Any) -> Any:
        """The answer to one call."""
        grpc = _grpc()
        try:
            return getattr(self.stub, name)(request, timeout=self.settings.timeout, metadata=self.metadata)
        except grpc.RpcError as error:
            raise self.failure(name, error, self.settings.timeout) from None

    def stream(self, name: str, request: Any, seconds: float) -> Iterator[Any]:
        """The messages of a stream that lasts `seconds` at most."""
        grpc = _grpc()
        answers = getattr(self.stub, name)(request, timeout=seconds, metadata=self.metadata)
        try:
            yield from answers
        except grpc.RpcError as error:
            raise self.failure(name, error, seconds) from None
        finally:
            answers.cancel()

    def message(self, module: str, name: str, /, **values: Any) -> Any:
        """A request by the names of its generated module and its type; None leaves a field absent."""
        said = {field: value for field, value in values.items() if value is not None}
        try:
            return getattr(_generated(module), name)(**said)
        except (TypeError, ValueError) as error:
            raise CommandError(f"{name} cannot be sent: {error}", USAGE) from None

    def failure(self, name: str, error: Any, seconds: float) -> CallError:
        """What a failed call means to the caller."""
        code, said = error.code().name, " ".join(str(error.details() or "").split())[:DETAIL_CHARACTERS_MAX]
        if code == "UNAVAILABLE":
            return CallError(code, f"no service answers at {self.address}: {said.rpartition(': ')[2]}")
        if code == "DEADLINE_EXCEEDED":
            return CallError(code, f"{name}: no answer from {self.address} within {seconds:g} seconds")
        if code == "UNAUTHENTICATED" and not self.settings.token:
            return CallError(code, f"{name} needs a token: set PINOCHLE_TOKEN")
        return CallError(code, f"{name} was refused: {code.lower().replace('_', ' ')}: {said}")


_PASSING = ("UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "CANCELLED", "ABORTED")


class CallError(CommandError):
    """A call failed; `status` is the name of its gRPC status."""

    def __init__(self, status: str, text: str) -> None:
        super().__init__(text, REFUSED)
        self.status = status

    @property
    def is_passing(self) -> bool:
        """Whether the same call may succeed in a moment: the service is away, starts anew, or has too much to do."""
        return self.status in _PASSING


def stream_id(text: str) -> UUID:
    """A table's or tournament's id; CommandError where it is none."""
    try:
        return UUID(text)
    except ValueError:
        raise CommandError(f"not an id: {text!r:.60} (a UUID)", USAGE) from None


def _grpc() -> Any:
    try:
        import grpc
    except ImportError:
        raise missing("grpcio") from None
    return grpc


def _generated(module: str) -> Any:
    import importlib

    try:
        return importlib.import_module(f"pinochle.wire.v1.{module}")
    except ImportError:
        raise missing("grpcio or protobuf") from None


def missing(what: str) -> CommandError:
    """What to say where a package is not installed."""
    return CommandError(f"this needs {what}: pip install 'pinochle-arena[client]'")
