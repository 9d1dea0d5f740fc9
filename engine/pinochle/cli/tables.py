"""`pinochle tables`: the tables of a server, by state and time."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

from pinochle.cli.connect import Service, service, stream_id
from pinochle.cli.moments import when
from pinochle.cli.numbers import whole
from pinochle.cli.settings import OK, Settings
from pinochle.cli.show import as_json, line, moment, table

PB = "table_pb2"
PAGE = 100
LIMIT_DEFAULT, LIMIT_MAX = 100, 999_999_999


def add(commands: Any, everywhere: argparse.ArgumentParser) -> None:
    """Add the command."""
    command = commands.add_parser(
        "tables",
        parents=[everywhere],
        help="list tables, the latest first",
        description="List tables in the order of opening, the latest first.",
    )
    add_filters(command)
    command.add_argument("--tournament", default="", metavar="ID", help="the tables of one tournament")
    command.set_defaults(run=run)


def add_filters(command: argparse.ArgumentParser) -> None:
    """The options of a list by state and time."""
    command.add_argument("--state", choices=("open", "ended"), help="only what still runs, or what has ended")
    command.add_argument("--since", type=when, metavar="TIME", help="opened then or later (2026-11-30[T05:00Z])")
    command.add_argument("--until", type=when, metavar="TIME", help="opened before that")
    most = f"at most so many (default {LIMIT_DEFAULT})"
    command.add_argument("--limit", type=whole(1, LIMIT_MAX), default=LIMIT_DEFAULT, help=most)
    command.add_argument("--after", default="", metavar="TOKEN", help="go on where another list ended")


def pages(call: Callable[..., Any], options: argparse.Namespace, **fields: Any) -> tuple[list[Any], str]:
    """The rows that were asked for, and the token of what follows; `call(**fields)` gives one page and its token."""
    rows: list[Any] = []
    after = options.after
    is_open = None if options.state is None else options.state == "open"
    while len(rows) < options.limit:
        limit = min(PAGE, options.limit - len(rows))
        page, following = call(
            after=after, limit=limit, open=is_open, latest_first=True, since_ms=options.since, until_ms=options.until,
            **fields,
        )  # fmt: skip
        rows += page
        if not following or following == after:
            return rows, ""
        after = following
    return rows, after


def say_more(token: str) -> None:
    """Where a list goes on that was longer than wanted."""
    if token:
        line(f"more with --after {token}", sys.stderr)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """List tables."""
    with service(settings.server, settings, "TableServiceStub", f"{PB}_grpc") as tables:
        tournament = str(stream_id(options.tournament)) if options.tournament else ""
        rows, token = pages(lambda **fields: _page(tables, fields), options, tournament=tournament)
    for row in rows if settings.json else ():
        as_json(_plain(row))
    if not settings.json:
        shown = [
            (row.table, moment(row.opened_ms), row.phase, row.deals, _totals(row), " ".join(row.players))
            for row in rows
        ]
        table(("table", "opened", "phase", "deals", "totals", "players"), shown)
    say_more(token)
    return OK


def _totals(row: Any) -> str:
    return " to ".join(map(str, row.totals))


def _page(tables: Service, fields: dict[str, Any]) -> tuple[list[Any], str]:
    answer = tables.call("List", tables.message(PB, "ListRequest", **fields))
    return list(answer.tables), answer.next


def _plain(message: Any) -> Any:
    from google.protobuf.json_format import MessageToDict

    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
