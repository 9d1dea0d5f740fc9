"""`pinochle tournament`: create, enter, start, show, watch and list tournaments at a server."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TextIO

from pinochle.cli.connect import CallError, Service, missing, service, stream_id
from pinochle.cli.numbers import seconds, whole
from pinochle.cli.settings import OK, USAGE, CommandError, Settings
from pinochle.cli.show import as_json, line, moment, table
from pinochle.cli.tables import add_filters, pages, say_more
from pinochle.describe import describe, plain
from pinochle.explain import parse_knob
from pinochle.game import BEAT_MS_MAX, TURN_MS_MAX
from pinochle.texts import is_mark
from pinochle.tournament.decider import CYCLES_MAX, DEAL_CAP_MAX, DEALS_MAX, NUMBER_MAX, ROUNDS_MAX, TIE_DEALS_MAX
from pinochle.tournament.events import TeamEntered

FORMATS = {"knockout": 1, "round-robin": 2, "rounds": 3}
ROUNDS_DEFAULT = 4
DEAL_CAP_DEFAULT = 100
TIE_DEALS_DEFAULT = 3
FOLLOW_SECONDS = 3600.0
RETRY_SECONDS = 1.0
RETRIES_MAX = 30
"""Tries in a row to reach a server again while watching; a message received starts the count anew."""


def add(commands: Any, everywhere: argparse.ArgumentParser) -> None:
    """Add the command with its actions."""
    group = commands.add_parser(
        "tournament", help="create, enter, start, show, watch and list tournaments", description=__doc__
    )
    actions = group.add_subparsers(title="actions", metavar="ACTION", required=True)

    def action(name: str, run: Any, help: str) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = actions.add_parser(
            name, parents=[everywhere], help=help, description=help[0].upper() + help[1:] + "."
        )
        parser.set_defaults(run=run)
        return parser

    _add_create_options(action("create", run_create, "create a tournament; prints its id"))
    enter = action("enter", run_enter, "enter a team")
    enter.add_argument("tournament", metavar="ID")
    enter.add_argument("name", help="the team's name")
    enter.add_argument("players", nargs="+", metavar="PLAYER", help="its players; house bots are bot:club and so on")
    place = "its place in the seeding, 1 for the best (0: by lot)"
    enter.add_argument("--number", type=whole(0, NUMBER_MAX), default=0, help=place)
    start = action("start", run_start, "close the entries and start playing")
    start.add_argument("tournament", metavar="ID")
    show = action("show", run_show, "show teams, matches and standings")
    show.add_argument("tournament", metavar="ID")
    watch = action("watch", run_watch, "show what happens until the tournament has ended")
    watch.add_argument("tournament", metavar="ID")
    kept = "keep what is shown in this folder (docs/transcripts.md)"
    watch.add_argument("--transcript", default="", metavar="DIR", help=kept)
    add_filters(action("list", run_list, "list tournaments, the latest first"))


def _add_create_options(create: argparse.ArgumentParser) -> None:
    create.add_argument("name", help="what it is called")
    kinds = "default: knockout; tables of three play rounds"
    create.add_argument("--format", choices=FORMATS, default="knockout", help=kinds)
    create.add_argument("--profile", default="classic", help="the rules (default classic)")
    create.add_argument("--set", action="append", default=[], metavar="KNOB=VALUE", help="change a knob")
    create.add_argument("--id", default="", help="a UUID of your choice, to be safe when repeating")
    deals = "a match is so many scored deals (0: one game)"
    create.add_argument("--deals", type=whole(0, DEALS_MAX), default=0, help=deals)
    cap = f"deals after which a table ends in any case (default {DEAL_CAP_DEFAULT})"
    create.add_argument("--deal-cap", type=whole(1, DEAL_CAP_MAX), default=DEAL_CAP_DEFAULT, help=cap)
    ties = f"single deals played on for a tie, before the lot (default {TIE_DEALS_DEFAULT})"
    create.add_argument("--tie-deals", type=whole(0, TIE_DEALS_MAX), default=None, help=ties)
    longest = seconds(TURN_MS_MAX / 1000, or_zero=True)
    create.add_argument("--turn-seconds", type=longest, default=0, help="thinking time (0: the server's default)")
    beat = "give out what players do on this beat only, in ms (100 to 5000; 0: at once), so that nobody can time them"
    create.add_argument("--beat", type=whole(0, BEAT_MS_MAX), default=0, metavar="MS", help=beat)
    often = "how often all meet in a round robin (default 1)"
    create.add_argument("--cycles", type=whole(1, CYCLES_MAX), default=None, help=often)
    rounds = f"how many rounds, in the format of that name (default {ROUNDS_DEFAULT})"
    create.add_argument("--rounds", type=whole(1, ROUNDS_MAX), default=None, help=rounds)


def run_create(options: argparse.Namespace, settings: Settings) -> int:
    """Create a tournament."""
    _check_format(options)
    is_rounds = options.format == "rounds"
    knobs = [{"name": name, "value": json.dumps(value)} for name, value in map(parse_knob, options.set)]
    with _service(settings) as tournaments:
        made = tournaments.call(
            "Create",
            _message(
                tournaments,
                "CreateRequest",
                tournament=str(stream_id(options.id)) if options.id else "",
                name=options.name,
                format=FORMATS[options.format],
                profile=options.profile,
                knobs=knobs,
                deals=options.deals,
                deal_cap=options.deal_cap,
                tie_deals=_given(options.tie_deals, 0 if is_rounds else TIE_DEALS_DEFAULT),
                turn_ms=round(options.turn_seconds * 1000),
                beat_ms=options.beat,
                cycles=_given(options.cycles, 1),
                rounds=_given(options.rounds, ROUNDS_DEFAULT if is_rounds else 0),
            ),
        )
    if settings.json:
        said = {"tournament": made.tournament, "version": made.version, "commitment": made.commitment.hex()}
        as_json({**said, "rules": _knobs(made.rules), "differences": list(made.differences)})
    else:
        line(made.tournament)
        if made.differences:
            _say_differences(options.profile, made.differences, sys.stderr)  # stdout has the id alone
    return OK


def _check_format(options: argparse.Namespace) -> None:
    """CommandError for an option that the chosen format has no use for."""
    for option, formats in _FORMATS_OF.items():
        if getattr(options, option) is not None and options.format not in formats:
            name = option.replace("_", "-")
            owners = f"format {formats[0]}" if len(formats) == 1 else f"formats {' and '.join(formats)}"
            why = ": at a table of three equal totals share the place" if option == "tie_deals" else ""
            raise CommandError(f"--{name} belongs to the {owners}, not to {options.format}{why}", USAGE)


_FORMATS_OF = {"rounds": ("rounds",), "cycles": ("round-robin",), "tie_deals": ("knockout", "round-robin")}


def _given(value: int | None, default: int) -> int:
    return default if value is None else value


def _knobs(rules: Any) -> dict[str, Any]:
    return {knob.name: json.loads(knob.value) for knob in rules.knobs}


def _say_differences(profile: str, differences: Any, out: TextIO | None = None) -> None:
    """What a rule set has otherwise than its profile, in words."""
    line(f"rules: {profile}{', but:' if differences else ''}", out)
    for sentence in differences:
        line(f"  {sentence}", out)


def run_enter(options: argparse.Namespace, settings: Settings) -> int:
    """Enter a team."""
    fields = {"name": options.name, "players": options.players, "number": options.number}
    with _service(settings) as tournaments:
        request = _message(tournaments, "EnterRequest", tournament=_id(options), **fields)
        entered = tournaments.call("Enter", request)
    if settings.json:
        said = {"team": entered.team, "version": entered.version}
        as_json({**said, "commitment": entered.commitment.hex()})
    else:
        line(f"team {entered.team}: {options.name}")
        line(f"commitment to the tournament's seed: {entered.commitment.hex()}")
    return OK


def run_start(options: argparse.Namespace, settings: Settings) -> int:
    """Start a tournament."""
    with _service(settings) as tournaments:
        started = tournaments.call("Start", _message(tournaments, "StartRequest", tournament=_id(options)))
    if settings.json:
        as_json({"tournament": _id(options), "version": started.version})
    else:
        line("started")
    return OK


def run_show(options: argparse.Namespace, settings: Settings) -> int:
    """Show one tournament."""
    with _service(settings) as tournaments:
        shown = tournaments.call("Show", _message(tournaments, "ShowRequest", tournament=_id(options)))
    if settings.json:
        as_json({**_plain(shown), "head": shown.head.hex(), "root": shown.root.hex()})
        return OK
    created = shown.created
    champion = f"; champion {_team_names(shown)[shown.champion]}" if shown.HasField("champion") else ""
    line(f"{created.name}: {_format(created.format)}, {shown.phase}, {len(shown.teams)} teams{champion}")
    _say_differences(shown.profile, shown.differences)
    line("")
    rows = [(t.seed or None, t.name, " ".join(_players(t)), t.eliminated_in, t.rank or None) for t in shown.teams]
    table(("seed", "team", "players", "lost in", "rank"), rows)
    if shown.matches:
        line("")
        _show_matches(shown)
    if shown.standings:
        line("")
        _show_standings(shown)
    if shown.place_standings:
        line("")
        _show_place_standings(shown)
    line("")
    if shown.head:
        line(f"pin {shown.head.hex()}  (pinochle verify EXPORT... --root takes it)")
        line(f"root over its tables {shown.root.hex() or 'none: it was closed before tables were pinned'}")
    else:
        line(f"commitment to its seed {created.commitment.hex()}")
    return OK


def _players(team: Any) -> list[str]:
    """A team's players, each with its display name where it has one."""
    names = list(team.player_names) or [""] * len(team.players)
    return [f"{player} ({name})" if name else player for player, name in zip(team.players, names, strict=True)]


