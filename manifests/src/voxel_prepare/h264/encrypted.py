"""What repair needs of an encrypted segment: headers of slices that are in the clear."""

from collections.abc import Sequence

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.h264.access_unit import read_access_unit
from voxel_prepare.h264.errors import UnsupportedStream
from voxel_prepare.h264.parameter_sets import ParameterSets
from voxel_prepare.isobmff import SampleDefaults, parse_fragments


def check_headers_are_clear(
    parameter_sets: ParameterSets, segment: bytes, defaults: SampleDefaults, encrypted: Sequence[ByteRange]
) -> None:
    """`segment` is decrypted, `encrypted` says where. Raises `UnsupportedStream` if a header was encrypted."""
    headers = [
        ByteRange(unit.start, unit.payload + unit.header.header_bytes)
        for fragment in parse_fragments(segment, defaults)
        for sample in fragment.samples
        for unit in read_access_unit(parameter_sets, segment, sample.offset, sample.offset + sample.size).slice_units
    ]
    rest = iter(encrypted)
    current = next(rest, None)
    for header in headers:  # both are in ascending order
        while current is not None and current.end <= header.start:
            current = next(rest, None)
        if current is not None and current.start < header.end:
            raise UnsupportedStream("slice headers that are encrypted")
