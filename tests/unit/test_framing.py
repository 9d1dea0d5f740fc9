"""Fields put together by hand are the bytes that protobuf writes."""

from hypothesis import example, given
from hypothesis import strategies as st
from pinochle.wire.framing import repeated, varint
from pinochle.wire.v1 import game_pb2 as pb


@given(st.integers(1, 2**63 - 1))
@example(127)
@example(128)
@example(2**14 - 1)
@example(2**14)
@example(2**28)
@example(1_764_470_000_123)
def test_a_varint_is_written_as_protobuf_does(value: int) -> None:
    assert pb.ActFrame(at_ms=value).SerializeToString() == bytes((2 << 3,)) + varint(value)


@given(st.lists(st.binary(max_size=300), max_size=5))
@example([bytes(4095), bytes(4096), bytes(20_000)])
def test_payloads_are_written_as_protobuf_does(payloads: list[bytes]) -> None:
    assert pb.ActFrame(events=payloads).SerializeToString() == repeated(5, payloads)
