"""What every token store does, in memory and on Postgres."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import psycopg
import pytest
import pytest_asyncio

from services.auth import (
    BadToken,
    MemoryTokenStore,
    Principal,
    TokenLimits,
    Tokens,
    TokenStore,
    new_token,
    new_token_id,
    token_hash,
)
from services.eventstore import StoreUnavailable

TABLE = "0f0e0d0c-0b0a-4908-8706-050403020100"
PLAYER = Principal("player", "bot:club", TABLE, 3, "token-1")
DIRECTOR = Principal("director", None, None, None, "token-2")


class Time:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.ms = 1_764_470_000_000

    def __call__(self) -> int:
        return self.ms

    def seconds(self) -> float:
        return self.ms / 1000


def token() -> str:
    return new_token(secrets.token_bytes)


@pytest.fixture
def now() -> Time:
    return Time()


@pytest_asyncio.fixture(params=["memory", "postgres"])
async def tokens(request, now) -> AsyncIterator[Tokens]:
    if request.param == "memory":
        yield MemoryTokenStore(now)
        return
    database = request.getfixturevalue("database")
    store = TokenStore(database.tables_url, clock_ms=now, clock=now.seconds)
    await store.start()
    yield store
    await store.close()


class TestEveryStore:
    @pytest.mark.parametrize("principal", [PLAYER, DIRECTOR], ids=lambda p: p.role)
    async def test_a_token_stands_for_the_principal_it_was_made_for(self, tokens, principal):
        text = token()
        await tokens.create(text, principal, note="for a test")
        assert principal == await tokens.look_up(text)
        assert principal == await tokens.look_up(text)

    @pytest.mark.parametrize(
        "text", ["", "pin_", "Bearer x", "pin_" + "a" * 42, "pin_" + "a" * 44, "pin_é" + "a" * 42]
    )
    async def test_a_malformed_token_stands_for_nobody(self, tokens, text):
        assert await tokens.look_up(text) is None

    async def test_an_unknown_token_stands_for_nobody_until_it_is_made(self, tokens):
        text = token()
        assert await tokens.look_up(text) is None
        await tokens.create(text, DIRECTOR)
        assert DIRECTOR == await tokens.look_up(text)

    async def test_a_revoked_token_stands_for_nobody(self, tokens):
        text = token()
        await tokens.create(text, DIRECTOR)
        await tokens.look_up(text)
        assert await tokens.revoke(DIRECTOR.token_id)
        assert await tokens.look_up(text) is None

    async def test_revoking_again_or_what_is_not_there_says_so(self, tokens):
        await tokens.create(token(), DIRECTOR)
        assert await tokens.revoke(DIRECTOR.token_id)
        assert not await tokens.revoke(DIRECTOR.token_id)
        assert not await tokens.revoke("nothing")

    async def test_a_token_is_good_until_its_time_and_not_at_it(self, tokens, now):
        text = token()
        await tokens.create(text, PLAYER, expires_at_ms=now.ms + 100)
        now.ms += 99
        assert PLAYER == await tokens.look_up(text)
        now.ms += 1
        assert await tokens.look_up(text) is None

    async def test_a_text_or_an_id_serves_once(self, tokens):
        text = token()
        await tokens.create(text, DIRECTOR)
        with pytest.raises(BadToken, match="exists already"):
            await tokens.create(text, replace(DIRECTOR, token_id="another"))
        with pytest.raises(BadToken, match="exists already"):
            await tokens.create(token(), DIRECTOR)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"role": "king"}, "role 'king' is not one of"),
            ({"player": None}, "names its player"),
            ({"role": "director"}, "names its player"),
            ({"player": "a b"}, "a player's id"),
            ({"player": "x" * 65}, "a player's id"),
            ({"stream": "table 1"}, "is not a UUID"),
            ({"stream": TABLE.upper()}, "is not a UUID"),
            ({"stream": None}, "a seat is from 0 to 3, at one stream"),
            ({"seat": 4}, "a seat is from 0 to 3, at one stream"),
            ({"token_id": ""}, "a token's id"),
        ],
    )
    async def test_a_malformed_principal_is_refused(self, tokens, change, message):
        text = token()
        with pytest.raises(BadToken, match=message):
            await tokens.create(text, replace(PLAYER, **change))
        assert await tokens.look_up(text) is None

    async def test_a_malformed_text_time_or_note_is_refused(self, tokens):
        for text, options in (
            ("secret", {}),
            (token(), {"expires_at_ms": -1}),
            (token(), {"note": "x" * 201}),
        ):
            with pytest.raises(BadToken):
                await tokens.create(text, PLAYER, **options)


class TestTokens:
    def test_a_token_is_its_prefix_and_43_characters_from_the_source(self):
        assert "pin_" + "A" * 43 == new_token(bytes)
        assert 47 == len(token())

    def test_a_source_that_gives_too_little_is_refused(self):
        with pytest.raises(ValueError, match="32 bytes"):
            new_token(lambda n: bytes(n - 1))

    def test_ids_differ_and_are_short(self):
        ids = {new_token_id(secrets.token_bytes) for _ in range(50)}
        assert 50 == len(ids)
        assert {12} == set(map(len, ids))

    @pytest.mark.parametrize("seconds", [-1, 5.1])
    def test_remembering_longer_than_five_seconds_is_refused(self, seconds):
        with pytest.raises(ValueError, match="0 to 5 seconds"):
            TokenLimits(cached_seconds=seconds)


class TestPostgres:
    async def test_only_the_hash_is_stored(self, database, now):
        store = TokenStore(database.tables_url, clock_ms=now, clock=now.seconds)
        await store.start()
        text = token()
        await store.create(text, DIRECTOR, note="mine")
        await store.close()
        with psycopg.connect(database.admin_url) as admin:
            row = admin.execute("select hash, note, t::text from auth.tokens t").fetchone()
        assert (token_hash(text), "mine") == row[:2]
        assert text[4:] not in row[2]

    async def test_another_process_notices_a_revocation_within_the_time_to_remember(self, database, now):
        first, second = (TokenStore(database.tables_url, clock_ms=now, clock=now.seconds) for _ in range(2))
        await asyncio.gather(first.start(), second.start())
        text = token()
        await first.create(text, DIRECTOR)
        assert DIRECTOR == await second.look_up(text)
        await first.revoke(DIRECTOR.token_id)
        now.ms += 4_999
        assert DIRECTOR == await second.look_up(text)
        now.ms += 1
        assert await second.look_up(text) is None
        await asyncio.gather(first.close(), second.close())

    async def test_no_more_tokens_are_remembered_than_the_limit(self, database, now):
        limits = TokenLimits(cached_max=3)
        store = TokenStore(database.tables_url, clock_ms=now, clock=now.seconds, limits=limits)
        await store.start()
        for number in range(8):
            text = token()
            await store.create(text, replace(DIRECTOR, token_id=f"t{number}"))
            assert await store.look_up(text) is not None
        assert 3 == len(store._known)
        await store.close()

    async def test_many_who_ask_at_once_are_one_question(self, database, now):
        store = TokenStore(database.tables_url, clock_ms=now, clock=now.seconds)
        await store.start()
        text = token()
        await store.create(text, DIRECTOR)
        before = store._connections._pool.get_stats()["requests_num"]
        assert [DIRECTOR] * 50 == await asyncio.gather(*(store.look_up(text) for _ in range(50)))
        assert 1 == store._connections._pool.get_stats()["requests_num"] - before
        await store.close()

    async def test_the_tournament_service_reads_tokens_but_makes_none(self, database, now):
        tables = TokenStore(database.tables_url, clock_ms=now, clock=now.seconds)
        tournaments = TokenStore(database.tournaments_url, clock_ms=now, clock=now.seconds)
        await asyncio.gather(tables.start(), tournaments.start())
        text = token()
        await tables.create(text, DIRECTOR)
        assert DIRECTOR == await tournaments.look_up(text)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await tournaments.create(token(), PLAYER)
        await asyncio.gather(tables.close(), tournaments.close())

    async def test_tokens_are_looked_up_and_made_again_after_the_server_was_killed(
        self, database, postgres, now
    ):
        store = TokenStore(database.tables_url, clock_ms=now, clock=time.monotonic)
        await store.start()
        text, other = token(), token()
        await store.create(text, DIRECTOR)
        postgres.kill()
        postgres.restart()
        assert DIRECTOR == await asyncio.wait_for(store.look_up(text), 30)
        await asyncio.wait_for(store.create(other, PLAYER), 30)
        assert PLAYER == await store.look_up(other)
        await store.close()

    async def test_a_store_that_is_closed_or_never_reached_says_so(self, database, postgres, now):
        store = TokenStore(database.tables_url, clock_ms=now, clock=now.seconds)
        await store.start()
        await store.close()
        await store.close()
        with pytest.raises(StoreUnavailable, match="not running"):
            await store.look_up(token())
        nowhere = TokenStore(
            "postgresql://nobody@127.0.0.1:1/none",
            clock_ms=now,
            clock=time.monotonic,
            limits=TokenLimits(connect_seconds_max=0.2),
        )
        with pytest.raises(StoreUnavailable, match="can't reach the database"):
            await nowhere.start()
