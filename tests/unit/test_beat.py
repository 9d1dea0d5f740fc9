"""A table's beat: what seats do is given out at ticks only, whoever asks, and nothing is lost or doubled by waiting."""

import asyncio
from dataclasses import replace
from random import Random
from typing import Any
from uuid import UUID

import pytest
from pinochle import audit, commands, export
from pinochle.commands import DealCards, ExpireTurn, OpenTable, Pass, PlaceBid, VoidTable
from pinochle.errors import BadInput, Reason, Rejected
from pinochle.game import BEAT_MS_MAX, BEAT_MS_MIN, GAME
from pinochle.notation import read, write
from pinochle.rules import load
from pinochle.shuffle import shuffled
from pinochle.state import initial
from pinochle.tournament import TOURNAMENT, CreateTournament, EnterTeam, StartTournament, wanted
from pinochle.wire import chain, codec

from services.beat import HELD_MS_MAX, let_go, next_tick
from services.eventstore import MemoryStore, StoredAct
from services.handle import Hooks, Outcome, Streams
from services.stream import CommandReused, Stream
from services.table.house import House, Pace, Reports
from services.table.index import KIND, Index
from tests.played import play_table

SEED, KEY, START_MS, BEAT_MS = bytes(32), UUID(int=7).bytes, 1_000_000, 1_000
TURN_MS, GRACE_MS = 10_000, 2_000
RULES = load("classic")
DEAL = DealCards(shuffled(RULES.cards, SEED, 1, b""))


class Clock:
    """A clock that stands still until it is moved; who sleeps wakes when it has come far enough."""

    def __init__(self) -> None:
        self.now_ms = START_MS
        self._waiting: list[tuple[int, asyncio.Event]] = []

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.Event()
        self._waiting.append((self.now_ms + round(seconds * 1000), woken))
        await asyncio.wait_for(woken.wait(), 10)

    async def come(self, to_ms: int) -> None:
        """Let it be this time, and what is due by then happen."""
        self.now_ms = to_ms
        for at_ms, woken in self._waiting:
            if at_ms <= to_ms:
                woken.set()
        await settle()


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


class Arena:
    """One table with a beat, dealt, seat 1 to call."""

    def __init__(self, clock: Clock | None = None, store: MemoryStore | None = None, cached_max: int = 10) -> None:
        self.clock = clock or Clock()
        self.store = store or MemoryStore(lambda: self.clock.now_ms)
        self.moves: list[tuple[int, int]] = []
        self.streams = Streams(
            KIND, self.store, clock_ms=lambda: self.clock.now_ms, clock=lambda: 0.0, cached_max=cached_max,
            acts_max=1_000, retries_max=3, hooks=Hooks(self._moved, lambda spent: None, lambda: None),
            sleep=self.clock.sleep,
        )  # fmt: skip

    def _moved(self, stream: Stream, view: bytes | None) -> None:
        self.moves.append((stream.version, self.clock.now_ms))

    async def deal(self, beat_ms: int = BEAT_MS) -> Stream:
        opening = OpenTable(
            RULES, tuple("abcd"), 0, SEED, b"", TURN_MS, GRACE_MS + beat_ms, 1, "", "", "", beat_ms
        )
        await self.streams.handle(KEY, "director", b"open".ljust(16), opening, opens=True)
        return (await self.streams.handle(KEY, "house", b"deal".ljust(16), DEAL)).stream

    def act(self, command: Any, number: int, expected: int = 2) -> "asyncio.Task[Outcome]":
        name = number.to_bytes(16, "big")
        return asyncio.ensure_future(self.streams.handle(KEY, f"seat:{command.seat}", name, command, expected=expected))


