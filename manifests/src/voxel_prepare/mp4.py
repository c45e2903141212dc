"""Fragmented MP4 with one track (ISO/IEC 14496-12): where its fragments and samples lie, in bytes.

Reads only what preparation and repair need. All input is taken as hostile: every size is checked against its container.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import mmap
from typing import TypeAlias

NON_SYNC_SAMPLE = 0x10000
"""sample_is_non_sync_sample in the sample flags (14496-12 §8.8.3.1)."""

VISUAL_SAMPLE_ENTRY_FIELDS = 78
AUDIO_SAMPLE_ENTRY_FIELDS = 28
"""Bytes of a sample entry's own fields, after its header and before its child boxes (14496-12 §12)."""

Buffer: TypeAlias = bytes | bytearray | memoryview | mmap


class Mp4Error(Exception):
    """The file is not a fragmented MP4 with one track, or it is damaged. The message is one line."""

    code = "malformed"


@dataclass(frozen=True, slots=True)
class Box:
    """A box that has been found: its bytes are `[start, end)`, its payload `[payload, end)`."""

    type: str
    start: int
    payload: int
    end: int


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample (frame) in decode order; times count in the track's timescale."""

    offset: int
    """Position of its first byte in the file."""
    size: int
    duration: int
    composition_offset: int
    decode_time: int
    is_sync: bool
    size_field: int | None
    """Position of its 32-bit size in the `trun`, or None where the fragment's default size stands for it."""


@dataclass(frozen=True, slots=True)
class DataOffset:
    """A `trun`'s data_offset: a signed 32-bit number at `field`, relative to the moof, that points to `target`."""

    field: int
    target: int


@dataclass(frozen=True, slots=True)
class Fragment:
    """A `moof` with its `mdat` and the boxes before them (styp, sidx, prft, emsg): bytes `[start, end)` of the file."""

    start: int
    end: int
    moof_start: int
    moof_end: int
    mdat_start: int
    mdat_payload: int
    sequence: int
    base_decode_time: int
    samples: tuple[Sample, ...]
    data_offsets: tuple[DataOffset, ...]


@dataclass(frozen=True, slots=True)
class SampleDefaults:
    """What a sample has unless its fragment says otherwise (`trex`)."""

    duration: int = 0
    size: int = 0
    flags: int = 0


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
    """Four-character code, as `avc1` or `mp4a`."""
    codec_configuration: bytes
    """Payload of the `avcC`; empty for another codec."""
    width: int
    height: int
    """Coded size in pixels as the sample entry states it; 0 for audio."""
    defaults: SampleDefaults
    fragments: tuple[Fragment, ...]


def parse_track(data: Buffer) -> Track:
    """The only track of a fragmented MP4 file. Raises `Mp4Error`."""
    with memoryview(data) as view:
        moov = next((box for box in read_boxes(view, 0, len(view)) if box.type == "moov"), None)
        if moov is None:
            raise Mp4Error("not an MP4 file: it has no moov box")
        tracks = [box for box in children(view, moov) if box.type == "trak"]
        if len(tracks) != 1:
            raise Mp4Error(f"the file holds {len(tracks)} tracks instead of one")
        media = child(view, tracks[0], "mdia")
        timescale = _media_timescale(view, child(view, media, "mdhd"))
        handler_box = child(view, media, "hdlr")
        handler = _fourcc(view, handler_box, 8)
        description = child(view, child(view, child(view, media, "minf"), "stbl"), "stsd")
        entry, configuration = _sample_entry(view, description, handler)
        is_video = handler == "vide"
        defaults = _sample_defaults(view, child(view, child(view, moov, "mvex"), "trex"))
        return Track(
            init=bytes(view[: moov.end]),
            timescale=timescale,
            handler=handler,
            sample_entry=entry.type,
            codec_configuration=configuration,
            width=_u16(view, entry, 24) if is_video else 0,
            height=_u16(view, entry, 26) if is_video else 0,
            defaults=defaults,
            fragments=tuple(_fragments(view, moov.end, defaults)),
        )


def parse_fragments(segment: Buffer, defaults: SampleDefaults = SampleDefaults()) -> tuple[Fragment, ...]:
    """The fragments of a media segment cut out of its file; positions count from the segment's first byte.

    Raises `Mp4Error`, also when there is none.
    """
    with memoryview(segment) as view:
        fragments = tuple(_fragments(view, 0, defaults))
    if not fragments:
        raise Mp4Error("the segment has no moof box")
    return fragments


