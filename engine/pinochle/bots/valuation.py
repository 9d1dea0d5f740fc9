"""What a hand is worth to a declarer: expected meld of both partners and share of the trick points, for each trump.

The estimate is linear in a few features of the dealt hand (`features`), with one table of weights for each kind of
game: single or double deck, with or without an exchange; exchanges of two or three cards lie between. Meld is reckoned
on the ten-point scale, trick points as a share of all of them, so one table serves every schedule and both scales.

The weights were measured: tests/bench/bidding_figures.py deals at random, lets the dealer declare unbidden whatever the
hand, has all four seats played by `club`, and fits meld gained over the own hand's, and share of the trick points, by
least squares. FITTED says how many deals. A bid is then weighed by what scoring says of both outcomes (`margin`).
"""

from __future__ import annotations

from functools import cache, lru_cache
from math import erfc, exp, hypot, pi, sqrt
from typing import NamedTuple

from pinochle.cards import (
    ACE,
    COPY_BITS,
    COPY_MASK,
    DIAMONDS,
    JACK,
    KING,
    QUEEN,
    SPADES,
    SUIT_BITS,
    SUIT_MASK,
    TEN,
    Hand,
    Suit,
)
from pinochle.meld import best_meld
from pinochle.rules import RuleSet
from pinochle.scoring import score_hand

FEATURES = (
    "one", "trumps", "trump_aces", "trump_tens", "side_aces", "side_tens", "short_suits",
    "has_run", "run_but_1", "run_but_2", "aces_but_1", "pinochle_half", "side_marriages",
)  # fmt: skip


SUITS_REMEMBERED_MAX = 16_384


class Prospect(NamedTuple):
    """What a suit as trump promises the declaring team, in the units of the game."""

    suit: Suit
    meld: float
    meld_deviation: float
    tricks: float
    tricks_deviation: float

    @property
    def total(self) -> float:
        """Expected meld and trick points together."""
        return self.meld + self.tricks

    @property
    def deviation(self) -> float:
        """Of the total, meld and trick points taken as independent."""
        return hypot(self.meld_deviation, self.tricks_deviation)

    def moved(self, difference: float, meld_part: float) -> Prospect:
        """The same with a total higher by `difference`, `meld_part` of it in meld."""
        return self._replace(
            meld=self.meld + difference * meld_part, tricks=self.tricks + difference * (1.0 - meld_part)
        )


def at_least(value: float, mean: float, deviation: float) -> float:
    """The chance that a normal quantity reaches a value."""
    if deviation <= 0:
        return 1.0 if mean >= value else 0.0
    return 0.5 * erfc((value - mean) / (deviation * 1.4142135623730951))


def margin(rules: RuleSet, bid: int, declarer: Prospect, defence: float) -> float:
    """What the declaring team expects to score with this contract, less what the defenders do.

    `defence` is the defenders' expected meld. The score is taken at a few quantiles of the total, and apart from them
    for a meld below the club minimum, so whatever the knobs say about penalties and conditions is counted.
    """
    deviation = declarer.deviation
    meld_step = declarer.meld_deviation**2 / deviation if deviation else 0.0
    tricks_step = declarer.tricks_deviation**2 / deviation if deviation else 0.0
    shown = round(defence)
    played = 0
    for quantile in QUANTILES:
        meld = declarer.meld + quantile * meld_step
        played += _score(rules, bid, round(max(meld, 0.0)), shown, declarer.tricks + quantile * tricks_step)
    expected = played / len(QUANTILES)
    if not rules.meld_minimum:
        return expected
    on_board = at_least(rules.meld_minimum - 0.5, declarer.meld, declarer.meld_deviation)
    skipped = "short_meld" if rules.short_meld == "set_unplayed" else None
    short = _score(rules, bid, rules.meld_minimum - 1, shown, declarer.tricks, no_play=skipped)
    return on_board * expected + (1.0 - on_board) * short


def concession_margin(rules: RuleSet, bid: int, meld: int, defence: int) -> float:
    """The same for a hand given up."""
    return _score(rules, bid, meld, defence, 0.0, conceded=True)


