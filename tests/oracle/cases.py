"""Random cases in the form of the rule vectors: what a plain reading of the rules expects, and what the engine says.

The expected part comes from the modules beside this one alone; the engine is asked as `pinochle vectors` asks it. A
case that differs is therefore a line that can be added to the vectors. A new operation is one more row of `CASES`.
"""

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, NamedTuple

from pinochle.cards import names
from pinochle.meld import best_meld
from pinochle.rules import load, profiles
from pinochle.vectors import OPS, Case

from tests.oracle import auctions, melds, scores, stock, tricks
from tests.oracle.cards import SUITS, dealt, exchanged, hand_size, in_display_order, whole_deck
from tests.oracle.hands import Hand, random_call
from tests.oracle.rule_sets import WRONG, is_allowed, random_allowed_changes, random_changes

Knobs = Mapping[str, Any]
Made = tuple[dict[str, Any], Any]
"""The input of a case, and what is expected."""

PROFILES: dict[str, dict[str, Any]] = {name: load(name).knobs() for name in profiles()}
PARTNERSHIP = [name for name, knobs in PROFILES.items() if knobs["format"] == "partnership"]
CHANGES_MAX = 6
"""Most knobs that a rule set changes from its profile."""


class Kind(NamedTuple):
    """One operation: how often it is drawn, the profiles it is for, the rules it checks, and how a case is made.

    Of a changed rule set an operation needs the values that `needs` lists, where the vectors' runner does.
    """

    weight: int
    profiles: list[str]
    rules: tuple[str, ...]
    make: Callable[[Knobs, Random], Made]
    needs: Mapping[str, tuple[Any, ...]] = {}


def random_case(chance: Random) -> dict[str, Any]:
    """A case of any kind under any rules."""
    return case_of(chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0], chance)


def case_of(op: str, chance: Random) -> dict[str, Any]:
    """A case of this operation."""
    if op == "ruleset_valid":
        return _ruleset_valid(chance)
    kind = CASES[op]
    profile = chance.choice(kind.profiles)
    knobs = PROFILES[profile]
    changed = random_allowed_changes(knobs, CHANGES_MAX, chance)
    if any({**knobs, **changed}[name] not in values for name, values in kind.needs.items()):
        changed = {}
    given, expected = kind.make({**knobs, **changed}, chance)
    return _vector(op, profile, changed, given, expected)


def _vector(op: str, profile: str, changed: Mapping[str, Any], given: Any, expected: Any) -> dict[str, Any]:
    return {
        "id": f"o-{op}",
        "op": op,
        "profile": profile,
        "knobs": changed,
        "rules": list(RULES[op]),
        "input": given,
        "expected": expected,
    }


def answer(case: Mapping[str, Any]) -> Any:
    """What the engine says to a case; an error of any kind is an answer, too."""
    asked = Case.parse(json.dumps(case))
    try:
        return ENGINE[asked.op](asked)
    except Exception as error:  # whatever the engine does with a case that the rules allow is a finding
        return {"error": f"{type(error).__name__}: {error}"}


def is_same(expected: Any, got: Any) -> bool:
    """Equal to the letter: 1 is not true, and a missing name is not null."""
    return json.dumps(expected, sort_keys=True) == json.dumps(got, sort_keys=True)


# How the cases are made.


def _ruleset_valid(chance: Random) -> dict[str, Any]:
    """Any profile with any changes, some of them nonsense."""
    profile = chance.choice(list(PROFILES))
    knobs = PROFILES[profile]
    changed = random_changes(knobs, CHANGES_MAX, chance)
    if chance.random() < 0.3:
        changed[chance.choice(sorted(knobs))] = chance.choice(WRONG)
    if chance.random() < 0.05:
        changed["marriages_around"] = 240
    return _vector("ruleset_valid", profile, changed, {}, {"valid": is_allowed({**knobs, **changed})})


