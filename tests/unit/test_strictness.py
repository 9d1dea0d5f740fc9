"""An export that is not byte for byte what `verify` would write itself is refused, in its lines and in its bodies."""

import gzip
import io
import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import pytest
from pinochle import audit, export
from pinochle.export import BadExport, StoredAct
from pinochle.wire import chain
from pinochle.wire.framing import varint

from tests.played import STREAM, chained, hold, play

Lines = list[bytes]


@cache
def a_log() -> tuple[StoredAct, ...]:
    return tuple(chained(play("classic", 7, turn_ms=30_000, expire_every=9)))


@cache
def a_stock_log() -> tuple[StoredAct, ...]:
    return tuple(chained(play("two-handed", 3, turn_ms=30_000, expire_every=9)))


@cache
def a_tournament() -> tuple[StoredAct, ...]:
    return tuple(chained(hold("knockout", 4), STREAM, audit.EVENT.at_rest))


def exported() -> Lines:
    return list(export.lines("table", STREAM, a_log()))


def refused(data: bytes) -> str:
    """Why the file is not taken; fails where it is."""
    try:
        report = audit.verify_export(io.BytesIO(data))
    except BadExport as error:
        said = str(error)
    else:
        assert report.problem is not None, "the file was taken"
        assert "file" == report.problem.check
        said = report.problem.text
    assert "\n" not in said
    assert 300 > len(said)
    return said


# -- the lines of the file


def test_the_export_of_these_tests_is_taken_as_it_is() -> None:
    assert audit.verify_export(io.BytesIO(b"".join(exported()))).ok


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda data: data.replace(b"\n", b"\r\n"), "not in canonical form"),
        (lambda data: data.replace(b"\n", b"\r"), "the line is cut off"),
        (lambda data: b"\xef\xbb\xbf" + data, "line 1: not in canonical form"),
        (lambda data: data.decode().encode("utf-16"), "line 1"),
        (lambda data: b"\n" + data, "not JSON"),
        (lambda data: data + b"\n", "more follows"),
        (lambda data: data + b"\0", "more follows"),
        (lambda data: data + b" ", "more follows"),
        (lambda data: data + data, "more follows"),
        (lambda data: data.removesuffix(b"\n"), "the line is cut off"),
        (lambda data: gzip.compress(data), "line 1"),
        (lambda data: b"", "the file is empty"),
        (lambda data: b"[" + data, "not JSON"),
        (lambda data: data.replace(b"\n", b"\n\n", 1), "line 2: not JSON"),
        (lambda data: data.replace(b"\n", b"\n \n", 1), "line 2: not JSON"),
        (lambda data: data.replace(b"\n", b" \n"), "not in canonical form"),
        (lambda data: data.replace(b"\n", b"\t\n", 1), "not in canonical form"),
        (lambda data: data.replace(b"\n", b"\n# a remark\n", 1), "line 2: not JSON"),
        (lambda data: b"x" * (export.LINE_BYTES_MAX + 2) + data, "longer than"),
        (lambda data: data[:-1] + b" " * export.LINE_BYTES_MAX + b"\n", "longer than"),
    ],
)
def test_a_file_with_other_bytes_around_its_lines_is_refused(spoil: Callable[[bytes], bytes], words: str) -> None:
    assert words in refused(spoil(b"".join(exported())))


def with_text(line: bytes, old: bytes, new: bytes) -> bytes:
    assert old in line
    return line.replace(old, new, 1)


def with_field(line: bytes, **changes: object) -> bytes:
    """The line with these fields changed, or taken out where they are None."""
    said = json.loads(line) | changes
    return json.dumps({k: v for k, v in said.items() if v is not None}, separators=(",", ":")).encode() + b"\n"


def reordered(line: bytes) -> bytes:
    said = json.loads(line)
    return json.dumps(dict(reversed(said.items())), separators=(",", ":")).encode() + b"\n"


