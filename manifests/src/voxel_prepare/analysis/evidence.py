"""What is known of a segment before its frames are put in order."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from av.video.frame import VideoFrame

from voxel_prepare.analysis.cells import CellGrid
from voxel_prepare.analysis.loss_model import LossModel, Undamaged
from voxel_prepare.analysis.motion import nearest_references, read_predictions
from voxel_prepare.analysis.reference_graph import ReferenceGraph
from voxel_prepare.analysis.repairable_segment import LevelSegment
from voxel_prepare.analysis.score import Missing, SegmentScorer
from voxel_prepare.h264.frames import Frame

PROBED_REFERENCES = 8
"""Every so many of the referenced P frames are missing in the decode that tells what such frames are worth."""

MAX_CORRECTION = 16
"""Of the model by a measurement, as a factor either way; more is noise."""

SMALL = 1e-9
"""A loss next to nothing."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """About one segment of one level."""

    frames: Sequence[Frame]
    droppable: list[int]
    """Frames that may be missing, in decode order."""
    graph: ReferenceGraph
    model: LossModel
    """Corrected by measurements; its losses are of the segment's score."""
    whole: float
    """The untouched segment's score."""
    reliable_only: float
    """The score when only reliable bytes are here."""
    useful_loss: float
    """What the score may lose until another level is better."""
    loss_costs: dict[int, float]
    """What each droppable frame costs when it alone is missing."""


class UndamagedPictures:
    """Collects what the model needs to know of the pictures while they are decoded for other ends."""

    def __init__(self, frames: Sequence[Frame]) -> None:
        self._frames = frames
        self._nearest = nearest_references(frames)
        self._grid: CellGrid | None = None
        self._seen: dict[int, Undamaged] = {}

    def see(self, index: int, picture: VideoFrame) -> None:
        """A frame's picture, with motion vectors."""
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
    level: LevelSegment, undamaged: UndamagedPictures, scorer: SegmentScorer, useful_from: float
) -> Evidence:
    """Measures on repaired decodes what kinds of frames are worth, and corrects the model accordingly.

    `useful_from` is the score of the next lower level.
    """
    probes = _probes(level)
    whole, reliable_only, *scores = scorer.scores(
        [frozenset(), frozenset(level.droppable), *(probe.missing for probe in probes)]
    )
    alone = {index: scorer.cost_alone(index) for index in level.droppable if not level.frames[index].is_reference}
    measured = [(_Probe([index], frozenset([index])), cost) for index, cost in alone.items()]
    measured += [(probe, whole - score) for probe, score in zip(probes, scores, strict=True)]
    model = _corrected(undamaged.model(), measured)
    referenced = [index for index in level.droppable if index not in alone]
    costs = {**alone, **dict(zip(referenced, model.losses([[index] for index in referenced]), strict=True))}
    return Evidence(
        frames=level.frames,
        droppable=level.droppable,
        graph=undamaged.graph(),
        model=model,
        whole=whole,
        reliable_only=reliable_only,
        useful_loss=max(0.0, whole - max(useful_from, reliable_only)),
        loss_costs={index: max(0.0, costs[index]) for index in level.droppable},
    )


@dataclass(frozen=True, slots=True)
class _Probe:
    """A repaired decode that tells what frames of a kind are worth."""

    kind: Sequence[int]
    missing: Missing
    """Some of them, so far apart that each counts."""


def _probes(level: LevelSegment) -> list[_Probe]:
    referenced = [index for index in level.droppable if level.frames[index].is_reference]
    of_type_b = [index for index in referenced if level.frames[index].type == "B"]
    of_type_p = [index for index in referenced if level.frames[index].type == "P"]
    probes = [
        _Probe(of_type_b, frozenset(of_type_b)),
        _Probe(of_type_p, frozenset(of_type_p[PROBED_REFERENCES // 2 :: PROBED_REFERENCES])),
    ]
    return [probe for probe in probes if probe.missing]


def _corrected(model: LossModel, measured: Sequence[tuple[_Probe, float]]) -> LossModel:
    """Makes the model's losses for the probes those that were measured."""
    foretold = model.losses([probe.missing for probe, _ in measured])
    factor = sum(loss for _, loss in measured) / max(sum(foretold), SMALL)
    if factor <= 0:
        return model
    corrections = {
        index: float(np.clip(loss / max(factor * estimate, SMALL), 1 / MAX_CORRECTION, MAX_CORRECTION))
        for (probe, loss), estimate in zip(measured, foretold, strict=True)
        for index in probe.kind
    }
    return model.corrected(corrections, factor)
