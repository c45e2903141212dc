"""Which bytes of which local files the segments of a representation are (ISO/IEC 23009-1 §5.3.9)."""

import mmap
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from pathlib import Path

from lxml import etree

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.errors import InputError
from voxel_prepare.isobmff import Mp4Error
from voxel_prepare.isobmff.sidx import read_sidx
from voxel_prepare.manifest.mpd_file import local_path

MAX_SEGMENTS = 1 << 17
"""Three days of 2 s: more are a mistake."""

IDENTIFIER = re.compile(r"\$(?:(?P<name>RepresentationID|Number|Time|Bandwidth)(?:%0(?P<width>\d{1,2})d)?)?\$")
"""In a template's URL; `$$` stands for a dollar (table 16)."""


@dataclass(frozen=True, slots=True)
class Address:
    """Bytes of a file."""

    path: Path
    range: ByteRange

    @contextmanager
    def mapped(self) -> Iterator[memoryview]:
        """Those bytes, of which only what is looked at is read. Raises `Mp4Error` for an empty file."""
        if self.range.size == 0:
            raise Mp4Error("an empty file")
        with (
            self.path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
            memoryview(data) as view,
            view[self.range.start : self.range.end] as part,
        ):
            yield part


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a representation lies."""

    initialization: Address
    segments: list[Address]


@dataclass(frozen=True, slots=True)
class Place:
    """What the addresses of a representation follow from."""

    levels: Sequence[etree._Element]
    """Period, AdaptationSet, Representation: what the lower ones say goes before what the higher ones say."""
    base: str
    """URL that those of the media are relative to."""
    duration: Fraction
    """Of the period, in seconds."""

    def path(self, url: str) -> Path:
        """Raises `InputError` where that is not on this machine."""
        return local_path(self.base, url)

    def whole(self, url: str) -> Address:
        """All of a file. Raises `InputError` where there is none."""
        path = self.path(url)
        if not path.is_file():
            raise InputError(f"{path}: no such file")
        return Address(path, ByteRange(0, path.stat().st_size))

    def part(self, url: str, range_: str | None) -> Address:
        """`range_` as in `mediaRange`; None: the whole file."""
        whole = self.whole(url)
        return whole if range_ is None else Address(whole.path, parse_range(range_, whole))

    def attributes(self, name: str) -> Mapping[str, str] | None:
        """Those of all elements of that name; None when there is no such element."""
        found = [element for level in self.levels for element in level.findall(f"{{*}}{name}")]
        return {str(key): str(value) for element in found for key, value in element.attrib.items()} if found else None

    def child(self, name: str, of: str) -> etree._Element | None:
        """The lowest element `name` inside an element `of`."""
        found = (element.find(f"{{*}}{name}") for level in self.levels for element in level.findall(f"{{*}}{of}"))
        return next((element for element in reversed(list(found)) if element is not None), None)


def read_addresses(place: Place) -> Addresses:
    """The addresses of a representation. Raises `InputError`."""
    representation = place.levels[-1]
    for name, read in (("SegmentTemplate", _template), ("SegmentList", _list), ("SegmentBase", _base)):
        attributes = place.attributes(name)
        if attributes is not None:
            addresses = read(place, attributes)
            if not addresses.segments:
                raise InputError(f"representation {representation.get('id')}: it has no segments")
            return addresses
    raise InputError(f"representation {representation.get('id')}: no SegmentTemplate, SegmentList or SegmentBase")


def parse_range(text: str, whole: Address) -> ByteRange:
    """Raises `InputError` where that is no range inside the file."""
    first, dash, last = text.partition("-")
    if not (dash and first.isdecimal() and last.isdecimal()):
        raise InputError(f"{text!r} is no byte range")
    if not int(first) <= int(last) < whole.range.end:
        raise InputError(f"{whole.path}: it has no bytes {text}")
    return ByteRange(int(first), int(last) + 1)


def _template(place: Place, attributes: Mapping[str, str]) -> Addresses:
    representation = place.levels[-1]
    fixed = {"RepresentationID": representation.get("id", ""), "Bandwidth": representation.get("bandwidth", "")}
    media, initialization = attributes.get("media"), attributes.get("initialization")
    if media is None or initialization is None:
        raise InputError(f"representation {representation.get('id')}: a template without media or initialization")
    first = _number(attributes, "startNumber", 1)
    times = list(_times(place, attributes))
    urls = [
        _filled(media, {**fixed, "Number": str(first + index), "Time": str(time)}) for index, time in enumerate(times)
    ]
    if len(urls) > 1 and not place.path(urls[-1]).exists():
        urls.pop()  # the period's duration is often rounded up
    return Addresses(place.whole(_filled(initialization, fixed)), [place.whole(url) for url in urls])


def _times(place: Place, attributes: Mapping[str, str]) -> Iterator[int]:
    """When each segment starts, in the template's timescale."""
    scale = _number(attributes, "timescale", 1, least=1)
    end = place.duration * scale + _number(attributes, "presentationTimeOffset", 0)
    timeline = place.child("SegmentTimeline", "SegmentTemplate")
    if timeline is None:
        duration = _number(attributes, "duration", 0, least=1)
        count = ceil(place.duration * scale / duration)
        _check_count(count)
        yield from (index * duration for index in range(count))
        return
    time, total = 0, 0
    entries = list(timeline.iterfind("{*}S"))
    for entry, following in zip(entries, [*entries[1:], None], strict=True):
        fields = {str(key): str(value) for key, value in entry.attrib.items()}
        duration = _number(fields, "d", 0, least=1)
        time = _number(fields, "t", time)
        repeats = int(fields["r"]) if re.fullmatch(r"-?\d+", fields.get("r", "")) else 0
        if repeats < 0:  # up to the next entry, or to the end
            until = Fraction(following.get("t", "0")) if following is not None else end
            repeats = ceil((until - time) / duration) - 1
        total += repeats + 1
        _check_count(total)
        for _ in range(repeats + 1):
            yield time
            time += duration


