"""How `club` plays a card: it weighs, for each legal card, the points its team may win with the trick against what the
card is worth later.

What it knows: its own cards, those played, those shown as meld and not yet played. The other cards may be anywhere, so
a seat holds each of them with the chance that its number of unknown cards gives. From that follows how likely the
players still to come beat a card; they are taken to beat what they can.
"""

from __future__ import annotations

from pinochle.cards import (
    COPY_BITS,
    HIGHER,
    KINDS,
    KNOWN_MASK,
    NINE,
    RANK_OF,
    SUIT_CARDS,
    SUIT_OF,
    Card,
    Hand,
    Suit,
    hand_of,
    kinds,
    size,
)  # fmt: skip
from pinochle.state import NONE, State
from pinochle.tricks import beats, winner

LATER = 0.15
"""Points that each player still to come adds, of an average card's."""
BOSS_KEPT = 0.6
"""What a card that nothing unseen beats is worth later, of an average trick's points."""
TRUMP_KEPT = 0.45
"""The same for any other trump."""
HIGH_KEPT = 0.04
"""The same for each rank that a card of a side suit stands above the lowest."""
DRAW = 0.15
"""What leading trump is worth to the declarer's team while the others hold some, of an average trick's points."""


def best_card(view: State, legal: Hand) -> Card:
    """The card of `legal` to play, its seat being on turn; of equal ones the last in display order."""
    cards = kinds(legal)
    if len(cards) == 1:
        return cards[0]
    table = _Table(view)
    best, best_worth = -1, 0.0
    for card in cards:
        worth = table.worth(card)
        if best < 0 or worth >= best_worth:
            best, best_worth = card, worth
    return best


class _Table:
    """What the seat on turn knows of the others' cards, and of the trick; one is made for each choice."""

    __slots__ = (
        "after", "card_average", "draws", "is_last", "known", "leads", "led", "lengths", "missing", "on_table",
        "ours", "outside", "partner", "trick_average", "trump", "unseen", "values", "winning",
    )  # fmt: skip

    def __init__(self, view: State) -> None:
        seat, hands, rules, trick = view.turn, view.hands, view.rules, view.trick
        self.outside = unseen = DECKS[rules.copies] - hands[seat] - view.played
        self.known = known = [hand & KNOWN_MASK for hand in hands]
        hidden = [hand >> KINDS * COPY_BITS for hand in hands]
        total = 0
        for other in (seat + 1 & 3, seat + 2 & 3, seat + 3 & 3):
            unseen -= known[other]
            total += hidden[other]
        self.unseen = unseen
        self.missing = [1.0 - held / total if total else 1.0 for held in hidden]
        self.partner = seat + 2 & 3
        self.after = [seat + step & 3 for step in range(1, 4 - len(trick))]
        self.trump, self.values = view.trump, rules.trick_values
        self.trick_average = rules.trick_total / rules.hand_size
        self.card_average = self.trick_average / 4
        self.is_last = view.tricks[0] + view.tricks[1] + 1 == rules.hand_size
        self.lengths = [-1, -1, -1, -1]
        self.leads = not trick
        self.on_table = LATER * self.card_average * len(self.after) + (rules.last_trick if self.is_last else 0)
        if trick:
            best = winner(trick, view.trump)
            self.led, self.winning = SUIT_OF[trick[0]], trick[best]
            self.ours = view.leader + best & 3 == self.partner
            for card in trick:
                self.on_table += rules.trick_values[RANK_OF[card]]
        else:
            theirs = self.known[seat + 1 & 3] | self.known[seat + 3 & 3] | unseen
            declares = view.declarer != NONE and view.declarer & 1 == seat & 1
            self.draws = DRAW if declares and theirs & SUIT_CARDS[view.trump] else 0.0

    def worth(self, card: Card) -> float:
        """Expected points for the card's team, less what the card is worth later."""
        if self.leads:
            self.led, winning, ours = SUIT_OF[card], card, True
        elif beats(card, self.winning, self.trump):
            winning, ours = card, True
        else:
            winning, ours = self.winning, self.ours
        chance = self._chance_to_win(winning, ours) if self.after else float(ours)
        points = self.on_table + self.values[RANK_OF[card]]
        return (2.0 * chance - 1.0) * points - self._kept(card) * self.trick_average

    def _chance_to_win(self, winning: Card, ours: bool) -> float:
        """The chance that the card's team has the trick in the end; `winning` is the best card so far."""
        chance, known = (1.0 if ours else 0.0), True
        for seat in self.after:
            beaten = self._chance_to_beat(seat, winning)
            if seat == self.partner:
                # Against a card that only may have been played the partner's chance is half.
                chance += (1.0 - chance) * (beaten if known else beaten / 2)
            else:
                chance -= chance * beaten
                known = False
        return chance

    def _chance_to_beat(self, seat: int, winning: Card) -> float:
        """The chance that a seat still to come holds, and may play, a card that beats the winning one."""
        led, trump, known, missing = self.led, self.trump, self.known[seat], self.missing[seat]
        higher = HIGHER[winning]
        above = 1.0 if known & higher else 1.0 - missing ** size(self.unseen & higher)
        follows = known & SUIT_CARDS[led]
        if SUIT_OF[winning] == led:
            if led == trump or follows:
                return above
            trumps = 1.0 if known & SUIT_CARDS[trump] else 1.0 - missing ** self._length(trump)
            return above + (1.0 - above) * missing ** self._length(led) * trumps
        return 0.0 if follows else missing ** self._length(led) * above

    def _length(self, suit: Suit) -> int:
        """Cards of a suit whose place is not known."""
        length = self.lengths[suit]
        if length < 0:
            length = self.lengths[suit] = size(self.unseen & SUIT_CARDS[suit])
        return length

    def _kept(self, card: Card) -> float:
        """What a card is worth later, of an average trick's points."""
        if self.is_last:
            return 0.0
        boss = not self.outside & HIGHER[card]
        if SUIT_OF[card] == self.trump:
            kept = BOSS_KEPT if boss else TRUMP_KEPT
            return kept - self.draws if self.leads else kept + HIGH_KEPT * (NINE - RANK_OF[card]) / 2
        if boss:
            return 0.0 if self.leads else BOSS_KEPT
        return HIGH_KEPT * (NINE - RANK_OF[card])


DECKS = {
    2: hand_of(kind for kind in range(KINDS) for _ in range(2)),
    4: hand_of(kind for kind in range(KINDS) if RANK_OF[kind] != NINE for _ in range(4)),
}
"""The whole deck, by the number of copies of a card in it."""
