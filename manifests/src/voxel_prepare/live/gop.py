"""Which frames x264 makes of a segment: with fixed runs of B pictures this is known before they are encoded."""

from collections.abc import Iterator

from voxel_prepare.analysis.motion import nearest_references
from voxel_prepare.repair.codec import PictureType
from voxel_prepare.repair.frames import Frame

RETENTION = 0.9
"""The share of its error that pictures predicted from a picture inherit: some blocks are coded anew. `npm run bench --
live-encode` shows how well costs rank with it."""


def gop(frames: int, run: int) -> list[Frame]:
    """The frames of a closed GOP in decode order, times in frames; `run`: B pictures in a row.

    The last frame is a P picture, and of several B pictures in a row the middle one is a reference.
    """
    order = _decode_order(frames, run)
    return [Frame(index, type_, referenced, time, ()) for index, (time, type_, referenced) in enumerate(order)]


def _decode_order(frames: int, run: int) -> Iterator[tuple[int, PictureType, bool]]:
    yield 0, "I", True
    anchor = 0
    while anchor < frames - 1:
        following = min(anchor + run + 1, frames - 1)
        between = range(anchor + 1, following)
        yield following, "P", True
        middle = between[(len(between) - 1) // 2] if len(between) > 1 else None
        if middle is not None:
            yield middle, "B", True
        yield from ((time, "B", False) for time in between if time != middle)
        anchor = following


def error_weights(frames: list[Frame]) -> list[float]:
    """How many pictures' worth of error a lost picture causes until the end of the GOP, for each frame.

    As in the loss model without motion: what is predicted from a picture keeps `RETENTION` of its error.
    """
    weights = [1.0] * len(frames)
    for frame, nearest in reversed(list(zip(frames, nearest_references(frames), strict=True))):
        for reference in nearest.all:
            weights[reference] += RETENTION / len(nearest.all) * weights[frame.index]
    return weights
