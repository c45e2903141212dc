"""Records of chunks beside a media file that grows, `.vxl` (docs/MANIFEST.md). No I/O, no clock."""

import struct
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

from .ranges import ByteRange

SUFFIX = ".vxl"
"""End of the file's name, behind that of the media file."""

_MAGIC = b"VXLV\x01"
"""Magic bytes with the version."""

_HEAD = struct.Struct(">5sBBxI4x")
"""Magic, metric, decimals of scores, timescale."""

METRICS = 3
"""Their codes begin at 0."""
MOST_DECIMALS = 9

MOST_FILE_BYTES = 1024 * 1024
MOST_CONTENT_BYTES = 64 * 1024
MOST_CHUNKS = 4096
TOO_LARGE = 2**53
"""Numbers from here on are not exact in every reader."""

FIRST_OWN_TYPE = 16
"""Type from which on types are the server's (docs/PROTOCOL.md, "Growing files")."""


class RecordType(IntEnum):
    """Types of records in the file."""

    CHUNK = 1
    END = 2


@dataclass(frozen=True, slots=True)
class Chunk:
    """What a server must know of a chunk: where its bytes are. Ranges are of the media file."""

    start: int
    end: int
    reliable: tuple[ByteRange, ...]
    """Ranges in file order."""
    frames: tuple[tuple[ByteRange, ...], ...]
    """Most important first. With the reliable ranges they are exactly the chunk."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record of the file."""

    raw: bytes
    """All of it, with type and length."""

    chunk: Chunk | None
    """None: a record of another type."""


class VxlReader:
    """Takes records out of the bytes of a file that may still grow."""

    def __init__(self) -> None:
        self.head = b""
        """The first 16 bytes, once they are there."""
        self.available = 0
        """Bytes of the media file for which there are records."""
        self.ended = False
        """Whether the end record has come."""
        self.taken = 0
        """Bytes of the file that were fed."""
        self._chunks = 0
        self._rest = b""

    def feed(self, data: bytes) -> list[Record]:
        """The records that are complete now. Raises `ValueError`, what is wrong; not to be called again after that."""
        self.taken += len(data)
        if self.taken > MOST_FILE_BYTES:
            raise ValueError(f"more than {MOST_FILE_BYTES} bytes")
        self._rest += data
        if not self.head and not self._take_head():
            return []
        records, place = [], 0
        while (found := _next(self._rest, place)) is not None:
            number, content, end = found
            chunk = self._read(number, content)
            if number < FIRST_OWN_TYPE:
                records.append(Record(self._rest[place:end], chunk))
            place = end
        self._rest = self._rest[place:]
        return records

    def _take_head(self) -> bool:
        if not _MAGIC.startswith(self._rest[: len(_MAGIC)]):
            raise ValueError("no .vxl file of version 1")
        if len(self._rest) < _HEAD.size:
            return False
        _, metric, decimals, timescale = _HEAD.unpack_from(self._rest)
        if metric >= METRICS or decimals > MOST_DECIMALS or timescale == 0:
            raise ValueError(f"a head with metric {metric}, {decimals} decimals, timescale {timescale}")
        self.head, self._rest = self._rest[: _HEAD.size], self._rest[_HEAD.size :]
        return True

    def _read(self, number: int, content: bytes) -> Chunk | None:
        if self.ended and number in (RecordType.CHUNK, RecordType.END):
            raise ValueError("a chunk or an end after the end")
        if number == RecordType.CHUNK:
            self._chunks += 1
            if self._chunks > MOST_CHUNKS:
                raise ValueError(f"more than {MOST_CHUNKS} chunks")
            chunk = _chunk(content)
            if chunk.start != self.available:
                raise ValueError(f"a chunk must begin at {self.available}, got {chunk.start}")
            self.available = chunk.end
            return chunk
        if number == RecordType.END:
            numbers = _Numbers(content)
            length = numbers.next()
            numbers.close()
            if length != self.available:
                raise ValueError(f"the end must be at {self.available}, got {length}")
            self.ended = True
        return None


def _next(data: bytes, place: int) -> tuple[int, bytes, int] | None:
    """Type, content and end of the record at `place`; None: it is not complete."""
    kind = _varint(data, place)
    size = None if kind is None else _varint(data, kind[1])
    if kind is None or size is None:
        return None
    number, (length, start) = kind[0], size
    if length > MOST_CONTENT_BYTES:
        raise ValueError(f"a record of more than {MOST_CONTENT_BYTES} bytes")
    return None if len(data) < start + length else (number, data[start : start + length], start + length)


def _varint(data: bytes, place: int) -> tuple[int, int] | None:
    """A number (RFC 9000 section 16) and its end; None: it is not complete."""
    end = place + (1 << (data[place] >> 6)) if place < len(data) else place + 1
    if end > len(data):
        return None
    number = int.from_bytes(data[place:end]) & ((1 << (8 * (end - place) - 2)) - 1)
    if number >= TOO_LARGE:
        raise ValueError("a number of 2^53 or more")
    return number, end


class _Numbers:
    """The numbers of one record's content."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._place = 0

    def next(self) -> int:
        found = _varint(self._content, self._place)
        if found is None:
            raise ValueError("a record that ends too early")
        number, self._place = found
        return number

    def close(self) -> None:
        if self._place < len(self._content):
            raise ValueError("bytes after the content of a record")

    def ranges(self, start: int) -> tuple[ByteRange, ...]:
        """Ranges, as many as a number says, each an offset from `start` and a length."""
        ranges = []
        for _ in range(self.next()):
            first = start + self.next()
            ranges.append(ByteRange(first, first + self.next()))
        return tuple(ranges)


def _chunk(content: bytes) -> Chunk:
    numbers = _Numbers(content)
    start, length, *_ = (numbers.next() for _ in range(7))
    place, reliable = start, []
    for _ in range(numbers.next()):
        place += numbers.next()
        reliable.append(ByteRange(place, place + numbers.next()))
        place = reliable[-1].end
    frames: dict[int, tuple[ByteRange, ...]] = {}
    for _ in range(numbers.next()):
        index = numbers.next()
        if index in frames:
            raise ValueError("a frame that is named twice")
        frames[index] = numbers.ranges(start)
        numbers.next()
    numbers.close()
    chunk = Chunk(start, start + length, tuple(reliable), tuple(frames.values()))
    _check_coverage(chunk)
    return chunk


def _check_coverage(chunk: Chunk) -> None:
    """Reliable bytes and frames, none of them empty, are together the chunk."""
    pieces = [piece for frame in chunk.frames for piece in frame]
    place = chunk.start
    for part in sorted([*chunk.reliable, *pieces], key=lambda part: part.start):
        if part.start != place or part.end <= place:
            raise ValueError("every byte of a chunk must be in one range")
        place = part.end
    if place != chunk.end or not chunk.reliable:
        raise ValueError("every byte of a chunk must be in one range, and some must be reliable")
    for frame in chunk.frames:
        if not frame or any(later.start < earlier.end for earlier, later in pairwise(frame)):
            raise ValueError("the ranges of a frame must be in file order")
