"""The audit finds the first act that is wrong, whatever was done to the log."""

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any
from uuid import UUID

import pytest
from pinochle import audit
from pinochle.cards import kinds
from pinochle.commands import DealCards, PlayCard
from pinochle.decider import Act
from pinochle.events import CardPlayed, HandDealt, HandScored, MeldShown, TableOpened, TrickWon, TurnExpired
from pinochle.export import StoredAct
from pinochle.game import GAME
from pinochle.rules import RULES_VERSION
from pinochle.wire import chain, codec

from tests.played import STREAM, chained, play
from tests.rule_sets import STOCK

OTHER = UUID("0192d3a4-5b6c-7d8e-9fa0-b1c2d3e4f507")


@cache
def a_game() -> tuple[Act, ...]:
    return tuple(play("classic", 7, turn_ms=30_000, expire_every=9))


def stored_game() -> list[StoredAct]:
    return chained(list(a_game()))


def bad(stored: list[StoredAct]) -> tuple[int, str]:
    """The version and the check that the audit names."""
    report = audit.verify_table(STREAM, stored)
    assert audit.BAD == report.outcome, report
    assert report.problem is not None
    assert report.problem.version - 1 == report.acts
    return report.problem.version, report.problem.check


def first(kind: type, start: int = 0) -> int:
    """The index of the first act, from `start` on, that holds an event of this kind."""
    return next(
        i for i, act in enumerate(a_game()) if i >= start and any(type(x) is kind for x in act.events)
    )


def changed(kind: type, change: Callable[[Any], Any]) -> tuple[int, list[StoredAct]]:
    """The version of the first act with such an event, and the log with it changed and a chain made anew."""
    at = first(kind)
    acts = list(a_game())
    events = list(acts[at].events)
    place = next(i for i, event in enumerate(events) if type(event) is kind)
    events[place] = change(events[place])
    acts[at] = replace(acts[at], events=tuple(events))
    return at + 1, chained(acts)


@pytest.mark.parametrize(
    "profile", ["classic", "danish", "danish-nobid", "cardgames", "double-deck-club", "single-s3", *STOCK]
)
def test_a_game_as_played_is_in_order(profile: str) -> None:
    acts = play(profile, 11, turn_ms=20_000, expire_every=7)
    report = audit.verify_table(STREAM, chained(acts))
    assert (audit.OK, None, ()) == (report.outcome, report.problem, report.notes)
    assert (len(acts), sum(len(act.events) for act in acts)) == (report.acts, report.events)
    assert report.ended
    assert 2 == report.deals


def test_the_state_rebuilt_from_events_is_the_one_that_was_played() -> None:
    state = GAME.initial()
    for act in a_game():
        state = GAME.fold(state, act.events, act.at_ms)
    assert state == audit.rebuild(stored_game())
    assert "closed" == audit.result(state)["phase"]
    assert list(state.totals) == audit.result(state)["totals"]


def test_every_flipped_byte_of_an_act_is_found_at_that_act() -> None:
    stored = stored_game()
    at = first(TrickWon)
    for field in ("command_id", "body", "hash"):
        value = getattr(stored[at], field)
        for byte in range(len(value)):
            flipped = value[:byte] + bytes((value[byte] ^ 0x10,)) + value[byte + 1 :]
            spoilt = [*stored[:at], replace(stored[at], **{field: flipped}), *stored[at + 1 :]]
            assert (at + 1, "chain") == bad(spoilt)


def test_a_flipped_byte_with_the_chain_made_anew_never_passes_unless_only_a_time_or_an_id_changed() -> None:
    stored, acts = stored_game(), list(a_game())
    at = first(CardPlayed)
    body = stored[at].body
    passed = []
    for byte in range(len(body)):
        spoilt = body[:byte] + bytes((body[byte] ^ 1,)) + body[byte + 1 :]
        report = audit.verify_table(STREAM, relinked(stored, at, spoilt))
        if report.ok:
            passed.append(codec.from_rest(at + 1, stored[at].command_id, spoilt))
        elif report.problem:
            assert report.problem.version >= at + 1
        else:
            assert audit.DIFFERS == report.outcome
    for act in passed:
        assert acts[at].events == act.events
        assert acts[at].command == act.command


