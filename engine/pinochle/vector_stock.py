"""The rule vectors of the stock game: single cases by its leaves, whole games through the game's decider."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pinochle import commands, events, stock
from pinochle.cards import NAMES, SUIT_OF, SUITS, Card, Hand, Suit, hand_of, kinds, names, parse_card
from pinochle.game import GAME
from pinochle.options import PlayOptions, legal
from pinochle.phases import DRAW, NONE
from pinochle.rules import RuleSet
from pinochle.state import State
from pinochle.vector_tables import follow, opened

Plain = dict[str, Any]


def melds(
    rules: RuleSet, trump: Suit, hand: Hand, uses: Mapping[str, Iterable[str]], credited: Iterable[str]
) -> list[Plain]:
    """Every meld that may be laid, by kind and cards; `uses` says in which kinds a card was scored."""
    used = tuple(
        hand_of(parse_card(name) for name, scored in uses.items() if kind in scored) for kind in stock.MELD_KINDS
    )
    found = stock.legal_melds(rules, trump, hand, used, hand_of(map(parse_card, credited)))
    said = [{"kind": meld.kind, "cards": names(meld.cards), "points": meld.points} for meld in found]
    return sorted(said, key=lambda meld: (meld["kind"], meld["cards"]))


def may_give(hand: Hand, trump: Suit, turn_up: Card) -> list[str]:
    """The nines that may be swapped for the turn-up."""
    return names(stock.may_give(hand, trump, turn_up))


def deal(rules: RuleSet, dealer: int, deck: Sequence[Card]) -> Plain:
    """The hands, the turn-up with trump, and the face-down stock."""
    dealt = GAME.decide(opened(rules, dealer, rules.players), commands.DealCards(tuple(deck)))[0]
    said = _plain_deal(dealt, 0)
    return {name: said[name] for name in ("hands", "turn_up", "trump")} | {
        "stock": [NAMES[card] for card in dealt.stock]
    }


def game(
    rules: RuleSet, dealer: int, decks: Iterable[Sequence[Card]], script: Sequence[Mapping[str, Any]]
) -> tuple[list[Plain], State]:
    """All events of these deals, with the actions taken from the script, and the state at the end.

    Stops early where the script does not hold the action that is due, or the engine rejects it.
    """
    return follow(opened(rules, dealer, rules.players), decks, script, _action, _plain_events)


def _action(state: State, said: Mapping[str, Any]) -> commands.Command | None:
    """The command of the next entry; a winner of a trick who has no entry of its own draws."""
    kind = said.get("t")
    if kind == "play":
        return commands.PlayCard(said["seat"], parse_card(said["card"]))
    if kind == "exchange":
        return commands.ExchangeDix(said["seat"], parse_card(said["gives"]))
    if kind == "meld":
        return commands.LayMeld(said["seat"], said["kind"], hand_of(map(parse_card, said["cards"])))
    return commands.Draw(state.turn) if state.phase == DRAW else None


def _plain_events(before: State, found: Sequence[Any]) -> Iterator[Plain]:
    points = next((event.points for event in found if isinstance(event, events.DixScored)), 0)
    totals = before.totals
    ended = any(isinstance(event, events.GameEnded) for event in found)
    for event in found:
        if isinstance(event, events.HandDealt):
            yield _plain_deal(event, points)
        elif isinstance(event, events.CardPlayed):
            yield _plain_play(before, event, points)
        elif isinstance(event, events.DixExchanged):
            gives, takes = NAMES[event.gives], NAMES[event.takes]
            yield {"t": "exchange", "seat": event.seat, "gives": gives, "takes": takes, "points": points}
        elif event.__class__ in _PLAIN:
            yield _PLAIN[event.__class__](event)
        if isinstance(event, events.DixScored | events.MeldLaid):
            totals = tuple(total + event.points * (seat == event.seat) for seat, total in enumerate(totals))
        elif isinstance(event, events.DealScored):
            totals = event.totals
            if not ended:
                yield {"t": "game_end", "over": False, "winner": None}
        elif isinstance(event, events.GameEnded):
            if not any(isinstance(other, events.DealScored) for other in found):
                yield {"t": "stopped", "totals": list(totals)}
            yield {"t": "game_end", "over": True, "winner": None if event.winner == NONE else event.winner}


def _plain_deal(event: events.HandDealt, bonus: int) -> Plain:
    return {
        "t": "deal",
        "dealer": event.dealer,
        "hands": [names(hand) for hand in event.hands],
        "turn_up": NAMES[event.turn_up],
        "trump": SUITS[SUIT_OF[event.turn_up]],
        "stock": len(event.stock),
        "dealer_bonus": bonus,
    }


def _plain_play(before: State, event: events.CardPlayed, points: int) -> Plain:
    phase = 1 if before.turn_up != NONE else 2
    options = legal(before)
    assert isinstance(options, PlayOptions)
    offered: Any = "any"
    if phase == 2 or options.cards != before.hands[before.turn]:
        offered = [NAMES[card] for card in kinds(options.cards)]
    return {
        "t": "play", "phase": phase, "seat": event.seat, "card": NAMES[event.card], "dix": points, "legal": offered,
    }  # fmt: skip


_PLAIN: dict[type, Callable[[Any], Plain]] = {
    events.TrickWon: lambda e: {"t": "trick", "winner": e.seat},
    events.MeldLaid: lambda e: {
        "t": "meld", "seat": e.seat, "kind": e.kind, "cards": names(e.cards), "points": e.points,
    },
    events.CardDrawn: lambda e: {"t": "draw", "seat": e.seat, "card": NAMES[e.card]},
    events.DealScored: lambda e: {
        "t": "deal_score", "trick_points": list(e.trick_points), "last_trick": e.last_trick, "totals": list(e.totals),
    },
}  # fmt: skip
