"""The codec: what is encoded comes back, its bytes are canonical, and no message raises anything but BadInput."""

from typing import Any, get_args

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st
from pinochle import commands as c
from pinochle import events as e
from pinochle import options as o
from pinochle.auction import BID_MAX
from pinochle.cards import HEARTS, HIDDEN, SPADES, hidden, parse_card, parse_hand
from pinochle.decider import Act
from pinochle.errors import BadInput
from pinochle.meld import Meld
from pinochle.redact import is_public, redact
from pinochle.rules import RULES_VERSION, load, profiles
from pinochle.state import NONE
from pinochle.stock import StockMeld
from pinochle.wire import codec
from pinochle.wire.v1 import frames_pb2 as frames
from pinochle.wire.v1 import game_pb2 as pb
from pinochle.wire.v1 import table_pb2 as table_pb

CLASSIC = load("classic")
LADDER = load("double-deck-club", bid_ladder=[[60, 5], [100, 10]])
CUSTOM = load("danish", trick_schedule={"A": 5, "T": 4, "K": 3, "Q": 2, "J": 1, "9": 0})
SEED, NONCE = bytes(range(32)), b"nonce"
PLAYERS = ("ann", "bot:club", "cid", "d" * 64)
HAND = parse_hand("AS AS TH 9C")
TWO = load("two-handed")
PINOCHLE, NINES = parse_hand("QSa JDb"), parse_hand("9Ha 9Hb")
SIXTEEN = bytes(range(16))

COMMANDS: list[c.Command] = [
    c.PlayCard(3, parse_card("9C")),
    c.PlayCard(0, parse_card("AS")),
    c.PlaceBid(1, 250),
    c.PlaceBid(1, BID_MAX),
    c.Pass(2),
    c.Pass(2, helps=True),
    c.NameTrump(0, SPADES),
    c.NameTrump(3, HEARTS, declare_out=True),
    c.PassCards(2, HAND),
    c.Concede(1),
    c.KeepDeal(0),
    c.ThrowIn(3),
    c.PlayCard(1, parse_card("QSb")),
    c.ExchangeDix(2, parse_card("9Ha")),
    c.LayMeld(1, "pinochle", PINOCHLE),
    c.LayMeld(0, "dix", parse_hand("9Cb")),
    c.Draw(2),
    c.OpenTable(TWO, PLAYERS[:2], 1, SEED),
    c.DealCards(TWO.cards),
    c.OpenTable(CLASSIC, PLAYERS, 2, SEED),
    c.OpenTable(LADDER, PLAYERS, 0, SEED, NONCE, 30_000, 2_000, 12, "boards", "event", "match"),
    c.OpenTable(CUSTOM, PLAYERS, 0, SEED),
    c.DealCards(CLASSIC.cards),
    c.ExpireTurn(3, 1_900_000_000_000),
    c.ExtendTurn(1_900_000_000_000),
    c.VoidTable("the lights went out"),
    c.CloseTable(),
]