def _random_hand(knobs: Knobs, chance: Random) -> list[str]:
    """A hand of full size, or smaller; half of them drawn from part of the deck, so that they meld much."""
    deck = whole_deck(knobs)
    if chance.random() < 0.5:
        weak = chance.choice(("", "9", "9T", "9TJ", "9TA"))
        suits = chance.choice(("SHDC", "SHDC", "SD", "SH", chance.choice(SUITS)))
        deck = [card for card in deck if card[0] not in weak and card[1] in suits]
    size = min(hand_size(knobs) if chance.random() < 0.8 else chance.randrange(1, 13), len(deck))
    return in_display_order(chance.sample(deck, size))


def _best_meld(knobs: Knobs, chance: Random) -> Made:
    hand, trump = _random_hand(knobs, chance), chance.choice((*SUITS, None))
    expected = melds.best_meld(knobs, hand, trump)
    del expected["shown"]
    return {"trump": trump, "hand": hand}, expected


def _meld_shown(knobs: Knobs, chance: Random) -> Made:
    hand, trump = _random_hand(knobs, chance), chance.choice((*SUITS, None))
    return {"trump": trump, "hand": hand}, {"shown": melds.best_meld(knobs, hand, trump)["shown"]}


def _may_throw_in(knobs: Knobs, chance: Random) -> Made:
    hand = [card for card in _random_hand(knobs, chance) if card[0] != "A" or chance.random() < 0.1]
    return {"hand": hand}, {"may_throw_in": melds.may_throw_in(knobs, hand)}


def _legal_trumps(knobs: Knobs, chance: Random) -> Made:
    hand = _random_hand(knobs, chance)
    return {"hand": hand}, {"suits": melds.legal_trumps(knobs, hand)}


def _cards_in_play(knobs: Knobs, chance: Random) -> list[str]:
    """The deck shuffled; often without a suit or two, so that players are void."""
    deck = whole_deck(knobs)
    chance.shuffle(deck)
    suits = chance.choice(("SHDC", "SHDC", "SH", "HDC", "SC"))
    return [card for card in deck if card[1] in suits]


def _legal_plays(knobs: Knobs, chance: Random) -> Made:
    deck, trump = _cards_in_play(knobs, chance), chance.choice(SUITS)
    trick = [deck.pop() for _ in range(chance.randrange(4))]
    hand = in_display_order(deck.pop() for _ in range(chance.randrange(1, hand_size(knobs) + 1)))
    return {"trump": trump, "trick": trick, "hand": hand}, {"legal": tricks.legal_plays(knobs, hand, trick, trump)}


def _trick_winner(knobs: Knobs, chance: Random) -> Made:
    trick, trump = _cards_in_play(knobs, chance)[:4], chance.choice(SUITS)
    leader, last = chance.randrange(4), chance.random() < 0.3
    index = tricks.winning_index(trick, trump)
    points = tricks.trick_points(knobs, trick, last)
    given = {"trump": trump, "leader": leader, "trick": trick, "last": last}
    return given, {"index": index, "seat": (leader + index) % 4, "points": points}


def _auction(knobs: Knobs, chance: Random) -> Made:
    """Calls that are mostly legal, up to some point of the auction, or one too many."""
    dealer, length, calls = chance.randrange(4), chance.randrange(12), []
    found = auctions.follow(knobs, dealer, calls)
    while found["state"] == "open" and len(calls) < length:
        call = random_call(knobs, found, chance)
        if chance.random() < 0.15:
            call = _strange_call(knobs, found, chance)
        calls.append(call)
        found = auctions.follow(knobs, dealer, calls)
    if found["state"] != "open" and chance.random() < 0.1:
        calls.append({"seat": chance.randrange(4), "call": "pass"})
        found = auctions.follow(knobs, dealer, calls)
    return {"dealer": dealer, "calls": calls}, found


def _strange_call(knobs: Knobs, found: Mapping[str, Any], chance: Random) -> dict[str, Any]:
    seat = found["turn"] if chance.random() < 0.8 else chance.randrange(4)
    if chance.random() < 0.2:
        return {"seat": seat, "call": "pass_help"}
    near = chance.choice((found["min"], found["max"] or found["min"], knobs["min_bid"]))
    return {"seat": seat, "call": "bid", "amount": max(1, near + chance.randrange(-12, 40))}


