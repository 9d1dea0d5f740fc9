"""The write path: load a stream, decide, append, fold, nudge and tell who follows; the same for any decider.

Commands for one stream wait for each other in this process; against other processes the expected version decides. A
refusal, or the answer that nothing changes, may come from a state that another process has moved on: the head's version
is compared before it is given. A command id counts for one stream and author: the same command again gets the first
answer again, which follows from the log alone; another command with that id is an error.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from pinochle.decider import Act, Decider
from pinochle.errors import BadInput, Conflict, Reason, Rejected
from pinochle.wire.chain import link

from services.beat import hold, until
from services.cache import StreamCache
from services.eventstore import PAGE, Append, EventStore, StoredAct
from services.stream import CommandReused, Follower, Stream, UnknownStream, Unreadable

COMMAND_ID_BYTES = 16
TAKEN_IN_AT_ONCE = 16
"""Stored acts that are read into a state before others have their turn."""


class Kind(NamedTuple):
    """One kind of stream: its decider, the version of its rules, and how its acts are put into bytes.

    `encode(act, command)` gives the stored body and the views, `command` being the act's as bytes; views are the bytes
    for every viewer, or a tuple of them with the spectator's last. `head(state)` gives who is due as a number, by when
    (ms or None), and whether the stream is open. `release(state, author, received_ms)` gives when an act may be given
    out, 0 for at once.
    """

    decider: Decider
    rules_version: int
    encode: Callable[[Act, bytes], tuple[bytes, bytes | tuple[bytes, ...]]]
    decode: Callable[[int, bytes, bytes], Act]
    command_bytes: Callable[[Any], bytes]
    head: Callable[[Any], tuple[int, int | None, bool]]
    release: Callable[[Any, str, int], int] = lambda state, author, received_ms: 0


class Outcome(NamedTuple):
    """What became of a command: the version it got, or the head's where it changed nothing."""

    stream: Stream
    version: int
    changed: bool
    repeated: bool


class Spent(NamedTuple):
    """Seconds that one act took, by phase."""

    load: float
    decide: float
    encode: float
    fold: float
    append: float


class Hooks(NamedTuple):
    """What the write path tells: `moved` after each new act (nudge, timers), and figures. All return at once.

    `unreadable` hears of a stream with an act that cannot be read, when it is found.
    """

    moved: Callable[[Stream, bytes | None], None]
    spent: Callable[[Spent], None]
    conflict: Callable[[], None]
    unreadable: Callable[[Stream], None] = lambda stream: None


