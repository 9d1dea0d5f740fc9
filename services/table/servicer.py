"""TableService over gRPC: tokens to seats, messages to commands, outcomes to answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple
from uuid import UUID

from pinochle import shuffle
from pinochle.bots import check_house_bots
from pinochle.commands import CloseTable, Command, OpenTable, VoidTable
from pinochle.errors import BadInput, Reason, Rejected
from pinochle.explain import explain
from pinochle.game import check_beat, check_reason
from pinochle.options import legal
from pinochle.players import check_player, is_house_bot
from pinochle.rules import RuleSet, load
from pinochle.state import CLOSED, OVER, State
from pinochle.wire import codec
from pinochle.wire.framing import repeated
from pinochle.wire.knobs import load_with, rules_message
from pinochle.wire.v1 import table_pb2 as pb

from services.auth import Principal
from services.eventstore import EventStore, StoreUnavailable
from services.handle import Streams
from services.people import People, kept
from services.rpc import Forbidden, Guard, stream_key, streaming, unary
from services.sending import Reached
from services.stream import CommandReused, Stream, UnknownStream, Unreadable
from services.table import listing
from services.table.index import Index
from services.table.play import PlaySession, act_response
from services.table.rights import (
    SEATS,
    acting_seat,
    check_directs,
    check_may_look,
    check_may_open,
    seats_of,
    viewer_of,
)
from services.watching import Watcher, check_room, page, reach, stored_parts

OPEN_ID, VOID_ID, CLOSE_ID = (text.ljust(16).encode() for text in ("open", "void", "close"))
"""Command ids of what can happen to a table only once."""


class Limits(NamedTuple):
    """Numbers of this service, from its settings."""

    turn_ms: int
    grace_ms: int
    play_tables_max: int
    log_page_acts_max: int
    heartbeat_seconds: float
    followers_max: int


class TableServicer:
    """The calls of TableService. `entropy(n)` gives n secret random bytes; `draining` ends streams when set;
    `find_open` brings the index up to date with what other processes did."""

    def __init__(
        self,
        streams: Streams,
        index: Index,
        store: EventStore,
        guard: Guard,
        limits: Limits,
        *,
        people: People,
        entropy: Callable[[int], bytes],
        draining: asyncio.Event,
        find_open: Callable[[], Awaitable[None]],
    ) -> None:
        self.guard = guard
        self._streams = streams
        self._index = index
        self._store = store
        self._limits = limits
        self._entropy = entropy
        self._draining = draining
        self._find_open = find_open
        self._people = people

    @unary
    async def Open(self, request: pb.OpenRequest, caller: Principal) -> pb.OpenResponse:
        table = request.table or str(UUID(bytes=self._entropy(16), version=4))
        key = stream_key(table, "table")
        author = check_may_open(caller, table, request.tournament)
        rules = load_with(request.profile, request.knobs)
        players = tuple(request.players)
        for player in players:
            check_player(player)
        _check_seated_once(players)
        check_house_bots(players)
        check_beat(request.beat_ms)
        if request.seed and len(request.seed) != shuffle.SEED_BYTES:
            raise BadInput(f"a seed has {shuffle.SEED_BYTES} bytes, not {len(request.seed)}")
        held = await self._existing(key)
        if held is None:
            _check_new_to_boards(self._index, request)
        command = self._open_command(request, rules, players, held)
        try:
            outcome = await self._streams.handle(key, author, OPEN_ID, command, opens=True)
        except CommandReused:
            if held is not None:
                raise
            # Somebody opened it in the same moment, perhaps by the same request with another seed drawn.
            command = self._open_command(request, rules, players, await self._existing(key))
            outcome = await self._streams.handle(key, author, OPEN_ID, command, opens=True)
        state: State = outcome.stream.state
        return pb.OpenResponse(
            table=table,
            version=outcome.version,
            commitment=state.table.commitment,
            rules=rules_message(state.rules),
            differences=explain(state.rules, load(request.profile)),
        )

    def _open_command(
        self, request: pb.OpenRequest, rules: RuleSet, players: tuple[str, ...], held: State | None
    ) -> OpenTable:
        # What the service adds itself was settled when the table was opened first.
        seed = request.seed or (held.table.seed if held else self._entropy(shuffle.SEED_BYTES))
        dealer = request.dealer if request.HasField("dealer") else shuffle.lot(seed, 0, rules.players)
        turn_ms = request.turn_ms or (held.table.turn_ms if held else self._limits.turn_ms)
        # What comes in time is given out a beat later at most, and nothing may expire before.
        grace_ms = held.table.grace_ms if held else self._limits.grace_ms + request.beat_ms
        return OpenTable(
            rules, players, dealer, seed, request.nonce, turn_ms, grace_ms,
            request.deal_limit, request.boards, request.tournament, request.match, request.beat_ms,
        )  # fmt: skip

    async def _existing(self, key: bytes) -> State | None:
        try:
            return (await self._streams.get(key)).state
        except UnknownStream:
            return None

    @unary
    async def Act(self, request: pb.ActRequest, caller: Principal) -> bytes:
        stream = await self._streams.get(stream_key(request.table, "table"))
        opened = stream.state.table
        asked = request.seat if request.HasField("seat") else None
        seat = acting_seat(caller, seats_of(caller, stream.id, opened.players, opened.tournament), asked)
        command = codec.player_command_from(request.command, seat)
        try:
            outcome = await self._streams.handle(
                stream.key, SEATS[seat], request.command_id, command, expected=request.expected_version
            )
        except Rejected as error:
            self.guard.refused(error.reason.value)
            self.guard.admission.refused(caller)
            rejection = pb.Rejection(reason=error.reason.value, detail=error.detail)
            return pb.ActResponse(rejection=rejection).SerializeToString()
        return act_response(outcome.stream, outcome.version, seat)

    @streaming("play")
    def Play(self, requests: AsyncIterator[pb.PlayRequest], caller: Principal) -> AsyncGenerator[bytes, None]:
        if caller.role not in ("player", "bots"):
            raise Forbidden("only players play; your token's role is " + caller.role)
        session = PlaySession(
            self._streams,
            self._index,
            caller,
            tables_max=self._limits.play_tables_max,
            draining=self._draining,
            admission=self.guard.admission,
        )
        return session.run(requests)

    @streaming("watch")
    async def Watch(self, request: pb.WatchRequest, caller: Principal) -> AsyncGenerator[Reached, None]:
        stream, viewer = await self._look(request, caller)
        after = request.after_version
        watcher = Watcher()
        check_room(stream, self._limits.followers_max)
        stream = self._streams.follow(stream, watcher)
        try:
            await reach(self._streams, stream, after, request.at_ms)
            while not self._draining.is_set():
                views, after = page(stream, after, viewer)
                head = pb.WatchResponse(version=stream.version, over=stream.state.phase >= OVER)
                yield Reached(repeated(1, views) + head.SerializeToString(), after)
                if after == stream.version:
                    if stream.state.phase == CLOSED:
                        return
                    await watcher.wait(self._limits.heartbeat_seconds)
            # An end in order would say that there is nothing more to come.
            raise StoreUnavailable("the service is stopping; come back and resume")
        finally:
            stream.followers.discard(watcher)

    @unary
    async def View(self, request: pb.ViewRequest, caller: Principal) -> bytes:
        stream, viewer = await self._look(request, caller)
        if request.head_only:
            views, after = list[bytes](), stream.version
        else:
            await reach(self._streams, stream, request.after_version, request.at_ms)
            views, after = page(stream, request.after_version, viewer)
        if request.until_version:
            return _as_it_stood(stream, request, views, after)
        state: State = stream.state
        is_due = viewer is not None and viewer == state.turn
        head = pb.ViewResponse(
            version=stream.version,
            deadline_ms=state.deadline_ms,
            turn_version=state.turn_version,
            due_seat=state.turn if state.turn >= 0 else None,
            over=state.phase >= OVER,
            more=after < stream.version,
        )
        options = legal(state) if is_due else None
        if options is not None:
            head.options.CopyFrom(codec.options_message(options))
        return repeated(1, views) + head.SerializeToString()

    async def _look(self, request: Any, caller: Principal) -> tuple[Stream, int | None]:
        stream = await self._streams.get(stream_key(request.table, "table"))
        opened = stream.state.table
        asked = request.seat if request.HasField("seat") else None
        held = seats_of(caller, stream.id, opened.players, opened.tournament)
        viewer = viewer_of(caller, held, asked)
        check_may_look(caller, stream.state, viewer, stream.id)
        return stream, viewer

    @streaming("log")
    async def Log(self, request: pb.LogRequest, caller: Principal) -> AsyncGenerator[Reached, None]:
        try:
            stream = await self._streams.look(stream_key(request.table, "table"))
        except Unreadable as error:  # its bytes can be had all the same
            stream = error.stream
        if (stream.unreadable or stream.state.phase != CLOSED) and caller.role != "operator":
            raise Forbidden("the log of a table is published when it, and every table on its boards, has ended")
        async for acts in stored_parts(
            self._store, stream.key, request.after_version, self._limits.log_page_acts_max
        ):
            yield Reached(pb.LogResponse(acts=acts), acts[-1].version)

    @unary
    async def List(self, request: pb.ListRequest, caller: Principal) -> pb.ListResponse:
        return await listing.tables(self._streams, self._store, request, caller.role)

    @unary
    async def ListDue(self, request: pb.ListDueRequest, caller: Principal) -> pb.ListDueResponse:
        if caller.role not in ("bots", "service", "operator", "director"):
            raise Forbidden("only the services, directors and operators list who is due")
        return listing.due(self._index, request, self._streams.now_ms())

    @unary
    async def Heads(self, request: pb.HeadsRequest, caller: Principal) -> pb.HeadsResponse:
        return await listing.heads(self._store, request, caller.role)

    @unary
    async def Void(self, request: pb.VoidRequest, caller: Principal) -> pb.VoidResponse:
        stream = await self._streams.get(stream_key(request.table, "table"))
        check_reason(request.reason)
        reason = request.reason
        if caller.role in ("operator", "director"):  # written by a person; the tournament service has its own words
            players = [player for player in stream.state.table.players if not is_house_bot(player)]
            reason = await self._people.mark(stream.key, reason, players)
        async with kept(self._people, self._streams, stream.key, reason):
            version = await self._end(request.table, caller, "void tables", VOID_ID, VoidTable(reason))
        return pb.VoidResponse(version=version)

    @unary
    async def Close(self, request: pb.CloseRequest, caller: Principal) -> pb.CloseResponse:
        await self._check_boards_are_played(request.table)
        version = await self._end(request.table, caller, "close tables", CLOSE_ID, CloseTable())
        return pb.CloseResponse(version=version)

    async def _check_boards_are_played(self, table: str) -> None:
        """A table's last act opens its log, seed and hashes: not while others still play the same cards."""
        key = stream_key(table, "table")
        opened = (await self._streams.get(key)).state.table
        if opened.boards:
            await self._find_open()
        if opened.boards and (other := self._index.played_on(opened.boards, opened.tournament, key)):
            raise Rejected(Reason.WRONG_PHASE, f"table {other.id} still plays these boards")

    async def _end(self, table: str, caller: Principal, what: str, command_id: bytes, command: Command) -> int:
        key = stream_key(table, "table")
        # A token for a tournament directs its tables; which these are, only the table says.
        tournament = (await self._streams.get(key)).state.table.tournament if caller.stream else ""
        author = check_directs(caller, what, table, tournament)
        outcome = await self._streams.handle(key, author, command_id, command)
        return outcome.version


