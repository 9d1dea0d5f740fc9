"""Who is calling: bearer tokens, kept as hashes, and the principals that they stand for.

A token's text is `pin_` and 43 characters (32 random bytes); only its SHA-256 is stored, so a copy of the
database lets nobody in. Looking one up gives a `Principal`, or None if it is unknown, malformed, expired or
revoked. Answers are remembered for a few seconds at most: that is how long a revoked token may still pass.

Stream ids are canonical UUID text here, times milliseconds since 1970 in UTC.
"""

from __future__ import annotations

import asyncio
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Protocol
from uuid import UUID

from pinochle.errors import BadInput

from services.acts import TIME_MS_MAX
from services.connections import Clock, Connections, Sleep

ROLES = frozenset({"operator", "director", "player", "spectator", "bots", "service"})
SEAT_MAX = 3
ID_LENGTH_MAX = 64
NOTE_LENGTH_MAX = 200
CACHE_SECONDS_MAX = 5.0

Entropy = Callable[[int], bytes]


class BadToken(BadInput):
    """A token that can't be made as asked: the message says which field is wrong."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a token stands for. `stream` and `seat` narrow a token down; None is no limit."""

    role: str
    player: str | None
    stream: str | None
    seat: int | None
    token_id: str

    @property
    def client(self) -> str:
        """Whose account calls and acts are counted on: the player's, whatever the number of its tokens."""
        return self.player or self.token_id


@dataclass(frozen=True, slots=True)
class TokenLimits:
    """The limits of a token store, each with a number."""

    cached_max: int = 10_000
    cached_seconds: float = CACHE_SECONDS_MAX
    connections_max: int = 2
    connect_seconds_max: float = 5.0
    statement_seconds_max: float = 5.0
    seconds_max: float = 8.0  # a call with all its tries

    def __post_init__(self) -> None:
        if not 0 <= self.cached_seconds <= CACHE_SECONDS_MAX:
            raise ValueError(f"tokens may be remembered for 0 to {CACHE_SECONDS_MAX:g} seconds")
        positive = (self.cached_max, self.connections_max, self.connect_seconds_max)
        if min(*positive, self.statement_seconds_max, self.seconds_max) <= 0:
            raise ValueError("every limit of the tokens must be above 0")


def new_token(entropy: Entropy) -> str:
    """The text of a new token from a secure source: `entropy(n)` gives n random bytes."""
    random_bytes = entropy(32)
    if len(random_bytes) != 32:
        raise ValueError("the source of entropy did not give 32 bytes")
    return "pin_" + urlsafe_b64encode(random_bytes).decode().rstrip("=")


def new_token_id(entropy: Entropy) -> str:
    """A short public name for a token, to revoke it by."""
    return entropy(6).hex()


def token_hash(text: str) -> bytes | None:
    """What is stored of a token; None if the text is none."""
    return sha256(text.encode()).digest() if _TOKEN.fullmatch(text) else None


class Tokens(Protocol):
    """What services need of a token store."""

    async def create(
        self,
        text: str,
        principal: Principal,
        *,
        expires_at_ms: int | None = None,
        note: str = "",
    ) -> None:
        """Let this token's holder act as `principal`. BadToken if malformed, or its id or text is taken."""

    async def revoke(self, token_id: str) -> bool:
        """Refuse this token from now on; False if none with this id was still good."""

    async def look_up(self, text: str, ask: Callable[[], None] = lambda: None) -> Principal | None:
        """Who this token stands for; None if nobody (any more).

        `ask` is called, and may raise, before a token is asked for that was not good lately.
        """

    async def close(self) -> None:
        """Let go of everything; a second call does nothing."""


class MemoryTokenStore:
    """Tokens in this process, lost with it."""

    def __init__(self, clock_ms: Callable[[], int]) -> None:
        self._clock_ms = clock_ms
        self._grants: dict[bytes, _Grant] = {}

    async def create(
        self, text: str, principal: Principal, *, expires_at_ms: int | None = None, note: str = ""
    ) -> None:
        hash_ = _checked(text, principal, expires_at_ms, note)
        ids = {grant.principal.token_id for grant in self._grants.values()}
        if hash_ in self._grants or principal.token_id in ids:
            raise BadToken(_TAKEN)
        self._grants[hash_] = _Grant(principal, expires_at_ms, False)

    async def revoke(self, token_id: str) -> bool:
        for hash_, grant in self._grants.items():
            if grant.principal.token_id == token_id and not grant.is_revoked:
                self._grants[hash_] = replace(grant, is_revoked=True)
                return True
        return False

    async def look_up(self, text: str, ask: Callable[[], None] = lambda: None) -> Principal | None:
        hash_ = token_hash(text)
        if hash_ not in self._grants:
            ask()
        return _valid(self._grants.get(hash_) if hash_ else None, self._clock_ms())

    async def close(self) -> None:
        pass  # there is nothing to let go of


