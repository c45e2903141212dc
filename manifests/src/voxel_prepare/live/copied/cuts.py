"""Where segments are cut: at key frames near the places that the manifest says, the same in all representations."""

from fractions import Fraction
from math import ceil

from voxel_prepare.live.copied.packets import TICKS

SAME = TICKS // 50
"""Key frames of several representations that are no further apart are of one picture."""

NEAR_SHARE = 8
"""A cut is at most this part of a segment away from its place: encoders that leave out pictures are that much off."""

KEPT = 64
"""Cuts that are remembered."""


class Cuts:
    """The cuts of all representations; times in ticks since media time 0."""

    def __init__(self, segment: Fraction) -> None:
        """`segment`: the duration of a segment in ticks."""
        self.segment = segment
        self._cuts: dict[int, int] = {}

    def place(self, number: int) -> int:
        """Where a segment should start."""
        return round(number * self.segment)

    def start(self, number: int) -> int:
        """Where a segment starts, as far as that is known."""
        return self._cuts.get(number, self.place(number))

    def near(self, shown: int) -> int | None:
        """The number of the segment that should start about there, if one should."""
        number = round(shown / self.segment)
        is_near = shown >= 0 and abs(shown - self.place(number)) * NEAR_SHARE <= self.segment
        return number if is_near else None

    def latest(self, number: int) -> int:
        """Until when a segment must have begun."""
        return self.place(number) + int(self.segment / NEAR_SHARE)

    def after(self, time: int) -> int:
        """The number of the first segment that should start at a time or after it, but for roundings."""
        return max(0, ceil((time - SAME) / self.segment))

    def fits(self, shown: int) -> int | None:
        """The number of the segment that can start with a key frame shown then; None: it is one inside a segment, or
        other representations have been cut elsewhere.
        """
        number = self.near(shown)
        return None if number is None or abs(self._cuts.get(number, shown) - shown) > SAME else number

    def cut(self, shown: int) -> int | None:
        """The same, and other representations are cut there."""
        number = self.fits(shown)
        if number is None:
            return None
        self._cuts.setdefault(number, shown)
        for old in [other for other in self._cuts if other < number - KEPT]:
            del self._cuts[old]
        return number
