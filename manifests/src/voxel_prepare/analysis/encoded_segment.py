"""A media segment as it is stored: where it lies, its bytes, and what its decoder must know beforehand."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from av.video.frame import VideoFrame

from voxel_prepare.analysis.decode import decode_samples
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.isobmff import SampleDefaults, parse_fragments
from voxel_prepare.isobmff.common_encryption import CBCS, Decryption, protected_samples
from voxel_prepare.repair.codec import Codec


@dataclass(frozen=True, slots=True)
class EncodedSegment:
    """A media segment's bytes and what its decoder must know beforehand."""

    codec: Codec
    defaults: SampleDefaults
    data: bytes
    """Bytes in the clear; as stored if it is opaque."""
    encrypted: tuple[ByteRange, ...] = ()
    """The bytes that are encrypted where the segment is stored."""
    is_opaque: bool = False
    """It cannot be decoded: it is encrypted, and the key is not known."""
    whole_samples: bool = False
    """It is stored encrypted: what is removed of it are whole samples."""
    is_replaceable: bool = True
    """Another can stand in for a part of a sample: not without the key, where the cipher runs on (`cenc`), or where
    keys change."""
    timescale: int | None = None
    """Ticks a second; None: not known."""

    def samples(self) -> list[bytes]:
        """The decoder's input, one sample for each frame. Raises `Mp4Error`."""
        return split_samples(self.data, self.defaults)

    def pictures(self) -> Iterator[VideoFrame]:
        """Its pictures in order of presentation."""
        return decode_samples(self.codec, enumerate(self.samples()))

    def presentation_times(self) -> list[int]:
        """When its pictures are shown, ascending, in the track's timescale. Raises `Mp4Error`."""
        fragments = parse_fragments(self.data, self.defaults)
        return sorted(sample.presentation_time for fragment in fragments for sample in fragment.samples)

    def pictures_at(self, times: Iterable[int]) -> Iterator[VideoFrame]:
        """The picture that is shown at each of these times, which ascend, in the track's timescale."""
        fragments = parse_fragments(self.data, self.defaults)
        starts = [sample.presentation_time for fragment in fragments for sample in fragment.samples]
        pictures = self.pictures()
        shown, following = next(pictures), next(pictures, None)
        for time in times:
            while following is not None and following.pts is not None and starts[following.pts] <= time:
                shown, following = following, next(pictures, None)
            yield shown


@dataclass(frozen=True, slots=True)
class SegmentSource:
    """Where a segment is stored, and what its decoder must know beforehand."""

    path: Path
    range: ByteRange
    codec: Codec
    defaults: SampleDefaults
    timescale: int
    """Ticks a second."""
    decryption: Decryption | None = None
    """How an encrypted track is decrypted; of an opaque segment: how it would be."""
    is_opaque: bool = False
    """It is encrypted, and a key is not known."""
    frames: int | None = None
    """None: as many as the same segment of other representations has."""

    def read(self) -> EncodedSegment:
        """The segment's bytes, read from the file and decrypted if there is a key. Raises `OSError`, or `Mp4Error` if
        that fails.
        """
        with self.path.open("rb") as file:
            file.seek(self.range.start)
            data = file.read(self.range.size)
        if self.decryption is None:
            opaque = self.is_opaque
            return EncodedSegment(
                self.codec,
                self.defaults,
                data,
                is_opaque=opaque,
                whole_samples=opaque,
                is_replaceable=not opaque,
                timescale=self.timescale,
            )
        track = self.decryption.track
        samples = list(protected_samples(data, self.defaults, track))
        is_even = all(sample.protection is track.protection for sample in samples)
        return EncodedSegment(
            codec=self.codec,
            defaults=self.defaults,
            data=data if self.is_opaque else self.decryption.decrypt(data, samples),
            encrypted=tuple(range_ for sample in samples for range_ in sample.encrypted),
            is_opaque=self.is_opaque,
            whole_samples=True,
            is_replaceable=track.scheme == CBCS and is_even and not self.is_opaque,
            timescale=self.timescale,
        )


def split_samples(data: bytes, defaults: SampleDefaults) -> list[bytes]:
    """The samples of a media segment in decode order. Raises `Mp4Error`."""
    return [
        data[sample.offset : sample.offset + sample.size]
        for fragment in parse_fragments(data, defaults)
        for sample in fragment.samples
    ]
