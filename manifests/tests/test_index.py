"""The index of a representation: what is written is read again, and nothing else is."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from analyses import DECIMALS, SCALE, analyses, make_analysis, needs_of
from hypothesis import given
from hypothesis import strategies as st
from index_vectors import VECTORS, described, removed_entry, vectors
from voxel_prepare.analysis.segment_analysis import Metric, SegmentAnalysis
from voxel_prepare.bits import BitReader, BitWriter
from voxel_prepare.errors import PreparationError
from voxel_prepare.manifest.index_codes import read_list, unzigzag, write_list, write_number, zigzag
from voxel_prepare.manifest.index_entry import IndexFormatError, direct_needs, read_entry, write_entry
from voxel_prepare.manifest.index_file import FIXED, VERSIONS, read_index, write_index


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
    heads = (FIXED.pack(b"VXIX", version, 0, DECIMALS, 3, FIXED.size + 4) for version in VERSIONS)
    for attempt in (data, *(head + data for head in heads)):
        try:
            read_index(attempt)
        except IndexFormatError as error:
            assert "\n" not in str(error)


@given(st.binary(min_size=1, max_size=60), st.sampled_from(VERSIONS))
def test_a_garbage_entry_is_refused_or_one_that_would_be_written(data: bytes, version: int) -> None:
    try:
        analysis = read_entry(data, Metric.SSIM, SCALE, version=version)
    except IndexFormatError:
        return
    needs = None if analysis.needs is None else direct_needs(analysis.needs)
    reach = analysis.reach if any(analysis.reach or []) else None
    found = read_entry(write_entry(analysis, SCALE), Metric.SSIM, SCALE)
    assert found == replace(analysis, needs=needs, reach=reach)


def closures(needs: Sequence[Sequence[int]]) -> list[set[int]]:
    """All without which each frame goes."""
    found: list[set[int]] = []
    for of_frame in needs:
        found.append({*of_frame}.union(*(found[need] for need in of_frame)))
    return found


@given(st.integers(0, 12).flatmap(needs_of))
def test_direct_needs_are_the_fewest_from_which_all_follow(needs: list[list[int]]) -> None:
    direct = direct_needs(needs)
    assert closures(direct) == closures(needs)
    for place, of_frame in enumerate(direct):
        assert of_frame == sorted(of_frame, reverse=True)
        for need in of_frame:
            fewer = [other for other in of_frame if other != need]
            assert closures([*direct[:place], fewer])[place] < closures(needs)[place]


def test_needs_are_read_as_places_in_the_order() -> None:
    assert read_entry(removed_entry([0, 1, 2], [0, 0, 1]), Metric.SSIM, SCALE).needs == [[], [0], [1, 0]]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (removed_entry([0, 1], [1]), "frame 1 of the order must need earlier ones, the nearest first"),
        (removed_entry([1, 0], [0]), "frame 0 of the order must need earlier ones"),
        (removed_entry([0, 0, 2], [1, 0]), "frame 2 of the order must need earlier ones, the nearest first"),
        (removed_entry([0, 0, 2], [0, 0]), "frame 2 of the order must need earlier ones, the nearest first"),
        (removed_entry([0, 1 << 20], []), "number of needs must be at most"),
        (removed_entry([0, 1], [0], code=3), "the code of missing frames must be at most 2, got 3"),
        (removed_entry([0, 1], [0], slices=2), "frames that are removed must have one range each, found 4 ranges"),
    ],
)
def test_needs_that_no_frame_can_have_are_refused(entry: bytes, message: str) -> None:
    with pytest.raises(IndexFormatError, match=message):
        read_entry(entry, Metric.SSIM, SCALE)


def test_an_entry_of_version_1_names_no_order_of_version_2() -> None:
    with pytest.raises(IndexFormatError, match="the order code must be at most 4, got 5"):
        read_entry(removed_entry([0], []), Metric.SSIM, SCALE, version=1)


def test_frames_that_need_later_ones_or_have_several_ranges_are_not_written() -> None:
    with pytest.raises(PreparationError, match="frame 0 of the order must need earlier ones, found 1"):
        write_entry(make_analysis([[(9, 100)], [(9, 100)]], [0, 1], needs=[[1], []]), SCALE)
    with pytest.raises(PreparationError, match="one range"):
        write_entry(make_analysis([[(9, 100), (9, 100)]], [0], needs=[[]]), SCALE)


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


@pytest.mark.parametrize("vector", vectors()["good"], ids=lambda vector: str(vector["name"]))
def test_the_vectors_are_read(vector: dict[str, Any]) -> None:
    assert described(vector["name"], read_index(bytes.fromhex(vector["index"])), vector["index"]) == json.loads(
        json.dumps(vector)
    )


@pytest.mark.parametrize("vector", vectors()["old"], ids=lambda vector: str(vector["name"]))
def test_version_1_is_read_on(vector: dict[str, Any]) -> None:
    assert described(vector["name"], read_index(bytes.fromhex(vector["index"])), vector["index"]) == vector


@pytest.mark.parametrize("vector", vectors()["bad"], ids=lambda vector: str(vector["name"]))
def test_what_is_no_index_is_refused(vector: dict[str, str]) -> None:
    with pytest.raises(IndexFormatError):
        read_index(bytes.fromhex(vector["index"]))


def test_frames_must_stand_in_decode_order() -> None:
    analysis = make_analysis([[(9, 100)], [(9, 100)]], [0, 1])
    analysis.order.reverse()
    with pytest.raises(PreparationError, match="decode order"):
        write_entry(analysis, SCALE)
