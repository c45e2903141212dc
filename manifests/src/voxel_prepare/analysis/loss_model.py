"""Predicts what missing frames do to a segment's pictures, from its undamaged decode alone.

A missing frame shows what its references show, without motion: the effect of an all-skip slice. The cost is the
difference between the undamaged pictures; from there the error spreads along the motion vectors.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from voxel_prepare.analysis.motion import NearestReferences, Prediction
from voxel_prepare.repair.frames import Frame

Floats: TypeAlias = NDArray[np.float32]

SSIM_C1, SSIM_C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
"""Wang et al., Image Quality Assessment, 2004."""

BATCH = 32
"""Scenarios that are computed at the same time: bounds memory."""

Shown: TypeAlias = tuple[int, ...]
"""Indexes of the frames whose averaged undamaged pictures are shown in place of a missing frame."""


@dataclass(frozen=True, slots=True)
class Undamaged:
    """A frame's picture when no frame is missing."""

    samples: NDArray[np.uint8]
    """See `CellGrid.samples`."""
    nearest: NearestReferences
    predictions: Sequence[Prediction]


class LossModel:
    """The model of one segment."""

    def __init__(
        self,
        frames: Sequence[Frame],
        undamaged: Sequence[Undamaged],
        corrections: Mapping[int, float] | None = None,
        unit: float | None = None,
    ) -> None:
        """`frames` and `undamaged` are in decode order.

        `corrections` are factors on the cost of single missing frames. `unit` is the loss of the segment's score when
        one picture is lost completely; by default that of a mean of 1 - SSIM.
        """
        self._frames = frames
        self._undamaged = undamaged
        self._corrections = corrections or {}
        self._unit = 1 / len(frames) if unit is None else unit
        self._differences: dict[tuple[int, Shown], Floats] = {}

    def corrected(self, corrections: Mapping[int, float], factor: float) -> "LossModel":
        """A model with these corrections, and all losses multiplied by `factor`."""
        return LossModel(self._frames, self._undamaged, corrections, self._unit * factor)

    def losses(self, scenarios: Sequence[Collection[int]]) -> list[float]:
        """The loss of the segment's score for each set of missing frames."""
        losses: list[float] = []
        for start in range(0, len(scenarios), BATCH):
            losses += (self._batch_losses(scenarios[start : start + BATCH]) * self._unit).tolist()
        return losses

    def _batch_losses(self, scenarios: Sequence[Collection[int]]) -> NDArray[np.float64]:
        """Follows the errors in decode order; arrays are (cells, scenarios)."""
        missing_in: dict[int, list[int]] = {}
        for scenario, missing in enumerate(scenarios):
            for index in missing:
                missing_in.setdefault(index, []).append(scenario)
        total = np.zeros(len(scenarios))
        errors: dict[int, Floats] = {}
        shown: dict[int, dict[int, Shown]] = {}
        for frame in self._frames[min(missing_in, default=len(self._frames)) :]:
            error = self._inherited(frame.index, errors)
            groups = self._shown_instead(frame, missing_in.get(frame.index, []), shown)
            for pictures, members in groups.items():
                if error is None:
                    error = np.zeros((len(self._undamaged[frame.index].samples), len(scenarios)), np.float32)
                handed_on = [errors[index][:, members] for index in pictures if index in errors]
                error[:, members] = self._difference(frame.index, pictures)[:, None] + sum(handed_on) / len(pictures)
            if error is not None:
                np.minimum(error, 1, out=error)
                total += error.mean(0)
                if frame.is_reference:
                    errors[frame.index] = error
        return total

    def _inherited(self, index: int, errors: dict[int, Floats]) -> Floats | None:
        """The error that the frame inherits from its references; None if they have no error."""
        parts = [
            prediction.share[:, None] * errors[prediction.reference][prediction.source]
            for prediction in self._undamaged[index].predictions
            if prediction.reference in errors
        ]
        return sum(parts[1:], parts[0]) if parts else None

    def _shown_instead(
        self, frame: Frame, scenarios: Sequence[int], shown: dict[int, dict[int, Shown]]
    ) -> dict[Shown, list[int]]:
        """What is shown in place of the frame where it is missing: its references, or what is shown in place of those.

        `shown` holds this for each missing frame and scenario; the method adds the frame to it.
        """
        references = self._undamaged[frame.index].nearest.all[: 1 if frame.type == "P" else 2]
        intact = tuple(sorted(references))
        if not any(index in shown for index in references):
            groups = {intact: list(scenarios)} if scenarios else {}
        else:
            groups = {}
            for scenario in scenarios:
                pictures = {picture for index in references for picture in _of(shown, index, scenario)}
                groups.setdefault(tuple(sorted(pictures)), []).append(scenario)
        if frame.is_reference and scenarios:
            shown[frame.index] = {scenario: pictures for pictures, members in groups.items() for scenario in members}
        return groups

    def _difference(self, index: int, shown: Shown) -> Floats:
        """1 - SSIM of each cell between the frame and what is shown in its place."""
        key = (index, shown)
        if key not in self._differences:
            mean: Floats = np.stack([self._undamaged[other].samples for other in shown]).mean(0, np.float32)
            difference = dissimilarity(self._undamaged[index].samples.astype(np.float32), mean)
            self._differences[key] = difference * np.float32(self._corrections.get(index, 1))
        return self._differences[key]


def _of(shown: dict[int, dict[int, Shown]], index: int, scenario: int) -> Shown:
    """What is shown for a reference."""
    return shown.get(index, {}).get(scenario, (index,))


def dissimilarity(one: Floats, other: Floats, c2: float = SSIM_C2) -> Floats:
    """1 - SSIM along the last axis. With a larger `c2` faint structure counts less."""
    mean_one, mean_other = one.mean(-1), other.mean(-1)
    a, b = one - mean_one[:, None], other - mean_other[:, None]
    variances = np.einsum("ij,ij->i", a, a) + np.einsum("ij,ij->i", b, b)
    covariance = np.einsum("ij,ij->i", a, b)
    samples = one.shape[-1]
    luminance = (2 * mean_one * mean_other + SSIM_C1) / (mean_one**2 + mean_other**2 + SSIM_C1)
    structure = (2 * covariance / samples + c2) / (variances / samples + c2)
    result: Floats = 1 - luminance * structure
    return result
