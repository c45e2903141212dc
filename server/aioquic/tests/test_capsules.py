"""The capsule that closes a session, among others and in pieces."""

import pytest
from aioquic.buffer import encode_uint_var
from hypothesis import given
from hypothesis import strategies as st
from voxel_serve.capsules import MOST_REASON_BYTES, CapsuleReader, Closing, close_session


def capsule(kind: int, value: bytes) -> bytes:
    return encode_uint_var(kind) + encode_uint_var(len(value)) + value


@given(size=st.integers(1, 30), code=st.integers(0, 2**32 - 1), reason=st.text(max_size=100))
def test_the_close_is_found_among_others_in_pieces_of_any_size(size: int, code: int, reason: str) -> None:
    data = (
        capsule(0x1234, b"greasy") + capsule(0, b"") + close_session(Closing(code, reason)) + capsule(0x2843, b"....")
    )
    reader = CapsuleReader()
    for start in range(0, len(data), size):
        reader.feed(data[start : start + size])
    assert reader.closing == Closing(code, reason)


@pytest.mark.parametrize("value", [b"", b"abc", bytes(4 + MOST_REASON_BYTES + 1)])
def test_a_close_of_a_wrong_length_is_skipped(value: bytes) -> None:
    reader = CapsuleReader()
    reader.feed(capsule(0x2843, value))
    assert reader.closing is None
    reader.feed(close_session(Closing(7, "bye")))
    assert reader.closing == Closing(7, "bye")


def test_a_reason_that_is_no_utf_8_is_read_as_far_as_it_goes() -> None:
    reader = CapsuleReader()
    reader.feed(capsule(0x2843, bytes(4) + b"a\xff"))
    assert reader.closing == Closing(0, "a\N{REPLACEMENT CHARACTER}")


@given(data=st.binary(max_size=300), size=st.integers(1, 50))
def test_of_any_bytes_little_is_kept(data: bytes, size: int) -> None:
    reader = CapsuleReader()
    for start in range(0, len(data), size):
        reader.feed(data[start : start + size])
        assert len(reader._buffer) <= 16 + MOST_REASON_BYTES + 4