EVENTS: list[e.Event] = [
    e.CardPlayed(3, parse_card("9C")),
    e.TrickWon(1, 40, last=True),
    e.TrickWon(0, 0, last=False),
    e.BidPlaced(2, BID_MAX),
    e.Passed(0, helps=True),
    e.AuctionWon(3, 250, forced=True),
    e.DealAbandoned(0),
    e.TrumpNamed(2, HEARTS, declare_out=True),
    e.CardsPassed(2, 0, HAND),
    e.CardsPassed(2, 0, hidden(4)),
    e.MeldShown(1, 0, (), 0),
    e.MeldShown(1, 60, (Meld("marriage", HEARTS, 1, 20), Meld("pinochle", None, 1, 40)), HAND),
    e.MeldsTotaled((320, 0), may_concede=True),
    e.PlaySkipped("no_marriage"),
    e.Conceded(3),
    e.HandScored(1, 300, (0, 20), (0, 20), (100, 150), (5, 7), "made", (-300, 170), (-2_000, 170)),
    e.HandScored(NONE, 0, (0, 20), (0, 20), (100, 150), (5, 7), "no_bid", (100, 170), (100, 170)),
    e.HandScored(0, BID_MAX, (0, 0), (0, 0), (0, 0), (0, 0), "set", (-BID_MAX, 0), (-9 * BID_MAX, 9 * BID_MAX)),
    e.GameEnded(1, "score"),
    e.GameEnded(NONE, "draw"),
    e.HandDealt(1, 3, (HAND, hidden(12), hidden(12), hidden(12)), NONE),
    e.HandDealt(2, 3, (HAND, HAND, HAND, HAND), HIDDEN),
    e.HandDealt(10_000, 3, (HAND, HAND, HAND, HAND), parse_card("AS")),
    e.TurnUpShown(parse_card("9C"), 3),
    e.DealKept(1),
    e.DealThrownIn(2),
    e.HandDealt(3, 1, (PINOCHLE, hidden(12)), HIDDEN, (HIDDEN,) * 23),
    e.HandDealt(3, 1, (PINOCHLE, PINOCHLE, hidden(1)), parse_card("9Ca"), (parse_card("ASb"), parse_card("ASa"))),
    e.CardPlayed(1, parse_card("9Cb")),
    e.CardDrawn(1, parse_card("ASa"), face_up=False),
    e.CardDrawn(1, HIDDEN, face_up=False),
    e.CardDrawn(0, parse_card("9Ca"), face_up=True),
    e.DixExchanged(0, parse_card("9Ca"), parse_card("ACb")),
    e.DixScored(0, parse_card("9Ca"), 10),
    e.MeldLaid(1, "pinochle", PINOCHLE, 40),
    e.DealScored((120, 130), 1, (1_010, 990)),
    e.DealScored((0, 250, 0), 2, (0, BID_MAX, 7)),
    e.GameEnded(2, "score"),
    e.TableOpened(LADDER, PLAYERS, 0, SEED, SEED, NONCE, 30_000, 2_000, 12, "boards", "event", "match"),
    e.TableOpened(CLASSIC, PLAYERS, 3, SEED, b"", b"", 0, 0, 0, "", "", ""),
    e.TurnExpired(1),
    e.TurnExtended(1_900_000_000_000),
    e.TableVoided("the lights went out"),
    e.TableClosed(SEED),
]

OPTIONS: list[o.Options] = [
    o.PlayOptions(1, parse_hand("AS TH"), may_concede=True),
    o.CallOptions(2, 260, 270, 10, ((250, 10),), pass_help=True),
    o.CallOptions(2, 65, None, 5, ((50, 1), (60, 5)), pass_help=False),
    o.TrumpOptions(0, (0, 3), may_declare_out=True),
    o.TrumpOptions(0, (0, 1, 2, 3), may_declare_out=False),
    o.ExchangeOptions(3, HAND, 4),
    o.MisdealOptions(1, may_throw_in=True),
    o.PlayOptions(1, parse_hand("ASa ASb 9Cb"), may_concede=False),
    o.DrawOptions(1, 0, ()),
    o.DrawOptions(0, NINES, (StockMeld("dix", parse_hand("9Ha"), 10), StockMeld("pinochle", PINOCHLE, 40))),
]


def act(command: c.Command = COMMANDS[0], *events: e.Event) -> Act:
    return Act(7, "seat:3", 1_900_000_000_000, RULES_VERSION, SIXTEEN, command, events)


# Round trips


@pytest.mark.parametrize(("samples", "kinds"), [(COMMANDS, c.Command), (EVENTS, e.Event), (OPTIONS, o.Options)])
def test_the_samples_below_hold_every_kind_there_is(samples: list[Any], kinds: Any) -> None:
    assert set(get_args(kinds)) == {sample.__class__ for sample in samples}


