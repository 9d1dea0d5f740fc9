"""Cards as people write them: rank letters of several languages, suit signs, and the suit with a number."""

from __future__ import annotations

import re

from pinochle.cards import SUITS
from pinochle.errors import BadNotation

LANGUAGES: dict[str, dict[str, str]] = {
    "en": {"A": "A", "T": "T", "K": "K", "Q": "Q", "J": "J", "9": "9"},
    "de": {"A": "A", "T": "T", "Z": "T", "K": "K", "D": "Q", "B": "J", "9": "9"},
    "nl": {"A": "A", "T": "T", "H": "K", "K": "K", "V": "Q", "B": "J", "9": "9"},
    "da": {"E": "A", "T": "T", "K": "K", "D": "Q", "B": "J", "9": "9"},
}
"""By language its rank letters, and which rank each means. Every language has 10 for the ten as well."""
NAMES = {"en": "English", "de": "German", "nl": "Dutch", "da": "Danish"}
SIGNS = "♠♥♦♣"

_NUMBERS = {"9": "9", "10": "T", "11": "J", "12": "Q", "13": "K", "14": "A"}
_CARD = re.compile(rf"(10|[A-Z9])([{SUITS}{SIGNS}])([ab]?)")
_NUMBERED = re.compile(rf"([{SUITS}{SIGNS}])(9|1[0-4])([ab]?)")


class Letters:
    """Reads the cards of one text: in the language that it names, or the one that all its letters belong to."""

    def __init__(self) -> None:
        self._possible = list(LANGUAGES)
        self._named = ""
        self._narrowed: tuple[str, int] | None = None  # a card and the line that made others impossible

    def name(self, language: str) -> None:
        """Read in this language from now on; BadNotation for an unknown one."""
        if language not in LANGUAGES:
            raise BadNotation(f"unknown language {language!r:.20}: it must be one of {', '.join(LANGUAGES)}")
        self._possible, self._named = [language], language

    def is_card(self, word: str) -> bool:
        """Whether the word is written like a card, in whatever language."""
        return bool(_CARD.fullmatch(word) or _NUMBERED.fullmatch(word))

    def card(self, word: str, line: int) -> str:
        """The card in the letters of the rules (``TH``, ``QSa``); BadNotation if it is none."""
        numbered = _NUMBERED.fullmatch(word)
        if numbered:
            return _NUMBERS[numbered[2]] + suit(numbered[1]) + numbered[3]
        match = _CARD.fullmatch(word)
        knowing = [] if match is None else [language for language in LANGUAGES if _knows(language, match[1])]
        if match is None or not knowing:
            raise BadNotation(f"not a card: {word!r:.20} (a rank and a suit of {SUITS}, as in TH)")
        rank = match[1]
        possible = [language for language in self._possible if language in knowing]
        if not possible:
            raise BadNotation(self._mixed(word, knowing))
        if len(possible) < len(self._possible):
            self._possible, self._narrowed = possible, (word, line)
        read = "T" if rank == "10" else LANGUAGES[possible[0]][rank]
        return read + suit(match[2]) + match[3]

    def _mixed(self, word: str, knowing: list[str]) -> str:
        if self._named:
            letters = " ".join(LANGUAGES[self._named])
            return f"{word!r} is no card in {NAMES[self._named]}, whose rank letters are {letters}"
        before, line = self._narrowed or ("", 0)
        return (
            f"{word!r} is a card in {_listed(knowing)}, but {before!r} in line {line} belongs to "
            f'{_listed(self._possible)}: write all cards in one language, and name it with [Language "{knowing[0]}"]'
        )


def suit(letter: str) -> str:
    """A suit's letter for its letter or sign; BadNotation for another."""
    if len(letter) == 1 and letter in SIGNS:
        return SUITS[SIGNS.index(letter)]
    if len(letter) == 1 and letter in SUITS:
        return letter
    raise BadNotation(f"not a suit: {letter!r:.20} (one of {SUITS})")


def _knows(language: str, rank: str) -> bool:
    return rank == "10" or rank in LANGUAGES[language]


def _listed(languages: list[str]) -> str:
    return " or ".join(NAMES[language] for language in languages)
