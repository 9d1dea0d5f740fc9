"""What must hold of a stored act beyond what `decide` concludes: author, deck, commitment and time.

`decide` takes these on trust, and no version of the rules changes them. Each check returns None, or which
check failed and one line with what was expected and found.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from pinochle import commands as c
from pinochle import shuffle
from pinochle import tournament as t
from pinochle.cards import CARDS_END, NAMES, Card
from pinochle.decider import Act
from pinochle.events import TableClosed, TableOpened
from pinochle.state import DEAL, State
from pinochle.tournament.state import State as TournamentState

PERSONS = ("house", "director", "operator", "tournament")
"""The authors of a table's acts that no seat makes."""

_AUTHORS: dict[type, tuple[str, ...]] = {c.DealCards: ("house",), c.ExpireTurn: ("house",)}
_DIRECTORS = ("director", "operator")
_TOURNAMENT_AUTHORS: dict[type, tuple[str, ...]] = {
    t.RecordResult: ("house",),
    t.CloseTournament: ("house", *_DIRECTORS),
}
_SHOWN_CARDS = 4

Found = tuple[str, str] | None


def check_table(stream: UUID, before: State, act: Act) -> Found:
    """An act of a table, given the state before it."""
    if act.command.__class__ in c.PLAYER_COMMANDS:
        allowed: tuple[str, ...] = (f"seat:{act.command.seat}",)
    else:
        allowed = _AUTHORS.get(act.command.__class__, PERSONS)
    if before.table is None:
        return _author(act, allowed) or _opening(act)
    return _author(act, allowed) or _deck(before, act) or _expiry(before, act) or _table_seed(before, act)


def check_tournament(stream: UUID, before: TournamentState, act: Act) -> Found:
    """An act of a tournament, given the state before it."""
    wrong = _author(act, _TOURNAMENT_AUTHORS.get(act.command.__class__, _DIRECTORS))
    if wrong:
        return wrong
    if before.created is None:
        return _creation(stream, act)
    return _seed(before.created.commitment, act, t.TournamentClosed)


def _author(act: Act, allowed: tuple[str, ...]) -> Found:
    if act.author in allowed:
        return None
    name = act.command.__class__.__name__
    return "author", f"expected {' or '.join(allowed)} for {name}, found {act.author!r:.40}"


def _opening(act: Act) -> Found:
    opened = act.events[0] if act.events else None
    if isinstance(opened, TableOpened):
        return commitment(opened.commitment, opened.seed)
    return "opening", f"expected TableOpened, found {opened.__class__.__name__ if opened else 'no event'}"


def commitment(published: bytes, seed: bytes) -> Found:
    """A commitment and the seed that it is to pin."""
    if len(seed) != shuffle.SEED_BYTES:
        return "commitment", f"expected a seed of {shuffle.SEED_BYTES} bytes, found {len(seed)}"
    expected = shuffle.commitment(seed)
    if published == expected:
        return None
    return "commitment", f"expected {expected.hex()}, which the seed has, found {published.hex()}"


def _deck(before: State, act: Act) -> Found:
    command, table = act.command, before.table
    if not isinstance(command, c.DealCards) or before.phase != DEAL:
        return None
    number = before.deal + 1
    deck = shuffle.shuffled(before.rules.cards, table.seed, number, table.nonce)
    if command.deck == deck:
        return None
    return "deck", f"expected the deck of deal {number}, {_shown(deck)}, found {_shown(command.deck)}"


def _shown(deck: tuple[Card, ...]) -> str:
    cards = [NAMES[card] if 0 <= card < CARDS_END else "??" for card in deck[:_SHOWN_CARDS]]
    return " ".join([*cards, "…"])


def _expiry(before: State, act: Act) -> Found:
    if not isinstance(act.command, c.ExpireTurn) or not before.deadline_ms:
        return None
    earliest = before.deadline_ms + before.table.grace_ms
    if act.at_ms >= earliest:
        return None
    return "time", f"expected the turn to expire at {earliest} ms or later, found {act.at_ms}"


def _table_seed(before: State, act: Act) -> Found:
    return _seed(before.table.commitment, act, TableClosed)


def _seed(published: bytes, act: Act, closing: type[Any]) -> Found:
    seeds = [event.seed for event in act.events if isinstance(event, closing)]
    return commitment(published, seeds[0]) if seeds else None


def _creation(stream: UUID, act: Act) -> Found:
    created = act.events[0] if act.events else None
    if not isinstance(created, t.TournamentCreated):
        found = created.__class__.__name__ if created else "no event"
        return "opening", f"expected TournamentCreated, found {found}"
    if created.tournament != str(stream):
        return "opening", f"expected tournament {stream}, found {created.tournament!r:.60}"
    return commitment(created.commitment, created.seed)
