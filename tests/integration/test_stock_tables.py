"""Tables of the stock game over real gRPC: two and three seats, unary and on streams, bad input, and house bots."""

import asyncio
import random
from typing import Any
from uuid import UUID

import grpc
import pytest
from pinochle.audit import OK, verify_table
from pinochle.cards import HIDDEN, PHYSICAL_MASK, count
from pinochle.commands import Draw, ExchangeDix, LayMeld, Pass, PlayCard
from pinochle.events import CardDrawn, HandDealt
from pinochle.options import legal
from pinochle.state import CLOSED, OVER, State
from pinochle.stock import legal_melds
from pinochle.wire import codec
from pinochle.wire.v1 import game_pb2
from pinochle.wire.v1 import table_pb2 as pb

from tests.integration.conftest import Arena, Caller, command_ids
from tests.integration.test_bot_workers import DISPATCHER, WORKER, bots, ended, expired  # noqa: F401 (a fixture)
from tests.integration.test_table_service import act, dealt, play_on, stream_player, until, view

TWO, THREE = ("ann", "bob"), ("ann", "bob", "cay")
GAMES = [("two-handed", TWO), ("three-handed-stock", THREE)]


async def callers_of(arena: Arena, players: tuple[str, ...]) -> list[Caller]:
    return [await arena.caller("player", player) for player in players]


async def log_of(caller: Caller, table: str) -> list[Any]:
    call = caller.tables.Log(pb.LogRequest(table=table), metadata=caller.metadata, timeout=10)
    return [stored async for page in call for stored in page.acts]


async def closed(caller: Caller, table: str) -> State:
    async def found() -> State | None:
        state, _ = await view(caller, table)
        return state if state.phase == CLOSED else None

    return await until(found)


def refusal(answer: pb.ActResponse) -> str:
    assert answer.HasField("rejection"), answer
    return answer.rejection.reason


@pytest.mark.parametrize(("profile", "players"), GAMES)
async def test_a_whole_stock_game_over_unary_calls_ends_and_its_log_verifies(
    arena: Arena, profile: str, players: tuple[str, ...]
) -> None:
    director = await arena.caller("director")
    table = await director.open(*players, profile=profile, deal_limit=2)
    final = await play_on(await callers_of(arena, players), table, random.Random(1))
    assert final.phase >= OVER
    assert (len(players), 2) == (len(final.totals), final.deal)
    await closed(director, table)
    report = verify_table(UUID(table), await log_of(director, table))
    assert (OK, None, final.totals) == (report.outcome, report.problem, report.state.totals)


@pytest.mark.parametrize(("profile", "players"), GAMES)
async def test_players_of_the_stock_game_on_one_stream_each_play_to_the_end(
    arena: Arena, profile: str, players: tuple[str, ...]
) -> None:
    director = await arena.caller("director")
    tables = [await director.open(*players, profile=profile, deal_limit=1) for _ in range(3)]
    callers = await callers_of(arena, players)
    over = await asyncio.wait_for(
        asyncio.gather(*(stream_player(caller, 3, random.Random(at)) for at, caller in enumerate(callers))), 60
    )
    assert [set(tables)] * len(players) == over


async def test_a_seat_sees_its_own_hand_and_the_turn_up_but_neither_stock_nor_other_hands(arena: Arena) -> None:
    director, callers = await arena.caller("director"), await callers_of(arena, TWO)
    table = await director.open(*TWO, profile="two-handed")
    await dealt(director, table)
    for seat, caller in enumerate(callers):
        state, _ = await view(caller, table)
        assert 12 == (state.hands[seat] & PHYSICAL_MASK).bit_count()
        assert 12 == count(state.hands[1 - seat], HIDDEN)
        assert state.stock is not None
        assert (HIDDEN,) * 23 == state.stock.cards
        assert state.turn_up > HIDDEN


async def test_a_drawn_card_is_seen_by_the_drawer_alone(arena: Arena) -> None:
    director, callers = await arena.caller("director"), await callers_of(arena, TWO)
    table = await director.open(*TWO, profile="two-handed", seed=bytes(32), dealer=1)
    await dealt(director, table)
    answer = await play_a_trick_and_draw(callers, table)
    assert not answer.HasField("rejection")
    seen = []
    for caller in (*callers, director):
        response = await caller.call("View", pb.ViewRequest(table=table, after_version=answer.version - 1))
        (drawn,) = [codec.events_from(found) for found in response.acts if found.version == answer.version]
        seen.append([event.card > HIDDEN for event in drawn if isinstance(event, CardDrawn)])
    first = (await view(callers[0], table))[0].leader
    mine, other = [True, False], [False, True]
    assert [mine if seat == first else other for seat in range(2)] + [[False, False]] == seen


