"""Transcripts are read as they are written, and name the first point in which a log differs from them."""

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any
from uuid import UUID

import pytest
from pinochle import audit
from pinochle.commands import PLAYER_COMMANDS, DealCards, PlayCard
from pinochle.decider import Act
from pinochle.events import TableOpened, TurnExpired
from pinochle.export import StoredAct
from pinochle.game import GAME
from pinochle.options import legal
from pinochle.transcript import (
    FILE_BYTES_MAX,
    Answered,
    BadTranscript,
    Clock,
    Full,
    Head,
    Header,
    Noted,
    Opened,
    Sent,
    Shown,
    Transcript,
    Turn,
    header_bytes,
    line_bytes,
    plain_text,
)
from pinochle.transcript_audit import Finding, compare
from pinochle.transcript_times import TOLERANCE_MS
from pinochle.wire import codec, tournament_codec

from tests.played import STREAM, chained, hold, play
from tests.rule_sets import STOCK
from tests.transcripts import as_file, from_file, kept_of, tournament_kept_of

OTHER = UUID("0192d3a4-5b6c-7d8e-9fa0-b1c2d3e4f507")
VIEWERS = (0, 1, 2, 3, None)
LINES = (
    Opened(1), Clock(2), Head(3, 7), Shown(4, 8, b"\x00\xff"), Turn(5, 8, 6, 0, b"options"),
    Sent(6, bytes(range(16)), 8, b"command"), Answered(7, bytes(16), 9, ""), Answered(8, bytes(16), 0, "not_your_turn"),
    Noted(9, "commitment", bytes(32)), Full(10),
)  # fmt: skip


@cache
def a_game() -> tuple[Act, ...]:
    return timed(play("classic", 7, turn_ms=30_000, expire_every=9))


def timed(acts: list[Act]) -> tuple[Act, ...]:
    """The acts with the times of notice, deadline and receipt that a service writes."""
    state, told = GAME.initial(), []
    for act in acts:
        if state.version:
            deadline = state.deadline_ms if state.turn >= 0 else 0
            act = replace(act, noticed_ms=state.now_ms, deadline_ms=deadline, received_ms=act.at_ms)
        else:
            act = replace(act, received_ms=act.at_ms)
        told.append(act)
        state = GAME.fold(state, act.events, act.at_ms)
    return tuple(told)


def found(acts: list[Act] | list[StoredAct], *transcripts: Transcript, **wishes: Any) -> Finding:
    """The finding for the first of these transcripts beside this log."""
    stored = [act if isinstance(act, StoredAct) else chained([act])[0] for act in acts]
    return compare(audit.TABLE, STREAM, stored, transcripts, **wishes)[0]


def difference(acts: list[Act], *transcripts: Transcript, **wishes: Any) -> tuple[int, str]:
    """The version and the check of the first difference."""
    finding = found(acts, *transcripts, **wishes)
    assert finding.problem is not None, finding
    assert audit.BAD == finding.outcome
    return finding.problem.version, finding.problem.check


def with_lines(transcript: Transcript, change: Callable[[Any], Any]) -> Transcript:
    """The transcript with each line changed, or left out for None."""
    lines = [line for line in map(change, transcript.lines) if line is not None]
    return transcript._replace(lines=tuple(lines))


def replayed(acts: list[Act], at: int, command: Any) -> list[Act]:
    """The game with another command at one place, and all after it chosen anew: a whole log, in order by itself."""
    chance, state, new = random.Random(5), GAME.initial(), []
    for act in acts[:at]:
        state = GAME.fold(state, act.events, act.at_ms)
        new.append(act)
    while True:
        act = acts[min(at, len(acts) - 1)]
        events = GAME.decide(state, command)
        author = f"seat:{command.seat}" if isinstance(command, PLAYER_COMMANDS) else "house"
        new.append(replace(act, version=len(new) + 1, author=author, command=command, events=events))
        state = GAME.fold(state, events, act.at_ms)
        options = legal(state)
        at += 1
        if options is None or at >= len(acts):
            return new
        command = options.sample(chance)


def first_by(seat: int, kind: type = object, start: int = 0) -> int:
    """The index of the first command of a seat, of this kind, from `start` on."""
    return next(
        i for i, act in enumerate(a_game())
        if i >= start and act.author == f"seat:{seat}" and isinstance(act.command, kind)
    )  # fmt: skip


# The format