def _as_it_stood(stream: Stream, request: pb.ViewRequest, views: list[bytes], after: int) -> bytes:
    """A ViewResponse for a version that has gone by: acts up to it, and no turn."""
    until = request.until_version
    if not request.after_version <= until <= stream.version:
        raise BadInput(f"until_version: from {request.after_version} to {stream.version}, not {until}")
    head = pb.ViewResponse(version=stream.version, over=stream.state.phase >= OVER, more=after < until)
    return repeated(1, views[: until - request.after_version]) + head.SerializeToString()


def _check_new_to_boards(index: Index, request: pb.OpenRequest) -> None:
    """BadInput where a player sits at another open table on the same boards, and would see them twice."""
    for player in request.players if request.boards else ():
        for key in () if is_house_bot(player) else index.of_player(player):
            row = index.get(key)
            if row and (row.boards, row.tournament) == (request.boards, request.tournament):
                raise BadInput(f"player {player} plays these boards at table {row.id} already")


def _check_seated_once(players: tuple[str, ...]) -> None:
    """BadInput where a player would see two hands; only house bots, which look at one at a time, may sit twice."""
    for seat, player in enumerate(players):
        if player in players[:seat] and not is_house_bot(player):
            raise BadInput(f"player {player} cannot hold seats {players.index(player)} and {seat} of one table")
