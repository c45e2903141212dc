"""Ranks and scores one segment: everything that its `SegmentURL` says."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from av.error import FFmpegError

from voxel_prepare.byte_ranges import ByteRange, complement
from voxel_prepare.errors import PreparationError
from voxel_prepare.h264 import ParameterSets, RepairError
from voxel_prepare.mp4 import SampleDefaults
from voxel_prepare.order import unreferenced_last
from voxel_prepare.score import EncodedSegment, score_prefixes, score_untouched
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


@dataclass(frozen=True, slots=True)
class Step:
    """What a prefix of `unreliable` is worth."""

    score: float
    frames: int
    bytes: int


@dataclass(frozen=True, slots=True)
class SegmentAnalysis:
    """A segment as the manifest describes it; ranges are positions in the file."""

    range: ByteRange
    reliable: list[ByteRange]
    unreliable: list[ByteRange]
    steps: list[Step]
    warning: str | None = None
    """Why all of it is reliable."""

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "SegmentAnalysis":
        """Reads what `dataclasses.asdict` made of one, after a round trip through JSON."""
        return cls(
            range=ByteRange(*fields["range"]),
            reliable=[ByteRange(*range_) for range_ in fields["reliable"]],
            unreliable=[ByteRange(*range_) for range_ in fields["unreliable"]],
            steps=[Step(**step) for step in fields["steps"]],
            warning=fields["warning"],
        )

    @property
    def reliable_bytes(self) -> int:
        return sum(range_.size for range_ in self.reliable)

    @property
    def score(self) -> float:
        """Of the untouched segment."""
        return self.steps[-1].score


def analyse_segment(source: SegmentSource, reference: SegmentSource) -> SegmentAnalysis:
    """Analyses a segment; `reference` is the same segment of the top level. Raises `PreparationError`."""
    segment = source.read()
    reference_segment = reference.read() if reference != source else None
    try:
        try:
            frames = read_frames(ParameterSets.from_avcc(source.codec_configuration), segment.data, source.defaults)
            return _ranked(source.range, segment, reference_segment, frames)
        except RepairError as error:
            return _fully_reliable(source.range, score_untouched(segment, reference_segment), str(error))
    except FFmpegError as error:
        raise PreparationError(f"{source.path.name}, bytes {source.range}: cannot be decoded: {error}") from error


def _ranked(
    range_: ByteRange, segment: EncodedSegment, reference: EncodedSegment | None, frames: list[Frame]
) -> SegmentAnalysis:
    order = unreferenced_last(frames)
    sizes = [frames[index].unreliable_bytes for index in order]
    referenced = sum(frames[index].is_reference for index in order)
    prefixes = choose_prefixes(sizes[:referenced], sizes[referenced:])
    scores = score_prefixes(segment, reference, frames, order, prefixes)
    unreliable = [slice_.moved(range_.start) for index in order for slice_ in frames[index].unreliable]
    return SegmentAnalysis(
        range=range_,
        reliable=complement(range_, unreliable),
        unreliable=unreliable,
        steps=[
            Step(round(score, SCORE_DECIMALS), prefix, sum(sizes[:prefix]))
            for score, prefix in zip(scores, prefixes, strict=True)
        ],
    )


def _fully_reliable(range_: ByteRange, score: float, warning: str) -> SegmentAnalysis:
    return SegmentAnalysis(range_, [range_], [], [Step(round(score, SCORE_DECIMALS), 0, 0)], warning)
