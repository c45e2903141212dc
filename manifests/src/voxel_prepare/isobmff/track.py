"""A fragmented MP4 file with one track (ISO/IEC 14496-12)."""

from dataclasses import dataclass

from voxel_prepare.isobmff.boxes import Box, BoxReader, Mp4Error, UnsupportedMp4
from voxel_prepare.isobmff.common_encryption import TrackEncryption, read_track_encryption
from voxel_prepare.isobmff.fragments import Buffer, Fragment, SampleDefaults, read_fragments

SAMPLE_DESCRIPTION_FIELDS = 8
"""Version, flags and entry count of an `stsd`."""

ENCRYPTED_ENTRIES = {"encv", "enca"}
"""Sample entries of Common Encryption and other protection schemes (§8.12)."""

VISUAL_SAMPLE_ENTRY_FIELDS = 78
AUDIO_SAMPLE_ENTRY_FIELDS = 28
"""Bytes of a sample entry's own fields, before its child boxes (§12)."""


@dataclass(frozen=True, slots=True)
class SampleDescription:
    """How samples are coded: a sample entry."""

    sample_entry: str
    """Four-character code, as `avc1` or `mp4a`; of an encrypted track that of what is encrypted."""
    encryption: TrackEncryption | None
    entry_boxes: dict[str, bytes]
    """The payloads of the boxes in the sample entry, as `avcC`, by their type."""
    width: int
    height: int
    """Coded size in pixels as the sample entry states it; 0 for audio."""


@dataclass(frozen=True, slots=True)
class Track:
    """A file's only track."""

    init: bytes
    """The initialization segment: everything up to the end of the moov."""
    timescale: int
    """Units per second."""
    handler: str
    """`vide` or `soun`."""
    language: str
    """Three letters (ISO 639-2/T), `und` where it is not known."""
    descriptions: tuple[SampleDescription, ...]
    """Each fragment names that of its samples, by its place from 1: encrypted tracks begin with a clear one."""
    defaults: SampleDefaults
    fragments: tuple[Fragment, ...]

    @property
    def description(self) -> SampleDescription:
        """The only description. Raises `UnsupportedMp4` if there are several."""
        if len(self.descriptions) != 1:
            raise UnsupportedMp4(f"expected one sample description, found {len(self.descriptions)}")
        return self.descriptions[0]

    def description_of(self, fragment: Fragment) -> SampleDescription:
        """The description that a fragment names, or the only one. Raises `Mp4Error`."""
        if len(self.descriptions) == 1:
            return self.descriptions[0]
        if not 0 < fragment.description <= len(self.descriptions):
            raise Mp4Error(
                f"a fragment refers to sample description {fragment.description} of {len(self.descriptions)}"
            )
        return self.descriptions[fragment.description - 1]


def parse_track(data: Buffer) -> Track:
    """The only track of a fragmented MP4 file. Raises `Mp4Error`."""
    with memoryview(data) as view:
        reader = BoxReader(view)
        moov = next((box for box in reader.boxes(0, len(view)) if box.type == "moov"), None)
        if moov is None:
            raise Mp4Error("not an MP4 file: no moov box found")
        media = reader.child(reader.only_child(moov, "trak"), "mdia")
        handler = reader.u32(reader.child(media, "hdlr"), 8).to_bytes(4, "big").decode("latin-1")
        stbl = reader.child(media, "minf", "stbl")
        entries = reader.children(reader.child(stbl, "stsd"), SAMPLE_DESCRIPTION_FIELDS)
        descriptions = tuple(_sample_description(reader, view, entry, handler, stbl) for entry in entries)
        if not descriptions:
            raise Mp4Error("expected a sample description, found none")
        defaults = _sample_defaults(reader, reader.child(moov, "mvex", "trex"))
        return Track(
            init=bytes(view[: moov.end]),
            timescale=timescale_of(reader, reader.child(media, "mdhd")),
            handler=handler,
            language=_language(reader, reader.child(media, "mdhd")),
            descriptions=descriptions,
            defaults=defaults,
            fragments=tuple(read_fragments(reader, moov.end, len(view), defaults)),
        )


def _sample_defaults(reader: BoxReader, trex: Box) -> SampleDefaults:
    return SampleDefaults(
        duration=reader.u32(trex, 12),
        size=reader.u32(trex, 16),
        flags=reader.u32(trex, 20),
        description=reader.u32(trex, 8),
    )


def timescale_of(reader: BoxReader, header: Box) -> int:
    """Units per second of an `mvhd` or `mdhd`. Raises `Mp4Error`."""
    timescale = reader.u32(header, 20 if reader.version(header) == 1 else 12)
    if timescale == 0:
        raise Mp4Error("the timescale must be positive, found 0")
    return timescale


def _language(reader: BoxReader, mdhd: Box) -> str:
    packed = reader.u16(mdhd, 32 if reader.version(mdhd) == 1 else 20)
    letters = [packed >> shift & 0x1F for shift in (10, 5, 0)]
    is_known = all(1 <= letter <= 26 for letter in letters)
    return "".join(chr(0x60 + letter) for letter in letters) if is_known else "und"


def _sample_description(reader: BoxReader, view: memoryview, entry: Box, handler: str, stbl: Box) -> SampleDescription:
    is_video = handler == "vide"
    fields = VISUAL_SAMPLE_ENTRY_FIELDS if is_video else AUDIO_SAMPLE_ENTRY_FIELDS
    children = {box.type: box for box in reader.children(entry, fields)}
    sinf = children.get("sinf")
    if entry.type in ENCRYPTED_ENTRIES and sinf is None:
        raise Mp4Error(f"encrypted {entry.type} box has no sinf box")
    encryption = read_track_encryption(reader, sinf, stbl) if sinf else None
    return SampleDescription(
        sample_entry=encryption.sample_entry if encryption else entry.type,
        encryption=encryption,
        entry_boxes={fourcc: bytes(view[box.payload : box.end]) for fourcc, box in children.items()},
        width=reader.u16(entry, 24) if is_video else 0,
        height=reader.u16(entry, 26) if is_video else 0,
    )
