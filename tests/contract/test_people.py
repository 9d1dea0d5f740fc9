"""What every store of names and texts does, in memory and on Postgres."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from pinochle import texts
from pinochle.errors import BadInput

from services.people import MemoryPeople, People, PeopleStore, Person

STREAM, OTHER = bytes(16), bytes(15) + b"\x01"


@pytest_asyncio.fixture(params=["memory", "postgres"])
async def people(request) -> AsyncIterator[People]:
    if request.param == "memory":
        yield MemoryPeople(texts.mark, secrets.token_bytes)
        return
    store = PeopleStore(
        request.getfixturevalue("database").tables_url,
        mark=texts.mark,
        salt=secrets.token_bytes,
        clock=time.monotonic,
        connections_max=4,
        connect_seconds_max=5,
        statement_seconds_max=5,
        seconds_max=10,
    )
    await store.start()
    yield store
    await store.close()


async def test_a_text_is_found_by_its_mark_until_the_wish_for_it_is_taken_back(people: People) -> None:
    mark = await people.mark(STREAM, "late", ["alice"])
    assert {mark: "late"} == await people.texts([mark, "text:" + 64 * "0"])
    await people.drop(mark)
    assert {} == await people.texts([mark])
    await people.drop(mark)  # nothing is there any more


async def test_the_same_text_has_one_mark_in_a_stream_and_another_one_elsewhere(people: People) -> None:
    mark = await people.mark(STREAM, "late", ["alice"])
    assert mark == await people.mark(STREAM, "late", ["bob"])
    assert mark != await people.mark(OTHER, "late", ["alice"])
    assert mark != await people.mark(STREAM, "too late", ["alice"])


async def test_a_refused_command_does_not_erase_what_another_wanted_with_the_same_words(people: People) -> None:
    ruled, refused = await asyncio.gather(*(people.mark(STREAM, "late", ["alice"]) for _ in range(2)))
    assert ruled == refused
    await people.drop(refused)
    assert {ruled: "late"} == await people.texts([ruled])


async def test_a_text_is_erased_when_all_who_wanted_it_were_refused_at_once(people: People) -> None:
    marks = await asyncio.gather(*(people.mark(STREAM, "late", ["alice"]) for _ in range(8)))
    await asyncio.gather(*map(people.drop, marks))
    assert {} == await people.texts(marks)


async def test_to_forget_a_player_erases_what_concerns_it_and_nothing_else(people: People) -> None:
    await people.set_person("alice", "Alice A.", "a@example.org")
    await people.set_person("bob", "Bob B.", None)
    both = await people.mark(STREAM, "late", ["bob"])
    assert both == await people.mark(STREAM, "late", ["alice"])  # concerns both by now, however often it is wanted
    bobs = await people.mark(STREAM, "early", ["bob"])
    assert 1 == await people.forget("alice")
    assert {bobs: "early"} == await people.texts([both, bobs])
    assert (None, Person("Bob B.", "")) == (await people.person("alice"), await people.person("bob"))
    assert 0 == await people.forget("alice")


async def test_what_is_not_told_of_a_person_stays_and_only_names_are_shown(people: People) -> None:
    await people.set_person("alice", "Alice", "a@example.org")
    await people.set_person("alice", None, "b@example.org")
    assert Person("Alice", "b@example.org") == await people.person("alice")
    await people.set_person("bob", None, "c@example.org")
    assert {"alice": "Alice"} == await people.names(["alice", "bob", "carol"])
    await people.set_person("alice", "", None)
    assert {} == await people.names(["alice"])


@pytest.mark.parametrize(("name", "contact"), [("x" * 81, None), (None, "x" * 201), (" a", None), ("a\n", None)])
async def test_a_name_that_cannot_be_kept_is_bad_input(people: People, name: str | None, contact: str | None) -> None:
    with pytest.raises(BadInput, match="at most"):
        await people.set_person("alice", name, contact)
    assert await people.person("alice") is None
