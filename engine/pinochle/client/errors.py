"""What can go wrong between a client and a server, each as one clear line.

- ClientError: the server said no, or said something that makes no sense; the others are of its kind.
- AccessDenied: the token is missing, unknown, revoked, expired, or not for this; also a PermissionError.
- Unreachable: no answer for too long; also a ConnectionError.
- NewerServer: the server sent, or serves, what this version does not know; at one table, and the others go on.
- AheadOfLog: the server was restored to an older point and does not hold what the caller does.
- BadBot: a bot chose something that its options do not hold.
"""

from __future__ import annotations

import grpc
import grpc.aio


class ClientError(Exception):
    """The server refused a call, or its answer makes no sense; the message is one line."""


class AccessDenied(ClientError, PermissionError):
    """The server does not accept the token, or not for this."""


class Unreachable(ClientError, ConnectionError):
    """No answer from the server for longer than was to be waited."""


class NewerServer(ClientError):
    """One table holds what this version, or the server's, does not know; only that table stands still."""


class AheadOfLog(ClientError):
    """What is held of a table is not in the server's log, which was restored to an older point.

    `resume_after` is the version up to which it may be kept; 0: nothing of it.
    """

    def __init__(self, text: str, resume_after: int) -> None:
        super().__init__(text)
        self.resume_after = resume_after


class BadBot(ClientError):
    """A bot chose a command that is not among its options."""


_REFUSALS = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)
_LASTING = (
    *_REFUSALS,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.OUT_OF_RANGE,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.DATA_LOSS,
)


RETRY_KEY = "grpc-retry-pushback-ms"
"""Trailing metadata of a call that was turned away: when to come back, in ms; negative: it will not help."""


RESUME_KEY = "pinochle-resume-after"
"""Trailing metadata of a call that is ahead of the log: the version after which to resume."""


def is_passing(error: BaseException) -> bool:
    """Whether the same call may well succeed later: the server is gone, full, or restarting."""
    if isinstance(error, grpc.aio.AioRpcError):
        return error.code() not in _LASTING and (retry_seconds(error) or 0.0) >= 0
    return isinstance(error, ConnectionError | TimeoutError)


def retry_seconds(error: BaseException) -> float | None:
    """After how many seconds the server wants to be asked again; below 0: never; None: it did not say."""
    if isinstance(error, grpc.aio.AioRpcError):
        for key, value in error.trailing_metadata() or ():
            if key == RETRY_KEY:
                try:
                    return int(value) / 1000
                except ValueError:
                    return -1.0
    return None


def client_error(error: BaseException, server: str) -> ClientError:
    """The error as one line that names the server."""
    if isinstance(error, ClientError):
        return error
    if not isinstance(error, grpc.aio.AioRpcError):
        return ClientError(f"{server}: {error or error.__class__.__name__}")
    line = " ".join((error.details() or "no details").split())
    text = f"{server}: {error.code().name.lower().replace('_', ' ')}: {line}"
    if error.code() is grpc.StatusCode.OUT_OF_RANGE:
        return AheadOfLog(text, _resume_after(error))
    return AccessDenied(text) if error.code() in _REFUSALS else ClientError(text)


def _resume_after(error: grpc.aio.AioRpcError) -> int:
    said = dict(error.trailing_metadata() or ()).get(RESUME_KEY, "")
    return int(said) if isinstance(said, str) and said.isdecimal() else 0
