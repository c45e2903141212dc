"""The orders in which a segment's frames may be asked for, most important first (thesis §5).

Every order is a function from what is known about a segment to the frames that may be missing.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from voxel_prepare.analysis.evidence import Evidence
from voxel_prepare.analysis.measured_order import measured
from voxel_prepare.analysis.segment_analysis import OrderName

FrameOrder: TypeAlias = Callable[[Evidence], list[int]]


def original(evidence: Evidence) -> list[int]:
    """Decode order, as in the file: the tail is dropped first."""
    return evidence.droppable


def unreferenced_last(evidence: Evidence) -> list[int]:
    """Frames to which no other refers are dropped first (as in BETA), the others as in the original order."""
    return sorted(evidence.droppable, key=lambda index: not evidence.frames[index].is_reference)


def summed_references(evidence: Evidence) -> list[int]:
    """Frames by the number of macroblocks that refer to them."""
    return _heaviest_first(evidence.droppable, evidence.graph.summed())


def chained_references(evidence: Evidence) -> list[int]:
    """Frames by the number of macroblocks that refer to them directly or through others (Algorithm 1)."""
    return _heaviest_first(evidence.droppable, evidence.graph.chained())


ORDERS: dict[OrderName, FrameOrder] = {
    OrderName.ORIGINAL: original,
    OrderName.UNREFERENCED: unreferenced_last,
    OrderName.SUMMED: summed_references,
    OrderName.CHAINED: chained_references,
    OrderName.MEASURED: measured,
}


def _heaviest_first(droppable: Sequence[int], weights: Sequence[float]) -> list[int]:
    """Frames of equal weight stay in the original order."""
    return sorted(droppable, key=lambda index: -weights[index])
