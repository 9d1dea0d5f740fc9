"""Token buckets: what may be taken at once, how it comes back, and how long to wait."""

import random

import pytest

from services.rates import Buckets


def test_a_full_bucket_gives_its_burst_at_once_and_no_more() -> None:
    buckets = Buckets(per_second=10, burst=5, names_max=10)
    assert [0.0] * 5 == [buckets.take("a", 100.0) for _ in range(5)]
    assert pytest.approx(0.1, abs=1e-5) == buckets.take("a", 100.0)


def test_what_is_refused_is_not_taken() -> None:
    buckets = Buckets(per_second=10, burst=1, names_max=10)
    buckets.take("a", 0.0)
    assert pytest.approx([0.1] * 100, abs=1e-5) == [buckets.take("a", 0.0) for _ in range(100)]
    assert 0.0 == buckets.take("a", 0.1)


def test_a_bucket_fills_at_its_rate_and_not_beyond_its_burst() -> None:
    buckets = Buckets(per_second=10, burst=5, names_max=10)
    for _ in range(5):
        buckets.take("a", 0.0)
    assert 0.0 == buckets.take("a", 0.3, 3)
    assert 0.0 < buckets.take("a", 0.3)
    assert 0.0 == buckets.take("a", 1_000.0, 5)
    assert 0.0 < buckets.take("a", 1_000.0)


def test_every_name_has_a_bucket_of_its_own() -> None:
    buckets = Buckets(per_second=1, burst=1, names_max=10)
    buckets.take("a", 0.0)
    assert (True, 0.0) == (buckets.take("a", 0.0) > 0, buckets.take("b", 0.0))


def test_more_than_a_bucket_holds_is_taken_as_a_whole_one() -> None:
    buckets = Buckets(per_second=10, burst=5, names_max=10)
    assert 0.0 == buckets.take("a", 0.0, 1_000)
    assert pytest.approx(0.1, abs=1e-5) == buckets.wait("a", 0.0)


def test_what_is_taken_in_advance_says_how_long_to_wait_for_it() -> None:
    buckets = Buckets(per_second=10, burst=5, names_max=10)
    buckets.take("a", 0.0, 5)
    waits = [buckets.take("a", 0.0, 1, wait_seconds_max=0.25) for _ in range(4)]
    assert pytest.approx([0.1, 0.2, 0.3, 0.3], abs=1e-5) == waits
    assert 0.0 < buckets.take("a", 0.1)
    assert 0.0 == buckets.take("a", 0.3)


def test_however_it_is_asked_a_client_gets_its_burst_and_its_rate_and_no_more() -> None:
    chance = random.Random(1)
    for _ in range(20):
        rate, burst = chance.uniform(0.5, 500), chance.randint(1, 50)
        buckets = Buckets(rate, burst, 10)
        now = began = chance.uniform(0, 1e6)
        taken = 0
        for _ in range(2_000):
            now += chance.expovariate(rate * 3)
            taken += buckets.take("a", now) == 0.0
        assert taken <= burst + rate * (now - began) + 1
        assert taken >= rate * (now - began) - 1


def test_the_number_of_buckets_is_bounded_and_those_that_are_owed_most_are_kept() -> None:
    buckets = Buckets(per_second=1, burst=10, names_max=100)
    buckets.take("flooder", 0.0, 10)
    for number in range(10_000):
        buckets.take(f"passer-by {number}", 0.0)
    assert 100 >= len(buckets)
    assert 0.0 < buckets.take("flooder", 0.0)


@pytest.mark.parametrize("numbers", [(0, 1, 1), (-1, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_a_bucket_that_can_never_give_anything_is_no_bucket(numbers: tuple[float, float, int]) -> None:
    with pytest.raises(ValueError, match="must fill"):
        Buckets(*numbers)
