"""A mark stands for a text: whoever has text and salt can check it, and nobody else learns anything."""

import pytest
from pinochle.texts import MARK, is_mark, mark, shown
from pinochle.tournament.decider import NAME_LENGTH_MAX


def test_a_mark_follows_from_salt_and_text_alone() -> None:
    expected = "text:90831875098c503848ae587e0e32ff334b3cb43b4b511bc2ef8fe014b9b2bb1a"
    made = mark(bytes(range(32)), "Aces")
    assert expected == made
    assert made != mark(bytes(32), "Aces")
    assert made != mark(bytes(range(32)), "aces")


def test_a_mark_is_told_from_any_other_text() -> None:
    made = mark(bytes(32), "Aces")
    assert is_mark(made)
    assert [False] * 4 == [is_mark(text) for text in ("Aces", "text:", made[:-1], made.upper())]
    assert [made.encode()] == MARK.findall(b"\x12E" + made.encode() + b"\x1a")


def test_a_mark_fits_where_a_name_stands() -> None:
    assert len(mark(bytes(32), "x" * 500)) <= NAME_LENGTH_MAX


def test_people_are_shown_the_beginning_of_a_mark() -> None:
    made = mark(bytes(32), "Aces")
    assert ("Aces", made[:13] + "…") == (shown("Aces"), shown(made))


def test_a_short_salt_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes, not 31"):
        mark(bytes(31), "Aces")
