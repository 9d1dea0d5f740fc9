"""The header of a game: tags in brackets, and the lines of knobs."""

from __future__ import annotations

import json
import re
from typing import Any

from pinochle import shuffle
from pinochle.commands import OpenTable
from pinochle.errors import BadNotation
from pinochle.explain import parse_knob
from pinochle.notation.letters import Letters
from pinochle.players import check_player
from pinochle.rules import KNOBS, RuleSet, checked, load, profile

FORMAT_VERSION = "1"
TAGS = (
    "Pinochle", "Profile", "Language", "Player0", "Player1", "Player2", "Player3", "Dealer", "Seed", "Commitment",
    "Nonce", "TurnMs", "GraceMs", "BeatMs", "DealLimit", "Boards", "Tournament", "Match",
)  # fmt: skip
NUMBER_DIGITS_MAX = 15
SEATS_MAX = 4
_NUMBERS = ("Dealer", "TurnMs", "GraceMs", "BeatMs", "DealLimit")
_HEXADECIMAL = ("Seed", "Commitment", "Nonce")

_TAG = re.compile(r'\[(\w+)\s+("(?:[^"\\]|\\.)*")\s*\]')


class Header:
    """What the header says so far; each line is checked as it comes, the whole by `command`."""

    def __init__(self, letters: Letters) -> None:
        self.letters = letters
        self.tags: dict[str, str] = {}
        self.knobs: dict[str, Any] = {}

    def line(self, line: str) -> bool:
        """Take a line of the header; False where the line is of the game itself."""
        if not line or line.startswith("#"):
            return True
        if line.startswith("rules:"):
            self._begun()
            for word in line.removeprefix("rules:").partition(" #")[0].split():
                name, value = parse_knob(word)
                if name not in KNOBS:
                    raise BadNotation(f"unknown knob {name!r:.40}")
                self.knobs[name] = checked(name, value)
            return True
        if not line.startswith("["):
            self._begun()
            return False
        match = _TAG.fullmatch(line.partition(" #")[0].strip() if not line.endswith("]") else line)
        if match is None:
            raise BadNotation('not a tag: expected [Name "value"]')
        self._tag(match[1], self.string(match[2]))
        return True

    def _begun(self) -> None:
        if not self.tags:
            raise BadNotation(f'expected [Pinochle "{FORMAT_VERSION}"] as the first line')

    def _tag(self, name: str, value: str) -> None:
        if name not in TAGS:
            raise BadNotation(f"unknown tag {name!r:.40}: it must be one of {', '.join(TAGS)}")
        if not self.tags and (name, value) != ("Pinochle", FORMAT_VERSION):
            raise BadNotation(f'expected [Pinochle "{FORMAT_VERSION}"] as the first line')
        if name in self.tags:
            raise BadNotation(f"the tag {name} is there twice")
        if name == "Language":
            self.letters.name(value)
        elif name == "Profile":
            profile(value)  # refuses an unknown one here, with its line
        self.tags[name] = value
        # What can be wrong in a tag alone is told here, with its line.
        if name in _NUMBERS:
            if self._number(name) >= SEATS_MAX and name == "Dealer":
                raise BadNotation(f"the tag Dealer needs a seat from 0 to {SEATS_MAX - 1}, not {value!r:.40}")
        elif name in _HEXADECIMAL:
            self._bytes(name)
        elif name.startswith("Player"):
            check_player(value)

    def string(self, quoted: str) -> str:
        """A text in quotes, written as in JSON."""
        try:
            found = json.loads(quoted)
        except ValueError:
            found = None
        if not isinstance(found, str):
            raise BadNotation(f'expected a text in quotes, as in "ann", found {quoted!r:.40}')
        if not found.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in found):
            raise BadNotation("a text in quotes has half of a surrogate pair, which is no letter")
        return found

    @property
    def seed(self) -> bytes:
        return self._bytes("Seed")

    @property
    def commitment(self) -> bytes:
        return self._bytes("Commitment")

    def rules(self) -> RuleSet:
        """The profile's rules with the knobs that are named; without a profile all knobs are needed."""
        name = self.tags.get("Profile")
        return RuleSet.from_knobs(self.knobs) if name is None else load(name, **self.knobs)

    def command(self) -> OpenTable:
        """The opening that the header tells; a seed that is not known is all zeros. BadNotation, BadRules."""
        self._begun()
        rules, seed = self.rules(), self.seed
        missing = [f"Player{seat}" for seat in range(rules.players) if f"Player{seat}" not in self.tags]
        missing += ["Dealer"] if "Dealer" not in self.tags else []
        if missing:
            raise BadNotation(f"before the first deal the header needs the tag {missing[0]}")
        players = tuple(self.tags[f"Player{seat}"] for seat in range(4) if f"Player{seat}" in self.tags)
        if seed and self.commitment and self.commitment != shuffle.commitment(seed):
            raise BadNotation(f"the seed's commitment is {shuffle.commitment(seed).hex()}, not that of the header")
        return OpenTable(
            rules,
            players,
            self._number("Dealer"),
            seed or bytes(shuffle.SEED_BYTES),
            self._bytes("Nonce"),
            self._number("TurnMs"),
            self._number("GraceMs"),
            self._number("DealLimit"),
            self.tags.get("Boards", ""),
            self.tags.get("Tournament", ""),
            self.tags.get("Match", ""),
            self._number("BeatMs"),
        )

    def _number(self, name: str) -> int:
        value = self.tags.get(name, "0")
        if not (value.isascii() and value.isdecimal() and len(value) <= NUMBER_DIGITS_MAX):
            raise BadNotation(f"the tag {name} needs a whole number, not {value!r:.40}")
        return int(value)

    def _bytes(self, name: str) -> bytes:
        value = self.tags.get(name, "")
        try:
            return bytes.fromhex(value)
        except ValueError:
            raise BadNotation(f"the tag {name} needs hexadecimal digits, not {value!r:.40}") from None
