"""Which of the orders a segment gets (thesis §5: the one that needs the fewest bytes for a score)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from voxel_prepare.analysis.evidence import Evidence
from voxel_prepare.analysis.order import ORDERS
from voxel_prepare.analysis.segment_analysis import OrderName

POINTS = 16
"""Prefixes of an order, at equal steps of bytes, whose losses are predicted; between them losses are interpolated."""

TARGETS = 4
"""Number of scores at which orders are compared, at equal distances, from the lowest useful one up."""

MARGIN = 1.05
"""Factor on the predicted bytes of every order but the measured one: the size of the model's error."""


@dataclass(frozen=True, slots=True)
class RankedFrames:
    """Frames in an order."""

    name: OrderName
    order: list[int]
    """Frames that may be missing, the most important first."""
    prefix_bytes: list[int]
    """The size of each prefix, from no frame to all."""
    predicted_losses: list[float]
    """The loss of score at each prefix, descending to 0."""

    def bytes_for(self, loss: float) -> int:
        """The bytes of the shortest prefix with at most that predicted loss."""
        prefix = next(prefix for prefix, predicted in enumerate(self.predicted_losses) if predicted <= loss)
        return self.prefix_bytes[prefix]


def rank(evidence: Evidence, name: OrderName) -> RankedFrames:
    """The frames in that order."""
    order = ORDERS[name](evidence)
    prefix_bytes = [0, *accumulate(evidence.frames[index].unreliable_bytes for index in order)]
    wanted = np.linspace(0, prefix_bytes[-1], POINTS + 1)
    prefixes = sorted({int(prefix) for prefix in np.searchsorted(prefix_bytes, wanted)})
    losses = evidence.model.losses([order[prefix:] for prefix in prefixes])
    # Predicted losses must not rise with more frames: the curve is searched by them.
    descending = np.maximum.accumulate(losses[::-1])[::-1]
    predicted = np.interp(prefix_bytes, [prefix_bytes[prefix] for prefix in prefixes], descending)
    return RankedFrames(name, order, prefix_bytes, predicted.tolist())


def choose_order(evidence: Evidence, names: Sequence[OrderName]) -> RankedFrames:
    """The order among `names` with the fewest predicted bytes, as a mean over the targets."""
    targets = [evidence.useful_loss * number / TARGETS for number in range(1, TARGETS + 1)]
    ranked = [rank(evidence, name) for name in names]

    def bytes_predicted(frames: RankedFrames) -> float:
        margin = 1 if frames.name is OrderName.MEASURED else MARGIN
        return margin * sum(frames.bytes_for(target) for target in targets)

    return min(ranked, key=bytes_predicted)
