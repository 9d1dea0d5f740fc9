"""RuleSet: the numbers and switches (knobs) that one game is played by, and the named profiles of them.

A RuleSet is checked when it is made and never changes (R-CFG-01), so whoever holds one may trust it.
Malformed knobs raise BadRules with one line that names the knob, its value and what is allowed (R-CFG-02).
Knobs that the chosen game does not use must still have an allowed value and are then ignored (R-CFG-04).
Numbers are in the units of the game (R-CFG-03) and at most NUMBER_MAX, 1,000,000; a bid ladder has at most
BID_LADDER_PARTS_MAX, 100 parts.

>>> load("classic", exchange=2).exchange
2
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from importlib import resources
from typing import Any, NoReturn

from pinochle.cards import RANK_OF, physical
from pinochle.errors import BadRules

RULES_VERSION = 1
"""Raised whenever a rule concludes something else than before; every stored act names its version."""

NUMBER_MAX = 1_000_000
BID_LADDER_PARTS_MAX = 100
RANK_LETTERS = "ATKQJ9"

TRICK_SCHEDULES: dict[str, tuple[int, ...]] = {  # points of A T K Q J 9 (R-TPT-01 to 04)
    "counters10": (10, 10, 10, 0, 0, 0),
    "ace11": (11, 10, 4, 3, 2, 0),
    "tens_fives": (10, 10, 5, 5, 0, 0),
    "counters1": (1, 1, 1, 0, 0, 0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """Every knob of one game, valid by construction, with what follows from the knobs worked out once.

    `trick_schedule` is the name of a schedule, or a custom one as six points in the order A T K Q J 9 (a map
    of ranks to points is taken as well). `bid_ladder` is None or a tuple of (from, step) pairs.
    Raises BadRules.
    """

    format: str
    players: int
    deck: str
    packet: int
    scale: int
    trump_source: str
    min_bid: int
    bid_step: int
    max_raise: int | None
    pass_with_help: bool
    dealer_rule: str
    misdeal_option: bool
    exchange: int
    run_extras: str
    double_melds: str
    must_beat: str
    must_overtrump: bool
    trick_schedule: str | tuple[int, ...]
    last_trick: int
    bidder_meld_needs: str
    defender_meld_needs: str
    concession: str
    set_penalty: str
    target: int
    win_rule: str
    stock_end: str
    # Club knobs: a set stored before they existed lacks them, and has them off (R-CLB-01).
    bid_ladder: tuple[tuple[int, int], ...] | None = None
    dealer_opens: bool = False
    trump_marriage: str = "optional"
    meld_minimum: int = 0
    short_meld: str = "play"
    bidder_trick_minimum: int = 0
    defender_trick_minimum: int = 0
    short_tricks: str = "lose_meld"
    unplayed_credit: str = "meld"
    set_points: str = "subtract"
    game_length: str = "target"
    deals: int = 4
    deals_tie: str = "extra_deal"
    # What follows from the knobs.
    copies: int = field(init=False, repr=False, compare=False)
    """Copies of each card in the deck: 2 or 4."""
    hand_size: int = field(init=False, repr=False, compare=False)
    """Cards dealt to each player (R-DEAL-02, R-TWO-01)."""
    cards: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """The whole deck in display order, each card as often as it is in the deck (R-DECK-01, 02, 05)."""
    trick_values: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """Trick points of a card by rank, A T K Q J 9."""
    card_points: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """Trick points of every card, by its number."""
    trick_total: int = field(init=False, repr=False, compare=False)
    """All trick points of a hand, the last trick included (R-TPT-08)."""
    has_auction: bool = field(init=False, repr=False, compare=False)
    is_stock: bool = field(init=False, repr=False, compare=False)

    @classmethod
    def from_knobs(cls, knobs: Mapping[str, Any]) -> RuleSet:
        """Make a RuleSet from a plain mapping, as `knobs` gives it; club knobs may be missing (R-CLB-01)."""
        if not isinstance(knobs, Mapping):
            raise BadRules(f"knobs must be a mapping of names to values, not {_shown(knobs)}")
        for name in knobs:
            if name not in KNOBS:
                raise BadRules(f"unknown knob {_shown(name)}")
        for name in _REQUIRED:
            if name not in knobs:
                raise BadRules(f"knob {name} is missing: it must be {KNOBS[name]}")
        return cls(**knobs)

    def knobs(self) -> dict[str, Any]:
        """All knobs by name, sorted, as plain values that JSON can hold; `from_knobs` takes them back."""
        plain: dict[str, Any] = {name: getattr(self, name) for name in sorted(KNOBS)}
        if self.bid_ladder is not None:
            plain["bid_ladder"] = [list(part) for part in self.bid_ladder]
        if not isinstance(self.trick_schedule, str):
            plain["trick_schedule"] = dict(zip(RANK_LETTERS, self.trick_schedule, strict=True))
        return plain

    def __post_init__(self) -> None:
        put = object.__setattr__  # the only writer of a frozen object, and only here
        for name in _CHECKS:
            put(self, name, checked(name, getattr(self, name)))

        double = self.deck == "double"
        schedule = self.trick_schedule
        values = TRICK_SCHEDULES[schedule] if isinstance(schedule, str) else schedule
        copies = 4 if double else 2
        kinds = [kind for kind in range(24) if not double or kind % 6 != 5]
        cards = [kind for kind in kinds for _ in range(copies)]
        if self.format == "stock":  # where copies are told apart
            cards = [physical(kind, copy) for kind in kinds for copy in range(copies)]
        put(self, "copies", copies)
        put(self, "hand_size", 20 if double else 12)
        put(self, "cards", tuple(cards))
        put(self, "trick_values", values)
        put(self, "card_points", tuple(values[rank] if rank >= 0 else 0 for rank in RANK_OF))
        put(self, "trick_total", sum(values[RANK_OF[card]] for card in self.cards) + self.last_trick)
        put(self, "has_auction", self.trump_source == "auction")
        put(self, "is_stock", self.format == "stock")
        if self.is_stock:
            _check_stock(self)
        else:
            _check_partnership(self)


def load(profile: str, /, **knobs: Any) -> RuleSet:
    """The named profile with some knobs changed; raises BadRules for an unknown name or a refused knob."""
    return RuleSet.from_knobs({**_profile_knobs(profile), **knobs})


def checked(knob: str, value: Any) -> Any:
    """The knob's value as rule sets hold it; BadRules where no rule set can have it, whatever its other knobs."""
    held = value
    if knob == "trick_schedule" and isinstance(value, Mapping):
        held = _schedule_points(value)
    elif knob == "bid_ladder" and isinstance(value, (list, tuple)):
        held = tuple(_hashable(part) for part in value)
    is_allowed, allowed = _CHECKS[knob]
    if not is_allowed(held):
        _refuse(knob, value, allowed)
    return held


