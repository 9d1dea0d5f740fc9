"""The words of a line, taken one by one, and what single words say."""

from __future__ import annotations

from pinochle.errors import BadNotation
from pinochle.notation.lines import NO_ANNOTATION, Annotation, parse_annotation

NUMBER_DIGITS_MAX = 15


class Words:
    """The words of one line's part behind the colon, taken one by one."""

    def __init__(self, said: list[str]) -> None:
        self.said = said
        self.at = 0

    def peek(self) -> str:
        return self.said[self.at] if self.at < len(self.said) else ""

    def take(self, expected: str) -> str:
        word = self.peek()
        if not word:
            raise BadNotation(f"expected {expected}, found the end of the line")
        self.at += 1
        return word

    def seat(self) -> int:
        return seat_of(self.take("a seat"))

    def annotation(self) -> Annotation:
        return parse_annotation(self.take("")) if self.peek().startswith("{") else NO_ANNOTATION

    def end(self) -> None:
        if self.peek():
            raise BadNotation(f"expected the end of the line, found {self.peek()!r:.40}")

    def rest(self) -> list[str]:
        said, self.at = self.said[self.at :], len(self.said)
        return said


def joined(said: list[str]) -> str:
    """The words as they are written in a line."""
    text = " ".join(said)
    for mark in ",;:":
        text = text.replace(f" {mark}", mark)
    return text


def seat_of(word: str) -> int:
    """The seat that the word names; BadNotation for another word."""
    if not (len(word) == 1 and word in "0123"):
        raise BadNotation(f"expected a seat from 0 to 3, found {word!r:.20}")
    return int(word)


def number_of(word: str, expected: str) -> int:
    """The number that the word is; BadNotation, saying what was expected, for another word."""
    if not (word.isascii() and word.isdecimal() and len(word) <= NUMBER_DIGITS_MAX):
        raise BadNotation(f"expected {expected}, found {word!r:.40}")
    return int(word)
