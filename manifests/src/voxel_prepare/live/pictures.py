"""Gives every place of the timeline a picture, and all representations what they share of it."""

from collections.abc import Callable

from av.video.frame import VideoFrame

from voxel_prepare.analysis.cells import CellGrid
from voxel_prepare.live.burnt_clock import draw_time
from voxel_prepare.live.encoder import FrameChoice, stamped
from voxel_prepare.live.gop import Gop
from voxel_prepare.live.ranking import SegmentCosts
from voxel_prepare.live.representation import Picture, SegmentSource
from voxel_prepare.live.scores import PICTURES_APART
from voxel_prepare.live.timeline import Grid, Timeline


class PictureLine:
    """The pictures of a constant rate, made of those that come: some are repeated, some left out."""

    def __init__(
        self,
        timeline: Timeline,
        choice: FrameChoice,
        first_segment: int,
        is_measured: Callable[[int], bool],
        put: Callable[[Picture], None],
        *,
        has_clock: bool,
    ) -> None:
        """`is_measured`: whether any representation is measured in a segment; `put` gets all pictures in turn.

        `has_clock`: the time of capture is drawn into them.
        """
        self._timeline = timeline
        self._time_base = 1 / timeline.rate
        self._frames = choice.segment_frames
        self._gop = choice.gop(choice.segment_frames)
        self._first_segment = first_segment
        self._first_times = choice.chunk_frames + choice.run
        self._is_measured = is_measured
        self._put = put
        self._has_clock = has_clock
        self._grid = Grid(timeline.rate, first_segment * choice.segment_frames, 0)
        self._cells: CellGrid | None = None
        self._last: VideoFrame | None = None
        self._segment = (-1, SegmentSource(SegmentCosts(Gop([], []))))

    @property
    def next(self) -> int:
        """The first place without a picture, in frames since media time 0."""
        return self._grid.next

    def add(self, picture: VideoFrame, seconds: float) -> None:
        """A picture for a media time; what is empty before it repeats the last one."""
        first = self._grid.next
        placed = self._grid.place(seconds)
        own = first + placed.filled
        if not placed.skipped:
            stamped(picture, own, self._time_base)
        for place in range(first, own):
            self._place(self._last or picture, place)
        if not placed.skipped:
            self._place(picture, own)
            self._last = picture

    def fill(self, seconds: float) -> None:
        """No picture has come before a media time: the last one is repeated."""
        first = self._grid.next
        if self._last is not None:
            for place in range(first, first + self._grid.fill(seconds)):
                self._place(self._last, place)

    def _place(self, picture: VideoFrame, place: int) -> None:
        segment, time = divmod(place, self._frames)
        if self._segment[0] != segment:
            self._segment = (segment, SegmentSource(SegmentCosts(self._gop)))
        source = self._segment[1]
        captured = self._timeline.wall_time(place)
        if self._has_clock:
            picture = stamped(draw_time(picture, captured), place, self._time_base)
        if self._cells is None:
            self._cells = CellGrid.of(picture)
        source.costs.see(time, self._cells.samples(picture))
        is_first_chunk = segment == self._first_segment and time <= self._first_times
        if is_first_chunk or (time % PICTURES_APART == 0 and self._is_measured(segment)):
            source.pictures[place] = picture
        self._put(Picture(picture, place, captured, source))
