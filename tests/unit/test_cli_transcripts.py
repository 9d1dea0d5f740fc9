"""`pinochle verify --transcript`: files and folders beside exports and archives, what is said, and the exit codes."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from uuid import UUID

import pytest
from pinochle import export
from pinochle.cli import main
from pinochle.decider import Act
from pinochle.events import TrickWon
from pinochle.rules import RULES_VERSION
from pinochle.wire import tournament_codec

from tests.played import STREAM, chained, hold, play
from tests.transcripts import as_file, kept_of, tournament_kept_of

OTHER = UUID("0192d3a4-5b6c-7d8e-9fa0-b1c2d3e4f507")
Verify = Callable[..., tuple[int, list[str]]]


@cache
def a_game() -> tuple[Act, ...]:
    return tuple(play("classic", 7))


@pytest.fixture
def verify(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Verify:
    """Run `pinochle verify` in an empty folder; its exit code and its lines, errors last."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, list[str]]:
        try:
            code = main(["verify", *words])
        except SystemExit as left:
            code = int(left.code or 0)
        out, err = capsys.readouterr()
        return code, (out + err).splitlines()

    return run


def write_log(name: str, acts: list[Act], stream: UUID = STREAM) -> bytes:
    data = b"".join(export.lines("table", stream, chained(acts, stream)))
    Path(name).write_bytes(data)
    return data


def write_kept(name: str, viewer: int | None, stream: UUID = STREAM) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_bytes(as_file(kept_of(a_game(), viewer, stream=stream)))


def test_transcripts_that_agree_are_a_line_each_with_exit_code_0(verify: Verify) -> None:
    write_log("log.jsonl", list(a_game()))
    write_kept("two.jsonl", 2)
    write_kept("watcher.jsonl", None)
    code, lines = verify("log.jsonl", "--transcript", "two.jsonl", "--transcript", "watcher.jsonl")
    sent = sum(act.author == "seat:2" for act in a_game())
    assert 0 == code
    assert lines[0].startswith("ok   log.jsonl: table ")
    assert f"ok   two.jsonl: agrees, as seat:2: {len(a_game())} acts shown, {sent} commands sent" == lines[1]
    assert f"ok   watcher.jsonl: agrees, as spectator: {len(a_game())} acts shown, 0 commands sent" == lines[2]


def test_the_first_difference_is_named_with_exit_code_1(verify: Verify) -> None:
    acts = list(a_game())
    acts[20] = replace(acts[20], command_id=bytes(16))
    write_log("log.jsonl", acts)
    seat = acts[20].command.seat
    write_kept("mine.jsonl", seat)
    write_kept("other.jsonl", (seat + 1) % 4)
    code, lines = verify("log.jsonl", "--transcript", "mine.jsonl", "--transcript", "other.jsonl")
    assert (1, "ok  ", "BAD ", "ok  ") == (code, *(line[:4] for line in lines))
    assert lines[1].startswith("BAD  mine.jsonl: act 21: sent: no such command was sent: ")


def test_findings_as_json_have_the_version_and_the_check(verify: Verify) -> None:
    acts = list(a_game())
    acts[30] = replace(acts[30], at_ms=acts[30].at_ms + 1)
    write_log("log.jsonl", acts)
    write_kept("mine.jsonl", 1)
    code, lines = verify("--json", "log.jsonl", "--transcript", "mine.jsonl")
    said = json.loads(lines[1])
    assert (1, "mine.jsonl", "bad") == (code, said["transcript"], said["outcome"])
    assert (31, "shown") == (said["problem"]["version"], said["problem"]["check"])
    assert (str(STREAM), "seat:1") == (said["stream"], said["viewer"])


def test_a_folder_stands_for_those_of_its_transcripts_that_belong_to_the_logs(verify: Verify) -> None:
    write_log("log.jsonl", list(a_game()))
    for seat in range(4):
        write_kept(f"kept/seat-{seat}.jsonl", seat)
        write_kept(f"kept/other-{seat}.jsonl", seat, OTHER)
    Path("kept/notes.txt").write_text("not one of them")
    code, lines = verify("log.jsonl", "--transcript", "kept")
    assert (0, 5) == (code, len(lines))
    assert [f"kept/seat-{seat}.jsonl" for seat in range(4)] == [line.split(": ")[0].split()[1] for line in lines[1:]]


