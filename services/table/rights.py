"""Who may do and see what at a table."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from pinochle.players import is_house_bot
from pinochle.state import CLOSED, State

from services.auth import Principal
from services.rpc import Forbidden

AUTHORS = {"operator": "operator", "director": "director", "service": "tournament"}
"""What a role that opens, voids and closes tables is called in the log."""
SEATS = ("seat:0", "seat:1", "seat:2", "seat:3")
"""What the player of a seat is called in the log."""
TOURNAMENT_TABLE = 5
"""The version of the ids that `pinochle.tournament.lots.table_id` gives; who took one first would decide a match."""


def seats_of(caller: Principal, table: str, players: tuple[str, ...], tournament: str) -> tuple[int, ...]:
    """The seats that the caller holds at a table, within the limits of its token."""
    if caller.role == "bots":
        return tuple(seat for seat, player in enumerate(players) if is_house_bot(player))
    if caller.role != "player" or (caller.stream and caller.stream not in (table, tournament)):
        return ()
    held = tuple(seat for seat, player in enumerate(players) if player == caller.player)
    return held if caller.seat is None else tuple(seat for seat in held if seat == caller.seat)


def acting_seat(caller: Principal, held: Collection[int], asked: int | None) -> int:
    """The seat that acts; Forbidden where the caller does not hold it, or must say which."""
    if asked is not None:
        if asked in held:
            return asked
        raise Forbidden(f"seat {asked} of this table is not yours")
    if not held:
        raise Forbidden("you hold no seat at this table")
    if len(held) > 1:
        raise Forbidden("you hold several seats at this table: say which one acts")
    return next(iter(held))


def viewer_of(caller: Principal, held: tuple[int, ...], asked: int | None) -> int | None:
    """The viewer that the caller is: the seat asked for or its only one, else a spectator (None)."""
    if asked is not None:
        return acting_seat(caller, held, asked)
    return held[0] if len(held) == 1 else None


def check_may_look(caller: Principal, state: State, viewer: int | None, table: str) -> None:
    """Forbidden where a spectator must wait: boards that other tables still play, or another table's token."""
    if viewer is not None or caller.role in ("operator", "service"):
        return
    if caller.role == "spectator" and caller.stream and caller.stream not in (table, state.table.tournament):
        raise Forbidden("this token is for another table")
    if state.table.boards and state.phase < CLOSED:
        raise Forbidden("these boards are still played elsewhere; what happened here is shown when all have ended")


def check_directs(caller: Principal, what: str, table: str, tournament: str) -> str:
    """The author for a director's act at this table of this tournament; Forbidden for everyone else."""
    author = AUTHORS.get(caller.role)
    if author is None:
        raise Forbidden(f"only directors and operators {what}")
    if caller.stream not in (None, table, tournament):
        raise Forbidden("this token is for another table or tournament")
    return author


def check_may_open(caller: Principal, table: str, tournament: str) -> str:
    """The author of a table's opening; the ids that follow from a tournament's matches are kept for its service."""
    author = check_directs(caller, "open tables", table, tournament)
    if caller.role == "director" and UUID(table).version == TOURNAMENT_TABLE:
        raise Forbidden("only the tournament service opens tables with ids of version 5")
    return author
