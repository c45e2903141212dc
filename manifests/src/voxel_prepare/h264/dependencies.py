"""What H.264 pictures need, as far as headers of NAL units tell it, which encryption leaves clear."""

from collections.abc import Iterator, Sequence

from voxel_prepare.byte_ranges import Received
from voxel_prepare.errors import MalformedStream, UnsupportedStream
from voxel_prepare.isobmff import Buffer, Sample
from voxel_prepare.repair.codec import DependentFrame

SLICE_TYPES = frozenset({1, 2, 3, 4, 5, 19, 20, 21})
"""nal_unit_type of slices and their partitions, of auxiliary pictures, layers and views too (table 7-1)."""

PARAMETER_SET_TYPES = frozenset({7, 8, 13, 15})
"""Parameter sets and their extensions."""


def read_dependencies(
    configuration: bytes, segment: Buffer, samples: Sequence[Sample], clear: Received
) -> list[DependentFrame]:
    """A picture of `nal_ref_idc` 0 is needed by none (H.264 §7.4.1); every other one must arrive, as any may need it.

    Raises `MalformedStream`, and `UnsupportedStream` where a header is not clear.
    """
    length_size = (configuration[4] & 3) + 1  # lengthSizeMinusOne, ISO/IEC 14496-15 §5.3.3.1
    frames: list[DependentFrame] = []
    reference: tuple[int, ...] = ()
    """The last of those that must arrive, which stands for all before it."""
    for place, sample in enumerate(samples):
        must_arrive = place == 0 or _is_needed(_headers(length_size, segment, sample, clear))
        frames.append(DependentFrame(place, sample.offset, sample.offset + sample.size, reference, True, must_arrive))
        if must_arrive:
            reference = (place,)
    return frames


def _is_needed(headers: Iterator[int]) -> bool:
    """Whether a sample with these headers has a reference picture, or parameter sets."""
    return any(
        (header & 0x1F in SLICE_TYPES and header >> 5 & 3) or header & 0x1F in PARAMETER_SET_TYPES for header in headers
    )


def _headers(length_size: int, segment: Buffer, sample: Sample, clear: Received) -> Iterator[int]:
    """The first byte of each NAL unit. Raises `MalformedStream`, and `UnsupportedStream` where it is not clear."""
    at, end = sample.offset, sample.offset + sample.size
    while at < end:
        payload = at + length_size
        if not clear.contains(at, payload + 1):
            raise UnsupportedStream("headers of NAL units that are encrypted")
        nal_end = payload + int.from_bytes(segment[at:payload], "big")
        if not payload < nal_end <= end:
            raise MalformedStream(f"NAL unit at {at} does not fit its sample")
        yield segment[payload]
        at = nal_end
