"""`pinochle replay`: step through a game that was written down or exported, or write it as text."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from uuid import UUID

from pinochle import export
from pinochle.cards import SUITS, names
from pinochle.cli.connect import missing, service
from pinochle.cli.files import opened
from pinochle.cli.settings import OK, USAGE, CommandError, Settings
from pinochle.cli.show import as_json, line, moment, takes_symbols
from pinochle.decider import Act
from pinochle.describe import SIGNS, card_text, describe, hand_text, plain
from pinochle.errors import BadInput, BadNotation
from pinochle.events import GameEnded, HandScored
from pinochle.game import GAME
from pinochle.notation import TEXT_CHARACTERS_MAX, read, write
from pinochle.state import NEW, NONE, PHASES, State

LINE_CHARACTERS_MAX = 100
EXPORT_BEGINS = b'{"format":'
KEYS = "Enter goes on, b back, a number to that step, q quits"


class Step(NamedTuple):
    """One act: what happened, and how the table stands after it."""

    act: Act
    state: State


def add(commands: Any, everywhere: argparse.ArgumentParser) -> None:
    """Add the command."""
    command = commands.add_parser(
        "replay",
        parents=[everywhere],
        help="step through a game in a file",
        description="Step through a game in the notation of docs/notation.md or in an export of a table, or of a table "
        "at a server as you may see it. "
        f"At a terminal {KEYS}; elsewhere all steps are shown.",
    )
    command.add_argument("file", metavar="FILE|TABLE", help="a game as text, an export file, or a table's id")
    command.add_argument("--at", type=int, metavar="VERSION", help="show the game as it stood after this step alone")
    command.add_argument("--seat", type=int, choices=range(4), help="of a table at a server: which of your seats looks")
    command.add_argument("--text", action="store_true", help="write the game in that notation instead, to stdout")
    command.set_defaults(run=run)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Show the steps one by one to a person, all of them to a program; or write the game as text."""
    if options.text and settings.json:
        raise CommandError("--text is for people and not for --json", USAGE)
    try:
        acts = _found(options, settings)
    except BadNotation as error:
        raise CommandError(f"{options.file}: {error}", USAGE) from None
    except export.BadExport as error:
        raise CommandError(f"{options.file}: {error}") from None
    if options.text:
        return _write(options.file, acts)
    try:
        return _shown(acts, options, settings)
    except (CommandError, BadInput, OSError):
        raise
    except Exception as error:  # whatever an export holds: its chain says nothing of the rules
        text = f"its acts make no game ({error.__class__.__name__}); pinochle verify tells what is wrong"
        raise CommandError(f"{options.file}: {text}") from error


def _shown(acts: Sequence[Act], options: argparse.Namespace, settings: Settings) -> int:
    steps = _steps(acts)
    if options.at is not None:
        return _show_at(steps, options, settings)
    if settings.json:
        for number, step in enumerate(steps, 1):
            as_json({"step": number, "events": [plain(event) for event in step.act.events]})
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _walk(steps)
    else:
        for number in range(1, len(steps) + 1):
            _show(steps, number)
    return OK


def _found(options: argparse.Namespace, settings: Settings) -> Sequence[Act]:
    """The acts of a file, or of a table at a server as the caller may see them."""
    try:
        table = str(UUID(options.file))
    except ValueError:
        if options.seat is not None:
            raise CommandError("--seat is for tables at a server", USAGE) from None
        with opened(Path(options.file)) as file:
            return _acts(file)
    from pinochle.wire import codec

    acts: list[Act] = []
    with service(settings.server, settings, "TableServiceStub", "table_pb2_grpc") as tables:
        more = True
        while more:
            fields = {"table": table, "after_version": len(acts), "seat": options.seat, "until_version": options.at}
            page = tables.call("View", tables.message("table_pb2", "ViewRequest", **fields))
            for view in page.acts:
                acts.append(Act(view.version, view.author, view.at_ms, 0, b"", None, codec.events_from(view)))
            more = page.more and bool(page.acts)
    return acts


def _show_at(steps: list[Step], options: argparse.Namespace, settings: Settings) -> int:
    if not 1 <= options.at <= len(steps):
        raise CommandError(f"--at: there are steps 1 to {len(steps)}, not {options.at}", USAGE)
    if settings.json:
        state = steps[options.at - 1].state
        hands = [names(hand) for hand in state.hands]
        said = {"version": state.version, "phase": PHASES[state.phase], "turn": state.turn if state.turn >= 0 else None}
        as_json({**said, "hands": hands, "totals": list(state.totals), "meld": list(state.meld), "deal": state.deal})
    else:
        _show(steps, options.at)
    return OK


