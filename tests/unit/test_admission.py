"""What one client may ask for: who is counted together, who is not counted, and what it is told."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from services.admission import Admission, AdmissionLimits, TooMuch, _network
from services.auth import Principal

LIMITS = AdmissionLimits(
    calls_per_second=10, calls_burst=3, directing_factor=10, calls_in_flight=2, acts_per_second=10, acts_burst=5,
    act_wait_seconds=0.5, refusals_per_second=1, refusals_burst=2, failures_per_second=1, failures_burst=2, streams=1,
    all_streams=2, held_refusals=1, held_refusal_seconds=0.25,
)  # fmt: skip


class Account:
    """The accounts of one process, with a clock that stands still and sleeps that are written down."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []
        self.opened: list[tuple[str, int]] = []
        self.admission = Admission(
            LIMITS, clock=lambda: self.now, sleep=self._sleep, opened=lambda *what: self.opened.append(what)
        )

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        await asyncio.sleep(0)


@pytest.fixture
def account() -> Account:
    return Account()


def principal(role: str = "player", player: str | None = "ann", token: str = "t1") -> Principal:
    return Principal(role, player if role == "player" else None, None, None, token)


def too_much(call: Callable[..., Any], *words: Any) -> tuple[str, float | None]:
    with pytest.raises(TooMuch) as caught:
        call(*words)
    seconds = caught.value.retry_seconds
    return caught.value.limit, None if seconds is None else round(seconds, 2)


def test_the_tokens_of_a_player_are_counted_together_and_those_of_others_apart(account: Account) -> None:
    for token in ("t1", "t2", "t3"):
        account.admission.call(principal(token=token), "View")
    assert ("calls", 0.1) == too_much(account.admission.call, principal(token="t4"), "View")
    account.admission.call(principal(player="bob"), "View")
    for token in ("s1", "s2"):
        account.admission.call(principal("spectator", token=token), "List")


def test_a_costly_call_counts_as_several(account: Account) -> None:
    account.admission.call(principal(), "List")
    assert ("calls", 0.1) == too_much(account.admission.call, principal(), "View")


def test_directors_may_call_more_often_and_our_services_as_they_like(account: Account) -> None:
    for _ in range(30):
        account.admission.call(principal("director"), "View")
    assert "calls" == too_much(account.admission.call, principal("director"), "View")[0]
    for role in ("bots", "service"):
        for _ in range(1_000):
            account.admission.call(principal(role), "List")


def test_calls_under_way_are_bounded_until_they_end(account: Account) -> None:
    entered = [account.admission.enter(principal()) for _ in range(2)]
    assert "calls_in_flight" == too_much(account.admission.enter, principal())[0]
    account.admission.leave(entered.pop())
    account.admission.enter(principal())


async def test_acts_beyond_the_burst_are_taken_later_and_far_beyond_it_are_not(account: Account) -> None:
    await account.admission.act(principal(), 5)
    for _ in range(5):
        await account.admission.act(principal(), 1)
    assert [0.1, 0.2, 0.3, 0.4, 0.5] == account.slept
    with pytest.raises(TooMuch, match="too many acts"):
        await account.admission.act(principal(), 1)
    account.now += 0.5
    await account.admission.act(principal(), 5)


async def test_who_is_refused_too_often_is_turned_away_for_a_while(account: Account) -> None:
    for _ in range(2):
        account.admission.refused(principal())
    assert ("refusals", 1.0) == too_much(account.admission.refused, principal())
    assert "refusals" == too_much(account.admission.call, principal(), "View")[0]
    with pytest.raises(TooMuch):
        await account.admission.act(principal(), 1)
    account.now += 1
    account.admission.call(principal(), "View")


def test_bad_tokens_count_for_their_address_whatever_the_port(account: Account) -> None:
    for port in (1, 2):
        account.admission.stranger(f"ipv4:10.0.0.1:{port}")
    assert "tokens" == too_much(account.admission.stranger, "ipv4:10.0.0.1:3")[0]
    account.admission.stranger("ipv4:10.0.0.2:3")


def test_good_tokens_that_are_seen_for_the_first_time_do_not_count(account: Account) -> None:
    for port in range(100):
        account.admission.stranger(f"ipv4:10.0.0.1:{port}")
        account.admission.welcome(f"ipv4:10.0.0.1:{port}")
    account.admission.stranger("ipv4:10.0.0.1:1")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("ipv4:10.0.0.1:5000", "10.0.0.1"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:5000", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:2::9]:5000", "2001:db8:1:2::/64"),
        ("ipv6:[fe80::1%25eth0]:5000", "fe80::/64"),
        ("unix:/tmp/socket", "unix:/tmp/socket"),
        ("", ""),
    ],
)
def test_an_address_is_known_without_its_port_and_ipv6_by_its_network(address: str, network: str) -> None:
    assert network == _network(address)


def test_streams_are_bounded_for_a_client_and_for_all_and_freed_when_they_end(account: Account) -> None:
    def open_stream(caller: Principal) -> None:
        with account.admission.stream(caller, "watch"):
            pass

    with account.admission.stream(principal(), "watch"):
        assert "streams" == too_much(open_stream, principal(token="t2"))[0]
        with account.admission.stream(principal(player="bob"), "play"):
            assert "all_streams" == too_much(open_stream, principal("bots"))[0]
    open_stream(principal())
    assert 0 == account.admission.streams_open
    assert 0 == sum(change for _, change in account.opened)


async def test_few_answers_are_held_back_and_none_for_long_or_for_nothing(account: Account) -> None:
    errors = (TooMuch("", 10.0), TooMuch("", 10.0), TooMuch("", None))
    await asyncio.gather(*(account.admission.hold(error) for error in errors))
    assert [0.25] == account.slept
    await account.admission.hold(TooMuch("", 0.1))
    assert [0.25, 0.1] == account.slept
