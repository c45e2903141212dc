"""Cuts the frames of one representation into chunks and segments as they come, and stands in for what does not."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from voxel_prepare.live.copied.cuts import Cuts
from voxel_prepare.live.copied.packets import TICKS, Placed

MOST_SHARE = 2
"""A chunk has at most so many times the wanted number of frames where frames after it are shown before its end."""


@dataclass(frozen=True, slots=True)
class TimedFrame:
    """A frame as it is written; ticks since media time 0."""

    data: bytes
    is_key: bool
    shown: int
    decoded: int
    duration: int
    """Time to the decode time of the next one."""


@dataclass(frozen=True, slots=True)
class CutChunk:
    """Some frames of one segment in decode order."""

    segment: int
    position: int
    """Place of its first frame in the segment."""
    frames: tuple[TimedFrame, ...]
    start: int
    """Where it begins, in ticks since media time 0, if all frames before it last equally long; the chunk before ends
    there.
    """
    end: int
    captured: int
    """When its earliest picture came, in ms since 1970 (UTC)."""
    is_last: bool
    """The segment ends with it."""
    is_still: bool = False
    """A key frame of before stands for a segment that has not come."""


class Cutter:
    """Takes the frames of a representation in decode order.

    A frame is held until the next one comes, which says how long it lasts and whether it is the last of its segment.
    """

    def __init__(self, cuts: Cuts, chunk_frames: int) -> None:
        self._cuts = cuts
        self._chunk_frames = chunk_frames
        self._key: Placed | None = None
        """The key frame that began the last segment."""
        self._segment: int | None = None
        """The one under way; None: the next cut is awaited."""
        self.next = 0
        """The first segment that has not begun."""
        self.has_begun = False
        self.stills = 0
        """Segments in a row that have not come."""
        self._held: list[Placed] = []
        self._frames = 0
        """Frames of the segment, those held included."""
        self._delay = 0
        """How much earlier than it is shown a segment's first frame is decoded, in ticks: what is decoded by then
        shares the duration of the first one.
        """
        self._frame = 0
        """Ticks from the first frame of the segment to the next one."""
        self._latest = 0
        """When the last of its frames is shown."""
        self._decoded = 0
        """Decode time of the last chunk's end."""
        self._start = 0
        """Where the next chunk starts (`CutChunk.start`): not with its segment's key frame where the segment before was
        ended without that.
        """

    def add(self, placed: Placed) -> Iterator[CutChunk]:
        """The next frame; chunks that are complete with it."""
        number = self._cut(placed)
        if number is not None:
            yield from self._end(placed.shown if number == self.next else None)
            yield from self._stills(number)
            self._begin(placed, number)
            return
        if self._segment is None:
            return
        if placed.shown > self._cuts.latest(self.next):  # a key frame is missing
            yield from self._end(None)
            return
        if self._frames == 1:
            self._frame = max(1, placed.decoded - self._held[0].decoded)
        if self._is_full(placed):
            last = self._times()[-1]
            yield self._emit(self._decode_time(placed) - last, self._nominal(placed), is_last=False)
        self._held.append(placed)
        self._frames += 1
        self._latest = max(self._latest, placed.shown)

    def overdue(self, now: int) -> Iterator[CutChunk]:
        """What stands in for frames that should have come before `now`, in ticks since media time 0."""
        if self._segment is not None and self._held and self._nominal(self._held[-1]) + self._frame <= now:
            yield from self._end(None)
        while self._segment is None and self.has_begun and self._cuts.place(self.next + 1) <= now:
            yield self._still()

    def finish(self) -> Iterator[CutChunk]:
        """What is left when no more frames come."""
        if self._segment is not None:
            yield from self._end(self._latest + max(1, self._frame))

    def _cut(self, placed: Placed) -> int | None:
        """The segment that begins with the frame, if one does."""
        if not placed.packet.is_key:
            return None
        number = self._cuts.near(placed.shown)
        if number is None or (self.has_begun and number < self.next):
            return None
        return self._cuts.cut(placed.shown)

    def _begin(self, placed: Placed, number: int) -> None:
        self._key, self._segment, self.next = placed, number, number + 1
        self._held, self._frames, self._latest = [placed], 1, placed.shown
        self._delay = max(0, placed.shown - placed.decoded)
        self._decoded = placed.shown
        if not self.has_begun:
            self._start = placed.shown
        self.has_begun, self.stills = True, 0

    def _is_full(self, following: Placed) -> bool:
        """Whether a chunk ends before a frame."""
        is_first = self._frames == len(self._held)
        wanted = 1 if is_first and self._delay > 0 else self._chunk_frames
        # Only after a frame that is shown after all others is everything there that is shown before it.
        is_whole = following.shown > self._latest
        return len(self._held) >= (wanted if is_whole else MOST_SHARE * self._chunk_frames)

    def _decode_time(self, placed: Placed) -> int:
        """When a frame of the segment is decoded; see `isobmff/decode_times.py`."""
        assert self._key is not None
        first = self._key
        if placed is first:
            return first.shown
        if placed.decoded > first.shown:
            return placed.decoded
        share = (placed.decoded - first.decoded) * self._frame // (self._delay + self._frame)
        return first.shown + max(1, share)

    def _nominal(self, placed: Placed) -> int:
        return placed.decoded + self._delay

    def _times(self) -> list[int]:
        """When the held frames are decoded."""
        times: list[int] = []
        for one in self._held:
            times.append(max(self._decode_time(one), times[-1] + 1 if times else self._decoded))
        return times

    def _emit(self, last_duration: int, end: int, *, is_last: bool) -> CutChunk:
        """What is held, as a chunk. `last_duration`: that of its last frame; `end`: see `CutChunk.end`."""
        assert self._segment is not None and self._held
        times = self._times()
        times.append(times[-1] + max(1, last_duration))
        frames = tuple(
            TimedFrame(one.packet.data, one.packet.is_key, max(one.shown, time), time, following - time)
            for one, (time, following) in zip(self._held, pairwise(times), strict=True)
        )
        position = self._frames - len(self._held)
        captured = min(one.captured for one in self._held)
        end = max(end, self._start + 1)
        chunk = CutChunk(self._segment, position, frames, self._start, end, captured, is_last=is_last)
        self._decoded, self._start, self._held = times[-1], end, []
        return chunk

    def _end(self, end: int | None) -> Iterator[CutChunk]:
        """Ends the segment where the next one begins; None: at its place, and the last frame stays until then."""
        if self._segment is None:
            return
        until = self._cuts.start(self.next) if end is None else end
        yield self._emit(until - self._held[-1].shown, until, is_last=True)
        self._segment = None

    def _stills(self, number: int) -> Iterator[CutChunk]:
        while self.has_begun and self.next < number:
            yield self._still()

    def _still(self) -> CutChunk:
        """The next segment, which has not come: the last key frame stands for it."""
        assert self._key is not None
        number, start = self.next, self._start
        end = max(start + 1, self._cuts.start(number + 1))
        frame = TimedFrame(self._key.packet.data, True, start, start, end - start)
        late = (start - self._key.shown) * 1000 // TICKS
        self._start, self.next, self.stills = end, number + 1, self.stills + 1
        return CutChunk(number, 0, (frame,), start, end, self._key.captured + late, is_last=True, is_still=True)
