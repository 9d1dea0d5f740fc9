"""The game between the library's dataclasses and protobuf messages, both ways.

There are two encoders: `at_rest(act)` for the store, the exact bytes that the hash chain covers, and
`for_viewer(act, viewer)` for the world. Decoders raise BadInput for messages that say nothing sensible.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from google.protobuf.message import DecodeError
from pinochle import commands as c
from pinochle import events as e
from pinochle.cards import Hand
from pinochle.decider import Act
from pinochle.errors import BadInput
from pinochle.meld import Meld
from pinochle.redact import Viewer, is_public, redact
from pinochle.state import NONE
from pinochle.wire import newer
from pinochle.wire.figures import (
    SEATS,
    by_seat_from,
    card_from,
    deck_from,
    hand_from,
    hands_from,
    pair_from,
    seat_from,
    suit_from,
    team_from,
    wire_cards,
)
from pinochle.wire.knobs import rules_from, rules_message
from pinochle.wire.options_codec import meld_kind_from, options_bytes, options_from, options_message
from pinochle.wire.v1 import frames_pb2 as frames
from pinochle.wire.v1 import game_pb2 as pb
from pinochle.wire.v1 import table_pb2 as table_pb

__all__ = [
    "VIEWERS", "at_rest", "command_bytes", "command_from", "command_message", "encode", "event_bytes", "event_from",
    "event_message", "events_from", "for_viewer", "from_rest", "options_bytes", "options_from", "options_message",
    "player_command_from", "player_command_message",
]  # fmt: skip

VIEWERS: tuple[Viewer, ...] = (0, 1, 2, 3, None)


def at_rest(act: Act) -> bytes:
    """The body of an act as it is stored and hashed: an ActBody."""
    return _body(act, command_bytes(act.command), list(map(event_bytes, act.events)))


def encode(act: Act, command: bytes) -> tuple[bytes, bytes | tuple[bytes, ...]]:
    """The stored body, and the views: one for all viewers, or one for each seat with the spectator's last.

    The same bytes as `at_rest` and `for_viewer` make, with each public event put into bytes once; `command` is the
    act's command as bytes.
    """
    events = list(map(event_bytes, act.events))
    body = _body(act, command, events)
    secret = [at for at, event in enumerate(act.events) if not is_public(event)]
    if not secret:
        return body, _view(act, events)
    views = []
    for viewer in VIEWERS:
        for at in secret:
            events[at] = event_bytes(redact(act.events[at], viewer))
        views.append(_view(act, events))
    return body, tuple(views)


def _body(act: Act, command: bytes, events: list[bytes]) -> bytes:
    return pb.ActFrame(
        author=act.author, at_ms=act.at_ms, rules_version=act.rules_version, command=command, events=events,
        noticed_ms=act.noticed_ms, deadline_ms=act.deadline_ms, received_ms=act.received_ms,
    ).SerializeToString()  # fmt: skip


def _view(act: Act, events: list[bytes]) -> bytes:
    return frames.ActViewFrame(
        version=act.version, at_ms=act.at_ms, author=act.author, events=events
    ).SerializeToString()


def command_bytes(command: c.Command) -> bytes:
    """The command as a serialized Command message; the same bytes for the same command."""
    if isinstance(command, c.PlayCard):
        return _play_card_bytes(command.seat, command.card)
    return command_message(command).SerializeToString()


def from_rest(version: int, command_id: bytes, body: bytes) -> Act:
    """The act of a stored body; BadInput if the bytes are not one. Acts may share events and commands."""
    try:
        frame = pb.ActFrame.FromString(body)
        events = tuple([_known_event(x) if len(x) <= _SHORT else _event_from_bytes(x) for x in frame.events])
        short = len(frame.command) <= _SHORT
        command = _known_command(frame.command) if short else _command_from_bytes(frame.command)
    except DecodeError as error:
        raise BadInput(f"act {version}: the body is not an ActBody") from error
    return Act(
        version, frame.author, frame.at_ms, frame.rules_version, command_id, command, events, frame.noticed_ms,
        frame.deadline_ms, frame.received_ms,
    )  # fmt: skip


def _event_from_bytes(data: bytes) -> e.Event:
    return event_from(pb.Event.FromString(data))


def _command_from_bytes(data: bytes) -> c.Command:
    return command_from(pb.Command.FromString(data))


# Most of what a table records is a card played, a trick won or a pass: a few hundred different records of a few bytes
# each. They never change, so each is decoded once. This halves the time to build a state from its acts.
_SHORT = 12
_KNOWN_MAX = 4096
_known_event = lru_cache(_KNOWN_MAX)(_event_from_bytes)
_known_command = lru_cache(_KNOWN_MAX)(_command_from_bytes)


# The same for the way out: what happens most has few forms, and each is put into bytes once.
@lru_cache(_KNOWN_MAX)
def _play_card_bytes(seat: int, card: int) -> bytes:
    return command_message(c.PlayCard(seat, card)).SerializeToString()


def _known_bytes(kind: Callable[..., e.Event]) -> Callable[..., bytes]:
    return lru_cache(_KNOWN_MAX)(lambda *facts: event_message(kind(*facts)).SerializeToString())


_card_played_bytes, _trick_won_bytes = _known_bytes(e.CardPlayed), _known_bytes(e.TrickWon)
_bid_placed_bytes, _passed_bytes = _known_bytes(e.BidPlaced), _known_bytes(e.Passed)
_READY: dict[type, Callable[[Any], bytes]] = {
    e.CardPlayed: lambda x: _card_played_bytes(x.seat, x.card),
    e.TrickWon: lambda x: _trick_won_bytes(x.seat, x.points, x.last),
    e.BidPlaced: lambda x: _bid_placed_bytes(x.seat, x.amount),
    e.Passed: lambda x: _passed_bytes(x.seat, x.helps),
}


def for_viewer(act: Act, viewer: Viewer) -> bytes:
    """What the viewer may see of an act, as the bytes of an ActView."""
    events = [event_message(redact(x, viewer)) for x in act.events]
    view = table_pb.ActView(version=act.version, at_ms=act.at_ms, author=act.author, events=events)
    return view.SerializeToString()


def events_from(view: table_pb.ActView) -> tuple[e.Event, ...]:
    """The events of an ActView; BadInput for an event this reader does not know."""
    return tuple(map(event_from, view.events))


def event_bytes(event: e.Event) -> bytes:
    """The event as a serialized Event message."""
    ready = _READY.get(event.__class__)
    return ready(event) if ready else _EVENT_TO[event.__class__](event).SerializeToString()


def event_message(event: e.Event) -> pb.Event:
    """The event as a message."""
    return _EVENT_TO[event.__class__](event)


def event_from(message: pb.Event) -> e.Event:
    """The event of a message; NewerSchema where the kind is unknown to this version."""
    kind = message.WhichOneof("kind")
    if kind is None:
        raise newer.no_kind(message, "an event")
    return _EVENT_FROM[kind](getattr(message, kind))


def command_message(command: c.Command) -> pb.Command:
    """Any command as a message."""
    player = _PLAYER_TO.get(command.__class__)
    if player:
        return pb.Command(seat=command.seat, player=player(command))  # type: ignore[union-attr]
    return _HOUSE_TO[command.__class__](command)


def command_from(message: pb.Command) -> c.Command:
    """The command of a message; BadInput where it is none, NewerSchema where its kind is unknown to this version."""
    kind = message.WhichOneof("kind")
    if kind == "player":
        return player_command_from(message.player, seat_from(message.seat))
    if kind is None:
        raise newer.no_kind(message, "a command")
    return _HOUSE_FROM[kind](getattr(message, kind))


def player_command_message(command: c.PlayerCommand) -> pb.PlayerCommand:
    """A player's command, without its seat."""
    return _PLAYER_TO[command.__class__](command)


