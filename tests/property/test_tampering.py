"""Whatever is done to a recorded log, at whatever place, is found and named; what only a noted hash shows, by that."""

import io
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any
from uuid import UUID

import pytest
from pinochle import audit, export
from pinochle.commands import DealCards
from pinochle.decider import Act
from pinochle.events import (
    AuctionWon,
    DealScored,
    DixScored,
    GameEnded,
    HandDealt,
    HandScored,
    MeldLaid,
    MeldShown,
    MeldsTotaled,
    TableClosed,
    TableOpened,
    TrickWon,
    TurnUpShown,
)
from pinochle.export import StoredAct
from pinochle.game import GAME
from pinochle.pinning import Pins
from pinochle.rules import load
from pinochle.tournament import (
    MatchWon,
    PlacesAwarded,
    PlacesFinal,
    Seeded,
    StandingsFinal,
    TournamentClosed,
    TournamentCreated,
    TournamentEnded,
)

from tests.played import STREAM, chained, hold_with_tables, play, play_table

PLACES = 8
"""Random places at which each log is spoilt in each way."""
OTHER = UUID("0192d3a4-5b6c-7d8e-9fa0-b1c2d3e4f507")
TABLES = ("classic", "double-deck-club", "danish-nobid", "two-handed", "three-handed-stock")
TOURNAMENTS = ("knockout", "round_robin", "rounds")
LOGS = (*TABLES, *TOURNAMENTS)
CONCLUSIONS = (
    AuctionWon, DealScored, DixScored, GameEnded, HandScored, MeldLaid, MeldShown, MeldsTotaled, TrickWon, TurnUpShown,
    MatchWon, PlacesAwarded, PlacesFinal, Seeded, StandingsFinal, TournamentEnded,
)  # fmt: skip


@cache
def acts_of(name: str) -> tuple[Act, ...]:
    if name in TOURNAMENTS:
        return tuple(hold_with_tables(name, 5, teams=4)[0])
    return tuple(play(name, 5, turn_ms=30_000, expire_every=9))


@cache
def another(name: str) -> tuple[Act, ...]:
    """Another log of the same kind."""
    if name in TOURNAMENTS:
        return tuple(hold_with_tables(name, 6, teams=4)[0])
    return tuple(play(name, 6, turn_ms=30_000, expire_every=9))


def kind_of(name: str) -> audit.Kind:
    return audit.EVENT if name in TOURNAMENTS else audit.TABLE


def stored(name: str, acts: Sequence[Act], stream: UUID = STREAM) -> list[StoredAct]:
    """The acts numbered anew, and the chain made anew, as somebody would who can write the whole log."""
    numbered = [replace(act, version=version) for version, act in enumerate(acts, 1)]
    return chained(numbered, stream, kind_of(name).at_rest)


def report_on(name: str, log: Sequence[StoredAct], stream: UUID = STREAM) -> audit.Report:
    """What is found in the log, written to a file and read again."""
    lines = b"".join(export.lines(kind_of(name).name, stream, log))
    return audit.verify_export(io.BytesIO(lines))


def named(name: str, log: Sequence[StoredAct]) -> tuple[int, str]:
    """The version and the check of the first bad act; fails where none is named."""
    report = report_on(name, log)
    assert report.problem is not None, f"{name}: nothing was found"
    assert "\n" not in report.problem.text
    return report.problem.version, report.problem.check


def places(name: str, why: str) -> list[int]:
    return random.Random(f"{name} {why}").choices(range(len(acts_of(name))), k=PLACES)


@pytest.mark.parametrize("name", LOGS)
def test_the_logs_of_these_tests_are_in_order(name: str) -> None:
    for acts in (acts_of(name), another(name)):
        assert (audit.OK, None) == (report_on(name, stored(name, acts)).outcome, None)


