"""Records of chunks beside a media file that grows, `.vxl` (docs/MANIFEST.md). No I/O, no clock."""

import struct
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

from aioquic.buffer import Buffer, BufferReadError  # type: ignore[attr-defined]  # As `noqa` there says.

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
        records, place, rest = [], 0, Buffer(data=self._rest)
        while (found := _next(rest)) is not None:
            number, content = found
            try:
                chunk = self._read(number, content)
            except BufferReadError:
                raise ValueError("a record that ends too early") from None
            if number < FIRST_OWN_TYPE:
                records.append(Record(self._rest[place : rest.tell()], chunk))
            place = rest.tell()
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
            numbers = Buffer(data=content)
            length = _number(numbers)
            _close(numbers)
            if length != self.available:
                raise ValueError(f"the end must be at {self.available}, got {length}")
            self.ended = True
        return None


def _next(rest: Buffer) -> tuple[int, bytes] | None:
    """Type and content of the next record; None: it is not complete."""
    try:
        number, length = _number(rest), _number(rest)
        if length > MOST_CONTENT_BYTES:
            raise ValueError(f"a record of more than {MOST_CONTENT_BYTES} bytes")
        return number, rest.pull_bytes(length)
    except BufferReadError:
        return None


def _number(numbers: Buffer) -> int:
    """The next number (RFC 9000 section 16)."""
    number = numbers.pull_uint_var()
    if number >= TOO_LARGE:
        raise ValueError("a number of 2^53 or more")
    return number


def _ranges(numbers: Buffer, start: int) -> tuple[ByteRange, ...]:
    """Ranges, as many as a number says, each an offset from `start` and a length."""
    ranges = []
    for _ in range(_number(numbers)):
        first = start + _number(numbers)
        ranges.append(ByteRange(first, first + _number(numbers)))
    return tuple(ranges)


def _close(numbers: Buffer) -> None:
    if not numbers.eof():
        raise ValueError("bytes after the content of a record")


def _chunk(content: bytes) -> Chunk:
    numbers = Buffer(data=content)
    start, length, *_ = (_number(numbers) for _ in range(7))
    place, reliable = start, []
    for _ in range(_number(numbers)):
        place += _number(numbers)
        reliable.append(ByteRange(place, place + _number(numbers)))
        place = reliable[-1].end
    frames: dict[int, tuple[ByteRange, ...]] = {}
    for _ in range(_number(numbers)):
        index = _number(numbers)
        if index in frames:
            raise ValueError("a frame that is named twice")
        frames[index] = _ranges(numbers, start)
        _number(numbers)
    _close(numbers)
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
