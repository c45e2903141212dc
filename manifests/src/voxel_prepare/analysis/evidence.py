"""What is known about a segment before its frames are put in order."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from av.video.frame import VideoFrame

from voxel_prepare.analysis.cells import CellGrid
from voxel_prepare.analysis.loss_model import LossModel, Undamaged
from voxel_prepare.analysis.motion import nearest_references, read_predictions
from voxel_prepare.analysis.reference_graph import ReferenceGraph
from voxel_prepare.analysis.repairable_segment import RepairableSegment
from voxel_prepare.analysis.score import Missing, SegmentScorer
from voxel_prepare.repair.frames import Frame

PROBED_REFERENCES = 8
"""One in this many referenced P frames is missing in the decode that measures the cost of such frames."""

MAX_CORRECTION = 16
"""Greatest factor, up or down, by which a measurement corrects the model; beyond it the measurement is noise."""

SMALL = 1e-9
"""Avoids a division by a loss of 0."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """About one segment of one representation."""

    frames: Sequence[Frame]
    droppable: list[int]
    """Indexes of the frames that may be missing, in decode order."""
    graph: ReferenceGraph
    model: LossModel
    """Corrected by measurements; predicts losses of the segment's score."""
    whole: float
    """The untouched segment's score."""
    reliable_only: float
    """The score when only the reliable bytes have arrived."""
    useful_loss: float
    """How much of the score may be lost until another representation is better."""
    loss_costs: dict[int, float]
    """For each droppable frame the loss of score when only that frame is missing."""


class UndamagedPictures:
    """Collects the model's input from pictures that are decoded for another purpose anyway."""

    def __init__(self, frames: Sequence[Frame]) -> None:
        self._frames = frames
        self._nearest = nearest_references(frames)
        self._grid: CellGrid | None = None
        self._seen: dict[int, Undamaged] = {}

    def see(self, index: int, picture: VideoFrame) -> None:
        """Takes a frame's picture, which must carry motion vectors."""
        self._grid = self._grid or CellGrid.of(picture)
        nearest = self._nearest[index]
        predictions = read_predictions(picture, self._grid, nearest)
        self._seen[index] = Undamaged(self._grid.samples(picture), nearest, predictions)

    def model(self) -> LossModel:
        return LossModel(self._frames, [self._seen[frame.index] for frame in self._frames])

    def graph(self) -> ReferenceGraph:
        assert self._grid is not None, "all pictures have been seen"
        predictions = [self._seen[frame.index].predictions for frame in self._frames]
        return ReferenceGraph(predictions, self._grid.cells * self._grid.macroblocks_per_cell)


def gather_evidence(
    segment: RepairableSegment, undamaged: UndamagedPictures, scorer: SegmentScorer, useful_from: float
) -> Evidence:
    """Measures the cost of each kind of frame in repaired decodes, and corrects the model accordingly.

    `useful_from` is the score of the next lower representation.
    """
    probes = _probes(segment)
    whole, reliable_only, *scores = scorer.scores(
        [frozenset(), frozenset(segment.droppable), *(probe.missing for probe in probes)]
    )
    alone = {index: scorer.cost_alone(index) for index in segment.droppable if not segment.frames[index].is_reference}
    measured = [(_Probe([index], frozenset([index])), cost) for index, cost in alone.items()]
    measured += [(probe, whole - score) for probe, score in zip(probes, scores, strict=True)]
    model = _corrected(undamaged.model(), measured)
    referenced = [index for index in segment.droppable if index not in alone]
    costs = {**alone, **dict(zip(referenced, model.losses([[index] for index in referenced]), strict=True))}
    return Evidence(
        frames=segment.frames,
        droppable=segment.droppable,
        graph=undamaged.graph(),
        model=model,
        whole=whole,
        reliable_only=reliable_only,
        useful_loss=max(0.0, whole - max(useful_from, reliable_only)),
        loss_costs={index: max(0.0, costs[index]) for index in segment.droppable},
    )


@dataclass(frozen=True, slots=True)
class _Probe:
    """A repaired decode that measures the cost of one kind of frame."""

    kind: Sequence[int]
    missing: Missing
    """Some frames of the kind, far enough apart for their losses to add up."""


def _probes(segment: RepairableSegment) -> list[_Probe]:
    referenced = [index for index in segment.droppable if segment.frames[index].is_reference]
    of_type_b = [index for index in referenced if segment.frames[index].type == "B"]
    of_type_p = [index for index in referenced if segment.frames[index].type == "P"]
    probes = [
        _Probe(of_type_b, frozenset(of_type_b)),
        _Probe(of_type_p, frozenset(of_type_p[PROBED_REFERENCES // 2 :: PROBED_REFERENCES])),
    ]
    return [probe for probe in probes if probe.missing]


def _corrected(model: LossModel, measured: Sequence[tuple[_Probe, float]]) -> LossModel:
    """The model, corrected to predict the measured losses of the probes."""
    predicted = model.losses([probe.missing for probe, _ in measured])
    factor = sum(loss for _, loss in measured) / max(sum(predicted), SMALL)
    if factor <= 0:
        return model
    corrections = {
        index: float(np.clip(loss / max(factor * estimate, SMALL), 1 / MAX_CORRECTION, MAX_CORRECTION))
        for (probe, loss), estimate in zip(measured, predicted, strict=True)
        for index in probe.kind
    }
    return model.corrected(corrections, factor)
