"""Lists of tables: pages through all of them, and who is due at the open ones."""

from __future__ import annotations

from functools import cache

from pinochle.errors import BadInput
from pinochle.rules import RuleSet, load, profiles
from pinochle.state import CLOSED, NONE, OVER, PHASES, State
from pinochle.wire.v1 import table_pb2 as pb

from services.eventstore import EventStore
from services.handle import Streams
from services.pages import listed
from services.rpc import stream_key
from services.stream import UNREADABLE, Stream, UnknownStream, Unreadable, id_text
from services.table.index import Index

PAGE_MAX = 200
HEADS_MAX = 1_000
SCANNED_MAX = 1_000
SCANNED_MS_MAX = 2_000
"""Streams that one call looks at, and for how long; a page that finds fewer tables says where to go on."""
SEES_SCORES = ("service", "operator")
SEES_PROGRESS = (*SEES_SCORES, "director", "bots")
"""Roles that see, on boards that other tables still play, the scores; who is due, and how far a table is."""
SEALED = "sealed"
"""The phase of such a table to everybody else: how long a deal took, and who led to its tricks, tells of its cards."""


async def tables(streams: Streams, store: EventStore, request: pb.ListRequest, role: str) -> pb.ListResponse:
    """A page of tables, or the ones asked for by id, as a role may see them."""
    if len(request.tables) > PAGE_MAX:
        raise BadInput(f"at most {PAGE_MAX} tables at a time, not {len(request.tables)}")
    if request.tables:
        found = []
        for table in request.tables:
            try:
                found.append(summary(await _look(streams, stream_key(table, "tables")), role))
            except UnknownStream:
                continue
        return pb.ListResponse(tables=found)
    limit = _limit(request.limit)
    page: list[pb.TableSummary] = []
    rows = await listed(store, request, SCANNED_MAX)
    last = ""
    until_ms = streams.now_ms() + SCANNED_MS_MAX
    for row in rows:
        stream = await _look(streams, row.key)
        last = row.token
        if not request.tournament or (stream.version and stream.state.table.tournament == request.tournament):
            page.append(summary(stream, role))
            page[-1].opened_ms = row.opened_ms
        # A table that is not in memory is read and folded whole.
        if len(page) == limit or streams.now_ms() >= until_ms:
            break
    is_end = len(rows) < SCANNED_MAX and (not rows or last == rows[-1].token)
    return pb.ListResponse(tables=page, next="" if is_end else last)


def due(index: Index, request: pb.ListDueRequest, now_ms: int) -> pb.ListDueResponse:
    """Open tables at which a player has been due for a while, in the order of their ids."""
    limit = _limit(request.limit)
    before_ms = now_ms - request.waiting_ms
    rows = sorted(
        (
            row
            for row in index.rows()
            if row.due >= 0
            and row.id > request.after
            and row.moved_ms <= before_ms
            and row.due_player.startswith(request.player_prefix)
        ),
        key=lambda row: row.id,
    )
    found = [
        pb.TableSummary(
            table=row.id, version=row.version, players=row.players, tournament=row.tournament, match=row.match,
            due_seat=row.due, due_player=row.due_player, deadline_ms=row.due_at_ms or 0, updated_ms=row.moved_ms,
        )
        for row in rows[:limit]
    ]  # fmt: skip
    return pb.ListDueResponse(tables=found, next=found[-1].table if len(rows) > limit else "")


async def heads(store: EventStore, request: pb.HeadsRequest, role: str) -> pb.HeadsResponse:
    """How long these tables are and, of those that are closed, their last hashes; unknown ones are left out.

    How far an open one is, which may be sealed, only some roles are told.
    """
    if len(request.tables) > HEADS_MAX:
        raise BadInput(f"at most {HEADS_MAX} tables at a time, not {len(request.tables)}")
    found = await store.heads([stream_key(table, "tables") for table in request.tables])
    return pb.HeadsResponse(
        heads=[
            pb.TableHead(
                table=id_text(key),
                acts=head.version if role in SEES_PROGRESS or not head.open else 0,
                head=b"" if head.open else head.hash,
            )
            for key, head in found.items()
        ]
    )


def summary(stream: Stream, role: str) -> pb.TableSummary:
    """A table in one row. Where boards are shared, all but who plays there waits until all have ended."""
    state: State = stream.state
    if stream.version == 0:
        return pb.TableSummary(table=stream.id, phase=UNREADABLE)
    opened = state.table
    is_public = not opened.boards or state.phase == CLOSED
    if not is_public and role not in SEES_PROGRESS:
        return pb.TableSummary(
            table=stream.id,
            players=opened.players,
            phase=SEALED,
            tournament=opened.tournament,
            match=opened.match,
            profile=profile_of(opened.rules),
        )
    shows = is_public or role in SEES_SCORES
    seat = state.turn if state.turn >= 0 and not stream.unreadable else None
    return pb.TableSummary(
        table=stream.id,
        version=stream.version,
        players=opened.players,
        phase=UNREADABLE if stream.unreadable else PHASES[state.phase],
        totals=state.totals if shows else (),
        deals=state.deal,
        winner=state.winner if shows and state.winner != NONE else None,
        end_reason=state.end_reason if state.phase >= OVER else "",
        tournament=opened.tournament,
        match=opened.match,
        due_seat=seat,
        due_player="" if seat is None else opened.players[seat],
        deadline_ms=state.deadline_ms,
        profile=profile_of(opened.rules),
        updated_ms=state.now_ms,
    )


async def _look(streams: Streams, key: bytes) -> Stream:
    """The stream for reading; one that cannot be read is shown as far as it can."""
    try:
        return await streams.look(key)
    except Unreadable as error:
        return error.stream


@cache
def profile_of(rules: RuleSet) -> str:
    """The name of the profile with exactly these knobs, or empty."""
    return next((name for name in profiles() if load(name) == rules), "")


def _limit(asked: int) -> int:
    if asked > PAGE_MAX:
        raise BadInput(f"limit: at most {PAGE_MAX}, not {asked}")
    return asked or PAGE_MAX