async def play_a_trick_and_draw(callers: list[Caller], table: str) -> pb.ActResponse:
    """One trick by the default cards, then the winner draws; the answer to the draw."""
    chance = random.Random(3)
    while True:
        _, response = await view(callers[0], table)
        seat = response.due_seat
        _, mine = await view(callers[seat], table)
        options = codec.options_from(mine.options, seat)
        assert options is not None
        if mine.options.WhichOneof("kind") == "draw":
            return await act(callers[seat], table, Draw(seat), mine.turn_version)
        await act(callers[seat], table, options.sample(chance), mine.turn_version)


# Bad input


@pytest.mark.parametrize(
    ("profile", "players", "words"),
    [
        ("two-handed", THREE, "the number of players must be 2, not 3"),
        ("three-handed-stock", TWO, "the number of players must be 3, not 2"),
        ("classic", TWO, "the number of players must be 4, not 2"),
        ("two-handed", ("ann", "b b"), "player"),
    ],
)
async def test_a_table_with_the_wrong_players_is_refused_in_one_line(
    arena: Arena, profile: str, players: tuple[str, ...], words: str
) -> None:
    director = await arena.caller("director")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await director.open(*players, profile=profile)
    assert (grpc.StatusCode.INVALID_ARGUMENT, True) == (caught.value.code(), words in (caught.value.details() or ""))
    assert "\n" not in (caught.value.details() or "")


@pytest.mark.parametrize("dealer", [2, 3])
async def test_a_dealer_that_does_not_sit_at_the_table_is_refused(arena: Arena, dealer: int) -> None:
    director = await arena.caller("director")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await director.open(*TWO, profile="two-handed", dealer=dealer)
    assert f"dealer must be 0 to 1, not {dealer}" == caught.value.details()


async def test_commands_that_the_turn_does_not_allow_are_rejected(arena: Arena) -> None:
    director, callers = await arena.caller("director"), await callers_of(arena, TWO)
    table = await director.open(*TWO, profile="two-handed", seed=bytes(32), dealer=1)
    turn = await dealt(director, table)
    own, _ = await view(callers[0], table)
    version = turn.turn_version
    assert "wrong_phase" == refusal(await act(callers[0], table, Draw(0), version))
    assert "wrong_phase" == refusal(await act(callers[0], table, Pass(0), version))
    one_card = LayMeld(0, "dix", own.hands[0] & -own.hands[0])
    assert "wrong_phase" == refusal(await act(callers[0], table, one_card, version))
    assert "illegal_card" == refusal(await act(callers[0], table, PlayCard(0, own.turn_up), version))
    assert "not_your_turn" == refusal(await act(callers[1], table, Draw(1), version))


async def test_after_a_trick_what_is_no_meld_and_no_nine_is_rejected(arena: Arena) -> None:
    director, callers = await arena.caller("director"), await callers_of(arena, TWO)
    table = await director.open(*TWO, profile="two-handed", seed=bytes(32), dealer=1)
    await dealt(director, table)
    chance = random.Random(3)
    while True:
        _, response = await view(director, table)
        seat = response.due_seat
        own, mine = await view(callers[seat], table)
        if mine.options.WhichOneof("kind") == "draw":
            break
        options = legal(own)
        assert options is not None
        await act(callers[seat], table, options.sample(chance), mine.turn_version)
    assert own.stock is not None
    assert () == tuple(
        meld
        for meld in legal_melds(own.rules, own.trump, own.hands[seat], own.stock.used, own.stock.credited)
        if meld.kind == "run"
    )
    version = mine.turn_version
    cards = own.hands[seat]
    assert "illegal_meld" == refusal(await act(callers[seat], table, LayMeld(seat, "run", cards), version))
    assert "illegal_card" == refusal(await act(callers[seat], table, ExchangeDix(seat, own.turn_up), version))
    assert "wrong_phase" == refusal(await act(callers[seat], table, PlayCard(seat, 32), version))
    assert not (await act(callers[seat], table, Draw(seat), version)).HasField("rejection")


