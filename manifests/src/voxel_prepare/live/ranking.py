"""What missing frames cost, predicted from the source's pictures as they come, and the order within a chunk."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from voxel_prepare.analysis.loss_model import SSIM_C2, dissimilarity
from voxel_prepare.analysis.motion import nearest_references
from voxel_prepare.live.gop import Gop
from voxel_prepare.repair.frames import Frame

SOURCE_C2 = 4 * SSIM_C2
"""The source has faint detail that encodes do not have and cannot lose. `npm run bench -- live-encode` shows how well
costs rank with this and the next one."""

SKIPPED_BITS = 0.5
"""Per macroblock: a frame with that many has half its cost, as half of what changes in the source is not in it."""


class SegmentCosts:
    """The costs of the frames of one segment, the same for all representations until `coded_share` is known.

    As the loss model has them (analysis/loss_model.py), but with the source's pictures, no motion, and the end of the
    segment extrapolated from its structure: a cost is known as soon as the frame's own picture and its references are.
    """

    def __init__(self, gop: Gop) -> None:
        self._frames = gop.frames
        self._nearest = nearest_references(gop.frames)
        self._weights = gop.weights
        self._samples: dict[int, NDArray[np.uint8]] = {}
        self._costs: dict[int, float] = {}

    def see(self, time: int, samples: NDArray[np.uint8]) -> None:
        """Takes the picture that is presented `time` frames after the segment's start (`CellGrid.samples`)."""
        self._samples[time] = samples

    def ended(self, gop: Gop) -> "SegmentCosts":
        """The costs of a segment that ended early, with the frames that it got."""
        costs = SegmentCosts(gop)
        costs._samples = self._samples
        return costs

    def cost(self, index: int) -> float:
        """The loss of the segment's score when only this frame, by decode order, is missing; 0 for an I picture.

        The pictures of the frame and of its references must have been seen.
        """
        if index not in self._costs:
            self._costs[index] = self._dissimilarity(index) * self._weights[index] / len(self._frames)
        return self._costs[index]

    def _dissimilarity(self, index: int) -> float:
        frame = self._frames[index]
        shown = self._nearest[index].all[: 1 if frame.type == "P" else 2]
        if not shown:
            return 0
        references = [self._samples[self._frames[other].presentation_time] for other in shown]
        mean = np.stack(references).mean(0, np.float32)
        own = self._samples[frame.presentation_time].astype(np.float32)
        return max(0.0, float(dissimilarity(own, mean, SOURCE_C2).mean()))


def coded_share(unreliable_bytes: int, macroblocks: int) -> float:
    """The factor on the cost of a frame once it is encoded; `macroblocks`: of a picture.

    What the encoder skips looks the same with and without the frame. After an expensive I picture a rate-controlled
    encoder skips nearly all, however much the source moves.
    """
    return unreliable_bytes / (unreliable_bytes + macroblocks * SKIPPED_BITS / 8)


def chunk_order(frames: Sequence[Frame], costs: Sequence[float]) -> list[int]:
    """Positions in `frames` of those that may be missing, the most important one first.

    References in decode order, as each needs those before it; then the others by cost per byte.
    """
    droppable = [position for position, frame in enumerate(frames) if frame.unreliable]
    references = [position for position in droppable if frames[position].is_reference]
    others = [position for position in droppable if not frames[position].is_reference]
    return references + sorted(others, key=lambda position: -costs[position] / frames[position].unreliable_bytes)


def removal_order(frames: Sequence[Frame]) -> list[int]:
    """The same where missing frames are removed: players take it that each needs those before it in the order that are
    decoded before it, so that those which no other needs come last, and backwards.
    """
    droppable = [position for position, frame in enumerate(frames) if frame.unreliable]
    references = [position for position in droppable if frames[position].is_reference]
    return references + [position for position in reversed(droppable) if not frames[position].is_reference]
