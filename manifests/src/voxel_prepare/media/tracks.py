"""Reads and checks finished media files."""

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from voxel_prepare.analysis.encoded_segment import SegmentSource
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.codecs import codec_of
from voxel_prepare.errors import PreparationError
from voxel_prepare.isobmff import Buffer, Mp4Error, Track, parse_track
from voxel_prepare.manifest.mpd import MediaFile
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.media.segments import check_key_frames, count_key_frames, video_segments
from voxel_prepare.repair.codec import Codec

AAC_OBJECT_TYPES = {"LC": 2, "HE-AAC": 5, "HE-AACv2": 29}
"""FFmpeg's profile names and MPEG-4 audio object types (ISO/IEC 14496-3 table 1.17)."""


@dataclass(frozen=True, slots=True)
class VideoTrack:
    """A representation's file."""

    media: MediaFile
    width: int
    height: int
    frames: int
    segments: list[SegmentSource]

    @property
    def codec(self) -> Codec:
        """That of its first segment."""
        return self.segments[0].codec


def read_video(id_: str, path: Path, name: str, segment: SegmentDuration) -> VideoTrack:
    """Reads a representation that will be published as `name`. Raises `MisalignedSegments` or `PreparationError`."""
    with _opened(path) as (track, _):
        description = track.description
        codec = codec_of(description)
        ranges = video_segments(track, segment)
        return VideoTrack(
            media=MediaFile(id_, name, codec.codecs(description.sample_entry), ByteRange(0, len(track.init)), ranges),
            width=description.width,
            height=description.height,
            frames=sum(len(fragment.samples) for fragment in track.fragments),
            segments=[SegmentSource(path, range_, codec, track.defaults, track.timescale) for range_ in ranges],
        )


def check_copied_video(path: Path, segment: SegmentDuration) -> None:
    """Raises `MisalignedSegments` unless each segment can be decoded after the previous one of any representation."""
    with _opened(path) as (track, data):
        check_key_frames(track, codec_of(track.description), data, video_segments(track, segment))


def check_encoded_video(path: Path, segment: SegmentDuration) -> None:
    """Raises `PreparationError` unless the only key frame of each segment is its first frame."""
    check_copied_video(path, segment)
    with _opened(path) as (track, data):
        if any(count != 1 for count in count_key_frames(track, codec_of(track.description), data, segment)):
            raise PreparationError(f"{path.name}: expected one key frame in each segment, found others: encoder error")


def read_audio(id_: str, path: Path, name: str, profile: str, segments: int) -> MediaFile:
    """Reads an audio file, up to `segments` segments, the number of the video. Raises `PreparationError`."""
    with _opened(path) as (track, _):
        ranges = [ByteRange(fragment.start, fragment.end) for fragment in track.fragments]
        codecs = f"mp4a.40.{AAC_OBJECT_TYPES[profile]}"
        return MediaFile(id_, name, codecs, ByteRange(0, len(track.init)), ranges[:segments])


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Track, Buffer]]:
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield parse_track(data), data
    except (Mp4Error, ValueError) as error:
        raise PreparationError(f"{path.name}: {error}") from error
