"""H.264 as a codec that can be repaired: an all-skip slice stands in for an incomplete P or B slice."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from voxel_prepare.annex_b import to_sample
from voxel_prepare.byte_ranges import EVERYTHING, Received
from voxel_prepare.errors import MalformedStream
from voxel_prepare.h264 import ParameterSets, SliceUnit, read_access_unit, skip_slice
from voxel_prepare.h264.configuration import to_configuration
from voxel_prepare.h264.dependencies import read_dependencies
from voxel_prepare.h264.key_frames import check_start
from voxel_prepare.isobmff import Buffer, Sample
from voxel_prepare.repair.codec import Codec, CodedFrame, DependentFrame, Edit, ReadSample

FILLER_HEADER = b"\x0c"
"""NAL unit type 12, nal_ref_idc 0 (H.264 §7.3.2.7)."""

MAX_GROWTH = 64
"""Bytes by which an all-skip slice may be longer than what it replaces: nothing codes macroblocks in less."""

IN_BAND = "avc3"
"""The sample entry of tracks whose samples may bring parameter sets (ISO/IEC 14496-15 §5.4.2.1.2)."""

parameter_sets = lru_cache(maxsize=64)(ParameterSets.from_avcc)
"""Chunks of live representations are read one by one."""


@dataclass(frozen=True)
class H264(Codec):
    """`configuration` is an AVCDecoderConfigurationRecord (ISO/IEC 14496-15 §5.3.3.1)."""

    name = "h264"
    decoder = "h264"
    title = "H.264"
    sample_entries = ("avc1", IN_BAND)
    configuration_box = "avcC"
    least_configuration = 7
    is_replaced = True

    @classmethod
    def encoded(cls, extradata: bytes) -> "H264":
        return cls(to_configuration(extradata))

    def to_sample(self, packet: bytes) -> bytes:
        return to_sample(packet)

    def codecs(self, sample_entry: str) -> str:
        """RFC 6381 §3.3: profile, constraints and level."""
        return f"{sample_entry}.{self.configuration[1:4].hex().upper()}"

    def check_start(self, data: Buffer, sample: Sample) -> None:
        check_start(self.configuration, data, sample)

    def reader(self, segment: Buffer, received: Received = EVERYTHING) -> ReadSample:
        sets = replace(parameter_sets(self.configuration), may_change=self.sample_entry == IN_BAND)

        def read(start: int, end: int) -> list[CodedFrame]:
            nonlocal sets
            unit = read_access_unit(sets, segment, start, end, received)
            sets = unit.parameter_sets
            edits = [
                _skip(sets.nal_length_size, segment, nal, macroblocks)
                for nal, macroblocks in zip(unit.slice_units, unit.macroblocks(), strict=True)
                if not received.contains(nal.payload, nal.end)
            ]
            is_reference = any(header.nal_ref_idc for header in unit.slices)
            return [CodedFrame(start, end, unit.picture_type, is_reference, unit.slice_units, edits)]

        return read

    def dependencies(
        self, segment: Buffer, samples: Sequence[Sample], clear: Received = EVERYTHING
    ) -> list[DependentFrame]:
        return read_dependencies(self.configuration, segment, samples, clear)

    def filler(self, size: int) -> bytes:
        """A filler NAL unit with its length field."""
        length_size = parameter_sets(self.configuration).nal_length_size
        nal_bytes = size - length_size
        if nal_bytes < 2 or nal_bytes >> 8 * length_size:
            return b""
        return nal_bytes.to_bytes(length_size, "big") + FILLER_HEADER + b"\xff" * (nal_bytes - 2) + b"\x80"


def _skip(nal_length_size: int, segment: Buffer, nal: SliceUnit, macroblocks: int) -> Edit:
    skipped = skip_slice(bytes(segment[nal.payload : nal.reliable_end]), nal.header, macroblocks)
    edit = Edit(nal.start, nal.end, len(skipped).to_bytes(nal_length_size, "big") + skipped)
    if edit.growth > MAX_GROWTH:
        raise MalformedStream(f"{macroblocks} macroblocks in a slice of {nal.end - nal.start} bytes")
    return edit
