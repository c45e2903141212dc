"""An existing DASH presentation: its video representations, read from its MPD and media files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

from av.error import FFmpegError
from lxml import etree

from voxel_prepare.analysis.decode import DamagedPicture, check_decodable
from voxel_prepare.analysis.encoded_segment import SegmentSource
from voxel_prepare.codecs import CODECS, TITLES, codec_of
from voxel_prepare.errors import InputError, MisalignedSegments, RepairError, StaysPlain, UnknownCoding
from voxel_prepare.isobmff import (
    Mp4Error,
    Sample,
    SampleDescription,
    Track,
    UnsupportedMp4,
    parse_fragments,
    parse_track,
)
from voxel_prepare.isobmff.common_encryption import CBCS, SCHEMES, Decryption, ProtectedSample, protected_samples
from voxel_prepare.isobmff.track import ENCRYPTED_ENTRIES
from voxel_prepare.manifest.addresses import Address, Addresses, Place, number, read_addresses
from voxel_prepare.manifest.alignment import check_alignment
from voxel_prepare.manifest.mpd_file import base_url, base_urls, is_relative, parse_mpd
from voxel_prepare.manifest.periods import Period, check_ended, read_periods
from voxel_prepare.repair.encrypted import check_needs_are_clear

MP4_TYPES = {"", "video/mp4", "application/mp4"}
"""`@mimeType` of media that may be MP4."""


@dataclass(frozen=True, slots=True)
class ExistingRepresentation:
    """A video representation that an index can describe."""

    element: etree._Element
    folder: Path
    """The folder to which the URLs in the element are relative."""
    name: str
    """Its id, with the period if there are several."""
    duration: Fraction
    """Duration of the period, in seconds."""
    addresses: Addresses
    width: int
    height: int
    segments: list[SegmentSource]
    segment_frames: list[int]
    """The number of frames of each segment."""


@dataclass(frozen=True, slots=True)
class ExistingPresentation:
    """An MPD and its representations."""

    folder: Path
    """The folder of the MPD, absolute and without links."""
    mpd: etree._ElementTree
    duration: Fraction
    """Seconds."""
    switching_sets: list[list[ExistingRepresentation]]
    """The representations of each AdaptationSet, ascending in bitrate: a player switches between them."""
    warnings: list[str]
    """What plays without an index, and why."""

    @property
    def representations(self) -> list[ExistingRepresentation]:
        return [representation for of_set in self.switching_sets for representation in of_set]


ContentKeys = Mapping[bytes, bytes]
"""Keys of encrypted tracks by their identifiers."""


def read_existing(path: Path, keys: ContentKeys = MappingProxyType({})) -> ExistingPresentation:
    """Reads an MPD and examines its media. Raises `InputError` if they cannot become a VOXEL stream."""
    mpd = parse_mpd(path)
    check_ended(mpd.getroot(), path, datetime.now(UTC))
    periods = read_periods(mpd.getroot(), path)
    sets: list[list[ExistingRepresentation]] = []
    plain: dict[str, list[str]] = {}
    for place, period in enumerate(periods, start=1):
        suffix = f" of period {place}" if len(periods) > 1 else ""
        for adaptation_set in period.element.iterfind("{*}AdaptationSet"):
            of_set = _SetReader(path, keys, period, adaptation_set, suffix, plain).read()
            if of_set:
                sets.append(of_set)
    if not sets:
        raise InputError(f"{path}: {next(iter(plain), 'the MPD has no video representation')}")
    warnings = [f"{_listed(names)} as before, without an index: {reason}" for reason, names in plain.items()]
    duration = sum((period.duration for period in periods), Fraction(0))
    return ExistingPresentation(path.resolve().parent, mpd, duration, sets, [*warnings, *_elsewhere(sets)])


@dataclass(frozen=True, slots=True)
class _SetReader:
    """Reads the video representations of an AdaptationSet."""

    mpd: Path
    keys: ContentKeys
    period: Period
    adaptation_set: etree._Element
    suffix: str
    """What follows the id of a representation in its name."""
    plain: dict[str, list[str]]
    """Collects what no index can describe: names by the reason."""

    def read(self) -> list[ExistingRepresentation]:
        """Those that an index can describe, ascending in bitrate. Raises `InputError`."""
        elements = [one for one in self.adaptation_set.iterfind("{*}Representation") if self._is_video(one)]
        try:
            found = sorted((one for element in elements if (one := self._read_known(element))), key=_bandwidth)
            check_alignment([(one.name, one.segment_frames) for one in found])
            _check_encryption(found)
        except StaysPlain as error:  # the rest would be a ladder that has scores in part only
            self._leave(error, elements)
            return []
        return found

    def _read_known(self, element: etree._Element) -> ExistingRepresentation | None:
        try:
            return self._representation(element)
        except UnknownCoding as error:
            self._leave(error, [element])
            return None

    def _leave(self, error: StaysPlain, elements: Sequence[etree._Element]) -> None:
        """Notes what no index can describe."""
        names = self.plain.setdefault(str(error), [])
        names += (name for name in map(self._name, elements) if name not in names)

    def _name(self, element: etree._Element) -> str:
        return f"{element.get('id', '')}{self.suffix}"

    def _is_video(self, element: etree._Element) -> bool:
        content_type = self.adaptation_set.get("contentType") or self._attribute(element, "mimeType").partition("/")[0]
        return content_type == "video"

    def _attribute(self, element: etree._Element, name: str) -> str:
        """An attribute that a Representation has from its AdaptationSet unless it states it itself."""
        return element.get(name) or self.adaptation_set.get(name) or ""

    def _representation(self, element: etree._Element) -> ExistingRepresentation:
        _check_stated(self._attribute(element, "mimeType"), self._attribute(element, "codecs"))
        elements, folder = (self.period.element, self.adaptation_set, element), self.mpd.resolve().parent
        place = Place(elements, folder, base_url(self.mpd, element), self.period.duration)
        own_folder = place.path(".").resolve()
        addresses = read_addresses(place)
        track = _track(addresses.initialization)
        segments, frames = zip(*(_segment(track, address, self.keys) for address in addresses.segments), strict=True)
        return ExistingRepresentation(
            element=element,
            folder=own_folder,
            name=self._name(element),
            duration=self.period.duration,
            addresses=addresses,
            width=track.descriptions[0].width,
            height=track.descriptions[0].height,
            segments=list(segments),
            segment_frames=list(frames),
        )


def _listed(names: list[str]) -> str:
    return f"representation {names[0]} plays" if len(names) == 1 else f"representations {', '.join(names)} play"


def _bandwidth(representation: ExistingRepresentation) -> int:
    return number({"bandwidth": representation.element.get("bandwidth", "0")}, "bandwidth", 0)


def _check_stated(mime_type: str, codecs: str) -> None:
    """Raises `UnknownCoding` for media of which the MPD already says that no index can describe them."""
    if mime_type not in MP4_TYPES:
        raise UnknownCoding(f"--copy takes MP4 only, found {mime_type}")
    known = {*ENCRYPTED_ENTRIES, *(entry for codec in CODECS for entry in codec.sample_entries)}
    entries = [name.split(".")[0] for name in codecs.replace(",", " ").split()]
    if entries and known.isdisjoint(entries):
        raise UnknownCoding(_found(entries[0]))


def _found(sample_entry: str) -> str:
    return f"--copy takes {TITLES} video only, found {sample_entry}"


def _track(initialization: Address) -> Track:
    """The track, of which repair must know each sample description. Raises `InputError`."""
    try:
        with initialization.mapped() as data:
            track = parse_track(data)
        for description in track.descriptions:
            _check_coding(description)
        return track
    except UnsupportedMp4 as error:
        raise StaysPlain(f"{initialization.path}: {error}") from error
    except Mp4Error as error:
        raise InputError(f"{initialization.path}: {error}") from error


def _segment(track: Track, address: Address, keys: ContentKeys) -> tuple[SegmentSource, int]:
    """A segment and the number of its frames. Raises `InputError` unless decoding can start with it."""
    place = f"{address.path}, from byte {address.range.start}"
    try:
        with address.mapped() as segment:
            fragments = [one for one in parse_fragments(segment, track.defaults) if one.samples]
            if not fragments:
                raise Mp4Error("the segment has no frames")
            if len({fragment.description for fragment in fragments}) > 1:
                raise UnsupportedMp4("a segment must have one sample description, found several")
            description = track.description_of(fragments[0])
            codec, first = codec_of(description), fragments[0].samples[0]
            decryption, is_opaque, head = None, False, bytearray(segment[: first.offset + first.size])
            if description.encryption is not None:
                decryption = Decryption(description.encryption, keys)
                protected = list(protected_samples(segment, track.defaults, description.encryption))
                is_opaque = not _key_ids(protected) <= keys.keys()
                if is_opaque:
                    _check_begins_clear(protected[0], first)
                else:
                    decryption.decrypt_sample(head, protected[0])
            codec.check_start(head, first)
    except (UnsupportedMp4, MisalignedSegments) as error:
        raise StaysPlain(f"{place}: {error}") from error
    except Mp4Error as error:
        raise InputError(f"{place}: {error}") from error
    frames = sum(len(fragment.samples) for fragment in fragments)
    source = SegmentSource(
        address.path, address.range, codec, track.defaults, track.timescale, decryption, is_opaque, frames
    )
    return source, frames


def _check_coding(description: SampleDescription) -> None:
    """Raises `UnknownCoding` if repair does not know the codec or the encryption of such samples."""
    try:
        codec_of(description)
    except UnsupportedMp4 as error:
        raise UnknownCoding(_found(description.sample_entry)) from error
    scheme = description.encryption.scheme if description.encryption else CBCS
    if scheme not in SCHEMES:
        expected = " or ".join(SCHEMES)
        raise UnknownCoding(f"of encrypted media --copy takes those of the scheme {expected} only, found {scheme}")


def _key_ids(samples: Iterable[ProtectedSample]) -> set[bytes]:
    """The identifiers of the keys that samples are encrypted with."""
    return {sample.protection.key_id for sample in samples if sample.encrypted}


def _check_begins_clear(protected: ProtectedSample, sample: Sample) -> None:
    """Raises `UnsupportedMp4` for a sample without a header that can be read without the key."""
    if protected.encrypted and protected.encrypted[0].start == sample.offset:
        key_id = protected.protection.key_id.hex()
        raise UnsupportedMp4(f"encrypted from the first byte of a frame on: add --key {key_id}:KEY")


def _check_encryption(representations: Iterable[ExistingRepresentation]) -> None:
    """Raises `InputError` where the first encrypted segment of a representation shows that its key is wrong, or that
    without it nothing can be told.
    """
    for representation in representations:
        encrypted = next((segment for segment in representation.segments if segment.decryption is not None), None)
        if encrypted is None:
            continue
        if encrypted.is_opaque:
            _check_told(encrypted)
        else:
            _check_key(encrypted)


def _check_told(segment: SegmentSource) -> None:
    """Raises `StaysPlain` unless what the frames of an opaque segment need can be told without its key."""
    opaque = segment.read()
    try:
        check_needs_are_clear(opaque.codec, opaque.data, opaque.defaults, opaque.encrypted)
    except RepairError as error:
        raise StaysPlain(f"{segment.path}: without its key (--key) nothing can be told of it: {error}") from error


def _check_key(segment: SegmentSource) -> None:
    """Raises `InputError` if the segment cannot be decoded without an error, as with a wrong key."""
    assert segment.decryption is not None
    try:
        decoded = segment.read()
        check_decodable(decoded.codec, decoded.samples())
    except (Mp4Error, FFmpegError, DamagedPicture) as error:
        key_id = segment.decryption.track.protection.key_id.hex()
        raise InputError(f"{segment.path}: cannot be decoded with the key given for {key_id}: {error}") from error


def _elsewhere(sets: list[list[ExistingRepresentation]]) -> Iterator[str]:
    """Says which places players ask before the local one: there is no index."""
    elements = (one.element for of_set in sets for one in of_set)
    firsts = (base_urls(enclosing)[:1] for element in elements for enclosing in (element, *element.iterancestors()))
    for url in dict.fromkeys(url for first in firsts for url in first if not is_relative(url)):
        yield f"{url}: players ask there first, without an index: a relative BaseURL before it changes that"
