"""What frames need, in every codec: whatever closed set of frames is removed, strict decoders say nothing and give the
pictures that are left, bit for bit, at their times.
"""

from pathlib import Path
from random import Random

import pytest
from coded_clips import ENCODINGS, Coded, decode, encode
from voxel_prepare.byte_ranges import ByteRange, ReceivedRanges
from voxel_prepare.codecs import codec_of
from voxel_prepare.hevc.nal import read_nal_units

OFTEN = {"x264", "x265-layers", "vp9-resilient", "vp9-layers", "svt", "svt-live"}
"""The others, whose encoders are slow or leave little to remove, only with `--every-subset`."""

NAL_LENGTH_BYTES, NAL_HEADER_BYTES = 4, 2

FEW, MANY = 3, 150
"""Sets of each encoding, without and with `--every-subset`."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "coded" in metafunc.fixturenames:
        every = metafunc.config.getoption("--every-subset")
        chosen = [encoding for encoding in ENCODINGS if every or encoding.name in OFTEN]
        if "hevc" in metafunc.fixturenames:
            chosen = [encoding for encoding in chosen if encoding.codec == "hevc"]
        metafunc.parametrize("coded", chosen, ids=[one.name for one in chosen], indirect=True, scope="module")


@pytest.fixture(scope="module")
def coded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Coded:
    return Coded(request.param, encode(request.param, tmp_path_factory.mktemp("coded")))


@pytest.fixture
def hevc(coded: Coded) -> Coded:
    """The clips in HEVC alone."""
    return coded


def test_needs_are_earlier_and_what_must_arrive_needs_nothing_that_may_be_missing(coded: Coded) -> None:
    frames = coded.frames
    assert frames[0].must_arrive
    assert {frame.sample for frame in frames if frame.is_shown} == set(range(len(coded.samples)))
    for place, frame in enumerate(frames):
        sample = coded.samples[frame.sample]
        assert sample.offset <= frame.start < frame.end <= sample.offset + sample.size
        assert all(need < place for need in frame.needs)
        assert not frame.must_arrive or all(frames[need].must_arrive for need in frame.needs)
        assert frame.is_shown == (place + 1 == len(frames) or frames[place + 1].sample > frame.sample)


def test_types_of_units_tell_no_less_than_slice_headers(hevc: Coded) -> None:
    codec, sizes = codec_of(hevc.track.description), NAL_LENGTH_BYTES + NAL_HEADER_BYTES
    units = [
        ByteRange(unit.start - NAL_LENGTH_BYTES, unit.start - NAL_LENGTH_BYTES + sizes)
        for sample in hevc.samples
        for unit in read_nal_units(NAL_LENGTH_BYTES, hevc.data, sample.offset, sample.offset + sample.size)
    ]
    by_types = codec.dependencies(hevc.data, hevc.samples, ReceivedRanges(units))
    assert [frame.needs for frame in by_types] != [frame.needs for frame in hevc.frames]
    closed: list[set[int]] = []
    for frame in by_types:
        closed.append(set(frame.needs).union(*(closed[need] for need in frame.needs)))
    assert all(closed[place].issuperset(frame.needs) for place, frame in enumerate(hevc.frames))


def test_any_closed_set_can_be_removed(coded: Coded, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    random, first = Random(coded.encoding.name), min(sample.presentation_time for sample in coded.samples)
    removable = [place for place, frame in enumerate(coded.frames) if not frame.must_arrive]
    for _ in range(MANY if request.config.getoption("--every-subset") else FEW):
        share = random.choice((0.01, 0.05, 0.3))
        missing = {place for place in removable if random.random() < share}
        gone = coded.closure(missing)
        kept = {frame.sample for place, frame in enumerate(coded.frames) if frame.is_shown and place not in gone}
        times = {coded.samples[place].presentation_time - first for place in kept}
        (damaged := tmp_path / "damaged.mp4").write_bytes(coded.without(missing))
        for decoder, whole in coded.pictures.items():
            assert decode(damaged, decoder) == {time: whole[time] for time in times}, (decoder, missing)
