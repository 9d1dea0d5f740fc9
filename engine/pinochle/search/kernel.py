"""Trick play on rows of integers, written once for the interpreter and for a compiler.

Nothing here is an object: a position and the rules of play are flat rows of integers (lists in Python, arrays of 64-bit
integers when compiled), their places named below. Every value fits into 63 bits, so both ways compute the same.

A hand is four integers, one for each suit, in which every physical card has a bit: bit ``rank * copies + copy``, ranks
A T K Q J 9 from 0 and copies 2 (single deck) or 4 (double deck, without nines). The lowest bits are the best cards, so
the cards that beat a rank are those under one mask; the 80 cards of the double deck need no second word; and a copy
needs no count, its bit is cleared.

The rules are those of section 11 (R-PLY-01 to 11) and R-TPT-05: the same as `pinochle.tricks` and `pinochle.scoring`,
for 2 to 4 seats, one suit always being trump. Functions trust their rows; `pinochle.search.position` makes sound ones.

Chance is a linear congruential generator modulo 2^63 (L'Ecuyer 1999), of which the high bits are used: fast,
repeatable, good enough to play at random, and not fit for dealing at real tables.
"""

from __future__ import annotations

from typing import Any

Row = Any  # a mutable sequence of ints that both lists and arrays of int64 are

# Places in a row of rules. COPY_SHIFT is log2 of the copies; MUST_BEAT is NEVER, THE_LED or THE_WINNING.
SEATS, TEAMS, HAND_SIZE, COPY_SHIFT, MUST_BEAT, MUST_OVERTRUMP, LAST_TRICK, RANK_POINTS = range(8)
RULES_LENGTH = RANK_POINTS + 6
NEVER, THE_LED, THE_WINNING = range(3)

# Places in a row of a position. LED to BEST_SEAT and WORTH, the trick's points so far, are read only once LAID,
# the number of cards in the trick, is above 0. POINTS has a place for each team, HANDS four suits for each seat.
TRUMP, TURN, TRICKS_LEFT, LAID, LED, LED_RANK, BEST, BEST_RANK, BEST_SEAT, WORTH, POINTS = range(11)
SEATS_MAX = 4
HANDS = POINTS + SEATS_MAX
POSITION_LENGTH = HANDS + 4 * SEATS_MAX

WHOLE_HAND = -1
"""What `legal` returns for a suit where any card of the hand may be played."""

CARD_SUIT_AT = 5
"""In a deck a card is its suit shifted by this, and its bit's place."""

SEED_MASK = (1 << 63) - 1
_MULTIPLIER = 2806196910506780709
_DRAW_AT = 31  # a draw takes the 32 bits above these


def legal(rules: Row, position: Row) -> tuple[int, int]:
    """The suit that the seat on turn may play, and which cards of it; (WHOLE_HAND, 0) where all of them are legal."""
    if position[LAID] == 0:
        return WHOLE_HAND, 0
    hand = HANDS + 4 * position[TURN]
    suit = position[LED]
    cards = position[hand + suit]
    if cards:
        if position[BEST] != suit or rules[MUST_BEAT] == NEVER:
            return suit, cards  # R-PLY-05: a trumped trick cannot be won by following
        beaten = position[BEST_RANK] if rules[MUST_BEAT] == THE_WINNING else position[LED_RANK]
    else:
        suit = position[TRUMP]
        cards = position[hand + suit]
        if cards == 0:
            return WHOLE_HAND, 0  # R-PLY-06
        if position[BEST] != suit or rules[MUST_OVERTRUMP] == 0:
            return suit, cards
        beaten = position[BEST_RANK]  # R-PLY-07
    higher = cards & ((1 << (beaten << rules[COPY_SHIFT])) - 1)
    return suit, higher if higher else cards


def play(rules: Row, position: Row, suit: int, at: int) -> None:
    """Play the card at this bit of a suit, and give the trick to its winner if that ends it."""
    turn = position[TURN]
    position[HANDS + 4 * turn + suit] ^= 1 << at
    rank = at >> rules[COPY_SHIFT]
    position[WORTH] += rules[RANK_POINTS + rank]
    laid = position[LAID] + 1
    if laid == 1:
        position[LED] = suit
        position[LED_RANK] = rank
        takes = True
    elif suit == position[BEST]:
        takes = rank < position[BEST_RANK]  # R-PLY-09: the first of equal cards stays the best
    else:
        takes = suit == position[TRUMP]
    if takes:
        position[BEST] = suit
        position[BEST_RANK] = rank
        position[BEST_SEAT] = turn
    if laid < rules[SEATS]:
        position[LAID] = laid
        turn += 1
        position[TURN] = turn if turn < rules[SEATS] else 0
        return
    winner = position[BEST_SEAT]
    left = position[TRICKS_LEFT] - 1
    if left == 0:
        position[WORTH] += rules[LAST_TRICK]
    position[POINTS + winner % rules[TEAMS]] += position[WORTH]
    position[WORTH] = 0
    position[LAID] = 0
    position[TRICKS_LEFT] = left
    position[TURN] = winner


