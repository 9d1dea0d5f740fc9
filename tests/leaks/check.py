"""The law on one game: for each viewer, what it receives is the same in every world that agrees with what it has seen.

The script is played once with everybody listening. Then, for each viewer and each other deal that it cannot tell from
the script's, the table goes back to before the deal and is played anew with that deal; whatever reaches the viewer with
each act must be what reached it before, byte for byte.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from pinochle import commands as c
from pinochle.cards import hand_of
from pinochle.commands import PLAYER_COMMANDS, CloseTable, Command, DealCards, ExpireTurn
from pinochle.options import legal
from pinochle.wire import codec
from pinochle.wire.knobs import rules_message
from pinochle.wire.v1 import access_pb2, table_pb2

from services.stream import Stream
from tests.leaks.process import ACCESS, ENDED, TABLES, Ear, Service, change, metrics_text
from tests.leaks.script import ELSEWHERE, PLAYERS, Script, write
from tests.leaks.worlds import Leak, Other, Viewer, others

HEARTBEAT_SECONDS = 5.0
SECONDS_A_STEP = 60.0
CHECKPOINTS_A_DEAL = 2
PROBES_A_CHECKPOINT = 5
METRICS_EVERY = 5
"""One other deal in so many is also held to the metrics: their text takes as long as twenty acts."""


Counts = Counter[str]
"""What was compared: other deals by kind, prefixes by whether another deal was found, acts and bytes."""


class Visitors:
    """Those who are connected to a table: each viewer's streams."""

    def __init__(self, service: Service, table: str, tokens: dict[Viewer, str], plays: bool) -> None:
        self._service = service
        self.table = table
        self._tokens = tokens
        self._plays = plays
        self.watch: dict[Viewer, Ear] = {}
        self.play: dict[Viewer, Ear] = {}

    async def connect(
        self, watchers: Iterable[Viewer], players: Iterable[int], since: int, told: dict[int, int]
    ) -> None:
        """Open the streams, as somebody does who knows all up to a version."""
        for viewer in watchers:
            request = table_pb2.WatchRequest(table=self.table, after_version=since)
            self.watch[viewer] = self._service.listen(TABLES + "Watch", self._tokens[viewer], request)
        for seat in players:
            positions = [table_pb2.Position(table=self.table, version=told.get(seat, 0))]
            first = table_pb2.PlayRequest(resume=table_pb2.Resume(positions=positions), follow=[self.table])
            self.play[seat] = self._service.listen(TABLES + "Play", self._tokens[seat], first)
        await self._service.loop.settle()

    async def close(self) -> None:
        """Hang up everywhere."""
        for ear in (*self.watch.values(), *self.play.values()):
            await ear.close()

    def take(self, viewer: Viewer) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
        """What came to a viewer since this was asked last, by watching and by playing."""
        play = self.play.get(viewer)
        watch = self.watch.get(viewer)
        return watch.take() if watch else (), play.take() if play else ()


