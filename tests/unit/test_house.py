"""The house of a table process beside that of another one."""

import asyncio
from collections.abc import Callable

from pinochle.commands import OpenTable
from pinochle.rules import load
from pinochle.state import CLOSED

from services.eventstore import Append, MemoryStore
from services.handle import Hooks, Streams
from services.stream import Stream
from services.table.house import House, Pace, Reports, due_command
from services.table.index import KIND, Index

KEY = bytes([1]) * 16
OPEN = OpenTable(load("classic"), ("a", "b", "c", "d"), 0, bytes(32), b"", 1_000, 0, 1, "", "", "")


def process(store: MemoryStore, clock_ms: Callable[[], int], acts_max: int = 100) -> tuple[Streams, House]:
    """The streams and the house of one process."""

    def moved(stream: Stream, view: bytes | None) -> None:
        if acts_max < 100:
            house.moved(stream)

    hooks = Hooks(moved, lambda spent: None, lambda: None)
    streams = Streams(
        KIND, store, clock_ms=clock_ms, clock=lambda: 0.0, cached_max=9, acts_max=100, retries_max=3, hooks=hooks
    )
    house = House(
        streams, Index(clock_ms), store, clock_ms=clock_ms, sleep=asyncio.sleep, pace=Pace(60, 60, 0),
        acts_max=acts_max, reports=Reports(lambda found: None, lambda: None, lambda overdue: None),
        bots_are_served=lambda: True,
    )  # fmt: skip
    return streams, house


async def test_two_processes_that_start_at_the_same_moment_give_a_turn_its_time_back_once() -> None:
    store = MemoryStore(lambda: 1)
    clocks_ms = [100, 600]
    first_streams, first = process(store, lambda: clocks_ms[0])
    second_streams, second = process(store, lambda: clocks_ms[1])
    opened = (await first_streams.handle(KEY, "director", b"open".ljust(16), OPEN, opens=True)).stream
    deal = due_command(opened.state)
    assert deal is not None
    await first_streams.handle(KEY, "house", b"deal".ljust(16), deal)
    await second_streams.get(KEY)  # where it stands before the first process acts
    clocks_ms[0] = 500
    await first.start()
    await second.start()
    await first.stop()
    await second.stop()
    assert [3, 500 + 1_000] == [len(await store.read(KEY)), (await second_streams.get(KEY)).state.deadline_ms]


async def test_what_becomes_due_by_the_houses_own_act_is_done_without_a_sweep() -> None:
    streams, house = process(MemoryStore(lambda: 1), lambda: 1, acts_max=2)
    stream = (await streams.handle(KEY, "director", b"open".ljust(16), OPEN, opens=True)).stream
    for _ in range(50):  # deal, void since there may be two acts, close
        await asyncio.sleep(0)
    await house.stop()
    assert [4, CLOSED] == [stream.version, stream.state.phase]


class SlowStore(MemoryStore):
    """A store whose answers come after `now_ms` has been moved on."""

    def __init__(self, clocks_ms: list[int]) -> None:
        super().__init__(lambda: clocks_ms[0])
        self.clocks_ms = clocks_ms
        self.slow_ms = 0

    async def append(self, act: Append) -> None:
        self.clocks_ms[0] += self.slow_ms
        await super().append(act)


async def test_a_turn_that_nobody_could_know_of_gets_its_whole_time() -> None:
    clocks_ms = [100]
    store = SlowStore(clocks_ms)
    streams, house = process(store, lambda: clocks_ms[0])
    stream = (await streams.handle(KEY, "director", b"open".ljust(16), OPEN, opens=True)).stream
    deal = due_command(stream.state)
    assert deal is not None
    store.slow_ms = 5_000  # longer than a turn
    await streams.handle(KEY, "house", b"deal".ljust(16), deal)
    store.slow_ms = 0
    await house._expire_turn(KEY)
    assert [3, 5_100 + 1_000] == [stream.version, stream.state.deadline_ms]
    clocks_ms[0] = 6_100
    await house._expire_turn(KEY)
    assert [4, "TurnExpired"] == [stream.version, (await last_event(store)).__class__.__name__]


async def last_event(store: MemoryStore) -> object:
    """The first event of the latest act."""
    stored = (await store.read(KEY))[-1]
    return KIND.decode(stored.version, stored.command_id, stored.body).events[0]