async def test_an_act_is_given_out_at_the_next_tick_with_its_time_and_its_receipt_kept() -> None:
    arena = Arena()
    stream = await arena.deal()
    await arena.clock.come(START_MS + 317)
    call = arena.act(Pass(1), 1)
    await settle()
    await arena.clock.come(START_MS + 999)
    assert (2, False) == (stream.version, call.done())
    await arena.clock.come(START_MS + 1_004)
    assert 3 == (await call).version
    assert (3, START_MS + 1_004) == arena.moves[-1]
    stored = (await arena.store.read(KEY, 2))[0]
    act = KIND.decode(stored.version, stored.command_id, stored.body)
    assert (START_MS, START_MS + 317, START_MS + 1_000) == (act.noticed_ms, act.received_ms, act.at_ms)
    assert START_MS + 1_000 + TURN_MS == stream.state.deadline_ms


@pytest.mark.parametrize("command", [Pass(1), PlaceBid(1, 250)])
async def test_fast_and_slow_thinking_within_a_beat_look_the_same_to_everybody(command: Any) -> None:
    shown = []
    for thought_ms in (1, 400, 1_000):
        arena = Arena()
        stream = await arena.deal()
        await arena.clock.come(START_MS + thought_ms)
        call = arena.act(command, 1)
        await settle()
        await arena.clock.come(START_MS + 1_000)
        await call
        shown.append(([stream.view(3, viewer) for viewer in (None, 0, 1, 2, 3)], arena.moves))
    assert shown[0] == shown[1] == shown[2]


def test_ticks_are_counted_from_the_act_that_began_the_turn_and_none_is_that_act() -> None:
    assert [110, 110, 120, 120] == [next_tick(100, 10, received) for received in (100, 110, 111, 120)]


async def test_without_a_beat_an_act_is_given_out_at_once() -> None:
    arena = Arena()
    await arena.deal(beat_ms=0)
    await arena.clock.come(START_MS + 317)
    assert 3 == (await arena.act(Pass(1), 1)).version


async def test_what_is_refused_is_refused_at_once() -> None:
    arena = Arena()
    await arena.deal()
    for command, reason in ((PlaceBid(1, 1), Reason.ILLEGAL_BID), (Pass(2), Reason.NOT_YOUR_TURN)):
        with pytest.raises(Rejected) as refusal:
            await asyncio.wait_for(arena.act(command, 1), 5)
        assert reason == refusal.value.reason


async def test_the_same_command_again_while_it_is_held_gets_the_same_answer_and_happens_once() -> None:
    arena = Arena()
    stream = await arena.deal()
    calls = [arena.act(Pass(1), 1) for _ in range(3)]
    await settle()
    with pytest.raises(CommandReused):
        await asyncio.wait_for(arena.act(PlaceBid(1, 250), 1), 5)
    with pytest.raises(Rejected) as refusal:
        await asyncio.wait_for(arena.act(PlaceBid(1, 250), 2), 5)
    assert Reason.STALE_VERSION == refusal.value.reason
    await arena.clock.come(START_MS + BEAT_MS)
    assert [3, 3, 3] == [(await call).version for call in calls]
    assert 3 == stream.version
    assert 3 == (await arena.act(Pass(1), 1)).version


async def test_a_caller_that_gives_up_does_not_take_its_act_back() -> None:
    arena = Arena()
    stream = await arena.deal()
    call = arena.act(Pass(1), 1)
    await settle()
    call.cancel()
    await arena.clock.come(START_MS + BEAT_MS)
    assert 3 == stream.version


async def test_an_act_that_was_held_when_the_process_ended_comes_again_with_its_id_and_happens_once() -> None:
    arena = Arena()
    await arena.deal()
    call = arena.act(Pass(1), 1)
    await settle()
    let_go(arena.streams.cached())
    with pytest.raises(asyncio.CancelledError):
        await call
    later = Arena(arena.clock, arena.store)
    await arena.clock.come(START_MS + 1_500)
    again = later.act(Pass(1), 1)
    await settle()
    await arena.clock.come(START_MS + 2_000)
    assert (3, True) == ((await again).version, (await again).changed)
    assert 3 == len(await arena.store.read(KEY))


