"""Games written by hand, in several languages, and what the program makes of them."""

import re
from pathlib import Path

import pytest
from pinochle import notation
from pinochle.events import GameEnded, HandScored
from pinochle.notation import read, write

FOLDER = Path(__file__).parent / "games"
GAMES = sorted(path.name.removesuffix(".txt") for path in FOLDER.glob("*.txt") if ".full." not in path.name)
DOCUMENT = Path(__file__).parents[2] / "docs" / "notation.md"


def text(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", GAMES)
def test_a_game_written_by_hand_is_read_and_written_in_full(name: str) -> None:
    assert text(f"{name}.full") == write(read(text(name)).events)


@pytest.mark.parametrize("name", GAMES)
def test_the_game_in_full_is_the_same_game(name: str) -> None:
    assert read(text(name)).events == read(text(f"{name}.full")).events


def test_the_score_of_a_game_written_by_hand() -> None:
    events = read(text("classic")).events
    score, end = (next(event for event in events if isinstance(event, kind)) for kind in (HandScored, GameEnded))
    assert ((470, 50), "made", 0) == (score.delta, score.outcome, end.winner)


def test_the_letters_of_every_language_are_used_in_a_game() -> None:
    assert {"classic", "danish", "dutch", "german", "two-handed"} == set(GAMES)
    for name, letters in (("danish", "EDB"), ("dutch", "HVB"), ("german", "ZDB")):
        for letter in letters:
            assert re.search(rf"\b{letter}[SHDC]\b", text(name)), (name, letter)


def test_the_example_of_the_document_is_a_game_and_has_every_part_that_the_grammar_names() -> None:
    said = DOCUMENT.read_text(encoding="utf-8")
    blocks = re.findall(r"```text\n(.*?)```", said, re.DOTALL)
    games = [block for block in blocks if block.startswith("[Pinochle")]
    assert len(games) >= 2
    for game in games:
        events = read(game).events
        assert events[-1].__class__.__name__ == "TableClosed"
        assert events == read(write(events)).events


def test_the_document_names_every_tag_line_and_language() -> None:
    from pinochle.notation import header, lines, reader

    said = DOCUMENT.read_text(encoding="utf-8")
    tags = {re.sub("[1-3]$", "0", tag) for tag in header.TAGS}
    names = {*tags, *lines.CONCLUSION_WORDS, *reader._DECISIONS, *notation.LANGUAGES, "hand", "up", "stock", "deck"}
    assert set() == {name for name in names if not re.search(rf"[`\[| ]{name}\b", said)}
