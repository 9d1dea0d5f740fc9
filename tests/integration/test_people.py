"""What is known of persons lies outside the logs: shown beside them, and erased without changing a byte of them."""

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any
from uuid import UUID

import grpc
import psycopg
import pytest
import redis
from pinochle.wire import archive
from pinochle.wire.v1 import table_pb2, tournament_pb2, tournament_pb2_grpc

from services.local.servers import postgres_binaries
from tests.conftest import TestDatabase, TestPostgres, TestValkey, new_database
from tests.integration.test_archives import heads, run, written
from tests.integration.test_cli_server import Command
from tests.integration.test_cli_tournament import pinochle

__all__ = ["pinochle"]
RUN_SECONDS_MAX = 60
TEAM, PERSON, CONTACT = "Die Löwinnen", "Alice Ärmel", "alice@example.org"
RULING, VOIDED, NOTE = "Alice fell ill at r1m1", "Bob spilled coffee over the cards", "for Alice, who asked by phone"
TEXTS = (TEAM, PERSON, CONTACT, RULING, VOIDED, NOTE)


async def held(pinochle: Command) -> tuple[str, str]:
    """A tournament with a replayed match, and a voided table: both with words about alice and bob."""
    made = await pinochle("tournament", "create", "Spring", "--deals", 1, role="director")
    tournament = made.lines[0]
    for words in ((TEAM, "alice", "bob"), ("Others", "carol", "dave")):
        entered = await pinochle("tournament", "enter", tournament, *words, role="director")
        assert 0 == entered.code, entered.err
    again = await pinochle("tournament", "enter", tournament, TEAM, "alice", "bob", role="director")
    assert (0, f"team 0: {TEAM}") == (again.code, again.lines[0])
    taken = await pinochle("tournament", "enter", tournament, TEAM, "erin", "fred", role="director")
    assert (3, True) == (taken.code, "illegal_entry" in taken.err)
    assert 0 == (await pinochle("tournament", "start", tournament, role="director")).code
    await ruled(pinochle, tournament)

    words = ("person", "set", "alice", "--name", PERSON, "--contact", CONTACT)
    said = await pinochle(*words, role="player", player="alice")
    assert 0 == said.code, said.err
    director = await pinochle.arena.caller("director")
    table = await director.open("alice", "bob", "carol", "dave")
    await director.call("Void", table_pb2.VoidRequest(table=table, reason=VOIDED))
    await director.call("Void", table_pb2.VoidRequest(table=table, reason=VOIDED))
    made = await pinochle("token", "create", "player", "--player", "alice", "--note", NOTE, role="operator")
    assert 0 == made.code
    return tournament, table


async def ruled(pinochle: Command, tournament: str) -> None:
    """The match of alice and bob is to be played anew."""
    metadata = (("authorization", f"Bearer {await pinochle.arena.token('director')}"),)
    async with grpc.aio.insecure_channel(pinochle.told["PINOCHLE_TOURNAMENTS"]) as channel:
        stub = tournament_pb2_grpc.TournamentServiceStub(channel)
        shown = await stub.Show(tournament_pb2.ShowRequest(tournament=tournament), metadata=metadata, timeout=10)
        match = next(match for match in shown.matches if 0 in match.teams)
        fields: dict[str, Any] = {"tournament": tournament, "match": match.match, "attempt": 1, "reason": RULING}
        await stub.Replay(tournament_pb2.ReplayRequest(**fields), metadata=metadata, timeout=10)


def everywhere(database: TestDatabase, valkey: TestValkey, folder: Path) -> bytes:
    """Every byte of the database, of Redis and of an archive of all logs."""
    dump = subprocess.run(
        [postgres_binaries() / "pg_dump", "--inserts", f"--dbname={database.admin_url}"],
        capture_output=True, timeout=RUN_SECONDS_MAX, check=True,
    ).stdout  # fmt: skip
    out = folder / "everything.bin"
    out.unlink(missing_ok=True)
    assert 0 == run(database, "export", "--state", "all", "--format", "protobuf", "-o", out).returncode
    with redis.Redis.from_url(valkey.url) as client:
        kept = b"".join(key + (client.dump(key) or b"") for key in client.scan_iter())
    return dump + _acts_decoded(database) + out.read_bytes() + kept


def _acts_decoded(database: TestDatabase) -> bytes:
    with psycopg.connect(database.admin_url) as connection:
        both = "select body from tables.acts union all select body from tournaments.acts"
        rows = connection.execute(both, binary=True)
        return b"".join(body for (body,) in rows)


def found(haystack: bytes) -> set[str]:
    return {text for text in TEXTS if text.encode() in haystack}


