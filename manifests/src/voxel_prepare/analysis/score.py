"""What a viewer sees of a segment with missing frames: repaired, decoded and compared with the top representation."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean
from typing import TypeAlias

from av.video.frame import VideoFrame

from voxel_prepare.analysis.metrics import PictureComparer, PictureScores
from voxel_prepare.analysis.motion import EXPORT_MOTION
from voxel_prepare.analysis.repairable_segment import RepairableSegment
from voxel_prepare.errors import PreparationError
from voxel_prepare.repair.hold import held_frames

HOLD_REACH = 1
"""Missing frames in a row that are held at most: more of them gain next to nothing (src/repair/README.md)."""

Missing: TypeAlias = frozenset[int]
"""Frames that are repaired, by index."""

Pictures: TypeAlias = Iterator[tuple[int, VideoFrame]]
"""Pictures with the index of their frame, in order of presentation."""


def score_pictures(
    pictures: Iterable[VideoFrame], references: Iterable[VideoFrame], comparer: PictureComparer
) -> float:
    """The mean score of a segment's pictures, unrepaired, in order of presentation."""
    scores = comparer.start()
    for picture, reference in zip(pictures, references, strict=True):
        scores.add(picture, reference)
    return fmean(scores.result())


class SegmentScorer:
    """Scores one segment of one representation with any of its frames missing.

    A missing frame changes what is decoded after it, and only itself if no frame may refer to it: then either its
    all-skip slices are shown, or the picture before it is held. So all pictures before the first missing reference are
    known from two decodes: of all frames, and of every unreferenced frame repaired.
    """

    def __init__(
        self,
        segment: RepairableSegment,
        references: Iterable[VideoFrame],
        comparer: PictureComparer,
        see: Callable[[int, VideoFrame], None],
        most_held: int = 0,
    ) -> None:
        """Decodes the whole segment at once; `see` is called with each of its pictures, which carry motion vectors.

        No frame has a reach above `most_held`.
        """
        self._segment = segment
        self._references = references
        self._comparer = comparer
        everything = range(len(segment.frames))
        alone = frozenset(index for index in segment.droppable if not segment.frames[index].is_reference)
        self._before = {after: before for before, after in pairwise(segment.presented)}
        whole = _seen(segment.pictures(frozenset(), everything, EXPORT_MOTION), see)
        self._whole, self._skipped, self._held = self._compare(
            [whole, segment.pictures(alone, alone)], held=alone & self._before.keys() if most_held else frozenset()
        )
        self.reach = [
            min(HOLD_REACH, most_held) if index in self._held and self._held[index] > self._skipped[index] else 0
            for index in everything
        ]
        """The reach of each frame, by index: 1 where the picture before scores better than all-skip slices."""

    @property
    def whole(self) -> float:
        """The score of the untouched segment."""
        return self.scores([frozenset()])[0]

    def cost_alone(self, index: int) -> float:
        """The loss of the segment's score when only that frame is missing, to which no other may refer."""
        return (self._whole[index] - self._without(index, {index})) / len(self._whole)

    def held(self, missing: Missing) -> set[int]:
        """Those of the missing frames in whose place the picture before is held."""
        return held_frames(self._segment.presented, missing, self.reach)

    def cost_in_place(self, missing: Missing) -> float:
        """What the segment's score loses by the pictures of those missing frames alone to which no other may refer."""
        unreferenced = missing & self._skipped.keys()
        return sum(self._whole[index] - self._without(index, missing) for index in unreferenced) / len(self._whole)

    def cost_by_picture(self, missing: Missing) -> dict[int, float]:
        """What each picture adds to the loss of the segment's score when these frames are missing, by index."""
        scored = self._pictures([missing])[0]
        return {index: (whole - scored[index]) / len(self._whole) for index, whole in self._whole.items()}

    def scores(self, variants: Sequence[Missing]) -> list[float]:
        """The segment's score for each set of missing frames."""
        streams = self._comparer.streams
        parts = (variants[start : start + streams] for start in range(0, len(variants), streams))
        return [fmean(pictures.values()) for part in parts for pictures in self._pictures(part)]

    def _pictures(self, variants: Sequence[Missing]) -> list[dict[int, float]]:
        changed = [self._changed(missing) for missing in variants]
        streams = [self.shown(missing, indexes) for missing, indexes in zip(variants, changed, strict=True) if indexes]
        compared = iter(self._compare(streams) if streams else [])
        scored: list[dict[int, float]] = []
        for missing, indexes in zip(variants, changed, strict=True):
            known = {index: self._without(index, missing) for index in missing if index not in indexes}
            decoded = next(compared) if indexes else {}
            scored.append({**self._whole, **known, **decoded})
        return scored

    def _without(self, index: int, missing: Collection[int]) -> float:
        """The score of the picture in place of a missing unreferenced frame, with all references as they were."""
        # No reach is more than 1.
        is_held = self.reach[index] > 0 and self._before[index] not in missing
        return (self._held if is_held else self._skipped)[index]

    def shown(self, missing: Missing, wanted: Collection[int]) -> Pictures:
        """The pictures of the `wanted` frames as they are shown: repaired, or the one before them held."""
        held = self.held(missing)
        needed = {*wanted, *(self._before[index] for index in wanted if index in held)}
        before: VideoFrame | None = None
        for index, picture in self._segment.pictures(missing, needed):
            if index not in held:
                before = picture
            if index in wanted:
                assert before is not None, "the frame before a held one is needed, too"
                yield index, before

    def _changed(self, missing: Missing) -> range:
        """Indexes of the frames whose pictures are known only after decoding."""
        first = min((index for index in missing if self._segment.frames[index].is_reference), default=len(self._whole))
        return range(first, len(self._whole))

    def _compare(self, streams: Sequence[Pictures], held: Collection[int] | None = None) -> list[dict[int, float]]:
        """The scores of each stream's pictures, by index.

        With `held` one more: of the first stream's pictures, each in place of the one after it where that is in `held`.
        """
        presented = self._segment.presented
        columns = [_Column(self._comparer.start()) for _ in range(len(streams) + (held is not None))]
        heads = [next(stream, None) for stream in streams]
        before: VideoFrame | None = None
        count = 0
        for count, reference in enumerate(self._references, start=1):
            if count > len(presented):
                break
            index = presented[count - 1]
            shown = [head[1] if head is not None and head[0] == index else None for head in heads]
            last = [] if held is None else [before if index in held else None]
            for column, picture in zip(columns, [*shown, *last], strict=True):
                column.take(index, picture, reference)
            before = shown[0]
            heads = [
                head if picture is None else next(stream, None)
                for head, picture, stream in zip(heads, shown, streams, strict=True)
            ]
        if count != len(presented):
            raise PreparationError(f"expected as many pictures as in the top representation, found {len(presented)}")
        return [column.result() for column in columns]


@dataclass(slots=True)
class _Column:
    """The scores of some pictures of a segment."""

    scores: PictureScores
    indexes: list[int] = field(default_factory=list)

    def take(self, index: int, picture: VideoFrame | None, reference: VideoFrame) -> None:
        """The next picture in order of presentation; None if it is not one of them."""
        if picture is None:
            self.scores.skip(reference)
            return
        self.scores.add(picture, reference)
        self.indexes.append(index)

    def result(self) -> dict[int, float]:
        """The scores, by index."""
        return dict(zip(self.indexes, self.scores.result(), strict=True))


def _seen(pictures: Pictures, see: Callable[[int, VideoFrame], None]) -> Pictures:
    for index, picture in pictures:
        see(index, picture)
        yield index, picture