@pytest.mark.parametrize(
    "command",
    [
        game_pb2.PlayerCommand(),
        game_pb2.PlayerCommand(play_card=game_pb2.PlayCard(card=31)),
        game_pb2.PlayerCommand(play_card=game_pb2.PlayCard(card=24)),
        game_pb2.PlayerCommand(exchange_dix=game_pb2.ExchangeDix(card=1_000_000)),
        game_pb2.PlayerCommand(lay_meld=game_pb2.LayMeld(kind="", cards=[])),
        game_pb2.PlayerCommand(lay_meld=game_pb2.LayMeld(kind="x" * 1000, cards=[32] * 50)),
    ],
)
async def test_malformed_commands_of_the_stock_game_change_nothing(arena: Arena, command: Any) -> None:
    director, callers = await arena.caller("director"), await callers_of(arena, TWO)
    table = await director.open(*TWO, profile="two-handed", dealer=1)
    turn = await dealt(director, table)
    request = pb.ActRequest(
        table=table, expected_version=turn.turn_version, command_id=next(command_ids), command=command
    )
    reason, text = await refused(callers[0], request)
    assert reason in ("INVALID_ARGUMENT", "illegal_card", "wrong_phase")
    assert len(text) < 300
    assert "\n" not in text
    assert turn.version == (await view(director, table))[1].version


async def refused(caller: Caller, request: pb.ActRequest) -> tuple[str, str]:
    """Why an act is refused, as a status or a reason, and the words with it."""
    try:
        answer = await caller.call("Act", request)
    except grpc.aio.AioRpcError as error:
        return error.code().name, error.details() or ""
    return refusal(answer), answer.rejection.detail


# The house


async def test_a_turn_that_expires_is_played_and_a_draw_ends_the_winners_turn(arena: Arena) -> None:
    director = await arena.caller("director")
    table = await director.open(*THREE, profile="three-handed-stock", turn_ms=60_000)
    await dealt(director, table)
    for _ in range(8):
        before = (await view(director, table))[1].version
        arena.clock_ahead_ms[0] += 120_000

        async def moved(before: int = before) -> bool:
            return (await view(director, table))[1].version > before

        await until(moved)
    state, _ = await view(director, table)
    assert sum(state.tricks) >= 2
    assert state.stock is not None
    assert 11 > len(state.stock.cards)


async def test_who_is_due_at_a_table_of_two_is_listed(arena: Arena) -> None:
    director = await arena.caller("director")
    table = await director.open(*TWO, profile="two-handed", dealer=1, seed=b"\2" * 32)  # its turn-up is no nine
    await dealt(director, table)
    due = await director.call("ListDue", pb.ListDueRequest(player_prefix="ann"))
    assert [(table, 0, "ann", list(TWO))] == [
        (row.table, row.due_seat, row.due_player, list(row.players)) for row in due.tables
    ]
    (row,) = (await director.call("List", pb.ListRequest(tables=[table]))).tables
    assert ("two-handed", [0, 0]) == (row.profile, list(row.totals))


async def test_tables_of_two_on_shared_boards_are_hidden_until_both_are_closed(arena: Arena) -> None:
    director = await arena.caller("director")
    spectator = await arena.caller("spectator")
    seats = (TWO, ("cid", "dot"))
    pairs = [await callers_of(arena, players) for players in seats]
    same = {"profile": "two-handed", "seed": bytes(32), "dealer": 0, "boards": "pair", "deal_limit": 1}
    tables = [await director.open(*players, **same) for players in seats]
    hands = []
    for table, callers in zip(tables, pairs, strict=True):
        await until(lambda table=table, caller=callers[0]: has_dealt(caller, table))
        state, _ = await view(callers[0], table)
        hands.append(state.turn_up)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await view(spectator, table)
        assert grpc.StatusCode.PERMISSION_DENIED == caught.value.code()
    assert hands[0] == hands[1]
    for number, (table, callers) in enumerate(zip(tables, pairs, strict=True)):
        await play_on(callers, table, random.Random(number))
    for table in tables:
        await director.call("Close", pb.CloseRequest(table=table))
        assert CLOSED == (await view(spectator, table))[0].phase


async def has_dealt(caller: Caller, table: str) -> bool:
    return (await view(caller, table))[1].HasField("due_seat")


async def test_house_bots_play_tables_of_two_and_three_to_their_end(arena: Arena, bots: Any) -> None:  # noqa: F811
    await bots.start("worker", WORKER)
    await bots.start("dispatcher", DISPATCHER)
    director = await arena.caller("director")
    tables = [
        await director.open("bot:club", "bot:random", profile="two-handed", deal_limit=2),
        await director.open("bot:random", "bot:club", "bot:timid", profile="three-handed-stock", deal_limit=2),
    ]
    logs = await ended(arena, tables)
    assert [] == [event for acts in logs.values() for event in expired(acts)]
    for acts in logs.values():
        assert 2 == sum(isinstance(event, HandDealt) for found in acts for event in found.events)
        assert not any(isinstance(found.command, ExchangeDix) and found.author == "house" for found in acts)
