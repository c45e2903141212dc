"""The frames of a segment, and which of their bytes may be missing."""

from dataclasses import dataclass, replace

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.isobmff import SampleDefaults, parse_fragments
from voxel_prepare.repair.codec import Codec, CodedFrame, PictureType


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame; positions count from the segment's first byte."""

    index: int
    """Place in decode order."""
    type: PictureType
    is_reference: bool
    """Other frames may refer to it."""
    presentation_time: int
    """Time in the track's timescale."""
    unreliable: tuple[ByteRange, ...]
    """Its bytes that may be missing, for each of its parts."""

    @property
    def unreliable_bytes(self) -> int:
        return sum(range_.size for range_ in self.unreliable)

    @staticmethod
    def of(coded: CodedFrame, index: int, presentation_time: int) -> "Frame":
        """The frame with its place and time."""
        ranges = (ByteRange(part.reliable_end, part.end) for part in coded.parts)
        unreliable = tuple(range_ for range_ in ranges if range_.size > 0)
        return Frame(index, coded.type, coded.is_reference, presentation_time, unreliable)


def read_frames(codec: Codec, segment: bytes, defaults: SampleDefaults) -> list[Frame]:
    """The frames of a media segment. Raises `Mp4Error`, or a `RepairError` if repair does not support it."""
    read = codec.reader(segment)
    frames: list[Frame] = []
    for fragment in parse_fragments(segment, defaults):
        for sample in fragment.samples:
            for coded in read(sample.offset, sample.offset + sample.size):
                frame = Frame.of(coded, len(frames), sample.presentation_time)
                # Without a size of its own it could not get another one.
                frames.append(frame if sample.size_field is not None else replace(frame, unreliable=()))
    return frames
