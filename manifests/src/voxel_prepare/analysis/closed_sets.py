"""Which frames of a segment may be removed together: closed sets, in which nothing that is kept needs what is missing.

Sets of frames are integers whose bit n stands for frame n: unions and differences of hundreds are one operation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.errors import MalformedStream
from voxel_prepare.isobmff import Sample
from voxel_prepare.repair.codec import DependentFrame

LEAST_BYTES = 16
"""A smaller frame must arrive, unless it needs one that may be missing: its place in an index takes half as much."""

MOST_HELD = 1.4
"""Seconds for which a picture may stand in for missing ones: 33 frames of film. Chromium plays the last picture that it
has only when others follow: with one that lasts for seconds it stands in front of a full buffer."""


@dataclass(frozen=True, slots=True)
class PicturedFrame:
    """A frame with the place of its picture; positions count from the segment's first byte."""

    range: ByteRange
    needs: tuple[int, ...]
    """Frames by their place in decode order."""
    picture: int | None
    """Place of its picture in order of presentation; None if it is hidden."""


class ClosedSets:
    """The frames of one segment and what needs what. Frames are identified by their place in decode order."""

    def __init__(self, frames: Sequence[PicturedFrame], must_arrive: Sequence[int]) -> None:
        """`must_arrive`: frames that cannot be removed; what they need cannot, either."""
        self.frames = frames
        self._with_dependents = [1 << index for index in range(len(frames))]
        self._all_needs = [0] * len(frames)
        reliable = _set(must_arrive)
        for index in reversed(range(len(frames))):
            for needed in frames[index].needs:
                self._with_dependents[needed] |= self._with_dependents[index]
                if reliable >> index & 1:
                    reliable |= 1 << needed
        for index, frame in enumerate(frames):
            for needed in frame.needs:
                self._all_needs[index] |= 1 << needed | self._all_needs[needed]
            if frame.range.size < LEAST_BYTES and not self._all_needs[index] & ~reliable:
                reliable |= 1 << index
        self.droppable = [index for index in range(len(frames)) if not reliable >> index & 1]
        """Frames that may be missing, in decode order."""

    def with_dependents(self, index: int) -> int:
        """The smallest closed set that has the frame: it and all that need it, directly or through others."""
        return self._with_dependents[index]

    def direct_needs(self, index: int) -> list[int]:
        """The frames that may be missing and that it needs, but not through another of them; ascending."""
        needs = _set(self.frames[index].needs) & _set(self.droppable)
        for needed in members(needs):
            needs &= ~self._all_needs[needed]
        return list(members(needs))

    def is_closed(self, missing: int) -> bool:
        """True if no kept frame needs a missing one."""
        return all(missing >> index & 1 or not needs & missing for index, needs in enumerate(self._all_needs))

    @property
    def pictures(self) -> int:
        """How many there are: each is shown for the same time."""
        return sum(frame.picture is not None for frame in self.frames)

    def shown(self, missing: int) -> list[int]:
        """For each time, by the places of pictures, the picture shown then: the last one kept."""
        kept = [0] * self.pictures
        for index, frame in enumerate(self.frames):
            if frame.picture is not None and not missing >> index & 1:
                kept[frame.picture] = frame.picture
        for place in range(1, len(kept)):
            kept[place] = kept[place] or kept[place - 1]
        return kept


def closed_sets(frames: Sequence[DependentFrame], samples: Sequence[Sample], timescale: int | None) -> ClosedSets:
    """The closed sets of a segment; `timescale` as in `EncodedSegment`.

    Raises `MalformedStream` unless each sample has one picture.
    """
    shown = [frame.sample for frame in frames if frame.is_shown]
    if shown != list(range(len(samples))):
        raise MalformedStream(f"expected a picture in each of {len(samples)} samples, found {len(shown)}")
    presented = sorted(range(len(samples)), key=lambda sample: samples[sample].presentation_time)
    places = {sample: place for place, sample in enumerate(presented)}
    pictured = [
        PicturedFrame(ByteRange(frame.start, frame.end), frame.needs, places[frame.sample] if frame.is_shown else None)
        for frame in frames
    ]
    # Before the first picture there is none that could be shown for longer.
    must_arrive = [index for index, frame in enumerate(frames) if frame.must_arrive or pictured[index].picture == 0]
    sets = ClosedSets(pictured, must_arrive)
    if timescale is None:
        return sets
    times = [samples[sample].presentation_time for sample in presented]
    times.append(times[-1] + samples[presented[-1]].duration)
    while gap := _held_too_long(sets, times, MOST_HELD * timescale):
        must_arrive.append(max(gap, key=lambda index: sets.with_dependents(index).bit_count()))
        sets = ClosedSets(pictured, must_arrive)
    return sets


def _held_too_long(sets: ClosedSets, times: Sequence[int], most: float) -> list[int]:
    """Frames of which one more must arrive, so that no picture is shown for longer than `most`; none: none is.

    `times`: when each picture is shown, and the end.
    """
    shown = sets.shown(_set(sets.droppable))
    for first in sorted(set(shown)):
        missing = [place for place, picture in enumerate(shown) if picture == first and place != first]
        if missing and times[missing[-1] + 1] - times[first] > most:
            return [index for index in sets.droppable if sets.frames[index].picture in missing]
    return []


def members(frames: int) -> Iterator[int]:
    """The frames of a set, ascending."""
    while frames:
        lowest = frames & -frames
        yield lowest.bit_length() - 1
        frames ^= lowest


def _set(frames: Sequence[int]) -> int:
    result = 0
    for index in frames:
        result |= 1 << index
    return result
