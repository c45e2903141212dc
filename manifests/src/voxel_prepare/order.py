"""The order in which a segment's frames are asked for, most important first.

Every order is a function from the segment's frames to the positions of those that may be missing; the manifest, the
steps and the scores follow from it.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from voxel_prepare.segment_layout import Frame

FrameOrder: TypeAlias = Callable[[Sequence[Frame]], list[int]]


def unreferenced_last(frames: Sequence[Frame]) -> list[int]:
    """Frames that no other refers to go first when bytes must go (BETA's order; thesis §5).

    Before them the referenced B, before those the P frames, each in decode order: what is decoded late is referred to
    least.
    """
    droppable = [frame for frame in frames if frame.unreliable]
    droppable.sort(key=lambda frame: (not frame.is_reference, frame.is_reference and frame.type == "B", frame.index))
    return [frame.index for frame in droppable]
