"""The payload of an `av1C` (AV1 Codec ISO Media File Format Binding §2.3), and the string of its codec (§5)."""

from voxel_prepare.av1.obu import SEQUENCE_HEADER, read_obus, write_obu
from voxel_prepare.av1.sequence_header import Colour, SequenceHeader, parse_sequence_header
from voxel_prepare.errors import MalformedStream, RepairError

LEAST_BYTES = 4
MARKER_AND_VERSION = 0x81


def to_configuration(extradata: bytes) -> bytes:
    """The configuration for the sequence header that an encoder puts out, or the one that it is. Raises a
    `RepairError`.
    """
    if extradata[:1] == bytes([MARKER_AND_VERSION]):
        return extradata
    content = sequence_header(extradata, 0)
    if content is None:
        raise MalformedStream("expected a sequence header from the encoder, found none")
    header = parse_sequence_header(content)
    point, colour = header.operating_points[0], header.colour
    horizontal, vertical = colour.subsampling
    third = point.tier << 7 | (colour.bit_depth > 8) << 6 | (colour.bit_depth == 12) << 5 | colour.monochrome << 4
    third |= horizontal << 3 | vertical << 2 | colour.sample_position
    fields = bytes([MARKER_AND_VERSION, header.profile << 5 | point.level, third, 0])
    return fields + write_obu(SEQUENCE_HEADER, content)


def sequence_header(data: bytes, start: int) -> bytes | None:
    """The content of the first sequence header among the OBUs from `start` on. Raises `MalformedStream`."""
    for obu in read_obus(data, start, len(data)):
        if obu.type == SEQUENCE_HEADER:
            return data[obu.payload : obu.end]
    return None


def codec_string(sample_entry: str, configuration: bytes) -> str:
    """Profile, level, tier and bit depth; samples and colours where they are not what their absence says."""
    profile, level = configuration[1] >> 5, configuration[1] & 0x1F
    third = configuration[2]
    depth = 12 if third & 0x20 else 10 if third & 0x40 else 8
    short = f"{sample_entry}.{profile}.{level:02}{'H' if third & 0x80 else 'M'}.{depth:02}"
    monochrome = third >> 4 & 1
    samples = f"{third >> 3 & 1}{third >> 2 & 1}{third & 3}"
    colour = _colour(configuration)
    described = colour is not None and colour.is_described
    if not described and not monochrome and samples[:2] == "11":
        return short
    # Without a description: BT.709 (§5); a parser takes all of the optional fields or none.
    codes = colour.description if colour is not None and described else (1, 1, 1)
    full_range = colour is not None and colour.full_range
    return f"{short}.{monochrome}.{samples}." + ".".join(f"{code:02}" for code in codes) + f".{full_range:d}"


def _colour(configuration: bytes) -> Colour | None:
    """None where the configuration has no sequence header that can be read."""
    try:
        content = sequence_header(configuration, LEAST_BYTES)
        header: SequenceHeader | None = parse_sequence_header(content) if content is not None else None
    except RepairError:
        return None
    return header.colour if header else None
