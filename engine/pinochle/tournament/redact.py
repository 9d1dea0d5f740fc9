"""What everybody may see of a tournament's events: all but the seed, until it is published."""

from __future__ import annotations

from dataclasses import replace

from pinochle.tournament.events import Event, TournamentCreated


def redact(event: Event, viewer: int | None = None) -> Event:
    """The event as anyone may see it; the viewer makes no difference."""
    return replace(event, seed=b"") if event.__class__ is TournamentCreated else event


def is_public(event: Event) -> bool:
    """Whether this event is shown unchanged, so that its bytes can be made once."""
    return event.__class__ is not TournamentCreated
