"""How long seats thought, from the times in a log."""

from dataclasses import replace

from pinochle.commands import ExpireTurn
from pinochle.thinking import SeatTimes, seat_times, thought_ms

from tests.played import PLAYERS, play


def test_a_seat_thinks_from_the_notice_of_its_turn_to_the_receipt_of_its_act() -> None:
    act = next(act for act in play("classic", 1) if act.author.startswith("seat:"))
    assert 250 == thought_ms(replace(act, noticed_ms=1_000, received_ms=1_250, at_ms=9_000))


def test_the_house_does_not_think_and_a_log_without_times_says_nothing() -> None:
    acts = play("classic", 1)
    assert thought_ms(acts[0]) is None
    assert thought_ms(replace(acts[-3], author="seat:1", noticed_ms=0, received_ms=0)) is None


def test_times_are_summed_up_by_seat_and_expired_turns_are_counted_apart() -> None:
    acts = play("classic", 4, turn_ms=30_000, expire_every=5)
    acted = [act for act in acts if act.author == "seat:2"]
    timed = [
        replace(act, noticed_ms=1_000, received_ms=1_000 + 10 * (acted.index(act) + 1)) if act in acted else act
        for act in acts
    ]
    number, expired = len(acted), sum(act.command.__class__ is ExpireTurn and act.command.seat == 2 for act in acts)
    assert 0 < expired
    median = 10 * ((number + 1) // 2)
    expected = SeatTimes(2, "cay", number, expired, 5 * number * (number + 1), 10, median, 10 * number)
    assert expected == seat_times(timed)[2]


def test_a_seat_that_never_acted_has_no_times() -> None:
    expected = [SeatTimes(seat, player, 0, 0, 0, 0, 0, 0) for seat, player in enumerate(PLAYERS)]
    assert expected == seat_times(play("classic", 3)[:2])
