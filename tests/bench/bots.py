"""House-bot turns a second through the whole system, against bare unary echoes in the same run.

TABLES tables of four house bots each are opened, and the acts that players made are counted over some seconds while
Celery workers play them: nudge, task, stream, choice, act, commit. `random` shows what the system carries, `club` what
a bot that thinks leaves of it. The echo is unary, 32 calls in flight, 75 bytes up and 72 down, one server and one
client process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys

import grpc
from pinochle.wire.v1 import table_pb2 as pb
from pinochle.wire.v1 import table_pb2_grpc

from services.local.processes import free_port
from tests.bench.acts import CALL_SECONDS_MAX, unary_echoes
from tests.system import RunningSystem, running

TABLES = 32
KINDS = ("random", "club")
SECONDS, ROUNDS = 4.0, 3
WARM_SECONDS = 2.0
HOUSE_SHARE = 56 / 57
"""Of 57 acts in a deal of `classic`, the house makes one, the deal."""


def run(system: RunningSystem, *, seconds: float = SECONDS, rounds: int = ROUNDS) -> dict[str, float]:
    """The medians of the ratios and rates, by name."""
    port = free_port(set())
    echo = subprocess.Popen([sys.executable, "-m", "tests.bench.acts", "--echo", str(port)])
    try:
        return asyncio.run(_measured(system, f"127.0.0.1:{port}", seconds, rounds))
    finally:
        echo.kill()
        echo.wait(10)


async def _measured(system: RunningSystem, echo: str, seconds: float, rounds: int) -> dict[str, float]:
    rates: dict[str, list[float]] = {}
    address = system.system.state.table_address
    async with grpc.aio.insecure_channel(echo) as echoes, grpc.aio.insecure_channel(address) as channel:
        await asyncio.wait_for(echoes.channel_ready(), CALL_SECONDS_MAX)
        stub = table_pb2_grpc.TableServiceStub(channel)
        for _ in range(rounds):
            rates.setdefault("unary_echo", []).append(await unary_echoes(echoes, seconds / 2))
            for kind in KINDS:
                rates.setdefault(kind, []).append(await _turns(stub, system.token, kind, seconds))
    figures = {}
    for kind in KINDS:
        ratios = [ours / theirs for ours, theirs in zip(rates[kind], rates["unary_echo"], strict=True)]
        figures[f"bot_turns_{kind}_to_unary_echo"] = round(statistics.median(ratios), 3)
        figures[f"bot_turns_{kind}_per_second"] = round(statistics.median(rates[kind]))
    return figures


async def _turns(stub: table_pb2_grpc.TableServiceStub, token: str, kind: str, seconds: float) -> float:
    """Players' acts in a second at TABLES tables of this bot, once they are under way."""
    metadata = (("authorization", f"Bearer {token}"),)
    request = pb.OpenRequest(profile="classic", players=[f"bot:{kind}"] * 4, deal_limit=10_000)
    request.knobs.add(name="target", value="1000000")
    opened = [stub.Open(request, metadata=metadata, timeout=CALL_SECONDS_MAX) for _ in range(TABLES)]
    tables = [answer.table for answer in await asyncio.gather(*opened)]

    async def acts() -> int:
        listed = await stub.List(pb.ListRequest(tables=tables), metadata=metadata, timeout=CALL_SECONDS_MAX)
        return sum(table.version for table in listed.tables)

    loop = asyncio.get_running_loop()
    await asyncio.sleep(WARM_SECONDS)
    before, began = await acts(), loop.time()
    await asyncio.sleep(seconds)
    after, ended = await acts(), loop.time()
    voids = [pb.VoidRequest(table=table, reason="measured") for table in tables]
    await asyncio.gather(*(stub.Void(void, metadata=metadata, timeout=CALL_SECONDS_MAX) for void in voids))
    return (after - before) * HOUSE_SHARE / (ended - began)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.bots", description="Measure house bots' turns.")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each case in a round")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    with running() as system:
        figures = run(system, seconds=options.seconds, rounds=options.rounds)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
