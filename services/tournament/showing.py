"""A tournament as it stands, for whoever draws it: teams, bracket, matches with their tables, standings."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

from pinochle.explain import explain, nearest
from pinochle.rules import load
from pinochle.tournament import (
    Match,
    State,
    knockout_rounds,
    ranked,
    ranked_by_places,
    redact,
    round_robin_rounds,
    rounds_tables,
)
from pinochle.tournament.lots import table_id
from pinochle.tournament.state import CLOSED, NONE, PHASES, PLAYED, RUNNING
from pinochle.wire import tournament_codec as codec
from pinochle.wire.v1 import tournament_pb2 as pb

from services.stream import Stream

SHOWN_BYTES_MAX = 32 << 20
SHOWN_SECONDS_MAX = 1.0
"""Answers are kept until the tournament moves on, and no longer than this: names may change, or be erased."""


class Snapshot(NamedTuple):
    """A tournament's stream as it stood at one moment; a thread may read it while the stream moves on."""

    id: str
    version: int
    hash: bytes
    state: State


class Shown:
    """Tournaments as bytes of a ShowResponse, each put together once for all who ask, in a thread, one at a time.

    One with thousands of matches takes a second; whoever asks for anything else must not wait for it. `join` is awaited
    with each and puts names where they belong.
    """

    def __init__(self, join: Callable[[pb.ShowResponse], Awaitable[None]]) -> None:
        self._join = join
        self._answers: OrderedDict[str, tuple[int, asyncio.Task[bytes]]] = OrderedDict()
        self._bytes = 0
        self._room = asyncio.Semaphore(1)

    async def at(self, stream: Stream) -> bytes:
        """The tournament as it stands now."""
        version, task = self._answers.get(stream.id, (0, None))
        if task is None or version != stream.version or (task.done() and task.exception()):
            self._forget(stream.id)
            snapshot = Snapshot(stream.id, stream.version, stream.hash, stream.state)
            task = asyncio.ensure_future(self._put_together(snapshot))
            self._answers[stream.id] = stream.version, task
            task.add_done_callback(partial(self._added, stream.id))
        self._answers.move_to_end(stream.id)
        return await asyncio.shield(task)

    async def _put_together(self, snapshot: Snapshot) -> bytes:
        async with self._room:
            shown = await asyncio.to_thread(show, snapshot)
            await self._join(shown)
            return await asyncio.to_thread(shown.SerializeToString)

    def _added(self, tournament: str, task: asyncio.Task[bytes]) -> None:
        if self._answers.get(tournament, (0, None))[1] is task and not task.cancelled() and not task.exception():
            self._bytes += len(task.result())
            task.get_loop().call_later(SHOWN_SECONDS_MAX, self._expire, tournament, task)
        while self._bytes > SHOWN_BYTES_MAX and self._answers:
            self._forget(next(iter(self._answers)))

    def _expire(self, tournament: str, task: asyncio.Task[bytes]) -> None:
        if self._answers.get(tournament, (0, None))[1] is task:
            self._forget(tournament)

    def _forget(self, tournament: str) -> None:
        _, task = self._answers.pop(tournament, (0, None))
        if task is not None and task.done() and not task.cancelled() and not task.exception():
            self._bytes -= len(task.result())


def show(stream: Stream | Snapshot) -> pb.ShowResponse:
    """Everything about a tournament but its seed, and that as well once it is closed."""
    state: State = stream.state
    created = state.created if state.phase == CLOSED else redact(state.created)
    rows, places = state.standings, state.place_standings
    if state.phase == RUNNING and state.created.format == "round_robin":
        rows = ranked(state.order, state.matches.values())
    if state.phase == RUNNING and state.created.format == "rounds":
        places = ranked_by_places(state.order, state.matches.values(), state.byes_scored)
    profile, _ = nearest(state.created.rules)
    return pb.ShowResponse(
        tournament=stream.id,
        version=stream.version,
        phase=PHASES[state.phase],
        created=codec.created_message(created),  # type: ignore[arg-type]
        teams=_teams(state),
        rounds=rounds(state),
        byes=[pb.Byes(round=number, teams=teams) for number, teams in state.byes.items()],
        matches=[_match(state, match) for match in state.matches.values()],
        standings=map(codec.row_message, rows),
        champion=None if state.champion == NONE else state.champion,
        ranking=state.ranking,
        updated_ms=state.now_ms,
        place_standings=map(codec.place_row_message, places),
        profile=profile,
        differences=explain(state.created.rules, load(profile)),
        head=pin(stream),
        root=state.root,
    )


def pin(stream: Stream | Snapshot) -> bytes:
    """The hash of a closed tournament's last act, which pins it and all its tables; nothing before."""
    return stream.hash if stream.state.phase == CLOSED else b""


def summary(stream: Stream) -> pb.TournamentSummary:
    """A tournament in one row."""
    state: State = stream.state
    return pb.TournamentSummary(
        tournament=stream.id,
        version=stream.version,
        name=state.created.name,
        format=codec.FORMATS[state.created.format],
        phase=PHASES[state.phase],
        teams=len(state.teams),
        matches_decided=len(state.matches) - len(state.undecided),
        matches=_matches(state),
        champion="" if state.champion == NONE else state.teams[state.champion].name,
        updated_ms=state.now_ms,
    )


def rounds(state: State) -> int:
    """How many rounds are played in all; 0 before the start."""
    if not state.order:
        return 0
    if state.created.format == "knockout":
        return knockout_rounds(len(state.order))
    if state.created.format == "rounds":
        return state.created.rounds
    return round_robin_rounds(len(state.order), state.created.cycles)


def _matches(state: State) -> int:
    teams = len(state.order)
    if not teams:
        return 0
    if state.created.format == "rounds":
        return rounds_tables(teams, state.created.rounds)
    return teams - 1 if state.created.format == "knockout" else teams * (teams - 1) // 2 * state.created.cycles


def _teams(state: State) -> list[pb.Team]:
    seeds = {team: seed for seed, team in enumerate(state.order, 1)}
    ranks = dict(zip(state.ranking, state.ranks, strict=True))
    return [
        pb.Team(
            team=number,
            name=state.teams[number].name,
            players=state.teams[number].players,
            number=state.teams[number].number,
            seed=seeds.get(number, 0),
            eliminated_in=state.eliminated.get(number, ""),
            rank=ranks.get(number, 0),
        )
        for number in state.order or state.teams
    ]


def _match(state: State, match: Match) -> pb.Match:
    return pb.Match(
        match=match.id,
        round=match.round,
        number=match.number,
        teams=match.teams,
        attempts=[
            pb.Attempt(
                number=attempt.number,
                kind=attempt.kind,
                status=attempt.status,
                table=table_id(state.created.tournament, match.id, attempt.number),
                winner=None if attempt.winner == NONE else attempt.winner,
                totals=attempt.totals if attempt.status == PLAYED else (),
                deals=attempt.deals,
                reason=attempt.reason,
            )
            for attempt in match.attempts
        ],
        winner=None if match.winner == NONE else match.winner,
        reason=match.reason,
        places=match.places,
        halves=match.halves,
    )
