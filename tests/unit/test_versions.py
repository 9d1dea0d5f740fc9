"""Older and newer versions: unknown fields survive, what cannot be read is told from what was altered, and a mended
rule changes no stored game."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pinochle import audit, export, scoring, tricks
from pinochle.cli import main
from pinochle.errors import BadInput, NewerSchema
from pinochle.rules import RULES_VERSION
from pinochle.wire import archive, chain, codec, newer
from pinochle.wire.knobs import rules_from, rules_message
from pinochle.wire.v1 import game_pb2 as pb

from tests.played import STREAM, chained, hold, play

FIELD = b"\x98\x06\x01"
"""Field 99, a varint, which no message here has yet."""
OTHER_KIND = b"\xa2\x7d\x02\x08\x01"
"""A kind with number 2004, which no version knows yet."""


@cache
def a_log() -> tuple[export.StoredAct, ...]:
    return tuple(chained(play("classic", 7, turn_ms=30_000, expire_every=9)))


def with_body(change: Callable[[pb.ActFrame], object], at: int = 30) -> list[export.StoredAct]:
    """The log with one act's body changed by a newer version, and all hashes as that version would make them."""
    frame = pb.ActFrame.FromString(a_log()[at - 1].body)
    changed = change(frame)
    body = changed if isinstance(changed, bytes) else frame.SerializeToString()
    stored, head = [], chain.START
    for act in a_log():
        new = body if act.version == at else act.body
        head = chain.link(head, STREAM.bytes, act.version, act.command_id, new)
        stored.append(replace(act, body=new, hash=head))
    return stored


def in_event(frame: pb.ActFrame) -> None:
    """A field inside the event's own message, behind those that are known."""
    event = pb.Event.FromString(frame.events[0])
    kind = event.WhichOneof("kind")
    inner = getattr(event, kind)
    inner.MergeFromString(FIELD)
    frame.events[0] = event.SerializeToString()


NEWER: dict[str, Callable[[pb.ActFrame], object]] = {
    "a field of the act": lambda frame: frame.SerializeToString() + FIELD,
    "a field of an event": in_event,
    "a field of the command": lambda frame: setattr(frame, "command", frame.command + FIELD),
    "a kind of event": lambda frame: frame.events.append(OTHER_KIND),
    "a kind of command": lambda frame: setattr(frame, "command", OTHER_KIND),
    "a body of later rules that cannot be read": lambda frame: (
        setattr(frame, "rules_version", RULES_VERSION + 1),
        frame.events.append(b"\x0a\x02\x10\x63"),  # card 99
    ),
}


@pytest.mark.parametrize("what", NEWER)
def test_what_a_newer_version_wrote_is_told_from_what_was_altered(what: str) -> None:
    report = audit.verify_table(STREAM, with_body(NEWER[what]))
    assert audit.NEWER == report.outcome
    assert report.problem is not None
    assert (30, "newer", 29) == (report.problem.version, report.problem.check, report.acts)
    assert not report.ok
    assert (f"chain intact up to act {len(a_log())}; only a newer version can check the rest",) == report.notes


@pytest.mark.parametrize("what", NEWER)
def test_what_was_altered_behind_a_newer_act_is_found_all_the_same(what: str) -> None:
    stored = with_body(NEWER[what])
    stored[39] = replace(stored[39], body=a_log()[40].body)
    report = audit.verify_table(STREAM, stored)
    assert audit.BAD == report.outcome
    assert report.problem is not None
    assert (40, "chain") == (report.problem.version, report.problem.check)
    dropped = audit.verify_table(STREAM, [*stored[:34], *stored[35:39]])
    assert (audit.BAD, "version") == (dropped.outcome, dropped.problem and dropped.problem.check)


def test_what_was_altered_before_a_newer_act_is_found_all_the_same() -> None:
    stored = with_body(NEWER["a kind of event"])
    stored[4] = replace(stored[4], hash=bytes(32))
    assert audit.BAD == audit.verify_table(STREAM, stored).outcome


