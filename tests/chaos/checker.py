"""The checker: holds the record of what clients were told against the log in the database.

It knows nothing of the services; of the project it uses the audit and the comparison of transcripts, and both only
besides checks of its own on the raw messages. A finding is `lost` (acknowledged, and not in the log as it was told),
`doubled` (in effect more than once) or `wrong` (anything else that must not be).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from pinochle import audit, transcript
from pinochle.transcript_audit import compare
from pinochle.transcript_side import DEFINITE
from pinochle.wire.v1 import game_pb2, tournament_pb2

from tests.chaos.ledger import Ledger, Log, Row
from tests.chaos.record import SPECTATOR, Entry

LOST, DOUBLED, WRONG = "lost", "doubled", "wrong"
OUR_PLAYERS = ("p", "q")
"""What the ids of players begin with whose every command is in the record; house bots have none there."""


class Finding(NamedTuple):
    """Something that must not be."""

    sort: str
    stream: str
    version: int
    text: str

    def __str__(self) -> str:
        return f"{self.sort}: {self.stream} act {self.version}: {self.text}"


@dataclass(slots=True)
class Told:
    """What clients know of one stream, gathered from the record."""

    kind: str = "table"
    sent: dict[tuple[str, bytes], list[Entry]] = field(default_factory=lambda: defaultdict(list))  # by viewer and id
    acked: list[Entry] = field(default_factory=list)
    refused: list[Entry] = field(default_factory=list)
    shown: dict[str, list[Entry]] = field(default_factory=lambda: defaultdict(list))  # by viewer
    turns: dict[str, list[Entry]] = field(default_factory=lambda: defaultdict(list))
    opened: list[Entry] = field(default_factory=list)
    directed: list[Entry] = field(default_factory=list)
    heads: list[Entry] = field(default_factory=list)
    results: list[Entry] = field(default_factory=list)


def gather(entries: Iterable[Entry]) -> dict[str, Told]:
    """The record by stream."""
    told: dict[str, Told] = defaultdict(Told)
    for entry in entries:
        mine = told[entry["stream"]]
        what = entry["what"]
        if what == "sent":
            mine.sent[entry["viewer"], entry["id"]].append(entry)
        elif what == "acked":
            mine.acked.append(entry)
        elif what == "refused":
            mine.refused.append(entry)
        elif what == "shown":
            mine.kind = entry["kind"]
            mine.shown[entry["viewer"]].append(entry)
        elif what == "turn":
            mine.turns[entry["viewer"]].append(entry)
        elif what == "opened":
            mine.opened.append(entry)
        elif what == "directed":
            mine.kind = "tournament"
            mine.directed.append(entry)
        elif what == "head":
            mine.heads.append(entry)
        elif what == "result":
            mine.results.append(entry)
        else:
            raise ValueError(f"not an entry of a record: {what!r}")
    return told


def check_now(told: dict[str, Told], ledger: Ledger) -> list[Finding]:
    """What must hold at every moment, games under way included: quick."""
    found: list[Finding] = []
    for stream, mine in told.items():
        log = ledger.get(stream)
        found += _acknowledged(stream, mine, [] if log is None else log.acts)
    for log in ledger.values():
        found += _numbered(log)
        found += _doubled(log)
    return found


def check_all(told: dict[str, Told], ledger: Ledger) -> list[Finding]:
    """What must hold once everything has come to its end."""
    found = check_now(told, ledger)
    tables = {stream: log for stream, log in ledger.items() if log.kind == "table"}
    for stream, log in ledger.items():
        found += _audited(log)
        mine = told.get(stream)
        if mine is not None:
            found += _as_shown(mine, log)
        if log.kind == "table":
            found += _never_sent(stream, mine or Told(), log)
        else:
            found += _results(mine or Told(kind="tournament"), log, tables)
    return found


def check_unchanged(before: dict[str, tuple[int, bytes]], ledger: Ledger) -> list[Finding]:
    """The acts that an earlier look has seen are all there, unchanged: the hash of the last pins those before it."""
    found = []
    for stream, (version, head) in before.items():
        log = ledger.get(stream)
        if log is None or len(log.acts) < version:
            found.append(Finding(LOST, stream, version, "the act was in the log, and is not any more"))
        elif log.acts[version - 1].hash != head:
            found.append(Finding(LOST, stream, version, "another act is in its place in the log"))
    return found


# -- at every moment


def _acknowledged(stream: str, mine: Told, acts: list[Row]) -> Iterator[Finding]:
    """Every acknowledged command is in the log, at the version that was told, with the body that was sent."""
    places: dict[bytes, list[int]] = defaultdict(list)
    for row in acts:
        places[row.command_id].append(row.version)
    by_version = {row.version: row for row in acts}
    at = by_version.get
    for entry in mine.acked:
        row, version = at(entry["version"]), entry["version"]
        if row is None or row.command_id != entry["id"]:
            where = places.get(entry["id"])
            held = f"the log has it at {where}" if where else "the log does not have it"
            yield Finding(LOST, stream, version, f"command {entry['id'].hex()} was acknowledged, {held}")
        elif (body := row.table_body()).author != entry["viewer"]:
            yield Finding(LOST, stream, version, f"the command of {entry['viewer']} is in the log as {body.author}'s")
        elif _sent_form(body.command) != entry["command"]:
            yield Finding(LOST, stream, version, f"command {entry['id'].hex()} is in the log with another body")
    for viewer, shown in mine.shown.items():
        for entry in shown:
            if entry["author"] == viewer and at(entry["version"]) is None:
                yield Finding(LOST, stream, entry["version"], f"the act was told to {viewer}, the log does not have it")
    for entry in mine.opened:
        if at(1) is None or not _opens_with(by_version[1], entry):
            yield Finding(LOST, stream, 1, "the table was opened, the log does not have it so")
    yield from _directed(stream, mine, acts)
    for entry in mine.refused:
        for version in places.get(entry["id"], ()) if entry["reason"] in DEFINITE else ():
            stored = _sent_form(by_version[version].table_body().command)
            # Another body under the same id may well be refused; over a Play stream there is none.
            if entry.get("command", stored) == stored:
                text = f"command {entry['id'].hex()} was refused ({entry['reason']}), the log has it"
                yield Finding(WRONG, stream, version, text)


def _directed(stream: str, mine: Told, acts: list[Row]) -> Iterator[Finding]:
    for entry in mine.directed:
        found = []
        for row in acts[: entry["version"]]:
            body = row.tournament_body()
            if (body.command.WhichOneof("kind") or "").replace("_", "") != entry["directive"].lower():
                continue
            teams = [event.team_entered.team for event in body.events if event.WhichOneof("kind") == "team_entered"]
            if not teams or teams == [entry["team"]]:
                found.append(row.version)
        if len(found) != 1:
            team = f" of team {entry['team']}" if "team" in entry else ""
            text = f"{entry['directive']}{team} was acknowledged, the log has it at {found}"
            yield Finding(DOUBLED if found else LOST, stream, entry["version"], text)


def _opens_with(row: Row, entry: Entry) -> bool:
    for event in row.table_body().events:
        if event.WhichOneof("kind") == "table_opened":
            opened = event.table_opened
            return bool(opened.commitment == entry["commitment"] and list(opened.players) == entry["players"])
    return False


def _numbered(log: Log) -> Iterator[Finding]:
    """Versions without a gap, a chain that holds, and a head row that says the same."""
    for number, row in enumerate(log.acts, 1):
        if row.version != number:
            yield Finding(LOST, log.stream, number, f"the log goes on with act {row.version}")
            return
    last = log.acts[-1].hash if log.acts else b""
    if log.version != len(log.acts) or log.head != last:
        text = f"the head row says version {log.version}, there are {len(log.acts)} acts"
        yield Finding(WRONG, log.stream, log.version, text)
    problem = audit.verify_chain(UUID(log.stream), log.acts)
    if problem is not None:
        yield Finding(WRONG, log.stream, problem.version, problem.text)


def _doubled(log: Log) -> Iterator[Finding]:
    """No id of an author more than once."""
    used: Counter[tuple[str, bytes]] = Counter()
    for row in log.acts:
        body = row.table_body() if log.kind == "table" else row.tournament_body()
        used[body.author, row.command_id] += 1
        if used[body.author, row.command_id] == 2:
            text = f"command {row.command_id.hex()} of {body.author} is in the log again"
            yield Finding(DOUBLED, log.stream, row.version, text)


# -- at the end


def _audited(log: Log) -> Iterator[Finding]:
    """The audit of the library finds nothing, and the stream has come to its end."""
    kind = audit.kind_of(log.kind)
    report = audit.verify(kind, UUID(log.stream), log.acts)
    if not report.ok:
        problem = report.problem
        yield Finding(WRONG, log.stream, problem.version if problem else 0, str(problem or report.outcome))


def _never_sent(stream: str, mine: Told, log: Log) -> Iterator[Finding]:
    """Every act of a seat of ours was sent, by this seat, with this body."""
    ours: set[str] = set()
    for row in log.acts:
        body = row.table_body()
        for event in body.events:
            if event.WhichOneof("kind") == "table_opened":
                players = event.table_opened.players
                ours = {f"seat:{seat}" for seat, player in enumerate(players) if player.startswith(OUR_PLAYERS)}
        if body.author in ours:
            sent = mine.sent.get((body.author, row.command_id), [])
            if not any(entry["command"] == _sent_form(body.command) for entry in sent):
                text = f"command {row.command_id.hex()} of {body.author} was not sent so"
                yield Finding(WRONG, stream, row.version, text)


def _as_shown(mine: Told, log: Log) -> Iterator[Finding]:
    """Each viewer's transcript equals the log as it may see it; announced heads are the last act's."""
    found = compare(audit.kind_of(log.kind), UUID(log.stream), log.acts, list(_transcripts(mine, log)))
    for one in found:
        if one.problem is not None:
            yield Finding(
                LOST if one.problem.check == "missing" else WRONG, log.stream, one.problem.version,
                f"shown to {one.viewer}: {one.problem.check}: {one.problem.text}",
            )  # fmt: skip
    for viewer, entries in mine.shown.items():
        # Who watches is shown every act; a program at least every one before the last that it was shown.
        versions = {entry["version"] for entry in entries}
        whole = viewer == SPECTATOR and (mine.opened or log.kind == "tournament")
        if not whole and not _is_program(mine, viewer):
            continue
        missing = sorted(set(range(1, (log.version if whole else max(versions)) + 1)) - versions)
        if missing:
            yield Finding(LOST, log.stream, missing[0], f"{viewer} was never shown {len(missing)} acts")
    for entry in mine.heads:
        if entry["head"] != log.head.hex():
            yield Finding(WRONG, log.stream, log.version, f"announced as the last act's hash was {entry['head']}")


def _is_program(mine: Told, viewer: str) -> bool:
    """Whether a seat was played over a Play stream."""
    seat = int(viewer[-1]) if viewer != SPECTATOR else -1
    return seat >= 0 and any(entry["players"][seat].startswith("p") for entry in mine.opened)


def _transcripts(mine: Told, log: Log) -> Iterator[transcript.Transcript]:
    """What each viewer kept, in the form that the library compares."""
    viewers = {*mine.shown, *mine.turns, *(viewer for viewer, _ in mine.sent)}
    for viewer in sorted(viewers):
        lines: list[tuple[int, int, transcript.Line]] = []
        for entry in mine.shown.get(viewer, ()):
            lines.append((entry["ms"], 1, transcript.Shown(entry["ms"], entry["version"], entry["act"])))
        for entry in mine.turns.get(viewer, ()):
            turn = (entry["version"], entry["turn_version"], entry["deadline_ms"], entry["options"])
            lines.append((entry["ms"], 2, transcript.Turn(entry["ms"], *turn)))
        for (author, command_id), sent in mine.sent.items():
            if author == viewer:
                for entry in _once(sent):
                    line = transcript.Sent(entry["ms"], command_id, entry["expected"], entry["command"])
                    lines.append((entry["ms"], 0, line))
        for entry in mine.acked:
            if entry["viewer"] == viewer:
                line = transcript.Answered(entry["ms"], entry["id"], entry["version"], "")
                lines.append((entry["ms"], 3, line))
        lines.sort(key=lambda item: item[:2])
        start = lines[0][0] if lines else 0
        whole = (transcript.Head(start, 0), *(line for _, _, line in lines))
        yield transcript.Transcript(transcript.Header(log.kind, UUID(log.stream), viewer, start), whole, 0, False)


def _once(sent: list[Entry]) -> list[Entry]:
    """A command that was sent again is one command; another body under its id is another."""
    first: dict[tuple[int, bytes], Entry] = {}
    for entry in sent:
        first.setdefault((entry["expected"], entry["command"]), entry)
    return list(first.values())


def _results(mine: Told, log: Log, tables: dict[str, Log]) -> Iterator[Finding]:
    """Each result once, as its table ended and as it was shown; every table is pinned as it stands."""
    recorded: dict[tuple[str, int], tournament_pb2.ResultRecorded] = {}
    pinned: dict[str, tuple[int, bytes]] = {}
    for row in log.acts:
        for event in row.tournament_body().events:
            kind = event.WhichOneof("kind")
            if kind == "result_recorded":
                result = event.result_recorded
                key = (result.match, result.attempt)
                if key in recorded or any(result.table == other.table for other in recorded.values()):
                    yield Finding(DOUBLED, log.stream, row.version, f"the result of {key} is recorded again")
                recorded[key] = result
                yield from _as_ended(log, row, result, tables)
            elif kind == "tables_pinned":
                for table in event.tables_pinned.tables:
                    pinned[str(UUID(bytes=table.table))] = (table.acts, table.head)
    for table, (acts, head) in pinned.items():
        held = tables.get(table)
        if acts and (held is None or (held.version, held.head) != (acts, head)):
            yield Finding(WRONG, log.stream, log.version, f"table {table} is not as it was pinned")
    for table, held in tables.items():
        if tournament_of(held) == log.stream and table not in pinned:
            yield Finding(WRONG, log.stream, log.version, f"table {table} was played, and is not pinned")
    for entry in mine.results:
        if entry["phase"] != "closed" or entry["head"] != log.head.hex() or entry["version"] != log.version:
            yield Finding(WRONG, log.stream, log.version, f"shown as {entry['phase']} at version {entry['version']}")
        for match, attempt, table, totals in entry["attempts"]:
            result = recorded.get((match, attempt))
            if totals and (result is None or result.table != table or list(result.totals) != totals):
                text = f"the result of {match}, attempt {attempt} was shown as {totals}, the log has it otherwise"
                yield Finding(LOST if result is None else WRONG, log.stream, log.version, text)


def _as_ended(
    log: Log, row: Row, result: tournament_pb2.ResultRecorded, tables: dict[str, Log]
) -> Iterator[Finding]:
    table = tables.get(result.table)
    if table is None:
        yield Finding(WRONG, log.stream, row.version, f"the result is of table {result.table}, which the log lacks")
        return
    ended = audit.rebuild(table.acts)
    if tuple(result.totals) != tuple(ended.totals):
        text = f"{result.match} is recorded as {list(result.totals)}, its table ended with {list(ended.totals)}"
        yield Finding(WRONG, log.stream, row.version, text)


def tournament_of(log: Log) -> str:
    """The tournament that a table belongs to; empty: none."""
    for event in log.acts[0].table_body().events if log.acts else ():
        if event.WhichOneof("kind") == "table_opened":
            return str(event.table_opened.tournament)
    return ""


def _sent_form(command: game_pb2.Command) -> bytes:
    """A stored command of a player as the player sent it; empty for one of the house."""
    return command.player.SerializeToString() if command.HasField("player") else b""

