"""A segment as repair sees it: every frame either as it is stored or as its replacement."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from av.video.frame import VideoFrame

from voxel_prepare.analysis.decode import decode_samples
from voxel_prepare.analysis.encoded_segment import EncodedSegment, split_samples
from voxel_prepare.byte_ranges import ByteRange, ReceivedRanges, complement
from voxel_prepare.errors import PreparationError, UnsupportedStream
from voxel_prepare.repair.codec import Codec
from voxel_prepare.repair.encrypted import check_headers_are_clear
from voxel_prepare.repair.frames import Frame, read_frames
from voxel_prepare.repair.repair import repair_segment


@dataclass(frozen=True, slots=True)
class RepairableSegment:
    """A segment that can be repaired; frames are identified by their index in decode order."""

    codec: Codec
    frames: Sequence[Frame]
    size: int
    """Bytes."""
    whole: Sequence[bytes]
    """Each frame's sample as it is stored."""
    skipped: Sequence[bytes]
    """Each frame's sample as repaired from its reliable bytes alone."""

    @classmethod
    def of(cls, segment: EncodedSegment) -> "RepairableSegment":
        """Raises a `RepairError` if repair does not support the stream."""
        if not segment.is_replaceable:
            raise UnsupportedStream("encryption in which nothing can stand in for a slice")
        frames = read_frames(segment.codec, segment.data, segment.defaults)
        if segment.encrypted:
            check_headers_are_clear(segment.codec, segment.data, segment.defaults, segment.encrypted)
        unreliable = [range_ for frame in frames for range_ in frame.unreliable]
        received = ReceivedRanges(complement(ByteRange(0, len(segment.data)), unreliable))
        repaired = repair_segment(segment.codec, segment.data, received).bytes
        return cls(
            codec=segment.codec,
            frames=frames,
            size=len(segment.data),
            whole=segment.samples(),
            skipped=split_samples(repaired, segment.defaults),
        )

    @property
    def droppable(self) -> list[int]:
        """Indexes of the frames that may be missing."""
        return [frame.index for frame in self.frames if frame.unreliable]

    @property
    def presented(self) -> list[int]:
        """Indexes of all frames in order of presentation."""
        return [frame.index for frame in sorted(self.frames, key=lambda frame: frame.presentation_time)]

    def pictures(
        self, missing: Collection[int], wanted: Collection[int], options: Mapping[str, str] | None = None
    ) -> Iterator[tuple[int, VideoFrame]]:
        """The pictures of the `wanted` frames in order of presentation, with the `missing` ones repaired.

        Frames are repaired one by one, so the decoder gets the same bytes as in the player. Frames that are neither
        wanted nor references are left out, which changes no other. Raises `PreparationError` if a picture is missing.
        """
        samples = (
            (frame.index, (self.skipped if frame.index in missing else self.whole)[frame.index])
            for frame in self.frames
            if frame.is_reference or frame.index in wanted
        )
        awaited = [index for index in self.presented if index in wanted]
        decoded = 0
        for picture in decode_samples(self.codec, samples, options):
            if picture.pts in wanted:
                if decoded == len(awaited) or picture.pts != awaited[decoded]:
                    raise PreparationError(
                        f"pictures must be decoded in order of presentation, frame {picture.pts} is out of order"
                    )
                yield picture.pts, picture
                decoded += 1
        if decoded < len(awaited):
            raise PreparationError(
                f"expected {len(awaited)} pictures from as many frames, the decoder put out {decoded}"
            )
