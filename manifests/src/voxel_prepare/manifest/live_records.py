"""The records beside a growing live segment: what is in each of its chunks (docs/MANIFEST.md, "Live records").

All integers in records are varints. A file may end anywhere, as it grows: what is complete counts.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from voxel_prepare.analysis.segment_analysis import Metric
from voxel_prepare.byte_ranges import ByteRange, merged
from voxel_prepare.errors import PreparationError
from voxel_prepare.manifest.index_file import MAX_DECIMALS, METRIC_CODES, METRICS
from voxel_prepare.manifest.varints import read_varint, varint

MAGIC = b"VXLV"
VERSION = 1
HEAD = struct.Struct(">4sBBBxI4x")
"""Magic, version, metric, decimals of scores and costs, a zero, timescale, four zeros."""

CHUNK_TYPE = 1
END_TYPE = 2

MAX_CONTENT = 1 << 16
"""Bytes: a chunk of some dozen slices takes a few hundred."""
MAX_FILE = 1 << 20
"""Bytes: bounds what a reader holds of one segment."""

Fault: TypeAlias = Literal["magic", "version", "head", "number", "size", "content", "coverage", "sequence"]
"""Why bytes are refused; docs/MANIFEST.md lists them."""


class RecordError(PreparationError):
    """Not a file of live records, or a damaged one."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(f"live records: {message}")
        self.fault = fault


@dataclass(frozen=True, slots=True)
class RecordHead:
    """What all records of a file share."""

    metric: Metric
    decimals: int
    """The unit of scores and costs is 1 / 10^decimals."""
    timescale: int
    """Units of media time per second."""


@dataclass(frozen=True, slots=True)
class ChunkFrame:
    """A frame that may be missing."""

    index: int
    """Place in decode order in the segment, from 0."""
    ranges: tuple[ByteRange, ...]
    """Positions in the segment's file, in file order."""
    cost: int
    """The predicted loss of the segment's score when only this frame is missing."""


@dataclass(frozen=True, slots=True)
class ChunkRecord:
    """One chunk; byte positions count from the first byte of the segment's file."""

    range: ByteRange
    decode_time: int
    """Media time at which its first frame is decoded, in the timescale."""
    duration: int
    captured: int
    """When its earliest picture was captured, in ms since 1970 (UTC)."""
    whole_score: int
    """The representation's present score when all arrives, and with the reliable bytes alone."""
    reliable_score: int
    reliable: tuple[ByteRange, ...]
    """What must arrive, in file order."""
    frames: tuple[ChunkFrame, ...]
    """The most important one first."""


@dataclass(frozen=True, slots=True)
class Records:
    """What a file has said so far."""

    head: RecordHead | None
    chunks: tuple[ChunkRecord, ...]
    length: int | None
    """Bytes of the finished segment; None while it grows."""
    complete_bytes: int
    """Head and complete records; what follows is the beginning of another record."""


def write_head(head: RecordHead) -> bytes:
    """The first bytes of the file."""
    return HEAD.pack(MAGIC, VERSION, METRIC_CODES[head.metric], head.decimals, head.timescale)


def write_chunk(chunk: ChunkRecord) -> bytes:
    """The record of a chunk."""
    start = chunk.range.start
    numbers = [start, chunk.range.size, chunk.decode_time, chunk.duration, chunk.captured]
    numbers += [chunk.whole_score, chunk.reliable_score, len(chunk.reliable)]
    at = start
    for range_ in chunk.reliable:
        numbers += [range_.start - at, range_.size]
        at = range_.end
    numbers.append(len(chunk.frames))
    for frame in chunk.frames:
        numbers += [frame.index, len(frame.ranges)]
        numbers += [number for range_ in frame.ranges for number in (range_.start - start, range_.size)]
        numbers.append(frame.cost)
    return _record(CHUNK_TYPE, numbers)


def write_end(length: int) -> bytes:
    """The last record: the segment is finished and has `length` bytes."""
    return _record(END_TYPE, [length])


def read_records(data: bytes) -> Records:
    """All complete records of a file that may still grow. Raises `RecordError`."""
    records, fault = _read(data)
    if fault is not None:
        raise fault
    return records


def read_intact(data: bytes) -> Records:
    """The records before the first fault: after a loss of power what was not on the disk may be zeros, or anything."""
    records, _ = _read(data)
    return records


def _read(data: bytes) -> tuple[Records, RecordError | None]:
    head: RecordHead | None = None
    chunks: list[ChunkRecord] = []
    length: int | None = None
    at = 0
    fault: RecordError | None = None
    try:
        head = _checked_head(data)
        at = HEAD.size if head else 0
        for type_, start, end in _records(data) if head else ():
            if type_ in {CHUNK_TYPE, END_TYPE}:
                if length is not None:
                    raise RecordError("sequence", f"expected nothing after the end, found a record of type {type_}")
                position = chunks[-1].range.end if chunks else 0
                fields = _Fields(data, start, end)
                if type_ == END_TYPE:
                    length = _read_end(fields, position)
                else:
                    chunks.append(_read_chunk(fields, position))
            at = end
    except RecordError as error:
        fault = error
    return Records(head, tuple(chunks), length, at), fault


