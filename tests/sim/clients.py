"""Those who use the services: directors, and players and watchers who repeat themselves, vanish and come back.

Each is a process of its own that may be killed and started again with nothing remembered. They use the library's own
client wherever it has the words.
"""

from __future__ import annotations

import asyncio
import contextlib
from random import Random
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
from pinochle.client import AsyncClient, TableView
from pinochle.client.bot import play
from pinochle.client.channel import act_request
from pinochle.client.errors import ClientError
from pinochle.commands import Concede, Pass, PlayerCommand
from pinochle.errors import Rejected
from pinochle.options import Options, PlayOptions
from pinochle.state import CLOSED, OVER
from pinochle.wire.v1 import table_pb2, tournament_pb2, tournament_pb2_grpc

if TYPE_CHECKING:
    from tests.sim.scenario import Event, Table
    from tests.sim.simulation import Simulation

POLL_SECONDS = 0.08
PATIENT_SECONDS = 1e6
OLD_ACTS_MAX = 8


def client(simulation: Simulation, token: str) -> AsyncClient:
    """A connection to the table service that never gives up."""
    return AsyncClient("tables", simulation.token(token), outage_seconds_max=PATIENT_SECONDS)


async def direct_table(simulation: Simulation, table: Table) -> None:
    """Open a table, and end it where that is the director's to do."""
    connection = client(simulation, "director")
    await connection.open(
        table.players,
        profile=table.profile,
        knobs=table.knobs,
        table=table.id,
        dealer=table.dealer,
        turn_ms=table.turn_ms,
        deal_limit=table.deals,
        boards=table.boards,
        seed=table.seed if table.gives_seed else b"",
    )
    if table.voided_after:
        await asyncio.sleep(table.voided_after)
        request = table_pb2.VoidRequest(table=table.id, reason="the lights went out")
        with contextlib.suppress(ClientError):  # it had ended before
            await connection.call(connection.stub.Void, request)
    while table.boards:
        await asyncio.sleep(0.5)
        is_time = all(simulation.phase_of(one.id) >= OVER for one in simulation.scenario.tables)
        try:
            await connection.call(connection.stub.Close, table_pb2.CloseRequest(table=table.id))
            return
        except ClientError as error:
            if is_time:
                simulation.fail("no call fails without a reason", f"{table.id} is not closed: {error}")


async def direct_tournament(simulation: Simulation, event: Event) -> None:
    """Create a tournament, enter the teams and start it, each step again until it is answered."""
    connection = client(simulation, "director")
    stub = tournament_pb2_grpc.TournamentServiceStub(grpc.aio.insecure_channel("tournaments"))
    created = tournament_pb2.CreateRequest(
        tournament=event.id, name="Simulated", format=f"TOURNAMENT_FORMAT_{event.format.upper()}",
        profile=event.profile, deal_cap=event.deals, turn_ms=event.turn_ms, tie_deals=event.tie_deals,
    )  # fmt: skip
    await connection.call(stub.Create, created)
    for number, players in enumerate(event.teams):
        entered = tournament_pb2.EnterRequest(tournament=event.id, name=f"Team {number}", players=players)
        await connection.call(stub.Enter, entered)
    await connection.call(stub.Start, tournament_pb2.StartRequest(tournament=event.id))


def choose_slowly(chance: Random, think_seconds: float) -> Any:
    """A bot that takes its time, at times more than it has."""

    async def choose(view: Any, options: Options, _: Any) -> PlayerCommand:
        draw = chance.random()
        if think_seconds:
            await asyncio.sleep(think_seconds * draw * draw * draw * (8 if draw > 0.97 else 1))
        return choice(options, chance)

    return choose


def choice(options: Options, chance: Any) -> PlayerCommand:
    """Whatever is legal; who may concede often does, so that games are short."""
    if isinstance(options, PlayOptions) and options.may_concede and chance.randrange(4):
        return Concede(options.seat)
    return options.sample(chance)


class QuickBot:
    """A house bot that plays so."""

    def choose(self, view: Any, options: Options, chance: Any) -> PlayerCommand:
        return choice(options, chance)


async def play_by_stream(simulation: Simulation, player: str, think_seconds: float, chance: Random) -> None:
    """Play every table of a player over the library's stream, for ever."""
    await play(
        choose_slowly(chance, think_seconds),
        "tables",
        simulation.token(player),
        chance=chance,
        on_error=lambda view, error: simulation.troubled(player, error),
        on_trouble=lambda error: None,
        outage_seconds_max=PATIENT_SECONDS,
    )