def choose(rules: Row, position: Row, seed: int) -> tuple[int, int, int]:
    """A legal card, each physical one as likely as any other: its suit, its bit's place, and the next seed."""
    suit, cards = legal(rules, position)
    seed = (seed * _MULTIPLIER + 1) & SEED_MASK
    if suit == WHOLE_HAND:
        hand = HANDS + 4 * position[TURN]
        number = (
            position[hand].bit_count()
            + position[hand + 1].bit_count()
            + position[hand + 2].bit_count()
            + position[hand + 3].bit_count()
        )
        skipped = (seed >> _DRAW_AT) * number >> 32
        suit = 0
        cards = position[hand]
        number = cards.bit_count()
        while skipped >= number:
            skipped -= number
            suit += 1
            cards = position[hand + suit]
            number = cards.bit_count()
    else:
        skipped = (seed >> _DRAW_AT) * cards.bit_count() >> 32
    while skipped:
        cards &= cards - 1
        skipped -= 1
    return suit, (cards & -cards).bit_length() - 1, seed


def playout(rules: Row, position: Row, seed: int) -> int:
    """Play to the end at random, in place; the points are then the position's. Returns the next seed."""
    while position[TRICKS_LEFT]:
        suit, at, seed = choose(rules, position, seed)
        play(rules, position, suit, at)
    return seed


def playouts(rules: Row, position: Row, scratch: Row, seed: int, number: int, sums: Row) -> int:
    """Play a position to the end `number` times, on `scratch`; adds each team's final points to `sums`."""
    for _ in range(number):
        for place in range(POSITION_LENGTH):
            scratch[place] = position[place]
        seed = playout(rules, scratch, seed)
        for team in range(rules[TEAMS]):
            sums[team] += scratch[POINTS + team]
    return seed


def deal(rules: Row, position: Row, deck: Row, seed: int) -> int:
    """Begin a hand: deal at random, the deck being left in another order; trump and leader are not touched."""
    seats, size, cards = rules[SEATS], rules[HAND_SIZE], len(deck)
    for place in range(HANDS, POSITION_LENGTH):
        position[place] = 0
    at = 0
    for seat in range(seats):
        hand = HANDS + 4 * seat
        is_rest = size * (seats - seat) == cards - at and seat == seats - 1
        for _ in range(size):
            other = at
            if not is_rest:
                seed = (seed * _MULTIPLIER + 1) & SEED_MASK
                other += (seed >> _DRAW_AT) * (cards - at) >> 32
            card = deck[other]
            deck[other] = deck[at]
            deck[at] = card
            position[hand + (card >> CARD_SUIT_AT)] |= 1 << (card & 31)
            at += 1
    position[TRICKS_LEFT] = size
    position[LAID] = 0
    position[WORTH] = 0
    for team in range(SEATS_MAX):
        position[POINTS + team] = 0
    return seed


def deal_and_play(rules: Row, position: Row, deck: Row, seed: int, number: int, sums: Row) -> int:
    """Deal and play whole hands at random, trump and leader too; adds each team's points to `sums`."""
    for _ in range(number):
        seed = deal(rules, position, deck, seed)
        seed = (seed * _MULTIPLIER + 1) & SEED_MASK
        choice = (seed >> _DRAW_AT) * (4 * rules[SEATS]) >> 32
        position[TRUMP] = choice & 3
        position[TURN] = choice >> 2
        seed = playout(rules, position, seed)
        for team in range(rules[TEAMS]):
            sums[team] += position[POINTS + team]
    return seed


def seeded(number: int) -> int:
    """The seed of any whole number below 2^63, such that neighbours begin far from each other."""
    seed = number & SEED_MASK
    for _ in range(3):
        seed = ((seed ^ seed >> 32) * _MULTIPLIER + 1) & SEED_MASK
    return seed


COMPILABLE = (legal, play, choose, playout, playouts, deal, deal_and_play)
"""What a compiler takes; each calls only what stands before it."""
