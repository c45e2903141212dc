"""The duration of segments, as the MPD states it."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class SegmentDuration:
    """The duration of all segments but the last, as `SegmentList@duration` and `@timescale` state it."""

    frames: int
    rate: Fraction
    """Frames per second."""

    @classmethod
    def nearest(cls, seconds: float, rate: Fraction) -> "SegmentDuration":
        """The whole number of frames, at least one, whose duration is nearest to `seconds`."""
        return cls(max(1, round(seconds * rate)), rate)

    @property
    def seconds(self) -> Fraction:
        return self.frames / self.rate
