"""Order 5: frames by what the segment loses without them per byte that is saved."""

from voxel_prepare.evidence import Evidence
from voxel_prepare.loss_model import BATCH

ROUND_SHARE = 0.04
"""So much of the bytes goes before losses are looked at again: what a frame is worth depends on which are gone."""

ENOUGH = 1.5
"""Times the useful loss: beyond that nobody asks for the order, and losses are not looked at again."""


def measured(evidence: Evidence) -> list[int]:
    """Drops the cheapest frames again and again; the last to be dropped is the most important."""
    frames, model = evidence.frames, evidence.model
    sizes = {index: frames[index].unreliable_bytes for index in evidence.droppable}
    round_bytes = ROUND_SHARE * sum(sizes.values())
    price = {index: cost / sizes[index] for index, cost in evidence.loss_costs.items()}
    dropped: list[int] = []
    while price:
        # Prices change little from round to round, so only the cheapest are looked at.
        candidates = _cheapest(price)[: BATCH - 1]
        before, *after = model.losses([dropped, *([*dropped, index] for index in candidates)])
        if before > ENOUGH * evidence.useful_loss:
            dropped += _cheapest(price)
            break
        price.update({index: (loss - before) / sizes[index] for index, loss in zip(candidates, after, strict=True)})
        saved = 0
        for index in sorted(candidates, key=lambda index: (price[index], -index)):
            if saved > 0 and saved + sizes[index] > round_bytes:
                break
            saved += sizes[index]
            dropped.append(index)
            del price[index]
    return dropped[::-1]


def _cheapest(price: dict[int, float]) -> list[int]:
    return sorted(price, key=lambda index: (price[index], -index))
