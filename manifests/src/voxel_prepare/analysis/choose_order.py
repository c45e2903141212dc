"""Which of the orders a segment gets (thesis §5: the one with the fewest bytes at the score wanted)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from voxel_prepare.analysis.evidence import Evidence
from voxel_prepare.analysis.order import ORDERS
from voxel_prepare.analysis.segment_analysis import OrderName

POINTS = 16
"""Prefixes of an order, at equal steps of bytes, whose losses are foretold; between them they are interpolated."""

TARGETS = 4
"""Scores at which orders are compared, equally far apart, from the lowest useful one up."""

MARGIN = 1.05
"""What the model foretells of another order than the measured one counts so many times: it errs by as much."""


@dataclass(frozen=True, slots=True)
class RankedFrames:
    """Frames in an order."""

    name: OrderName
    order: list[int]
    """Frames that may be missing, the most important first."""
    prefix_bytes: list[int]
    """For each prefix from no frame to all."""
    foretold_losses: list[float]
    """Likewise, descending to 0."""

    def bytes_for(self, loss: float) -> int:
        """How many bytes keep the foretold loss that small."""
        prefix = next(prefix for prefix, foretold in enumerate(self.foretold_losses) if foretold <= loss)
        return self.prefix_bytes[prefix]


def rank(evidence: Evidence, name: OrderName) -> RankedFrames:
    """Puts frames in that order."""
    order = ORDERS[name](evidence)
    prefix_bytes = [0, *accumulate(evidence.frames[index].unreliable_bytes for index in order)]
    wanted = np.linspace(0, prefix_bytes[-1], POINTS + 1)
    prefixes = sorted({int(prefix) for prefix in np.searchsorted(prefix_bytes, wanted)})
    losses = evidence.model.losses([order[prefix:] for prefix in prefixes])
    # More frames never foretell more loss, or the steps between would have no place.
    descending = np.maximum.accumulate(losses[::-1])[::-1]
    foretold = np.interp(prefix_bytes, [prefix_bytes[prefix] for prefix in prefixes], descending)
    return RankedFrames(name, order, prefix_bytes, foretold.tolist())


def choose_order(evidence: Evidence, names: Sequence[OrderName]) -> RankedFrames:
    """The order among `names` that foretells the fewest bytes, as a mean over the targets."""
    targets = [evidence.useful_loss * number / TARGETS for number in range(1, TARGETS + 1)]
    ranked = [rank(evidence, name) for name in names]

    def bytes_foretold(frames: RankedFrames) -> float:
        margin = 1 if frames.name is OrderName.MEASURED else MARGIN
        return margin * sum(frames.bytes_for(target) for target in targets)

    return min(ranked, key=bytes_foretold)
