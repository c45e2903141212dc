"""Divides encoded frames into chunks and segments."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

FrameT = TypeVar("FrameT")

SegmentOf = Callable[[int], int]
"""The segment of each frame, both counted from media time 0."""


@dataclass(frozen=True, slots=True)
class Chunk(Generic[FrameT]):
    """Some frames of one segment, in decode order."""

    segment: int
    first: int
    """The number of its first frame since media time 0, in decode order."""
    position: int
    """The same since the segment's start."""
    frames: list[FrameT]
    is_last: bool
    """The segment ends with it."""
    places: int = 1
    """Frames of the timeline that each of its frames takes: more after an interruption, where others are missing."""


class Chunker(Generic[FrameT]):
    """Collects frames in decode order; a chunk ends after `chunk_frames`, or where its segment ends."""

    def __init__(
        self,
        segment_of: SegmentOf,
        chunk_frames: int,
        first: int = 0,
        position: int = 0,
        *,
        first_chunk_frames: int | None = None,
    ) -> None:
        """`first`: the number of the first frame; `position`: the same since the start of its segment.

        `first_chunk_frames`: after so many ends the chunk with this frame, and the first one of each later segment.
        """
        self._segment_of = segment_of
        self._chunk_frames = chunk_frames
        self._first_chunk_frames = first_chunk_frames or chunk_frames
        self._wanted = self._first_chunk_frames
        self._next = first
        self._segment_start = first - position
        self._frames: list[FrameT] = []

    def add(self, frame: FrameT) -> Chunk[FrameT] | None:
        """The chunk that the frame completes, if it does."""
        self._frames.append(frame)
        self._next += 1
        is_last = self._segment_of(self._next) > self._segment_of(self._next - 1)
        return self._cut(is_last=is_last) if is_last or len(self._frames) == self._wanted else None

    def flush(self) -> Chunk[FrameT] | None:
        """What is left when no more frames come; its segment ends there."""
        return self._cut(is_last=True) if self._frames else None

    def _cut(self, *, is_last: bool) -> Chunk[FrameT]:
        first = self._next - len(self._frames)
        chunk = Chunk(self._segment_of(first), first, first - self._segment_start, self._frames, is_last)
        self._frames = []
        self._wanted = self._first_chunk_frames if is_last else self._chunk_frames
        if is_last:
            self._segment_start = self._next
        return chunk


def video_segments(segment_frames: int) -> SegmentOf:
    """Segments of equal numbers of frames."""
    return lambda frame: frame // segment_frames


def audio_segments(frame_seconds: Fraction, segment_seconds: Fraction) -> SegmentOf:
    """A frame belongs to the segment in which it starts."""
    return lambda frame: frame * frame_seconds // segment_seconds
