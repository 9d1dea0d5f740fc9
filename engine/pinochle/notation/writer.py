"""Writing a game: header, then one block for each deal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from pinochle import commands as c
from pinochle import events as e
from pinochle import shuffle
from pinochle.cards import HIDDEN, NAMES, SUITS, Card, count, text
from pinochle.decider import Act
from pinochle.errors import BadInput
from pinochle.explain import knob_text, nearest
from pinochle.notation.decks import deals_as, deck_of
from pinochle.notation.lines import (
    NO_ANNOTATION,
    Annotation,
    annotation_text,
    conclusion,
    drawn,
    trick_end,
    usual_author,
)
from pinochle.rules import RULES_VERSION, RuleSet

FORMAT_VERSION = 1
LINE_CHARACTERS = 110
"""Lines of knobs are broken here."""

LEADING = (
    e.TableOpened, e.HandDealt, e.DealKept, e.DealThrownIn, e.BidPlaced, e.Passed, e.TrumpNamed, e.CardsPassed,
    e.Conceded, e.CardPlayed, e.CardDrawn, e.DixExchanged, e.MeldLaid, e.TurnExpired, e.TurnExtended, e.TableVoided,
    e.TableClosed,
)  # fmt: skip
"""Events that a decision leads to first; all others follow from it."""


def write(game: Sequence[Act] | Sequence[e.Event], *, annotations: bool = True) -> str:
    """The text of a game from its opening on: of acts with who sent them, when, and their ids; or of events alone.

    With `annotations` false acts are written like events. BadInput where there is no opening, where cards are hidden,
    or where the seed at the end is another than at the opening.
    """
    acts: list[tuple[tuple[e.Event, ...], Act | None]]
    if game and isinstance(game[0], Act):
        acts = [(act.events, act if annotations else None) for act in game]  # type: ignore[union-attr,misc]
    else:
        acts = [(events, None) for events in _as_acts(game)]  # type: ignore[arg-type]
    if not acts or not isinstance(acts[0][0][0], e.TableOpened):
        raise BadInput("a game is written from its opening on")
    writer = _Writer(acts[0][0][0])
    for number, (events, act) in enumerate(acts, 1):
        writer.act(events, act, number)
    return writer.text()


def _as_acts(events: Iterable[e.Event]) -> Iterator[tuple[e.Event, ...]]:
    """The events of each decision."""
    group: list[e.Event] = []
    for event in events:
        leads = isinstance(event, LEADING)
        goes_on = group and (
            (isinstance(group[-1], e.TurnExpired) and len(group) == 1)
            or (isinstance(event, e.CardDrawn) and isinstance(group[-1], e.CardDrawn))
        )
        if leads and not goes_on and group:
            yield tuple(group)
            group = []
        group.append(event)
    if group:
        yield tuple(group)


class _Writer:
    """The lines so far, and the line of calls, cards or kept deals that more may be added to."""

    def __init__(self, table: e.TableOpened) -> None:
        self.table = table
        self.rules: RuleSet = table.rules
        self.lines = _header(table)
        self.kind = ""
        self.line = ""
        self.tricks = 0
        self.cards = 0

    def text(self) -> str:
        self.flush()
        return "\n".join(self.lines) + "\n"

    def act(self, events: tuple[e.Event, ...], act: Act | None, number: int) -> None:
        said = annotation_text(_annotation(act, number))
        first, mark = events[0], ""
        if isinstance(first, e.TurnExpired):
            first, mark = events[1], "!"
        rest = events[events.index(first) + 1 :]
        if isinstance(first, e.HandDealt):
            deck = act.command.deck if act and isinstance(act.command, c.DealCards) else None
            self.deal(first, deck, said)
        elif isinstance(first, e.CardDrawn):
            draws = [event for event in events if isinstance(event, e.CardDrawn)]
            self.add(f"draw: {mark}{first.seat}{said}; {drawn(draws)}")
            rest = tuple(event for event in rest if not isinstance(event, e.CardDrawn))
        else:
            _DECISIONS[first.__class__](self, first, mark, said)
        for event in rest:
            self.follow(event, in_play=isinstance(first, e.CardPlayed))

    def follow(self, event: e.Event, *, in_play: bool) -> None:
        """What follows from a decision."""
        if isinstance(event, e.TrickWon):
            self.line += f"; {trick_end(event)}"
            self.flush()
        elif in_play and isinstance(event, e.DixScored):
            self.line += f" (dix {event.points})"
        else:
            self.add(conclusion(event))

    def add(self, line: str) -> None:
        """A line of its own."""
        self.flush()
        if line:
            self.lines.append(line)

    def item(self, kind: str, head: str, said: str, between: str) -> None:
        """One more decision on a line that holds several."""
        if self.kind == kind:
            self.line += between + said
        else:
            self.flush()
            self.kind, self.line = kind, f"{head} {said}"

    def flush(self) -> None:
        if self.line:
            self.lines.append(self.line)
        self.kind = self.line = ""

    def opened(self, event: e.TableOpened, mark: str, said: str) -> None:
        if said:
            self.add(f"open:{said}")

    def deal(self, event: e.HandDealt, deck: tuple[Card, ...] | None, said: str) -> None:
        for hand in event.hands:
            if count(hand, HIDDEN):
                raise BadInput("a game with hidden cards cannot be written: its record is needed after the end")
        self.add("")
        self.lines += ["", f"deal {event.number}: {event.dealer} deals{said}"]
        seeded = None
        if self.table.seed:
            seeded = shuffle.shuffled(self.rules.cards, self.table.seed, event.number, self.table.nonce)
        plain = deck_of(self.rules, event.dealer, event.hands, event.turn_up, event.stock)
        if deck is None:
            deck = seeded if seeded and deals_as(self.rules, seeded, event) else plain
        if deck != (seeded or plain):
            self.add(f"deck: {' '.join(NAMES[card] for card in deck)}")
        self.lines += [f"hand {seat}: {text(hand)}" for seat, hand in enumerate(event.hands)]
        if event.turn_up >= 0:
            self.add(f"up: {NAMES[event.turn_up]}")
        if event.stock:
            self.add(f"stock: {' '.join(NAMES[card] for card in event.stock)}")
        self.tricks = self.cards = 0

    def played(self, event: e.CardPlayed, mark: str, said: str) -> None:
        if self.kind != "trick":
            self.tricks += 1
        self.item("trick", f"{self.tricks}. {event.seat}:", f"{mark}{NAMES[event.card]}{said}", " ")

    def extended(self, event: e.TurnExtended, mark: str, said: str) -> None:
        text = f"<until {event.until_ms}>{said}"
        if self.kind:
            self.line += f" {text}"
        else:
            self.add(text)

    def called(self, event: Any, mark: str, said: str) -> None:
        call = event.amount if isinstance(event, e.BidPlaced) else "help" if event.helps else "pass"
        self.item("calls", "calls:", f"{event.seat} {mark}{call}{said}", ", ")


_Decision = Callable[[_Writer, Any, str, str], None]


def _own_line(form: Callable[[Any, str], str], after: Callable[[Any], str] = lambda x: "") -> _Decision:
    def decision(writer: _Writer, event: Any, mark: str, said: str) -> None:
        writer.add(f"{form(event, mark)}{said}{after(event)}")

    return decision


_DECISIONS: dict[type, _Decision] = {
    e.TableOpened: _Writer.opened,
    e.DealKept: lambda w, x, mark, said: w.item("keep", "keep:", f"{mark}{x.seat}{said}", " "),
    e.DealThrownIn: _own_line(lambda x, mark: f"throw in: {x.seat}"),
    e.BidPlaced: _Writer.called,
    e.Passed: _Writer.called,
    e.TrumpNamed: _own_line(lambda x, mark: f"trump {x.seat}: {mark}{SUITS[x.suit]}{' out' if x.declare_out else ''}"),
    e.CardsPassed: _own_line(lambda x, mark: f"give {x.giver}: {mark}{text(x.cards)}"),
    e.Conceded: _own_line(lambda x, mark: f"concede: {x.seat}"),
    e.CardPlayed: _Writer.played,
    e.DixExchanged: _own_line(
        lambda x, mark: f"exchange {x.seat}: {NAMES[x.gives]}", lambda x: f"; for {NAMES[x.takes]}"
    ),
    e.MeldLaid: _own_line(lambda x, mark: f"lay {x.seat}: {x.kind} {text(x.cards)}", lambda x: f"; {x.points}"),
    e.TurnExtended: _Writer.extended,
    e.TableVoided: _own_line(lambda x, mark: f"void: {json.dumps(x.reason)}"),
    e.TableClosed: lambda w, x, mark, said: _closed(w, x, said),
}


def _closed(writer: _Writer, event: e.TableClosed, said: str) -> None:
    if event.seed != writer.table.seed:
        raise BadInput("the seed at the end is another than the one at the opening")
    writer.add(f"closed{said}")


def _annotation(act: Act | None, number: int) -> Annotation:
    """What the act has that a reader would not take for granted."""
    if act is None:
        return NO_ANNOTATION
    expiry = act.command if isinstance(act.command, c.ExpireTurn) else None
    return Annotation(
        author=None if act.author == usual_author(act.command) else act.author,
        at_ms=act.at_ms or None,
        command_id=None if act.command_id == number.to_bytes(16, "big") else act.command_id,
        rules_version=None if act.rules_version == RULES_VERSION else act.rules_version,
        expired_ms=expiry.at_ms if expiry and expiry.at_ms != act.at_ms else None,
        noticed=act.noticed_ms - act.at_ms if act.noticed_ms else None,
        deadline=act.deadline_ms - act.at_ms if act.deadline_ms else None,
        received=act.received_ms - act.at_ms if act.received_ms else None,
    )


def _header(table: e.TableOpened) -> list[str]:
    profile, _ = nearest(table.rules)
    tags: list[tuple[str, object]] = [("Pinochle", FORMAT_VERSION), ("Profile", profile)]
    tags += [(f"Player{seat}", player) for seat, player in enumerate(table.players)]
    tags.append(("Dealer", table.dealer))
    if table.seed:
        tags.append(("Seed", table.seed.hex()))
    if table.commitment and (not table.seed or table.commitment != shuffle.commitment(table.seed)):
        tags.append(("Commitment", table.commitment.hex()))
    times = (("TurnMs", table.turn_ms), ("GraceMs", table.grace_ms), ("BeatMs", table.beat_ms))
    more = (("DealLimit", table.deal_limit), ("Boards", table.boards), ("Tournament", table.tournament))
    usual = (("Nonce", table.nonce.hex()), *times, *more)
    tags += [(name, value) for name, value in (*usual, ("Match", table.match)) if value]
    lines = [f"[{name} {json.dumps(str(value))}]" for name, value in tags]
    return [*lines, *_rules_lines(table.rules)]


def _rules_lines(rules: RuleSet) -> list[str]:
    lines, line = [], "rules:"
    for name, value in rules.knobs().items():
        said = f" {name}={knob_text(value)}"
        if len(line) + len(said) > LINE_CHARACTERS:
            lines.append(line)
            line = "rules:"
        line += said
    return [*lines, line]
