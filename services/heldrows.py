"""Acts that can't be stored now because another transaction holds their stream's row: set aside, and tried again.

One writer serves all streams, so it must not wait for one of them. A statement that has waited a moment for a row
tells us that somebody holds one; a look that skips held rows, and waits for none, tells which.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar

from psycopg import sql

from services import packed
from services.acts import Append

ASK_SECONDS = 0.1
"""How often it is asked whether rows are free again."""

Ask = Callable[[str, tuple[bytes]], Awaitable[list[tuple[bytes]]]]
"""Runs a statement and gives its rows."""


class Waits(Protocol):
    """An append that waits, and since when."""

    act: Append
    since: float


W = TypeVar("W", bound=Waits)


class HeldRows(Generic[W]):
    """The appends that are set aside, one a stream at most."""

    def __init__(self, schema: str, clock: Callable[[], float]) -> None:
        self._free = sql.SQL(_FREE).format(schema=sql.Identifier(schema)).as_string()
        self._clock = clock
        self._aside: dict[bytes, W] = {}
        self._ask_at = 0.0

    def __len__(self) -> int:
        return len(self._aside)

    def __contains__(self, stream: object) -> bool:
        return stream in self._aside

    async def set_aside(self, batch: Sequence[W], ask: Ask) -> list[W]:
        """Set aside those of a batch whose rows are held now; the others. A stream to be opened has none."""
        held = {waiting.act.stream for waiting in batch if waiting.act.version}
        held -= await self._those_free(held, ask)
        self._aside.update((waiting.act.stream, waiting) for waiting in batch if waiting.act.stream in held)
        self._ask_at = self._clock() + ASK_SECONDS
        return [waiting for waiting in batch if waiting.act.stream not in held]

    def seconds_to_ask(self) -> float | None:
        """How long it is until the rows are to be asked for; None while nothing is set aside."""
        return max(0.0, self._ask_at - self._clock()) if self._aside else None

    async def freed(self, ask: Ask) -> list[W]:
        """Take back the appends whose rows are free again, if it is time to ask."""
        if not self._aside or self._clock() < self._ask_at:
            return []
        self._ask_at = self._clock() + ASK_SECONDS
        free = await self._those_free(self._aside, ask)
        return [self._aside.pop(stream) for stream in free if stream in self._aside]

    def overdue(self, since: float) -> list[W]:
        """Take back the appends that have waited since then, or longer."""
        late = [stream for stream, waiting in self._aside.items() if waiting.since <= since]
        return [self._aside.pop(stream) for stream in late]

    async def _those_free(self, streams: Iterable[bytes], ask: Ask) -> set[bytes]:
        return {row[0] for row in await ask(self._free, (packed.uuids(list(streams)),))}


_FREE = """select uuid_send(id) from {schema}.streams where id = any(%b::uuid[])
order by id for no key update skip locked"""
