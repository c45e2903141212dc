"""Half-open byte intervals `[start, end)`."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple, Protocol


class ByteRange(NamedTuple):
    """Bytes `[start, end)`."""

    start: int
    end: int

    def __str__(self) -> str:
        """The range as `mediaRange` and the HTTP `Range` field have it: both ends inclusive."""
        return f"{self.start}-{self.end - 1}"

    @property
    def size(self) -> int:
        return self.end - self.start

    def moved(self, by: int) -> "ByteRange":
        return ByteRange(self.start + by, self.end + by)


def merged(ranges: Iterable[ByteRange]) -> list[ByteRange]:
    """The same bytes in file order, with touching and overlapping ranges joined."""
    result: list[ByteRange] = []
    for start, end in sorted(ranges):
        if result and start <= result[-1].end:
            result[-1] = ByteRange(result[-1].start, max(end, result[-1].end))
        elif start < end:
            result.append(ByteRange(start, end))
    return result


def complement(whole: ByteRange, ranges: Iterable[ByteRange]) -> list[ByteRange]:
    """The bytes of `whole` that are in none of `ranges`, in file order."""
    gaps: list[ByteRange] = []
    at = whole.start
    for start, end in merged(ranges):
        if at < start:
            gaps.append(ByteRange(at, start))
        at = end
    if at < whole.end:
        gaps.append(ByteRange(at, whole.end))
    return gaps


class Received(Protocol):
    """Which bytes have arrived."""

    def contains(self, start: int, end: int) -> bool:
        """True if every byte of `[start, end)` has arrived."""
        ...


class Everything:
    """Nothing is missing."""

    def contains(self, start: int, end: int) -> bool:
        return True


EVERYTHING = Everything()


class ReceivedRanges:
    """The bytes of some ranges have arrived."""

    def __init__(self, ranges: Iterable[ByteRange]) -> None:
        self._ranges = merged(ranges)

    def contains(self, start: int, end: int) -> bool:
        """True when every byte of `[start, end)` is here; an empty interval always is."""
        if start >= end:
            return True
        index = bisect_right(self._ranges, start, key=lambda range_: range_.start) - 1
        return index >= 0 and end <= self._ranges[index].end
