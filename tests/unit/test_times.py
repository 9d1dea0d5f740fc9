"""The times inside the hashed body: notice, deadline, receipt and decision of every act, whatever clocks do."""

from uuid import UUID

import pytest
from pinochle import audit
from pinochle.commands import DealCards, ExpireTurn, ExtendTurn, OpenTable, Pass
from pinochle.decider import Act
from pinochle.errors import Rejected
from pinochle.rules import load
from pinochle.shuffle import shuffled

from services.eventstore import Append, MemoryStore
from services.handle import Hooks, Streams
from services.table.index import KIND

SEED = bytes(32)
RULES = load("classic")
KEY = bytes([7]) * 16
TURN_MS, GRACE_MS = 20_000, 1_000
OPEN = OpenTable(RULES, ("a", "b", "c", "d"), 3, SEED, b"", TURN_MS, GRACE_MS, 1, "", "", "")
DEAL = DealCards(shuffled(RULES.cards, SEED, 1, b""))


class Slow(MemoryStore):
    """A store that takes a while to commit, by the clock of this test."""

    def __init__(self, house: "House") -> None:
        super().__init__(lambda: house.database_ms)
        self.house = house

    async def append(self, act: Append) -> None:
        self.house.now_ms += self.house.commit_ms
        self.house.database_ms += self.house.commit_ms
        await super().append(act)


class House:
    """A table service's write path, with clocks that this test sets."""

    def __init__(self) -> None:
        self.now_ms = self.database_ms = 1_000_000
        self.commit_ms = 7
        self.number = 0
        self.store = Slow(self)
        self.streams = self.process()

    def process(self) -> Streams:
        """Another process: nothing in memory."""
        return Streams(
            KIND, self.store, clock_ms=lambda: self.now_ms, clock=lambda: 0.0, cached_max=9, acts_max=1_000,
            retries_max=3, hooks=Hooks(lambda stream, view: None, lambda spent: None, lambda: None),
        )  # fmt: skip

    async def do(self, author: str, command: object, received_ms: int | None = None) -> Act:
        """Carry out a command; the act as it is stored."""
        self.number += 1
        command_id = self.number.to_bytes(16, "big")
        opens = isinstance(command, OpenTable)
        outcome = await self.streams.handle(
            KEY, author, command_id, command, opens=opens, received_ms=received_ms
        )
        (stored,) = await self.store.read(KEY, outcome.version - 1, 1)
        return KIND.decode(stored.version, stored.command_id, stored.body)

    async def opened(self) -> "House":
        await self.do("director", OPEN)
        await self.do("house", DEAL)
        return self

    async def audited(self) -> audit.Report:
        return audit.verify_table(UUID(bytes=KEY), await self.store.read(KEY, 0, 1_000), must_end=False)


def times(act: Act) -> tuple[int, int, int, int]:
    return act.noticed_ms, act.deadline_ms, act.received_ms, act.at_ms


async def test_an_act_says_when_its_turn_was_published_its_deadline_and_when_it_came() -> None:
    house = House()
    first = await house.do("director", OPEN)
    assert (0, 0, 1_000_000, 1_000_000) == times(first)
    deal = await house.do("house", DEAL)
    assert (1_000_007, 0, 1_000_007, 1_000_007) == times(deal)
    house.now_ms += 5_000
    bid = await house.do("seat:0", Pass(0))
    assert (1_000_014, 1_000_007 + TURN_MS, 1_005_014, 1_005_014) == times(bid)
    assert audit.OK == (await house.audited()).outcome


async def test_a_command_that_waited_is_dated_when_it_came_and_when_it_was_decided() -> None:
    house = await House().opened()
    house.now_ms += 5_000
    bid = await house.do("seat:0", Pass(0), received_ms=house.now_ms - 300)
    assert (1_000_014, 1_004_714, 1_005_014) == (bid.noticed_ms, bid.received_ms, bid.at_ms)
    assert audit.OK == (await house.audited()).outcome


async def test_a_command_that_comes_before_its_notice_counts_as_received_with_it() -> None:
    house = await House().opened()
    bid = await house.do("seat:0", Pass(0), received_ms=house.now_ms - 60_000)
    assert (1_000_014, 1_000_014, 1_000_014) == (bid.noticed_ms, bid.received_ms, bid.at_ms)
    assert audit.OK == (await house.audited()).outcome


@pytest.mark.parametrize("jump_ms", [-3_600_000, -1, 1, 3_600_000])
async def test_times_stay_in_order_where_the_clock_jumps(jump_ms: int) -> None:
    house = House()
    house.now_ms = house.database_ms = 10**12
    await house.opened()
    for seat in (0, 1):
        house.now_ms += jump_ms
        await house.do(f"seat:{seat}", Pass(seat))
    assert audit.OK == (await house.audited()).outcome


async def test_where_another_process_committed_the_notice_is_when_it_was_recorded() -> None:
    house = await House().opened()
    house.streams = house.process()
    house.now_ms += 5_000
    bid = await house.do("seat:0", Pass(0))
    assert (1_000_014, 1_005_014) == (bid.noticed_ms, bid.received_ms)
    assert audit.OK == (await house.audited()).outcome


@pytest.mark.parametrize("ahead_ms", [-3_600_000, 3_600_000])
async def test_a_database_whose_clock_is_wrong_puts_no_notice_before_its_act_or_after_now(ahead_ms: int) -> None:
    house = House()
    house.database_ms += ahead_ms
    await house.opened()
    house.streams = house.process()
    house.now_ms += 5_000
    bid = await house.do("seat:0", Pass(0))
    assert 1_000_007 <= bid.noticed_ms <= bid.received_ms == bid.at_ms == 1_005_014
    assert audit.OK == (await house.audited()).outcome


async def test_time_given_back_is_a_new_notice_and_a_new_deadline() -> None:
    house = await House().opened()
    house.streams = house.process()
    house.now_ms += 50_000
    extended = await house.do("house", ExtendTurn(house.now_ms + TURN_MS))
    assert (1_000_014, 1_000_007 + TURN_MS) == (extended.noticed_ms, extended.deadline_ms)
    house.now_ms += 2_000
    bid = await house.do("seat:0", Pass(0))
    assert (1_050_021, 1_050_014 + TURN_MS, 1_052_021) == (bid.noticed_ms, bid.deadline_ms, bid.received_ms)
    assert audit.OK == (await house.audited()).outcome


async def test_an_expiry_has_the_times_of_the_turn_that_expired() -> None:
    house = await House().opened()
    due_ms = 1_000_007 + TURN_MS
    house.now_ms = due_ms + GRACE_MS
    expiry = await house.do("house", ExpireTurn(0, house.now_ms), house.now_ms)
    assert (1_000_014, due_ms, due_ms + GRACE_MS, due_ms + GRACE_MS) == times(expiry)
    assert audit.OK == (await house.audited()).outcome


async def test_an_expiry_found_before_the_clock_jumped_back_is_dated_when_it_was_found() -> None:
    house = await House().opened()
    found_ms = 1_000_007 + TURN_MS + GRACE_MS
    house.now_ms = 1_000_014
    expiry = await house.do("house", ExpireTurn(0, found_ms), found_ms)
    assert (found_ms, found_ms) == (expiry.received_ms, expiry.at_ms)
    assert audit.OK == (await house.audited()).outcome


async def test_a_refusal_leaves_the_times_of_the_next_act_alone() -> None:
    house = await House().opened()
    with pytest.raises(Rejected):
        await house.do("seat:1", Pass(1))
    house.now_ms += 100
    assert (1_000_014, 1_000_114) == times(await house.do("seat:0", Pass(0)))[::2]
