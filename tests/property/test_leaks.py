"""The law of non-interference over the wire, on a slice of its games, and leaks planted to show that it finds them."""

import gc
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from pinochle import stock_game
from pinochle.cards import SPADES, of_suit, size, text
from pinochle.commands import Draw
from pinochle.errors import Rejected
from pinochle.events import CardsPassed, HandDealt, TrickWon
from pinochle.game import GAME
from pinochle.redact import Viewer, redact
from pinochle.rules import load, profiles
from pinochle.state import NONE, State
from pinochle.wire import codec
from pinochle.wire.v1 import table_pb2

from services import handle, metrics
from services.table import listing, play, process, servicer
from services.table.index import KIND
from tests.leaks import beats, boards
from tests.leaks.__main__ import some_games
from tests.leaks.check import check, tokens_of
from tests.leaks.loop import run, running
from tests.leaks.process import Service
from tests.leaks.worlds import Leak

GAMES = 20
"""Each profile once."""
PLANTED_GAMES = 12
STOCK_FIRST = next(number for number, name in enumerate(profiles()) if load(name).is_stock)


def test_what_a_viewer_receives_depends_on_no_card_that_it_cannot_know() -> None:
    counts, failed = some_games(range(GAMES))
    assert ([], GAMES) == (failed, counts["games"])
    assert 3 * counts["prefixes"] < 4 * counts["prefixes with another deal"], counts
    assert 50 <= counts["broad"] <= counts["long"], counts
    assert 2 <= counts["pairs of tables"], counts
    assert 20 <= counts["acts on a beat"], counts


Checking = Callable[[Service, int, dict[str, str], Counter[str]], Awaitable[None]]


def leaking(checking: Checking = check, first: int = 0) -> str:
    """The text of the first leak that a few games find; fails where they find none."""

    async def some() -> str:
        service = Service(running())
        await service.start()
        try:
            tokens = await tokens_of(service)
            for game in range(first, first + PLANTED_GAMES):
                try:
                    await checking(service, game, tokens, Counter())
                except Leak as leak:
                    return str(leak)
        finally:
            await service.stop()
        raise AssertionError(f"{PLANTED_GAMES} games found no leak")

    return run(some())


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def test_a_partners_hand_in_the_deal_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def shows_partner(event: Any, viewer: Viewer) -> Any:
        told = redact(event, viewer)
        if isinstance(event, HandDealt) and viewer is not None:
            mate = (viewer + 2) % len(event.hands)
            told.hands = (*told.hands[:mate], event.hands[mate], *told.hands[mate + 1 :])
        return told

    monkeypatch.setattr(codec, "redact", shows_partner)
    assert "over watch" in leaking()


def test_cards_passed_between_others_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def shows_passed(event: Any, viewer: Viewer) -> Any:
        return event if isinstance(event, CardsPassed) else redact(event, viewer)

    monkeypatch.setattr(codec, "redact", shows_passed)
    assert "over watch" in leaking()


def test_a_message_whose_size_depends_on_hidden_cards_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    encode = codec.encode

    def padded(act: Any, *rest: Any) -> Any:
        body, views = encode(act, *rest)
        dealt = act.events[0]
        if not isinstance(dealt, HandDealt):
            return body, views
        spades = sum(size(of_suit(hand, SPADES)) * (seat + 1) for seat, hand in enumerate(dealt.hands))
        return body, tuple(view + table_pb2.ActView(author="x" * spades).SerializeToString() for view in views)

    monkeypatch.setattr(process, "KIND", KIND._replace(encode=padded))
    assert "over watch" in leaking()


def test_an_error_that_names_a_hidden_card_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    decide = GAME.decide

    def telling(state: State, command: Any) -> Any:
        try:
            return decide(state, command)
        except Rejected as error:
            if state.turn >= 0 and getattr(command, "seat", state.turn) != state.turn:
                raise Rejected(error.reason, f"seat {state.turn} holds {text(state.hands[state.turn])}") from None
            raise

    monkeypatch.setattr(process, "KIND", KIND._replace(decider=GAME._replace(decide=telling)))
    found = leaking()
    assert "over probes" in found or "over refused" in found


def test_a_metric_with_a_card_in_its_label_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = process.TableProcess._moved

    def counting(self: Any, stream: Any, view: bytes | None) -> None:
        state: State = stream.state
        if state.hands[0]:
            metrics.rpc_rejections_total.labels(f"holds {text(state.hands[0])}").inc()
        moved(self, stream, view)

    monkeypatch.setattr(process.TableProcess, "_moved", counting)
    assert "over metrics" in leaking()


def test_a_turn_that_is_left_out_where_there_is_no_hidden_meld_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the winner of a trick drew at once unless it had something to lay (stock game)."""
    play_card = stock_game.play

    def hasty(state: State, command: Any) -> Any:
        events = play_card(state, command)
        if not isinstance(events[-1], TrickWon) or events[-1].last or state.turn_up == NONE:
            return events
        won = GAME.fold(state, events)
        if stock_game.legal_melds(won) or stock_game.legal_nines(won):
            return events
        return (*events, *stock_game.draw(won, Draw(won.turn)))

    monkeypatch.setattr(stock_game, "play", hasty)
    assert "who acts, and how often" in leaking(first=STOCK_FIRST)


def test_a_play_message_that_tells_of_the_next_hand_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    update = play._update

    def telling(stream: Any, state: State, seat: Any) -> Any:
        found, whole = update(stream, state, seat)
        held = state.hands[(seat.number + 1) % len(state.hands)] if state.hands else 0
        return found + b"\x50\x00" * (size(of_suit(held, 1)) % 2), whole

    monkeypatch.setattr(play, "_update", telling)
    found = leaking()
    assert "over play" in found or "over refused" in found


def test_a_line_of_the_log_with_a_hand_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = process.TableProcess._moved

    def writing(self: Any, stream: Any, view: bytes | None) -> None:
        if stream.state.hands[0]:
            logging.getLogger("services.table").info("seat 0 holds %s", text(stream.state.hands[0]))
        moved(self, stream, view)

    monkeypatch.setattr(process.TableProcess, "_moved", writing)
    assert "over log" in leaking()


def test_a_nudge_that_carries_more_than_a_spectator_sees_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    nudge = process.nudge

    def telling(stream: Any, view: bytes) -> Any:
        return nudge(stream, stream.view(stream.version, 0))

    monkeypatch.setattr(process, "nudge", telling)
    assert "over redis" in leaking()


def test_an_answer_to_a_look_that_shows_another_seats_hand_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servicer, "viewer_of", lambda caller, held, asked: 0)
    assert "over " in leaking()


def test_a_table_on_shared_boards_that_says_where_it_is_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "SEES_PROGRESS", ("service", "operator", "director", "bots", "player", "spectator"))
    assert "can read" in leaking(boards.check)


def test_an_act_that_is_given_out_when_it_comes_in_spite_of_the_beat_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "KIND", KIND._replace(release=lambda state, author, received_ms: 0))
    assert "before the tick" in leaking(beats.check)


def test_a_time_that_is_not_the_ticks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the act were given out at the tick, but dated when it came."""
    act = handle.Streams._act
    monkeypatch.setattr(handle.Streams, "_act", lambda self, *rest: act(self, *rest[:-1], rest[-2]))
    assert "how long a seat thought" in leaking(beats.check)


def test_a_spectator_who_may_watch_shared_boards_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servicer, "check_may_look", lambda *_: None)
    assert "can read" in leaking(boards.check)
