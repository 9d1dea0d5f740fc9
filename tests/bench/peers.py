"""The peers of the engine, measured on request in an environment of their own: a line of JSON in, a line of JSON out.

Run by the benchmarks with the interpreter of the environment that holds them; it imports nothing of the project.
A request is {"case": name, "seconds": at least this long, ...}; a peer that is missing or fails gives {"error": text}.
Times are processor seconds of this process unless a name says otherwise.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

clock = time.process_time
HANDS_A_CALL = 200
SPADES_DECISIONS = 56
"""Four bids and 52 cards."""
COMPILE_SECONDS_MAX = 300

remembered: dict[str, Any] = {}
"""What later requests need: the compiled loop, eventsourcing's application and the ids of its aggregates."""


def spades(request: dict[str, Any]) -> dict[str, Any]:
    """OpenSpiel's spades through its Python API: random hands; "play" is what follows the last card dealt."""
    game = _pyspiel().load_game("spades")
    chance = random.Random(1)
    choice, choices = chance.choice, chance.choices
    decisions = hands = 0
    play_seconds = 0.0
    gc.disable()
    began = clock()
    while clock() - began < request["seconds"]:
        state = game.new_initial_state()
        while state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(choices(actions, weights)[0] if len(actions) > 1 else actions[0])
        dealt = clock()
        while not state.is_terminal():
            state.apply_action(choice(state.legal_actions()))
            decisions += 1
        play_seconds += clock() - dealt
        hands += 1
    seconds = clock() - began
    gc.enable()
    return {"decisions": decisions, "hands": hands, "seconds": seconds, "play_seconds": play_seconds}


def compile_cpp(request: dict[str, Any]) -> dict[str, Any]:
    """Compile `source` against the headers in the wheel of open-spiel, into `library`, and load it."""
    packages = Path(_pyspiel().__file__).parent
    includes = [packages, packages / "open_spiel/abseil-cpp", packages / "open_spiel/json/include"]
    words = ["c++", "-O3", "-w", "-std=c++20", "-fPIC", "-shared", *(f"-I{path}" for path in includes)]
    subprocess.run([*words, "-o", request["library"], request["source"]], check=True, timeout=COMPILE_SECONDS_MAX)
    library = ctypes.CDLL(request["library"])
    library.play_hands.restype = ctypes.c_int64
    library.play_hands.argtypes = [ctypes.c_char_p, ctypes.c_int64, ctypes.c_uint64]
    remembered["library"] = library
    return {}


def spades_cpp(request: dict[str, Any]) -> dict[str, Any]:
    """OpenSpiel's spades by the compiled loop."""
    decisions = calls = 0
    began = clock()
    while clock() - began < request["seconds"]:
        calls += 1
        decisions += remembered["library"].play_hands(b"spades", HANDS_A_CALL, calls)
    return {"decisions": decisions, "seconds": clock() - began}


def spades_bots(request: dict[str, Any]) -> dict[str, Any]:
    """OpenSpiel's spades by its own bots in C++, one call from Python a hand."""
    pyspiel = _pyspiel()
    game = pyspiel.load_game("spades")
    bots = [pyspiel.make_uniform_random_bot(seat, seat + 1) for seat in range(4)]
    hands, began = 0, clock()
    while clock() - began < request["seconds"]:
        pyspiel.evaluate_bots(game.new_initial_state(), bots, hands)
        hands += 1
    return {"decisions": hands * SPADES_DECISIONS, "seconds": clock() - began}


def _pyspiel() -> Any:
    flags = sys.getdlopenflags()
    sys.setdlopenflags(flags | os.RTLD_GLOBAL)  # for the compiled loop
    try:
        import pyspiel
    finally:
        sys.setdlopenflags(flags)
    return pyspiel