async def test_two_processes_that_hold_the_same_act_give_it_out_once() -> None:
    first = Arena()
    await first.deal()
    second = Arena(first.clock, first.store)
    calls = [arena.act(Pass(1), 1) for arena in (first, second)]
    await settle()
    await first.clock.come(START_MS + BEAT_MS)
    assert [3, 3] == [(await call).version for call in calls]
    assert 3 == len(await first.store.read(KEY))


async def test_an_act_whose_table_is_voided_meanwhile_is_refused_at_the_tick() -> None:
    arena = Arena()
    await arena.deal()
    call = arena.act(Pass(1), 1)
    await settle()
    await arena.streams.handle(KEY, "director", b"void".ljust(16), VoidTable("no light"))
    await arena.clock.come(START_MS + BEAT_MS)
    with pytest.raises(Rejected):
        await call


async def test_a_table_with_a_held_act_is_not_forgotten() -> None:
    arena = Arena(cached_max=1)
    stream = await arena.deal()
    call = arena.act(Pass(1), 1)
    await settle()
    opening = OpenTable(RULES, tuple("abcd"), 0, SEED)
    await arena.streams.handle(UUID(int=8).bytes, "director", b"open".ljust(16), opening, opens=True)
    assert stream is arena.streams.peek(KEY)
    await arena.clock.come(START_MS + BEAT_MS)
    assert 3 == (await call).version


async def test_a_clock_that_is_set_back_by_an_hour_holds_no_act_for_longer_than_the_bound() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        arena.clock.now_ms = START_MS - 3_600_000  # and there it stays

    arena = Arena()
    arena.streams._sleep = sleep
    stream = await arena.deal()
    assert 3 == (await asyncio.wait_for(arena.act(Pass(1), 1), 5)).version
    assert HELD_MS_MAX == round(1000 * sum(slept))
    assert START_MS + BEAT_MS == stream.state.now_ms


async def test_an_act_that_another_process_gave_out_first_leaves_the_hold_of_the_next_one_alone() -> None:
    arena = Arena()
    stream = await arena.deal()
    other = Arena(store=arena.store)
    calls = [found.act(Pass(1), 1) for found in (other, arena)]
    await settle()
    await other.clock.come(START_MS + BEAT_MS)
    await calls[0]
    arena.clock.now_ms = START_MS + BEAT_MS  # and this process is late to wake
    await arena.streams.refresh(stream)
    following = arena.act(Pass(2), 2, 3)
    await settle()
    await arena.clock.come(START_MS + BEAT_MS)
    assert 3 == (await calls[1]).version
    assert stream.held is not None
    await arena.clock.come(START_MS + 2 * BEAT_MS)
    assert (4, None) == ((await following).version, stream.held)


async def test_an_act_received_by_its_deadline_counts_though_it_is_given_out_later() -> None:
    arena = Arena()
    stream = await arena.deal(beat_ms=3_000)
    index = Index(lambda: arena.clock.now_ms)
    index.moved(stream)
    house = House(
        arena.streams, index, arena.store, clock_ms=lambda: arena.clock.now_ms, sleep=arena.clock.sleep,
        pace=Pace(1.0, 1.0, GRACE_MS), acts_max=1_000,
        reports=Reports(lambda found: None, lambda: None, lambda overdue: None), bots_are_served=lambda: True,
    )  # fmt: skip
    await arena.clock.come(START_MS + TURN_MS)
    call = arena.act(PlaceBid(1, 250), 1)
    await settle()
    await arena.clock.come(START_MS + 11_999)
    await house._expire()
    await settle()
    assert (2, False) == (stream.version, call.done())
    await arena.clock.come(START_MS + 12_000)
    assert (3, 250) == ((await call).version, stream.state.bid)