def read_boxes(view: memoryview, start: int, end: int) -> Iterator[Box]:
    """The boxes that fill `[start, end)`, one after the other. Raises `Mp4Error` where they do not fill it exactly."""
    at = start
    while at < end:
        if end - at < 8:
            raise Mp4Error(f"{end - at} stray bytes where a box should start, at {at}")
        size, fourcc = struct.unpack_from(">I4s", view, at)
        payload = at + 8
        if size == 1:
            if end - at < 16:
                raise Mp4Error(f"box header cut off at {at}")
            (size,) = struct.unpack_from(">Q", view, at + 8)
            payload = at + 16
        elif size == 0:  # to the end of the file
            size = end - at
        if at + size < payload or at + size > end:
            raise Mp4Error(f"box size {size} at {at} does not fit its container")
        yield Box(fourcc.decode("latin-1"), at, payload, at + size)
        at += size


def children(view: memoryview, parent: Box, fields: int = 0) -> Iterator[Box]:
    """The boxes inside `parent`, after `fields` bytes of its own."""
    if parent.payload + fields > parent.end:
        raise Mp4Error(f"{parent.type} box is too short")
    return read_boxes(view, parent.payload + fields, parent.end)


def child(view: memoryview, parent: Box, fourcc: str) -> Box:
    """The first box of that type inside `parent`. Raises `Mp4Error` if there is none."""
    found = next((box for box in children(view, parent) if box.type == fourcc), None)
    if found is None:
        raise Mp4Error(f"{parent.type} box without {fourcc} (is the file fragmented?)")
    return found


def _fragments(view: memoryview, start: int, defaults: SampleDefaults) -> Iterator[Fragment]:
    fragment_start = start
    moof: Box | None = None
    decode_time = 0
    for box in read_boxes(view, start, len(view)):
        if box.type == "moof":
            if moof is not None:
                raise Mp4Error(f"moof at {moof.start} without mdat")
            moof = box
        elif box.type == "mdat":
            if moof is None:
                raise Mp4Error(f"mdat at {box.start} without moof")
            fragment = _fragment(view, fragment_start, moof, box, defaults, decode_time)
            decode_time = fragment.base_decode_time + sum(sample.duration for sample in fragment.samples)
            yield fragment
            fragment_start = box.end
            moof = None
    if moof is not None:
        raise Mp4Error(f"moof at {moof.start} without mdat")


def _fragment(
    view: memoryview, start: int, moof: Box, mdat: Box, defaults: SampleDefaults, decode_time: int
) -> Fragment:
    """`decode_time`: the end of the fragment before, for a fragment that does not say when it starts."""
    track_fragments = [box for box in children(view, moof) if box.type == "traf"]
    if len(track_fragments) != 1:
        raise Mp4Error(f"moof at {moof.start} holds {len(track_fragments)} track fragments instead of one")
    boxes = list(children(view, track_fragments[0]))
    base_decode_time = decode_time
    samples: list[Sample] = []
    data_offsets: list[DataOffset] = []
    data_end = None
    for box in boxes:
        if box.type == "tfhd":
            defaults = _fragment_defaults(view, box, defaults)
        elif box.type == "tfdt":
            is_64_bit = _u32(view, box, 0) >> 24 == 1
            base_decode_time = decode_time = _u64(view, box, 4) if is_64_bit else _u32(view, box, 4)
        elif box.type == "trun":
            run = _RunReader(view, box, moof, mdat, defaults)
            samples += run.read(decode_time, data_end)
            data_offsets += run.data_offsets
            if samples:
                decode_time = samples[-1].decode_time + samples[-1].duration
                data_end = samples[-1].offset + samples[-1].size
    return Fragment(
        start=start,
        end=mdat.end,
        moof_start=moof.start,
        moof_end=moof.end,
        mdat_start=mdat.start,
        mdat_payload=mdat.payload,
        sequence=_u32(view, child(view, moof, "mfhd"), 4),
        base_decode_time=base_decode_time,
        samples=tuple(samples),
        data_offsets=tuple(data_offsets),
    )


