"""Transcripts against the log: name the first point in which a log differs from what a viewer was shown and sent.

`compare` walks the acts of one stream once, redacts each for the viewer of each transcript, and holds them beside what
that transcript has. What a transcript lacks, because it began late, was interrupted or cut off, is a note and no
difference. What is checked, and what times can show, is written down in `docs/transcripts.md`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from pinochle import export
from pinochle.audit import BAD, OK, TABLE, Kind, Problem
from pinochle.decider import record
from pinochle.rules import RULES_VERSION
from pinochle.transcript import OWN, SPECTATOR, Sent, Transcript
from pinochle.transcript_side import Side

SEATS = 4


@record
class Finding:
    """What became of one transcript: `problem` is the first difference, or None."""

    stream: UUID
    viewer: str  # as whom it was compared
    shown: int  # acts
    sent: int  # commands
    problem: Problem | None
    notes: tuple[str, ...]

    @property
    def outcome(self) -> str:
        return BAD if self.problem else OK

    def plain(self) -> dict[str, Any]:
        """The finding as values that JSON can hold."""
        problem = self.problem
        return {
            "stream": str(self.stream),
            "viewer": self.viewer,
            "outcome": self.outcome,
            "shown": self.shown,
            "sent": self.sent,
            "problem": problem and {"version": problem.version, "check": problem.check, "text": problem.text},
            "notes": list(self.notes),
        }


def compare(
    kind: Kind,
    stream: UUID,
    acts: Iterable[export.Stored],
    transcripts: Sequence[Transcript],
    *,
    must_end: bool = True,
) -> list[Finding]:
    """A finding for each transcript. Those of one seat count together for what that seat sent.

    With `must_end` the acts are taken to be the whole log, so that it lacks what was shown beyond them.
    """
    sent: dict[int | None, dict[bytes, list[Sent]]] = defaultdict(lambda: defaultdict(list))
    sides: list[list[Side]] = []
    for transcript in transcripts:
        candidates = [Side(kind, transcript, viewer) for viewer in _viewers(kind, stream, transcript)]
        sides.append(candidates)
        for side in candidates if len(candidates) == 1 else ():
            for line in side.sent:
                sent[side.viewer][line.command_id].append(line)
    log = _Log(kind)
    trouble = log.walk(acts, [side for candidates in sides for side in candidates], sent)
    found = []
    for transcript, candidates in zip(transcripts, sides, strict=True):
        for side in candidates:
            side.end(log.acts, log.head, trouble, must_end)
        best = max(candidates, key=_agreement, default=None)
        found.append(_foreign(kind, stream, transcript) if best is None else _finding(stream, best))
    return found


def _viewers(kind: Kind, stream: UUID, transcript: Transcript) -> Sequence[int | None]:
    header = transcript.header
    if header.stream != stream or header.kind != kind.name:
        return ()
    if kind is not TABLE or header.viewer == SPECTATOR:
        return (None,)
    return (None, *range(SEATS)) if header.viewer == OWN else (int(header.viewer[-1]),)


def _foreign(kind: Kind, stream: UUID, transcript: Transcript) -> Finding:
    header = transcript.header
    text = f"expected one of {kind.name} {stream}, found one of {header.kind} {header.stream}"
    return Finding(header.stream, header.viewer, 0, 0, Problem(0, "stream", text), ())


def _finding(stream: UUID, side: Side) -> Finding:
    viewer = SPECTATOR if side.viewer is None else f"seat:{side.viewer}"
    return Finding(stream, viewer, len(side.shown), len(side.sent_by_id), side.problem, tuple(side.notes))


def _agreement(side: Side) -> tuple[bool, int]:
    return side.problem is None, side.problem.version if side.problem else 0


class _Log:
    """The log's acts one by one, with the state before and after each."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.state = kind.decider.initial()
        self.acts = 0
        self.head = b""
        self.has_other_rules = False

    def walk(
        self,
        acts: Iterable[export.Stored],
        sides: Sequence[Side],
        sent: dict[int | None, dict[bytes, list[Sent]]],
    ) -> Problem | None:
        """Show every act to every side; what keeps the log from being read on, or None."""
        try:
            for stored in acts:
                act = self.kind.from_rest(stored.version, stored.command_id, stored.body)
                if act.version != self.acts + 1:
                    return self._trouble(f"act {act.version} comes next")
                before = self.state
                self.state = self.kind.decider.fold(before, act.events, act.at_ms)
                self.acts, self.head = self.acts + 1, stored.hash
                self.has_other_rules = self.has_other_rules or act.rules_version != RULES_VERSION
                for side in sides:
                    side.see(act, before, self.state, self.has_other_rules, sent[side.viewer])
        except export.BadExport as error:
            return self._trouble(str(error))
        except Exception as error:  # a file may hold anything
            return self._trouble(f"{error.__class__.__name__}: {error}")
        return None

    def _trouble(self, why: str) -> Problem:
        return Problem(self.acts + 1, "log", f"expected the next act of the log, found that it cannot be read ({why})")