HEADER_SPOILT: list[Callable[[bytes], bytes]] = [
    reordered,
    lambda line: with_text(line, b'"acts":', b'"acts": '),
    lambda line: with_text(line, b'"version":1', b'"version":1.0'),
    lambda line: with_text(line, b'"version":1', b'"version":01'),
    lambda line: with_text(line, b'"version":1', b'"version":1e0'),
    lambda line: with_text(line, b'"version":1', b'"version":true'),
    lambda line: with_text(line, b'"version":1', b'"version":"1"'),
    lambda line: with_text(line, b'"version":1', b'"version":1,"version":1'),
    lambda line: with_text(line, b'"kind":"table"', b'"kind":"chair","kind":"table"'),
    lambda line: with_text(line, b'"table"', b'"\\u0074able"'),
    lambda line: with_text(line, b'"kind"', b'"k\\u0069nd"'),
    lambda line: with_text(line, str(STREAM).encode(), str(STREAM).upper().encode()),
    lambda line: with_text(line, str(STREAM).encode(), STREAM.hex.encode()),
    lambda line: with_text(line, str(STREAM).encode(), b"{" + str(STREAM).encode() + b"}"),
    lambda line: with_text(line, str(STREAM).encode(), b"urn:uuid:" + str(STREAM).encode()),
    lambda line: with_field(line, note="x"),
    lambda line: with_field(line, acts=0),
    lambda line: with_field(line, acts=-1),
    lambda line: with_field(line, acts=1.5),
    lambda line: with_field(line, acts=export.ACTS_MAX + 1),
    lambda line: with_field(line, acts=None),
    lambda line: with_field(line, head=None),
    lambda line: with_field(line, head=a_log()[-1].hash.hex().upper()),
    lambda line: with_field(line, head=a_log()[-1].hash.hex() + "00"),
    lambda line: with_field(line, head=" " + a_log()[-1].hash.hex()),
    lambda line: with_field(line, head=bytes(32).hex()),
    lambda line: with_field(line, stream=1),
    lambda line: with_text(line, b'"acts":', b'"acts":' + b"9" * 5_000 + b',"acts":'),
    lambda line: with_text(line, b'"acts":', b'"acts":NaN,"acts":'),
    lambda line: with_text(line, b'"kind"', b'"\xff":1,"kind"'),
    lambda line: b" " + line,
]
ACT_SPOILT: list[Callable[[bytes], bytes]] = [
    reordered,
    lambda line: with_text(line, b'"hash":', b' "hash":'),
    lambda line: with_text(line, b'"version":12', b'"version":12.0'),
    lambda line: with_text(line, b'"version":12', b'"version":1.2e1'),
    lambda line: with_text(line, b'"version":12', b'"version":12,"version":12'),
    lambda line: with_field(line, version=-12),
    lambda line: with_field(line, version="12"),
    lambda line: with_field(line, version=None),
    lambda line: with_field(line, version=export.ACTS_MAX + 1),
    lambda line: with_field(line, note=""),
    lambda line: with_field(line, body=None),
    lambda line: with_field(line, body=12),
    lambda line: with_field(line, body=json.loads(line)["body"] + "\n"),
    lambda line: with_field(line, body=" " + json.loads(line)["body"]),
    lambda line: with_field(line, body=json.loads(line)["body"] + "===="),
    lambda line: with_field(line, body=json.loads(line)["body"].rstrip("=") + "\n="),
    lambda line: with_field(line, command_id=json.loads(line)["command_id"].upper()),
    lambda line: with_field(line, command_id="0x" + json.loads(line)["command_id"][2:]),
    lambda line: with_field(line, command_id=json.loads(line)["command_id"] + "00"),
    lambda line: with_field(line, command_id=" ".join(json.loads(line)["command_id"])),
    lambda line: with_field(line, hash=json.loads(line)["hash"].upper()),
    lambda line: with_field(line, hash=None),
    lambda line: with_field(line, hash=[json.loads(line)["hash"]]),
    lambda line: with_text(line, b'"hash"', b'"h\\u0061sh"'),
    lambda line: with_text(line, b'"body":"', b'"body":"' + b"A" * export.LINE_BYTES_MAX),
]


@pytest.mark.parametrize("number", range(len(HEADER_SPOILT)))
def test_a_header_in_any_other_form_is_refused_and_named(number: int) -> None:
    lines = exported()
    assert refused(b"".join([HEADER_SPOILT[number](lines[0]), *lines[1:]])).startswith("line 1: ")


@pytest.mark.parametrize("number", range(len(ACT_SPOILT)))
def test_an_act_in_any_other_form_is_refused_and_named(number: int) -> None:
    lines = exported()
    assert refused(b"".join([*lines[:12], ACT_SPOILT[number](lines[12]), *lines[13:]])).startswith("line 13: ")


def test_base64_with_bits_in_its_padding_or_letters_for_urls_is_refused() -> None:
    lines = exported()
    at = next(i for i, line in enumerate(lines) if b'=","hash"' in line)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    body = json.loads(lines[at])["body"]
    stem = body.rstrip("=")
    other = stem[:-1] + letters[letters.index(stem[-1]) + 1] + body[len(stem) :]
    assert b64decode(other) == b64decode(body)
    for spoilt in (other, stem, stem + "=" * 4):
        changed = with_field(lines[at], body=spoilt)
        assert refused(b"".join([*lines[:at], changed, *lines[at + 1 :]])).startswith(f"line {at + 1}: ")
    at = next(i for i, line in enumerate(lines) if i and b"/" in json.loads(line)["body"].encode())
    changed = with_field(lines[at], body=json.loads(lines[at])["body"].replace("/", "_"))
    assert refused(b"".join([*lines[:at], changed, *lines[at + 1 :]])).startswith(f"line {at + 1}: ")


