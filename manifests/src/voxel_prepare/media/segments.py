"""Groups the fragments of a track into segments, and checks that an MPD can address them."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.errors import MisalignedSegments
from voxel_prepare.isobmff import Buffer, Fragment, Sample, Track
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.repair.codec import Codec


def video_segments(track: Track, duration: SegmentDuration) -> list[ByteRange]:
    """The byte ranges of the segments (`segment_fragments`). Raises `MisalignedSegments`."""
    return [ByteRange(fragments[0].start, fragments[-1].end) for fragments in segment_fragments(track, duration)]


def segment_fragments(track: Track, duration: SegmentDuration) -> list[list[Fragment]]:
    """The fragments of each segment, which lasts `duration`; the last one may be shorter.

    Raises `MisalignedSegments`.
    """
    _check_rate(track, duration.rate)
    segments: list[list[Fragment]] = []
    collected: list[Fragment] = []
    for fragment in (fragment for fragment in track.fragments if fragment.samples):
        if not collected:
            _check_start(track, fragment, len(segments) * duration.seconds, duration)
        collected.append(fragment)
        frames = sum(len(member.samples) for member in collected)
        if frames > duration.frames:
            raise MisalignedSegments(
                f"expected a key frame at {float((len(segments) + 1) * duration.seconds):g} s: every segment "
                f"({float(duration.seconds):g} s, see --segment) must start with one"
            )
        if frames == duration.frames:
            segments.append(collected)
            collected = []
    if collected:
        segments.append(collected)
    if not segments:
        raise MisalignedSegments("expected at least one segment, found an empty track")
    return segments


def check_key_frames(track: Track, codec: Codec, data: Buffer, segments: Sequence[ByteRange]) -> None:
    """Raises `MisalignedSegments` unless decoding can start with every segment.

    After other key frames, frames may refer to the previous segment, which may be of another representation.
    """
    starts = {segment.start for segment in segments}
    for fragment in track.fragments:
        if fragment.start in starts:
            codec.check_start(data, fragment.samples[0])


def count_key_frames(track: Track, codec: Codec, data: Buffer, duration: SegmentDuration) -> list[int]:
    """The number of frames with which decoding can start, in each segment. Raises `MisalignedSegments`."""
    return [
        sum(_can_start(codec, data, sample) for fragment in fragments for sample in fragment.samples)
        for fragments in segment_fragments(track, duration)
    ]


def _can_start(codec: Codec, data: Buffer, sample: Sample) -> bool:
    try:
        codec.check_start(data, sample)
    except MisalignedSegments:
        return False
    return True


def _check_rate(track: Track, rate: Fraction) -> None:
    """Raises `MisalignedSegments` if a frame is half a frame too long or short; less may be rounding."""
    shown = sorted(sample.presentation_time for fragment in track.fragments for sample in fragment.samples)
    for time, following in pairwise(shown):
        duration = Fraction(following - time, track.timescale)
        if abs(duration * rate - 1) > Fraction(1, 2):
            raise MisalignedSegments(
                f"the frame rate must be constant: expected {float(rate):g} frames/s, "
                f"found a frame of {float(duration):.3f} s"
            )


def _check_start(track: Track, fragment: Fragment, expected: Fraction, duration: SegmentDuration) -> None:
    start = Fraction(fragment.base_decode_time, track.timescale)
    if abs(start - expected) > 1 / (2 * duration.rate):
        raise MisalignedSegments(
            f"expected a segment to start at {float(expected):.3f} s, found {float(start):.3f} s: "
            "the frame rate must be constant from time 0 on"
        )