def repeated(act: Act, turn_ms: int) -> Act:
    """The act once more, with the times that it would have right after itself."""
    at_ms = act.at_ms
    times = {"noticed_ms": at_ms, "received_ms": at_ms, "deadline_ms": at_ms + turn_ms if turn_ms else 0}
    return replace(act, command_id=bytes(16), **times)


def relinked(stored: list[StoredAct], at: int, body: bytes) -> list[StoredAct]:
    """The log with another body at one place, and the chain made anew from there."""
    spoilt, head = [], chain.START
    for i, act in enumerate(stored):
        new = body if i == at else act.body
        head = chain.link(head, STREAM.bytes, act.version, act.command_id, new)
        spoilt.append(replace(act, body=new, hash=head))
    return spoilt


def test_a_dropped_act_is_named_by_the_version_that_is_missing() -> None:
    stored = stored_game()
    assert (6, "version") == bad(stored[:5] + stored[6:])


def test_a_dropped_first_act_is_named() -> None:
    assert (1, "version") == bad(stored_game()[1:])


def test_a_dropped_act_with_the_others_renumbered_is_named() -> None:
    stored = stored_game()
    renumbered = [replace(act, version=i) for i, act in enumerate(stored[:5] + stored[6:], 1)]
    assert (6, "chain") == bad(renumbered)


def test_an_act_in_twice_is_named_at_its_second_place() -> None:
    stored = stored_game()
    assert (7, "version") == bad(stored[:6] + stored[5:])


def timed(kind: type, start: int = 1, **change: Callable[[Act, Act], int]) -> tuple[int, list[StoredAct]]:
    """The version of the first act with such an event, and the log with times of it changed and a chain made anew.

    Each change is given the act before and the act.
    """
    at, acts = first(kind, start), list(a_game())
    acts[at] = replace(acts[at], **{name: new(acts[at - 1], acts[at]) for name, new in change.items()})
    return at + 1, chained(acts)


@pytest.mark.parametrize(
    "change",
    [
        {"noticed_ms": lambda before, act: before.at_ms - 1},
        {"noticed_ms": lambda before, act: act.received_ms + 1},
        {"noticed_ms": lambda before, act: 0},
        {"received_ms": lambda before, act: act.noticed_ms - 1},
        {"received_ms": lambda before, act: act.at_ms + 1},
        {"received_ms": lambda before, act: 0},
        {"received_ms": lambda before, act: 0, "noticed_ms": lambda before, act: 0},
        {name: lambda before, act: 0 for name in ("received_ms", "noticed_ms", "deadline_ms")},
        {"deadline_ms": lambda before, act: 0},
        {"deadline_ms": lambda before, act: act.deadline_ms + 1},
        {"deadline_ms": lambda before, act: act.deadline_ms - 1},
    ],
)
@pytest.mark.parametrize("kind", [CardPlayed, TrickWon, TurnExpired, MeldShown])
def test_times_that_cannot_be_are_named_at_their_act(kind: type, change: dict[str, Any]) -> None:
    version, spoilt = timed(kind, **change)
    assert (version, "time") == bad(spoilt)


def test_a_first_act_with_a_notice_is_named() -> None:
    acts = list(a_game())
    acts[0] = replace(acts[0], noticed_ms=acts[0].received_ms)
    assert (1, "time") == bad(chained(acts))


def test_a_deadline_where_no_turn_is_open_is_named() -> None:
    version, spoilt = timed(HandDealt, deadline_ms=lambda before, act: act.at_ms)
    assert (version, "time") == bad(spoilt)


def test_an_expiry_that_was_found_before_its_time_is_named() -> None:
    early = {"received_ms": lambda before, act: act.deadline_ms + 1_999}
    version, spoilt = timed(TurnExpired, **early)
    assert (version, "time") == bad(spoilt)


def test_an_expiry_that_says_it_was_found_after_it_was_received_is_named() -> None:
    acts = list(a_game())
    at = first(TurnExpired)
    acts[at] = replace(acts[at], command=replace(acts[at].command, at_ms=acts[at].at_ms + 1))
    assert (at + 1, "time") == bad(chained(acts))


def test_a_log_of_before_notice_and_receipt_were_recorded_is_in_order() -> None:
    acts = [replace(act, noticed_ms=0, deadline_ms=0, received_ms=0) for act in a_game()]
    assert audit.OK == audit.verify_table(STREAM, chained(acts)).outcome


