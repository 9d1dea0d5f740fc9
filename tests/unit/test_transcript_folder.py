"""A client's folder of transcripts survives crashes, full disks, clocks that are set, and houses that send nonsense."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import pytest
from pinochle import transcript as t
from pinochle.client.transcripts import TranscriptFolder
from pinochle.wire.v1 import game_pb2, table_pb2, tournament_pb2

from tests.played import STREAM
from tests.transcripts import from_file

TABLE = str(STREAM)
OPTIONS = table_pb2.Options(misdeal=table_pb2.MisdealOptions(may_throw_in=True))


@dataclass
class Kept:
    """A folder with clocks that stand where the test puts them."""

    folder: Path
    clock_ms: int = 1_000
    steady_ms: int = 0
    troubles: list[str] = field(default_factory=list)

    def start(self, **wishes: int) -> TranscriptFolder:
        """A program that begins to keep."""
        clocks = {"clock_ms": lambda: self.clock_ms, "steady_ms": lambda: self.steady_ms}
        return TranscriptFolder(self.folder, on_trouble=self.troubles.append, **clocks, **wishes)  # type: ignore[arg-type]

    def path(self, name: str = "seat-0") -> Path:
        return self.folder / f"{TABLE}.{name}.jsonl"

    def lines(self, name: str = "seat-0") -> tuple[t.Line, ...]:
        return from_file(self.path(name).read_bytes()).lines


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    """An empty folder, which is not there yet."""
    return Kept(tmp_path / "deep" / "transcripts")


def acts(first: int, last: int) -> list[table_pb2.ActView]:
    return [table_pb2.ActView(version=version, at_ms=version, author="house") for version in range(first, last + 1)]


def update(first: int, last: int, **fields: object) -> table_pb2.TableUpdate:
    return table_pb2.TableUpdate(table=TABLE, seat=0, version=last, acts=acts(first, last), **fields)  # type: ignore[arg-type]


def request(number: int) -> table_pb2.ActRequest:
    command = game_pb2.PlayerCommand(draw=game_pb2.Draw())
    return table_pb2.ActRequest(
        table=TABLE, expected_version=7, command_id=bytes([number] * 16), command=command, seat=0
    )


def names(lines: tuple[t.Line, ...]) -> list[str]:
    return [line.__class__.__name__ for line in lines]


def test_acts_the_head_the_turn_and_the_answer_are_kept_in_order(kept: Kept) -> None:
    folder = kept.start()
    folder.seen(TABLE, 0, update(1, 2, options=OPTIONS, turn_version=2, deadline_ms=9))
    folder.sent(request(1))
    refused = table_pb2.TableUpdate(
        table=TABLE, version=2, command_id=bytes([1] * 16), rejection=table_pb2.Rejection(reason='no "way"')
    )
    folder.seen(TABLE, 0, refused)
    assert (
        t.Shown(1_000, 1, acts(1, 1)[0].SerializeToString()),
        t.Shown(1_000, 2, acts(2, 2)[0].SerializeToString()),
        t.Head(1_000, 2),
        t.Turn(1_000, 2, 2, 9, OPTIONS.SerializeToString()),
        t.Sent(1_000, bytes([1] * 16), 7, request(1).command.SerializeToString()),
        t.Answered(1_000, bytes([1] * 16), 0, "no ?way?"),
    ) == kept.lines()
    assert [] == kept.troubles


def test_nothing_is_written_twice_and_what_comes_otherwise_is_written_again(kept: Kept) -> None:
    folder = kept.start()
    for _ in range(3):
        folder.seen(TABLE, 0, update(1, 3, options=OPTIONS, turn_version=3))
    assert ["Shown", "Shown", "Shown", "Head", "Turn"] == names(kept.lines())
    other = update(2, 2)
    other.acts[0].at_ms = 99
    folder.seen(TABLE, 0, other)
    assert t.Shown(1_000, 2, other.acts[0].SerializeToString()) == kept.lines()[-1]


def test_the_head_is_kept_once_everything_has_come(kept: Kept) -> None:
    folder = kept.start()
    folder.seen(TABLE, None, table_pb2.ViewResponse(version=4, acts=acts(1, 2), more=True))
    folder.seen(TABLE, None, table_pb2.ViewResponse(version=4, acts=acts(3, 4)))
    folder.seen(TABLE, None, table_pb2.WatchResponse(version=5, acts=acts(5, 5)))
    assert ["Shown", "Shown", "Shown", "Shown", "Head", "Shown"] == names(kept.lines("own"))
    assert t.Head(1_000, 4) == kept.lines("own")[4]


def test_an_answer_to_a_single_call_is_kept_with_its_act(kept: Kept) -> None:
    folder = kept.start()
    folder.sent(request(1))
    folder.answered(request(1), table_pb2.ActResponse(version=8, act=acts(8, 8)[0]))
    assert ["Sent", "Shown", "Answered"] == names(kept.lines())
    assert t.Answered(1_000, bytes([1] * 16), 8, "") == kept.lines()[-1]


def test_a_new_start_goes_on_where_the_last_one_stopped(kept: Kept) -> None:
    kept.start().seen(TABLE, 0, update(1, 3, options=OPTIONS, turn_version=3))
    kept.clock_ms = 5_000
    kept.start().seen(TABLE, 0, update(1, 4, options=OPTIONS, turn_version=4))
    assert ["Shown"] * 3 + ["Head", "Turn", "Opened", "Shown", "Head", "Turn"] == names(kept.lines())
    assert t.Opened(5_000) == kept.lines()[5]


def test_half_a_line_is_removed_by_the_next_start(kept: Kept) -> None:
    kept.start().seen(TABLE, 0, update(1, 2))
    whole = kept.path().read_bytes()
    kept.path().write_bytes(whole + b'{"line":"shown","cl')
    kept.start().seen(TABLE, 0, update(1, 3))
    assert kept.path().read_bytes().startswith(whole)
    assert ["Shown", "Shown", "Opened", "Shown"] == names(kept.lines())
    assert [] == kept.troubles


@pytest.mark.parametrize("begun", [b"", b'{"format":"pinochle-tr'])
def test_a_file_whose_first_line_was_not_finished_is_begun_again(kept: Kept, begun: bytes) -> None:
    kept.path().parent.mkdir(parents=True)
    kept.path().write_bytes(begun)
    kept.start().seen(TABLE, 0, update(1, 2))
    assert ["Shown", "Shown"] == names(kept.lines())
    assert [] == kept.troubles


@pytest.mark.parametrize("garbage", [b"\x00\xff" * 50 + b"\n", b"not a transcript at all", b"x" * 5_000])
def test_a_file_that_is_no_transcript_is_left_as_it_is_and_another_begun(kept: Kept, garbage: bytes) -> None:
    kept.path().parent.mkdir(parents=True)
    kept.path().write_bytes(garbage)
    kept.start().seen(TABLE, 0, update(1, 2))
    assert garbage == kept.path().read_bytes()
    assert ["Shown", "Shown"] == names(kept.lines("seat-0.1000"))
    assert 1 == len(kept.troubles)


def test_a_transcript_of_another_table_under_this_name_is_left_as_it_is(kept: Kept) -> None:
    kept.path().parent.mkdir(parents=True)
    other = t.header_bytes(t.Header("table", UUID(int=5), "seat:0", 1))
    kept.path().write_bytes(other)
    kept.start().seen(TABLE, 0, update(1, 2))
    assert other == kept.path().read_bytes()
    assert ["Shown", "Shown"] == names(kept.lines("seat-0.1000"))


def test_a_full_file_says_so_and_takes_no_more_even_after_a_start(kept: Kept) -> None:
    folder = kept.start(file_bytes_max=1_000)
    for version in range(1, 30):
        folder.seen(TABLE, 0, update(version, version))
    size = kept.path().stat().st_size
    assert size <= 1_000
    assert "Full" == names(kept.lines())[-1]
    assert 1 == len(kept.troubles)
    kept.start().seen(TABLE, 0, update(30, 31))
    assert size == kept.path().stat().st_size


def test_a_folder_that_cannot_be_made_is_reported_once_and_the_play_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    kept = Kept(tmp_path / "file" / "transcripts")
    folder = kept.start()
    for version in (1, 2, 3):
        folder.seen(TABLE, 0, update(version, version))
        folder.sent(request(version))
    assert [f"no transcript of table {TABLE} is kept: Not a directory"] == kept.troubles


def test_a_file_that_cannot_be_written_is_left_alone_from_then_on(kept: Kept) -> None:
    folder = kept.start()
    folder.seen(TABLE, 0, update(1, 1))
    kept.path().unlink()
    kept.path().mkdir()
    folder.seen(TABLE, 0, update(2, 2))
    kept.path().rmdir()
    folder.seen(TABLE, 0, update(3, 3))
    assert not kept.path().exists()
    assert ["Is a directory; no more of it is kept"] == [text.partition(": ")[2] for text in kept.troubles]


@pytest.mark.parametrize("table", ["", "../../etc/passwd", "x" * 5_000, "0192d3a4-5b6c-7d8e-9fa0-b1c2d3e4f50/", "\0"])
def test_an_id_that_no_table_has_makes_no_file(kept: Kept, table: str) -> None:
    kept.start().seen(table, 0, update(1, 2))
    assert not kept.folder.exists()


def test_an_id_in_another_form_is_filed_under_its_one_form(kept: Kept) -> None:
    kept.start().seen(TABLE.upper().replace("-", ""), 0, update(1, 2))
    assert [kept.path()] == list(kept.folder.iterdir())


def test_versions_that_no_table_has_fill_no_memory(kept: Kept) -> None:
    folder = kept.start()
    for version in (0, -5, 10**6, 10**6 + 1, 2**62):
        folder.seen(TABLE, 0, table_pb2.TableUpdate(version=version, acts=[table_pb2.ActView(version=version)]))
    assert [1_000_000] == [line.version for line in kept.lines() if isinstance(line, t.Shown)]
    assert 0 == folder._file(TABLE, "seat:0").top  # type: ignore[union-attr]


def test_a_tournament_is_kept_as_everybody_sees_it(kept: Kept) -> None:
    folder = kept.start()
    shown = [tournament_pb2.TournamentActView(version=version, author="director") for version in (1, 2)]
    for acts_, head in ((shown[:1], b""), (shown, b"pin"), ([], b"pin")):
        folder.tournament_seen(TABLE, tournament_pb2.TournamentServiceWatchResponse(acts=acts_, version=2, head=head))
    assert ["Shown", "Shown", "Head", "Noted"] == names(kept.lines("spectator"))
    assert t.Noted(1_000, "head", b"pin") == kept.lines("spectator")[-1]
    header = from_file(kept.path("spectator").read_bytes()).header
    assert ("tournament", "spectator") == (header.kind, header.viewer)


def test_a_command_id_that_is_none_is_kept_in_full_length(kept: Kept) -> None:
    folder = kept.start()
    for command_id in (b"x", b"y" * 40):
        rejection = table_pb2.Rejection(reason="malformed")
        folder.seen(TABLE, 0, table_pb2.TableUpdate(table=TABLE, command_id=command_id, rejection=rejection))
    assert [16, 16] == [len(line.command_id) for line in kept.lines() if isinstance(line, t.Answered)]


def test_a_clock_that_is_set_or_slept_is_noted(kept: Kept) -> None:
    folder = kept.start()
    folder.seen(TABLE, 0, update(1, 1))
    kept.clock_ms += 60_400
    kept.steady_ms += 60_000  # within what clocks drift
    folder.seen(TABLE, 0, update(2, 2))
    kept.clock_ms += 3_600_000
    folder.seen(TABLE, 0, update(3, 3))
    assert ["Shown", "Shown", "Clock", "Shown"] == names(kept.lines())


def test_many_tables_share_one_memory(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pinochle.client.transcripts.TABLES_MAX", 2)
    folder = kept.start()
    tables = [str(UUID(int=number, version=4)) for number in range(4)]
    for version in (1, 2):
        for table in tables:
            folder.seen(table, 0, update(version, version))
    assert 2 == len(folder._files)
    for table in tables:
        lines = from_file((kept.folder / f"{table}.seat-0.jsonl").read_bytes()).lines
        assert ["Shown", "Opened", "Shown"] == names(lines)


@pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")
def test_transcripts_are_for_their_owner_alone(kept: Kept) -> None:
    kept.start().seen(TABLE, 0, update(1, 1))
    assert 0o600 == kept.path().stat().st_mode & 0o777
    assert 0o700 == kept.folder.stat().st_mode & 0o777
