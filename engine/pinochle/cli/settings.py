"""What every command is told: addresses, the token, the data folder, and how to answer.

An option wins over its variable (PINOCHLE_SERVER, PINOCHLE_TOURNAMENTS, PINOCHLE_TOKEN, PINOCHLE_DATA), that over
what `state.json` in the data folder says, and that over the default. Only this module reads the environment.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SERVER_DEFAULT, TOURNAMENTS_DEFAULT = "127.0.0.1:7411", "127.0.0.1:7412"
DATA_DEFAULT = "arena-data"
TIMEOUT_SECONDS_DEFAULT = 10.0
TIMEOUT_SECONDS_MAX = 3600.0
STATE_BYTES_MAX = 1 << 20

OK, PROBLEM, USAGE, REFUSED, OTHER_RULES, TOO_NEW = range(6)
"""Exit codes."""


class CommandError(Exception):
    """The command cannot go on; the text is one line for people."""

    def __init__(self, text: str, code: int = PROBLEM) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one run; addresses are host:port, `timeout` is in seconds for a call."""

    server: str
    tournaments: str
    token: str
    data: Path
    json: bool
    timeout: float

    @classmethod
    def of(cls, options: argparse.Namespace, environ: Mapping[str, str] | None = None) -> Settings:
        """The settings of parsed options; CommandError for what cannot be used."""
        given = os.environ if environ is None else environ
        data = Path(options.data or given.get("PINOCHLE_DATA") or DATA_DEFAULT)
        state = json_file(data / "state.json")
        server = options.server or given.get("PINOCHLE_SERVER") or _text(state, "table_address")
        tournaments = options.tournaments or given.get("PINOCHLE_TOURNAMENTS")
        return cls(
            checked_address(server or SERVER_DEFAULT),
            checked_address(tournaments or _text(state, "tournament_address") or TOURNAMENTS_DEFAULT),
            _checked_token(options.token or given.get("PINOCHLE_TOKEN") or ""),
            data,
            options.json,
            options.timeout,
        )


def json_file(path: Path) -> dict[str, Any]:
    """The JSON object in a small file; empty where there is no such file or this user may not read it."""
    try:
        with path.open("rb") as file:
            text = file.read(STATE_BYTES_MAX + 1)
    except OSError:
        return {}
    try:
        said = json.loads(text) if len(text) <= STATE_BYTES_MAX else None
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise CommandError(f"{path}: not a JSON object of at most {STATE_BYTES_MAX} bytes")
    return said


def checked_address(address: str) -> str:
    """The address, if it is host:port; CommandError otherwise."""
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isdecimal() and 0 < int(port[:6]) < 65_536):
        raise CommandError(f"not an address: {address!r:.80} (host:port)", USAGE)
    return address


def _checked_token(token: str) -> str:
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise CommandError("the token has characters that no token has", USAGE)
    return token


def _text(state: dict[str, Any], name: str) -> str:
    value = state.get(name)
    return value if isinstance(value, str) else ""
