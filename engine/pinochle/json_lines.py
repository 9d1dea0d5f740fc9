"""Files of JSON lines in one form only: what exports, transcripts and side files share.

`bad` is the error that a file of some kind raises: `bad(line, problem)`, with `newer=True` for a newer format.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

Bad = Callable[..., Exception]
DIGITS_MAX = 100
"""How much of a number is read; Python itself refuses thousands of digits."""


def line(fields: Mapping[str, Any]) -> bytes:
    """One line with its line break: keys in this order, no spaces, ASCII."""
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def fields(data: bytes, number: int, bad: Bad) -> dict[str, Any]:
    """What a line says."""
    try:
        said = json.loads(data, parse_int=_whole)
    except (ValueError, RecursionError):
        raise bad(number, "not JSON") from None
    if not isinstance(said, dict):
        raise bad(number, "not a JSON object")
    return said


def _whole(digits: str) -> int:
    return int(digits[:DIGITS_MAX])  # so many digits are beyond everything that is read here, as all of them are


def check_header(said: Mapping[str, Any], what: str, form: str, version: int, kinds: Collection[str], bad: Bad) -> None:
    """Refuse a first line of another format, an unknown version or another kind; `what` the file should be."""
    if said.get("format") != form:
        raise bad(1, f'not {what}: the first line must begin with {{"format":"{form}"')
    found = said.get("version")
    if found != version:
        is_newer = type(found) is int and found > version
        raise bad(1, f"format version {found!r:.20}: this reader knows version {version}", newer=is_newer)
    if said.get("kind") not in kinds:
        raise bad(1, f"kind {said.get('kind')!r:.40}: it must be one of {', '.join(kinds)}")


def check_bytes(found: bytes, expected: bytes, number: int, bad: Bad) -> None:
    """One form only: no other spaces, order of keys, digits or letters, and nothing that is not read."""
    if found != expected:
        at = next((i for i, (a, b) in enumerate(zip(found, expected, strict=False)) if a != b), len(expected))
        raise bad(number, f"not in canonical form from column {at + 1} on")
