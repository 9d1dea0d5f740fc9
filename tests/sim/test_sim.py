"""The simulator finds faults that were put in, repeats itself, and finds none in what is there."""

import os
import subprocess
import sys

import pytest

from tests.sim.planted import PLANTED, find
from tests.sim.simulation import run_all

SEEDS = 200
pytestmark = pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")  # of processes that were killed
SEEDS_MAX = 60
"""A planted fault is found within so many seeds of its kind."""


@pytest.mark.timeout(120)
def test_no_invariant_is_broken_in_the_first_seeds() -> None:
    results = run_all(range(SEEDS))
    assert [] == [f"seed {one.seed}: {one.invariant}: {one.text}" for one in results if one.invariant]


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(name: str) -> None:
    planted = PLANTED[name]
    number, result = find(planted, SEEDS_MAX)
    assert result.invariant in planted.breaks, f"{number} seeds: {result.invariant or 'none failed'}: {result.text}"
    assert result.trace


def test_a_seed_repeats_itself_in_another_process() -> None:
    told = {_told("3"), _told("3")}
    assert 1 == len(told)
    assert "digest" in told.pop()


def test_a_failing_seed_names_the_command_that_repeats_it() -> None:
    from tests.sim.__main__ import _failure

    _, result = find(PLANTED["watcher late"], SEEDS_MAX)
    assert f"make sim SEED={result.seed}" in _failure(result)


def _told(seed: str) -> str:
    command = [sys.executable, "-m", "tests.sim", "--seed", seed]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((".", "engine"))}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True).stdout
