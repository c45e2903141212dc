"""Playlists of live streams with partial segments: what requests may wait for, and what is served (draft-pantos-hls-
rfc8216bis sections 6.2.5.1 and 6.2.5.2). A pure function of the file and the request.
"""

import math
import re
from dataclasses import dataclass
from http import HTTPStatus

from .errors import HttpError
from .past import Past

MOST_BYTES = 1024 * 1024
"""A longer playlist is a file as any other."""

BLOCKING = "#VOXEL-BLOCKING:"
"""A comment that begins so is a tag where requests are held: `#` stands in its place then."""

SKIP_TARGETS = 6
"""Target durations before the end of a playlist that a delta update has in full."""

SKIP_VERSION = 9
"""Protocol version from which on there is EXT-X-SKIP."""

SEQUENCE = "#EXT-X-MEDIA-SEQUENCE"
"""Where the number of the first segment is."""

AHEAD_SEGMENTS = 2
"""A request for a segment that is further behind the last one is refused."""

AHEAD_SECONDS = 3
"""The same of parts, and for how many target durations a request is held at most."""

MOST_PATIENCE = 30
"""Most seconds for which a request is held, however long a segment is to last."""

_NUMBER = re.compile(r"[0-9]{1,15}")
_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]*)?")
_PART_TARGET = re.compile(r"PART-TARGET=([0-9]+(?:\.[0-9]+)?)")
_SKIP_UNTIL = re.compile(r"CAN-SKIP-UNTIL=([0-9]+(?:\.[0-9]+)?)")
_OF_SEGMENTS = ("#EXTINF:", "#EXT-X-PART:", "#EXT-X-MAP:", "#EXT-X-PROGRAM-DATE-TIME:", "#EXT-X-DISCONTINUITY")
_OF_PLAYLIST = "#EXT-X-DISCONTINUITY-SEQUENCE:"


@dataclass(frozen=True, slots=True)
class Directives:
    """What a request says in its query."""

    msn: int | None = None
    """Number of the segment that the playlist must have."""
    part: int | None = None
    """The part of it that is enough."""
    skip: bool = False
    """Whether a delta update will do."""

    @classmethod
    def of(cls, target: str) -> "Directives":
        """Those of a request's target. Raises `HttpError` 400."""
        found = dict(pair.partition("=")[::2] for pair in target.partition("?")[2].split("&"))
        msn, part = (_number(found, name) for name in ("_HLS_msn", "_HLS_part"))
        if part is not None and msn is None:
            raise HttpError(HTTPStatus.BAD_REQUEST, "_HLS_part needs _HLS_msn")
        return cls(msn, part, found.get("_HLS_skip") in ("YES", "v2"))


def _number(found: dict[str, str], name: str) -> int | None:
    text = found.get(name)
    if text is None:
        return None
    if not _NUMBER.fullmatch(text):
        raise HttpError(HTTPStatus.BAD_REQUEST, f"{name} must be a number of at most 15 digits")
    return int(text)


