"""What a viewer sees of a segment with missing frames: repaired, decoded and compared with the top representation."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import TypeAlias

from av.video.frame import VideoFrame

from voxel_prepare.analysis.metrics import PictureComparer, PictureScores
from voxel_prepare.analysis.motion import EXPORT_MOTION
from voxel_prepare.analysis.repairable_segment import RepairableSegment
from voxel_prepare.errors import PreparationError

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

    A missing frame changes what is decoded after it, and only itself if no frame may refer to it. So all pictures
    before the first missing reference are known from two decodes: of all frames, and of every unreferenced frame
    repaired.
    """

    def __init__(
        self,
        segment: RepairableSegment,
        references: Iterable[VideoFrame],
        comparer: PictureComparer,
        see: Callable[[int, VideoFrame], None],
    ) -> None:
        """Decodes the whole segment at once; `see` is called with each of its pictures, which carry motion vectors."""
        self._segment = segment
        self._references = references
        self._comparer = comparer
        everything = range(len(segment.frames))
        alone = frozenset(index for index in segment.droppable if not segment.frames[index].is_reference)
        whole = _seen(segment.pictures(frozenset(), everything, EXPORT_MOTION), see)
        self._whole, self._alone = self._compare([whole, segment.pictures(alone, alone)])

    @property
    def whole(self) -> float:
        """The score of the untouched segment."""
        return self.scores([frozenset()])[0]

    def cost_alone(self, index: int) -> float:
        """The loss of the segment's score when only that frame is missing, to which no other may refer."""
        return (self._whole[index] - self._alone[index]) / len(self._whole)

    def scores(self, variants: Sequence[Missing]) -> list[float]:
        """The segment's score for each set of missing frames."""
        scores: list[float] = []
        for start in range(0, len(variants), self._comparer.streams):
            some = variants[start : start + self._comparer.streams]
            changed = [self._changed(missing) for missing in some]
            streams = [
                self._segment.pictures(missing, indexes)
                for missing, indexes in zip(some, changed, strict=True)
                if indexes
            ]
            compared = iter(self._compare(streams) if streams else [])
            for missing, indexes in zip(some, changed, strict=True):
                known = {index: self._alone[index] for index in missing if index not in indexes}
                decoded = next(compared) if indexes else {}
                scores.append(fmean({**self._whole, **known, **decoded}.values()))
        return scores

    def _changed(self, missing: Missing) -> range:
        """Indexes of the frames whose pictures are known only after decoding."""
        first = min((index for index in missing if self._segment.frames[index].is_reference), default=len(self._whole))
        return range(first, len(self._whole))

    def _compare(self, streams: Sequence[Pictures]) -> list[dict[int, float]]:
        """The scores of each stream's pictures, by index."""
        presented = self._segment.presented
        columns: list[PictureScores] = [self._comparer.start() for _ in streams]
        indexes: list[list[int]] = [[] for _ in streams]
        heads = [next(stream, None) for stream in streams]
        count = 0
        for count, reference in enumerate(self._references, start=1):
            if count > len(presented):
                break
            for number, head in enumerate(heads):
                if head is None or head[0] != presented[count - 1]:
                    columns[number].skip(reference)
                    continue
                columns[number].add(head[1], reference)
                indexes[number].append(head[0])
                heads[number] = next(streams[number], None)
        if count != len(presented):
            raise PreparationError(f"expected as many pictures as in the top representation, found {len(presented)}")
        return [
            dict(zip(of_stream, column.result(), strict=True))
            for of_stream, column in zip(indexes, columns, strict=True)
        ]


def _seen(pictures: Pictures, see: Callable[[int, VideoFrame], None]) -> Pictures:
    for index, picture in pictures:
        see(index, picture)
        yield index, picture
