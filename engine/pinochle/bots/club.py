"""The bot `club`: bids what its hand is worth, melds with its partner, and plays like a steady club player.

Every choice follows from the view alone, without chance. What a hand is worth is in `valuation`, how it gives and takes
cards in `exchange`, how it plays them in `card_play`; the stock game is in `stock_melding` and `stock_cards`.
"""

from __future__ import annotations

from typing import NamedTuple

from pinochle import auction
from pinochle.bots import stock_cards, stock_melding
from pinochle.bots.card_play import best_card
from pinochle.bots.exchange import cards_for_declarer, cards_for_partner
from pinochle.bots.valuation import (
    Field,
    Prospect,
    after_melding,
    at_least,
    best_prospect,
    concession_margin,
    field,
    margin,
)  # fmt: skip
from pinochle.cards import COPY_MASK, SUIT_BITS
from pinochle.commands import Concede, KeepDeal, NameTrump, Pass, PassCards, PlaceBid, PlayCard, PlayerCommand, ThrowIn
from pinochle.meld import best_meld, legal_trumps
from pinochle.options import (
    CallOptions,
    Chooser,
    DrawOptions,
    ExchangeOptions,
    MisdealOptions,
    Options,
    PlayOptions,
    TrumpOptions,
)
from pinochle.state import EXCHANGE, NONE, State


class Nerve(NamedTuple):
    """How far a bidder goes."""

    gain: float = -0.1
    """A bid over another must promise that much more than a pass, as a share of all trick points."""
    opening: float = -0.25
    """The same for the first bid."""
    jump: float = 1.65
    """Jumps to what it makes unless the hand falls short by that many deviations."""
    ceiling: float = 1.0
    """Never bids more than the hand promises by that many deviations, however cheap failing is."""
    defence: float = 0.15
    """Of what the own hand promises more than another, the part that a declaring partner gains or opponent loses."""
    help_aces: int = 3
    help_meld: int = 60
    """Helps with that many aces, or that much meld in no suit, on the ten-point scale."""


class Club:
    """A player whose nerve can be set; `Club()` is the roster's."""

    def __init__(self, nerve: Nerve = Nerve()) -> None:  # noqa: B008 (a tuple never changes)
        self.nerve = nerve

    def choose(self, view: State, options: Options, chance: Chooser) -> PlayerCommand:
        """The command for the seat on turn; `chance` is not used."""
        if view.stock is not None:
            return stock_choice(view, options)
        if isinstance(options, PlayOptions):
            if options.may_concede and is_hopeless(view):
                return Concede(options.seat)
            return PlayCard(options.seat, best_card(view, options.cards))
        if isinstance(options, CallOptions):
            return self.call(view, options)
        if isinstance(options, TrumpOptions):
            best = best_prospect(view.rules, view.hands[options.seat], options.suits)
            # Declaring out costs nothing where it fails, and wins nothing where it is left out (R-END-04).
            return NameTrump(options.seat, best.suit, options.may_declare_out)
        if isinstance(options, ExchangeOptions):
            choose = cards_for_declarer if view.phase == EXCHANGE else cards_for_partner
            return PassCards(options.seat, choose(view.rules, options.cards, view.trump, options.number))
        assert isinstance(options, MisdealOptions)
        # A hand without an ace or a marriage is worth less than the average of a new one.
        return ThrowIn(options.seat) if options.may_throw_in else KeepDeal(options.seat)

    def call(self, view: State, options: CallOptions) -> PlayerCommand:
        """A bid as long as the contract is likely enough to be made, a jump to what is safe; else a pass."""
        rules, seat, nerve = view.rules, options.seat, self.nerve
        suits = legal_trumps(rules, view.hands[seat])
        if not suits or options.lowest > options.top:
            return self.passing(view, options)
        best = best_prospect(rules, view.hands[seat], suits)
        if options.lowest > best.total + nerve.ceiling * best.deviation:
            return self.passing(view, options)
        others = field(rules)
        bidding = margin(rules, options.lowest, best, others.defence)
        gain = nerve.opening if view.bidder == NONE else nerve.gain
        if bidding <= _margin_of_pass(view, options, best, others, nerve) + gain * rules.trick_total:
            return self.passing(view, options)
        return PlaceBid(seat, _jump(options, best, nerve.jump))

    def passing(self, view: State, options: CallOptions) -> PlayerCommand:
        """A pass, with help where the hand has meld in no suit or aces for a partner (R-AUC-06)."""
        seat = options.seat
        if not options.pass_help:
            return Pass(seat)
        hand = view.hands[seat]
        aces = sum(hand >> SUIT_BITS * suit & COPY_MASK for suit in range(4))
        _, second, third = best_meld(view.rules, hand, None).by_class
        helps = aces >= self.nerve.help_aces or (second + third) * 10 >= self.nerve.help_meld * view.rules.scale
        return Pass(seat, helps)


def stock_choice(view: State, options: Options) -> PlayerCommand:
    """The command at a table of the stock game."""
    if isinstance(options, PlayOptions):
        return PlayCard(options.seat, stock_cards.best_card(view, options.cards))
    assert isinstance(options, DrawOptions)
    return stock_melding.after_trick(view, options)


def is_hopeless(view: State) -> bool:
    """Whether the declarer expects a better score from conceding than from playing (R-SCO-06, R-CLB-11)."""
    rules, seat, team = view.rules, view.declarer, view.declarer & 1
    meld, defence = view.meld[team], view.meld[1 - team]
    now = after_melding(rules, view.hands[seat], view.trump, meld)
    return concession_margin(rules, view.bid, meld, defence) > margin(rules, view.bid, now, defence)


def _margin_of_pass(view: State, options: CallOptions, own: Prospect, others: Field, nerve: Nerve) -> float:
    """What a pass promises the own team: the standing bid's contract, or whoever bids or is forced after it."""
    rules, seat = view.rules, options.seat
    strength = nerve.defence * (own.total - others.prospect.total)

    def contract(declarer: int, bid: int, theirs: Prospect) -> float:
        ours = declarer & 1 == seat & 1
        value = margin(rules, bid, theirs.moved(strength if ours else -strength, others.meld_part), others.defence)
        return value if ours else -value

    if view.bidder != NONE:
        opened = rules.dealer_opens and view.bidder == view.dealer and view.bid == rules.min_bid  # R-CLB-03
        return contract(view.bidder, view.bid, others.prospect if opened else others.with_at_least(view.bid))
    lowest = rules.min_bid
    bids = at_least(lowest, others.prospect.total, others.spread)
    bidder = others.with_at_least(lowest)
    expected, reached = 0.0, 1.0
    for step in range(1, view.dealer - seat & 3):
        expected += reached * bids * contract(seat + step & 3, lowest, bidder)
        reached *= 1.0 - bids
    if rules.dealer_rule != "redeal":
        if view.dealer == seat:
            return margin(rules, lowest, own, others.defence)  # the dealer is declarer either way
        return expected + reached * contract(view.dealer, lowest, others.prospect)
    return expected if view.dealer == seat else expected + reached * bids * contract(view.dealer, lowest, bidder)


def _jump(options: CallOptions, own: Prospect, deviations: float) -> int:
    """The highest legal bid that is still safe; where none is, the lowest one, or a stride where steps are tiny."""
    safe = max(own.total - deviations * own.deviation, options.lowest + STRIDE * own.deviation)
    bid = auction.up_to(options.ladder, int(min(safe, options.top)))
    return options.lowest if bid is None else max(bid, options.lowest)


STRIDE = 0.125
"""Of the deviation of a hand's worth: what a bid may be above the lowest one for the sake of a short auction."""
