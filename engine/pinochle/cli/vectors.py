"""`pinochle vectors`: rule vectors through the engine."""

from __future__ import annotations

import argparse
import io
import sys
from typing import Any

from pinochle import vectors
from pinochle.cli.settings import OK, PROBLEM, CommandError, Settings
from pinochle.cli.show import as_json


def add(commands: Any, everywhere: argparse.ArgumentParser) -> None:
    """Add the command."""
    command = commands.add_parser(
        "vectors",
        parents=[everywhere],
        help="run files of rule vectors",
        description="Run rule vectors (JSON lines) through the engine; exit 1 if any case fails.",
    )
    command.add_argument("files", nargs="+", metavar="FILE", help="a file of cases, one a line")
    command.set_defaults(run=run)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Run all files; a line for each failure, then the count."""
    out = io.StringIO() if settings.json else sys.stdout
    passed, failed = vectors.run(options.files, out)
    if isinstance(out, io.StringIO):
        as_json({"passed": passed, "failed": failed, "failures": out.getvalue().splitlines()[:-1]})
    if not passed + failed:
        raise CommandError("there is no case in what was named")
    return PROBLEM if failed else OK
