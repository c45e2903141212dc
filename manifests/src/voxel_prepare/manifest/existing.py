"""An existing DASH presentation: its video representations, read from its MPD and media files."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

from av.error import FFmpegError
from lxml import etree

from voxel_prepare.analysis.decode import decode_samples
from voxel_prepare.analysis.encoded_segment import SegmentSource
from voxel_prepare.codecs import TITLES, codec_of
from voxel_prepare.errors import InputError, MisalignedSegments
from voxel_prepare.isobmff import Mp4Error, Track, UnsupportedMp4, parse_fragments, parse_track
from voxel_prepare.isobmff.cbcs import SCHEME, Decryption
from voxel_prepare.manifest.addresses import Address, Addresses, Place, number, read_addresses
from voxel_prepare.manifest.mpd_file import base_url, parse_mpd
from voxel_prepare.repair.codec import Codec

DIGITS = "[0-9]{1,15}"
DURATION = re.compile(rf"P(?:({DIGITS})D)?(?:T(?:({DIGITS})H)?(?:({DIGITS})M)?(?:({DIGITS}(?:\.{DIGITS})?)S)?)?")
"""Form of an xs:duration, without years and months; more digits take time that grows with their square."""


@dataclass(frozen=True, slots=True)
class ExistingRepresentation:
    """A video representation."""

    element: etree._Element
    folder: Path
    """The folder to which the URLs in the element are relative."""
    id: str
    addresses: Addresses
    width: int
    height: int
    segments: list[SegmentSource]
    segment_frames: list[int]
    """The number of frames of each segment."""


@dataclass(frozen=True, slots=True)
class ExistingPresentation:
    """An MPD and its representations."""

    path: Path
    mpd: etree._ElementTree
    duration: Fraction
    """Seconds."""
    switching_sets: list[list[ExistingRepresentation]]
    """The representations of each AdaptationSet, ascending in bitrate: a player switches between them."""

    @property
    def representations(self) -> list[ExistingRepresentation]:
        return [representation for of_set in self.switching_sets for representation in of_set]


ContentKeys = Mapping[bytes, bytes]
"""Keys of encrypted tracks by their identifiers."""


def read_existing(path: Path, keys: ContentKeys = MappingProxyType({})) -> ExistingPresentation:
    """Reads an MPD and examines its media. Raises `InputError` if they cannot become a VOXEL stream."""
    mpd = parse_mpd(path)
    root = mpd.getroot()
    periods = root.findall("{*}Period")
    type_ = root.get("type", "static")
    if type_ != "static" or len(periods) != 1:
        raise InputError(
            f"{path}: --copy takes static presentations of one period, found type {type_}, {len(periods)} periods"
        )
    duration = _duration(periods[0].get("duration") or root.get("mediaPresentationDuration"), path)
    sets = [
        sorted(representations, key=_bandwidth)
        for adaptation_set in periods[0].iterfind("{*}AdaptationSet")
        if (representations := list(_representations(path, periods[0], adaptation_set, duration, keys)))
    ]
    if not sets:
        raise InputError(f"{path}: the MPD has no video representation")
    for representations in sets:
        _check_alignment(representations)
    return ExistingPresentation(path, mpd, duration, sets)


def _bandwidth(representation: ExistingRepresentation) -> int:
    return number({"bandwidth": representation.element.get("bandwidth", "0")}, "bandwidth", 0)


def _duration(text: str | None, path: Path) -> Fraction:
    found = DURATION.fullmatch(text or "")
    days, hours, minutes, seconds = (Fraction(part or 0) for part in found.groups()) if found else [Fraction(0)] * 4
    duration = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    if duration <= 0:
        raise InputError(f"{path}: the MPD must state a duration such as PT1M30S, got {text!r}")
    return duration


def _representations(
    path: Path, period: etree._Element, adaptation_set: etree._Element, duration: Fraction, keys: ContentKeys
) -> Iterator[ExistingRepresentation]:
    for element in adaptation_set.iterfind("{*}Representation"):
        mime_type = element.get("mimeType") or adaptation_set.get("mimeType") or ""
        if adaptation_set.get("contentType") != "video" and not mime_type.startswith("video/"):
            continue
        elements, folder = (period, adaptation_set, element), path.resolve().parent
        place = Place(elements, folder, base_url(path, element), duration)
        yield _representation(element, place.path(".").resolve(), read_addresses(place), keys)


def _representation(
    element: etree._Element, folder: Path, addresses: Addresses, keys: ContentKeys
) -> ExistingRepresentation:
    id_ = element.get("id", "")
    initialization = addresses.initialization
    try:
        with initialization.mapped() as data:
            track = parse_track(data)
        decryption = _decryption(track, initialization.path, keys)
        try:
            codec = codec_of(track)
        except UnsupportedMp4 as error:
            found = f"--copy takes {TITLES} video only, found {track.sample_entry}"
            raise InputError(f"{initialization.path}: {found}") from error
        frames = [_checked_frames(track, codec, address) for address in addresses.segments]
    except Mp4Error as error:
        raise InputError(f"{initialization.path}: {error}") from error
    segments = [
        SegmentSource(address.path, address.range, codec, track.defaults, decryption) for address in addresses.segments
    ]
    if decryption is not None:
        _check_key(segments[0], decryption)
    return ExistingRepresentation(
        element=element,
        folder=folder,
        id=id_,
        addresses=addresses,
        width=track.width,
        height=track.height,
        segments=segments,
        segment_frames=frames,
    )


def _decryption(track: Track, path: Path, keys: ContentKeys) -> Decryption | None:
    """None for a track in the clear. Raises `InputError` for one that cannot be decrypted."""
    if track.encryption is None:
        return None
    scheme, key_id = track.encryption.scheme, track.encryption.key_id
    if scheme != SCHEME:
        raise InputError(f"{path}: of encrypted media --copy takes those of the scheme {SCHEME} only, found {scheme}")
    if key_id not in keys:
        raise InputError(f"{path}: encrypted media are scored with their key only: add --key {key_id.hex()}:KEY")
    return Decryption(track.encryption, keys[key_id])


def _check_key(segment: SegmentSource, decryption: Decryption) -> None:
    """Raises `InputError` if the segment cannot be decoded without an error, as with a wrong key."""
    try:
        decoded = segment.read()
        for _ in decode_samples(decoded.codec, enumerate(decoded.samples()), {"err_detect": "explode"}):
            pass
    except (Mp4Error, FFmpegError) as error:
        key_id = decryption.track.key_id.hex()
        raise InputError(f"{segment.path}: cannot be decoded with the key given for {key_id}: {error}") from error


def _checked_frames(track: Track, codec: Codec, address: Address) -> int:
    """The number of frames of a segment. Raises `InputError` unless decoding can start with it."""
    try:
        with address.mapped() as segment:
            fragments = parse_fragments(segment, track.defaults)
            samples = [sample for fragment in fragments for sample in fragment.samples]
            if not samples:
                raise Mp4Error("the segment has no frames")
            codec.check_start(segment, samples[0])
    except (Mp4Error, MisalignedSegments) as error:
        raise InputError(f"{address.path}, from byte {address.range.start}: {error}") from error
    return len(samples)


def _check_alignment(representations: list[ExistingRepresentation]) -> None:
    """Raises `InputError` unless all have the same frames in each segment, as scoring and switching need."""
    top = representations[-1]
    for representation in representations:
        differ = f"representations {representation.id} and {top.id} differ"
        if len(representation.segments) != len(top.segments):
            raise InputError(f"{differ}: {len(representation.segments)} and {len(top.segments)} segments")
        pairs = zip(representation.segment_frames, top.segment_frames, strict=True)
        for index, (frames, of_top) in enumerate(pairs, start=1):
            if frames != of_top:
                raise InputError(f"{differ}: segment {index} has {frames} and {of_top} frames")
