"""How many bytes each order lets a segment do without, compared with its own undamaged decode."""

from collections.abc import Sequence

from voxel_prepare.analysis.choose_order import measured_best, predicted_best, rank
from voxel_prepare.analysis.encoded_segment import SegmentSource
from voxel_prepare.analysis.evidence import UndamagedPictures, gather_evidence
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.references import ReferencePictures
from voxel_prepare.analysis.repairable_segment import RepairableSegment
from voxel_prepare.analysis.score import SegmentScorer
from voxel_prepare.analysis.segment_analysis import Metric, OrderName

TARGETS = (0.99, 0.95, 0.90)
"""SSIM; the first two bound the bands of the thesis' Table 5.1."""

CHOSEN = "chosen"
"""The order that the tool chooses by measuring."""

PREDICTED = "predicted"
"""With `--choice predicted`."""


def droppable_shares(source: SegmentSource, names: Sequence[OrderName]) -> dict[str, list[float]]:
    """For each order, and those that the tool would choose, the share of bytes droppable at each target."""
    segment = source.read()
    repairable = RepairableSegment.of(segment)
    undamaged = UndamagedPictures(repairable.frames)
    scorer = SegmentScorer(repairable, ReferencePictures(segment), PictureComparer(Metric.SSIM), undamaged.see)
    evidence = gather_evidence(repairable, undamaged, scorer, min(TARGETS))
    shares = {
        name.value: _shares(scorer, ranked.order, ranked.prefix_bytes, repairable.size)
        for name, ranked in ((name, rank(evidence, name)) for name in names)
    }
    shares[CHOSEN] = shares[measured_best(evidence, names, scorer.scores).name.value]
    shares[PREDICTED] = shares[predicted_best(evidence, names).name.value]
    return shares


def _shares(scorer: SegmentScorer, order: Sequence[int], prefix_bytes: Sequence[int], size: int) -> list[float]:
    """Shares that may be missing, found by halving: a few prefixes whose score is not in order do not matter."""
    scores: dict[int, float] = {}
    shares: list[float] = []
    for target in TARGETS:
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            if middle not in scores:
                scores[middle] = scorer.scores([frozenset(order[middle:])])[0]
            low, high = (low, middle) if scores[middle] >= target else (middle + 1, high)
        shares.append((prefix_bytes[-1] - prefix_bytes[low]) / size)
    return shares
