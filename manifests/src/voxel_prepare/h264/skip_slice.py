"""All-skip slices, which replace incomplete slices."""

from voxel_prepare.bits import BitWriter
from voxel_prepare.emulation_prevention import escape, unescape
from voxel_prepare.h264.cabac import skipped_macroblocks
from voxel_prepare.h264.slice_header import SliceHeader


def skip_slice(nal: bytes, header: SliceHeader, macroblocks: int) -> bytes:
    """A slice NAL unit with `nal`'s own header in which all `macroblocks` ≥ 1 are skipped (P_Skip, B_Skip), those of a
    B slice in temporal direct mode.

    Reads only the first `header.header_bytes` bytes of `nal`. I slices have no skipped macroblocks: `ValueError`.
    """
    if header.slice_type == "I":
        raise ValueError("an I slice cannot be skipped")
    writer = BitWriter()
    rbsp = unescape(nal[: header.header_bytes])
    bits = int.from_bytes(rbsp, "big") >> (8 * len(rbsp) - header.header_bits)
    if header.direct_mode_bit is not None:
        bits &= ~(1 << (header.header_bits - 1 - header.direct_mode_bit))
    writer.bits(bits, header.header_bits)
    if header.pps.cabac:
        writer.align(1)  # cabac_alignment_one_bit
        data = skipped_macroblocks(header.slice_type, header.cabac_init_idc, header.qp, macroblocks)
        return escape(writer.to_bytes() + data)
    writer.ue(macroblocks)  # mb_skip_run
    writer.bits(1, 1)  # rbsp_stop_one_bit
    writer.align(0)
    return escape(writer.to_bytes())