def profiles() -> list[str]:
    """The names of all profiles, sorted."""
    return sorted(_profile_files())


def profile(name: str) -> dict[str, Any]:
    """What a profile's file says: `is`, the profile it derives from or None, and `knobs`, those it sets."""
    if not isinstance(name, str) or name not in _profile_files():
        raise BadRules(f"unknown profile {_shown(name)}: it must be one of {', '.join(profiles())}")
    knobs = deepcopy(_profile_files()[name])
    return {"is": knobs.pop("is", None), "knobs": knobs}


# Allowed values. Each check is a predicate and the words that complete "knob X is V: it must be ...".

_Check = tuple[Callable[[Any], bool], str]


def _one_of(*values: Any) -> _Check:
    allowed = {(type(value), value) for value in values}  # True is not 1, and 4.0 is not 4
    words = f"{values[0]} or {values[1]}" if len(values) == 2 else "one of " + ", ".join(map(str, values))
    return lambda value: isinstance(value, (int, str)) and (type(value), value) in allowed, words


def _whole(least: int, most: int = NUMBER_MAX) -> _Check:
    words = f"a whole number from {least} to {most}"
    return lambda value: type(value) is int and least <= value <= most, words


def _or_null(check: _Check) -> _Check:
    is_allowed, words = check
    return lambda value: value is None or is_allowed(value), f"null or {words}"


