"""Slice headers (H.264 §7.3.3) of progressive 4:2:0 video without slice groups."""

from dataclasses import dataclass
from typing import TypeAlias

from voxel_prepare.bits import BitReader
from voxel_prepare.emulation_prevention import escaped_length, unescape
from voxel_prepare.errors import MalformedStream, UnsupportedStream
from voxel_prepare.h264.parameter_sets import MAX_REFERENCES, ParameterSets, PictureParameterSet
from voxel_prepare.repair.codec import PictureType

NAL_IDR_SLICE = 5

MAX_HEADER_BYTES = 4096
"""Bytes of a NAL unit in which its header must end; full tables for 2 × 32 references take half of them."""

SliceType: TypeAlias = PictureType

_SLICE_TYPES: tuple[SliceType, ...] = ("P", "B", "I")


@dataclass(frozen=True, slots=True)
class SliceHeader:
    """What repair and ranking need to know about a slice."""

    nal_ref_idc: int
    """0: no other picture refers to this one."""
    nal_unit_type: int
    """5 in an IDR picture, else 1."""
    slice_type: SliceType
    first_mb: int
    pps: PictureParameterSet
    frame_num: int
    cabac_init_idc: int
    """0 for I slices and CAVLC."""
    qp: int
    """SliceQP_Y."""
    header_bits: int
    """Bits up to the end of the header in the unescaped NAL unit, its first byte included."""
    header_bytes: int
    """Bytes of the escaped NAL unit that contain them."""
    direct_mode_bit: int | None
    """Place of direct_spatial_mv_pred_flag among the bits of the header; None but in B slices."""


def parse_slice_header(nal: bytes, parameter_sets: ParameterSets) -> SliceHeader:
    """Parses the header of a slice NAL unit (type 1 or 5); its first `MAX_HEADER_BYTES` bytes suffice.

    Raises `UnsupportedStream` or `MalformedStream`.
    """
    if not nal:
        raise MalformedStream("empty NAL unit")
    nal_ref_idc, nal_unit_type = nal[0] >> 5 & 3, nal[0] & 0x1F
    reader = BitReader(unescape(nal[:MAX_HEADER_BYTES]))
    reader.bits(8)
    first_mb = reader.ue()
    slice_type = _read_slice_type(reader)
    pps = parameter_sets.pps.get(reader.ue())
    if pps is None:
        raise MalformedStream("slice refers to an unknown picture parameter set")
    if first_mb >= pps.sps.picture_macroblocks:
        raise MalformedStream("slice starts outside the picture")
    frame_num = reader.bits(pps.sps.frame_num_bits)
    if nal_unit_type == NAL_IDR_SLICE:
        reader.ue()  # idr_pic_id
    _skip_picture_order_count(reader, pps)
    if pps.redundant_pictures_present and reader.ue() != 0:
        raise UnsupportedStream("redundant pictures")
    direct_mode_bit = reader.position if slice_type == "B" else None
    if slice_type != "I":
        _skip_references(reader, slice_type, pps)
    if nal_ref_idc != 0:
        _skip_reference_marking(reader, nal_unit_type)
    cabac_init_idc = reader.ue() if pps.cabac and slice_type != "I" else 0
    if cabac_init_idc > 2:
        raise MalformedStream("cabac_init_idc above 2")
    qp = pps.initial_qp + reader.se()
    if not -6 * (pps.sps.luma_bit_depth - 8) <= qp <= 51:
        raise MalformedStream("quantiser out of range")
    if pps.deblocking_control_present and reader.ue() != 1:
        reader.se()  # slice_alpha_c0_offset_div2
        reader.se()  # slice_beta_offset_div2
    return SliceHeader(
        nal_ref_idc=nal_ref_idc,
        nal_unit_type=nal_unit_type,
        slice_type=slice_type,
        first_mb=first_mb,
        pps=pps,
        frame_num=frame_num,
        cabac_init_idc=cabac_init_idc,
        qp=qp,
        header_bits=reader.position,
        header_bytes=escaped_length(nal, (reader.position + 7) // 8),
        direct_mode_bit=direct_mode_bit,
    )


def _read_slice_type(reader: BitReader) -> SliceType:
    code = reader.ue()
    if code > 9:
        raise MalformedStream("unknown slice type")
    if code % 5 > 2:
        raise UnsupportedStream("switching slices (SP, SI)")
    return _SLICE_TYPES[code % 5]


def _skip_picture_order_count(reader: BitReader, pps: PictureParameterSet) -> None:
    sps = pps.sps
    if sps.poc_type == 0:
        reader.bits(sps.poc_lsb_bits)
        if pps.poc_delta_present:
            reader.se()  # delta_pic_order_cnt_bottom
    elif not sps.delta_poc_always_zero:
        reader.se()  # delta_pic_order_cnt[0]
        if pps.poc_delta_present:
            reader.se()  # delta_pic_order_cnt[1]


def _skip_references(reader: BitReader, slice_type: SliceType, pps: PictureParameterSet) -> None:
    """Direct mode, lengths and modification of the reference lists, weights."""
    if slice_type == "B":
        reader.flag()  # direct_spatial_mv_pred_flag
    lists = 2 if slice_type == "B" else 1
    references = list(pps.default_references[:lists])
    if reader.flag():  # num_ref_idx_active_override_flag
        references = [reader.ue() + 1 for _ in range(lists)]
    if max(references) > MAX_REFERENCES:
        raise MalformedStream("more than 32 references")
    for _ in range(lists):
        if reader.flag():  # ref_pic_list_modification_flag
            while reader.ue() != 3:
                reader.ue()  # abs_diff_pic_num_minus1 or long_term_pic_num
    if pps.weighted_biprediction == 1 if slice_type == "B" else pps.weighted_prediction:
        _skip_weights(reader, references)


def _skip_weights(reader: BitReader, references: list[int]) -> None:
    """pred_weight_table (H.264 §7.3.3.2) with chroma."""
    reader.ue()  # luma_log2_weight_denom
    reader.ue()  # chroma_log2_weight_denom
    for _ in range(sum(references)):
        for values in (2, 4):  # luma: weight and offset; chroma: both for Cb and Cr
            if reader.flag():
                for _ in range(values):
                    reader.se()


def _skip_reference_marking(reader: BitReader, nal_unit_type: int) -> None:
    """dec_ref_pic_marking (H.264 §7.3.3.3)."""
    if nal_unit_type == NAL_IDR_SLICE:
        reader.bits(2)  # no_output_of_prior_pics_flag, long_term_reference_flag
        return
    if not reader.flag():  # adaptive_ref_pic_marking_mode_flag
        return
    while (operation := reader.ue()) != 0:
        if operation > 6:
            raise MalformedStream("unknown memory management operation")
        for _ in range((0, 1, 1, 2, 1, 0, 1)[operation]):
            reader.ue()
