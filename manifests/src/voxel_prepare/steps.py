"""Which prefixes of a segment's frames to score."""

from collections.abc import Sequence
from itertools import accumulate

REFERENCED_STEPS = 4
"""Each but the last costs a decode of the segment: what follows a missing reference changes too."""

UNREFERENCED_STEPS = 5
"""These follow from two decodes, whatever their number."""


def choose_prefixes(referenced: Sequence[int], unreferenced: Sequence[int]) -> list[int]:
    """How many frames to take, ascending from 0 to all, at about equal steps of bytes.

    `referenced` and `unreferenced` hold the bytes of the frames in order; both ends of either part are always among the
    result. Where one part has too few frames for its steps, the other gets them.
    """
    total = REFERENCED_STEPS + UNREFERENCED_STEPS
    unreferenced_steps = min(len(unreferenced), max(UNREFERENCED_STEPS, total - len(referenced)))
    referenced_cuts = _cuts(referenced, total - unreferenced_steps)
    unreferenced_cuts = _cuts(unreferenced, unreferenced_steps)
    return [0, *referenced_cuts, *(len(referenced) + cut for cut in unreferenced_cuts)]


def _cuts(sizes: Sequence[int], count: int) -> list[int]:
    """`count` lengths of prefixes (or as many as there are frames), the last of them the whole."""
    count = min(count, len(sizes))
    ends = list(accumulate(sizes))
    cuts: list[int] = []
    frames = 0
    for step in range(1, count + 1):
        frames += 1
        last_possible = len(sizes) - (count - step)  # leaves a frame for each step to come
        while frames < last_possible and ends[frames - 1] * count < ends[-1] * step:
            frames += 1
        cuts.append(frames)
    return cuts
