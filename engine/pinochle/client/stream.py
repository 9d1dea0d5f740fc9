"""All tables of one player over one bidirectional stream: turns come, answers go, and a broken stream is taken up.

Answers wait in `pending` until the table has moved on. When a stream breaks, the next one begins with the versions
held and every pending answer, with the same command ids: what had been stored is not stored twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass

import grpc.aio
from pinochle.client.channel import AsyncClient, Retry, act_request, new_id, readable, rejected
from pinochle.client.errors import AheadOfLog, ClientError, NewerServer, Unreachable, client_error, is_passing
from pinochle.client.tables import Gap, TableView
from pinochle.commands import PlayerCommand
from pinochle.errors import Reason
from pinochle.wire.v1 import table_pb2 as pb

ANSWER_SECONDS_MAX = 15.0
"""How long an act may stay without an answer before the stream is taken to be broken."""
MESSAGE_ACTS_MAX = 128
"""Acts, and tables to follow, in one message."""
ACT_STREAMS_MAX = 8
"""An act that so many streams in a row have ended without answering is given up: it may be what ends them."""
AGAIN_SECONDS = 0.25
STEADY_SECONDS = 10.0
AHEAD_OF_LOG = Reason.AHEAD_OF_LOG.value
UNAVAILABLE = "unavailable"
"""The reason of a rejection that says nothing about the act: it may be sent again."""

ENDED_TABLES_MAX = 256
"""Ended tables whose views are kept, in case that more comes of them."""

Key = tuple[str, int]
OnUpdate = Callable[[TableView, Exception | None], None]


@dataclass(slots=True)
class Pending:
    """An answer that the table has not moved on from yet."""

    turn_version: int
    request: pb.ActRequest
    sent: float
    streams: int = 0  # that told something, but ended without an answer to this


class _Session:
    """One stream: what waits to be sent on it, and why it was broken off where it was."""

    __slots__ = ("acts", "answered", "broken", "call", "catching_up", "ended", "follow", "unfollow", "wake")

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self.acts: list[pb.ActRequest] = []
        self.follow: list[str] = []
        self.unfollow: list[str] = []
        self.call: grpc.aio.StreamStreamCall | None = None
        self.broken: BaseException | None = None
        self.answered = False
        self.ended = False
        self.catching_up: dict[Key, asyncio.Task[None]] = {}

    def break_off(self, error: BaseException) -> None:
        """End the stream for this reason."""
        if self.broken is None:
            self.broken = error
        if self.call is not None:
            self.call.cancel()


class PlayStream:
    """The Play stream of one token; `await run()` keeps it up until `stop()`.

    `on_update(view, error)` is called on the event loop with each table that has changed: `view.options` is set where
    its seat is to answer, `error` is the rejection of an answer. It must not block or raise. `followed` None means
    every open table of the player; a collection (which `follow` and `unfollow` change) means those alone.
    `on_trouble(error)` is told of the first failure of each outage.
    """

    def __init__(
        self,
        client: AsyncClient,
        on_update: OnUpdate,
        *,
        followed: Iterable[str] | None = None,
        on_trouble: Callable[[ClientError], None] = lambda error: None,
        answer_seconds_max: float = ANSWER_SECONDS_MAX,
    ) -> None:
        self._client = client
        self._on_update = on_update
        self._on_trouble = on_trouble
        self._answer_seconds_max = answer_seconds_max
        self._session = _Session()
        self._stopped = asyncio.Event()
        self.views: dict[Key, TableView] = {}
        self.pending: dict[Key, Pending] = {}
        self.followed: dict[str, None] | None = None if followed is None else dict.fromkeys(followed)
        self.sessions = 0
        self._ended: dict[str, None] = {}
        self._left: dict[str, None] = {}  # tables that stand still, since they cannot be read

    async def run(self) -> None:
        """Hold the stream, opening it anew as often as it breaks; returns after `stop`.

        AccessDenied, ClientError or Unreachable (an outage that was too long) end it.
        """
        retry = self._client.retry()
        while not self._stopped.is_set():
            if self.followed is not None and not self.followed:
                # A stream that has not named a table yet would be sent all of them.
                self._session = _Session()
                await self._session.wake.wait()
                continue
            try:
                await self._hold(retry)
            except (grpc.aio.AioRpcError, Unreachable) as error:
                if not self._stopped.is_set():
                    if is_passing(error) and not retry.failures:
                        self._on_trouble(client_error(error, self._client.server))
                    await retry.wait(error)

    def stop(self) -> None:
        """End the stream; nothing more is sent or handed on."""
        self._stopped.set()
        self._session.wake.set()
        self._session.break_off(Unreachable("stopped"))

    def answer(self, view: TableView, command: PlayerCommand) -> bytes:
        """Send a command for the view's turn and return its id; the view has no options until the next turn."""
        command_id = new_id()
        request = act_request(view.table, command, view.turn_version, command_id)
        if self._client.transcripts is not None:
            self._client.transcripts.sent(request)
        now = asyncio.get_running_loop().time()
        self.pending[view.table, command.seat] = Pending(view.turn_version, request, now)
        view.options = None
        self._session.acts.append(request)
        self._session.wake.set()
        return command_id

    def follow(self, tables: Iterable[str]) -> None:
        """Be told of these tables as well; what is held of them is not sent again."""
        if self.followed is None:
            raise ClientError("this stream follows every table of its player")
        new = [table for table in dict.fromkeys(tables) if table not in self.followed]
        self.followed.update(dict.fromkeys(new))
        self._session.follow += new
        self._session.wake.set()

    def unfollow(self, tables: Iterable[str]) -> None:
        """Be told of these tables no longer; their views stay until `forget`."""
        if self.followed is None:
            raise ClientError("this stream follows every table of its player")
        waiting = self._session.follow
        for table in tables:
            if self.followed.pop(table, self) is not None:
                continue
            for seat in range(4):
                self.pending.pop((table, seat), None)
            if table in waiting:
                waiting.remove(table)
            else:
                self._session.unfollow.append(table)
        self._session.wake.set()

    def forget(self, table: str) -> None:
        """Drop what is held of a table."""
        for seat in range(4):
            self.views.pop((table, seat), None)
            self.pending.pop((table, seat), None)
        self._ended.pop(table, None)

    # -- one stream

    async def _hold(self, retry: Retry) -> None:
        session = self._session = self._next_session()
        self.sessions += 1
        began = asyncio.get_running_loop().time()
        call = session.call = self._client.stub.Play(self._requests(session), metadata=self._client.metadata)
        watchdog = asyncio.create_task(self._watch_answers(session))
        try:
            async for response in call:
                retry.answered()
                session.answered = True
                for update in readable(response, self._client.server).updates:
                    self._received(update)
                    if self._stopped.is_set():
                        return
            session.broken = session.broken or Unreachable(f"{self._client.server}: the stream was ended")
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if session.broken is None or (task is not None and task.cancelling()):
                raise  # it is not the stream that was ended but this task
        finally:
            if asyncio.get_running_loop().time() - began > STEADY_SECONDS:
                retry.answered()  # there was nothing to tell, perhaps for hours, but the stream stood
            call.cancel()
            session.ended = True
            session.wake.set()
            watchdog.cancel()
            for fetching in session.catching_up.values():
                fetching.cancel()
            if session.answered:
                self._give_up()
        if not self._stopped.is_set() and session.broken is not None:
            raise session.broken

    def _give_up(self) -> None:
        """Count the stream that has ended against the answers that it left open; report those that cost too many."""
        for key, pending in list(self.pending.items()):
            pending.streams += 1
            if pending.streams >= ACT_STREAMS_MAX:
                del self.pending[key]
                text = (
                    f"{self._client.server}: table {key[0]}: {pending.streams} streams ended without answering an act"
                )
                if not self._stopped.is_set():
                    self._on_update(self.views[key], ClientError(text))

    def _next_session(self) -> _Session:
        """A session that begins with the tables to follow and every pending answer."""
        session = _Session()
        now = asyncio.get_running_loop().time()
        for pending in self.pending.values():
            pending.sent = now
            session.acts.append(pending.request)
        if self.followed is not None:
            session.follow += self.followed
        return session

    async def _requests(self, session: _Session) -> AsyncIterator[pb.PlayRequest]:
        """What is sent on one stream: first the versions held, then whatever comes to wait."""
        if self.followed is None:
            yield pb.PlayRequest(resume=self._positions(dict.fromkeys(table for table, _ in self.views)))
        session.wake.set()
        # gRPC drops what feeds a call that has ended without ending it, so it must end itself.
        while not session.ended:
            await session.wake.wait()
            session.wake.clear()
            while session.acts or session.follow or session.unfollow:
                yield self._next_request(session)

    def _next_request(self, session: _Session) -> pb.PlayRequest:
        """What waits, at most MESSAGE_ACTS_MAX of each sort; what came while the last message left is taken along."""
        request = pb.PlayRequest(acts=session.acts[:MESSAGE_ACTS_MAX])
        del session.acts[:MESSAGE_ACTS_MAX]
        # A table that is unfollowed and followed again must not be both in one message.
        if session.unfollow:
            request.unfollow.extend(session.unfollow[:MESSAGE_ACTS_MAX])
            del session.unfollow[:MESSAGE_ACTS_MAX]
        elif session.follow:
            request.follow.extend(session.follow[:MESSAGE_ACTS_MAX])
            del session.follow[:MESSAGE_ACTS_MAX]
            request.resume.CopyFrom(self._positions(request.follow))
        return request

    def _positions(self, tables: Iterable[str]) -> pb.Resume:
        """For each table the version that every seat of ours holds at least."""
        positions = []
        for table in tables:
            held = [view for seat in range(4) if (view := self.views.get((table, seat))) is not None]
            if held and not all(view.over for view in held):
                least = min(held, key=lambda view: view.version)
                positions.append(pb.Position(table=table, version=least.version, at_ms=least.state.now_ms))
        return pb.Resume(positions=positions)

    def _received(self, update: pb.TableUpdate) -> None:
        if update.command_id and not update.version:
            self._refused(update)
            return
        if update.table in self._left:
            return
        key = (update.table, update.seat)
        if self.followed is not None and update.table not in self.followed:
            return  # it was on its way when the table was unfollowed
        if self._client.transcripts is not None:
            self._client.transcripts.seen(update.table, update.seat, update)
        view = self.views.get(key)
        if view is None:
            view = self.views[key] = TableView(update.table, update.seat)
        if update.rejection.reason == AHEAD_OF_LOG and not update.command_id:
            refusal = update.rejection
            self._restart(update, AheadOfLog(f"{self._client.server}: {refusal.detail}", refusal.resume_after))
            if not update.version:
                return
        elif update.HasField("rejection") and not update.command_id:
            self._leave(view, NewerServer(f"table {view.table}: {update.rejection.detail}"))
            return
        try:
            view.update(update)
        except Gap:
            self._catch_up(view)
            return
        except NewerServer as error:
            self._leave(view, error)
            return
        self._changed(view, update)

    def _restart(self, update: pb.TableUpdate, error: AheadOfLog) -> None:
        """Hold nothing of the table for this seat any more; without a version the table is gone, for every seat."""
        seats = (update.seat,) if update.version else range(4)
        restarted = [view for seat in seats if (view := self.views.get((update.table, seat))) is not None]
        if not update.version:
            self.forget(update.table)
        for view in restarted:
            self.pending.pop((view.table, view.seat or 0), None)
            view.restart()
            self._on_update(view, error)
        self._on_trouble(error)

    def _leave(self, view: TableView, error: NewerServer) -> None:
        """Play no further at a table that cannot be read; the others go on."""
        view.options = None
        self._left[view.table] = None
        if len(self._left) > ENDED_TABLES_MAX:
            del self._left[next(iter(self._left))]
        self.pending.pop((view.table, view.seat or 0), None)
        self._on_update(view, error)

    def _changed(self, view: TableView, update: pb.TableUpdate | None) -> None:
        """Settle the answer that the view has moved past, and hand the view on."""
        key = (view.table, view.seat or 0)
        error = None
        pending = self.pending.get(key)
        if pending is not None:
            if update is not None and update.command_id == pending.request.command_id:
                if update.rejection.reason == UNAVAILABLE:
                    asyncio.get_running_loop().call_later(AGAIN_SECONDS, self._again, key, pending)
                else:
                    error = rejected(update.rejection)
                    del self.pending[key]
            elif view.turn_version > pending.turn_version or view.over:
                del self.pending[key]
            if key in self.pending:
                view.options = None  # the answer is on its way
        if view.over:
            self._ended[view.table] = None
            if len(self._ended) > ENDED_TABLES_MAX:
                self.forget(next(iter(self._ended)))
        self._on_update(view, error)

    def _refused(self, update: pb.TableUpdate) -> None:
        """Settle an answer that the server could not assign to a seat of ours."""
        for (table, seat), pending in self.pending.items():
            if table == update.table and pending.request.command_id == update.command_id:
                view = self.views[table, seat]
                del self.pending[table, seat]
                if self._client.transcripts is not None:
                    self._client.transcripts.answered(pending.request, update)
                self._on_update(view, rejected(update.rejection))
                return

    def _again(self, key: Key, pending: Pending) -> None:
        """Send an answer again that the server could not store at the time; `_watch_answers` bounds how often."""
        if self.pending.get(key) is pending:
            self._session.acts.append(pending.request)
            self._session.wake.set()

    def _catch_up(self, view: TableView) -> None:
        """Fetch what is missing; until it is there, further news of this view are only noted as missing too."""
        key = (view.table, view.seat or 0)
        tasks = self._session.catching_up
        if key in tasks:
            return

        async def fetch() -> None:
            try:
                try:
                    await self._client.view(view.table, view.seat, held=view)
                except AheadOfLog as error:
                    self._restart(pb.TableUpdate(table=view.table, seat=view.seat or 0, version=1), error)
                    await self._client.view(view.table, view.seat, held=view)
            except NewerServer as error:
                self._leave(view, error)
                return
            finally:
                tasks.pop(key, None)
            self._changed(view, None)

        tasks[key] = asyncio.create_task(fetch())
        tasks[key].add_done_callback(self._caught_up)

    def _caught_up(self, task: asyncio.Task[None]) -> None:
        """A view that can't be completed breaks the stream, so that `run` begins anew or reports why."""
        if not task.cancelled() and (error := task.exception()) is not None:
            self._session.break_off(error)

    async def _watch_answers(self, session: _Session) -> None:
        """Break a stream on which an act stays without an answer."""
        while True:
            await asyncio.sleep(self._answer_seconds_max / 4)
            overdue = asyncio.get_running_loop().time() - self._answer_seconds_max
            if any(pending.sent < overdue for pending in self.pending.values()):
                session.break_off(Unreachable(f"{self._client.server}: an act was not answered in time"))
                return
