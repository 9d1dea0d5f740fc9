"""Durable acts over gRPC against bare echoes of the same size, as ratios within one run.

Shapes, with N = 32 and 128:

* `stream echo`: a bare grpc.aio server that sends each message back, N bidirectional streams, one message in flight on
  each: messages of 75 bytes up and 72 down, an act's request and reply on the wire;
* `act, one stream`: N tables on one Play stream, everything switched on (token, decide, hash chain, group commit to
  Postgres, fan-out to Redis, views, metrics); the client samples from the options that came with each turn;
* `unary echo` and `unary act`: 32 calls in flight, the acts those of games that were made up before.

One server process and one client process share the machine with Postgres and Valkey. Rounds are interleaved and
short, since the speed of a machine drifts; ratios are formed inside a round, medians are reported.
`python -m tests.bench.acts` prints one line of JSON last.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterable
from typing import Any, NamedTuple

import grpc
import uvloop
from pinochle.commands import OpenTable, PlayerCommand
from pinochle.game import GAME
from pinochle.options import legal
from pinochle.rules import load
from pinochle.wire import codec
from pinochle.wire.v1 import table_pb2 as pb
from pinochle.wire.v1 import table_pb2_grpc

from services.local.processes import free_port
from services.local.system import SERVICES
from services.table.house import due_command
from tests.system import RunningSystem, running

SECONDS, ROUNDS = 1.0, 9
STREAMS = (32, 128)
UNARY_IN_FLIGHT = 32
TARGET = 1_000_000
"""Points that no table reaches while it is measured."""
TURNS = 1_000
REQUEST_BYTES, REPLY_BYTES = 75, 72
CALL_SECONDS_MAX = 30

_ids = (number.to_bytes(16, "big") for number in itertools.count(random.getrandbits(100)))


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
    async with (
        grpc.aio.insecure_channel(echo) as echoes,
        grpc.aio.insecure_channel(system.system.state.table_address) as channel,
    ):
        await asyncio.wait_for(echoes.channel_ready(), CALL_SECONDS_MAX)
        tables = _Tables(channel, system)
        scripts = [_script(seed) for seed in range(UNARY_IN_FLIGHT)]
        for _ in range(rounds):
            for streams in STREAMS:
                rates.setdefault(f"stream_echo_{streams}", []).append(await _stream_echoes(echoes, streams, seconds))
                rates.setdefault(f"act_one_stream_{streams}", []).append(await tables.one_stream(streams, seconds))
            rates.setdefault("unary_echo", []).append(await unary_echoes(echoes, seconds))
            rates.setdefault("unary_act", []).append(await tables.unary(scripts, seconds))
    figures: dict[str, float] = {}
    pairs = [(f"act_one_stream_{n}", f"stream_echo_{n}") for n in STREAMS] + [("unary_act", "unary_echo")]
    for ours, theirs in pairs:
        ratios = [a / b for a, b in zip(rates[ours], rates[theirs], strict=True)]
        figures[f"{ours}_to_{theirs}"] = round(statistics.median(ratios), 3)
    figures.update({f"{name}_per_second": round(statistics.median(found)) for name, found in rates.items()})
    return figures


class _Tables:
    """Tables of house-bot seats, played here with the bots' token by sampling the options."""

    def __init__(self, channel: grpc.aio.Channel, system: RunningSystem) -> None:
        self._stub = table_pb2_grpc.TableServiceStub(channel)
        self._operator = (("authorization", f"Bearer {system.token}"),)
        self._bots = (("authorization", f"Bearer {system.system.state.bots_token}"),)
        self._chance = random.Random(1)

    async def _open_one(self, seed: int) -> str:
        request = pb.OpenRequest(
            profile="classic", players=["bot:random"] * 4, deal_limit=10_000, dealer=0, seed=_seed(seed)
        )
        request.knobs.add(name="target", value=str(TARGET))
        return (await self._stub.Open(request, metadata=self._operator, timeout=CALL_SECONDS_MAX)).table

    async def _void(self, tables: Iterable[str]) -> None:
        requests = [pb.VoidRequest(table=table, reason="measured") for table in tables]
        await asyncio.gather(*(self._stub.Void(r, metadata=self._operator, timeout=CALL_SECONDS_MAX) for r in requests))

    async def one_stream(self, number: int, seconds: float) -> float:
        """Acts confirmed in a second, `number` tables on one Play stream."""
        tables = await asyncio.gather(*map(self._open_one, range(number)))
        outgoing: asyncio.Queue[pb.PlayRequest | None] = asyncio.Queue()
        outgoing.put_nowait(pb.PlayRequest(follow=tables))

        async def requests() -> AsyncIterator[pb.PlayRequest]:
            while (request := await outgoing.get()) is not None:
                yield request

        acts, began, end = 0, 0.0, 0.0
        call = self._stub.Play(requests(), metadata=self._bots, timeout=CALL_SECONDS_MAX)
        async for response in call:
            now = time.perf_counter()
            if not began:
                began, end = now, now + seconds
            if now >= end:
                break
            answers = []
            for update in response.updates:
                assert not update.HasField("rejection"), update.rejection
                if update.HasField("options"):
                    answers.append(answer(update, self._chance))
            acts += len(answers)
            if answers:
                outgoing.put_nowait(pb.PlayRequest(acts=answers))
        took = time.perf_counter() - began
        outgoing.put_nowait(None)
        call.cancel()
        await self._void(tables)
        return acts / took

    async def unary(self, scripts: list[list[_Turn]], seconds: float) -> float:
        """Acts in a second, a table for each script with one call in flight."""
        tables = await asyncio.gather(*(self._open_one(seed) for seed in range(len(scripts))))
        acts, began = 0, time.perf_counter()
        end = began + seconds

        async def play(table: str, turns: list[_Turn]) -> None:
            nonlocal acts
            for turn in turns:
                if time.perf_counter() >= end:
                    return
                if turn.follows_house:
                    await self._reached(table, turn.version)
                request = _request(table, turn.seat, turn.version, turn.command)
                answer = await self._stub.Act(request, metadata=self._bots, timeout=CALL_SECONDS_MAX)
                assert not answer.HasField("rejection"), answer.rejection
                acts += 1
            raise RuntimeError(f"{len(turns)} turns are too few for {seconds} s")

        await asyncio.gather(*map(play, tables, scripts))
        took = time.perf_counter() - began
        await self._void(tables)
        return acts / took

    async def _reached(self, table: str, version: int) -> None:
        """Wait until the house has dealt."""
        request = pb.WatchRequest(table=table, after_version=version - 1)
        watch = self._stub.Watch(request, metadata=self._bots, timeout=CALL_SECONDS_MAX)
        async for seen in watch:
            if seen.version >= version:
                break
        watch.cancel()


