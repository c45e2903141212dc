"""The NAL units of a sample and what its slices cover (ISO/IEC 14496-15 §5.3.4.2, H.264 §7.4.1.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from voxel_prepare.byte_ranges import EVERYTHING, Received
from voxel_prepare.errors import MalformedStream, MissingReliableBytes, RepairError, UnsupportedStream
from voxel_prepare.h264.parameter_sets import ParameterSets
from voxel_prepare.h264.slice_header import MAX_HEADER_BYTES, SliceHeader, SliceType, parse_slice_header
from voxel_prepare.isobmff import Buffer

SLICE_TYPES = frozenset({1, 5})
DATA_PARTITION_TYPES = frozenset({2, 3, 4})
PARAMETER_SET_TYPES = frozenset({7, 8})


@dataclass(frozen=True, slots=True)
class NalUnit:
    """Length field `[start, payload)` and NAL unit `[payload, end)`, as positions in the data that it was read from."""

    start: int
    payload: int
    end: int
    type: int
    """nal_unit_type."""

    @property
    def reliable_end(self) -> int:
        """`[start, reliable_end)` must arrive: all of it."""
        return self.end


@dataclass(frozen=True, slots=True)
class SliceUnit(NalUnit):
    """The NAL unit of a slice."""

    header: SliceHeader

    @property
    def header_end(self) -> int:
        """`[start, header_end)` is the length field and the header."""
        return self.payload + self.header.header_bytes

    @property
    def reliable_end(self) -> int:
        """`[start, reliable_end)` must arrive: length field and header of a P or B slice, all of an I slice."""
        return self.end if self.header.slice_type == "I" else self.header_end


@dataclass(frozen=True, slots=True)
class AccessUnit:
    """A sample: one picture."""

    nal_units: tuple[NalUnit, ...]
    parameter_sets: ParameterSets
    """Those that hold after it."""

    @property
    def slice_units(self) -> tuple[SliceUnit, ...]:
        """The NAL units that are slices."""
        return tuple(nal for nal in self.nal_units if isinstance(nal, SliceUnit))

    @property
    def slices(self) -> tuple[SliceHeader, ...]:
        """Headers of the slices, in order."""
        return tuple(nal.header for nal in self.slice_units)

    @property
    def picture_type(self) -> SliceType:
        """`B` when any slice is B, else `P` when any is P, else `I`."""
        types = {header.slice_type for header in self.slices}
        return "B" if "B" in types else "P" if "P" in types else "I"

    def macroblocks(self) -> tuple[int, ...]:
        """The number of macroblocks of each slice: up to the start of the next one."""
        slices = self.slices
        ends = [header.first_mb for header in slices[1:]] + [slices[0].pps.sps.picture_macroblocks]
        return tuple(end - header.first_mb for header, end in zip(slices, ends, strict=True))


def read_access_unit(
    parameter_sets: ParameterSets, data: Buffer, start: int, end: int, received: Received = EVERYTHING
) -> AccessUnit:
    """Reads the sample at `[start, end)` of `data`, whose missing bytes may have any value.

    Raises `MissingReliableBytes`, `UnsupportedStream` or `MalformedStream`.
    """
    nal_units: list[NalUnit] = []
    at = start
    while at < end:
        payload = at + parameter_sets.nal_length_size
        if payload > end:
            raise MalformedStream(f"stray bytes at the end of the sample at {start}")
        if not received.contains(at, payload):
            raise MissingReliableBytes(f"NAL unit length at {at} is missing")
        nal_end = payload + int.from_bytes(data[at:payload], "big")
        if nal_end == payload or nal_end > end:
            raise MalformedStream(f"NAL unit at {at} does not fit its sample")
        nal = _read_nal_unit(parameter_sets, data, at, payload, nal_end, received)
        if nal.type in PARAMETER_SET_TYPES:
            parameter_sets = parameter_sets.after(bytes(data[payload:nal_end]))
        nal_units.append(nal)
        at = nal_end
    unit = AccessUnit(tuple(nal_units), parameter_sets)
    _check_picture(unit.slices)
    return unit


def _read_nal_unit(
    parameter_sets: ParameterSets, data: Buffer, start: int, payload: int, end: int, received: Received
) -> NalUnit:
    """Reads a NAL unit and checks that its reliable bytes have arrived."""
    if not received.contains(payload, payload + 1):
        raise MissingReliableBytes(f"NAL unit header at {payload} is missing")
    nal_type = data[payload] & 0x1F
    if nal_type in DATA_PARTITION_TYPES:
        raise UnsupportedStream("data partitioning")
    nal = NalUnit(start, payload, end, nal_type)
    if nal_type in SLICE_TYPES:
        header = _read_header(parameter_sets, data, payload, end, received)
        nal = SliceUnit(start, payload, end, nal_type, header)
    if not received.contains(start, nal.reliable_end):
        raise MissingReliableBytes(f"bytes that must be reliable are missing at {payload}")
    return nal


def _read_header(
    parameter_sets: ParameterSets, data: Buffer, payload: int, end: int, received: Received
) -> SliceHeader:
    """Parses a header; one that cannot be read from an incomplete slice counts as missing."""
    try:
        return parse_slice_header(bytes(data[payload : min(end, payload + MAX_HEADER_BYTES)]), parameter_sets)
    except RepairError as error:
        if received.contains(payload, end):
            raise
        raise MissingReliableBytes(f"slice header at {payload} is missing") from error


def _check_picture(slices: Sequence[SliceHeader]) -> None:
    if not slices:
        raise MalformedStream("sample without a slice")
    starts = [header.first_mb for header in slices]
    if starts[0] != 0 or any(left >= right for left, right in pairwise(starts)):
        raise UnsupportedStream("several pictures in a sample, or slices out of order")
    if any(header.pps.sps is not slices[0].pps.sps for header in slices):
        raise MalformedStream("slices of one picture with different sequence parameter sets")