class Table:
    """One script at the service."""

    def __init__(self, service: Service, script: Script, tokens: dict[str, str]) -> None:
        self.service = service
        self.script = script
        self.key = UUID(int=script.number + (1 << 100), version=4).bytes
        self.id = str(UUID(bytes=self.key))
        self.tokens: dict[Viewer, str] = {seat: tokens[PLAYERS[seat]] for seat in range(script.rules.players)}
        self.tokens[None] = tokens["spectator"]
        self.director = tokens["director"]
        chance = random.Random(f"check {script.number}")
        self.plays = chance.randrange(3) == 0  # all act over their Play streams, or by calls of Act
        self.checkpoints = _checkpoints(script, chance)
        self.measured = chance.choice(sorted(self.checkpoints)) if self.checkpoints else -1
        self.heard: list[dict[Viewer, dict[str, Any]]] = []
        self.kept: dict[int, tuple[Stream, dict[int, int]]] = {}

    async def base(self) -> None:
        """Play the script with everybody listening; what each hears with each act is kept."""
        script, service = self.script, self.service
        service.decks = lambda state: self._deck(script.lines, state.version)
        visitors = Visitors(service, self.id, self.tokens, self.plays)
        told: dict[int, int] = {}
        await self._open()
        seats = range(script.rules.players)
        viewers = script.viewers
        await visitors.connect(viewers, seats, 1, dict.fromkeys(seats, 1))
        for viewer in viewers:
            visitors.take(viewer)
        told = dict.fromkeys(seats, 1)
        self.heard = [{} for _ in script.lines]
        for at, line in enumerate(script.lines[1:], start=1):
            if isinstance(line.command, DealCards):
                self.kept[at] = (service.kept(self.key), dict(told))
            heard = await self._step(at, line.command, visitors, viewers, metrics=at == self.measured)
            self.heard[at] = heard
            for seat in seats:
                for message in (*heard[seat]["play"], *heard[seat].get("refused", ())):
                    told[seat] = max(told[seat], _version_of(message))
        await visitors.close()

    async def other(self, other: Other, counts: Counts, *, metrics: bool) -> None:
        """Play another deal with its viewer listening, and compare with each act."""
        script, service = self.script, self.service
        lines = [*script.lines[: other.start]]
        kept, told = self.kept[other.start]
        deck = other.commands[0].deck  # type: ignore[union-attr]
        service.decks = lambda state: deck if state.version == other.start else self._deck(script.lines, state.version)
        service.go_back(kept)
        service.now_ms = script.lines[other.start - 1].at_ms
        visitors = Visitors(service, self.id, self.tokens, self.plays)
        seats = range(script.rules.players) if self.plays else [other.viewer] if other.viewer is not None else []
        await visitors.connect([other.viewer], seats, len(lines), told)
        visitors.take(other.viewer)
        for at, command in enumerate(other.commands, start=other.start):
            measures = metrics and at == self.measured
            heard = await self._step(at, command, visitors, [other.viewer], metrics=measures)
            self._compare(at, other, heard[other.viewer], self.heard[at][other.viewer], counts)
        await visitors.close()
        counts[other.kind] += 1

    async def _open(self) -> None:
        opening = self.script.opening
        self.service.now_ms = self.script.lines[0].at_ms
        request = table_pb2.OpenRequest(
            table=self.id, profile="classic", knobs=rules_message(opening.rules).knobs, players=opening.players,
            dealer=opening.dealer, seed=opening.seed, turn_ms=opening.turn_ms, deal_limit=opening.deal_limit,
            boards=opening.boards,
        )  # fmt: skip
        await self.service.call(TABLES + "Open", self.director, request)
        await self.service.loop.settle()
        assert 1 == self.service.stream(self.key).version

    async def _step(
        self, at: int, command: Command, visitors: Visitors, viewers: list[Viewer], *, metrics: bool
    ) -> dict[Viewer, dict[str, Any]]:
        """One act, whoever it comes from, and what the viewers hear of it."""
        service = self.service
        service.now_ms = self.script.lines[at].at_ms
        service.seconds += SECONDS_A_STEP
        redis, log = len(service.redis.published), len(service.log.written)
        before = metrics_text() if metrics else []
        answer = await self._act(at, command, visitors)
        figures = change(before, metrics_text()) if metrics else None
        shared = {"redis": service.redis.published[redis:], "log": service.log.written[log:]}
        heard: dict[Viewer, dict[str, Any]] = {}
        for viewer in viewers:
            watch, play = visitors.take(viewer)
            heard[viewer] = {"watch": watch, "play": play, **shared}
            if answer is not None and viewer == command.seat:  # type: ignore[union-attr]
                heard[viewer]["act"] = answer
            if metrics:
                heard[viewer]["metrics"] = figures
        if at in self.checkpoints:
            await service.loop.advance(HEARTBEAT_SECONDS)
            for viewer in viewers:
                heard[viewer]["heartbeat"] = visitors.take(viewer)
            for viewer in viewers:
                heard[viewer]["probes"] = await self._probes(at, viewer)
                heard[viewer]["refused"] = await self._refused_on_stream(at, viewer, visitors)
        del service.redis.published[redis:], service.log.written[log:]
        return heard

    async def _act(self, at: int, command: Command, visitors: Visitors) -> bytes | None:
        service = self.service
        if isinstance(command, (DealCards, CloseTable)):
            await service.let_house(service.stream(self.key))
            return None
        if isinstance(command, ExpireTurn):
            await service.expire()
            return None
        assert isinstance(command, PLAYER_COMMANDS)
        request = self._request(at, command, self.script.states[at].turn_version)
        if self.plays and command.seat in visitors.play:
            visitors.play[command.seat].send(table_pb2.PlayRequest(acts=[request]))
            await service.loop.settle()
            return None
        answer = await service.call(TABLES + "Act", self.tokens[command.seat], request)
        await service.loop.settle()
        return answer

    def _request(self, at: int, command: Any, expected: int, salt: int = 0) -> table_pb2.ActRequest:
        return table_pb2.ActRequest(
            table=self.id,
            expected_version=expected,
            command_id=(salt << 64 | at).to_bytes(16, "big"),
            command=codec.player_command_message(command),
        )

    async def _probes(self, at: int, viewer: Viewer) -> list[bytes]:
        """What a viewer can find out by asking, allowed or not."""
        chance = random.Random(f"{self.script.number} {at} {viewer}")
        token = self.tokens[viewer]
        asked = [(TABLES + "View", table_pb2.ViewRequest(table=self.id)), *self._wishes(at, viewer, chance)]
        return [await self.service.call(method, token, request) for method, request in asked]

    def _wishes(self, at: int, viewer: Viewer, chance: random.Random) -> list[tuple[str, Any]]:
        table, seat = self.id, chance.randrange(4)
        wishes: list[tuple[str, Any]] = [
            (TABLES + "View", table_pb2.ViewRequest(table=table, after_version=max(0, at - chance.randrange(4)))),
            (TABLES + "View", table_pb2.ViewRequest(table=table, seat=seat)),
            (TABLES + "List", table_pb2.ListRequest(tables=[table])),
            (TABLES + "View", table_pb2.ViewRequest(table=table, head_only=True)),
            (TABLES + "View", table_pb2.ViewRequest(table=table, after_version=at + 50, at_ms=1)),
            (TABLES + "List", table_pb2.ListRequest(open=True)),
            (TABLES + "List", table_pb2.ListRequest(latest_first=True)),
            (TABLES + "Heads", table_pb2.HeadsRequest(tables=[table])),
            (TABLES + "ListDue", table_pb2.ListDueRequest()),
            (TABLES + "Void", table_pb2.VoidRequest(table=table, reason="no more")),
            (TABLES + "Close", table_pb2.CloseRequest(table=table)),
            (TABLES + "Open", table_pb2.OpenRequest(table=table, profile="classic", players=PLAYERS)),
            (TABLES + "Act", b"\xff\xff"),
            (ACCESS + "WhoAmI", access_pb2.WhoAmIRequest()),
            (ACCESS + "Status", access_pb2.StatusRequest()),
        ]
        if self.script.lines[-1].command.__class__ is not CloseTable or at < len(self.script.lines) - 1:
            wishes += [(TABLES + "Act", request) for request in self._illegal(at, viewer, chance, 4)]
        return chance.sample(wishes, min(PROBES_A_CHECKPOINT, len(wishes)))

    def _illegal(self, at: int, viewer: Viewer, chance: random.Random, number: int) -> list[table_pb2.ActRequest]:
        """Commands of a viewer that its own view says are not allowed: random ones of every kind."""
        state = self.script.states[at + 1]
        options = legal(state) if state.turn == viewer else None
        seat = viewer if viewer is not None else chance.randrange(self.script.rules.players)
        tried: list[table_pb2.ActRequest] = []
        for salt in range(1, number + 1):
            command = _any_command(self.script, seat, chance)
            if options is not None and command in options:
                continue
            expected = state.turn_version if chance.randrange(4) else chance.randrange(at + 3)
            tried.append(self._request(at, command, expected, salt))
        return tried

    async def _refused_on_stream(self, at: int, viewer: Viewer, visitors: Visitors) -> tuple[bytes, ...]:
        """The same over the viewer's Play stream."""
        ear = visitors.play.get(viewer)
        if ear is None or viewer is None:
            return ()
        chance = random.Random(f"stream {self.script.number} {at} {viewer}")
        tried = self._illegal(at, viewer, chance, 2)
        if not tried:
            return ()
        ear.send(table_pb2.PlayRequest(acts=tried))
        await self.service.loop.settle()
        return ear.take()

    def _compare(self, at: int, other: Other, mine: dict[str, Any], theirs: dict[str, Any], counts: Counts) -> None:
        for channel, got in mine.items():
            expected = theirs.get(channel)
            if got != expected:
                who = "a spectator" if other.viewer is None else f"seat {other.viewer}"
                raise Leak(
                    f"game {self.script.number} ({self.script.profile}): {who} receives something else at version "
                    f"{at + 1} over {channel}, where only cards differ that it cannot know ({other.kind} from version "
                    f"{other.start + 1}): {_difference(expected, got)}"
                )
        counts["acts compared"] += 1
        counts["bytes compared"] += _bytes_in(mine)

    @staticmethod
    def _deck(lines: list[Any], version: int) -> tuple[int, ...]:
        deck: tuple[int, ...] = lines[version].command.deck
        return deck


