"""One connection to a table service: unary calls with deadlines and bounded retries, and a table's acts as they come.

Every call is safe to repeat: an act carries its command id, an opened table its own id. So a call that finds the
server gone is tried again, for `outage_seconds_max` at most, and an act that was stored before the connection broke
is answered as it was the first time.
"""

from __future__ import annotations

import asyncio
import json
import random
import uuid
from collections.abc import AsyncIterator, Iterable, Mapping
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
from pinochle.client.errors import AccessDenied, ClientError, Unreachable, client_error, is_passing, retry_seconds
from pinochle.client.tables import SeenAct, TableView, seen
from pinochle.client.transcripts import TranscriptFolder
from pinochle.commands import PlayerCommand
from pinochle.errors import Reason, Rejected
from pinochle.wire import codec
from pinochle.wire.v1 import game_pb2 as game_pb
from pinochle.wire.v1 import table_pb2 as pb
from pinochle.wire.v1 import table_pb2_grpc

CALL_SECONDS_MAX = 10.0
OUTAGE_SECONDS_MAX = 60.0
MESSAGE_BYTES_MAX = 4 << 20
BACKOFF_SECONDS_MIN, BACKOFF_SECONDS_MAX = 0.05, 5.0
SILENCE_SECONDS_MAX = 30.0
"""A watched table gives a sign of life every few seconds; after this long without one its stream is opened anew."""
PAGE = 200


