"""Order 5: frames by the score that is lost without them, per byte saved."""

from math import ceil, inf

from voxel_prepare.analysis.evidence import Evidence
from voxel_prepare.analysis.loss_model import BATCH

ROUND_SHARE = 0.04
"""Share of the bytes that is dropped between two updates of the losses: a frame's cost depends on which others are
missing."""

LIMITS = 10
"""Number of limits of the loss, at equal steps, up to the useful loss."""

ENOUGH = 1.5
"""Times the useful loss: beyond it the order is of no use, and losses are not updated any more."""


def measured(evidence: Evidence) -> list[int]:
    """Drops the cheapest frames round by round; the last one dropped is the most important.

    As many bytes as possible are dropped below each limit: a frame that would exceed it waits for the next limit. What
    a frame costs depends most on the two shown beside it, so of neighbours one at most is dropped in a round.
    """
    neighbours = _neighbours(evidence)
    frames = evidence.frames
    sizes = {index: frames[index].unreliable_bytes for index in evidence.droppable}
    round_bytes = ROUND_SHARE * sum(sizes.values())
    price = {index: cost / sizes[index] for index, cost in evidence.loss_costs.items()}
    dropped: list[int] = []
    limit = 1
    updated: set[int] = set()
    while price and limit <= ceil(ENOUGH * LIMITS):
        # Prices change little from round to round, so only those of the cheapest are updated.
        candidates, others = _cheapest(price)[: BATCH - 1], _cheapest(price)[BATCH - 1 :]
        before, *after = evidence.losses([dropped, *([*dropped, index] for index in candidates)])
        added = {index: loss - before for index, loss in zip(candidates, after, strict=True)}
        price.update({index: loss / sizes[index] for index, loss in added.items()})
        spare = limit * evidence.useful_loss / LIMITS - before
        dearest = price[others[0]] if others else inf
        saved = 0
        outdated: set[int] = set()
        for index in sorted(candidates, key=lambda index: (price[index], -index)):
            if added[index] > spare or index in outdated:
                continue
            if price[index] > dearest or (saved > 0 and saved + sizes[index] > round_bytes):
                break
            saved += sizes[index]
            spare -= added[index]
            dropped.append(index)
            outdated |= neighbours[index]
            del price[index]
        if saved == 0 and updated.issuperset(candidates):
            limit += 1
        updated = set() if saved else updated.union(candidates)
    return [*dropped, *_cheapest(price)][::-1]


def _neighbours(evidence: Evidence) -> dict[int, set[int]]:
    """For each frame, by index, those that are shown immediately before and after it."""
    presented = [frame.index for frame in sorted(evidence.frames, key=lambda frame: frame.presentation_time)]
    beside = zip([None, *presented], presented, [*presented[1:], None], strict=False)
    return {index: {other for other in (before, after) if other is not None} for before, index, after in beside}


def _cheapest(price: dict[int, float]) -> list[int]:
    return sorted(price, key=lambda index: (price[index], -index))
