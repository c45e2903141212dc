"""The frames of a segment, and which of their bytes may be missing."""

from dataclasses import dataclass

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.h264 import ParameterSets, SliceType, UnsupportedStream, read_access_unit
from voxel_prepare.isobmff import SampleDefaults, parse_fragments


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame; positions count from the segment's first byte."""

    index: int
    """In decode order."""
    type: SliceType
    is_reference: bool
    """Other frames may refer to it."""
    presentation_time: int
    """In the track's timescale."""
    unreliable: tuple[ByteRange, ...]
    """The bytes after the header of each slice; none of I slices, which must always arrive."""

    @property
    def unreliable_bytes(self) -> int:
        return sum(range_.size for range_ in self.unreliable)


def read_frames(parameter_sets: ParameterSets, segment: bytes, defaults: SampleDefaults) -> list[Frame]:
    """The frames of a media segment. Raises `Mp4Error`, or a `RepairError` if repair does not support it."""
    frames: list[Frame] = []
    for fragment in parse_fragments(segment, defaults):
        for sample in fragment.samples:
            unit = read_access_unit(parameter_sets, segment, sample.offset, sample.offset + sample.size)
            after_headers = (ByteRange(nal.reliable_end, nal.end) for nal in unit.nal_units)
            unreliable = tuple(range_ for range_ in after_headers if range_.size > 0)
            if unreliable and sample.size_field is None:
                raise UnsupportedStream("fragments must state the size of each sample")
            frames.append(
                Frame(
                    index=len(frames),
                    type=unit.picture_type,
                    is_reference=any(header.nal_ref_idc for header in unit.slices),
                    presentation_time=sample.decode_time + sample.composition_offset,
                    unreliable=unreliable,
                )
            )
    return frames
