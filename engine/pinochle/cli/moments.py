"""Times as they are typed."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime


def when(text: str) -> int:
    """A day or a moment as ms since the epoch, in UTC where it names no zone; argparse reports what is none."""
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"not a time: {text!r:.30} (as in 2026-11-30 or 2026-11-30T05:00Z)") from None
    return round((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp() * 1000)
