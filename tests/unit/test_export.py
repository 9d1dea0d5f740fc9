"""An export is read as it was written or not at all, and whatever was done to it is named."""

import io
from functools import cache

import pytest
from pinochle import audit, export
from pinochle.export import StoredAct

from tests.played import STREAM, chained, play


@cache
def a_log() -> tuple[StoredAct, ...]:
    return tuple(chained(play("classic", 7, turn_ms=30_000, expire_every=9)))


def exported(stored: list[StoredAct] | None = None) -> list[bytes]:
    return list(export.lines("table", STREAM, stored or list(a_log())))


def verified(lines: list[bytes]) -> audit.Report:
    return audit.verify_export(io.BytesIO(b"".join(lines)))


def test_an_export_read_back_is_what_was_written() -> None:
    header, acts = export.read(io.BytesIO(b"".join(exported())))
    assert list(a_log()) == list(acts)
    assert export.Header("table", STREAM, len(list(a_log())), list(a_log())[-1].hash) == header
    assert verified(exported()).ok


def test_an_export_cut_off_at_any_line_is_named_by_the_first_missing_act() -> None:
    lines = exported()
    for length in (2, 3, 20, len(lines) - 1):
        problem = verified(lines[:length]).problem
        assert problem is not None
        assert (length, "file") == (problem.version, problem.check)


def test_an_export_cut_off_within_a_line_is_named() -> None:
    problem = verified([*exported()[:9], exported()[9][:-1]]).problem
    assert problem is not None
    assert 9 == problem.version
    assert "line 10: the line is cut off" in problem.text


def test_every_flipped_byte_of_an_exported_act_is_found_at_that_act() -> None:
    lines = exported()
    for byte in range(len(lines[12])):
        spoilt = lines[12][:byte] + bytes((lines[12][byte] ^ 1,)) + lines[12][byte + 1 :]
        problem = verified([*lines[:12], spoilt, *lines[13:]]).problem
        assert problem is not None
        assert 12 == problem.version


def test_every_flipped_byte_of_the_header_is_found() -> None:
    lines = exported()
    for byte in range(len(lines[0])):
        spoilt = lines[0][:byte] + bytes((lines[0][byte] ^ 1,)) + lines[0][byte + 1 :]
        assert spoilt_header_is_found([spoilt, *lines[1:]])


def spoilt_header_is_found(lines: list[bytes]) -> bool:
    try:
        return verified(lines).outcome == audit.BAD
    except export.BadExport as error:
        return error.line == 1


def test_a_line_dropped_inserted_or_swapped_is_named() -> None:
    lines = exported()
    for spoilt in (
        lines[:8] + lines[9:],
        lines[:8] + lines[7:],
        [*lines[:8], lines[9], lines[8], *lines[10:]],
    ):
        problem = verified(spoilt).problem
        assert problem is not None
        assert 8 == problem.version


def test_a_line_after_the_last_act_is_named() -> None:
    lines = exported()
    problem = verified([*lines, b"\n"]).problem
    assert problem is not None
    assert (len(lines), "file") == (problem.version, problem.check)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"", "line 1: the file is empty"),
        (b"\x00\x01\n", "line 1: not JSON"),
        (b"[]\n", "line 1: not a JSON object"),
        (b'{"format":"other"}\n', "line 1: not an export"),
        (
            b'{"format":"pinochle-export","version":2}\n',
            "line 1: format version 2: this reader knows version 1",
        ),
        (b'{"format":"pinochle-export","version":1,"kind":"chair"}\n', "line 1: kind 'chair'"),
        (b"[" * 100_000 + b"\n", "line 1: not JSON"),
        (b" " * (export.LINE_BYTES_MAX + 1) + b"\n", "line 1: longer than 2097152 bytes"),
    ],
)
def test_what_is_no_export_is_refused_in_one_line(line: bytes, expected: str) -> None:
    with pytest.raises(export.BadExport) as raised:
        export.read(io.BytesIO(line))
    assert str(raised.value).startswith(expected)
    assert "\n" not in str(raised.value)


def test_the_same_content_in_another_form_is_refused() -> None:
    spaced = exported()[3].replace(b'":', b'": ')
    problem = verified([*exported()[:3], spaced, *exported()[4:]]).problem
    assert problem is not None
    assert "line 4: not in canonical form from column 12 on" in problem.text