@pytest.mark.parametrize("command", COMMANDS, ids=repr)
def test_a_command_comes_back(command: c.Command) -> None:
    message = codec.command_message(command)
    assert command == codec.command_from(pb.Command.FromString(message.SerializeToString()))


@pytest.mark.parametrize("command", [x for x in COMMANDS if isinstance(x, c.PLAYER_COMMANDS)], ids=repr)
def test_a_players_command_comes_back_with_the_seat_that_the_reader_gives(command: c.PlayerCommand) -> None:
    assert command == codec.player_command_from(codec.player_command_message(command), command.seat)


@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_an_event_comes_back(event: e.Event) -> None:
    assert event == codec.event_from(pb.Event.FromString(codec.event_bytes(event)))


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_options_come_back(options: o.Options) -> None:
    message = table_pb.Options.FromString(codec.options_message(options).SerializeToString())
    assert options == codec.options_from(message, options.seat)


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_options_are_the_same_bytes_with_and_without_a_message(options: o.Options) -> None:
    assert codec.options_message(options).SerializeToString() == codec.options_bytes(options)


def test_empty_options_are_none() -> None:
    assert None is codec.options_from(table_pb.Options(), 0)


@pytest.mark.parametrize("profile", profiles())
def test_the_rules_of_every_profile_come_back_from_the_first_event(profile: str) -> None:
    rules = load(profile)
    opened = e.TableOpened(rules, PLAYERS, 0, SEED, SEED, b"", 0, 0, 0, "", "", "")
    assert rules == codec.event_from(pb.Event.FromString(codec.event_bytes(opened))).rules  # type: ignore[union-attr]


# The bytes of an act


@pytest.mark.parametrize("command", COMMANDS, ids=repr)
def test_an_act_at_rest_comes_back_and_gives_the_same_bytes_again(command: c.Command) -> None:
    stored = act(command, *EVENTS)
    body = codec.at_rest(stored)
    assert stored == codec.from_rest(7, SIXTEEN, body)
    assert body == codec.at_rest(codec.from_rest(7, SIXTEEN, body))


@pytest.mark.parametrize("command", COMMANDS, ids=repr)
@pytest.mark.parametrize("times", [(0, 0, 0), (1, 0, 128), (1_900_000_000_000, 1_900_000_060_000, 1_900_000_000_007)])
def test_an_act_at_rest_is_the_canonical_encoding_of_its_message(
    command: c.Command, times: tuple[int, int, int]
) -> None:
    """So a program in any language that writes fields in order makes the same bytes."""
    stored = act(command, *EVENTS)
    stored.noticed_ms, stored.deadline_ms, stored.received_ms = times
    message = pb.ActBody(
        author=stored.author,
        at_ms=stored.at_ms,
        rules_version=stored.rules_version,
        command=codec.command_message(command),
        events=map(codec.event_message, EVENTS),
        noticed_ms=stored.noticed_ms,
        deadline_ms=stored.deadline_ms,
        received_ms=stored.received_ms,
    )
    assert message.SerializeToString(deterministic=True) == codec.at_rest(stored)


def test_the_body_of_a_played_card_has_not_changed() -> None:
    """Stored bytes are hashed, so a change here breaks every log that exists."""
    body = codec.at_rest(Act(1, "seat:1", 1_000, 1, SIXTEEN, c.PlayCard(1, 0), (e.CardPlayed(1, 0),)))
    expected = "0a06736561743a3110e8071801220808011204" + "0a020801" + "2a060a0408011001"
    assert expected == body.hex()


@pytest.mark.parametrize("viewer", [None, 0, 1, 2, 3])
def test_a_viewer_gets_the_redacted_events_and_nothing_else(viewer: int | None) -> None:
    view = table_pb.ActView.FromString(codec.for_viewer(act(COMMANDS[0], *EVENTS), viewer))
    assert (7, 1_900_000_000_000, "seat:3") == (view.version, view.at_ms, view.author)
    assert tuple(redact(event, viewer) for event in EVENTS) == codec.events_from(view)


