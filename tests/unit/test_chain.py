"""The hash chain finds every way of changing a log."""

import hashlib
from dataclasses import dataclass, replace

import pytest
from pinochle.wire.chain import START, check, link

STREAM, OTHER = bytes(range(16)), bytes(range(1, 17))


@dataclass(frozen=True)
class Act:
    version: int
    command_id: bytes
    body: bytes
    hash: bytes


def chain(stream: bytes = STREAM, length: int = 6, word: bytes = b"body") -> list[Act]:
    acts, previous = [], START
    for version in range(1, length + 1):
        command, body = bytes([version]) * 16, word + bytes([version])
        previous = link(previous, stream, version, command, body)
        acts.append(Act(version, command, body, previous))
    return acts


def test_a_link_is_the_sha256_of_its_parts_one_after_the_other():
    parts = START + STREAM + (7).to_bytes(8, "big") + bytes(16) + b"body"
    assert hashlib.sha256(parts).digest() == link(START, STREAM, 7, bytes(16), b"body")


def test_a_link_never_changes_between_releases():
    expected = "9a0e6ec606278ada6cd00fb898fbb1722ec078362bbf547350c8797f9495b0c1"
    assert expected == link(START, STREAM, 1, OTHER, b"pinochle").hex()


@pytest.mark.parametrize(
    "parts", [(bytes(31), STREAM, bytes(16)), (START, bytes(15), bytes(16)), (START, STREAM, bytes(17))]
)
def test_parts_of_a_wrong_length_are_refused(parts):
    previous, stream, command = parts
    with pytest.raises(ValueError, match="a link takes a hash of 32 bytes"):
        link(previous, stream, 1, command, b"")


def test_a_whole_chain_has_no_bad_version():
    assert check(chain(), STREAM) is None
    assert check([], STREAM) is None


def test_a_chain_can_be_checked_from_the_middle():
    acts = chain()
    assert check(acts[3:], STREAM, after=3, previous=acts[2].hash) is None
    assert check(acts[3:], STREAM, after=3, previous=acts[1].hash) == 4


@pytest.mark.parametrize(
    "change",
    [{"body": b"forged"}, {"body": b""}, {"command_id": bytes(16)}, {"hash": bytes(32)}, {"version": 9}],
    ids=lambda change: next(iter(change)),
)
def test_an_altered_act_is_named(change):
    acts = chain()
    acts[2] = replace(acts[2], **change)
    assert check(acts, STREAM) == 3


def test_a_dropped_act_is_named():
    acts = chain()
    del acts[3]
    assert check(acts, STREAM) == 4


def test_a_doubled_act_is_named():
    acts = chain()
    acts.insert(2, acts[1])
    assert check(acts, STREAM) == 3


def test_swapped_acts_are_named_by_the_first():
    acts = chain()
    acts[1], acts[4] = acts[4], acts[1]
    assert check(acts, STREAM) == 2


def test_acts_of_another_stream_are_found_at_once():
    assert check(chain(OTHER), STREAM) == 1


def test_an_inserted_act_with_a_right_hash_of_its_own_breaks_the_next():
    acts = chain()
    forged = replace(acts[2], body=b"forged", hash=link(acts[1].hash, STREAM, 3, acts[2].command_id, b"forged"))
    assert check([*acts[:2], forged, *acts[3:]], STREAM) == 4
