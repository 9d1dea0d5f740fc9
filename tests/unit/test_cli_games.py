"""`pinochle rules` and `pinochle replay`: what they show, and how they refuse."""

import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from pinochle import export
from pinochle.cli import main
from pinochle.cli.replay import position
from pinochle.game import GAME
from pinochle.notation import read
from pinochle.rules import KNOBS, profiles

from tests.played import STREAM, chained, hold, play

ROOT = Path(__file__).parents[2]
GAMES = ROOT / "tests" / "golden" / "games"


class Ran:
    """What one run of the command did."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err
        self.lines = out.splitlines()


def ran(capsys: pytest.CaptureFixture[str], *words: object) -> Ran:
    try:
        code = main([str(word) for word in words])
    except SystemExit as left:
        code = int(left.code or 0)
    return Ran(code, *capsys.readouterr())


class Terminal(io.StringIO):
    """What a person types, or what is shown to one."""

    def isatty(self) -> bool:
        return True


def walked(monkeypatch: pytest.MonkeyPatch, typed: str, path: Path) -> list[str]:
    out = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    monkeypatch.setattr("sys.stdout", out)
    assert 0 == main(["replay", str(path)])
    return out.getvalue().splitlines()


# -- every command


@pytest.mark.parametrize("command", ["rules", "replay"])
def test_the_command_and_its_options_are_in_the_reference(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    reference = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    shown = ran(capsys, command, "--help")
    assert 0 == shown.code
    assert f"### `pinochle {command}" in reference
    options = {word.strip("[],") for word in shown.out.split() if word.strip("[],").startswith("--")}
    assert set() == {option for option in options if f"`{option}" not in reference}


# -- rules


def test_all_profiles_are_listed_with_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    shown = ran(capsys, "rules")
    assert (0, len(profiles()) + 1) == (shown.code, len(shown.lines))
    found = [json.loads(line) for line in ran(capsys, "--json", "rules").lines]
    assert profiles() == [one["profile"] for one in found]


def test_a_profile_is_shown_with_every_knob_and_what_differs_from_its_base(capsys: pytest.CaptureFixture[str]) -> None:
    shown = ran(capsys, "rules", "classic-swap2", "--set", "target=900")
    assert 0 == shown.code
    assert set() == {knob for knob in KNOBS if not any(line.startswith(f"{knob} ") for line in shown.lines)}
    profile, base = (shown.lines.index(f"Otherwise than {name}:") for name in ("classic-swap2", "classic"))
    assert "  The game is played to 900. (target 900, not 1500; R-END-06)" == shown.lines[profile + 1]
    assert (2, 3) == (base - profile - 1, len(shown.lines) - base)
    assert any(line.startswith("stock_end") and line.endswith("(no effect in this game)") for line in shown.lines)


def test_a_profile_as_json_has_knobs_rules_sentences_and_differences(capsys: pytest.CaptureFixture[str]) -> None:
    said = json.loads(ran(capsys, "rules", "danish-nobid", "--json").out)
    assert set(KNOBS) == set(said["knobs"]) == set(said["rules"]) == set(said["sentences"])
    assert ["danish"] == list(said["differs"])
    assert "min_bid" in said["unused"]


def test_two_profiles_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    shown = ran(capsys, "rules", "--diff", "classic", "classic-min100")
    assert "The lowest bid is 100. (classic: The lowest bid is 250.)" == shown.lines[-1]
    said = json.loads(ran(capsys, "rules", "--json", "--diff", "classic", "classic-min100").out)
    found = said["differs"][0]
    assert ("min_bid", 250, 100, "R-AUC-02") == tuple(found[name] for name in ("knob", "from", "to", "rule"))
    assert "classic plays as classic does." == ran(capsys, "rules", "--diff", "classic", "classic").lines[0]


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("nope",), "unknown profile 'nope'"),
        (("classic", "--set", "exchange"), "not a knob: 'exchange'"),
        (("classic", "--set", "exchange=5"), "knob exchange is 5"),
        (("--set", "exchange=2"), "--set changes a profile: name one"),
        (("classic", "--diff", "classic", "danish"), "--diff compares two profiles, and stands alone"),
        (("--diff", "classic", "nope"), "unknown profile 'nope'"),
        (("--diff", "classic"), "expected 2 arguments"),
    ],
)
def test_rules_that_make_no_sense_are_refused_in_one_line(
    words: tuple[str, ...], answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = ran(capsys, "rules", *words)
    assert (2, "", 1) == (shown.code, shown.out, shown.err.count("\n"))
    assert answer in shown.err


# -- replay


def test_a_game_is_shown_step_by_step_with_all_hands(capsys: pytest.CaptureFixture[str]) -> None:
    shown = ran(capsys, "replay", GAMES / "classic.txt")
    acts = read((GAMES / "classic.txt").read_text(encoding="utf-8")).acts
    assert 0 == shown.code
    assert len(acts) == sum(line.startswith("-- step ") for line in shown.lines)
    at = shown.lines.index("-- step 10, seat:2")
    assert "   seat 2 (cid) names D trump" == shown.lines[at + 1]
    assert "contract 320 by seat 2; trump D" in shown.lines[at + 6]


@pytest.mark.parametrize("profile", ["classic", "two-handed", "danish-nobid"])
def test_an_export_is_shown_like_a_text(profile: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    acts = play(profile, 7, turn_ms=30_000, expire_every=9)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(export.lines("table", STREAM, chained(acts))))
    shown = ran(capsys, "replay", path)
    assert len(acts) == sum(line.startswith("-- step ") for line in shown.lines)
    assert any("ran out; the house plays" in line for line in shown.lines)
    assert "2025-10-09T08:53:20Z" in shown.lines[0]


def test_a_replay_as_json_is_a_step_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    steps = [json.loads(line) for line in ran(capsys, "--json", "replay", GAMES / "two-handed.txt").lines]
    assert list(range(1, len(steps) + 1)) == [step["step"] for step in steps]
    assert "TableOpened" == steps[0]["events"][0]["event"]


@pytest.mark.parametrize("profile", ["classic-help", "two-handed", "danish-nobid"])
def test_an_export_is_written_as_the_text_of_the_same_acts(
    profile: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    acts = play(profile, 7, turn_ms=30_000, expire_every=9)
    path, text = tmp_path / "a.jsonl", tmp_path / "a.txt"
    path.write_bytes(b"".join(export.lines("table", STREAM, chained(acts))))
    shown = ran(capsys, "replay", path, "--text")
    assert (0, "") == (shown.code, shown.err)
    assert acts == list(read(shown.out).acts)
    text.write_text(shown.out, encoding="utf-8")
    assert shown.out == ran(capsys, "replay", text, "--text").out


def test_a_text_is_not_written_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    shown = ran(capsys, "--json", "replay", GAMES / "classic.txt", "--text")
    assert (2, "", 1) == (shown.code, shown.out, shown.err.count("\n"))
    assert "--text is for people and not for --json" in shown.err


def test_a_person_steps_on_back_and_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = walked(monkeypatch, "\nb\n12\n\nq\n", GAMES / "classic.txt")
    numbers = [int(line.split("step ")[1].split(",")[0]) for line in lines if "-- step " in line]
    assert [1, 2, 1, 12, 13] == numbers


def test_a_person_who_types_nonsense_is_told_the_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = walked(monkeypatch, "b\nwhat\n999\n²\n", GAMES / "classic.txt")
    answers = [line.partition("> ")[2] for line in lines if "> " in line]
    assert answers[0].startswith("There are steps 1 to ")
    assert answers[1].startswith("Enter goes on, b back")
    assert answers[2].startswith("There are steps 1 to ")
    assert answers[3].startswith("Enter goes on, b back")


def test_every_position_of_a_game_can_be_shown() -> None:
    for profile in profiles():
        state = GAME.initial()
        for act in play(profile, 3):
            state = GAME.fold(state, act.events, act.at_ms)
            shown = position(state, symbols=True)
            assert "totals" in shown[-1]
            assert len(shown) in (1, state.rules.players + 1)


def test_an_export_whose_acts_make_no_game_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "forged.jsonl"
    headless = [replace(act, version=number) for number, act in enumerate(play("classic", 7)[1:], 1)]
    nobody = play("classic", 7)
    nobody[0] = replace(nobody[0], events=(replace(nobody[0].events[0], players=()),))
    for acts in (headless, nobody):
        path.write_bytes(b"".join(export.lines("table", STREAM, chained(acts))))
        for words in ((), ("--at", 40), ("--json",)):
            shown = ran(capsys, "replay", path, *words)
            if words == ("--json",) and acts is nobody:  # which shows events alone
                assert 0 == shown.code
                continue
            assert (1, 1) == (shown.code, shown.err.count("\n")), (shown, words)
            assert "forged.jsonl: its acts make no game" in shown.err


@pytest.mark.parametrize("command", ["replay", "verify", "log"])
def test_a_pipe_is_refused_by_its_name(capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as writer:
        writer.submit((tmp_path / "pipe").write_bytes, b"")
        shown = ran(capsys, command, tmp_path / "pipe")
    assert (2, 1) == (shown.code, shown.err.count("\n"))
    assert "pipe is a pipe: write what comes through it to a file first" in shown.err


def test_a_file_that_is_no_game_is_refused_in_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    tournament = tmp_path / "event.jsonl"
    from pinochle.wire import tournament_codec

    stored = chained(hold("knockout", 3), encode=tournament_codec.at_rest)
    tournament.write_bytes(b"".join(export.lines("tournament", STREAM, stored)))
    broken, binary = tmp_path / "broken.jsonl", tmp_path / "binary"
    broken.write_bytes(b"".join(export.lines("table", STREAM, chained(play("classic", 7))))[:-9])
    binary.write_bytes(b"\xff\xfe\x00")
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b"")
    wrong = tmp_path / "wrong.txt"
    wrong.write_text((GAMES / "classic.txt").read_text(encoding="utf-8").replace("2 wins 40", "2 wins 50"), "utf-8")
    for path, code, answer in (
        (tournament, 2, "an export of a tournament: only tables can be replayed"),
        (broken, 1, ": the line is cut off"),
        (binary, 2, "neither an export nor a text in UTF-8"),
        (wrong, 2, "wrong.txt: line 32: expected '2 wins 40', found '2 wins 50'"),
        (tmp_path / "missing", 1, "No such file"),
        (empty, 2, 'empty.txt: line 1: there is no game in this text: expected [Pinochle "1"] as the first line'),
    ):
        shown = ran(capsys, "replay", path)
        assert (code, "", 1) == (shown.code, shown.out, shown.err.count("\n")), path
        assert answer in shown.err
