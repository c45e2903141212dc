"""The index of a representation: what is written is read again, and nothing else is."""

import json

import pytest
from analyses import DECIMALS, SCALE, analyses, make_analysis
from hypothesis import given
from hypothesis import strategies as st
from index_vectors import VECTORS, vectors
from voxel_prepare.analysis.segment_analysis import Metric, SegmentAnalysis
from voxel_prepare.bits import BitReader, BitWriter
from voxel_prepare.errors import PreparationError
from voxel_prepare.manifest.index_codes import read_list, unzigzag, write_list, write_number, zigzag
from voxel_prepare.manifest.index_entry import IndexFormatError, read_entry, write_entry
from voxel_prepare.manifest.index_file import FIXED, read_index, write_index


@given(st.lists(st.integers(0, 2**31)), st.integers(0, 7))
def test_lists_of_numbers_survive(values: list[int], offset: int) -> None:
    writer = BitWriter()
    writer.bits(0, offset)
    write_list(writer, values)
    writer.align(1)
    reader = BitReader(writer.to_bytes())
    reader.bits(offset)
    assert read_list(reader, len(values)) == values


@given(st.integers(-(2**31), 2**31))
def test_zigzag_has_an_inverse_and_keeps_small_numbers_small(value: int) -> None:
    assert unzigzag(zigzag(value)) == value
    assert 0 <= zigzag(value) <= 2 * abs(value)


@given(analyses())
def test_a_segment_survives(analysis: SegmentAnalysis) -> None:
    assert read_entry(write_entry(analysis, SCALE), Metric.SSIM, SCALE) == analysis


@given(st.sampled_from(Metric).flatmap(lambda metric: st.lists(analyses(metric), min_size=1, max_size=4)))
def test_an_index_survives(segments: list[SegmentAnalysis]) -> None:
    assert read_index(write_index(segments, DECIMALS)) == segments


def test_a_frame_takes_a_few_bytes() -> None:
    """100 frames of 1 to 2 kB in two slices: 45 bits each at most, where the attributes take 50 bytes."""
    frames = [[(10, 600 + 7 * index), (12, 500 + 3 * index)] for index in range(100)]
    order = [index * 37 % 100 for index in range(100)]
    entry = write_entry(make_analysis(frames, order, costs=[100 + index for index in range(100)]), SCALE)
    assert len(entry) < 100 * 45 / 8


@given(st.binary(max_size=200))
def test_garbage_ends_in_the_typed_error(data: bytes) -> None:
    head = FIXED.pack(b"VXIX", 1, 0, DECIMALS, 3, FIXED.size + 4)
    for attempt in (data, head + data):
        try:
            read_index(attempt)
        except IndexFormatError as error:
            assert "\n" not in str(error)


@given(st.binary(min_size=1, max_size=60))
def test_a_garbage_entry_is_refused_or_one_that_would_be_written(data: bytes) -> None:
    try:
        analysis = read_entry(data, Metric.SSIM, SCALE)
    except IndexFormatError:
        return
    assert read_entry(write_entry(analysis, SCALE), Metric.SSIM, SCALE) == analysis


@given(st.lists(analyses(), min_size=1, max_size=3), st.data())
def test_a_truncated_index_is_refused(segments: list[SegmentAnalysis], data: st.DataObject) -> None:
    whole = write_index(segments, DECIMALS)
    with pytest.raises(IndexFormatError):
        read_index(whole[: data.draw(st.integers(0, len(whole) - 1))])


def test_few_bytes_stand_for_few_frames() -> None:
    writer = BitWriter()
    write_number(writer, 0, 16)
    writer.bits(0, 3)
    for count in (1 << 17, 0):
        writer.ue(count)
    write_list(writer, [0, 0])
    writer.bits(0, 64)
    writer.align(0)
    with pytest.raises(IndexFormatError, match="number of frames must be at most 1024, got 131072"):
        read_entry(writer.to_bytes(), Metric.SSIM, SCALE)


def test_the_vectors_shared_with_the_player_are_what_is_written() -> None:
    assert json.loads(VECTORS.read_text()) == json.loads(json.dumps(vectors()))


@pytest.mark.parametrize("vector", vectors()["bad"], ids=lambda vector: str(vector["name"]))
def test_what_is_no_index_is_refused(vector: dict[str, str]) -> None:
    with pytest.raises(IndexFormatError):
        read_index(bytes.fromhex(vector["index"]))


def test_frames_must_stand_in_decode_order() -> None:
    analysis = make_analysis([[(9, 100)], [(9, 100)]], [0, 1])
    analysis.order.reverse()
    with pytest.raises(PreparationError, match="decode order"):
        write_entry(analysis, SCALE)
