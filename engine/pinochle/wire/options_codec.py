"""What the due seat may do, between the library's options and protobuf messages, both ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pinochle import options as o
from pinochle.cards import once
from pinochle.errors import BadInput
from pinochle.stock import MELD_KINDS, StockMeld
from pinochle.wire.figures import hand_from, ladder_from, suit_from, wire_cards
from pinochle.wire.framing import delimited
from pinochle.wire.v1 import table_pb2 as table_pb


def options_message(options: o.Options) -> table_pb.Options:
    """What the due seat may do, as a message."""
    return _OPTIONS_TO[options.__class__](options)


def options_bytes(options: o.Options) -> bytes:
    """What the due seat may do, as a serialized message; the choice of a card, asked for most, without a message."""
    if isinstance(options, o.PlayOptions):
        cards = bytes(wire_cards(options.cards))  # all below 128
        return delimited(1, delimited(1, cards) + (_MAY_CONCEDE if options.may_concede else b""))
    return options_message(options).SerializeToString()


def options_from(message: table_pb.Options, seat: int) -> o.Options | None:
    """The options of a message, or None where it is empty."""
    kind = message.WhichOneof("kind")
    return None if kind is None else _OPTIONS_FROM[kind](getattr(message, kind), seat)


def meld_kind_from(kind: str) -> str:
    """A kind of meld of the stock game; BadInput where it is none."""
    if kind not in MELD_KINDS:
        raise BadInput(f"not a kind of meld: {kind!r:.40} (one of {', '.join(MELD_KINDS)})")
    return kind


_MAY_CONCEDE = table_pb.PlayOptions(may_concede=True).SerializeToString()
_OPTIONS_TO: dict[type, Callable[[Any], table_pb.Options]] = {
    o.PlayOptions: lambda x: table_pb.Options(
        play=table_pb.PlayOptions(cards=wire_cards(x.cards), may_concede=x.may_concede)
    ),
    o.CallOptions: lambda x: table_pb.Options(
        call=table_pb.CallOptions(
            lowest=x.lowest, highest=x.highest, step=x.step, pass_help=x.pass_help,
            ladder=[number for part in x.ladder for number in part],
        )
    ),
    o.TrumpOptions: lambda x: table_pb.Options(
        trump=table_pb.TrumpOptions(suits=[suit + 1 for suit in x.suits], may_declare_out=x.may_declare_out)
    ),
    o.ExchangeOptions: lambda x: table_pb.Options(
        exchange=table_pb.ExchangeOptions(number=x.number, hand=wire_cards(x.cards))
    ),
    o.MisdealOptions: lambda x: table_pb.Options(misdeal=table_pb.MisdealOptions(may_throw_in=x.may_throw_in)),
    o.DrawOptions: lambda x: table_pb.Options(
        draw=table_pb.DrawOptions(
            nines=wire_cards(x.nines),
            melds=[table_pb.LegalMeld(kind=m.kind, cards=wire_cards(m.cards), points=m.points) for m in x.melds],
        )
    ),
}  # fmt: skip

_OPTIONS_FROM: dict[str, Callable[[Any, int], o.Options]] = {
    "play": lambda m, seat: o.PlayOptions(seat, once(hand_from(m.cards)), m.may_concede),
    "call": lambda m, seat: o.CallOptions(
        seat, m.lowest, m.highest if m.HasField("highest") else None, m.step, ladder_from(m.ladder), m.pass_help
    ),
    "trump": lambda m, seat: o.TrumpOptions(seat, tuple(map(suit_from, m.suits)), m.may_declare_out),
    "exchange": lambda m, seat: o.ExchangeOptions(seat, hand_from(m.hand), m.number),
    "misdeal": lambda m, seat: o.MisdealOptions(seat, m.may_throw_in),
    "draw": lambda m, seat: o.DrawOptions(
        seat,
        hand_from(m.nines),
        tuple(StockMeld(meld_kind_from(meld.kind), hand_from(meld.cards), meld.points) for meld in m.melds),
    ),
}  # fmt: skip
