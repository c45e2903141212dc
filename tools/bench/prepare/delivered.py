"""Stated and estimated scores against decodes of what a player would build."""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from voxel_prepare.analyse import SegmentSource
from voxel_prepare.byte_ranges import ReceivedRanges
from voxel_prepare.h264 import ParameterSets
from voxel_prepare.level_segment import EncodedSegment
from voxel_prepare.metrics import PictureComparer
from voxel_prepare.repair import repair_segment
from voxel_prepare.score import score_pictures
from voxel_prepare.segment_analysis import SegmentAnalysis

LOSS_RATES = (0.01, 0.03, 0.1)
"""Of a segment's frames, each lost by itself."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """A score that was stated, or estimated, and what a decode gives."""

    told: float
    decoded: float

    @property
    def error(self) -> float:
        return self.told - self.decoded


def check_segment(
    source: SegmentSource, analysis: SegmentAnalysis, reference: SegmentSource, prefixes: int, seed: int
) -> dict[str, list[Deviation]]:
    """Of one segment random `prefixes`, as many random steps, and a random loss at each rate."""
    draw = random.Random(seed)
    player = _Player(source.read(), analysis, reference.read())
    order = analysis.order
    result: dict[str, list[Deviation]] = {"prefix": [], "step": []}
    lowest = analysis.steps[min(1, len(analysis.steps) - 1)].frames
    for _ in range(prefixes):
        prefix = draw.randint(lowest, len(order))
        stated = next(step.score for step in reversed(analysis.steps) if step.frames <= prefix)
        result["prefix"].append(Deviation(stated, player.score(order[prefix:])))
        step = draw.choice(analysis.steps)
        result["step"].append(Deviation(step.score, player.score(order[step.frames :])))
    for rate in LOSS_RATES:
        lost = [index for index in order if draw.random() < rate]
        result[f"loss {rate:g}"] = [Deviation(estimate(analysis, lost), player.score(lost))]
    return result


def estimate(analysis: SegmentAnalysis, lost: Collection[int]) -> float:
    """As src/manifest/score-estimate.ts: the score of the prefix that ends with the last frame that is here, less what
    each loss in it costs, never below that of the reliable bytes alone."""
    prefix = max((position + 1 for position, index in enumerate(analysis.order) if index not in lost), default=0)
    step = next(step for step in reversed(analysis.steps) if step.frames <= prefix)
    losses = [
        cost
        for index, cost in zip(analysis.order[: step.frames], analysis.loss_costs[: step.frames], strict=True)
        if index in lost
    ]
    return max(step.score - sum(losses), analysis.steps[0].score)


class _Player:
    """Builds what arrives of a segment, byte by byte."""

    def __init__(self, segment: EncodedSegment, analysis: SegmentAnalysis, reference: EncodedSegment) -> None:
        self._segment = segment
        self._analysis = analysis
        self._references = list(reference.pictures())
        ends = iter(analysis.unreliable)
        self._ranges = {
            index: [next(ends) for _ in range(slices)]
            for index, slices in zip(analysis.order, analysis.slices, strict=True)
        }

    def score(self, lost: Sequence[int]) -> float:
        kept = [range_ for index, ranges in self._ranges.items() if index not in lost for range_ in ranges]
        start = self._analysis.range.start
        received = ReceivedRanges(range_.moved(-start) for range_ in [*self._analysis.reliable, *kept])
        delivered = bytearray(len(self._segment.data))
        for range_ in (range_.moved(-start) for range_ in [*self._analysis.reliable, *kept]):
            delivered[range_.start : range_.end] = self._segment.data[range_.start : range_.end]
        parameter_sets = ParameterSets.from_avcc(self._segment.codec_configuration)
        built = EncodedSegment(
            self._segment.codec_configuration,
            self._segment.defaults,
            repair_segment(parameter_sets, bytes(delivered), received).bytes,
        )
        return score_pictures(built.pictures(), self._references, PictureComparer(self._analysis.metric))
