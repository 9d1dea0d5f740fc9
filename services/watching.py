"""Streams to callers: how one waits for news of what it follows, and what it is sent of it."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator
from typing import Any

from pinochle.errors import BadInput
from pinochle.wire.v1 import table_pb2

from services.admission import SOON_SECONDS, TooMuch
from services.eventstore import EventStore
from services.handle import Streams
from services.stream import Ahead, Stream, Unreadable

PAGE_BYTES_MAX = 256 << 10
"""The acts in one message stop at about this size."""


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


def check_room(stream: Stream, followers_max: int) -> None:
    """TooMuch where so many follow a stream already that its acts would be long on their way to all."""
    if len(stream.followers) >= followers_max:
        raise TooMuch(f"{len(stream.followers)} callers watch this already; come back later", SOON_SECONDS, "followers")


def check_version(version: int) -> None:
    """BadInput where a caller names a version below 0."""
    if version < 0:
        raise BadInput(f"versions count from 0, not from {version}")


async def reach(
    streams: Streams, stream: Stream, version: int, at_ms: int = 0, view: type[Any] = table_pb2.ActView
) -> None:
    """Catch up where a caller knows more than this process; Ahead where the log does not hold what the caller does.

    `at_ms` is when the act at that version was made, as far as the caller knows; 0: it does not say. `view` is the
    message of what is seen of an act.
    """
    check_version(version)
    if version > stream.version:
        await streams.refresh(stream, asks=True)  # anybody may name any version

    def made_ms(version: int) -> int:
        return int(view.FromString(stream.view(version, None)).at_ms)

    if version > stream.version:
        what = f"{stream.id} is at version {stream.version}, before your {version}"
    elif at_ms and version and made_ms(version) != at_ms:
        what = f"act {version} of {stream.id} is not the one that you hold"
    else:
        return
    # What both hold was made by then, and what came after the restore was made later.
    agreed = bisect_right(range(1, min(version, stream.version + 1)), at_ms, key=made_ms) if at_ms else 0
    go_on = f"resume after {agreed}" if agreed else "begin anew"
    raise Ahead(f"{what}: the log was restored to an older point; {go_on}", agreed)


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
