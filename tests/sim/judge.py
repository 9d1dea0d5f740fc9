"""The invariants, checked at each commit and at each answer, from the log alone.

The judge reads what was committed with the audit, not with the write path, and compares with it whatever a server lets
go of. It also remembers what clients were told, so that a later commit cannot make it untrue.
"""

from __future__ import annotations

import zlib
from functools import lru_cache, partial
from struct import pack
from typing import TYPE_CHECKING, Any
from uuid import UUID

import grpc
from pinochle import audit
from pinochle.decider import HOUSE, Act
from pinochle.events import HandDealt, TableOpened, TurnExpired
from pinochle.export import StoredAct as Stored
from pinochle.redact import is_public
from pinochle.state import CLOSED, NONE, OVER
from pinochle.tournament.events import MatchWon, PlacesAwarded, ResultRecorded, TournamentEnded
from pinochle.tournament.lots import table_id
from pinochle.tournament.state import CLOSED as TOURNAMENT_CLOSED
from pinochle.tournament.state import WANTED
from pinochle.wire import codec, tournament_codec

from services.eventstore import Append

if TYPE_CHECKING:
    from tests.sim.network import _Call
    from tests.sim.simulation import Simulation

HOUSE_SECONDS_MAX = 9.0
"""In calm times the house does what is due within it: two sweeps, and what the store takes."""
TURN_SECONDS_MAX = 7.0
"""In calm times a turn ends so long after its deadline and grace: heads compared, a tick, what the store takes."""
TOURNAMENT_SECONDS_MAX = 75.0
"""In calm times a tournament is advanced within it: a sweep leaves one that failed alone for a minute."""
DRIFT_MS_MAX = 100
"""By how much a clock may differ from the database's."""
OPEN_STATUSES = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    }
)
"""Statuses that say: ask again."""
OPEN_REASONS = frozenset({"unavailable", "too_much"})


@lru_cache(64)
def _key(stream: str) -> bytes:
    return UUID(stream).bytes


class _Walk(audit._Walk):
    """The audit of one stream that remembers its acts."""

    def __init__(self, kind: audit.Kind, stream: UUID) -> None:
        super().__init__(kind, stream)
        self.found: list[Act] = []

    def _decoded(self, stored: Stored) -> Any:
        act = super()._decoded(stored)
        if isinstance(act, Act):
            self.found.append(act)
        return act


class Log:
    """One stream as it was committed."""

    def __init__(self, schema: str, key: bytes) -> None:
        self.key = key
        self.is_table = schema == "tables"
        self.walk = _Walk(audit.TABLE if self.is_table else audit.EVENT, UUID(bytes=key))
        self.acts = self.walk.found
        self.by_command: dict[tuple[str, bytes], int] = {}
        self.moved_at = 0.0
        self.turn_at = 0.0  # when the turn that is open began, and how long it lasts
        self.turn_ms = 0
        self._views: dict[tuple[int, int | None], bytes] = {}

    @property
    def state(self) -> Any:
        return self.walk.state

    @property
    def is_closed(self) -> bool:
        return self.state.phase >= (CLOSED if self.is_table else TOURNAMENT_CLOSED)

    def view(self, version: int, viewer: int | None) -> bytes:
        """What the viewer may see of an act."""
        act = self.acts[version - 1]
        if self.is_table and all(map(is_public, act.events)):
            viewer = None
        found = self._views.get((version, viewer))
        if found is None:
            if self.is_table:
                found = codec.for_viewer(act, viewer)
            else:
                found = tournament_codec.encode(act, tournament_codec.command_bytes(act.command))[1]
            self._views[version, viewer] = found
        return found


