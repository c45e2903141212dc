"""Foretells scores and costs of encrypted segments whose key is not known, from their bytes: nothing can be decoded.

docs/MANIFEST.md, "Foretold scores", says how far they are from measured ones.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import log2

import numpy as np

from voxel_prepare.analysis.closed_order import additive_costs, closed_order
from voxel_prepare.analysis.closed_sets import ClosedSets
from voxel_prepare.analysis.curve import CurveRequest, measure_curve
from voxel_prepare.analysis.hold_losses import Floats
from voxel_prepare.analysis.removed import removed_analysis
from voxel_prepare.analysis.segment_analysis import SCALES, Metric, SegmentAnalysis
from voxel_prepare.byte_ranges import ByteRange

METRIC = Metric.SSIM
"""The only one that is foretold."""

LOSS_PER_HALVING = 0.023
"""SSIM that a segment loses for each halving of the top representation's bytes."""

HELD_LOSS, HELD_POWER = 0.03, 0.4
"""SSIM that a picture loses when the one before it is shown instead; with the power of how many places that is away."""

NEIGHBOURS = 8
"""Pictures before and after: the bytes of all of them tell how much changes there."""


def foretold_score(size: int, top: int) -> float:
    """The score of an untouched segment with that number of bytes; `top`: those of the top representation's."""
    return max(0.0, 1 - LOSS_PER_HALVING * max(0.0, log2(top / size)))


def foretold_losses(sizes: Sequence[int]) -> Floats:
    """What the segment's score loses while one picture is shown in the place of another: (shown, place).

    `sizes`: bytes of each picture, in order of presentation.
    """
    count = len(sizes)
    if count < 2:
        return np.zeros((count, count))
    changing = np.array([float(np.median(sizes[1:])), *sizes[1:]])  # the first does not tell what has changed
    window = np.ones(2 * min(NEIGHBOURS, (count - 1) // 2) + 1)
    nearby = np.convolve(changing, window, "same") / np.convolve(np.ones(count), window, "same")
    places = np.arange(count)
    away = np.maximum(places[None, :] - places[:, None], 0)
    losses = HELD_LOSS * away**HELD_POWER * np.sqrt(nearby / nearby.mean())
    return np.asarray(np.minimum(losses, 1) / count)


def foretell(range_: ByteRange, sets: ClosedSets, top: int, useful_from: float) -> SegmentAnalysis:
    """The analysis of the segment at `range_` of its file; `top`: bytes of the top representation's."""
    sizes = [0] * sets.pictures
    for frame in sets.frames:
        if frame.picture is not None:
            sizes[frame.picture] = frame.range.size
    losses = foretold_losses(sizes)
    ordered = closed_order(sets, losses, SCALES[METRIC].step)
    scores = [max(0.0, foretold_score(range_.size, top) - loss) for loss in ordered.losses]
    curve = measure_curve(
        CurveRequest(
            predicted_losses=ordered.losses,
            reliable_only=scores[0],
            whole=scores[-1],
            useful_from=useful_from,
            widest_step=SCALES[METRIC].step,
        ),
        lambda prefixes: [scores[prefix] for prefix in prefixes],
    )
    costs = additive_costs(sets, losses)
    return replace(removed_analysis(range_, sets, METRIC, ordered.order, costs, curve), is_foretold=True)
