"""AccessService over gRPC: tokens, and the figures of this process for operators."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

from pinochle.errors import BadInput
from pinochle.players import is_house_bot
from pinochle.wire.v1 import access_pb2 as pb

from services.auth import Principal, Tokens, new_token, new_token_id
from services.rpc import Forbidden, Guard, stream_key, unary
from services.table.index import Index

GIVEN_BY = {
    "operator": {"operator", "director", "player", "spectator"},
    "director": {"player", "spectator"},
}
"""The roles that each role may give tokens for."""
STUCK_MS = 60_000
"""A turn this long past its deadline is stuck."""
STUCK_SHOWN_MAX = 20


class AccessServicer:
    """The calls of AccessService. `entropy(n)` gives n secret random bytes."""

    def __init__(
        self,
        tokens: Tokens,
        index: Index,
        guard: Guard,
        *,
        clock_ms: Callable[[], int],
        entropy: Callable[[int], bytes],
        open_streams: Callable[[], int],
        drift_ms: Callable[[], int],
    ) -> None:
        self.guard = guard
        self._tokens = tokens
        self._index = index
        self._clock_ms = clock_ms
        self._entropy = entropy
        self._open_streams = open_streams
        self._drift_ms = drift_ms
        self._started_ms = clock_ms()

    @unary
    async def CreateToken(self, request: pb.CreateTokenRequest, caller: Principal) -> pb.CreateTokenResponse:
        if request.role not in GIVEN_BY.get(caller.role, set()):
            known = set().union(*GIVEN_BY.values())
            if request.role not in known:
                raise BadInput(f"role: one of {', '.join(sorted(known))}, not {request.role[:40]!r}")
            raise Forbidden(f"a token of role {caller.role} does not give tokens of role {request.role}")
        if request.stream:
            stream_key(request.stream, "stream")
        if is_house_bot(request.player):
            raise BadInput(f"player: {request.player[:40]!r} is a house bot, and those need no token")
        if caller.stream not in (None, request.stream):
            raise Forbidden(f"your token gives tokens for {caller.stream} only")
        text, token_id = new_token(self._entropy), new_token_id(self._entropy)
        expires_ms = self._clock_ms() + 1000 * request.expires_seconds if request.expires_seconds else None
        principal = Principal(
            request.role,
            request.player or None,
            request.stream or None,
            request.seat if request.HasField("seat") else None,
            token_id,
        )
        await self._tokens.create(text, principal, expires_at_ms=expires_ms, note=request.note)
        return pb.CreateTokenResponse(token=text, id=token_id, expires_ms=expires_ms or 0)

    @unary
    async def RevokeToken(self, request: pb.RevokeTokenRequest, caller: Principal) -> pb.RevokeTokenResponse:
        if caller.role != "operator":
            raise Forbidden("only operators revoke tokens")
        if not request.id:
            raise BadInput("id: the id that the token was made with")
        if not await self._tokens.revoke(request.id):
            raise BadInput(f"there is no valid token with the id {request.id[:70]!r}")
        return pb.RevokeTokenResponse()

    @unary
    async def WhoAmI(self, request: pb.WhoAmIRequest, caller: Principal) -> pb.WhoAmIResponse:
        return pb.WhoAmIResponse(
            role=caller.role, player=caller.player or "", stream=caller.stream or "", seat=caller.seat
        )

    @unary
    async def Status(self, request: pb.StatusRequest, caller: Principal) -> pb.StatusResponse:
        if caller.role not in ("operator", "director"):
            raise Forbidden("only operators and directors see the status")
        now_ms = self._clock_ms()
        overdue = [row for row in self._index.rows() if row.due >= 0 and row.due_at_ms and row.due_at_ms < now_ms]
        stuck = sorted(row.id for row in overdue if (row.due_at_ms or 0) + STUCK_MS < now_ms)
        return pb.StatusResponse(
            version=version("pinochle-arena"),
            started_ms=self._started_ms,
            open_tables=len(self._index),
            open_streams=self._open_streams(),
            overdue_turns=len(overdue),
            stuck_tables=stuck[:STUCK_SHOWN_MAX],
            database_clock_drift_ms=self._drift_ms(),
        )
