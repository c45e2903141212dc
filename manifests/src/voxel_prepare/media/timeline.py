"""When the pictures of a source are shown: measured on its packets, as many containers state no duration or frame rate,
or a wrong one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

LEAST_INTERVAL = Fraction(1, 1000)
"""Containers round time stamps by so much; pictures nearer to each other count as one."""

CONSTANT_TOLERANCE = Fraction(1, 10)
"""How far an interval may be from the median, beside rounding, where the frame rate is constant."""

LONGER_SHARE = Fraction(1, 20)
"""Intervals of a constant rate that may be longer: a few pictures were dropped."""

BUSY_PERCENTILE = Fraction(1, 10)
BUSY_FACTOR = Fraction(3, 2)
"""A variable rate is that of its busy parts: of the intervals up to so many times this percentile."""

DISCARDED = 0x4
"""FFmpeg's flag of a packet that is decoded but not shown, as an edit list wants it."""

NO_TIME = -(1 << 63)
"""FFmpeg's time stamp of a packet that has none."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Times in seconds since the source's beginning: that of its pictures or sound, whichever is first."""

    first: Fraction
    """When the first picture is shown."""
    middle: Fraction
    """When a picture in the middle is shown: a first one may be odd, most are whole frames from this one."""
    end: Fraction
    """When the last picture ends."""
    rate: Fraction
    """Frames per second; of a variable rate that of the busy parts."""
    is_constant: bool
    hidden: Fraction = Fraction(0)
    """Seconds of pictures before the first one that an edit list hides."""
    sounds: Mapping[int, Fraction] = field(default_factory=dict)
    """When the tracks of sound begin, by their number from 1 on."""
    is_stated: bool = True
    """False if packets only say when they are decoded, in another order than pictures are shown."""
    lag: Fraction = Fraction(0)
    """How much later FFmpeg's program shows the pictures, which then counts from when the first one is decoded."""

    @property
    def duration(self) -> Fraction:
        """How long pictures are shown."""
        return self.end - self.first


def timeline_of(times: Sequence[int], unit: Fraction, last_duration: int = 0) -> Timeline:
    """The timeline of pictures shown at these times, in ascending order and such units of seconds.

    `last_duration` is that of the last picture, 0 if it is unknown: it matters where there is only one.
    """
    first, middle = times[0] * unit, times[len(times) // 2] * unit
    intervals = sorted(later - time for time, later in pairwise(times) if (later - time) * unit >= LEAST_INTERVAL)
    if not intervals:
        frame = last_duration * unit or Fraction(1)
        return Timeline(first, middle, first + frame, 1 / frame, is_constant=True)
    median = intervals[len(intervals) // 2]
    allowed = max(CONSTANT_TOLERANCE * median, LEAST_INTERVAL / unit)
    usual = [interval for interval in intervals if interval <= median + allowed]
    is_constant = intervals[0] >= median - allowed and len(intervals) - len(usual) <= LONGER_SHARE * len(intervals)
    if not is_constant:
        longest = BUSY_FACTOR * intervals[int(BUSY_PERCENTILE * len(intervals))]
        usual = [interval for interval in intervals if interval <= longest]
    rate = len(usual) / (sum(usual) * unit)
    # A last packet's own duration may be missing, or reach to the end of the sound.
    return Timeline(first, middle, times[-1] * unit + 1 / rate, rate, is_constant)


def read_timeline(listing: Iterable[str], delay: int) -> Timeline | None:
    """The timeline of a listing of packets in FFmpeg's format `framecrc`: stream 0 is the video, the others are sound.
    None: no picture has a time.

    `delay`: so many packets are decoded before the first picture is shown, which counts where packets only have times
    of decoding.
    """
    units: list[Fraction] = []
    shown: list[int] = []
    decoded: list[int] = []
    untimed = 0
    hidden: list[int] = []
    sounds: dict[int, int] = {}
    length = 0
    for line in listing:
        if line.startswith("#tb "):
            units.append(Fraction(line.partition(":")[2].strip()))
        if line.startswith("#"):
            continue
        stream, dts, pts, duration, _, _, *rest = (part.strip() for part in line.split(","))
        is_hidden = bool(rest) and rest[0].startswith("F=") and bool(int(rest[0][2:], 16) & DISCARDED)
        time = int(pts)
        if stream != "0":
            if not is_hidden and time != NO_TIME:
                sounds.setdefault(int(stream), time)
            continue
        length = int(duration)
        untimed += time == NO_TIME and int(dts) != NO_TIME
        if time != NO_TIME:
            (hidden if is_hidden else shown).append(time)
        if int(dts) != NO_TIME and not is_hidden:
            decoded.append(int(dts))
    is_stated = untimed <= len(shown)
    lag = 0
    if not is_stated:
        # Such containers count pictures from the first one that is shown; in raw streams FFmpeg does so, too.
        first = max(0, decoded[0])
        lag = decoded[min(delay, len(decoded) - 1)] - first
        shown = [time - decoded[0] + first for time in decoded]
    elif untimed:
        # Program streams leave out the times of some pictures: all are shown as much after their decoding as the first.
        reordering = min(shown) - decoded[0]
        shown = [time + reordering for time in decoded]
    timeline = timeline_of(sorted(shown), units[0], length) if shown else None
    return timeline and replace(
        timeline,
        hidden=timeline.first - min(hidden, default=min(shown)) * units[0],
        sounds={stream: time * units[stream] for stream, time in sounds.items()},
        is_stated=is_stated,
        lag=lag * units[0],
    )
