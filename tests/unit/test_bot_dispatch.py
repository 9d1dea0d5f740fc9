"""Which tables the dispatcher of the house bots hands out, and what is left alone for how long."""

import threading

import pytest
from pinochle.errors import BadInput

from services.bots.dispatcher import Sender
from services.bots.leases import Leases
from services.bots.patience import Patience
from services.bots.roster import Roster
from services.bots.tasks import checked

SECONDS = 10


def test_a_table_is_handed_out_once_while_its_lease_lasts() -> None:
    leases = Leases(5, 60, 100)

    assert leases.take("t", 7, now=0)
    assert not leases.take("t", 7, now=4.9)
    assert leases.take("t", 7, now=5)


def test_a_table_that_moves_on_keeps_its_lease() -> None:
    leases = Leases(5, 60, 100)
    leases.take("t", 7, now=0)

    assert leases.renew("t", 8, now=4)
    assert not leases.take("t", 8, now=8.9)
    assert leases.take("t", 8, now=9)


def test_the_same_news_again_do_not_renew_a_lease() -> None:
    leases = Leases(5, 60, 100)
    leases.take("t", 7, now=0)

    assert leases.renew("t", 7, now=4)
    assert leases.take("t", 7, now=5)


def test_a_table_that_nobody_plays_has_no_lease_to_renew() -> None:
    leases = Leases(5, 60, 100)
    assert not leases.renew("t", 8, now=0)
    leases.take("t", 8, now=0)
    leases.drop("t")
    assert not leases.renew("t", 9, now=1)
    assert leases.take("t", 9, now=1)


def test_a_table_that_stands_still_is_left_for_twice_as_long_each_time_up_to_the_most() -> None:
    leases = Leases(5, 15, 100)
    leases.take("t", 7, now=0)

    assert leases.take("t", 7, now=5)
    assert not leases.take("t", 7, now=14.9)
    assert leases.take("t", 7, now=15)
    assert not leases.take("t", 7, now=29.9)
    assert leases.take("t", 7, now=30)
    assert not leases.take("t", 8, now=44.9)
    assert leases.take("t", 8, now=45)
    assert leases.take("t", 8, now=50)


def test_leases_are_bounded() -> None:
    leases = Leases(5, 60, 10)
    for number in range(100):
        leases.take(str(number), 1, now=0)

    assert 10 == len(leases)


def test_patience_doubles_with_each_failure_and_ends_with_a_success() -> None:
    now = [0.0]
    patience = Patience(lambda: now[0], 1, 5)

    assert not patience.leaves("k")
    assert [1, 2, 4, 5, 5] == [patience.failed("k") for _ in range(5)]
    assert patience.leaves("k")
    assert not patience.leaves("another")
    now[0] = 5
    assert not patience.leaves("k")
    patience.worked("k")
    assert 1 == patience.failed("k")


def test_only_so_many_failures_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.bots.patience.REMEMBERED_MAX", 3)
    patience = Patience(lambda: 0.0, 1, 5)
    for key in "abcd":
        patience.failed(key)

    assert [False, True, True, True] == [patience.leaves(key) for key in "abcd"]


def test_a_sender_that_hangs_takes_a_bounded_number_of_tasks_and_never_blocks() -> None:
    hangs, sent = threading.Event(), []

    def send(tables: tuple[str, ...]) -> None:
        assert hangs.wait(SECONDS)
        sent.append(tables)

    sender = Sender(send, lambda tables, error: None, tasks_max=2)
    sender.start()
    while sender.put(("a",)):
        pass  # one is being sent, two wait
    hangs.set()
    sender.stop(SECONDS)

    assert [("a",)] * len(sent) == sent
    assert 2 <= len(sent) <= 3


def test_what_could_not_be_sent_is_given_back() -> None:
    lost = []

    def send(tables: tuple[str, ...]) -> None:
        raise ConnectionError("gone")

    sender = Sender(send, lambda tables, error: lost.append((tables, str(error))), tasks_max=5)
    sender.start()
    sender.put(("a", "b"))
    sender.stop(SECONDS)

    assert [(("a", "b"), "gone")] == lost


def test_the_roster_makes_each_bot_once_and_knows_no_others() -> None:
    roster = Roster()

    assert roster.bot("bot:club") is roster.bot("bot:club")
    assert "club" == roster.kind("bot:club")
    for player in ("bot:unheard-of", "club", "ann", ""):
        with pytest.raises(BadInput):
            roster.bot(player)
        assert "unknown" == roster.kind(player)


@pytest.mark.parametrize("tables", [None, "abc", {"a": 1}, [1], ["a", None], ["a"] * 5])
def test_a_task_about_no_list_of_tables_is_refused(tables: object) -> None:
    with pytest.raises(ValueError):
        checked(tables, 4)
