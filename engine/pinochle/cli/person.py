"""A person at the terminal: what may be done now in words, and what was typed as a command.

Cards are typed like ``TH`` (``10H`` and the suits' signs are taken as well) in capitals or not, several of them
with spaces or commas between. In the stock game a copy letter follows (``QSa``); it may be left out where only one of
the two copies is possible.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pinochle.auction import BID_MAX
from pinochle.cards import (
    COPIES,
    KINDS,
    KNOWN_MASK,
    NAMES,
    PHYSICAL_MASK,
    RANKS,
    SUITS,
    Card,
    Hand,
    cards_in,
    hand_of,
    kinds,
    parse_card,
    parse_suit,
    physical,
)
from pinochle.commands import (
    Concede,
    Draw,
    ExchangeDix,
    KeepDeal,
    LayMeld,
    NameTrump,
    Pass,
    PassCards,
    PlaceBid,
    PlayCard,
    PlayerCommand,
    ThrowIn,
)
from pinochle.describe import SIGNS, card_text, hand_text
from pinochle.errors import BadNotation
from pinochle.options import (
    CallOptions,
    DrawOptions,
    ExchangeOptions,
    MisdealOptions,
    Options,
    PlayOptions,
    TrumpOptions,
)
from pinochle.state import NONE, PLAY, State

LINE_CHARACTERS_MAX = 1_000
BID_DIGITS_MAX = len(str(BID_MAX))
MELD_DIGITS_MAX = 4

_BETWEEN = str.maketrans({"\N{VARIATION SELECTOR-16}": None, ",": " "})
_LETTERS = str.maketrans(dict(zip(SIGNS, SUITS, strict=True)))


def choices(options: Options, *, symbols: bool = False) -> str:
    """What may be typed now, in words."""
    if isinstance(options, PlayOptions):
        cards = " ".join(card_text(card, symbols=symbols) for card in kinds(options.cards))
        return f"play one of {cards}{', or concede' if options.may_concede else ''}"
    if isinstance(options, CallOptions):
        top = "" if options.highest is None else f", {options.highest} at most"
        helps = ", or help (a pass with help)" if options.pass_help else ""
        return f"bid {options.lowest} or more{top}, in steps of {options.step}, or pass{helps}"
    if isinstance(options, TrumpOptions):
        suits = " ".join(SIGNS[suit] if symbols else SUITS[suit] for suit in options.suits)
        out = f", with out behind it to declare out ({SUITS[options.suits[0]]} out)" if options.may_declare_out else ""
        return f"name one of {suits} trump{out}"
    if isinstance(options, ExchangeOptions):
        return f"give {options.number} cards"
    if isinstance(options, DrawOptions):
        nines = [card_text(card, symbols=symbols) for card in kinds(options.nines)]
        exchange = f", exchange {' or '.join(nines)} for the turn-up" if nines else ""
        melds = f", meld N, with the number of a meld from 1 to {len(options.melds)}" if options.melds else ""
        return f"draw{exchange}{melds}"
    return f"keep the deal{', or throw it in (throw)' if options.may_throw_in else ''}"


def numbered(options: Options, *, symbols: bool = False) -> list[str]:
    """The melds that may be laid, a line each, with the numbers by which they are chosen."""
    if not isinstance(options, DrawOptions):
        return []
    return [
        f"{number:>3}  {meld.kind.replace('_', ' ')} {hand_text(meld.cards, symbols=symbols)}: {meld.points}"
        for number, meld in enumerate(options.melds, 1)
    ]


def parse(typed: str, options: Options) -> PlayerCommand:
    """The command that was typed; BadNotation, with a line for the person, for what is not possible now."""
    words = typed.translate(_BETWEEN).split()
    if not words:
        raise BadNotation("nothing was typed")
    command = _READ[options.__class__](words, options)
    if command not in options:
        raise BadNotation(f"{' '.join(words)[:40]} is not possible: {choices(options)}")
    return command


def situation(view: State, seat: int, *, symbols: bool = False) -> str:
    """What the person on this seat should have before their eyes, in one line."""
    parts = [f"hand {hand_text(view.hands[seat], symbols=symbols)}"]
    if view.phase == PLAY:
        played = [
            f"seat {(view.leader + i) % len(view.hands)} {card_text(card, symbols=symbols)}"
            for i, card in enumerate(view.trick)
        ]
        parts.append(f"trick {', '.join(played)}" if played else "you lead")
    if view.trump >= 0:
        parts.append(f"trump {SIGNS[view.trump] if symbols else SUITS[view.trump]}")
    if view.bid:
        parts.append(f"bid {view.bid} by seat {view.bidder}")
    if view.stock is not None:
        parts += _stock_parts(view, seat, symbols)
    return "; ".join(parts)


def _stock_parts(view: State, seat: int, symbols: bool) -> list[str]:
    """The turn-up, the stock's size, what others have shown and still hold, what the person has laid, the totals."""
    assert view.stock is not None
    parts = []
    if view.turn_up != NONE:
        parts.append(f"turn-up {card_text(view.turn_up, symbols=symbols)}; stock {len(view.stock.cards)}")
    laid = 0
    for cards in view.stock.used:
        laid |= cards
    for other, hand in enumerate(view.hands):
        shown = hand & (laid if other == seat else KNOWN_MASK | PHYSICAL_MASK)
        if shown:
            who = "you have laid" if other == seat else f"seat {other} holds"
            parts.append(f"{who} {hand_text(shown, symbols=symbols)}")
    return [*parts, f"scores {' to '.join(map(str, view.totals))}"]


