"""Repair of segments: src/repair/README.md, and the same cases as src/repair/repair.test.ts."""

from dataclasses import replace
from itertools import count
from random import Random

import pytest
from fmp4_builder import MdatSize, avcc_of, init_segment, media_segment, sample, sets_of, whole_picture
from hypothesis import given, settings
from hypothesis import strategies as st
from random_slices import random_slice
from repair_vectors import Gaps, punch
from voxel_prepare.codecs import codec_of
from voxel_prepare.errors import MalformedStream, MissingReliableBytes, RepairError, UnsupportedStream
from voxel_prepare.h264 import ParameterSets, skip_slice
from voxel_prepare.h264.codec import H264
from voxel_prepare.h264.slice_header import parse_slice_header
from voxel_prepare.isobmff import SampleDefaults, parse_fragments, parse_track
from voxel_prepare.repair.frames import read_frames
from voxel_prepare.repair.repair import repair_segment

PICTURE = whole_picture("P")
CODEC = H264(PICTURE.avcc)
HEADER = parse_slice_header(PICTURE.nal, ParameterSets.from_avcc(PICTURE.avcc))
SKIPPED = skip_slice(PICTURE.nal, HEADER, HEADER.pps.sps.picture_macroblocks)
SEI = bytes((6, 5, 1, 0xAA, 0x80))
DATA = 4 + PICTURE.header_bytes
"""Position of a slice's data in a sample of one slice."""


def slice_of(data_bytes: int) -> bytes:
    return PICTURE.nal[: PICTURE.header_bytes] + b"\x55" * data_bytes


def frame(data_bytes: int) -> bytes:
    return sample(slice_of(data_bytes))


def nal_units(segment: bytes) -> list[list[bytes]]:
    """The NAL units of each sample."""
    samples = []
    for each in (each for fragment in parse_fragments(segment) for each in fragment.samples):
        nals, at = [], each.offset
        while at < each.offset + each.size:
            length = int.from_bytes(segment[at : at + 4], "big")
            nals.append(segment[at + 4 : at + 4 + length])
            at += 4 + length
        samples.append(nals)
    return samples


def repair_without(segment: bytes, index: int, start: int, end: int | None = None) -> bytes:
    """Repairs the segment with a gap in one sample, counted from its first byte."""
    each = parse_fragments(segment)[0].samples[index]
    gaps = [(each.offset + start % each.size, each.offset + (each.size if end is None else end))]
    return repair_segment(CODEC, punch(segment, gaps), Gaps(gaps)).bytes


def test_a_whole_segment_is_returned_as_it_is() -> None:
    segment = media_segment([[frame(80), frame(90)]])
    repaired = repair_segment(CODEC, segment, Gaps([]))
    assert repaired.bytes is segment
    assert [(each.index, each.bytes, each.type, each.repaired_slices) for each in repaired.frames] == [
        (0, DATA + 80, "P", 0),
        (1, DATA + 90, "P", 0),
    ]


def test_a_slice_is_skipped_and_its_sample_filled_up() -> None:
    segment = media_segment([[frame(300), sample(SEI, slice_of(300)), frame(300)]])
    repaired = repair_without(segment, 1, DATA + 60, DATA + 61)
    assert parse_fragments(repaired) == parse_fragments(segment)
    first, second, third = nal_units(repaired)
    assert [first, third] == [nal_units(segment)[0], nal_units(segment)[2]]
    assert second[:2] == [SEI, SKIPPED]
    filler = second[2]
    assert filler == b"\x0c" + b"\xff" * (len(filler) - 2) + b"\x80"