@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_an_act_is_public_exactly_if_all_viewers_get_the_same_event(event: e.Event) -> None:
    hides = (e.HandDealt, e.CardsPassed, e.CardDrawn, e.TableOpened)
    assert (not isinstance(event, hides)) == is_public(event)
    if is_public(event):
        assert 1 == len({codec.for_viewer(act(COMMANDS[0], event), viewer) for viewer in codec.VIEWERS})


@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_one_pass_makes_the_stored_body_and_every_view(event: e.Event) -> None:
    made = act(COMMANDS[0], EVENTS[0], event, EVENTS[-1])
    body, views = codec.encode(made, codec.command_bytes(made.command))
    assert codec.at_rest(made) == body
    expected = tuple(codec.for_viewer(made, viewer) for viewer in codec.VIEWERS)
    assert expected == (views if isinstance(views, tuple) else (views,) * len(codec.VIEWERS))


# Malformed messages

SEATED = (
    "card_played", "trick_won", "bid_placed", "passed", "auction_won", "meld_shown", "conceded", "turn_expired",
    "deal_kept", "deal_thrown_in", "card_drawn", "dix_exchanged", "dix_scored", "meld_laid",
)  # fmt: skip


@pytest.mark.parametrize("kind", SEATED)
def test_an_event_of_a_seat_that_does_not_exist_is_bad_input(kind: str) -> None:
    message = pb.Event()
    getattr(message, kind).seat = 4
    if kind == "card_played":
        message.card_played.card = 1
    with pytest.raises(BadInput, match="seat 4 does not exist"):
        codec.event_from(message)


@pytest.mark.parametrize(
    "message",
    [
        pb.Event(),
        pb.Event.FromString(b"\xfa\x3f\x00"),  # field 1023
        pb.Event(card_played=pb.CardPlayed(seat=1)),
        pb.Event(card_played=pb.CardPlayed(seat=1, card=26)),
        pb.Event(card_played=pb.CardPlayed(seat=1, card=-1)),
        pb.Event(turn_up_shown=pb.TurnUpShown(card=1)),
        pb.Event(turn_up_shown=pb.TurnUpShown(card=1, trump=5)),
        pb.Event(trump_named=pb.TrumpNamed(seat=0)),
        pb.Event(deal_abandoned=pb.DealAbandoned(next_dealer=4)),
        pb.Event(cards_passed=pb.CardsPassed(giver=0, receiver=9)),
        pb.Event(cards_passed=pb.CardsPassed(giver=9, receiver=0)),
        pb.Event(cards_passed=pb.CardsPassed(cards=[1] * 5)),
        pb.Event(cards_passed=pb.CardsPassed(cards=[25] * 81)),
        pb.Event(cards_passed=pb.CardsPassed(cards=[0])),
        pb.Event(melds_totaled=pb.MeldsTotaled(meld=[1])),
        pb.Event(melds_totaled=pb.MeldsTotaled(meld=[1, 2, 3])),
        pb.Event(hand_scored=pb.HandScored()),
        pb.Event(game_ended=pb.GameEnded(winner=4)),
        pb.Event(hand_dealt=pb.HandDealt(hands=[pb.Hand()])),
        pb.Event(hand_dealt=pb.HandDealt(hands=[pb.Hand()] * 5)),
        pb.Event(hand_dealt=pb.HandDealt(hands=[pb.Hand()] * 4, turn_up=26)),
        pb.Event(hand_dealt=pb.HandDealt(hands=[pb.Hand()] * 4, dealer=4)),
        pb.Event(hand_dealt=pb.HandDealt(hands=[pb.Hand(cards=[33, 33]), pb.Hand()])),  # a physical card twice
        pb.Event(hand_dealt=pb.HandDealt(hands=[pb.Hand(cards=[81]), pb.Hand()])),
        pb.Event(hand_dealt=pb.HandDealt(hands=[pb.Hand()] * 2, stock=[0])),
        pb.Event(hand_dealt=pb.HandDealt(hands=[pb.Hand()] * 2, stock=[25] * 81)),
        pb.Event(card_played=pb.CardPlayed(seat=1, card=32)),
        pb.Event(card_played=pb.CardPlayed(seat=1, card=81)),
        pb.Event(card_drawn=pb.CardDrawn(seat=1)),
        pb.Event(dix_exchanged=pb.DixExchanged(seat=1, gives=33)),
        pb.Event(dix_exchanged=pb.DixExchanged(seat=1, takes=33)),
        pb.Event(dix_scored=pb.DixScored(seat=1, points=10)),
        pb.Event(meld_laid=pb.MeldLaid(seat=1, kind="roundhouse", cards=[33])),
        pb.Event(meld_laid=pb.MeldLaid(seat=1, cards=[33])),
        pb.Event(deal_scored=pb.DealScored(trick_points=[1], totals=[1, 2])),
        pb.Event(deal_scored=pb.DealScored(trick_points=[1, 2], totals=[1, 2, 3, 4])),
        pb.Event(deal_scored=pb.DealScored(trick_points=[1, 2], totals=[1, 2], last_trick=4)),
        pb.Event(table_opened=pb.TableOpened()),
        pb.Event(table_opened=pb.TableOpened(rules=pb.RuleSet(knobs=[pb.Knob(name="format", value="{")]))),
    ],
    ids=str,
)
def test_an_event_that_says_nothing_sensible_is_bad_input(message: pb.Event) -> None:
    with pytest.raises(BadInput):
        codec.event_from(message)


