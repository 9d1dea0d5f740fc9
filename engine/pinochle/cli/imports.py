"""`pinochle import`: an archive back into a database, by the operator's tool that stands beside the services."""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

from pinochle.cli.settings import CommandError, Settings

FOLDER, TOOL = "deploy", "archive"


def add(commands: Any, everywhere: argparse.ArgumentParser) -> None:
    """Add the command."""
    back = commands.add_parser(
        "import",
        parents=[everywhere],
        help="put an archive into an empty database (operators, beside the services)",
        description="Put the streams of an archive into the database that DATABASE_URL names, each one whole or not at "
        "all. Streams that are there alike are passed over, so the same command goes on where a run was cut off.",
    )
    back.add_argument("file", metavar="FILE", help="an archive or an export")
    back.add_argument("--dry-run", action="store_true", help="check everything and write nothing")
    back.set_defaults(run=run)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Run the tool, which has the database's driver and is not part of the library, as a process of its own."""
    if not Path(FOLDER, f"{TOOL}.py").exists() and importlib.util.find_spec(FOLDER) is None:
        raise CommandError(f"import needs the operator's tools: run it in the folder that holds {FOLDER}/{TOOL}.py")
    words = [sys.executable, "-m", f"{FOLDER}.{TOOL}", "import", options.file]
    words += ["--dry-run"] if options.dry_run else []
    words += ["--json"] if settings.json else []
    return subprocess.run(words, check=False).returncode
