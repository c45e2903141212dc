"""The payload of an `hvcC` (ISO/IEC 14496-15 §8.3.3.1), and the string of its codec (§E.3)."""

from voxel_prepare.annex_b import LENGTH_BYTES, nal_units
from voxel_prepare.emulation_prevention import unescape
from voxel_prepare.errors import MalformedStream
from voxel_prepare.hevc.nal import PPS, SPS, VPS
from voxel_prepare.hevc.parameter_sets import ParameterSets

LEAST_BYTES = 23

PROFILE_AT, LEVEL_AT = 1, 12
"""Bytes of the general profile, of six bytes of constraints from 6 on, and of the level."""

SPS_PROFILE_AT = 3
"""Byte of an SPS at which the same twelve bytes begin."""

NO_SEGMENTATION, ANY_PARALLELISM = b"\xf0\0", b"\xfc"
COMPLETE = 0x80
"""array_completeness: samples bring no other sets of that type."""


def to_configuration(parameter_sets: bytes) -> bytes:
    """The payload for the parameter sets that an encoder puts out, with start codes. Raises `MalformedStream`."""
    units = nal_units(parameter_sets)
    arrays = {kind: [unit for unit in units if unit[0] >> 1 & 63 == kind] for kind in (VPS, SPS, PPS)}
    if any(len(sets) != 1 for sets in arrays.values()):
        raise MalformedStream("expected one VPS, one SPS and one PPS from the encoder")
    raw = unescape(arrays[SPS][0])
    (sps,) = ParameterSets(LENGTH_BYTES, {}, {}, {}).after(arrays[SPS][0]).sps.values()
    chroma, luma_depth, chroma_depth = sps.samples
    layers = (raw[2] >> 1 & 7) + 1 << 3 | (raw[2] & 1) << 2 | LENGTH_BYTES - 1
    return b"".join(
        [
            *(b"\x01", raw[SPS_PROFILE_AT : SPS_PROFILE_AT + 12], NO_SEGMENTATION, ANY_PARALLELISM),
            bytes([0xFC | chroma, 0xF8 | luma_depth - 8, 0xF8 | chroma_depth - 8, 0, 0, layers, len(arrays)]),
            *(
                bytes([COMPLETE | kind, 0, 1]) + len(sets[0]).to_bytes(2, "big") + sets[0]
                for kind, sets in arrays.items()
            ),
        ]
    )


def codec_string(sample_entry: str, configuration: bytes) -> str:
    """Profile, its compatibility flags from the last to the first, tier and level, constraints."""
    profile = configuration[PROFILE_AT]
    space = ("", "A", "B", "C")[profile >> 6]
    flags = int.from_bytes(configuration[2:6], "big")
    compatible = int(f"{flags:032b}"[::-1], 2)
    constraints = configuration[6:LEVEL_AT].rstrip(b"\0")
    tier = "H" if profile & 0x20 else "L"
    parts = [sample_entry, f"{space}{profile & 0x1F}", f"{compatible:X}", f"{tier}{configuration[LEVEL_AT]}"]
    return ".".join([*parts, *(f"{byte:X}" for byte in constraints)])
