"""Side files: the texts that the logs of an archive hold marks of, and names of players, as JSON lines beside it.

A line of a text is ``{"mark":"text:…","stream":"…","salt":"…","text":"…","players":[…]}``, one of a player
``{"player":"…","name":"…","contact":"…"}``. Unlike the archive it holds what is to be erased on demand: keep it where
that can be done. Its reader holds the marks in memory, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from uuid import UUID

from pinochle import json_lines
from pinochle.cli.settings import CommandError
from pinochle.cli.show import as_json, line
from pinochle.errors import BadInput
from pinochle.export import Stored
from pinochle.players import check_player
from pinochle.texts import MARK, SALT_BYTES, is_mark, mark

LINE_BYTES_MAX = 64 << 10


class Text(NamedTuple):
    """A text with its salt: `mark` is what the log of `stream` holds; `players` are those whom it concerns."""

    mark: str
    stream: UUID
    salt: bytes
    text: str
    players: tuple[str, ...]


class Player(NamedTuple):
    """A player's display name and contact."""

    player: str
    name: str
    contact: str


def text_line(text: Text) -> bytes:
    """The line of a text."""
    said = {"mark": text.mark, "stream": str(text.stream), "salt": text.salt.hex(), "text": text.text}
    return json_lines.line({**said, "players": list(text.players)})


def player_line(player: Player) -> bytes:
    """The line of a player."""
    return json_lines.line(player._asdict())


def read(file: BinaryIO) -> Iterator[Text | Player]:
    """The lines of a side file; BadInput for the first that is none, or whose text does not have the mark."""
    number = 0
    while record := file.readline(LINE_BYTES_MAX + 1):
        number += 1
        try:
            said = json.loads(record) if len(record) <= LINE_BYTES_MAX else None
            yield _player(said) if isinstance(said, dict) and "player" in said else _text(said)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            if isinstance(error, BadInput):
                raise BadInput(f"line {number}: {error}") from None
            raise BadInput(f"line {number}: not a line of a side file") from None


def _player(said: dict[str, str]) -> Player:
    player = Player(said["player"], said["name"], said["contact"])
    for value in player:
        value.encode()  # a half of a surrogate pair is no text
    check_player(player.player)
    return player


def _text(said: Any) -> Text:
    stream, salt, players = UUID(said["stream"]), bytes.fromhex(said["salt"]), tuple(map(str, said["players"]))
    text = Text(str(said["mark"]), stream, salt, str(said["text"]), players)
    for player in players:
        check_player(player)
    if not is_mark(text.mark) or len(text.salt) != SALT_BYTES:
        raise BadInput(f"not a mark with a salt of {SALT_BYTES} bytes")
    expected = mark(text.salt, text.text)
    if text.mark != expected:
        raise BadInput(f"the text does not have the mark {text.mark}, but {expected}")
    return text


class Marks:
    """The marks of a side file, held beside the logs that they should be in."""

    def __init__(self, path: str) -> None:
        self._marks: dict[UUID, set[bytes]] = {}
        self._path = path
        self._held = self._missing = 0
        try:
            with Path(path).open("rb") as file:
                for said in read(file):
                    if isinstance(said, Text):
                        self._marks.setdefault(said.stream, set()).add(said.mark.encode())
        except BadInput as error:
            raise CommandError(f"{path}: {error}") from None

    def through(self, stream: UUID, acts: Iterable[Stored]) -> Iterator[Stored]:
        """The acts of a stream; the marks in them are noted."""
        known = self._marks.get(stream, set())
        held: set[bytes] = set()
        for act in acts:
            held.update(MARK.findall(act.body))
            yield act
        self._held += len(held & known)
        self._missing += len(held - known)
        self._marks[stream] = known - held

    def show(self, json: bool) -> bool:
        """Say how the texts and the logs that were seen fit; False where a text's mark is in no log."""
        strays = [(stream, stray.decode()) for stream, left in self._marks.items() for stray in left]
        if json:
            figures = {"texts": self._held, "missing": self._missing, "strays": [stray for _, stray in strays]}
            as_json({"source": self._path, "outcome": "bad" if strays else "ok", **figures})
            return not strays
        for stream, stray in strays:
            line(f"BAD  {self._path}: {stray} is not in the log of {stream}")
        line(f"{self._path}: {self._held} texts fit the logs; of {self._missing} marks there the text is not here")
        return not strays
