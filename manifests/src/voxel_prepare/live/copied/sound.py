"""Puts AAC frames one after the other, at the times of their sender: silence where none come."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from voxel_prepare.live.copied.packets import TICKS

FRAME_SAMPLES = 1024

SLACK_SECONDS = Fraction(1, 100)
"""Sound may be that early or late for a while and is just appended: times of senders are rounded."""
DRIFT_SECONDS = Fraction(1, 200)
DRIFT_FRAMES = 64
"""So much on average over so many frames is corrected."""


@dataclass(frozen=True, slots=True)
class SoundChunk:
    """Some frames of one segment; times in samples since media time 0."""

    segment: int
    start: int
    frames: tuple[tuple[bytes, int], ...]
    """Each with its duration."""
    is_last: bool
    """The segment ends with it."""


class SoundLine:
    """The sound of a presentation, without a gap from its first frame on."""

    def __init__(self, rate: int, segment: Fraction, chunk_frames: int, silent: bytes) -> None:
        """`rate`: samples per second; `segment`: seconds; `silent`: a frame of silence, empty: there is none."""
        self._rate = rate
        self._segment = segment * rate
        self._chunk_frames = chunk_frames
        self._silent = silent
        self._held: list[tuple[bytes, int]] = []
        self._start: int | None = None
        """Place of the first frame that is held."""
        self.next = 0
        """Where the next frame comes, in samples."""
        self._distances: list[int] = []

    @property
    def has_begun(self) -> bool:
        """There is a first frame."""
        return self._start is not None

    def add(self, data: bytes, time: int, first: int) -> Iterator[SoundChunk]:
        """A frame heard at `time`, in ticks since media time 0; chunks that end before it.

        `first`: the first segment; what comes before it is left out.
        """
        place = round(Fraction(time * self._rate, TICKS))
        if self._start is None:
            if place < first * self._segment:
                return
            self._start = self.next = place
        distance = place - self.next
        if distance < -SLACK_SECONDS * self._rate:
            return
        if distance > SLACK_SECONDS * self._rate:
            yield from self._silence(place)
            self._distances = []
        else:
            self._follow(distance)
        yield from self._put(data)

    def fill(self, time: int) -> Iterator[SoundChunk]:
        """Silence up to a time in ticks since media time 0, as far as whole frames go."""
        end = time * self._rate // TICKS
        while self._silent and self._start is not None and self.next + FRAME_SAMPLES <= end:
            self._distances = []
            yield from self._put(self._silent)

    def finish(self) -> Iterator[SoundChunk]:
        """What is left when no more frames come."""
        if self._held:
            yield self._cut(is_last=True)

    def _silence(self, place: int) -> Iterator[SoundChunk]:
        """Silence up to a place; what is less than a frame of it makes the frame before longer."""
        while self._silent and self.next + FRAME_SAMPLES <= place:
            yield from self._put(self._silent)
        self._lengthen(place - self.next)

    def _lengthen(self, samples: int) -> None:
        if self._held:
            data, duration = self._held[-1]
            self._held[-1] = data, duration + samples
            self.next += samples

    def _follow(self, distance: int) -> None:
        self._distances.append(distance)
        if len(self._distances) < DRIFT_FRAMES:
            return
        drift = round(sum(self._distances) / DRIFT_FRAMES)
        self._distances = []
        if drift > DRIFT_SECONDS * self._rate:
            self._lengthen(drift)

    def _put(self, data: bytes) -> Iterator[SoundChunk]:
        assert self._start is not None
        segment = self.next // self._segment
        if self._held and segment > self._start // self._segment:
            yield self._cut(is_last=True)
        elif len(self._held) >= self._chunk_frames:
            yield self._cut(is_last=False)
        self._held.append((data, FRAME_SAMPLES))
        self.next += FRAME_SAMPLES

    def _cut(self, *, is_last: bool) -> SoundChunk:
        assert self._start is not None
        chunk = SoundChunk(int(self._start // self._segment), self._start, tuple(self._held), is_last)
        self._held, self._start = [], self.next
        return chunk