class _RunReader:
    """Reads one `trun` (14496-12 §8.8.8)."""

    def __init__(self, view: memoryview, box: Box, moof: Box, mdat: Box, defaults: SampleDefaults) -> None:
        self.data_offsets: list[DataOffset] = []
        self._view = view
        self._box = box
        self._moof = moof
        self._mdat = mdat
        self._defaults = defaults

    def read(self, decode_time: int, data_end: int | None) -> list[Sample]:
        """`data_end`: where the run before ended; this one starts there unless it has an offset of its own."""
        view, box, defaults = self._view, self._box, self._defaults
        version_flags, count = _u32(view, box, 0), _u32(view, box, 4)
        version, flags = version_flags >> 24, version_flags & 0xFFFFFF
        at = box.payload + 8
        offset = data_end
        if flags & 0x1:
            offset = self._moof.start + _signed(_u32(view, box, at - box.payload))
            self.data_offsets.append(DataOffset(at, offset))
            at += 4
        if offset is None:
            raise Mp4Error(f"trun at {box.start} does not say where its data is")
        first_flags = defaults.flags
        if flags & 0x4:
            first_flags = _u32(view, box, at - box.payload)
            at += 4
        entry_size = 4 * (flags >> 8 & 0xF).bit_count()
        if at + count * entry_size > box.end:
            raise Mp4Error(f"trun at {box.start} is too short for its {count} samples")
        if not flags & 0x200 and defaults.size == 0:
            raise Mp4Error(f"trun at {box.start} has samples without a size")

        samples: list[Sample] = []
        free_from = self._mdat.payload if data_end is None else data_end
        for index in range(count):
            fields = iter(struct.unpack_from(f">{entry_size // 4}I", view, at))
            duration = next(fields) if flags & 0x100 else defaults.duration
            size_field = at + (4 if flags & 0x100 else 0) if flags & 0x200 else None
            size = next(fields) if flags & 0x200 else defaults.size
            default_flags = first_flags if index == 0 else defaults.flags
            sample_flags = next(fields) if flags & 0x400 else default_flags
            composition_offset = next(fields) if flags & 0x800 else 0
            if version > 0:
                composition_offset = _signed(composition_offset)
            if offset < free_from or offset + size > self._mdat.end:
                raise Mp4Error(f"sample at {offset} lies outside its mdat or over another one")
            is_sync = not sample_flags & NON_SYNC_SAMPLE
            samples.append(Sample(offset, size, duration, composition_offset, decode_time, is_sync, size_field))
            offset = free_from = offset + size
            decode_time += duration
            at += entry_size
        return samples


def _fragment_defaults(view: memoryview, tfhd: Box, defaults: SampleDefaults) -> SampleDefaults:
    flags = _u32(view, tfhd, 0) & 0xFFFFFF
    if flags & 0x1:
        raise Mp4Error(
            "data offsets are positions in the file; they must be relative to the moof (default-base-is-moof)"
        )
    at = 8 + (4 if flags & 0x2 else 0)
    values = {"duration": defaults.duration, "size": defaults.size, "flags": defaults.flags}
    for flag, name in ((0x8, "duration"), (0x10, "size"), (0x20, "flags")):
        if flags & flag:
            values[name] = _u32(view, tfhd, at)
            at += 4
    return SampleDefaults(**values)


def _sample_defaults(view: memoryview, trex: Box) -> SampleDefaults:
    return SampleDefaults(duration=_u32(view, trex, 12), size=_u32(view, trex, 16), flags=_u32(view, trex, 20))


def _media_timescale(view: memoryview, mdhd: Box) -> int:
    is_64_bit = _u32(view, mdhd, 0) >> 24 == 1
    timescale = _u32(view, mdhd, 20 if is_64_bit else 12)
    if timescale == 0:
        raise Mp4Error("timescale is zero")
    return timescale


def _sample_entry(view: memoryview, stsd: Box, handler: str) -> tuple[Box, bytes]:
    """The only sample entry and the payload of its `avcC`, if it has one."""
    entries = list(children(view, stsd, 8))
    if len(entries) != 1:
        raise Mp4Error(f"the track has {len(entries)} sample descriptions instead of one")
    fields = VISUAL_SAMPLE_ENTRY_FIELDS if handler == "vide" else AUDIO_SAMPLE_ENTRY_FIELDS
    for box in children(view, entries[0], fields):
        if box.type == "avcC":
            return entries[0], bytes(view[box.payload : box.end])
    return entries[0], b""


def _unpack(pattern: str, view: memoryview, box: Box, at: int) -> int:
    if box.payload + at + struct.calcsize(pattern) > box.end:
        raise Mp4Error(f"{box.type} box is too short")
    value: int = struct.unpack_from(pattern, view, box.payload + at)[0]
    return value


def _u16(view: memoryview, box: Box, at: int) -> int:
    return _unpack(">H", view, box, at)


def _u32(view: memoryview, box: Box, at: int) -> int:
    return _unpack(">I", view, box, at)


def _u64(view: memoryview, box: Box, at: int) -> int:
    return _unpack(">Q", view, box, at)


def _signed(value: int) -> int:
    """A 32-bit field read as two's complement."""
    return value - (1 << 32) if value >> 31 else value


def _fourcc(view: memoryview, box: Box, at: int) -> str:
    return _u32(view, box, at).to_bytes(4, "big").decode("latin-1")