def player_command_from(message: pb.PlayerCommand, seat: int) -> c.PlayerCommand:
    """A player's command with its seat; BadInput where it is none, NewerSchema where its kind is unknown."""
    kind = message.WhichOneof("kind")
    if kind is None:
        raise newer.no_kind(message, "a player's command")
    return _PLAYER_FROM[kind](getattr(message, kind), seat)


def _some(value: int) -> int | None:
    return None if value == NONE else value


# -- player commands

_PLAYER_TO: dict[type, Callable[[Any], pb.PlayerCommand]] = {
    c.PlayCard: lambda x: pb.PlayerCommand(play_card=pb.PlayCard(card=x.card + 1)),
    c.PlaceBid: lambda x: pb.PlayerCommand(place_bid=pb.PlaceBid(amount=x.amount)),
    c.Pass: lambda x: pb.PlayerCommand(**{"pass": pb.Pass(helps=x.helps)}),  # type: ignore[arg-type]
    c.NameTrump: lambda x: pb.PlayerCommand(
        name_trump=pb.NameTrump(suit=x.suit + 1, declare_out=x.declare_out)
    ),
    c.PassCards: lambda x: pb.PlayerCommand(pass_cards=pb.PassCards(cards=wire_cards(x.cards))),
    c.Concede: lambda x: pb.PlayerCommand(concede=pb.Concede()),
    c.KeepDeal: lambda x: pb.PlayerCommand(keep_deal=pb.KeepDeal()),
    c.ThrowIn: lambda x: pb.PlayerCommand(throw_in=pb.ThrowIn()),
    c.ExchangeDix: lambda x: pb.PlayerCommand(exchange_dix=pb.ExchangeDix(card=x.card + 1)),
    c.LayMeld: lambda x: pb.PlayerCommand(lay_meld=pb.LayMeld(kind=x.kind, cards=wire_cards(x.cards))),
    c.Draw: lambda x: pb.PlayerCommand(draw=pb.Draw()),
}

