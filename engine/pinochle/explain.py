"""Rule sets in words: a sentence for every knob and value, and what one rule set has otherwise than another.

Sentences are plain English for players and directors. Each ends with the knob, its values, and the number of the rule
that says more (`docs/rules.md`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from pinochle.errors import BadRules
from pinochle.rules import KNOBS, RANK_LETTERS, RuleSet, load, profile, profiles


class Difference(NamedTuple):
    """One knob that differs: its value, the other's value, and the sentence that says what it does now."""

    knob: str
    value: Any
    other: Any
    rule: str
    sentence: str


def explain(rules: RuleSet, than: RuleSet) -> list[str]:
    """What the rules have otherwise than others, a sentence for each knob in the order of the rules."""
    return [
        f"{found.sentence} ({found.knob} {knob_text(found.value)}, not {knob_text(found.other)}; {found.rule})"
        for found in differences(rules, than)
    ]


def differences(rules: RuleSet, than: RuleSet) -> list[Difference]:
    """The knobs in which two rule sets differ, in the order of the rules."""
    mine, others = rules.knobs(), than.knobs()
    return [
        Difference(name, mine[name], others[name], rule(rules, name), sentence_with_use(rules, name))
        for name in KNOBS
        if mine[name] != others[name]
    ]


def sentence(rules: RuleSet, knob: str) -> str:
    """What the knob's value means, in a sentence."""
    said = _of_this_game(rules, _STOCK_SENTENCES, _NO_BID_SENTENCES).get(knob, _SENTENCES[knob])
    value = getattr(rules, knob)
    return said(rules) if callable(said) else said[value]


def rule(rules: RuleSet, knob: str) -> str:
    """The number of the rule that says most about the knob's value."""
    own = _of_this_game(rules, _STOCK_RULES, _NO_BID_RULES).get(knob)
    return own or _RULES_BY_VALUE.get((knob, getattr(rules, knob)), _RULES[knob])


def unused(rules: RuleSet) -> frozenset[str]:
    """The knobs that the game played by these rules has no use for (R-CFG-04)."""
    if rules.is_stock:
        return _STOCK_UNUSED
    found = {"stock_end"}
    if not rules.has_auction:
        found |= _NO_BID_UNUSED
    if rules.dealer_opens:
        found.add("dealer_rule")
    if rules.game_length == "deals":
        found |= {"target", "win_rule"}
    elif rules.game_length == "target":
        found |= {"deals", "deals_tie"}
    return frozenset(found)


def nearest(rules: RuleSet) -> tuple[str, dict[str, Any]]:
    """The profile with the fewest knobs to change, and those changes; of equals the first by name."""
    mine = rules.knobs()
    changes = {
        name: {knob: value for knob, value in mine.items() if knobs[knob] != value}
        for name, knobs in _profile_knobs().items()
    }
    name = min(changes, key=lambda one: (len(changes[one]), one))
    return name, changes[name]


def about(name: str) -> str:
    """One line about a profile; BadRules for an unknown one."""
    profile(name)
    text = resources.files("pinochle").joinpath("profiles").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return text.partition("\n")[0].removeprefix("#").strip()


def lineage(name: str) -> list[str]:
    """The profile, the one it is made from, and so on to its base; BadRules for an unknown one."""
    found, parent = [], name
    while parent is not None:
        found.append(parent)
        parent = profile(parent)["is"]
    return found


def knob_text(value: Any) -> str:
    """A knob's value as text without spaces, as `parse_knob` takes it: a word, or JSON."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def parse_knob(text: str) -> tuple[str, Any]:
    """`name=value` as a knob; a value that is not JSON is taken as a word. BadRules without a name."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise BadRules(f"not a knob: {text!r:.80} (as in exchange=2)")
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value


@cache
def _profile_knobs() -> dict[str, dict[str, Any]]:
    return {name: load(name).knobs() for name in profiles()}


def _of_this_game(rules: RuleSet, stock: dict[str, Any], no_bid: dict[str, Any]) -> dict[str, Any]:
    """What is said otherwise of a game with a stock, or without bidding."""
    return stock if rules.is_stock else {} if rules.has_auction else no_bid


def sentence_with_use(rules: RuleSet, knob: str) -> str:
    """What the knob's value means, and that it has no effect where that is so (R-CFG-04)."""
    said = sentence(rules, knob)
    return f"{said} That has no effect in this game." if knob in unused(rules) else said


