"""Which streams are forgotten, and which never are."""

import asyncio

from services.cache import StreamCache
from services.stream import Stream


class Follower:
    def moved(self, stream: Stream) -> None:
        pass


def stream(number: int, version: int = 1) -> Stream:
    made = Stream(number.to_bytes(16, "big"), None)
    made.version = version
    return made


def numbers(cache: StreamCache) -> list[int]:
    return [int.from_bytes(key, "big") for key in cache]


def filled(streams_max: int, acts_max: int, *versions: int) -> StreamCache:
    cache = StreamCache(streams_max, acts_max)
    for number, version in enumerate(versions):
        cache.keep(stream(number, version))
    return cache


def test_beyond_so_many_streams_the_longest_unused_is_forgotten_at_once() -> None:
    cache = filled(3, 100, 1, 1, 1)
    cache.move_to_end(stream(0).key)
    cache.keep(stream(3))
    assert [2, 0, 3] == numbers(cache)


def test_a_stream_that_is_held_already_stays_the_one() -> None:
    cache = filled(3, 100, 1)
    [held] = cache.values()
    assert held is cache.keep(stream(0, 9))
    assert 1 == len(cache)


def test_trimming_forgets_the_longest_unused_until_the_acts_of_all_are_within_the_bound() -> None:
    cache = filled(10, 100, 30, 50, 40, 20)
    cache.trim()
    assert [2, 3] == numbers(cache)
    cache.trim()
    assert [2, 3] == numbers(cache)


def test_what_is_followed_or_at_work_stays_beyond_both_bounds() -> None:
    async def crowded() -> list[int]:
        cache = filled(4, 10, 9, 9, 9, 9)
        followed, locked, *_ = cache.values()
        followed.followers.add(Follower())
        async with locked.lock:
            cache.trim()
            return numbers(cache)

    assert [0, 1] == asyncio.run(crowded())
    cache = filled(2, 10, 1, 1)
    for held in cache.values():
        held.followers.add(Follower())
    cache.keep(stream(2))
    assert [0, 1] == numbers(cache)
