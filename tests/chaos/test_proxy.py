"""A connection through a proxy may lose its end, and never something in its midst: no network does that to TCP."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from random import Random

import pytest

from services.local.processes import free_port
from tests.chaos.proxy import HOST, Link

CONNECTIONS = 200
SECONDS_MAX = 30


def sent(number: int) -> bytes:
    """So many numbers, one behind the other."""
    return b"".join(at.to_bytes(4, "big") for at in range(number))


async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """Send numbers until the connection ends; what came meanwhile."""

    async def talk() -> None:
        for number in itertools.count():
            writer.write(number.to_bytes(4, "big"))
            await asyncio.sleep(0.0005)

    talking, heard = asyncio.create_task(talk()), bytearray()
    with contextlib.suppress(OSError):
        while data := await reader.read(4096):
            heard += data
    talking.cancel()
    writer.close()
    return bytes(heard)


@pytest.mark.chaos
async def test_what_arrives_is_the_beginning_of_what_was_sent_whatever_faults_meet() -> None:
    chance = Random(5)
    at_server: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        at_server.append(await speak(reader, writer))

    server = await asyncio.start_server(serve, HOST, 0)
    link = Link("test", chance, free_port(set()), (server.sockets[0].getsockname()[1],))
    await link.start()
    faults = (
        link.tear, link.tear, lambda: link.silence(0.02), lambda: link.stall(0.004),
        lambda: link.half_close(True), lambda: link.half_close(False),
    )  # fmt: skip
    at_client: list[bytes] = []
    async with asyncio.timeout(SECONDS_MAX):
        for _ in range(CONNECTIONS):
            speaking = asyncio.create_task(speak(*await asyncio.open_connection(HOST, link.port)))
            await asyncio.sleep(0.003)
            for _ in range(chance.randrange(2, 5)):
                chance.choice(faults)()
                await asyncio.sleep(chance.random() * 0.006)
            link.cut()
            at_client.append(await speaking)
        await asyncio.sleep(0.2)  # for the last of the server's
    await link.close()
    server.close()
    assert any(at_client)
    assert any(at_server)
    for heard in at_client + at_server:
        assert sent(len(heard) // 4 + 1).startswith(heard)
