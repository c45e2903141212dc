"""Sequence and picture parameter sets (H.264 §7.3.2.1, §7.3.2.2), as far as slice headers need them."""

from dataclasses import dataclass, replace

from voxel_prepare.bits import BitReader
from voxel_prepare.emulation_prevention import unescape
from voxel_prepare.errors import MalformedStream, UnsupportedStream

SPS_TYPE = 7
"""nal_unit_type (H.264 table 7-1)."""

CHROMA_FORMAT_PROFILES = frozenset({44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244})
"""profile_idc values whose SPS carries chroma format, bit depth and scaling lists."""

CHROMA_420 = 1

MAX_PICTURE_MACROBLOCKS = 139_264
"""Largest picture of any level, 6.2 (H.264 table A-1, MaxFS)."""

MAX_REFERENCES = 32
"""num_ref_idx_active and num_ref_frames never exceed it (H.264 §7.4.3)."""


@dataclass(frozen=True, slots=True)
class SequenceParameterSet:
    """The fields on which slice headers depend."""

    id: int
    luma_bit_depth: int
    frame_num_bits: int
    poc_type: int
    poc_lsb_bits: int
    """0 unless `poc_type` is 0."""
    delta_poc_always_zero: bool
    """delta_pic_order_always_zero_flag; True unless `poc_type` is 1."""
    width_in_macroblocks: int
    height_in_macroblocks: int

    @property
    def picture_macroblocks(self) -> int:
        return self.width_in_macroblocks * self.height_in_macroblocks


@dataclass(frozen=True, slots=True)
class PictureParameterSet:
    """The fields on which slice headers depend."""

    id: int
    sps: SequenceParameterSet
    cabac: bool
    """entropy_coding_mode_flag: CABAC, else CAVLC."""
    poc_delta_present: bool
    """bottom_field_pic_order_in_frame_present_flag."""
    default_references: tuple[int, int]
    """num_ref_idx_default_active of list 0 and list 1."""
    weighted_prediction: bool
    weighted_biprediction: int
    """weighted_bipred_idc: 1 is explicit."""
    initial_qp: int
    deblocking_control_present: bool
    redundant_pictures_present: bool


@dataclass(frozen=True, slots=True)
class ParameterSets:
    """The parameter sets of an `avcC` and the size of the length field before each NAL unit."""

    nal_length_size: int
    """2 or 4 bytes."""
    sps: dict[int, SequenceParameterSet]
    pps: dict[int, PictureParameterSet]
    nal_units: frozenset[bytes]
    """All parameter sets as NAL units without zero bytes at their end."""
    may_change: bool = False
    """Whether samples may bring others, which replace those of the same id."""

    @staticmethod
    def from_avcc(avcc: bytes) -> "ParameterSets":
        """Parses an AVCDecoderConfigurationRecord (ISO/IEC 14496-15 §5.3.3.1).

        Raises `UnsupportedStream` or `MalformedStream`.
        """
        if len(avcc) < 7 or avcc[0] != 1:
            raise MalformedStream("no AVC decoder configuration")
        nal_length_size = (avcc[4] & 3) + 1
        if nal_length_size not in (2, 4):
            raise UnsupportedStream(f"NAL unit lengths of {nal_length_size} bytes")
        sequence_nals, at = _read_sets(avcc, 6, avcc[5] & 0x1F)
        if at >= len(avcc):
            raise MalformedStream("AVC decoder configuration is cut off")
        picture_nals, _ = _read_sets(avcc, at + 1, avcc[at])
        sps_by_id = {sps.id: sps for sps in map(parse_sps, sequence_nals)}
        pps_by_id = {pps.id: pps for pps in (parse_pps(nal, sps_by_id) for nal in picture_nals)}
        nal_units = frozenset(map(_trimmed, sequence_nals + picture_nals))
        return ParameterSets(nal_length_size, sps_by_id, pps_by_id, nal_units)

    def after(self, nal: bytes) -> "ParameterSets":
        """Those that hold after the parameter set `nal`, a NAL unit inside a sample.

        Raises `UnsupportedStream` or `MalformedStream`.
        """
        if not self.may_change:
            if _trimmed(nal) not in self.nal_units:
                raise UnsupportedStream("parameter sets that change inside the stream")
            return self
        if nal[0] & 0x1F == SPS_TYPE:
            sps = parse_sps(nal)
            of_sps = {id_: replace(pps, sps=sps) for id_, pps in self.pps.items() if pps.sps.id == sps.id}
            return replace(self, sps={**self.sps, sps.id: sps}, pps={**self.pps, **of_sps})
        pps = parse_pps(nal, self.sps)
        return replace(self, pps={**self.pps, pps.id: pps})


