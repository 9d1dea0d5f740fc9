"""Other deals that agree with all that a viewer has seen, and how long they do.

What a viewer knows is said here once more, plainly and without the library's redaction: its own cards, and whatever
was played, shown or laid in front of everybody.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pinochle import events as e
from pinochle.cards import cards_in, hand_of, kinds, without
from pinochle.commands import CloseTable, Command, DealCards, PassCards
from pinochle.errors import Rejected
from pinochle.game import GAME
from pinochle.options import legal
from pinochle.state import State

from tests.leaks.script import Script

Viewer = int | None
NEVER = 1 << 30
TRIES_LONG, TRIES_BROAD = 3, 4


class Leak(AssertionError):
    """A viewer received something else; the text says in which game, who, at which version, and over what."""


@dataclass(frozen=True, slots=True)
class Other:
    """Another deal: the commands of lines `start` to `end`, which no viewer like this one can tell from the script's.

    `kind` says how it was found: ``long`` differs in few cards and for long, ``broad`` in many.
    """

    viewer: Viewer
    start: int
    end: int
    commands: list[Command]
    kind: str


def others(script: Script, viewer: Viewer, chance: random.Random) -> Iterator[Other]:
    """For each deal one that agrees for as long as could be found, and for half of them one that differs in much."""
    for start, line in enumerate(script.lines):
        if isinstance(line.command, DealCards):
            known = known_from(script, start, viewer)
            for kind, decks in (("long", _long), ("broad", _broad))[: chance.randint(1, 2)]:
                found: Other | None = None
                for deck in decks(script, start, known, chance):
                    end, commands = agreeing(script, start, viewer, deck, chance)
                    if end >= start and (found is None or end > found.end):
                        found = Other(viewer, start, end, commands, kind)
                if found:
                    yield found


def agreeing(
    script: Script, start: int, viewer: Viewer, deck: tuple[int, ...], chance: random.Random
) -> tuple[int, list[Command]]:
    """How far the script goes with this deck, cards passed in secret being others where they must."""
    state = script.states[start]
    commands: list[Command] = []
    for at in range(start, len(script.lines)):
        line = script.lines[at]
        command: Command = DealCards(deck) if at == start else line.command
        if command.__class__ is PassCards and viewer not in (command.seat, command.seat ^ 2):
            command = _passing(state, command, chance)
        if command.__class__ is CloseTable:
            break  # the seed is published with it, and there are no secrets any more
        try:
            events = GAME.decide(state, command)
        except Rejected:
            break
        if events != line.events and not alike(events, line.events, viewer):
            _check_form(script, at, viewer, events)
            break
        commands.append(command)
        state = GAME.fold(state, events, line.at_ms)
    return start + len(commands) - 1, commands


def _check_form(script: Script, at: int, viewer: Viewer, events: tuple[Any, ...]) -> None:
    """Leak where the kinds of events that follow, and so who acts next, come from hidden cards that nobody shows."""
    found, expected = ([(event.__class__, getattr(event, "seat", None)) for event in some] for some in (
        events, script.lines[at].events
    ))  # fmt: skip
    # What is melded is shown, and so is what the house plays for a seat from its hand: what follows may follow from it.
    shown = any(kind in (e.MeldShown, e.TurnExpired) for kind, _ in (*found, *expected))
    if found != expected and not shown:
        raise Leak(
            f"game {script.number} ({script.profile}): who acts, and how often, depends on cards that "
            f"{'a spectator' if viewer is None else f'seat {viewer}'} cannot know, at version {at + 1}"
        )


def alike(mine: tuple[Any, ...], theirs: tuple[Any, ...], viewer: Viewer) -> bool:
    """Whether the viewer has seen the same of both."""
    return len(mine) == len(theirs) and all(
        one == other or seen(one, viewer) == seen(other, viewer) for one, other in zip(mine, theirs, strict=True)
    )


def seen(event: Any, viewer: Viewer) -> Any:
    """What somebody at the table has seen of an event, in words of our own (R-VIS-01 to R-VIS-04)."""
    if isinstance(event, e.HandDealt):
        own = None if viewer is None else event.hands[viewer]
        return ("dealt", event.number, event.dealer, own)
    if isinstance(event, e.CardsPassed):
        return ("passed", event.giver, event.cards if viewer in (event.giver, event.receiver) else None)
    if isinstance(event, e.CardDrawn):
        return ("drawn", event.seat, event.card if event.face_up or viewer == event.seat else None)
    return event


def known_from(script: Script, start: int, viewer: Viewer) -> list[int]:
    """For each card of the deck the line with which the viewer learns where it was; NEVER where it does not."""
    deck = script.lines[start].command.deck  # type: ignore[union-attr]
    owner = owners(script, start)
    known = [start if viewer is not None and seat == viewer else NEVER for seat in owner]
    stock = [at for at, seat in enumerate(owner) if seat is None]
    if stock:
        known[stock.pop(0)] = start  # the turn-up
    for at in range(start, len(script.lines)):
        for event in script.lines[at].events:
            if at > start and isinstance(event, e.HandDealt):
                return known
            for seat, cards in _revealed(event, viewer):
                for card in cards:
                    _mark(deck, owner, known, seat, card, at)
            if isinstance(event, e.CardsPassed):
                for card in cards_in(event.cards):
                    place = _find(deck, owner, event.giver, card, known)
                    owner[place] = event.receiver
                    if viewer in (event.giver, event.receiver):
                        known[place] = min(known[place], at)
            if isinstance(event, e.CardDrawn) and not event.face_up:
                place = stock.pop(0)
                owner[place] = event.seat
                if viewer == event.seat:
                    known[place] = min(known[place], at)
    return known


def owners(script: Script, start: int) -> list[int | None]:
    """Who is dealt each card of the deck; None for the stock, the turn-up first (R-DEAL-01, R-TWO-01)."""
    rules, dealer = script.rules, script.states[start].dealer
    deck = script.lines[start].command.deck  # type: ignore[union-attr]
    found: list[int | None] = []
    for held in range(0, rules.hand_size, rules.packet):
        packet = min(rules.packet, rules.hand_size - held)
        for step in range(1, rules.players + 1):
            found += [(dealer + step) % rules.players] * packet
    return found + [None] * (len(deck) - len(found))


def _revealed(event: Any, viewer: Viewer) -> Iterator[tuple[int, list[int]]]:
    if isinstance(event, e.CardPlayed):
        yield event.seat, [event.card]
    elif isinstance(event, e.MeldShown):
        yield event.seat, cards_in(event.shown)
    elif isinstance(event, e.MeldLaid):
        yield event.seat, cards_in(event.cards)
    elif isinstance(event, e.DixExchanged):
        yield event.seat, [event.gives]


def _mark(deck: tuple[int, ...], owner: list[int | None], known: list[int], seat: int, card: int, at: int) -> None:
    place = _find(deck, owner, seat, card, known)
    if place >= 0:
        known[place] = min(known[place], at)


def _find(deck: tuple[int, ...], owner: list[int | None], seat: int, card: int, known: list[int]) -> int:
    """Where in the deck the seat's card came from, one that is not known yet if there are two; -1 for none."""
    places = [at for at, dealt in enumerate(deck) if dealt == card and owner[at] == seat]
    return max(places, key=lambda at: known[at], default=-1)


