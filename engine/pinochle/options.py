"""What the seat on turn may do: options that answer `in`, can be sampled, and are all that `decide` accepts."""

from __future__ import annotations

from typing import Protocol

from pinochle import auction, stock_game, tricks
from pinochle.cards import CARDS_END, COPIES, Card, Hand, cards_in, hand_of, holds, nth_kind, once_of_kinds, size
from pinochle.commands import (
    PLAY_CARD,
    Concede,
    Draw,
    ExchangeDix,
    KeepDeal,
    LayMeld,
    NameTrump,
    Pass,
    PassCards,
    PlaceBid,
    PlayCard,
    PlayerCommand,
    ThrowIn,
)
from pinochle.decider import record
from pinochle.meld import legal_trumps, may_throw_in
from pinochle.state import AUCTION, DRAW, EXCHANGE, MISDEAL, PLAY, RETURN, TRUMP, State
from pinochle.stock import StockMeld


class Chooser(Protocol):
    """What `sample` needs of a source of chance; `random.Random` is one."""

    def randrange(self, stop: int, /) -> int: ...
    def sample(self, population: list[Card], k: int, /) -> list[Card]: ...


@record
class PlayOptions:
    """Any of these cards, each kind once, or concession."""

    seat: int
    cards: Hand
    may_concede: bool

    def __contains__(self, command: object) -> bool:
        if command.__class__ is PlayCard:
            card = command.card
            return 0 <= card < CARDS_END and self.cards & COPIES[card] != 0
        return command.__class__ is Concede and self.may_concede

    def sample(self, chance: Chooser) -> PlayerCommand:
        """A legal command: mostly a card; concession, where open, once in eight times."""
        if self.may_concede and chance.randrange(8) == 0:
            return Concede(self.seat)
        number = self.cards.bit_count()
        return PLAY_CARD[self.seat][nth_kind(self.cards, chance.randrange(number) if number > 1 else 0)]


@record
class CallOptions:
    """A pass, a pass with help where `pass_help`, or a bid on the ladder from `lowest` to `highest` (None: no limit).

    No bid is above auction.BID_MAX, so at the very top only a pass is left.
    """

    seat: int
    lowest: int
    highest: int | None
    step: int
    ladder: auction.Ladder
    pass_help: bool

    def __contains__(self, command: object) -> bool:
        if command.__class__ is PlaceBid:
            amount = command.amount
            return self.lowest <= amount <= self.top and auction.is_on(self.ladder, amount)
        return command.__class__ is Pass and (self.pass_help or not command.helps)

    def sample(self, chance: Chooser) -> PlayerCommand:
        """A legal call: a pass in two of three times, else a bid up to three steps above the lowest."""
        if chance.randrange(3) or self.lowest > self.top:
            return Pass(self.seat, helps=self.pass_help and chance.randrange(2) == 0)
        amount = self.lowest
        for _ in range(chance.randrange(4)):
            above = auction.next_above(self.ladder, amount)
            if above <= self.top:
                amount = above
        return PlaceBid(self.seat, amount)

    @property
    def top(self) -> int:
        """No bid above this is legal; it need not be on the ladder."""
        return auction.BID_MAX if self.highest is None else min(self.highest, auction.BID_MAX)


@record
class TrumpOptions:
    """Any of these suits, declaring out or not where `may_declare_out`."""

    seat: int
    suits: tuple[int, ...]
    may_declare_out: bool

    def __contains__(self, command: object) -> bool:
        return (
            command.__class__ is NameTrump
            and command.suit in self.suits
            and (self.may_declare_out or not command.declare_out)
        )

    def sample(self, chance: Chooser) -> PlayerCommand:
        """A legal suit; declaring out, where possible, half the time."""
        out = self.may_declare_out and chance.randrange(2) == 0
        return NameTrump(self.seat, self.suits[chance.randrange(len(self.suits))], out)


