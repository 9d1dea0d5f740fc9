"""The command `pinochle` without a server: what it answers, how it refuses, and with which exit code."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pinochle import export
from pinochle.cards import parse_hand
from pinochle.cli import main
from pinochle.cli.person import parse
from pinochle.errors import BadNotation
from pinochle.events import TrickWon
from pinochle.export import StoredAct
from pinochle.options import ExchangeOptions, MisdealOptions, Options, PlayOptions, TrumpOptions
from pinochle.rules import RULES_VERSION
from pinochle.wire import tournament_codec

from tests.played import STREAM, chained, hold, play

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "tests" / "golden" / "vectors"
SEED = "07" * 32
SECONDS_MAX = 60
NOBODY_LISTENS = "127.0.0.1:9"


@dataclass
class Ran:
    """What one run of the command did."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def json(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]


Pinochle = Callable[..., Ran]


@pytest.fixture
def pinochle(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Pinochle:
    """Run the command in this process, in an empty folder, with what is typed."""
    monkeypatch.chdir(tmp_path)
    for name in ("SERVER", "TOURNAMENTS", "TOKEN", "DATA"):
        monkeypatch.delenv(f"PINOCHLE_{name}", raising=False)

    def run(*words: object, typed: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        try:
            code = main([str(word) for word in words])
        except SystemExit as left:
            code = int(left.code or 0)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


def process(*words: object, typed: str = "", **variables: str) -> Ran:
    """Run the command as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "pinochle.cli", *map(str, words)],
        input=typed, capture_output=True, text=True, timeout=SECONDS_MAX, env=environment(**variables),
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


def environment(**variables: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PINOCHLE_")}
    return {**kept, "PYTHONPATH": str(ROOT / "engine"), **variables}


@cache
def a_log() -> tuple[StoredAct, ...]:
    return tuple(chained(play("classic", 7, turn_ms=30_000, expire_every=9)))


def write(path: Path, acts: list[StoredAct], kind: str = "table") -> Path:
    path.write_bytes(b"".join(export.lines(kind, STREAM, acts)))
    return path


# -- every command


COMMANDS = (
    (), ("vectors",), ("play",), ("log",), ("export",), ("import",), ("verify",), ("status",),
    ("forget",), ("tables",), ("replay",),
    ("person",), ("person", "set"), ("person", "show"),
    ("token",), ("token", "create"), ("token", "revoke"),
    ("tournament",), ("tournament", "create"), ("tournament", "enter"), ("tournament", "start"),
    ("tournament", "show"), ("tournament", "watch"), ("tournament", "list"),
)  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_explains_itself_and_is_in_the_reference(words: tuple[str, ...], pinochle: Pinochle) -> None:
    shown = pinochle(*words, "--help")
    assert (0, "") == (shown.code, shown.err)
    assert shown.out.startswith("usage: pinochle")
    assert f"`pinochle {' '.join(words)}".rstrip() in (ROOT / "docs" / "cli.md").read_text()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_option_is_in_the_reference(words: tuple[str, ...], pinochle: Pinochle) -> None:
    options = {
        word.strip("[],") for word in pinochle(*words, "--help").out.split() if word.strip("[],").startswith("--")
    }
    reference = (ROOT / "docs" / "cli.md").read_text()
    assert options
    assert set() == {option for option in options if f"`{option}" not in reference}


def test_the_exit_codes_are_documented(pinochle: Pinochle) -> None:
    shown = pinochle("--help").out
    reference = (ROOT / "docs" / "cli.md").read_text()
    for code in range(6):
        assert f"\n  {code}  " in shown
        assert f"\n| {code} | " in reference


def test_the_version_is_shown(pinochle: Pinochle) -> None:
    assert "pinochle " == pinochle("--version").out[:9]


@pytest.mark.parametrize(
    "words",
    [("dance",), (), ("play", "--dance"), ("play", "--seat", "9"), ("vectors",), ("log", "--tournament", "x")],
    ids=" ".join,
)
def test_wrong_usage_is_one_line(words: tuple[str, ...], pinochle: Pinochle) -> None:
    ran = pinochle(*words)
    assert (2, "", 1) == (ran.code, ran.out, ran.err.count("\n"))
    assert ran.err.startswith("pinochle")
    assert "--help" in ran.err


# -- vectors


def test_vectors_that_pass_are_counted(pinochle: Pinochle) -> None:
    ran = pinochle("vectors", VECTORS / "meld.jsonl", VECTORS / "hand_score.jsonl")
    assert 0 == ran.code
    assert " passed, 0 failed" in ran.lines[-1]


def test_vectors_that_fail_exit_1_and_name_the_case(pinochle: Pinochle, tmp_path: Path) -> None:
    case = json.loads((VECTORS / "meld.jsonl").read_text().splitlines()[0])
    case["expected"] = {"total": -1}
    (tmp_path / "wrong.jsonl").write_text(json.dumps(case) + "\n")
    ran = pinochle("vectors", tmp_path / "wrong.jsonl")
    assert 1 == ran.code
    assert "0 passed, 1 failed" == ran.lines[-1]
    assert ran.lines[0].startswith(case["id"])


def test_vectors_as_json_are_one_object(pinochle: Pinochle) -> None:
    ran = pinochle("vectors", "--json", VECTORS / "meld.jsonl", "absent.jsonl")
    assert 1 == ran.code
    assert (1, 1) == (ran.json[0]["failed"], len(ran.json[0]["failures"]))


# -- play


def test_a_watched_game_is_shown_from_the_first_event_to_the_result(pinochle: Pinochle) -> None:
    ran = pinochle("play", "--watch", "--deals", 2, "--seed", SEED)
    assert (0, "") == (ran.code, ran.err)
    assert ran.lines[0].startswith("table opened: seats 0 bot:club")
    assert f"the seed was {SEED}" == ran.lines[-2]
    assert ran.lines[-1].endswith("after 2 deals.")
    assert "hidden" not in ran.out


def test_the_same_seed_is_the_same_game(pinochle: Pinochle) -> None:
    words = ("play", "--watch", "--deals", 2, "--seed", SEED, "--bots", "club,random")
    assert pinochle(*words).out == pinochle(*words).out


def test_a_game_without_a_seed_is_another_one(pinochle: Pinochle) -> None:
    words = ("play", "--watch", "--deals", 1, "--bots", "random")
    assert pinochle(*words).out != pinochle(*words).out


def test_a_watched_game_as_json_is_a_line_an_event_and_the_result(pinochle: Pinochle) -> None:
    ran = pinochle("play", "--watch", "--json", "--deals", 1, "--seed", SEED, "--profile", "danish-nobid")
    assert "TableOpened" == ran.json[0]["event"]
    assert "TableClosed" == ran.json[-2]["event"]
    assert {"result", "deals", "players", "seed"} == set(ran.json[-1])


def test_a_person_plays_a_whole_deal_by_typing(pinochle: Pinochle) -> None:
    # The nines and jacks that may be played differ from turn to turn: whatever is not possible is asked again.
    every_card = "\n".join(rank + suit for suit in "SHDC" for rank in "9JQKTA")
    typed = "pass\n" + (every_card + "\n") * 12
    ran = pinochle("play", "--seat", 2, "--deals", 1, "--seed", SEED, "--profile", "single-s3", typed=typed)
    assert 0 == ran.code
    assert 12 == sum("seat 2 (you) plays" in line for line in ran.lines)
    assert any("is not possible: play one of" in line for line in ran.lines)
    assert ran.lines[-1].endswith("after 1 deal.")


def test_a_person_sees_no_cards_but_its_own(pinochle: Pinochle) -> None:
    ran = pinochle("play", "--seat", 1, "--deals", 1, "--seed", SEED)
    dealt = next(line for line in ran.lines if line.startswith("deal 1"))
    assert 3 == dealt.count("12 hidden")
    assert SEED not in ran.out


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("hello", "not a call: 'hello' (a number, or pass)"),
        ("-5", "not a call: '-5' (a number, or pass)"),
        ("10", "10 is not possible: bid "),
        ("9" * 500, "no bid is above 10000000"),
        ("99999999", "99999999 is not possible: bid "),
        ("help", "help is not possible: bid "),
        ("pass now", "one word is needed, not 2"),
        ("", "nothing was typed"),
        ("?", "bid "),
    ],
)
def test_what_is_not_possible_is_asked_again_in_one_line(typed: str, answer: str, pinochle: Pinochle) -> None:
    ran = pinochle("play", "--seat", 1, "--deals", 1, "--seed", SEED, typed=typed + "\nquit\n")
    assert 0 == ran.code
    assert any(line.startswith(f"> {answer}") for line in ran.lines)
    assert "The game was left." == ran.lines[-1]


@pytest.mark.parametrize(
    ("typed", "options", "answer"),
    [
        ("Concede", PlayOptions(1, parse_hand("AS TH"), may_concede=False), "Concede is not possible: play one of"),
        ("help", PlayOptions(1, parse_hand("AS TH"), may_concede=False), "not a card: 'help' (a rank of ATKQJ9 and"),
        ("j♥", PlayOptions(1, parse_hand("AS TH"), may_concede=False), "j♥ is not possible: play one of AS TH"),
        ("x", TrumpOptions(1, (0, 2), may_declare_out=False), "not a suit: 'x' (one of SHDC)"),
        ("s Out now", TrumpOptions(1, (0, 2), may_declare_out=False), "not a trump: 's Out now'"),
        ("Maybe", MisdealOptions(1, may_throw_in=True), "not an answer: 'Maybe' (keep or throw)"),
        ("as, xx", ExchangeOptions(1, parse_hand("AS TH"), 2), "not a card: 'xx' (a rank of ATKQJ9 and"),
    ],
)
def test_what_is_refused_is_shown_as_it_was_typed(typed: str, options: Options, answer: str) -> None:
    with pytest.raises(BadNotation) as refused:
        parse(typed, options)
    assert str(refused.value).startswith(answer)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("--rounds", 3), "--rounds belongs to the format rounds, not to knockout"),
        (("--format", "round-robin", "--rounds", 3), "--rounds belongs to the format rounds, not to round-robin"),
        (("--cycles", 2), "--cycles belongs to the format round-robin, not to knockout"),
        (("--format", "rounds", "--cycles", 1), "--cycles belongs to the format round-robin, not to rounds"),
        (
            ("--format", "rounds", "--tie-deals", 2),
            "--tie-deals belongs to the formats knockout and round-robin, not to rounds: at a table of three",
        ),
    ],
)
def test_an_option_of_another_format_is_refused_with_the_format_that_it_belongs_to(
    words: tuple[Any, ...], answer: str, pinochle: Pinochle
) -> None:
    ran = pinochle("tournament", "create", "Cup", *words)
    assert (2, "", 1) == (ran.code, ran.out, ran.err.count("\n"))
    assert answer in ran.err


def test_the_end_of_what_is_typed_ends_the_game(pinochle: Pinochle) -> None:
    ran = pinochle("play", "--seed", SEED)
    assert (0, "The game was left.") == (ran.code, ran.lines[-1])


@pytest.mark.parametrize(("profile", "players"), [("two-handed", 2), ("three-handed-stock", 3)])
def test_a_watched_stock_game_is_shown_with_stock_draws_and_the_seat_that_wins(
    profile: str, players: int, pinochle: Pinochle
) -> None:
    ran = pinochle("play", "--watch", "--profile", profile, "--deals", 2, "--seed", SEED)
    assert (0, "") == (ran.code, ran.err)
    assert "hidden" not in ran.out
    dealt = next(line for line in ran.lines if line.startswith("deal 1"))
    assert 48 - 12 * players - 1 == len(dealt.rpartition("stock: ")[2].split())
    assert 24 - 12 * (players == 3) == sum(" draws " in x or " takes the turn-up " in x for x in ran.lines) // 2
    assert re.fullmatch(r"Seat \d \(bot:club\) wins, \d+( to \d+)+ after 2 deals\.", ran.lines[-1])
    assert players == len(ran.lines[-1].split(" wins, ")[1].split(" to "))


@pytest.mark.parametrize("profile", ["two-handed", "three-handed-stock"])
def test_a_person_plays_a_whole_deal_of_the_stock_game_by_typing(profile: str, pinochle: Pinochle) -> None:
    every_card = "\n".join(rank + suit + copy for suit in "shdc" for rank in "atkqj9" for copy in "ab")
    typed = ("exchange\nmeld 1\ndraw\n" + every_card + "\n") * 40
    ran = pinochle("play", "--profile", profile, "--seat", 1, "--deals", 1, "--seed", SEED, typed=typed)
    assert 0 == ran.code
    assert (24 if profile == "two-handed" else 16) == sum("seat 1 (you) plays" in line for line in ran.lines)
    if profile == "two-handed":
        assert any("seat 1 (you) lays " in line for line in ran.lines)
    assert ran.lines[-1].endswith("after 1 deal.")
    dealt = next(line for line in ran.lines if line.startswith("deal 1"))
    assert dealt.endswith(f"stock: {23 if profile == 'two-handed' else 11} hidden")


def test_a_person_with_a_won_trick_is_shown_numbered_melds_and_all_that_is_face_up(pinochle: Pinochle) -> None:
    """A deal in which the person wins a trick with melds in hand, and types what is wrong before what is right."""
    wrong = {
        "meld 99": "no meld has the number 99: draw, ",
        "meld": "not an answer: 'meld' (draw, ",
        "meld x": "not an answer: 'x' (draw, ",
        "exchange as": "exchange as is not possible: draw, ",
        "play as": "one word is needed, not 2",
        "²": "not an answer: '²' (draw, ",
        "?": "draw, ",
    }
    leads = "\n".join(rank + suit + copy for suit in "SHDC" for rank in "ATKQJ9" for copy in "ab")
    typed = (leads + "\n" + "\n".join(wrong) + "\nmeld 1\nd\n") * 12
    ran = pinochle("play", "--profile", "two-handed", "--deals", 1, "--seed", SEED, typed=typed)
    for answer in wrong.values():
        assert any(line.startswith(f"> {answer}") for line in ran.lines), answer
    at = next(i for i, line in enumerate(ran.lines) if re.match(r" +1  \w+.*: \d+$", line))
    assert re.match(r"hand .*; trump \w; turn-up \w\w\w; stock \d+; .*scores \d+ to \d+$", ran.lines[at - 1])
    laid = next(line for line in ran.lines if "seat 0 (you) lays " in line)
    cards = re.findall(r"\b[ATKQJ9][SHDC][ab]\b", laid)
    assert cards
    after = "\n".join(ran.lines[ran.lines.index(laid) :])
    assert set(cards) <= set(re.search("you have laid ([^;]*);", after)[1].split())  # type: ignore[index]


def test_a_copy_letter_may_be_left_out_where_one_copy_is_possible(pinochle: Pinochle) -> None:
    typed = "\n".join(rank + suit for suit in "SHDC" for rank in ("9", "j", "q", "k", "10", "a"))
    ran = pinochle("play", "--profile", "two-handed", "--deals", 1, "--seed", SEED, typed=typed)
    assert any(re.match("> which of the two: (..)a or \\1b\\?", line) for line in ran.lines)
    assert any("seat 0 (you) plays" in line for line in ran.lines)


def test_a_seat_that_the_game_does_not_have_is_refused(pinochle: Pinochle) -> None:
    ran = pinochle("play", "--profile", "two-handed", "--seat", 2)
    assert (2, "pinochle: --seat must be 0 to 1 in a game of 2\n") == (ran.code, ran.err)


def test_a_persons_game_as_json_asks_on_stderr(pinochle: Pinochle) -> None:
    ran = pinochle("play", "--json", "--seed", SEED, typed="pass\n")
    assert all("event" in said for said in ran.json)
    assert "> " in ran.err


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("--profile", "nope"), "unknown profile 'nope'"),
        (("--profile", "two-handed", "--set", "players=4"), "knob players is 4: it must be 2 or 3 in the stock format"),
        (("--set", "exchange"), "not a knob: 'exchange'"),
        (("--set", "exchange=5"), "knob exchange is 5: it must be one of 0, 2, 3, 4"),
        (("--set", "must_beat=sometimes"), "knob must_beat is 'sometimes'"),
        (("--set", "bid_ladder=[[260, 5.5]]"), "knob bid_ladder is [[260, 5.5]]: it must be null or "),
        (("--set", 'trick_schedule={"A": null}'), 'knob trick_schedule is {"A": null}: it must be one of '),
        (("--bots", "nobody"), "no house bot 'nobody'"),
        (("--seed", "12"), "--seed needs 64 hexadecimal digits"),
        (("--deals", "0"), "argument --deals: not a whole number from 1 to 10000: '0'"),
        (("--deals", "99999999"), "argument --deals: not a whole number from 1 to 10000: '99999999'"),
        (("--data", "x", "--server", "nowhere"), "not an address: 'nowhere' (host:port)"),
    ],
)
def test_a_game_that_cannot_be_is_refused_in_one_line(words: tuple[str, ...], answer: str, pinochle: Pinochle) -> None:
    ran = pinochle("play", "--watch", *words)
    assert 2 == ran.code
    assert ran.err.replace("pinochle play: ", "pinochle: ").startswith(f"pinochle: {answer}")
    assert 1 == ran.err.count("\n")


def test_knobs_may_be_set(pinochle: Pinochle) -> None:
    ran = pinochle("play", "--watch", "--json", "--deals", 1, "--set", "exchange=0", "--set", "must_beat=none")
    rules = ran.json[0]["rules"]
    assert (0, "none") == (rules["exchange"], rules["must_beat"])


def test_who_stops_reading_is_no_success(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "pinochle.cli", "play", "--watch", "--seed", SEED]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, env=environment(), cwd=tmp_path, **pipes) as run:
        assert run.stdout is not None
        run.stdout.close()
        assert (b"",) == (run.stderr and run.stderr.read(),)
        assert 141 == run.wait(SECONDS_MAX)


def test_control_c_leaves_the_game(tmp_path: Path) -> None:
    playing = subprocess.Popen(
        [sys.executable, "-m", "pinochle.cli", "play", "--seed", SEED],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(), cwd=tmp_path,
    )  # fmt: skip
    try:
        assert playing.stdout is not None
        while not playing.stdout.readline().startswith("hand "):
            assert playing.poll() is None
        playing.send_signal(signal.SIGINT)
        out, _ = playing.communicate(timeout=SECONDS_MAX)
    finally:
        playing.kill()
    assert 0 == playing.returncode
    assert out.endswith("The game was left.\n")


def test_a_terminal_that_takes_utf_8_is_shown_the_signs_of_the_suits(tmp_path: Path) -> None:
    for encoding, sign in (("utf-8", "♠"), ("ascii", "S")):
        end, terminal = os.openpty()
        with os.fdopen(end, "rb", 0) as reader:
            playing = subprocess.Popen(
                [sys.executable, "-m", "pinochle.cli", "play", "--watch", "--deals", "1", "--seed", SEED],
                stdout=terminal, env=environment(PYTHONIOENCODING=encoding), cwd=tmp_path,
            )  # fmt: skip
            os.close(terminal)
            shown = b""
            with suppress(OSError):  # what a terminal says once its last writer is gone
                while part := reader.read(65_536):
                    shown += part
            assert 0 == playing.wait(SECONDS_MAX)
        assert f"melds 60: marriage in {sign} 20" in shown.decode()


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m pinochle.cli play --watch --deals 20 --seed {SEED} | head -n 1",
        shell=True, capture_output=True, text=True, timeout=SECONDS_MAX, env=environment(), cwd=tmp_path,
    )  # fmt: skip
    assert ("", 1) == (done.stderr, done.stdout.count("\n"))


# -- log and verify of files


def test_a_log_in_a_file_is_shown_an_event_a_line(pinochle: Pinochle, tmp_path: Path) -> None:
    ran = pinochle("log", write(tmp_path / "a.jsonl", list(a_log())))
    assert 0 == ran.code
    assert ran.lines[0].startswith("    1 2025-10-09T08:53:20Z director   table opened: seats 0 ann, 1 bot:club")
    assert "the seed was" in ran.lines[-1]


def test_the_thinking_of_each_seat_is_summed_up(pinochle: Pinochle, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", list(a_log()))
    ran = pinochle("log", path, "--times")
    assert (0, ["seat", "player", "turns", "expired", "total", "ms", "shortest", "median", "longest"], 5) == (
        ran.code, ran.lines[0].split(), len(ran.lines),
    )  # fmt: skip
    said = pinochle("--json", "log", path, "--times").json
    assert ["ann", "bot:club", "cay", "bot:random"] == [times["player"] for times in said]
    assert all(0 <= times["shortest_ms"] <= times["median_ms"] <= times["longest_ms"] for times in said)


def test_the_thinking_in_a_tournament_is_asked_for_in_vain(pinochle: Pinochle, tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", chained(hold("knockout", 3), encode=tournament_codec.at_rest), "tournament")
    assert 2 == pinochle("log", path, "--times").code


@pytest.mark.parametrize("profile", ["two-handed", "three-handed-stock"])
def test_a_log_of_the_stock_game_is_shown_and_verified(profile: str, pinochle: Pinochle, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", chained(play(profile, 7, turn_ms=30_000, expire_every=9)))
    ran = pinochle("log", path)
    assert 0 == ran.code
    assert re.search(r"the game is over: seat \d wins \(deal limit\)", ran.out)
    assert re.search(r"seat \d lays \w+", ran.out)
    assert pinochle("verify", path).out.startswith("ok ")
    drawn = [x for act in pinochle("--json", "log", path).json for x in act["events"] if x["event"] == "CardDrawn"]
    assert all(re.fullmatch("[ATKQJ9][SHDC][ab]", x["card"]) for x in drawn)
    assert drawn


def test_a_log_as_json_is_an_act_a_line(pinochle: Pinochle, tmp_path: Path) -> None:
    ran = pinochle("--json", "log", write(tmp_path / "a.jsonl", list(a_log())))
    assert [act.version for act in a_log()] == [said["version"] for said in ran.json]
    assert "HandDealt" == ran.json[1]["events"][0]["event"]


def test_a_log_of_a_tournament_is_shown(pinochle: Pinochle, tmp_path: Path) -> None:
    acts = chained(hold("knockout", 4), STREAM, tournament_codec.at_rest)
    ran = pinochle("log", write(tmp_path / "t.jsonl", acts, "tournament"))
    assert 0 == ran.code
    assert "team entered: team 0, name Team 0, players (bot:club bot:random)" in ran.out


def test_a_log_that_is_cut_off_is_shown_as_far_as_it_goes_and_refused(pinochle: Pinochle, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", list(a_log()))
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    ran = pinochle("log", path)
    assert 1 == ran.code
    assert "deal 1 by" in ran.lines[1]
    assert "line 4: the file ends here" in ran.err


def test_names_from_a_log_cannot_steer_the_terminal(pinochle: Pinochle, tmp_path: Path) -> None:
    acts = play("classic", 7)
    opened = acts[0].events[0]
    players = ("\x1b[2J", *opened.players[1:])
    acts[0] = replace(acts[0], events=(replace(opened, players=players),))
    assert "\x1b" not in pinochle("log", write(tmp_path / "a.jsonl", chained(acts))).out


def test_an_export_in_order_is_verified(pinochle: Pinochle, tmp_path: Path) -> None:
    ran = pinochle("verify", write(tmp_path / "a.jsonl", list(a_log())))
    assert 0 == ran.code
    assert f"{len(a_log())} acts, " in ran.out
    assert ran.out.startswith("ok ")


def test_the_first_bad_act_is_named_with_exit_code_1(pinochle: Pinochle, tmp_path: Path) -> None:
    acts = list(a_log())
    acts[20] = replace(acts[20], hash=bytes(32))
    good, bad = write(tmp_path / "good.jsonl", list(a_log())), write(tmp_path / "bad.jsonl", acts)
    ran = pinochle("verify", good, bad)
    assert 1 == ran.code
    assert ran.lines[0].startswith("ok ")
    assert ran.lines[1].startswith(f"BAD  {bad}: act 21: chain: expected hash ")


def test_a_bad_act_as_json_has_its_version(pinochle: Pinochle, tmp_path: Path) -> None:
    ran = pinochle("verify", "--json", write(tmp_path / "a.jsonl", [*a_log()[:9], *a_log()[10:]]))
    assert (1, "bad", 10) == (ran.code, ran.json[0]["outcome"], ran.json[0]["problem"]["version"])


def test_another_rules_version_has_an_exit_code_of_its_own(pinochle: Pinochle, tmp_path: Path) -> None:
    acts = play("classic", 7)
    at = next(i for i, act in enumerate(acts) if any(isinstance(x, TrickWon) for x in act.events))
    events = tuple(replace(x, points=x.points + 1) if isinstance(x, TrickWon) else x for x in acts[at].events)
    acts[at] = replace(acts[at], events=events, rules_version=RULES_VERSION + 1)
    ran = pinochle("verify", "--running", write(tmp_path / "a.jsonl", chained(acts[: at + 1])))
    assert 4 == ran.code
    assert "chain intact" in ran.out


def test_a_table_that_has_not_ended_needs_to_be_allowed(pinochle: Pinochle, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", list(a_log()[:30]))
    assert 1 == pinochle("verify", path).code
    ran = pinochle("verify", "--running", path)
    assert 0 == ran.code
    assert "note: the table has not ended" in ran.out


def test_what_is_no_export_is_bad(pinochle: Pinochle, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"\xff\x00")
    ran = pinochle("verify", "a.jsonl")
    assert (1, "BAD  a.jsonl: line 1: the line is cut off: it has no line break") == (ran.code, ran.lines[0])


def test_a_file_that_is_not_there_is_one_clear_line(pinochle: Pinochle) -> None:
    for command in ("verify", "log"):
        ran = pinochle(command, "absent.jsonl")
        assert 1 == ran.code
        assert "pinochle: absent.jsonl: neither an id nor a file" == ran.err[:48]


# -- without a server


@pytest.mark.parametrize(
    "words",
    [
        ("log", str(STREAM)), ("log", str(STREAM), "--follow"), ("export", str(STREAM)), ("verify", str(STREAM)),
        ("verify", "--tournament", str(STREAM)), ("status",),
        ("token", "create", "spectator"), ("token", "revoke", "t1"),
        ("tournament", "create", "Spring"), ("tournament", "enter", str(STREAM), "Reds", "a", "b"),
        ("tournament", "start", str(STREAM)), ("tournament", "show", str(STREAM)),
        ("tournament", "watch", str(STREAM)), ("tournament", "list"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_where_nobody_listens_every_call_ends_with_exit_code_3(words: tuple[str, ...], pinochle: Pinochle) -> None:
    ran = pinochle("--server", NOBODY_LISTENS, "--tournaments", NOBODY_LISTENS, *words, "--timeout", "5")
    assert 3 == ran.code
    assert f"no service answers at {NOBODY_LISTENS}" in ran.out + ran.err
    assert "Traceback" not in ran.err


def test_an_id_that_is_none_is_wrong_usage(pinochle: Pinochle) -> None:
    for words in (("export", "x"), ("tournament", "start", "x"), ("token", "create", "spectator", "--table", "x")):
        ran = pinochle(*words)
        assert (2, "pinochle: not an id: 'x' (a UUID)\n") == (ran.code, ran.err)


def test_a_log_that_cannot_be_written_is_refused_before_the_game(tmp_path: Path, pinochle: Pinochle) -> None:
    ran = pinochle("play", "--watch", "--out", str(tmp_path))
    assert (1, "", f"pinochle: {tmp_path}: Is a directory\n") == (ran.code, ran.out, ran.err)


def test_files_without_a_case_are_a_problem(tmp_path: Path, pinochle: Pinochle) -> None:
    (tmp_path / "empty").touch()
    ran = pinochle("vectors", str(tmp_path / "empty"))
    assert (1, "pinochle: there is no case in what was named\n") == (ran.code, ran.err)


def test_what_has_no_effect_is_said_of_both_profiles(pinochle: Pinochle) -> None:
    said = "has no effect in this game."
    there = pinochle("rules", "--diff", "classic", "two-handed").lines
    back = pinochle("rules", "--diff", "two-handed", "classic").lines
    assert sum(said in line for line in there) == sum(said in line for line in back) > 0


@pytest.mark.parametrize(
    "words",
    [
        ("--deals", "-1"), ("--deals", "1001"), ("--deals", "99999999999"), ("--deals", "1.5"), ("--deal-cap", "0"),
        ("--tie-deals", "-1"), ("--turn-seconds", "-1"), ("--turn-seconds", "nan"), ("--turn-seconds", "inf"),
        ("--beat", "5001"), ("--cycles", "0"), ("--rounds", "41"),
    ],
)  # fmt: skip
def test_a_number_out_of_range_is_wrong_usage_of_the_option_that_it_was_given_to(
    words: tuple[str, str], pinochle: Pinochle
) -> None:
    ran = pinochle("tournament", "create", "Spring", *words, "--tournaments", NOBODY_LISTENS)
    assert 2 == ran.code
    assert 1 == ran.err.count("\n")
    assert f"argument {words[0]}: not a " in ran.err
    assert repr(words[1]) in ran.err


def test_a_players_token_needs_a_player(pinochle: Pinochle) -> None:
    assert (2, "pinochle: a player's token needs --player\n") == (
        (ran := pinochle("token", "create", "player")).code,
        ran.err,
    )


@pytest.mark.parametrize("text", ["0", "-1", "5x", "h", "99999999999d", "1.5h"])
def test_an_expiry_that_is_none_is_wrong_usage(text: str, pinochle: Pinochle) -> None:
    assert 2 == pinochle("token", "create", "spectator", f"--expires={text}").code


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "4000", "soon"])
def test_a_timeout_that_is_none_is_wrong_usage(text: str, pinochle: Pinochle) -> None:
    assert 2 == pinochle("status", f"--timeout={text}").code


def test_status_shows_what_the_supervisor_wrote(pinochle: Pinochle, tmp_path: Path) -> None:
    row = {"name": "table", "pid": 12, "state": "running", "restarts": 2, "started_at_ms": 1_760_000_000_000,
           "last_exit": None, "version": "0.1.0", "log": "x"}  # fmt: skip
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "processes.json").write_text(json.dumps({"supervisor": os.getpid(), "processes": [row]}))
    ran = pinochle("status", "--data", "data", "--server", NOBODY_LISTENS)
    assert 3 == ran.code
    assert "table    running   12         2  2025-10-09T08:53:20Z  0.1.0" == ran.lines[1]


def test_status_says_that_the_supervisor_is_gone(pinochle: Pinochle, tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait(SECONDS_MAX)
    row = {"name": "table", "pid": 12, "state": "running", "restarts": 0, "started_at_ms": 0, "version": ""}
    (tmp_path / "processes.json").write_text(json.dumps({"supervisor": gone.pid, "processes": [row]}))
    ran = pinochle("status", "--data", ".", "--json", "--server", NOBODY_LISTENS)
    assert (False, "unknown") == (ran.json[0]["supervised"], ran.json[0]["processes"][0]["state"])


def test_the_data_folder_says_where_the_services_are(pinochle: Pinochle, tmp_path: Path) -> None:
    addresses = {"table_address": "127.0.0.1:11", "tournament_address": "127.0.0.1:12"}
    (tmp_path / "arena-data").mkdir()
    (tmp_path / "arena-data" / "state.json").write_text(json.dumps(addresses))
    assert "no service answers at 127.0.0.1:11" in pinochle("verify", STREAM).err
    assert "no service answers at 127.0.0.1:12" in pinochle("tournament", "list").err
    assert "no service answers at 127.0.0.1:13" in pinochle("verify", STREAM, "--server", "127.0.0.1:13").err


def test_the_variables_say_where_the_services_are() -> None:
    ran = process("verify", STREAM, PINOCHLE_SERVER="127.0.0.1:13")
    assert (3, True) == (ran.code, "no service answers at 127.0.0.1:13" in ran.err)


def test_a_state_file_that_makes_no_sense_is_one_clear_line(pinochle: Pinochle, tmp_path: Path) -> None:
    (tmp_path / "arena-data").mkdir()
    (tmp_path / "arena-data" / "state.json").write_text("[")
    ran = pinochle("status")
    assert (1, 1) == (ran.code, ran.err.count("\n"))


def test_a_token_that_is_none_is_not_sent(pinochle: Pinochle) -> None:
    ran = pinochle("status", "--token", "two words")
    assert (2, "pinochle: the token has characters that no token has\n") == (ran.code, ran.err)


def test_letters_that_cannot_be_shown_are_replaced() -> None:
    ran = process("play", "--help", PYTHONIOENCODING="ascii")
    assert (0, "") == (ran.code, ran.err)
    assert "--bots NAME,?" in ran.out


def test_the_command_runs_as_a_process(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", list(a_log()))
    assert 0 == process("verify", path).code
    assert 2 == process("play", "--profile", "nope").code