def _is_ladder(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and 1 <= len(value) <= BID_LADDER_PARTS_MAX
        and all(isinstance(part, tuple) and len(part) == 2 and all(map(_POSITIVE[0], part)) for part in value)
    )


def _is_schedule(value: Any) -> bool:
    if isinstance(value, str):
        return value in TRICK_SCHEDULES
    return isinstance(value, tuple) and len(value) == len(RANK_LETTERS) and all(map(_COUNT[0], value))


_FLAG: _Check = (lambda value: type(value) is bool, "true or false")
_POSITIVE = _whole(1)
_COUNT = _whole(0)
_MELD_NEEDS = _one_of("nothing", "trick", "trick_points")

_CHECKS: dict[str, _Check] = {
    "format": _one_of("partnership", "stock"),
    "players": _one_of(2, 3, 4),
    "deck": _one_of("single", "double"),
    "packet": _whole(1, 5),
    "scale": _one_of(10, 1),
    "trump_source": _one_of("auction", "turn_up"),
    "min_bid": _POSITIVE,
    "bid_step": _POSITIVE,
    "max_raise": _or_null(_POSITIVE),
    "pass_with_help": _FLAG,
    "dealer_rule": _one_of("forced", "free_then_forced", "redeal"),
    "misdeal_option": _FLAG,
    "exchange": _one_of(0, 2, 3, 4),
    "run_extras": _one_of("none", "king_or_queen", "king_queen_marriage"),
    "double_melds": _one_of("bonus", "linear"),
    "must_beat": _one_of("winning", "led", "none"),
    "must_overtrump": _FLAG,
    "trick_schedule": (
        _is_schedule,
        f"one of {', '.join(TRICK_SCHEDULES)}, or for exactly A T K Q J 9 a number from 0 to {NUMBER_MAX}",
    ),
    "last_trick": _COUNT,
    "bidder_meld_needs": _MELD_NEEDS,
    "defender_meld_needs": _MELD_NEEDS,
    "concession": _one_of("never", "unmakeable", "short_by_limit", "any_time"),
    "set_penalty": _one_of("bid", "meld_minus_shortfall", "shortfall"),
    "target": _POSITIVE,
    "win_rule": _one_of("reach", "own_bid", "declared_out"),
    "stock_end": _one_of("deal_end", "immediate"),
    "bid_ladder": _or_null(
        (_is_ladder, f"a list of 1 to {BID_LADDER_PARTS_MAX} pairs [from, step] of 1 to {NUMBER_MAX}")
    ),
    "dealer_opens": _FLAG,
    "trump_marriage": _one_of("optional", "required"),
    "meld_minimum": _COUNT,
    "short_meld": _one_of("play", "set_unplayed"),
    "bidder_trick_minimum": _COUNT,
    "defender_trick_minimum": _COUNT,
    "short_tricks": _one_of("lose_meld", "lose_all"),
    "unplayed_credit": _one_of("nothing", "meld", "meld_half", "meld_all"),
    "set_points": _one_of("subtract", "to_opponents"),
    "game_length": _one_of("target", "deals", "either"),
    "deals": _POSITIVE,
    "deals_tie": _one_of("extra_deal", "draw"),
}

KNOBS: dict[str, str] = {name: allowed for name, (_, allowed) in _CHECKS.items()}
"""Every knob in the order of the rules, with its allowed values in words."""

_REQUIRED = tuple(one.name for one in fields(RuleSet) if one.init and one.default is MISSING)


# Checks across knobs (R-CFG-02).


