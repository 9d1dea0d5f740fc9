"""Rule sets and act lists on the wire: what the codecs of tables and tournaments share."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache

from pinochle.errors import BadRules, NewerSchema
from pinochle.rules import KNOBS, RuleSet, load
from pinochle.wire.v1 import game_pb2 as pb

KNOB_TEXT_LENGTH_MAX = 10_000


@lru_cache(maxsize=1024)
def rules_message(rules: RuleSet) -> pb.RuleSet:
    """The whole rule set, knobs sorted by name. The message is shared: do not change it."""
    knobs = rules.knobs()
    return pb.RuleSet(
        knobs=[
            pb.Knob(name=name, value=json.dumps(knobs[name], separators=(",", ":"))) for name in sorted(knobs)
        ]
    )


def rules_from(message: pb.RuleSet) -> RuleSet:
    """The rule set of a message; BadRules where R-CFG-02 refuses it, NewerSchema for a knob of a newer version."""
    return _rules_from_bytes(message.SerializeToString(deterministic=True))


@lru_cache(maxsize=1024)
def _rules_from_bytes(data: bytes) -> RuleSet:
    values = knob_values(pb.RuleSet.FromString(data).knobs)
    for name in values:
        if name not in KNOBS:
            raise NewerSchema(f"a rule set with a knob that this version does not know, {name!r:.40}")
    return RuleSet.from_knobs(values)


def knob_values(knobs: Iterable[pb.Knob]) -> dict[str, object]:
    """Knobs by name with their values read from JSON; BadRules for text that is not JSON or a name given twice."""
    values: dict[str, object] = {}
    for knob in knobs:
        if knob.name in values:
            raise BadRules(f"knob {knob.name} is given twice")
        values[knob.name] = knob_value(knob.name, knob.value)
    return values


def knob_value(name: str, text: str) -> object:
    """One knob's value from JSON text."""
    if len(text) > KNOB_TEXT_LENGTH_MAX:
        raise BadRules(f"knob {name}: over {KNOB_TEXT_LENGTH_MAX} characters")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRules(f"knob {name}: not JSON: {text[:40]!r}") from error


def load_with(profile: str, knobs: Iterable[pb.Knob]) -> RuleSet:
    """A profile with changed knobs on top; BadRules where that is not a rule set."""
    changed = knob_values(knobs)
    for name in changed:
        if name not in KNOBS:
            raise BadRules(f"unknown knob {name!r}")
    return load(profile, **changed)
