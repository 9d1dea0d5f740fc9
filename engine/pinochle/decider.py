"""The four-part record that a table and a tournament share, and what one accepted command is.

`initial` is the state before anything happened. `decide(state, command)` returns the events that follow or raises
Rejected; a command that changes nothing returns an empty tuple. `evolve(state, event)` files one event, never refuses
and computes nothing that a spectator could not. `due(state)` names who must act next and by when. `fold(state, events,
at_ms)` files the events of one act, copying the state once; `advance` files them in the state itself, for a caller that
alone holds it, as whoever rebuilds or plays out a table does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar, dataclass_transform

T = TypeVar("T")

HOUSE = -1
"""`Due.who` where the house must act."""
NOBODY = -2
"""`Due.who` where nothing more is expected."""


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """Make a slots dataclass that the type checker treats as frozen.

    The run-time check of `frozen=True` would cost a quarter of the engine's speed; a test looks for assignments
    instead.
    """
    return dataclass(slots=True)(cls)


class Due(NamedTuple):
    """Who must act next: a seat, HOUSE or NOBODY; `by_ms` is the deadline (ms since the epoch) or None."""

    who: int
    by_ms: int | None


class Decider(NamedTuple):
    """One game or tournament as pure functions."""

    initial: Callable[[], Any]
    decide: Callable[[Any, Any], tuple[Any, ...]]
    evolve: Callable[[Any, Any], Any]
    due: Callable[[Any], Due]
    fold: Callable[[Any, tuple[Any, ...], int], Any]
    advance: Callable[[Any, tuple[Any, ...], int], None]


@record
class Act:
    """One accepted command with the events it caused: what is stored, numbered and hashed as one.

    `author` is ``seat:0`` to ``seat:3``, ``house``, ``director`` or ``operator``; `at_ms` is when the service
    decided it (ms since the epoch); `rules_version` is the version of the rules that decided it. `noticed_ms` is when
    the act before it was known to be committed, `deadline_ms` the end of the turn that was open, `received_ms` when
    the command reached the service; 0 where there is none, or where it was not recorded.
    """

    version: int
    author: str
    at_ms: int
    rules_version: int
    command_id: bytes
    command: Any
    events: tuple[Any, ...]
    noticed_ms: int = 0
    deadline_ms: int = 0
    received_ms: int = 0
