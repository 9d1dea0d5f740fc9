"""What follows from an act by the rules alone: an auction's end, all melds, a hand's score, a game's end.

Each function takes the state before the act and returns the events that end it; what the act has not filed yet comes as
arguments.
"""

from __future__ import annotations

from pinochle import scoring
from pinochle.cards import SUIT_OF, Card, Hand, Suit
from pinochle.events import (
    AuctionWon,
    DealAbandoned,
    Event,
    GameEnded,
    HandScored,
    MeldShown,
    MeldsTotaled,
    PlaySkipped,
    TurnUpShown,
)
from pinochle.meld import best_meld, legal_trumps
from pinochle.rules import RuleSet
from pinochle.state import NONE, State


def abandoned(s: State, next_dealer: int) -> tuple[Event, ...]:
    """The deal ends unscored (R-AUC-10, R-DEAL-06)."""
    return (DealAbandoned(next_dealer), *_at_deal_limit(s, s.totals))


def auction_won(s: State, seat: int, bid: int, *, forced: bool) -> tuple[Event, ...]:
    """The auction ends; where the declarer can name no trump, so does the hand."""
    won = AuctionWon(seat, bid, forced)
    if legal_trumps(s.rules, s.hands[seat]):
        return (won,)
    # R-CLB-06: no trump can be named, so only the defenders meld, without trump.
    shown = tuple(_meld_shown(s.rules, (seat + i) & 3, s.hands[(seat + i) & 3], None) for i in (1, 3))
    points = shown[0].points + shown[1].points
    meld = (points, 0) if seat & 1 else (0, points)
    score = scored(
        s, (0, 0), (0, 0), bidder_seat=seat, bid=bid, meld=meld, no_play="no_marriage", declared_out=False
    )
    return (won, PlaySkipped("no_marriage"), *shown, MeldsTotaled(meld, may_concede=False), *score)


def turn_up_shown(s: State, hands: tuple[Hand, ...], dealer: int, card: Card) -> tuple[Event, ...]:
    """R-TRU-03: the dealer's last card fixes trump, all meld, and the player left of the dealer leads."""
    trump = SUIT_OF[card]
    return (TurnUpShown(card, trump), *all_meld(s, hands, trump, (dealer + 1) & 3, declared_out=False))


def all_meld(
    s: State, hands: tuple[Hand, ...], trump: Suit, leader: int, declared_out: bool
) -> tuple[Event, ...]:
    """All four melds, clockwise from the first leader, their totals, and the score where the hand is not played."""
    shown = tuple(_meld_shown(s.rules, (leader + i) & 3, hands[(leader + i) & 3], trump) for i in range(4))
    pair = [0, 0]
    for one in shown:
        pair[one.seat & 1] += one.points
    meld = (pair[0], pair[1])
    if s.declarer == NONE:
        return (*shown, MeldsTotaled(meld, may_concede=False))
    mine = meld[s.declarer & 1]
    if scoring.is_short_meld(s.rules, mine):  # R-CLB-08
        score = scored(s, (0, 0), (0, 0), meld=meld, no_play="short_meld", declared_out=declared_out)
        return (*shown, MeldsTotaled(meld, may_concede=False), PlaySkipped("short_meld"), *score)
    return (*shown, MeldsTotaled(meld, scoring.may_concede(s.rules, s.bid, mine)))


def scored(
    s: State,
    points: tuple[int, int],
    count: tuple[int, int],
    *,
    bidder_seat: int | None = None,
    bid: int | None = None,
    meld: tuple[int, int] | None = None,
    conceded: bool = False,
    no_play: str | None = None,
    declared_out: bool | None = None,
) -> tuple[Event, ...]:
    """HandScored and, where that ends the game, GameEnded. Arguments replace what this act has not filed yet."""
    seat = s.declarer if bidder_seat is None else bidder_seat
    bidder = None if seat == NONE else seat & 1
    bid = s.bid if bid is None else bid
    meld = s.meld if meld is None else meld
    result = scoring.score_hand(
        s.rules,
        bidder=bidder,
        bid=bid,
        meld=meld,
        trick_points=points,
        tricks=count,
        conceded=conceded,
        no_play=no_play,
    )
    totals = (s.totals[0] + result.delta[0], s.totals[1] + result.delta[1])
    team = NONE if bidder is None else bidder
    counted, outcome, delta = result.counted_meld, result.outcome, result.delta
    score = HandScored(team, bid, meld, counted, points, count, outcome, delta, totals)
    over, winner = scoring.game_end(
        s.rules,
        totals=totals,
        bidder=bidder,
        outcome=outcome,
        declared_out=s.declared_out if declared_out is None else declared_out,
        deals_played=s.scored + 1,
    )
    if over:
        return (score, GameEnded(NONE if winner is None else winner, "draw" if winner is None else "score"))
    return (score, *_at_deal_limit(s, totals))


def _at_deal_limit(s: State, totals: tuple[int, ...]) -> tuple[Event, ...]:
    """At the table's cap on deals the higher total wins; equal totals leave no winner."""
    if not s.table.deal_limit or s.deal < s.table.deal_limit:
        return ()
    winner = NONE if totals[0] == totals[1] else int(totals[1] > totals[0])
    return (GameEnded(winner, "deal_limit"),)


def _meld_shown(rules: RuleSet, seat: int, hand: Hand, trump: Suit | None) -> MeldShown:
    best = best_meld(rules, hand, trump)
    return MeldShown(seat, best.points, best.melds, best.shown)
