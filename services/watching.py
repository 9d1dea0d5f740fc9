"""Streams to callers: how many are open, and how one waits for news of what it follows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

from pinochle.errors import BadInput
from pinochle.wire.v1 import table_pb2

from services.auth import Principal
from services.eventstore import EventStore
from services.handle import Stream, Streams, Unreadable
from services.rpc import TooMuch

PAGE_BYTES_MAX = 256 << 10
"""The acts in one message stop at about this size."""


class OpenStreams:
    """The streams of this process to its callers; `opened(kind, change)` hears of each."""

    def __init__(self, most: int, per_token_max: int, opened: Callable[[str, int], None]) -> None:
        self._most = most
        self._per_token_max = per_token_max
        self._opened = opened
        self._held: dict[str, int] = {}

    def __len__(self) -> int:
        return sum(self._held.values())

    @contextmanager
    def enter(self, caller: Principal, kind: str) -> Iterator[None]:
        """Count one stream of the caller while the block lasts; TooMuch where it may not have another."""
        held = self._held.get(caller.token_id, 0)
        if held >= self._per_token_max:
            raise TooMuch(f"a token opens {self._per_token_max} streams at most at the same time")
        if len(self) >= self._most:
            raise TooMuch("the service has all the streams it takes; come back later")
        self._held[caller.token_id] = held + 1
        self._opened(kind, 1)
        try:
            yield
        finally:
            self._opened(kind, -1)
            self._held[caller.token_id] -= 1
            if not self._held[caller.token_id]:
                del self._held[caller.token_id]


class Watcher:
    """A follower that waits for the next move of one stream."""

    def __init__(self) -> None:
        self._news = asyncio.Event()

    def moved(self, stream: Stream) -> None:
        self._news.set()

    async def wait(self, seconds_max: float) -> None:
        """Return when the stream has moved, or when it is time for a heartbeat."""
        try:
            async with asyncio.timeout(seconds_max):
                await self._news.wait()
        except TimeoutError:
            return
        self._news.clear()


def check_version(version: int) -> None:
    """BadInput where a caller names a version below 0."""
    if version < 0:
        raise BadInput(f"versions count from 0, not from {version}")


async def reach(streams: Streams, stream: Stream, version: int) -> None:
    """Catch up where a caller knows more than this process; BadInput where the log itself does not go so far."""
    check_version(version)
    if version > stream.version:
        await streams.refresh(stream)
    if version > stream.version:
        raise BadInput(f"{stream.id} is at version {stream.version}, before your {version}: begin anew from there")


def page(stream: Stream, after: int, viewer: int | None = None) -> tuple[list[bytes], int]:
    """What the viewer may see of the acts after a version, up to the size of a page, and the version reached.

    Unreadable where the next act is one that this version cannot read.
    """
    if stream.unreadable and after >= stream.version:
        raise Unreadable(stream)
    views: list[bytes] = []
    size = 0
    while after < stream.version and size < PAGE_BYTES_MAX:
        after += 1
        views.append(stream.view(after, viewer))
        size += len(views[-1])
    return views, after


async def stored_parts(
    store: EventStore, key: bytes, after: int, page_acts_max: int
) -> AsyncIterator[list[table_pb2.StoredAct]]:
    """A stream's acts after a version exactly as stored, in messages of about the size of a page."""
    after = max(0, after)
    while acts := await store.read(key, after, page_acts_max):
        after = acts[-1].version
        part: list[table_pb2.StoredAct] = []
        size = 0
        for act in acts:
            if size > PAGE_BYTES_MAX:
                yield part
                part, size = [], 0
            part.append(
                table_pb2.StoredAct(version=act.version, command_id=act.command_id, body=act.body, hash=act.hash)
            )
            size += len(act.body)
        yield part
