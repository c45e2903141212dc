"""Sequence headers (AV1 §5.5): what frame headers depend on, and what describes the stream."""

from dataclasses import dataclass

from voxel_prepare.bits import BitReader
from voxel_prepare.errors import UnsupportedStream

SELECT = 2
"""SELECT_SCREEN_CONTENT_TOOLS and SELECT_INTEGER_MV: each frame header says which."""

UNSPECIFIED = 2
"""The value "unspecified" of colour primaries, transfer characteristics and matrix coefficients (§6.4.2)."""

SRGB_IDENTITY = (1, 13, 0)
"""BT.709, sRGB and identity: the colours that imply 4:4:4 of full range."""


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A choice of layers (§6.4.1)."""

    idc: int
    level: int
    tier: int
    has_decoder_model: bool

    def has_layer(self, temporal: int, spatial: int) -> bool:
        return self.idc == 0 or bool(self.idc >> temporal & 1 and self.idc >> (spatial + 8) & 1)


@dataclass(frozen=True, slots=True)
class Timing:
    """Lengths of fields in bits, 0 of those that frame headers do not have (§5.5.3, §5.5.4)."""

    has_decoder_model: bool = False
    delay_bits: int = 0
    removal_bits: int = 0
    presentation_bits: int = 0


@dataclass(frozen=True, slots=True)
class Colour:
    """Colours and samples (§5.5.2)."""

    bit_depth: int
    monochrome: bool
    is_described: bool
    """color_description_present_flag."""
    description: tuple[int, int, int]
    """color_primaries, transfer_characteristics, matrix_coefficients."""
    full_range: bool
    subsampling: tuple[int, int]
    """Horizontal and vertical: 1 where there is half of the chroma."""
    sample_position: int


@dataclass(frozen=True, slots=True)
class SequenceHeader:
    profile: int
    timing: Timing
    operating_points: tuple[OperatingPoint, ...]
    number_bits: tuple[int, int]
    """Bits of a frame's number (current_frame_id), and of its difference from a reference's; 0: there are none."""
    screen_content: int
    """seq_force_screen_content_tools."""
    integer_mv: int
    """seq_force_integer_mv."""
    order_hint_bits: int
    colour: Colour


def parse_sequence_header(data: bytes) -> SequenceHeader:
    """Parses the content of an OBU. Raises `UnsupportedStream` or `MalformedStream`."""
    reader = BitReader(data)
    profile = reader.bits(3)
    if reader.bits(2) & 1:  # still_picture, reduced_still_picture_header
        raise UnsupportedStream("AV1 of a still picture")
    timing, points = _operating_points(reader)
    width_bits, height_bits = reader.bits(4) + 1, reader.bits(4) + 1
    reader.bits(width_bits + height_bits)
    numbers = _number_bits(reader) if reader.flag() else (0, 0)
    reader.bits(3)  # 128x128 superblocks, filter_intra, intra_edge_filter
    reader.bits(4)  # interintra, masked compound, warped motion, dual filter
    has_order_hint = reader.flag()
    if has_order_hint:
        reader.bits(2)  # jnt_comp, ref_frame_mvs
    screen_content = SELECT if reader.flag() else reader.bits(1)
    integer_mv = SELECT
    if screen_content > 0 and not reader.flag():
        integer_mv = reader.bits(1)
    order_hint_bits = reader.bits(3) + 1 if has_order_hint else 0
    reader.bits(3)  # superres, cdef, restoration
    colour = _colour(reader, profile)
    reader.flag()  # film_grain_params_present
    return SequenceHeader(profile, timing, points, numbers, screen_content, integer_mv, order_hint_bits, colour)


def _number_bits(reader: BitReader) -> tuple[int, int]:
    delta = reader.bits(4) + 2
    return reader.bits(3) + 1 + delta, delta


def _operating_points(reader: BitReader) -> tuple[Timing, tuple[OperatingPoint, ...]]:
    timing = _timing(reader) if reader.flag() else Timing()
    has_display_delay = reader.flag()
    points = []
    for _ in range(reader.bits(5) + 1):
        idc, level = reader.bits(12), reader.bits(5)
        tier = reader.bits(1) if level > 7 else 0
        has_decoder_model = timing.has_decoder_model and reader.flag()
        if has_decoder_model:
            reader.bits(timing.delay_bits)
            reader.bits(timing.delay_bits)
            reader.flag()  # low_delay_mode
        if has_display_delay and reader.flag():
            reader.bits(4)
        points.append(OperatingPoint(idc, level, tier, has_decoder_model))
    return timing, tuple(points)


def _timing(reader: BitReader) -> Timing:
    """timing_info() and decoder_model_info()."""
    reader.bits(64)  # units in a tick, ticks a second
    equal_interval = reader.flag()
    if equal_interval:
        reader.ue()  # ticks a picture; uvlc() is ue(v)
    if not reader.flag():
        return Timing()
    delay_bits = reader.bits(5) + 1
    reader.bits(32)
    removal_bits, presentation_bits = reader.bits(5) + 1, reader.bits(5) + 1
    return Timing(True, delay_bits, removal_bits, 0 if equal_interval else presentation_bits)


def _colour(reader: BitReader, profile: int) -> Colour:
    high_depth = reader.flag()
    bit_depth = 8
    if high_depth:
        bit_depth = 12 if profile == 2 and reader.flag() else 10
    monochrome = profile != 1 and reader.flag()
    is_described = reader.flag()
    description = (UNSPECIFIED, UNSPECIFIED, UNSPECIFIED)
    if is_described:
        description = (reader.bits(8), reader.bits(8), reader.bits(8))
    subsampling, position = (1, 1), 0
    if monochrome:
        full_range = reader.flag()
    elif description == SRGB_IDENTITY:
        full_range, subsampling = True, (0, 0)
        reader.flag()  # separate_uv_delta_q
    else:
        full_range = reader.flag()
        subsampling = _subsampling(reader, profile, bit_depth)
        position = reader.bits(2) if subsampling == (1, 1) else 0
        reader.flag()  # separate_uv_delta_q
    return Colour(bit_depth, monochrome, is_described, description, full_range, subsampling, position)


def _subsampling(reader: BitReader, profile: int, bit_depth: int) -> tuple[int, int]:
    if profile == 0:
        return 1, 1
    if profile == 1:
        return 0, 0
    if bit_depth < 12:
        return 1, 0
    horizontal = reader.bits(1)
    return horizontal, reader.bits(1) if horizontal else 0
