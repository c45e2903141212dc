"""A fragmented MP4 file with one track (ISO/IEC 14496-12)."""

from dataclasses import dataclass

from voxel_prepare.isobmff.boxes import Box, BoxReader, Mp4Error, UnsupportedMp4
from voxel_prepare.isobmff.cbcs import TrackEncryption, read_track_encryption
from voxel_prepare.isobmff.fragments import Buffer, Fragment, SampleDefaults, read_fragments

SAMPLE_DESCRIPTION_FIELDS = 8
"""Version, flags and entry count of an `stsd`."""

ENCRYPTED_ENTRIES = {"encv", "enca"}
"""Sample entries of Common Encryption and other protection schemes (§8.12)."""

VISUAL_SAMPLE_ENTRY_FIELDS = 78
AUDIO_SAMPLE_ENTRY_FIELDS = 28
"""Bytes of a sample entry's own fields, before its child boxes (§12)."""


@dataclass(frozen=True, slots=True)
class Track:
    """A file's only track."""

    init: bytes
    """The initialization segment: everything up to the end of the moov."""
    timescale: int
    """Units per second."""
    handler: str
    """`vide` or `soun`."""
    sample_entry: str
    """Four-character code, as `avc1` or `mp4a`; of an encrypted track that of what is encrypted."""
    encryption: TrackEncryption | None
    entry_boxes: dict[str, bytes]
    """The payloads of the boxes in the sample entry, as `avcC`, by their type."""
    width: int
    height: int
    """Coded size in pixels as the sample entry states it; 0 for audio."""
    defaults: SampleDefaults
    fragments: tuple[Fragment, ...]


def parse_track(data: Buffer) -> Track:
    """The only track of a fragmented MP4 file. Raises `Mp4Error`."""
    with memoryview(data) as view:
        reader = BoxReader(view)
        moov = next((box for box in reader.boxes(0, len(view)) if box.type == "moov"), None)
        if moov is None:
            raise Mp4Error("not an MP4 file: no moov box found")
        media = reader.child(reader.only_child(moov, "trak"), "mdia")
        handler = reader.u32(reader.child(media, "hdlr"), 8).to_bytes(4, "big").decode("latin-1")
        entry, children = _sample_entry(reader, reader.child(media, "minf", "stbl", "stsd"), handler)
        sinf = children.get("sinf")
        if entry.type in ENCRYPTED_ENTRIES and sinf is None:
            raise Mp4Error(f"encrypted {entry.type} box has no sinf box")
        encryption = read_track_encryption(reader, view, sinf) if sinf else None
        is_video = handler == "vide"
        defaults = _sample_defaults(reader, reader.child(moov, "mvex", "trex"))
        return Track(
            init=bytes(view[: moov.end]),
            timescale=_timescale(reader, reader.child(media, "mdhd")),
            handler=handler,
            sample_entry=encryption.sample_entry if encryption else entry.type,
            encryption=encryption,
            entry_boxes={fourcc: bytes(view[box.payload : box.end]) for fourcc, box in children.items()},
            width=reader.u16(entry, 24) if is_video else 0,
            height=reader.u16(entry, 26) if is_video else 0,
            defaults=defaults,
            fragments=tuple(read_fragments(reader, moov.end, len(view), defaults)),
        )


def _sample_defaults(reader: BoxReader, trex: Box) -> SampleDefaults:
    return SampleDefaults(duration=reader.u32(trex, 12), size=reader.u32(trex, 16), flags=reader.u32(trex, 20))


def _timescale(reader: BoxReader, mdhd: Box) -> int:
    timescale = reader.u32(mdhd, 20 if reader.version(mdhd) == 1 else 12)
    if timescale == 0:
        raise Mp4Error("the timescale must be positive, found 0")
    return timescale


def _sample_entry(reader: BoxReader, stsd: Box, handler: str) -> tuple[Box, dict[str, Box]]:
    """The only sample entry and its children by their type."""
    entries = list(reader.children(stsd, SAMPLE_DESCRIPTION_FIELDS))
    if len(entries) != 1:
        raise UnsupportedMp4(f"expected one sample description, found {len(entries)}")
    fields = VISUAL_SAMPLE_ENTRY_FIELDS if handler == "vide" else AUDIO_SAMPLE_ENTRY_FIELDS
    return entries[0], {box.type: box for box in reader.children(entries[0], fields)}
