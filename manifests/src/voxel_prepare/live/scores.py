"""The present scores of a representation: from decodes of some of its segments, compared with the source."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean

from av.video.frame import VideoFrame
from av.video.reformatter import Interpolation, VideoReformatter

from voxel_prepare.analysis.encoded_segment import EncodedSegment
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.repairable_segment import RepairableSegment
from voxel_prepare.analysis.segment_analysis import Metric
from voxel_prepare.isobmff import SampleDefaults, parse_fragments
from voxel_prepare.repair.codec import Codec

EVERY = 8
"""One segment in this many is measured, of each representation another one."""

PICTURES_APART = 3
"""One picture in this many is compared: no multiple of it is the distance of two references."""

NEWEST_SHARE = 0.5
"""Share of a new measurement in the running mean: content changes within some seconds."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of one representation, 0 to 1."""

    whole: float
    reliable: float
    """Score with the reliable bytes alone."""

    def mixed(self, newer: "Scores") -> "Scores":
        """The running mean with another measurement."""
        return Scores(_mixed(self.whole, newer.whole), _mixed(self.reliable, newer.reliable))


def _mixed(old: float, new: float) -> float:
    return old + NEWEST_SHARE * (new - old)


def is_measured(segment: int, number: int, count: int) -> bool:
    """Whether a segment, counted from the encoder's start, is measured for one of `count` representations.

    The first one is for all.
    """
    return segment == 0 or segment % EVERY == number * EVERY // count


class RepresentationMeter:
    """Measures one representation."""

    def __init__(self, codec: Codec, width: int, height: int) -> None:
        """The size is that in which pictures are compared."""
        self._codec = codec
        self._size = width, height
        self._comparer = PictureComparer(Metric.SSIM)
        self._reformatter = VideoReformatter()

    def measure(
        self,
        data: bytes,
        droppable: Collection[int],
        first: int,
        frame_ticks: int,
        sources: Mapping[int, VideoFrame],
    ) -> Scores:
        """Scores of the chunks `data`, whose earliest picture has the time `first`.

        `droppable`: the frames that may be missing, in decode order from the first one of `data`. Times are in frames,
        of `frame_ticks` in the timescale; `sources` has pictures to compare with, by time. Raises a `RepairError` for
        what repair does not support.
        """
        segment = EncodedSegment(self._codec, SampleDefaults(), data)
        shown = [sample.presentation_time for one in parse_fragments(data, segment.defaults) for sample in one.samples]
        times = [first + (time - min(shown)) // frame_ticks for time in shown]
        references = {index: self._scaled(sources[time]) for index, time in enumerate(times) if time in sources}
        pictures = _replaced if self._codec.is_replaced else _removed
        whole, reliable = (
            fmean(
                self._comparer.measure(picture, references[index])
                for index, picture in pictures(segment, missing, references.keys())
            )
            for missing in (frozenset[int](), droppable)
        )
        # Where nothing moves, what is coded may be the worse one by a rounding error.
        return Scores(whole, min(whole, reliable))

    def _scaled(self, source: VideoFrame) -> VideoFrame:
        """A picture of its own: comparisons change time stamps."""
        scaled = self._reformatter.reformat(
            source, *self._size, "yuv420p", interpolation=Interpolation.BILINEAR, threads=1
        )
        return VideoFrame.from_ndarray(scaled.to_ndarray(), format="yuv420p") if scaled is source else scaled


def _replaced(
    segment: EncodedSegment, missing: Collection[int], wanted: Collection[int]
) -> Iterator[tuple[int, VideoFrame]]:
    return RepairableSegment.of(segment).pictures(missing, wanted)


def _removed(
    segment: EncodedSegment, missing: Collection[int], wanted: Collection[int]
) -> Iterator[tuple[int, VideoFrame]]:
    """The pictures that are shown when the `wanted` frames are. All are decoded as they are shown; the first stays."""
    shown: VideoFrame | None = None
    for index, picture in enumerate(segment.pictures()):
        if shown is None or index not in missing:
            shown = picture
        if index in wanted:
            yield index, shown
