"""What is known of persons, outside the logs and erasable: names, contact, and the texts that logs hold marks of.

A mark is a salted hash of a text. `mark` keeps a text with a new salt and returns the mark; the same text of
the same stream gets the same mark as long as it is kept. `forget` erases a person, every text that concerns it, and the
notes of its tokens. Nothing here is remembered in a process, so what is erased is gone at once.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager
from typing import NamedTuple, Protocol
from uuid import UUID

from pinochle.errors import BadInput, Rejected

from services.admission import TooMuch
from services.connections import Clock, Connections, Sleep
from services.handle import Streams
from services.rpc import Forbidden
from services.stream import CommandReused, Stream

NAME_LENGTH_MAX = 80
CONTACT_LENGTH_MAX = 200
TEXTS_MAX = 1_000
"""Texts and names that one query fetches."""
Mark = Callable[[bytes, str], str]
"""The mark of a text with a salt."""


class Person(NamedTuple):
    """A player's display name, and how to reach it; either may be empty."""

    name: str
    contact: str


class People(Protocol):
    """What services need of it."""

    async def start(self) -> None:
        """Connect."""

    async def mark(self, stream: bytes, text: str, players: Iterable[str]) -> str:
        """Keep a text of this stream that concerns these players; its mark."""

    async def drop(self, mark: str) -> None:
        """Take one wish for a mark back, which put it into no log; the text is erased with the last."""

    async def texts(self, marks: Collection[str]) -> dict[str, str]:
        """The texts of those marks that are kept."""

    async def names(self, players: Collection[str]) -> dict[str, str]:
        """The display names of those players who have one."""

    async def person(self, player: str) -> Person | None:
        """What is known of a player."""

    async def set_person(self, player: str, name: str | None, contact: str | None) -> None:
        """Change what is known of a player; None leaves it as it is."""

    async def forget(self, player: str) -> int:
        """Erase a player's name, contact, texts and notes of tokens; how many texts that were."""

    async def close(self) -> None:
        """Let go of everything."""


