"""The table service in this process, on real Postgres, Valkey and gRPC, with tokens for every role."""

import asyncio
import itertools
import random
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
from pinochle.wire.v1 import access_pb2_grpc, table_pb2_grpc
from pinochle.wire.v1 import table_pb2 as pb

from services.assembly import World
from services.auth import Principal, TokenStore, new_token, new_token_id
from services.config import Settings
from services.table.process import TableProcess
from tests.conftest import TestDatabase, TestValkey


@dataclass
class Arena:
    """A running table service, and callers of it."""

    __test__ = False
    process: TableProcess
    address: str
    settings: Settings
    tokens: TokenStore
    database: TestDatabase
    channels: list[grpc.aio.Channel] = field(default_factory=list)
    clock_ahead_ms: list[int] = field(default_factory=lambda: [0])

    async def token(self, role: str, player: str | None = None, **limits: Any) -> str:
        """A new token's text."""
        text = new_token(secrets.token_bytes)
        principal = Principal(role, player, limits.get("stream"), limits.get("seat"), new_token_id(secrets.token_bytes))
        await self.tokens.create(text, principal, expires_at_ms=limits.get("expires_at_ms"))
        return text

    async def caller(self, role: str, player: str | None = None, **limits: Any) -> "Caller":
        """A caller with a new token."""
        return self.with_token(await self.token(role, player, **limits))

    def with_token(self, token: str | None) -> "Caller":
        """A caller with this token, or none."""
        channel = grpc.aio.insecure_channel(self.address)
        self.channels.append(channel)
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        return Caller(table_pb2_grpc.TableServiceStub(channel), access_pb2_grpc.AccessServiceStub(channel), metadata)


@dataclass
class Caller:
    """Stubs, and the metadata to call them with."""

    tables: Any
    access: Any
    metadata: tuple[tuple[str, str], ...]

    async def call(self, method: str, request: Any, seconds: float = 10) -> Any:
        """A unary call."""
        stub = self.access if hasattr(self.access, method) else self.tables
        return await getattr(stub, method)(request, metadata=self.metadata, timeout=seconds)

    async def open(self, *players: str, profile: str = "classic", **fields: Any) -> str:
        """Open a table; its id."""
        request = pb.OpenRequest(profile=profile, players=players or ("a", "b", "c", "d"), **fields)
        return str((await self.call("Open", request)).table)


command_ids = (number.to_bytes(16, "big") for number in itertools.count(random.getrandbits(100)))


@pytest.fixture
async def arena(database: TestDatabase, valkey: TestValkey) -> AsyncIterator[Arena]:
    """The service with settings for tests: deadlines are kept, but nothing is slow."""
    settings = Settings.load(
        {
            "TABLES_DATABASE_URL": database.tables_url,
            "REDIS_URL": valkey.url,
            "TABLE_LISTEN": "127.0.0.1:0",
            "HEARTBEAT_SECONDS": "0.3",
            "SWEEP_SECONDS": "0.5",
            "HEADS_CHECK_SECONDS": "0.2",
            "HOUSE_TICK_SECONDS": "0.05",
            "DRAIN_SECONDS_MAX": "2",
            "MESSAGE_BYTES_MAX": "1000000",
            "CLIENT_REFUSALS_BURST_MAX": "1000000",
        }
    )
    ahead = [0]
    world = World(lambda: time.time_ns() // 1_000_000 + ahead[0], time.monotonic, asyncio.sleep, secrets.token_bytes)
    process = TableProcess(settings, world)
    port = await process.start()
    tokens = TokenStore(database.tables_url, clock_ms=world.clock_ms, clock=time.monotonic)
    await tokens.start()
    arena = Arena(process, f"127.0.0.1:{port}", settings, tokens, database, clock_ahead_ms=ahead)
    yield arena
    for channel in arena.channels:
        await channel.close()
    await tokens.close()
    await process.stop()
