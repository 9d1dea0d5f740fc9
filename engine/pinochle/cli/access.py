"""`pinochle token` and `pinochle status`: who may do what, and whether the system is well."""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import Any

from pinochle.cli.connect import CallError, service, stream_id
from pinochle.cli.settings import OK, PROBLEM, CommandError, Settings, json_file
from pinochle.cli.show import as_json, line, moment, table
from pinochle.errors import BadInput

ROLES = ("operator", "director", "player", "spectator")
EXPIRES_SECONDS_MAX = 2**32 - 1
UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def add(commands: Any, everywhere: argparse.ArgumentParser) -> None:
    """Add the commands."""
    token = commands.add_parser("token", help="make and revoke tokens", description="Make and revoke tokens.")
    actions = token.add_subparsers(title="actions", metavar="ACTION", required=True)
    create = actions.add_parser(
        "create",
        parents=[everywhere],
        help="make a token and print it, once",
        description="Make a token. Its text is printed once and kept nowhere; its id is for revoking it.",
    )
    create.add_argument("role", choices=ROLES, help="what its holder may do")
    create.add_argument("--player", default="", metavar="ID", help="the player that it stands for")
    where = create.add_mutually_exclusive_group()
    where.add_argument("--table", metavar="ID", help="good at this table only")
    where.add_argument("--tournament", metavar="ID", help="good at the tables of this tournament only")
    create.add_argument("--seat", type=int, choices=range(4), help="good for this seat only")
    create.add_argument("--expires", type=expiry, default=0, metavar="TIME", help="for so long: 90m, 12h, 7d")
    create.add_argument("--note", default="", help="what it is for")
    create.set_defaults(run=run_create)
    revoke = actions.add_parser(
        "revoke",
        parents=[everywhere],
        help="make a token worthless",
        description="Make a token worthless, by the id that was printed with it.",
    )
    revoke.add_argument("id", help="the token's id")
    revoke.set_defaults(run=run_revoke)
    status = commands.add_parser(
        "status",
        parents=[everywhere],
        help="processes, overdue turns and stuck tables on one screen",
        description="The state of the system: its processes (where its data folder is on this machine), and the "
        "figures of the table service (for operators). Exit 1 if a process is down or a table stuck.",
    )
    status.set_defaults(run=run_status)


def expiry(text: str) -> int:
    """Seconds from text such as 90m; argparse reports what is none."""
    match = re.fullmatch(r"([0-9]{1,10})([smhd]?)", text)
    seconds = int(match[1]) * UNITS[match[2] or "s"] if match else 0
    if not 0 < seconds <= EXPIRES_SECONDS_MAX:
        raise argparse.ArgumentTypeError(f"not a time: {text!r:.20} (as in 90m, 12h or 7d)")
    return seconds


def run_create(options: argparse.Namespace, settings: Settings) -> int:
    """Make a token."""
    stream = options.table or options.tournament
    fields = {
        "role": options.role,
        "player": options.player,
        "stream": str(stream_id(stream)) if stream else "",
        "expires_seconds": options.expires,
        "note": options.note,
        **({} if options.seat is None else {"seat": options.seat}),
    }
    if options.role == "player" and not options.player:
        raise BadInput("a player's token needs --player")
    with service(settings.server, settings, "AccessServiceStub", "access_pb2_grpc") as access:
        made = access.call("CreateToken", access.message("access_pb2", "CreateTokenRequest", **fields))
    if settings.json:
        as_json({"token": made.token, "id": made.id, "expires_ms": made.expires_ms or None})
        return OK
    line(made.token)
    until = f", good until {moment(made.expires_ms)}" if made.expires_ms else ""
    line(f"id {made.id}{until}", sys.stderr)
    return OK


def run_revoke(options: argparse.Namespace, settings: Settings) -> int:
    """Revoke a token."""
    with service(settings.server, settings, "AccessServiceStub", "access_pb2_grpc") as access:
        access.call("RevokeToken", access.message("access_pb2", "RevokeTokenRequest", id=options.id))
    if settings.json:
        as_json({"id": options.id, "revoked": True})
    else:
        line(f"token {options.id} is revoked")
    return OK


def run_status(options: argparse.Namespace, settings: Settings) -> int:
    """Show processes and figures; whatever part cannot be had is said in its place."""
    processes, supervised = _processes(settings)
    figures: dict[str, Any] | None = None
    problem: CallError | None = None
    try:
        figures = _figures(settings)
    except CallError as error:
        problem = error
    if settings.json:
        error_text = None if problem is None else str(problem)
        as_json({"processes": processes, "supervised": supervised, "table": figures, "error": error_text})
    else:
        _show_processes(processes, supervised, settings)
        _show_figures(figures, problem, settings)
    if problem is not None:
        return problem.code
    down = supervised is False or any(process["state"] != "running" for process in processes)
    return PROBLEM if down or (figures and figures["stuck_tables"]) else OK


def _processes(settings: Settings) -> tuple[list[dict[str, Any]], bool | None]:
    """What the supervisor wrote of each process, and whether it still runs; None where there is none here."""
    said = json_file(settings.data / "processes.json")
    rows = said.get("processes")
    if not isinstance(rows, list):
        return [], None
    names = ("name", "pid", "state", "restarts", "started_at_ms", "version", "last_exit")
    processes = [{name: row.get(name) for name in names} for row in rows if isinstance(row, dict)]
    supervisor = said.get("supervisor")
    alive = isinstance(supervisor, int) and _is_alive(supervisor)
    for process in processes:
        if not alive and process["state"] == "running":
            process["state"] = "unknown"
    return processes, alive


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError, ValueError):
        return False
    return True


def _figures(settings: Settings) -> dict[str, Any]:
    with service(settings.server, settings, "AccessServiceStub", "access_pb2_grpc") as access:
        said = access.call("Status", access.message("access_pb2", "StatusRequest"))
    return {
        "address": settings.server,
        "version": said.version,
        "started_ms": said.started_ms,
        "open_tables": said.open_tables,
        "open_streams": said.open_streams,
        "overdue_turns": said.overdue_turns,
        "stuck_tables": list(said.stuck_tables),
        "database_clock_drift_ms": said.database_clock_drift_ms,
    }


def _show_processes(processes: list[dict[str, Any]], supervised: bool | None, settings: Settings) -> None:
    if supervised is None:
        line(f"processes: none are recorded in {settings.data} on this machine")
        return
    if not supervised:
        line(f"processes: the supervisor of {settings.data} is gone; this is what it wrote last")
    rows = [
        (
            process["name"],
            process["state"],
            process["pid"],
            process["restarts"],
            moment(process["started_at_ms"]) if isinstance(process["started_at_ms"], int) else "",
            process["version"],
        )
        for process in processes
    ]
    table(("process", "state", "pid", "restarts", "since", "version"), rows)


def _show_figures(figures: dict[str, Any] | None, problem: CommandError | None, settings: Settings) -> None:
    line("")
    if figures is None:
        line(f"table service: {problem}")
        return
    since = moment(figures["started_ms"])
    line(f"table service {figures['version']} at {settings.server}, since {since}")
    line(f"  open tables    {figures['open_tables']}")
    line(f"  open streams   {figures['open_streams']}")
    line(f"  overdue turns  {figures['overdue_turns']}")
    line(f"  stuck tables   {len(figures['stuck_tables'])}")
    for stuck in figures["stuck_tables"]:
        line(f"    {stuck}")
    line(f"  clock drift    {figures['database_clock_drift_ms']} ms from the database")
