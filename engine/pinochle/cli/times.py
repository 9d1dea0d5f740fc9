"""`pinochle log --times`: how long each seat of a table thought, in all and a turn, in ms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from pinochle.cli.settings import OK, USAGE, CommandError
from pinochle.cli.show import as_json, table
from pinochle.thinking import seat_times

HEADINGS = ("seat", "player", "turns", "expired", "total ms", "shortest", "median", "longest")


def show_times(kind: Any, stored: Iterable[Any], json: bool) -> int:
    """Show a line for each seat of the table with these stored acts."""
    found = seat_times(kind.from_rest(act.version, act.command_id, act.body) for act in stored)
    if not found:
        raise CommandError("--times is for the log of a table", USAGE)
    if json:
        for times in found:
            as_json(asdict(times))
    else:
        table(HEADINGS, [tuple(asdict(times).values()) for times in found])
    return OK
