"""Every meld of every single-deck hand: the engine against the plain reading, in minutes.

There are 287,134,346 different hands of twelve cards, each with four trumps. They need not be tried one by one:

1. A hand is four suits, and of a suit it holds each of six ranks 0, 1 or 2 times: 3^6 = 729 *suit parts*. Each hand is
   exactly one choice of four parts with twelve cards together, so the parts cover all hands. `hands_of` multiplies the
   parts' sizes out: the coefficient of x^12 in (sum over parts of x^size)^4 must be 287,134,346.
2. By the rules the best combination falls apart. The classes are independent (R-MEL-03). A meld of class 1 lies in one
   suit, so what is taken in a suit leaves the other suits' cards alone. A meld of class 3 lies in one rank, likewise.
   Class 2 has one meld, of two kinds of cards. The maximum of a sum whose terms share no cards is the sum of the
   maxima: one for each suit part, which may be trump or not, one for the copies of QS and JD (9 cases), and one for the
   copies of A, K, Q and J in four suits (81 cases each).
3. `check_parts` tries all of these, under every set of knobs that values melds (`scale`, `double_melds`, `run_extras`):
   points, the choice of melds, and the cards shown, engine against plain reading.
4. That the engine, too, is the sum of its parts is checked and not assumed. `check_pairs` puts every two suit parts
   into one hand, with no trump and each trump, and every two ranks' copies. `check_random` does it with millions of
   whole hands, and compares some thousands of them with the plain reading as a whole. Whoever wants no argument at all
   runs every hand one by one (`--every-hand`), against the sums of the parts.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from random import Random
from typing import Any, NamedTuple, TextIO

from pinochle.cards import SUITS, Hand, parse_hand
from pinochle.cards import names as card_names
from pinochle.meld import best_meld
from pinochle.rules import RuleSet, load

from tests.long_runs import Progress
from tests.oracle import melds
from tests.oracle.cards import RANKS

HAND_SIZE = 12
HANDS = 287_134_346
TRUMPS: tuple[int | None, ...] = (None, 0, 1, 2, 3)
RANDOM_HANDS = 3_000_000
WHOLE_HANDS = 20_000
"""Random hands compared as a sum of parts, and of those the ones compared as a whole with the plain reading."""
AROUND = (0, 2, 3, 4)  # the ranks A K Q J


class Difference(Exception):
    """The engine and the plain reading differ; the text says where."""


class Parts(NamedTuple):
    """What a profile's parts are worth: by suit part and whether it is trump, by QS and JD, by fewest of A K Q J."""

    suits: list[tuple[int, int]]  # by number of the part: points if not trump, points if trump
    pinochles: dict[tuple[int, int], int]
    around: list[dict[int, int]]  # for each of A K Q J: points by the number of copies that all suits have


PARTS = list(product((0, 1, 2), repeat=6))
"""Every suit part, as copies of A T K Q J 9."""
SIZES = [sum(part) for part in PARTS]


def run(out: TextIO) -> int:
    """All steps with their figures; 1 if something differs."""
    began = time.monotonic()

    def told(text: str) -> None:
        print(f"{time.monotonic() - began:7.1f} s  {text}", file=out, flush=True)

    try:
        told(f"{hands_of(PARTS):,} hands, as the rules count them")
        told(f"{check_parts():,} parts under {len(knob_sets())} sets of knobs agree with the plain reading")
        told(f"{check_pairs('classic'):,} pairs of parts add up")
        told(f"{check_random('cardgames', RANDOM_HANDS, WHOLE_HANDS, 1):,} random hands add up with four trumps")
    except Difference as found:
        print(found, file=out)
        return 1
    told("no difference")
    return 0


def run_every_hand(profile: str, out: TextIO) -> int:
    """Every hand with every trump, one by one; 1 at the first that differs."""
    rules = load(profile)
    parts, done, progress = worth(rules), 0, Progress(HANDS, out)
    for number in range(len(PARTS)):
        for hand, points in hands_with(number, parts):
            for trump in (0, 1, 2, 3):
                if best_meld(rules, hand, trump).points != points[trump]:
                    print(f"{card_names(hand)} with trump {SUITS[trump]}: expected {points[trump]}", file=out)
                    return 1
            done += 1
        progress(max(done, 1))
    assert HANDS == done, f"{done} hands were tried"
    print(f"{done:,} hands with four trumps each, no difference", file=out)
    return 0


