"""One transcript beside the log, act by act: what differs first, and what the transcript lacks."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from pinochle.audit import TABLE, Kind, Problem, difference
from pinochle.commands import ExpireTurn
from pinochle.decider import Act
from pinochle.describe import plain
from pinochle.errors import BadInput, Reason
from pinochle.options import legal
from pinochle.transcript import OWN, Answered, Clock, Full, Head, Noted, Opened, Sent, Shown, Transcript, Turn
from pinochle.transcript_times import TOLERANCE_MS, Times
from pinochle.wire import codec, kept, tournament_codec

DEFINITE = frozenset(reason.value for reason in Reason) - {Reason.NOT_ALLOWED, Reason.AHEAD_OF_LOG}
"""Refusals by a rule, which say that the command was not stored. The others may meet a copy that was sent again."""


_IN_EVENTS = ("commitment", "root")
"""Announcements that an event repeats."""


class Side:
    """One transcript, as one viewer's."""

    def __init__(self, kind: Kind, transcript: Transcript, viewer: int | None) -> None:
        self.transcript = transcript
        self.viewer = viewer
        # Commands belong to a seat that is named; what it sent is then all in its own transcripts.
        self.author = "" if viewer is None or transcript.header.viewer == OWN else f"seat:{viewer}"
        self.problem: Problem | None = None
        self.notes: list[str] = []
        self.shown: dict[int, list[Shown]] = defaultdict(list)
        self.turns: dict[int, list[Turn]] = defaultdict(list)
        self.sent: list[Sent] = []
        self.noted: list[Noted] = []
        self.accepted: dict[int, list[bytes]] = defaultdict(list)
        self.answers: dict[bytes, str] = {}  # the last definite answer to each command; empty: it was accepted
        self.unkept: list[tuple[range, Opened]] = []  # versions from before keeping began, or began again
        self.times = Times()
        self._kind = kind
        self._start = Opened(transcript.header.clock_ms)
        self.sent_by_id: dict[bytes, list[Sent]] = defaultdict(list)
        self._found: set[bytes] = set()
        self._elsewhere = 0
        self._before: list[tuple[Act, Opened]] = []  # commands that must be older than this opening
        self._is_full = False
        self._read()

    def _read(self) -> None:
        top = begin = 0
        opening = self._start
        is_open = False  # whether the house has yet said what the head was when keeping began
        for line in (self._start, *self.transcript.lines):
            if isinstance(line, Opened):
                if is_open:
                    self.unkept.append((range(begin + 1, top + 1), opening))
                begin, is_open, opening = top, True, line
            elif isinstance(line, Head) and is_open:
                self.unkept.append((range(begin + 1, min(line.version, top) + 1), opening))
                is_open = False
            elif isinstance(line, Shown):
                self.shown[line.version].append(line)
                top = max(top, line.version)
            elif isinstance(line, Turn):
                self.turns[line.version].append(line)
            elif isinstance(line, Sent):
                self.sent.append(line)
                self.sent_by_id[line.command_id].append(line)
            elif isinstance(line, Answered):
                self._answered(line)
            elif isinstance(line, Noted):
                self.noted.append(line)
            self._is_full = isinstance(line, Full)
            self.times.place(line, begins=isinstance(line, Opened | Clock))
        if is_open:
            self.unkept.append((range(begin + 1, top + 1), opening))
        self.top = top

    def _answered(self, line: Answered) -> None:
        if line.version:
            self.accepted[line.version].append(line.command_id)
        if not line.rejection or line.rejection in DEFINITE:
            self.answers[line.command_id] = line.rejection

    # -- one act of the log

    def see(self, act: Act, before: Any, after: Any, has_other_rules: bool, sent: dict[bytes, list[Sent]]) -> None:
        """Hold the act beside what was shown and sent; the first difference of all acts is the `problem`."""
        if self.problem is not None:
            return
        found = (
            self._announced(act)
            or self._viewed(act)
            or self._answer(act)
            or self._command(act, before, sent)
            or self._turn(act, after, has_other_rules)
            or self._timed(act, before)
        )
        if found:
            self.problem = Problem(act.version, *found)

    def _announced(self, act: Act) -> tuple[str, str] | None:
        for noted in self.noted:
            for event in act.events:
                value = getattr(event, noted.what, None) if noted.what in _IN_EVENTS else None
                if isinstance(value, bytes) and value and value != noted.value:
                    return noted.what, f"announced was {noted.value.hex()}, the log has {value.hex()}"
        return None

    def _viewed(self, act: Act) -> tuple[str, str] | None:
        lines = self.shown.get(act.version)
        if not lines:
            return None
        expected = codec.for_viewer(act, self.viewer) if self._kind is TABLE else tournament_codec.for_viewer(act)
        for line in lines:
            if line.act != expected:
                return "shown", self._otherwise(expected, line.act)
        return None

    def _otherwise(self, expected: bytes, found: bytes) -> str:
        try:
            log, events = kept.act_view(self._kind.name, expected)
            view, others = kept.act_view(self._kind.name, found)
            for name in ("version", "author", "at_ms"):
                one, other = getattr(log, name), getattr(view, name)
                if one != other:
                    return f"{name}: the log has {one}, shown was {other!r:.40}"
            return f"from the log to what was shown: {difference(events, others)}"
        except (BadInput, IndexError):
            return f"the log has an act of {len(expected)} bytes for this viewer, shown were {len(found)} others"

    def _answer(self, act: Act) -> tuple[str, str] | None:
        if not self.author:
            return None
        for command_id in self.accepted.get(act.version, ()):
            if command_id != act.command_id or act.author != self.author:
                found = f"command {act.command_id.hex()} of {act.author}"
                return "answer", f"command {command_id.hex()} was accepted as this act, the log has {found}"
        if act.command_id in self.sent_by_id:
            if act.author != self.author:
                return "author", f"this command was sent by {self.author}, the log has it from {act.author!r:.40}"
            self._found.add(act.command_id)
            refusal = self.answers.get(act.command_id)
            if refusal:
                return "answer", f"this command was refused ({refusal}), the log has it"
        return None

    def _command(self, act: Act, before: Any, sent: dict[bytes, list[Sent]]) -> tuple[str, str] | None:
        if act.author != self.author:
            return None
        lines = sent.get(act.command_id)
        if not lines:
            openings = [opening for versions, opening in self.unkept if act.version in versions]
            if act.version <= self.top and not openings:
                return "sent", f"no such command was sent: {_said(act.command)}, id {act.command_id.hex()}"
            self._elsewhere += 1
            if openings:
                self._before.append((act, openings[-1]))
            return None
        data = kept.command_bytes(act.command)
        same = [line for line in lines if line.command == data]
        if not same:
            return "command", f"sent was {self._sent_words(lines[0])}, the log has {_said(act.command)}"
        if not any(before.turn_version <= line.expected_version <= before.version for line in same):
            turn = f"the turn that began at version {before.turn_version}"
            return "turn", f"sent for the turn of version {same[0].expected_version}, the log has it in {turn}"
        return None

    def _sent_words(self, line: Sent) -> str:
        try:
            return _said(kept.command_from(line.command, self.viewer or 0))
        except BadInput as error:
            return str(error)

    def _turn(self, act: Act, state: Any, has_other_rules: bool) -> tuple[str, str] | None:
        for line in self.turns.get(act.version, ()) if self._kind is TABLE else ():
            if state.turn < 0 or (self.viewer is not None and state.turn != self.viewer):
                who = "nobody's" if state.turn < 0 else f"seat {state.turn}'s"
                return "turn", f"this seat was asked to act, by the log the turn was {who}"
            for name in ("turn_version", "deadline_ms"):
                told, expected = getattr(line, name), getattr(state, name)
                if told != expected:
                    return "turn", f"{name}: the log has {expected}, told was {told}"
            options = legal(state)
            if has_other_rules or options is None:
                continue  # which options other rules offered cannot be told
            if line.options != kept.options_bytes(options):
                return "options", f"by the log {_said(options)}, offered was {_offered(line.options, state.turn)}"
        return None

    def _timed(self, act: Act, before: Any) -> tuple[str, str] | None:
        """Nothing is seen before it happened, and no command received before it was sent."""
        shown = self.shown.get(act.version)
        wrong = self.times.seen(act.version, "this act was decided", act.at_ms, shown) if shown else None
        if wrong or not self.author or before.turn != self.viewer:
            return wrong
        told = [line for line in self.turns.get(before.version, ()) if line.turn_version == before.turn_version]
        if act.noticed_ms and told:
            wrong = self.times.seen(act.version, "the turn was published", act.noticed_ms, told, is_notice=True)
        mine = self.sent_by_id.get(act.command_id)
        if mine and not wrong:
            wrong = self.times.received(act.version, act.received_ms or act.at_ms, mine)
        if isinstance(act.command, ExpireTurn):
            late = [line for line in self.sent if before.turn_version <= line.expected_version <= before.version]
            if late:
                self.times.expired(act.version, act.deadline_ms or before.deadline_ms, late)
        return wrong

    # -- after the last act

    def end(self, acts: int, head: bytes, trouble: Problem | None, must_end: bool) -> None:
        """Say what the log lacks, which has so many acts and this head, and what the transcript does."""
        if self.problem is None:
            beyond = sorted({version for version in (*self.shown, *self.accepted) if not 1 <= version <= acts})
            if beyond and trouble is None and must_end:
                what = "was shown" if beyond[0] in self.shown else "was told to be a command of this seat"
                text = f"this act {what}, the log ends with act {acts}"
                self.problem = Problem(beyond[0], "missing", text)
            elif beyond and trouble is None:
                self.notes.append(f"goes on to act {beyond[-1]}, the log that was given to act {acts}")
            else:
                self.problem = trouble or self._head(acts, head, must_end)
        self.problem = self._younger() or self.problem
        self._gaps(acts)
        open_ids = self.sent_by_id.keys() - self._found
        unanswered = [command_id for command_id in open_ids if not self.answers.get(command_id)]
        if unanswered and self.problem is None:
            self.notes.append(f"{_count(len(unanswered), 'command')} sent, never answered, and not in the log")
        if self._elsewhere:
            self.notes.append(f"{_count(self._elsewhere, 'command')} of this seat made while nothing was kept here")
        self.notes += self.times.notes()

    def _younger(self) -> Problem | None:
        """A command that nobody sent from here, though it was kept here when it was decided, if that is the first."""
        for act, opening in self._before:
            late = self.times.since(opening, act.at_ms)
            if late > TOLERANCE_MS and (self.problem is None or act.version < self.problem.version):
                when = f"{late} ms or more after this program began to keep"
                return Problem(act.version, "sent", f"no such command was sent: {_said(act.command)}, decided {when}")
        return None

    def _head(self, acts: int, head: bytes, must_end: bool) -> Problem | None:
        for noted in self.noted if must_end else ():
            if noted.what == "head" and noted.value != head:
                text = f"announced as the last act's hash was {noted.value.hex()}, the log has {head.hex()}"
                return Problem(acts, "head", text)
        return None

    def _gaps(self, acts: int) -> None:
        if not self.shown:
            self.notes.append("no act was shown")
            return
        missing, after = [], 0
        for version in sorted(self.shown):
            if version > after + 1:
                missing.append(f"act {after + 1}" if version == after + 2 else f"acts {after + 1} to {version - 1}")
            after = version
        if missing:
            more = f" and {len(missing) - 3} more parts" if len(missing) > 3 else ""
            self.notes.append(f"lacks {', '.join(missing[:3])}{more}")
        if self.top < acts:
            self.notes.append(f"ends with act {self.top} of {acts}{', where it was full' if self._is_full else ''}")
        if self.transcript.is_cut:
            self.notes.append("its last line is cut off")


def _said(value: Any) -> str:
    said = plain(value)
    inside = ", ".join(f"{name}={item}" for name, item in list(said.items())[1:])
    return f"{value.__class__.__name__}({inside})"[:160]


def _offered(data: bytes, seat: int) -> str:
    try:
        options = kept.options_from(data, seat)
        return "nothing" if options is None else _said(options)
    except BadInput as error:
        return str(error)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
