"""CPU of one act in our own code, in process: everything but gRPC, the commit, the publish and the event loop.

TABLES tables of `classic` on one Play stream, over the memory store, which never suspends, so that each act runs from
the bytes of its request to the bytes of the updates that it causes, nudge included, as one call: decode, load, decide,
encode, hash, append, fold, redact, nudge, reply. Processor seconds of this process, in blocks of about two deals a
table, since a bid costs another time than a card; the median block is reported, and the best, which other work on the
machine disturbs least.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import random
import statistics
import time

from pinochle.commands import OpenTable
from pinochle.rules import load
from pinochle.wire import codec
from pinochle.wire.v1 import table_pb2 as pb

from services.assembly import collect_seldom, phases
from services.auth import Principal
from services.eventstore import Append, MemoryStore
from services.handle import Hooks, Streams
from services.stream import Stream
from services.table.house import due_command
from services.table.index import KIND, Index
from services.table.play import PlaySession
from services.table.process import nudge

TABLES, BLOCKS, ROUNDS_A_BLOCK = 32, 12, 128
ACTS_MAX = 1_000_000


class _Uncommitted(MemoryStore):
    """Takes acts and keeps none: the commit is measured elsewhere."""

    async def append(self, act: Append) -> None:
        pass


class _Service:
    """What the table service puts between a request and its updates, without gRPC, Postgres and Redis."""

    def __init__(self) -> None:
        self.streams = Streams(
            KIND,
            _Uncommitted(_clock_ms),
            clock_ms=_clock_ms,
            clock=time.monotonic,
            cached_max=2 * TABLES,
            acts_max=ACTS_MAX,
            retries_max=3,
            hooks=Hooks(self._moved, phases(), lambda: None),
        )
        self.index = Index(_clock_ms)
        bots = Principal("bots", None, None, None, "bench")
        self.session = PlaySession(self.streams, self.index, bots, tables_max=TABLES, draining=asyncio.Event())
        self.chance = random.Random(1)
        self.ids = (number.to_bytes(16, "big") for number in itertools.count(1))
        self.nudged = 0

    def _moved(self, stream: Stream, view: bytes | None) -> None:
        self.index.moved(stream)
        if view is not None:
            self.nudged += len(nudge(stream, view).SerializeToString())

    async def open(self) -> list[bytes]:
        rules = load("classic", target=1_000_000)
        keys = [self.chance.randbytes(16) for _ in range(TABLES)]
        for key in keys:
            opening = OpenTable(rules, ("bot:random",) * 4, 0, self.chance.randbytes(32), turn_ms=60_000)
            await self.streams.handle(key, "director", next(self.ids), opening, opens=True)
        await self.deal(keys)
        return keys

    async def deal(self, keys: list[bytes]) -> None:
        """Let the house act where it is due; not a player's act, and not counted."""
        for key in keys:
            stream = await self.streams.get(key)
            while (command := due_command(stream.state)) is not None:
                await self.streams.handle(key, "house", next(self.ids), command)

    def requests(self, updates: list[bytes]) -> list[bytes]:
        """The client's side: a sampled answer to each turn."""
        answers = []
        for data in updates:
            update = pb.TableUpdate.FromString(data)
            assert not update.HasField("rejection"), update.rejection
            if update.HasField("options"):
                options = codec.options_from(update.options, update.seat)
                assert options is not None
                command = codec.player_command_message(options.sample(self.chance))
                answers.append(
                    pb.ActRequest(
                        table=update.table, seat=update.seat, expected_version=update.turn_version,
                        command_id=next(self.ids), command=command,
                    ).SerializeToString()
                )  # fmt: skip
        return answers


def run(*, blocks: int = BLOCKS) -> dict[str, float]:
    """Microseconds of one act, and of its parts, by name."""
    return asyncio.run(_measured(blocks))


async def _measured(blocks: int) -> dict[str, float]:
    service = _Service()
    keys = await service.open()
    session = service.session
    for key in keys:
        await session._follow((await service.streams.get(key)).id)
    spent: list[float] = []
    collect_seldom()
    updates = session._updates()
    for _ in range(blocks + 1):
        acts, seconds = 0, 0.0
        for _ in range(ROUNDS_A_BLOCK):
            answers = service.requests(updates)
            began = time.process_time()
            for answer in answers:
                await session._act(pb.ActRequest.FromString(answer))
            updates = session._updates()
            seconds += time.process_time() - began
            acts += len(answers)
            await service.deal(keys)
            updates += session._updates()
        assert acts == TABLES * ROUNDS_A_BLOCK
        spent.append(seconds / acts)
    del spent[0]
    figures = {"own_us_per_act": statistics.median(spent) * 1e6, "own_us_per_act_best": min(spent) * 1e6}
    return {name: round(figure, 1) for name, figure in figures.items()}


def _clock_ms() -> int:
    return time.time_ns() // 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.own", description="Measure the CPU of one act.")
    parser.add_argument("--blocks", type=int, default=BLOCKS, help=f"blocks of acts (default {BLOCKS})")
    print(json.dumps(run(blocks=parser.parse_args().blocks)))


if __name__ == "__main__":
    main()
