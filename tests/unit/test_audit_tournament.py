"""Logs of tournaments are audited like those of tables."""

import io
from dataclasses import replace
from functools import cache
from typing import Any
from uuid import UUID

import pytest
from pinochle import audit, export
from pinochle.decider import Act
from pinochle.export import StoredAct
from pinochle.tournament import CloseTournament, MatchWon, RecordResult, Seeded, TournamentClosed, TournamentEnded
from pinochle.wire import tournament_codec

from tests.played import STREAM, chained, hold


@cache
def knockout() -> tuple[Act, ...]:
    return tuple(hold("knockout", 4))


def log(acts: list[Act], stream: UUID = STREAM) -> list[StoredAct]:
    return chained(acts, stream, tournament_codec.at_rest)


def bad(acts: list[Act]) -> tuple[int, str]:
    """The version and the check that the audit names."""
    problem = audit.verify_tournament(STREAM, log(acts)).problem
    assert problem is not None
    return problem.version, problem.check


def with_event(kind: type[Any], **changes: object) -> tuple[int, list[Act]]:
    """The version of the first act with such an event, and the acts with it changed."""
    acts = list(knockout())
    at = next(i for i, act in enumerate(acts) if any(type(x) is kind for x in act.events))
    events = tuple(replace(x, **changes) if isinstance(x, kind) else x for x in acts[at].events)
    acts[at] = replace(acts[at], events=events)
    return at + 1, acts


@pytest.mark.parametrize("format_name", ["knockout", "round_robin"])
def test_a_tournament_as_held_is_in_order(format_name: str) -> None:
    acts = hold(format_name, 9)
    report = audit.verify_tournament(STREAM, log(acts))
    assert (audit.OK, None, ()) == (report.outcome, report.problem, report.notes)
    assert (len(acts), True) == (report.acts, report.ended)
    assert audit.rebuild(log(acts), audit.EVENT) == report.state


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        (Seeded, {"order": (4, 3, 2, 1, 0)}),
        (MatchWon, {"winner": 0, "loser": 0}),
        (TournamentEnded, {"champion": 99}),
    ],
)
def test_another_conclusion_is_named(kind: type, changes: dict[str, object]) -> None:
    version, acts = with_event(kind, **changes)
    assert (version, "rules") == bad(acts)


def test_a_result_recorded_by_a_director_is_named() -> None:
    acts = list(knockout())
    at = next(i for i, act in enumerate(acts) if isinstance(act.command, RecordResult))
    acts[at] = replace(acts[at], author="director")
    assert (at + 1, "author") == bad(acts)


def test_the_log_of_another_tournament_under_this_id_is_named() -> None:
    other = UUID(int=STREAM.int + 1)
    problem = audit.verify_tournament(other, log(list(knockout()), other)).problem
    assert problem is not None
    assert (1, "opening") == (problem.version, problem.check)


def test_another_seed_published_at_the_end_is_named() -> None:
    acts = list(knockout())
    acts[-1] = replace(acts[-1], events=(acts[-1].events[0], replace(acts[-1].events[1], seed=bytes(32))))
    assert (len(acts), "commitment") == bad(acts)


def test_a_tournament_that_lists_no_tables_is_named_unless_it_is_of_before() -> None:
    acts = list(knockout())
    seed = acts[-1].events[-1].seed
    acts[-1] = replace(acts[-1], command=CloseTournament(), events=(TournamentClosed(seed),))
    assert (len(acts), "root") == bad(acts)
    old = [replace(act, received_ms=0) for act in acts]
    assert audit.OK == audit.verify_tournament(STREAM, log(old)).outcome


def test_another_root_than_that_of_the_listed_tables_is_named() -> None:
    acts = list(knockout())
    acts[-1] = replace(acts[-1], events=(acts[-1].events[0], replace(acts[-1].events[1], root=bytes(32))))
    assert (len(acts), "rules") == bad(acts)


def test_a_changed_conclusion_is_named_whatever_the_version_of_the_games_rules_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(audit, "RULES_VERSION", 9)
    version, acts = with_event(MatchWon, reason="lot")
    assert (version, "rules") == bad(acts)


def test_an_export_says_which_kind_it_is() -> None:
    lines = export.lines("tournament", STREAM, log(list(knockout())))
    report = audit.verify_export(io.BytesIO(b"".join(lines)))
    assert (audit.OK, "tournament") == (report.outcome, report.kind)


def test_a_tournament_passed_off_as_a_table_is_named_at_its_first_act() -> None:
    lines = export.lines("table", STREAM, log(list(knockout())))
    problem = audit.verify_export(io.BytesIO(b"".join(lines))).problem
    assert problem is not None
    assert 1 == problem.version
