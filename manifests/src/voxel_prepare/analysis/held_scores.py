"""Scores a segment of which frames have been removed: what is kept is the same, bit for bit, and shown for longer."""

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest

from av.video.frame import VideoFrame

from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.errors import PreparationError


class HeldScorer:
    """Compares pictures of a segment with references, each pair once."""

    def __init__(
        self, pictures: Iterable[VideoFrame], count: int, references: Iterable[VideoFrame], comparer: PictureComparer
    ) -> None:
        """`pictures` and `references` are in order of presentation, and may be decoded anew each time."""
        self._pictures = pictures
        self._count = count
        self._references = references
        self._comparer = comparer
        self._known: dict[tuple[int, int], float] = {}

    def scores(
        self, variants: Sequence[Sequence[int]], see: Callable[[VideoFrame], None] | None = None
    ) -> list[list[float]]:
        """For each variant the scores at all times; a variant says for each time which picture is shown, none of them
        a later one.

        `see` is called with each picture. Raises `PreparationError` if there are more or fewer than references.
        """
        for start in range(0, len(variants), self._comparer.streams):
            self._measure(variants[start : start + self._comparer.streams], see)
            see = None
        return [[self._known[shown, time] for time, shown in enumerate(variant)] for variant in variants]

    def _measure(self, variants: Sequence[Sequence[int]], see: Callable[[VideoFrame], None] | None) -> None:
        unknown: set[tuple[int, int]] = set()
        wanted: list[dict[int, int]] = []
        for variant in variants:
            pairs = [(shown, time) for time, shown in enumerate(variant)]
            of_variant = [pair for pair in pairs if pair not in self._known and pair not in unknown]
            unknown.update(of_variant)
            wanted.append({time: shown for shown, time in of_variant})
        if not unknown:
            return
        last_use: dict[int, int] = {}
        for shown, time in unknown:
            last_use[shown] = max(time, last_use.get(shown, 0))
        meters = [self._comparer.start() for _ in wanted]
        held: dict[int, VideoFrame] = {}
        time = -1
        for time, (picture, reference) in enumerate(zip_longest(self._pictures, self._references)):
            if picture is None or reference is None:
                raise PreparationError("expected as many pictures as in the top representation")
            if see is not None:
                see(picture)
            held[time] = picture
            for meter, of_meter in zip(meters, wanted, strict=True):
                if time in of_meter:
                    meter.add(held[of_meter[time]], reference)
                else:
                    meter.skip(reference)
            held = {shown: one for shown, one in held.items() if last_use.get(shown, -1) > time}
        if time + 1 != self._count:
            raise PreparationError(
                f"expected {self._count} pictures from as many samples, the decoder put out {time + 1}"
            )
        for meter, of_meter in zip(meters, wanted, strict=True):
            for (time, shown), score in zip(of_meter.items(), meter.result(), strict=True):
                self._known[shown, time] = score