def test_every_log_of_an_archive_finds_its_transcripts(verify: Verify) -> None:
    Path("all.jsonl").write_bytes(
        write_log("a.jsonl", list(a_game())) + write_log("b.jsonl", list(a_game()), OTHER)
    )
    write_kept("kept/a.jsonl", 0)
    write_kept("kept/b.jsonl", 1, OTHER)
    code, lines = verify("all.jsonl", "--transcript", "kept")
    assert 0 == code
    assert 2 == sum(": agrees, as seat:" in line for line in lines)
    code, lines = verify("a.jsonl", "b.jsonl", "--transcript", "kept")
    assert (0, 4) == (code, len(lines))


def test_a_named_transcript_of_another_table_is_bad(verify: Verify) -> None:
    write_log("log.jsonl", list(a_game()))
    write_kept("mine.jsonl", 0, OTHER)
    code, lines = verify("log.jsonl", "--transcript", "mine.jsonl")
    found = f"BAD  mine.jsonl: stream: expected one of a log that was given, found one of table {OTHER}"
    assert (1, found) == (code, lines[1])


def test_a_folder_without_a_transcript_of_these_logs_is_wrong_usage(verify: Verify) -> None:
    write_log("log.jsonl", list(a_game()))
    write_kept("kept/mine.jsonl", 0, OTHER)
    code, lines = verify("log.jsonl", "--transcript", "kept")
    assert (2, "pinochle: none of the transcripts is of a log that was given") == (code, lines[-1])


@pytest.mark.parametrize("content", [b"", b"\xff\x00\n", b"{}\n", b'{"format":"pinochle-export"}\n', b"x" * (3 << 20)])
def test_a_file_that_is_no_transcript_is_bad_in_one_line(verify: Verify, content: bytes) -> None:
    write_log("log.jsonl", list(a_game()))
    Path("mine.jsonl").write_bytes(content)
    code, lines = verify("log.jsonl", "--transcript", "mine.jsonl")
    assert (1, 2) == (code, len(lines))
    assert lines[1].startswith("BAD  mine.jsonl: line 1: ")


def test_a_transcript_of_a_newer_format_is_told_from_a_bad_one(verify: Verify) -> None:
    write_log("log.jsonl", list(a_game()))
    write_kept("mine.jsonl", 2)
    kept = Path("mine.jsonl").read_bytes()
    for version, expected in ((b"2", 5), (b"0", 1), (b"true", 1)):
        Path("mine.jsonl").write_bytes(kept.replace(b'"version":1,', b'"version":%s,' % version, 1))
        code, lines = verify("log.jsonl", "--transcript", "mine.jsonl")
        assert expected == code
        assert ("too new for this version: mine.jsonl: line 1: format version 2" in lines[1]) == (expected == 5)


def test_a_line_that_is_none_is_named_by_its_number(verify: Verify) -> None:
    write_log("log.jsonl", list(a_game()))
    write_kept("mine.jsonl", 0)
    whole = Path("mine.jsonl").read_bytes().splitlines(keepends=True)
    Path("mine.jsonl").write_bytes(b"".join([*whole[:5], b"garbage\n", *whole[5:]]))
    code, lines = verify("log.jsonl", "--transcript", "mine.jsonl")
    assert (1, "BAD  mine.jsonl: line 6: not JSON") == (code, lines[1])


def test_a_transcript_that_is_cut_off_agrees_with_notes(verify: Verify) -> None:
    write_log("log.jsonl", list(a_game()))
    write_kept("mine.jsonl", 0)
    Path("mine.jsonl").write_bytes(Path("mine.jsonl").read_bytes()[:-500])
    code, lines = verify("log.jsonl", "--transcript", "mine.jsonl")
    assert 0 == code
    assert any(line.startswith("     note: ends with act ") for line in lines)
    assert "     note: its last line is cut off" in lines


def test_a_path_that_is_not_there_is_one_clear_line(verify: Verify) -> None:
    write_log("log.jsonl", list(a_game()))
    code, lines = verify("log.jsonl", "--transcript", "nowhere")
    assert (1, "pinochle: nowhere: no transcript, and no folder with transcripts") == (code, lines[-1])