@pytest.mark.parametrize(
    "message",
    [
        pb.Command(),
        pb.Command(seat=1, player=pb.PlayerCommand()),
        pb.Command(seat=4, player=pb.PlayerCommand(concede=pb.Concede())),
        pb.Command(seat=1, player=pb.PlayerCommand(play_card=pb.PlayCard())),
        pb.Command(seat=1, player=pb.PlayerCommand(play_card=pb.PlayCard(card=26))),
        pb.Command(seat=1, player=pb.PlayerCommand(name_trump=pb.NameTrump())),
        pb.Command(seat=1, player=pb.PlayerCommand(name_trump=pb.NameTrump(suit=5))),
        pb.Command(seat=1, player=pb.PlayerCommand(pass_cards=pb.PassCards(cards=[1, 1, 1, 1, 1]))),
        pb.Command(seat=1, player=pb.PlayerCommand(exchange_dix=pb.ExchangeDix())),
        pb.Command(seat=1, player=pb.PlayerCommand(exchange_dix=pb.ExchangeDix(card=32))),
        pb.Command(seat=1, player=pb.PlayerCommand(lay_meld=pb.LayMeld(cards=[33]))),
        pb.Command(seat=1, player=pb.PlayerCommand(lay_meld=pb.LayMeld(kind="marriage", cards=[33, 33]))),
        pb.Command(seat=1, player=pb.PlayerCommand(lay_meld=pb.LayMeld(kind="marriage", cards=[81]))),
        pb.Command(seat=4, player=pb.PlayerCommand(draw=pb.Draw())),
        pb.Command(seat=1, player=pb.PlayerCommand(pass_cards=pb.PassCards(cards=[1, 33]))),  # of both games
        pb.Command(deal_cards=pb.DealCards(deck=[0])),
        pb.Command(deal_cards=pb.DealCards(deck=[1] * 81)),
        pb.Command(open_table=pb.OpenTable()),
        pb.Command.FromString(b"\xfa\x3f\x00"),
    ],
    ids=str,
)
def test_a_command_that_says_nothing_sensible_is_bad_input(message: pb.Command) -> None:
    with pytest.raises(BadInput):
        codec.command_from(message)


