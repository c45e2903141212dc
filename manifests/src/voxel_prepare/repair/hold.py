"""Which missing frames are taken out, so that the picture before them is held; src/repair/hold.ts is the same rule."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from voxel_prepare.repair.repaired_segment import FrameReport


@dataclass(frozen=True, slots=True)
class HoldableFrame:
    """A frame, or a part of one, that may be missing: bytes `[start, end)` of the segment."""

    start: int
    end: int
    reach: int
    """How many frames in a row, up to this one, may be missing and be held; 0: another always stands in."""


def held_frames(presented: Iterable[int], missing: Collection[int], reach: Sequence[int]) -> set[int]:
    """Those of the `missing` frames that are held, by index; `reach` is that of each frame by index.

    `presented` are all frames of the segment in order of presentation.
    """
    held: set[int] = set()
    run: int | None = None
    for index in presented:
        if index not in missing:
            run = 0
        elif run is not None and run < reach[index]:
            run += 1
            held.add(index)
        else:
            run = None
    return held


def reach_of_frames(plan: Sequence[HoldableFrame], frames: Sequence[FrameReport]) -> list[int]:
    """The reach of each frame of a segment: the least of the ranges of the plan that begin in it, 0 without one."""
    ranges = sorted(plan, key=lambda range_: range_.start, reverse=True)
    reach: list[int] = []
    for frame in frames:
        inside: list[int] = []
        while ranges and ranges[-1].start < frame.start + frame.bytes:
            range_ = ranges.pop()
            if range_.start >= frame.start:
                inside.append(range_.reach)
        reach.append(min(inside, default=0))
    return reach
