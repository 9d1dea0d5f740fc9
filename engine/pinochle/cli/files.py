"""Files that a command writes: whole or not at all, and nothing replaced that is no file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def is_special(path: Path) -> bool:
    """Whether a path leads to a device, a pipe or the like, which is written as it is and never replaced."""
    return path.exists() and not path.is_file()


def write_whole(path: Path, lines: Iterable[bytes]) -> None:
    """Write the whole file or none, so that a failure leaves no half of it in its place; a link stays one."""
    if is_special(path):
        with path.open("wb") as file:
            return file.writelines(lines)
    path = path.resolve()
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as file:
            file.writelines(lines)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
