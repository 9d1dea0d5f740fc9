"""`make bench-engine`: the engine against its peers in one run, named ratios, one line of JSON last.

Every round measures each case once, neighbours next to each other; a ratio is taken within a round, and the medians
over the rounds are reported. Times are processor seconds of the process that works, so that other work on the machine
counts less, but for eventsourcing and what is compared with it: there both wait for Postgres, and the wall clock
counts, with the ratio in processor seconds of the client beside it.

* decider: random full deals of `classic`, every command validated, every event an object; "play" is trick play alone;
* kernel: `pinochle.search`, random hands of `classic` with the deal, compiled by numba and interpreted;
* spades: OpenSpiel's nearest game, by its Python API and by a loop in C++ against the library in its wheel (where that
  cannot be compiled, by its own random bots in C++, a call a hand);
* c: the same hands as the kernel's by a plain loop in C (`playouts.c`);
* rebuild: TABLES tables of one deal each, read from Postgres in one scan, chain checked, decoded and folded; "chain"
  only checks. The peer is eventsourcing's repository.get of as many streams of STREAM_EVENTS events.

Peers live in an environment of their own (`--peers`); one that is missing is named and left out.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import NamedTuple

from pinochle.commands import DealCards, OpenTable
from pinochle.game import GAME
from pinochle.options import legal
from pinochle.rules import load
from pinochle.search import PURE, Kernel, compiled
from pinochle.state import DEAL, PLAY, State

from tests.bench.programs import CLoop, Peers
from tests.bench.rebuild import Tables, recorded

ROUNDS, SECONDS = 5, 1.0
TABLES, STREAM_EVENTS = 400, 60
RULES = load("classic")
SOURCES = Path(__file__).parent
PEER_PACKAGES = ("open-spiel", "pokerkit", "eventsourcing")
RATIOS = {
    "decider_play_to_spades_python": ("decider_play", "spades_python_play"),
    "kernel_numba_to_spades_python": ("kernel_numba", "spades_python"),
    "kernel_python_to_spades_python": ("kernel_python", "spades_python"),
    "kernel_numba_to_spades_cpp": ("kernel_numba", "spades_cpp"),
    "kernel_python_to_spades_cpp": ("kernel_python", "spades_cpp"),
    "kernel_numba_to_c": ("kernel_numba", "c"),
    "kernel_python_to_c": ("kernel_python", "c"),
    "rebuild_to_eventsourcing": ("rebuild", "eventsourcing"),
    "rebuild_to_eventsourcing_cpu": ("rebuild_cpu", "eventsourcing_cpu"),
    "chain_to_eventsourcing": ("chain", "eventsourcing"),
    "chain_to_eventsourcing_cpu": ("chain_cpu", "eventsourcing_cpu"),
}
"""Named ratios of two rates, decisions or events a second."""

Rates = dict[str, float]


class Case(NamedTuple):
    """Something to measure: about how many seconds to take, and rates by name."""

    name: str
    measure: Callable[[float], Rates]


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench-engine ARGS=", description=__doc__.partition("\n")[0])
    parser.add_argument("--peers", default="", help="the Python that has the peers; without one they are left out")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"interleaved rounds (default {ROUNDS})")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"for each case in a round (default {SECONDS})")
    parser.add_argument("--only", default="", help="cases whose names begin so, as in --only kernel,c")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pinochle-bench-")))
        folder.chmod(0o711)  # Postgres may run as another user
        cases, about = _cases(stack, folder, options.peers)
        cases = [case for case in cases if case.name.startswith(tuple(options.only.split(",")))]
        rounds = [_round(cases, options.seconds, number, options.rounds) for number in range(options.rounds)]
    figures = _medians(rounds)
    for name, figure in figures.items():
        print(f"{name:44} {figure:,.3f}")
    print(json.dumps({"bench": "engine", **figures, **about, "load_1m": round(os.getloadavg()[0], 1)}))


def _cases(stack: ExitStack, folder: Path, peers_python: str) -> tuple[list[Case], dict[str, object]]:
    """What can be measured here, neighbours being compared; and the versions of peers and what was left out."""
    skipped: list[str] = []
    peers = stack.enter_context(Peers(peers_python, SOURCES / "peers.py"))
    versions = {name: peers.ask("versions", package=name).get("version") for name in PEER_PACKAGES}
    _note(skipped, [f"{name} (not installed)" for name, found in versions.items() if found is None])
    cases = [Case("decider", _decider)]
    if versions["open-spiel"]:
        cases.append(Case("spades_python", lambda seconds: _spades(peers.measured("spades", seconds))))
    if versions["pokerkit"]:
        cases.append(Case("pokerkit", lambda seconds: _hands("pokerkit", peers.measured("pokerkit", seconds))))
    numba = compiled()
    if numba:
        cases.append(Case("kernel_numba", lambda seconds: _kernel(numba, seconds)))
    else:
        _note(skipped, ["kernel_numba (numba is not installed)"])
    cpp = ""
    if versions["open-spiel"]:
        failure = peers.compile(SOURCES / "openspiel_hands.cc", folder / "openspiel_hands.so")
        _note(skipped, [f"the loop in C++ on OpenSpiel ({failure}); its own bots instead"] if failure else [])
        cpp = "spades_bots" if failure else "spades_cpp"
        cases.append(Case("spades_cpp", lambda seconds: _decisions("spades_cpp", peers.measured(cpp, seconds))))
    c_loop = CLoop(folder)
    failure = c_loop.compile(SOURCES / "playouts.c")
    if failure:
        _note(skipped, [f"the loop in C ({failure})"])
    else:
        cases.append(Case("c", lambda seconds: {"c": c_loop.decisions_per_second(seconds)}))
    cases.append(Case("kernel_python", lambda seconds: _kernel(PURE, seconds)))
    cases += _rebuilds(stack, folder, peers, bool(versions["eventsourcing"]), skipped)
    return cases, {"peers": versions, "spades_cpp_by": cpp, "skipped": skipped}


def _rebuilds(stack: ExitStack, folder: Path, peers: Peers, has_peer: bool, skipped: list[str]) -> list[Case]:
    tables = stack.enter_context(Tables(folder, recorded("classic", TABLES)))
    cases = [
        Case("rebuild", lambda seconds: tables.rates("rebuild", tables.rebuild)),
        Case("chain", lambda seconds: tables.rates("chain", tables.check_chain)),
    ]
    if not has_peer:
        return cases
    answer = peers.ask("eventsourcing_fill", streams=TABLES, events=STREAM_EVENTS, place=tables.place("peer"))
    if "error" in answer:
        _note(skipped, [f"eventsourcing ({answer['error']})"])
        return cases
    return [Case("eventsourcing", lambda seconds: _eventsourcing(peers.measured("eventsourcing_get", 0))), *cases]


def _note(skipped: list[str], found: list[str]) -> None:
    for text in found:
        print(f"left out: {text}", file=sys.stderr, flush=True)
    skipped += found


def _round(cases: list[Case], seconds: float, number: int, rounds: int) -> Rates:
    print(f"round {number + 1} of {rounds} ...", file=sys.stderr, flush=True)
    rates: Rates = {}
    for case in cases:
        rates.update(case.measure(seconds))
    return rates


def _medians(rounds: list[Rates]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for name, (ours, theirs) in RATIOS.items():
        if ours in rounds[0] and theirs in rounds[0]:
            figures[name] = round(statistics.median(rates[ours] / rates[theirs] for rates in rounds), 3)
    for name in rounds[0]:
        figures[f"{name}_per_second"] = round(statistics.median(rates[name] for rates in rounds))
    return figures


# The project's own cases


def _decider(seconds: float) -> Rates:
    """Whole random deals at one table; a command, its events and the state moved on by them for each decision."""
    gc.disable()  # as timeit does, here and in the peers' process; neither makes cycles
    chance, clock = Random(1), time.process_time
    decide, advance = GAME.decide, GAME.advance
    state = _opened()
    cards = list(RULES.cards)
    deals = decisions = played = 0
    play_seconds, at_play = 0.0, 0.0
    began = clock()
    while clock() - began < seconds:
        chance.shuffle(cards)
        advance(state, decide(state, DealCards(tuple(cards))), 0)
        while state.phase != PLAY and state.turn >= 0:
            advance(state, decide(state, legal(state).sample(chance)), 0)  # type: ignore[union-attr]
            decisions += 1
        at_play = clock()
        before = decisions
        while state.turn >= 0:
            advance(state, decide(state, legal(state).sample(chance)), 0)  # type: ignore[union-attr]
            decisions += 1
        play_seconds += clock() - at_play
        played += decisions - before
        deals += 1
        if state.phase != DEAL:
            state = _opened()
    spent = clock() - began
    gc.enable()
    return {"decider_deals": deals / spent, "decider": decisions / spent, "decider_play": played / play_seconds}


def _opened() -> State:
    table = GAME.initial()
    return GAME.fold(table, GAME.decide(table, OpenTable(RULES, tuple("abcd"), 0, bytes(32))), 0)


def _kernel(kernel: Kernel, seconds: float) -> Rates:
    """Whole random hands, at least a hundred a call; the first call, which may compile, is not counted."""
    number, clock = 100, time.process_time
    kernel.deal_and_play(RULES, 1, 1)
    while True:
        began = clock()
        kernel.deal_and_play(RULES, number, number)
        spent = clock() - began
        if spent > seconds / 3:
            return {f"kernel_{kernel.name}": number * RULES.hand_size * RULES.players / spent}
        number *= 3


# The peers' answers as rates


def _spades(answer: dict[str, float]) -> Rates:
    rates = _decisions("spades_python", answer) | _hands("spades_python", answer)
    return rates | {"spades_python_play": answer["decisions"] / answer["play_seconds"]}


def _decisions(name: str, answer: dict[str, float]) -> Rates:
    return {name: answer["decisions"] / answer["seconds"]}


def _hands(name: str, answer: dict[str, float]) -> Rates:
    return {f"{name}_hands": answer["hands"] / answer["seconds"]}


def _eventsourcing(answer: dict[str, float]) -> Rates:
    events = answer["events"]
    return {"eventsourcing": events / answer["wall_seconds"], "eventsourcing_cpu": events / answer["seconds"]}


if __name__ == "__main__":
    main()
