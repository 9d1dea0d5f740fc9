"""A whole partnership hand, written plainly from the rules: random choices, and everything that follows from them.

The events are those of the rule vectors, so that what is played here can be run through the engine.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from tests.oracle import auctions
from tests.oracle.cards import dealt, hand_size, in_display_order
from tests.oracle.melds import best_meld, legal_trumps, may_throw_in
from tests.oracle.scores import game_end, is_set_unplayed, may_concede, score_hand
from tests.oracle.tricks import legal_plays, trick_points, winning_index

Knobs = Mapping[str, Any]
Event = dict[str, Any]


class Hand:
    """One deal, from the cards to the end check; `events` tell it, the rest is what is left afterwards."""

    def __init__(
        self, knobs: Knobs, dealer: int, deck: Sequence[str], totals: Sequence[int], deals_played: int, chance: Random
    ) -> None:
        self.knobs = knobs
        self.dealer = dealer
        self.totals = list(totals)
        self.deals_played = deals_played
        self.chance = chance
        self.next_dealer = (dealer + 1) % 4
        self.over = False
        self.hands, self.last_card = dealt(knobs, dealer, deck)
        self.events: list[Event] = [{"t": "deal", "dealer": dealer, "hands": [list(hand) for hand in self.hands]}]
        self.declarer: int | None = None
        self.bid: int | None = None
        self.declared_out = False
        if self.is_thrown_in():
            return
        if knobs["trump_source"] == "turn_up":
            self.trump = self.last_card[1]
            self.events.append({"t": "turn_up", "card": self.last_card, "trump": self.trump})
            self.meld_and_play((dealer + 1) % 4)
            return
        if not self.auction():
            return
        suits = legal_trumps(knobs, self.hands[self.declarer])
        if not suits:
            self.no_marriage()
            return
        self.name_trump(suits)
        self.exchange()
        self.meld_and_play(self.declarer)

    def is_thrown_in(self) -> bool:
        """R-DEAL-05, R-DEAL-06."""
        for step in (1, 2, 3, 4):
            seat = (self.dealer + step) % 4
            if may_throw_in(self.knobs, self.hands[seat]) and self.chance.random() < 0.5:
                self.events.append({"t": "throw_in", "seat": seat})
                self.redeal(self.dealer)
                return True
        return False

    def redeal(self, next_dealer: int) -> None:
        self.next_dealer = next_dealer
        self.events.append({"t": "redeal", "next_dealer": next_dealer})

    def auction(self) -> bool:
        """Call until the auction ends; whether there is a declarer."""
        calls: list[Event] = []
        found = auctions.follow(self.knobs, self.dealer, calls)
        while found["state"] == "open":
            calls.append(random_call(self.knobs, found, self.chance))
            self.events.append({"t": "call", **calls[-1]})
            found = auctions.follow(self.knobs, self.dealer, calls)
        if found["state"] == "redeal":
            self.redeal((self.dealer + 1) % 4)
            return False
        self.declarer, self.bid = found["declarer"], found["bid"]
        self.events.append({"t": "contract", "seat": self.declarer, "bid": self.bid, "forced": found["forced"]})
        return True

    def no_marriage(self) -> None:
        """R-CLB-06: only the defenders meld, left of the declarer first, without trump."""
        self.events.append({"t": "no_play", "reason": "no_marriage"})
        meld = [0, 0]
        for step in (1, 3):
            seat = (self.declarer + step) % 4
            meld[seat % 2] += self.show_meld(seat, None)
        self.events.append({"t": "meld_totals", "meld": meld, "may_concede": False})
        self.score(meld, [0, 0], [0, 0], no_play="no_marriage")

    def name_trump(self, suits: Sequence[str]) -> None:
        """R-TRU-01, R-TRU-02."""
        self.trump = self.chance.choice(suits)
        event = {"t": "trump", "seat": self.declarer, "suit": self.trump}
        if self.knobs["win_rule"] == "declared_out" and self.knobs["game_length"] != "deals":
            self.declared_out = self.chance.random() < 0.5
            event["declare_out"] = self.declared_out
        self.events.append(event)

    def exchange(self) -> None:
        """Section 8."""
        number, declarer = self.knobs["exchange"], self.declarer
        partner = (declarer + 2) % 4
        if not number:
            return
        for kind, giver, receiver in (("pass_cards", partner, declarer), ("return_cards", declarer, partner)):
            cards = in_display_order(self.chance.sample(self.hands[giver], number))
            for card in cards:
                self.hands[giver].remove(card)
            self.hands[receiver] = in_display_order(self.hands[receiver] + cards)
            self.events.append({"t": kind, "from": giver, "to": receiver, "cards": cards})

    def show_meld(self, seat: int, trump: str | None) -> int:
        found = best_meld(self.knobs, self.hands[seat], trump)
        self.events.append({"t": "meld", "seat": seat, "points": found["total"], "melds": found["melds"]})
        return int(found["total"])

    def meld_and_play(self, leader: int) -> None:
        """From the melds on (R-MEL-01, section 10, section 11)."""
        meld = [0, 0]
        for step in range(4):
            seat = (leader + step) % 4
            meld[seat % 2] += self.show_meld(seat, self.trump)
        concession = False
        if self.declarer is not None:
            mine = meld[self.declarer % 2]
            concession = may_concede(self.knobs, self.bid, mine)
            self.events.append({"t": "meld_totals", "meld": meld, "may_concede": concession})
            if is_set_unplayed(self.knobs, mine):
                self.events.append({"t": "no_play", "reason": "short_meld"})
                self.score(meld, [0, 0], [0, 0], no_play="short_meld")
                return
        else:
            self.events.append({"t": "meld_totals", "meld": meld, "may_concede": False})
        if concession and self.chance.random() < 0.25:
            self.events.append({"t": "concede", "seat": self.declarer})
            self.score(meld, [0, 0], [0, 0], conceded=True)
            return
        points, tricks = self.play(leader)
        self.score(meld, points, tricks)

    def play(self, leader: int) -> tuple[list[int], list[int]]:
        """All tricks (section 11); trick points and tricks by team."""
        points, tricks = [0, 0], [0, 0]
        number = hand_size(self.knobs)
        for trick_number in range(1, number + 1):
            trick: list[str] = []
            for step in range(4):
                seat = (leader + step) % 4
                legal = legal_plays(self.knobs, self.hands[seat], trick, self.trump)
                card = self.chance.choice(legal)
                self.hands[seat].remove(card)
                trick.append(card)
                self.events.append({"t": "play", "seat": seat, "card": card, "legal": legal})
            leader = (leader + winning_index(trick, self.trump)) % 4
            last = trick_number == number
            worth = trick_points(self.knobs, trick, last)
            points[leader % 2] += worth
            tricks[leader % 2] += 1
            self.events.append({"t": "trick", "winner": leader, "points": worth, "last": last})
        return points, tricks

    def score(
        self,
        meld: Sequence[int],
        points: Sequence[int],
        tricks: Sequence[int],
        conceded: bool = False,
        no_play: str | None = None,
    ) -> None:
        """Sections 13 and 14."""
        team = None if self.declarer is None else self.declarer % 2
        found = score_hand(self.knobs, team, self.bid, meld, points, tricks, conceded, no_play)
        for one in (0, 1):
            self.totals[one] += found["delta"][one]
        self.deals_played += 1
        said = {"bidder": team, "bid": self.bid, "meld": list(meld), "trick_points": list(points)}
        self.events.append({"t": "hand_score", **said, "tricks": list(tricks), **found, "totals": list(self.totals)})
        end = game_end(self.knobs, self.totals, team, found["outcome"], self.declared_out, self.deals_played)
        self.events.append({"t": "game_end", **end})
        self.over = end["over"]


def random_call(knobs: Knobs, found: Mapping[str, Any], chance: Random) -> Event:
    """A legal call of the player on turn: mostly a pass, else a bid a few steps up."""
    seat = found["turn"]
    if chance.random() < 0.6:
        helps = found["pass_help"] and chance.random() < 0.5
        return {"seat": seat, "call": "pass_help" if helps else "pass"}
    amount = found["min"]
    for _ in range(chance.randrange(4)):
        above = amount + auctions.step_at(knobs, amount)
        if found["max"] is None or above <= found["max"]:
            amount = above
    return {"seat": seat, "call": "bid", "amount": amount}
