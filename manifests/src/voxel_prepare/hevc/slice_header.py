"""Slice segment headers up to their reference picture set (H.265 §7.3.6.1)."""

from dataclasses import dataclass, replace

from voxel_prepare.bits import BitReader
from voxel_prepare.emulation_prevention import escaped_length, unescape
from voxel_prepare.errors import MalformedStream, UnsupportedStream
from voxel_prepare.hevc.nal import HEADER_BYTES, NalUnit
from voxel_prepare.hevc.parameter_sets import ParameterSets, SequenceParameterSet
from voxel_prepare.hevc.reference_sets import MAX_PICTURES, ReferenceSet, read_slice_reference_set
from voxel_prepare.isobmff import Buffer

MAX_HEADER_BYTES = 512
"""Reference picture sets end before: 16 pictures, each in at most 64 bits, and extension bits."""


@dataclass(frozen=True, slots=True)
class LongTermPicture:
    """A reference picture that is named by its order count alone."""

    order_low: int
    """Its low bits."""
    cycles_back: int | None
    """How often the low bits wrapped since; None if they alone identify it."""


@dataclass(frozen=True, slots=True)
class SliceHeader:
    """What the first slice of a picture says of its place and references; of an IDR picture nothing."""

    order_low: int = 0
    """slice_pic_order_cnt_lsb."""
    order_bits: int = 0
    short_term: ReferenceSet = ()
    long_term: tuple[LongTermPicture, ...] = ()
    end: int = 0
    """Where what was read of it ends, in the data that it was read from."""


def is_first_slice(data: Buffer, nal: NalUnit) -> bool:
    """Whether a slice is the first of its picture."""
    return nal.end > nal.start + HEADER_BYTES and bool(data[nal.start + HEADER_BYTES] & 0x80)


def parse_slice_header(data: Buffer, nal: NalUnit, sets: ParameterSets) -> SliceHeader:
    """Parses the header of the first slice of a picture. Raises `UnsupportedStream` or `MalformedStream`."""
    header = bytes(data[nal.start + HEADER_BYTES : min(nal.end, nal.start + MAX_HEADER_BYTES)])
    reader = BitReader(unescape(header))
    parsed = _parse(reader, nal, sets)
    end = nal.start + HEADER_BYTES + escaped_length(header, (reader.position + 7) // 8)
    return replace(parsed, end=end)


def _parse(reader: BitReader, nal: NalUnit, sets: ParameterSets) -> SliceHeader:
    reader.skip(2 if nal.is_irap else 1)  # first slice; no_output_of_prior_pics_flag
    pps = sets.pps.get(reader.ue())
    sps = sets.sps.get(pps.sps_id) if pps is not None else None
    if pps is None or sps is None:
        raise MalformedStream(f"slice at {nal.start} of parameter sets that there are not")
    reader.skip(pps.extra_bits)
    reader.ue()  # slice_type
    if pps.output_flag_present and not reader.flag():
        raise UnsupportedStream("HEVC pictures that are not shown")
    if sps.separate_colour_planes:
        reader.skip(2)
    if nal.is_idr:
        return SliceHeader()
    order_low = reader.bits(sps.order_bits)
    short_term = _short_term(reader, sps)
    long_term = _long_term(reader, sps) if sps.long_term is not None else ()
    return SliceHeader(order_low, sps.order_bits, short_term, long_term)


def _short_term(reader: BitReader, sps: SequenceParameterSet) -> ReferenceSet:
    if not reader.flag():
        return read_slice_reference_set(reader, sps.short_term)
    number = reader.bits(_index_bits(len(sps.short_term)))
    if number >= len(sps.short_term):
        raise MalformedStream("a reference picture set that there is not")
    return sps.short_term[number]


def _long_term(reader: BitReader, sps: SequenceParameterSet) -> tuple[LongTermPicture, ...]:
    listed = sps.long_term or ()
    of_sps = reader.ue() if listed else 0
    count = of_sps + reader.ue()
    if count > MAX_PICTURES:
        raise MalformedStream(f"{count} long-term reference pictures in a slice")
    pictures: list[LongTermPicture] = []
    cycles = 0
    for place in range(count):
        if place < of_sps:
            number = reader.bits(_index_bits(len(listed)))
            if number >= len(listed):
                raise MalformedStream("a long-term reference picture that there is not")
            order_low = listed[number][0]
        else:
            order_low = reader.bits(sps.order_bits)
            reader.flag()  # used_by_curr_pic_lt_flag
        has_cycles = reader.flag()
        if place in (0, of_sps):
            cycles = 0  # they are counted on from the picture before (equation 7-52)
        cycles += reader.ue() if has_cycles else 0
        pictures.append(LongTermPicture(order_low, cycles if has_cycles else None))
    return tuple(pictures)


def _index_bits(count: int) -> int:
    return max(0, count - 1).bit_length()
