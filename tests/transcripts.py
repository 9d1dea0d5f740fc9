"""Transcripts for tests: what an honest client keeps of acts as they are played."""

from collections.abc import Iterable, Sequence
from io import BytesIO
from uuid import UUID

from pinochle.commands import PLAYER_COMMANDS
from pinochle.decider import Act
from pinochle.game import GAME
from pinochle.options import legal
from pinochle.state import State
from pinochle.transcript import (
    Head,
    Header,
    Line,
    Opened,
    Sent,
    Shown,
    Transcript,
    Turn,
    header_bytes,
    line_bytes,
    read,
)
from pinochle.wire import codec, kept, tournament_codec

from tests.played import START_MS, STREAM

CAME_MS, LEFT_MS = 20, 15
"""How long an act takes to come, and a command to go."""


def viewer_name(viewer: int | None) -> str:
    """A viewer as headers name it."""
    return "spectator" if viewer is None else f"seat:{viewer}"


def kept_of(
    acts: Sequence[Act],
    viewer: int | None,
    *,
    breaks: Sequence[int] = (),
    ahead_ms: int = 0,
    stream: UUID = STREAM,
    name: str = "",
) -> Transcript:
    """What the viewer keeps of these acts, the program started anew after each of the versions in `breaks`.

    Acts just after a break were made by another program of the same seat: these commands are not in it. `ahead_ms` is
    how far the keeper's clock is ahead of the house's.
    """
    state: State = GAME.initial()
    lines: list[Line] = []
    for act in acts:
        clock_ms = act.at_ms + ahead_ms + CAME_MS
        if act.version - 1 in breaks:
            lines.append(Opened(clock_ms))
        mine = act.author == f"seat:{viewer}" and isinstance(act.command, PLAYER_COMMANDS)
        if mine and act.version - 1 not in breaks:
            sent_ms = (act.received_ms or act.at_ms) + ahead_ms - LEFT_MS
            command = kept.command_bytes(act.command)
            lines.append(Sent(sent_ms, act.command_id, state.turn_version, command))
        state = GAME.fold(state, act.events, act.at_ms)
        lines.append(Shown(clock_ms, act.version, codec.for_viewer(act, viewer)))
        if act.version == 1 or act.version - 1 in breaks:
            lines.append(Head(clock_ms, act.version))
        options = legal(state)
        if options is not None and state.turn == viewer:
            told = kept.options_bytes(options)
            lines.append(Turn(clock_ms, act.version, state.turn_version, state.deadline_ms, told))
    header = Header("table", stream, name or viewer_name(viewer), START_MS + ahead_ms)
    return Transcript(header, tuple(lines), 0, False)


def tournament_kept_of(acts: Iterable[Act], stream: UUID = STREAM) -> Transcript:
    """What anybody keeps of a tournament."""
    lines: list[Line] = [Shown(act.at_ms + CAME_MS, act.version, tournament_codec.for_viewer(act)) for act in acts]
    return Transcript(Header("tournament", stream, "spectator", START_MS), tuple(lines), 0, False)


def as_file(transcript: Transcript) -> bytes:
    """The transcript as its file."""
    return header_bytes(transcript.header) + b"".join(map(line_bytes, transcript.lines))


def from_file(data: bytes) -> Transcript:
    """The transcript that a file's bytes are."""
    return read(BytesIO(data))
