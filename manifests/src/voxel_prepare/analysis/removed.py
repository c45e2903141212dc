"""Analyses a segment whose missing frames are removed: from one decode, as what is kept stays as it is."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import NDArray

from voxel_prepare.analysis.closed_order import additive_costs, closed_order
from voxel_prepare.analysis.closed_sets import ClosedSets, closed_sets
from voxel_prepare.analysis.curve import CurveRequest, measure_curve
from voxel_prepare.analysis.encoded_segment import EncodedSegment
from voxel_prepare.analysis.held_scores import HeldScorer
from voxel_prepare.analysis.hold_losses import Floats, corrected, pair_losses, windows
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.segment_analysis import SCALES, Metric, OrderName, SegmentAnalysis
from voxel_prepare.byte_ranges import EVERYTHING, ByteRange
from voxel_prepare.isobmff import parse_fragments
from voxel_prepare.repair.codec import whole_samples
from voxel_prepare.repair.encrypted import clear_bytes


def read_closed_sets(segment: EncodedSegment) -> ClosedSets:
    """What may be removed of a segment. Raises `Mp4Error`, or a `RepairError` where that cannot be told."""
    samples = [sample for one in parse_fragments(segment.data, segment.defaults) for sample in one.samples]
    clear = clear_bytes(segment.data, segment.encrypted) if segment.is_opaque else EVERYTHING
    frames = segment.codec.dependencies(segment.data, samples, clear)
    return closed_sets(whole_samples(frames, samples) if segment.whole_samples else frames, samples, segment.timescale)


class HeldSegment:
    """A segment and what a viewer sees of it without some of its frames."""

    def __init__(
        self,
        sets: ClosedSets,
        pictures: Iterable[VideoFrame],
        references: Iterable[VideoFrame],
        comparer: PictureComparer,
    ) -> None:
        """Decodes and compares at once. Raises `PreparationError` if there are not as many pictures as references."""
        self.sets = sets
        self._scorer = HeldScorer(pictures, sets.pictures, references, comparer)
        seen: list[NDArray[np.float32]] = []
        everything = list(range(sets.pictures))
        nearest = [max(0, place - 1) for place in everything]
        fewest = sets.shown(sum(1 << index for index in sets.droppable))
        whole, one_missing, most_missing = self._scorer.scores(
            [everything, nearest, fewest], lambda picture: seen.append(windows(picture))
        )
        self.whole = fmean(whole)
        self.reliable_only = fmean(most_missing)
        self.losses: Floats = corrected(
            pair_losses(seen),
            [
                (shown, (np.array(whole) - np.array(scores)) / len(whole))
                for shown, scores in ((nearest, one_missing), (fewest, most_missing))
            ],
        )
        """What the segment's score loses, about, while one picture is shown in the place of another."""

    def scores(self, variants: Sequence[Sequence[int]]) -> list[float]:
        """The segment's score without each of these closed sets of frames."""
        shown = [self.sets.shown(sum(1 << index for index in missing)) for missing in variants]
        return [fmean(scores) for scores in self._scorer.scores(shown)]


def analyse_removed(range_: ByteRange, segment: HeldSegment, metric: Metric, useful_from: float) -> SegmentAnalysis:
    """The analysis of the segment at `range_` of its file, of which some frames may be missing."""
    sets = segment.sets
    ordered = closed_order(sets, segment.losses, SCALES[metric].step)
    curve = measure_curve(
        CurveRequest(
            predicted_losses=np.maximum.accumulate(ordered.losses[::-1])[::-1].tolist(),
            reliable_only=segment.reliable_only,
            whole=segment.whole,
            useful_from=useful_from,
            widest_step=SCALES[metric].step,
        ),
        lambda prefixes: segment.scores([ordered.order[prefix:] for prefix in prefixes]),
    )
    costs = additive_costs(sets, segment.losses)
    return removed_analysis(range_, sets, metric, ordered.order, costs, curve)


def removed_analysis(
    range_: ByteRange,
    sets: ClosedSets,
    metric: Metric,
    order: Sequence[int],
    costs: dict[int, float],
    curve: dict[int, float],
) -> SegmentAnalysis:
    """What is told of a segment: frames that may be missing in their order, and the score of some prefixes."""
    ranks = {index: rank for rank, index in enumerate(order)}
    analysis = SegmentAnalysis.partly_reliable(
        range_,
        metric,
        OrderName.CLOSED,
        order,
        [[sets.frames[index].range] for index in order],
        [costs[index] for index in order],
        curve,
    )
    return replace(analysis, needs=[sorted(ranks[needed] for needed in sets.direct_needs(index)) for index in order])
