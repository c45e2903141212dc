"""What is known about a segment before its frames are put in order."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from av.video.frame import VideoFrame

from voxel_prepare.analysis.cells import CellGrid
from voxel_prepare.analysis.loss_model import LossModel, Undamaged
from voxel_prepare.analysis.motion import nearest_references, read_predictions
from voxel_prepare.analysis.reference_graph import ReferenceGraph
from voxel_prepare.analysis.repairable_segment import RepairableSegment
from voxel_prepare.analysis.score import Missing, SegmentScorer
from voxel_prepare.repair.codec import PictureType
from voxel_prepare.repair.frames import Frame

MOST_ALONE = 12
"""So many referenced P frames are measured one by one; of more one in `PROBED_REFERENCES` is missing in one decode."""

PROBED_REFERENCES = 8

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
    losses: "Losses"
    """What sets of missing frames cost."""
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


Losses: TypeAlias = Callable[[Sequence[Collection[int]]], list[float]]
"""Returns the loss of the segment's score for each set of missing frames."""


def gather_evidence(
    segment: RepairableSegment, undamaged: UndamagedPictures, scorer: SegmentScorer, useful_from: float
) -> Evidence:
    """Measures what frames cost in repaired decodes, and corrects the model accordingly.

    `useful_from` is the score of the next lower representation.
    """
    frames, droppable = segment.frames, segment.droppable
    alone = {index: scorer.cost_alone(index) for index in droppable if not frames[index].is_reference}
    probes = _probes_of_p(segment)
    whole, reliable_only, *scores = scorer.scores(
        [frozenset(), frozenset(droppable), *(probe.missing for probe in probes)]
    )
    measured = [(_Probe([index], frozenset([index])), cost) for index, cost in alone.items()]
    measured += [(_Probe([index], frozenset([index])), cost) for index, cost in _costs_of_b(segment, scorer).items()]
    measured += [(probe, whole - score) for probe, score in zip(probes, scores, strict=True)]
    model = _corrected(undamaged.model(), measured)
    losses = _with_measured(model, frozenset(alone), scorer)
    referenced = [index for index in droppable if index not in alone]
    costs = {**alone, **dict(zip(referenced, losses([[index] for index in referenced]), strict=True))}
    return Evidence(
        frames=frames,
        droppable=droppable,
        graph=undamaged.graph(),
        losses=losses,
        whole=whole,
        reliable_only=reliable_only,
        useful_loss=max(0.0, whole - max(useful_from, reliable_only)),
        loss_costs={index: max(0.0, costs[index]) for index in droppable},
    )


@dataclass(frozen=True, slots=True)
class _Probe:
    """A repaired decode that measures the cost of one kind of frame."""

    kind: Sequence[int]
    missing: Missing
    """Some frames of the kind, far enough apart for their losses to add up."""


def _probes_of_p(segment: RepairableSegment) -> list[_Probe]:
    indexes = _referenced(segment, "P")
    if len(indexes) <= MOST_ALONE:
        return [_Probe([index], frozenset([index])) for index in indexes]
    return [_Probe(indexes, frozenset(indexes[PROBED_REFERENCES // 2 :: PROBED_REFERENCES]))]


def _costs_of_b(segment: RepairableSegment, scorer: SegmentScorer) -> dict[int, float]:
    """What each referenced B frame costs, by one decode without any of them: what is lost around it.

    Around it is up to the next frame on both sides that is no B frame.
    """
    referenced = _referenced(segment, "B")
    if not referenced:
        return {}
    lost = scorer.cost_by_picture(frozenset(referenced))
    costs: dict[int, float] = {}
    run: list[int] = []
    for index in [*segment.presented, -1]:
        if index >= 0 and segment.frames[index].type == "B":
            run.append(index)
            continue
        of_run = [frame for frame in run if frame in referenced]
        costs.update(dict.fromkeys(of_run, sum(lost[frame] for frame in run) / max(len(of_run), 1)))
        run = []
    return costs


def _referenced(segment: RepairableSegment, type_: PictureType) -> list[int]:
    """Frames of that type that may be missing and that others may refer to."""
    frames = segment.frames
    return [index for index in segment.droppable if frames[index].is_reference and frames[index].type == type_]


def _with_measured(model: LossModel, unreferenced: Missing, scorer: SegmentScorer) -> Losses:
    """Losses as measured where only unreferenced frames are missing; what references cost beyond is the model's."""

    def losses(scenarios: Sequence[Collection[int]]) -> list[float]:
        sets = [frozenset(missing) for missing in scenarios]
        result = [scorer.cost_in_place(missing) for missing in sets]
        harder = [at for at, missing in enumerate(sets) if not missing <= unreferenced]
        with_references = model.losses([sets[at] for at in harder])
        without = model.losses([sets[at] & unreferenced for at in harder])
        for at, more, less in zip(harder, with_references, without, strict=True):
            result[at] += more - less
        return result

    return losses


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
