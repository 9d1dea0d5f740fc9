"""Rule vectors: run cases written as JSON lines through the engine and report those that differ.

A case names a profile, changed knobs, an operation, its input and the exact result; the README beside the
vectors has the format. Whatever a file holds, a line is either passed or failed: an unknown operation, a
malformed line and an error of the engine count as failed. Lines are at most LINE_CHARACTERS_MAX long.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from pinochle import vector_stock
from pinochle import vector_tables as tables
from pinochle.cards import SUITS, Card, Hand, hand_of, names, parse_card, parse_suit
from pinochle.errors import BadInput, BadNotation, BadRules
from pinochle.meld import best_meld, legal_trumps, may_throw_in
from pinochle.rules import RuleSet, load
from pinochle.scoring import game_end, may_concede, score_hand, stock_game_end, trick_points
from pinochle.state import NONE, OVER
from pinochle.tricks import legal_cards, winner

LINE_CHARACTERS_MAX = 1_000_000
SHOWN_CHARACTERS_MAX = 300


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a vector file."""

    id: str
    op: str
    profile: str
    knobs: Mapping[str, Any]
    rules: tuple[str, ...]
    input: Mapping[str, Any]
    expected: Any

    @classmethod
    def parse(cls, line: str) -> Case:
        """Raises BadNotation for anything that is not a case."""
        try:
            said = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadNotation(f"not JSON: {error}") from None
        if not isinstance(said, dict):
            raise BadNotation("not a JSON object")
        for name, kind in _FIELDS.items():
            if not isinstance(said.get(name), kind):
                raise BadNotation(f"field {name} must be {_KIND_WORDS[kind]}")
        if "expected" not in said:
            raise BadNotation("field expected is missing")
        rules = tuple(map(str, said["rules"]))
        return cls(
            said["id"], said["op"], said["profile"], said["knobs"], rules, said["input"], said["expected"]
        )

    def ruleset(self) -> RuleSet:
        return load(self.profile, **self.knobs)

    def hand(self, name: str) -> Hand:
        """The named list of cards as a hand."""
        return hand_of(parse_card(card) for card in self.input[name])

    def suit(self, name: str) -> int | None:
        """The named suit; None where the case has null."""
        letter = self.input[name]
        return None if letter is None else parse_suit(letter)


def run(paths: Iterable[str | Path], out: TextIO) -> tuple[int, int]:
    """Run every case of the files and return (passed, failed); a line is written for each failure."""
    passed = failed = 0
    for path in paths:
        for place, line in _lines(path):
            failure = place if line is None else _failure(place, line)
            if failure is None:
                passed += 1
            else:
                failed += 1
                out.write(failure + "\n")
    out.write(f"{passed} passed, {failed} failed\n")
    return passed, failed


# Operations: each takes a case and returns what the engine concludes, in the notation of the vectors.


def _best_meld(case: Case) -> Any:
    result = best_meld(case.ruleset(), case.hand("hand"), case.suit("trump"))
    return {
        "total": result.points,
        "by_class": {str(number): points for number, points in enumerate(result.by_class, 1)},
        "melds": [tables.plain_meld(meld) for meld in result.melds],
    }


def _may_throw_in(case: Case) -> Any:
    return {"may_throw_in": case.ruleset().misdeal_option and may_throw_in(case.hand("hand"))}


def _legal_trumps(case: Case) -> Any:
    return {"suits": [SUITS[suit] for suit in legal_trumps(case.ruleset(), case.hand("hand"))]}


def _ruleset_valid(case: Case) -> Any:
    try:
        case.ruleset()
    except BadRules:
        return {"valid": False}
    return {"valid": True}


def _legal_plays(case: Case) -> Any:
    trick = [parse_card(card) for card in case.input["trick"]]
    hand = case.hand("hand")
    legal = legal_cards(case.ruleset(), hand, trick, case.suit("trump"))
    return {"legal": list(dict.fromkeys(names(legal)))}  # each distinct card once


def _trick_winner(case: Case) -> Any:
    trick = [parse_card(card) for card in case.input["trick"]]
    index = winner(trick, case.suit("trump"))
    points = trick_points(case.ruleset(), trick, case.input["last"])
    return {"index": index, "seat": (case.input["leader"] + index) % 4, "points": points}


def _hand_score(case: Case) -> Any:
    given = case.input
    score = score_hand(
        case.ruleset(),
        bidder=given["bidder"],
        bid=given["bid"],
        meld=given["meld"],
        trick_points=given["trick_points"],
        tricks=given["tricks"],
        conceded=given["conceded"],
        no_play=given.get("no_play"),
    )
    return {"outcome": score.outcome, "counted_meld": list(score.counted_meld), "delta": list(score.delta)}


def _may_concede(case: Case) -> Any:
    return {"may_concede": may_concede(case.ruleset(), case.input["bid"], case.input["meld"])}


def _game_end(case: Case) -> Any:
    given = case.input
    end = game_end(
        case.ruleset(),
        totals=given["totals"],
        bidder=given["bidder"],
        outcome=given["outcome"],
        declared_out=given["declared_out"],
        deals_played=given.get("deals_played", 0),  # only the club cases count deals
    )
    return {"over": end.over, "winner": end.winner}


def _stock_game_end(case: Case) -> Any:
    end = stock_game_end(case.ruleset(), case.input["totals"])
    return {"over": end.over, "winner": end.winner}


def _auction(case: Case) -> Any:
    found = tables.auction(case.ruleset(), case.input["dealer"], case.input["calls"])
    if found["state"] == "illegal":
        # The reason is informative only, in the file's own words.
        found |= {name: words for name, words in case.expected.items() if name == "reason"}
    return found