def _score(
    rules: RuleSet, bid: int, meld: int, defence: int, tricks: float, conceded: bool = False, no_play: str | None = None
) -> int:
    """The declaring team's score less the defenders'; the number of tricks goes with their points."""
    total, number = rules.trick_total, rules.hand_size
    points = min(max(round(tricks), 0), total)
    won = number * points // total if total else number // 2
    delta = score_hand(
        rules, bidder=0, bid=bid, meld=(meld, defence), trick_points=(points, total - points),
        tricks=(won, number - won), conceded=conceded, no_play=no_play,
    ).delta  # fmt: skip
    return delta[0] - delta[1]


def best_prospect(rules: RuleSet, hand: Hand, suits: tuple[Suit, ...]) -> Prospect:
    """The suit among `suits`, not empty, with the highest expected total; of equal ones the first."""
    prospects = [prospect(rules, hand, suit) for suit in suits]
    return max(prospects, key=lambda one: one.total)


def prospect(rules: RuleSet, hand: Hand, suit: Suit) -> Prospect:
    """What the hand promises with this trump, before any exchange."""
    own = best_meld(rules, hand, suit).points
    held = features(hand, suit)
    weights = _weights(rules.deck, rules.exchange)
    unit = rules.scale / 10
    more = sum([a * b for a, b in zip(weights.gain, held, strict=True)])
    part = sum([a * b for a, b in zip(weights.share, held, strict=True)])
    total = rules.trick_total
    return Prospect(
        suit, own + unit * max(more, 0.0), unit * weights.gain_deviation,
        total * min(max(part, 0.05), 0.95), total * weights.share_deviation,
    )  # fmt: skip


def after_melding(rules: RuleSet, hand: Hand, suit: Suit, meld: int) -> Prospect:
    """What a declarer's hand promises once cards are exchanged and melds are known."""
    weights = _weights(rules.deck, 0)  # the partner has nothing more to give
    part = sum([a * b for a, b in zip(weights.share, features(hand, suit), strict=True)])
    total = rules.trick_total
    return Prospect(suit, meld, 0.0, total * min(max(part, 0.05), 0.95), total * weights.share_deviation)


class Field(NamedTuple):
    """What a player promises whose hand is not known: the best prospect of a random hand, and how it varies."""

    prospect: Prospect
    spread: float
    """The deviation of the total from hand to hand."""
    meld_part: float
    """Of a hand that promises more or less than that, the part that is meld."""
    defence: float
    """Meld of the defenders."""

    def with_at_least(self, total: float) -> Prospect:
        """That of a player who promises this much: one who has bid it."""
        x = (total - self.prospect.total) / self.spread if self.spread else 0.0
        ahead = 0.5 * erfc(x * _ROOT_HALF)
        rise = self.spread * _density(x) / ahead if ahead > 1e-4 else total - self.prospect.total
        return self.prospect.moved(rise, self.meld_part)


def field(rules: RuleSet) -> Field:
    """The random hand of these rules."""
    weights = _weights(rules.deck, rules.exchange)
    unit, total = rules.scale / 10, rules.trick_total
    prospect = Prospect(
        0, unit * weights.meld, unit * weights.gain_deviation, total * weights.tricks, total * weights.share_deviation
    )
    meld, tricks = unit * weights.meld_spread, total * weights.tricks_spread
    spread = hypot(meld, tricks)
    return Field(prospect, spread, meld**2 / spread**2 if spread else 0.0, unit * weights.defence)


def _density(x: float) -> float:
    return exp(-x * x / 2) / sqrt(2 * pi)


_ROOT_HALF = sqrt(0.5)
QUANTILES = (-1.282, -0.524, 0.0, 0.524, 1.282)
"""Fifths of a normal distribution, each by its middle, in deviations."""


