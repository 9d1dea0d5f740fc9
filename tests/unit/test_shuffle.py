"""Shuffling: an independent second writing of the algorithm, commitments and lots."""

import hashlib
import struct
from collections import Counter

import pytest
from pinochle.cards import NAMES
from pinochle.errors import BadInput
from pinochle.rules import load
from pinochle.shuffle import commitment, lot, shuffled

KNOWN_DECK = (
    "JD TH TD AH JD QH AD 9C QC AS KH KD TH QD TC JS TC JH JH 9H QH 9H KS JC "
    "9D KD KS QD AH AS KC AC 9S 9D QS AD TS KH AC KC TD JC 9C JS QS 9S TS QC"
)
SEEDS = [bytes(32), bytes(range(32)), b"\xff" * 32]


def numbers(label: str, seed: bytes, nonce: bytes, number: int) -> list[int]:
    """The first thousand words of the stream, from the module's description."""
    found: list[int] = []
    for block in range(250):
        told = label.encode() + seed + hashlib.new("sha256", nonce).digest() + struct.pack(">QQ", number, block)
        found += struct.unpack(">4Q", hashlib.new("sha256", told).digest())
    return found


def deck_again(cards: tuple[int, ...], seed: bytes, deal: int, nonce: bytes = b"") -> tuple[int, ...]:
    words = numbers("pinochle-arena/deck/1", seed, nonce, deal)
    deck = list(cards)
    for position in reversed(range(1, len(deck))):
        options = position + 1
        while words[0] >= 2**64 // options * options:
            words.pop(0)
        other = words.pop(0) % options
        deck[position], deck[other] = deck[other], deck[position]
    return tuple(deck)


@pytest.mark.parametrize("profile", ["classic", "double-deck"])
@pytest.mark.parametrize("seed", SEEDS, ids=["zeros", "counting", "ones"])
@pytest.mark.parametrize("nonce", [b"", b"chosen by the seats"])
def test_given_seed_deal_and_nonce_when_shuffled_then_the_deck_is_that_of_a_second_writing(
    profile: str, seed: bytes, nonce: bytes
) -> None:
    cards = load(profile).cards
    for deal in (1, 2, 10_000):
        assert deck_again(cards, seed, deal, nonce) == shuffled(cards, seed, deal, nonce)


def test_given_a_seed_when_shuffled_then_the_deck_is_the_one_written_down_here() -> None:
    """Stored games name their decks by seed, so this may never change."""
    deck = " ".join(NAMES[card] for card in shuffled(load("classic").cards, bytes(range(32)), 1))
    assert KNOWN_DECK == deck


def test_given_another_seed_deal_or_nonce_when_shuffled_then_the_deck_is_another() -> None:
    cards = load("classic").cards
    decks = {
        shuffled(cards, seed, deal, nonce) for seed in SEEDS for deal in (1, 2, 3) for nonce in (b"", b"a", b"b" * 64)
    }
    assert 27 == len(decks)


def test_given_a_shuffle_when_the_cards_are_counted_then_they_are_the_same() -> None:
    cards = load("double-deck").cards
    assert Counter(cards) == Counter(shuffled(cards, SEEDS[1], 1))


def test_given_many_shuffles_when_the_first_card_is_counted_then_no_kind_is_much_likelier() -> None:
    """12,000 decks: 500 of each of 24 kinds expected, 6 standard deviations are 131."""
    cards = load("classic").cards
    first = Counter(shuffled(cards, SEEDS[1], deal)[0] for deal in range(1, 12_001))
    assert 24 == len(first)
    assert all(369 <= number <= 631 for number in first.values())


def test_given_a_seed_when_committed_to_then_the_commitment_is_the_hash_with_its_label() -> None:
    for seed in SEEDS:
        assert hashlib.new("sha256", b"pinochle-arena/seed/1" + seed).digest() == commitment(seed)


def test_given_a_seed_when_a_lot_is_drawn_then_it_follows_from_a_stream_of_its_own() -> None:
    for seed in SEEDS:
        words = numbers("pinochle-arena/lot/1", seed, b"", 7)
        word = next(word for word in words if word < 2**64 // 4 * 4)
        assert word % 4 == lot(seed, 7, 4)


@pytest.mark.parametrize("seed", [b"", bytes(31), bytes(33)])
def test_given_a_seed_of_another_length_when_used_then_it_is_refused(seed: bytes) -> None:
    with pytest.raises(BadInput, match="a seed has 32 bytes"):
        commitment(seed)
    with pytest.raises(BadInput):
        shuffled(load("classic").cards, seed, 1)
    with pytest.raises(BadInput):
        lot(seed, 1, 4)