@pytest.mark.parametrize(
    "message",
    [
        table_pb.Options(call=table_pb.CallOptions(ladder=[250])),
        table_pb.Options(call=table_pb.CallOptions()),
        table_pb.Options(call=table_pb.CallOptions(ladder=[250, 0])),
        table_pb.Options(play=table_pb.PlayOptions(cards=[0])),
        table_pb.Options(trump=table_pb.TrumpOptions(suits=[9])),
        table_pb.Options(draw=table_pb.DrawOptions(nines=[0])),
        table_pb.Options(draw=table_pb.DrawOptions(melds=[table_pb.LegalMeld(kind="roundhouse")])),
        table_pb.Options(draw=table_pb.DrawOptions(melds=[table_pb.LegalMeld(kind="dix", cards=[26])])),
    ],
    ids=str,
)
def test_options_that_say_nothing_sensible_are_bad_input(message: table_pb.Options) -> None:
    with pytest.raises(BadInput):
        codec.options_from(message, 0)


def test_an_act_with_an_event_of_a_later_version_is_bad_input() -> None:
    body = codec.at_rest(act(COMMANDS[0], e.CardPlayed(3, 0))) + b"\x2a\x03\xfa\x3f\x00"
    with pytest.raises(BadInput, match="a kind that this version does not know"):
        codec.from_rest(7, SIXTEEN, body)


# Anything at all

WHOLE = {
    FieldDescriptor.CPPTYPE_INT32: st.one_of(st.integers(-3, 30), st.integers(-(2**31), 2**31 - 1)),
    FieldDescriptor.CPPTYPE_UINT32: st.one_of(st.integers(0, 5), st.integers(0, 2**32 - 1)),
    FieldDescriptor.CPPTYPE_INT64: st.one_of(st.integers(-3, 30), st.integers(-(2**63), 2**63 - 1)),
    FieldDescriptor.CPPTYPE_ENUM: st.one_of(st.integers(1, 25), st.integers(33, 80), st.integers(-(2**31), 2**31 - 1)),
    FieldDescriptor.CPPTYPE_BOOL: st.booleans(),
}
VALUES = ("null", "1", "[[60,5]]", '"auction"', '{"A":1}', "{", "1e999", "9" * 5000, '"\\ud800"')
WORDS = st.one_of(st.sampled_from([*CLASSIC.knobs(), *VALUES]), st.text(max_size=9))


def messages(descriptor: Descriptor, kind: type[Message]) -> st.SearchStrategy[Message]:
    """Messages of a kind with any values in any of their fields."""

    @st.composite
    def build(draw: st.DrawFn) -> Message:
        message = kind()
        fill(draw, message, descriptor, 4)
        return message

    return build()


def fill(draw: st.DrawFn, message: Any, descriptor: Descriptor, depth: int) -> None:
    for field in draw(st.lists(st.sampled_from(list(descriptor.fields)), max_size=12)) if descriptor.fields else []:
        number = draw(st.integers(0, 6)) if field.is_repeated else 1
        if field.message_type is not None:
            for _ in range(number if depth else 0):
                part = getattr(message, field.name)
                if field.is_repeated:
                    part = part.add()
                else:
                    part.SetInParent()
                fill(draw, part, field.message_type, depth - 1)
            continue
        if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
            values = st.binary(max_size=40) if field.type == FieldDescriptor.TYPE_BYTES else WORDS
        else:
            values = WHOLE[field.cpp_type]
        drawn = [draw(values) for _ in range(number)]
        if field.is_repeated:
            getattr(message, field.name).extend(drawn)
        else:
            setattr(message, field.name, drawn[0])


@settings(max_examples=150, deadline=None)
@given(messages(pb.Event.DESCRIPTOR, pb.Event))
def test_any_event_message_is_bad_input_or_an_event_that_can_be_sent_on(message: pb.Event) -> None:
    try:
        event = codec.event_from(message)
    except BadInput:
        return
    assert event == codec.event_from(codec.event_message(event))
    for viewer in (None, 0, 3):
        codec.for_viewer(act(COMMANDS[0], event), viewer)