def _long(script: Script, start: int, known: list[int], chance: random.Random) -> Iterator[tuple[int, ...]]:
    """Decks that differ in the two cards that stay unknown longest."""
    deck = script.lines[start].command.deck  # type: ignore[union-attr]
    owner = owners(script, start)
    last = sorted((at for at in range(len(deck)) if known[at] > start), key=lambda at: (-known[at], chance.random()))
    pairs = [
        (here, there)
        for far, there in enumerate(last[:8])
        for here in last[:far]
        if deck[here] != deck[there] and (owner[here] != owner[there] or owner[here] is None)
    ]
    if not script.rules.has_auction and pairs:  # the turn-up is one of the dealer's own cards
        own = [at for at in last if owner[at] == script.states[start].dealer and deck[at] != deck[-1]]
        pairs[1:1] = [(at, len(deck) - 1) for at in own[:1] if len(deck) - 1 in last]
    for here, there in pairs[:TRIES_LONG]:
        yield _swapped(deck, here, there)


def _broad(script: Script, start: int, known: list[int], chance: random.Random) -> Iterator[tuple[int, ...]]:
    """Decks that differ in many cards that are unknown at some time of the deal, then in fewer."""
    deck = script.lines[start].command.deck  # type: ignore[union-attr]
    times = sorted(at for at in known if at > start)
    if len(times) < 2:
        return
    for number in (6, 4, 2, 1)[:TRIES_BROAD]:
        from_time = chance.choice(times[: max(2, 3 * len(times) // 4)])
        places = [at for at, when in enumerate(known) if when >= from_time]
        other = deck
        for _ in range(number):
            if len(places) >= 2:
                other = _swapped(other, *chance.sample(places, 2))
        if other != deck:
            yield other


def _swapped(deck: tuple[int, ...], here: int, there: int) -> tuple[int, ...]:
    cards = list(deck)
    cards[here], cards[there] = cards[there], cards[here]
    return tuple(cards)


def _passing(state: State, command: PassCards, chance: random.Random) -> PassCards:
    """Cards passed in secret: now and then one of them is another, and always where the seat lacks one."""
    options = legal(state)
    if options is None or state.turn != command.seat:
        return command
    given, hand = command.cards, state.hands[command.seat]
    if command in options and chance.randrange(3):
        return command
    kept: list[int] = []
    rest = hand
    for card in cards_in(given):
        if card in kinds(rest):
            kept.append(card)
            rest = without(rest, card)
    number = len(cards_in(given))
    kept = kept[: number - 1] if command in options else kept
    spare = cards_in(rest)
    chance.shuffle(spare)
    return PassCards(command.seat, hand_of((kept + spare)[:number]))