@pytest.mark.parametrize("name", LOGS)
def test_a_flipped_bit_of_the_file_is_named_by_its_act(name: str) -> None:
    chance = random.Random(name)
    lines = list(export.lines(kind_of(name).name, STREAM, stored(name, acts_of(name))))
    for at in places(name, "flip"):
        line = bytearray(lines[at + 1])
        line[chance.randrange(len(line))] ^= 1 << chance.randrange(8)
        report = audit.verify_export(io.BytesIO(b"".join([*lines[: at + 1], line, *lines[at + 2 :]])))
        assert report.problem is not None
        assert at + 1 == report.problem.version


@pytest.mark.parametrize("name", LOGS)
def test_a_flipped_bit_of_a_stored_act_is_named_at_it(name: str) -> None:
    chance = random.Random(name)
    log = stored(name, acts_of(name))
    for at in places(name, "stored"):
        field = chance.choice(("body", "command_id", "hash"))
        value = bytearray(getattr(log[at], field))
        value[chance.randrange(len(value))] ^= 1 << chance.randrange(8)
        spoilt = replace(log[at], **{field: bytes(value)})
        assert (at + 1, "chain") == named(name, [*log[:at], spoilt, *log[at + 1 :]])


@pytest.mark.parametrize("name", LOGS)
def test_a_dropped_act_is_named_at_its_place(name: str) -> None:
    log = stored(name, acts_of(name))
    for at in places(name, "drop"):
        if at < len(log) - 1:
            assert (at + 1, "version") == named(name, [*log[:at], *log[at + 1 :]])
        else:
            assert (at + 1, "end") == named(name, log[:at])


@pytest.mark.parametrize("name", LOGS)
def test_a_dropped_act_with_numbers_and_chain_made_anew_is_named_at_its_place_or_behind(name: str) -> None:
    acts = acts_of(name)
    for at in places(name, "drop anew"):
        version, _ = named(name, stored(name, [*acts[:at], *acts[at + 1 :]]))
        assert at + 1 <= version


@pytest.mark.parametrize("name", LOGS)
def test_a_dropped_event_is_named_at_its_act(name: str) -> None:
    chance = random.Random(name)
    acts = acts_of(name)
    for at in places(name, "event"):
        gone = chance.randrange(len(acts[at].events))
        left = tuple(event for place, event in enumerate(acts[at].events) if place != gone)
        version, _ = named(name, stored(name, [*acts[:at], replace(acts[at], events=left), *acts[at + 1 :]]))
        assert at + 1 == version


@pytest.mark.parametrize("name", LOGS)
def test_an_inserted_act_is_named_at_its_place(name: str) -> None:
    chance = random.Random(name)
    acts, log = acts_of(name), stored(name, acts_of(name))
    for at in places(name, "insert"):
        assert (at + 2, "version") == named(name, [*log[: at + 1], log[at], *log[at + 1 :]])
        before = acts[at].at_ms
        times = {"received_ms": before} | ({"noticed_ms": before} if acts[at].noticed_ms else {})
        again = replace(acts[at], command_id=chance.randbytes(16), at_ms=before, **times)
        version, _ = named(name, stored(name, [*acts[: at + 1], again, *acts[at + 1 :]]))
        assert at + 2 == version


@pytest.mark.parametrize("name", LOGS)
def test_two_acts_in_each_others_place_are_named_by_the_first(name: str) -> None:
    acts, log = acts_of(name), stored(name, acts_of(name))
    chance = random.Random(name)
    for at in places(name, "swap"):
        other = chance.randrange(len(acts))
        first, second = sorted((at, other))
        if first == second:
            continue
        swapped = [*log[:first], log[second], *log[first + 1 : second], log[first], *log[second + 1 :]]
        assert (first + 1, "version") == named(name, swapped)
        renumbered = [replace(act, version=version) for version, act in enumerate(swapped, 1)]
        assert (first + 1, "chain") == named(name, renumbered)
        anew = [*acts[:first], acts[second], *acts[first + 1 : second], acts[first], *acts[second + 1 :]]
        assert first + 1 <= named(name, stored(name, anew))[0]