async def check(service: Service, number: int, tokens: dict[str, str], counts: Counts) -> None:
    """Hold one game to the law; Leak where it is broken."""
    boards = f"round {number}" if number % 7 == 3 else ""
    script = write(number, boards)
    table = Table(service, script, tokens)
    chance = random.Random(f"others {number}")
    try:
        await table.base()
        for viewer in script.viewers:
            agreed: set[int] = set()
            for order, other in enumerate(others(script, viewer, chance)):
                await table.other(other, counts, metrics=(number + order) % METRICS_EVERY == 0)
                agreed |= set(range(other.start, other.end + 1))
            counts["prefixes with another deal"] += len(agreed)
            counts["prefixes"] += sum(1 for line in script.lines[1:] if line.command.__class__ is not CloseTable)
    finally:
        service.forget(table.key)


async def tokens_of(service: Service) -> dict[str, str]:
    """Tokens for everybody who comes up in a check."""
    found = {name: await service.token("player", name) for name in (*PLAYERS, *ELSEWHERE)}
    for role in ("spectator", "director", "operator"):
        found[role] = await service.token(role)
    return found


def _checkpoints(script: Script, chance: random.Random) -> set[int]:
    """Lines after which viewers also ask around: some in each deal, its first and its last among them."""
    deals = [at for at, line in enumerate(script.lines) if isinstance(line.command, DealCards)]
    found: set[int] = set()
    for start, end in zip(deals, [*deals[1:], len(script.lines)], strict=True):
        found |= {start, *chance.sample(range(start, end), min(CHECKPOINTS_A_DEAL - 1, end - start))}
    return found


