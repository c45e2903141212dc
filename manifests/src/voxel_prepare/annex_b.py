"""Streams with start codes (annex B of H.264 and H.265), as encoders write them, and their form in MP4 files
(ISO/IEC 14496-15).
"""

from collections.abc import Iterable

START_CODE = b"\x00\x00\x01"
LENGTH_BYTES = 4


def nal_units(stream: bytes) -> list[bytes]:
    """The NAL units of a stream, in order."""
    parts = stream.split(START_CODE)[1:]
    # The zero byte of a longer start code is at the end of the unit before; none ends in a zero (H.264 §7.4.1).
    return [unit for part in parts if (unit := part.rstrip(b"\0"))]


def with_lengths(units: Iterable[bytes]) -> bytes:
    """NAL units, each after its length in four bytes."""
    return b"".join(len(unit).to_bytes(LENGTH_BYTES, "big") + unit for unit in units)


def to_sample(stream: bytes) -> bytes:
    """The NAL units of one picture, each after its length in four bytes."""
    return with_lengths(nal_units(stream))