@pytest.mark.parametrize("name", LOGS)
def test_a_tail_cut_off_is_named_by_the_first_missing_act(name: str) -> None:
    acts = acts_of(name)
    lines = list(export.lines(kind_of(name).name, STREAM, stored(name, acts)))
    for at in places(name, "tail"):
        length = max(1, at)
        report = audit.verify_export(io.BytesIO(b"".join(lines[: length + 1])))
        assert report.problem is not None
        assert (length + 1, "file") == (report.problem.version, report.problem.check)
        assert (length + 1, "end") == named(name, stored(name, acts[:length]))


@pytest.mark.parametrize("name", LOGS)
def test_an_act_moved_here_from_another_stream_is_named_at_its_place(name: str) -> None:
    log, elsewhere = stored(name, acts_of(name)), stored(name, another(name), OTHER)
    for at in places(name, "move"):
        if at < len(elsewhere):
            assert (at + 1, "chain") == named(name, [*log[:at], elsewhere[at], *log[at + 1 :]])


@pytest.mark.parametrize("name", LOGS)
def test_an_act_moved_here_with_the_chain_made_anew_is_named_or_legal_and_shown_by_a_noted_hash(
    name: str,
) -> None:
    acts = acts_of(name)
    head = stored(name, acts)[-1].hash
    chance = random.Random(name)
    for at in places(name, "move anew"):
        moved = chance.choice(another(name))
        report = report_on(name, stored(name, [*acts[:at], moved, *acts[at + 1 :]]))
        if report.problem is None:  # as a call or a result might have been
            assert ["pin"] == checks(head, report)
        else:
            assert report.problem.version >= at + 1


@pytest.mark.parametrize("name", LOGS)
def test_an_event_moved_here_from_another_stream_is_named_at_its_act(name: str) -> None:
    acts = acts_of(name)
    chance = random.Random(name)
    for at in places(name, "move event"):
        place = chance.randrange(len(acts[at].events))
        moved = chance.choice(chance.choice(another(name)).events)
        if moved != acts[at].events[place]:
            events = (*acts[at].events[:place], moved, *acts[at].events[place + 1 :])
            version, _ = named(name, stored(name, [*acts[:at], replace(acts[at], events=events), *acts[at + 1 :]]))
            assert at + 1 == version


@pytest.mark.parametrize("name", LOGS)
def test_every_changed_conclusion_is_named_at_its_act(name: str) -> None:
    acts = acts_of(name)
    found: set[type] = set()
    for at, act in enumerate(acts):
        for place, event in enumerate(act.events):
            if not isinstance(event, CONCLUSIONS) or event.__class__ in found:
                continue
            found.add(event.__class__)
            for field in event.__slots__:
                events = (*act.events[:place], altered(event, field), *act.events[place + 1 :])
                spoilt = stored(name, [*acts[:at], replace(act, events=events), *acts[at + 1 :]])
                version, check = named(name, spoilt)
                assert (at + 1, True) == (version, check in ("rules", "body")), (event, field)
    assert found


def altered(event: Any, field: str) -> Any:
    """The event with one of its fields changed to something that could have been."""
    value = getattr(event, field)
    if isinstance(value, bool):
        other: Any = not value
    elif isinstance(value, int):
        other = value + 1 if value < 1 else value - 1
    elif isinstance(value, str):
        other = "score" if value != "score" else "draw"
    elif value and isinstance(value[0], int):
        other = (value[0] + 1, *value[1:])
    else:
        other = (*value, *value) if value else ()
    return replace(event, **{field: other}) if other != value else replace(event, **{event.__slots__[0]: 1})


@pytest.mark.parametrize("name", TABLES)
def test_a_deck_that_does_not_follow_from_the_seed_is_named(name: str) -> None:
    chance = random.Random(name)
    acts = acts_of(name)
    state = GAME.initial()
    for at, act in enumerate(acts):
        if isinstance(act.command, DealCards):
            deck = list(act.command.deck)
            while tuple(deck) == act.command.deck:
                one, two = chance.sample(range(len(deck)), 2)
                deck[one], deck[two] = deck[two], deck[one]
            command = DealCards(tuple(deck))
            spoilt = replace(act, command=command, events=GAME.decide(state, command))
            assert (at + 1, "deck") == named(name, stored(name, [*acts[:at], spoilt, *acts[at + 1 :]]))
        state = GAME.fold(state, act.events, act.at_ms)