class Judge:
    """Hears of everything; the first broken invariant ends the simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self.logs: dict[bytes, Log] = {}
        self.open = 0
        self.commits = 0
        self.digest = 0
        self._denied: dict[tuple[bytes, str, bytes], str] = {}
        self._secrets: dict[bytes, bytes] = {}  # seeds that nobody may see yet, to the stream's key
        self._decided: dict[tuple[bytes, str, int], int] = {}

    def fail(self, invariant: str, text: str) -> None:
        self._simulation.fail(invariant, text)

    # -- the log

    def committed(self, schema: str, act: Append) -> None:
        """An act has become durable."""
        simulation = self._simulation
        log = self.logs.get(act.stream)
        if log is None:
            log = self.logs[act.stream] = Log(schema, act.stream)
            self.open += 1
        version = act.version + 1
        self.commits += 1
        self.digest = zlib.crc32(pack(">d", simulation.scheduler.now) + act.hash, self.digest)
        if version != len(log.acts) + 1:
            self.fail("versions have no gaps", f"{log.walk.stream}: act {version} follows act {len(log.acts)}")
            return
        problem = log.walk.step(Stored(version, act.command_id, act.body, act.hash))
        if problem:
            self.fail("the log is sound", f"{log.walk.stream}, act {version}: {problem.check}: {problem.text}")
            return
        stored = log.acts[-1]
        log.moved_at = simulation.scheduler.now
        simulation.note("commit", schema, log.walk.stream.hex[:6], version, stored.author, stored.command)
        log.by_command[stored.author, act.command_id] = version
        denied = self._denied.get((act.stream, stored.author, act.command_id))
        if denied:
            self.fail("what was refused has no effect", f"{log.walk.stream}, act {version} was refused: {denied}")
        who = log.walk.kind.decider.due(log.state)
        if (act.due, act.due_at_ms, act.open) != (who.who, who.by_ms, not log.is_closed):
            self.fail("the head row says who is due", f"{log.walk.stream}, act {version}: {act.due}, not {who}")
        if log.is_table:
            self._table_moved(log, stored)
        else:
            self._tournament_moved(log, stored)
        if log.is_closed:
            self.open -= 1

    def _table_moved(self, log: Log, act: Act) -> None:
        state, now = log.state, self._simulation.scheduler.now
        first = act.events[0]
        if isinstance(first, TurnExpired):
            least = (log.turn_ms + state.table.grace_ms - 2 * DRIFT_MS_MAX) / 1000
            if now - log.turn_at < least:
                text = f"{log.walk.stream}, act {act.version}: seat {first.seat} had {now - log.turn_at:.3f} s"
                self.fail("no turn is cut short", text)
        if state.turn_version == act.version or not log.turn_ms:
            log.turn_at, log.turn_ms = now, state.table.turn_ms
        if isinstance(first, TableOpened):
            self._secrets[first.seed] = log.key
        if log.is_closed:
            opened = log.acts[0].events[0]
            self._secrets.pop(opened.seed, None)
            if opened.boards and any(map(partial(_plays_boards_of, opened), self.logs.values())):
                self.fail("nothing hidden is shown", f"{log.walk.stream} is closed while others play its boards")

    def _tournament_moved(self, log: Log, act: Act) -> None:
        if act.version == 1:
            self._secrets[act.events[0].seed] = log.key
        if log.is_closed:
            self._secrets.pop(log.acts[0].events[0].seed, None)
        for event in act.events:
            if isinstance(event, ResultRecorded):
                self._once(log, f"result of {event.match}", event.attempt)
                self._recorded(log, event)
            elif isinstance(event, MatchWon | PlacesAwarded):
                self._once(log, f"decision of {event.match}", 0)
            elif isinstance(event, TournamentEnded):
                self._once(log, "end", 0)

    def _once(self, log: Log, what: str, number: int) -> None:
        key = (log.key, what, number)
        self._decided[key] = self._decided.get(key, 0) + 1
        if self._decided[key] > 1:
            self.fail("brackets advance exactly once", f"{log.walk.stream}: {what} {number} was recorded twice")

    def _recorded(self, log: Log, event: ResultRecorded) -> None:
        table = self.logs.get(UUID(table_id(str(log.walk.stream), event.match, event.attempt)).bytes)
        if table is None or table.state.phase < OVER:
            self.fail("results are those of the tables", f"{event.match}: its table has not ended")
            return
        state = table.state
        winner = state.winner if state.winner != NONE else -1
        if (winner, tuple(state.totals), state.end_reason) != (event.winner, tuple(event.totals), event.reason):
            self.fail("results are those of the tables", f"{event.match}: {event}, but its table ended otherwise")

    # -- what servers let go of

    def answered(self, call: _Call, message: Any, data: bytes) -> None:
        """A server lets go of an answer."""
        for seed in self._secrets:
            if seed in data and call.name != "Log":
                self.fail("nothing hidden is shown", f"{call.name} shows a seed to {call.client.name}")
        judge = _ANSWERS.get(call.name)
        if judge is not None:
            judge(self, call, message)

    def _act(self, call: _Call, message: Any) -> None:
        request = call.request
        key = _key(request.table)
        author = f"seat:{request.seat}"
        if message.HasField("rejection"):
            self._deny(key, author, request.command_id, message.rejection)
            return
        log = self.logs[key]
        if log.by_command.get((author, request.command_id)) != message.version:
            text = f"{request.table}: {author} was told version {message.version}, the log says otherwise"
            self.fail("an acknowledged command is in the log", text)
            return
        self._seen(log, message.act, request.seat, message.version)

    def _deny(self, key: bytes, author: str, command_id: bytes, rejection: Any) -> None:
        if rejection.reason in OPEN_REASONS:
            return
        if rejection.reason in ("failed", "malformed", "not_allowed", "command_reused"):
            self.fail("no call fails without a reason", f"{author}: {rejection.reason}: {rejection.detail}")
        log = self.logs.get(key)
        if log is not None and (author, command_id) in log.by_command:
            text = f"{author} was refused ({rejection.reason}), but it is act {log.by_command[author, command_id]}"
            self.fail("an acknowledged command is in the log", text)
        self._denied[key, author, command_id] = rejection.reason
        self._simulation.note("refused", author, rejection.reason)

    def _play(self, call: Any, message: Any) -> None:
        memory = call.memory
        for update in message.updates:
            key = _key(update.table)
            log = self.logs[key]
            if update.HasField("rejection"):
                author = memory["sent"].get((update.table, update.command_id))
                if author is not None:
                    self._deny(key, author, update.command_id, update.rejection)
                if not update.version:
                    continue
            place = (update.table, update.seat)
            last = memory["last"].get(place)
            for act in update.acts:
                starts = memory["starts"].get(update.table, {0})
                if (last is None or act.version != last + 1) and act.version - 1 not in starts:
                    text = f"{update.table}, seat {update.seat}: act {act.version} was sent after {last}"
                    self.fail("a viewer's stream is the log", text)
                    return
                self._seen(log, act, update.seat, act.version)
                last = act.version
            if last is not None:
                memory["last"][place] = last
            if update.version > len(log.acts):
                self.fail("a viewer's stream is the log", f"{update.table}: version {update.version} is none")
            elif update.HasField("options") and update.version == len(log.acts):
                state = log.state
                if (state.turn, state.turn_version) != (update.seat, update.turn_version):
                    self.fail("a viewer's stream is the log", f"{update.table}: seat {update.seat} is not on turn")

    def requested(self, call: Any, request: Any) -> None:
        """A client says something on a stream."""
        if call.memory is None:
            call.memory = {"last": {}, "starts": {}, "sent": {}}
        for position in request.resume.positions:
            call.memory["starts"].setdefault(position.table, {0}).add(position.version)
        for act in request.acts:
            call.memory["sent"][act.table, act.command_id] = f"seat:{act.seat}"

    def _watch(self, call: Any, message: Any) -> None:
        request = call.request
        is_table = "TableService" in call.method
        log = self.logs[_key(request.table if is_table else request.tournament)]
        if call.memory is None:
            call.memory = request.after_version
        viewer = None
        if is_table:
            viewer = request.seat if request.HasField("seat") else self._simulation.seat_of(call.token, log)
        for act in message.acts:
            if act.version != call.memory + 1:
                text = f"{log.walk.stream}: a watcher was sent act {act.version} after {call.memory}"
                self.fail("a viewer's stream is the log", text)
                return
            self._seen(log, act, viewer, act.version)
            call.memory = act.version

    def _view(self, call: _Call, message: Any) -> None:
        request = call.request
        log = self.logs[_key(request.table)]
        viewer = request.seat if request.HasField("seat") else self._simulation.seat_of(call.token, log)
        version = request.after_version
        for act in message.acts:
            version += 1
            self._seen(log, act, viewer, version)

    def _seen(self, log: Log, act: Any, viewer: int | None, version: int) -> None:
        """A viewer is shown an act: it is in the log, and is what this viewer may see of it."""
        if act.version != version or not 1 <= version <= len(log.acts):
            text = f"{log.walk.stream}: viewer {viewer} is shown act {act.version}, the log ends at {len(log.acts)}"
            self.fail("a viewer's stream is the log", text)
            return
        if act.SerializeToString() != log.view(version, viewer):
            text = f"{log.walk.stream}: viewer {viewer} is shown another act {version} than the log holds"
            self.fail("a viewer's stream is the log", text)
        stored = log.acts[version - 1]
        if log.is_table and isinstance(stored.events[0], HandDealt):
            dealt = next(event for event in codec.events_from(act) if isinstance(event, HandDealt))
            for seat, hand in enumerate(dealt.hands):
                if seat != viewer and hand == stored.events[0].hands[seat]:
                    self.fail("nothing hidden is shown", f"{log.walk.stream}: viewer {viewer} sees hand {seat}")

    def refused(self, call: _Call, code: grpc.StatusCode, details: str) -> None:
        """A server ends a call with an error."""
        if code not in OPEN_STATUSES and (call.name, code) not in self._simulation.expected:
            self.fail("no call fails without a reason", f"{call.client.name}: {call.name}: {code.name}: {details}")

    def nudged(self, topic: str, nudge: Any, data: bytes) -> None:
        """A nudge goes out: what it says has been committed, and it shows what a spectator may see."""
        for seed in self._secrets:
            if seed in data:
                self.fail("nothing hidden is shown", f"a nudge about {nudge.stream} shows a seed")
        log = self.logs.get(_key(nudge.stream))
        if log is None or nudge.version > len(log.acts):
            self.fail("a nudge follows its commit", f"{nudge.stream}: version {nudge.version} is not in the log")
        elif nudge.view and nudge.view != log.view(nudge.version, None):
            self.fail("a viewer's stream is the log", f"{nudge.stream}: the nudge of act {nudge.version} shows another")

    # -- progress

    def check_progress(self, calm_since: float) -> None:
        """In calm times: nothing that is due stays undone."""
        now, now_ms = self._simulation.scheduler.now, self._simulation.true_ms()
        for log in self.logs.values():
            if log.is_closed:
                continue
            who = log.walk.kind.decider.due(log.state)
            stands = now - max(log.moved_at, calm_since)
            name = f"{'table' if log.is_table else 'tournament'} {log.walk.stream}"
            if not log.is_table:
                if who.who == HOUSE and stands > TOURNAMENT_SECONDS_MAX and self._waits_for_house(log, now):
                    self.fail("everything progresses", f"{name} stands at version {len(log.acts)}")
            elif who.who == HOUSE:
                if stands > HOUSE_SECONDS_MAX:
                    self.fail("everything progresses", f"{name}: the house is due since version {len(log.acts)}")
            elif who.who >= 0 and who.by_ms:
                late = now_ms - who.by_ms - log.state.table.grace_ms
                if late > 1000 * TURN_SECONDS_MAX and stands > TURN_SECONDS_MAX:
                    self.fail("everything progresses", f"{name}: seat {who.who} is late by {late} ms")

    def _waits_for_house(self, log: Log, now: float) -> bool:
        """Whether some result could be recorded, or some table opened, for long."""
        state = log.state
        for match in state.undecided:
            attempt = state.matches[match].attempts[-1]
            table = self.logs.get(UUID(table_id(str(log.walk.stream), match, attempt.number)).bytes)
            if attempt.status != WANTED or table is None:
                return True
            if table.state.phase >= OVER and now - table.moved_at > TOURNAMENT_SECONDS_MAX:
                return True
        return not state.undecided

    def check_end(self) -> None:
        """When all is over: memory agrees with the log."""
        for host in self._simulation.hosts.values():
            for streams in host.streams:
                if not host.is_up or host.loop is not streams[0]:
                    continue
                for stream in streams[1].cached():
                    log = self.logs.get(stream.key)
                    if stream.stale or log is None or stream.version > len(log.acts):
                        if not stream.stale:
                            self.fail("memory agrees with the log", f"{host.name} holds {stream.id} beyond the log")
                        continue
                    if stream.version == len(log.acts) and stream.state != log.state:
                        self.fail("memory agrees with the log", f"{host.name} holds another state of {stream.id}")


def _plays_boards_of(opened: TableOpened, log: Log) -> bool:
    if not log.is_table or log.state.phase >= OVER:
        return False
    return (log.state.table.boards, log.state.table.tournament) == (opened.boards, opened.tournament)


_ANSWERS: dict[str, Any] = {
    "Act": Judge._act,
    "Play": Judge._play,
    "Watch": Judge._watch,
    "View": Judge._view,
}