_NO_BID_UNUSED = {
    "min_bid", "bid_step", "max_raise", "pass_with_help", "dealer_rule", "bidder_meld_needs", "concession",
    "set_penalty", "win_rule", "bid_ladder", "dealer_opens", "trump_marriage", "short_meld", "bidder_trick_minimum",
    "unplayed_credit", "set_points",
}  # fmt: skip
_STOCK_UNUSED = frozenset(_NO_BID_UNUSED) | {
    "misdeal_option", "run_extras", "defender_meld_needs", "meld_minimum", "defender_trick_minimum", "short_tricks",
    "game_length", "deals", "deals_tie",
}  # fmt: skip

_RULES: dict[str, str] = {
    "format": "R-SEAT-01", "players": "R-SEAT-01", "deck": "R-DECK-01", "packet": "R-DEAL-01", "scale": "R-MEL-11",
    "trump_source": "R-TRU-03", "min_bid": "R-AUC-02", "bid_step": "R-AUC-03", "max_raise": "R-AUC-04",
    "pass_with_help": "R-AUC-06", "dealer_rule": "R-AUC-08", "misdeal_option": "R-DEAL-05", "exchange": "R-EXC-05",
    "run_extras": "R-MEL-07", "double_melds": "R-MEL-06", "must_beat": "R-PLY-03", "must_overtrump": "R-PLY-07",
    "trick_schedule": "R-TPT-07", "last_trick": "R-TPT-05", "bidder_meld_needs": "R-SCO-03",
    "defender_meld_needs": "R-SCO-04", "concession": "R-CON-01", "set_penalty": "R-SCO-05", "target": "R-END-06",
    "win_rule": "R-END-01", "stock_end": "R-TWO-19", "bid_ladder": "R-CLB-02", "dealer_opens": "R-CLB-03",
    "trump_marriage": "R-CLB-05", "meld_minimum": "R-CLB-07", "short_meld": "R-CLB-08",
    "bidder_trick_minimum": "R-CLB-09", "defender_trick_minimum": "R-CLB-10", "short_tricks": "R-CLB-10",
    "unplayed_credit": "R-CLB-11", "set_points": "R-CLB-12", "game_length": "R-CLB-13", "deals": "R-CLB-13",
    "deals_tie": "R-CLB-14",
}  # fmt: skip
_RULES_BY_VALUE: dict[tuple[str, Any], str] = {
    ("format", "stock"): "R-TWO-01", ("deck", "double"): "R-DECK-02", ("dealer_rule", "free_then_forced"): "R-AUC-09",
    ("dealer_rule", "redeal"): "R-AUC-10", ("must_beat", "led"): "R-PLY-10", ("must_beat", "none"): "R-PLY-11",
    ("trick_schedule", "counters10"): "R-TPT-01", ("trick_schedule", "ace11"): "R-TPT-02",
    ("trick_schedule", "tens_fives"): "R-TPT-03", ("trick_schedule", "counters1"): "R-TPT-04",
    ("concession", "unmakeable"): "R-CON-02", ("concession", "short_by_limit"): "R-CON-03",
    ("concession", "any_time"): "R-CON-04", ("win_rule", "own_bid"): "R-END-03",
    ("win_rule", "declared_out"): "R-END-04",
}  # fmt: skip

_STOCK_RULES: dict[str, str] = {
    "trump_source": "R-TWO-02", "double_melds": "R-TWO-12", "must_beat": "R-TWO-15", "must_overtrump": "R-TWO-15",
    "last_trick": "R-TWO-17", "target": "R-TWO-19",
}  # fmt: skip
_NO_BID_RULES = {"defender_meld_needs": "R-SCO-08"}

_NUMBER_WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}
_SCHEDULES = {
    "counters10": "In tricks every ace, ten and king counts 10.",
    "ace11": "In tricks an ace counts 11, a ten 10, a king 4, a queen 3 and a jack 2.",
    "tens_fives": "In tricks aces and tens count 10, kings and queens 5.",
    "counters1": "In tricks every ace, ten and king counts 1.",
}


def _scale(rules: RuleSet) -> str:
    worth = "their full values" if rules.scale == 10 else "a tenth of the usual"
    dix = "" if rules.deck == "double" else f", a dix {rules.scale}"  # R-DECK-02
    return f"Melds are worth {worth}: a run {15 * rules.scale}, a pinochle {4 * rules.scale}{dix}."


def _count(number: int, one: str) -> str:
    return f"{_NUMBER_WORDS.get(number, str(number))} {one}{'' if number == 1 else 's'}"


def _max_raise(rules: RuleSet) -> str:
    if rules.max_raise is None:
        return "A bid may be as much higher than the last as its bidder likes."
    return f"A bid may be at most {rules.max_raise} higher than the last."