def with_event(name: str, kind: type, **changes: Any) -> tuple[int, list[StoredAct]]:
    """The version of the act with the one event of this kind, and the log with that event changed."""
    acts = acts_of(name)
    at = next(at for at, act in enumerate(acts) if any(isinstance(event, kind) for event in act.events))
    events = tuple(replace(event, **changes) if isinstance(event, kind) else event for event in acts[at].events)
    return at + 1, stored(name, [*acts[:at], replace(acts[at], events=events), *acts[at + 1 :]])


@pytest.mark.parametrize("name", LOGS)
def test_a_seed_that_does_not_match_its_commitment_is_named(name: str) -> None:
    opened, closed = (TournamentCreated, TournamentClosed) if name in TOURNAMENTS else (TableOpened, TableClosed)
    for kind, changes in (
        (opened, {"commitment": bytes(32)}),
        (opened, {"seed": bytes(32)}),
        (opened, {"seed": b""}),
        (closed, {"seed": bytes(32)}),
        (closed, {"seed": b""}),
    ):
        version, log = with_event(name, kind, **changes)
        assert (version, "commitment") == named(name, log)


@pytest.mark.parametrize("name", TABLES)
def test_another_seed_with_its_commitment_is_named_at_the_first_deck(name: str) -> None:
    acts = list(acts_of(name))
    command = replace(acts[0].command, seed=bytes(range(32)))
    acts[0] = replace(acts[0], command=command, events=GAME.decide(GAME.initial(), command))
    assert (2, "deck") == named(name, stored(name, acts))


@pytest.mark.parametrize("name", TABLES)
def test_dealt_cards_that_are_not_those_of_the_deck_are_named(name: str) -> None:
    acts = acts_of(name)
    at = next(at for at, act in enumerate(acts) if isinstance(act.events[0], HandDealt))
    dealt = acts[at].events[0]
    events = (replace(dealt, hands=(*dealt.hands[1:], dealt.hands[0])), *acts[at].events[1:])
    spoilt = [*acts[:at], replace(acts[at], events=events), *acts[at + 1 :]]
    assert (at + 1, "rules") == named(name, stored(name, spoilt))


# What only a noted hash shows, or a tournament beside its tables.


def checks(root: bytes | None, *reports: audit.Report) -> list[str]:
    """The checks that fail where these reports are held beside a noted hash and each other."""
    return [finding.check for finding in findings(root, *reports)]


def findings(root: bytes | None, *reports: audit.Report) -> list[Any]:
    pins = Pins(root)
    for report in reports:
        pins.add(report)
    return pins.findings()


@cache
def event(name: str) -> tuple[tuple[Act, ...], dict[UUID, tuple[Act, ...]]]:
    """A tournament, and its tables by their ids."""
    acts, tables = hold_with_tables(name, 9, teams=4)
    return tuple(acts), {UUID(table): tuple(played) for table, played in tables.items()}


def reports(name: str, acts: Sequence[Act], tables: dict[UUID, Sequence[Act]]) -> list[audit.Report]:
    """The reports on a tournament and its tables; each is in order by itself."""
    found = [report_on(name, stored(name, acts))]
    found += [report_on("classic", stored("classic", played, table), table) for table, played in tables.items()]
    assert [None] * len(found) == [report.problem for report in found]
    return found


@pytest.mark.parametrize("name", TOURNAMENTS)
def test_a_tournament_its_tables_and_its_head_fit(name: str) -> None:
    acts, tables = event(name)
    whole = reports(name, acts, dict(tables))
    pins = Pins(whole[0].head)
    for report in whole:
        pins.add(report)
    assert [] == pins.findings()
    assert [(STREAM, len(tables), len(tables))] == pins.covered
    assert [] == checks(None, *whole)
    assert [] == checks(whole[0].head, whole[0])
    assert [] == checks(whole[0].head, whole[0], whole[-1])


