"""The rule vectors that need a whole table: their actions go through the game's decider, the rest must follow.

Each function takes what a vector says and returns what the engine concludes, in the notation of the vectors.
Only the partnership game is played here: four sit down, so a rule set of the stock game raises BadInput.
`follow` and `opened` serve the stock game's vectors too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pinochle import commands, events
from pinochle.cards import NAMES, SUITS, Card, Hand, cards_in, hand_of, kinds, names, parse_card, parse_suit
from pinochle.errors import Rejected
from pinochle.game import GAME
from pinochle.meld import Meld
from pinochle.options import CallOptions, PlayOptions, TrumpOptions, legal
from pinochle.rules import RuleSet
from pinochle.state import DEAL, MISDEAL, NONE, OVER, State, resumed

Deck = Sequence[Card]
Plain = dict[str, Any]

_PLAYERS = ("south", "west", "north", "east")
_SEED = bytes(32)


def auction(rules: RuleSet, dealer: int, calls: Sequence[Mapping[str, Any]]) -> Plain:
    """Where these calls lead: ``open`` with the legal calls, ``contract``, ``redeal`` or ``illegal``."""
    state = _dealt(rules, dealer, rules.cards)
    outcome = None
    for call in calls:
        try:
            found = GAME.decide(state, _call(call["seat"], call))
        except Rejected:
            return {"state": "illegal"}
        state = GAME.fold(state, found, 0)
        outcome = next((event for event in found if event.__class__ in _AUCTION_ENDS), outcome)
    if isinstance(outcome, events.AuctionWon):
        return {"state": "contract", "declarer": outcome.seat, "bid": outcome.bid, "forced": outcome.forced}
    if outcome is not None:
        return {"state": "redeal"}
    options = legal(state)
    assert isinstance(options, CallOptions)
    may_pass = commands.Pass(options.seat) in options
    return {
        "state": "open", "turn": options.seat, "min": options.lowest, "max": options.highest,
        "step": options.step, "pass": may_pass, "pass_help": options.pass_help,
    }  # fmt: skip


def deal(rules: RuleSet, dealer: int, deck: Deck) -> Plain:
    """The four hands and, without bidding, the card shown."""
    state = opened(rules, dealer)
    found = GAME.decide(state, commands.DealCards(tuple(deck)))
    said: Plain = {}
    for event in found:
        if isinstance(event, events.HandDealt):
            said["hands"] = [names(hand) for hand in event.hands]
        elif isinstance(event, events.TurnUpShown):
            said |= {"turn_up": NAMES[event.card], "trump": SUITS[event.trump]}
    return said


def exchange(rules: RuleSet, partner: Hand, declarer: Hand, passed: Hand, returned: Hand) -> Plain:
    """Both hands after the exchange, or that it is not legal; seat 0 declares and seat 2 is the partner."""
    rest = list(rules.cards)
    for card in (*cards_in(partner), *cards_in(declarer)):
        rest.remove(card)
    half = len(rest) // 2
    hands = [cards_in(declarer), rest[:half], cards_in(partner), rest[half:]]
    state = _dealt(rules, 3, deck_of(rules, 3, hands))
    bid = commands.PlaceBid(0, rules.min_bid)
    wishes = [bid, *(commands.Pass(seat) for seat in (1, 2, 3)), commands.NameTrump(0, 0)]
    for wish in wishes:
        state = GAME.fold(state, GAME.decide(state, wish), 0)
    try:
        for wish in (commands.PassCards(2, passed), commands.PassCards(0, returned)):
            state = GAME.fold(state, GAME.decide(state, wish), 0)
    except Rejected:
        return {"legal": False}
    return {"legal": True, "partner": names(state.hands[2]), "declarer": names(state.hands[0])}


def deck_of(rules: RuleSet, dealer: int, hands: Sequence[Sequence[Card]]) -> tuple[Card, ...]:
    """The deck that deals these hands, each in the order in which its cards come (R-DEAL-01)."""
    deck: list[Card] = []
    for at in range(0, rules.hand_size, rules.packet):
        for step in (1, 2, 3, 4):
            deck += hands[(dealer + step) % 4][at : at + rules.packet]
    return tuple(deck)


def played(
    rules: RuleSet,
    dealer: int,
    decks: Sequence[Deck],
    script: Sequence[Mapping[str, Any]],
    totals: tuple[int, int] = (0, 0),
    deals_played: int = 0,
) -> tuple[list[Plain], State]:
    """All events of these deals, with the actions taken from the script, and the state at the end.

    Stops early where the script does not hold the action that is due, or the engine rejects it.
    """
    state = resumed(opened(rules, dealer), totals, deals_played)
    return follow(state, decks, script, _action, _plain_events)


def follow(
    state: State,
    decks: Iterable[Deck],
    script: Sequence[Mapping[str, Any]],
    action: Callable[[State, Mapping[str, Any]], commands.Command | None],
    plain: Callable[[State, Sequence[Any]], Iterable[Plain]],
) -> tuple[list[Plain], State]:
    """Play on from a state: `action` makes commands of the script's entries, `plain` says events in its notation."""
    waiting = iter(decks)
    said: list[Plain] = []
    while state.phase != OVER:
        if state.phase == DEAL:
            deck = next(waiting, None)
            if deck is None:
                break
            command: commands.Command | None = commands.DealCards(tuple(deck))
        else:
            command = action(state, script[len(said)] if len(said) < len(script) else {})
        if command is None:
            break
        try:
            found = GAME.decide(state, command)
        except Rejected as rejection:
            said.append({"t": "rejected", "reason": str(rejection)})
            break
        said += plain(state, found)
        state = GAME.fold(state, found, 0)
    return said, state


