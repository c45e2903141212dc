"""What repair makes of a segment, and what it must find of one in any case."""

from dataclasses import dataclass

from voxel_prepare.byte_ranges import Received
from voxel_prepare.errors import MalformedStream, MissingReliableBytes, RepairError, UnsupportedStream
from voxel_prepare.isobmff import Fragment, Mp4Error, SampleDefaults, UnsupportedMp4, parse_fragments
from voxel_prepare.repair.codec import PictureType


@dataclass(frozen=True, slots=True)
class FrameReport:
    """The state of one frame of a segment after repair: of what a sample shows."""

    index: int
    start: int
    """Position of its first byte in the segment as delivered."""
    bytes: int
    """Its size as delivered."""
    type: PictureType | None
    """None where missing frames are removed: samples are not parsed then."""
    slices: int
    """0 where samples are not parsed."""
    repaired_slices: int
    """Incomplete slices that have been replaced."""
    removed: bool = False
    """It was taken out: the picture before it is shown for longer."""


@dataclass(frozen=True, slots=True)
class RepairedSegment:
    bytes: bytes
    """A valid segment; the same object as the input if nothing was missing."""
    frames: list[FrameReport]


def arrived_fragments(
    segment: bytes, received: Received, defaults: SampleDefaults = SampleDefaults()
) -> tuple[Fragment, ...]:
    """The segment's fragments. Raises a `RepairError`, also where bytes outside the sample data have not arrived."""
    try:
        fragments = parse_fragments(segment, defaults)
    except Mp4Error as error:
        if not received.contains(0, len(segment)):
            raise MissingReliableBytes("movie fragment header is missing") from error
        raise repair_error(error) from error
    headers_received = all(received.contains(fragment.start, fragment.mdat_payload) for fragment in fragments)
    if not headers_received or not received.contains(fragments[-1].end, len(segment)):
        raise MissingReliableBytes("bytes outside the sample data are missing")
    return fragments


def repair_error(error: Mp4Error) -> RepairError:
    """The same error of repair."""
    return (UnsupportedStream if isinstance(error, UnsupportedMp4) else MalformedStream)(str(error))