@pytest.mark.parametrize(
    "spoil",
    [
        lambda body: body + body[:2],
        lambda body: b"\x98\x06\x01" + body,  # an unknown field before the known ones: no version writes that
        lambda body: body + b"\x0a\x02\x10\x63",
        lambda body: body[:-1],
        lambda body: b"\xff\xff",
        lambda body: body.replace(b"\x22", b"\x0a", 1),  # the command in the place of the author
        lambda body: b"",
        lambda body: pb.ActFrame(author="house", command=b"\x10\x01").SerializeToString(),  # `player` as a number
    ],
)
def test_bytes_that_no_version_would_write_are_bad_and_not_newer(spoil: Callable[[bytes], bytes]) -> None:
    report = audit.verify_table(STREAM, with_body(lambda frame: spoil(frame.SerializeToString())))
    assert (audit.BAD, "body") == (report.outcome, report.problem and report.problem.check)


def test_the_first_unknown_field_is_named_by_its_message_and_number() -> None:
    body = with_body(in_event)[29].body
    name = pb.Event.FromString(pb.ActFrame.FromString(body).events[0]).WhichOneof("kind")
    message = getattr(pb.Event(), name or "").DESCRIPTOR.name
    assert f"{message}.99" == newer.unknown_field(pb.ActBody, body)
    assert "ActBody.99" == newer.unknown_field(pb.ActBody, a_log()[0].body + FIELD)
    assert all(newer.unknown_field(pb.ActBody, act.body) is None for act in a_log())


def test_a_tournament_of_a_newer_version_is_told_from_an_altered_one() -> None:
    stored = chained(hold("knockout", 3), encode=audit.EVENT.at_rest)
    body, head = stored[-1].body + FIELD, stored[-2].hash
    link = chain.link(head, STREAM.bytes, stored[-1].version, stored[-1].command_id, body)
    report = audit.verify_tournament(STREAM, [*stored[:-1], replace(stored[-1], body=body, hash=link)])
    assert (audit.NEWER, len(stored) - 1) == (report.outcome, report.acts)
    assert "TournamentActBody.99" in str(report.problem)


def test_a_rule_set_with_a_knob_of_a_newer_version_is_newer_and_not_malformed() -> None:
    rules = rules_message(audit.rebuild(a_log()).rules)
    message = pb.RuleSet(knobs=[*rules.knobs, pb.Knob(name="zebra", value="1")])
    with pytest.raises(NewerSchema, match="'zebra'"):
        rules_from(message)


def test_the_events_of_a_newer_log_are_shown_up_to_the_act_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "newer.jsonl"
    path.write_bytes(b"".join(export.lines("table", STREAM, with_body(NEWER["a kind of event"]))))
    assert 1 == main(["log", str(path), "--json"])
    out, err = capsys.readouterr()
    assert 29 == len(out.splitlines())
    assert f"pinochle: {path}: act 30: an event of a kind that this version does not know\n" == err


@pytest.mark.parametrize("what", NEWER)
def test_unknown_fields_and_kinds_survive_an_export_read_and_written_by_an_older_version(what: str) -> None:
    stored = with_body(NEWER[what])
    written = b"".join(export.lines("table", STREAM, stored))
    header, acts = export.read(io.BytesIO(written))
    again = list(acts)
    assert stored == again
    assert written == b"".join(export.lines(header.kind, header.stream, again))


def test_unknown_fields_survive_an_archive_in_both_forms() -> None:
    stored = with_body(NEWER["a field of an event"])
    for form in archive.FORMS.values():
        written = form.header(export.Header("table", STREAM, len(stored), stored[-1].hash))
        written += b"".join(map(form.act, stored))
        ((header, acts),) = [(header, list(acts)) for header, acts in archive.exports(io.BytesIO(written))]
        assert (STREAM, stored) == (header.stream, acts)


