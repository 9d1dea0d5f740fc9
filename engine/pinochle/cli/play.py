"""`pinochle play`: a game in the terminal, against house bots or between them, without a server."""

from __future__ import annotations

import argparse
import secrets
import sys
from dataclasses import dataclass, field
from typing import Any, TextIO

from pinochle import shuffle
from pinochle.bots import BOTS, Bot, Chance, bot
from pinochle.cli import person
from pinochle.cli.connect import missing
from pinochle.cli.numbers import whole
from pinochle.cli.settings import OK, USAGE, CommandError, Settings
from pinochle.cli.show import as_json, line, takes_symbols
from pinochle.commands import CloseTable, DealCards, OpenTable
from pinochle.describe import describe, plain
from pinochle.errors import BadInput, BadNotation
from pinochle.events import Event, HandDealt, TableOpened
from pinochle.explain import parse_knob
from pinochle.game import DEAL_LIMIT_MAX, GAME
from pinochle.options import Options, legal
from pinochle.redact import redact
from pinochle.rules import RuleSet, load, profiles
from pinochle.state import CLOSED, DEAL, OVER, PHASES, State

SEATS_MAX = 4
DEALS_DEFAULT = 100
"""Weak bots can fall for ever; the table then ends by its cap on deals."""
PERSON = "you"


class Left(Exception):
    """The person has left the game."""


def add(commands: Any, everywhere: argparse.ArgumentParser) -> None:
    """Add the command."""
    command = commands.add_parser(
        "play",
        parents=[everywhere],
        help="play or watch a game against house bots, without a server",
        description="Play a game in the terminal against house bots, or watch one. Type ? for what may be done, "
        "quit to leave. With --json the events come as JSON lines and questions go to stderr.",
    )
    command.add_argument("--profile", default="classic", help=f"one of {', '.join(profiles())} (default classic)")
    command.add_argument(
        "--set", action="append", default=[], metavar="KNOB=VALUE", help="change a knob; VALUE as in JSON, or a word"
    )
    who = command.add_mutually_exclusive_group()
    who.add_argument("--seat", type=int, choices=range(SEATS_MAX), default=0, help="where you sit (default 0)")
    who.add_argument("--watch", action="store_true", help="bots on all seats, all hands shown")
    command.add_argument(
        "--bots", default="club", metavar="NAME,…", help=f"the bots by seat, repeated as needed: {', '.join(BOTS)}"
    )
    command.add_argument("--seed", default="", metavar="HEX", help="64 digits that all decks follow from")
    command.add_argument(
        "--deals", type=whole(1, DEAL_LIMIT_MAX), default=DEALS_DEFAULT,
        help=f"the game ends after so many deals (default {DEALS_DEFAULT})",
    )
    log = "write the game's log to this file (docs/verification.md)"
    command.add_argument("-o", "--out", default="", metavar="FILE", help=log)
    kept = "keep what you are shown and send in this folder (docs/transcripts.md)"
    command.add_argument("--transcript", default="", metavar="DIR", help=kept)
    command.set_defaults(run=run)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Play one game to its end, or until the person leaves."""
    rules = _rules(options.profile, options.set)
    names = [name.strip() for name in options.bots.split(",")]
    bots: list[Bot | None] = [bot(names[seat % len(names)]) for seat in range(rules.players)]
    players = [f"bot:{names[seat % len(names)]}" for seat in range(rules.players)]
    seat = None if options.watch else options.seat
    if seat is not None:
        if seat >= rules.players:
            raise CommandError(f"--seat must be 0 to {rules.players - 1} in a game of {rules.players}", USAGE)
        bots[seat], players[seat] = None, PERSON
    seed = _seed(options.seed)
    screen = _Screen(seat, settings.json, tuple(players), not rules.is_stock)
    recording = _recording(seat, options.out, options.transcript)
    game = _Game(seed, tuple(players), bots, screen, recording)
    try:
        game.play(rules, options.deals)
    except (Left, KeyboardInterrupt):
        screen.say("The game was left.")
    else:
        screen.result(game.state, seed)
    if recording is not None:
        recording.finish()
    return OK


def _recording(seat: int | None, out: str, transcript: str) -> Any:
    if not out and not transcript:
        return None
    try:
        from pinochle.cli.recording import Recording
    except ImportError:
        raise missing("grpcio or protobuf") from None
    return Recording(seat, out, transcript)


def _seed(text: str) -> bytes:
    if not text:
        return secrets.token_bytes(shuffle.SEED_BYTES)
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if len(seed) != shuffle.SEED_BYTES:
        raise CommandError(f"--seed needs {2 * shuffle.SEED_BYTES} hexadecimal digits", USAGE)
    return seed


def _rules(profile: str, changes: list[str]) -> RuleSet:
    return load(profile, **dict(map(parse_knob, changes)))


@dataclass
class _Screen:
    """What is shown of a game: all of it to a watcher (`seat` None), else what the person's seat may see."""

    seat: int | None
    json: bool
    players: tuple[str, ...]
    teams: bool
    talk: TextIO = field(init=False)
    symbols: bool = field(init=False)

    def __post_init__(self) -> None:
        self.talk = sys.stderr if self.json else sys.stdout
        self.symbols = takes_symbols(self.talk)

    def show(self, event: Event) -> None:
        if self.seat is not None:
            event = redact(event, self.seat)
        if self.json:
            as_json(plain(event))
        elif isinstance(event, HandDealt):
            line("")
            line(describe(event, symbols=self.symbols))
        else:
            named = () if isinstance(event, TableOpened) else self.players
            line(describe(event, symbols=self.symbols, players=named, teams=self.teams))

    def say(self, text: str) -> None:
        line(text, self.talk)

    def ask(self, view: State, options: Options) -> Any:
        """The person's command: asked again until it is possible."""
        seat = options.seat
        self.say(person.situation(view, seat, symbols=self.symbols))
        self.show_numbered(options)
        while True:
            print("> ", end="", file=self.talk, flush=True)
            typed = sys.stdin.readline(person.LINE_CHARACTERS_MAX)
            word = typed.strip().lower()
            if not typed or word in ("quit", "q", "exit"):
                self.say("")
                raise Left
            if word in ("?", "h"):
                self.say(person.choices(options, symbols=self.symbols))
                self.show_numbered(options)
                continue
            try:
                return person.parse(typed, options)
            except BadNotation as error:
                self.say(str(error))

    def show_numbered(self, options: Options) -> None:
        for text in person.numbered(options, symbols=self.symbols):
            self.say(text)

    def result(self, state: State, seed: bytes) -> None:
        winner = None if state.winner < 0 else state.winner
        if self.json:
            as_json(
                {
                    "result": {"winner": winner, "reason": state.end_reason, "totals": list(state.totals)},
                    "deals": state.deal,
                    "players": list(self.players),
                    "seed": seed.hex(),
                }
            )
            return
        if winner is None:
            won = "Nobody wins"
        elif self.teams:
            won = f"Team {winner} (seats {winner} and {winner + 2}) wins"
        else:
            won = f"Seat {winner} ({self.players[winner]}) wins"
        deals = "1 deal" if state.deal == 1 else f"{state.deal} deals"
        line(f"{won}, {' to '.join(map(str, state.totals))} after {deals}.")


