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
        return _author(act, allowed) or _times(before, act) or _opening(act)
    return (
        _author(act, allowed)
        or _times(before, act)
        or _on_beat(before, act)
        or _deck(before, act)
        or _expiry(before, act)
        or _table_seed(before, act)
    )


def check_tournament(stream: UUID, before: TournamentState, act: Act) -> Found:
    """An act of a tournament, given the state before it."""
    wrong = _author(act, _TOURNAMENT_AUTHORS.get(act.command.__class__, _DIRECTORS))
    if wrong:
        return wrong
    if before.created is None:
        return _creation(stream, act)
    return _pinned(act) or _seed(before.created.commitment, act, t.TournamentClosed)


def _pinned(act: Act) -> Found:
    """Tournaments whose acts say when they were received pin their tables; older ones did not."""
    if isinstance(act.command, t.CloseTournament) and act.received_ms and not act.command.tables:
        return "root", "expected the tables of the tournament with their last hashes, found none"
    return None


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


def received(before_ms: int, is_timed: bool, act: Act) -> Found:
    """The times that every act has, given that of the act before and whether that one said when it was received."""
    if act.at_ms < before_ms:
        return "time", f"expected {before_ms} ms or later, found {act.at_ms}"
    if act.rules_version < 1:
        return "rules", f"expected a version of the rules from 1 on, found {act.rules_version}"
    if is_timed and not act.received_ms:
        return "time", "expected the time of receipt, which the act before has, found none"
    if act.received_ms > act.at_ms:
        return "time", f"expected receipt by {act.at_ms} ms, when it was decided, found {act.received_ms}"
    return None


def _times(before: State, act: Act) -> Found:
    """Notice and deadline, which only acts have that say when they were received; the first act answers no notice."""
    noticed, deadline = act.noticed_ms, act.deadline_ms
    if not act.received_ms or before.table is None:
        return ("time", f"expected no notice or deadline, found {noticed}, {deadline}") if noticed or deadline else None
    if not before.now_ms <= noticed <= act.received_ms:
        return "time", f"expected notice from {before.now_ms} to {act.received_ms} ms, found {noticed}"
    expected = before.deadline_ms if before.turn >= 0 else 0
    return None if deadline == expected else ("time", f"expected the deadline {expected} ms, found {deadline}")


def _on_beat(before: State, act: Act) -> Found:
    """What seats do at a table with a beat is given out on it, counted from the act before, which began the turn."""
    beat_ms, waited_ms = before.table.beat_ms, act.at_ms - before.now_ms
    if not beat_ms or act.command.__class__ not in c.PLAYER_COMMANDS or before.turn_version != before.version:
        return None
    if waited_ms >= beat_ms and waited_ms % beat_ms == 0:
        return None
    return "time", f"expected beats of {beat_ms} ms from the act before, found {waited_ms} ms"


def _expiry(before: State, act: Act) -> Found:
    if not isinstance(act.command, c.ExpireTurn) or not before.deadline_ms:
        return None
    earliest, found = before.deadline_ms + before.table.grace_ms, act.received_ms or act.at_ms
    if found < earliest:
        return "time", f"expected the turn to expire at {earliest} ms or later, found {found}"
    if act.command.at_ms > found:
        return "time", f"expected an expiry found at {found} ms or earlier, found {act.command.at_ms}"
    return None


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
