"""What must hold of a stored act beyond what `decide` concludes: author, deck, commitment and time.

`decide` takes these on trust, and no version of the rules changes them. Each check returns None, or which
check failed and one line with what was expected and found.
"""

from __future__ import annotations

from pinochle import commands as c
from pinochle import shuffle
from pinochle.cards import KINDS, NAMES, Card
from pinochle.decider import Act
from pinochle.events import TableClosed, TableOpened
from pinochle.state import DEAL, State

PERSONS = ("house", "director", "operator")
"""The authors of acts that no seat makes."""

_AUTHORS: dict[type, tuple[str, ...]] = {c.DealCards: ("house",), c.ExpireTurn: ("house",)}
_SHOWN_CARDS = 4

Found = tuple[str, str] | None


def check_table(before: State, act: Act) -> Found:
    """An act of a table, given the state before it."""
    if before.table is None:
        return _author(act) or _opening(act)
    return _author(act) or _deck(before, act) or _expiry(before, act) or _seed(before, act)


def _author(act: Act) -> Found:
    command = act.command
    if command.__class__ in c.PLAYER_COMMANDS:
        allowed: tuple[str, ...] = (f"seat:{command.seat}",)
    else:
        allowed = _AUTHORS.get(command.__class__, PERSONS)
    if act.author in allowed:
        return None
    name = command.__class__.__name__
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
    cards = [NAMES[card] if 0 <= card < KINDS else "??" for card in deck[:_SHOWN_CARDS]]
    return " ".join([*cards, "…"])


def _expiry(before: State, act: Act) -> Found:
    if not isinstance(act.command, c.ExpireTurn) or not before.deadline_ms:
        return None
    earliest = before.deadline_ms + before.table.grace_ms
    if act.at_ms >= earliest:
        return None
    return "time", f"expected the turn to expire at {earliest} ms or later, found {act.at_ms}"


def _seed(before: State, act: Act) -> Found:
    closed = [event for event in act.events if isinstance(event, TableClosed)]
    return commitment(before.table.commitment, closed[0].seed) if closed else None