_PLAYER_FROM: dict[str, Callable[[Any, int], c.PlayerCommand]] = {
    "play_card": lambda m, seat: c.PLAY_CARD[seat][card_from(m.card)],
    "place_bid": lambda m, seat: c.PlaceBid(seat, m.amount),
    "pass": lambda m, seat: c.Pass(seat, m.helps),
    "name_trump": lambda m, seat: c.NameTrump(seat, suit_from(m.suit), m.declare_out),
    "pass_cards": lambda m, seat: c.PassCards(seat, hand_from(m.cards)),
    "concede": lambda m, seat: c.Concede(seat),
    "keep_deal": lambda m, seat: c.KeepDeal(seat),
    "throw_in": lambda m, seat: c.ThrowIn(seat),
    "exchange_dix": lambda m, seat: c.ExchangeDix(seat, card_from(m.card)),
    "lay_meld": lambda m, seat: c.LayMeld(seat, meld_kind_from(m.kind), hand_from(m.cards)),
    "draw": lambda m, seat: c.Draw(seat),
}

# -- commands of the house

_HOUSE_TO: dict[type, Callable[[Any], pb.Command]] = {
    c.OpenTable: lambda x: pb.Command(
        open_table=pb.OpenTable(
            rules=rules_message(x.rules), players=x.players, dealer=x.dealer, seed=x.seed, nonce=x.nonce,
            turn_ms=x.turn_ms, grace_ms=x.grace_ms, deal_limit=x.deal_limit, boards=x.boards,
            tournament=x.tournament, match=x.match, beat_ms=x.beat_ms,
        )
    ),
    c.DealCards: lambda x: pb.Command(deal_cards=pb.DealCards(deck=[card + 1 for card in x.deck])),
    c.ExpireTurn: lambda x: pb.Command(expire_turn=pb.ExpireTurn(seat=x.seat, at_ms=x.at_ms)),
    c.ExtendTurn: lambda x: pb.Command(extend_turn=pb.ExtendTurn(until_ms=x.until_ms)),
    c.VoidTable: lambda x: pb.Command(void_table=pb.VoidTable(reason=x.reason)),
    c.CloseTable: lambda x: pb.Command(close_table=pb.CloseTable()),
}  # fmt: skip

_HOUSE_FROM: dict[str, Callable[[Any], c.Command]] = {
    "open_table": lambda m: c.OpenTable(
        rules_from(m.rules), tuple(m.players), m.dealer, m.seed, m.nonce, m.turn_ms, m.grace_ms, m.deal_limit,
        m.boards, m.tournament, m.match, m.beat_ms,
    ),
    "deal_cards": lambda m: c.DealCards(deck_from(m.deck)),
    "expire_turn": lambda m: c.ExpireTurn(seat_from(m.seat), m.at_ms),
    "extend_turn": lambda m: c.ExtendTurn(m.until_ms),
    "void_table": lambda m: c.VoidTable(m.reason),
    "close_table": lambda m: c.CloseTable(),
}  # fmt: skip

# -- events


@lru_cache(64)  # of one deal: its hands, and what stands for them where they are hidden
def _hand_message(hand: Hand) -> pb.Hand:
    return pb.Hand(cards=wire_cards(hand))