def _write(name: str, acts: Sequence[Act]) -> int:
    try:
        text = write(acts)
    except BadInput as error:
        raise CommandError(f"{name}: {error}") from None
    sys.stdout.buffer.write(text.encode())  # UTF-8 whatever the terminal has, so that it can be read again
    sys.stdout.flush()
    return OK


def _acts(file: BinaryIO) -> Sequence[Act]:
    """The acts of either kind of file."""
    begins = file.read(len(EXPORT_BEGINS))
    file.seek(0)
    if begins != EXPORT_BEGINS:
        data = file.read(4 * TEXT_CHARACTERS_MAX + 1)
        try:
            return read(data.decode("utf-8-sig")).acts
        except UnicodeDecodeError:
            raise BadNotation("neither an export nor a text in UTF-8") from None
    header, stored = export.read(file)
    if header.kind != "table":
        raise BadNotation(f"an export of a {header.kind}: only tables can be replayed")
    try:
        from pinochle.wire import codec
    except ImportError:
        raise missing("protobuf") from None
    return [codec.from_rest(one.version, one.command_id, one.body) for one in stored]


def _steps(acts: Sequence[Act]) -> list[Step]:
    steps = []
    state = GAME.initial()
    for act in acts:
        state = GAME.fold(state, act.events, act.at_ms)
        steps.append(Step(act, state))
    return steps


def _walk(steps: list[Step]) -> None:
    """Ask for each step what comes next, until the person leaves or has seen the last one."""
    line(f"{len(steps)} steps. {KEYS[0].upper()}{KEYS[1:]}.")
    number = 1
    _show(steps, number)
    while True:
        print(f"{number}/{len(steps)}> ", end="", flush=True)
        typed = sys.stdin.readline(LINE_CHARACTERS_MAX)
        word = typed.strip().lower()
        if not typed or word in ("q", "quit"):
            return
        wanted = _wanted(word, number)
        if wanted is None:
            line(f"{KEYS}.")
        elif not 1 <= wanted <= len(steps):
            line(f"There are steps 1 to {len(steps)}.")
        else:
            number = wanted
            _show(steps, number)


def _wanted(word: str, number: int) -> int | None:
    if word in ("", "n"):
        return number + 1
    if word == "b":
        return number - 1
    return int(word) if word.isascii() and word.isdecimal() else None


def _show(steps: list[Step], number: int) -> None:
    """What happened in a step, and the position after it."""
    step = steps[number - 1]
    state = step.state
    symbols = takes_symbols()
    teams = not state.rules.is_stock
    when = f" at {moment(step.act.at_ms)}" if step.act.at_ms else ""
    line(f"-- step {number}, {step.act.author}{when}")
    for event in step.act.events:
        line(f"   {describe(event, symbols=symbols, players=state.table.players, teams=teams)}")
    for said in position(state, symbols=symbols):
        line(f"     {said}")
    if any(isinstance(event, HandScored | GameEnded) for event in step.act.events):
        line("")


def position(state: State, *, symbols: bool = False) -> list[str]:
    """How the table stands, in a few lines: all hands, the trick, contract and trump, points and totals."""
    if state.phase == NEW or not any(state.hands):
        return [f"{PHASES[state.phase]}; totals {_figures(state.totals)}"]
    players, lines = state.table.players, []
    for seat, hand in enumerate(state.hands):
        marks = ("dealer" if seat == state.dealer else "", "declarer" if seat == state.declarer else "")
        roles = ", ".join(filter(None, marks))
        turn = ">" if seat == state.turn else " "
        name = f"{turn} {seat} {players[seat]}{f' ({roles})' if roles else ''}"
        lines.append(f"{name:<28} {hand_text(hand, symbols=symbols)}")
    facts = [PHASES[state.phase]]
    if state.bid:
        facts.append(f"{'contract' if state.declarer != NONE else 'bid'} {state.bid} by seat {state.bidder}")
    if state.trump != NONE:
        facts.append(f"trump {SIGNS[state.trump] if symbols else SUITS[state.trump]}")
    if state.stock is not None and state.turn_up != NONE:
        facts.append(f"turned up {card_text(state.turn_up, symbols=symbols)}, {len(state.stock.cards)} face down")
    if state.trick:
        cards = " ".join(card_text(card, symbols=symbols) for card in state.trick)
        facts.append(f"trick {sum(state.tricks) + 1} led by seat {state.leader}: {cards}")
    elif sum(state.tricks):
        facts.append(f"{sum(state.tricks)} tricks played")
    if any(state.meld):
        facts.append(f"meld {_figures(state.meld)}")
    facts += [f"trick points {_figures(state.trick_points)}", f"totals {_figures(state.totals)}"]
    return [*lines, "; ".join(facts)]


def _figures(figures: Sequence[int]) -> str:
    return " to ".join(map(str, figures))
