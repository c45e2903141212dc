"""Media time and the numbers of segments; puts pictures and sound that come at any time on it."""

from dataclasses import dataclass
from fractions import Fraction

TICKS_PER_FRAME = 512
"""Ticks of the video's timescale for whole rates, as FFmpeg has it: 30 frames/s have a timescale of 15360."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """When segments play. Media time 0 is the availability start time."""

    availability_start: int
    """Ms since 1970 (UTC)."""
    rate: Fraction
    """Frames per second."""
    segment_frames: int
    first_number: int
    """Number of the segment at media time 0: a new timeline in an old folder goes on counting."""

    @property
    def segment_seconds(self) -> Fraction:
        return self.segment_frames / self.rate

    @property
    def frame_ticks(self) -> int:
        """The duration of a frame in the timescale."""
        return TICKS_PER_FRAME if self.rate.denominator == 1 else self.rate.denominator

    @property
    def timescale(self) -> int:
        """Timescale of the video, units per second."""
        return self.frame_ticks * self.rate.numerator // self.rate.denominator

    def wall_time(self, frame: int) -> int:
        """When the frame at this place is captured, in ms since 1970 (UTC)."""
        return self.availability_start + round(1000 * frame / self.rate)

    def frame_at(self, wall_time: float) -> int:
        """The frame that is captured at this time, or was last."""
        return int((Fraction(wall_time) - self.availability_start) * self.rate // 1000)

    def number(self, segment: int) -> int:
        """The number in the file name of a segment counted from media time 0."""
        return self.first_number + segment


EARLY_SECONDS = 0.25
ASTRAY_SECONDS = 1.0


@dataclass(slots=True)
class Anchor:
    """Where an input's time 0 is, in seconds of media time.

    It follows the pictures, as an input's times need not be those of a clock here. One that is `ASTRAY_SECONDS` late
    has come through a pause or a jump of time stamps; one that comes `EARLY_SECONDS` before its capture, as in the
    burst after a pause, shows that the anchor is too late.
    """

    base: float

    def place(self, seconds: float, now: float, *, is_picture: bool) -> float | None:
        """The media time of what has the time `seconds` in the input and comes at the media time `now`.

        None for sound that is astray.
        """
        early = self.base + seconds - now
        if is_picture and not -ASTRAY_SECONDS <= early <= EARLY_SECONDS:
            self.base = now - seconds
        elif abs(early) > ASTRAY_SECONDS:
            return None
        return self.base + seconds


@dataclass(frozen=True, slots=True)
class Placed:
    """Where new material goes."""

    filled: int
    """Places before it that are empty: pictures are repeated there, or it is silent."""
    skipped: int
    """How much of the new material comes too late: its beginning."""


class Grid:
    """The places of pictures, or of samples of sound, at a constant rate."""

    def __init__(self, rate: Fraction, first: int, slack: int) -> None:
        """`slack`: places by which material may be early or late and is just appended."""
        self._rate = rate
        self._slack = slack
        self.next = first
        """The first empty place."""

    def place(self, seconds: float, count: int = 1) -> Placed:
        """Puts `count` pictures or samples at a media time; `next` is then behind them."""
        distance = round(seconds * self._rate) - self.next
        filled = distance if distance > self._slack else 0
        skipped = min(count, -distance) if distance < -self._slack else 0
        self.next += filled + count - skipped
        return Placed(filled, skipped)

    def fill(self, seconds: float) -> int:
        """Takes all places before a media time that are still empty; how many there were."""
        filled = max(0, int(seconds * self._rate) - self.next)
        self.next += filled
        return filled
