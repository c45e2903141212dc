"""Streams with start codes (H.264 annex B), as encoders write them, and their form in MP4 files (ISO/IEC 14496-15)."""

from voxel_prepare.errors import MalformedStream

START_CODE = b"\x00\x00\x01"
LENGTH_BYTES = 4
SPS_TYPE, PPS_TYPE = 7, 8
HIGH_PROFILES = frozenset({100, 110, 122, 144})
"""profile_idc values with which an `avcC` states chroma format and bit depths (§5.3.3.1.2)."""
CHROMA_420_8_BITS = bytes([0xFC | 1, 0xF8, 0xF8, 0])


def nal_units(stream: bytes) -> list[bytes]:
    """The NAL units of a stream, in order."""
    parts = stream.split(START_CODE)[1:]
    # The zero byte of a longer start code is at the end of the unit before; none ends in a zero (§7.4.1).
    return [unit for part in parts if (unit := part.rstrip(b"\0"))]


def to_sample(stream: bytes) -> bytes:
    """The NAL units of one picture, each after its length in four bytes."""
    return b"".join(len(unit).to_bytes(LENGTH_BYTES, "big") + unit for unit in nal_units(stream))


def to_configuration(parameter_sets: bytes) -> bytes:
    """The payload of the `avcC` for one SPS and one PPS of 8-bit 4:2:0. Raises `MalformedStream`."""
    units = nal_units(parameter_sets)
    sps = [unit for unit in units if unit[0] & 0x1F == SPS_TYPE]
    pps = [unit for unit in units if unit[0] & 0x1F == PPS_TYPE]
    if len(sps) != 1 or len(pps) != 1:
        raise MalformedStream(f"expected one SPS and one PPS, found {len(sps)} and {len(pps)}")
    extension = CHROMA_420_8_BITS if sps[0][1] in HIGH_PROFILES else b""
    sets = (mark + len(unit).to_bytes(2, "big") + unit for mark, unit in ((b"\xe1", sps[0]), (b"\x01", pps[0])))
    return b"\x01" + sps[0][1:4] + bytes([0xFC | LENGTH_BYTES - 1]) + b"".join(sets) + extension
