"""A DASH presentation that exists already: its video levels, read from its own MPD and media files."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from lxml import etree

from voxel_prepare.analysis.encoded_segment import SegmentSource
from voxel_prepare.errors import InputError, MisalignedSegments
from voxel_prepare.h264.key_frames import check_start
from voxel_prepare.isobmff import Mp4Error, Track, parse_fragments, parse_track
from voxel_prepare.isobmff.encryption import ENCRYPTED_SAMPLE_ENTRIES, WHY_NOT_ENCRYPTED
from voxel_prepare.manifest.addresses import Address, Addresses, Place, read_addresses
from voxel_prepare.manifest.mpd_file import base_url, parse_mpd

AVC_SAMPLE_ENTRIES = {"avc1", "avc3"}

AVCC_FIELDS = 7
"""Bytes of an `avcC` without parameter sets."""

DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")
"""Of xs:duration, without years and months."""


@dataclass(frozen=True, slots=True)
class LadderLevel:
    """A video representation."""

    element: etree._Element
    folder: Path
    """That the URLs in it are relative to."""
    id: str
    addresses: Addresses
    width: int
    height: int
    segments: list[SegmentSource]
    segment_frames: list[int]
    """How many frames each segment has."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """An MPD and its levels."""

    path: Path
    mpd: etree._ElementTree
    duration: Fraction
    """Seconds."""
    switching_sets: list[list[LadderLevel]]
    """The levels between which a player switches, ascending in bitrate."""

    @property
    def levels(self) -> list[LadderLevel]:
        return [level for levels in self.switching_sets for level in levels]


def read_ladder(path: Path) -> Ladder:
    """Reads an MPD and what it says of its media. Raises `InputError` where that cannot become a VOXEL stream."""
    mpd = parse_mpd(path)
    root = mpd.getroot()
    periods = root.findall("{*}Period")
    if root.get("type", "static") != "static" or len(periods) != 1:
        raise InputError(f"{path}: --copy takes static presentations of one period")
    duration = _duration(periods[0].get("duration") or root.get("mediaPresentationDuration"), path)
    sets = [
        sorted(levels, key=lambda level: int(level.element.get("bandwidth", "0")))
        for adaptation_set in periods[0].iterfind("{*}AdaptationSet")
        if (levels := list(_levels(path, periods[0], adaptation_set, duration)))
    ]
    if not sets:
        raise InputError(f"{path}: no video track")
    for levels in sets:
        _check_alignment(levels)
    return Ladder(path, mpd, duration, sets)


def _duration(text: str | None, path: Path) -> Fraction:
    found = DURATION.fullmatch(text or "")
    days, hours, minutes, seconds = (Fraction(part or 0) for part in found.groups()) if found else [Fraction(0)] * 4
    duration = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    if duration <= 0:
        raise InputError(f"{path}: it does not say how long it is")
    return duration


def _levels(
    path: Path, period: etree._Element, adaptation_set: etree._Element, duration: Fraction
) -> Iterator[LadderLevel]:
    for element in adaptation_set.iterfind("{*}Representation"):
        mime_type = element.get("mimeType") or adaptation_set.get("mimeType") or ""
        if adaptation_set.get("contentType") != "video" and not mime_type.startswith("video/"):
            continue
        place = Place((period, adaptation_set, element), base_url(path, element), duration)
        yield _level(element, place.path(".").resolve(), read_addresses(place))


def _level(element: etree._Element, folder: Path, addresses: Addresses) -> LadderLevel:
    id_ = element.get("id", "")
    initialization = addresses.initialization
    try:
        with initialization.mapped() as data:
            track = parse_track(data)
        if track.sample_entry in ENCRYPTED_SAMPLE_ENTRIES:
            raise InputError(f"{initialization.path}: encrypted: {WHY_NOT_ENCRYPTED}")
        if track.sample_entry not in AVC_SAMPLE_ENTRIES or len(track.codec_configuration) < AVCC_FIELDS:
            raise InputError(f"{initialization.path}: {track.sample_entry} video; --copy takes H.264 only")
        frames = [_checked_frames(track, address) for address in addresses.segments]
    except Mp4Error as error:
        raise InputError(f"{initialization.path}: {error}") from error
    return LadderLevel(
        element=element,
        folder=folder,
        id=id_,
        addresses=addresses,
        width=track.width,
        height=track.height,
        segments=[
            SegmentSource(address.path, address.range, track.codec_configuration, track.defaults)
            for address in addresses.segments
        ],
        segment_frames=frames,
    )


def _checked_frames(track: Track, address: Address) -> int:
    """How many frames a segment has, which must start with an IDR picture. Raises `InputError`."""
    try:
        with address.mapped() as segment:
            fragments = parse_fragments(segment, track.defaults)
            samples = [sample for fragment in fragments for sample in fragment.samples]
            if not samples:
                raise Mp4Error("a segment without frames")
            check_start(track.codec_configuration, segment, samples[0])
    except (Mp4Error, MisalignedSegments) as error:
        raise InputError(f"{address.path}, from byte {address.range.start}: {error}") from error
    return len(samples)


def _check_alignment(levels: list[LadderLevel]) -> None:
    """Pictures are compared one by one, and players switch between segments."""
    top = levels[-1]
    for level in levels:
        differ = f"representations {level.id} and {top.id} differ"
        if len(level.segments) != len(top.segments):
            raise InputError(f"{differ}: {len(level.segments)} and {len(top.segments)} segments")
        for index, (frames, of_top) in enumerate(zip(level.segment_frames, top.segment_frames, strict=True), start=1):
            if frames != of_top:
                raise InputError(f"{differ}: segment {index} has {frames} and {of_top} frames")
