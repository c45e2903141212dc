"""Compares pictures with those of the top representation, by FFmpeg's filters."""

from fractions import Fraction
from typing import Protocol

from av.filter import Graph
from av.video.frame import VideoFrame

from voxel_prepare.analysis.decode import same_picture
from voxel_prepare.analysis.segment_analysis import SCALES, Metric
from voxel_prepare.analysis.vmaf import VmafScores

TIME_BASE = Fraction(1, 25)
"""Any value will do: pairs are matched by equal time stamps."""


STREAMS = 12
"""Each needs memory for the reference pictures of its decoder, 30 MB at 1080p."""

VMAF_STREAMS = 3
"""Each needs a process of its own."""


class PictureScores(Protocol):
    """Scores a stream of pictures in order of presentation."""

    def add(self, picture: VideoFrame, reference: VideoFrame) -> None:
        """The next picture and its reference."""
        ...

    def skip(self, reference: VideoFrame) -> None:
        """Leaves the next picture without a score."""
        ...

    def result(self) -> list[float]:
        """The scores of all added pictures. Nothing can be added afterwards."""
        ...


class PictureComparer:
    """Compares pictures of one size and format with references of one size and format."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric
        self._meter: PictureMeter | None = None

    @property
    def streams(self) -> int:
        """How many streams to score side by side at most: bounds memory."""
        return VMAF_STREAMS if self._metric is Metric.VMAF else STREAMS

    def start(self) -> PictureScores:
        """Scores for another stream."""
        return VmafScores() if self._metric is Metric.VMAF else MeteredScores(self)

    def measure(self, picture: VideoFrame, reference: VideoFrame) -> float:
        """The score of one picture."""
        if self._meter is None:
            self._meter = PictureMeter(self._metric, picture, reference)
        return self._meter.measure(picture, reference)


class PictureMeter:
    """FFmpeg's `ssim` or `psnr` of single pictures, scaled to their references' size (bicubic).

    All pictures must have the size and format of `picture`, all references those of `reference`.
    """

    def __init__(self, metric: Metric, picture: VideoFrame, reference: VideoFrame) -> None:
        self._best = SCALES[metric].best
        self._key = SCALES[metric].key
        self._graph = graph = Graph()  # its filters do not keep it alive
        graph.threads = 1
        self._inputs = [
            graph.add_buffer(width=frame.width, height=frame.height, format=frame.format, time_base=TIME_BASE)
            for frame in (picture, reference)
        ]
        scale = graph.add("scale", f"{reference.width}:{reference.height}:flags=bicubic")
        pixel_format = graph.add("format", reference.format.name)
        compare = graph.add(metric.value)
        self._output = graph.add("buffersink")
        self._inputs[0].link_to(scale)
        scale.link_to(pixel_format)
        pixel_format.link_to(compare, 0, 0)
        self._inputs[1].link_to(compare, 0, 1)
        compare.link_to(self._output)
        graph.configure()
        self._pairs = 0
        self._last: tuple[VideoFrame, VideoFrame, float] | None = None

    def measure(self, picture: VideoFrame, reference: VideoFrame) -> float:
        """The mean over the samples of all planes. Skips the filter if the pictures equal those of the last call."""
        if same_picture(picture, reference):
            return self._best
        if self._last and self._last[1] is reference and same_picture(picture, self._last[0]):
            return self._last[2]
        for frame, source in zip((picture, reference), self._inputs, strict=True):
            frame.pts, frame.time_base = self._pairs, TIME_BASE
            source.push(frame)
        self._pairs += 1
        score = min(self._best, float(self._output.pull().metadata[self._key]))
        self._last = (picture, reference, score)
        return score


class MeteredScores:
    """Scores pictures as soon as they are added."""

    def __init__(self, comparer: PictureComparer) -> None:
        self._comparer = comparer
        self._scores: list[float] = []

    def add(self, picture: VideoFrame, reference: VideoFrame) -> None:
        self._scores.append(self._comparer.measure(picture, reference))

    def skip(self, reference: VideoFrame) -> None:
        pass

    def result(self) -> list[float]:
        return self._scores