def test_a_log_that_is_bad_by_itself_is_bad_for_both(verify: Verify) -> None:
    data = write_log("log.jsonl", list(a_game()))
    Path("log.jsonl").write_bytes(b"".join(data.splitlines(keepends=True)[:40]))
    write_kept("mine.jsonl", 0)
    code, lines = verify("log.jsonl", "--transcript", "mine.jsonl")
    assert 1 == code
    assert any(line.startswith("BAD  mine.jsonl: act 40: log: ") for line in lines)


def test_a_running_table_may_end_before_its_transcript(verify: Verify) -> None:
    write_log("log.jsonl", list(a_game())[:40])
    write_kept("mine.jsonl", 0)
    assert 1 == verify("log.jsonl", "--transcript", "mine.jsonl")[0]
    code, lines = verify("--running", "log.jsonl", "--transcript", "mine.jsonl")
    assert 0 == code
    assert f"     note: goes on to act {len(a_game())}, the log that was given to act 40" in lines


def test_other_rules_keep_their_exit_code_where_the_transcripts_agree(verify: Verify) -> None:
    acts = list(a_game())
    at = next(i for i, act in enumerate(acts) if any(isinstance(x, TrickWon) for x in act.events))
    events = tuple(replace(x, points=x.points + 1) if isinstance(x, TrickWon) else x for x in acts[at].events)
    acts[at] = replace(acts[at], events=events, rules_version=RULES_VERSION + 1)
    write_log("log.jsonl", acts[: at + 1])
    Path("mine.jsonl").write_bytes(as_file(kept_of(acts[: at + 1], 0)))
    assert 4 == verify("--running", "log.jsonl", "--transcript", "mine.jsonl")[0]


def test_a_tournament_is_held_beside_what_was_kept_of_it(verify: Verify) -> None:
    acts = hold("knockout", 4)
    stored = chained(acts, STREAM, tournament_codec.at_rest)
    Path("log.jsonl").write_bytes(b"".join(export.lines("tournament", STREAM, stored)))
    Path("mine.jsonl").write_bytes(as_file(tournament_kept_of(acts)))
    _, lines = verify("log.jsonl", "--transcript", "mine.jsonl")
    assert f"ok   mine.jsonl: agrees, as spectator: {len(acts)} acts shown, 0 commands sent" in lines


@pytest.mark.parametrize("profile", ["danish-nobid", "two-handed"])
def test_a_game_in_the_terminal_leaves_a_log_and_a_transcript_that_agree(
    profile: str, verify: Verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards = "".join(f"{rank}{suit}{copy}\n" for suit in "SHDC" for rank in "ATKQJ9" for copy in ("", "a", "b"))
    monkeypatch.setattr("sys.stdin", io.StringIO(f"keep\ndraw\n{cards}" * 60))
    words = ["--profile", profile, "--deals", "1", "--seat", "1", "-o", "log.jsonl", "--transcript", "kept"]
    assert 0 == main(["play", *words])
    code, lines = verify("log.jsonl", "--transcript", "kept")
    agrees = [line for line in lines if ": agrees, as seat:1: " in line]
    assert (0, 1) == (code, len(agrees))
    assert " 0 commands sent" not in agrees[0]


def test_a_watched_game_is_kept_as_a_spectator_sees_it_and_one_that_is_left_as_far_as_it_went(
    verify: Verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 0 == main(["play", "--watch", "--deals", "1", "-o", "log.jsonl", "--transcript", "kept"])
    code, lines = verify("log.jsonl", "--transcript", "kept")
    assert 0 == code
    assert any(": agrees, as spectator: " in line for line in lines)
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    assert 0 == main(["play", "-o", "left.jsonl", "--transcript", "left"])
    assert 1 == verify("left.jsonl", "--transcript", "left")[0]
    assert 0 == verify("--running", "left.jsonl", "--transcript", "left")[0]


def test_a_log_that_cannot_be_written_is_said_before_the_game(
    verify: Verify, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 1 == main(["play", "--watch", "-o", "nowhere/log.jsonl"])
    assert ("", "pinochle: nowhere/log.jsonl: No such file or directory\n") == capsys.readouterr()


def test_the_help_names_the_option(verify: Verify) -> None:
    code, lines = verify("--help")
    assert 0 == code
    assert any("--transcript FILE" in line for line in lines)