def _may_concede(knobs: Knobs, chance: Random) -> Made:
    most = tricks.all_trick_points(knobs)
    meld = chance.choice((0, knobs["meld_minimum"], chance.randrange(1, 1_500)))
    bid = max(1, chance.choice((most, most + meld)) + chance.choice((-1, 0, 1, chance.randrange(-300, 300))))
    return {"bid": bid, "meld": meld}, {"may_concede": scores.may_concede(knobs, bid, meld)}


def _hand_score(knobs: Knobs, chance: Random) -> Made:
    most, size = tricks.all_trick_points(knobs), hand_size(knobs)
    bidding = knobs["trump_source"] == "auction"
    melded = [chance.choice((0, knobs["meld_minimum"], chance.randrange(0, 400))) for _ in (0, 1)]
    bidder = chance.randrange(2) if bidding else None
    conceded, no_play = bidding and chance.random() < 0.1, None
    won = chance.choice((0, size, chance.randrange(size + 1)))
    mine = 0 if won == 0 else most if won == size else _near_minimum(knobs, most, chance)
    points, count = [mine, most - mine], [won, size - won]
    if bidding and not conceded and chance.random() < 0.2:
        no_play = chance.choice(("no_marriage", "short_meld"))
        if no_play == "no_marriage":
            melded[bidder] = 0
    if conceded or no_play:
        points, count = [0, 0], [0, 0]
    reached = melded[bidder] + points[bidder] if bidding else 0
    bid = max(1, chance.choice((reached + chance.randrange(-2, 3), chance.randrange(1, 700)))) if bidding else None
    expected = scores.score_hand(knobs, bidder, bid, melded, points, count, conceded, no_play)
    given = {"bidder": bidder, "bid": bid, "meld": melded, "trick_points": points, "tricks": count}
    return {**given, "conceded": conceded, "no_play": no_play}, expected


def _near_minimum(knobs: Knobs, most: int, chance: Random) -> int:
    """Trick points anywhere, or close to where a minimum is reached or missed."""
    minimum = chance.choice((knobs["bidder_trick_minimum"], knobs["defender_trick_minimum"]))
    near = chance.choice((minimum, most - minimum)) + chance.randrange(-2, 3)
    return min(most, max(0, chance.choice((near, chance.randrange(most + 1)))))


def _game_end(knobs: Knobs, chance: Random) -> Made:
    bidding = knobs["trump_source"] == "auction"
    totals = [knobs["target"] + chance.choice((-1, 0, 0, 1, chance.randrange(-900, 900))) for _ in (0, 1)]
    given = {
        "totals": totals,
        "bidder": chance.randrange(2) if bidding else None,
        "outcome": chance.choice(("made", "set", "conceded")) if bidding else "no_bid",
        "declared_out": bidding and chance.random() < 0.5,
        "deals_played": max(1, knobs["deals"] + chance.randrange(-2, 3)),
    }
    return given, scores.game_end(knobs, **given)


def _deal(knobs: Knobs, chance: Random) -> Made:
    deck, dealer = whole_deck(knobs), chance.randrange(4)
    chance.shuffle(deck)
    hands, last = dealt(knobs, dealer, deck)
    expected: dict[str, Any] = {"hands": hands}
    if knobs["trump_source"] == "turn_up" and not knobs["misdeal_option"]:  # else it is shown when all have kept
        expected |= {"turn_up": last, "trump": last[1]}
    return {"dealer": dealer, "deck": deck}, expected


def _exchange(knobs: Knobs, chance: Random) -> Made:
    deck = whole_deck(knobs)
    chance.shuffle(deck)
    size, number = hand_size(knobs), knobs["exchange"]
    partner, declarer = in_display_order(deck[:size]), in_display_order(deck[size : 2 * size])
    passed = chance.sample(partner, number)
    returned = chance.sample([*declarer, *passed], number)
    if chance.random() < 0.3:
        wrong = chance.choice((passed, returned))
        if chance.random() < 0.5:
            wrong[chance.randrange(number)] = chance.choice(deck)
        else:
            del wrong[0]
    given = {"partner": partner, "declarer": declarer, "passed": passed, "returned": returned}
    return given, exchanged(knobs, **given)


