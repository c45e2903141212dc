"""The payload of an `avcC` from what encoders put out."""

from voxel_prepare.annex_b import LENGTH_BYTES, nal_units
from voxel_prepare.errors import MalformedStream

SPS_TYPE, PPS_TYPE = 7, 8
HIGH_PROFILES = frozenset({100, 110, 122, 144})
"""profile_idc values with which an `avcC` states chroma format and bit depths (ISO/IEC 14496-15 §5.3.3.1.2)."""
CHROMA_420_8_BITS = bytes([0xFC | 1, 0xF8, 0xF8, 0])


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
