"""What callers of the table service do wrong gets a clear status or a rejection, and writes nothing."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import grpc
import psycopg
import pytest
from pinochle.commands import PassCards, PlaceBid, PlayCard
from pinochle.tournament.lots import table_id
from pinochle.wire import codec
from pinochle.wire.v1 import access_pb2
from pinochle.wire.v1 import table_pb2 as pb

from services.rpc import STANDING_SECONDS
from services.table.play import WISHES_EACH_MAX
from tests.integration.conftest import Arena, Caller, command_ids
from tests.integration.test_table_service import act, dealt, until, view

Status = grpc.StatusCode


async def acts_stored(arena: Arena) -> int:
    async with await psycopg.AsyncConnection.connect(arena.database.admin_url) as connection:
        row = await (await connection.execute("select count(*) from tables.acts")).fetchone()
        assert row is not None
        return int(row[0])


async def refused(arena: Arena, call: Any, status: Status, words: str = "") -> None:
    """The call ends with this status and writes nothing."""
    before = await acts_stored(arena)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    assert (status, True) == (caught.value.code(), words in (caught.value.details() or "")), caught.value.details()
    assert before == await acts_stored(arena)


@pytest.fixture
async def table(arena: Arena) -> str:
    table = await (await arena.caller("director")).open(dealer=3)
    await dealt(await arena.caller("spectator"), table)
    return table


@pytest.mark.parametrize(
    ("reason", "seat", "command", "expected"),
    [
        ("not_your_turn", 1, PlaceBid(1, 250), 2),
        ("stale_version", 0, PlaceBid(0, 250), 1),
        ("ahead_of_log", 0, PlaceBid(0, 250), 99),
        ("wrong_phase", 0, PlayCard(0, 0), 2),
        ("wrong_phase", 0, PassCards(0, 4), 2),
        ("illegal_bid", 0, PlaceBid(0, 251), 2),
        ("illegal_bid", 0, PlaceBid(0, 0), 2),
    ],
)
async def test_an_act_that_the_rules_forbid_is_rejected_with_its_reason(
    arena: Arena, table: str, reason: str, seat: int, command: Any, expected: int
) -> None:
    player = await arena.caller("player", "abcd"[seat])
    before = await acts_stored(arena)
    answer = await act(player, table, command, expected)
    assert (reason, 0) == (answer.rejection.reason, answer.version)
    assert before == await acts_stored(arena)


async def test_without_a_valid_token_nothing_is_answered(arena: Arena, table: str) -> None:
    for caller in (arena.with_token(None), arena.with_token("pin_" + "x" * 43), arena.with_token("garbage")):
        await refused(arena, view(caller, table), Status.UNAUTHENTICATED)
        await refused(arena, act(caller, table, PlaceBid(0, 250), 2), Status.UNAUTHENTICATED)
        await refused(arena, caller.open(), Status.UNAUTHENTICATED)
        await refused(arena, caller.call("WhoAmI", access_pb2.WhoAmIRequest()), Status.UNAUTHENTICATED)


async def test_an_expired_token_and_a_revoked_one_are_refused(arena: Arena, table: str) -> None:
    expired = arena.with_token(await arena.token("player", "a", expires_at_ms=1))
    await refused(arena, view(expired, table), Status.UNAUTHENTICATED)
    operator = await arena.caller("operator")
    made = await operator.call("CreateToken", access_pb2.CreateTokenRequest(role="player", player="a"))
    player = arena.with_token(made.token)
    assert "a" == (await player.call("WhoAmI", access_pb2.WhoAmIRequest())).player
    await operator.call("RevokeToken", access_pb2.RevokeTokenRequest(id=made.id))
    await refused(arena, player.call("WhoAmI", access_pb2.WhoAmIRequest()), Status.UNAUTHENTICATED)


async def read_to_its_end(stream: Any) -> None:
    while await stream.read() is not grpc.aio.EOF:
        pass


async def test_a_revoked_token_ends_the_streams_that_were_opened_with_it(arena: Arena, table: str) -> None:
    operator = await arena.caller("operator")
    made = await operator.call("CreateToken", access_pb2.CreateTokenRequest(role="player", player="a"))
    player = arena.with_token(made.token)
    outgoing: asyncio.Queue[pb.PlayRequest] = asyncio.Queue()

    async def requests() -> AsyncIterator[pb.PlayRequest]:
        while True:
            yield await outgoing.get()

    playing = player.tables.Play(requests(), metadata=player.metadata, timeout=30)
    watching = player.tables.Watch(pb.WatchRequest(table=table), metadata=player.metadata, timeout=30)
    await outgoing.put(pb.PlayRequest())
    turn = (await playing.read()).updates[0]
    assert await watching.read()
    await operator.call("RevokeToken", access_pb2.RevokeTokenRequest(id=made.id))
    await asyncio.sleep(STANDING_SECONDS)
    command = codec.player_command_message(PlaceBid(0, 250))
    bid = pb.ActRequest(table=table, expected_version=turn.turn_version, command_id=next(command_ids), command=command)
    before = await acts_stored(arena)
    await outgoing.put(pb.PlayRequest(acts=[bid]))
    for stream in (playing, watching):
        await refused(arena, read_to_its_end(stream), Status.UNAUTHENTICATED)
    assert before == await acts_stored(arena)


async def test_a_token_acts_only_for_the_seat_that_it_holds(arena: Arena, table: str) -> None:
    stranger, spectator = await arena.caller("player", "zoe"), await arena.caller("spectator")
    director, bots = await arena.caller("director"), await arena.caller("bots")
    for caller in (stranger, spectator, director, bots):
        await refused(arena, act(caller, table, PlaceBid(0, 250), 2), Status.PERMISSION_DENIED, "no seat")
    second = await arena.caller("player", "b")
    await refused(arena, act(second, table, PlaceBid(0, 250), 2, seat=0), Status.PERMISSION_DENIED, "not yours")
    await refused(arena, view(second, table, seat=0), Status.PERMISSION_DENIED, "not yours")
    elsewhere = await arena.caller("player", "a", stream="00000000-0000-4000-8000-000000000000")
    await refused(arena, act(elsewhere, table, PlaceBid(0, 250), 2), Status.PERMISSION_DENIED)


async def test_only_directors_and_operators_open_void_and_close(arena: Arena, table: str) -> None:
    for caller in (await arena.caller("player", "a"), await arena.caller("spectator"), await arena.caller("bots")):
        await refused(arena, caller.open(), Status.PERMISSION_DENIED)
        await refused(arena, caller.call("Void", pb.VoidRequest(table=table, reason="x")), Status.PERMISSION_DENIED)
        await refused(arena, caller.call("Close", pb.CloseRequest(table=table)), Status.PERMISSION_DENIED)


async def test_only_the_operator_reads_the_log_of_a_running_table(arena: Arena, table: str) -> None:
    async def log(caller: Caller) -> int:
        pages = caller.tables.Log(pb.LogRequest(table=table), metadata=caller.metadata, timeout=10)
        return sum([len(page.acts) async for page in pages])

    for role, player in (("player", "a"), ("spectator", None), ("director", None)):
        await refused(arena, log(await arena.caller(role, player)), Status.PERMISSION_DENIED, "ended")
    assert 2 == await log(await arena.caller("operator"))


async def test_an_unknown_table_is_not_found_and_a_malformed_id_is_told(arena: Arena) -> None:
    player = await arena.caller("player", "a")
    nothing = "00000000-0000-4000-8000-000000000000"
    await refused(arena, view(player, nothing), Status.NOT_FOUND)
    await refused(arena, act(player, nothing, PlaceBid(0, 250), 2), Status.NOT_FOUND)
    for text in ("", "x", nothing.replace("-", ""), nothing.upper().replace("0", "A"), "a" * 5000):
        await refused(arena, view(player, text), Status.INVALID_ARGUMENT)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"profile": "chess"}, "chess"),
        ({"players": ["a", "b", "c"]}, "players"),
        ({"players": ["a", "b", "c", ""]}, "player id"),
        ({"players": ["a", "b", "c", "x y"]}, "player id"),
        ({"players": ["a", "b", "c", "bot:nobody"]}, "house bot"),
        ({"players": ["a", "b", "a", "d"]}, "player a cannot hold seats 0 and 2 of one table"),
        ({"players": ["a", "bot:club", "bot:club", "a"]}, "player a cannot hold seats 0 and 3 of one table"),
        ({"profile": "two-handed", "players": ["a", "a"]}, "player a cannot hold seats 0 and 1 of one table"),
        ({"dealer": 4}, "dealer"),
        ({"seed": b"short"}, "32"),
        ({"nonce": bytes(65)}, "nonce"),
        ({"turn_ms": 4_000_000_000}, "turn_ms"),
        ({"beat_ms": 2**32 - 1}, "beat_ms must be 100 to 5000"),
        ({"deal_limit": 10_001}, "deal_limit"),
        ({"boards": "x" * 201}, "boards"),
        ({"knobs": [{"name": "min_bid", "value": "255"}]}, "min_bid"),
        ({"knobs": [{"name": "min_bid", "value": "not json"}]}, "JSON"),
        ({"knobs": [{"name": "nonsense", "value": "1"}]}, "nonsense"),
        ({"knobs": [{"name": "target", "value": "1000"}, {"name": "target", "value": "900"}]}, "twice"),
    ],
)
async def test_a_table_that_cannot_be_opened_is_refused_in_one_clear_line(
    arena: Arena, fields: dict[str, Any], words: str
) -> None:
    director = await arena.caller("director")
    request = pb.OpenRequest(**({"profile": "classic", "players": ["a", "b", "c", "d"]} | fields))
    await refused(arena, director.call("Open", request), Status.INVALID_ARGUMENT, words)


async def test_opening_the_same_table_again_answers_alike_and_with_another_content_fails(arena: Arena) -> None:
    director = await arena.caller("director")
    table = "11111111-1111-4111-8111-111111111111"
    request = pb.OpenRequest(table=table, profile="classic", players=list("abcd"))
    first = await director.call("Open", request)
    await dealt(director, table)
    before = await acts_stored(arena)
    assert (table, first.commitment) == ((again := await director.call("Open", request)).table, again.commitment)
    assert before == await acts_stored(arena)
    request.players[0] = "other"
    await refused(arena, director.call("Open", request), Status.ALREADY_EXISTS)


async def test_a_command_id_again_gets_the_first_answer_and_with_another_body_an_error(
    arena: Arena, table: str
) -> None:
    player = await arena.caller("player", "a")
    command_id = next(command_ids)
    first = await act(player, table, PlaceBid(0, 260), 2, command_id=command_id)
    before = await acts_stored(arena)
    answers = await asyncio.gather(*(act(player, table, PlaceBid(0, 260), 2, command_id=command_id) for _ in range(50)))
    assert [first] * 50 == answers
    assert before == await acts_stored(arena)
    other = act(player, table, PlaceBid(0, 270), 2, command_id=command_id)
    await refused(arena, other, Status.ALREADY_EXISTS, "another command")


async def test_fifty_racing_calls_with_one_command_id_have_one_effect(arena: Arena, table: str) -> None:
    callers = [await arena.caller("player", "a") for _ in range(10)]
    command_id, before = next(command_ids), await acts_stored(arena)
    answers = await asyncio.gather(
        *(act(callers[i % 10], table, PlaceBid(0, 260), 2, command_id=command_id) for i in range(50))
    )
    assert [3] * 50 == [answer.version for answer in answers]
    assert before + 1 == await acts_stored(arena)


@pytest.mark.parametrize("command_id", [b"", b"short", bytes(17)])
async def test_a_command_id_of_another_length_is_refused(arena: Arena, table: str, command_id: bytes) -> None:
    player = await arena.caller("player", "a")
    call = act(player, table, PlaceBid(0, 250), 2, command_id=command_id)
    await refused(arena, call, Status.INVALID_ARGUMENT, "16 bytes")


async def test_an_empty_command_and_impossible_cards_are_refused(arena: Arena, table: str) -> None:
    player = await arena.caller("player", "a")
    empty = pb.ActRequest(table=table, expected_version=2, command_id=next(command_ids))
    await refused(arena, player.call("Act", empty), Status.INVALID_ARGUMENT)
    for cards in ([0], [26], [1] * 5, [25] * 81, list(range(1, 25)) * 4):
        request = pb.ActRequest(table=table, expected_version=2, command_id=next(command_ids))
        request.command.pass_cards.cards.extend(cards)
        await refused(arena, player.call("Act", request), Status.INVALID_ARGUMENT)


async def test_an_oversized_message_and_garbage_bytes_are_refused(arena: Arena, table: str) -> None:
    player = await arena.caller("player", "a")
    channel = grpc.aio.insecure_channel(arena.address)
    arena.channels.append(channel)
    for method in ("Act", "Open", "View", "List", "Void"):
        raw = channel.unary_unary(f"/pinochle.wire.v1.TableService/{method}")
        await refused(arena, raw(b"\xff" * 100, metadata=player.metadata, timeout=10), Status.INVALID_ARGUMENT)
        big = raw(bytes(2_000_000), metadata=player.metadata, timeout=10)
        await refused(arena, big, Status.RESOURCE_EXHAUSTED)
    for method in ("Watch", "Log"):
        stream = channel.unary_stream(f"/pinochle.wire.v1.TableService/{method}")
        call = stream(b"\xff" * 100, metadata=player.metadata, timeout=10)
        await refused(arena, call.read(), Status.INVALID_ARGUMENT)
    play = channel.stream_stream("/pinochle.wire.v1.TableService/Play")
    await refused(
        arena, play(iter([b"\xff" * 100]), metadata=player.metadata, timeout=10).read(), Status.INVALID_ARGUMENT
    )
    nothing = channel.unary_unary("/pinochle.wire.v1.TableService/Nothing")
    await refused(arena, nothing(b"", metadata=player.metadata, timeout=10), Status.UNIMPLEMENTED)
    assert (await dealt(player, table)).HasField("due_seat")


async def stream_answers(caller: Caller, *requests: pb.PlayRequest) -> AsyncIterator[pb.PlayResponse]:
    async def outgoing() -> AsyncIterator[pb.PlayRequest]:
        for request in requests:
            yield request

    async for response in caller.tables.Play(outgoing(), metadata=caller.metadata, timeout=10):
        yield response


async def test_on_a_stream_every_bad_act_is_answered_by_itself_and_ends_nothing(arena: Arena, table: str) -> None:
    player = await arena.caller("player", "a")
    nothing = "00000000-0000-4000-8000-000000000000"
    bid = codec.player_command_message(PlaceBid(0, 250))
    bad = {
        "malformed": pb.ActRequest(table="x", command_id=next(command_ids), command=bid),
        "not_allowed": pb.ActRequest(table=nothing, command_id=next(command_ids), command=bid),
        "stale_version": pb.ActRequest(table=table, expected_version=1, command_id=next(command_ids), command=bid),
    }
    empty = pb.ActRequest(table=table, expected_version=2, command_id=next(command_ids))
    good = pb.ActRequest(table=table, expected_version=2, command_id=next(command_ids), command=bid)
    request = pb.PlayRequest(acts=[*bad.values(), empty, good])
    found: dict[bytes, str] = {}
    version = 0
    async for response in stream_answers(player, request):
        for update in response.updates:
            version = max(version, update.version)
            if update.HasField("rejection"):
                found[update.command_id] = update.rejection.reason
    expected = {item.command_id: reason for reason, item in bad.items()} | {empty.command_id: "malformed"}
    assert (expected, 3) == (found, version)


@pytest.mark.parametrize("wish", ["acts", "positions", "follow", "unfollow"])
async def test_a_message_that_asks_for_more_than_any_bot_needs_ends_its_stream(
    arena: Arena, table: str, wish: str
) -> None:
    player = await arena.caller("player", "a")
    request, most = pb.PlayRequest(), WISHES_EACH_MAX * arena.settings.play_tables_max
    for _ in range(most + 1):
        {
            "acts": lambda: request.acts.add(),
            "positions": lambda: request.resume.positions.add(),
            "follow": lambda: request.follow.append(table),
            "unfollow": lambda: request.unfollow.append(""),
        }[wish]()

    async def play() -> None:
        async for _ in stream_answers(player, request):
            pass

    await refused(arena, play(), Status.RESOURCE_EXHAUSTED, f"{most} things at most, not {most + 1}")


async def test_a_position_at_what_is_no_table_is_refused_and_not_kept(arena: Arena, table: str) -> None:
    player = await arena.caller("player", "a")
    position = pb.Position(table="x" * 5_000, version=1)

    async def play() -> None:
        async for _ in stream_answers(player, pb.PlayRequest(), pb.PlayRequest(resume=pb.Resume(positions=[position]))):
            pass

    await refused(arena, play(), Status.INVALID_ARGUMENT, "resume: not an id")


async def test_who_reads_no_answers_is_read_no_further(arena: Arena, table: str) -> None:
    player = await arena.caller("player", "a")
    stream = player.tables.Play(metadata=player.metadata, timeout=60)
    number, most = 0, 2 * arena.settings.play_tables_max
    bid = codec.player_command_message(PlaceBid(0, 250))
    acts = [pb.ActRequest(table=name, expected_version=1, command=bid) for name in (table, "x" * 5_000) * 5]
    while True:
        for item in acts:
            item.command_id = next(command_ids)
        writing = asyncio.ensure_future(stream.write(pb.PlayRequest(acts=acts)))
        number += len(acts)
        if not (await asyncio.wait({writing}, timeout=2))[0]:
            break  # it is not read any more
        assert number < 40 * most
    answered = 0
    while answered < number:
        response = await stream.read()
        assert response.ByteSize() < arena.settings.message_bytes_max
        answered += sum(update.HasField("rejection") for update in response.updates)
    stream.cancel()


async def test_a_stream_of_a_spectator_or_of_another_player_is_refused(arena: Arena, table: str) -> None:
    async def play(caller: Caller, *requests: pb.PlayRequest) -> None:
        async for _ in stream_answers(caller, *requests):
            pass

    await refused(arena, play(await arena.caller("spectator"), pb.PlayRequest()), Status.PERMISSION_DENIED)
    other = pb.PlayRequest(follow=[table])
    await refused(arena, play(await arena.caller("player", "zoe"), other), Status.PERMISSION_DENIED)


async def test_a_watcher_ahead_of_the_log_is_told_where_it_stands(arena: Arena, table: str) -> None:
    spectator = await arena.caller("spectator")
    call = spectator.tables.Watch(
        pb.WatchRequest(table=table, after_version=50), metadata=spectator.metadata, timeout=10
    )
    await refused(arena, call.read(), Status.OUT_OF_RANGE, "version 2")
    viewing = spectator.call("View", pb.ViewRequest(table=table, after_version=50))
    await refused(arena, viewing, Status.OUT_OF_RANGE, "version 2")
    head = await spectator.call("View", pb.ViewRequest(table=table, after_version=50, head_only=True))
    assert ([], 2) == (list(head.acts), head.version)


async def test_a_player_ahead_of_the_log_is_told_and_sent_all_from_the_first_act(arena: Arena, table: str) -> None:
    player = await arena.caller("player", "a")
    ahead = pb.PlayRequest(resume=pb.Resume(positions=[pb.Position(table=table, version=50)]))
    update = (await anext(stream_answers(player, ahead))).updates[0]
    assert ("ahead_of_log", b"", 2) == (update.rejection.reason, update.command_id, update.version)
    assert [1, 2] == [act.version for act in update.acts]


async def test_a_player_who_holds_a_table_that_is_gone_is_told_so(arena: Arena, table: str) -> None:
    player, gone = await arena.caller("player", "a"), str(uuid4())
    held = pb.PlayRequest(resume=pb.Resume(positions=[pb.Position(table=gone, version=50)]))
    found = {update.table: update async for news in stream_answers(player, held) for update in news.updates}
    assert ("ahead_of_log", 0) == (found[gone].rejection.reason, found[gone].version)


async def test_an_act_for_a_turn_beyond_the_log_is_refused_as_that(arena: Arena, table: str) -> None:
    player = await arena.caller("player", "a")
    act = pb.ActRequest(table=table, expected_version=50, command_id=next(command_ids))
    act.command.CopyFrom(codec.player_command_message(PlaceBid(0, 250)))
    assert "ahead_of_log" == (await player.call("Act", act)).rejection.reason


@pytest.mark.parametrize("version", [-1, -5, -(2**62)])
async def test_a_version_below_nothing_is_refused(arena: Arena, table: str, version: int) -> None:
    player = await arena.caller("player", "a")
    watching = player.tables.Watch(
        pb.WatchRequest(table=table, after_version=version), metadata=player.metadata, timeout=10
    )
    await refused(arena, watching.read(), Status.INVALID_ARGUMENT, "count from 0")
    viewing = player.call("View", pb.ViewRequest(table=table, after_version=version))
    await refused(arena, viewing, Status.INVALID_ARGUMENT, "count from 0")
    before = pb.PlayRequest(resume=pb.Resume(positions=[pb.Position(table=table, version=version)]))
    await refused(arena, anext(stream_answers(player, before)), Status.INVALID_ARGUMENT, "count from 0")


async def test_shared_boards_are_shown_to_nobody_outside_until_all_have_ended(arena: Arena) -> None:
    director = await arena.caller("director")
    table = await director.open(boards="round 1", dealer=3)
    player, spectator = await arena.caller("player", "a"), await arena.caller("spectator")

    async def has_dealt() -> bool:
        return (await view(player, table))[0].version == 2

    await until(has_dealt)
    await refused(arena, view(spectator, table), Status.PERMISSION_DENIED, "still played")
    await refused(arena, view(director, table), Status.PERMISSION_DENIED, "still played")


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"role": "king"}, Status.INVALID_ARGUMENT),
        ({"role": "bots"}, Status.INVALID_ARGUMENT),
        ({"role": "player"}, Status.INVALID_ARGUMENT),
        ({"role": "player", "player": "x y"}, Status.INVALID_ARGUMENT),
        ({"role": "player", "player": "bot:club"}, Status.INVALID_ARGUMENT),
        ({"role": "player", "player": "a", "stream": "x"}, Status.INVALID_ARGUMENT),
        ({"role": "player", "player": "a", "seat": 4}, Status.INVALID_ARGUMENT),
    ],
)
async def test_a_token_that_makes_no_sense_is_refused(arena: Arena, fields: dict[str, Any], status: Status) -> None:
    operator = await arena.caller("operator")
    await refused(arena, operator.call("CreateToken", access_pb2.CreateTokenRequest(**fields)), status)


async def test_nobody_gives_more_rights_than_its_own(arena: Arena) -> None:
    for role, player in (("player", "a"), ("spectator", None), ("bots", None), ("service", None)):
        caller = await arena.caller(role, player)
        request = access_pb2.CreateTokenRequest(role="player", player="a")
        await refused(arena, caller.call("CreateToken", request), Status.PERMISSION_DENIED)
    director = await arena.caller("director")
    request = access_pb2.CreateTokenRequest(role="operator")
    await refused(arena, director.call("CreateToken", request), Status.PERMISSION_DENIED)
    await refused(arena, director.call("RevokeToken", access_pb2.RevokeTokenRequest(id="x")), Status.PERMISSION_DENIED)


async def test_a_directors_token_for_one_event_directs_no_other(arena: Arena, table: str) -> None:
    event = "00000000-0000-4000-8000-00000000000e"
    caller = await arena.caller("director", stream=event)
    own = await caller.open(tournament=event)
    assert (await caller.call("Void", pb.VoidRequest(table=own, reason="x"))).version
    await refused(arena, caller.open(), Status.PERMISSION_DENIED, "another")
    await refused(arena, caller.call("Void", pb.VoidRequest(table=table, reason="x")), Status.PERMISSION_DENIED)
    await refused(arena, caller.call("Close", pb.CloseRequest(table=table)), Status.PERMISSION_DENIED)
    nothing = pb.VoidRequest(table="00000000-0000-4000-8000-000000000000", reason="x")
    await refused(arena, caller.call("Void", nothing), Status.NOT_FOUND)
    player = {"role": "player", "player": "a"}
    for wide in (player, player | {"stream": table}):
        request = access_pb2.CreateTokenRequest(**wide)
        await refused(arena, caller.call("CreateToken", request), Status.PERMISSION_DENIED, "only")
    assert (await caller.call("CreateToken", access_pb2.CreateTokenRequest(**player, stream=event))).token


async def test_only_the_tournament_service_takes_the_id_of_a_matchs_table(arena: Arena) -> None:
    table = table_id("00000000-0000-4000-8000-00000000000e", "r1m1", 1)
    for limits in ({}, {"stream": table}):
        director = await arena.caller("director", **limits)
        await refused(arena, director.open(table=table), Status.PERMISSION_DENIED, "version 5")
    assert table == await (await arena.caller("service")).open(table=table)
