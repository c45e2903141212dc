"""Movie fragments (ISO/IEC 14496-12 §8.8) of a file or segment with one track: the positions of their samples."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from mmap import mmap
from typing import TypeAlias

from voxel_prepare.isobmff.boxes import Box, BoxReader, Mp4Error, UnsupportedMp4

Buffer: TypeAlias = bytes | bytearray | memoryview | mmap

BASE_DATA_OFFSET_PRESENT = 0x1
SAMPLE_DESCRIPTION_INDEX_PRESENT = 0x2
DEFAULT_SAMPLE_DURATION_PRESENT = 0x8
DEFAULT_SAMPLE_SIZE_PRESENT = 0x10
DEFAULT_SAMPLE_FLAGS_PRESENT = 0x20
"""Flags of a `tfhd` (§8.8.7)."""

DATA_OFFSET_PRESENT = 0x1
FIRST_SAMPLE_FLAGS_PRESENT = 0x4
SAMPLE_DURATION_PRESENT = 0x100
SAMPLE_SIZE_PRESENT = 0x200
SAMPLE_FLAGS_PRESENT = 0x400
COMPOSITION_OFFSET_PRESENT = 0x800
"""Flags of a `trun` (§8.8.8)."""

NON_SYNC_SAMPLE = 0x10000
"""sample_is_non_sync_sample in the sample flags (§8.8.3.1)."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample (frame) in decode order; times count in the track's timescale."""

    offset: int
    """Position of its first byte in the file."""
    size: int
    duration: int
    composition_offset: int
    decode_time: int
    flags: int
    """Sample flags (§8.8.3.1)."""
    size_field: int | None
    """Position of its own 32-bit size: in the `trun` or, of a fragment's only sample, in the `tfhd`. None if it has a
    default size that is not its own, and so cannot change."""

    @property
    def presentation_time(self) -> int:
        return self.decode_time + self.composition_offset

    @property
    def is_sync(self) -> bool:
        """Decoding can begin with it."""
        return not self.flags & NON_SYNC_SAMPLE


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
    description: int
    """Number of the sample description of its samples, from 1."""
    samples: tuple[Sample, ...]
    data_offsets: tuple[DataOffset, ...]


@dataclass(frozen=True, slots=True)
class SampleDefaults:
    """Values of samples whose fragment does not state others (`trex`)."""

    duration: int = 0
    size: int = 0
    flags: int = 0
    description: int = 1
    """Number of the sample description, from 1."""


def parse_fragments(segment: Buffer, defaults: SampleDefaults = SampleDefaults()) -> tuple[Fragment, ...]:
    """The fragments of a media segment cut out of its file; positions count from the segment's first byte.

    Raises `Mp4Error`, also if it has no fragment.
    """
    with memoryview(segment) as view:
        fragments = tuple(read_fragments(BoxReader(view), 0, len(view), defaults))
    if not fragments:
        raise Mp4Error("the segment has no moof box")
    return fragments


def read_fragments(reader: BoxReader, start: int, end: int, defaults: SampleDefaults) -> Iterator[Fragment]:
    """The fragments among the boxes that fill `[start, end)`. Raises `Mp4Error`."""
    fragment_start = start
    moof: Box | None = None
    decode_time = 0
    for box in reader.boxes(start, end):
        if box.type == "moof":
            if moof is not None:
                break  # the previous one has no mdat
            moof = box
        elif box.type == "mdat":
            if moof is None:
                raise Mp4Error(f"mdat box at byte {box.start} has no moof box before it")
            fragment = _fragment(reader, fragment_start, moof, box, defaults, decode_time)
            decode_time = fragment.base_decode_time + sum(sample.duration for sample in fragment.samples)
            yield fragment
            fragment_start = box.end
            moof = None
    if moof is not None:
        raise Mp4Error(f"moof box at byte {moof.start} has no mdat box after it")