def test_a_reader_of_older_fields_files_the_known_ones_and_shows_no_viewer_the_unknown() -> None:
    stored = with_body(NEWER["a field of an event"])
    assert audit.result(audit.rebuild(a_log())) == audit.result(audit.rebuild(stored))
    act = codec.from_rest(30, stored[29].command_id, stored[29].body)
    _, views = codec.encode(act, codec.command_bytes(act.command))
    for view in (views,) if isinstance(views, bytes) else views:
        assert FIELD not in view  # what is not known may be secret


def test_rebuilding_stops_at_a_kind_that_is_not_known_with_a_clear_error() -> None:
    with pytest.raises(NewerSchema, match="an event of a kind that this version does not know"):
        audit.rebuild(with_body(NEWER["a kind of event"]))
    assert issubclass(NewerSchema, BadInput)


# -- the command


def verified(path: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["verify", *words, str(path)])
    return code, capsys.readouterr().out


def test_verify_says_too_new_with_an_exit_code_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new.jsonl"
    path.write_bytes(b"".join(export.lines("table", STREAM, with_body(NEWER["a kind of event"]))))
    code, out = verified(path, capsys)
    assert 5 == code
    assert out.startswith(f"too new for this version: {path}: act 30: newer: expected what this version knows")
    assert "chain intact up to act" in out
    code, out = verified(path, capsys, "--json")
    assert (5, "newer") == (code, json.loads(out)["outcome"])


def test_an_export_of_a_newer_format_is_too_new_and_not_bad(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "format.jsonl"
    written = b"".join(export.lines("table", STREAM, a_log()))
    path.write_bytes(written.replace(b'"version":1', b'"version":2', 1))
    code, out = verified(path, capsys)
    assert (5, True) == (code, "format version 2: this reader knows version 1" in out)


# -- a rule that is mended


@pytest.fixture
def mended(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Give a rule another reading, with the next version of the rules."""

    def mend(rule: str) -> None:
        if rule == "trick points":
            before: Any = scoring.trick_points
            monkeypatch.setattr(scoring, "trick_points", lambda rules, trick, last: before(rules, trick, last) + 1)
        else:
            first: Any = tricks.winner
            monkeypatch.setattr(tricks, "winner", lambda trick, trump: len(trick) - 1 - first(trick, trump))
        monkeypatch.setattr(audit, "RULES_VERSION", RULES_VERSION + 1)

    return mend


@pytest.mark.parametrize("rule", ["trick points", "trick winner"])
def test_a_mended_rule_leaves_stored_games_as_they_are_and_verify_notes_the_difference(
    rule: str, mended: Callable[[str], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = audit.result(audit.rebuild(a_log()))
    path = tmp_path / "stored.jsonl"
    path.write_bytes(b"".join(export.lines("table", STREAM, a_log())))
    assert 0 == verified(path, capsys)[0]
    mended(rule)
    assert before == audit.result(audit.rebuild(a_log()))
    report = audit.verify_table(STREAM, a_log())
    assert (audit.DIFFERS, None, len(a_log())) == (report.outcome, report.problem, report.acts)
    assert before == audit.result(report.state)
    code, out = verified(path, capsys)
    assert 4 == code
    assert f": chain intact, differs under rules version {RULES_VERSION + 1} (decided under {RULES_VERSION}): " in out
    assert "BAD" not in out


def test_an_alteration_is_found_among_acts_that_differ(mended: Callable[[str], None]) -> None:
    mended("trick points")
    stored = list(a_log())
    stored[-1] = replace(stored[-1], body=stored[-2].body)
    report = audit.verify_table(STREAM, stored)
    assert (audit.BAD, len(stored)) == (report.outcome, report.problem and report.problem.version)


def test_the_same_difference_without_another_version_is_an_alteration(
    mended: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mended("trick points")
    monkeypatch.setattr(audit, "RULES_VERSION", RULES_VERSION)
    report = audit.verify_table(STREAM, a_log())
    assert (audit.BAD, "rules") == (report.outcome, report.problem and report.problem.check)