_EVENT_TO: dict[type, Callable[[Any], pb.Event]] = {
    e.CardPlayed: lambda x: pb.Event(card_played=pb.CardPlayed(seat=x.seat, card=x.card + 1)),
    e.TrickWon: lambda x: pb.Event(trick_won=pb.TrickWon(seat=x.seat, points=x.points, last=x.last)),
    e.BidPlaced: lambda x: pb.Event(bid_placed=pb.BidPlaced(seat=x.seat, amount=x.amount)),
    e.Passed: lambda x: pb.Event(passed=pb.Passed(seat=x.seat, helps=x.helps)),
    e.AuctionWon: lambda x: pb.Event(auction_won=pb.AuctionWon(seat=x.seat, bid=x.bid, forced=x.forced)),
    e.DealAbandoned: lambda x: pb.Event(deal_abandoned=pb.DealAbandoned(next_dealer=x.next_dealer)),
    e.TrumpNamed: lambda x: pb.Event(
        trump_named=pb.TrumpNamed(seat=x.seat, suit=x.suit + 1, declare_out=x.declare_out)
    ),
    e.CardsPassed: lambda x: pb.Event(
        cards_passed=pb.CardsPassed(giver=x.giver, receiver=x.receiver, cards=wire_cards(x.cards))
    ),
    e.MeldShown: lambda x: pb.Event(
        meld_shown=pb.MeldShown(
            seat=x.seat, points=x.points, melds=map(_meld_message, x.melds), shown=wire_cards(x.shown)
        )
    ),
    e.MeldsTotaled: lambda x: pb.Event(melds_totaled=pb.MeldsTotaled(meld=x.meld, may_concede=x.may_concede)),
    e.PlaySkipped: lambda x: pb.Event(play_skipped=pb.PlaySkipped(reason=x.reason)),
    e.Conceded: lambda x: pb.Event(conceded=pb.Conceded(seat=x.seat)),
    e.HandScored: lambda x: pb.Event(
        hand_scored=pb.HandScored(
            bidder=_some(x.bidder), bid=x.bid, meld=x.meld, counted_meld=x.counted_meld, trick_points=x.trick_points,
            tricks=x.tricks, outcome=x.outcome, delta=x.delta, totals=x.totals,
        )
    ),
    e.GameEnded: lambda x: pb.Event(game_ended=pb.GameEnded(winner=_some(x.winner), reason=x.reason)),
    e.HandDealt: lambda x: pb.Event(
        hand_dealt=pb.HandDealt(
            number=x.number, dealer=x.dealer, hands=map(_hand_message, x.hands),
            turn_up=x.turn_up + 1, stock=[card + 1 for card in x.stock],
        )
    ),
    e.TurnUpShown: lambda x: pb.Event(turn_up_shown=pb.TurnUpShown(card=x.card + 1, trump=x.trump + 1)),
    e.DealKept: lambda x: pb.Event(deal_kept=pb.DealKept(seat=x.seat)),
    e.DealThrownIn: lambda x: pb.Event(deal_thrown_in=pb.DealThrownIn(seat=x.seat)),
    e.TableOpened: lambda x: pb.Event(
        table_opened=pb.TableOpened(
            rules=rules_message(x.rules), players=x.players, dealer=x.dealer, commitment=x.commitment, seed=x.seed,
            nonce=x.nonce, turn_ms=x.turn_ms, grace_ms=x.grace_ms, deal_limit=x.deal_limit, boards=x.boards,
            tournament=x.tournament, match=x.match, beat_ms=x.beat_ms,
        )
    ),
    e.TurnExpired: lambda x: pb.Event(turn_expired=pb.TurnExpired(seat=x.seat)),
    e.TurnExtended: lambda x: pb.Event(turn_extended=pb.TurnExtended(until_ms=x.until_ms)),
    e.TableVoided: lambda x: pb.Event(table_voided=pb.TableVoided(reason=x.reason)),
    e.TableClosed: lambda x: pb.Event(table_closed=pb.TableClosed(seed=x.seed)),
    e.CardDrawn: lambda x: pb.Event(card_drawn=pb.CardDrawn(seat=x.seat, card=x.card + 1, face_up=x.face_up)),
    e.DixExchanged: lambda x: pb.Event(
        dix_exchanged=pb.DixExchanged(seat=x.seat, gives=x.gives + 1, takes=x.takes + 1)
    ),
    e.DixScored: lambda x: pb.Event(dix_scored=pb.DixScored(seat=x.seat, card=x.card + 1, points=x.points)),
    e.MeldLaid: lambda x: pb.Event(
        meld_laid=pb.MeldLaid(seat=x.seat, kind=x.kind, cards=wire_cards(x.cards), points=x.points)
    ),
    e.DealScored: lambda x: pb.Event(
        deal_scored=pb.DealScored(trick_points=x.trick_points, last_trick=x.last_trick, totals=x.totals)
    ),
}  # fmt: skip