@pytest.mark.parametrize("name", TABLES)
def test_a_table_written_anew_as_another_legal_game_is_shown_by_its_noted_head_alone(name: str) -> None:
    opening = acts_of(name)[0].command
    head = stored(name, acts_of(name))[-1].hash
    anew = play_table("director", opening, random.Random(1), 9)
    assert opening == anew[0].command
    report = report_on(name, stored(name, anew))
    assert audit.OK == report.outcome
    assert ["pin"] == checks(head, report)
    assert [] == checks(report.head, report)


@pytest.mark.parametrize("name", TOURNAMENTS)
def test_a_table_written_anew_is_named_beside_its_tournament(name: str) -> None:
    acts, tables = event(name)
    head = stored(name, acts)[-1].hash
    table = random.Random(name).choice(list(tables))
    spoilt = dict(tables) | {table: play_table("tournament", tables[table][0].command, random.Random(2))}
    for root in (None, head):
        (finding,) = findings(root, *reports(name, acts, spoilt))
        assert (table, "pin") == (finding.stream, finding.check)


@pytest.mark.parametrize("name", TOURNAMENTS)
def test_a_tournament_written_anew_with_all_its_tables_is_shown_by_its_noted_head_alone(name: str) -> None:
    acts, _ = event(name)
    head = stored(name, acts)[-1].hash
    anew, tables = hold_with_tables(name, 10, teams=4)
    whole = reports(name, anew, {UUID(table): played for table, played in tables.items()})
    assert [] == checks(None, *whole)
    (finding,) = findings(head, *whole)
    assert (STREAM, "pin") == (finding.stream, finding.check)


@pytest.mark.parametrize("name", TOURNAMENTS)
def test_a_time_changed_with_the_chain_made_anew_is_shown_by_the_noted_head(name: str) -> None:
    acts, tables = event(name)
    head = stored(name, acts)[-1].hash
    table = next(iter(tables))
    played = list(tables[table])
    played[-1] = replace(played[-1], at_ms=played[-1].at_ms + 1)
    assert ["pin"] == checks(head, *reports(name, acts, dict(tables) | {table: played}))
    later = [*acts[:-1], replace(acts[-1], at_ms=acts[-1].at_ms + 1)]
    assert ["pin"] == checks(head, *reports(name, later, dict(tables)))


def pinned_anew(name: str, acts: Sequence[Act], tables: dict[UUID, Sequence[Act]]) -> list[Act]:
    """The tournament with the last hashes of these tables in its list, as its house could have written it."""
    state = audit.EVENT.decider.initial()
    for act in acts[:-1]:
        state = audit.EVENT.decider.fold(state, act.events, act.at_ms)
    heads = {str(table): stored("classic", played, table)[-1] for table, played in tables.items()}
    listed = tuple(
        one._replace(acts=heads[one.table].version, head=heads[one.table].hash) if one.table in heads else one
        for one in acts[-1].command.tables
    )
    command = replace(acts[-1].command, tables=listed)
    return [*acts[:-1], replace(acts[-1], command=command, events=audit.EVENT.decider.decide(state, command))]


def other_opening(change: Callable[[Any], dict[str, Any]], name: str) -> list[Any]:
    """What is found where a table was opened otherwise than its tournament wanted, and its hash is in the list."""
    acts, tables = event(name)
    table = random.Random(name).choice(list(tables))
    opening = tables[table][0].command
    spoilt = dict(tables) | {table: play_table("tournament", replace(opening, **change(opening)), random.Random(3))}
    found = findings(None, *reports(name, pinned_anew(name, acts, spoilt), spoilt))
    assert {table} == {finding.stream for finding in found}
    return found


