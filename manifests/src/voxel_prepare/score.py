"""What a viewer sees of each prefix of a segment: the repaired bytes decoded and compared with the top level."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from statistics import fmean
from typing import TypeAlias

from av.video.frame import VideoFrame

from voxel_prepare.byte_ranges import ByteRange, ReceivedRanges, complement
from voxel_prepare.decode import decode_segment, same_picture
from voxel_prepare.errors import PreparationError
from voxel_prepare.h264 import ParameterSets
from voxel_prepare.mp4 import SampleDefaults
from voxel_prepare.repair import repair_segment
from voxel_prepare.segment_layout import Frame
from voxel_prepare.ssim import SsimMeter


@dataclass(frozen=True, slots=True)
class EncodedSegment:
    """A media segment's bytes and what its decoder must know beforehand."""

    codec_configuration: bytes
    defaults: SampleDefaults
    data: bytes

    def pictures(self) -> Iterator[VideoFrame]:
        return decode_segment(self.codec_configuration, self.data, self.defaults)


class PrefixScoring:
    """What to decode for the scores of a segment's prefixes, and how they follow from it.

    A missing frame that nothing refers to changes only its own picture, so all prefixes that hold the referenced frames
    follow from two decodes: of the whole segment, and of its referenced frames. The others take a decode each.
    """

    def __init__(
        self, segment: EncodedSegment, frames: Sequence[Frame], order: Sequence[int], prefixes: Sequence[int]
    ) -> None:
        """`prefixes` count frames of `order`. Raises a `RepairError` where the repairer cannot help."""
        self._frames, self._order, self._prefixes = frames, order, prefixes
        references = [position for position, index in enumerate(order) if frames[index].is_reference]
        self._all_references = references[-1] + 1 if references else 0
        inside = {prefix for prefix in prefixes if prefix < self._all_references}
        self._decoded = sorted({*inside, self._all_references, len(order)})
        self.variants = [_repaired(segment, frames, order[:prefix]) for prefix in self._decoded]
        """To be decoded; the last is the untouched segment."""

    def scores(self, variants: Sequence[Sequence[float]]) -> list[float]:
        """For each prefix its score, from those of each variant's pictures."""
        pictures = dict(zip(self._decoded, variants, strict=True))
        complete, only_references = variants[-1], pictures[self._all_references]
        if len(complete) != len(self._frames):
            raise PreparationError(f"{len(self._frames)} frames decode to {len(complete)} pictures")
        picture_of = _presentation_positions(self._frames)
        for prefix in self._prefixes:
            if prefix > self._all_references:
                missing = {picture_of[index] for index in self._order[prefix:]}
                pictures[prefix] = [
                    only_references[position] if position in missing else score
                    for position, score in enumerate(complete)
                ]
        return [fmean(pictures[prefix]) for prefix in self._prefixes]


class UntouchedScoring:
    """The score of a segment that is never repaired."""

    def __init__(self, segment: EncodedSegment) -> None:
        self.variants = [segment]

    def scores(self, variants: Sequence[Sequence[float]]) -> list[float]:
        """One score."""
        return [fmean(variants[0])]


Scoring: TypeAlias = PrefixScoring | UntouchedScoring


def score_together(scorings: Sequence[Scoring], reference: EncodedSegment | None) -> list[list[float]]:
    """The scores that each of `scorings` asks for, against `reference`, the same segment of the top level.

    None: against the last variant of the last scoring. Decodes all variants of all levels side by side, so that few
    pictures are in memory and the reference is decoded once.
    """
    streams = [variant.pictures() for scoring in scorings for variant in scoring.variants]
    if reference:
        streams.append(reference.pictures())
    meters: list[SsimMeter] = []
    columns: list[list[list[float]]] = [[[] for _ in scoring.variants] for scoring in scorings]
    for row in zip_longest(*streams):
        *_, reference_picture = pictures = [picture for picture in row if picture is not None]
        if len(pictures) < len(row):
            raise PreparationError("the levels do not hold the same number of pictures")
        remaining = iter(pictures)
        by_level = [list(islice(remaining, len(scoring.variants))) for scoring in scorings]
        meters = meters or [SsimMeter(level[0], reference_picture) for level in by_level]
        for meter, level, variants in zip(meters, by_level, columns, strict=True):
            for scores, score in zip(variants, _score_row(meter, level, reference_picture), strict=True):
                scores.append(score)
    return [scoring.scores(variants) for scoring, variants in zip(scorings, columns, strict=True)]


def _repaired(segment: EncodedSegment, frames: Sequence[Frame], kept: Iterable[int]) -> EncodedSegment:
    """What the player builds when, of the frames' unreliable bytes, only those of `kept` arrive."""
    unreliable = [range_ for frame in frames for range_ in frame.unreliable]
    arrived = [range_ for index in kept for range_ in frames[index].unreliable]
    received = ReceivedRanges([*complement(ByteRange(0, len(segment.data)), unreliable), *arrived])
    parameter_sets = ParameterSets.from_avcc(segment.codec_configuration)
    return replace(segment, data=repair_segment(parameter_sets, segment.data, received).bytes)


def _score_row(meter: SsimMeter, pictures: Sequence[VideoFrame], reference: VideoFrame) -> list[float]:
    """Neighbouring variants often agree (before their first missing frame, in still scenes): measured once."""
    scores: list[float] = []
    for position, picture in enumerate(pictures):
        if position > 0 and same_picture(picture, pictures[position - 1]):
            scores.append(scores[-1])
        elif same_picture(picture, reference):
            scores.append(1.0)
        else:
            scores.append(meter.measure(picture, reference))
    return scores


def _presentation_positions(frames: Sequence[Frame]) -> dict[int, int]:
    """From a frame's index to the position of its picture in order of presentation."""
    ordered = sorted(frames, key=lambda frame: frame.presentation_time)
    return {frame.index: position for position, frame in enumerate(ordered)}
