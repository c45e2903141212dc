"""Which of the orders a segment gets (thesis §5: the one that needs the fewest bytes for a score)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from voxel_prepare.analysis.evidence import Evidence
from voxel_prepare.analysis.order import ORDERS
from voxel_prepare.analysis.score import Missing
from voxel_prepare.analysis.segment_analysis import OrderName

Floats: TypeAlias = NDArray[np.float64]

POINTS = 16
"""Prefixes of an order, at equal steps of bytes, whose losses are predicted; between them losses are interpolated."""

PREDICTED_TARGETS = (0.25, 0.5, 0.75, 1)
"""Losses, as shares of the useful one, at which orders are compared by prediction."""

MEASURED_TARGETS = (0.5, 1)
"""The same where a few prefixes near these losses are decoded."""

MARGIN = 1.05
"""Factor on the predicted bytes of every order but the measured one: the size of the model's error."""

ROUNDS = ((1, 1.5), (0.5, 1.2), (1, 1.1))
"""For each round of decodes: the target near which a prefix of each order is decoded, and which orders take part: those
that need at most this many times the bytes of the best, as far as is known by then."""

MeasureMissing = Callable[[Sequence[Missing]], Sequence[float]]
"""Returns the segment's score for each set of missing frames."""


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
    scores: Mapping[int, float] = field(default_factory=dict)
    """Scores of the prefixes that have been decoded, by the number of frames."""

    def prefix_for(self, loss: float) -> int:
        """The shortest prefix with at most that predicted loss."""
        return next(prefix for prefix, predicted in enumerate(self.predicted_losses) if predicted <= loss)

    def bytes_for(self, losses: Iterable[float]) -> int:
        """The bytes that are needed to lose no more than that, all added up."""
        return sum(self.prefix_bytes[self.prefix_for(loss)] for loss in losses)

    def missing(self, prefix: int) -> Missing:
        """The frames that are not in it."""
        return frozenset(self.order[prefix:])

    def fitted(self, scores: Mapping[int, float]) -> "RankedFrames":
        """The same with these scores of prefixes, among them that of no frame and that of all: losses between them are
        predicted as before, but scaled to fit."""
        known = {**self.scores, **scores}
        whole = known[len(self.order)]
        predicted = np.array(self.predicted_losses)
        losses = np.zeros(len(predicted))
        for low, high in pairwise(sorted(known)):
            drop = predicted[low] - predicted[high]
            share = (predicted[low : high + 1] - predicted[high]) / drop if drop else np.linspace(1, 0, high - low + 1)
            losses[low : high + 1] = whole - known[high] + share * (known[high] - known[low])
        return replace(self, predicted_losses=_descending(losses).tolist(), scores=known)


def rank(evidence: Evidence, name: OrderName) -> RankedFrames:
    """The frames in that order."""
    order = ORDERS[name](evidence)
    prefix_bytes = [0, *accumulate(evidence.frames[index].unreliable_bytes for index in order)]
    wanted = np.linspace(0, prefix_bytes[-1], POINTS + 1)
    prefixes = sorted({int(prefix) for prefix in np.searchsorted(prefix_bytes, wanted)})
    losses = np.array(evidence.losses([order[prefix:] for prefix in prefixes]))
    predicted = np.interp(prefix_bytes, [prefix_bytes[prefix] for prefix in prefixes], _descending(losses))
    return RankedFrames(name, order, prefix_bytes, predicted.tolist())


def predicted_best(evidence: Evidence, names: Sequence[OrderName]) -> RankedFrames:
    """The order among `names` with the fewest predicted bytes."""
    losses = [share * evidence.useful_loss for share in PREDICTED_TARGETS]

    def bytes_predicted(frames: RankedFrames) -> float:
        margin = 1 if frames.name is OrderName.MEASURED else MARGIN
        return margin * frames.bytes_for(losses)

    return min((rank(evidence, name) for name in names), key=bytes_predicted)


def measured_best(evidence: Evidence, names: Sequence[OrderName], measure: MeasureMissing) -> RankedFrames:
    """The order among `names` that needs the fewest bytes by decodes of a few prefixes of each.

    An order that is clearly worse than another after a round is not decoded again.
    """
    ends = {0: evidence.reliable_only, len(evidence.droppable): evidence.whole}
    orders = [rank(evidence, name).fitted(ends) for name in names]
    if len(orders) == 1 or evidence.useful_loss <= 0:
        return orders[0]
    losses = [share * evidence.useful_loss for share in MEASURED_TARGETS]
    known = {frozenset(evidence.droppable): evidence.reliable_only, frozenset(): evidence.whole}
    for share, contending in ROUNDS:
        fewest = min(order.bytes_for(losses) for order in orders)
        orders = [order for order in orders if order.bytes_for(losses) <= contending * fewest]
        prefixes = [order.prefix_for(share * evidence.useful_loss) for order in orders]
        wanted = [order.missing(prefix) for order, prefix in zip(orders, prefixes, strict=True)]
        unknown = [missing for missing in dict.fromkeys(wanted) if missing not in known]
        known.update(zip(unknown, measure(unknown), strict=True))
        orders = [
            order.fitted({prefix: known[missing]})
            for order, prefix, missing in zip(orders, prefixes, wanted, strict=True)
        ]
    return min(orders, key=lambda order: order.bytes_for(losses))


def _descending(losses: Floats) -> Floats:
    """Losses must not rise with more frames: the curve is searched by them."""
    result: Floats = np.maximum.accumulate(losses[::-1])[::-1]
    return result
