"""The pictures with which those of all representations are compared."""

from collections.abc import Iterator

from av.video.frame import VideoFrame

from voxel_prepare.analysis.encoded_segment import EncodedSegment

KEPT_BYTES = 400_000_000
"""Pictures are kept up to this size, 4 s of 1080p at 30 frames per second; more are decoded each time."""


class ReferencePictures:
    """A segment of the top representation, decoded as often as necessary."""

    def __init__(self, segment: EncodedSegment, frames: int | None = None) -> None:
        """`frames`: see `SegmentSource.frames`."""
        self.frames = frames
        self._segment = segment
        self._kept: list[VideoFrame] | None = None

    def are_of(self, segment: EncodedSegment) -> bool:
        """True if these are the pictures of `segment`."""
        return self._segment == segment

    def shown_of(self, segment: EncodedSegment) -> Iterator[VideoFrame]:
        """What is shown of another segment at the time of each of these pictures."""
        assert segment.timescale is not None and self._segment.timescale is not None
        times = self._segment.presentation_times()
        return segment.pictures_at(time * segment.timescale // self._segment.timescale for time in times)

    def __iter__(self) -> Iterator[VideoFrame]:
        if self._kept is not None:
            return iter(self._kept)
        return self._decode()

    def _decode(self) -> Iterator[VideoFrame]:
        """Keeps the pictures, unless they are too many."""
        pictures: list[VideoFrame] | None = []
        size = 0
        for picture in self._segment.pictures():
            size += sum(plane.buffer_size for plane in picture.planes)
            if size > KEPT_BYTES:
                pictures = None
            if pictures is not None:
                pictures.append(picture)
            yield picture
        self._kept = pictures
