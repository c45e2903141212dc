"""What a viewer sees of each prefix of a segment: the repaired bytes decoded and compared with the top level."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from statistics import fmean

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


def score_prefixes(
    segment: EncodedSegment,
    reference: EncodedSegment | None,
    frames: Sequence[Frame],
    order: Sequence[int],
    prefixes: Sequence[int],
) -> list[float]:
    """Mean SSIM of `segment` for each of `prefixes`, counted in frames of `order`; ascending.

    Measured against `reference`, the same segment of the top level; None: against `segment` itself, untouched.

    A missing frame that nothing refers to changes only its own picture, so all prefixes that hold the referenced frames
    follow from two decodes: of the whole segment, and of its referenced frames. The others take a decode each.
    """
    references = [position for position, index in enumerate(order) if frames[index].is_reference]
    all_references = references[-1] + 1 if references else 0
    decoded = sorted({*(prefix for prefix in prefixes if prefix < all_references), all_references, len(order)})
    variants = [_repaired(segment, frames, order[:prefix]).pictures() for prefix in decoded]
    reference_pictures = reference.pictures() if reference else None
    scores = dict(zip(decoded, _score_pictures(variants, reference_pictures), strict=True))

    complete, only_references = scores[len(order)], scores[all_references]
    if len(complete) != len(frames):
        raise PreparationError(f"{len(frames)} frames decode to {len(complete)} pictures")
    picture_of = _presentation_positions(frames)
    for prefix in prefixes:
        if prefix > all_references:
            missing = {picture_of[index] for index in order[prefix:]}
            scores[prefix] = [
                only_references[position] if position in missing else score for position, score in enumerate(complete)
            ]
    return [fmean(scores[prefix]) for prefix in prefixes]


def score_untouched(segment: EncodedSegment, reference: EncodedSegment | None) -> float:
    """Mean SSIM of the whole segment, against `reference` as above."""
    return fmean(_score_pictures([segment.pictures()], reference.pictures())[0]) if reference else 1.0


def _repaired(segment: EncodedSegment, frames: Sequence[Frame], kept: Iterable[int]) -> EncodedSegment:
    """What the player builds when, of the frames' unreliable bytes, only those of `kept` arrive."""
    unreliable = [range_ for frame in frames for range_ in frame.unreliable]
    arrived = [range_ for index in kept for range_ in frames[index].unreliable]
    received = ReceivedRanges([*complement(ByteRange(0, len(segment.data)), unreliable), *arrived])
    parameter_sets = ParameterSets.from_avcc(segment.codec_configuration)
    repaired = repair_segment(parameter_sets, segment.data, received).bytes
    return EncodedSegment(segment.codec_configuration, segment.defaults, repaired)


def _score_pictures(
    variants: Sequence[Iterator[VideoFrame]], reference_pictures: Iterator[VideoFrame] | None
) -> list[list[float]]:
    """For each variant the score of each picture; without reference pictures, against the last variant.

    Decodes all side by side, so that few pictures are in memory.
    """
    decoded = [*variants, reference_pictures] if reference_pictures else variants
    meter: SsimMeter | None = None
    rows: list[list[float]] = []
    for row in zip_longest(*decoded):
        pictures = [picture for picture in row if picture is not None]
        if len(pictures) < len(row):
            raise PreparationError("the levels do not hold the same number of pictures")
        meter = meter or SsimMeter(pictures[0], pictures[-1])
        rows.append(_score_row(meter, pictures[: len(variants)], pictures[-1]))
    return [list(column) for column in zip(*rows, strict=True)]


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