def features(hand: Hand, trump: Suit) -> tuple[float, ...]:
    """The numbers of FEATURES for this hand and trump."""
    length = aces = tens = run = side_aces = side_tens = shorts = marriages = suits_with_ace = 0
    for suit in (0, 1, 2, 3):
        held = _suit_facts(hand >> SUIT_BITS * suit & SUIT_MASK)
        if held.aces:
            suits_with_ace += 1
        if suit == trump:
            length, aces, tens, run, _ = held
        else:
            side_aces += held.aces
            side_tens += held.tens
            shorts += held.length < 2
            marriages += held.marriages
    queen = hand >> (SUIT_BITS * SPADES + _QUEEN) & COPY_MASK
    jack = hand >> (SUIT_BITS * DIAMONDS + _JACK) & COPY_MASK
    return (
        1.0, length, aces, tens, side_aces, side_tens, shorts,
        run == 5, run == 4, run == 3, suits_with_ace == 3, (queen > 0) != (jack > 0), marriages,
    )  # fmt: skip


class _SuitFacts(NamedTuple):
    length: int
    aces: int
    tens: int
    run: int  # different ranks of a run
    marriages: int


@lru_cache(maxsize=SUITS_REMEMBERED_MAX)
def _suit_facts(held: int) -> _SuitFacts:
    copies = [held >> COPY_BITS * rank & COPY_MASK for rank in range(6)]
    run = sum(number > 0 for number in copies[: JACK + 1])
    return _SuitFacts(sum(copies), copies[ACE], copies[TEN], run, min(copies[KING], copies[QUEEN]))


_QUEEN, _JACK = COPY_BITS * QUEEN, COPY_BITS * JACK


class Weights(NamedTuple):
    """A weight for each feature: of meld gained (ten-point scale), and of the share of the trick points."""

    gain: tuple[float, ...]
    share: tuple[float, ...]
    gain_deviation: float
    share_deviation: float
    meld: float
    """Team meld promised by a random hand, its spread over hands, and the same for the share of the trick points."""
    meld_spread: float
    tricks: float
    tricks_spread: float
    defence: float
    """Mean meld of the defenders."""


@cache
def _weights(deck: str, exchange: int) -> Weights:
    """Those fitted for this deck, an exchange of two or three cards lying between none and four."""
    none, full = FITTED[deck, 0], FITTED[deck, 4]
    part = exchange / 4

    def between(a: float, b: float) -> float:
        return a + part * (b - a)

    return Weights(tuple(map(between, none.gain, full.gain)), tuple(map(between, none.share, full.share)),
                   *map(between, none[2:], full[2:]))  # fmt: skip


# fmt: off
# From 8,000 deals of each kind: single-s3, classic, double-deck, and double-deck with an exchange of four.
FITTED: dict[tuple[str, int], Weights] = {
    ("single", 0): Weights(
        (39, -1, 2, 4, -0, 1, -1, 0, -3, -2, 1, -2, -5),
        (0.254, 0.047, 0.036, 0.026, 0.044, 0.002, 0.014, 0.024, 0.010, 0.006, 0.001, 0.004, 0.001),
        37, 0.133, 90, 45, 0.583, 0.071, 75,
    ),
    ("single", 4): Weights(
        (67, 4, 4, 2, 4, -2, 1, -11, 47, 15, 36, 9, -11),
        (0.354, 0.052, 0.040, 0.016, 0.044, 0.005, 0.014, 0.014, 0.011, 0.007, 0.002, 0.000, -0.005),
        87, 0.123, 175, 50, 0.705, 0.071, 76,
    ),
    ("double", 0): Weights(
        (162, -9, 5, 11, 3, 7, 3, 5, -2, -16, -4, 8, 3),
        (0.233, 0.038, 0.024, 0.010, 0.029, -0.001, 0.015, -0.037, -0.040, -0.035, -0.002, 0.002, 0.001),
        119, 0.114, 374, 140, 0.575, 0.064, 321,
    ),
    ("double", 4): Weights(
        (-169, 77, -9, -19, 38, -3, 30, -28, -58, -85, -10, 18, -6),
        (0.273, 0.041, 0.024, 0.008, 0.031, -0.001, 0.020, -0.010, -0.014, -0.020, -0.002, -0.006, -0.001),
        384, 0.099, 588, 176, 0.663, 0.065, 319,
    ),
}
# fmt: on