def test_a_log_in_which_notice_and_receipt_begin_to_be_recorded_is_in_order() -> None:
    acts = list(a_game())
    acts[:40] = [replace(act, noticed_ms=0, deadline_ms=0, received_ms=0) for act in acts[:40]]
    assert audit.OK == audit.verify_table(STREAM, chained(acts)).outcome


def test_an_inserted_act_with_numbers_and_chain_made_anew_is_named() -> None:
    acts = list(a_game())
    at = first(CardPlayed)
    again = [*acts[: at + 1], repeated(acts[at], 30_000), *acts[at + 1 :]]
    assert (at + 2, "rules") == bad(chained([replace(act, version=i) for i, act in enumerate(again, 1)]))


def test_a_command_id_used_twice_by_one_author_is_named() -> None:
    acts = list(a_game())
    later = first(TurnExpired)
    acts[later] = replace(acts[later], command_id=acts[1].command_id)
    assert (later + 1, "command id") == bad(chained(acts))


def test_two_acts_in_each_others_place_are_named_by_the_first_of_them() -> None:
    stored = stored_game()
    assert (9, "version") == bad([*stored[:8], stored[9], stored[8], *stored[10:]])
    swapped = [*stored[:8], replace(stored[9], version=9), replace(stored[8], version=10), *stored[10:]]
    assert (9, "chain") == bad(swapped)


def test_an_act_moved_here_from_another_table_is_named() -> None:
    stored = stored_game()
    elsewhere = chained(list(a_game()), OTHER)
    assert (12, "chain") == bad([*stored[:11], elsewhere[11], *stored[12:]])


def test_a_whole_log_under_another_tables_id_is_named_at_its_first_act() -> None:
    assert (1, "chain") == bad(chained(list(a_game()), OTHER))


def test_a_tail_cut_off_is_named_by_the_first_missing_version() -> None:
    stored = stored_game()
    assert (len(stored), "end") == bad(stored[:-1])
    assert (21, "end") == bad(stored[:20])


def test_a_running_table_is_in_order_where_it_need_not_end() -> None:
    report = audit.verify_table(STREAM, stored_game()[:20], must_end=False)
    assert audit.OK == report.outcome
    assert not report.ended
    assert "has not ended" in report.notes[0]


def test_an_empty_log_has_no_first_act() -> None:
    assert (1, "end") == bad([])


def test_another_winner_of_a_trick_is_named() -> None:
    version, log = changed(TrickWon, lambda e: replace(e, seat=(e.seat + 1) % 4))
    assert (version, "rules") == bad(log)
    problem = audit.verify_table(STREAM, log).problem
    assert problem is not None
    assert "TrickWon.seat: expected " in problem.text


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (TrickWon, lambda e: replace(e, points=e.points + 10)),
        (MeldShown, lambda e: replace(e, points=e.points + 40)),
        (HandScored, lambda e: replace(e, totals=(e.totals[0], e.totals[1] + 10))),
        (HandScored, lambda e: replace(e, outcome="made" if e.outcome != "made" else "set")),
    ],
)
def test_another_conclusion_is_named(kind: type, change: Callable[[Any], Any]) -> None:
    version, log = changed(kind, change)
    assert (version, "rules") == bad(log)


def test_a_conclusion_left_out_is_named() -> None:
    acts = list(a_game())
    at = first(TrickWon)
    acts[at] = replace(acts[at], events=acts[at].events[:1])
    assert (at + 1, "rules") == bad(chained(acts))


def test_a_deck_that_does_not_follow_from_the_seed_is_named() -> None:
    acts = list(a_game())
    deck = acts[1].command.deck
    command = DealCards((deck[1], deck[0], *deck[2:]))
    before = GAME.fold(GAME.initial(), acts[0].events, acts[0].at_ms)
    acts[1] = replace(acts[1], command=command, events=GAME.decide(before, command))
    assert (2, "deck") == bad(chained(acts))


def test_a_seed_other_than_the_one_committed_to_is_named() -> None:
    version, log = changed(TableOpened, lambda e: replace(e, commitment=bytes(32)))
    assert (version, "commitment") == bad(log)


