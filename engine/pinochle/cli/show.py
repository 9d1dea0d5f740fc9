"""How commands answer: lines and tables for people, or JSON with one object a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, TextIO


def as_json(value: Any, out: TextIO | None = None) -> None:
    """Write one value as a line of JSON."""
    line(json.dumps(value, separators=(",", ":")), out)


def line(text: str, out: TextIO | None = None) -> None:
    """Write one line at once, so that a reader at the other end of a pipe can follow."""
    out = sys.stdout if out is None else out
    print(_printable(text), file=out, flush=True)


def table(headings: Sequence[str], rows: Sequence[Sequence[object]], out: TextIO | None = None) -> None:
    """Write rows in columns as wide as their longest entry; numbers stand on the right."""
    cells = [list(headings), *[["" if cell is None else str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
    right = [bool(rows) and all(isinstance(row[i], int | None) for row in rows) for i in range(len(headings))]
    for row in cells:
        columns = zip(row, widths, right, strict=True)
        line("  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in columns).rstrip(), out)


def moment(at_ms: int) -> str:
    """A time in ms since the epoch as UTC text, to the second."""
    try:
        return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return f"{at_ms} ms"


def takes_symbols(out: TextIO | None = None) -> bool:
    """Whether suits may be shown by their signs: at a terminal that takes UTF-8."""
    out = sys.stdout if out is None else out
    return out.isatty() and (out.encoding or "").lower().replace("-", "") == "utf8"


def _printable(text: str) -> str:
    """The text without control characters: names and reasons come from others and could steer a terminal."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