def _plain(word: str) -> str:
    """The word in capitals and with letters for the suits' signs; what is refused is shown as it was typed."""
    return word.translate(_LETTERS).upper()


def _card(word: str) -> Card:
    plain = re.sub("^10(?=..?$)", "T", _plain(word))
    try:
        return parse_card(plain[:2] + plain[2].lower() if re.fullmatch("..[AB]", plain) else plain)
    except BadNotation:
        raise BadNotation(f"not a card: {word!r:.40} (a rank of {RANKS} and a suit of {SUITS}, as in TH)") from None


def _card_of(word: str, possible: Hand) -> Card:
    """The card that was typed; without a copy letter the copy that is possible."""
    card = _card(word)
    if card >= KINDS or possible & COPIES[card]:
        return card
    copies = [copy for copy in (physical(card, 0), physical(card, 1)) if possible & COPIES[copy]]
    if len(copies) > 1:
        raise BadNotation(f"which of the two: {NAMES[copies[0]]} or {NAMES[copies[1]]}?")
    return copies[0] if copies else card


def _one(words: list[str]) -> str:
    if len(words) > 1:
        raise BadNotation(f"one word is needed, not {len(words)}")
    return words[0]


def _play(words: list[str], options: PlayOptions) -> PlayerCommand:
    word = _one(words)
    return Concede(options.seat) if _plain(word) == "CONCEDE" else PlayCard(options.seat, _card_of(word, options.cards))


def _call(words: list[str], options: CallOptions) -> PlayerCommand:
    word = _one(words[1:] if _plain(words[0]) == "BID" and len(words) > 1 else words)
    if _plain(word) in ("PASS", "P", "HELP"):
        return Pass(options.seat, helps=_plain(word) == "HELP")
    if not (word.isascii() and word.isdecimal()):
        raise BadNotation(f"not a call: {word!r:.40} (a number, or pass)")
    if len(word) > BID_DIGITS_MAX:
        raise BadNotation(f"no bid is above {BID_MAX}")
    return PlaceBid(options.seat, int(word))


def _trump(words: list[str], options: TrumpOptions) -> PlayerCommand:
    if len(words) > 2 or (len(words) == 2 and _plain(words[1]) != "OUT"):
        raise BadNotation(f"not a trump: {' '.join(words)!r:.40}")
    if _plain(words[0]) not in tuple(SUITS):
        raise BadNotation(f"not a suit: {words[0]!r:.40} (one of {SUITS})")
    return NameTrump(options.seat, parse_suit(_plain(words[0])), len(words) == 2)


def _exchange(words: list[str], options: ExchangeOptions) -> PlayerCommand:
    if len(words) != options.number:
        raise BadNotation(f"{options.number} cards are needed, not {len(words)}")
    cards = [_card(word) for word in words]
    held = cards_in(options.cards)
    for card in cards:
        if cards.count(card) > held.count(card):
            raise BadNotation(f"you hold {held.count(card) or 'no'} {NAMES[card]}")
    return PassCards(options.seat, hand_of(cards))


def _misdeal(words: list[str], options: MisdealOptions) -> PlayerCommand:
    word = _one(words)
    if _plain(word) not in ("KEEP", "THROW"):
        raise BadNotation(f"not an answer: {word!r:.40} (keep or throw)")
    return KeepDeal(options.seat) if _plain(word) == "KEEP" else ThrowIn(options.seat)


def _draw(words: list[str], options: DrawOptions) -> PlayerCommand:
    if _plain(words[0]) in ("EXCHANGE", "E") and len(words) <= 2:
        nines = kinds(options.nines)
        if len(words) == 2:
            return ExchangeDix(options.seat, _card_of(words[1], options.nines))
        if len(nines) != 1:
            raise BadNotation(f"which nine is to be exchanged? {choices(options)}")
        return ExchangeDix(options.seat, nines[0])
    word = _one(words[1:] if _plain(words[0]) in ("MELD", "M") and len(words) > 1 else words)
    if _plain(word) in ("DRAW", "D"):
        return Draw(options.seat)
    if not (word.isascii() and word.isdecimal()) or len(word) > MELD_DIGITS_MAX:
        raise BadNotation(f"not an answer: {word!r:.40} ({choices(options)})")
    number = int(word)
    if not 1 <= number <= len(options.melds):
        raise BadNotation(f"no meld has the number {number}: {choices(options)}")
    meld = options.melds[number - 1]
    return LayMeld(options.seat, meld.kind, meld.cards)


_READ: dict[type, Callable[[list[str], Any], PlayerCommand]] = {
    PlayOptions: _play,
    CallOptions: _call,
    TrumpOptions: _trump,
    ExchangeOptions: _exchange,
    MisdealOptions: _misdeal,
    DrawOptions: _draw,
}
