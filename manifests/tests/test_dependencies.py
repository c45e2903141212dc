"""What frames need, in every codec: whatever closed set of frames is removed, strict decoders say nothing and give the
pictures that are left, bit for bit, at their times.
"""

import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random

import pytest
from coded_clips import ENCODINGS, Encoding, encode
from voxel_prepare.byte_ranges import ByteRange, ReceivedRanges, complement
from voxel_prepare.codecs import codec_of
from voxel_prepare.ffmpeg import ffmpeg_program
from voxel_prepare.isobmff import Sample, Track, parse_track
from voxel_prepare.repair.codec import DependentFrame
from voxel_prepare.repair.removal import RemovableFrame, remove_missing

DECODERS = {
    "h264": ("h264",),
    "hevc": ("hevc",),
    "vp9": ("vp9", "libvpx-vp9"),
    "av1": ("libdav1d", "libaom-av1"),
}

OFTEN = {"x264", "x265-layers", "vp9-resilient", "vp9-layers", "svt", "svt-live"}
"""The others, whose encoders are slow or leave little to remove, only with `--every-subset`."""

FEW, MANY = 3, 120
"""Sets of each encoding, without and with `--every-subset`."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "coded" in metafunc.fixturenames:
        every = metafunc.config.getoption("--every-subset")
        chosen = [encoding for encoding in ENCODINGS if every or encoding.name in OFTEN]
        metafunc.parametrize("coded", chosen, ids=[one.name for one in chosen], indirect=True, scope="module")


@dataclass(frozen=True)
class Coded:
    """A clip of one segment."""

    encoding: Encoding
    path: Path

    @cached_property
    def data(self) -> bytes:
        return self.path.read_bytes()

    @cached_property
    def track(self) -> Track:
        return parse_track(self.data)

    @property
    def segment(self) -> bytes:
        return self.data[len(self.track.init) :]

    @cached_property
    def samples(self) -> list[Sample]:
        return [sample for fragment in self.track.fragments for sample in fragment.samples]

    @cached_property
    def frames(self) -> list[DependentFrame]:
        return codec_of(self.track.description).dependencies(self.data, self.samples)

    @cached_property
    def pictures(self) -> dict[str, dict[int, str]]:
        return {decoder: decode(self.path, decoder) for decoder in DECODERS[self.encoding.codec]}

    def without(self, missing: set[int]) -> bytes:
        """The file of which these frames have not arrived, with all that need them removed."""
        start = len(self.track.init)
        removable = [place for place, frame in enumerate(self.frames) if not frame.must_arrive]
        plan = [
            RemovableFrame(
                self.frames[place].start - start,
                self.frames[place].end - start,
                tuple(removable.index(need) for need in self.frames[place].needs if need in removable),
            )
            for place in removable
        ]
        gaps = sorted(ByteRange(frame.start, frame.end) for frame in (plan[removable.index(one)] for one in missing))
        segment = bytearray(self.segment)
        for start_, end in gaps:
            segment[start_:end] = bytes(end - start_)
        received = ReceivedRanges(complement(ByteRange(0, len(segment)), gaps))
        return self.track.init + remove_missing(self.track, bytes(segment), received, plan).bytes

    def closure(self, missing: set[int]) -> set[int]:
        """These frames and all that need them."""
        gone = set(missing)
        for place, frame in enumerate(self.frames):
            if gone.intersection(frame.needs):
                gone.add(place)
        return gone


@pytest.fixture(scope="module")
def coded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Coded:
    return Coded(request.param, encode(request.param, tmp_path_factory.mktemp("coded")))


def decode(path: Path, decoder: str) -> dict[int, str]:
    """The hash of each picture by its time from the first, in the track's timescale; fails on any message."""
    command = [ffmpeg_program(), "-nostdin", "-v", "warning", "-xerror", "-err_detect", "explode", "-threads", "1"]
    output = ("-fps_mode", "passthrough", "-enc_time_base", "demux", "-f", "framemd5", "-")
    done = subprocess.run([*command, "-c:v", decoder, "-i", path, *output], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split(",") for line in done.stdout.splitlines() if not line.startswith("#")]
    times = [int(line[2]) for line in lines]
    assert len(set(times)) == len(times)
    return {time - min(times): line[5].strip() for time, line in zip(times, lines, strict=True)}


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