async def test_nothing_expires_before_what_came_in_time_has_been_given_out() -> None:
    arena = Arena()
    stream = await arena.deal()
    early = stream.state.deadline_ms + GRACE_MS + BEAT_MS - 1
    with pytest.raises(Rejected) as refusal:
        GAME.decide(stream.state, ExpireTurn(1, early))
    assert Reason.TOO_EARLY == refusal.value.reason
    assert GAME.decide(stream.state, ExpireTurn(1, early + 1))


async def test_a_log_with_a_beat_verifies_and_an_act_beside_the_beat_is_named() -> None:
    arena = Arena()
    await arena.deal()
    call = arena.act(Pass(1), 1)
    await settle()
    await arena.clock.come(START_MS + BEAT_MS)
    await call
    stored = await arena.store.read(KEY)
    assert audit.verify_table(UUID(bytes=KEY), chained(stored, 0), must_end=False).ok
    report = audit.verify_table(UUID(bytes=KEY), chained(stored, 1), must_end=False)
    assert report.problem is not None
    assert (3, "time") == (report.problem.version, report.problem.check)
    assert "expected beats of 1000 ms" in str(report.problem)


def chained(stored: list[StoredAct], late_ms: int) -> list[export.StoredAct]:
    """The acts as an export holds them, the last of them given out later than it was."""
    acts, head = [], chain.START
    for act in stored:
        body = act.body
        if act.version == len(stored) and late_ms:
            read = KIND.decode(act.version, act.command_id, act.body)
            body = codec.at_rest(replace(read, at_ms=read.at_ms + late_ms))
        head = chain.link(head, KEY, act.version, act.command_id, body)
        acts.append(export.StoredAct(act.version, act.command_id, body, head))
    return acts


@pytest.mark.parametrize("beat_ms", [1, BEAT_MS_MIN - 1, BEAT_MS_MAX + 1, 60_000])
def test_a_beat_out_of_range_is_refused(beat_ms: int) -> None:
    with pytest.raises(BadInput, match=f"beat_ms must be {BEAT_MS_MIN} to {BEAT_MS_MAX}, not {beat_ms}"):
        GAME.decide(initial(), OpenTable(RULES, tuple("abcd"), 0, SEED, beat_ms=beat_ms))


def test_a_tournaments_tables_are_wanted_with_its_beat() -> None:
    name, seed = str(UUID(int=5, version=4)), bytes(32)
    state = TOURNAMENT.initial()
    create = CreateTournament(name, "Club", "knockout", RULES, seed, 30, beat_ms=500)
    for command in (create, EnterTeam("A", ("a", "b"), 1), EnterTeam("B", ("c", "d"), 2), StartTournament()):
        state = TOURNAMENT.fold(state, TOURNAMENT.decide(state, command), 1)
    assert [500] == [table.beat_ms for table in wanted(state)]
    with pytest.raises(BadInput, match="beat_ms must be 100 to 5000, not 99"):
        TOURNAMENT.decide(TOURNAMENT.initial(), replace(create, beat_ms=99))


def test_the_beat_is_kept_where_a_game_is_written_as_text() -> None:
    acts = play_table("director", OpenTable(RULES, tuple("abcd"), 0, SEED, deal_limit=1, beat_ms=500), Random(1))
    assert 500 == next(act for act in read(write(acts)).acts).events[0].beat_ms


def test_the_beat_is_in_the_log_and_tables_without_one_are_stored_as_before() -> None:
    (opened,) = GAME.decide(initial(), OpenTable(RULES, tuple("abcd"), 0, SEED, beat_ms=500))
    (plain,) = GAME.decide(initial(), OpenTable(RULES, tuple("abcd"), 0, SEED))
    assert 500 == codec.event_from(codec.event_message(opened)).beat_ms
    assert b"\x68\xf4\x03" == codec.event_bytes(opened)[-3:]
    assert 3 == len(codec.event_bytes(opened)) - len(codec.event_bytes(plain))
    command = commands.OpenTable(RULES, tuple("abcd"), 0, SEED, beat_ms=500)
    assert command == codec.command_from(codec.command_message(command))