@settings(max_examples=150, deadline=None)
@given(messages(pb.Command.DESCRIPTOR, pb.Command))
def test_any_command_message_is_bad_input_or_a_command_that_can_be_stored(message: pb.Command) -> None:
    try:
        command = codec.command_from(message)
    except BadInput:
        return
    assert command == codec.command_from(codec.command_message(command))


@settings(max_examples=150, deadline=None)
@given(messages(table_pb.Options.DESCRIPTOR, table_pb.Options))
def test_any_options_message_is_bad_input_or_options_that_answer(message: table_pb.Options) -> None:
    try:
        options = codec.options_from(message, 1)
    except BadInput:
        return
    if options is not None:
        assert options == codec.options_from(codec.options_message(options), 1)
        assert {True, False} >= {command in options for command in COMMANDS}


@settings(max_examples=150, deadline=None)
@given(messages(pb.ActBody.DESCRIPTOR, pb.ActBody))
def test_any_stored_message_is_bad_input_or_an_act(message: pb.ActBody) -> None:
    try:
        found = codec.from_rest(1, SIXTEEN, message.SerializeToString())
    except BadInput:
        return
    assert found == codec.from_rest(1, SIXTEEN, codec.at_rest(found))


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_bad_input_or_an_act(body: bytes) -> None:
    try:
        codec.from_rest(1, SIXTEEN, body)
    except BadInput:
        return


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_body_is_bad_input_or_an_act(data: st.DataObject) -> None:
    body = bytearray(codec.at_rest(act(data.draw(st.sampled_from(COMMANDS)), *EVENTS[:20])))
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    try:
        codec.from_rest(1, SIXTEEN, bytes(body[: data.draw(st.integers(0, len(body)))]))
    except BadInput:
        return


# Reading a body without decoding what is known


@pytest.mark.parametrize(
    ("whole", "frame"),
    [
        (pb.ActBody, pb.ActFrame),
        (table_pb.ActView, frames.ActViewFrame),
        (table_pb.TableUpdate, frames.TableUpdateFrame),
        (table_pb.PlayResponse, frames.PlayResponseFrame),
    ],
)
def test_a_frame_has_the_fields_of_what_it_stands_for(whole: type[Message], frame: type[Message]) -> None:
    def field(of: FieldDescriptor) -> tuple[str, int, bool, bool]:
        """Its name, its type on the wire, whether it is repeated, and whether its presence counts."""
        inner = of.message_type is not None
        return of.name, FieldDescriptor.TYPE_BYTES if inner else of.type, of.is_repeated, of.has_presence and not inner

    def fields(message: type[Message]) -> dict[int, tuple[str, int, bool, bool]]:
        return {of.number: field(of) for of in message.DESCRIPTOR.fields}

    assert fields(whole) == fields(frame)


@pytest.mark.parametrize("field", ["command", "events"])
@pytest.mark.parametrize("length", [3, 40])
def test_a_body_with_a_part_that_cannot_be_decoded_is_bad_input(field: str, length: int) -> None:
    body = pb.ActFrame.FromString(codec.at_rest(act(c.KeepDeal(1), e.DealKept(1))))
    broken = b"\xff" * length
    if field == "command":
        body.command = broken
    else:
        body.events.append(broken)
    with pytest.raises(BadInput, match=r"^act 7: the body is not an ActBody$"):
        codec.from_rest(7, SIXTEEN, body.SerializeToString())


def test_acts_share_the_small_events_and_commands_they_have_in_common() -> None:
    body = codec.at_rest(act(c.PlayCard(2, 5), e.CardPlayed(2, 5)))
    one, other = codec.from_rest(1, SIXTEEN, body), codec.from_rest(2, SIXTEEN, body)
    assert one.events[0] is other.events[0]
    assert one.command is other.command
