"""The local files and byte ranges of a representation's segments (ISO/IEC 23009-1 §5.3.9)."""

import mmap
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from math import ceil
from pathlib import Path

from lxml import etree

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.errors import InputError, StaysPlain
from voxel_prepare.isobmff import Mp4Error, UnsupportedMp4
from voxel_prepare.isobmff.sidx import read_sidx
from voxel_prepare.manifest.mpd_file import exists, local_path, regular_file

MAX_SEGMENTS = 1 << 17
"""Three days of 2 s: more must be a mistake."""

NUMBER = re.compile(r"[0-9]{1,20}")
"""xs:unsignedLong; what is longer takes time that grows with its square."""

REPEATS = re.compile(r"-?[0-9]{1,10}")
"""`S@r`, xs:integer."""

IDENTIFIER = re.compile(r"\$(?:(?P<name>RepresentationID|Number|Time|Bandwidth)(?:%0(?P<width>\d{1,2})d)?)?\$")
"""Identifier in a template's URL; `$$` stands for a dollar (table 16)."""


@dataclass(frozen=True, slots=True)
class Address:
    """Bytes of a file."""

    path: Path
    range: ByteRange

    @contextmanager
    def mapped(self) -> Iterator[memoryview]:
        """The bytes, memory-mapped: only those that are used are read. Raises `Mp4Error` for an empty file."""
        if self.range.size == 0:
            raise Mp4Error("the file is empty")
        with (
            self.path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
            memoryview(data) as view,
            view[self.range.start : self.range.end] as part,
        ):
            yield part


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of a representation."""

    initialization: Address
    segments: list[Address]


@dataclass(frozen=True, slots=True)
class Place:
    """The parts of an MPD that define the addresses of a representation."""

    elements: Sequence[etree._Element]
    """Period, AdaptationSet, Representation: attributes of later ones override those of earlier ones."""
    folder: Path
    """Folder of the MPD, absolute and without links; all media must be in it."""
    base: str
    """URL to which those of the media are relative."""
    duration: Fraction
    """Duration of the period, in seconds."""

    def path(self, url: str) -> Path:
        """The file at `url`. Raises `InputError` unless it is in the folder of the MPD."""
        return local_path(self.folder, self.base, url)

    def whole(self, url: str) -> Address:
        """A whole file. Raises `InputError` if it does not exist."""
        path = regular_file(self.path(url))
        return Address(path, ByteRange(0, path.stat().st_size))

    def part(self, url: str, range_: str | None) -> Address:
        """`range_` as in `mediaRange`; None: the whole file."""
        whole = self.whole(url)
        return whole if range_ is None else Address(whole.path, parse_range(range_, whole))

    def attributes(self, name: str) -> Mapping[str, str] | None:
        """The attributes of all elements of that name; None if there is no such element."""
        found = [child for element in self.elements for child in element.findall(f"{{*}}{name}")]
        return {str(key): str(value) for child in found for key, value in child.attrib.items()} if found else None

    def child(self, name: str, of: str) -> etree._Element | None:
        """The innermost element `name` inside an element `of`."""
        found = (parent.find(f"{{*}}{name}") for element in self.elements for parent in element.findall(f"{{*}}{of}"))
        return next((child for child in reversed(list(found)) if child is not None), None)


def read_addresses(place: Place) -> Addresses:
    """The addresses of a representation. Raises `InputError`, `StaysPlain` for those that players find differently."""
    representation = place.elements[-1]
    for name, read in (("SegmentTemplate", _template), ("SegmentList", _list), ("SegmentBase", _base)):
        attributes = place.attributes(name)
        if attributes is not None:
            addresses = read(place, attributes)
            if not addresses.segments:
                raise InputError(
                    f"representation {representation.get('id')}: expected at least one segment, found none"
                )
            return addresses
    raise StaysPlain(f"representation {representation.get('id')}: expected SegmentTemplate, SegmentList or SegmentBase")


def parse_range(text: str, whole: Address) -> ByteRange:
    """Parses `first-last`, both inclusive. Raises `InputError` unless it is a range inside the file."""
    first, dash, last = text.partition("-")
    if not (dash and NUMBER.fullmatch(first) and NUMBER.fullmatch(last)):
        raise InputError(f"{whole.path}: a byte range must have the form first-last, got {text!r}")
    if not int(first) <= int(last) < whole.range.end:
        raise InputError(f"{whole.path}: byte range {text} is not inside the file, which has {whole.range.end} bytes")
    return ByteRange(int(first), int(last) + 1)


def _template(place: Place, attributes: Mapping[str, str]) -> Addresses:
    representation = place.elements[-1]
    fixed = {"RepresentationID": representation.get("id", ""), "Bandwidth": representation.get("bandwidth", "")}
    media, initialization = attributes.get("media"), attributes.get("initialization")
    if media is None or initialization is None:
        raise StaysPlain(
            f"representation {representation.get('id')}: SegmentTemplate must have media and initialization"
        )
    first = number(attributes, "startNumber", 1)
    times = list(_times(place, attributes))
    urls = [
        _filled(media, {**fixed, "Number": str(first + index), "Time": str(time)}) for index, time in enumerate(times)
    ]
    if len(urls) > 1 and not exists(place.path(urls[-1])):
        urls.pop()  # durations of periods are often rounded up
    return Addresses(place.whole(_filled(initialization, fixed)), [place.whole(url) for url in urls])


def _times(place: Place, attributes: Mapping[str, str]) -> Iterator[int]:
    """The start of each segment, in the timescale of the template."""
    scale = number(attributes, "timescale", 1, least=1)
    end = place.duration * scale + number(attributes, "presentationTimeOffset", 0)
    timeline = place.child("SegmentTimeline", "SegmentTemplate")
    if timeline is None:
        duration = number(attributes, "duration", 0, least=1)
        count = ceil(place.duration * scale / duration)
        _check_count(count)
        yield from (index * duration for index in range(count))
        return
    time, total = 0, 0
    entries = list(timeline.iterfind("{*}S"))
    for entry, following in zip_longest(entries, entries[1:]):
        fields = _fields(entry)
        duration = number(fields, "d", 0, least=1)
        time = number(fields, "t", time)
        count = _repeats(fields.get("r", "0")) + 1
        if count <= 0:  # until the next entry, or until the end
            until = end if following is None else number(_fields(following), "t", 0)
            count = max(0, ceil((until - time) / duration))
        total += count
        _check_count(total)
        for _ in range(count):
            yield time
            time += duration


def _list(place: Place, attributes: Mapping[str, str]) -> Addresses:
    urls = [
        url
        for element in place.elements
        for segment_list in element.findall("{*}SegmentList")
        for url in segment_list.iterfind("{*}SegmentURL")
    ]
    return Addresses(
        _initialization(place, "SegmentList"),
        [place.part(url.get("media", ""), url.get("mediaRange")) for url in urls],
    )


def _base(place: Place, attributes: Mapping[str, str]) -> Addresses:
    whole = place.whole("")
    if "indexRange" not in attributes:
        raise StaysPlain(f"{whole.path}: SegmentBase must have an indexRange")
    start, end = parse_range(attributes["indexRange"], whole)
    try:
        with whole.mapped() as data:
            ranges = read_sidx(data, start, end)
    except UnsupportedMp4 as error:
        raise StaysPlain(f"{whole.path}: {error}") from error
    except Mp4Error as error:
        raise InputError(f"{whole.path}: {error}") from error
    return Addresses(_initialization(place, "SegmentBase"), [Address(whole.path, range_) for range_ in ranges])


def _initialization(place: Place, of: str) -> Address:
    element = place.child("Initialization", of)
    if element is None:
        raise StaysPlain(f"representation {place.elements[-1].get('id')}: {of} must have an Initialization element")
    return place.part(element.get("sourceURL", ""), element.get("range"))


def _filled(template: str, values: Mapping[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        if found["name"] is None:
            return "$"
        if found["name"] not in values:
            raise InputError(f"template {template!r}: ${found['name']}$ is not allowed here")
        return values[found["name"]].zfill(int(found["width"] or 0))

    return IDENTIFIER.sub(value, template)


def number(attributes: Mapping[str, str], name: str, default: int, least: int = 0) -> int:
    """The attribute `name`, an integer. Raises `InputError`."""
    text = attributes.get(name, str(default))
    if not NUMBER.fullmatch(text) or int(text) < least:
        raise InputError(f"{name} must be an integer of at least {least}, got {text!r}")
    return int(text)


def _repeats(text: str) -> int:
    if not REPEATS.fullmatch(text):
        raise InputError(f"r must be an integer, got {text!r}")
    return int(text)


def _fields(element: etree._Element) -> Mapping[str, str]:
    return {str(key): str(value) for key, value in element.attrib.items()}


def _check_count(count: int) -> None:
    if count > MAX_SEGMENTS:
        raise InputError(f"the MPD must have at most {MAX_SEGMENTS} segments, found {count}")
