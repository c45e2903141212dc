"""A media segment as it is stored: where it lies, its bytes, and what its decoder must know beforehand."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from av.video.frame import VideoFrame

from voxel_prepare.analysis.decode import decode_samples
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.isobmff import SampleDefaults, parse_fragments
from voxel_prepare.isobmff.cbcs import Decryption
from voxel_prepare.repair.codec import Codec


@dataclass(frozen=True, slots=True)
class EncodedSegment:
    """A media segment's bytes and what its decoder must know beforehand."""

    codec: Codec
    defaults: SampleDefaults
    data: bytes
    """Bytes in the clear."""
    encrypted: tuple[ByteRange, ...] = ()
    """The bytes that are encrypted where the segment is stored."""

    def samples(self) -> list[bytes]:
        """The decoder's input, one sample for each frame. Raises `Mp4Error`."""
        return split_samples(self.data, self.defaults)

    def pictures(self) -> Iterator[VideoFrame]:
        """Its pictures in order of presentation."""
        return decode_samples(self.codec, enumerate(self.samples()))


@dataclass(frozen=True, slots=True)
class SegmentSource:
    """Where a segment is stored, and what its decoder must know beforehand."""

    path: Path
    range: ByteRange
    codec: Codec
    defaults: SampleDefaults
    decryption: Decryption | None = None
    """How an encrypted track is decrypted."""

    def read(self) -> EncodedSegment:
        """The segment's bytes, read from the file and decrypted. Raises `OSError`, or `Mp4Error` if that fails."""
        with self.path.open("rb") as file:
            file.seek(self.range.start)
            data = file.read(self.range.size)
        encrypted: list[ByteRange] = []
        if self.decryption is not None:
            data, encrypted = self.decryption.decrypt(data, self.defaults)
        return EncodedSegment(self.codec, self.defaults, data, tuple(encrypted))


def split_samples(data: bytes, defaults: SampleDefaults) -> list[bytes]:
    """The samples of a media segment in decode order. Raises `Mp4Error`."""
    return [
        data[sample.offset : sample.offset + sample.size]
        for fragment in parse_fragments(data, defaults)
        for sample in fragment.samples
    ]
