"""The simulator finds faults that were put in, repeats itself, and finds none in what is there."""

import os
import subprocess
import sys

import pytest

from tests.sim.planted import PLANTED, find
from tests.sim.simulation import collect, run

SEEDS = 250
SEEDS_MAX = 80
"""A planted fault is found within so many seeds of its kind."""


@pytest.mark.timeout(120)
def test_no_invariant_is_broken_in_the_first_seeds() -> None:
    failures = []
    for seed in range(SEEDS):
        result = run(seed)
        if result.invariant:
            failures.append(f"seed {seed}: {result.invariant}: {result.text}")
    collect()
    assert [] == failures


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
