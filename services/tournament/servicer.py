"""TournamentService over gRPC: tokens to rights, messages to commands, outcomes to answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from typing import Any, NamedTuple
from uuid import UUID

from pinochle import shuffle
from pinochle.bots import check_house_bots
from pinochle.errors import BadInput, Conflict, Rejected
from pinochle.explain import explain
from pinochle.rules import load
from pinochle.tournament import (
    Command,
    CreateTournament,
    EnterTeam,
    ReplayMatch,
    StartTournament,
    State,
    TeamEntered,
    WithdrawTeam,
    plan_next_round,
)
from pinochle.tournament.state import CLOSED, ENTRY, OVER
from pinochle.wire import tournament_codec as codec
from pinochle.wire.framing import repeated
from pinochle.wire.knobs import load_with, rules_message
from pinochle.wire.v1 import tournament_pb2 as pb

from services.admission import TooMuch
from services.auth import Principal
from services.eventstore import EventStore, StoreUnavailable
from services.handle import COMMAND_ID_BYTES, Outcome, Streams
from services.pages import listed
from services.people import People, kept
from services.rpc import Forbidden, Guard, stream_key, streaming, unary
from services.sending import Reached
from services.stream import UNREADABLE, CommandReused, Stream, UnknownStream, Unreadable
from services.tournament import showing
from services.tournament.naming import Names
from services.watching import Watcher, check_room, page, reach, stored_parts

DIRECTORS = ("operator", "director")
"""The roles that run tournaments; each is the author of its acts."""
LIST_MAX = 100
_WATCHED_ACTS = 1


class Limits(NamedTuple):
    """Numbers of this service, from its settings."""

    entrants_max: int
    log_page_acts_max: int
    heartbeat_seconds: float
    followers_max: int


class TournamentServicer:
    """The calls of TournamentService. `entropy(n)` gives n secret random bytes; `draining` ends streams when set."""

    def __init__(
        self,
        streams: Streams,
        store: EventStore,
        guard: Guard,
        limits: Limits,
        *,
        people: People,
        entropy: Callable[[int], bytes],
        draining: asyncio.Event,
    ) -> None:
        self.guard = guard
        self._streams = streams
        self._store = store
        self._limits = limits
        self._entropy = entropy
        self._draining = draining
        self._people = people
        self._names = Names(people)
        self._shown = showing.Shown(self._names.join)

    @unary
    async def Create(self, request: pb.CreateRequest, caller: Principal) -> pb.CreateResponse:
        tournament = request.tournament or str(UUID(bytes=self._entropy(16), version=4))
        author = _director(caller, tournament, "create tournaments")
        rules = load_with(request.profile, request.knobs)
        format_name = codec.format_from(request.format)
        key = stream_key(tournament, "tournament")
        if request.seed and len(request.seed) != shuffle.SEED_BYTES:
            raise BadInput(f"a seed has {shuffle.SEED_BYTES} bytes, not {len(request.seed)}")
        # What the service draws itself was drawn when the tournament was created first.
        seed = request.seed or await self._seed(key) or self._entropy(shuffle.SEED_BYTES)
        if format_name == "rounds" and request.tie_deals:
            raise BadInput(
                "tie_deals belongs to the formats knockout and round_robin; it must be 0 for rounds, "
                f"where equal totals share the place, not {request.tie_deals}"
            )
        command = CreateTournament(
            tournament,
            request.name,
            format_name,
            rules,
            seed,
            request.deal_cap,
            request.deals,
            request.tie_deals,
            request.turn_ms,
            request.cycles or 1,
            request.rounds,
            request.beat_ms,
        )
        try:
            outcome = await self._handle(key, author, request, command, opens=True)
        except (CommandReused, Rejected):
            drawn = await self._seed(key)
            if request.seed or drawn in (b"", seed):
                raise
            # It was created in the same moment, perhaps by the same request with another seed drawn.
            outcome = await self._handle(key, author, request, replace(command, seed=drawn), opens=True)
        state: State = outcome.stream.state
        return pb.CreateResponse(
            tournament=tournament,
            version=outcome.version,
            commitment=state.created.commitment,
            rules=rules_message(state.created.rules),
            differences=explain(state.created.rules, load(request.profile)),
        )

    async def _seed(self, key: bytes) -> bytes:
        try:
            state: State = (await self._streams.get(key)).state
        except UnknownStream:
            return b""
        return state.created.seed

    @unary
    async def Enter(self, request: pb.EnterRequest, caller: Principal) -> pb.EnterResponse:
        author = _director(caller, request.tournament, "enter teams")
        players = tuple(request.players)
        check_house_bots(players)
        stream = await self._streams.get(stream_key(request.tournament, "tournament"))
        state: State = stream.state
        name = await self._names.of_team(stream, request.name, players)
        is_known = any(team.name == name for team in state.teams.values())
        async with kept(self._people, self._streams, stream.key, name):
            if not is_known and state.phase == ENTRY and len(state.teams) >= self._limits.entrants_max:
                raise TooMuch(f"this service takes {self._limits.entrants_max} teams in a tournament at most")
            outcome = await self._handle(stream.key, author, request, EnterTeam(name, players, request.number))
        commitment = outcome.stream.state.created.commitment
        return pb.EnterResponse(team=_entered(outcome, name), version=outcome.version, commitment=commitment)

    @unary
    async def Withdraw(self, request: pb.WithdrawRequest, caller: Principal) -> pb.WithdrawResponse:
        outcome = await self._direct(request, caller, "take teams out", WithdrawTeam(request.team))
        return pb.WithdrawResponse(version=outcome.version)

    @unary
    async def Start(self, request: pb.StartRequest, caller: Principal) -> pb.StartResponse:
        _director(caller, request.tournament, "start tournaments")
        stream = await self._streams.get(stream_key(request.tournament, "tournament"))
        await asyncio.to_thread(plan_next_round, stream.state)
        outcome = await self._direct(request, caller, "start tournaments", StartTournament())
        return pb.StartResponse(version=outcome.version)

    @unary
    async def Replay(self, request: pb.ReplayRequest, caller: Principal) -> pb.ReplayResponse:
        _director(caller, request.tournament, "have matches replayed")
        stream = await self._streams.get(stream_key(request.tournament, "tournament"))
        reason = await self._names.of_ruling(stream, request.match, request.reason)
        command = ReplayMatch(request.match, request.attempt, reason)
        async with kept(self._people, self._streams, stream.key, reason):
            outcome = await self._direct(request, caller, "have matches replayed", command)
        return pb.ReplayResponse(version=outcome.version)

    @unary
    async def Show(self, request: pb.ShowRequest, caller: Principal) -> bytes:
        return await self._shown.at(await self._look(request, caller))

    @unary
    async def List(
        self, request: pb.TournamentServiceListRequest, caller: Principal
    ) -> pb.TournamentServiceListResponse:
        if request.limit > LIST_MAX:
            raise BadInput(f"limit: at most {LIST_MAX}, not {request.limit}")
        limit = request.limit or LIST_MAX
        listing = await listed(self._store, request, limit)
        rows = [await self._summary(one.key) for one in listing]
        await self._names.join_champions(rows)
        found = [row for row, _ in rows]
        for one, row in zip(listing, found, strict=True):
            row.opened_ms = one.opened_ms
        following = listing[-1].token if len(listing) == limit else ""
        return pb.TournamentServiceListResponse(tournaments=found, next=following)

    @streaming("watch")
    async def Watch(
        self, request: pb.TournamentServiceWatchRequest, caller: Principal
    ) -> AsyncGenerator[Reached, None]:
        stream = await self._look(request, caller)
        after = request.after_version
        watcher = Watcher()
        check_room(stream, self._limits.followers_max)
        stream = self._streams.follow(stream, watcher)
        try:
            await reach(self._streams, stream, after, request.at_ms, pb.TournamentActView)
            while not self._draining.is_set():
                views, after = page(stream, after)
                phase = stream.state.phase
                pinned = showing.pin(stream) if after == stream.version else b""
                head = pb.TournamentServiceWatchResponse(version=stream.version, over=phase >= OVER, head=pinned)
                yield Reached(repeated(_WATCHED_ACTS, views) + head.SerializeToString(), after)
                if after < stream.version:
                    continue
                if phase == CLOSED:
                    return
                await watcher.wait(self._limits.heartbeat_seconds)
            # An end in order would say that there is nothing more to come.
            raise StoreUnavailable("the service is stopping; come back and resume")
        finally:
            stream.followers.discard(watcher)

    @streaming("log")
    async def Log(
        self, request: pb.TournamentServiceLogRequest, caller: Principal
    ) -> AsyncGenerator[Reached, None]:
        try:
            stream = await self._look(request, caller)
        except Unreadable as error:  # its bytes can be had all the same
            stream = error.stream
        if (stream.unreadable or stream.state.phase != CLOSED) and caller.role != "operator":
            raise Forbidden("the log of a tournament is published when it has ended")
        async for acts in stored_parts(
            self._store, stream.key, request.after_version, self._limits.log_page_acts_max
        ):
            yield Reached(pb.TournamentServiceLogResponse(acts=acts), acts[-1].version)

    async def _summary(self, key: bytes) -> tuple[pb.TournamentSummary, int]:
        """A tournament in one row, and the number of its champion."""
        try:
            stream = await self._streams.look(key)
            return showing.summary(stream), stream.state.champion
        except Unreadable as error:
            known = showing.summary(error.stream) if error.stream.version else pb.TournamentSummary()
            known.tournament, known.phase = error.stream.id, UNREADABLE
            return known, error.stream.state.champion

    async def _direct(self, request: Any, caller: Principal, what: str, command: Command) -> Outcome:
        author = _director(caller, request.tournament, what)
        return await self._handle(stream_key(request.tournament, "tournament"), author, request, command)

    async def _handle(self, key: bytes, author: str, request: Any, command: Command, opens: bool = False) -> Outcome:
        # Every command may be repeated without harm, so its id need not come from the caller.
        command_id = request.command_id or self._entropy(COMMAND_ID_BYTES)
        return await self._streams.handle(key, author, command_id, command, opens=opens)

    async def _look(self, request: Any, caller: Principal) -> Stream:
        key = stream_key(request.tournament, "tournament")
        if caller.role == "spectator" and caller.stream not in (None, request.tournament):
            raise Forbidden("this token is for another table or tournament")
        return await self._streams.get(key)


def _entered(outcome: Outcome, name: str) -> int:
    """The number of the team that a command entered; that of its act, where the command was carried out before."""
    if outcome.repeated:
        view = pb.TournamentActView.FromString(outcome.stream.view(outcome.version, None))
        return next(event.team for event in codec.events_from(view) if isinstance(event, TeamEntered))
    state: State = outcome.stream.state
    for team in state.teams.values():
        if team.name == name:
            return team.team
    raise Conflict("the team was taken out in the same moment")


def _director(caller: Principal, tournament: str, what: str) -> str:
    """The author for a director's act; Forbidden for everyone else."""
    if caller.role not in DIRECTORS:
        raise Forbidden(f"only directors and operators {what}")
    if caller.stream not in (None, tournament):
        raise Forbidden("this token is for another table or tournament")
    return caller.role
