"""From hands back to a deck that deals them."""

from __future__ import annotations

from collections.abc import Sequence

from pinochle import stock
from pinochle.cards import Card, Hand, cards_in
from pinochle.events import HandDealt
from pinochle.game import deal_hands
from pinochle.rules import RuleSet


def deck_of(
    rules: RuleSet, dealer: int, hands: Sequence[Hand], turn_up: Card, face_down: Sequence[Card]
) -> tuple[Card, ...]:
    """The deck that deals these hands, each in display order; the turn-up last of the dealer's, or after the hands."""
    chosen = [cards_in(hand) for hand in hands]
    if turn_up in chosen[dealer] and not rules.is_stock:
        chosen[dealer].remove(turn_up)
        chosen[dealer].append(turn_up)
    deck: list[Card] = []
    for at in range(0, rules.hand_size, rules.packet):
        for step in range(1, len(hands) + 1):
            deck += chosen[(dealer + step) % len(hands)][at : min(at + rules.packet, rules.hand_size)]
    return (*deck, turn_up, *face_down) if rules.is_stock else tuple(deck)


def deals_as(rules: RuleSet, deck: tuple[Card, ...], dealt: HandDealt) -> bool:
    """Whether the deck deals what was dealt."""
    if rules.is_stock:
        return stock.deal(rules, dealt.dealer, deck) == (dealt.hands, dealt.turn_up, dealt.stock)
    hands, last = deal_hands(rules, dealt.dealer, deck)
    return hands == dealt.hands and (rules.has_auction or last == dealt.turn_up)
