"""The lines of the notation: how what follows by the rules is written, how lines fall into words, and annotations."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pinochle import events as e
from pinochle.cards import NAMES, SUITS, size, text
from pinochle.commands import PLAYER_COMMANDS
from pinochle.errors import BadNotation
from pinochle.meld import Meld

_WORD = re.compile(
    r"""\s*(?:(?P<comment>\#.*)|(?P<word>"(?:[^"\\]|\\.)*"|\{[^{}]*\}|<[^<>]*>|\([^()]*\)|[,;:]|[^\s,;:{}<>()"\#]+)|(?P<bad>\S))"""
)


def words(line: str) -> list[str]:
    """The words of a line without its comment; texts and what stands in brackets are one word each."""
    found = []
    at = 0
    line = line.rstrip()
    while at < len(line):
        match = _WORD.match(line, at)
        assert match is not None
        if match["bad"]:
            raise BadNotation(f"a {match['bad']!r} that does not belong here")
        if match["word"]:
            found.append(match["word"])
        at = match.end()
    return found


class Annotation(NamedTuple):
    """What may stand in braces behind a decision: who made it, when (ms), its id, and of another rules version.

    `expired_ms` is the time that an expiry names, where it is not the time of the act; notice, deadline and receipt are
    told from the time of the act, in ms.
    """

    author: str | None = None
    at_ms: int | None = None
    command_id: bytes | None = None
    rules_version: int | None = None
    expired_ms: int | None = None
    noticed: int | None = None
    deadline: int | None = None
    received: int | None = None


NO_ANNOTATION = Annotation()


def annotation_text(said: Annotation) -> str:
    """`` {...}``, or nothing where nothing is said."""
    parts = [
        f"@{said.at_ms}" if said.at_ms is not None else "",
        f"x@{said.expired_ms}" if said.expired_ms is not None else "",
        said.author or "",
        said.command_id.hex() if said.command_id is not None else "",
        f"v{said.rules_version}" if said.rules_version is not None else "",
        f"n{said.noticed:+d}" if said.noticed is not None else "",
        f"d{said.deadline:+d}" if said.deadline is not None else "",
        f"r{said.received:+d}" if said.received is not None else "",
    ]
    inside = " ".join(filter(None, parts))
    return f" {{{inside}}}" if inside else ""


def parse_annotation(word: str) -> Annotation:
    """`{...}` as what it says; BadNotation for anything else in it."""
    said = NO_ANNOTATION
    for part in word[1:-1].split():
        if re.fullmatch(r"@\d{1,15}", part):
            said = said._replace(at_ms=int(part[1:]))
        elif re.fullmatch(r"x@\d{1,15}", part):
            said = said._replace(expired_ms=int(part[2:]))
        elif re.fullmatch(r"[0-9a-f]{32}", part):
            said = said._replace(command_id=bytes.fromhex(part))
        elif re.fullmatch(r"v\d{1,6}", part):
            said = said._replace(rules_version=int(part[1:]))
        elif re.fullmatch(r"[ndr][+-]\d{1,15}", part):
            said = _with_offset(said, part[0], int(part[1:]))
        elif re.fullmatch(r"seat:[0-3]|house|director|operator|tournament", part):
            said = said._replace(author=part)
        else:
            known = "@time, author, id of 32 digits, v and a number, n, d or r and ms"
            raise BadNotation(f"{part!r:.40} is no annotation ({known})")
    return said


def _with_offset(said: Annotation, letter: str, ms: int) -> Annotation:
    if letter == "n":
        return said._replace(noticed=ms)
    return said._replace(deadline=ms) if letter == "d" else said._replace(received=ms)


def usual_author(command: object) -> str:
    """Who sends such a command unless something else is said."""
    return f"seat:{command.seat}" if isinstance(command, PLAYER_COMMANDS) else "house"


def conclusion(event: Any) -> str:
    """The line for an event that follows from a decision; empty where it is told otherwise."""
    told = _CONCLUSIONS.get(event.__class__)
    return told[1](event) if told else ""


def trick_end(event: e.TrickWon) -> str:
    """What stands behind the cards of a trick."""
    return f"{event.seat} wins {event.points}{', last' if event.last else ''}"


def drawn(events: Sequence[e.CardDrawn]) -> str:
    """What stands behind a draw."""
    return ", ".join(f"{x.seat} {NAMES[x.card]}{' face up' if x.face_up else ''}" for x in events)


def _both(figures: Sequence[int], sign: str = "") -> str:
    return " and ".join(f"{figure:{sign}d}" for figure in figures)


def _meld(x: Meld) -> str:
    suit = "" if x.suit is None else f" {SUITS[x.suit]}"
    return f"{f'{x.copies} x ' if x.copies > 1 else ''}{x.name}{suit} {x.points}"


def _meld_shown(x: e.MeldShown) -> str:
    if not size(x.shown):
        return f"meld {x.seat}: {x.points}"
    return f"meld {x.seat}: {x.points}; {', '.join(map(_meld, x.melds))}; shows {text(x.shown)}"


def _hand_scored(x: e.HandScored) -> str:
    contract = f"team {x.bidder} {x.outcome} {x.bid}" if x.bidder >= 0 else x.outcome
    figures = f"meld {_both(x.meld)}, counted {_both(x.counted_meld)}"
    taken = f"trick points {_both(x.trick_points)}, tricks {_both(x.tricks)}"
    return f"score: {_both(x.delta, '+')}; {contract}; totals {_both(x.totals)}; {figures}; {taken}"


def _game_ended(x: e.GameEnded) -> str:
    return f"game: {f'{x.winner} wins' if x.winner >= 0 else 'nobody wins'}, {x.reason}"


_CONCLUSIONS: dict[type, tuple[str, Callable[[Any], str]]] = {
    e.TurnUpShown: ("turned up", lambda x: f"turned up: {NAMES[x.card]}; trump {SUITS[x.trump]}"),
    e.AuctionWon: ("contract", lambda x: f"contract: {x.seat} at {x.bid}{', forced' if x.forced else ''}"),
    e.DealAbandoned: ("not scored", lambda x: f"not scored: {x.next_dealer} deals next"),
    e.MeldShown: ("meld", _meld_shown),
    e.MeldsTotaled: ("melds", lambda x: f"melds: {_both(x.meld)}{'; may concede' if x.may_concede else ''}"),
    e.PlaySkipped: ("not played", lambda x: f"not played: {x.reason}"),
    e.HandScored: ("score", _hand_scored),
    e.DixScored: ("dix", lambda x: f"dix {x.seat}: {NAMES[x.card]} {x.points}"),
    e.DealScored: (
        "score",
        lambda x: f"score: {_both(x.trick_points, '+')}; last trick {x.last_trick}; totals {_both(x.totals)}",
    ),
    e.GameEnded: ("game", _game_ended),
}
CONCLUSION_WORDS = {word for word, _ in _CONCLUSIONS.values()}
"""How the lines of conclusions begin."""