def _stock_melds(case: Case) -> Any:
    given, trump = case.input, case.suit("trump")
    assert trump is not None
    found = vector_stock.melds(case.ruleset(), trump, case.hand("hand"), given["uses"], given["credited"])
    return {"melds": found}


def _stock_exchange(case: Case) -> Any:
    trump = case.suit("trump")
    assert trump is not None
    return {"may_give": vector_stock.may_give(case.hand("hand"), trump, parse_card(case.input["turn_up"]))}


def _stock_game(case: Case) -> Any:
    decks = [_cards(deck) for deck in case.input["decks"]]
    said, state = vector_stock.game(case.ruleset(), case.input["dealer"], decks, case.expected["events"])
    winner = None if state.winner == NONE else state.winner
    return {"events": said, "totals": list(state.totals), "winner": winner}


def _deal(case: Case) -> Any:
    if case.ruleset().is_stock:
        return vector_stock.deal(case.ruleset(), case.input["dealer"], _cards(case.input["deck"]))
    return tables.deal(case.ruleset(), case.input["dealer"], _cards(case.input["deck"]))


def _exchange(case: Case) -> Any:
    hands = (case.hand(name) for name in ("partner", "declarer", "passed", "returned"))
    return tables.exchange(case.ruleset(), *hands)


def _hand(case: Case) -> Any:
    given = case.input
    said, state = tables.played(
        case.ruleset(),
        given["dealer"],
        [_cards(given["deck"])],
        case.expected["events"],
        totals=tuple(given["totals"]),
        deals_played=given.get("deals_played", 0),
    )
    return {"events": said, "totals": list(state.totals)}


def _game(case: Case) -> Any:
    decks = [_cards(deck) for deck in case.input["decks"]]
    said, state = tables.played(case.ruleset(), case.input["dealer"], decks, case.expected["events"])
    return {"events": said, "totals": list(state.totals), "over": state.phase == OVER}


def _cards(deck: Iterable[str]) -> list[Card]:
    return [parse_card(name) for name in deck]


OPS: dict[str, Callable[[Case], Any]] = {
    "auction": _auction,
    "best_meld": _best_meld,
    "deal": _deal,
    "exchange": _exchange,
    "game": _game,
    "game_end": _game_end,
    "hand": _hand,
    "hand_score": _hand_score,
    "legal_plays": _legal_plays,
    "legal_trumps": _legal_trumps,
    "may_concede": _may_concede,
    "may_throw_in": _may_throw_in,
    "ruleset_valid": _ruleset_valid,
    "stock_exchange": _stock_exchange,
    "stock_game": _stock_game,
    "stock_game_end": _stock_game_end,
    "stock_melds": _stock_melds,
    "trick_winner": _trick_winner,
}
"""Every operation by its name in the files."""

# Reading and comparing.

_FIELDS = {"id": str, "op": str, "profile": str, "knobs": dict, "rules": list, "input": dict}
_KIND_WORDS = {str: "a text", dict: "an object", list: "a list"}


def _lines(path: str | Path) -> Iterator[tuple[str, str | None]]:
    """Each line that is not blank with its place; or, once, what is wrong with the file and None."""
    try:
        with open(path, encoding="utf-8") as file:
            number = 0
            while line := file.readline(LINE_CHARACTERS_MAX + 1):
                number += 1
                if len(line) > LINE_CHARACTERS_MAX:
                    problem = f"longer than {LINE_CHARACTERS_MAX} characters, the rest is not read"
                    yield f"{path}:{number}: {problem}", None
                    return
                if line.strip():
                    yield f"{path}:{number}", line
    except (OSError, UnicodeDecodeError) as error:
        yield f"{path}: cannot be read: {error}", None


def _failure(place: str, line: str) -> str | None:
    """The line that reports a case, or None if it passed."""
    try:
        case = Case.parse(line)
    except BadNotation as error:
        return f"{place}: malformed: {error}"
    numbers = f"[{' '.join(case.rules)}]"
    op = OPS.get(case.op)
    if op is None:
        return f"{case.id}: unknown operation {case.op!r:.80} {numbers}"
    try:
        got = op(case)
    except BadInput as error:
        return f"{case.id}: refused: {error} {numbers}"
    except Exception as error:  # a file may hold anything, and one case must not end the run
        return f"{case.id}: {type(error).__name__}: {error} {numbers}"
    difference = _difference("", case.expected, got)
    if difference is None:
        return None
    where, expected, actual = difference
    if len(json.dumps(case.expected)) <= SHOWN_CHARACTERS_MAX:
        where, expected, actual = "", case.expected, got  # a short result is clearer whole
    return f"{case.id}: expected{where} {_shown(expected)} got {_shown(actual)} {numbers}"


def _difference(where: str, expected: Any, got: Any) -> tuple[str, Any, Any] | None:
    """The first part in which the two differ, with the path to it; None if they are the same."""
    if isinstance(expected, dict) and isinstance(got, dict) and expected.keys() == got.keys():
        parts = [(f"{where}.{key}", expected[key], got[key]) for key in expected]
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        both = enumerate(zip(expected, got, strict=True))
        parts = [(f"{where}[{index}]", one, other) for index, (one, other) in both]
    elif type(expected) is type(got) and expected == got:
        return None
    else:
        return where, expected, got
    return next((found for part in parts if (found := _difference(*part))), None)


def _shown(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return text if len(text) <= SHOWN_CHARACTERS_MAX else text[:SHOWN_CHARACTERS_MAX] + "…"