def _hand(knobs: Knobs, chance: Random) -> Made:
    deck, dealer = whole_deck(knobs), chance.randrange(4)
    chance.shuffle(deck)
    totals = [chance.choice((0, knobs["target"] - chance.randrange(1, 400))) for _ in (0, 1)]
    before = chance.randrange(knobs["deals"])
    hand = Hand(knobs, dealer, deck, totals, before, chance)
    given = {"dealer": dealer, "deck": deck, "totals": totals, "deals_played": before}
    return given, {"events": hand.events, "totals": hand.totals}


def _game(knobs: Knobs, chance: Random) -> Made:
    dealer, decks, events = chance.randrange(4), [], []
    first, totals, scored, over = dealer, [0, 0], 0, False
    for _ in range(3):
        deck = whole_deck(knobs)
        chance.shuffle(deck)
        decks.append(deck)
        hand = Hand(knobs, dealer, deck, totals, scored, chance)
        events += hand.events
        dealer, totals, scored, over = hand.next_dealer, hand.totals, hand.deals_played, hand.over
        if over:
            break
    return {"dealer": first, "decks": decks}, {"events": events, "totals": totals, "over": over}


def _stock_game_end(knobs: Knobs, chance: Random) -> Made:
    """R-TWO-19: somebody is at the target, and one alone is highest."""
    totals = [max(0, knobs["target"] + chance.choice((-10, 0, 0, 10, chance.randrange(-500, 300)))) for _ in range(2)]
    totals += [chance.choice((*totals, 0))] * (knobs["players"] - 2)
    ahead = [seat for seat, total in enumerate(totals) if total == max(totals)]
    over = max(totals) >= knobs["target"] and len(ahead) == 1
    return {"totals": totals}, {"over": over, "winner": ahead[0] if over else None}


def _stock_melds(knobs: Knobs, chance: Random) -> Made:
    trump = chance.choice(SUITS)
    weak = chance.choice(("", "T", "T9", "TA9"))
    hand = chance.sample([card for card in stock.whole_deck() if card[0] not in weak], 12)
    uses = {}
    for card in hand:
        if chance.random() < 0.3:
            kinds = [kind for kind in stock.SCALE_1 if any(card[:2] in face for face in stock.faces(kind, trump))]
            if kinds:
                uses[card] = sorted(chance.sample(kinds, chance.randrange(1, len(kinds) + 1)))
    credited = [card for card in (f"9{trump}a", f"9{trump}b") if chance.random() < 0.3]
    given = {"trump": trump, "hand": in_display_order(hand), "uses": uses, "credited": credited}
    return given, {"melds": stock.melds(knobs, trump, hand, uses, credited)}


def _stock_exchange(knobs: Knobs, chance: Random) -> Made:
    trump = chance.choice(SUITS)
    deck = [card for card in stock.whole_deck() if card[1] == trump or chance.random() < 0.3]
    chance.shuffle(deck)
    turn_up = next(card for card in deck if card[1] == trump)
    deck.remove(turn_up)
    hand = in_display_order(deck[:12])
    return {"trump": trump, "hand": hand, "turn_up": turn_up}, {"may_give": stock.may_give(hand, trump, turn_up)}


def _stock_game(knobs: Knobs, chance: Random) -> Made:
    dealer, decks = chance.randrange(knobs["players"]), []
    for _ in range(3):
        decks.append(stock.whole_deck())
        chance.shuffle(decks[-1])
    game = stock.Game(knobs, dealer, decks, chance)
    played = sum(event["t"] == "deal" for event in game.events)
    given = {"dealer": dealer, "decks": decks[:played]}
    return given, {"events": game.events, "totals": game.totals, "winner": game.winner}