@pytest.mark.slow
async def test_what_is_erased_is_nowhere_and_every_chain_verifies(
    pinochle: Command, database: TestDatabase, valkey: TestValkey, postgres: TestPostgres, tmp_path: Path
) -> None:
    tournament, table = await held(pinochle)
    ended = heads(database)["tables", UUID(table)]
    shown = (await pinochle("tournament", "show", tournament, role="spectator")).out
    assert TEAM in shown
    assert f"alice ({PERSON})" in shown
    plain = json.loads((await pinochle("tournament", "show", tournament, "--json", role="spectator")).out)
    assert RULING in [attempt["reason"] for match in plain["matches"] for attempt in match["attempts"]]
    logs = await asyncio.to_thread(_acts_decoded, database)
    assert set() == found(logs)  # ids and salted hashes only
    assert set(TEXTS) == found(await asyncio.to_thread(everywhere, database, valkey, tmp_path))

    # A side file holds the texts, and they have the marks of the logs; an archive and it come back elsewhere.
    await asyncio.to_thread(run, database, "export", "--state", "all", "-o", tmp_path / "a", "--texts", tmp_path / "t")
    verified = await pinochle("verify", "a", "--running", "--texts", "t")
    assert 0 == verified.code
    assert "t: 4 texts fit the logs; of 0 marks there the text is not here" in verified.lines
    spoilt = (tmp_path / "t").read_text().replace("Others", "0thers")
    (tmp_path / "spoilt").write_text(spoilt)
    refused = await pinochle("verify", "a", "--running", "--texts", "spoilt")
    assert (1, True) == (refused.code, "the text does not have the mark" in refused.err)
    with new_database(postgres) as second:
        back = await asyncio.to_thread(run, second, "import", tmp_path / "a", "--texts", tmp_path / "t")
        assert (0, "") == (back.returncode, back.stderr)
        with psycopg.connect(second.admin_url) as connection:
            assert (4,) == connection.execute("select count(*) from people.texts").fetchone()

    forgotten = await pinochle("forget", "alice", role="operator")
    assert (0, "alice is forgotten, and 3 names of teams and rulings with it\n") == (forgotten.code, forgotten.out)
    assert set() == found(await asyncio.to_thread(everywhere, database, valkey, tmp_path))
    assert ended == heads(database)["tables", UUID(table)]

    assert 0 == (await asyncio.to_thread(run, database, "export", "--state", "all", "-o", tmp_path / "b")).returncode
    verified = await pinochle("verify", "b", "--running")
    assert 0 == verified.code
    assert any(line.endswith(" passed, 0 failed in b") for line in verified.lines)
    shown = (await pinochle("tournament", "show", tournament, role="spectator")).out
    assert "team 0 " in shown
    assert "Others" in shown
    assert set() == found(shown.encode())
    verified = await pinochle("verify", "a", "--running", "--texts", "t")
    assert 0 == verified.code  # what somebody kept still fits; that is what the salt is erased for
    assert table in {str(header.stream) for header in _headers(tmp_path / "b")}


def _headers(path: Path) -> list[Any]:
    with path.open("rb") as file:
        return [header for header, _ in archive.exports(file)]


async def test_who_may_set_see_and_erase_what_is_known(pinochle: Command) -> None:
    words = ("person", "set", "alice", "--name", PERSON, "--contact", CONTACT)
    assert 3 == (await pinochle(*words, role="player", player="bob")).code
    assert 3 == (await pinochle(*words, role="spectator")).code
    assert 0 == (await pinochle(*words, role="director")).code
    assert f"alice: {PERSON}\n" == (await pinochle("person", "show", "alice", role="player", player="bob")).out
    own = await pinochle("person", "show", "alice", role="player", player="alice")
    assert f"alice: {PERSON}, {CONTACT}\n" == own.out
    assert 0 == (await pinochle("person", "set", "alice", "--contact", "", role="player", player="alice")).code
    assert f"alice: {PERSON}\n" == (await pinochle("person", "show", "alice", role="director")).out
    assert 3 == (await pinochle("forget", "alice", role="director")).code
    assert 3 == (await pinochle("forget", "alice", role="player", player="bob")).code
    assert 0 == (await pinochle("forget", "alice", role="player", player="alice")).code
    assert "alice: no name is known\n" == (await pinochle("person", "show", "alice", role="director")).out
    bad = await pinochle("person", "set", "alice", "--name", "x" * 81, role="operator")
    assert (3, True) == (bad.code, "at most 80 printable characters" in bad.err)
    bad = await pinochle("forget", "bot:club", role="operator")
    assert (3, True) == (bad.code, "house bot" in bad.err)


async def test_a_text_of_a_refused_command_is_not_kept(pinochle: Command, database: TestDatabase) -> None:
    made = await pinochle("tournament", "create", "Spring", role="director")
    refused = await pinochle("tournament", "enter", made.lines[0], "Secret Name", "only-one", role="director")
    assert 3 == refused.code
    with psycopg.connect(database.admin_url) as connection:
        assert (0,) == connection.execute("select count(*) from people.texts").fetchone()


async def test_a_log_from_before_marks_is_shown_with_the_names_in_it(
    pinochle: Command, database: TestDatabase, tmp_path: Path
) -> None:
    assert 0 == (await asyncio.to_thread(run, database, "import", written(tmp_path / "old"))).returncode
    listed = (await pinochle("tournament", "list", "--json", role="spectator")).json[0]
    assert listed["champion"].startswith("Team ")
    shown = (await pinochle("tournament", "show", listed["tournament"], role="spectator")).out
    assert all(f"Team {number}" in shown for number in range(5))