# -- the bodies of acts, with the chain made anew


class Field(NamedTuple):
    """One field of a message as it is written: its number, its wire type, and its value with any length before it."""

    number: int
    wire: int
    value: bytes

    def bytes(self) -> bytes:
        return varint(self.number << 3 | self.wire) + self.value

    @property
    def inside(self) -> bytes:
        """What a length-delimited field holds."""
        length, at = read_varint(self.value, 0)
        assert len(self.value) == at + length
        return self.value[at:]


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data: bytes) -> list[Field]:
    found, at = [], 0
    while at < len(data):
        tag, at = read_varint(data, at)
        start = at
        value, at = read_varint(data, at)
        if tag & 7 == 2:
            at += value
        found.append(Field(tag >> 3, tag & 7, data[start:at]))
    return found


def joined(parts: list[Field]) -> bytes:
    return b"".join(part.bytes() for part in parts)


def sized(number: int, data: bytes) -> Field:
    return Field(number, 2, varint(len(data)) + data)


def longer(value: bytes) -> bytes:
    """A varint in one byte more than it needs."""
    return value[:-1] + bytes((value[-1] | 128, 0))


def within(body: bytes, path: tuple[int, ...], change: Callable[[bytes], bytes]) -> bytes:
    """The body with the message at this path of field numbers, the first one each time, changed."""
    if not path:
        return change(body)
    parts = fields(body)
    at = next(i for i, part in enumerate(parts) if part.number == path[0])
    parts[at] = sized(path[0], within(parts[at].inside, path[1:], change))
    return joined(parts)


def put(body: bytes, field: Field) -> bytes:
    """The body with one more field, in its place by number."""
    parts = fields(body)
    at = next((i for i, part in enumerate(parts) if part.number > field.number), len(parts))
    return joined([*parts[:at], field, *parts[at:]])


def again(body: bytes, number: int) -> bytes:
    """The body with its first field of this number twice."""
    return put(body, next(part for part in fields(body) if part.number == number))


def with_longer(body: bytes, number: int) -> bytes:
    """The body with a number, or a length, in one byte more than it needs."""
    parts = fields(body)
    at = next(i for i, part in enumerate(parts) if part.number == number)
    part = parts[at]
    if part.wire == 2:
        _, end = read_varint(part.value, 0)
        parts[at] = part._replace(value=longer(part.value[:end]) + part.value[end:])
    else:
        parts[at] = part._replace(value=longer(part.value))
    return joined(parts)


def with_longer_tag(body: bytes) -> bytes:
    first = fields(body)[0]
    tag = varint(first.number << 3 | first.wire)
    return longer(tag) + body[len(tag) :]


def first_last(body: bytes) -> bytes:
    parts = fields(body)
    return joined([*parts[1:], parts[0]])


def unpacked(body: bytes, number: int) -> bytes:
    """A packed list written as one field a value."""
    parts = []
    for part in fields(body):
        if part.number != number:
            parts.append(part)
            continue
        inside, at = part.inside, 0
        while at < len(inside):
            start = at
            _, at = read_varint(inside, at)
            parts.append(Field(number, 0, inside[start:at]))
    return joined(parts)


def in_two(body: bytes, number: int) -> bytes:
    """A packed list in two parts."""
    parts = fields(body)
    at = next(i for i, part in enumerate(parts) if part.number == number)
    inside = parts[at].inside
    return joined([*parts[:at], sized(number, inside[:2]), sized(number, inside[2:]), *parts[at + 1 :]])


def exchanged(body: bytes, number: int) -> bytes:
    """A packed list with its first and last value in each other's place."""
    parts = fields(body)
    at = next(i for i, part in enumerate(parts) if part.number == number)
    inside = parts[at].inside
    assert inside[0] != inside[-1]
    parts[at] = sized(number, inside[-1:] + inside[1:-1] + inside[:1])
    return joined(parts)


def replaced(body: bytes, number: int, value: bytes) -> bytes:
    return joined([part._replace(value=value) if part.number == number else part for part in fields(body)])