def _show_matches(shown: Any) -> None:
    names = _team_names(shown)
    rows = []
    for match in shown.matches:
        last = match.attempts[-1] if match.attempts else None
        totals = " to ".join(map(str, last.totals)) if last is not None and last.status == "played" else ""
        winner = names[match.winner] if match.HasField("winner") else "shared" if match.places else ""
        sides = " - ".join(names[team] for team in match.teams)
        rows.append((match.match, sides, totals, winner, match.reason, last.table if last is not None else ""))
    table(("match", "teams", "last table", "winner", "by", "table"), rows)


def _show_standings(shown: Any) -> None:
    names = _team_names(shown)
    rows = [
        (row.rank, names[row.team], row.played, row.wins, row.points_for, row.points_against) for row in shown.standings
    ]
    table(("rank", "team", "played", "wins", "points", "against"), rows)


def _show_place_standings(shown: Any) -> None:
    names = _team_names(shown)
    rows = [
        (row.rank, names[row.team], row.played, row.byes, f"{row.halves / 2:g}", row.points)
        for row in shown.place_standings
    ]
    table(("rank", "player", "played", "byes", "place points", "points"), rows)


def run_watch(options: argparse.Namespace, settings: Settings) -> int:
    """Follow a tournament from its first act to its end; a lost connection is made again from where it was."""
    after, at_ms, tries = 0, 0, 0
    kept = _transcripts(options.transcript)
    with _service(settings) as tournaments:
        while True:
            fields = {"tournament": _id(options), "after_version": after, "at_ms": at_ms}
            request = _message(tournaments, "TournamentServiceWatchRequest", **fields)
            try:
                ended = False
                for news in tournaments.stream("Watch", request, FOLLOW_SECONDS):
                    tries = 0
                    if kept is not None:
                        kept.tournament_seen(_id(options), news)
                    for view in news.acts:
                        _show_act(view, settings.json, lambda: _names(tournaments, options))
                        after, at_ms = view.version, view.at_ms
                    ended = news.over and after >= news.version
                    _show_pin(news.head, settings.json)
                if ended:
                    return OK  # the server ends the stream with the last act; without that it is being stopped
            except CallError as error:
                if not error.is_passing or tries >= RETRIES_MAX or not after:
                    raise
            tries += 1
            time.sleep(RETRY_SECONDS)


