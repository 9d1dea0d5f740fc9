"""`pinochle rules`: rule sets with every knob, and in words what differs between them."""

from __future__ import annotations

import argparse
from typing import Any

from pinochle.cli.settings import OK, USAGE, CommandError, Settings
from pinochle.cli.show import as_json, line, table
from pinochle.explain import (
    about,
    differences,
    explain,
    knob_text,
    lineage,
    parse_knob,
    rule,
    sentence,
    sentence_with_use,
    unused,
)
from pinochle.rules import KNOBS, RuleSet, load, profiles


def add(commands: Any, everywhere: argparse.ArgumentParser) -> None:
    """Add the command."""
    command = commands.add_parser(
        "rules",
        parents=[everywhere],
        help="rule sets: every knob, and what differs in words",
        description="Show a profile's rules with every knob, and in words what differs from the profile and from the "
        "one that it is made from; without a profile, list all profiles.",
    )
    command.add_argument("profile", nargs="?", metavar="PROFILE", help="a profile, such as classic")
    command.add_argument(
        "--set", action="append", default=[], metavar="KNOB=VALUE", help="change a knob; VALUE as in JSON, or a word"
    )
    command.add_argument("--diff", nargs=2, metavar=("A", "B"), help="what profile B has otherwise than profile A")
    command.set_defaults(run=run)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """List profiles, show one, or compare two."""
    if options.diff:
        if options.profile or options.set:
            raise CommandError("--diff compares two profiles, and stands alone", USAGE)
        before, after = options.diff
        _compare(before, after, settings.json)
    elif options.profile:
        changes = dict(map(parse_knob, options.set))
        _explain(options.profile, load(options.profile, **changes), settings.json)
    elif options.set:
        raise CommandError("--set changes a profile: name one", USAGE)
    else:
        _list(settings.json)
    return OK


def _list(json: bool) -> None:
    rows = [(name, lineage(name)[1:2], about(name)) for name in profiles()]
    if json:
        for name, base, words in rows:
            as_json({"profile": name, "is": base[0] if base else None, "about": words})
        return
    table(("profile", "is", "about"), [(name, base[0] if base else "", words) for name, base, words in rows])


def _explain(profile: str, rules: RuleSet, json: bool) -> None:
    """Every knob with its rule and meaning; then what differs from the profile, and from those it is made from."""
    against = [(name, explain(rules, load(name))) for name in lineage(profile)]
    idle = unused(rules)
    if json:
        as_json(
            {
                "profile": profile,
                "about": about(profile),
                "knobs": rules.knobs(),
                "rules": {knob: rule(rules, knob) for knob in KNOBS},
                "sentences": {knob: sentence(rules, knob) for knob in KNOBS},
                "unused": sorted(idle),
                "differs": {name: found for name, found in against if found},
            }
        )
        return
    line(f"{profile}: {about(profile)}")
    line("")
    knobs = rules.knobs()
    words = {knob: "(no effect in this game)" if knob in idle else sentence(rules, knob) for knob in KNOBS}
    rows = [(knob, knob_text(knobs[knob]), rule(rules, knob), words[knob]) for knob in KNOBS]
    table(("knob", "value", "rule", "means"), rows)
    for name, found in against:
        if found:
            line("")
            line(f"Otherwise than {name}:")
            for said in found:
                line(f"  {said}")


def _compare(first: str, second: str, json: bool) -> None:
    before, after = load(first), load(second)
    found = differences(after, before)
    if json:
        as_json(
            {
                "from": first,
                "to": second,
                "differs": [
                    {
                        "knob": one.knob, "from": one.other, "to": one.value, "rule": one.rule,
                        "sentence": one.sentence,
                    }
                    for one in found
                ],
            }
        )  # fmt: skip
        return
    if not found:
        line(f"{second} plays as {first} does.")
        return
    rows = [(one.knob, knob_text(one.other), knob_text(one.value), one.rule) for one in found]
    table(("knob", first, second, "rule"), rows)
    line("")
    for one in found:
        line(f"{one.sentence} ({first}: {sentence_with_use(before, one.knob)})")
