"""Parameter sets and a slice, divided by a length: the header of a slice that is skipped instead is the same."""

from dataclasses import replace

from voxel_prepare.errors import RepairError
from voxel_prepare.h264 import ParameterSets, parse_slice_header, read_access_unit, skip_slice
from voxel_prepare.h264.slice_header import SliceHeader


def fuzz(data: bytes) -> None:
    at = 1 + (data[0] if data else 0)
    avcc, nal = data[1:at], data[at:]
    try:
        parameter_sets = ParameterSets.from_avcc(avcc)
        header = parse_slice_header(nal, parameter_sets)
    except RepairError as error:
        assert "\n" not in str(error)
        return
    assert header.header_bits > 8
    assert 1 < header.header_bytes <= len(nal)
    assert parse_slice_header(nal[: header.header_bytes], parameter_sets) == header
    if header.slice_type == "I":
        return
    macroblocks = header.pps.sps.picture_macroblocks - header.first_mb
    skipped = skip_slice(nal, header, min(macroblocks, 1000))
    assert _same(parse_slice_header(skipped, parameter_sets), header)
    length = len(skipped).to_bytes(parameter_sets.nal_length_size, "big")
    if header.nal_unit_type in (1, 5) and header.first_mb == 0:
        unit = read_access_unit(parameter_sets, length + skipped, 0, len(length + skipped))
        assert len(unit.slices) == 1
        assert _same(unit.slices[0], header)


def _same(header: SliceHeader, other: SliceHeader) -> bool:
    """Whether both say the same: what is written has the emulation prevention bytes that other input may lack."""
    return replace(header, header_bytes=0) == replace(other, header_bytes=0)