def hands_of(parts: Sequence[Sequence[int]], suits: int = 4, size: int = HAND_SIZE) -> int:
    """How many hands of this size the parts make: the coefficient of x^size, worked out by multiplication."""
    sizes = Counter(map(sum, parts))
    product_of = Counter({0: 1})
    for _ in range(suits):
        longer: Counter[int] = Counter()
        for held, ways in product_of.items():
            for more, parts_of in sizes.items():
                longer[held + more] += ways * parts_of
        product_of = longer
    found = product_of[size]
    if (suits, size, len(parts)) == (4, HAND_SIZE, 729) and found != HANDS:
        raise Difference(f"{found} hands, not {HANDS}")
    return found


def knob_sets() -> list[RuleSet]:
    """Every way to value melds with the single deck."""
    return [
        load("classic", scale=scale, double_melds=doubles, run_extras=extras)
        for scale in (10, 1)
        for doubles in ("bonus", "linear")
        for extras in ("none", "king_or_queen", "king_queen_marriage")
    ]


def check_parts(rule_sets: Sequence[RuleSet] | None = None) -> int:
    """Every part in every suit with every trump, engine against plain reading; how many were tried."""
    tried = 0
    for rules in knob_sets() if rule_sets is None else rule_sets:
        knobs = rules.knobs()
        for cards in every_part():
            hand = parse_hand(" ".join(cards))
            for trump in TRUMPS:
                compare(rules, knobs, cards, hand, trump)
                tried += 1
    return tried


def every_part() -> Iterator[list[str]]:
    """The suit parts of each suit, the copies of QS and JD, and those of each rank around."""
    for suit in SUITS:
        for part in PARTS:
            yield cards_of(suit, part)
    for queens, jacks in product((0, 1, 2), repeat=2):
        yield ["QS"] * queens + ["JD"] * jacks
    for rank in AROUND:
        for copies in product((0, 1, 2), repeat=4):
            yield [RANKS[rank] + suit for suit, number in zip(SUITS, copies, strict=True) for _ in range(number)]


def compare(rules: RuleSet, knobs: dict[str, Any], cards: Sequence[str], hand: Hand, trump: int | None) -> None:
    """One hand as a whole: points by class, the melds chosen, and the cards shown."""
    said = best_meld(rules, hand, trump)
    chosen = [
        {"meld": m.name, "suit": "" if m.suit is None else SUITS[m.suit], "copies": m.copies, "points": m.points}
        for m in said.melds
    ]
    by_class = {str(number): points for number, points in enumerate(said.by_class, 1)}
    got = {"total": said.points, "by_class": by_class, "melds": chosen, "shown": card_names(said.shown)}
    expected = melds.best_meld(knobs, cards, None if trump is None else SUITS[trump])
    if got != expected:
        letter = "none" if trump is None else SUITS[trump]
        raise Difference(f"{' '.join(cards)} with trump {letter}: expected {expected}, got {got}")


def check_pairs(profile: str) -> int:
    """Every two suit parts that fit into a hand, and every two ranks around, in one hand: the engine adds up."""
    rules, tried = load(profile), 0
    parts = worth(rules)
    for one, other in combinations(range(4), 2):
        held = [packed(suit, part) for suit in (one, other) for part in PARTS]
        for i, first in enumerate(PARTS):
            for j, second in enumerate(PARTS):
                if SIZES[i] + SIZES[j] > HAND_SIZE:
                    continue
                hand = held[i] | held[len(PARTS) + j]
                numbers = [0, 0, 0, 0]
                numbers[one], numbers[other] = i, j
                pinochles = parts.pinochles[first[3], second[4]] if (one, other) == (0, 2) else 0
                for trump in TRUMPS:
                    by_class = (class_one(parts, numbers, trump), pinochles, 0)
                    if best_meld(rules, hand, trump).by_class != by_class:
                        raise Difference(f"{card_names(hand)} with trump {trump}: expected {by_class}")
                    tried += 1
    for one, other in combinations(AROUND, 2):
        for copies in product((0, 1, 2), repeat=8):
            numbers = [part_number({one: copies[suit], other: copies[4 + suit]}) for suit in range(4)]
            check_sum(rules, parts, numbers)
            tried += 1
    return tried