def _fragment(
    reader: BoxReader, start: int, moof: Box, mdat: Box, defaults: SampleDefaults, decode_time: int
) -> Fragment:
    """`decode_time`: the end of the previous fragment, for a fragment that does not state its start."""
    track = reader.only_child(moof, "traf")
    boxes = list(reader.children(track))
    defaults, size_field = _fragment_defaults(reader, reader.child(track, "tfhd"), defaults)
    for tfdt in (box for box in boxes if box.type == "tfdt"):
        decode_time = reader.u64(tfdt, 4) if reader.version(tfdt) == 1 else reader.u32(tfdt, 4)
    base_decode_time = decode_time
    samples: list[Sample] = []
    data_offsets: list[DataOffset] = []
    data_end = None
    for trun in (box for box in boxes if box.type == "trun"):
        offset = data_end
        if reader.u32(trun, 0) & DATA_OFFSET_PRESENT:
            offset = moof.start + reader.i32(trun, 8)
            data_offsets.append(DataOffset(trun.payload + 8, offset))
        if offset is None:
            raise Mp4Error(f"trun box at byte {trun.start} must have a data offset")
        if offset < (mdat.payload if data_end is None else data_end):
            raise Mp4Error(f"samples at byte {offset} are outside their mdat box or overlap others")
        samples += _run(reader, trun, mdat, defaults, offset, decode_time)
        if samples:
            data_end = samples[-1].offset + samples[-1].size
            decode_time = samples[-1].decode_time + samples[-1].duration
    if len(samples) == 1 and samples[0].size_field is None:  # its default is nobody else's
        samples = [replace(samples[0], size_field=size_field)]
    return Fragment(
        start=start,
        end=mdat.end,
        moof_start=moof.start,
        moof_end=moof.end,
        mdat_start=mdat.start,
        mdat_payload=mdat.payload,
        sequence=reader.u32(reader.child(moof, "mfhd"), 4),
        base_decode_time=base_decode_time,
        description=defaults.description,
        samples=tuple(samples),
        data_offsets=tuple(data_offsets),
    )


def _run(
    reader: BoxReader, trun: Box, mdat: Box, defaults: SampleDefaults, offset: int, decode_time: int
) -> Iterator[Sample]:
    """The samples of a `trun`, the first of them at `offset` and `decode_time`."""
    flags, count = reader.u32(trun, 0), reader.u32(trun, 4)
    at = 8 + (4 if flags & DATA_OFFSET_PRESENT else 0)
    sample_flags = defaults.flags
    if flags & FIRST_SAMPLE_FLAGS_PRESENT:
        sample_flags = reader.u32(trun, at)
        at += 4
    if not flags & SAMPLE_SIZE_PRESENT and defaults.size == 0:
        raise UnsupportedMp4("fragments must state the size of each sample")

    for _ in range(count):
        duration, size, size_field, composition_offset = defaults.duration, defaults.size, None, 0
        if flags & SAMPLE_DURATION_PRESENT:
            duration = reader.u32(trun, at)
            at += 4
        if flags & SAMPLE_SIZE_PRESENT:
            size, size_field = reader.u32(trun, at), trun.payload + at
            at += 4
        if flags & SAMPLE_FLAGS_PRESENT:
            sample_flags = reader.u32(trun, at)
            at += 4
        if flags & COMPOSITION_OFFSET_PRESENT:
            composition_offset = reader.u32(trun, at) if reader.version(trun) == 0 else reader.i32(trun, at)
            at += 4
        if offset + size > mdat.end:
            raise Mp4Error(f"sample at byte {offset} is outside its mdat box")
        yield Sample(offset, size, duration, composition_offset, decode_time, sample_flags, size_field)
        offset += size
        decode_time += duration
        sample_flags = defaults.flags


def _fragment_defaults(reader: BoxReader, tfhd: Box, defaults: SampleDefaults) -> tuple[SampleDefaults, int | None]:
    """The defaults of a fragment, and the position of the size among them if the fragment states it."""
    flags = reader.u32(tfhd, 0)
    if flags & BASE_DATA_OFFSET_PRESENT:
        raise UnsupportedMp4("data offsets must be relative to the moof box, found positions in the file")
    at, size_field = 8, None
    if flags & SAMPLE_DESCRIPTION_INDEX_PRESENT:
        defaults = replace(defaults, description=reader.u32(tfhd, at))
        at += 4
    if flags & DEFAULT_SAMPLE_DURATION_PRESENT:
        defaults = replace(defaults, duration=reader.u32(tfhd, at))
        at += 4
    if flags & DEFAULT_SAMPLE_SIZE_PRESENT:
        defaults = replace(defaults, size=reader.u32(tfhd, at))
        size_field = tfhd.payload + at
        at += 4
    if flags & DEFAULT_SAMPLE_FLAGS_PRESENT:
        defaults = replace(defaults, flags=reader.u32(tfhd, at))
    return defaults, size_field
