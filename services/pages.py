"""Pages of streams, by id or by the time of opening with the latest first; what is opened meanwhile shifts none."""

from __future__ import annotations

from typing import Any, NamedTuple

from pinochle.errors import BadInput

from services.eventstore import EventStore
from services.rpc import stream_key
from services.stream import id_text


class Listed(NamedTuple):
    """A stream on a page; `token` is what a caller names to go on behind it, `opened_ms` 0 in the order of ids."""

    key: bytes
    token: str
    opened_ms: int


async def listed(store: EventStore, request: Any, limit: int) -> list[Listed]:
    """A page for a request with `after`, `open`, `latest_first`, `since_ms` and `until_ms`."""
    is_open = request.open if request.HasField("open") else None
    if not request.latest_first:
        if request.since_ms or request.until_ms:
            raise BadInput("since_ms and until_ms belong to latest_first")
        after = stream_key(request.after, "after") if request.after else None
        heads = await store.streams(after, limit, is_open)
        return [Listed(head.stream, id_text(head.stream), 0) for head in heads]
    bounds = {"since_ms": request.since_ms, **({"until_ms": request.until_ms} if request.until_ms else {})}
    if min(request.since_ms, request.until_ms) < 0:
        raise BadInput("since_ms and until_ms count from 1970 and are not below 0")
    rows = await store.latest(_before(request.after), limit, is_open, **bounds)
    return [
        Listed(row.head.stream, f"{row.opened_us}.{id_text(row.head.stream)}", row.opened_us // 1000) for row in rows
    ]


def _before(token: str) -> tuple[int, bytes] | None:
    """What `next` of a page by time stands for; BadInput for anything else."""
    if not token:
        return None
    moment, dot, stream = token.partition(".")
    if not dot or not moment.isascii() or not moment.isdecimal() or len(moment) > TOKEN_DIGITS_MAX:
        raise BadInput(f"after: not the `next` of a page in this order: {token[:60]!r}")
    return int(moment), stream_key(stream, "after")


TOKEN_DIGITS_MAX = 18
