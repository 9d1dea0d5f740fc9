"""The table service as the tournament service calls it: see tables, open them, void them, close them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import grpc
from pinochle.tournament import WantedTable
from pinochle.wire.knobs import rules_message
from pinochle.wire.v1 import table_pb2 as pb
from pinochle.wire.v1 import table_pb2_grpc

PAGE_MAX = 200
HEADS_MAX = 1_000
"""Tables that one call asks about; the table service takes no more."""
PROFILE = "classic"
"""Any profile will do, because every knob is sent along with it."""


class TablesAway(Exception):
    """The table service does not answer now, or has too much to do; ask again later."""


class TableRefused(Exception):
    """The table service said no; asking again will not help."""


class Tables(Protocol):
    """What advancing a tournament needs of the table service."""

    async def summaries(self, tables: Sequence[str]) -> dict[str, pb.TableSummary]:
        """Those of these tables that exist, by id."""

    async def open(self, wanted: WantedTable) -> None:
        """Open a table; nothing where it is open already."""

    async def void(self, table: str, reason: str) -> None:
        """End a table without a result; nothing where it has ended."""

    async def close_table(self, table: str) -> None:
        """Have an ended table publish its seed and its log; nothing where it has."""

    async def heads(self, tables: Sequence[str]) -> dict[str, pb.TableHead]:
        """The lengths, and of closed tables the last hashes, of those of these tables that exist, by id."""


class TableClient:
    """Tables over gRPC. Raises TablesAway and TableRefused; each call lasts `seconds_max` at most."""

    def __init__(self, address: str, token: str, *, seconds_max: float, message_bytes_max: int) -> None:
        options = [
            ("grpc.enable_http_proxy", 0),
            ("grpc.max_receive_message_length", message_bytes_max),
            # A table service that was restarted is found again at once.
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.min_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 1_000),
        ]
        self._channel = grpc.aio.insecure_channel(address, options=options)
        self._stub = table_pb2_grpc.TableServiceStub(self._channel)
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._seconds_max = seconds_max

    async def summaries(self, tables: Sequence[str]) -> dict[str, pb.TableSummary]:
        pages = [tables[start : start + PAGE_MAX] for start in range(0, len(tables), PAGE_MAX)]
        answers = await asyncio.gather(*(self._call(self._stub.List, pb.ListRequest(tables=page)) for page in pages))
        return {summary.table: summary for answer in answers for summary in answer.tables}

    async def open(self, wanted: WantedTable) -> None:
        request = pb.OpenRequest(
            table=wanted.table,
            profile=PROFILE,
            knobs=rules_message(wanted.rules).knobs,
            players=wanted.players,
            dealer=wanted.dealer,
            seed=wanted.seed,
            turn_ms=wanted.turn_ms,
            deal_limit=wanted.deal_limit,
            tournament=wanted.tournament,
            match=wanted.match,
            beat_ms=wanted.beat_ms,
        )
        await self._call(self._stub.Open, request)

    async def void(self, table: str, reason: str) -> None:
        await self._call(self._stub.Void, pb.VoidRequest(table=table, reason=reason))

    async def close_table(self, table: str) -> None:
        await self._call(self._stub.Close, pb.CloseRequest(table=table))

    async def heads(self, tables: Sequence[str]) -> dict[str, pb.TableHead]:
        found: dict[str, pb.TableHead] = {}
        for start in range(0, len(tables), HEADS_MAX):
            answer = await self._call(self._stub.Heads, pb.HeadsRequest(tables=tables[start : start + HEADS_MAX]))
            found.update((head.table, head) for head in answer.heads)
        return found

    async def close(self) -> None:
        """Let go of the connection."""
        await self._channel.close()

    async def _call(self, method: Any, request: Any) -> Any:
        try:
            return await method(request, metadata=self._metadata, timeout=self._seconds_max)
        except grpc.aio.AioRpcError as error:
            text = f"{error.code().name.lower()}: {error.details()}"
            if error.code() in _NO:
                raise TableRefused(text) from error
            raise TablesAway(text) from error


_NO: Iterable[grpc.StatusCode] = frozenset(
    {
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.ALREADY_EXISTS,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.UNIMPLEMENTED,
    }
)