def turned(body: bytes, number: int) -> bytes:
    """The repeated field with its first two values in each other's place."""
    parts = fields(body)
    one, two = [i for i, part in enumerate(parts) if part.number == number][:2]
    parts[one], parts[two] = parts[two], parts[one]
    return joined(parts)


def split_command(body: bytes) -> bytes:
    """The command in two fields, which a reader would merge."""
    parts = fields(body)
    at = next(i for i, part in enumerate(parts) if part.number == 4)
    inside = fields(parts[at].inside)
    halves = [sized(4, joined(inside[:1])), sized(4, joined(inside[1:]))]
    return joined([*parts[:at], *halves, *parts[at + 1 :]])


MINUS_ONE = b"\xff" * 9 + b"\x01"
UNKNOWN = [
    Field(99, 0, varint(1)), sized(99, b"hidden"), Field(99, 5, b"note"), Field(99, 1, b"eight by"),
    Field(99, 3, b"\x9c\x06"),
]  # fmt: skip
PLAY, DEAL, OPEN, MELD = "card played", "hand dealt", "table opened", "meld shown"
EVENT_NUMBER = {PLAY: 1, DEAL: 15, OPEN: 19, MELD: 9}

# By what act holds: each spoils the body of the first such act that has, where it says so, what it spoils.
BODY_SPOILT: list[tuple[str, Callable[[bytes], bytes]]] = [
    (PLAY, lambda body: body + b"\0"),
    (PLAY, lambda body: body + b"\x0a"),
    (PLAY, lambda body: body[:-1]),
    (PLAY, lambda body: b""),
    (PLAY, first_last),
    (PLAY, with_longer_tag),
    *[(PLAY, lambda body, number=number: with_longer(body, number)) for number in (1, 2, 3, 4, 5, 6, 8)],
    *[(PLAY, lambda body, field=field: put(body, field)) for field in UNKNOWN],
    *[(PLAY, lambda body, field=field: within(body, (4,), lambda inner: put(inner, field))) for field in UNKNOWN],
    *[(PLAY, lambda body, field=field: within(body, (5,), lambda inner: put(inner, field))) for field in UNKNOWN],
    *[(PLAY, lambda body, field=field: within(body, (5, 1), lambda inner: put(inner, field))) for field in UNKNOWN],
    *[(PLAY, lambda body, number=number: again(body, number)) for number in (1, 2, 3, 4, 5, 6, 8)],
    (PLAY, lambda body: put(body, Field(3, 0, b"\1"))),
    (PLAY, split_command),
    (PLAY, lambda body: replaced(body, 2, MINUS_ONE)),
    (PLAY, lambda body: replaced(body, 3, varint(2**32 + 1))),
    (PLAY, lambda body: replaced(body, 3, b"\0")),
    (PLAY, lambda body: replaced(body, 1, b"\x06seat:\xff")),
    (PLAY, lambda body: within(body, (5, 1), lambda inner: replaced(inner, 2, varint(30)))),
    (PLAY, lambda body: within(body, (5, 1), lambda inner: replaced(inner, 2, varint(25)))),
    (PLAY, lambda body: within(body, (5, 1), lambda inner: put(inner, Field(1, 0, b"\0")))),
    (PLAY, lambda body: within(body, (4,), lambda inner: put(inner, Field(1, 0, b"\0")))),
    (PLAY, lambda body: within(body, (5,), lambda inner: again(inner, 1))),
    (PLAY, lambda body: within(body, (5,), lambda inner: put(inner, sized(11, b"")))),
    (PLAY, lambda body: within(body, (4, 2), lambda inner: put(inner, sized(6, b"")))),
    (OPEN, lambda body: put(body, Field(6, 0, b"\0"))),
    (OPEN, lambda body: put(body, Field(7, 0, b"\0"))),
    (OPEN, lambda body: within(body, (5, 19), lambda inner: put(inner, Field(9, 0, b"\2")))),
    (OPEN, lambda body: within(body, (5, 19), lambda inner: put(inner, sized(10, b"")))),
    (OPEN, lambda body: within(body, (5, 19, 1), lambda inner: turned(inner, 1))),
    (OPEN, lambda body: within(body, (5, 19, 1), lambda inner: again(inner, 1))),
    (OPEN, lambda body: within(body, (5, 19, 1), lambda inner: joined(fields(inner)[1:]))),
    (OPEN, lambda body: within(body, (5, 19, 1), lambda inner: put(inner, sized(1, b"\x0a\1x\x12\x011")))),
    (OPEN, lambda body: within(body, (5, 19, 1, 1), lambda inner: replaced(inner, 2, b"\5 null"))),
    (OPEN, lambda body: within(body, (5, 19, 1, 1), lambda inner: replaced(inner, 2, b"\3NaN"))),
    (DEAL, lambda body: within(body, (4, 4), lambda inner: unpacked(inner, 1))),
    (DEAL, lambda body: within(body, (4, 4), lambda inner: in_two(inner, 1))),
    (DEAL, lambda body: within(body, (5, 15, 3), lambda inner: exchanged(inner, 1))),
    (DEAL, lambda body: within(body, (5, 15, 3), lambda inner: unpacked(inner, 1))),
    (DEAL, lambda body: within(body, (5, 15), lambda inner: put(inner, Field(4, 0, b"\0")))),
    (DEAL, lambda body: within(body, (5, 15), lambda inner: turned(inner, 3))),
]