def test_a_slice_of_few_bytes_is_not_most_of_a_large_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = (whole_picture("P", seed) for seed in count())
    parsed = ((picture, ParameterSets.from_avcc(picture.avcc)) for picture in pictures)
    picture, sets = next(each for each in parsed if all(pps.cabac for pps in each[1].pps.values()))
    (pps,) = sets.pps.values()
    sps = replace(pps.sps, width_in_macroblocks=400, height_in_macroblocks=348)
    large = replace(sets, pps={pps.id: replace(pps, sps=sps)})
    tiny = media_segment([[sample(picture.nal[: picture.header_bytes] + b"\x55")]])
    data = parse_fragments(tiny)[0].samples[0].offset + 4 + picture.header_bytes
    gaps = [(data, data + 1)]
    monkeypatch.setattr("voxel_prepare.h264.codec.parameter_sets", lambda _: large)
    with pytest.raises(MalformedStream, match=r"^139200 macroblocks in a slice of \d+ bytes$"):
        repair_segment(H264(picture.avcc), punch(tiny, gaps), Gaps(gaps))


@pytest.mark.parametrize("mdat_size", ["32-bit", "64-bit", "to the end"])
@pytest.mark.parametrize("spare", range(-1, 7))
def test_a_sample_changes_its_size_where_no_filler_fits(mdat_size: MdatSize, spare: int) -> None:
    tight = frame(len(SKIPPED) - PICTURE.header_bytes + spare)
    segment = media_segment([[frame(50), tight], [frame(60)]], mdat_size=mdat_size)
    repaired = repair_without(segment, 1, -1)
    first, second, third = nal_units(repaired)
    assert [first, third] == [nal_units(segment)[0], nal_units(segment)[2]]
    assert second == ([SKIPPED, b"\x0c\x80"] if spare == 6 else [SKIPPED])
    assert len(repaired) == len(segment) - (0 if spare == 6 else spare)


@pytest.mark.parametrize("spare", [2, 300])
def test_the_default_size_of_a_fragment_with_one_sample_changes_with_it(spare: int) -> None:
    only = frame(len(SKIPPED) - PICTURE.header_bytes + spare)
    named = repair_without(media_segment([[only]]), 0, -1)
    assert nal_units(repair_without(media_segment([[only]], default_size=len(only)), 0, -1)) == nal_units(named)


def test_samples_that_share_a_size_stay_whole_and_others_are_repaired() -> None:
    shared = media_segment([[frame(300), frame(300)]], default_size=len(frame(300)))
    with pytest.raises(MissingReliableBytes, match="cannot change its size"):
        repair_without(shared, 0, -1)
    segment = shared + media_segment([[frame(300)]])
    unreliable = [frame.unreliable for frame in read_frames(CODEC, segment, SampleDefaults())]
    assert [len(ranges) for ranges in unreliable] == [0, 0, 1]
    gaps = [(unreliable[2][0].start, unreliable[2][0].end)]
    assert nal_units(repair_segment(CODEC, punch(segment, gaps), Gaps(gaps)).bytes)[2][0] == SKIPPED


def test_parameter_sets_in_samples_are_those_of_the_avcc_but_for_zeros_at_their_end() -> None:
    sets = sets_of(PICTURE.avcc)
    padded = avcc_of(PICTURE.avcc, [nal + b"\0" for nal in sets])
    for configuration, in_sample in ((padded, sets), (PICTURE.avcc, [nal + b"\0\0" for nal in sets])):
        segment = media_segment([[sample(*in_sample, slice_of(300))]])
        each = parse_fragments(segment)[0].samples[0]
        gaps = [(each.offset + each.size - 1, each.offset + each.size)]
        repaired = repair_segment(H264(configuration), punch(segment, gaps), Gaps(gaps)).bytes
        assert nal_units(repaired)[0][len(sets)] == SKIPPED


