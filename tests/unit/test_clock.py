"""The time of day of a process."""

from services.clock import SteadyClock


def test_a_step_of_the_machines_clock_does_not_move_the_time() -> None:
    wall_ms, seconds = 1_700_000_000_000, 50.0
    clock = SteadyClock(lambda: wall_ms, lambda: seconds)
    wall_ms, seconds = 1_800_000_000_000, 51.5
    assert 1_700_000_001_500 == clock()


def test_what_the_clock_is_ahead_of_the_databases_is_taken_away() -> None:
    clock = SteadyClock(lambda: 1_700_000_000_000, lambda: 7.0)
    clock.correct(250)
    assert 1_699_999_999_750 == clock()
