"""Superframes of VP9 (VP9 bitstream specification, Annex B): frames of a sample, and an index of their sizes behind."""

from collections.abc import Sequence

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.errors import MalformedStream, UnsupportedStream

MARKER = 0b110 << 5
MOST_FRAMES = 8


def index_bytes(sample: bytes) -> int:
    """How long the index is that the sample's last byte announces; 0: it has none."""
    if not sample or sample[-1] & 0xE0 != MARKER:
        return 0
    size = 2 + ((sample[-1] & 7) + 1) * _width(sample[-1])
    return size if size <= len(sample) else 0


def superframe_ranges(sample: bytes) -> list[ByteRange]:
    """Where the frames of a sample lie, in decode order; all of it where it has no index. Raises `MalformedStream`."""
    index = len(sample) - index_bytes(sample)
    if index == len(sample) or sample[index] != sample[-1]:
        return [ByteRange(0, len(sample))]
    ranges, at, width = [], 0, _width(sample[-1])
    for field in range(index + 1, len(sample) - 1, width):
        size = int.from_bytes(sample[field : field + width], "little")
        if not 0 < size <= index - at:
            raise MalformedStream(f"superframe with a frame of {size} bytes")
        ranges.append(ByteRange(at, at + size))
        at += size
    if at != index:
        raise MalformedStream(f"superframe with {index - at} bytes that belong to no frame")
    return ranges


def join_superframe(frames: Sequence[bytes]) -> bytes:
    """The sample of these frames. Raises `UnsupportedStream` for more than an index can have."""
    if len(frames) < 2:
        return b"".join(frames)
    if len(frames) > MOST_FRAMES:
        raise UnsupportedStream(f"{len(frames)} frames in a superframe, more than {MOST_FRAMES}")
    width = (max(map(len, frames)).bit_length() + 7) // 8
    marker = bytes([MARKER | (width - 1) << 3 | len(frames) - 1])
    return b"".join(frames) + marker + b"".join(len(frame).to_bytes(width, "little") for frame in frames) + marker


def _width(marker: int) -> int:
    """Bytes of each size."""
    return (marker >> 3 & 3) + 1
