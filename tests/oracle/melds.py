"""Melds, written plainly from the rules: try every legal combination and take the best (section 9).

Hands are lists of cards as text, knobs a plain mapping; nothing here is shared with the engine.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.oracle.cards import SUITS, in_display_order

Knobs = Mapping[str, Any]
Entry = tuple[str, str, int]
"""Name, suit or "", copies."""

AT_SCALE_1 = {  # R-MEL-05, R-MEL-06, R-MEL-13: one, two, three and four copies
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


def best_meld(knobs: Knobs, hand: Sequence[str], trump: str | None) -> dict[str, Any]:
    """The best combination, its points by class, and the cards shown for it; without trump as in R-CLB-06."""
    classes = (
        runs_and_marriages(knobs, trump),
        [("pinochle", "", ["QS", "JD"])],
        [(f"{name}_around", "", [rank + suit for suit in SUITS]) for name, rank in AROUND],
    )
    by_class, entries, shown = {}, [], []
    for number, melds in enumerate(classes, 1):
        points, chosen = best_combination(knobs, melds, hand)
        by_class[str(number)] = points
        entries += [(name, suit, copies, worth(knobs, name, copies)) for name, suit, copies in chosen]
        in_class: list[str] = []
        for name, suit, cards in melds:
            in_class += cards * next((copies for n, s, copies in chosen if (n, s) == (name, suit)), 0)
        # R-MEL-12: a card that serves in several classes is shown once.
        for card in set(in_class):
            shown += [card] * (in_class.count(card) - shown.count(card))
    return {
        "total": sum(by_class.values()),
        "by_class": by_class,
        "melds": [
            {"meld": name, "suit": suit, "copies": copies, "points": points}
            for name, suit, copies, points in sorted(entries)
        ],
        "shown": in_display_order(shown),
    }


AROUND = (("aces", "A"), ("kings", "K"), ("queens", "Q"), ("jacks", "J"))


def runs_and_marriages(knobs: Knobs, trump: str | None) -> list[tuple[str, str, list[str]]]:
    """The melds of class 1 with their cards (R-MEL-05, R-MEL-07)."""
    melds = [("marriage", suit, [f"K{suit}", f"Q{suit}"]) for suit in SUITS if suit != trump]
    if trump is None:
        return melds
    king, queen = f"K{trump}", f"Q{trump}"
    run = [f"A{trump}", f"T{trump}", king, queen, f"J{trump}"]
    melds += [("run", trump, run), ("royal_marriage", trump, [king, queen]), ("dix", trump, [f"9{trump}"])]
    if knobs["run_extras"] in ("king_or_queen", "king_queen_marriage"):
        melds += [("run_king", trump, [*run, king]), ("run_queen", trump, [*run, queen])]
    if knobs["run_extras"] == "king_queen_marriage":
        melds.append(("run_marriage", trump, [*run, king, queen]))
    return melds


def worth(knobs: Knobs, name: str, copies: int) -> int:
    """Points of so many copies of a meld in one hand."""
    values = AT_SCALE_1[name]
    points = copies * values[0] if knobs["double_melds"] == "linear" else values[copies - 1]
    return points * int(knobs["scale"])


def best_combination(
    knobs: Knobs, melds: Sequence[tuple[str, str, list[str]]], hand: Sequence[str]
) -> tuple[int, list[Entry]]:
    """Most points, then most cards, then fewest entries (R-MEL-04, R-MEL-10)."""
    found = []
    for combination in combinations(melds, hand):
        points = cards = 0
        for name, suit, copies in combination:
            points += worth(knobs, name, copies)
            cards += copies * next(len(needed) for n, s, needed in melds if (n, s) == (name, suit))
        found.append(((points, cards, -len(combination)), combination))
    best = max(key for key, _ in found)
    chosen = [combination for key, combination in found if key == best]
    assert 1 == len(chosen), f"R-MEL-10 leaves open which to show: {chosen}"
    return best[0], chosen[0]


def combinations(melds: Sequence[tuple[str, str, list[str]]], cards: Sequence[str]) -> Iterator[list[Entry]]:
    """Every way to make some of these melds, no card used twice (R-MEL-03)."""
    if not melds:
        yield []
        return
    (name, suit, needed), rest = melds[0], melds[1:]
    left, copies = list(cards), 0
    while True:
        mine = [(name, suit, copies)] if copies else []
        for others in combinations(rest, left):
            yield mine + others
        for card in needed:
            if card not in left:
                return
            left.remove(card)
        copies += 1


def has_marriage(hand: Sequence[str], suit: str) -> bool:
    """Whether the hand holds a king and a queen of the suit."""
    return f"K{suit}" in hand and f"Q{suit}" in hand


def may_throw_in(knobs: Knobs, hand: Sequence[str]) -> bool:
    """R-DEAL-05: neither an ace nor a marriage."""
    if not knobs["misdeal_option"]:
        return False
    return not any(card[0] == "A" for card in hand) and not any(has_marriage(hand, suit) for suit in SUITS)


def legal_trumps(knobs: Knobs, hand: Sequence[str]) -> list[str]:
    """R-TRU-01, R-CLB-05."""
    if knobs["trump_marriage"] == "optional":
        return list(SUITS)
    return [suit for suit in SUITS if has_marriage(hand, suit)]