def parse_sps(nal: bytes) -> SequenceParameterSet:
    """Parses a sequence parameter set, given as a NAL unit. Raises `UnsupportedStream` or `MalformedStream`."""
    reader = BitReader(unescape(nal[1:]))
    profile = reader.bits(8)
    reader.bits(16)  # constraint flags, level_idc
    sps_id = reader.ue()
    luma_bit_depth = 8
    if profile in CHROMA_FORMAT_PROFILES:
        if reader.ue() != CHROMA_420:
            raise UnsupportedStream("chroma format other than 4:2:0")
        luma_bit_depth = 8 + reader.ue()
        if luma_bit_depth > 14:
            raise MalformedStream("luma bit depth above 14")
        reader.ue()  # bit_depth_chroma_minus8
        reader.flag()  # qpprime_y_zero_transform_bypass_flag
        if reader.flag():
            _skip_scaling_lists(reader)
    frame_num_bits = _log2_bits(reader)
    poc_type, poc_lsb_bits, delta_poc_always_zero = _read_poc_fields(reader)
    reader.ue()  # max_num_ref_frames
    reader.flag()  # gaps_in_frame_num_value_allowed_flag
    width, height = reader.ue() + 1, reader.ue() + 1
    if width * height > MAX_PICTURE_MACROBLOCKS:
        raise UnsupportedStream("picture larger than any level of H.264 allows")
    if not reader.flag():  # frame_mbs_only_flag
        raise UnsupportedStream("interlaced video")
    return SequenceParameterSet(
        sps_id, luma_bit_depth, frame_num_bits, poc_type, poc_lsb_bits, delta_poc_always_zero, width, height
    )


def parse_pps(nal: bytes, sps_by_id: dict[int, SequenceParameterSet]) -> PictureParameterSet:
    """Parses a picture parameter set, given as a NAL unit, up to the last field that a slice header depends on.

    Raises `UnsupportedStream` or `MalformedStream`.
    """
    reader = BitReader(unescape(nal[1:]))
    pps_id = reader.ue()
    sps = sps_by_id.get(reader.ue())
    if sps is None:
        raise MalformedStream("picture parameter set without its sequence parameter set")
    cabac = reader.flag()
    poc_delta_present = reader.flag()
    if reader.ue() != 0:  # num_slice_groups_minus1
        raise UnsupportedStream("slice groups (flexible macroblock ordering)")
    default_references = (reader.ue() + 1, reader.ue() + 1)
    weighted_prediction = reader.flag()
    weighted_biprediction = reader.bits(2)
    initial_qp = 26 + reader.se()
    reader.se()  # pic_init_qs_minus26
    reader.se()  # chroma_qp_index_offset
    deblocking_control_present = reader.flag()
    reader.flag()  # constrained_intra_pred_flag
    return PictureParameterSet(
        id=pps_id,
        sps=sps,
        cabac=cabac,
        poc_delta_present=poc_delta_present,
        default_references=default_references,
        weighted_prediction=weighted_prediction,
        weighted_biprediction=weighted_biprediction,
        initial_qp=initial_qp,
        deblocking_control_present=deblocking_control_present,
        redundant_pictures_present=reader.flag(),
    )


def _read_sets(avcc: bytes, at: int, count: int) -> tuple[list[bytes], int]:
    """`count` NAL units with a 16-bit length each, and the position after them."""
    nals = []
    for _ in range(count):
        length = int.from_bytes(avcc[at : at + 2], "big")
        nal = avcc[at + 2 : at + 2 + length]
        if length == 0 or len(nal) < length:
            raise MalformedStream("AVC decoder configuration is cut off")
        nals.append(nal)
        at += 2 + length
    return nals, at


def _trimmed(nal: bytes) -> bytes:
    """The NAL unit itself: none ends in a zero (H.264 §7.4.1), but some `avcC` have those of start codes there."""
    return nal.rstrip(b"\0")


def _log2_bits(reader: BitReader) -> int:
    """A log2_max_…_minus4 field: the number of bits of the numbers that it limits."""
    bits = reader.ue() + 4
    if bits > 16:
        raise MalformedStream("counter of more than 16 bits")
    return bits


def _read_poc_fields(reader: BitReader) -> tuple[int, int, bool]:
    """Picture order count: type, bits of its lsb (type 0), delta_pic_order_always_zero_flag (type 1)."""
    poc_type = reader.ue()
    if poc_type == 0:
        return poc_type, _log2_bits(reader), True
    if poc_type == 2:
        return poc_type, 0, True
    if poc_type != 1:
        raise MalformedStream("unknown picture order count type")
    delta_always_zero = reader.flag()
    reader.se()  # offset_for_non_ref_pic
    reader.se()  # offset_for_top_to_bottom_field
    for _ in range(reader.ue()):
        reader.se()  # offset_for_ref_frame
    return poc_type, 0, delta_always_zero


def _skip_scaling_lists(reader: BitReader) -> None:
    """Skips seq_scaling_matrix for 4:2:0: six 4×4 and two 8×8 lists (H.264 §7.3.2.1.1.1)."""
    for size in (16,) * 6 + (64,) * 2:
        if not reader.flag():
            continue
        last = next_scale = 8
        for _ in range(size):
            if next_scale != 0:
                next_scale = (last + reader.se()) % 256
                last = next_scale or last