def opened(rules: RuleSet, dealer: int, players: int = len(_PLAYERS)) -> State:
    """A table of so many players that waits for its first deal."""
    state = GAME.initial()
    opening = commands.OpenTable(rules, _PLAYERS[:players], dealer, _SEED)
    waiting: State = GAME.fold(state, GAME.decide(state, opening), 0)
    return waiting


def _dealt(rules: RuleSet, dealer: int, deck: Deck) -> State:
    """A table at its first call: everybody keeps the deal."""
    state = opened(rules, dealer)
    state = GAME.fold(state, GAME.decide(state, commands.DealCards(tuple(deck))), 0)
    while state.phase == MISDEAL:
        state = GAME.fold(state, GAME.decide(state, commands.KeepDeal(state.turn)), 0)
    return state


_AUCTION_ENDS = (events.AuctionWon, events.DealAbandoned)


# Actions: from the script to commands.


def _action(state: State, said: Mapping[str, Any]) -> commands.Command | None:
    """The command of the next entry, None where it is no action; a player who keeps the deal has no entry."""
    kind = said.get("t")
    if state.phase == MISDEAL and not (kind == "throw_in" and said["seat"] == state.turn):
        return commands.KeepDeal(state.turn)
    return _ACTIONS[kind](said) if kind in _ACTIONS else None


def _call(seat: int, said: Mapping[str, Any]) -> commands.PlayerCommand:
    if said["call"] == "bid":
        return commands.PlaceBid(seat, said["amount"])
    return commands.Pass(seat, helps=said["call"] == "pass_help")


def _trump(said: Mapping[str, Any]) -> commands.NameTrump:
    return commands.NameTrump(said["seat"], parse_suit(said["suit"]), said.get("declare_out", False))


def _hand(cards: Sequence[str]) -> Hand:
    return hand_of(map(parse_card, cards))


_ACTIONS: dict[str, Callable[[Mapping[str, Any]], commands.Command]] = {
    "throw_in": lambda said: commands.ThrowIn(said["seat"]),
    "call": lambda said: _call(said["seat"], said),
    "trump": _trump,
    "pass_cards": lambda said: commands.PassCards(said["from"], _hand(said["cards"])),
    "return_cards": lambda said: commands.PassCards(said["from"], _hand(said["cards"])),
    "concede": lambda said: commands.Concede(said["seat"]),
    "play": lambda said: commands.PlayCard(said["seat"], parse_card(said["card"])),
}


# Events: from the engine to the notation of the vectors.


