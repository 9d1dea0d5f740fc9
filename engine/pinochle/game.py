"""A table of either game: what a command leads to, what is legal, and who is due.

`legal(state)` is the one source of legality: `decide` accepts a player's command exactly if `legal` offers it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pinochle import scoring, shuffle, stock_game, tricks
from pinochle.cards import CARDS_END, COPIES, RANK_OF, SUITS, Card, Hand, cards_in, hand_of, kinds, of_suit, size
from pinochle.commands import (
    CloseTable,
    Command,
    Concede,
    DealCards,
    Draw,
    ExchangeDix,
    ExpireTurn,
    ExtendTurn,
    KeepDeal,
    LayMeld,
    NameTrump,
    OpenTable,
    Pass,
    PassCards,
    PlaceBid,
    PlayCard,
    PlayerCommand,
    ThrowIn,
    VoidTable,
)
from pinochle.conclusions import abandoned, all_meld, auction_won, scored, turn_up_shown
from pinochle.decider import HOUSE, NOBODY, Decider, Due
from pinochle.errors import BadInput, Reason, Rejected
from pinochle.events import (
    CARD_PLAYED,
    BidPlaced,
    CardsPassed,
    Conceded,
    DealKept,
    DealThrownIn,
    Event,
    HandDealt,
    Passed,
    TableClosed,
    TableOpened,
    TableVoided,
    TrickWon,
    TrumpNamed,
    TurnExpired,
    TurnExtended,
)
from pinochle.options import (
    CallOptions,
    DrawOptions,
    ExchangeOptions,
    MisdealOptions,
    PlayOptions,
    TrumpOptions,
    legal,
)
from pinochle.players import check_player
from pinochle.state import DEAL, EXCHANGE, NEW, NONE, OVER, PHASES, State, advance, evolve, fold, initial

TURN_MS_MAX = 7 * 24 * 3600 * 1000
"""A turn lasts a week at most."""
BEAT_MS_MIN, BEAT_MS_MAX = 100, 5_000
"""A beat is long enough to hide something, and shorter than anybody waits for an answer before asking again."""
DEAL_LIMIT_MAX = 10_000
LABEL_LENGTH_MAX = 200
NOTE_LENGTH_MAX = 500


def due(state: State) -> Due:
    """Who must act next, and by when: the seat on turn; the house to deal or close; nobody once all is said.

    A table that shares its boards waits, over but not closed, until it is told that they have all ended.
    """
    if state.turn >= 0:
        return Due(state.turn, state.deadline_ms or None)
    if state.phase == DEAL or (state.phase == OVER and not state.table.boards):
        return Due(HOUSE, None)
    return Due(NOBODY, None)


def decide(state: State, command: Command) -> tuple[Event, ...]:
    """The events that a command leads to; Rejected where the state does not allow it."""
    kind = command.__class__
    # Options are those that the player was shown, where they were asked for.
    if kind is PlayCard:  # what happens most, without a further call
        options = state.options or legal(state)
        seat, card = command.seat, command.card  # type: ignore[union-attr]
        may_play = isinstance(options, PlayOptions) and 0 <= card < CARDS_END and options.cards & COPIES[card]
        if may_play and seat == state.turn:
            return _play(state, command)  # type: ignore[arg-type]
        raise Rejected(*_refusal(state, command))
    player = _PLAYER.get(kind)
    if player:
        if command.seat == state.turn >= 0 and command in (state.options or legal(state)):  # type: ignore
            return player(state, command)
        raise Rejected(*_refusal(state, command))
    house = _HOUSE.get(kind)
    if house is None:
        raise BadInput(f"not a command: {command!r}")
    if state.phase == NEW and kind is not OpenTable:
        raise Rejected(Reason.NOT_OPEN)
    return house(state, command)


_REFUSALS = {
    PlayCard: (PlayOptions, Reason.ILLEGAL_CARD),
    Concede: (PlayOptions, Reason.ILLEGAL_CONCESSION),
    PlaceBid: (CallOptions, Reason.ILLEGAL_BID),
    Pass: (CallOptions, Reason.ILLEGAL_CALL),
    NameTrump: (TrumpOptions, Reason.ILLEGAL_TRUMP),
    PassCards: (ExchangeOptions, Reason.ILLEGAL_CARDS),
    ExchangeDix: (DrawOptions, Reason.ILLEGAL_CARD),
    LayMeld: (DrawOptions, Reason.ILLEGAL_MELD),
    Draw: (DrawOptions, Reason.WRONG_PHASE),
    KeepDeal: (MisdealOptions, Reason.ILLEGAL_MISDEAL),
    ThrowIn: (MisdealOptions, Reason.ILLEGAL_MISDEAL),
}


def _refusal(s: State, command: Any) -> tuple[Reason, str]:
    if s.phase == NEW:
        return Reason.NOT_OPEN, ""
    if s.phase >= OVER:
        return Reason.OVER, ""
    if command.seat != s.turn or s.turn < 0:
        return Reason.NOT_YOUR_TURN, f"seat {s.turn} is due" if s.turn >= 0 else "the house is due"
    options = legal(s)
    expected, reason = _REFUSALS[command.__class__]
    if options.__class__ is not expected:
        return Reason.WRONG_PHASE, f"the table is at: {PHASES[s.phase]}"
    if isinstance(options, CallOptions) and reason is Reason.ILLEGAL_BID:
        limited = options.highest is not None or command.amount > options.top
        top = f", the highest {options.top}" if limited else ""
        return reason, f"the lowest bid is {options.lowest}{top}, in steps of {options.step}"
    if isinstance(options, ExchangeOptions):
        return reason, f"exactly {options.number} cards of the own hand"
    if isinstance(options, TrumpOptions):
        return reason, "one of " + " ".join(SUITS[suit] for suit in options.suits)
    return reason, ""


def _play(s: State, command: PlayCard) -> tuple[Event, ...]:
    if s.stock is not None:
        return stock_game.play(s, command)
    played = CARD_PLAYED[command.seat][command.card]
    if len(s.trick) < 3:
        return (played,)
    trick = (*s.trick, command.card)
    seat = (s.leader + tricks.winner(trick, s.trump)) & 3
    last = s.tricks[0] + s.tricks[1] + 1 == s.rules.hand_size
    points = scoring.trick_points(s.rules, trick, last)
    won = TrickWon(seat, points, last)
    if not last:
        return (played, won)
    ours, count = list(s.trick_points), list(s.tricks)
    ours[seat & 1] += points
    count[seat & 1] += 1
    return (played, won, *scored(s, (ours[0], ours[1]), (count[0], count[1])))


def _bid(s: State, command: PlaceBid) -> tuple[Event, ...]:
    placed = BidPlaced(command.seat, command.amount)
    if s.passed.bit_count() == 3:
        return (placed, *auction_won(s, command.seat, command.amount, forced=False))
    return (placed,)


def _pass(s: State, command: Pass) -> tuple[Event, ...]:
    rules, seat = s.rules, command.seat
    called = Passed(seat, command.helps)
    passed = s.passed | 1 << seat
    gone = passed.bit_count()
    if gone == 4:
        if rules.dealer_rule == "redeal":
            return (called, *abandoned(s, (s.dealer + 1) & 3))
        return (called, *auction_won(s, s.dealer, rules.min_bid, forced=True))  # R-AUC-09
    if gone == 3 and s.bidder != NONE:
        forced = rules.dealer_opens and s.bidder == s.dealer and s.bid == rules.min_bid  # R-CLB-03
        return (called, *auction_won(s, s.bidder, s.bid, forced=forced))
    if gone == 3 and rules.dealer_rule == "forced":
        return (called, *auction_won(s, s.dealer, rules.min_bid, forced=True))  # R-AUC-08
    return (called,)


def _name_trump(s: State, command: NameTrump) -> tuple[Event, ...]:
    named = TrumpNamed(command.seat, command.suit, command.declare_out)
    if s.rules.exchange:
        return (named,)
    return (named, *all_meld(s, s.hands, command.suit, command.seat, command.declare_out))


def _pass_cards(s: State, command: PassCards) -> tuple[Event, ...]:
    giver = command.seat
    receiver = (giver + 2) & 3
    passed = CardsPassed(giver, receiver, command.cards)
    if s.phase == EXCHANGE:
        return (passed,)
    hands = list(s.hands)
    hands[giver] -= command.cards
    hands[receiver] += command.cards
    return (passed, *all_meld(s, tuple(hands), s.trump, s.declarer, s.declared_out))


def _concede(s: State, command: Concede) -> tuple[Event, ...]:
    return (Conceded(command.seat), *scored(s, (0, 0), (0, 0), conceded=True))


def _keep(s: State, command: KeepDeal) -> tuple[Event, ...]:
    kept = DealKept(command.seat)
    if command.seat == s.dealer and not s.rules.has_auction:
        return (kept, *turn_up_shown(s, s.hands, s.dealer, s.turn_up))
    return (kept,)


def _throw_in(s: State, command: ThrowIn) -> tuple[Event, ...]:
    return (DealThrownIn(command.seat), *abandoned(s, s.dealer))


_PLAYER: dict[type, Callable[[State, Any], tuple[Event, ...]]] = {
    PlayCard: _play,
    PlaceBid: _bid,
    Pass: _pass,
    NameTrump: _name_trump,
    PassCards: _pass_cards,
    Concede: _concede,
    KeepDeal: _keep,
    ThrowIn: _throw_in,
    ExchangeDix: stock_game.exchange,
    LayMeld: stock_game.lay,
    Draw: stock_game.draw,
}


def _open(s: State, c: OpenTable) -> tuple[Event, ...]:
    commitment = shuffle.commitment(c.seed)
    opened = TableOpened(
        c.rules, c.players, c.dealer, commitment, c.seed, c.nonce, c.turn_ms, c.grace_ms, c.deal_limit, c.boards,
        c.tournament, c.match, c.beat_ms,
    )  # fmt: skip
    if s.phase != NEW:
        if s.table == opened:
            return ()
        raise Rejected(Reason.ALREADY_OPEN)
    check_range("the number of players", len(c.players), c.rules.players, c.rules.players)
    for player in c.players:
        check_player(player)
    check_range("dealer", c.dealer, 0, c.rules.players - 1)
    check_range("the nonce's length", len(c.nonce), 0, shuffle.NONCE_BYTES_MAX)
    check_range("turn_ms", c.turn_ms, 0, TURN_MS_MAX)
    check_range("grace_ms", c.grace_ms, 0, TURN_MS_MAX)
    check_range("deal_limit", c.deal_limit, 0, DEAL_LIMIT_MAX)
    check_beat(c.beat_ms)
    for name in ("boards", "tournament", "match"):
        label = getattr(c, name)
        check_range(f"the length of {name}", len(label), 0, LABEL_LENGTH_MAX)
        if not label.isprintable():
            raise BadInput(f"{name} must be printable")
    return (opened,)


def check_beat(beat_ms: int) -> None:
    """BadInput for a beat out of range; 0 is none."""
    if beat_ms:
        check_range("beat_ms", beat_ms, BEAT_MS_MIN, BEAT_MS_MAX)


def check_range(name: str, value: int, low: int, high: int) -> None:
    """BadInput where the value is not from low to high."""
    if not low <= value <= high:
        allowed = f"{low} to {high}" if low < high else str(low)
        raise BadInput(f"{name} must be {allowed}, not {value}")


def _deal(s: State, c: DealCards) -> tuple[Event, ...]:
    if s.phase != DEAL:
        raise Rejected(Reason.OVER if s.phase >= OVER else Reason.WRONG_PHASE)
    rules = s.rules
    if tuple(sorted(c.deck)) != rules.cards:
        raise Rejected(Reason.ILLEGAL_DECK, f"not the {len(rules.cards)} cards of the {rules.deck} deck")
    if rules.is_stock:
        return stock_game.deal(s, c.deck)
    hands, last = deal_hands(rules, s.dealer, c.deck)
    if rules.has_auction:
        return (HandDealt(s.deal + 1, s.dealer, hands, NONE),)
    dealt = HandDealt(s.deal + 1, s.dealer, hands, last)
    return (dealt,) if rules.misdeal_option else (dealt, *turn_up_shown(s, hands, s.dealer, last))


def deal_hands(rules: Any, dealer: int, deck: tuple[Card, ...]) -> tuple[tuple[Hand, ...], Card]:
    """The hands by seat and the dealer's last card (R-DEAL-01, R-DEAL-02)."""
    hands, held, at = [0, 0, 0, 0], 0, 0
    while held < rules.hand_size:
        packet = min(rules.packet, rules.hand_size - held)
        for step in (1, 2, 3, 4):
            hands[(dealer + step) & 3] += hand_of(deck[at : at + packet])
            at += packet
        held += packet
    return tuple(hands), deck[at - 1]


