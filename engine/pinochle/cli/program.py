"""The command line itself: its parser, and what an error becomes."""

from __future__ import annotations

import argparse
import importlib.metadata
import io
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from pinochle.cli import access, imports, people, play, records, replay, rules, tables, tournaments, vectors
from pinochle.cli.numbers import seconds
from pinochle.cli.settings import (
    DATA_DEFAULT,
    PROBLEM,
    SERVER_DEFAULT,
    TIMEOUT_SECONDS_DEFAULT,
    TIMEOUT_SECONDS_MAX,
    TOURNAMENTS_DEFAULT,
    USAGE,
    CommandError,
    Settings,
)  # fmt: skip
from pinochle.errors import BadInput

EPILOG = """\
exit codes:
  0  done, and nothing wrong was found
  1  a problem was found, or the command failed
  2  wrong usage, or input that makes no sense
  3  the server could not be reached, or refused
  4  verify: intact, but concluded otherwise under another rules version
  5  verify: the chain is intact, but a newer version wrote it, and only that can check it
130  interrupted by Ctrl-C
141  whoever read the output went away before its end; what was still to be done was not done

Options given before or after the command win over the variables PINOCHLE_SERVER, PINOCHLE_TOURNAMENTS,
PINOCHLE_TOKEN and PINOCHLE_DATA, and these over what state.json in the data folder says. A token on the
command line can be seen by other users of the machine; the variable cannot.
"""
DISTRIBUTION = "pinochle-arena"
INTERRUPTED = 128 + signal.SIGINT
UNHEARD = 128 + 13
"""As a shell has it of a program that SIGPIPE ended, whatever the system."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; whatever goes wrong becomes one line on stderr."""
    for closed in [name for name in ("stdout", "stderr") if getattr(sys, name) is None]:
        setattr(sys, closed, Path(os.devnull).open("w"))  # noqa: SIM115 - for as long as the process lives
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a letter that a terminal cannot show is no reason to stop
    try:
        options = parser().parse_args(arguments)
        code: int = options.run(options, Settings.of(options))
        sys.stdout.flush()
        return code
    except CommandError as error:
        return _fail(str(error), error.code)
    except BadInput as error:
        return _fail(str(error), USAGE)
    except BrokenPipeError:
        # The reader has seen enough; nothing more may be written, not even while Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNHEARD
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error), PROBLEM)
    except KeyboardInterrupt:
        return INTERRUPTED


def parser() -> argparse.ArgumentParser:
    """The parser of all commands; each sets `run(options, settings) -> exit code`."""
    everywhere = _everywhere(argparse.SUPPRESS)
    top = Parser(
        prog="pinochle",
        description="Pinochle: rules, games in the terminal, logs, their audit, and the services.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[_everywhere(None)],
    )
    top.add_argument("--version", action="version", version=f"pinochle {_version()}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for group in (rules, vectors, play, replay, records, imports, tables, tournaments, people, access):
        group.add(commands, everywhere)
    return top


class Parser(argparse.ArgumentParser):
    """A parser that takes options by their whole names only, and reports wrong usage in one line."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: {' '.join(message.split())} (see {self.prog} --help)\n")


def _everywhere(default: str | None) -> argparse.ArgumentParser:
    """The options that stand before or after the command; suppressed defaults leave what stood before."""
    options = argparse.ArgumentParser(add_help=False)
    group = options.add_argument_group("options of every command")

    def add(name: str, usual: object, help: str, **more: object) -> None:
        group.add_argument(name, default=default if default else usual, help=help, **more)  # type: ignore[arg-type]

    add("--server", "", f"the table service (default {SERVER_DEFAULT})", metavar="HOST:PORT")
    add("--tournaments", "", f"the tournament service (default {TOURNAMENTS_DEFAULT})", metavar="HOST:PORT")
    add("--token", "", "who calls (better in PINOCHLE_TOKEN)")
    add("--data", "", f"the data folder of a local system (default {DATA_DEFAULT})", metavar="DIR")
    add("--json", False, "answer with JSON, one object a line", action="store_true")
    usual = f"the longest wait for an answer (default {TIMEOUT_SECONDS_DEFAULT:g})"
    add("--timeout", TIMEOUT_SECONDS_DEFAULT, usual, metavar="SECONDS", type=seconds(TIMEOUT_SECONDS_MAX))
    return options


def _version() -> str:
    try:
        return importlib.metadata.version(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"


def _fail(text: str, code: int) -> int:
    print(f"pinochle: {' '.join(text.split())}", file=sys.stderr)
    return code
