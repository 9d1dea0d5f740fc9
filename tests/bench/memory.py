"""Memory of the table service with 2,000 finished and 200 running tables: bounded by its cache, not by what was played.

One-deal tables are played to their end, half of them, then the other half; between the halves the resident memory must
stand still but for what the allocator keeps. Then 200 tables are opened and left in the middle of a deal.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
from pinochle.wire.v1 import table_pb2 as pb
from pinochle.wire.v1 import table_pb2_grpc

from services.local.system import SERVICES
from tests.bench.acts import CALL_SECONDS_MAX, answer
from tests.system import RunningSystem, running

FINISHED, RUNNING = 2_000, 200
AT_ONCE = 100
ACTS_LEFT_RUNNING = 30
STREAM_SECONDS_MAX = 600


def run(system: RunningSystem, *, finished: int = FINISHED, running_tables: int = RUNNING) -> dict[str, float]:
    """Resident memory of the table service in MB at each stage, by name."""
    return asyncio.run(_measured(system, finished, running_tables))


async def _measured(system: RunningSystem, finished: int, running_tables: int) -> dict[str, float]:
    figures = {"memory_table_mb_at_start": resident_mb(system)}
    async with grpc.aio.insecure_channel(system.system.state.table_address) as channel:
        stub = table_pb2_grpc.TableServiceStub(channel)
        for half in ("half", "all"):
            for _ in range(0, finished // 2, AT_ONCE):
                await _play(stub, system, AT_ONCE, acts_max=None)
            figures[f"memory_table_mb_{half}_finished"] = resident_mb(system)
        await _play(stub, system, running_tables, acts_max=ACTS_LEFT_RUNNING * running_tables)
        figures["memory_table_mb_with_running"] = resident_mb(system)
    return figures


async def _play(
    stub: table_pb2_grpc.TableServiceStub, system: RunningSystem, number: int, acts_max: int | None
) -> None:
    """Play new one-deal tables on one stream, to their end or until so many acts were made."""
    operator = (("authorization", f"Bearer {system.token}"),)
    bots = (("authorization", f"Bearer {system.system.state.bots_token}"),)
    request = pb.OpenRequest(profile="classic", players=["bot:random"] * 4, deal_limit=1)
    opened = [stub.Open(request, metadata=operator, timeout=CALL_SECONDS_MAX) for _ in range(number)]
    tables = [response.table for response in await asyncio.gather(*opened)]
    outgoing: asyncio.Queue[pb.PlayRequest | None] = asyncio.Queue()
    outgoing.put_nowait(pb.PlayRequest(follow=tables))

    async def requests() -> AsyncIterator[pb.PlayRequest]:
        while (message := await outgoing.get()) is not None:
            yield message

    chance, acts, left = random.Random(1), 0, set(tables)
    call = stub.Play(requests(), metadata=bots, timeout=STREAM_SECONDS_MAX)
    async for response in call:
        answers = [answer(update, chance) for update in response.updates if update.HasField("options")]
        left -= {update.table for update in response.updates if update.over}
        acts += len(answers)
        if not left or (acts_max is not None and acts >= acts_max):
            break
        if answers:
            outgoing.put_nowait(pb.PlayRequest(acts=answers))
    outgoing.put_nowait(None)
    call.cancel()


def resident_mb(system: RunningSystem) -> float:
    """Resident memory of the table service's process."""
    lines = Path(f"/proc/{system.pid('table')}/status").read_text().splitlines()
    kilobytes = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
    return round(kilobytes / 1024, 1)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.memory", description="Measure the table service's memory."
    )
    parser.add_argument("--finished", type=int, default=FINISHED)
    parser.add_argument("--running", type=int, default=RUNNING)
    options = parser.parse_args()
    with running(SERVICES[:1]) as system:
        figures = run(system, finished=options.finished, running_tables=options.running)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
