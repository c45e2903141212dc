"""What repair and removal need of an encrypted segment: headers of frames that are in the clear."""

from collections.abc import Sequence

from voxel_prepare.byte_ranges import ByteRange, Received, ReceivedRanges, complement
from voxel_prepare.errors import UnsupportedStream
from voxel_prepare.isobmff import SampleDefaults, parse_fragments
from voxel_prepare.repair.codec import Codec


def check_headers_are_clear(
    codec: Codec, segment: bytes, defaults: SampleDefaults, encrypted: Sequence[ByteRange]
) -> None:
    """`segment` is decrypted, `encrypted` says where. Raises `UnsupportedStream` if a header was encrypted."""
    read = codec.reader(segment)
    headers = [
        ByteRange(part.start, part.header_end)
        for fragment in parse_fragments(segment, defaults)
        for sample in fragment.samples
        for frame in read(sample.offset, sample.offset + sample.size)
        for part in frame.parts
    ]
    rest = iter(encrypted)
    current = next(rest, None)
    for header in headers:  # both are in ascending order
        while current is not None and current.end <= header.start:
            current = next(rest, None)
        if current is not None and current.start < header.end:
            raise UnsupportedStream("slice headers that are encrypted")


def check_needs_are_clear(
    codec: Codec, segment: bytes, defaults: SampleDefaults, encrypted: Sequence[ByteRange]
) -> None:
    """`segment` is encrypted, `encrypted` says where. Raises a `RepairError` unless bytes in the clear tell what its
    frames need.
    """
    samples = [sample for fragment in parse_fragments(segment, defaults) for sample in fragment.samples]
    codec.dependencies(segment, samples, clear_bytes(segment, encrypted))


def clear_bytes(segment: bytes, encrypted: Sequence[ByteRange]) -> Received:
    """The bytes of a segment that are in none of its encrypted ranges."""
    return ReceivedRanges(complement(ByteRange(0, len(segment)), encrypted))
