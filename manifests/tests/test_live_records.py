"""Live records: what is written is read again, at any moment of the file's growth, and nothing else is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_vectors import HEAD, VECTORS, described, vectors
from voxel_prepare.byte_ranges import ByteRange, complement
from voxel_prepare.manifest.live_records import (
    MAX_FILE,
    ChunkFrame,
    ChunkRecord,
    RecordError,
    Records,
    read_intact,
    read_records,
    write_chunk,
    write_end,
    write_head,
)
from voxel_prepare.manifest.varints import MAX_VARINT, read_varint, varint


@st.composite
def chunks(draw: st.DrawFn) -> list[ChunkRecord]:
    """The chunks of a segment."""
    result: list[ChunkRecord] = []
    numbers = st.integers(0, MAX_VARINT)
    at = 0
    for _ in range(draw(st.integers(0, 4))):
        start, frames = at, []
        for index in draw(st.lists(st.integers(0, 1000), unique=True, max_size=4)):
            ranges = []
            for _ in range(draw(st.integers(1, 3))):
                first = at + draw(st.integers(1, 70_000))
                at = first + draw(st.integers(1, 70_000))
                ranges.append(ByteRange(first, at))
            frames.append(ChunkFrame(index, tuple(ranges), draw(numbers)))
        at += draw(st.integers(1, 70_000))
        whole = ByteRange(start, at)
        reliable = tuple(complement(whole, [range_ for frame in frames for range_ in frame.ranges]))
        times = draw(numbers), draw(numbers), draw(numbers)
        scores = draw(numbers), draw(numbers)
        result.append(ChunkRecord(whole, *times, *scores, reliable, tuple(draw(st.permutations(frames)))))
    return result


@given(st.integers(0, MAX_VARINT), st.binary(max_size=3))
def test_a_varint_survives(value: int, before: bytes) -> None:
    data = before + varint(value)
    assert read_varint(data + b"\xff", len(before), len(data)) == (value, len(data))
    assert read_varint(data, len(before), len(data) - 1) is None


def test_varints_are_those_of_rfc_9000() -> None:
    """The samples of appendix A.1."""
    samples = {"c2197c5eff14e88c": 151_288_809_941_952_652, "9d7f3e7d": 494_878_333, "7bbd": 15_293, "25": 37}
    for text, value in samples.items():
        data = bytes.fromhex(text)
        if value > MAX_VARINT:
            with pytest.raises(ValueError, match="at most"):
                read_varint(data, 0, len(data))
        else:
            assert varint(value) == data


@pytest.mark.parametrize("value", [-1, MAX_VARINT + 1])
def test_numbers_that_do_not_fit_are_not_written(value: int) -> None:
    with pytest.raises(ValueError, match="expected a number"):
        varint(value)


@given(chunks())
def test_records_survive(written: list[ChunkRecord]) -> None:
    length = written[-1].range.end if written else 0
    data = write_head(HEAD) + b"".join(map(write_chunk, written)) + write_end(length)
    assert read_records(data) == Records(HEAD, tuple(written), length, len(data))


@given(chunks(), st.data())
def test_a_growing_file_says_what_is_complete(written: list[ChunkRecord], data: st.DataObject) -> None:
    pieces = [write_head(HEAD), *map(write_chunk, written)]
    whole = b"".join(pieces)
    cut = data.draw(st.integers(0, len(whole)))
    records = read_records(whole[:cut])
    count = len(records.chunks)
    assert records.complete_bytes == (len(b"".join(pieces[: count + 1])) if records.head else 0)
    assert list(records.chunks) == written[:count]
    assert cut - records.complete_bytes < (len([*pieces, whole + b"\0"][count + 1]) if records.head else 16)


@given(chunks(), st.binary(max_size=200), st.data())
def test_what_is_intact_before_a_fault_is_read(written: list[ChunkRecord], rest: bytes, data: st.DataObject) -> None:
    whole = b"".join([write_head(HEAD), *map(write_chunk, written)])
    cut = data.draw(st.integers(0, len(whole)))
    intact = read_records(whole[:cut])
    found = read_intact(whole[:cut] + rest)
    assert found.chunks[: len(intact.chunks)] == intact.chunks
    zeros = read_intact(whole[:cut] + bytes(len(rest)))
    assert zeros.chunks[: len(intact.chunks)] == intact.chunks


@given(st.binary(max_size=300), st.integers(0, 2))
def test_garbage_ends_in_the_typed_error_or_is_a_file(data: bytes, prefix: int) -> None:
    try:
        read_records((b"", write_head(HEAD), write_head(HEAD) + b"\x01")[prefix] + data)
    except RecordError as error:
        assert "\n" not in str(error)


def test_a_file_without_end_is_refused() -> None:
    with pytest.raises(RecordError, match="at most"):
        read_records(write_head(HEAD) + bytes(MAX_FILE))


def test_the_shared_vectors_are_what_is_written() -> None:
    assert json.loads(VECTORS.read_text()) == json.loads(json.dumps(vectors()))


@pytest.mark.parametrize("vector", vectors()["good"], ids=lambda vector: str(vector["name"]))
def test_what_the_vectors_say_is_read(vector: dict[str, str]) -> None:
    records = read_records(bytes.fromhex(vector["bytes"]))
    assert {"name": vector["name"], "bytes": vector["bytes"], **described(records)} == vector


@pytest.mark.parametrize("vector", vectors()["bad"], ids=lambda vector: str(vector["name"]))
def test_damaged_records_are_refused_with_their_fault(vector: dict[str, str]) -> None:
    with pytest.raises(RecordError) as refused:
        read_records(bytes.fromhex(vector["bytes"]))
    assert refused.value.fault == vector["fault"]