@pytest.mark.parametrize("name", TOURNAMENTS)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda opening: {"seed": bytes(range(32))}, "the seed"),
        (lambda opening: {"players": opening.players[1:] + opening.players[:1]}, "the players"),
        (lambda opening: {"dealer": (opening.dealer + 1) % len(opening.players)}, "the dealer"),
        (lambda opening: {"nonce": b"chosen"}, "the nonce"),
        (lambda opening: {"deal_limit": opening.deal_limit + 1}, "the deal limit"),
        (lambda opening: {"turn_ms": 1}, "the time of a turn"),
        (lambda opening: {"match": "r9m9"}, "the match"),
        (lambda opening: {"tournament": ""}, "the tournament"),
        (lambda opening: {"rules": load("three-handed-stock" if opening.rules.is_stock else "classic")}, "the rules"),
    ],
)
def test_a_table_opened_otherwise_than_its_tournament_wanted_is_named(
    name: str, change: Callable[[Any], dict[str, Any]], words: str
) -> None:
    (finding,) = other_opening(change, name)
    assert "table" == finding.check
    assert f"expected {words} " in finding.text


@pytest.mark.parametrize("name", TOURNAMENTS)
def test_a_result_other_than_that_of_the_table_is_named(name: str) -> None:
    acts, tables = event(name)
    table = random.Random(name).choice(list(tables))
    spoilt = {table: play_table("tournament", tables[table][0].command, random.Random(4))}
    everything = dict(tables) | spoilt
    assert ["table"] == checks(None, *reports(name, pinned_anew(name, acts, everything), everything))


def test_a_table_of_another_tournament_or_of_none_is_not_under_this_root() -> None:
    acts, tables = event("knockout")
    stray = report_on("classic", stored("classic", acts_of("classic"), OTHER), OTHER)
    whole = reports("knockout", acts, dict(tables))
    (finding,) = findings(whole[0].head, *whole, stray)
    assert (OTHER, "pin") == (finding.stream, finding.check)
    assert [] == checks(None, *whole, stray)


def test_a_table_that_says_it_belongs_to_a_tournament_which_never_had_it_is_named() -> None:
    acts, tables = event("knockout")
    opening = next(iter(tables.values()))[0].command
    claimed = play_table("tournament", opening, random.Random(5))
    stray = report_on("classic", stored("classic", claimed, OTHER), OTHER)
    (finding,) = findings(None, *reports("knockout", acts, dict(tables)), stray)
    assert (OTHER, "table") == (finding.stream, finding.check)


def test_what_is_bad_by_itself_is_not_named_again() -> None:
    acts, tables = event("knockout")
    whole = reports("knockout", acts, dict(tables))
    table = next(iter(tables))
    cut = report_on("classic", stored("classic", tables[table][:-1], table), table)
    assert cut.problem is not None
    others = [report for report in whole if report.stream != table]
    assert [] == checks(whole[0].head, *others, cut)
    assert [] == checks(whole[0].head, replace(whole[0], outcome=audit.BAD), *whole[1:])


def as_newer(report: audit.Report) -> audit.Report:
    """The report on a log of this head whose first act only a newer version can read."""
    return replace(report, outcome=audit.NEWER, problem=audit.Problem(1, "newer", ""), state=None, acts=0, ended=False)


def test_what_a_newer_version_wrote_is_pinned_all_the_same() -> None:
    acts, tables = event("knockout")
    whole = reports("knockout", acts, dict(tables))
    first, table, *others = whole
    assert [] == checks(first.head, as_newer(first), table)
    assert ["pin"] == checks(bytes(32), as_newer(first), table)
    assert [] == checks(first.head, first, as_newer(table), *others)
    assert ["pin"] == checks(first.head, first, replace(as_newer(table), head=bytes(32)), *others)


@pytest.mark.parametrize("name", TOURNAMENTS)
def test_a_stream_that_is_there_twice_and_otherwise_is_named(name: str) -> None:
    acts, tables = event(name)
    whole = reports(name, acts, dict(tables))
    table = next(iter(tables))
    anew = reports(name, acts, {table: play_table("tournament", tables[table][0].command, random.Random(6))})[1]
    for order in ([anew, *whole], [*whole, anew]):
        assert (table, "pin") in [(finding.stream, finding.check) for finding in findings(whole[0].head, *order)]
    assert [] == checks(whole[0].head, *whole, *whole)