def _plain_events(before: State, found: Sequence[Any]) -> Iterator[Plain]:
    ended = any(event.__class__ is events.GameEnded for event in found)
    for event in found:
        say = _PLAIN.get(event.__class__)
        if say:
            yield {"t": say[0], **say[1](before, event)}
        if event.__class__ is events.HandScored and not ended:
            yield {"t": "game_end", "over": False, "winner": None}


def _plain_call(before: State, event: Any) -> Plain:
    if isinstance(event, events.BidPlaced):
        return {"seat": event.seat, "call": "bid", "amount": event.amount}
    return {"seat": event.seat, "call": "pass_help" if event.helps else "pass"}


def _plain_trump(before: State, event: events.TrumpNamed) -> Plain:
    said: Plain = {"seat": event.seat, "suit": SUITS[event.suit]}
    options = legal(before)
    assert isinstance(options, TrumpOptions)
    return said | {"declare_out": event.declare_out} if options.may_declare_out else said


def _plain_cards(before: State, event: events.CardsPassed) -> Plain:
    kind = "return_cards" if event.giver == before.declarer else "pass_cards"
    return {"t": kind, "from": event.giver, "to": event.receiver, "cards": names(event.cards)}


def plain_meld(meld: Meld) -> Plain:
    """One entry of a combination."""
    suit = "" if meld.suit is None else SUITS[meld.suit]
    return {"meld": meld.name, "suit": suit, "copies": meld.copies, "points": meld.points}


def _plain_play(before: State, event: events.CardPlayed) -> Plain:
    options = legal(before)
    assert isinstance(options, PlayOptions)
    offered = [NAMES[card] for card in kinds(options.cards)]
    return {"seat": event.seat, "card": NAMES[event.card], "legal": offered}


def _plain_score(before: State, event: events.HandScored) -> Plain:
    no_bid = event.bidder == NONE
    return {
        "bidder": None if no_bid else event.bidder, "bid": None if no_bid else event.bid,
        "meld": list(event.meld), "counted_meld": list(event.counted_meld), "trick_points": list(event.trick_points),
        "tricks": list(event.tricks), "outcome": event.outcome, "delta": list(event.delta),
        "totals": list(event.totals),
    }  # fmt: skip


def _plain_end(before: State, event: events.GameEnded) -> Plain:
    return {"over": True, "winner": None if event.winner == NONE else event.winner}


_Say = tuple[str, Callable[[State, Any], Plain]]

_PLAIN: dict[type, _Say] = {
    events.HandDealt: ("deal", lambda s, e: {"dealer": e.dealer, "hands": [names(hand) for hand in e.hands]}),
    events.DealThrownIn: ("throw_in", lambda s, e: {"seat": e.seat}),
    events.DealAbandoned: ("redeal", lambda s, e: {"next_dealer": e.next_dealer}),
    events.TurnUpShown: ("turn_up", lambda s, e: {"card": NAMES[e.card], "trump": SUITS[e.trump]}),
    events.BidPlaced: ("call", _plain_call),
    events.Passed: ("call", _plain_call),
    events.AuctionWon: ("contract", lambda s, e: {"seat": e.seat, "bid": e.bid, "forced": e.forced}),
    events.TrumpNamed: ("trump", _plain_trump),
    events.CardsPassed: ("pass_cards", _plain_cards),
    events.MeldShown: (
        "meld",
        lambda s, e: {"seat": e.seat, "points": e.points, "melds": [plain_meld(meld) for meld in e.melds]},
    ),
    events.MeldsTotaled: ("meld_totals", lambda s, e: {"meld": list(e.meld), "may_concede": e.may_concede}),
    events.PlaySkipped: ("no_play", lambda s, e: {"reason": e.reason}),
    events.Conceded: ("concede", lambda s, e: {"seat": e.seat}),
    events.CardPlayed: ("play", _plain_play),
    events.TrickWon: ("trick", lambda s, e: {"winner": e.seat, "points": e.points, "last": e.last}),
    events.HandScored: ("hand_score", _plain_score),
    events.GameEnded: ("game_end", _plain_end),
}