_EVENT_FROM: dict[str, Callable[[Any], e.Event]] = {
    "card_played": lambda m: e.CardPlayed(seat_from(m.seat), card_from(m.card)),
    "trick_won": lambda m: e.TrickWon(seat_from(m.seat), m.points, m.last),
    "bid_placed": lambda m: e.BidPlaced(seat_from(m.seat), m.amount),
    "passed": lambda m: e.Passed(seat_from(m.seat), m.helps),
    "auction_won": lambda m: e.AuctionWon(seat_from(m.seat), m.bid, m.forced),
    "deal_abandoned": lambda m: e.DealAbandoned(seat_from(m.next_dealer)),
    "trump_named": lambda m: e.TrumpNamed(seat_from(m.seat), suit_from(m.suit), m.declare_out),
    "cards_passed": lambda m: e.CardsPassed(seat_from(m.giver), seat_from(m.receiver), hand_from(m.cards)),
    "meld_shown": lambda m: e.MeldShown(
        seat_from(m.seat), m.points, tuple(map(_meld_from, m.melds)), hand_from(m.shown)
    ),
    "melds_totaled": lambda m: e.MeldsTotaled(pair_from(m.meld), m.may_concede),
    "play_skipped": lambda m: e.PlaySkipped(m.reason),
    "conceded": lambda m: e.Conceded(seat_from(m.seat)),
    "hand_scored": lambda m: e.HandScored(
        team_from(m, "bidder"), m.bid, pair_from(m.meld), pair_from(m.counted_meld),
        pair_from(m.trick_points), pair_from(m.tricks), m.outcome, pair_from(m.delta), pair_from(m.totals),
    ),
    "game_ended": lambda m: e.GameEnded(team_from(m, "winner", SEATS), m.reason),
    "hand_dealt": lambda m: e.HandDealt(
        m.number, seat_from(m.dealer), hands_from(m.hands), card_from(m.turn_up) if m.turn_up else NONE,
        deck_from(m.stock),
    ),
    "turn_up_shown": lambda m: e.TurnUpShown(card_from(m.card), suit_from(m.trump)),
    "deal_kept": lambda m: e.DealKept(seat_from(m.seat)),
    "deal_thrown_in": lambda m: e.DealThrownIn(seat_from(m.seat)),
    "table_opened": lambda m: e.TableOpened(
        rules_from(m.rules), tuple(m.players), seat_from(m.dealer), m.commitment, m.seed, m.nonce, m.turn_ms,
        m.grace_ms, m.deal_limit, m.boards, m.tournament, m.match, m.beat_ms,
    ),
    "turn_expired": lambda m: e.TurnExpired(seat_from(m.seat)),
    "turn_extended": lambda m: e.TurnExtended(m.until_ms),
    "table_voided": lambda m: e.TableVoided(m.reason),
    "table_closed": lambda m: e.TableClosed(m.seed),
    "card_drawn": lambda m: e.CardDrawn(seat_from(m.seat), card_from(m.card), m.face_up),
    "dix_exchanged": lambda m: e.DixExchanged(seat_from(m.seat), card_from(m.gives), card_from(m.takes)),
    "dix_scored": lambda m: e.DixScored(seat_from(m.seat), card_from(m.card), m.points),
    "meld_laid": lambda m: e.MeldLaid(seat_from(m.seat), meld_kind_from(m.kind), hand_from(m.cards), m.points),
    "deal_scored": lambda m: e.DealScored(
        by_seat_from(m.trick_points), seat_from(m.last_trick), by_seat_from(m.totals)
    ),
}  # fmt: skip


def _meld_message(meld: Meld) -> pb.Meld:
    suit = 0 if meld.suit is None else meld.suit + 1
    return pb.Meld(name=meld.name, suit=suit, copies=meld.copies, points=meld.points)  # type: ignore[arg-type]


def _meld_from(m: pb.Meld) -> Meld:
    return Meld(m.name, None if m.suit == 0 else suit_from(m.suit), m.copies, m.points)
