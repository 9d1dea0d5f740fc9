"""What a command leads to at a table of the stock game (section 15): the counterpart of the partnership game's part.

Points are scored at once, trick points at the end of a deal. With `stock_end` immediate the game stops at the moment a
credit leaves its player at or above the target and ahead of everybody else (R-TWO-19).
"""

from __future__ import annotations

from pinochle import scoring, stock, tricks
from pinochle.cards import SUIT_OF, UNIT, Card, Hand
from pinochle.commands import Draw, ExchangeDix, LayMeld, PlayCard
from pinochle.events import (
    CardDrawn,
    CardPlayed,
    DealScored,
    DixExchanged,
    DixScored,
    Event,
    GameEnded,
    HandDealt,
    MeldLaid,
    TrickWon,
    TurnUpShown,
)
from pinochle.phases import NONE
from pinochle.state import State, Stock
from pinochle.stock_state import plus


def deal(s: State, deck: tuple[Card, ...]) -> tuple[Event, ...]:
    """The deal: hands, the turn-up, and the dealer's points where that is a nine (R-TWO-01 to R-TWO-03)."""
    hands, turn_up, face_down = stock.deal(s.rules, s.dealer, deck)
    trump = SUIT_OF[turn_up]
    dealt = (HandDealt(s.deal + 1, s.dealer, hands, turn_up, face_down), TurnUpShown(turn_up, trump))
    if not stock.is_dix(turn_up, trump):
        return dealt
    return (*dealt, *_credited(s, DixScored(s.dealer, turn_up, stock.dix_points(s.rules))))


def play(s: State, command: PlayCard) -> tuple[Event, ...]:
    """A card, the dix it earns, the trick it ends, the deal that the trick ends."""
    seat, card = command.seat, command.card
    events: tuple[Event, ...] = (CardPlayed(seat, card),)
    totals = s.totals
    if stock.is_dix(card, s.trump) and not _deal(s).credited & UNIT[card]:
        credit = _credited(s, DixScored(seat, card, stock.dix_points(s.rules)))
        events += credit
        if isinstance(credit[-1], GameEnded):
            return events
        totals = plus(totals, seat, stock.dix_points(s.rules))
    players = len(s.hands)
    if len(s.trick) + 1 < players:
        return events
    trick = (*s.trick, card)
    winner = (s.leader + tricks.winner(trick, s.trump)) % players
    last = s.turn_up == NONE and not any(_held(s, card, seat))
    points = scoring.trick_points(s.rules, trick, last)
    events += (TrickWon(winner, points, last),)
    return (*events, *_scored(s, totals, winner, points)) if last else events


def exchange(s: State, command: ExchangeDix) -> tuple[Event, ...]:
    """The nine for the turn-up, and the points unless that nine has earned them (R-TWO-08, R-TWO-14)."""
    swapped = DixExchanged(command.seat, command.card, s.turn_up)
    if _deal(s).credited & UNIT[command.card]:
        return (swapped,)
    return (swapped, *_credited(s, DixScored(command.seat, command.card, stock.dix_points(s.rules))))


def lay(s: State, command: LayMeld) -> tuple[Event, ...]:
    """One meld, scored at once (R-TWO-10)."""
    points = next(m.points for m in legal_melds(s) if (m.kind, m.cards) == (command.kind, command.cards))
    laid = MeldLaid(command.seat, command.kind, command.cards, points)
    return (laid, *_stopped(s, command.seat, points))


def draw(s: State, command: Draw) -> tuple[Event, ...]:
    """Everybody draws, the winner first; the last gets the turn-up where the stock ends (R-TWO-07, R-TWO-09)."""
    players = len(s.hands)
    cards = _deal(s).cards
    seats = [(command.seat + step) % players for step in range(players)]
    drawn = [CardDrawn(seat, card, face_up=False) for seat, card in zip(seats, cards, strict=False)]
    if len(drawn) < players:
        drawn.append(CardDrawn(seats[-1], s.turn_up, face_up=True))
    return tuple(drawn)


def legal_melds(s: State) -> tuple[stock.StockMeld, ...]:
    """What the winner of a trick may lay: nothing once it has laid one (R-TWO-10)."""
    held = _deal(s)
    if held.has_melded:
        return ()
    return stock.legal_melds(s.rules, s.trump, s.hands[s.turn], held.used, held.credited)


def legal_nines(s: State) -> Hand:
    """The nines that may be swapped now: none once a meld was laid (R-TWO-07, A-44)."""
    return 0 if _deal(s).has_melded else stock.may_give(s.hands[s.turn], s.trump, s.turn_up)


def legal_plays(s: State) -> Hand:
    """Any card while the turn-up lies there, then strict play (R-TWO-05, R-TWO-15)."""
    hand = s.hands[s.turn]
    return hand if s.turn_up != NONE else tricks.legal_cards(s.rules, hand, s.trick, s.trump)


def _deal(s: State) -> Stock:
    assert s.stock is not None
    return s.stock


def _held(s: State, card: Card, seat: int) -> list[Hand]:
    return [hand - UNIT[card] if holder == seat else hand for holder, hand in enumerate(s.hands)]


def _credited(s: State, credit: DixScored) -> tuple[Event, ...]:
    return (credit, *_stopped(s, credit.seat, credit.points))


def _stopped(s: State, seat: int, points: int) -> tuple[Event, ...]:
    """R-TWO-19: with `immediate` the game ends where these points put their player ahead at or above the target."""
    if s.rules.stock_end != "immediate" or points <= 0:
        return ()
    totals = plus(s.totals, seat, points)
    ahead = all(totals[seat] > total for other, total in enumerate(totals) if other != seat)
    return (GameEnded(seat, "score"),) if ahead and totals[seat] >= s.rules.target else ()


def _scored(s: State, before: tuple[int, ...], winner: int, points: int) -> tuple[Event, ...]:
    """All trick points are credited together and then judged (R-TWO-18, R-TWO-19)."""
    taken = plus(s.trick_points, winner, points)
    totals = tuple(total + mine for total, mine in zip(before, taken, strict=True))
    score = DealScored(taken, winner, totals)
    over, first = scoring.stock_game_end(s.rules, totals)
    if over:
        assert first is not None
        return (score, GameEnded(first, "score"))
    if s.table.deal_limit and s.deal >= s.table.deal_limit:
        best = max(totals)
        return (score, GameEnded(totals.index(best) if totals.count(best) == 1 else NONE, "deal_limit"))
    return (score,)
