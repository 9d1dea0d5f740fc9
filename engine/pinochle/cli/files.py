"""Files that a command reads, more than once; and writes, whole or not at all, replacing nothing that is no file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from pinochle.cli.settings import USAGE, CommandError


def opened(path: Path) -> BinaryIO:
    """A file to read; CommandError for a pipe, which cannot be gone through twice."""
    file = path.open("rb")
    if not file.seekable():
        file.close()
        raise CommandError(f"{path} is a pipe: write what comes through it to a file first", USAGE)
    return file


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
