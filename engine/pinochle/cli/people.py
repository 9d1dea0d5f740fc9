"""`pinochle person` and `pinochle forget`: display names and contact of players, and their erasure."""

from __future__ import annotations

import argparse
from typing import Any

from pinochle.cli.connect import service
from pinochle.cli.settings import OK, USAGE, CommandError, Settings
from pinochle.cli.show import as_json, line

PB = "access_pb2"


def add(commands: Any, everywhere: argparse.ArgumentParser) -> None:
    """Add the commands."""
    person = commands.add_parser(
        "person", help="set and show names", description="Set and show what is known of a player."
    )
    actions = person.add_subparsers(title="actions", metavar="ACTION", required=True)
    setting = actions.add_parser(
        "set",
        parents=[everywhere],
        help="set a player's display name or contact",
        description="Set a player's display name or contact: your own, or as director anybody's.",
    )
    setting.add_argument("player", metavar="PLAYER", help="the player's id")
    setting.add_argument("--name", metavar="TEXT", help="what is shown; empty takes it away")
    setting.add_argument("--contact", metavar="TEXT", help="how to reach it, for directors; empty takes it away")
    setting.set_defaults(run=run_set)
    showing = actions.add_parser(
        "show",
        parents=[everywhere],
        help="show a player's display name",
        description="Show a player's display name, and to itself and directors its contact.",
    )
    showing.add_argument("player", metavar="PLAYER", help="the player's id")
    showing.set_defaults(run=run_show)
    forget = commands.add_parser(
        "forget",
        parents=[everywhere],
        help="erase what is known of a player, for ever",
        description="Erase a player's display name, contact, names of its teams and rulings that concern it. The logs "
        "hold its id and salted hashes only, and stay as they are. For the player itself and operators.",
    )
    forget.add_argument("player", metavar="PLAYER", help="the player's id")
    forget.set_defaults(run=run_forget)


def run_set(options: argparse.Namespace, settings: Settings) -> int:
    """Set a name or a contact."""
    if options.name is None and options.contact is None:
        raise CommandError("what is to be set: --name, --contact or both", USAGE)
    _call(settings, "SetPerson", player=options.player, name=options.name, contact=options.contact)
    if settings.json:
        as_json({"player": options.player, "set": True})
    return OK


def run_show(options: argparse.Namespace, settings: Settings) -> int:
    """Show what is known of a player."""
    person = _call(settings, "GetPerson", player=options.player)
    if settings.json:
        as_json({"player": options.player, "name": person.name, "contact": person.contact})
    else:
        line(f"{options.player}: {person.name or 'no name is known'}{f', {person.contact}' if person.contact else ''}")
    return OK


def run_forget(options: argparse.Namespace, settings: Settings) -> int:
    """Erase what is known of a player."""
    forgotten = _call(settings, "Forget", player=options.player)
    if settings.json:
        as_json({"player": options.player, "texts": forgotten.texts})
    else:
        line(f"{options.player} is forgotten, and {forgotten.texts} names of teams and rulings with it")
    return OK


def _call(settings: Settings, call: str, /, **values: Any) -> Any:
    with service(settings.server, settings, "PeopleServiceStub", f"{PB}_grpc") as people:
        return people.call(call, people.message(PB, f"{call}Request", **values))
