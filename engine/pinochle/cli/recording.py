"""What `pinochle play` writes down: the log of the game as an export, and the transcript of who plays or watches."""

from __future__ import annotations

import time
import uuid
from pathlib import Path
from typing import Any

from pinochle import export
from pinochle.audit import TABLE
from pinochle.client.transcripts import TranscriptFolder
from pinochle.decider import Act
from pinochle.export import StoredAct
from pinochle.game import GAME
from pinochle.options import legal
from pinochle.rules import RULES_VERSION
from pinochle.state import OVER, State
from pinochle.wire import chain, codec
from pinochle.wire.v1 import table_pb2 as pb


class Recording:
    """The acts of one game, with the time of day; `seat` None watches. Empty paths write nothing."""

    def __init__(self, seat: int | None, out: str, transcript: str) -> None:
        self.stream = uuid.uuid4()
        self._seat = seat
        self._out = Path(out) if out else None
        if self._out is not None:
            with self._out.open("ab"):  # what cannot be written is better told now than after a whole game
                pass
        self._folder = TranscriptFolder(transcript) if transcript else None
        self._acts: list[StoredAct] = []
        self._at_ms = self._noticed_ms = 0

    def accepted(self, before: State, command: Any, events: tuple[Any, ...]) -> None:
        """Write down an act, and what is seen of it; the command first, as if it had come from elsewhere."""
        command_id = uuid.uuid4().bytes
        seat = getattr(command, "seat", None)
        if self._folder is not None and seat is not None and seat == self._seat:
            self._folder.sent(self._request(before, command, command_id))
        self._at_ms = max(self._at_ms, time.time_ns() // 1_000_000)
        author = "house" if seat is None else f"seat:{seat}"
        act = Act(
            before.version + 1, author, self._at_ms, RULES_VERSION, command_id, command, events,
            noticed_ms=self._noticed_ms, received_ms=self._at_ms,
        )  # fmt: skip
        self._noticed_ms = self._at_ms
        if self._out is not None:
            body = TABLE.at_rest(act)
            head = self._acts[-1].hash if self._acts else chain.START
            link = chain.link(head, self.stream.bytes, act.version, command_id, body)
            self._acts.append(StoredAct(act.version, command_id, body, link))
        if self._folder is not None:
            self._shown(act, GAME.fold(before, events, self._at_ms))

    def finish(self) -> None:
        """Write the export, of a game that was left as far as it went."""
        if self._out is not None:
            self._out.write_bytes(b"".join(export.lines("table", self.stream, self._acts)))

    def _shown(self, act: Act, after: State) -> None:
        assert self._folder is not None
        view = pb.ActView.FromString(codec.for_viewer(act, self._seat))
        news = pb.TableUpdate(table=str(self.stream), version=act.version, acts=[view], over=after.phase >= OVER)
        if self._seat is None:
            watched = pb.WatchResponse(acts=[view], version=act.version)
            self._folder.seen(str(self.stream), None, watched)
            return
        options = legal(after) if after.turn == self._seat else None
        if options is not None:
            news.options.CopyFrom(codec.options_message(options))
            news.turn_version = after.turn_version
        self._folder.seen(str(self.stream), self._seat, news)

    def _request(self, before: State, command: Any, command_id: bytes) -> pb.ActRequest:
        return pb.ActRequest(
            table=str(self.stream),
            expected_version=before.turn_version,
            command_id=command_id,
            command=codec.player_command_message(command),
            seat=command.seat,
        )
