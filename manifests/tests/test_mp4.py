"""Fragmented MP4: where things lie, and what hostile files come to."""

import struct

import pytest
from fmp4_builder import MdatSize, box, init_segment, media_segment, sample, u32, whole_picture
from hypothesis import given, settings
from hypothesis import strategies as st
from voxel_prepare.isobmff import (
    Mp4Error,
    SampleDefaults,
    SampleDescription,
    UnsupportedMp4,
    parse_fragments,
    parse_track,
)

AVCC = whole_picture("P").avcc
INIT = init_segment(AVCC)
FIRST = media_segment([[sample(b"ab"), sample(b"cde")]], base_decode_time=1 << 33)
SECOND = media_segment([[sample(b"f")], [sample(b"gh")]])


def test_a_track_says_what_it_is_and_where_its_samples_lie() -> None:
    file = INIT + FIRST + SECOND
    track = parse_track(file)
    assert (track.handler, track.timescale, track.init) == ("vide", 12_288, INIT)
    assert track.description == SampleDescription("avc1", None, {"avcC": AVCC}, 320, 180)
    first, second = track.fragments
    assert (first.start, first.end) == (len(INIT), len(INIT + FIRST))
    assert (second.start, second.end) == (len(INIT + FIRST), len(file))
    samples = [file[each.offset : each.offset + each.size][4:] for each in first.samples + second.samples]
    assert samples == [b"ab", b"cde", b"f", b"gh"]
    assert [each.decode_time for each in first.samples] == [1 << 33, (1 << 33) + 512]
    assert {(each.duration, each.composition_offset, each.is_sync) for each in first.samples} == {(512, 1024, False)}
    for each in first.samples:
        assert each.size_field is not None
        assert struct.unpack_from(">I", file, each.size_field)[0] == each.size


def test_a_segment_cut_out_of_its_file_counts_from_its_own_start() -> None:
    (fragment,) = parse_fragments(SECOND)
    assert (fragment.start, fragment.end) == (0, len(SECOND))
    assert SECOND[fragment.moof_start + 4 : fragment.moof_start + 8] == b"moof"
    assert [SECOND[each.offset + 4 : each.offset + each.size] for each in fragment.samples] == [b"f", b"gh"]


@pytest.mark.parametrize("mdat_size", ["64-bit", "to the end"])
def test_every_form_of_mdat_size_is_read(mdat_size: MdatSize) -> None:
    segment = media_segment([[sample(b"xy")]], mdat_size=mdat_size)
    (fragment,) = parse_fragments(segment)
    assert fragment.end == len(segment)


def test_sizes_come_from_the_defaults_where_the_run_has_none() -> None:
    def segment(size: int) -> bytes:
        traf = box("traf", box("tfhd", u32(0, 1)), box("trun", u32(1, 2, size + 8)))
        return box("moof", box("mfhd", u32(0, 1)), traf)

    data = segment(len(segment(0))) + box("mdat", b"abcdef")
    (fragment,) = parse_fragments(data, SampleDefaults(duration=7, size=3))
    assert [(each.size, each.size_field, each.decode_time) for each in fragment.samples] == [(3, None, 0), (3, None, 7)]
    with pytest.raises(UnsupportedMp4, match="size of each sample"):
        parse_fragments(data)


def test_a_default_size_is_that_of_a_sample_which_has_it_alone() -> None:
    single = media_segment([[sample(b"abc")]], default_size=7)
    (each,) = parse_fragments(single)[0].samples
    assert each.size_field is not None
    assert struct.unpack_from(">I", single, each.size_field)[0] == each.size == 7
    shared = media_segment([[sample(b"abc"), sample(b"def")]], default_size=7)
    assert [(each.size, each.size_field) for each in parse_fragments(shared)[0].samples] == [(7, None)] * 2


def test_each_fragment_names_its_sample_description_or_has_the_default() -> None:
    other = whole_picture("P", seed=2).avcc
    fragments = [media_segment([[sample(b"ab")]], description=number) for number in (1, 2, None)]
    track = parse_track(init_segment(AVCC, other) + b"".join(fragments))
    found = [track.description_of(fragment).entry_boxes["avcC"] for fragment in track.fragments]
    assert found == [AVCC, other, other]
    with pytest.raises(UnsupportedMp4, match="expected one sample description, found 2"):
        _ = track.description
    wrong = parse_track(init_segment(AVCC, other) + media_segment([[sample(b"ab")]], description=3))
    with pytest.raises(Mp4Error, match="sample description 3 of 2"):
        wrong.description_of(wrong.fragments[0])
    only = parse_track(INIT + media_segment([[sample(b"ab")]], description=3))
    assert only.description_of(only.fragments[0]) == only.description


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (b"", "no moov"),
        (b"RIFF....AVI ", "bytes, states"),
        (INIT[:-1], "bytes, states"),
        (init_segment(AVCC, tracks=2), "expected one trak box, found 2"),
        (init_segment(AVCC, tracks=0), "expected one trak box, found 0"),
        (init_segment(AVCC, timescale=0), "timescale must be positive"),
        (INIT + FIRST[:-1], "bytes, states"),
        (INIT + box("mdat"), "no moof box before"),
        (INIT + box("moof"), "no mdat box after"),
        (INIT + u32(1) + b"mdat" + u32(0xFFFF_FFFF, 0), "bytes, states"),
        (INIT + u32(4) + b"free", "bytes, states"),
    ],
)
def test_bad_files_get_one_line(file: bytes, message: str) -> None:
    with pytest.raises(Mp4Error, match=message) as error:
        parse_track(file)
    assert "\n" not in str(error.value)


@settings(max_examples=500)
@given(flips=st.lists(st.tuples(st.integers(0, len(INIT + FIRST + SECOND) - 1), st.integers(0, 255)), max_size=8))
def test_damaged_files_are_read_or_refused(flips: list[tuple[int, int]]) -> None:
    file = bytearray(INIT + FIRST + SECOND)
    for position, value in flips:
        file[position] = value
    try:
        track = parse_track(file)
    except Mp4Error:
        return
    for fragment in track.fragments:
        for each in fragment.samples:
            assert fragment.mdat_payload <= each.offset <= each.offset + each.size <= fragment.end