class PeopleStore:
    """People in the schema `people` of a Postgres database. `salt(n)` gives n secret random bytes."""

    def __init__(
        self,
        conninfo: str,
        *,
        mark: Mark,
        salt: Callable[[int], bytes],
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
        connections_max: int,
        connect_seconds_max: float,
        statement_seconds_max: float,
        seconds_max: float,
    ) -> None:
        self._mark = mark
        self._salt = salt
        self._connections = Connections(
            conninfo,
            "people",
            connections_max=connections_max,
            connect_seconds_max=connect_seconds_max,
            statement_seconds_max=statement_seconds_max,
            seconds_max=seconds_max,
            clock=clock,
            sleep=sleep,
        )

    async def start(self) -> None:
        await self._connections.start()

    async def mark(self, stream: bytes, text: str, players: Iterable[str]) -> str:
        salt = self._salt(32)
        row = (self._mark(salt, text), UUID(bytes=stream), salt, text, sorted(set(players)))
        rows, _ = await self._connections.run(_MARK, row)
        return str(rows[0][0])

    async def drop(self, mark: str) -> None:
        await self._connections.run(_DROP, (mark,))

    async def texts(self, marks: Collection[str]) -> dict[str, str]:
        return await self._pairs(_TEXTS, marks)

    async def names(self, players: Collection[str]) -> dict[str, str]:
        return await self._pairs(_NAMES, players)

    async def person(self, player: str) -> Person | None:
        rows, _ = await self._connections.run(_PERSON, (player,))
        return Person(*rows[0]) if rows else None

    async def set_person(self, player: str, name: str | None, contact: str | None) -> None:
        check_person(name, contact)
        await self._connections.run(_SET_PERSON, (player, name, contact, name, contact))

    async def forget(self, player: str) -> int:
        rows, _ = await self._connections.run(_FORGET, (player, player, player))
        return int(rows[0][0])

    async def close(self) -> None:
        await self._connections.close()

    async def _pairs(self, query: str, keys: Collection[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        wanted = list(keys)
        for start in range(0, len(wanted), TEXTS_MAX):
            rows, _ = await self._connections.run(query, (wanted[start : start + TEXTS_MAX],))
            found.update(rows)
        return found


class MemoryPeople:
    """People in this process, lost with it."""

    def __init__(self, mark: Mark, salt: Callable[[int], bytes]) -> None:
        self._mark = mark
        self._salt = salt
        self._persons: dict[str, Person] = {}
        self._texts: dict[str, tuple[bytes, str, set[str]]] = {}
        self._wanted: Counter[str] = Counter()

    async def start(self) -> None:
        pass

    async def mark(self, stream: bytes, text: str, players: Iterable[str]) -> str:
        for mark, (of, kept, concerned) in self._texts.items():
            if (of, kept) == (stream, text):
                concerned.update(players)
                self._wanted[mark] += 1
                return mark
        mark = self._mark(self._salt(32), text)
        self._texts[mark] = (stream, text, set(players))
        self._wanted[mark] = 1
        return mark

    async def drop(self, mark: str) -> None:
        self._wanted[mark] -= 1
        if self._wanted[mark] <= 0:
            self._texts.pop(mark, None)

    async def texts(self, marks: Collection[str]) -> dict[str, str]:
        return {mark: self._texts[mark][1] for mark in marks if mark in self._texts}

    async def names(self, players: Collection[str]) -> dict[str, str]:
        known = self._persons
        return {player: known[player].name for player in players if player in known and known[player].name}

    async def person(self, player: str) -> Person | None:
        return self._persons.get(player)

    async def set_person(self, player: str, name: str | None, contact: str | None) -> None:
        check_person(name, contact)
        known = self._persons.get(player, Person("", ""))
        self._persons[player] = Person(
            known.name if name is None else name, known.contact if contact is None else contact
        )

    async def forget(self, player: str) -> int:
        self._persons.pop(player, None)
        gone = [mark for mark, (_, _, concerned) in self._texts.items() if player in concerned]
        for mark in gone:
            del self._texts[mark]
        return len(gone)

    async def close(self) -> None:
        pass


@asynccontextmanager
async def kept(people: People, streams: Streams, key: bytes, mark: str) -> AsyncIterator[None]:
    """Take the wish for a mark back where the command in this block is refused or changes nothing.

    What became of a command whose answer was lost is not known, and its text stays.
    """
    try:
        yield
    except (Rejected, BadInput, CommandReused, TooMuch, Forbidden):
        await _drop_unless_held(people, await streams.get(key), mark)
        raise
    await _drop_unless_held(people, await streams.get(key), mark)


async def _drop_unless_held(people: People, stream: Stream, mark: str) -> None:
    wanted = mark.encode()
    if not any(wanted in stream.view(version, None) for version in range(stream.version, 0, -1)):
        await people.drop(mark)


def check_person(name: str | None, contact: str | None) -> None:
    """BadInput where a name or a contact cannot be kept."""
    for what, text, most in (("name", name, NAME_LENGTH_MAX), ("contact", contact, CONTACT_LENGTH_MAX)):
        if text is not None and (len(text) > most or not text.isprintable() or text != text.strip()):
            raise BadInput(f"a {what} has at most {most} printable characters and no space at its ends")


_MARK = """insert into people.texts as kept (mark, stream, salt, text, players) values (%s, %s, %s, %s, %s)
on conflict (stream, text) do update set wanted = kept.wanted + 1, players = array(
  select distinct player from unnest(kept.players || excluded.players) player order by player)
returning mark"""

_DROP = """merge into people.texts kept using (select %s::text as mark) refused on kept.mark = refused.mark
when matched and kept.wanted > 1 then update set wanted = kept.wanted - 1
when matched then delete"""

_TEXTS = "select mark, text from people.texts where mark = any(%s)"

_NAMES = "select player, name from people.persons where player = any(%s) and name <> ''"

_PERSON = "select name, contact from people.persons where player = %s"

_SET_PERSON = """insert into people.persons as known (player, name, contact)
values (%s, coalesce(%s, ''), coalesce(%s, '')) on conflict (player) do update
set name = coalesce(%s, known.name), contact = coalesce(%s, known.contact), changed_at = clock_timestamp()"""

_FORGET = """with person as (delete from people.persons where player = %s),
notes as (update auth.tokens set note = '' where player = %s and note <> ''),
gone as (delete from people.texts where players @> array[%s::text] returning 1)
select count(*) from gone"""