def check_random(profile: str, number: int, whole: int, seed: int) -> int:
    """Random hands, a third of them from part of the deck: sums of parts; some as a whole with the plain reading."""
    rules = load(profile)
    parts, knobs, chance = worth(rules), rules.knobs(), Random(seed)
    decks = [
        list(range(24)) * 2,
        [k for k in range(24) if k % 6 != 5] * 2,
        [k for k in range(24) if k % 6 in AROUND] * 2,
    ]
    for index in range(number):
        kinds = chance.sample(decks[index % 3], HAND_SIZE)
        copies = [[0] * 6 for _ in range(4)]
        for kind in kinds:
            copies[kind // 6][kind % 6] += 1
        check_sum(rules, parts, [NUMBER[tuple(part)] for part in copies])
        if index < whole:
            cards = [card for suit, part in zip(SUITS, copies, strict=True) for card in cards_of(suit, part)]
            for trump in TRUMPS:
                compare(rules, knobs, cards, parse_hand(" ".join(cards)), trump)
    return number


def check_sum(rules: RuleSet, parts: Parts, numbers: Sequence[int]) -> None:
    """The hand of these four suit parts is worth the sum of its parts, with every trump."""
    hand = 0
    for suit, number in enumerate(numbers):
        hand |= packed(suit, PARTS[number])
    spades, diamonds = PARTS[numbers[0]], PARTS[numbers[2]]
    second = parts.pinochles[spades[3], diamonds[4]]
    third = 0
    for i, rank in enumerate(AROUND):
        third += parts.around[i][min(PARTS[number][rank] for number in numbers)]
    for trump in TRUMPS:
        expected = (class_one(parts, numbers, trump), second, third)
        found = best_meld(rules, hand, trump).by_class
        if found != expected:
            raise Difference(f"{card_names(hand)} with trump {trump}: expected {expected}, got {found}")


def class_one(parts: Parts, numbers: Sequence[int], trump: int | None) -> int:
    """Class 1 of a hand as the sum over its suits."""
    return sum(parts.suits[number][suit == trump] for suit, number in enumerate(numbers))


def worth(rules: RuleSet) -> Parts:
    """The value of every part by the plain reading alone."""
    knobs = rules.knobs()

    def class_of(cards: list[str], trump: str | None, number: str) -> int:
        return int(melds.best_meld(knobs, cards, trump)["by_class"][number])

    suits = [(class_of(cards_of("S", part), "H", "1"), class_of(cards_of("S", part), "S", "1")) for part in PARTS]
    pinochles = {
        (queens, jacks): class_of(["QS"] * queens + ["JD"] * jacks, None, "2")
        for queens, jacks in product((0, 1, 2), repeat=2)
    }
    around = [
        {copies: class_of([RANKS[rank] + suit for suit in SUITS] * copies, None, "3") for copies in (0, 1, 2)}
        for rank in AROUND
    ]
    return Parts(suits, pinochles, around)


def hands_with(spades: int, parts: Parts) -> Iterator[tuple[Hand, tuple[int, int, int, int]]]:
    """Every hand with this part in spades, and its points with each trump."""
    groups = by_size()
    plain = [points for points, _ in parts.suits]
    more = [trump - points for points, trump in parts.suits]
    around = [_around_key(part) for part in PARTS]
    by_key = {key: _around_points(key, parts) for key in range(256)}
    held = [[packed(suit, part) for part in PARTS] for suit in range(4)]
    a, room = spades, HAND_SIZE - SIZES[spades]
    for b in range(len(PARTS)):
        if SIZES[b] > room:
            continue
        for c in range(len(PARTS)):
            left = room - SIZES[b] - SIZES[c]
            if not 0 <= left <= HAND_SIZE:
                continue
            pinochles = parts.pinochles[PARTS[a][3], PARTS[c][4]]
            base, key = plain[a] + plain[b] + plain[c] + pinochles, around[a] & around[b] & around[c]
            three = held[0][a] | held[1][b] | held[2][c]
            for d in groups[left]:
                points = base + plain[d] + by_key[key & around[d]]
                yield three | held[3][d], (points + more[a], points + more[b], points + more[c], points + more[d])


def by_size() -> list[list[int]]:
    """The numbers of the suit parts by how many cards they have."""
    return [[number for number, size in enumerate(SIZES) if size == wanted] for wanted in range(HAND_SIZE + 1)]


def cards_of(suit: str, part: Sequence[int]) -> list[str]:
    """A suit part as cards."""
    return [rank + suit for rank, copies in zip(RANKS, part, strict=True) for _ in range(copies)]


def packed(suit: int, part: Sequence[int]) -> Hand:
    """A suit part as the engine's hand."""
    return sum(copies << 3 * (6 * suit + rank) for rank, copies in enumerate(part))


NUMBER = {part: number for number, part in enumerate(PARTS)}


def part_number(copies: dict[int, int]) -> int:
    """The number of the suit part with these copies by rank."""
    return NUMBER[tuple(copies.get(rank, 0) for rank in range(6))]


def _around_key(part: Sequence[int]) -> int:
    """Two bits for each of A K Q J: one card or more, and two; `&` is then the fewest of several suits."""
    return sum(((1 << part[rank]) - 1) << 2 * i for i, rank in enumerate(AROUND))


def _around_points(key: int, parts: Parts) -> int:
    return sum(parts.around[i][(key >> 2 * i & 3).bit_count()] for i in range(4))