@dataclass(frozen=True, slots=True)
class Playlist:
    """A playlist that grows by parts."""

    lines: list[str]
    ends: list[int]
    """For each segment that is complete, the place behind its last line."""
    durations: list[float]
    """Theirs, in seconds."""
    first_line: int
    """Place of the first line that belongs to a segment."""
    sequence: int
    """Number of the first segment."""
    target: int
    """Target duration of segments, in seconds."""
    part_target: float
    """The same of parts."""
    last_parts: int
    """Parts of the last segment that is complete."""
    open_parts: int
    """Parts of the next one."""
    open_seconds: float
    version: int
    past: Past | None
    """Segments before the first one, which a comment in the second line of the first segment stands for."""

    @classmethod
    def read(cls, data: bytes) -> "Playlist | None":
        """None for a file that is no playlist with parts, and for one that has ended."""
        try:
            lines = [line.removesuffix("\r") for line in data.decode().removesuffix("\n").split("\n")]
            return cls._of([f"#{line[len(BLOCKING) :]}" if line.startswith(BLOCKING) else line for line in lines])
        except (ValueError, OverflowError):
            return None

    @classmethod
    def _of(cls, lines: list[str]) -> "Playlist | None":
        fields = {name: value for line in lines for name, separator, value in [line.partition(":")] if separator}
        part_target = _PART_TARGET.search(fields.get("#EXT-X-PART-INF", ""))
        has_control = "#EXT-X-SERVER-CONTROL" in fields
        if lines[:1] != ["#EXTM3U"] or part_target is None or not has_control or "#EXT-X-ENDLIST" in lines:
            return None
        target, part_seconds = int(fields["#EXT-X-TARGETDURATION"]) if "#EXT-X-TARGETDURATION" in fields else 0, 0.0
        if not 1 <= target < 1 << 20 or float(part_target[1]) <= 0:
            return None
        first_line: int | None = None
        ends: list[int] = []
        durations: list[float] = []
        last_parts = open_parts = 0
        duration = 0.0
        for place, line in enumerate(lines):
            if line.startswith(_OF_SEGMENTS) and not line.startswith(_OF_PLAYLIST) and first_line is None:
                first_line = place
            if line.startswith("#EXT-X-PART:"):
                open_parts += 1
                part_seconds += _duration(line)
            elif line.startswith("#EXTINF:"):
                duration = _seconds(line[len("#EXTINF:") :].partition(",")[0])
            elif line and not line.startswith("#"):
                ends.append(place + 1)
                durations.append(duration)
                last_parts, open_parts, part_seconds = open_parts, 0, 0.0
        first_line = len(lines) if first_line is None else first_line
        sequence, past = int(fields.get(SEQUENCE, "0")), None
        if SEQUENCE in fields and ends and ends[0] > first_line + 1:
            past = Past.read(lines[first_line + 1], sequence)
        return cls(
            lines,
            ends,
            durations,
            first_line,
            sequence,
            target,
            float(part_target[1]),
            last_parts,
            open_parts,
            part_seconds,
            int(fields.get("#EXT-X-VERSION", "1")),
            past,
        )

    @property
    def _next(self) -> int:
        """The number of the first segment that is not complete."""
        return self.sequence + len(self.ends)

    @property
    def patience(self) -> int:
        """Seconds for which a request is held."""
        return min(MOST_PATIENCE, AHEAD_SECONDS * self.target)

    def check(self, wanted: Directives) -> None:
        """Raises `HttpError` 400 for what is too far ahead to wait for."""
        if wanted.msn is None:
            return
        ahead = wanted.msn - self._next
        limit = AHEAD_SECONDS if self.part_target >= 1 else math.ceil(AHEAD_SECONDS / self.part_target)
        there = self.open_parts - 1 if ahead == 0 else 0
        parts = 0 if wanted.part is None or ahead < 0 else wanted.part - there
        if ahead >= AHEAD_SEGMENTS or parts > limit:
            raise HttpError(HTTPStatus.BAD_REQUEST, "that is too far ahead in the playlist")

    def has(self, wanted: Directives) -> bool:
        """Whether there is what a request waits for, or more."""
        if wanted.msn is None:
            return True
        msn, part = wanted.msn, wanted.part
        if msn == self._next - 1 and part is not None and part >= self.last_parts:
            msn, part = self._next, 0
        return msn < self._next or (msn == self._next and part is not None and part < self.open_parts)

    def served(self, *, skip: bool) -> bytes:
        """What clients get; `skip`: whether a delta update will do."""
        until, lines = float(SKIP_TARGETS * self.target), list(self.lines)
        for place, line in enumerate(lines):
            if line.startswith("#EXT-X-SERVER-CONTROL:") and "CAN-BLOCK-RELOAD=YES" not in line:
                lines[place] = f"{line},CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL={until:.1f}"
            elif line.startswith("#EXT-X-SERVER-CONTROL:"):
                own = _SKIP_UNTIL.search(line)
                until = float(own[1]) if own else math.inf
            elif self.past is not None and line.startswith(f"{SEQUENCE}:"):
                lines[place] = f"{SEQUENCE}:{self.past.first}"
        count = self._skipped(until) if skip and self.version >= SKIP_VERSION else 0
        if count:
            before = self.past.count if self.past is not None else 0
            lines[self.first_line : self.ends[count - 1]] = [f"#EXT-X-SKIP:SKIPPED-SEGMENTS={before + count}"]
        elif self.past is not None:
            lines[self.first_line + 1 : self.first_line + 2] = self.past.lines()
        return "".join(f"{line}\n" for line in lines).encode()

    def _skipped(self, until: float) -> int:
        """How many segments end at least so many seconds before the end of the playlist."""
        count, seconds = len(self.durations), self.open_seconds
        while count and seconds < until:
            count -= 1
            seconds += self.durations[count]
        return count


def _seconds(text: str) -> float:
    """Raises `ValueError`."""
    if not _SECONDS.fullmatch(text):
        raise ValueError(f"no decimal number: {text!r}")
    return float(text)


def _duration(line: str) -> float:
    found = re.search(r"[:,]DURATION=([0-9]+(?:\.[0-9]+)?)", line)
    return float(found[1]) if found else 0.0
