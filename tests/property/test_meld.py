"""Melding equals a plain enumeration of all combinations, on random hands of every profile."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from pinochle.cards import NAMES, SUITS, hand_of, names
from pinochle.meld import best_meld, has_marriage, legal_trumps, may_throw_in
from pinochle.rules import RuleSet, load

from tests.rule_sets import PARTNERSHIP

# One-point values of 1 to 4 copies (R-MEL-05, R-MEL-06, R-MEL-13) and the class of each meld (R-MEL-02).
VALUES = {
    "run": (15, 150, 225, 300),
    "run_king": (19,),
    "run_queen": (19,),
    "run_marriage": (23,),
    "royal_marriage": (4, 8, 12, 16),
    "marriage": (2, 4, 6, 8),
    "dix": (1, 2),
    "pinochle": (4, 30, 60, 90),
    "aces_around": (10, 100, 150, 200),
    "kings_around": (8, 80, 120, 160),
    "queens_around": (6, 60, 90, 120),
    "jacks_around": (4, 40, 60, 80),
}
CLASSES = (
    ("run", "run_king", "run_queen", "run_marriage", "royal_marriage", "marriage", "dix"),
    ("pinochle",),
    ("aces_around", "kings_around", "queens_around", "jacks_around"),
)
OF_TRUMP = {"run": "ATKQJ", "run_king": "ATKKQJ", "run_queen": "ATKQQJ", "run_marriage": "ATKKQQJ"} | {
    "royal_marriage": "KQ",
    "dix": "9",
}
EXTRAS = {
    "none": (),
    "king_or_queen": ("run_king", "run_queen"),
    "king_queen_marriage": ("run_king", "run_queen", "run_marriage"),
}

Entry = tuple[str, str, int]  # name, suit letter or "", copies
Deal = tuple[RuleSet, list[str], str | None]  # with a hand and the trump


def cards_of(name: str, suit: str) -> Counter[str]:
    if name in OF_TRUMP:
        return Counter(rank + suit for rank in OF_TRUMP[name])
    if name == "marriage":
        return Counter(["K" + suit, "Q" + suit])
    if name == "pinochle":
        return Counter(["QS", "JD"])
    return Counter(name[0].upper() + each for each in "SHDC")


def value_of(rules: RuleSet, name: str, copies: int) -> int:
    linear = rules.double_melds == "linear" or name in ("run_king", "run_queen", "run_marriage")
    return rules.scale * (copies * VALUES[name][0] if linear else VALUES[name][copies - 1])


def possible(rules: RuleSet, trump: str | None, names_in_class: tuple[str, ...]) -> list[tuple[str, str]]:
    melds = []
    for name in names_in_class:
        if name.startswith("run_") and name not in EXTRAS[rules.run_extras]:
            continue
        if name in OF_TRUMP:
            melds += [(name, trump)] if trump else []
        elif name == "marriage":
            melds += [(name, suit) for suit in "SHDC" if suit != trump]
        else:
            melds.append((name, ""))
    return melds


def combinations(hand: Counter[str], melds: list[tuple[str, str]]) -> Iterator[list[Entry]]:
    """Every way to split the hand's cards between these melds, leftovers allowed."""
    if not melds:
        yield []
        return
    (name, suit), *others = melds
    needed = cards_of(name, suit)
    left, copies = Counter(hand), 0
    while True:
        for rest in combinations(left, others):
            yield ([(name, suit, copies)] if copies else []) + rest
        if any(left[card] < number for card, number in needed.items()):
            return
        left, copies = left - needed, copies + 1


def rank_of(rules: RuleSet, entries: list[Entry]) -> tuple[int, int, int]:
    """How combinations are compared: points, then cards used, then few entries (R-MEL-04, R-MEL-10)."""
    points = sum(value_of(rules, name, copies) for name, _, copies in entries)
    used = sum(copies * sum(cards_of(name, suit).values()) for name, suit, copies in entries)
    return points, used, -len(entries)


@cache
def variants() -> tuple[RuleSet, ...]:
    found = [load(name) for name in PARTNERSHIP]
    found += [load(name, double_melds="linear") for name in ("cardgames", "classic", "double-deck")]
    found += [load("cardgames", scale=1), load("danish-nobid", run_extras="king_or_queen")]
    return tuple(found)


@st.composite
def deals(draw: st.DrawFn) -> Deal:
    """Most hands come from few ranks or suits first, so that they are rich in melds."""
    rules = draw(st.sampled_from(variants()))
    trump = draw(st.sampled_from([*SUITS, None]))
    random = Random(draw(st.integers(0, 2**32 - 1)))
    ranks = draw(st.sampled_from(["ATKQJ9", "KQJ", "AKQJ", "KQ9", "ATKQJ"]))
    suits = draw(st.sampled_from(["SHDC", "SD", "HC", "SDC", trump or "S"]))
    deck = [NAMES[card] for card in rules.cards]
    rich = [name for name in deck if name[0] in ranks and name[1] in suits]
    random.shuffle(rich)
    random.shuffle(deck)
    left = list((Counter(deck) - Counter(rich)).elements())
    random.shuffle(left)
    size = draw(st.integers(0, rules.hand_size))
    hand = (rich + left)[:size]
    return rules, hand, trump


@settings(max_examples=400, deadline=None)
@given(deals())
def test_the_best_meld_equals_the_best_of_all_combinations(deal: Deal) -> None:
    rules, cards, trump = deal
    result = best_meld(rules, hand_of(map(NAMES.index, cards)), None if trump is None else SUITS.index(trump))

    shown: Counter[str] = Counter()
    for number, of_class in enumerate(CLASSES):
        ways = combinations(Counter(cards), possible(rules, trump, of_class))
        best = max(rank_of(rules, entries) for entries in ways)
        entries = [
            (meld.name, "" if meld.suit is None else SUITS[meld.suit], meld.copies)
            for meld in result.melds
            if meld.name in of_class
        ]
        used = sum((cards_of(name, suit) for name, suit, n in entries for _ in range(n)), Counter())
        assert best == rank_of(rules, entries)
        assert best[0] == result.by_class[number]
        assert used <= Counter(cards)  # a card serves once in a class (R-MEL-03)
        shown |= used

    assert shown == Counter(names(result.shown))  # R-MEL-12
    assert sum(result.by_class) == result.points
    for meld in result.melds:
        assert value_of(rules, meld.name, meld.copies) == meld.points
    order = [(meld.name, "" if meld.suit is None else SUITS[meld.suit]) for meld in result.melds]
    assert sorted(order) == order


@settings(max_examples=200, deadline=None)
@given(deals())
def test_the_rules_that_look_for_a_marriage_agree(deal: Deal) -> None:
    rules, cards, _ = deal
    hand = hand_of(map(NAMES.index, cards))
    married = [suit for suit in SUITS if "K" + suit in cards and "Q" + suit in cards]
    expected = married if rules.trump_marriage == "required" else list(SUITS)
    assert expected == [SUITS[suit] for suit in legal_trumps(rules, hand)]
    assert bool(married) == has_marriage(hand)
    assert (not married and not any(card[0] == "A" for card in cards)) == may_throw_in(hand)