def test_every_line_is_read_as_it_was_written() -> None:
    header = Header("table", STREAM, "seat:2", 17)
    written = Transcript(header, LINES, 0, False)
    data = as_file(written)
    assert (header, LINES, len(data), False) == tuple(from_file(data))


def test_lines_are_ascii_json_in_one_form() -> None:
    expected = b'{"line":"shown","clock_ms":4,"version":8,"act":"AP8="}\n'
    assert expected == line_bytes(LINES[3])
    expected = (
        b'{"format":"pinochle-transcript","version":1,"kind":"table","stream":"0192d3a4-5b6c-7d8e-9fa0-b1c2d3e4f506",'
        b'"viewer":"spectator","clock_ms":5}\n'
    )
    assert expected == header_bytes(Header("table", STREAM, "spectator", 5))


def test_half_a_line_at_the_end_is_what_a_crash_leaves_and_no_error() -> None:
    data = as_file(Transcript(Header("table", STREAM, "own", 1), LINES, 0, False))
    whole = len(data) - len(line_bytes(LINES[-1]))
    for end in range(whole + 1, len(data)):
        transcript = from_file(data[:end])
        assert (LINES[:-1], whole, True) == transcript[1:]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"\n", "not JSON"),
        (b"\xff\xfe\n", "not JSON"),
        (b"[" * 100_000 + b"\n", "not JSON"),
        (b"7\n", "not a JSON object"),
        (b'{"line":"told","clock_ms":1}\n', "line 'told': it must be one of"),
        (b'{"line":["shown"],"clock_ms":1}\n', "it must be one of"),
        (b'{"line":"head","clock_ms":1}\n', "version None"),
        (b'{"line":"head","clock_ms":-1,"version":1}\n', "clock_ms -1"),
        (b'{"line":"head","clock_ms":9007199254740992,"version":1}\n', "clock_ms"),
        (b'{"line":"head","clock_ms":1,"version":1000001}\n', "version 1000001"),
        (b'{"line":"head","clock_ms":1,"version":true}\n', "version True"),
        (b'{"line":"head","clock_ms":1.0,"version":1}\n', "clock_ms 1.0"),
        (b'{"line":"head","clock_ms":1,"version":1,"more":2}\n', "not in canonical form from column"),
        (b'{"line":"head","version":1,"clock_ms":1}\n', "not in canonical form"),
        (b'{"line": "head","clock_ms":1,"version":1}\n', "not in canonical form from column 9 on"),
        (b'{"line":"shown","clock_ms":1,"version":1,"act":"A"}\n', "act 'A'"),
        (b'{"line":"shown","clock_ms":1,"version":1,"act":"AB=="}\n', "not in canonical form"),
        (b'{"line":"sent","clock_ms":1,"command_id":"00","expected_version":1,"command":""}\n', "command_id '00'"),
        (b'{"line":"answered","clock_ms":1,"command_id":"' + b"0" * 32 + b'","version":0,"rejection":"\\u00e9"}\n',
         "rejection"),
        (b'{"line":"noted","clock_ms":1,"what":"weather","value":"00"}\n', "what 'weather'"),
        (b'{"line":"shown","clock_ms":1,"version":1,"act":"' + b"A" * (2 << 20) + b'"}\n', "longer than 2097152 bytes"),
    ],
)  # fmt: skip
def test_a_line_that_is_none_is_named(line: bytes, problem: str) -> None:
    data = header_bytes(Header("table", STREAM, "seat:0", 1)) + line_bytes(LINES[0]) + line
    with pytest.raises(BadTranscript) as error:
        from_file(data)
    assert 3 == error.value.line
    assert problem in str(error.value)


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        (b"", "the file is empty"),
        (b"{", "its first line is cut off"),
        (b"A" * (3 << 20), "its first line is cut off or too long"),
        (b'{"format":"pinochle-export","version":1}\n', "not a transcript"),
        (b'{"format":"pinochle-transcript","version":2}\n', "format version 2"),
        (b'{"format":"pinochle-transcript","version":1,"kind":"chair"}\n', "kind 'chair'"),
        (b'{"format":"pinochle-transcript","version":1,"kind":"table","stream":"x","viewer":"seat:4"}\n', "viewer"),
        (b'{"format":"pinochle-transcript","version":1,"kind":"table","stream":7,"viewer":"own"}\n', "stream"),
        (b'{"format":"pinochle-transcript","version":1,"kind":"table","stream":"0192D3A4-5b6c-7d8e-9fa0-b1c2d3e4f506",'
         b'"viewer":"own","clock_ms":1}\n', "not in canonical form"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_transcript_is_named_by_its_first_line(header: bytes, problem: str) -> None:
    with pytest.raises(BadTranscript, match="line 1: ") as error:
        from_file(header)
    assert problem in str(error.value)


def test_random_bytes_are_refused_and_never_raise_anything_else() -> None:
    chance = random.Random(8)
    data = as_file(Transcript(Header("table", STREAM, "seat:2", 17), LINES, 0, False))
    for _ in range(2_000):
        spoilt = bytearray(data)
        for _ in range(chance.randrange(1, 4)):
            spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
        try:
            read = from_file(bytes(spoilt))
        except BadTranscript:
            continue
        assert as_file(read) == bytes(spoilt)[: read.size]


def test_text_keeps_to_what_every_json_writer_spells_alike() -> None:
    assert "a?b?c??d" == plain_text('a"b\\c\né' + "d")
    assert 64 == len(plain_text("x" * 100))


def test_the_bounds_hold_a_game_of_the_greatest_length() -> None:
    assert 1_000_000 * 60 < FILE_BYTES_MAX


# What agrees


@pytest.mark.parametrize("viewer", VIEWERS)
def test_what_was_kept_honestly_agrees_with_the_log(viewer: int | None) -> None:
    acts = list(a_game())
    finding = found(acts, kept_of(acts, viewer))
    late = sum("expired" in note for note in finding.notes)
    assert (audit.OK, len(acts), late) == (finding.outcome, finding.shown, len(finding.notes))
    commands = sum(act.author == f"seat:{viewer}" for act in acts)
    assert commands == finding.sent


@pytest.mark.parametrize("profile", STOCK)
def test_what_was_kept_of_a_stock_game_agrees_with_the_log(profile: str) -> None:
    acts = list(timed(play(profile, 3, turn_ms=20_000, expire_every=11)))
    players = len(acts[0].events[0].players)
    for viewer in (*range(players), None):
        assert (audit.OK, ()) == (found(acts, kept_of(acts, viewer)).outcome, found(acts, kept_of(acts, viewer)).notes)


@pytest.mark.parametrize("ahead_ms", [-3_600_000, -5_000, 5_000, 3_600_000])
def test_a_clock_that_is_wrong_all_the_time_is_a_note(ahead_ms: int) -> None:
    acts = list(a_game())
    finding = found(acts, kept_of(acts, 1, ahead_ms=ahead_ms))
    assert audit.OK == finding.outcome
    where = "ahead of" if ahead_ms > 0 else "behind"
    assert any(f"the clock here was {where} the house's by" in note for note in finding.notes)


def test_a_token_without_a_named_seat_agrees_as_the_viewer_that_it_was() -> None:
    acts = list(a_game())
    for viewer in VIEWERS:
        kept = with_lines(kept_of(acts, viewer, name="own"), lambda line: None if isinstance(line, Sent) else line)
        assert found(acts, kept).problem is None


def test_a_transcript_that_began_late_says_so_and_agrees() -> None:
    acts = list(a_game())
    kept = kept_of(acts, 2, breaks=[40])
    at = next(i for i, line in enumerate(kept.lines) if isinstance(line, Opened))
    header = replace(kept.header, clock_ms=kept.lines[at].clock_ms)
    finding = found(acts, Transcript(header, kept.lines[at + 1 :], 0, False))
    assert finding.problem is None
    assert "lacks acts 1 to 40" in finding.notes


def test_commands_of_a_break_are_a_note() -> None:
    acts = list(a_game())
    at = first_by(2, start=50)
    finding = found(acts, kept_of(acts, 2, breaks=[at]))
    assert finding.problem is None
    assert "1 command of this seat made while nothing was kept here" in finding.notes


def test_a_command_before_the_first_turn_that_was_shown_is_named_where_it_is_younger_than_the_transcript() -> None:
    acts = list(a_game())
    mine = [i for i, act in enumerate(acts) if act.author == "seat:2"]
    at, later = mine[0], mine[1]
    kept = kept_of(acts, 2)
    lines = [
        line for line in kept.lines
        if not isinstance(line, Head)
        and not (isinstance(line, Sent) and line.command_id == acts[at].command_id)
        and not (isinstance(line, Turn) and line.version < later)
    ]  # fmt: skip
    place = next(i for i, line in enumerate(lines) if isinstance(line, Turn))
    lines.insert(place, Head(lines[place].clock_ms, later))
    for early_ms, is_named in ((0, False), (TOLERANCE_MS + 1_000, True)):
        header = replace(kept.header, clock_ms=acts[at].at_ms - early_ms)
        finding = found(acts, Transcript(header, tuple(lines), 0, False))
        assert is_named == (finding.problem is not None)
        if finding.problem:
            assert (at + 1, "sent") == (finding.problem.version, finding.problem.check)
            assert "ms or more after this program began to keep" in finding.problem.text


def test_two_transcripts_of_one_seat_count_together_for_what_it_sent() -> None:
    acts = list(a_game())
    whole = kept_of(acts, 2)
    silent = with_lines(whole, lambda line: None if isinstance(line, Sent) else line)
    assert "sent" == difference(acts, silent)[1]
    assert found(acts, silent, whole).problem is None


def test_a_command_that_was_never_answered_is_a_note_where_the_log_lacks_it() -> None:
    acts = list(a_game())
    kept = kept_of(acts, 2)
    lost = Sent(kept.lines[-1].clock_ms, bytes(16), 40, b"")
    finding = found(acts, kept._replace(lines=(*kept.lines, lost)))
    assert (None, "1 command sent, never answered, and not in the log") == (finding.problem, finding.notes[-1])


def test_a_transcript_that_stops_says_where() -> None:
    acts = list(a_game())
    kept = kept_of(acts[:60], 2)
    finding = found(acts, kept._replace(is_cut=True))
    assert finding.problem is None
    assert {f"ends with act 60 of {len(acts)}", "its last line is cut off"} <= set(finding.notes)
    full = kept._replace(lines=(*kept.lines, Full(0)))
    assert f"ends with act 60 of {len(acts)}, where it was full" in found(acts, full).notes


def test_a_transcript_without_acts_says_so() -> None:
    finding = found(list(a_game()), kept_of([], 2))
    assert (None, "no act was shown") == (finding.problem, finding.notes[0])


def test_a_log_that_is_still_running_may_end_before_the_transcript() -> None:
    acts = list(a_game())
    finding = found(acts[:50], kept_of(acts[:60], None), must_end=False)
    assert (None, ("goes on to act 60, the log that was given to act 50",)) == (finding.problem, finding.notes)


def test_acts_of_other_rules_are_compared_as_they_are() -> None:
    acts = [replace(act, rules_version=act.rules_version + 1) for act in a_game()]
    kept = with_lines(kept_of(acts, 1), lambda x: replace(x, options=b"") if isinstance(x, Turn) else x)
    assert found(acts, kept).problem is None


# What differs


def test_another_card_in_the_deal_is_named_at_the_deal_for_the_seat_that_held_it() -> None:
    acts = list(a_game())
    deck = list(acts[1].command.deck)
    other = next(i for i in range(5, 48) if deck[i] != deck[0])  # packets have at most four cards
    deck[0], deck[other] = deck[other], deck[0]
    before = GAME.fold(GAME.initial(), acts[0].events, acts[0].at_ms)
    events = GAME.decide(before, DealCards(tuple(deck)))
    forged = [acts[0], replace(acts[1], command=DealCards(tuple(deck)), events=events)]
    dealt, was = events[0].hands, acts[1].events[0].hands
    changed = [seat for seat in range(4) if dealt[seat] != was[seat]]
    assert 2 == len(changed)
    for seat in range(4):
        finding = found(forged, kept_of(acts[:2], seat))
        assert (seat in changed) == (finding.problem is not None)
        if finding.problem:
            assert (2, "shown") == (finding.problem.version, finding.problem.check)
            assert "event 1, HandDealt.hands: expected " in finding.problem.text


def test_a_dropped_act_is_named_where_the_next_one_stands_in_its_place() -> None:
    acts = list(a_game())
    at = first_by(1)
    shorter = [replace(act, version=i) for i, act in enumerate(acts[:at] + acts[at + 1 :], 1)]
    assert at + 1 == difference(shorter, kept_of(acts, 3))[0]


def test_a_tail_that_was_cut_off_is_named_by_the_first_act_that_was_shown_beyond() -> None:
    acts = list(a_game())
    finding = found(acts[:-3], kept_of(acts, None))
    assert finding.problem is not None
    assert (len(acts) - 2, "missing") == (finding.problem.version, finding.problem.check)
    assert f"the log ends with act {len(acts) - 3}" in finding.problem.text


def test_a_log_replayed_with_another_card_is_named_at_that_card() -> None:
    acts = list(a_game())
    state = GAME.initial()
    for act in acts:
        options = legal(state) if isinstance(act.command, PlayCard) else None
        others = [] if options is None else [
            PlayCard(act.command.seat, card) for card in range(24)
            if PlayCard(act.command.seat, card) in options and card != act.command.card
        ]  # fmt: skip
        if others:
            break
        state = GAME.fold(state, act.events, act.at_ms)
    at = act.version - 1
    forged = replayed(acts, at, others[0])
    assert audit.verify_table(STREAM, chained(forged), must_end=False).ok
    for viewer in VIEWERS:
        assert (at + 1, "shown") == difference(forged, kept_of(acts, viewer))


def test_an_act_with_another_time_is_named() -> None:
    acts = list(a_game())
    kept = kept_of(acts, None)
    acts[30] = replace(acts[30], at_ms=acts[30].at_ms + 1)
    finding = found(acts, kept)
    assert finding.problem is not None
    assert f"act 31: shown: at_ms: the log has {acts[30].at_ms}, shown was {acts[30].at_ms - 1}" == str(finding.problem)


def test_an_act_that_was_shown_in_two_ways_is_named() -> None:
    acts = list(a_game())
    kept = kept_of(acts, 0)
    other = codec.for_viewer(replace(acts[20], at_ms=7), 0)
    twice = kept._replace(lines=(*kept.lines, Shown(kept.lines[-1].clock_ms, 21, other)))
    assert (21, "shown") == difference(acts, twice)


def test_another_commitment_is_named_in_the_first_act() -> None:
    acts = list(a_game())
    kept = kept_of(acts, 0)
    opened = acts[0].events[0]
    assert isinstance(opened, TableOpened)
    acts[0] = replace(acts[0], events=(replace(opened, commitment=bytes(32)),))
    finding = found(acts, kept)
    assert finding.problem is not None
    assert (1, "shown") == (finding.problem.version, finding.problem.check)
    assert "TableOpened.commitment" in finding.problem.text


def test_another_commitment_than_the_one_announced_is_named() -> None:
    acts = list(a_game())
    kept = kept_of([], None)
    assert (1, "commitment") == difference(acts, kept._replace(lines=(Noted(1, "commitment", bytes(32)),)))
    honest = kept._replace(lines=(Noted(1, "commitment", acts[0].events[0].commitment),))
    assert found(acts, honest).problem is None


def test_a_command_with_another_body_is_named() -> None:
    acts = list(a_game())
    kept = kept_of(acts, 2)
    at = first_by(2, PlayCard)
    other = first_by(2, PlayCard, at + 1)
    theirs = with_lines(
        kept,
        lambda line: replace(line, command=next(x.command for x in kept.lines if isinstance(x, Sent)
                             and x.command_id == acts[other].command_id))
        if isinstance(line, Sent) and line.command_id == acts[at].command_id else line,
    )  # fmt: skip
    finding = found(acts, theirs)
    assert finding.problem is not None
    assert (at + 1, "command") == (finding.problem.version, finding.problem.check)
    assert "sent was PlayCard(seat=2, card=" in finding.problem.text


def test_a_command_under_another_id_is_named_as_never_sent() -> None:
    acts = list(a_game())
    kept = kept_of(acts, 2)
    at = first_by(2)
    acts[at] = replace(acts[at], command_id=bytes(16))
    assert (at + 1, "sent") == difference(acts, kept)


def test_a_command_that_was_accepted_and_is_missing_is_named() -> None:
    acts = list(a_game())
    kept = kept_of(acts, 2)
    sent = Sent(kept.lines[-1].clock_ms, bytes(16), 40, b"")
    answer = Answered(kept.lines[-1].clock_ms, bytes(16), 41, "")
    assert (41, "answer") == difference(acts, kept._replace(lines=(*kept.lines, sent, answer)))
    beyond = replace(answer, version=len(acts) + 1)
    assert (len(acts) + 1, "missing") == difference(acts, kept._replace(lines=(*kept.lines, sent, beyond)))


def test_a_command_that_a_rule_refused_and_is_in_the_log_is_named() -> None:
    acts = list(a_game())
    kept = kept_of(acts, 2)
    at = first_by(2)
    by_rule = {"not_your_turn": True, "stale_version": True}
    for reason, is_named in {**by_rule, "unavailable": False, "not_allowed": False, "tomorrow": False}.items():
        refused = Answered(0, acts[at].command_id, 0, reason)
        finding = found(acts, kept._replace(lines=(*kept.lines, refused)))
        assert is_named == (finding.problem is not None)
        if finding.problem:
            assert (at + 1, "answer") == (finding.problem.version, finding.problem.check)


def test_a_command_of_this_seat_under_another_author_is_named() -> None:
    acts = list(a_game())
    kept = kept_of([], 2)
    at = first_by(1)
    line = Sent(acts[at].at_ms, acts[at].command_id, acts[at].version - 1, b"")
    assert (at + 1, "author") == difference(acts, kept._replace(lines=(line,)))


def test_a_command_filed_in_another_turn_than_it_was_sent_for_is_named() -> None:
    acts = list(a_game())
    at = first_by(2, start=60)
    kept = with_lines(
        kept_of(acts, 2),
        lambda line: replace(line, expected_version=line.expected_version - 1)
        if isinstance(line, Sent) and line.command_id == acts[at].command_id else line,
    )  # fmt: skip
    assert (at + 1, "turn") == difference(acts, kept)


@pytest.mark.parametrize("field", ["turn_version", "deadline_ms"])
def test_a_turn_told_otherwise_is_named(field: str) -> None:
    acts = list(a_game())
    kept = kept_of(acts, 2)
    turn = next(line for line in kept.lines if isinstance(line, Turn))
    told = with_lines(kept, lambda x: replace(x, **{field: getattr(x, field) - 1}) if x is turn else x)
    assert (turn.version, "turn") == difference(acts, told)


def test_options_offered_otherwise_are_named() -> None:
    acts = list(a_game())
    kept = kept_of(acts, 2)
    first, second = [line for line in kept.lines if isinstance(line, Turn)][:2]
    for options in (b"", b"\xff", second.options[:-1]):
        told = with_lines(kept, lambda x, options=options: replace(x, options=options) if x is first else x)
        assert (first.version, "options") == difference(acts, told)


def test_a_turn_of_another_seat_is_named() -> None:
    acts = list(a_game())
    kept = kept_of(acts, 2)
    turn = next(line for line in kept_of(acts, 3).lines if isinstance(line, Turn))
    assert (turn.version, "turn") == difference(acts, kept._replace(lines=(*kept.lines, turn)))


def test_a_transcript_of_another_seat_is_named_at_the_deal() -> None:
    acts = list(a_game())
    kept = kept_of(acts, 2)
    wrong = kept._replace(header=replace(kept.header, viewer="seat:3"))
    assert 2 == difference(acts, wrong)[0]


def test_a_transcript_of_another_table_is_refused() -> None:
    acts = list(a_game())
    kept = kept_of(acts, 2, stream=OTHER)
    assert (0, "stream") == difference(acts, kept)
    tournament = kept._replace(header=Header("tournament", STREAM, "spectator", 1))
    assert (0, "stream") == difference(acts, tournament)


def test_a_log_that_cannot_be_read_on_is_named_at_that_act() -> None:
    stored = chained(list(a_game()))
    kept = kept_of(list(a_game()), 2)
    for body in (b"\xff\xff", b""):
        spoilt = [*stored[:30], replace(stored[30], body=body), *stored[31:]]
        assert (31, "log") == difference(spoilt, kept)  # type: ignore[arg-type]
    assert (32, "log") == difference([*stored[:31], *stored[32:]], kept)  # type: ignore[arg-type]


# Times


def test_a_time_of_receipt_before_the_command_was_sent_is_named() -> None:
    acts = list(a_game())
    kept = kept_of(acts, 2)
    at = first_by(2, start=80)
    early = TOLERANCE_MS + 100
    acts[at] = replace(acts[at], received_ms=acts[at].received_ms - early)
    finding = found(acts, kept)
    assert finding.problem is not None
    assert (at + 1, "time") == (finding.problem.version, finding.problem.check)
    assert finding.problem.text.startswith("received ")


def test_a_time_of_notice_after_the_turn_was_seen_is_named() -> None:
    acts = list(a_game())
    kept = kept_of(acts, 2)
    at = first_by(2, start=80)
    acts[at] = replace(acts[at], noticed_ms=acts[at].noticed_ms + TOLERANCE_MS + 100)
    finding = found(acts, kept)
    assert finding.problem is not None
    assert (at + 1, "time") == (finding.problem.version, finding.problem.check)
    assert finding.problem.text.startswith("the turn was published ")


def test_times_that_two_honest_clocks_may_show_are_no_difference() -> None:
    acts = list(a_game())
    kept = kept_of(acts, 2)
    at = first_by(2, start=80)
    near = acts[at].noticed_ms + TOLERANCE_MS - 100
    acts[at] = replace(acts[at], noticed_ms=near)
    assert found(acts, kept).problem is None


def test_a_clock_that_was_set_begins_a_new_part_of_the_transcript() -> None:
    acts = list(a_game())
    lines, later = kept_of(acts[:60], 2).lines, kept_of(acts, 2, ahead_ms=60_000).lines
    rest = later[len(lines) :]
    header = kept_of(acts, 2).header
    assert found(acts, Transcript(header, (*lines, Clock(0), *rest), 0, False)).problem is None
    assert "time" == difference(acts, Transcript(header, (*lines, *rest), 0, False))[1]


def test_a_turn_that_came_late_is_a_note() -> None:
    acts = list(a_game())
    at = first_by(2, start=80)
    kept = with_lines(
        kept_of(acts, 2),
        lambda x: replace(x, clock_ms=x.clock_ms + 9_000)
        if isinstance(x, Turn) and x.version == acts[at].version - 1 else x,
    )  # fmt: skip
    finding = found(acts, kept)
    assert finding.problem is None
    assert f"act {at + 1}: the turn came here 9000 ms or more after the house says it was published" in finding.notes


def test_an_answer_in_time_to_a_turn_that_expired_is_a_note_with_its_margin() -> None:
    acts = list(a_game())
    at = next(i for i, act in enumerate(acts) if i > 60 and isinstance(act.events[0], TurnExpired))
    seat = acts[at].events[0].seat
    kept = kept_of(acts, seat)
    sent = Sent(acts[at].deadline_ms - 5_000, bytes(16), acts[at].version - 1, b"")
    finding = found(acts, kept._replace(lines=(*kept.lines, sent)))
    assert finding.problem is None
    note = f"act {at + 1}: this seat's turn expired, an answer had been sent 4985 ms or more before its deadline"
    assert note in finding.notes


# Tournaments


def test_what_was_kept_of_a_tournament_agrees_and_another_team_is_named() -> None:
    acts = hold("knockout", 4)
    stored = chained(acts, STREAM, tournament_codec.at_rest)
    kept = tournament_kept_of(acts)
    honest = compare(audit.EVENT, STREAM, stored, [kept])[0]
    assert (None, ()) == (honest.problem, honest.notes)
    acts[2] = replace(acts[2], events=(replace(acts[2].events[0], name="Others"),))
    finding = compare(audit.EVENT, STREAM, chained(acts, STREAM, tournament_codec.at_rest), [kept])[0]
    assert finding.problem is not None
    assert (3, "shown") == (finding.problem.version, finding.problem.check)


def test_another_root_than_the_one_announced_is_named() -> None:
    acts = hold("knockout", 4)
    root = bytes(range(32))
    acts[-1] = replace(acts[-1], events=(replace(acts[-1].events[-1], root=root),))
    stored = chained(acts, STREAM, tournament_codec.at_rest)
    kept = tournament_kept_of(acts)
    for value, is_named in ((root, False), (bytes(32), True)):
        noted = kept._replace(lines=(*kept.lines, Noted(0, "root", value)))
        problem = compare(audit.EVENT, STREAM, stored, [noted])[0].problem
        assert is_named == (problem is not None)
        if problem:
            assert (len(acts), "root") == (problem.version, problem.check)


def test_another_last_hash_than_the_one_announced_is_named() -> None:
    acts = hold("knockout", 4)
    stored = chained(acts, STREAM, tournament_codec.at_rest)
    kept = tournament_kept_of(acts)
    for value, is_named in ((stored[-1].hash, False), (bytes(32), True)):
        noted = kept._replace(lines=(*kept.lines, Noted(0, "head", value)))
        problem = compare(audit.EVENT, STREAM, stored, [noted])[0].problem
        assert is_named == (problem is not None)
        if problem:
            assert (len(acts), "head") == (problem.version, problem.check)