@record
class ExchangeOptions:
    """Exactly `number` of these cards, copies counted."""

    seat: int
    cards: Hand
    number: int

    def __contains__(self, command: object) -> bool:
        if command.__class__ is not PassCards:
            return False
        given = command.cards
        return given > 0 and size(given) == self.number and holds(self.cards, given)

    def sample(self, chance: Chooser) -> PlayerCommand:
        """Some legal cards."""
        return PassCards(self.seat, hand_of(chance.sample(cards_in(self.cards), self.number)))


@record
class MisdealOptions:
    """Keeping the deal, or throwing it in where the hand qualifies (R-DEAL-05)."""

    seat: int
    may_throw_in: bool

    def __contains__(self, command: object) -> bool:
        return command.__class__ is KeepDeal or (command.__class__ is ThrowIn and self.may_throw_in)

    def sample(self, chance: Chooser) -> PlayerCommand:
        """Keep, or half the time throw in where that is open."""
        return ThrowIn(self.seat) if self.may_throw_in and chance.randrange(2) else KeepDeal(self.seat)


@record
class DrawOptions:
    """After a won trick of the stock game: swap one of these nines, lay one of these melds, or draw (R-TWO-07)."""

    seat: int
    nines: Hand
    melds: tuple[StockMeld, ...]

    def __contains__(self, command: object) -> bool:
        if command.__class__ is ExchangeDix:
            return 0 <= command.card < CARDS_END and self.nines & COPIES[command.card] != 0
        if command.__class__ is LayMeld:
            return any(meld.kind == command.kind and meld.cards == command.cards for meld in self.melds)
        return command.__class__ is Draw

    def sample(self, chance: Chooser) -> PlayerCommand:
        """Mostly an exchange or a meld where there is one, else the draw."""
        if self.nines and chance.randrange(4):
            return ExchangeDix(self.seat, nth_kind(self.nines, chance.randrange(self.nines.bit_count())))
        if self.melds and chance.randrange(4):
            meld = self.melds[chance.randrange(len(self.melds))]
            return LayMeld(self.seat, meld.kind, meld.cards)
        return Draw(self.seat)


Options = PlayOptions | CallOptions | TrumpOptions | ExchangeOptions | MisdealOptions | DrawOptions


def legal(state: State) -> Options | None:
    """What the seat on turn may do, or None where no seat is; needs that seat's hand in the state."""
    options = state.options
    if options is None and state.turn >= 0:
        options = state.options = _LEGAL[state.phase](state)
    return options  # type: ignore[return-value]


def _legal_play(s: State) -> PlayOptions:
    if s.stock is not None:
        return PlayOptions(s.turn, stock_game.legal_plays(s), may_concede=False)  # where nothing is held twice
    seat = s.turn
    cards = tricks.legal_cards(s.rules, s.hands[seat], s.trick, s.trump)
    return PlayOptions(seat, once_of_kinds(cards), s.may_concede)


def _legal_call(s: State) -> CallOptions:
    rungs = auction.ladder(s.rules)
    standing = s.bid or None
    lowest = auction.next_above(rungs, standing)
    step = auction.next_above(rungs, lowest) - lowest
    return CallOptions(
        s.turn, lowest, auction.highest(s.rules, standing), step, rungs, s.rules.pass_with_help
    )


def _legal_trump(s: State) -> TrumpOptions:
    return TrumpOptions(s.turn, legal_trumps(s.rules, s.hands[s.turn]), _asks_declaring_out(s))


def _asks_declaring_out(s: State) -> bool:
    return s.rules.win_rule == "declared_out" and s.rules.game_length != "deals"


def _legal_exchange(s: State) -> ExchangeOptions:
    return ExchangeOptions(s.turn, s.hands[s.turn], s.rules.exchange)


def _legal_misdeal(s: State) -> MisdealOptions:
    return MisdealOptions(s.turn, may_throw_in(s.hands[s.turn]))


def _legal_draw(s: State) -> DrawOptions:
    return DrawOptions(s.turn, stock_game.legal_nines(s), stock_game.legal_melds(s))


_LEGAL = {
    PLAY: _legal_play,
    AUCTION: _legal_call,
    TRUMP: _legal_trump,
    EXCHANGE: _legal_exchange,
    RETURN: _legal_exchange,
    MISDEAL: _legal_misdeal,
    DRAW: _legal_draw,
}
