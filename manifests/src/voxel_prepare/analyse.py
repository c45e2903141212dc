"""Ranks and scores segments: everything that a `SegmentURL` says."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from av.error import FFmpegError

from voxel_prepare.byte_ranges import ByteRange, complement
from voxel_prepare.errors import PreparationError
from voxel_prepare.h264 import ParameterSets, RepairError
from voxel_prepare.mp4 import SampleDefaults
from voxel_prepare.order import unreferenced_last
from voxel_prepare.score import EncodedSegment, PrefixScoring, Scoring, UntouchedScoring, score_together
from voxel_prepare.segment_analysis import Metric, OrderName, SegmentAnalysis, Step
from voxel_prepare.segment_layout import Frame, read_frames
from voxel_prepare.steps import REFERENCED_STEPS, UNREFERENCED_STEPS, choose_prefixes

METHOD = f"unreferenced last; SSIM, bicubic; {REFERENCED_STEPS}+{UNREFERENCED_STEPS} steps"
"""Names what decides the result besides the media files: analyses made another way are made again."""

SCORE_DECIMALS = 5


@dataclass(frozen=True, slots=True)
class SegmentSource:
    """Where a segment lies, and what its decoder must know beforehand."""

    path: Path
    range: ByteRange
    codec_configuration: bytes
    defaults: SampleDefaults

    def read(self) -> EncodedSegment:
        with self.path.open("rb") as file:
            file.seek(self.range.start)
            return EncodedSegment(self.codec_configuration, self.defaults, file.read(self.range.size))


def analyse_segments(sources: Sequence[SegmentSource], reference: SegmentSource) -> list[SegmentAnalysis]:
    """Analyses the same segment of several levels; `reference` is that of the top level. Raises `PreparationError`."""
    rankings = [_rank(source) for source in sources]
    is_own_reference = list(sources) == [reference]
    try:
        scores = score_together(
            [ranking.scoring for ranking in rankings], None if is_own_reference else reference.read()
        )
    except FFmpegError as error:
        raise PreparationError(f"{reference.path.name}, bytes {reference.range}: cannot be decoded: {error}") from error
    return [ranking.scored(of_level) for ranking, of_level in zip(rankings, scores, strict=True)]


@dataclass(frozen=True, slots=True)
class _Ranking:
    """A segment before it is scored."""

    range: ByteRange
    frames: list[Frame]
    order: list[int]
    prefixes: list[int]
    scoring: Scoring
    warning: str | None

    def scored(self, scores: Sequence[float]) -> SegmentAnalysis:
        sizes = [self.frames[index].unreliable_bytes for index in self.order]
        unreliable = [
            slice_.moved(self.range.start) for index in self.order for slice_ in self.frames[index].unreliable
        ]
        return SegmentAnalysis(
            range=self.range,
            reliable=complement(self.range, unreliable),
            unreliable=unreliable,
            metric=Metric.SSIM,
            order_name=OrderName.UNREFERENCED,
            order=self.order,
            slices=[len(self.frames[index].unreliable) for index in self.order],
            loss_costs=[0.0] * len(self.order),  # measured by the orders to come
            steps=[
                Step(round(score, SCORE_DECIMALS), prefix, sum(sizes[:prefix]))
                for score, prefix in zip(scores, self.prefixes, strict=True)
            ],
            warning=self.warning,
        )


def _rank(source: SegmentSource) -> _Ranking:
    segment = source.read()
    try:
        frames = read_frames(ParameterSets.from_avcc(source.codec_configuration), segment.data, source.defaults)
        order = unreferenced_last(frames)
        sizes = [frames[index].unreliable_bytes for index in order]
        referenced = sum(frames[index].is_reference for index in order)
        prefixes = choose_prefixes(sizes[:referenced], sizes[referenced:])
        scoring = PrefixScoring(segment, frames, order, prefixes)
        return _Ranking(source.range, frames, order, prefixes, scoring, warning=None)
    except RepairError as error:
        return _Ranking(source.range, [], [], [0], UntouchedScoring(segment), warning=str(error))
