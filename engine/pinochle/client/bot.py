"""Play with a bot of your own: `run` connects it, and plays every table that its player sits at.

A bot is an object with ``choose(view, options, chance)``, that function itself, or a class of such objects: a class is
called without arguments for each seat at each table, so that its objects may remember. `view` is a State as the seat
sees it, `options` what it may do, `chance` a `random.Random`; the answer is a command that is in `options`. `choose`
may be a coroutine function.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import random
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from pinochle.client.channel import AsyncClient
from pinochle.client.errors import AheadOfLog, BadBot, ClientError, NewerServer
from pinochle.client.stream import Key, PlayStream
from pinochle.client.tables import TableView
from pinochle.commands import PlayerCommand
from pinochle.errors import Rejected
from pinochle.options import Options

OUTAGE_SECONDS_MAX = 300.0
"""How long `run` goes on trying to reach a server that does not answer; a restart takes seconds."""

TurnCallback = Callable[[TableView, PlayerCommand], None]
ViewCallback = Callable[[TableView], None]
ErrorCallback = Callable[[TableView, Exception], None]
TroubleCallback = Callable[[ClientError], None]


@dataclass(slots=True)
class Played:
    """What was played: turns answered, turns that failed, and tables that ended."""

    turns: int = 0
    failed_turns: int = 0
    ended: int = 0


def run(bot: Any, server: str, token: str, **wishes: Any) -> Played:
    """Play until stopped by Ctrl-C or by a wish; the wishes are those of `play`.

    AccessDenied for a bad token, Unreachable for a server that stays away, ClientError for the rest; each is one line.
    """
    played = Played()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(play(bot, server, token, played=played, **wishes))
    return played


async def play(
    bot: Any,
    server: str,
    token: str,
    *,
    tables: Iterable[str] | None = None,
    tables_max: int | None = None,
    until_over: bool = False,
    seconds_max: float | None = None,
    threads: int = 0,
    chance: random.Random | None = None,
    on_turn: TurnCallback | None = None,
    on_over: ViewCallback | None = None,
    on_error: ErrorCallback | None = None,
    on_trouble: TroubleCallback | None = None,
    credentials: grpc.ChannelCredentials | None = None,
    outage_seconds_max: float = OUTAGE_SECONDS_MAX,
    transcript: Path | str | None = None,
    played: Played | None = None,
) -> Played:
    """Play with the bot at every open table of the token's player, or only at `tables`.

    Stops when `tables_max` tables have ended, with `until_over` when all that it was told of have, or after
    `seconds_max`. `threads` above 0 runs `choose` in that many threads, for a bot that waits or computes for long;
    otherwise its tables take turns.

    `on_turn(view, command)` sees every answer and `on_over(view)` every table that ends; what they raise ends the play.
    `on_error(view, error)` sees every turn for which the bot raised or chose what it may not; that turn is left to the
    house, which plays when its time is up, and the other tables go on. `on_trouble(error)` sees each loss of the
    connection. These two print to stderr by default.

    `transcript` is a folder in which to keep what each seat was shown and sent (docs/transcripts.md).
    """
    chosen = None if tables is None else tuple(tables)
    player = _BotPlayer(
        bot, played or Played(), chance or random.Random(), threads, tables_max, until_over, set(chosen or ()),
        on_turn, on_over, on_error or _print_error,
    )  # fmt: skip
    async with AsyncClient(
        server, token, credentials=credentials, outage_seconds_max=outage_seconds_max, transcript=transcript
    ) as client:
        stream = PlayStream(client, player.changed, followed=chosen, on_trouble=on_trouble or _print_trouble)
        await player.play(stream, seconds_max)
    return player.played


@dataclass(slots=True)
class _BotPlayer:
    """Answers the turns of one stream with a bot."""

    bot: Any
    played: Played
    chance: random.Random
    threads: int
    tables_max: int | None
    until_over: bool
    running: set[str]  # tables that have not ended, as far as is known
    on_turn: TurnCallback | None
    on_over: ViewCallback | None
    on_error: ErrorCallback
    _stream: PlayStream = field(init=False)
    _pool: ThreadPoolExecutor | None = None
    _choose: dict[Key, Callable[..., Any]] = field(default_factory=dict)
    _asked: dict[Key, int] = field(default_factory=dict)  # the turn that the bot was asked about
    _thinking: set[asyncio.Task[None]] = field(default_factory=set)
    _failure: BaseException | None = None

    async def play(self, stream: PlayStream, seconds_max: float | None) -> None:
        """Hold the stream until a wish is fulfilled."""
        self._stream = stream
        if self.threads:
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="bot")
        try:
            async with asyncio.timeout(seconds_max) as limit:
                await stream.run()
        except TimeoutError:
            if not limit.expired():
                raise
        finally:
            for task in self._thinking:
                task.cancel()
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)
        if self._failure is not None:
            raise self._failure

    def changed(self, view: TableView, error: Exception | None) -> None:
        """News of one table: ask the bot where its seat is due and it has not been asked."""
        assert view.seat is not None
        key = (view.table, view.seat)
        if isinstance(error, AheadOfLog):
            self._restarted(view, key)
            return
        if view.over:
            self._ended(view, key)
            return
        if isinstance(error, NewerServer):  # it can be played no further, but the others can
            self.running.discard(view.table)
            self._failed(view, error)
            if self.until_over and not self.running:
                self._stream.stop()
            return
        self.running.add(view.table)
        turn = view.turn_version
        if error is not None and view.state.turn == view.seat and self._asked.get(key) == turn:
            self._failed(view, error)
        elif view.options is not None and self._asked.get(key) != turn:
            self._asked[key] = turn
            self._ask(view, key)

    def _restarted(self, view: TableView, key: Key) -> None:
        """Forget what was asked and remembered; the table begins anew, or is gone."""
        self._asked.pop(key, None)
        self._choose.pop(key, None)
        if key not in self._stream.views:
            self.running.discard(view.table)
            if self.until_over and not self.running:
                self._stream.stop()

    def _ask(self, view: TableView, key: Key) -> None:
        turn, options = view.turn_version, view.options
        assert options is not None
        try:
            choose = self._choose.get(key)
            if choose is None:
                choose = self._choose[key] = _chooser(self.bot)
            if self._pool is None:
                chosen = choose(view.state, options, self.chance)
            else:
                chosen = asyncio.get_running_loop().run_in_executor(
                    self._pool, choose, view.state, options, self.chance
                )
            if inspect.isawaitable(chosen):
                task = asyncio.ensure_future(self._think(view, turn, options, chosen))
                self._thinking.add(task)
                task.add_done_callback(self._thought)
                return
            _check(view, options, chosen)
        except Exception as error:
            self._failed(view, error)
            return
        self._answer(view, turn, chosen)

    async def _think(self, view: TableView, turn: int, options: Options, chosen: Awaitable[Any]) -> None:
        try:
            command = await chosen
            if inspect.isawaitable(command):  # a coroutine function in a thread
                command = await command
            _check(view, options, command)
        except Exception as error:
            self._failed(view, error)
            return
        self._answer(view, turn, command)

    def _thought(self, task: asyncio.Task[None]) -> None:
        self._thinking.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failure = error
            self._stream.stop()

    def _answer(self, view: TableView, turn: int, command: PlayerCommand) -> None:
        if view.turn_version != turn or view.over:
            return  # the house has played while the bot was thinking
        self._stream.answer(view, command)
        self.played.turns += 1
        if self.on_turn is not None:
            self.on_turn(view, command)

    def _failed(self, view: TableView, error: Exception) -> None:
        self.played.failed_turns += 1
        self.on_error(view, error)

    def _ended(self, view: TableView, key: Key) -> None:
        self._choose.pop(key, None)
        self._asked.pop(key, None)
        if view.table not in self.running:
            return
        self.running.discard(view.table)
        self.played.ended += 1
        if self.on_over is not None:
            self.on_over(view)
        if (self.until_over and not self.running) or self.played.ended == self.tables_max:
            self._stream.stop()


def _chooser(bot: Any) -> Callable[..., Any]:
    """The function to ask: of a new object where the bot is a class."""
    if inspect.isclass(bot):
        bot = bot()
    choose = getattr(bot, "choose", bot)
    if not callable(choose):
        raise BadBot(f"{bot!r} is no bot: it has no choose(view, options, chance) and is no function")
    return choose


def _check(view: TableView, options: Options, command: Any) -> None:
    if command not in options or command.seat != view.seat:
        raise BadBot(f"the bot chose {command!r}, which is not among its options {options!r}")


def _print_error(view: TableView, error: Exception) -> None:
    if not isinstance(error, BadBot | Rejected | ClientError):
        traceback.print_exception(error)
    name = error.__class__.__name__
    print(
        f"table {view.table}, seat {view.seat}: {name}: {error}; this turn is left to the house",
        file=sys.stderr,
        flush=True,
    )


def _print_trouble(error: ClientError) -> None:
    print(f"{error}; trying again", file=sys.stderr, flush=True)
