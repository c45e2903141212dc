"""Segments before those that a playlist lists: a comment describes them, as there may be hours of them (PROTOCOL,
"Playlists").
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

COMMENT = "#VOXEL-PAST:"

MOST_SEGMENTS = 100_000
"""A comment for more is ignored."""

_NAMES = ("FIRST", "ZERO", "TIMESCALE", "SEGMENT", "UNIT", "DATE")
_ATTRIBUTES = re.compile(",".join(f"{name}=([0-9]{{1,15}})" for name in _NAMES))
_MOST_MS = 1 << 47
"""Times from here on, in ms since 1970, are no dates: the year is 6429."""


@dataclass(frozen=True, slots=True)
class Past:
    """What a comment says; times in ticks."""

    first: int
    """The number of the first segment."""
    end: int
    """The number of the first one that is listed."""
    zero: int
    """The number of the one that begins at time 0."""
    timescale: int
    """Ticks per second."""
    segment: int
    unit: int
    """A segment begins with the first unit at its place or after it."""
    date: int
    """The capture of time 0, in ms since 1970 (UTC)."""

    @classmethod
    def read(cls, line: str, end: int) -> "Past | None":
        """None for what cannot be. `end`: the number of the first segment that is listed."""
        found = _ATTRIBUTES.fullmatch(line.removeprefix(COMMENT)) if line.startswith(COMMENT) else None
        if found is None:
            return None
        first, zero, timescale, segment, unit, date = map(int, found.groups())
        past = cls(first, end, zero, timescale, segment, unit, date)
        is_one = zero <= first < end <= first + MOST_SEGMENTS and timescale > 0 and 0 < unit <= segment
        return past if is_one and past._milliseconds(past._start(end)) < _MOST_MS else None

    @property
    def count(self) -> int:
        return self.end - self.first

    def lines(self) -> list[str]:
        """Those of the segments in a playlist."""
        found: list[str] = []
        start = self._start(self.first)
        for number in range(self.first, self.end):
            following = self._start(number + 1)
            milliseconds = self._milliseconds(start)
            moment = datetime.fromtimestamp(milliseconds // 1000, UTC).replace(microsecond=milliseconds % 1000 * 1000)
            found += (
                f"#EXT-X-PROGRAM-DATE-TIME:{moment.isoformat(timespec='milliseconds').replace('+00:00', 'Z')}",
                f"#EXTINF:{(following - start) / self.timescale:.6f},",
                f"{number}.m4s",
            )
            start = following
        return found

    def _start(self, number: int) -> int:
        return -(-(number - self.zero) * self.segment // self.unit) * self.unit

    def _milliseconds(self, ticks: int) -> int:
        """When it is captured, rounded half to even, as `voxel-live` has it."""
        whole, rest = divmod(1000 * ticks, self.timescale)
        is_up = 2 * rest > self.timescale or (2 * rest == self.timescale and whole % 2 == 1)
        return self.date + whole + is_up
