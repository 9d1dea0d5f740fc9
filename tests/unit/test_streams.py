"""Streams in memory: what is followed stays told, however few of them are kept."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from pinochle.commands import DealCards, OpenTable
from pinochle.decider import Act
from pinochle.rules import load
from pinochle.shuffle import shuffled
from pinochle.wire.v1.bus_pb2 import Nudge

from services.eventstore import Append, MemoryStore, StoredAct, StoreUnavailable
from services.handle import Hooks, Kind, Streams
from services.stream import Ahead, Stream, UnknownStream, Unreadable
from services.table.index import KIND
from services.upkeep import compare_heads, hear
from services.watching import Watcher, reach

SEED = bytes(32)
RULES = load("classic")
OPEN = OpenTable(RULES, ("a", "b", "c", "d"), 0, SEED, b"", 1_000, 0, 1, "", "", "")
DEAL = DealCards(shuffled(RULES.cards, SEED, 1, b""))
KEYS = [bytes([number]) * 16 for number in range(3)]


def streams_of(store: MemoryStore, cached_max: int, kind: Kind = KIND) -> Streams:
    hooks = Hooks(lambda stream, view: None, lambda spent: None, lambda: None)
    return Streams(
        kind, store, clock_ms=lambda: 1, clock=lambda: 0.0, cached_max=cached_max, acts_max=100, retries_max=3,
        hooks=hooks,
    )  # fmt: skip


async def opened(streams: Streams) -> None:
    for key in KEYS:
        await streams.handle(key, "director", b"open".ljust(16), OPEN, opens=True)


async def behind(store: MemoryStore, streams: Streams) -> list[Stream]:
    """Two streams in memory that another process has moved on."""
    await opened(streams)
    held = [await streams.get(key) for key in KEYS[:2]]
    elsewhere = streams_of(store, 10)
    for key in KEYS[:2]:
        await elsewhere.handle(key, "house", b"deal".ljust(16), DEAL)
    return held


async def test_who_follows_is_told_even_where_more_are_followed_than_are_kept() -> None:
    store = MemoryStore(lambda: 1)
    await opened(streams_of(store, 10))
    streams = streams_of(store, 1)
    watchers: list[tuple[Stream, Watcher]] = []
    for key in KEYS:
        watcher = Watcher()
        watchers.append((streams.follow(await streams.get(key), watcher), watcher))
    for key in KEYS:
        await streams.handle(key, "house", b"deal".ljust(16), DEAL)
    for stream, watcher in watchers:
        await asyncio.wait_for(watcher.wait(60), 1)
        assert 2 == stream.version
        assert stream is streams.peek(stream.key)
        stream.followers.discard(watcher)
    await streams.look(KEYS[0])
    await streams.get(KEYS[0])


async def test_a_stream_that_was_forgotten_meanwhile_is_not_followed_in_its_place() -> None:
    store = MemoryStore(lambda: 1)
    await opened(streams_of(store, 10))
    streams = streams_of(store, 1)
    old = await streams.get(KEYS[0])
    await streams.get(KEYS[1])  # pushes it out
    new = await streams.get(KEYS[0])
    assert old is not new
    watcher = Watcher()
    assert new is streams.follow(old, watcher)
    assert {watcher} == new.followers


async def test_what_is_told_of_an_act_that_cannot_be_filed_says_nothing_of_what_it_holds() -> None:
    store = MemoryStore(lambda: 1)
    await opened(streams_of(store, 10))

    def decode(version: int, command_id: bytes, body: bytes) -> Act:
        raise KeyError("the ace of spades")

    with pytest.raises(Unreadable, match=r"act 1: it cannot be filed \(KeyError\)$"):
        await streams_of(store, 10, KIND._replace(decode=decode)).get(KEYS[0])


async def test_a_nudge_for_a_stream_that_is_busy_keeps_none_of_the_others_waiting() -> None:
    store = MemoryStore(lambda: 1)
    streams = streams_of(store, 10)
    busy, other = await behind(store, streams)
    async with busy.lock:
        await asyncio.wait_for(hear(Nudged(busy.id, other.id), "tables", streams), 1)
        assert (1, 2) == (busy.version, other.version)


class Nudged:
    """A bus that brings one nudge about each of these streams."""

    def __init__(self, *streams: str) -> None:
        self._streams = streams

    async def subscribe(self, topic: str, *, own: bool) -> AsyncIterator[Nudge]:
        for stream in self._streams:
            yield Nudge(stream=stream, version=2)


async def test_heads_are_compared_though_one_stream_is_being_written_and_takes_long() -> None:
    store = MemoryStore(lambda: 1)
    streams = streams_of(store, 10)
    busy, other = await behind(store, streams)
    async with busy.lock:  # by an act whose row somebody holds, say
        await asyncio.wait_for(compare_heads(streams, store), 5)
        assert (1, 2) == (busy.version, other.version)
    await compare_heads(streams, store)
    assert 2 == busy.version


async def test_a_stream_that_could_be_read_in_part_only_is_read_to_its_end_when_it_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Failing(MemoryStore):
        fails = False

        async def read(self, stream: bytes, after: int, limit: int) -> list[StoredAct]:
            if self.fails and after:
                raise StoreUnavailable("the database is away")
            return await super().read(stream, after, limit)

    monkeypatch.setattr("services.handle.PAGE", 1)
    store = Failing(lambda: 1)
    writing = streams_of(store, 10)
    await opened(writing)
    await writing.handle(KEYS[0], "house", b"deal".ljust(16), DEAL)
    streams, store.fails = streams_of(store, 10), True
    with pytest.raises(StoreUnavailable):
        await streams.get(KEYS[0])
    store.fails = False
    assert 2 == (await streams.get(KEYS[0])).version


async def test_who_claims_to_be_ahead_of_the_log_is_told_so_without_waiting_for_the_acts_of_the_table() -> None:
    store = MemoryStore(lambda: 1)
    streams, elsewhere = streams_of(store, 10), streams_of(store, 10)
    await opened(streams)
    stream = await streams.get(KEYS[0])
    async with stream.lock:
        with pytest.raises(Ahead, match="at version 1, before your 99"):
            await asyncio.wait_for(reach(streams, stream, 99), 5)
    await elsewhere.handle(KEYS[0], "house", b"deal".ljust(16), DEAL)
    await reach(streams, stream, 2)
    assert 2 == stream.version


class _SlowReads(MemoryStore):
    """Reads at once and answers when it is let."""

    def __init__(self) -> None:
        super().__init__(lambda: 1)
        self.let = asyncio.Event()

    async def read(self, stream: bytes, after: int = 0, limit: int = 100) -> list[StoredAct]:
        found = await super().read(stream, after, limit)
        await self.let.wait()
        return found


async def test_what_was_opened_while_somebody_else_looked_for_it_is_found_by_who_asks_after_that() -> None:
    store = _SlowReads()
    streams = streams_of(store, 10)
    before = asyncio.create_task(streams.get(KEYS[0]))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    quick = streams_of(quick_store := MemoryStore(lambda: 1), 10)
    await quick.handle(KEYS[0], "director", b"open".ljust(16), OPEN, opens=True)
    (act,) = await quick_store.read(KEYS[0])
    head = await quick_store.head(KEYS[0])
    assert head is not None
    await store.append(
        Append(KEYS[0], 0, act.command_id, act.body, act.hash, head.due, head.due_at_ms, open=True)
    )
    after = [asyncio.create_task(streams.get(KEYS[0])) for _ in range(3)]
    await asyncio.sleep(0)
    store.let.set()
    with pytest.raises(UnknownStream):
        await asyncio.wait_for(before, 1)
    found = await asyncio.wait_for(asyncio.gather(*after), 1)
    assert [1, 1, 1] == [stream.version for stream in found]
    assert all(stream is streams.peek(KEYS[0]) for stream in found)
    assert not streams._loading
