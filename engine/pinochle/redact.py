"""What each viewer may see of an event: the only place that knows what is secret (section 17).

A viewer is a seat, or None for a spectator; a director sees what a spectator sees. Secret cards become HIDDEN, the
seed becomes empty, and the event keeps its class, so a viewer folds what it receives with the same `evolve`. What
stays secret and what is sent in its place never depend on the hidden cards themselves, sizes included.
"""

from __future__ import annotations

from dataclasses import replace

from pinochle.cards import HIDDEN, hidden, size
from pinochle.events import CardDrawn, CardsPassed, Event, HandDealt, TableOpened
from pinochle.phases import NONE

Viewer = int | None


def redact(event: Event, viewer: Viewer) -> Event:
    """The event as the viewer may see it; public events are returned as they are."""
    if isinstance(event, CardsPassed):
        seen = viewer is not None and viewer in (event.giver, event.receiver)  # R-VIS-03
        return event if seen else CardsPassed(event.giver, event.receiver, hidden(size(event.cards)))
    if isinstance(event, HandDealt):
        hands = tuple(hand if seat == viewer else hidden(size(hand)) for seat, hand in enumerate(event.hands))
        turn_up = NONE if event.turn_up == NONE else HIDDEN
        return HandDealt(event.number, event.dealer, hands, turn_up, (HIDDEN,) * len(event.stock))
    if isinstance(event, CardDrawn):
        seen = event.face_up or viewer == event.seat  # R-VIS-04
        return event if seen else CardDrawn(event.seat, HIDDEN, face_up=False)
    if isinstance(event, TableOpened):
        return replace(event, seed=b"")
    return event


def is_public(event: Event) -> bool:
    """Whether every viewer sees this event unchanged, so that its bytes can be made once."""
    return event.__class__ not in _SECRET


_SECRET = (CardsPassed, HandDealt, CardDrawn, TableOpened)