@dataclass
class _Game:
    """One table in this process: the truth, and each seat's own view of it."""

    seed: bytes
    players: tuple[str, ...]
    bots: list[Bot | None]
    screen: _Screen
    recording: Any = None
    state: State = field(default_factory=GAME.initial)
    views: list[State] = field(init=False)

    def __post_init__(self) -> None:
        self.views = [GAME.initial() for _ in self.players]

    def play(self, rules: RuleSet, deals: int) -> None:
        dealer = shuffle.lot(self.seed, 0, len(self.players))
        self.accept(OpenTable(rules, self.players, dealer, self.seed, deal_limit=deals))
        while self.state.phase != CLOSED:
            if self.state.phase == DEAL:
                self.accept(DealCards(shuffle.shuffled(rules.cards, self.seed, self.state.deal + 1)))
            elif self.state.phase == OVER:
                self.accept(CloseTable())
            else:
                self.accept(self.choose(self.state.turn))

    def choose(self, seat: int) -> Any:
        view = self.views[seat]
        options = legal(view)
        if options is None:
            raise BadInput(f"seat {seat} is due, but has nothing to do in phase {PHASES[view.phase]}")
        player = self.bots[seat]
        if player is None:
            return self.screen.ask(view, options)
        return player.choose(view, options, Chance(self.seed, self.state.version, seat))

    def accept(self, command: Any) -> None:
        events = GAME.decide(self.state, command)
        if self.recording is not None:
            self.recording.accepted(self.state, command, events)
        self.state = GAME.fold(self.state, events, 0)
        for seat, view in enumerate(self.views):
            self.views[seat] = GAME.fold(view, tuple(redact(event, seat) for event in events), 0)
        for event in events:
            self.screen.show(event)
