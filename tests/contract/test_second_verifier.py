"""The second verifier, in JavaScript, was written from the documents alone; both say the same of every log.

`python -m tests.second_verifier` does the same with as many logs as wanted.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pinochle import audit, export
from pinochle.cli import main
from pinochle.commands import OpenTable
from pinochle.decider import Act
from pinochle.events import DealScored, HandScored, MeldLaid, MeldShown, TableOpened, TrickWon
from pinochle.pinning import Pins
from pinochle.rules import RULES_VERSION, RuleSet, load, profiles
from pinochle.wire import archive, tournament_codec
from pinochle.wire.v1 import game_pb2 as pb

from tests import spoilt
from tests.played import PLAYERS, START_MS, STREAM, chained, hold_with_tables, play, play_table
from tests.rule_sets import rule_sets, stock_rule_sets
from tests.second_verifier.compare import (
    FORMATS,
    OTHER,
    Verdict,
    a_log,
    both,
    first,
    node,
    of,
    second,
    table,
    tournament_log,
)
from tests.soak.tables import with_some_knobs

GOLDEN = Path(__file__).parent.parent / "golden"
FIELD_99 = b"\x98\x06\x01"
"""A varint, in a field that no message has yet."""


def agree(folder: Path, files: dict[str, bytes]) -> dict[str, list[Verdict]]:
    """What both say of each file, by its name; it is the same."""
    said = both(folder, files)
    ours = {name: one for name, (one, _) in said.items()}
    assert ours == {name: other for name, (_, other) in said.items()}
    return ours


def outcomes(said: dict[str, list[Verdict]]) -> list[str]:
    return [one.outcome for verdicts in said.values() for one in verdicts]


def knobs_at_random(number: int) -> list[RuleSet]:
    """Rule sets with any knobs that may go together, the same at every run."""
    found: list[RuleSet] = []

    @settings(max_examples=number, database=None, deadline=None, derandomize=True, phases=[Phase.generate])
    @given(st.one_of(rule_sets(), rule_sets(), stock_rule_sets()))
    def collect(rules: RuleSet) -> None:
        found.append(rules)

    collect()
    return found


def test_both_pass_the_logs_recorded_at_each_release() -> None:
    logs = sorted((GOLDEN / "logs").glob("*/*.jsonl"))
    assert logs
    theirs = second(logs)
    assert {str(path): first(path.read_bytes()) for path in logs} == theirs
    assert {"ok"} == set(outcomes(theirs))


def test_both_pass_games_of_every_profile(tmp_path: Path) -> None:
    files = {
        f"{name}-{seed}": table(play(name, seed, turn_ms=20_000, expire_every=5 + seed))
        for name in profiles()
        for seed in range(3)
    }
    assert {"ok"} == set(outcomes(agree(tmp_path, files)))


def test_both_pass_games_with_any_knobs(tmp_path: Path) -> None:
    chance = random.Random(4)
    some = [with_some_knobs(profiles()[number % len(profiles())], chance) for number in range(40)]
    files = {}
    for number, rules in enumerate([*some, *knobs_at_random(80)]):
        seed, players = chance.randbytes(32), PLAYERS[: rules.players]
        opening = OpenTable(rules, players, number % rules.players, seed, b"", 0, 0, deal_limit=2)
        files[str(number)] = table(play_table("house", opening, chance))
    assert {"ok"} == set(outcomes(agree(tmp_path, files)))


@pytest.mark.parametrize("format_name", FORMATS)
def test_both_pass_tournaments(format_name: str, tmp_path: Path) -> None:
    files = {}
    for teams in range(3, 14):
        files[str(teams)] = of("tournament", tournament_log(format_name, teams, teams))
    assert {"ok"} == set(outcomes(agree(tmp_path, files)))


def test_both_find_what_was_done_to_the_lines_of_an_export(tmp_path: Path) -> None:
    chance, files = random.Random(1), {}
    for number in range(12):
        kind, log, _ = a_log(number)
        for way, data in enumerate(spoilt.lines_spoilt(list(export.lines(kind, STREAM, log)), chance)):
            files[f"{number}-{way}"] = data
    said = outcomes(agree(tmp_path, files))
    assert {"refused", "ok"} >= set(said)  # a line in the place of itself changes nothing
    assert said.count("refused") > 0.95 * len(files)


def test_both_read_archives_in_both_forms_and_find_what_was_done_to_them(tmp_path: Path) -> None:
    chance, files, whole = random.Random(5), {}, []
    for number in range(3):
        logs = [(*a_log(number)[:2], STREAM), ("table", a_log(0)[2], OTHER)]
        for form in archive.FORMS:
            records = [
                record
                for kind, log, stream in logs
                for record in archive.records(form, export.Header(kind, stream, len(log), log[-1].hash), log)
            ]
            whole.append(f"{number}-{form}")
            files[whole[-1]] = data = b"".join(records)
            at = chance.randrange(len(records))
            files[f"{number}-{form}-dropped"] = b"".join([*records[:at], *records[at + 1 :]])
            files[f"{number}-{form}-twice"] = b"".join([*records[:at], *records[at : at + 1], *records[at:]])
            files[f"{number}-{form}-cut"] = data[: chance.randrange(1, len(data))]
            for way in range(6):
                byte = chance.randrange(len(data))
                turned = bytes((data[byte] ^ 1 << chance.randrange(8),))
                files[f"{number}-{form}-{way}"] = data[:byte] + turned + data[byte + 1 :]
    said = agree(tmp_path, files)
    for name, verdicts in said.items():
        assert (name in whole) == (verdicts == [Verdict("ok", 0, 0)] * 2)


def test_both_find_acts_dropped_inserted_swapped_cut_off_and_moved(tmp_path: Path) -> None:
    chance, files = random.Random(2), {}
    for number in range(12):
        kind, log, elsewhere = a_log(number)
        for way, changed in enumerate(spoilt.acts_spoilt(log, STREAM, elsewhere, chance)):
            files[f"{number}-{way}"] = of(kind, changed)
    assert outcomes(agree(tmp_path, files)).count("refused") > 0.95 * len(files)


def test_both_find_changed_bytes_behind_a_chain_made_anew(tmp_path: Path) -> None:
    chance, files = random.Random(3), {}
    for number in range(20):
        kind, log, _ = a_log(number)
        for way in range(10):
            files[f"{number}-{way}"] = of(kind, spoilt.bytes_spoilt(log, STREAM, chance))
    assert outcomes(agree(tmp_path, files)).count("refused") > 0.9 * len(files)


def test_both_find_changed_facts_and_conclusions_behind_a_chain_made_anew(tmp_path: Path) -> None:
    chance, files = random.Random(4), {}
    for number in range(24):
        kind, log, _ = a_log(number)
        for way in range(12):
            files[f"{number}-{way}"] = of(kind, spoilt.facts_spoilt(log, STREAM, kind, chance))
    said = outcomes(agree(tmp_path, files))
    assert said.count("refused") > 0.8 * len(files)  # times, names and versions of rules may be others


def conclusions_changed(acts: Sequence[Act]) -> Iterator[tuple[int, list[Act]]]:
    """The first act with each kind of conclusion, and the log with that one changed."""
    for kind, change in (
        (TrickWon, lambda e: replace(e, seat=(e.seat + 1) % 2)),
        (TrickWon, lambda e: replace(e, points=e.points + 1)),
        (MeldShown, lambda e: replace(e, points=e.points + 10)),
        (MeldShown, lambda e: replace(e, melds=e.melds[1:])),
        (MeldLaid, lambda e: replace(e, points=e.points + 10)),
        (HandScored, lambda e: replace(e, delta=(e.delta[0] + 1, e.delta[1]))),
        (HandScored, lambda e: replace(e, outcome="set" if e.outcome != "set" else "made")),
        (DealScored, lambda e: replace(e, totals=tuple(total + 1 for total in e.totals))),
        (TableOpened, lambda e: replace(e, commitment=bytes(32))),
        (TableOpened, lambda e: replace(e, seed=bytes(32))),
    ):
        for at, act in enumerate(acts):
            events = [change(event) if isinstance(event, kind) else event for event in act.events]
            if tuple(events) != act.events:
                yield at + 1, [*acts[:at], replace(act, events=tuple(events)), *acts[at + 1 :]]
                break


def test_both_name_the_act_of_a_changed_conclusion(tmp_path: Path) -> None:
    files, expected = {}, {}
    for name in ("classic", "danish-nobid", "double-deck-club", "two-handed"):
        for way, (version, acts) in enumerate(conclusions_changed(play(name, 11, deals=1))):
            files[f"{name}-{way}"] = table(acts)
            expected[f"{name}-{way}"] = [Verdict("refused", version, 0)]
    assert expected == agree(tmp_path, files)
    assert len(expected) > 20


def test_both_name_the_deal_whose_deck_does_not_follow_from_the_seed(tmp_path: Path) -> None:
    rules, seed = load("classic"), bytes(32)
    files = {}
    for place in (0, 20, 46):
        acts = play_table("director", OpenTable(rules, PLAYERS, 0, seed, deal_limit=1), random.Random(1))
        deck = list(acts[1].command.deck)
        other = next(at for at in range(48) if deck[at] != deck[place])
        deck[place], deck[other] = deck[other], deck[place]
        acts[1] = replace(acts[1], command=replace(acts[1].command, deck=tuple(deck)))
        files[str(place)] = table(acts)
    assert {name: [Verdict("refused", 2, 0)] for name in files} == agree(tmp_path, files)


def test_both_tell_other_rules_from_alterations(tmp_path: Path) -> None:
    files = {}
    for name in ("classic", "danish-nobid", "double-deck", "three-handed-stock"):
        for way, (version, acts) in enumerate(conclusions_changed(play(name, 12, deals=1))):
            act = acts[version - 1]
            if not isinstance(act.events[0], TableOpened):
                acts[version - 1] = replace(act, rules_version=RULES_VERSION + 1)
                files[f"{name}-{way}"] = table(acts)
    said = agree(tmp_path, files)
    assert "differs" in outcomes(said)
    assert {name: verdicts[0].differing for name, verdicts in said.items()} == dict.fromkeys(said, 1)


def test_both_hold_seats_to_the_beat(tmp_path: Path) -> None:
    opening = OpenTable(load("classic"), PLAYERS, 0, bytes(32), deal_limit=1, beat_ms=500)
    acts: list[Act] = []
    for act in play_table("director", opening, random.Random(1)):
        at_ms = START_MS + 1_000 * act.version
        noticed_ms = at_ms - 1_000 if acts else 0
        acts.append(replace(act, at_ms=at_ms, noticed_ms=noticed_ms, received_ms=at_ms - 300))
    files, expected = {"on": table(acts)}, {"on": [Verdict("ok", 0, 0)]}
    off = next(at for at, act in enumerate(acts) if act.author.startswith("seat:") and at > 9)
    for late in (1, 499):
        changed = replace(acts[off], at_ms=acts[off].at_ms + late)
        files[f"late-{late}"] = table([*acts[:off], changed, *acts[off + 1 :]])
        expected[f"late-{late}"] = [Verdict("refused", off + 1, 0)]
    assert expected == agree(tmp_path, files)


@pytest.mark.parametrize(
    ("write", "outcome"),
    [
        (lambda frame: frame.SerializeToString() + FIELD_99, "newer"),
        (lambda frame: changed(frame, command=frame.command + FIELD_99), "newer"),
        (lambda frame: changed(frame, command=FIELD_99), "newer"),
        (lambda frame: changed(frame, events=[*frame.events, FIELD_99]), "newer"),
        (lambda frame: FIELD_99 + frame.SerializeToString(), "bad"),
        (lambda frame: changed(frame, command=b""), "bad"),
        (lambda frame: changed(frame, events=[*frame.events, b""]), "bad"),
        (lambda frame: frame.SerializeToString() * 2, "bad"),
    ],
)
def test_both_tell_what_a_newer_version_wrote(
    write: Callable[[pb.ActFrame], bytes], outcome: str, tmp_path: Path
) -> None:
    log = chained(play("classic", 14, deals=1))
    log = spoilt.with_body(log, 20, write(pb.ActFrame.FromString(log[20].body)), STREAM)
    path = tmp_path / "log.jsonl"
    path.write_bytes(of("table", log))
    assert (outcome, 21) == first_problem(audit.verify_table(STREAM, log).plain())
    assert (outcome, 21) == first_problem(json.loads(node("main.mjs", "--json", str(path))))


def changed(frame: pb.ActFrame, **fields: Any) -> bytes:
    """The bytes of an act with other bytes for its command or its events."""
    for name, value in fields.items():
        frame.ClearField(name)
        frame.MergeFrom(pb.ActFrame(**{name: value}))
    return frame.SerializeToString()


def first_problem(said: dict[str, Any]) -> tuple[str, int]:
    return said["outcome"], said["problem"]["version"]


@pytest.mark.parametrize("format_name", FORMATS)
def test_both_hold_tables_beside_their_tournament_and_a_noted_hash(format_name: str, tmp_path: Path) -> None:
    acts, tables = hold_with_tables(format_name, 5, 4)
    log = ("tournament", STREAM, chained(acts, encode=tournament_codec.at_rest))
    logs = [("table", UUID(table), chained(played, UUID(table))) for table, played in tables.items()]
    some_id, head = logs[0][1], log[2][-1].hash
    renamed = ("table", OTHER, chained(tables[str(some_id)], OTHER))
    foreign = ("table", OTHER, chained(play("classic", 3, deals=1), OTHER))
    played_anew = ("table", some_id, chained(play("classic", 3, deals=1), some_id))
    for root, streams, fits in (
        (head, [log, *logs], True),
        (None, [*logs[:1], log], True),
        (bytes(32), [log], False),
        (head, [log, foreign, renamed], False),
        (None, [log, foreign, *logs], True),
        (None, [log, played_anew], False),
        (logs[0][2][-1].hash, logs[:1], True),
        (head, logs[:1], False),
        (head, [("tournament", STREAM, log[2][:-1]), *logs], True),  # it is bad itself, and that is all
    ):
        path = tmp_path / "archive.jsonl"
        path.write_bytes(b"".join(of(kind, stored, stream) for kind, stream, stored in streams))
        expected = pins_of(path, root)
        assert fits == (expected == [])
        assert expected == findings(path, root)


def pins_of(path: Path, root: bytes | None) -> list[tuple[str, str]]:
    """What the library finds of streams held beside each other: the stream and the check."""
    pins = Pins(root)
    with path.open("rb") as file:
        for header, acts in archive.exports(file):
            pins.add(audit.verify(audit.kind_of(header.kind), header.stream, acts))
    return sorted((str(one.stream), one.check) for one in pins.findings())


def findings(path: Path, root: bytes | None) -> list[tuple[str, str]]:
    """The same from the second verifier."""
    given = ["--root", root.hex()] if root else []
    said = map(json.loads, node("main.mjs", "--json", *given, str(path)).splitlines())
    return sorted((one["stream"], one["problem"]["check"]) for one in said if "source" not in one)


@pytest.mark.parametrize("form", archive.FORMS)
def test_both_tell_a_newer_format_from_no_format(form: str, tmp_path: Path) -> None:
    acts = chained(play("classic", 3, deals=1))
    header = export.Header("table", STREAM, len(acts), acts[-1].hash)
    log, path = b"".join(archive.records(form, header, acts)), tmp_path / "log"
    for version, code in ((2, 5), (0, 1)):
        if form == "jsonl":
            spoilt_log = log.replace(b'"version":1,"kind"', b'"version":%d,"kind"' % version, 1)
        else:
            spoilt_log = log.replace(b"\x10\x01\x1a\x05table", b"\x10%c\x1a\x05table" % version, 1)
        assert log != spoilt_log
        path.write_bytes(spoilt_log)
        assert 1 == len(node("main.mjs", str(path), code=code).splitlines())
        assert code == main(["verify", str(path)])


@pytest.mark.parametrize("digits", [20, 400, 6_000])
def test_both_tell_a_format_version_of_any_length_as_newer(digits: int, tmp_path: Path) -> None:
    acts = chained(play("classic", 3, deals=1))
    path = tmp_path / "log"
    path.write_bytes(b"".join(export.lines("table", STREAM, acts)).replace(b":1,", b":1" + b"0" * digits + b",", 1))
    assert 1 == len(node("main.mjs", str(path), code=5).splitlines())
    assert 5 == main(["verify", str(path)])


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "the file is empty"),
        (b"\x00\x01\n", "not the header of an export"),
        (b'{"format":"other"}\n', "not the header of an export"),
        (b"[" * 100_000 + b"\n", "not the header of an export"),
        (b" " * (3 << 20), "longer than 2097152 bytes"),
        (bytes(range(256)) * 4_000, "not the header of an export"),
    ],
)
def test_what_is_no_export_is_refused_in_one_line(data: bytes, text: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    lines = node("main.mjs", str(path), code=1).splitlines()
    assert 1 == len(lines)
    assert text in lines[0]


def test_a_file_that_is_not_there_is_refused_in_one_line(tmp_path: Path) -> None:
    assert 1 == len(node("main.mjs", str(tmp_path / "none"), code=1).splitlines())


def test_exit_codes_are_those_of_pinochle_verify(tmp_path: Path) -> None:
    acts = play("classic", 13, deals=1)
    at = next(
        at for at, act in enumerate(acts) if isinstance(act.events[0], MeldShown | HandScored) or len(act.events) > 4
    )
    last = acts[at].events[-1]
    melded = replace(last, may_concede=not last.may_concede)
    bad = [*acts[:at], replace(acts[at], events=(*acts[at].events[:-1], melded)), *acts[at + 1 :]]
    of_later_rules = [*bad[:at], replace(bad[at], rules_version=RULES_VERSION + 1), *bad[at + 1 :]]
    newer = chained(acts)
    newer[at:] = spoilt.with_body(newer, at, newer[at].body + b"\x98\x06\x01", STREAM)[at:]  # field 99
    for name, log, code in (
        ("ok", table(acts), 0),
        ("bad", table(bad), 1),
        ("cut", table(acts[:-1]), 1),
        ("differs", table(of_later_rules), 4),
        ("newer", of("table", newer), 5),
    ):
        path = tmp_path / name
        path.write_bytes(log)
        assert 1 == len(node("main.mjs", str(path), code=code).splitlines())
    node("main.mjs", "--running", str(tmp_path / "cut"), code=0)
    node("main.mjs", *(str(tmp_path / name) for name in ("ok", "differs", "newer", "bad")), code=1)


def test_the_second_verifier_answers_the_rule_vectors() -> None:
    cases: dict[str, dict[str, Any]] = {}
    for path in sorted((GOLDEN / "vectors").glob("*.jsonl")):
        for case in map(json.loads, path.read_text().splitlines()):
            if case["op"] not in ("hand", "game", "stock_game"):  # whole hands are exported, above
                case["ruleset"] = load(case["profile"]).knobs() | case["knobs"]
                cases[case["id"]] = case
    answers = map(json.loads, node("vectors.mjs", given="\n".join(map(json.dumps, cases.values()))).splitlines())
    found = {one["id"]: in_any_order(one["answer"]) for one in answers}
    expected = {name: in_any_order(case["expected"]) for name, case in cases.items()}
    assert expected == found


def in_any_order(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without the reason, which is for people, and with its melds in one order."""
    kept = {name: value for name, value in answer.items() if name != "reason"}
    if "melds" in kept:
        kept["melds"] = sorted(kept["melds"], key=lambda meld: json.dumps(meld, sort_keys=True))
    return kept
