"""Media time and the numbers of segments; puts pictures and sound that come at any time on it."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

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

PLACE_DIGITS = 6
"""Digits of a place on the timeline, in frames: what is nearer to a whole one is one."""

PHASES = 8
SAME_PHASE = 0.1
"""Pictures whose places are off by nearly the same, and by how many frames that counts."""

HALF_DOWN = 0.45
"""The first of two pictures for one place, as at twice its rate, is shown."""

DRIFT_PIECES = 16
"""Pieces of sound over which its mean distance from its times is measured."""
DRIFT_SECONDS = Fraction(1, 200)
"""Half of what sound may be off its pictures."""


@dataclass(slots=True)
class Anchor:
    """Where an input's time 0 is, in seconds of media time.

    It follows the pictures, as an input's times need not be those of a clock here. One that is `ASTRAY_SECONDS` late
    has come through a pause or a jump of time stamps; one that comes `EARLY_SECONDS` before its capture, as in the
    burst after a pause, shows that the anchor is too late. Pictures lie on places of the output's rate: those between
    two places would be shown up to half a frame too early or late, and sound would not.
    """

    base: float
    rate: Fraction
    _phases: list[float] = field(default_factory=list)
    """How far after its place each of the last pictures is, in frames."""

    def begin(self, now: float) -> None:
        """The input's time 0 is at the media time `now`, or at the first place after it."""
        self.base = float(ceil(round(now * self.rate, PLACE_DIGITS)) / self.rate)

    def place(self, seconds: float, now: float, *, is_picture: bool) -> float | None:
        """The media time of what has the time `seconds` in the input and comes at the media time `now`.

        None for sound that is astray.
        """
        early = self.base + seconds - now
        if is_picture and not -ASTRAY_SECONDS <= early <= EARLY_SECONDS:
            self.begin(now)
            self.base -= seconds
            self._phases.clear()
        elif abs(early) > ASTRAY_SECONDS:
            return None
        if is_picture:
            self._follow_phase((self.base + seconds) * self.rate)
        return self.base + seconds

    def _follow_phase(self, place: float) -> None:
        """Pictures that are off their places by the same are put on them: a source may have paused for half a frame."""
        self._phases = [*self._phases[1 - PHASES :], place - round(place)]
        least, greatest = min(self._phases), max(self._phases)
        is_same = len(self._phases) == PHASES and greatest - least < SAME_PHASE
        if is_same and min(abs(least), abs(greatest)) > SAME_PHASE:
            self.base -= float(sum(self._phases) / PHASES / self.rate)
            self._phases.clear()


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
        """`slack`: places by which material that follows other may be early or late and is just appended.

        It may be so for a while: time stamps that are off by that much on average are followed.
        """
        self._rate = rate
        self._slack = slack
        self._distances: list[int] | None = None
        """How late what was appended should have been; None: nothing is there to append to."""
        self.next = first
        """The first empty place."""

    def place(self, seconds: float, count: int = 1) -> Placed:
        """Puts `count` pictures or samples at a media time; `next` is then behind them."""
        distance = self._followed(floor(seconds * self._rate + HALF_DOWN) - self.next)
        filled = max(0, distance)
        skipped = min(count, max(0, -distance))
        self.next += filled + count - skipped
        if skipped == count:
            self._distances = None
        return Placed(filled, skipped)

    def fill(self, seconds: float) -> int:
        """Takes all places before a media time that are still empty; how many there were."""
        filled = max(0, int(seconds * self._rate) - self.next)
        if filled:
            self._distances = None
        self.next += filled
        return filled

    def _followed(self, distance: int) -> int:
        """How far material is moved that comes at a distance from the first empty place."""
        if self._distances is None or abs(distance) > self._slack:
            self._distances = []
            return distance
        self._distances.append(distance)
        if len(self._distances) < DRIFT_PIECES:
            return 0
        drift = round(sum(self._distances) / DRIFT_PIECES)
        self._distances = []
        return drift if abs(drift) > DRIFT_SECONDS * self._rate else 0
