"""A whole game as text that a person can read and write, both ways: `docs/notation.md` is its grammar.

`write` takes the acts of a table, or its events alone. `read` plays the text through the rules, so whatever it returns
is a game by the rules: conclusions in the text (melds, trick winners, scores) are checked and may be left out. Texts
that are no game raise BadNotation with one line that names the line and what was expected there.
"""

from pinochle.notation.letters import LANGUAGES
from pinochle.notation.reader import TEXT_CHARACTERS_MAX, Game, read
from pinochle.notation.writer import write

__all__ = ["LANGUAGES", "TEXT_CHARACTERS_MAX", "Game", "read", "write"]
