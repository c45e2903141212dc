"""The squares into which pictures are divided to predict losses."""

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import NDArray

MACROBLOCK = 16
"""Luma samples in width and height."""

CELLS = 1000
"""Upper bound of the cells of a picture, about: finer ones do not improve the prediction."""

SAMPLES_PER_SIDE = 4
"""A cell is represented by this number of luma samples squared."""


def macroblocks(width: int, height: int) -> int:
    """How many cover a picture of that size."""
    return ceil(width / MACROBLOCK) * ceil(height / MACROBLOCK)


@dataclass(frozen=True, slots=True)
class CellGrid:
    """Cells of whole macroblocks, in raster order; those at the right and lower edge may exceed the picture."""

    columns: int
    rows: int
    side: int
    """Luma samples."""

    @classmethod
    def of(cls, picture: VideoFrame) -> "CellGrid":
        """The grid for pictures of the size of `picture`."""
        side = MACROBLOCK * ceil(sqrt(macroblocks(picture.width, picture.height) / CELLS))
        return cls(ceil(picture.width / side), ceil(picture.height / side), side)

    @property
    def cells(self) -> int:
        return self.columns * self.rows

    @property
    def macroblocks_per_cell(self) -> int:
        return (self.side // MACROBLOCK) ** 2

    def samples(self, picture: VideoFrame) -> NDArray[np.uint8]:
        """A few luma samples of each cell: (cells, samples)."""
        plane = picture.planes[0]
        stride = self.side // SAMPLES_PER_SIDE
        luma = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
        luma = luma[: picture.height : stride, : picture.width : stride]
        rows, columns = self.rows * SAMPLES_PER_SIDE, self.columns * SAMPLES_PER_SIDE
        luma = np.pad(luma, ((0, rows - luma.shape[0]), (0, columns - luma.shape[1])), mode="edge")
        cells = luma.reshape(self.rows, SAMPLES_PER_SIDE, self.columns, SAMPLES_PER_SIDE).swapaxes(1, 2)
        return cells.reshape(self.cells, SAMPLES_PER_SIDE**2)

    def cell(self, x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int32]:
        """The cell that contains a luma position; the nearest one for positions outside the picture."""
        column = np.clip(x // self.side, 0, self.columns - 1)
        row = np.clip(y // self.side, 0, self.rows - 1)
        cell: NDArray[np.int32] = (row * self.columns + column).astype(np.int32)
        return cell

    def moved(self, x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int32]:
        """For each cell the one that contains its centre after a move by `x` and `y` luma samples."""
        index = np.arange(self.cells)
        centre_x, centre_y = (
            part * self.side + self.side / 2 for part in (index % self.columns, index // self.columns)
        )
        return self.cell(centre_x + x, centre_y + y)
