"""Sequence and picture parameter sets (H.265 §7.3.2.2, §7.3.2.3), as far as slice headers need them."""

from dataclasses import dataclass, replace

from voxel_prepare.bits import BitReader
from voxel_prepare.emulation_prevention import unescape
from voxel_prepare.errors import MalformedStream
from voxel_prepare.hevc.nal import HEADER_BYTES, PPS, SPS, VPS
from voxel_prepare.hevc.reference_sets import ReferenceSet, read_reference_set

CHROMA_444 = 3
SPS_IDS, PPS_IDS = 16, 64
MAX_SHORT_TERM_SETS = 64
MAX_LONG_TERM_PICTURES = 32
MAX_ORDER_BITS = 16
"""Limits of num_short_term_ref_pic_sets, num_long_term_ref_pics_sps, log2_max_pic_order_cnt_lsb (§7.4.3.2.1)."""

PROFILE_BITS, LEVEL_BITS = 88, 8
"""general_profile_space up to general_reserved_zero_44bits' end, and general_level_idc (§7.3.3)."""

SCALING_LISTS = ((0, 6, 16), (1, 6, 64), (2, 6, 64), (3, 2, 64))
"""sizeId, the number of its matrices, and the coefficients of each (§7.3.4)."""

SETS_AT = 22
"""Byte of an `hvcC` that counts its arrays of parameter sets (ISO/IEC 14496-15 §8.3.3.1)."""


@dataclass(frozen=True, slots=True)
class SequenceParameterSet:
    id: int
    samples: tuple[int, int, int]
    """chroma_format_idc, and bit depths of luma and chroma."""
    separate_colour_planes: bool
    order_bits: int
    """log2_max_pic_order_cnt_lsb."""
    short_term: tuple[ReferenceSet, ...]
    long_term: tuple[tuple[int, bool], ...] | None
    """lt_ref_pic_poc_lsb_sps and used_by_curr_pic_lt_sps_flag; None if slices name no long-term pictures."""


@dataclass(frozen=True, slots=True)
class PictureParameterSet:
    id: int
    sps_id: int
    output_flag_present: bool
    extra_bits: int
    """num_extra_slice_header_bits."""


@dataclass(frozen=True, slots=True)
class ParameterSets:
    """The parameter sets that hold at a point of a stream."""

    length_size: int
    """Bytes of the length before each NAL unit."""
    nal_units: dict[tuple[int, int], bytes]
    """All of them by type and id."""
    sps: dict[int, SequenceParameterSet]
    pps: dict[int, PictureParameterSet]

    @staticmethod
    def from_hvcc(hvcc: bytes) -> "ParameterSets":
        """Parses an HEVCDecoderConfigurationRecord (ISO/IEC 14496-15 §8.3.3.1). Raises a `RepairError`."""
        if len(hvcc) <= SETS_AT or hvcc[0] != 1:
            raise MalformedStream("no HEVC decoder configuration")
        sets = ParameterSets((hvcc[21] & 3) + 1, {}, {}, {})
        at = SETS_AT + 1
        for _ in range(hvcc[SETS_AT]):
            count, at = int.from_bytes(hvcc[at + 1 : at + 3], "big"), at + 3
            for _ in range(count):
                start = at + 2
                at = start + int.from_bytes(hvcc[at:start], "big")
                if at > len(hvcc) or at < start + HEADER_BYTES:
                    raise MalformedStream("HEVC decoder configuration is cut off")
                sets = sets.after(hvcc[start:at])
        return sets

    def after(self, nal: bytes) -> "ParameterSets":
        """Those that hold after `nal`, a NAL unit; the same object if it says nothing new. Raises `MalformedStream`."""
        type_, trimmed = nal[0] >> 1 & 63, nal.rstrip(b"\0")
        if type_ not in (VPS, SPS, PPS) or trimmed in self.nal_units.values():
            return self
        reader = BitReader(unescape(nal[HEADER_BYTES:]))
        if type_ == VPS:
            return replace(self, nal_units={**self.nal_units, (VPS, reader.bits(4)): trimmed})
        if type_ == SPS:
            sps = _sps(reader)
            return replace(self, nal_units={**self.nal_units, (SPS, sps.id): trimmed}, sps={**self.sps, sps.id: sps})
        pps = _pps(reader)
        return replace(self, nal_units={**self.nal_units, (PPS, pps.id): trimmed}, pps={**self.pps, pps.id: pps})


