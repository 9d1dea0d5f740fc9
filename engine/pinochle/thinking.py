"""How long each seat of a table thought, from its log: from the notice of a turn to the receipt of what the seat did.

Times are milliseconds by the clock of the service, and include the way to the player and back. A turn that the house
played because its time had run out is counted apart and adds no time. Acts of logs that do not say when they were
received are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median_low

from pinochle.commands import ExpireTurn
from pinochle.decider import Act, record
from pinochle.events import TableOpened


@record
class SeatTimes:
    """The thinking of one seat, in ms; all 0 where it never acted."""

    seat: int
    player: str
    turns: int  # that it played itself
    expired: int  # that the house played for it
    total_ms: int
    shortest_ms: int
    median_ms: int  # of an even number the lower of the two in the middle
    longest_ms: int


def thought_ms(act: Act) -> int | None:
    """How long the seat that sent this act thought; None where no seat did, and where the log does not say."""
    if not act.author.startswith("seat:") or not act.received_ms:
        return None
    return act.received_ms - act.noticed_ms


def seat_times(acts: Iterable[Act]) -> list[SeatTimes]:
    """What each seat of a table took, by seat; empty where these are not the acts of a table from its opening on."""
    players: tuple[str, ...] = ()
    thought: dict[int, list[int]] = {}
    expired: dict[int, int] = {}
    for act in acts:
        for event in act.events:
            if isinstance(event, TableOpened):
                players = event.players
        if isinstance(act.command, ExpireTurn):
            expired[act.command.seat] = expired.get(act.command.seat, 0) + 1
        elif (took_ms := thought_ms(act)) is not None:
            thought.setdefault(act.command.seat, []).append(took_ms)
    return [_times(seat, player, thought.get(seat, []), expired.get(seat, 0)) for seat, player in enumerate(players)]


def _times(seat: int, player: str, thought: list[int], expired: int) -> SeatTimes:
    known = thought or [0]
    return SeatTimes(
        seat, player, len(thought), expired, sum(thought), min(known), median_low(known), max(known)
    )
