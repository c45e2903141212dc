"""Which parts of which pictures a picture is predicted from, as far as FFmpeg reports it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import NDArray

from voxel_prepare.analysis.cells import MACROBLOCK, CellGrid
from voxel_prepare.repair.frames import Frame

EXPORT_MOTION = {"flags2": "+export_mvs"}
"""Makes FFmpeg's decoder attach motion vectors to its pictures."""


@dataclass(frozen=True, slots=True)
class NearestReferences:
    """The frames, by index, from which a frame is assumed to be predicted."""

    before: int | None
    """Presented before it."""
    after: int | None
    """Presented after it."""

    @property
    def all(self) -> list[int]:
        return [index for index in (self.before, self.after) if index is not None]


@dataclass(frozen=True, slots=True)
class Prediction:
    """What is predicted from one other picture; arrays have an entry for each cell of the predicted one."""

    reference: int
    """Index of the other frame."""
    share: NDArray[np.float32]
    """The share of the cell that is predicted from the other picture, 0 to 1."""
    source: NDArray[np.int32]
    """The cell of the other picture from which most of it is predicted."""
    macroblocks: float
    """How many macroblocks are predicted from the other picture in total."""


def nearest_references(frames: Sequence[Frame]) -> list[NearestReferences]:
    """For each frame the nearest references in time among those decoded before it."""
    nearest: list[NearestReferences] = []
    references: list[Frame] = []
    for frame in frames:
        time = frame.presentation_time
        before = [other for other in references if other.presentation_time < time]
        after = [other for other in references if other.presentation_time > time]
        nearest.append(
            NearestReferences(
                max(before, key=_presentation_time).index if before else None,
                min(after, key=_presentation_time).index if after else None,
            )
        )
        if frame.is_reference:
            references.append(frame)
    return nearest


def read_predictions(picture: VideoFrame, grid: CellGrid, nearest: NearestReferences) -> list[Prediction]:
    """What is predicted in `picture`, decoded with `EXPORT_MOTION`, from its nearest references; empty for I pictures.

    FFmpeg reports the list to which a vector refers, but not the picture of the list: the nearest one is assumed.
    """
    side_data: Any = picture.side_data.get("MOTION_VECTORS")
    if side_data is None or not nearest.all:
        return []
    vectors = side_data.to_ndarray()
    area = _areas(vectors, picture)
    if nearest.before is None or nearest.after is None:
        return [_prediction(nearest.all[0], grid, vectors, area)]
    past, future = vectors["source"] < 0, vectors["source"] > 0
    return [
        _prediction(nearest.before, grid, vectors[past], area[past]),
        _prediction(nearest.after, grid, vectors[future], area[future]),
    ]


def _areas(vectors: NDArray[Any], picture: VideoFrame) -> NDArray[np.float64]:
    """The area of each vector in macroblocks; bidirectional prediction counts half in each direction."""
    columns = -(-picture.width // MACROBLOCK)
    area = vectors["w"].astype(np.float64) * vectors["h"] / MACROBLOCK**2
    # Positions are the centres of blocks, so they are inside the picture.
    macroblock = vectors["dst_y"] // MACROBLOCK * columns + vectors["dst_x"] // MACROBLOCK
    _, macroblock = np.unique(macroblock, return_inverse=True)
    halved: NDArray[np.float64] = area / np.maximum(np.bincount(macroblock, area), 1)[macroblock]
    return halved


def _prediction(reference: int, grid: CellGrid, vectors: NDArray[Any], area: NDArray[np.float64]) -> Prediction:
    """Adds vectors up by cell; the displacement is their mean."""
    cell = grid.cell(vectors["dst_x"], vectors["dst_y"])
    covered = np.bincount(cell, area, grid.cells)
    weight = np.maximum(covered, np.finfo(np.float32).eps)
    x, y = (
        np.bincount(cell, area * (vectors[f"src_{axis}"] - vectors[f"dst_{axis}"]), grid.cells) / weight
        for axis in "xy"
    )
    share = (covered / grid.macroblocks_per_cell).astype(np.float32)
    return Prediction(reference, share, grid.moved(x, y), float(area.sum()))


def _presentation_time(frame: Frame) -> int:
    return frame.presentation_time