def _checked_head(data: bytes) -> RecordHead | None:
    """None: not all of it is there."""
    if len(data) > MAX_FILE:
        raise RecordError("size", f"expected at most {MAX_FILE} bytes, found {len(data)}")
    if len(data) >= HEAD.size:
        return _read_head(data)
    if not MAGIC.startswith(data[: len(MAGIC)]):
        raise RecordError("magic", f"expected {MAGIC!r}, found {data[: len(MAGIC)]!r}")
    return None


def _read_end(fields: "_Fields", position: int) -> int:
    length = fields.number()
    fields.close()
    if length != position:
        raise RecordError("sequence", f"expected the end at byte {position}, found {length}")
    return length


def _record(type_: int, numbers: Sequence[int]) -> bytes:
    content = b"".join(map(varint, numbers))
    return varint(type_) + varint(len(content)) + content


def _read_head(data: bytes) -> RecordHead:
    magic, version, metric, decimals, timescale = HEAD.unpack_from(data)
    if magic != MAGIC:
        raise RecordError("magic", f"expected {MAGIC!r}, found {magic!r}")
    if version != VERSION:
        raise RecordError("version", f"expected version {VERSION}, found {version}")
    if metric not in METRICS or decimals > MAX_DECIMALS or timescale == 0:
        raise RecordError("head", f"bad head: metric {metric}, {decimals} decimals, timescale {timescale}")
    return RecordHead(METRICS[metric], decimals, timescale)


def _records(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Type, start and end of the content of each complete record."""
    at = HEAD.size
    while type_ := _number(data, at, len(data)):
        length = _number(data, type_[1], len(data))
        if length is None:
            return
        size, start = length
        if size > MAX_CONTENT:
            raise RecordError("size", f"a record must have at most {MAX_CONTENT} bytes, found {size}")
        at = start + size
        if at > len(data):
            return
        yield type_[0], start, at


def _number(data: bytes, at: int, end: int) -> tuple[int, int] | None:
    try:
        return read_varint(data, at, end)
    except ValueError as error:
        raise RecordError("number", str(error)) from error


class _Fields:
    """The numbers of one record's content."""

    def __init__(self, data: bytes, at: int, end: int) -> None:
        self._data, self._at, self._end = data, at, end

    def number(self) -> int:
        found = _number(self._data, self._at, self._end)
        if found is None:
            raise RecordError("content", f"the record at byte {self._end} ends inside its content")
        value, self._at = found
        return value

    def close(self) -> None:
        if self._at < self._end:
            raise RecordError("content", f"{self._end - self._at} bytes follow the content of a record")


def _read_chunk(fields: _Fields, position: int) -> ChunkRecord:
    start, size = fields.number(), fields.number()
    if start != position or size == 0:
        raise RecordError("sequence", f"expected a chunk from byte {position} on, found {size} bytes at {start}")
    times = [fields.number() for _ in range(3)]
    scores = fields.number(), fields.number()
    at = start
    reliable: list[ByteRange] = []
    for _ in range(fields.number()):
        first = at + fields.number()
        at = first + fields.number()
        reliable.append(ByteRange(first, at))
    frames = tuple(_read_frame(fields, start) for _ in range(fields.number()))
    fields.close()
    whole = ByteRange(start, start + size)
    _check_coverage(whole, [*reliable, *(range_ for frame in frames for range_ in frame.ranges)])
    if not reliable or len({frame.index for frame in frames}) < len(frames):
        raise RecordError("coverage", "expected reliable bytes, and each frame once")
    decode_time, duration, captured = times
    return ChunkRecord(whole, decode_time, duration, captured, *scores, tuple(reliable), frames)


def _read_frame(fields: _Fields, start: int) -> ChunkFrame:
    index = fields.number()
    ranges: list[ByteRange] = []
    for _ in range(fields.number()):
        first = start + fields.number()
        ranges.append(ByteRange(first, first + fields.number()))
    if not ranges or any(later.start < earlier.end for earlier, later in pairwise(ranges)):
        raise RecordError("coverage", f"expected the ranges of frame {index} in file order, found {len(ranges)}")
    return ChunkFrame(index, tuple(ranges), fields.number())


def _check_coverage(whole: ByteRange, ranges: Sequence[ByteRange]) -> None:
    """Refuses ranges that do not contain every byte exactly once."""
    is_once = sum(range_.size for range_ in ranges) == whole.size and all(range_.size for range_ in ranges)
    if not is_once or merged(ranges) != [whole]:
        raise RecordError("coverage", f"expected every byte of {whole} in one range, found others")
