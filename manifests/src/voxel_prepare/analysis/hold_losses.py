"""What it costs to show a picture for longer, of all pairs of a segment's pictures: for the order of frames and costs.

A picture and the one shown in its place are compared in a few windows of the luma plane, which takes a fraction of what
a comparison of whole pictures takes. Each time is then corrected by what its picture really loses to two others.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import NDArray

from voxel_prepare.analysis.loss_model import SSIM_C1, SSIM_C2

Floats: TypeAlias = NDArray[np.float64]

WINDOW = 8
"""Luma samples in width and height, as in FFmpeg's `ssim`."""

WINDOWS_PER_SIDE = 20
"""The picture has this number of windows squared: 400."""

BATCH = 16
"""Windows that are compared at the same time: bounds memory."""

SMALL = 1e-6
"""Avoids a division by a loss of 0."""


def windows(picture: VideoFrame) -> NDArray[np.float32]:
    """Windows of its luma plane, spread evenly, in 8-bit units: (windows, samples)."""
    plane, bits = picture.planes[0], picture.format.components[0].bits
    kind = np.uint8 if bits <= 8 else np.uint16
    luma = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size).view(kind)
    luma = luma[: picture.height, : picture.width]
    side = np.arange(min(WINDOW, *luma.shape))
    rows, columns = (
        np.linspace(0, length - len(side), WINDOWS_PER_SIDE, dtype=int)[:, None] + side for length in luma.shape
    )
    found = luma[rows[:, None, :, None], columns[None, :, None, :]]
    return found.reshape(WINDOWS_PER_SIDE**2, -1).astype(np.float32) / np.float32(1 << (bits - 8))


def pair_losses(pictures: Sequence[NDArray[np.float32]]) -> Floats:
    """1 - SSIM of each picture with each other, by their windows: (shown, place)."""
    total = np.zeros((len(pictures), len(pictures)))
    stacked = np.stack(pictures, axis=1)
    for start in range(0, len(stacked), BATCH):
        some = stacked[start : start + BATCH]
        means = some.mean(-1)
        centred = some - means[..., None]
        # Not by a matrix product: its threads would spin beside the other workers.
        covariances = np.einsum("wts,wus->wtu", centred, centred) / some.shape[-1]
        variances = np.diagonal(covariances, axis1=1, axis2=2)
        one, other = means[:, :, None], means[:, None, :]
        luminance = (2 * one * other + SSIM_C1) / (one**2 + other**2 + SSIM_C1)
        structure = (2 * covariances + SSIM_C2) / (variances[:, :, None] + variances[:, None, :] + SSIM_C2)
        total += (1 - luminance * structure).sum(0)
    return total / len(stacked)


def corrected(losses: Floats, measured: Sequence[tuple[Sequence[int], Sequence[float]]]) -> Floats:
    """The losses of a score that fit what was `measured`: for each time what was shown and what was lost by it.

    Between two measurements of a time the losses of others are interpolated by their pair losses, beyond them scaled.
    """
    result = np.zeros_like(losses)
    for place in range(len(losses)):
        points = sorted({(0.0, 0.0), *((float(losses[shown[place], place]), lost[place]) for shown, lost in measured)})
        xs, ys = np.array([x for x, _ in points]), np.maximum.accumulate([y for _, y in points])
        column = losses[:, place]
        beyond = np.maximum(column - xs[-1], 0) * (ys[-1] / max(float(xs[-1]), SMALL))
        result[:, place] = np.interp(column, xs, ys) + beyond
    return result
