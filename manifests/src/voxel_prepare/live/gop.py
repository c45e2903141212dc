"""Which frames the encoders make of a segment: their types are fixed, so this is known before they are encoded."""

from collections.abc import Iterator
from dataclasses import dataclass

from voxel_prepare.analysis.motion import nearest_references
from voxel_prepare.repair.codec import PictureType
from voxel_prepare.repair.frames import Frame

RETENTION = 0.9
"""The share of its error that pictures predicted from a picture inherit: some blocks are coded anew. `npm run bench --
live-encode` shows how well costs rank with it."""


LAYERED = 4
"""Pictures of a group of SVT-AV1 in low delay: the first one must arrive, every other one is needed by none."""


@dataclass(frozen=True, slots=True)
class Gop:
    """The frames of a closed GOP."""

    frames: list[Frame]
    """In decode order, times in frames."""
    weights: list[float]
    """How many pictures' worth of error each one causes where it alone is missing."""

    @classmethod
    def of_runs(cls, frames: int, run: int) -> "Gop":
        """Those of x264 with `run` B pictures in a row."""
        made = gop(frames, run)
        return cls(made, error_weights(made))

    @classmethod
    def of_layers(cls, frames: int) -> "Gop":
        """Those of SVT-AV1 in low delay, decoded as they are shown: what needs a missing one is missing, too, and has
        a cost of its own.
        """
        made = [Frame(index, "P" if index else "I", not is_leaf(index), index, ()) for index in range(frames)]
        return cls(made, [1.0] * frames)


def is_leaf(index: int) -> bool:
    """Whether no other of `Gop.of_layers` needs the frame at `index`."""
    return index % 2 == 1


def layer_needed(index: int) -> int | None:
    """The frame that may be missing and that the one at `index` of `Gop.of_layers` needs, if there is one."""
    return index - 1 if index % LAYERED == LAYERED - 1 else None


def gop(frames: int, run: int) -> list[Frame]:
    """The frames that x264 makes of a closed GOP in decode order, times in frames; `run`: B pictures in a row.

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
