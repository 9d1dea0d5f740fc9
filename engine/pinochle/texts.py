"""Marks: what stands in a log for a text that can be erased, and how anyone who has text and salt can check it.

A mark is ``text:`` and the hexadecimal digits of

    SHA-256( "pinochle-arena/text/1" | salt, 32 bytes | text in UTF-8 )

The text and its salt are kept outside the log. Once both are erased, nobody can find out what the text was, not even by
trying likely ones; the log, its hashes and every copy of it stay as they are.
"""

from __future__ import annotations

import re
from hashlib import sha256

SALT_BYTES = 32
PREFIX = "text:"
SHOWN_DIGITS = 8
MARK = re.compile(rb"text:[0-9a-f]{64}")
"""How a mark is found in the bytes of an act."""
_DOMAIN = b"pinochle-arena/text/1"


def mark(salt: bytes, text: str) -> str:
    """The mark of a text; ValueError for a salt of another size."""
    if len(salt) != SALT_BYTES:
        raise ValueError(f"a salt has {SALT_BYTES} bytes, not {len(salt)}")
    return PREFIX + sha256(_DOMAIN + salt + text.encode()).hexdigest()


def is_mark(text: str) -> bool:
    """Whether this stands for a text that is kept elsewhere."""
    return text.startswith(PREFIX) and MARK.fullmatch(text.encode()) is not None


def shown(text: str) -> str:
    """The text for people; a mark by its first digits."""
    return f"{PREFIX}{text[len(PREFIX) :][:SHOWN_DIGITS]}…" if is_mark(text) else text