class TokenStore:
    """Tokens in the schema `auth` of a Postgres database.

    `clock_ms` tells the time, for expiry; `clock` counts seconds and never goes back, for the cache. Only
    good tokens are remembered, so a new one works at once, and guesses can't push good ones out.
    """

    def __init__(
        self,
        conninfo: str,
        *,
        clock_ms: Callable[[], int],
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
        limits: TokenLimits | None = None,
    ) -> None:
        self._clock_ms = clock_ms
        self._clock = clock
        self._limits = limits = limits or TokenLimits()
        self._known: dict[bytes, tuple[float, _Grant]] = {}  # and until when; oldest first
        self._asking: dict[bytes, asyncio.Task[_Grant | None]] = {}
        self._connections = Connections(
            conninfo,
            "tokens",
            connections_max=limits.connections_max,
            connect_seconds_max=limits.connect_seconds_max,
            statement_seconds_max=limits.statement_seconds_max,
            seconds_max=limits.seconds_max,
            clock=clock,
            sleep=sleep,
        )

    async def start(self) -> None:
        """Connect; StoreUnavailable if the database can't be reached in time."""
        await self._connections.start()

    async def create(
        self, text: str, principal: Principal, *, expires_at_ms: int | None = None, note: str = ""
    ) -> None:
        hash_ = _checked(text, principal, expires_at_ms, note)
        who = (principal.token_id, principal.role, principal.player, principal.stream, principal.seat)
        if await self._changed(_CREATE, (hash_, *who, expires_at_ms, note)) == 0:
            raise BadToken(_TAKEN)

    async def revoke(self, token_id: str) -> bool:
        changed = await self._changed(_REVOKE, (token_id,))
        for hash_ in [h for h, (_, grant) in self._known.items() if grant.principal.token_id == token_id]:
            del self._known[hash_]
        return changed > 0

    async def look_up(self, text: str, ask: Callable[[], None] = lambda: None) -> Principal | None:
        hash_ = token_hash(text)
        until, grant = self._known.get(hash_ or b"", (0.0, None))
        if grant is None:
            ask()
        if hash_ is None:
            return None
        if grant is None or self._clock() >= until:
            grant = await self._asked_once(hash_)
        return _valid(grant, self._clock_ms())

    async def close(self) -> None:
        await self._connections.close()

    async def _asked_once(self, hash_: bytes) -> _Grant | None:
        """Ask the database, once for all who want to know the same at the same time."""
        task = self._asking.get(hash_)
        if task is None:
            task = self._asking[hash_] = asyncio.get_running_loop().create_task(self._ask(hash_))
            task.add_done_callback(lambda _: self._asking.pop(hash_, None))
        return await asyncio.shield(task)

    async def _ask(self, hash_: bytes) -> _Grant | None:
        began = self._clock()
        rows, _ = await self._connections.run(_LOOK_UP, (hash_,))
        self._known.pop(hash_, None)
        if not rows:
            return None
        token_id, role, player, stream, seat, expires_at_ms, is_revoked = rows[0]
        principal = Principal(role, player, None if stream is None else str(stream), seat, token_id)
        grant = _Grant(principal, expires_at_ms, is_revoked)
        if _valid(grant, self._clock_ms()) is not None:
            while len(self._known) >= self._limits.cached_max:
                del self._known[next(iter(self._known))]
            self._known[hash_] = (began + self._limits.cached_seconds, grant)
        return grant

    async def _changed(self, query: str, parameters: tuple[Any, ...]) -> int:
        return (await self._connections.run(query, parameters, again=False))[1]


_TOKEN = re.compile(r"pin_[A-Za-z0-9_-]{43}")
_PLAYER = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_TOKEN_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_TAKEN = "a token with this id or text exists already"

_CREATE = """insert into auth.tokens (hash, id, role, player, stream, seat, expires_at, note)
values (%s, %s, %s, %s, %s, %s, to_timestamp(%s / 1000.0), %s) on conflict do nothing"""

_REVOKE = "update auth.tokens set revoked_at = clock_timestamp() where id = %s and revoked_at is null"

_LOOK_UP = """select id, role, player, stream, seat, (extract(epoch from expires_at) * 1000)::int8,
revoked_at is not null from auth.tokens where hash = %s"""


@dataclass(frozen=True, slots=True)
class _Grant:
    principal: Principal
    expires_at_ms: int | None
    is_revoked: bool


def _valid(grant: _Grant | None, now_ms: int) -> Principal | None:
    if grant is None or grant.is_revoked:
        return None
    if grant.expires_at_ms is not None and now_ms >= grant.expires_at_ms:
        return None
    return grant.principal


def _checked(text: str, principal: Principal, expires_at_ms: int | None, note: str) -> bytes:
    """The token's hash, or BadToken for the first thing that is wrong."""
    hash_ = token_hash(text)
    if hash_ is None:
        raise BadToken("a token is pin_ and 43 characters of url-safe base64")
    if not _TOKEN_ID.fullmatch(principal.token_id):
        raise BadToken(f"a token's id has 1 to {ID_LENGTH_MAX} letters, digits and . _ : -")
    if principal.role not in ROLES:
        raise BadToken(f"the role {principal.role!r} is not one of {', '.join(sorted(ROLES))}")
    if (principal.role == "player") != (principal.player is not None):
        raise BadToken("a player's token names its player, and no other token does")
    if principal.player is not None and not _PLAYER.fullmatch(principal.player):
        raise BadToken("a player's id has 1 to 64 letters, digits and . _ : -")
    if principal.stream is not None and not _is_uuid(principal.stream):
        raise BadToken(f"the stream {principal.stream!r} is not a UUID in its canonical form")
    if principal.seat is not None and (principal.stream is None or not 0 <= principal.seat <= SEAT_MAX):
        raise BadToken(f"a seat is from 0 to {SEAT_MAX}, at one stream")
    if expires_at_ms is not None and not 0 <= expires_at_ms <= TIME_MS_MAX:
        raise BadToken("the time of expiry is out of range")
    if len(note) > NOTE_LENGTH_MAX or not note.isprintable():
        raise BadToken(f"a note has at most {NOTE_LENGTH_MAX} printable characters")
    return hash_


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
