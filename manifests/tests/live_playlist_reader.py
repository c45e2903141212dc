"""Reads media playlists with parts, as strictly as the rules have it."""

import re
from dataclasses import dataclass, field
from datetime import datetime

ATTRIBUTE = re.compile(r'([A-Z0-9-]+)=("[^"]*"|[^",]+)(?:,|$)')


def attributes(text: str) -> dict[str, str]:
    """An attribute list; strings without their quotes."""
    found = ATTRIBUTE.findall(text)
    assert ",".join(f"{name}={value}" for name, value in found) == text, text
    assert len({name for name, _ in found}) == len(found), text
    return {name: value.strip('"') for name, value in found}


@dataclass
class ReadPart:
    """A line EXT-X-PART."""

    uri: str
    seconds: float
    start: int
    size: int
    is_independent: bool


@dataclass
class ReadSegment:
    """A segment with what stands before it."""

    number: int
    parts: list[ReadPart] = field(default_factory=list)
    date: datetime | None = None
    map: str | None = None
    seconds: float | None = None
    uri: str | None = None


@dataclass
class ReadPlaylist:
    """A media playlist."""

    lines: list[str]
    tags: dict[str, str]
    """The last one of each name, for those that stand once."""
    segments: list[ReadSegment]
    """Those that are complete, or whose lines are skipped."""
    open: ReadSegment
    """The next one, which may have parts."""
    skipped: int

    @property
    def control(self) -> dict[str, str]:
        return attributes(self.tags["#EXT-X-SERVER-CONTROL"])

    @property
    def part_target(self) -> float:
        return float(attributes(self.tags["#EXT-X-PART-INF"])["PART-TARGET"])

    @property
    def target(self) -> int:
        return int(self.tags["#EXT-X-TARGETDURATION"])

    @property
    def last(self) -> tuple[int, int]:
        """Segment and part of the last part."""
        if self.open.parts:
            return self.open.number, len(self.open.parts) - 1
        return self.segments[-1].number, len(self.segments[-1].parts) - 1

    @property
    def reports(self) -> list[dict[str, str]]:
        name = "#EXT-X-RENDITION-REPORT:"
        return [attributes(line[len(name) :]) for line in self.lines if line.startswith(name)]

    def of(self, number: int) -> ReadSegment | None:
        return next((one for one in [*self.segments, self.open] if one.number == number), None)


def read_playlist(text: str) -> ReadPlaylist:
    """Every line is one that is known, and stands where it may."""
    assert text.endswith("\n")
    lines = text.splitlines()
    assert lines[0] == "#EXTM3U"
    tags: dict[str, str] = {}
    segments: list[ReadSegment] = []
    skipped = 0
    now = ReadSegment(0)
    for line in lines[1:]:
        name, _, value = line.partition(":")
        if name == "#EXT-X-MEDIA-SEQUENCE":
            now.number = int(value)
        if name == "#EXT-X-PART":
            found = attributes(value)
            size, _, start = found["BYTERANGE"].partition("@")
            independent = found.get("INDEPENDENT") == "YES"
            now.parts.append(ReadPart(found["URI"], float(found["DURATION"]), int(start), int(size), independent))
        elif name == "#EXT-X-PROGRAM-DATE-TIME":
            assert not now.parts
            now.date = datetime.fromisoformat(value)
        elif name == "#EXT-X-MAP":
            assert not now.parts
            now.map = attributes(value)["URI"]
        elif name == "#EXTINF":
            now.seconds = float(value.removesuffix(","))
        elif name == "#EXT-X-SKIP":
            assert not skipped
            skipped = int(attributes(value)["SKIPPED-SEGMENTS"])
            now = ReadSegment(now.number + skipped)
        elif not line.startswith("#"):
            assert now.seconds is not None
            now.uri = line
            segments.append(now)
            now = ReadSegment(now.number + 1)
        elif line.startswith("#EXT") and name != "#EXT-X-RENDITION-REPORT":
            assert name not in tags, line
            tags[name] = value
    return ReadPlaylist(lines, tags, segments, now, skipped)