class Streams:
    """The streams of one kind that this process holds in memory, and the way to add acts to them."""

    def __init__(
        self,
        kind: Kind,
        store: EventStore,
        *,
        clock_ms: Callable[[], int],
        clock: Callable[[], float],
        cached_max: int,
        cached_acts_max: int = 500_000,
        acts_max: int,
        retries_max: int,
        hooks: Hooks,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
    ) -> None:
        self._kind = kind
        self._store = store
        self._clock_ms = clock_ms
        self._clock = clock
        self._acts_max = acts_max
        self._retries_max = retries_max
        self._hooks = hooks
        self._sleep = sleep
        self._cache = StreamCache(cached_max, cached_acts_max)
        self._loading: dict[bytes, asyncio.Task[Stream]] = {}

    def __len__(self) -> int:
        return len(self._cache)

    def cached(self) -> list[Stream]:
        """The streams in memory, longest unused first."""
        return list(self._cache.values())

    def trim(self) -> None:
        """Forget streams that were unused longest, beyond what may be held in memory; to be called now and then."""
        self._cache.trim()

    def peek(self, key: bytes) -> Stream | None:
        """The stream if it is in memory."""
        return self._cache.get(key)

    def named(self, stream: str) -> Stream | None:
        """The stream with this id as text, if it is in memory."""
        return self._cache.get(UUID(stream).bytes)

    async def get(self, key: bytes) -> Stream:
        """The stream, up to date with what this process knows; UnknownStream where there is none, or Unreadable."""
        stream = self._cache.get(key)
        if stream is None:
            stream = await self._load(key)
        elif stream.stale:
            async with stream.lock:
                await self._catch_up(stream)
        if stream.version == 0:
            raise UnknownStream(f"there is nothing with the id {stream.id}")
        if key in self._cache:
            self._cache.move_to_end(key)
        return stream

    async def look(self, key: bytes) -> Stream:
        """The stream for reading only: one that was not in memory is not kept there."""
        stream = self._cache.get(key)
        if stream is None:
            stream = Stream(key, self._kind.decider.initial())
            try:
                await self._catch_up(stream, tell=False)
            except Unreadable:
                self._cache.keep(stream)  # it need not be read in vain again
                raise
        elif stream.stale:
            return await self.get(key)
        if stream.version == 0:
            raise UnknownStream(f"there is nothing with the id {stream.id}")
        return stream

    def follow(self, stream: Stream, follower: Follower) -> Stream:
        """Have the follower told of each move; returns the stream that it is told of, which need not be this one.

        One that was forgotten since it was got is held again: acts pass only streams that are held.
        """
        held = self._cache.setdefault(stream.key, stream)
        held.followers.add(follower)
        return held

    def now_ms(self) -> int:
        """The time by which acts are dated."""
        return self._clock_ms()

    async def handle(
        self,
        key: bytes,
        author: str,
        command_id: bytes,
        command: Any,
        *,
        expected: int | None = None,
        opens: bool = False,
        received_ms: int | None = None,
    ) -> Outcome:
        """Carry out one command; it is durable when this returns.

        `expected` is the version at which the turn began, `received_ms` when the command came, by default now. Raises
        Rejected, CommandReused, UnknownStream (unless the command `opens` the stream), Conflict after too many races,
        and the store's StoreUnavailable.
        """
        if len(command_id) != COMMAND_ID_BYTES:
            raise BadInput(f"a command id has {COMMAND_ID_BYTES} bytes, not {len(command_id)}")
        began = self._clock()
        if received_ms is None:
            received_ms = self._clock_ms()
        stream = self._cache.get(key) or await self._load(key)
        async with stream.lock:
            if stream.stale:
                await self._catch_up(stream)
            if stream.version == 0 and not opens:
                raise UnknownStream(f"there is nothing with the id {stream.id}")
            found = await self._carry_out(stream, author, command_id, command, expected, began, received_ms)
        return found if found.__class__ is Outcome else await asyncio.shield(found)  # type: ignore[arg-type]

    async def refresh(self, stream: Stream, asks: bool = False) -> bool:
        """Read what other processes have added; whether there was anything. Who `asks` first keeps no act waiting."""
        if asks and not ((head := await self._store.head(stream.key)) and head.version > stream.version):
            return False
        async with stream.lock:
            return await self._catch_up(stream)

    async def _carry_out(
        self,
        stream: Stream,
        author: str,
        command_id: bytes,
        command: Any,
        expected: int | None,
        began: float,
        received_ms: int,
        released_ms: int = 0,
    ) -> Outcome | asyncio.Task[Outcome]:
        command_bytes = self._kind.command_bytes(command)
        for _ in range(self._retries_max + 1):
            known = stream.commands.get((author, command_id))
            if known is not None:
                if known[1] != command_bytes:
                    raise CommandReused("this command id was used for another command")
                return Outcome(stream, known[0], changed=False, repeated=True)
            waiting = stream.held and stream.held.answer_to(author, command_id, command_bytes)
            if waiting:
                return waiting
            loaded = self._clock()
            try:
                events = self._decide(stream, command, expected)
            except Rejected:
                if await self._has_moved(stream):
                    continue
                raise
            if not events:
                if await self._has_moved(stream):
                    continue
                return Outcome(stream, stream.version, changed=False, repeated=False)
            at_ms = released_ms or self._kind.release(stream.state, author, max(received_ms, stream.noticed_ms))
            if at_ms and not released_ms and at_ms > self._clock_ms():
                mine = (stream, author, command_id, command, expected)
                wait = until(at_ms, self._clock_ms, self._sleep)
                again = partial(self._carry_out, *mine, loaded, received_ms, at_ms)
                return hold(stream, author, command_id, command_bytes, wait, again)
            act = self._act(stream, author, command_id, command, events, received_ms, at_ms)
            try:
                await self._append(stream, act, command_bytes, began, loaded)
            except Conflict:
                self._hooks.conflict()
                await self._catch_up(stream)
                continue
            return Outcome(stream, stream.version, changed=True, repeated=False)
        raise Conflict(f"{stream.id} kept moving on; try again")

    def _decide(self, stream: Stream, command: Any, expected: int | None) -> tuple[Any, ...]:
        if expected is not None:
            if stream.version >= self._acts_max:
                raise Rejected(Reason.OVER, f"a stream holds {self._acts_max} acts at most")
            if expected > stream.version:
                raise Rejected(Reason.AHEAD_OF_LOG, f"the log is at version {stream.version}, before your {expected}")
            if expected < stream.state.turn_version:
                raise Rejected(Reason.STALE_VERSION, f"the turn began at version {stream.state.turn_version}")
        return self._kind.decider.decide(stream.state, command)

    def _act(
        self,
        stream: Stream,
        author: str,
        command_id: bytes,
        command: Any,
        events: tuple[Any, ...],
        received_ms: int,
        at_ms: int,
    ) -> Act:
        # What comes before its notice, by luck or by another process's clock, counts as received with it.
        received_ms = max(received_ms, stream.noticed_ms)
        return Act(
            stream.version + 1, author, max(at_ms or self._clock_ms(), received_ms), self._kind.rules_version,
            command_id, command, events, stream.noticed_ms, stream.deadline_ms, received_ms,
        )  # fmt: skip

    async def _append(self, stream: Stream, act: Act, command_bytes: bytes, began: float, loaded: float) -> None:
        kind, clock = self._kind, self._clock
        decided = clock()
        body, views = kind.encode(act, command_bytes)
        chained = link(stream.hash, stream.key, act.version, act.command_id, body)
        encoded = clock()
        state = kind.decider.fold(stream.state, act.events, act.at_ms)
        due, due_at_ms, is_open = kind.head(state)
        folded = clock()
        try:
            await self._store.append(
                Append(stream.key, stream.version, act.command_id, body, chained, due, due_at_ms, is_open)
            )
        except BaseException:
            # A caller that gives up does not take its act back, so only the store knows what became of it.
            stream.stale = True
            raise
        stream.state, stream.version, stream.hash = state, act.version, chained
        stream.due, stream.deadline_ms, stream.is_open = due, due_at_ms or 0, is_open
        stream.noticed_ms = max(self._clock_ms(), act.at_ms)
        stream.views.append(views)
        stream.commands[act.author, act.command_id] = (act.version, command_bytes)
        if act.version == 1:
            self._cache.keep(stream)
        spent = Spent(loaded - began, decided - loaded, encoded - decided, folded - encoded, clock() - folded)
        self._hooks.spent(spent)
        self._hooks.moved(stream, stream.view(act.version, None))
        for follower in tuple(stream.followers):
            follower.moved(stream)

    async def _has_moved(self, stream: Stream) -> bool:
        head = await self._store.head(stream.key)
        return head is not None and head.version != stream.version and await self._catch_up(stream)

    async def _load(self, key: bytes) -> Stream:
        """Read a stream once, however many ask for it at the same time."""
        task = self._loading.get(key)
        stream = await asyncio.shield(task) if task else None
        if stream and stream.version:
            return stream
        # A reading that began before this call need not have seen what was opened since then.
        if key in self._cache:
            return self._cache[key]
        if self._loading.get(key) in (None, task):
            self._loading[key] = reading = asyncio.ensure_future(self._read_whole(key))
            reading.add_done_callback(lambda done: self._loading.get(key) is done and self._loading.pop(key))
        return await asyncio.shield(self._loading[key])

    async def _read_whole(self, key: bytes) -> Stream:
        stream = Stream(key, self._kind.decider.initial())
        try:
            await self._catch_up(stream, tell=False)
        finally:
            if stream.version or stream.unreadable:  # ids of nothing must not push others out
                self._cache.keep(stream)
        return stream

    async def _catch_up(self, stream: Stream, tell: bool = True) -> bool:
        if stream.unreadable:
            raise Unreadable(stream)
        began = stream.version
        while True:
            page = await self._store.read(stream.key, stream.version, PAGE)
            for number, stored in enumerate(page, 1):
                if number % TAKEN_IN_AT_ONCE == 0:
                    await asyncio.sleep(0)  # a long log must not keep everybody else waiting
                try:
                    self._take_in(stream, stored)
                except Exception as error:  # whatever the bytes are, only this stream stands still
                    self._give_up(stream, stored.version, error)
                    raise Unreadable(stream) from error
            if page:
                # What another process committed was given out when it was recorded.
                stream.noticed_ms = max(min(page[-1].recorded_at_ms, self._clock_ms()), stream.state.now_ms)
            if len(page) < PAGE:
                break
        stream.stale = False
        stream.due, due_at_ms, stream.is_open = self._kind.head(stream.state)
        stream.deadline_ms = due_at_ms or 0
        moved = stream.version != began
        if moved and tell:
            self._hooks.moved(stream, None)
            for follower in tuple(stream.followers):
                follower.moved(stream)
        return moved

    def _take_in(self, stream: Stream, stored: StoredAct) -> None:
        """File one act that was read; the stream is left as it was where that fails."""
        kind = self._kind
        act = kind.decode(stored.version, stored.command_id, stored.body)
        state = kind.decider.fold(stream.state, act.events, act.at_ms)
        command_bytes = kind.command_bytes(act.command)
        views = kind.encode(act, command_bytes)[1]
        stream.state, stream.version, stream.hash = state, stored.version, stored.hash
        stream.views.append(views)
        stream.commands[act.author, act.command_id] = (act.version, command_bytes)

    def _give_up(self, stream: Stream, version: int, error: Exception) -> None:
        """Let a stream stand still before an act that cannot be read, and tell who follows it."""
        # Followers are told as well: what an unexpected error says could name cards.
        known = str(error) if isinstance(error, BadInput) else f"it cannot be filed ({error.__class__.__name__})"
        stream.unreadable, stream.stale = f"act {version}: {known}", True
        self._hooks.unreadable(stream)
        for follower in tuple(stream.followers):
            follower.moved(stream)
