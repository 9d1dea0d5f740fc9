"""One stream in memory: the state of a table or tournament, and what every viewer may see of each of its acts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

from pinochle.decider import NOBODY
from pinochle.wire.chain import START

if TYPE_CHECKING:
    from services.beat import Held

UNREADABLE = "unreadable"
"""What lists say in place of the phase of a stream that stands still."""


class UnknownStream(Exception):
    """There is no such table or tournament."""


class Ahead(Exception):
    """A caller holds acts that the log does not, since that was restored; it may keep those up to `resume_after`."""

    def __init__(self, text: str, resume_after: int) -> None:
        super().__init__(text)
        self.resume_after = resume_after


class CommandReused(Exception):
    """The command id was used before, by this author at this stream, for another command."""


class Unreadable(Exception):
    """A stream holds an act that this version cannot read; it stands still, and no other one does."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream  # as far as it could be read
        super().__init__(f"{stream.id} cannot be read by this version of the service: {stream.unreadable}")


def id_text(key: bytes) -> str:
    """The 16 bytes of a stream's id as text."""
    return str(UUID(bytes=key))


class Follower(Protocol):
    """Whoever wants to know that a stream has moved on; called on the event loop, must return at once."""

    def moved(self, stream: Stream) -> None: ...


class Stream:
    """One stream in memory: its state and what every viewer may see of each act."""

    __slots__ = (
        "commands", "deadline_ms", "due", "followers", "hash", "held", "id", "is_open", "key", "lock", "noticed_ms",
        "stale", "state", "unreadable", "version", "views",
    )  # fmt: skip

    def __init__(self, key: bytes, state: Any) -> None:
        self.key = key
        self.id = id_text(key)
        self.state = state
        self.version = 0
        self.hash = START
        self.noticed_ms = 0  # when the latest act was known to be committed, never before its time
        self.due = NOBODY  # who must act next, as the head row says it
        self.deadline_ms = 0  # of the turn that is open, or 0
        self.views: list[bytes | tuple[bytes, ...]] = []
        self.commands: dict[tuple[str, bytes], tuple[int, bytes]] = {}
        self.followers: set[Follower] = set()
        self.lock = asyncio.Lock()
        self.held: Held | None = None  # an act that is decided and waits for its beat
        self.stale = True  # until it has been read to its end
        self.unreadable = ""  # what is wrong with the act after this version; such a stream stays stale
        self.is_open = True

    def view(self, version: int, viewer: int | None) -> bytes:
        """What a viewer may see of the act with this version."""
        view = self.views[version - 1]
        return view if view.__class__ is bytes else view[-1 if viewer is None else viewer]  # type: ignore[return-value]
