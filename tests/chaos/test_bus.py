"""Nudges go on after connections to Redis were cut again and again, on the event loop that the services use."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from random import Random

import pytest
import uvloop
from pinochle.wire.v1.bus_pb2 import Nudge

from services.bus import Bus
from services.local.processes import free_port
from tests.chaos.proxy import Link
from tests.conftest import TestValkey

CUTS = 150
HEARD_SECONDS_MAX = 15


@pytest.mark.chaos
async def test_nudges_are_sent_and_heard_after_every_kind_of_lost_connection(valkey: TestValkey) -> None:
    before, _, rest = valkey.url.rpartition(":")
    port, slash, database = rest.partition("/")
    link = Link("redis", Random(1), free_port(set()), (int(port),))
    await link.start()
    loop = asyncio.get_running_loop()
    faults = (link.cut, link.tear, lambda: link.half_close(True), lambda: link.half_close(False))

    def put_in(number: int) -> None:
        loop.call_soon_threadsafe(faults[number % len(faults)])

    heard = await asyncio.to_thread(uvloop.run, _cut_and_hear(f"{before}:{link.port}{slash}{database}", put_in))
    await link.close()
    assert "last" in heard


async def _cut_and_hear(address: str, put_in: Callable[[int], None]) -> set[str]:
    """What is heard of nudges that are sent while faults are put in, and after them."""
    buses = [
        Bus(address, origin=origin, queue_max=100, seconds_max=1.0, reconnect_seconds_max=0.1) for origin in ("a", "b")
    ]
    heard: set[str] = set()
    for bus in buses:
        bus.start()
    hearing = asyncio.create_task(_hear(buses[1], heard))
    for number in range(CUTS):
        buses[0].publish("test", Nudge(stream=str(number)))
        await asyncio.sleep(0.005 * (number % 5))
        put_in(number)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(HEARD_SECONDS_MAX):
            while "last" not in heard:
                assert not hearing.done(), hearing.exception()
                buses[0].publish("test", Nudge(stream="last"))
                await asyncio.sleep(0.1)
    hearing.cancel()
    for bus in buses:
        await bus.close()
    return heard


async def _hear(bus: Bus, heard: set[str]) -> None:
    async for nudge in bus.subscribe("test"):
        if nudge is not None:
            heard.add(nudge.stream)
