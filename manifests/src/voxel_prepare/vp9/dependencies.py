"""What VP9 frames need.

Beside the eight slots a decoder carries from frame to frame: four contexts of probabilities, motion vectors of the
frame decoded before (and whether it was shown, and its size), segmentation map and features, loop filter deltas
(VP9 §6.1.2, §7.2, §7.4). Only a frame that resets them is independent of what was decoded just before: a key frame, one
in error-resilient mode, an intra-only frame that resets all contexts. Every other one needs its predecessor in decode
order, whatever that was: without it those of the frame before would be taken.

A superframe has room for eight. Where shown frames are removed, what is kept of hidden ones moves to the next shown
one: so that they fit, a hidden frame also needs a shown one after which no more than seven hidden ones come.
"""

from collections.abc import Sequence

from voxel_prepare.byte_ranges import Received
from voxel_prepare.errors import UnsupportedStream
from voxel_prepare.isobmff import Buffer, Sample
from voxel_prepare.repair.codec import DependentFrame
from voxel_prepare.repair.superframe import MOST_FRAMES, index_bytes, superframe_ranges
from voxel_prepare.vp9.frame_header import SLOTS, FrameHeader, parse_frame_header

CANDIDATES = 16
"""So many shown frames the one that stays is chosen from."""


class Dependencies:
    """Reads a segment's samples one after the other and keeps what the decoder's state comes from."""

    def __init__(self, clear: Received) -> None:
        self._clear = clear
        self._slots: list[int | None] = [None] * SLOTS
        """The frame in each, by its place."""
        self._before: list[int] = []
        """The frame decoded last, and the last header since then that shows one: it counts as a shown frame."""
        self._room = _Room()
        self.frames: list[DependentFrame] = []

    def read(self, segment: Buffer, place: int, sample: Sample) -> None:
        """Raises `UnsupportedStream` or `MalformedStream`."""
        end = sample.offset + sample.size
        data = bytes(segment[sample.offset : end])
        self._check_clear(end - max(1, index_bytes(data)), end)
        ranges = [frame.moved(sample.offset) for frame in superframe_ranges(data)]
        for frame in ranges:
            header = parse_frame_header(segment, frame)
            self._check_clear(frame.start, header.end)
            if header.is_shown != (frame is ranges[-1]):
                raise UnsupportedStream("VP9 samples without one shown frame, the last")
            number = len(self.frames)
            needs = self._room.take(number, header, self._needs(header))
            self.frames.append(DependentFrame(place, frame.start, frame.end, needs, header.is_shown, number == 0))
            self._before = [*self._before[:1], number] if header.shows is not None else [number]
            for slot in range(SLOTS):
                if header.refresh >> slot & 1:
                    self._slots[slot] = number

    def _check_clear(self, start: int, end: int) -> None:
        if not self._clear.contains(start, end):
            raise UnsupportedStream("VP9 frame headers that are encrypted")

    def _needs(self, header: FrameHeader) -> tuple[int, ...]:
        slots = header.references if header.shows is None else (header.shows,)
        found = {self._slots[slot] for slot in slots}
        needs = {number for number in found if number is not None}
        if len(needs) < len(found) or (not self._before and not header.is_key):
            raise UnsupportedStream("VP9 frames that need one before their segment")
        if header.shows is None and not header.is_fresh:
            needs.update(self._before)
        return tuple(sorted(needs))


class _Room:
    """Which shown frames stay if hidden ones behind them do, so that no superframe gets too many."""

    def __init__(self) -> None:
        self._stays: tuple[int, ...] = ()
        """The frame that hidden ones need now; none: the segment's first."""
        self._hidden = 0
        """Hidden frames since then."""
        self._shown: list[tuple[int, int, bool]] = []
        """Shown frames since then, behind how many hidden ones, and whether others may refer to them."""

    def take(self, number: int, header: FrameHeader, needs: tuple[int, ...]) -> tuple[int, ...]:
        """What the next frame needs: `needs`, and of a hidden frame the one that stays."""
        if header.is_shown:
            if self._hidden:
                self._shown = [*self._shown[1 - CANDIDATES :], (number, self._hidden, header.refresh != 0)]
            return needs
        if self._hidden == MOST_FRAMES - 1 and self._shown:
            best, before, _ = max(self._shown, key=lambda one: (one[0] in needs, one[2], one[0]))
            self._stays = (best,)
            self._hidden -= before
            self._shown = [(one, behind - before, kept) for one, behind, kept in self._shown if behind > before]
        self._hidden += 1
        return tuple(sorted({*needs, *self._stays}))


def read_dependencies(segment: Buffer, samples: Sequence[Sample], clear: Received) -> list[DependentFrame]:
    """The frames of a segment with what they need. Raises `UnsupportedStream` or `MalformedStream`."""
    read = Dependencies(clear)
    for place, sample in enumerate(samples):
        read.read(segment, place, sample)
    return read.frames