def _sps(reader: BitReader) -> SequenceParameterSet:
    reader.bits(4)  # VPS
    sub_layers = reader.bits(3)
    reader.flag()  # temporal id nesting
    _skip_profile_tier_level(reader, sub_layers)
    id_ = reader.ue()
    chroma_format = reader.ue()
    separate_planes = chroma_format == CHROMA_444 and reader.flag()
    _skip_ue(reader, 2)  # width, height
    if reader.flag():
        _skip_ue(reader, 4)  # conformance window
    samples = (chroma_format, reader.ue() + 8, reader.ue() + 8)
    order_bits = reader.ue() + 4
    if order_bits > MAX_ORDER_BITS:
        raise MalformedStream(f"picture order counts of {order_bits} bits")
    _skip_ue(reader, 3 * (sub_layers + 1 if reader.flag() else 1))  # DPB size, reordering, latency
    _skip_ue(reader, 6)  # sizes of blocks and transforms, depths of transforms
    if reader.flag() and reader.flag():
        _skip_scaling_lists(reader)
    reader.bits(2)  # asymmetric motion partitions, sample adaptive offset
    if reader.flag():  # PCM
        reader.bits(8)
        _skip_ue(reader, 2)
        reader.flag()
    short_term: list[ReferenceSet] = []
    count = reader.ue()
    if count > MAX_SHORT_TERM_SETS:
        raise MalformedStream(f"{count} short-term reference picture sets")
    for _ in range(count):
        short_term.append(read_reference_set(reader, short_term))
    long_term = _long_term(reader, order_bits) if reader.flag() else None
    return SequenceParameterSet(_id(id_, SPS_IDS), samples, separate_planes, order_bits, tuple(short_term), long_term)


def _id(id_: int, count: int) -> int:
    if id_ >= count:
        raise MalformedStream(f"parameter set of id {id_}")
    return id_


def _long_term(reader: BitReader, order_bits: int) -> tuple[tuple[int, bool], ...]:
    count = reader.ue()
    if count > MAX_LONG_TERM_PICTURES:
        raise MalformedStream(f"{count} long-term reference pictures")
    return tuple((reader.bits(order_bits), reader.flag()) for _ in range(count))


def _pps(reader: BitReader) -> PictureParameterSet:
    id_, sps_id = reader.ue(), reader.ue()
    reader.flag()  # dependent slice segments
    output_flag_present = reader.flag()
    return PictureParameterSet(_id(id_, PPS_IDS), sps_id, output_flag_present, reader.bits(3))


def _skip_ue(reader: BitReader, count: int) -> None:
    for _ in range(count):
        reader.ue()


def _skip_profile_tier_level(reader: BitReader, sub_layers: int) -> None:
    """profile_tier_level() with `sub_layers` below the highest (§7.3.3)."""
    reader.skip(PROFILE_BITS + LEVEL_BITS)
    present = [(reader.flag(), reader.flag()) for _ in range(sub_layers)]
    if sub_layers:
        reader.skip(2 * (8 - sub_layers))
    for has_profile, has_level in present:
        reader.skip(PROFILE_BITS * has_profile + LEVEL_BITS * has_level)


def _skip_scaling_lists(reader: BitReader) -> None:
    for size, matrices, coefficients in SCALING_LISTS:
        for _ in range(matrices):
            if not reader.flag():
                reader.ue()  # the matrix that it is copied from
                continue
            if size > 1:
                reader.se()  # its DC coefficient
            for _ in range(coefficients):
                reader.se()
