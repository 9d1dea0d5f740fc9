"""`pinochle verify --transcript`: what a player or a spectator kept, beside the logs that were named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from pinochle import audit, transcript
from pinochle.audit import Problem
from pinochle.cli.settings import USAGE, CommandError
from pinochle.cli.show import as_json, line
from pinochle.export import BadExport, Stored
from pinochle.transcript_audit import Finding, compare
from pinochle.wire import archive

Key = tuple[str, UUID]
Logs = Iterable[tuple[str, UUID, Iterable[Stored]]]


def held_beside(logs: Logs, paths: Iterable[str], *, must_end: bool, json: bool) -> set[str]:
    """Compare each transcript with the log of its stream, show what was found, and return the outcomes.

    `paths` are files, or folders whose ``.jsonl`` files are meant. A file must belong to one of the logs; of a folder,
    those that do are taken.
    """
    shown = _Shown(json)
    files: dict[Key, list[Path]] = defaultdict(list)
    named: dict[Path, transcript.Header] = {}
    for path, is_named in _files(paths):
        try:
            with path.open("rb") as file:
                header = transcript.read_header(file)
        except transcript.BadTranscript as error:
            shown.unreadable(path, error)
            continue
        files[header.kind, header.stream].append(path)
        if is_named:
            named[path] = header
    compared = False
    for kind, stream, acts in logs:
        if (kind, stream) in files:
            compared = True
            _compare(audit.kind_of(kind), stream, acts, files.pop((kind, stream)), must_end, shown)
    for (kind, stream), others in files.items():
        for path in others:
            if path in named:
                text = f"expected one of a log that was given, found one of {kind} {stream}"
                shown.finding(path, Finding(stream, named[path].viewer, 0, 0, Problem(0, "stream", text), ()))
    if not compared and not shown.outcomes:
        raise CommandError("none of the transcripts is of a log that was given", USAGE)
    return shown.outcomes


def logs_of(file: BinaryIO) -> Iterator[tuple[str, UUID, Iterable[Stored]]]:
    """The logs in a file, as far as they can be told apart; what is wrong with them is reported elsewhere."""
    try:
        for header, acts in archive.exports(file):
            yield header.kind, header.stream, acts
    except BadExport:
        return


def _compare(
    kind: audit.Kind, stream: UUID, acts: Iterable[Stored], paths: list[Path], must_end: bool, shown: _Shown
) -> None:
    read: list[tuple[Path, transcript.Transcript]] = []
    for path in paths:
        try:
            with path.open("rb") as file:
                read.append((path, transcript.read(file)))
        except transcript.BadTranscript as error:
            shown.unreadable(path, error)
    findings = compare(kind, stream, acts, [kept for _, kept in read], must_end=must_end)
    for (path, _), finding in zip(read, findings, strict=True):
        shown.finding(path, finding)


def _files(paths: Iterable[str]) -> Iterator[tuple[Path, bool]]:
    """Every file that is meant, once, and whether it was named itself."""
    known: set[Path] = set()
    for name in paths:
        path = Path(name)
        inside = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        if not path.exists():
            raise CommandError(f"{name}: no transcript, and no folder with transcripts")
        for file in inside:
            if file not in known:
                known.add(file)
                yield file, file == path


class _Shown:
    """Shows findings one by one, and remembers their outcomes."""

    def __init__(self, json: bool) -> None:
        self.json = json
        self.outcomes: set[str] = set()

    def unreadable(self, path: Path, error: transcript.BadTranscript) -> None:
        outcome = audit.NEWER if error.newer else audit.BAD
        self.outcomes.add(outcome)
        if self.json:
            problem = {"version": 0, "check": "file", "text": str(error)}
            as_json({"transcript": str(path), "outcome": outcome, "problem": problem})
        else:
            line(f"{'too new for this version:' if error.newer else 'BAD '} {path}: {error}")

    def finding(self, path: Path, finding: Finding) -> None:
        self.outcomes.add(finding.outcome)
        if self.json:
            as_json({"transcript": str(path), **finding.plain()})
            return
        problem = finding.problem
        if problem:
            where = str(problem) if problem.version else f"{problem.check}: {problem.text}"
            line(f"BAD  {path}: {where}")
        else:
            line(f"ok   {path}: agrees, as {finding.viewer}: {finding.shown} acts shown, {finding.sent} commands sent")
        for note in finding.notes:
            line(f"     note: {note}")