def _list(place: Place, attributes: Mapping[str, str]) -> Addresses:
    urls = [
        url
        for level in place.levels
        for segment_list in level.findall("{*}SegmentList")
        for url in segment_list.iterfind("{*}SegmentURL")
    ]
    return Addresses(
        _initialization(place, "SegmentList"),
        [place.part(url.get("media", ""), url.get("mediaRange")) for url in urls],
    )


def _base(place: Place, attributes: Mapping[str, str]) -> Addresses:
    whole = place.whole("")
    if "indexRange" not in attributes:
        raise InputError(f"{whole.path}: a SegmentBase without indexRange")
    start, end = parse_range(attributes["indexRange"], whole)
    try:
        with whole.mapped() as data:
            ranges = read_sidx(data, start, end)
    except Mp4Error as error:
        raise InputError(f"{whole.path}: {error}") from error
    return Addresses(_initialization(place, "SegmentBase"), [Address(whole.path, range_) for range_ in ranges])


def _initialization(place: Place, of: str) -> Address:
    element = place.child("Initialization", of)
    if element is None:
        raise InputError(f"representation {place.levels[-1].get('id')}: a {of} without Initialization")
    return place.part(element.get("sourceURL", ""), element.get("range"))


def _filled(template: str, values: Mapping[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        if found["name"] is None:
            return "$"
        if found["name"] not in values:
            raise InputError(f"template {template!r}: ${found['name']}$ has no value there")
        return values[found["name"]].zfill(int(found["width"] or 0))

    return IDENTIFIER.sub(value, template)


def _number(attributes: Mapping[str, str], name: str, default: int, least: int = 0) -> int:
    text = attributes.get(name, str(default))
    if not text.isdecimal() or int(text) < least:
        raise InputError(f"{name}={text!r}: not a number from {least} on")
    return int(text)


def _check_count(count: int) -> None:
    if count > MAX_SEGMENTS:
        raise InputError(f"the MPD has {count} segments, where {MAX_SEGMENTS} are the most")