async def play_by_calls(simulation: Simulation, player: str, table: str, seat: int, chance: Random) -> None:
    """Play one seat by View and Act, and be careless about it."""
    connection = client(simulation, player)
    await simulation.opened(table)
    view = TableView(table, seat)
    kept: list[tuple[TableView, int]] = []
    sent: list[tuple[table_pb2.ActRequest, int]] = []
    rates = simulation.rates
    while True:
        await connection.view(table, seat, held=view)
        if view.over:
            return
        if chance.random() < rates.client_careless / 2:
            view = _older(view, kept)
            continue
        if sent and chance.random() < rates.client_careless / 2:
            await _again(simulation, connection, *chance.choice(sent))
            continue
        if view.options is None or view.state.turn != seat:
            await asyncio.sleep(POLL_SECONDS * (0.5 + chance.random()))
            continue
        request = act_request(table, choice(view.options, chance), view.turn_version, simulation.new_id())
        calls = 1
        if chance.random() < rates.client_careless:
            calls = 1 + chance.randrange(4)  # several at once, perhaps at different processes
        answers = await asyncio.gather(*(_act(connection, request) for _ in range(calls)))
        versions = {answer.version for answer in answers if answer is not None and answer.version}
        if len(versions) > 1:
            simulation.fail("the same command has one answer", f"{table}, seat {seat}: versions {sorted(versions)}")
        if versions:
            sent = [*sent[-OLD_ACTS_MAX:], (request, versions.pop())]
        view.options = None


def _older(view: TableView, kept: list[tuple[TableView, int]]) -> TableView:
    """The view as it was some time before, or nothing."""
    copy = TableView(view.table, view.seat)
    copy.state = view.state
    kept.append((copy, view.version))
    old = kept[len(kept) // 2][0]
    again = TableView(view.table, view.seat)
    again.state = old.state if len(kept) > 1 else again.state
    return again


async def _act(connection: AsyncClient, request: table_pb2.ActRequest) -> Any:
    """Send a command until it is answered; None where the client has no patience."""
    try:
        return await connection.call(connection.stub.Act, request)
    except (ClientError, Rejected):
        return None


async def _again(
    simulation: Simulation, connection: AsyncClient, request: table_pb2.ActRequest, version: int
) -> None:
    """Send what was answered long ago once more; and its id with something else, which must be refused as such."""
    answer = await connection.call(connection.stub.Act, request)
    if answer.version != version:
        text = f"{request.table}: version {version} at first, then {answer.version or answer.rejection.reason}"
        simulation.fail("the same command has one answer", text)
    other = act_request(request.table, Pass(request.seat), request.expected_version, request.command_id)
    if other.command != request.command:
        try:
            await connection.stub.Act(other, timeout=5.0, metadata=connection.metadata)
        except grpc.aio.AioRpcError as error:
            if error.code() in (grpc.StatusCode.ALREADY_EXISTS, grpc.StatusCode.UNAVAILABLE):
                return
            if error.code() in (grpc.StatusCode.ABORTED, grpc.StatusCode.DEADLINE_EXCEEDED):
                return
            simulation.fail("an id is for one command", f"{request.table}: {error.code().name}")
        else:
            simulation.fail("an id is for one command", f"{request.table}: another command with it was answered")


async def watch(simulation: Simulation, player: str, table: str, chance: Random) -> None:
    """Watch a table to its end, with streams that end early and begin anew from an older version."""
    connection = client(simulation, player)
    await simulation.opened(table)
    version = reached = 0
    while True:
        acts = connection.watch(table, version)
        leaves_after = chance.randrange(1, 40) if chance.random() < simulation.rates.client_careless else 0
        number = 0
        async for act in acts:
            if act.version != version + 1:
                simulation.fail("a viewer's stream is the log", f"{player} was given {act.version} after {version}")
            version = act.version
            reached = max(reached, version)
            number += 1
            if number == leaves_after:
                break
        else:
            if simulation.phase_of(table) != CLOSED or reached != simulation.version_of(table):
                simulation.fail("a viewer's stream is the log", f"the stream of {player} ended at {reached}")
            return
        await acts.aclose()  # type: ignore[attr-defined]
        version = chance.randrange(version + 1)
        await asyncio.sleep(chance.random() * 0.3)
