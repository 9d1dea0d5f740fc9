"""Reading a game: the header, then every decision played through the rules, and every conclusion compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from pinochle import commands as c
from pinochle import events as e
from pinochle.cards import NAMES, Hand, hand_of, names, parse_card, parse_suit
from pinochle.decider import Act
from pinochle.errors import BadInput, BadNotation, Reason, Rejected
from pinochle.game import GAME
from pinochle.notation import letters
from pinochle.notation.deals import Deal
from pinochle.notation.header import FORMAT_VERSION, Header
from pinochle.notation.lines import (
    CONCLUSION_WORDS,
    NO_ANNOTATION,
    Annotation,
    conclusion,
    drawn,
    parse_annotation,
    trick_end,
    usual_author,
    words,
)
from pinochle.notation.words import Words, joined, number_of, seat_of
from pinochle.options import PlayOptions, legal
from pinochle.rules import RULES_VERSION, RuleSet
from pinochle.state import DEAL, State

TEXT_CHARACTERS_MAX = 64 << 20
LINE_CHARACTERS_MAX = 100_000


class Game(NamedTuple):
    """A game that was read: its events in order, and the same as acts, with what the text says of their authors.

    An act of which nothing is said has the time 0, the id of its number, and the author that such an act always has.
    """

    rules: RuleSet
    events: tuple[e.Event, ...]
    acts: tuple[Act, ...]


def read(text: str) -> Game:
    """The game of a text; BadNotation with the line and what was expected there."""
    if len(text) > TEXT_CHARACTERS_MAX:
        raise BadNotation(f"a text has at most {TEXT_CHARACTERS_MAX} characters, not {len(text)}")
    reader = _Reader()
    try:
        for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
            reader.number = number
            if len(line) > LINE_CHARACTERS_MAX:
                raise BadNotation(f"a line has at most {LINE_CHARACTERS_MAX} characters, not {len(line)}")
            reader.line(line.strip())
        return reader.end()
    except Rejected as error:
        raise BadNotation(f"line {reader.number}: {_refused(error, reader.state)}") from None
    except BadInput as error:
        raise BadNotation(f"line {reader.number}: {error}") from None


def _refused(error: Rejected, state: State) -> str:
    why = error.reason.value.replace("_", " ")
    if error.reason is Reason.ILLEGAL_CARD and not error.detail:
        options = legal(state)
        if isinstance(options, PlayOptions):
            return f"not possible here: {why}, it must be one of {' '.join(names(options.cards))}"
    return f"not possible here: {why}, {error.detail}" if error.detail else f"not possible here: {why}"


class _Reader:
    def __init__(self) -> None:
        self.number = 1  # of the line being read; an empty text is wrong in its first
        self.letters = letters.Letters()
        self.header = Header(self.letters)
        self.is_open = False
        self.state: State = GAME.initial()
        self.acts: list[Act] = []
        self.pending: list[e.Event] = []  # what followed from the last decision and has not been told yet
        self.deal: Deal | None = None

    def line(self, line: str) -> None:
        if not self.is_open and self.header.line(line):
            return
        said = words(line)
        if not said:
            return
        colon = said.index(":") if ":" in said else len(said)
        head, body = said[:colon], said[colon + 1 :]
        if not head:
            raise BadNotation("expected a word before the ':'")
        if not self.is_open:
            alone = head == ["open"]
            self.open(Words(body).annotation() if alone else NO_ANNOTATION)
            if alone:
                return
        if self.deal and self.deal.line(head, body, self.number):
            return
        self.finish_deal()
        name = _name(head)
        if name in CONCLUSION_WORDS:
            self.conclude(said)
        elif name in _DECISIONS:
            if name not in _WITH_NUMBER and any(word.isdecimal() for word in head):
                raise BadNotation(f"expected {name!r} without a number before the colon, found {joined(head)!r:.40}")
            _DECISIONS[name](self, head, Words(body))
        elif head[0].startswith("<"):
            self.extend(Words(said))
        elif head[0].removesuffix(".").isdecimal() and head[0].endswith("."):
            self.trick(head, Words(body))
        else:
            raise BadNotation(f"unknown line: {line!r:.60}")

    def end(self) -> Game:
        if not self.header.tags:
            self.number = 1
            first = f'[Pinochle "{FORMAT_VERSION}"]'
            raise BadNotation(f"there is no game in this text: expected {first} as the first line")
        if not self.is_open:
            self.open(NO_ANNOTATION)
        self.finish_deal()
        events = tuple(event for act in self.acts for event in act.events)
        return Game(self.state.rules, events, tuple(self.acts))

    # Decisions.

    def open(self, said: Annotation) -> None:
        command = self.header.command()
        self.is_open = True
        events = GAME.decide(self.state, command)
        if not self.header.seed:  # no seed is known, so none is made up
            opened = replace(events[0], seed=b"", commitment=self.header.commitment)
            events, command = (opened,), replace(command, seed=b"")
        self.file(command, events, said)

    def act(self, command: Any, said: Annotation = NO_ANNOTATION, *, expired: bool = False) -> None:
        """Play a decision; with `expired` the house played it for a seat whose time had run out."""
        if not expired:
            self.file(command, GAME.decide(self.state, command), said)
            return
        end = self.state.deadline_ms + self.state.table.grace_ms
        at_ms = said.expired_ms or said.at_ms or end
        expiry = c.ExpireTurn(command.seat, at_ms)
        events = GAME.decide(self.state, expiry)
        chosen = GAME.decide(self.state, command)
        if events[1:] != chosen:
            raise BadNotation("the house, playing for a seat whose time has run out, chooses otherwise")
        self.file(expiry, events, said)

    def file(self, command: Any, events: tuple[e.Event, ...], said: Annotation) -> None:
        if not events:
            raise BadNotation("nothing follows from this here")
        number = len(self.acts) + 1
        at_ms = said.at_ms or 0
        version = RULES_VERSION if said.rules_version is None else said.rules_version
        command_id = number.to_bytes(16, "big") if said.command_id is None else said.command_id
        author = said.author or usual_author(command)
        offsets = (said.noticed, said.deadline, said.received)
        times = [0 if offset is None else at_ms + offset for offset in offsets]
        if min(times) < 0:
            raise BadNotation("a time before 1970")
        self.acts.append(Act(number, author, at_ms, version, command_id, command, events, *times))
        self.state = GAME.fold(self.state, events, at_ms)
        self.pending = list(events)

    def finish_deal(self) -> None:
        if self.deal:
            deal, self.deal = self.deal, None
            now, self.number = self.number, deal.number  # what is wrong with a deal is in its own lines
            wrong = deal.contradiction()
            if wrong:
                self.number, problem = wrong
                raise BadNotation(problem)
            self.act(c.DealCards(deal.deck()), deal.said)
            wrong = deal.difference(self.acts[-1].events[0])
            if wrong:
                self.number, problem = wrong
                raise BadNotation(problem)
            self.number = now

    def begin_deal(self, head: list[str], body: Words) -> None:
        dealer = body.seat()
        if body.take("deals") != "deals":
            raise BadNotation("expected: deal NUMBER: SEAT deals")
        said = body.annotation()
        body.end()
        expected = f"deal {self.state.deal + 1}: {self.state.dealer} deals"
        if self.state.phase != DEAL:
            raise BadNotation("no deal is due here")
        if head != ["deal", str(self.state.deal + 1)] or dealer != self.state.dealer:
            raise BadNotation(f"expected {expected!r}")
        self.deal = Deal(self.state, self.letters, said, self.number)

    def calls(self, head: list[str], body: Words) -> None:
        for _ in self.items(body):
            seat = body.seat()
            expired = self.mark(body)
            word = body.take("a call").removeprefix("!")
            said = body.annotation()
            if word in ("pass", "help"):
                self.act(c.Pass(seat, helps=word == "help"), said, expired=expired)
            else:
                self.act(c.PlaceBid(seat, number_of(word, "a bid, pass or help")), said, expired=expired)

    def keep(self, head: list[str], body: Words) -> None:
        for _ in self.items(body):
            expired = self.mark(body)
            seat = seat_of(body.take("a seat").removeprefix("!"))
            self.act(c.KeepDeal(seat), body.annotation(), expired=expired)

    def trick(self, head: list[str], body: Words) -> None:
        number = sum(self.state.tricks) + 1
        expected = f"{number}. {self.state.turn}:"
        if " ".join(head) + ":" != expected:
            raise BadNotation(f"expected {expected!r}, the number of the trick and who leads")
        for _ in self.items(body):
            expired = self.mark(body)
            card = parse_card(self.letters.card(body.take("a card").removeprefix("!"), self.number))
            said, dix = NO_ANNOTATION, ""
            while body.peek()[:1] in ("{", "("):
                if body.peek().startswith("{"):
                    said = body.annotation()
                else:
                    dix = body.take("")
            self.act(c.PlayCard(self.state.turn, card), said, expired=expired)
            if dix:
                found = next((x for x in self.pending if isinstance(x, e.DixScored)), None)
                self.compare([dix], f"(dix {found.points})" if found else "no dix here")
                self.pending.remove(found)  # type: ignore[arg-type]
        if body.peek() == ";":
            body.take("")
            won = next((x for x in self.pending if isinstance(x, e.TrickWon)), None)
            if won is None:
                raise BadNotation("expected more cards: the trick is not over")
            self.compare(body.rest(), trick_end(won))

    def items(self, body: Words) -> Iterator[None]:
        """One turn for each decision of a line, up to its `;` or end; extensions between them are filed."""
        while (word := body.peek()) and word != ";":
            if word == ",":
                body.take("")
            elif word.startswith("<"):
                self.extend(body, alone=False)
            else:
                yield

    def mark(self, body: Words) -> bool:
        return body.peek().startswith("!")

    def extend(self, body: Words, *, alone: bool = True) -> None:
        word = body.take("an extension")
        parts = word[1:-1].split()
        if len(parts) != 2 or parts[0] != "until":
            raise BadNotation(f"expected <until TIME>, found {word!r:.40}")
        until_ms = number_of(parts[1], "a time in ms")
        said = body.annotation()
        if alone:
            body.end()
        if said.at_ms is None and until_ms > self.state.now_ms:
            # The text has no times: take the table's clock to be no earlier than the extension needs.
            clock = max(self.state.now_ms, until_ms - self.state.table.turn_ms - 1)
            self.state = GAME.fold(self.state, (e.TurnExtended(self.state.deadline_ms),), clock)
        self.act(c.ExtendTurn(until_ms), said)

    def trump(self, head: list[str], body: Words) -> None:
        expired = self.mark(body)
        letter = letters.suit(body.take("a suit").removeprefix("!"))
        out = body.peek() == "out"
        if out:
            body.take("")
        said = body.annotation()
        body.end()
        self.act(c.NameTrump(_only_seat(head), parse_suit(letter), out), said, expired=expired)

    def give(self, head: list[str], body: Words) -> None:
        expired = self.mark(body)
        cards = self.cards(body)
        said = body.annotation()
        body.end()
        self.act(c.PassCards(_only_seat(head), cards), said, expired=expired)

    def cards(self, body: Words) -> Hand:
        found = []
        while body.peek() and body.peek()[0] not in "{;":
            if body.peek() == ",":
                body.take("")
                continue
            found.append(parse_card(self.letters.card(body.take("a card").removeprefix("!"), self.number)))
        return hand_of(found)

    def exchange(self, head: list[str], body: Words) -> None:
        seat, turn_up = _only_seat(head), self.state.turn_up
        card = parse_card(self.letters.card(body.take("a nine"), self.number))
        self.act(c.ExchangeDix(seat, card), body.annotation())
        self.tail(body, f"for {NAMES[turn_up]}")

    def lay(self, head: list[str], body: Words) -> None:
        kind = body.take("a kind of meld")
        cards = self.cards(body)
        self.act(c.LayMeld(_only_seat(head), kind, cards), body.annotation())
        laid = self.pending[0]
        assert isinstance(laid, e.MeldLaid)
        self.tail(body, str(laid.points))

    def draw(self, head: list[str], body: Words) -> None:
        expired = self.mark(body)
        seat = seat_of(body.take("a seat").removeprefix("!"))
        self.act(c.Draw(seat), body.annotation(), expired=expired)
        self.tail(body, drawn([x for x in self.pending if isinstance(x, e.CardDrawn)]))

    def tail(self, body: Words, expected: str) -> None:
        """What a decision's line says behind `;` follows from it, and may be left out."""
        if body.peek() == ";":
            body.take("")
            self.compare(body.rest(), expected)
        body.end()

    def void(self, head: list[str], body: Words) -> None:
        reason = self.header.string(body.take("a reason in quotes"))
        said = body.annotation()
        body.end()
        self.act(c.VoidTable(reason), said)

    def close(self, head: list[str], body: Words) -> None:
        said = parse_annotation(head[1]) if len(head) == 2 and head[1].startswith("{") else NO_ANNOTATION
        body.end()
        self.act(c.CloseTable(), said)

    def simple(self, command: type[Any], body: Words) -> None:
        seat = body.seat()
        said = body.annotation()
        body.end()
        self.act(command(seat), said)

    # Conclusions.

    def conclude(self, said: list[str]) -> None:
        """The line must be what follows, or its beginning up to a `;`; what is skipped was left out."""
        colon = said.index(":") if ":" in said else len(said)
        lines = [(event, conclusion(event)) for event in self.pending]
        lines = [(event, line) for event, line in lines if line]
        name = _name(said[:colon])
        same = [(event, line) for event, line in lines if _name(_head(line)) == name]
        exact = [(event, line) for event, line in same if _head(line) == said[:colon]]
        if not same:
            following = f"{lines[0][1]!r:.200} or a decision" if lines else "a decision"
            raise BadNotation(f"expected {following}, found {joined(said)!r:.100}, which does not follow here")
        event, line = (exact or same)[0]
        self.compare(said, line)
        self.pending = self.pending[self.pending.index(event) + 1 :]

    def compare(self, said: list[str], expected: str) -> None:
        found = [
            self.letters.card(word, self.number) if self.letters.is_card(word) else word
            for word in said
            if not word.startswith("{")
        ]
        wanted = words(expected)
        if found != wanted and not (found == wanted[: len(found)] and wanted[len(found)] == ";"):
            raise BadNotation(f"expected {expected!r}, found {joined(said)!r:.200}")


_DECISIONS: dict[str, Any] = {
    "deal": _Reader.begin_deal,
    "keep": _Reader.keep,
    "throw in": lambda reader, head, body: reader.simple(c.ThrowIn, body),
    "calls": _Reader.calls,
    "trump": _Reader.trump,
    "give": _Reader.give,
    "concede": lambda reader, head, body: reader.simple(c.Concede, body),
    "exchange": _Reader.exchange,
    "lay": _Reader.lay,
    "draw": _Reader.draw,
    "void": _Reader.void,
    "closed": _Reader.close,
}
_WITH_NUMBER = ("deal", "trump", "give", "exchange", "lay")
"""Decisions that have a number before the colon: that of the deal, or the seat."""


def _name(head: list[str]) -> str:
    """The words of a line before its colon, without seat and annotation."""
    return " ".join(word for word in head if not word.isdecimal() and not word.startswith("{"))


def _head(line: str) -> list[str]:
    said = words(line)
    return said[: said.index(":")]


def _only_seat(head: list[str]) -> int:
    if len(head) != 2:
        raise BadNotation(f"expected: {head[0]} SEAT: ...")
    return seat_of(head[1])