class _Turn(NamedTuple):
    """A player's act of a game that is known before it is played."""

    seat: int
    version: int  # at which the turn began
    follows_house: bool
    command: pb.PlayerCommand


def _script(seed: int) -> list[_Turn]:
    """What the players do at the table of this seed, up to TURNS acts."""
    chance = random.Random(seed)
    opening = OpenTable(load("classic", target=TARGET), ("bot:random",) * 4, 0, _seed(seed))
    state = GAME.fold(GAME.initial(), GAME.decide(GAME.initial(), opening))
    turns: list[_Turn] = []
    follows_house = True
    while len(turns) < TURNS:
        command = due_command(state)
        if command is None:
            options = legal(state)
            assert options is not None
            chosen = options.sample(chance)
            turns.append(_Turn(state.turn, state.turn_version, follows_house, codec.player_command_message(chosen)))
            command = chosen
        follows_house = not isinstance(command, PlayerCommand)
        state = GAME.fold(state, GAME.decide(state, command))
    return turns


def _seed(number: int) -> bytes:
    return number.to_bytes(32, "big")


def answer(update: pb.TableUpdate, chance: random.Random) -> pb.ActRequest:
    """A legal act, sampled from the options that came with a turn."""
    found = codec.options_from(update.options, update.seat)
    assert found is not None
    command = codec.player_command_message(found.sample(chance))
    return _request(update.table, update.seat, update.turn_version, command)


def _request(table: str, seat: int, version: int, command: pb.PlayerCommand) -> pb.ActRequest:
    return pb.ActRequest(table=table, seat=seat, expected_version=version, command_id=next(_ids), command=command)


async def _stream_echoes(channel: grpc.aio.Channel, streams: int, seconds: float) -> float:
    method = channel.stream_stream("/echo.Echo/Stream")
    payload = bytes(REQUEST_BYTES)
    end = time.perf_counter() + seconds
    done = 0

    async def play() -> None:
        nonlocal done
        call = method(timeout=CALL_SECONDS_MAX)
        while time.perf_counter() < end:
            await call.write(payload)
            await call.read()
            done += 1
        await call.done_writing()

    began = time.perf_counter()
    await asyncio.gather(*(play() for _ in range(streams)))
    return done / (time.perf_counter() - began)


async def unary_echoes(channel: grpc.aio.Channel, seconds: float) -> float:
    method = channel.unary_unary("/echo.Echo/Unary")
    payload = bytes(REQUEST_BYTES)
    end = time.perf_counter() + seconds
    done = 0

    async def play() -> None:
        nonlocal done
        while time.perf_counter() < end:
            await method(payload, timeout=CALL_SECONDS_MAX)
            done += 1

    began = time.perf_counter()
    await asyncio.gather(*(play() for _ in range(UNARY_IN_FLIGHT)))
    return done / (time.perf_counter() - began)


async def _serve_echo(port: int) -> None:
    reply = bytes(REPLY_BYTES)

    async def unary(request: bytes, context: Any) -> bytes:
        return reply

    async def stream(requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
        async for _ in requests:
            yield reply

    server = grpc.aio.server()
    handlers = {
        "Unary": grpc.unary_unary_rpc_method_handler(unary),
        "Stream": grpc.stream_stream_rpc_method_handler(stream),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("echo.Echo", handlers),))
    server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    await server.wait_for_termination()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.acts", description="Measure durable acts over gRPC.")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each case in a round")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--echo", type=int, metavar="PORT", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.echo:
        uvloop.run(_serve_echo(options.echo))
        return
    with running(SERVICES[:1]) as system:
        figures = run(system, seconds=options.seconds, rounds=options.rounds)
    for name, figure in figures.items():
        print(f"{name:44} {figure:,.3f}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