def spoilt_at(log: tuple[StoredAct, ...], at: int, body: bytes) -> list[StoredAct]:
    spoilt, head = [], chain.START
    for i, act in enumerate(log):
        new = body if i == at else act.body
        head = chain.link(head, STREAM.bytes, act.version, act.command_id, new)
        spoilt.append(StoredAct(act.version, act.command_id, new, head))
    return spoilt


def holding(log: tuple[StoredAct, ...], what: str) -> int:
    """The place of the first act with such an event, as its first."""
    number = EVENT_NUMBER[what]
    return next(
        i
        for i, act in enumerate(log)
        if next((fields(part.inside)[0].number for part in fields(act.body) if part.number == 5), 0) == number
        and (what != PLAY or b"seat:0" in act.body)
    )


@pytest.mark.parametrize("log", [a_log, a_stock_log], ids=["partnership", "stock"])
@pytest.mark.parametrize("number", range(len(BODY_SPOILT)))
def test_a_body_in_any_other_form_is_refused_though_the_chain_fits(
    log: Callable[[], tuple[StoredAct, ...]], number: int
) -> None:
    what, spoil = BODY_SPOILT[number]
    at = holding(log(), what)
    body = spoil(log()[at].body)
    assert body != log()[at].body
    report = audit.verify_table(STREAM, spoilt_at(log(), at, body))
    assert report.problem is not None
    assert at + 1 == report.problem.version
    assert report.outcome in (audit.BAD, audit.NEWER)
    assert report.problem.check in ("body", "rules", "time", "newer")
    assert "\n" not in report.problem.text


@pytest.mark.parametrize("field", UNKNOWN)
def test_a_field_that_nobody_reads_is_not_passed_over_but_reported_as_a_newer_versions_in_its_place_alone(
    field: Field,
) -> None:
    at = holding(a_log(), PLAY)
    body = a_log()[at].body
    for spoilt, outcome in ((body + field.bytes(), audit.NEWER), (field.bytes() + body, audit.BAD)):
        assert outcome == audit.verify_table(STREAM, spoilt_at(a_log(), at, spoilt)).outcome


@pytest.mark.parametrize("field", UNKNOWN)
@pytest.mark.parametrize("path", [(), (4,), (4, 1), (4, 1, 4), (5,), (5, 1), (5, 1, 4)])
def test_a_body_of_a_tournament_with_a_field_that_nobody_reads_is_not_passed_over(
    path: tuple[int, ...], field: Field
) -> None:
    body = within(a_tournament()[0].body, path, lambda inner: put(inner, field))
    report = audit.verify_tournament(STREAM, spoilt_at(a_tournament(), 0, body))
    assert report.problem is not None
    assert (audit.NEWER, 1) == (report.outcome, report.problem.version)
    body = within(a_tournament()[0].body, path, lambda inner: field.bytes() + inner)
    report = audit.verify_tournament(STREAM, spoilt_at(a_tournament(), 0, body))
    assert report.problem is not None
    assert (audit.BAD, 1, "body") == (report.outcome, report.problem.version, report.problem.check)


def test_no_byte_of_a_body_can_be_left_out_or_doubled() -> None:
    at = holding(a_log(), PLAY)
    body = a_log()[at].body
    for byte in range(len(body)):
        for spoilt in (body[:byte] + body[byte + 1 :], body[: byte + 1] + body[byte:]):
            if spoilt == body:
                continue
            report = audit.verify_table(STREAM, spoilt_at(a_log(), at, spoilt))
            assert report.problem is not None
            assert at + 1 <= report.problem.version <= at + 2  # a time far ahead shows with the next act


def test_an_export_packed_as_base64_of_its_canonical_bodies_is_the_only_one() -> None:
    lines = exported()
    for line, act in zip(lines[1:], a_log(), strict=True):
        assert b64encode(act.body).decode() == json.loads(line)["body"]