def _expire(s: State, c: ExpireTurn) -> tuple[Event, ...]:
    if s.phase >= OVER:
        raise Rejected(Reason.OVER)
    if c.seat != s.turn or s.turn < 0:
        raise Rejected(Reason.NOT_YOUR_TURN, "another seat is due")
    if not s.deadline_ms or c.at_ms < s.deadline_ms + s.table.grace_ms:
        raise Rejected(Reason.TOO_EARLY)
    command = default_command(s)
    return (TurnExpired(c.seat), *_PLAYER[command.__class__](s, command))


def default_command(s: State) -> PlayerCommand:
    """What the house plays for a seat: keep, pass, longest suit, lowest cards, the lowest legal card, a draw."""
    options, seat = legal(s), s.turn
    if isinstance(options, PlayOptions):
        return PlayCard(seat, max(kinds(options.cards), key=_lowness))
    if isinstance(options, CallOptions):
        return Pass(seat)
    if isinstance(options, TrumpOptions):
        hand = s.hands[seat]
        return NameTrump(seat, max(options.suits, key=lambda suit: (size(of_suit(hand, suit)), -suit)))
    if isinstance(options, ExchangeOptions):
        lowest = sorted(cards_in(options.cards), key=_lowness, reverse=True)[: options.number]
        return PassCards(seat, hand_of(lowest))
    return Draw(seat) if isinstance(options, DrawOptions) else KeepDeal(seat)


