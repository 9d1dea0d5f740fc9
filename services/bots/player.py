"""Plays the house bots of many tables side by side, over one stream, as an ordinary client.

A round gets some tables and plays them on while the next to act is a house bot, up to a number of turns and seconds.
Views of tables are kept between rounds, so that the next one is sent only what is new. Tables that come while a round
is under way join it, so that those that were handed out one by one come together. All of it runs on one event loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import NamedTuple

from pinochle.client import AsyncClient, BadBot, ClientError, PlayStream, TableView
from pinochle.errors import Reason, Rejected
from pinochle.options import Chooser
from pinochle.wire.v1 import table_pb2 as pb

from services.bots.patience import Patience
from services.bots.roster import Roster, is_house_bot
from services.stream import UNREADABLE

LOG = logging.getLogger(__name__)
TABLES_ASKED_MAX = 200
LATE = (Reason.STALE_VERSION, Reason.NOT_YOUR_TURN, Reason.WRONG_PHASE, Reason.OVER)
"""Refusals of an answer that somebody else, most often another worker, was quicker to give."""
WHOLE_TABLE = -1
JOINING_SECONDS_MIN = 0.2
"""A round that has less time left is not joined."""


class Bounds(NamedTuple):
    """How much one round may do, and what is kept between rounds."""

    turns_max: int
    seconds_max: float
    idle_seconds_max: float  # how long a table may give no sign of life while a bot or the house is due
    tables_kept_max: int
    tables_max: int  # at the same time, in all rounds; the service's limit for one stream


class Reports(NamedTuple):
    """Figures of the player: the time of a bot's choice, its turns, and what failed, each by the bot's kind."""

    choosing: Callable[[str], AbstractContextManager[object]] = lambda kind: nullcontext()
    turn: Callable[[str], None] = lambda kind: None
    failure: Callable[[str], None] = lambda kind: None


class Outcome(NamedTuple):
    """What a round did: turns answered, and the tables where a bot is due still, because a bound was reached."""

    turns: int
    rest: tuple[str, ...]


@dataclass(slots=True)
class _Round:
    """Tables that are being played together, with when each last gave a sign of life."""

    deadline: float
    heard: dict[str, float]
    turns: int = 0
    done: asyncio.Event = field(default_factory=asyncio.Event)


class HousePlayer:
    """Plays for every house bot over one connection. `patience` decides what is left alone for a while."""

    def __init__(
        self,
        client: AsyncClient,
        roster: Roster,
        chance: Chooser,
        bounds: Bounds,
        patience: Patience,
        reports: Reports | None = None,
    ) -> None:
        self._client = client
        self._roster = roster
        self._chance = chance
        self._bounds = bounds
        self._patience = patience
        self._reports = reports or Reports()
        self._round: _Round | None = None  # the latest, which others may join
        self._rounds: dict[str, _Round] = {}
        self._asked: set[str] = set()  # tables that are about to be played, if a bot is due there
        self._kept: OrderedDict[str, None] = OrderedDict()
        self._stream: PlayStream | None = None
        self._running: asyncio.Task[None] | None = None

    async def play(self, tables: Iterable[str]) -> Outcome:
        """Play these tables in a round; those that are being played already, or left alone, are passed over.

        Where a round is under way the tables join it, and this returns at once: what is left of them that round says.
        ClientError where the service can't be asked or refuses; what had been answered by then stands.
        """
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._bounds.seconds_max
        wanted = [
            table
            for table in dict.fromkeys(tables)
            if table not in self._rounds and table not in self._asked and not self._leaves(table)
        ]
        room = max(0, self._bounds.tables_max - len(self._rounds) - len(self._asked))
        wanted, too_many = wanted[:room], tuple(wanted[room:])
        # Noted before anything is awaited: the same tables may come a second time meanwhile.
        self._asked.update(wanted)
        outcome = Outcome(0, ())
        try:
            async with asyncio.timeout_at(deadline):
                due = await self._due(wanted)
            self._asked.difference_update(wanted)
            outcome = await self._join_or_play(due, deadline) if due else outcome
        except TimeoutError:
            pass  # the service does not answer; a sweep will find the tables when it does
        except ClientError:
            for table in wanted:
                self._patience.failed((table, WHOLE_TABLE))
            raise
        finally:
            self._asked.difference_update(wanted)
        if too_many:
            # There will be room when the round ends; until then the task must not come back.
            await asyncio.sleep(deadline - clock())
        return Outcome(outcome.turns, too_many + outcome.rest)

    async def close(self) -> None:
        """End the stream."""
        if self._stream is not None and self._running is not None:
            self._stream.stop()
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def _due(self, tables: Sequence[str]) -> list[str]:
        """Those of the tables at which a house bot is due now, or the house, whose turn is over at once."""
        due = []
        for start in range(0, len(tables), TABLES_ASKED_MAX):
            request = pb.ListRequest(tables=tables[start : start + TABLES_ASKED_MAX])
            for summary in (await self._client.call(self._client.stub.List, request)).tables:
                is_open = not summary.end_reason and summary.phase != UNREADABLE
                if is_open and (not summary.due_player or is_house_bot(summary.due_player)):
                    due.append(summary.table)
        return due

    def _running_stream(self) -> PlayStream:
        if self._stream is None or self._running is None or self._running.done():
            self._stream = PlayStream(self._client, self._changed, followed=(), on_trouble=_trouble)
            self._running = asyncio.create_task(self._stream.run())
        return self._stream

    async def _join_or_play(self, tables: list[str], deadline: float) -> Outcome:
        """Add the tables to the round under way, if it has time left, or play a round of them."""
        now = asyncio.get_running_loop().time()
        stream = self._running_stream()
        round_ = self._round
        joins = round_ is not None and not round_.done.is_set() and now < round_.deadline - JOINING_SECONDS_MIN
        if round_ is None or not joins:
            round_ = self._round = _Round(deadline, {})
        round_.heard.update(dict.fromkeys(tables, now))
        self._rounds.update(dict.fromkeys(tables, round_))
        stream.follow(tables)
        if joins:
            return Outcome(0, ())
        try:
            async with asyncio.timeout_at(deadline):
                await self._finish(round_)
        except TimeoutError:
            pass
        finally:
            round_.done.set()
            rest = tuple(round_.heard)
            for table in rest:
                self._done(table, round_)
        # Where nothing at all was answered, queueing the tables at once would not help.
        return Outcome(round_.turns, rest if round_.turns else ())

    async def _finish(self, round_: _Round) -> None:
        """Wait until every table of the round is done; ClientError if the stream ends for good."""
        assert self._running is not None
        running = self._running
        clock = asyncio.get_running_loop().time
        waiting = asyncio.ensure_future(round_.done.wait())
        try:
            while not round_.done.is_set():
                await asyncio.wait(
                    (waiting, running), timeout=self._bounds.idle_seconds_max / 4, return_when="FIRST_COMPLETED"
                )
                if running.done():
                    running.result()
                    raise ClientError("the stream of the house bots was closed")
                silent_since = clock() - self._bounds.idle_seconds_max
                for table in [table for table, heard in round_.heard.items() if heard < silent_since]:
                    self._done(table, round_)
        finally:
            waiting.cancel()

    def _leaves(self, table: str) -> bool:
        return self._patience.leaves((table, WHOLE_TABLE))

    def _done(self, table: str, round_: _Round) -> None:
        """Let go of one table; its views are kept, within the bound."""
        if round_.heard.pop(table, None) is None:
            return
        self._rounds.pop(table, None)
        assert self._stream is not None
        self._stream.unfollow((table,))
        self._kept[table] = None
        self._kept.move_to_end(table)
        while len(self._kept) > self._bounds.tables_kept_max:
            forgotten = next(iter(self._kept))
            del self._kept[forgotten]
            if forgotten not in self._rounds:
                self._stream.forget(forgotten)
        if not round_.heard:
            round_.done.set()

    def _changed(self, view: TableView, error: Exception | None) -> None:
        """News of one seat: answer where it is due; let go of the table where no house bot is."""
        round_ = self._rounds.get(view.table)
        if round_ is None or view.table not in round_.heard:
            return
        now = asyncio.get_running_loop().time()
        round_.heard[view.table] = now
        if error is not None and view.state.table is None:
            LOG.warning("table %s is left alone: %s", view.table, error)
            self._done(view.table, round_)
        elif error is not None and not (isinstance(error, Rejected) and error.reason in LATE):
            self._failed(view, round_, error)
        elif view.options is not None:
            if now >= round_.deadline or round_.turns >= self._bounds.turns_max:
                round_.done.set()
            else:
                self._answer(view, round_)
        elif view.over:
            self._done(view.table, round_)
            assert self._stream is not None
            self._stream.forget(view.table)
        elif view.due_player and not is_house_bot(view.due_player):
            self._done(view.table, round_)

    def _answer(self, view: TableView, round_: _Round) -> None:
        """Let the bot choose and send its command."""
        options = view.options
        assert options is not None
        assert self._stream is not None
        player = view.state.table.players[options.seat]
        if self._patience.leaves((view.table, options.seat)):
            self._done(view.table, round_)
            return
        try:
            bot = self._roster.bot(player)
            kind = self._roster.kind(player)
            with self._reports.choosing(kind):
                command = bot.choose(view.state, options, self._chance)
            if command not in options or command.seat != options.seat:
                raise BadBot(f"it chose {command!r}, which is not among its options {options!r}")
        except Exception as error:  # whatever a bot raises must not reach the other tables
            self._failed(view, round_, error)
            return
        self._patience.worked((view.table, options.seat))
        self._patience.worked((view.table, WHOLE_TABLE))
        self._stream.answer(view, command)
        round_.turns += 1
        self._reports.turn(kind)

    def _failed(self, view: TableView, round_: _Round, error: Exception) -> None:
        """Leave the seat alone for a while; the house plays for it when its time is up."""
        assert view.seat is not None
        player = view.state.table.players[view.seat]
        seconds = self._patience.failed((view.table, view.seat))
        self._reports.failure(self._roster.kind(player))
        LOG.warning(
            "%s failed at table %s, seat %d, and is left alone for %g s: %s: %s",
            player, view.table, view.seat, seconds, error.__class__.__name__, error,
        )  # fmt: skip
        self._done(view.table, round_)


def _trouble(error: ClientError) -> None:
    LOG.warning("%s; trying again", error)
