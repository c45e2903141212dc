"""Live streams whose missing frames are removed: whatever chunks come without, decoders say nothing."""

from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest
from av.video.frame import VideoFrame
from clips import ffmpeg, make_clip_with_sound
from coded_clips import DECODERS, decode
from unhurried import encode_unhurried, joined
from voxel_prepare.analysis.segment_analysis import OrderName
from voxel_prepare.errors import PreparationError
from voxel_prepare.isobmff import parse_track
from voxel_prepare.live import removable
from voxel_prepare.live.chunker import Chunk
from voxel_prepare.live.encoder import EncodedFrame, FrameChoice, RepresentationEncoder
from voxel_prepare.live.folder import TrackFolder
from voxel_prepare.live.publish import record_head
from voxel_prepare.live.removable import RemovableFrames
from voxel_prepare.manifest.index_file import read_index
from voxel_prepare.manifest.live_records import ChunkRecord
from voxel_prepare.media.encoders import CodecName
from voxel_prepare.media.ladder import Representation
from voxel_prepare.repair.remove_samples import remove_samples

SETS = 6


@pytest.fixture(scope="module", params=[None, 2, 1, 6], ids=lambda chunk: f"chunk={chunk}")
def live(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Segments of 25 frames at 25 frames/s in AV1, of which the last one ends early."""
    folder = tmp_path_factory.mktemp("live-removal")
    clip = make_clip_with_sound(folder / "clip.mp4", seconds=2.4)
    ffmpeg("-i", clip, "-c:v", "libx264", "-c:a", "aac", folder / "clip.ts")
    encode_unhurried(folder / "clip.ts", folder / "out", codec=CodecName.AV1, chunk=request.param)
    return folder / "out"


def track(out: Path) -> TrackFolder:
    return TrackFolder(out / "v0", record_head(1))


def without(out: Path, random: Random, share: float) -> tuple[bytes, set[int]]:
    """The media as a player hands them on that misses this share of the frames, and the times of the pictures that are
    left, in the timescale.
    """
    parsed = parse_track((out / "v0/init.mp4").read_bytes())
    media, shown = b"", set[int]()
    for number in track(out).numbers():
        data, chunks = track(out).media(number), track(out).records(number).chunks
        decoded_until, frames = chunks[0].decode_time, 0
        for record in chunks:
            chunk = data[record.range.start : record.range.end]
            samples = parse_track(parsed.init + chunk).fragments[0].samples
            gone = {place - frames for place in removed(record, random, share)}
            media += remove_samples(parsed, chunk, gone, decoded_until=decoded_until)
            shown |= {sample.presentation_time for place, sample in enumerate(samples) if place not in gone}
            decoded_until = record.decode_time + record.duration if len(gone) < len(samples) else decoded_until
            frames += len(samples)
    return parsed.init + media, shown


def removed(record: ChunkRecord, random: Random, share: float) -> set[int]:
    """Some of a chunk's frames, and all that need them by the rule of records."""
    gone = set[int]()
    for frame in record.frames:
        if random.random() < share or any(other < frame.index for other in gone):
            gone.add(frame.index)
    return gone


@pytest.mark.parametrize("share", [0.1, 0.5, 1])
def test_whatever_is_lost_what_is_left_is_decoded_as_it_was(live: Path, share: float, tmp_path: Path) -> None:
    random = Random(f"{live.name} {share}")
    whole = {decoder: decode(joined(live / "v0"), decoder) for decoder in DECODERS["av1"]}
    for _ in range(SETS if share < 1 else 1):
        media, shown = without(live, random, share)
        (tmp_path / "damaged.mp4").write_bytes(media)
        for decoder, pictures in whole.items():
            assert decode(tmp_path / "damaged.mp4", decoder) == {time: pictures[time] for time in shown}


def test_of_a_live_stream_in_motion_a_part_may_be_missing(live: Path) -> None:
    records = [chunk for number in track(live).numbers() for chunk in track(live).records(number).chunks]
    sizes = [range_.size for chunk in records for frame in chunk.frames for range_ in frame.ranges]
    assert sum(sizes) > 0.05 * sum(chunk.range.size for chunk in records)
    assert all(len(frame.ranges) == 1 for chunk in records for frame in chunk.frames)
    assert 0 < records[-1].reliable_score < records[-1].whole_score


def test_its_index_says_what_needs_what(live: Path) -> None:
    (path,) = live.glob("v0.*.index")
    for number, segment in zip(track(live).numbers(), read_index(path.read_bytes()), strict=True):
        assert segment is not None and segment.needs is not None
        assert segment.order_name is OrderName.CLOSED
        frames = [frame for chunk in track(live).records(number).chunks for frame in chunk.frames]
        assert sorted(segment.order) == sorted(frame.index for frame in frames)
        for place, needs in enumerate(segment.needs):
            assert all(segment.order[need] < segment.order[place] for need in needs)


def test_an_encoder_that_refers_to_what_may_be_missing_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removable, "LAYERED", 3)
    choice = FrameChoice.of(8, 1, None, CodecName.AV1)
    encoder = RepresentationEncoder(Representation("v0", 128, 96, 100_000), Fraction(25), choice)
    grey = VideoFrame.from_ndarray(np.full((144, 128), 100, np.uint8), format="yuv420p")
    frames = [frame for time in range(8) for frame in encoder.encode(grey, time)]
    reader = RemovableFrames(encoder.codec)
    chunks: list[Chunk[EncodedFrame]] = [Chunk(0, at, at, frames[at : at + 4], at == 4) for at in (0, 4)]
    with pytest.raises(PreparationError, match="need others than were expected"):
        for chunk in chunks:
            reader.read(chunk)


def test_a_size_that_the_encoder_does_not_take_is_named() -> None:
    choice = FrameChoice.of(8, 1, None, CodecName.AV1)
    with pytest.raises(PreparationError, match="libsvtav1 cannot encode 64x48"):
        RepresentationEncoder(Representation("v0", 64, 48, 100_000), Fraction(25), choice)
