"""The notation: what is written, what may be left out, and every text that is refused, with its line."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from pinochle import shuffle
from pinochle.commands import CloseTable, DealCards, ExpireTurn, ExtendTurn, OpenTable, VoidTable
from pinochle.errors import BadInput, BadNotation
from pinochle.events import CardPlayed, HandDealt, MeldShown, TableClosed, TableOpened, TurnExpired, TurnExtended
from pinochle.game import GAME, default_command
from pinochle.notation import read, write
from pinochle.redact import redact
from pinochle.rules import load

from tests.drive import PLAYERS, SEED, act_of, after, called, deal_deck, opened, random_game

CLASSIC = (Path(__file__).parents[1] / "golden" / "games" / "classic.txt").read_text(encoding="utf-8")


def changed(old: str, new: str) -> str:
    """The hand-written game with one thing else."""
    assert 1 == CLASSIC.count(old), f"{old!r} is there {CLASSIC.count(old)} times"
    return CLASSIC.replace(old, new)


def line_of(part: str, text: str = CLASSIC) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def problem(text: str) -> str:
    with pytest.raises(BadNotation) as refused:
        read(text)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def without(*names: str) -> str:
    return "\n".join(line for line in CLASSIC.splitlines() if not line.startswith(names)) + "\n"


# -- what may be left out


def test_every_conclusion_may_be_left_out() -> None:
    bare = without("contract", "meld", "score", "game")
    assert read(CLASSIC).events == read("\n".join(line.partition(";")[0] for line in bare.splitlines())).events


def test_hands_may_be_left_out_where_the_seed_is_known() -> None:
    _, acts = random_game(load("danish-nobid"), Random(4), 2)
    text = write(acts)
    short = "\n".join(line for line in text.splitlines() if not line.startswith(("hand", "up")))
    assert acts == list(read(short).acts)


def test_the_profile_may_be_left_out_where_all_knobs_are_written() -> None:
    _, acts = random_game(load("classic", exchange=2), Random(4), 1)
    text = write(acts)
    assert acts == list(read("\n".join(line for line in text.splitlines() if "[Profile" not in line)).acts)


def test_a_game_may_stop_anywhere() -> None:
    lines = CLASSIC.splitlines()
    whole = read(CLASSIC).events
    for number in range(line_of("calls"), len(lines) + 1):
        events = read("\n".join(lines[:number])).events
        assert whole[: len(events)] == events


def test_without_a_seed_none_is_made_up() -> None:
    events = read(CLASSIC).events
    assert isinstance(events[0], TableOpened)
    assert (b"", b"") == (events[0].seed, events[0].commitment)
    assert TableClosed(b"") == events[-1]


def test_windows_line_ends_a_byte_order_mark_and_comments_do_no_harm() -> None:
    assert read(CLASSIC).events == read("\ufeff" + CLASSIC.replace("\n", "   # so\r\n")).events


# -- what is written and read back


def test_acts_come_back_with_author_time_id_and_version() -> None:
    _, acts = random_game(load("classic-help"), Random(5), 1)
    acts[0] = replace(acts[0], author="director", at_ms=1_760_000_000_000, command_id=bytes(range(16)))
    acts[2] = replace(acts[2], rules_version=7, at_ms=1_760_000_000_555)
    assert acts == list(read(write(acts)).acts)


def test_events_are_written_like_acts_without_annotations() -> None:
    _, acts = random_game(load("double-deck-club"), Random(6), 2)
    assert write(acts, annotations=False) == write([event for act in acts for event in act.events])


def test_a_deck_that_is_not_the_seeds_comes_back() -> None:
    rules = load("classic")
    deck = tuple(reversed(rules.cards))
    table = GAME.decide(GAME.initial(), OpenTable(rules, PLAYERS, 0, SEED))
    acts = [act_of(GAME.initial(), OpenTable(rules, PLAYERS, 0, SEED), table)]
    state = GAME.fold(GAME.initial(), table, 0)
    acts.append(act_of(state, DealCards(deck), GAME.decide(state, DealCards(deck))))
    assert acts == list(read(write(acts)).acts)
    events = [event for act in acts for event in act.events]
    assert events == list(read(write(events)).events)


@pytest.mark.parametrize("timed", [True, False])
def test_expiries_extensions_and_a_void_table_come_back(timed: bool) -> None:
    rules, now = load("classic"), 1_760_000_000_000
    state, acts = GAME.initial(), []

    def accept(command: object, at_ms: int) -> None:
        nonlocal state
        events = GAME.decide(state, command)  # type: ignore[arg-type]
        acts.append(act_of(state, command, events, at_ms))  # type: ignore[arg-type]
        state = GAME.fold(state, events, at_ms)

    accept(OpenTable(rules, PLAYERS, 0, SEED, turn_ms=30_000, grace_ms=500), now)
    accept(DealCards(deal_deck(state)), now)
    for turn in range(30):
        if turn % 4 == 1:
            accept(ExtendTurn(state.deadline_ms + 5_000), now)
        if turn % 3:
            accept(default_command(state), now)
        else:
            now = state.deadline_ms + 500 + turn
            accept(ExpireTurn(state.turn, now - turn % 2), now)
    accept(VoidTable('a "quoted" reason # no comment; {so}'), now)
    accept(CloseTable(), now)
    events = [event for act in acts for event in act.events]
    assert {TurnExpired, TurnExtended} <= {event.__class__ for event in events}
    if timed:
        assert acts == list(read(write(acts)).acts)
    assert events == list(read(write(acts, annotations=timed)).events)


def test_labels_and_players_may_hold_any_letters() -> None:
    labels = {"boards": 'a "b" [c]', "tournament": "größe # 1", "match": "\\"}
    events = GAME.decide(GAME.initial(), OpenTable(load("classic"), PLAYERS, 2, SEED, b"\x01", **labels))
    assert events == read(write(events)).events


def test_what_cannot_be_written_is_refused() -> None:
    with pytest.raises(BadInput, match="from its opening on"):
        write([])
    _, acts = random_game(load("classic"), Random(7), 1)
    events = [event for act in acts for event in act.events]
    with pytest.raises(BadInput, match="from its opening on"):
        write(events[1:])
    with pytest.raises(BadInput, match="hidden cards"):
        write([redact(event, 1) for event in events])
    with pytest.raises(BadInput, match="seed at the end is another"):
        write([*events[:-1], TableClosed(bytes(32))])


# -- conclusions


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("contract: 2 at 320", "contract: 2 at 330", "expected 'contract: 2 at 320', found 'contract: 2 at 330'"),
        ("contract: 2 at 320", "contract: 2 at 320, forced", "expected 'contract: 2 at 320', found"),
        ("meld 2: 230; pinochle 40, run_king D 190", "meld 2: 230; run D 190", "expected 'meld 2: 230; pinochle 40, "),
        ("meld 0: 10", "meld 0: 20", "expected 'meld 0: 10; dix D 10; shows 9D', found 'meld 0: 20'"),
        ("melds: 240 and 30; may", "melds: 240 and 40; may", "expected 'melds: 240 and 30; may concede', found"),
        ("1. 2: AH JH TH 9H; 2 wins 20", "1. 2: AH JH TH 9H; 3 wins 20", "expected '2 wins 20', found '3 wins 20'"),
        ("12. 2: QD TH QH AC; 2 wins 30, last", "12. 2: QD TH QH AC; 2 wins 30", "expected '2 wins 30, last'"),
        ("score: +470 and +50;", "score: +470 and +60;", "expected 'score: +470 and +50; team 0 made 320; totals"),
        ("game: 0 wins, score", "game: 1 wins, score", "expected 'game: 0 wins, score', found"),
        ("contract: 2 at 320", "score: +470 and +50", "expected 'contract: 2 at 320' or a decision, found"),
        ("trump 2: D", "trump 2: D\ncontract: 2 at 330", "expected a decision, found 'contract: 2 at 330'"),
        ("1. 2: AH JH TH 9H; 2 wins 20", "1. 2: AH JH TH; 2 wins 20", "expected more cards: the trick is not over"),
    ],
)
def test_a_wrong_conclusion_is_refused_with_its_line_and_what_was_expected(old: str, new: str, expected: str) -> None:
    text = changed(old, new)
    said = problem(text)
    assert said.startswith(f"line {line_of(new.splitlines()[-1], text)}: ")
    assert expected in said


# -- decisions and deals


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("calls: 1 260", "calls 3: 1 260", "expected 'calls' without a number before the colon, found 'calls 3'"),
        ("trump 2: D", "trump 02: D", "expected a seat from 0 to 3, found '02'"),
        ("give 0: AH", ": AH", "expected a word before the ':'"),
        ("1 260, 2 280", "1 255, 2 280", "illegal bid, the lowest bid is 250, in steps of 10"),
        ("1 260, 2 280", "2 260, 3 280", "not your turn, seat 1 is due"),
        ("1 260, 2 280", "1 help, 2 280", "illegal call"),
        ("1 260, 2 280", "1 many, 2 280", "expected a bid, pass or help, found 'many'"),
        ("2 320, 3 pass", "2 320, 3", "expected a call, found the end of the line"),
        ("1 260, 2 280", "9 260, 2 280", "expected a seat from 0 to 3, found '9'"),
        ("1 260, 2 280", "1 !260, 2 280", "too early"),
        ("trump 2: D", "trump 2: X", "not a suit: 'X'"),
        ("trump 2: D", "trump: D", "expected: trump SEAT: ..."),
        ("trump 2: D", "trump 2: D out", "illegal trump"),
        ("trump 2: D", "trump 2: D S", "expected the end of the line, found 'S'"),
        ("give 0: AH AD TD QD", "give 0: AH AD TD", "exactly 4 cards of the own hand"),
        ("give 0: AH AD TD QD", "give 0: AH AD TD QX", "not a card: 'QX'"),
        ("1. 2: AH JH TH 9H; 2", "2. 2: AH JH TH 9H; 2", "expected '1. 2:', the number of the trick and who leads"),
        ("1. 2: AH JH TH 9H; 2", "1. 1: AH JH TH 9H; 2", "expected '1. 2:'"),
        ("1. 2: AH JH TH 9H; 2", "1. 2: AH JC TH 9H; 2", "illegal card"),
        ("1. 2: AH JH TH 9H; 2", "1. 2: AH (dix 10) JH TH 9H; 2", "expected 'no dix here'"),
        ("deal 1: 0 deals", "deal 2: 0 deals", "expected 'deal 1: 0 deals'"),
        ("deal 1: 0 deals", "deal 1: 1 deals", "expected 'deal 1: 0 deals'"),
        ("deal 1: 0 deals", "deal 1: 0 shuffles", "expected: deal NUMBER: SEAT deals"),
        ("game: 0 wins, score", "concede: 2", "over"),
        ("game: 0 wins, score", "deal 2: 1 deals", "no deal is due here"),
        ("game: 0 wins, score", "void: reason", "expected a text in quotes"),
        ("game: 0 wins, score", "void: \"late\"", "nothing follows from this here"),
        ("game: 0 wins, score", "dance: 2", "unknown line: 'dance: 2'"),
        ("game: 0 wins, score", "[Note \"x\"]", "unknown line: "),
        ("game: 0 wins, score", "<until 5>", "over"),
        ("trump 2: D", "<until soon>", "expected a time in ms, found 'soon'"),
        ("trump 2: D", "<later>", "expected <until TIME>"),
        ("trump 2: D", "trump 2: D {someone}", "'someone' is no annotation"),
        ("trump 2: D", "draw: 2", "wrong phase, the table is at: trump"),
        ("hand 1: AS KS JS QH", "hand 1: AS KS JS", "expected 12 cards in hand 1, found 11"),
        ("hand 1: AS KS JS QH", "hand 1: QD KS JS QH", "expected at most 2 QD in all hands, found 3"),
        ("hand 1: AS KS JS QH", "hand 1: AS KS JS QHa", "expected a card of this deck, without a copy letter"),
        ("hand 1: AS KS JS", "hand 0: AS KS JS", "expected one hand for each seat from 0 to 3"),
        ("hand 1: AS KS JS", "hand 5: AS KS JS", "expected one hand for each seat from 0 to 3"),
    ],
)  # fmt: skip
def test_what_is_not_possible_is_refused_with_its_line(old: str, new: str, expected: str) -> None:
    text = changed(old, new)
    said = problem(text)
    assert said.startswith(f"line {line_of(new, text)}: "), said
    assert expected in said


def test_a_deal_without_a_hand_is_refused_at_the_deal() -> None:
    assert f"line {line_of('deal 1')}: expected the line 'hand 3' in deal 1" == problem(without("hand 3"))


def test_a_hand_that_the_seed_does_not_give_is_refused_at_the_hand() -> None:
    seed = f'[Dealer "0"]\n[Seed "{SEED.hex()}"]'
    text = changed('[Dealer "0"]', seed)
    assert problem(text).startswith(f"line {line_of('hand 0', text)}: expected 'hand 0: ")


def test_a_turn_up_that_the_dealer_does_not_hold_is_refused_at_its_line() -> None:
    _, acts = random_game(load("danish-nobid"), Random(4), 1)
    lines = [line for line in write(acts, annotations=False).splitlines() if not line.startswith("[Seed")]
    at = next(number for number, line in enumerate(lines) if line.startswith("up:"))
    dealer = acts[1].events[0].dealer
    hand = next(line for line in lines if line.startswith(f"hand {dealer}:"))
    other = next(card for card in ("9S", "9H", "9D", "9C", "JS") if card not in hand)
    lines[at] = f"up: {other}"
    expected = f"line {at + 1}: expected a card of hand {dealer}, the dealer's, turned up, found {other}"
    assert expected == problem("\n".join(lines))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("up: 9Db", "up: 9D", "expected a card with its copy, as in QSa, found 9D"),
        ("up: 9Db", "up: KSb", "expected at most 1 KSb in hands, stock and turned up, found 2"),
        ("up: 9Db", "up:", "expected 1 card turned up, found 0"),
        ("up: 9Db", "up: 9Db 9Da", "expected 1 card turned up, found 2"),
        ("up: 9Db", "up: 9Db\nup: 9Da", "there is a line 'up' in this deal already"),
        ("stock: TSa JDb", "stock: TS JDb", "expected a card with its copy, as in QSa, found TS"),
        ("stock: TSa JDb", "stock: TSa", "expected 23 cards in the stock, found 22"),
        ("stock: TSa JDb", "stock: TSa JDb 9Da", "expected 23 cards in the stock, found 24"),
        ("stock: TSa JDb", "stock: TSa TSa", "expected at most 1 TSa in hands, stock and turned up, found 2"),
        ("stock: TSa JDb", "stock: TSa 9Db", "expected at most 1 9Db in hands, stock and turned up, found 2"),
        ("stock: TSa JDb", "deck: TSa JDb", "expected 48 cards in the deck, found 23"),
    ],
)
def test_a_wrong_turn_up_or_stock_is_refused_at_its_own_line(old: str, new: str, expected: str) -> None:
    text = (Path(__file__).parents[1] / "golden" / "games" / "two-handed.txt").read_text(encoding="utf-8")
    assert 1 == text.count(f"\n{old}")
    text = text.replace(f"\n{old}", f"\n{new}")
    assert f"line {line_of(new.splitlines()[-1], text)}: {expected}" == problem(text)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("up: 9D", "expected no line 'up': no card is turned up in this game"),
        ("stock: 9D", "expected no line 'stock': this game has none"),
        ("deck: 9D", "expected 48 cards in the deck, found 1"),
        ("deck:" + " 9D" * 48, "expected at most 2 9D in the deck, found 48"),
        ("deck:" + " 9Da" * 48, "expected a card of this deck, without a copy letter, found 9Da"),
        ("hand 01: 9D", "expected one hand for each seat from 0 to 3"),
        ("hand 12: 9D", "expected one hand for each seat from 0 to 3"),
        (": 9D", "expected a word before the ':'"),
        (":", "expected a word before the ':'"),
    ],
)
def test_a_line_that_a_deal_has_no_use_for_is_refused(line: str, expected: str) -> None:
    text = changed("deal 1: 0 deals", f"deal 1: 0 deals\n{line}")
    assert f"line {line_of('deal 1') + 1}: {expected}" == problem(text)


def test_the_house_must_have_chosen_what_is_written_for_it() -> None:
    text = changed('[Dealer "0"]', '[Dealer "0"]\n[TurnMs "1000"]')
    assert "the house, playing for a seat" in problem(text.replace("2. 2: A♠", "2. 2: !A♠"))
    assert isinstance(read(text.replace("9C   #", "9C #")).events[1], HandDealt)


def test_an_illegal_card_is_told_with_the_legal_ones() -> None:
    said = problem(changed("3. 2: AH KH JH 9H", "3. 2: AH QC JH 9H"))
    assert f"line {line_of('3. 2: AH')}: not possible here: illegal card, it must be one of TH KH" == said


# -- the header


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('[Pinochle "1"]', '[Pinochle "2"]', 'expected [Pinochle "1"] as the first line'),
        ('[Pinochle "1"]', "", 'expected [Pinochle "1"] as the first line'),
        ('[Profile "classic"]', '[Profile "bridge"]', "unknown profile 'bridge'"),
        ('[Profile "classic"]', '[Profile "classic"', 'not a tag: expected [Name "value"]'),
        ('[Profile "classic"]', '[Event "x"]', "unknown tag 'Event'"),
        ('[Profile "classic"]', '[Player0 "x"]', "the tag Player0 is there twice"),
        ('[Profile "classic"]', '[Language "fr"]', "unknown language 'fr'"),
        ('[Player3 "dot"]', "", "the header needs the tag Player3"),
        ('[Dealer "0"]', "", "the header needs the tag Dealer"),
        ('[Dealer "0"]', '[Dealer "west"]', "the tag Dealer needs a whole number, not 'west'"),
        ('[Dealer "0"]', '[Dealer "4"]', "line 8: the tag Dealer needs a seat from 0 to 3, not '4'"),
        ('[Dealer "0"]', '[Dealer "0"]\n[Seed "xyz"]', "the tag Seed needs hexadecimal digits"),
        ('[Dealer "0"]', '[Dealer "0"]\n[Seed "00"]', "a seed has 32 bytes, not 1"),
        ("deals=1", "deals", "not a knob: 'deals'"),
        ("deals=1", "deals=0", "knob deals is 0"),
        ("deals=1", "marriages=1", "unknown knob 'marriages'"),
        ("deals=1", "profile=1", "unknown knob 'profile'"),
        ('[Dealer "0"]', '[Dealer "0"]\n[Boards "\\ud800"]', "half of a surrogate pair"),
        ('[Profile "classic"]', "", "is missing"),
    ],
)
def test_a_wrong_header_is_refused(old: str, new: str, expected: str) -> None:
    said = problem(changed(old, new) if old != "deals=1" else CLASSIC.replace(" deals=1", f" {new}"))
    assert said.startswith("line ")
    assert expected in said


def test_a_seed_with_another_commitment_is_refused() -> None:
    tags = f'[Dealer "0"]\n[Seed "{SEED.hex()}"]\n[Commitment "{bytes(32).hex()}"]'
    assert shuffle.commitment(SEED).hex() in problem(changed('[Dealer "0"]', tags))


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# nothing", "\x00", '[Pinochle "1"]', '{"format":"pinochle-export"}', "[" * 5_000]
)
def test_what_is_no_game_is_refused_in_one_line(text: str) -> None:
    assert problem(text).startswith("line ")


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing"])
def test_a_text_without_anything_in_it_is_said_to_have_no_game(text: str) -> None:
    expected = 'line 1: there is no game in this text: expected [Pinochle "1"] as the first line'
    assert expected == problem(text)


@pytest.mark.parametrize("line", [":", ": 1", ":: 2", '[Pinochle "1"]\n:'])
def test_a_line_without_a_word_before_its_colon_is_refused_before_the_first_deal(line: str) -> None:
    assert problem(line).startswith(f"line {len(line.splitlines())}: expected ")


def test_a_text_or_a_line_without_end_is_refused() -> None:
    assert "a line has at most 100000 characters" in problem(CLASSIC + "#" * 100_001)


# -- languages


def test_letters_of_two_languages_are_refused_with_both() -> None:
    text = changed("1. 2: AH JH TH 9H", "1. 2: AH BH TH 9H")
    said = problem(text)
    assert said.startswith(f"line {line_of('1. 2: AH BH', text)}: 'BH' is a card in German or Dutch or Danish, but ")
    assert f"in line {line_of('hand 0')} belongs to English" in said


def test_a_named_language_has_its_own_letters_only() -> None:
    text = changed('[Dealer "0"]', '[Dealer "0"]\n[Language "da"]')
    said = problem(text)
    assert said.startswith(f"line {line_of('hand 0', text)}: ")
    assert "is no card in Danish, whose rank letters are E T K D B 9" in said


def test_conclusions_are_read_in_the_language_of_the_text() -> None:
    german = (Path(__file__).parents[1] / "golden" / "games" / "german.txt").read_text(encoding="utf-8")
    shown = next(line for line in german.splitlines() if "shows" in line and "D" in line.partition("shows")[2])
    assert any(isinstance(event, MeldShown) for event in read(german).events)
    wrong = german.replace(shown, shown.rpartition(" ")[0])
    assert "expected 'meld " in problem(wrong)


def test_a_card_is_the_same_in_every_form() -> None:
    state = called(load("classic"), ["AS"])
    assert state.hands[0]
    for form in ("S14", "A♠", "AS", "♠14"):
        text = changed("2. 2: A♠ 9♠ K♠ J♠", f"2. 2: {form} 9♠ K♠ J♠")
        assert CardPlayed(2, 0) in read(text).events
    assert after(opened(load("classic"))) == opened(load("classic"))
