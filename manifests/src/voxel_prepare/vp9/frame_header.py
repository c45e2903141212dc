"""Uncompressed headers up to their references (VP9 §6.2, §7.2)."""

from dataclasses import dataclass, replace

from voxel_prepare.bits import BitReader
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.errors import MalformedStream
from voxel_prepare.isobmff import Buffer

FRAME_MARKER = 2
SYNC_CODE = 0x49_83_42
SRGB = 7
"""color_space without subsampling."""

SLOTS = 8
REFERENCES = 3
ALL_SLOTS = (1 << SLOTS) - 1

ALL_CONTEXTS = 3
"""reset_frame_context: all four probability contexts."""

MAX_HEADER_BYTES = 16
"""The references end before."""


@dataclass(frozen=True, slots=True)
class FrameHeader:
    """What a frame takes from the slots and from the frame decoded before, and what it leaves in the slots."""

    is_shown: bool
    is_key: bool = False
    shows: int | None = None
    """It has no picture of its own and shows the frame in this slot (show_existing_frame)."""
    is_fresh: bool = False
    """It takes nothing from the frame decoded before: no probabilities, motion vectors, segmentation, filter deltas."""
    references: tuple[int, ...] = ()
    """Slots."""
    refresh: int = 0
    """The slots that keep it, a bit each."""
    end: int = 0
    """Where what was read of it ends, in the data that it was read from."""


def parse_frame_header(data: Buffer, frame: ByteRange) -> FrameHeader:
    """Parses the header at the start of a frame. Raises `MalformedStream`."""
    reader = BitReader(bytes(data[frame.start : min(frame.end, frame.start + MAX_HEADER_BYTES)]))
    header = _parse(reader, frame)
    return replace(header, end=frame.start + (reader.position + 7) // 8)


def _parse(reader: BitReader, frame: ByteRange) -> FrameHeader:
    if reader.bits(2) != FRAME_MARKER:
        raise MalformedStream(f"no VP9 frame at {frame.start}")
    profile = reader.bits(1) | reader.bits(1) << 1
    if profile == 3 and reader.flag():
        raise MalformedStream(f"VP9 frame at {frame.start} of an unknown profile")
    if reader.flag():
        return FrameHeader(is_shown=True, shows=reader.bits(3))
    is_key, is_shown, error_resilient = not reader.flag(), reader.flag(), reader.flag()
    if is_key:
        _check_sync_code(reader, frame)
        return FrameHeader(is_shown, is_key=True, is_fresh=True, refresh=ALL_SLOTS)
    is_intra = not is_shown and reader.flag()
    reset = 0 if error_resilient else reader.bits(2)
    if is_intra:
        _check_sync_code(reader, frame)
        if profile > 0:
            _skip_colour(reader, profile)
        fresh = error_resilient or reset == ALL_CONTEXTS
        return FrameHeader(is_shown, is_fresh=fresh, refresh=reader.bits(SLOTS))
    refresh = reader.bits(SLOTS)
    references = tuple(reader.bits(4) >> 1 for _ in range(REFERENCES))  # each with its sign bias
    return FrameHeader(is_shown, is_fresh=error_resilient, references=references, refresh=refresh)


def _check_sync_code(reader: BitReader, frame: ByteRange) -> None:
    if reader.bits(24) != SYNC_CODE:
        raise MalformedStream(f"VP9 frame at {frame.start} without a sync code")


def _skip_colour(reader: BitReader, profile: int) -> None:
    if profile >= 2:
        reader.flag()  # 12 bits
    odd = profile in (1, 3)
    if reader.bits(3) != SRGB:
        reader.bits(4 if odd else 1)  # range; subsampling and a reserved bit
    elif odd:
        reader.flag()