AUCTIONS = [name for name in PARTNERSHIP if PROFILES[name]["trump_source"] == "auction"]
EXCHANGES = [name for name in AUCTIONS if PROFILES[name]["exchange"]]
STOCK = [name for name in PROFILES if name not in PARTNERSHIP]
BIDDING = {"trump_source": ("auction",)}
# The runner lets seat 0 bid the minimum and name spades, whatever it holds.
SIMPLY_DECLARED = {"exchange": (2, 3, 4), "dealer_opens": (False,), "trump_marriage": ("optional",)}

CASES: dict[str, Kind] = {
    "best_meld": Kind(30, PARTNERSHIP, ("R-MEL-04", "R-MEL-05", "R-MEL-10", "R-MEL-13"), _best_meld),
    "meld_shown": Kind(10, PARTNERSHIP, ("R-MEL-12",), _meld_shown),
    "may_throw_in": Kind(3, PARTNERSHIP, ("R-DEAL-05",), _may_throw_in),
    "legal_trumps": Kind(3, PARTNERSHIP, ("R-TRU-01", "R-CLB-05"), _legal_trumps),
    "legal_plays": Kind(20, PARTNERSHIP, ("R-PLY-02", "R-PLY-03", "R-PLY-04", "R-PLY-07", "R-PLY-10"), _legal_plays),
    "trick_winner": Kind(8, PARTNERSHIP, ("R-PLY-08", "R-PLY-09", "R-TPT-08"), _trick_winner),
    "auction": Kind(15, AUCTIONS, ("R-AUC-01", "R-AUC-03", "R-AUC-04", "R-AUC-07", "R-CLB-02"), _auction, BIDDING),
    "may_concede": Kind(5, PARTNERSHIP, ("R-CON-02", "R-CON-03", "R-CLB-07"), _may_concede),
    "hand_score": Kind(15, PARTNERSHIP, ("R-SCO-01", "R-SCO-02", "R-SCO-04", "R-SCO-05", "R-CLB-09"), _hand_score),
    "game_end": Kind(10, PARTNERSHIP, ("R-END-01", "R-END-02", "R-END-03", "R-CLB-13"), _game_end),
    "stock_game_end": Kind(2, STOCK, ("R-TWO-19",), _stock_game_end),
    "stock_melds": Kind(15, STOCK, ("R-TWO-11", "R-TWO-12", "R-TWO-13", "R-TWO-14"), _stock_melds),
    "stock_exchange": Kind(3, STOCK, ("R-TWO-08",), _stock_exchange),
    "stock_game": Kind(4, STOCK, ("R-TWO-05", "R-TWO-07", "R-TWO-09", "R-TWO-15", "R-TWO-19"), _stock_game),
    "deal": Kind(3, PARTNERSHIP, ("R-DEAL-01", "R-DEAL-02", "R-TRU-03"), _deal),
    "exchange": Kind(3, EXCHANGES, ("R-EXC-01", "R-EXC-02", "R-EXC-03"), _exchange, SIMPLY_DECLARED),
    "hand": Kind(6, PARTNERSHIP, ("R-MEL-01", "R-PLY-12", "R-SCO-01", "R-END-01"), _hand),
    "game": Kind(2, PARTNERSHIP, ("R-SEAT-03", "R-DEAL-06", "R-END-01"), _game),
}
"""Every operation that plays by a rule set."""
RULES = {"ruleset_valid": ("R-CFG-02",), **{op: kind.rules for op, kind in CASES.items()}}
"""Every operation that is compared, with the main rules it is about."""
WEIGHTS = {"ruleset_valid": 10, **{op: kind.weight for op, kind in CASES.items()}}
"""How often each of them is drawn."""


def _engine_shown(case: Case) -> Any:
    return {"shown": names(best_meld(case.ruleset(), case.hand("hand"), case.suit("trump")).shown)}


ENGINE: dict[str, Callable[[Case], Any]] = {**OPS, "meld_shown": _engine_shown}
