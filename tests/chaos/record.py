"""The record: what clients sent and what they were told, one JSON line each, only ever appended.

It is written at the border of the client library, from the messages themselves, so that it owes nothing to what the
library or the services make of them. `Recorder` writes, `recorded` wraps the stubs of a client, `read` gives it back.
"""

from __future__ import annotations

import json
import time
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from pinochle.wire.v1 import table_pb2 as pb

SPECTATOR = "spectator"

Entry = dict[str, Any]
"""`what` is sent, acked, refused, shown, turn, head, opened, directed or result; bytes are `bytes`."""

BYTES = ("act", "command", "options", "id", "commitment")
"""Fields that hold bytes; base64 in the file."""


class Recorder:
    """Appends to one file; counts what was acknowledged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.acknowledged = 0
        self.entries = 0
        self._file = path.open("ab", buffering=1 << 16)
        self._acted: dict[tuple[str, str], set[int]] = {}
        self._shown: dict[tuple[str, str, int], set[bytes]] = {}

    def add(self, what: str, stream: str, **fields: Any) -> None:
        """One line."""
        entry = {"what": what, "ms": time.time_ns() // 1_000_000, "stream": stream}
        for name, value in fields.items():
            entry[name] = b64encode(value).decode() if isinstance(value, bytes) else value
        self._file.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")
        self.entries += 1

    def flush(self) -> None:
        """Have everything in the file."""
        self._file.flush()

    def close(self) -> None:
        """Finish the file."""
        self._file.close()

    def sent(self, request: pb.ActRequest) -> None:
        """A command, before it is sent."""
        self.add(
            "sent", request.table, viewer=f"seat:{request.seat}", id=request.command_id,
            expected=request.expected_version, command=request.command.SerializeToString(),
        )  # fmt: skip

    def answered(self, request: pb.ActRequest, answer: pb.ActResponse) -> None:
        """The answer to one command."""
        viewer = f"seat:{request.seat}"
        if answer.HasField("rejection"):
            reason = answer.rejection.reason
            self.add(
                "refused", request.table, viewer=viewer, id=request.command_id, reason=reason,
                command=request.command.SerializeToString(),
            )  # fmt: skip
            return
        self._count(request.table, viewer, answer.version)
        self.add(
            "acked", request.table, viewer=viewer, id=request.command_id, version=answer.version,
            command=request.command.SerializeToString(),
        )  # fmt: skip
        if answer.HasField("act"):
            self._show("table", request.table, viewer, answer.act)

    def acts(self, kind: str, stream: str, viewer: str, acts: Any) -> None:
        """Acts as they were shown to somebody."""
        for act in acts:
            self._show(kind, stream, viewer, act)

    def update(self, news: pb.TableUpdate) -> None:
        """News of one table over a Play stream: acts, the turn, and the answers to acts of this seat."""
        viewer = f"seat:{news.seat}"
        for act in news.acts:
            self._show("table", news.table, viewer, act)
            if act.author == viewer:
                self._count(news.table, viewer, act.version)
        if news.command_id and news.HasField("rejection"):
            self.add("refused", news.table, viewer=viewer, id=news.command_id, reason=news.rejection.reason)
        if news.HasField("options"):
            self.turn(news.table, viewer, news)

    def turn(self, table: str, viewer: str, news: pb.TableUpdate | pb.ViewResponse) -> None:
        """What a seat was offered."""
        self.add(
            "turn", table, viewer=viewer, version=news.version, turn_version=news.turn_version,
            deadline_ms=news.deadline_ms, options=news.options.SerializeToString(),
        )  # fmt: skip

    def _count(self, table: str, viewer: str, version: int) -> None:
        """Count an acknowledged act once, however often its seat is told."""
        known = self._acted.setdefault((table, viewer), set())
        if version not in known:
            known.add(version)
            self.acknowledged += 1

    def _show(self, kind: str, stream: str, viewer: str, act: Any) -> None:
        """An act as it was shown; the very same bytes again are not written twice."""
        data = act.SerializeToString()
        known = self._shown.setdefault((stream, viewer, act.version), set())
        digest = blake2b(data, digest_size=8).digest()
        if digest not in known:
            known.add(digest)
            self.add("shown", stream, kind=kind, viewer=viewer, version=act.version, author=act.author, act=data)


def read(path: Path) -> Iterator[Entry]:
    """The entries of a record, in order."""
    with path.open("rb") as file:
        for line in file:
            entry: Entry = json.loads(line)
            for name in BYTES:
                if name in entry:
                    entry[name] = b64decode(entry[name])
            yield entry


class RecordedStub:
    """The stub of a table service whose calls are written down on their way."""

    def __init__(self, stub: Any, recorder: Recorder) -> None:
        self._stub = stub
        self._recorder = recorder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stub, name)

    async def Act(self, request: pb.ActRequest, **about: Any) -> pb.ActResponse:
        self._recorder.sent(request)
        answer = await self._stub.Act(request, **about)
        self._recorder.answered(request, answer)
        return answer

    async def View(self, request: pb.ViewRequest, **about: Any) -> pb.ViewResponse:
        answer = await self._stub.View(request, **about)
        viewer = f"seat:{request.seat}" if request.HasField("seat") else SPECTATOR
        self._recorder.acts("table", request.table, viewer, answer.acts)
        if answer.HasField("options"):
            self._recorder.turn(request.table, viewer, answer)
        return answer

    def Play(self, requests: AsyncIterator[pb.PlayRequest], **about: Any) -> _RecordedCall:
        return _RecordedCall(self._stub.Play(self._written(requests), **about), self._played)

    def Watch(self, request: pb.WatchRequest, **about: Any) -> _RecordedCall:
        viewer = f"seat:{request.seat}" if request.HasField("seat") else SPECTATOR
        call = self._stub.Watch(request, **about)
        return _RecordedCall(call, lambda news: self._recorder.acts("table", request.table, viewer, news.acts))

    def _played(self, response: pb.PlayResponse) -> None:
        for update in response.updates:
            self._recorder.update(update)

    async def _written(self, requests: AsyncIterator[pb.PlayRequest]) -> AsyncIterator[pb.PlayRequest]:
        async for request in requests:
            for act in request.acts:
                self._recorder.sent(act)
            yield request


class _RecordedCall:
    """A call whose answers are written down as they are read."""

    def __init__(self, call: Any, seen: Any) -> None:
        self._call = call
        self._seen = seen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call, name)

    async def read(self) -> Any:
        news = await self._call.read()
        if hasattr(news, "SerializeToString"):
            self._seen(news)
        return news

    async def __aiter__(self) -> AsyncIterator[Any]:
        async for news in self._call:
            self._seen(news)
            yield news