def _transcripts(folder: str) -> Any:
    if not folder:
        return None
    try:
        from pinochle.client.transcripts import TranscriptFolder
    except ImportError:
        raise missing("grpcio or protobuf") from None
    return TranscriptFolder(folder)


def _show_pin(head: bytes, as_json_lines: bool) -> None:
    """The hash of a closed tournament's last act, which comes with it."""
    if head and as_json_lines:
        as_json({"pin": head.hex()})
    elif head:
        line(f"pin {head.hex()}")


def _names(tournaments: Service, options: argparse.Namespace) -> dict[int, str]:
    return _team_names(tournaments.call("Show", _message(tournaments, "ShowRequest", tournament=_id(options))))


def _show_act(view: Any, as_json_lines: bool, names: Callable[[], dict[int, str]]) -> None:
    """Show one act. The log holds marks of the teams' names; people are shown what they stand for now."""
    from pinochle.wire import tournament_codec

    events = tournament_codec.events_from(view)
    if as_json_lines:
        said = {"version": view.version, "at_ms": view.at_ms, "author": view.author}
        as_json({**said, "events": [plain(event) for event in events]})
        return
    for event in events:
        if isinstance(event, TeamEntered) and is_mark(event.name):
            event = replace(event, name=names().get(event.team, event.name))
        line(f"{moment(view.at_ms)} {describe(event)}")


def run_list(options: argparse.Namespace, settings: Settings) -> int:
    """List tournaments by state and time."""
    with _service(settings) as tournaments:

        def page(**fields: Any) -> tuple[list[Any], str]:
            answer = tournaments.call("List", _message(tournaments, "TournamentServiceListRequest", **fields))
            return list(answer.tournaments), answer.next

        rows, token = pages(page, options)
    say_more(token)
    if settings.json:
        for row in rows:
            as_json(_plain(row))
        return OK
    shown = [
        (
            row.tournament, moment(row.opened_ms), row.name, _format(row.format), row.phase, row.teams, _progress(row),
            row.champion,
        )
        for row in rows
    ]  # fmt: skip
    table(("tournament", "created", "name", "format", "phase", "teams", "matches", "champion"), shown)
    return OK


def _progress(row: Any) -> str:
    return f"{row.matches_decided} of {row.matches}" if row.matches else ""


def _format(number: int) -> str:
    return next((name for name, known in FORMATS.items() if known == number), f"format {number}")


def _team_names(shown: Any) -> dict[int, str]:
    return {team.team: team.name for team in shown.teams}


def _plain(message: Any) -> Any:
    """A message as values for JSON, with the names of the contract; the empty ones are kept."""
    from google.protobuf.json_format import MessageToDict

    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def _id(options: argparse.Namespace) -> str:
    return str(stream_id(options.tournament))


def _service(settings: Settings) -> Any:
    return service(settings.tournaments, settings, "TournamentServiceStub", "tournament_pb2_grpc")


def _message(tournaments: Service, kind: str, /, **values: Any) -> Any:
    return tournaments.message("tournament_pb2", kind, **values)