def test_another_seed_published_at_the_end_is_named() -> None:
    acts = list(a_game())
    closed = replace(acts[-1].events[0], seed=bytes(32))
    acts[-1] = replace(acts[-1], events=(closed,))
    assert (len(acts), "commitment") == bad(chained(acts))


def test_a_turn_expired_too_early_is_named() -> None:
    acts = list(a_game())
    at = first(TurnExpired)
    early = acts[at].at_ms - 1
    acts[at] = replace(acts[at], at_ms=early)
    assert (at + 1, "time") == bad(chained(acts))
    acts[at] = replace(a_game()[at], command=replace(acts[at].command, at_ms=early))
    assert (at + 1, "rules") == bad(chained(acts))


def test_a_time_before_that_of_the_act_before_is_named() -> None:
    acts = list(a_game())
    acts[10] = replace(acts[10], at_ms=acts[9].at_ms - 1)
    assert (11, "time") == bad(chained(acts))


def test_an_illegal_card_is_named() -> None:
    acts = list(a_game())
    state = GAME.initial()
    at = next(i for i, act in enumerate(acts) if isinstance(act.command, PlayCard))
    for act in acts[:at]:
        state = GAME.fold(state, act.events, act.at_ms)
    absent = next(card for card in range(24) if card not in kinds(state.hands[state.turn]))
    command = PlayCard(state.turn, absent)
    acts[at] = replace(acts[at], command=command, events=(CardPlayed(state.turn, absent),))
    assert (at + 1, "rules") == bad(chained(acts))


def test_an_author_that_is_not_the_commands_seat_is_named() -> None:
    acts = list(a_game())
    at = first(CardPlayed)
    seat = acts[at].command.seat
    acts[at] = replace(acts[at], author=f"seat:{(seat + 2) % 4}")
    assert (at + 1, "author") == bad(chained(acts))
    acts[at] = replace(acts[at], author="operator")
    assert (at + 1, "author") == bad(chained(acts))


def test_a_deal_by_a_player_is_named() -> None:
    acts = list(a_game())
    acts[1] = replace(acts[1], author="seat:0")
    assert (2, "author") == bad(chained(acts))


def test_a_body_that_is_no_act_is_named() -> None:
    assert (4, "body") == bad(relinked(stored_game(), 3, b"\xff\xff\xff"))


def test_a_body_with_bytes_that_nobody_reads_is_named() -> None:
    stored = stored_game()
    author_again = stored[3].body[: 2 + stored[3].body[1]]  # the last one counts
    assert (4, "body") == bad(relinked(stored, 3, author_again + stored[3].body))


def test_an_act_of_other_rules_is_a_difference_and_no_alteration() -> None:
    acts = list(a_game())
    at = first(TrickWon)
    won = next(i for i, event in enumerate(acts[at].events) if isinstance(event, TrickWon))
    events = list(acts[at].events)
    events[won] = replace(events[won], points=events[won].points + 1)
    acts[at] = replace(acts[at], events=tuple(events), rules_version=RULES_VERSION + 1)
    report = audit.verify_table(STREAM, chained(acts)[: at + 1], must_end=False)
    assert (audit.DIFFERS, 1, None) == (report.outcome, report.differing, report.problem)
    versions = f"differs under rules version {RULES_VERSION} (decided under {RULES_VERSION + 1})"
    assert f"act {at + 1}: chain intact, {versions}" in report.notes[0]


def test_other_rules_that_conclude_the_same_are_in_order() -> None:
    acts = [replace(act, rules_version=RULES_VERSION + 1) for act in a_game()]
    assert audit.verify_table(STREAM, chained(acts)).ok


def test_random_bytes_in_place_of_a_body_never_raise() -> None:
    chance = random.Random(3)
    stored = stored_game()
    for at in range(0, len(stored), 5):
        body = bytearray(stored[at].body)
        for _ in range(3):
            body[chance.randrange(len(body))] = chance.randrange(256)
        report = audit.verify_table(STREAM, relinked(stored, at, bytes(body)))
        assert report.problem is None or report.problem.version >= at + 1


def test_the_quick_check_names_the_first_broken_link() -> None:
    stored = stored_game()
    assert audit.verify_chain(STREAM, stored) is None
    problem = audit.verify_chain(STREAM, [*stored[:4], *stored[5:]])
    assert problem is not None
    assert 5 == problem.version