def test_an_avc3_track_has_its_parameter_sets_from_its_samples_which_may_change_them() -> None:
    other = whole_picture("P", seed=2)
    codec = codec_of(parse_track(init_segment(avcc_of(PICTURE.avcc, []), entry="avc3")).description)
    samples = [
        sample(*sets_of(PICTURE.avcc), slice_of(300)),
        frame(300),
        sample(*sets_of(other.avcc), other.nal),
        sample(*sets_of(PICTURE.avcc), slice_of(300)),
    ]
    segment = media_segment([samples])
    assert len(read_frames(codec, segment, SampleDefaults())) == 4
    first, second, _, last = parse_fragments(segment)[0].samples
    gaps = [(each.offset + each.size - 1, each.offset + each.size) for each in (first, second, last)]
    repaired = nal_units(repair_segment(codec, punch(segment, gaps), Gaps(gaps)).bytes)
    assert [repaired[0][2], repaired[1][0], repaired[3][2]] == [SKIPPED] * 3
    assert repaired[2] == nal_units(segment)[2]
    with pytest.raises(UnsupportedStream, match="parameter sets that change"):
        read_frames(CODEC, segment, SampleDefaults())


@pytest.mark.parametrize(
    ("index", "start"), [(0, DATA - 1), (0, 2), (0, 4), (1, 6)], ids=["header", "length", "NAL header", "SEI"]
)
def test_what_must_be_here(index: int, start: int) -> None:
    segment = media_segment([[frame(90), sample(SEI, slice_of(90))]])
    with pytest.raises(MissingReliableBytes):
        repair_without(segment, index, start, start + 1)


def test_every_byte_outside_the_sample_data_must_be_here() -> None:
    segment = media_segment([[frame(90)]])
    for position in range(parse_fragments(segment)[0].mdat_payload):
        gaps = [(position, position + 1)]
        with pytest.raises(MissingReliableBytes):
            repair_segment(CODEC, punch(segment, gaps), Gaps(gaps))


def test_every_i_slice_must_be_here() -> None:
    picture = whole_picture("I")
    segment = media_segment([[sample(picture.nal)]])
    (each,) = parse_fragments(segment)[0].samples
    gaps = [(each.offset + each.size - 1, each.offset + each.size)]
    with pytest.raises(MissingReliableBytes):
        repair_segment(H264(picture.avcc), punch(segment, gaps), Gaps(gaps))


@pytest.mark.parametrize(
    ("nal_units_of_sample", "reason"),
    [
        ((slice_of(9), slice_of(9)), "several pictures"),
        ((b"\x67\x01\x02", slice_of(9)), "parameter sets that change"),
        ((b"\x62\x01",), "data partitioning"),
    ],
)
def test_what_is_not_supported(nal_units_of_sample: tuple[bytes, ...], reason: str) -> None:
    with pytest.raises(UnsupportedStream, match=reason):
        repair_segment(CODEC, media_segment([[sample(*nal_units_of_sample)]]), Gaps([]))


@settings(max_examples=500)
@given(data=st.data())
def test_hostile_segments_are_repaired_or_refused(data: st.DataObject) -> None:
    segment = bytearray(media_segment([[frame(60), sample(SEI, slice_of(60))], [frame(70)]]))
    positions = st.integers(0, len(segment) - 1)
    for position, value in data.draw(st.lists(st.tuples(positions, st.integers(0, 255)), max_size=8)):
        segment[position] = value
    gaps = [(start, start + length) for start, length in data.draw(st.lists(st.tuples(positions, st.integers(0, 99))))]
    try:
        repair_segment(CODEC, bytes(segment), Gaps(gaps))
    except RepairError as error:
        assert error.code in ("unsupported-stream", "malformed", "missing-reliable-bytes")


@pytest.mark.parametrize("seed", range(50))
def test_any_slice_that_loses_its_data_keeps_its_header(seed: int) -> None:
    picture = random_slice(Random(seed))
    parameter_sets = ParameterSets.from_avcc(picture.avcc)
    header = parse_slice_header(picture.nal, parameter_sets)
    if header.slice_type != "I":
        assert parse_slice_header(skip_slice(picture.nal, header, picture.macroblocks), parameter_sets) == header