def _exchange(rules: RuleSet) -> str:
    if not rules.exchange:
        return "No cards are exchanged."
    return f"The declarer's partner passes {_count(rules.exchange, 'card')} to the declarer, who gives as many back."


def _run_extras(rules: RuleSet) -> str:
    if rules.run_extras == "none":
        return "A run has five cards; a second king and queen of trump are a royal marriage beside it."
    more = f"A run with one more king or queen of trump is worth {4 * rules.scale} more"
    return f"{more}." if rules.run_extras == "king_or_queen" else f"{more}, with both {8 * rules.scale} more."


def _schedule(rules: RuleSet) -> str:
    if isinstance(rules.trick_schedule, str):
        return _SCHEDULES[rules.trick_schedule]
    points = ", ".join(f"{rank} {value}" for rank, value in zip(RANK_LETTERS, rules.trick_schedule, strict=True))
    return f"In tricks cards count by a schedule of their own: {points}."


def _ladder(rules: RuleSet) -> str:
    if rules.bid_ladder is None:
        return "Bids rise by the same step all the way."
    parts = ", ".join(f"from {start} by {step}" for start, step in rules.bid_ladder)
    return f"Bids rise by {rules.bid_step} at first, {parts}."


def _minimum(number: int, with_one: str, without: str) -> str:
    return with_one.format(number) if number else without


_Sentence = Callable[[RuleSet], str] | dict[Any, str]

_SENTENCES: dict[str, _Sentence] = {
    "format": {
        "partnership": "Two teams of two play, partners facing each other.",
        "stock": "Everybody plays alone and draws from a stock.",
    },
    "players": lambda rules: f"{_count(rules.players, 'player').capitalize()} sit at the table.",
    "deck": {
        "single": "The deck has 48 cards, each twice.",
        "double": "The deck has 80 cards, each four times, and no nines.",
    },
    "packet": lambda rules: f"The dealer deals {_count(rules.packet, 'card')} at a time.",
    "scale": _scale,
    "trump_source": {
        "auction": "The players bid for the right to name trump.",
        "turn_up": "Nobody bids: a card that is turned up fixes trump.",
    },
    "min_bid": lambda rules: f"The lowest bid is {rules.min_bid}.",
    "bid_step": lambda rules: f"Bids rise in steps of {rules.bid_step}.",
    "max_raise": _max_raise,
    "pass_with_help": {
        True: "A pass may tell everybody that the hand would help the partner.",
        False: "A pass says nothing more.",
    },
    "dealer_rule": {
        "forced": "If the three others pass without a bid, the dealer must take the contract at the lowest bid.",
        "free_then_forced": "If the three others pass without a bid, the dealer may bid, and by passing takes the "
        "contract at the lowest bid all the same.",
        "redeal": "If all four pass, the next dealer deals and nothing is scored.",
    },
    "misdeal_option": {
        True: "A player without an ace and without a marriage may throw the deal in.",
        False: "Every deal is played, however poor a hand is.",
    },
    "exchange": _exchange,
    "run_extras": _run_extras,
    "double_melds": {
        "bonus": "Two runs, pinochles or sets around in one hand are worth far more than twice one of them.",
        "linear": "Two melds of a kind are worth twice one of them.",
    },
    "must_beat": {
        "winning": "Who follows suit must beat the card that is winning the trick, if possible.",
        "led": "Who follows suit must beat the card that was led, if possible.",
        "none": "Who follows suit may play any card of it.",
    },
    "must_overtrump": {
        True: "Who trumps a trick that has been trumped must play a higher trump, if possible.",
        False: "Who trumps a trick that has been trumped may play any trump.",
    },
    "trick_schedule": _schedule,
    "last_trick": lambda rules: f"The last trick is worth {rules.last_trick} more.",
    "bidder_meld_needs": {
        "nothing": "The bidding team's meld always counts.",
        "trick": "The bidding team's meld counts only if the team wins a trick.",
        "trick_points": "The bidding team's meld counts only if the team wins trick points.",
    },
    "defender_meld_needs": {
        "nothing": "The defenders' meld always counts.",
        "trick": "The defenders' meld counts only if they win a trick.",
        "trick_points": "The defenders' meld counts only if they win trick points.",
    },
    "concession": {
        "never": "A hand may not be conceded.",
        "unmakeable": "The declarer may concede a contract that cannot be made any more.",
        "short_by_limit": "The declarer may concede a contract that needs all trick points of the hand, or more.",
        "any_time": "The declarer may concede before the first lead, whatever the contract.",
    },
    "set_penalty": {
        "bid": "A set team loses its bid.",
        "meld_minus_shortfall": "A set team keeps its meld and loses what it was short of the bid.",
        "shortfall": "A set team loses what it was short of the bid.",
    },
    "target": lambda rules: f"The game is played to {rules.target}.",
    "win_rule": {
        "reach": "A team that reaches the target wins; if both do, the team that bid.",
        "own_bid": "Only the team that bid can win, with a contract that it made.",
        "declared_out": "Only the team that bid can win, with a contract that it made, and it must have declared out.",
    },
    "stock_end": {
        "deal_end": "Who has won is judged at the end of a deal.",
        "immediate": "The game stops at once when a meld or dix brings its player ahead at the target.",
    },
    "bid_ladder": _ladder,
    "dealer_opens": {
        True: "The dealer counts as having bid the lowest bid before the first call.",
        False: "Nobody has a bid before the first call.",
    },
    "trump_marriage": {
        "optional": "Any suit may be named trump.",
        "required": "Trump must be a suit of which the declarer was dealt king and queen; without one the team is set.",
    },
    "meld_minimum": lambda rules: _minimum(
        rules.meld_minimum, "A team's meld counts only if it comes to {} or more.", "A team's meld has no minimum."
    ),
    "short_meld": {
        "play": "The hand is played however little the bidding team melds.",
        "set_unplayed": "A bidding team whose meld is below the minimum is set without play.",
    },
    "bidder_trick_minimum": lambda rules: _minimum(
        rules.bidder_trick_minimum,
        "The bidding team must take {} in tricks, or its meld is void and it is set.",
        "The bidding team need not take a certain number of trick points.",
    ),
    "defender_trick_minimum": lambda rules: _minimum(
        rules.defender_trick_minimum,
        "The defenders must take {} in tricks to save their meld.",
        "The defenders need not take a certain number of trick points.",
    ),
    "short_tricks": {
        "lose_meld": "Defenders with too few trick points lose their meld.",
        "lose_all": "Defenders with too few trick points lose these as well as their meld.",
    },
    "unplayed_credit": {
        "nothing": "The defenders score nothing for a hand that is not played.",
        "meld": "The defenders score their meld for a hand that is not played.",
        "meld_half": "The defenders score their meld and half of all trick points for a hand that is not played.",
        "meld_all": "The defenders score their meld and all trick points for a hand that is not played.",
    },
    "set_points": {
        "subtract": "What a set team pays is taken off its score.",
        "to_opponents": "What a set team would pay is added to the opponents' score instead.",
    },
    "game_length": {
        "target": "The game ends at the target.",
        "deals": "The game ends after a number of deals, and the higher score wins.",
        "either": "The game ends at the target, or else after a number of deals.",
    },
    "deals": lambda rules: f"A game by deals has {_count(rules.deals, 'scored deal')}.",
    "deals_tie": {
        "extra_deal": "If the scores are equal after the last deal, one more is played, until they differ.",
        "draw": "If the scores are equal after the last deal, nobody wins.",
    },
}

