"""An archive is exports one behind the other, as text or binary; a spoilt one hides none of the others."""

import io
from functools import cache
from uuid import UUID

import pytest
from pinochle import audit, export
from pinochle.export import BadExport, Header, StoredAct
from pinochle.wire import archive, chain

from tests.played import STREAM, chained, play

OTHER = UUID("11111111-2222-4333-8444-555555555555")


@cache
def two() -> tuple[tuple[Header, tuple[StoredAct, ...]], ...]:
    """Two tables."""
    first = tuple(chained(play("classic", 7, deals=1)))
    second, previous = [], chain.START
    for act in first[:40]:
        previous = chain.link(previous, OTHER.bytes, act.version, act.command_id, act.body)
        second.append(StoredAct(act.version, act.command_id, act.body, previous))
    return (
        (Header("table", OTHER, len(second), second[-1].hash), tuple(second)),
        (Header("table", STREAM, len(first), first[-1].hash), first),
    )


def records(form: str) -> list[bytes]:
    return [record for header, acts in two() for record in archive.records(form, header, acts)]


def read(data: bytes) -> list[tuple[Header, tuple[StoredAct, ...]]]:
    return [(header, tuple(acts)) for header, acts in archive.exports(io.BytesIO(data))]


def outcomes(data: bytes) -> list[str]:
    """What is wrong with each export of an archive: nothing, or the problem in words."""
    return [
        str(audit.verify(audit.kind_of(header.kind), header.stream, acts, must_end=False).problem or "")
        for header, acts in archive.exports(io.BytesIO(data))
    ]


@pytest.mark.parametrize("form", archive.FORMS)
def test_an_archive_read_back_is_what_was_written(form: str) -> None:
    assert list(two()) == read(b"".join(records(form)))
    assert ["", ""] == outcomes(b"".join(records(form)))


def test_an_archive_as_text_is_the_exports_one_behind_the_other() -> None:
    exports = [b"".join(export.lines(header.kind, header.stream, acts)) for header, acts in two()]
    assert b"".join(exports) == b"".join(records("jsonl"))


@pytest.mark.parametrize("form", archive.FORMS)
def test_exports_whose_acts_nobody_asked_for_are_passed_over(form: str) -> None:
    headers = [header for header, _ in archive.exports(io.BytesIO(b"".join(records(form))))]
    assert [OTHER, STREAM] == [header.stream for header in headers]


@pytest.mark.parametrize("form", archive.FORMS)
@pytest.mark.parametrize("at", [1, 5, 40])
def test_a_missing_act_is_named_and_the_next_export_is_read_all_the_same(form: str, at: int) -> None:
    spoilt = records(form)
    del spoilt[at]
    first, second = outcomes(b"".join(spoilt))
    assert f"act {at}: " in first
    assert "" == second


@pytest.mark.parametrize("form", archive.FORMS)
def test_an_act_too_many_at_the_end_of_an_export_is_named(form: str) -> None:
    spoilt = records(form)
    spoilt.insert(41, spoilt[40])
    first, second = outcomes(b"".join(spoilt))
    assert "more follows: expected 40 acts" in first
    assert "" == second


@pytest.mark.parametrize("form", archive.FORMS)
def test_an_archive_that_is_cut_off_within_an_export_is_named_there(form: str) -> None:
    whole = records(form)
    first, second = outcomes(b"".join(whole[:60]) + whole[60][:-3])
    assert "" == first
    assert second.startswith("act 19: file: ")
    assert "cut off" in second


@pytest.mark.parametrize("form", archive.FORMS)
def test_every_flipped_byte_of_a_record_is_found(form: str) -> None:
    whole = records(form)
    for byte in range(len(whole[12])):
        spoilt = whole[12][:byte] + bytes((whole[12][byte] ^ 1,)) + whole[12][byte + 1 :]
        try:
            first = outcomes(b"".join([*whole[:12], spoilt, *whole[13:41]]))[0]
        except BadExport as error:
            first = str(error)
        assert "act 12: " in first


@pytest.mark.parametrize("form", archive.FORMS)
def test_every_flipped_byte_of_a_header_is_found(form: str) -> None:
    whole = records(form)
    for byte in range(len(whole[0])):
        spoilt = whole[0][:byte] + bytes((whole[0][byte] ^ 1,)) + whole[0][byte + 1 :]
        try:
            found = outcomes(b"".join([spoilt, *whole[1:41]]))
        except BadExport:
            continue
        assert [""] != found


def test_an_empty_file_is_no_archive() -> None:
    with pytest.raises(BadExport, match="line 1: the file is empty"):
        read(b"")


def test_a_line_number_counts_over_the_whole_archive() -> None:
    whole = records("jsonl")
    with pytest.raises(BadExport, match="line 46: not JSON"):
        read(b"".join([*whole[:45], b"nonsense\n", *whole[46:]]))
