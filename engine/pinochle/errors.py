"""The errors of the library, as one tree.

ValueError
  BadInput              malformed input: no state was asked
    BadRules            a rule set that R-CFG-02 refuses
    BadNotation         text that is not a card, a bid, a game
    NewerSchema         what a newer version wrote and this one does not know
Exception
  Rejected              well formed, but not allowed now; carries a Reason
  Conflict              another act came first; load again and decide again
"""

from __future__ import annotations

from enum import StrEnum


class BadInput(ValueError):
    """Malformed input; the message is one clear line for people."""


class BadRules(BadInput):
    """A rule set that R-CFG-02 refuses."""


class BadNotation(BadInput):
    """Text that does not name a card, a suit or a game."""


class NewerSchema(BadInput):
    """What a newer version wrote and this one does not know: a kind of event or command, a knob, a format."""


class Reason(StrEnum):
    """Why a command was rejected. The values are part of the wire contract and never change."""

    NOT_OPEN = "not_open"  # the stream has not begun
    ALREADY_OPEN = "already_open"  # the stream has begun with something else
    OVER = "over"  # the game or event has ended
    NOT_YOUR_TURN = "not_your_turn"  # R-AUC-01, R-PLY-01
    WRONG_PHASE = "wrong_phase"  # no command of this kind is possible now
    ILLEGAL_BID = "illegal_bid"  # R-AUC-02 to R-AUC-04, R-CLB-02
    ILLEGAL_CALL = "illegal_call"  # pass with help where the rules have none
    ILLEGAL_TRUMP = "illegal_trump"  # R-TRU-01, R-CLB-05
    ILLEGAL_CARDS = "illegal_cards"  # R-EXC-01: wrong number, or cards not held
    ILLEGAL_CARD = "illegal_card"  # R-PLY-02 to R-PLY-07
    ILLEGAL_CONCESSION = "illegal_concession"  # section 10
    ILLEGAL_MISDEAL = "illegal_misdeal"  # R-DEAL-05
    ILLEGAL_MELD = "illegal_meld"  # R-TWO-10 to R-TWO-14
    ILLEGAL_DECK = "illegal_deck"  # R-DECK-01, R-DECK-02
    TOO_EARLY = "too_early"  # the turn's time has not run out
    STALE_VERSION = "stale_version"  # the act answers a turn that is gone
    AHEAD_OF_LOG = "ahead_of_log"  # the act answers a turn that the log does not hold: it was restored
    NOT_ALLOWED = "not_allowed"  # the author may not send this command
    ILLEGAL_ENTRY = "illegal_entry"  # a tournament refuses this entrant
    UNKNOWN_MATCH = "unknown_match"  # no such match or table in this tournament
    DIFFERENT_RESULT = "different_result"  # another result is recorded already
    BAD_FORMAT = "bad_format"  # a tournament cannot be run as configured


class Rejected(Exception):
    """A command that the state does not allow; nothing happened."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(f"{reason.value}: {detail}" if detail else reason.value)


class Conflict(Exception):
    """The stream is no longer at the expected version; nothing was stored."""