def _check_stock(rules: RuleSet) -> None:
    if rules.players == 4:
        _refuse("players", 4, "2 or 3 in the stock format")
    if rules.deck == "double":
        _refuse("deck", "double", "single in the stock format")
    if rules.has_auction:
        _refuse("trump_source", "auction", "turn_up in the stock format")
    if rules.exchange:
        _refuse("exchange", rules.exchange, "0 in the stock format")


def _check_partnership(rules: RuleSet) -> None:
    if rules.players != 4:
        _refuse("players", rules.players, "4 in the partnership format")
    if not rules.has_auction and rules.exchange:
        _refuse("exchange", rules.exchange, "0 with trump_source turn_up")
    if rules.deck == "double" and rules.run_extras != "none":
        _refuse("run_extras", rules.run_extras, "none with the double deck")
    if rules.min_bid % rules.bid_step:
        _refuse("min_bid", rules.min_bid, f"a multiple of bid_step {rules.bid_step}")
    if rules.max_raise is not None and rules.max_raise % rules.bid_step:
        _refuse("max_raise", rules.max_raise, f"null or a multiple of bid_step {rules.bid_step}")
    if rules.bid_ladder is not None:
        _check_ladder(rules, rules.bid_ladder)
    if rules.short_meld == "set_unplayed" and not rules.meld_minimum:
        _refuse("short_meld", rules.short_meld, "play with meld_minimum 0")
    for name in ("bidder_trick_minimum", "defender_trick_minimum"):
        if getattr(rules, name) > rules.trick_total:
            _refuse(name, getattr(rules, name), f"at most {rules.trick_total}, all trick points of a hand")


def _check_ladder(rules: RuleSet, ladder: tuple[tuple[int, int], ...]) -> None:
    plain = [list(part) for part in ladder]
    if rules.max_raise is not None:
        _refuse("bid_ladder", plain, f"null with max_raise {rules.max_raise}")
    begin, step = rules.min_bid, rules.bid_step
    for next_begin, next_step in ladder:
        if next_begin <= begin or (next_begin - begin) % step:
            _refuse("bid_ladder", plain, f"such that {next_begin} is a bid above {begin} in steps of {step}")
        begin, step = next_begin, next_step


def _refuse(name: str, value: Any, allowed: str) -> NoReturn:
    raise BadRules(f"knob {name} is {_shown(value)}: it must be {allowed}")


def _shown(value: Any) -> str:
    try:
        if value is None or isinstance(value, bool | list | dict):
            return f"{json.dumps(value):.80}"  # as it was written
        return f"{value!r:.80}"
    except (TypeError, RecursionError):  # not what JSON holds
        return f"{value!r:.80}"
    except ValueError:  # Python refuses to write out integers of thousands of digits
        return "a number too long to show"


def _hashable(part: Any) -> Any:
    return tuple(part) if isinstance(part, list) else part


def _schedule_points(ranks: Mapping[Any, Any]) -> Any:
    """Six points in rank order; or the map itself, which is then refused, if its ranks are others."""
    return tuple(ranks[rank] for rank in RANK_LETTERS) if set(ranks) == set(RANK_LETTERS) else ranks


# Profile files. TOML has no null: in the knobs that allow it, "none" stands for it.

_NULLABLE = ("max_raise", "bid_ladder")
_LINEAGE_MAX = 4  # profiles in a chain of `is`


@cache
def _profile_files() -> dict[str, dict[str, Any]]:
    found = {}
    for file in resources.files("pinochle").joinpath("profiles").iterdir():
        if file.name.endswith(".toml"):
            said = tomllib.loads(file.read_text(encoding="utf-8"))
            found[file.name.removesuffix(".toml")] = {
                name: None if name in _NULLABLE and value == "none" else value for name, value in said.items()
            }
    return found


def _profile_knobs(name: str) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    parent: Any = name
    for _ in range(_LINEAGE_MAX):
        said = profile(parent)
        merged = {**said["knobs"], **merged}
        parent = said["is"]
        if parent is None:
            return merged
    raise BadRules(f"profile {name} derives from more than {_LINEAGE_MAX} others in a row")
