"""Gives the frames of a finished file decode times with which all readers show them at the same times."""

from collections.abc import Sequence
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path

from voxel_prepare.isobmff import Sample, parse_track
from voxel_prepare.isobmff.decode_times import decode_times
from voxel_prepare.isobmff.writer import NewSample, write_fragment
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.media.segments import segment_fragments


def retime(path: Path, segment: SegmentDuration) -> None:
    """Writes the file anew, a fragment for each segment (`decode_times`). Frames are shown when they were before.

    Raises `MisalignedSegments`.
    """
    written = path.with_name(f"{path.name}.retimed")
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data, written.open("wb") as output:
        track = parse_track(data)
        segments = [
            [sample for fragment in fragments for sample in fragment.samples]
            for fragments in segment_fragments(track, segment)
        ]
        ends = [*(samples[0].presentation_time for samples in segments[1:]), _end(segments[-1])]
        output.write(track.init)
        for number, (samples, end) in enumerate(zip(segments, ends, strict=True), start=1):
            times = decode_times([sample.presentation_time for sample in samples], end)
            retimed = [
                NewSample(
                    data[sample.offset : sample.offset + sample.size],
                    sample.flags,
                    following - time,
                    sample.presentation_time - time,
                )
                for sample, (time, following) in zip(samples, pairwise([*times, end]), strict=True)
            ]
            output.write(write_fragment(retimed, times[0], number))
    written.replace(path)


def _end(samples: Sequence[Sample]) -> int:
    """When the last picture ends: it lasts as long as the one before, whose duration is known."""
    shown = sorted(sample.presentation_time for sample in samples)
    return shown[-1] + (shown[-1] - shown[-2] if len(shown) > 1 else samples[-1].duration)
