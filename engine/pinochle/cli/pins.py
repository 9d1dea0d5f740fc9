"""`pinochle verify`, behind the single streams: a noted hash, and tournaments beside their tables."""

from __future__ import annotations

import argparse
from typing import Any

from pinochle.cli.show import as_json, line
from pinochle.pinning import Pins

HASH_CHARACTERS = 64


def noted_hash(text: str) -> bytes:
    """A hash as it was published, 64 digits; argparse reports what is none."""
    try:
        noted = bytes.fromhex(text)
    except ValueError:
        noted = b""
    if len(text) != HASH_CHARACTERS or len(noted) != HASH_CHARACTERS // 2:
        raise argparse.ArgumentTypeError(f"not a hash of {HASH_CHARACTERS} hexadecimal digits: {text!r:.70}")
    return noted


def show_pins(pins: Pins, root: bytes | None, *, json: bool) -> bool:
    """Say what does not fit, and what is pinned; whether all of it fits."""
    findings = pins.findings()
    for finding in findings:
        if json:
            problem = {"version": 0, "check": finding.check, "text": finding.text}
            as_json({"kind": finding.kind, "stream": str(finding.stream), "outcome": "bad", "problem": problem})
        else:
            line(f"BAD  {finding}")
    for covered in pins.covered:
        has_root = root is not None and not any(finding.stream == covered.tournament for finding in findings)
        _show_covered(covered, root if has_root else None, json)
    return not findings


def _show_covered(covered: Any, root: bytes | None, json: bool) -> None:
    """How many tables fit their tournament, which is the one with that root."""
    if not covered.fitting and root is None:
        return
    if json:
        said = {"tournament": str(covered.tournament), "tables": covered.tables, "fitting": covered.fitting}
        as_json({**said, "root": root.hex() if root else ""})
    else:
        under = " under this root" if root else ""
        figures = f"{covered.fitting} of its {covered.tables} tables are here and fit"
        line(f"     tournament {covered.tournament}{under}: {figures}")