def _lowness(card: Card) -> tuple[int, int]:
    return (RANK_OF[card], card)


def _extend(s: State, c: ExtendTurn) -> tuple[Event, ...]:
    if s.turn < 0:
        raise Rejected(Reason.OVER if s.phase >= OVER else Reason.WRONG_PHASE)
    if not s.table.turn_ms:
        raise Rejected(Reason.WRONG_PHASE, "turns have no time limit at this table")
    check_range("until_ms", c.until_ms, 1, s.now_ms + TURN_MS_MAX)
    return () if c.until_ms <= s.deadline_ms else (TurnExtended(c.until_ms),)


def check_reason(reason: str) -> None:
    """BadInput for a director's reason that is empty or too long."""
    check_range("the length of a reason", len(reason), 1, NOTE_LENGTH_MAX)


def _void(s: State, c: VoidTable) -> tuple[Event, ...]:
    check_reason(c.reason)
    return () if s.phase >= OVER else (TableVoided(c.reason),)


def _close(s: State, c: CloseTable) -> tuple[Event, ...]:
    if s.phase < OVER:
        raise Rejected(Reason.WRONG_PHASE, "the game has not ended")
    return (TableClosed(s.table.seed),) if s.phase == OVER else ()


_HOUSE: dict[type, Callable[[State, Any], tuple[Event, ...]]] = {
    OpenTable: _open,
    DealCards: _deal,
    ExpireTurn: _expire,
    ExtendTurn: _extend,
    VoidTable: _void,
    CloseTable: _close,
}

GAME = Decider(initial, decide, evolve, due, fold, advance)