def _any_command(script: Script, seat: int, chance: random.Random) -> Any:
    cards = script.rules.cards
    some = hand_of(chance.sample(cards, 3))
    return chance.choice(
        [
            c.PlayCard(seat, chance.choice(cards)), c.PlayCard(seat, chance.choice(cards)),
            c.PlaceBid(seat, chance.choice((1, 100, 250, 10**6))), c.Pass(seat, bool(chance.randrange(2))),
            c.NameTrump(seat, chance.randrange(4)), c.PassCards(seat, some), c.Concede(seat), c.KeepDeal(seat),
            c.ThrowIn(seat), c.ExchangeDix(seat, chance.choice(cards)),
            c.LayMeld(seat, chance.choice(("pinochle", "marriage", "dix")), some), c.Draw(seat),
        ]
    )  # fmt: skip


def _version_of(message: bytes) -> int:
    """The version up to which a message of a Play stream tells; 0 for its end."""
    updates = [] if message == ENDED else table_pb2.PlayResponse.FromString(message).updates
    return max((update.version for update in updates), default=0)


def _difference(expected: Any, got: Any) -> str:
    return f"expected {expected!r:.600}, got {got!r:.600}"


def _bytes_in(heard: Any) -> int:
    if isinstance(heard, bytes):
        return len(heard)
    if isinstance(heard, dict):
        return sum(map(_bytes_in, heard.values()))
    return sum(map(_bytes_in, heard)) if isinstance(heard, (list, tuple)) else 0
