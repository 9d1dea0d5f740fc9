"""The demonstration: a whole tournament of house bots on the running system, then every log read back and checked."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import grpc
from pinochle import audit
from pinochle.pinning import Pins
from pinochle.state import CLOSED
from pinochle.wire.v1 import table_pb2, table_pb2_grpc, tournament_pb2, tournament_pb2_grpc
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from services.local.system import System

TEAMS_MIN, TEAMS_MAX = 2, 256
CALL_SECONDS_MAX = 15.0
LOG_SECONDS_MAX = 60.0
PLAY_SECONDS_MAX = 600.0
LOOK_SECONDS = 0.25
MISSES_MAX = 100
"""Looks in a row that may fail while a process is restarted."""
NAMES = (
    "Aces", "Brass", "Cedars", "Dixies", "Embers", "Finches", "Gales", "Hollies", "Irons", "Jacks", "Kestrels",
    "Lanterns", "Marriages", "Nines", "Owls", "Pipers",
)  # fmt: skip
BOTS = ("bot:club", "bot:club", "bot:club", "bot:timid", "bot:club", "bot:club", "bot:club", "bot:random")
"""Who plays for a team, in turn: mostly the bot that bids, now and then one that never does, or plays at random."""


class DemoFailed(Exception):
    """The demonstration did not show what it should; the text says what."""


@dataclass
class Counts:
    """What the closing line of JSON says."""

    tournament: str
    teams: int
    tables: int = 0
    deals: int = 0
    events: int = 0
    rebuilt: int = 0
    verified: int = 0
    turns: int = 0
    problems: list[str] = field(default_factory=list)


def run(arguments: Sequence[str], system: System | None) -> int:
    """Play and check; exit code 1 where anything does not verify. Without a system only --help can be answered."""
    options = _parser().parse_args(list(arguments))
    assert system is not None
    console = Console(stderr=False, soft_wrap=True)
    try:
        return _Demo(system, options, console).run()
    except grpc.RpcError as error:
        raise DemoFailed(f"a call failed: {error.code().name}: {error.details()}") from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make demo ARGS=", description=__doc__)
    parser.add_argument("--teams", type=_teams, default=16, help=f"{TEAMS_MIN} to {TEAMS_MAX} (default 16)")
    parser.add_argument("--profile", default="classic", help="the rules (default classic)")
    parser.add_argument("--deals", type=int, default=0, help="a match is so many scored deals (0: one game)")
    parser.add_argument("--deal-cap", type=int, default=40, help="deals after which a table ends in any case")
    return parser


def _teams(text: str) -> int:
    number = int(text)
    if not TEAMS_MIN <= number <= TEAMS_MAX:
        raise argparse.ArgumentTypeError(f"{TEAMS_MIN} to {TEAMS_MAX}, not {number}")
    return number


class _Demo:
    def __init__(self, system: System, options: argparse.Namespace, console: Console) -> None:
        self._options = options
        self._console = console
        self._clock = system.clock
        self._metadata = (("authorization", f"Bearer {system.operator_token}"),)
        tables, tournaments = (
            grpc.insecure_channel(address, options=(("grpc.enable_http_proxy", 0),))
            for address in (system.state.table_address, system.state.tournament_address)
        )
        self._tables = table_pb2_grpc.TableServiceStub(tables)
        self._tournaments = tournament_pb2_grpc.TournamentServiceStub(tournaments)

    def run(self) -> int:
        began = self._clock.now()
        tournament = self._start()
        shown = self._follow(tournament)
        played = self._clock.now() - began
        _show_bracket(shown, self._console)
        counts = self._check(shown)
        for problem in counts.problems:
            self._console.print(f"[red]{problem}")
        ok = not counts.problems and counts.tables == counts.rebuilt == counts.verified > 0
        verdict = (
            "every game was rebuilt from its events, and every chain verified" if ok else "NOT EVERYTHING VERIFIED"
        )
        self._console.print(
            f"{counts.tables} tables, {counts.deals} deals, {counts.events} events, {counts.turns} turns: {verdict}"
        )
        self._console.print(f"all of it is pinned by {shown.head.hex()}")
        closing = {
            "tournament": counts.tournament,
            "teams": counts.teams,
            "tables": counts.tables,
            "deals": counts.deals,
            "events": counts.events,
            "rebuilt": counts.rebuilt,
            "verified": counts.verified,
            "pin": shown.head.hex(),
            "turns_per_second": round(counts.turns / played, 1),
            "seconds": round(self._clock.now() - began, 1),
        }
        print(json.dumps(closing), flush=True)
        return 0 if ok else 1

    def _start(self) -> str:
        options = self._options
        made = self._call(
            self._tournaments.Create,
            tournament_pb2.CreateRequest(
                name="House cup",
                format=tournament_pb2.TOURNAMENT_FORMAT_KNOCKOUT,
                profile=options.profile,
                deals=options.deals,
                deal_cap=options.deal_cap,
                tie_deals=3,
            ),
        )
        for number in range(options.teams):
            round_, place = divmod(number, len(NAMES))
            name = NAMES[place] + (f" {round_ + 1}" if round_ else "")
            players = [BOTS[number % len(BOTS)]] * 2
            entry = tournament_pb2.EnterRequest(tournament=made.tournament, name=name, players=players)
            self._call(self._tournaments.Enter, entry)
        self._call(self._tournaments.Start, tournament_pb2.StartRequest(tournament=made.tournament))
        self._console.print(f"House cup {made.tournament}: {options.teams} teams, knockout, {options.profile}")
        return str(made.tournament)

    def _follow(self, tournament: str) -> Any:
        """Show how the tournament goes on until it is closed; its last state."""
        request = tournament_pb2.ShowRequest(tournament=tournament)
        end = self._clock.now() + PLAY_SECONDS_MAX
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        misses, told = 0, -1
        with Progress(*columns, console=self._console, disable=not self._console.is_terminal) as progress:
            bar = progress.add_task("matches", total=self._options.teams - 1)
            while self._clock.now() < end:
                try:
                    shown = self._tournaments.Show(request, timeout=CALL_SECONDS_MAX, metadata=self._metadata)
                    misses = 0
                except grpc.RpcError:
                    misses += 1
                    if misses > MISSES_MAX:
                        raise
                    self._clock.sleep(LOOK_SECONDS)
                    continue
                decided = sum(match.HasField("winner") for match in shown.matches)
                progress.update(bar, completed=decided, description=self._running(shown))
                if decided != told and not self._console.is_terminal:
                    told = decided
                    self._console.print(f"{decided} of {self._options.teams - 1} matches decided")
                if shown.phase == "closed":
                    return shown
                self._clock.sleep(LOOK_SECONDS)
        raise DemoFailed(f"the tournament did not end within {PLAY_SECONDS_MAX:g} seconds")

    def _running(self, shown: Any) -> str:
        """How the open tables stand, for the progress line."""
        wanted = [a.table for match in shown.matches for a in match.attempts if a.status == "wanted"][:100]
        if not wanted:
            return "matches"
        try:
            request = table_pb2.ListRequest(tables=wanted)
            found = self._tables.List(request, timeout=CALL_SECONDS_MAX, metadata=self._metadata).tables
        except grpc.RpcError:
            return "matches"
        deals, acts = sum(table.deals for table in found), sum(table.version for table in found)
        return f"{len(found)} tables, {deals} deals, {acts} acts"

    def _check(self, shown: Any) -> Counts:
        """Read every log back, rebuild each game from its events alone and verify every act of it."""
        counts, pins = Counts(shown.tournament, len(shown.teams)), Pins(shown.head)
        attempts = [attempt for match in shown.matches for attempt in match.attempts]
        columns = (TextColumn("checking logs"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self._console, disable=not self._console.is_terminal) as progress:
            for attempt in progress.track(attempts):
                self._check_table(attempt, counts, pins)
        request = tournament_pb2.TournamentServiceLogRequest(tournament=shown.tournament)
        acts = list(self._log(self._tournaments.Log, request))
        report = audit.verify_tournament(UUID(shown.tournament), acts)
        pins.add(report)
        if not report.ok:
            counts.problems.append(f"tournament {shown.tournament}: {report.problem}")
        counts.problems += map(str, pins.findings())
        return counts

    def _check_table(self, attempt: Any, counts: Counts, pins: Pins) -> None:
        acts = list(self._log(self._tables.Log, table_pb2.LogRequest(table=attempt.table)))
        report = audit.verify_table(UUID(attempt.table), acts)
        pins.add(report)
        counts.tables += 1
        counts.deals += report.deals
        counts.events += report.events
        if report.ok:
            counts.verified += 1
        else:
            counts.problems.append(f"table {attempt.table}: {report.problem}")
        state = audit.rebuild(acts)
        if state.phase == CLOSED and tuple(attempt.totals) == state.totals:
            counts.rebuilt += 1
        else:
            counts.problems.append(f"table {attempt.table}: its events do not add up to the recorded result")
        counts.turns += sum(
            audit.TABLE.from_rest(act.version, act.command_id, act.body).author.startswith("seat:") for act in acts
        )

    def _log(self, method: Any, request: Any) -> Iterator[Any]:
        for page in method(request, timeout=LOG_SECONDS_MAX, metadata=self._metadata):
            yield from page.acts

    def _call(self, method: Callable[..., Any], request: Any) -> Any:
        return method(request, timeout=CALL_SECONDS_MAX, metadata=self._metadata)


def _show_bracket(shown: Any, console: Console) -> None:
    names = {team.team: f"{team.name} ({team.players[0].removeprefix('bot:')})" for team in shown.teams}
    for round_ in range(1, shown.rounds + 1):
        console.print(f"[bold]round {round_}")
        for byes in shown.byes:
            if byes.round == round_:
                console.print("  bye: " + ", ".join(names[team] for team in byes.teams))
        for match in shown.matches:
            if match.round == round_:
                console.print("  " + _match_line(match, names))
    if shown.HasField("champion"):
        console.print(f"[bold]champion: {names[shown.champion]}")


def _match_line(match: Any, names: dict[int, str]) -> str:
    first, second = match.teams
    scores = ", then ".join(":".join(map(str, attempt.totals)) for attempt in match.attempts if attempt.totals)
    by = "" if match.reason == "score" else f" ({match.reason.replace('_', ' ')})"
    return f"{names[first]:>24} - {names[second]:<24} {scores:>14}  {names[match.winner]}{by}"