class AsyncClient:
    """A connection for one token. Close it, or use it in `async with`.

    `server` is host:port. Without `credentials` the connection is not encrypted: give
    `grpc.ssl_channel_credentials()` where the network is not yours. Calls raise AccessDenied for a token that is not
    accepted, Unreachable where no answer came within `outage_seconds_max`, ClientError for the rest, each one line.

    `transcript` is a folder in which the client keeps what it is shown and sends, a file for each table and seat, to be
    held beside the log later (``pinochle verify EXPORT --transcript``); None keeps nothing.
    """

    def __init__(
        self,
        server: str,
        token: str,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        call_seconds_max: float = CALL_SECONDS_MAX,
        outage_seconds_max: float = OUTAGE_SECONDS_MAX,
        message_bytes_max: int = MESSAGE_BYTES_MAX,
        transcript: Path | str | None = None,
    ) -> None:
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            raise AccessDenied(f"{server}: the token is empty, or holds what no token does")
        self.server = server
        self.call_seconds_max = call_seconds_max
        self.outage_seconds_max = outage_seconds_max
        self.transcripts = None if transcript is None else TranscriptFolder(transcript)
        self.metadata = (("authorization", f"Bearer {token}"),)
        options = [
            ("grpc.max_receive_message_length", message_bytes_max),
            ("grpc.max_send_message_length", message_bytes_max),
            ("grpc.max_reconnect_backoff_ms", int(BACKOFF_SECONDS_MAX * 1000)),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.min_reconnect_backoff_ms", 100),
            ("grpc.keepalive_time_ms", 30_000),
            ("grpc.keepalive_timeout_ms", 10_000),
        ]
        if credentials is None:
            self._channel = grpc.aio.insecure_channel(server, options)
        else:
            self._channel = grpc.aio.secure_channel(server, credentials, options)
        self.stub = table_pb2_grpc.TableServiceStub(self._channel)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End every call and the connection."""
        await self._channel.close()

    async def view(
        self, table: str, seat: int | None = None, *, held: TableView | None = None, at: int = 0
    ) -> TableView:
        """The table as this seat sees it (None: the token's only seat, or a spectator), with options where it is due.

        `held` is a view to bring up to date; only the acts that it lacks are fetched. AheadOfLog where the server does
        not hold what the view does, since it was restored to an older point: `restart` it and ask again. `at` is the
        version at which the table is wanted, without a turn; 0: as it stands now.
        """
        view = TableView(table, seat) if held is None else held
        while True:
            request = pb.ViewRequest(table=table, after_version=view.version, at_ms=view.state.now_ms, until_version=at)
            if seat is not None:
                request.seat = seat
            answer = await self.call(self.stub.View, request)
            if self.transcripts is not None:
                self.transcripts.seen(table, view.seat, answer)
            view.update(answer)
            if not answer.more:
                return view
            if not answer.acts:
                raise ClientError(f"{self.server}: table {table} promised more acts than it sent")

    async def act(
        self, table: str, command: PlayerCommand, expected_version: int, *, command_id: bytes = b""
    ) -> SeenAct:
        """Send one command for its seat; what the seat may see of the act. Rejected where the table refuses it.

        `expected_version` is the `turn_version` of the view that was answered. The same `command_id` (16 bytes; drawn
        where none is given) again gets the first answer again.
        """
        request = act_request(table, command, expected_version, command_id or new_id())
        if self.transcripts is not None:
            self.transcripts.sent(request)
        answer = await self.call(self.stub.Act, request)
        if self.transcripts is not None:
            self.transcripts.answered(request, answer)
        if answer.HasField("rejection"):
            raise rejected(answer.rejection)
        return seen(answer.act)

    async def watch(self, table: str, after_version: int = 0, *, at_ms: int = 0) -> AsyncIterator[SeenAct]:
        """Every act after a version: first what is there, then what comes, until the table is closed.

        A spectator's view, or that of the token's only seat. A broken stream is taken up where it ended; no act is
        missing and none comes twice. `at_ms` is when the act at `after_version` was made; with it the server notices as
        well that another stands there now. AheadOfLog where it does not hold what was seen: begin anew.
        """
        retry = self.retry()
        version, over = after_version, False
        while True:
            request = pb.WatchRequest(table=table, after_version=version, at_ms=at_ms)
            call = self.stub.Watch(request, metadata=self.metadata)
            try:
                while True:
                    async with asyncio.timeout(SILENCE_SECONDS_MAX):
                        news = readable(await call.read(), self.server)
                    if news is grpc.aio.EOF:
                        if over:
                            return
                        raise Unreachable(f"{self.server}: the stream of table {table} ended before the table")
                    retry.answered()
                    if self.transcripts is not None:
                        self.transcripts.seen(table, None, news)
                    for act in news.acts:
                        if act.version > version:
                            if act.version != version + 1:
                                raise ClientError(f"table {table}: act {version + 1} is missing from its stream")
                            version, at_ms = act.version, act.at_ms
                            yield seen(act)
                    over = news.over
            except (grpc.aio.AioRpcError, Unreachable, TimeoutError) as error:
                await retry.wait(error)
            finally:
                call.cancel()

    async def open(
        self,
        players: Iterable[str],
        *,
        profile: str = "classic",
        knobs: Mapping[str, Any] | None = None,
        table: str = "",
        dealer: int | None = None,
        turn_ms: int = 0,
        beat_ms: int = 0,
        deal_limit: int = 0,
        boards: str = "",
        seed: bytes = b"",
        nonce: bytes = b"",
    ) -> str:
        """Open a table (directors) and return its id; ids of players by seat, "bot:club" and the like for house bots.

        `knobs` change single values of the profile. `turn_ms` 0 is the server's own thinking time. With
        `beat_ms` (100 to 5000) what seats do is given out on that beat only, so that nobody can time the others.
        """
        table = table or str(uuid.uuid4())
        request = pb.OpenRequest(
            table=table, profile=profile, players=players, dealer=dealer, seed=seed, nonce=nonce, turn_ms=turn_ms,
            beat_ms=beat_ms, deal_limit=deal_limit, boards=boards,
            knobs=[game_pb.Knob(name=name, value=json.dumps(value)) for name, value in (knobs or {}).items()],
        )  # fmt: skip
        answer = await self.call(self.stub.Open, request)
        if self.transcripts is not None:
            self.transcripts.noted(answer.table, "commitment", answer.commitment)
        return str(answer.table)

    async def list(
        self,
        *,
        open: bool | None = None,
        tournament: str = "",
        latest_first: bool = False,
        since_ms: int = 0,
        until_ms: int = 0,
    ) -> AsyncIterator[pb.TableSummary]:
        """Summaries of tables, page by page; `open` True or False picks those that run or have ended.

        `latest_first` gives them in the order of opening, from `since_ms` to before `until_ms` (0: no bound).
        """
        after = ""
        while True:
            request = pb.ListRequest(
                after=after, limit=PAGE, open=open, tournament=tournament,
                latest_first=latest_first, since_ms=since_ms, until_ms=until_ms,
            )  # fmt: skip
            page = await self.call(self.stub.List, request)
            for summary in page.tables:
                yield summary
            after = page.next
            if not after:
                return

    async def list_due(self, *, player_prefix: str = "", waiting_ms: int = 0) -> AsyncIterator[pb.TableSummary]:
        """Summaries of open tables whose next act is due from a player whose id begins so, page by page."""
        after = ""
        while True:
            request = pb.ListDueRequest(player_prefix=player_prefix, waiting_ms=waiting_ms, after=after, limit=PAGE)
            page = await self.call(self.stub.ListDue, request)
            for summary in page.tables:
                yield summary
            after = page.next
            if not after:
                return

    async def call(self, method: grpc.aio.UnaryUnaryMultiCallable, request: Any) -> Any:
        """One unary call with its deadline, repeated while the server can't be reached."""
        retry = self.retry()
        while True:
            try:
                answer = await method(request, timeout=self.call_seconds_max, metadata=self.metadata)
                return readable(answer, self.server)
            except grpc.aio.AioRpcError as error:
                await retry.wait(error)

    def retry(self) -> Retry:
        """A fresh account of failures in a row, for something that is to be repeated."""
        return Retry(self.server, self.outage_seconds_max)


def readable(answer: Any, server: str) -> Any:
    """The answer; ClientError for None, which is what gRPC makes of bytes that are no message."""
    if answer is None:
        raise ClientError(f"{server}: an answer cannot be read")
    return answer


class Retry:
    """Waits longer after each failure in a row, and gives up after `outage_seconds_max` without an answer.

    A server that says when it wants to be asked again is asked then.
    """

    def __init__(self, server: str, outage_seconds_max: float) -> None:
        self.server = server
        self.outage_seconds_max = outage_seconds_max
        self.failures = 0
        self._since: float | None = None

    def answered(self) -> None:
        """The server is there: the count begins anew."""
        self.failures, self._since = 0, None

    async def wait(self, error: BaseException) -> None:
        """Wait for the next try; raise instead where `error` will not pass, or the outage has lasted too long."""
        if not is_passing(error):
            raise client_error(error, self.server) from None
        now = asyncio.get_running_loop().time()
        if self._since is None:
            self._since = now
        wanted = retry_seconds(error)
        if wanted is None:
            pause = min(BACKOFF_SECONDS_MAX, BACKOFF_SECONDS_MIN * 2**self.failures) * random.uniform(0.5, 1.0)
        else:
            pause = wanted + random.uniform(0.0, BACKOFF_SECONDS_MIN)
        if now + pause - self._since > self.outage_seconds_max:
            raise Unreachable(
                f"{self.server}: no answer in {self.outage_seconds_max:g} seconds ({client_error(error, self.server)})"
            ) from None
        self.failures += 1
        await asyncio.sleep(pause)


def act_request(table: str, command: PlayerCommand, expected_version: int, command_id: bytes) -> pb.ActRequest:
    """A command as it is sent."""
    return pb.ActRequest(
        table=table,
        expected_version=expected_version,
        command_id=command_id,
        command=codec.player_command_message(command),
        seat=command.seat,
    )


def new_id() -> bytes:
    """A command id: 16 bytes that nobody has used."""
    return uuid.uuid4().bytes


def rejected(rejection: pb.Rejection) -> Exception:
    """The exception of a rejection; ClientError for a reason that this version of the library does not know."""
    try:
        return Rejected(Reason(rejection.reason), rejection.detail)
    except ValueError:
        return ClientError(f"rejected: {rejection.reason} {rejection.detail}".rstrip())