def pokerkit(request: dict[str, Any]) -> dict[str, Any]:
    """pokerkit's no-limit hold'em with six players who fold, call and raise at random."""
    from pokerkit import Automation, NoLimitTexasHoldem

    automations = tuple(Automation)
    chance = random.Random(1)
    decisions = hands = 0
    began = clock()
    while clock() - began < request["seconds"]:
        state = NoLimitTexasHoldem.create_state(automations, True, 0, (1, 2), 2, 200, 6)
        while state.status:
            drawn = chance.random()
            if drawn < 0.25 and state.can_fold():
                state.fold()
            elif drawn > 0.85 and state.can_complete_bet_or_raise_to():
                state.complete_bet_or_raise_to()
            else:
                state.check_or_call()
            decisions += 1
        hands += 1
    return {"decisions": decisions, "hands": hands, "seconds": clock() - began}


def eventsourcing_fill(request: dict[str, Any]) -> dict[str, Any]:
    """Save `streams` aggregates of `events` events each, bodies of about 256 bytes, on the Postgres of `place`."""
    application, hand = _application(request["place"]), _classes()[1]
    ids = []
    for _ in range(request["streams"]):
        one = hand()
        for number in range(1, request["events"]):
            one.play(seat=number % 4, card=number % 48, note="x" * 216)
        application.save(one)
        ids.append(one.id)
    remembered.update(application=application, ids=ids, events=request["events"])
    return {"streams": len(ids)}


@cache
def _classes() -> tuple[Any, Any]:
    """The application and the aggregate; made once, since eventsourcing takes each name once."""
    from eventsourcing.application import Application
    from eventsourcing.domain import Aggregate, event

    class Hand(Aggregate):
        @event("Started")
        def __init__(self) -> None:
            self.played = 0
            self.by_seat = [0, 0, 0, 0]
            self.cards = 0

        @event("Played")
        def play(self, seat: int, card: int, note: str) -> None:
            self.played += 1
            self.by_seat[seat] += 1
            self.cards |= 1 << card

    class Hands(Application):
        pass

    return Hands, Hand


def _application(place: dict[str, Any], threads: int = 1) -> Any:
    """The application on this Postgres."""
    settings = {f"POSTGRES_{name.upper()}": str(value) for name, value in place.items()}
    settings |= {"PERSISTENCE_MODULE": "eventsourcing.postgres", "POSTGRES_POOL_SIZE": str(threads)}
    return _classes()[0](env=settings)


def eventsourcing_save(request: dict[str, Any]) -> dict[str, Any]:
    """Application.save of one event after the other, `threads` beside each other, on the Postgres of `place`."""
    application, hand = _application(request["place"], request["threads"]), _classes()[1]
    end = time.perf_counter() + request["seconds"]

    def save(_: int) -> int:
        saved, one = 0, hand()
        while time.perf_counter() < end:
            if saved % request["events"] == request["events"] - 1:
                one = hand()
            one.play(seat=saved % 4, card=saved % 48, note="x" * 150)
            application.save(one)
            saved += 1
        return saved

    with ThreadPoolExecutor(request["threads"]) as pool:
        began = time.perf_counter()
        saved = sum(pool.map(save, range(request["threads"])))
        rate = saved / (time.perf_counter() - began)
    application.close()
    return {"rate": rate}


def eventsourcing_get(request: dict[str, Any]) -> dict[str, Any]:
    """Rebuild every aggregate from its stored events, one after the other."""
    repository, events = remembered["application"].repository, remembered["events"]
    began, wall_began = clock(), time.perf_counter()
    for one in remembered["ids"]:
        assert events == repository.get(one).version
    number = len(remembered["ids"]) * events
    return {"events": number, "seconds": clock() - began, "wall_seconds": time.perf_counter() - wall_began}


def versions(request: dict[str, Any]) -> dict[str, Any]:
    """The version of a package; an error where it is not installed."""
    return {"version": version(request["package"])}


CASES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "versions": versions,
    "spades": spades,
    "compile_cpp": compile_cpp,
    "spades_cpp": spades_cpp,
    "spades_bots": spades_bots,
    "pokerkit": pokerkit,
    "eventsourcing_fill": eventsourcing_fill,
    "eventsourcing_get": eventsourcing_get,
    "eventsourcing_save": eventsourcing_save,
}


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = CASES[request["case"]](request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