# What would be wrong in these games: with a stock nobody has a partner, suit is followed only after its end, and the
# dix is exchanged; without bidding no team defends (R-SCO-08), so what is said of defenders is meant for both.
_STOCK_SENTENCES: dict[str, _Sentence] = {
    "exchange": lambda rules: "No cards are passed between players.",
    "double_melds": {
        "bonus": "Two pinochles or sets around laid at once are worth far more than twice one of them.",
        "linear": "Two pinochles or sets around laid at once are worth twice one of them.",
    },
    "must_beat": {
        "winning": "After the last draw, who follows suit must beat the card that is winning the trick, if possible.",
        "led": "After the last draw, who follows suit must beat the card that was led, if possible.",
        "none": "After the last draw, who can must follow suit, with any card of it.",
    },
    "must_overtrump": {
        True: "After the last draw, who trumps a trick that has been trumped must play a higher trump, if possible.",
        False: "After the last draw, who trumps a trick that has been trumped may play any trump.",
    },
    "last_trick": lambda rules: f"The last trick of a deal is worth {rules.last_trick} more.",
}
_NO_BID_SENTENCES: dict[str, _Sentence] = {
    "defender_meld_needs": {
        "nothing": "Both teams' meld always counts.",
        "trick": "A team's meld counts only if it wins a trick.",
        "trick_points": "A team's meld counts only if it wins trick points.",
    },
    "defender_trick_minimum": lambda rules: _minimum(
        rules.defender_trick_minimum,
        "A team must take {} in tricks to save its meld.",
        "A team need not take a certain number of trick points.",
    ),
    "short_tricks": {
        "lose_meld": "A team with too few trick points loses its meld.",
        "lose_all": "A team with too few trick points loses these as well as its meld.",
    },
}
