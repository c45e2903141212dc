"""Analyses of made-up segments."""

from collections.abc import Sequence
from itertools import accumulate

from hypothesis import strategies as st
from voxel_prepare.analysis.segment_analysis import CHOSEN_ORDERS, Metric, OrderName, SegmentAnalysis, Step
from voxel_prepare.byte_ranges import ByteRange, complement
from voxel_prepare.manifest.index_entry import direct_needs

DECIMALS = 5
SCALE = 10**DECIMALS


def make_analysis(
    frames: Sequence[Sequence[tuple[int, int]]],
    order: Sequence[int],
    *,
    start: int = 0,
    tail: int = 1,
    costs: Sequence[int] | None = None,
    step_frames: Sequence[int] | None = None,
    scores: Sequence[int] | None = None,
    metric: Metric = Metric.SSIM,
    order_name: OrderName = OrderName.MEASURED,
    needs: list[list[int]] | None = None,
    reach: list[int] | None = None,
) -> SegmentAnalysis:
    """A segment of frames in file order, each of slices (bytes before it, its unreliable bytes).

    A frame without slices is completely reliable. `order` permutes the others, numbered without these. Costs and scores
    are in units of the last decimal.
    """
    at = start
    ranges: list[list[ByteRange]] = []
    for frame in frames:
        ranges.append([])
        for before, size in frame:
            ranges[-1].append(ByteRange(at + before, at + before + size))
            at += before + size
    whole = ByteRange(start, at + tail)
    missable = [position for position, frame in enumerate(frames) if frame]
    positions = [missable[index] for index in order]
    unreliable = [range_ for position in positions for range_ in ranges[position]]
    ends = [0, *accumulate(sum(range_.size for range_ in ranges[position]) for position in positions)]
    taken = [*(step_frames or [])]
    taken = taken if taken and taken[-1] == len(positions) else [*taken, len(positions)]
    scores = scores or [SCALE] * len(taken)
    return SegmentAnalysis(
        range=whole,
        reliable=complement(whole, unreliable),
        unreliable=unreliable,
        metric=metric,
        order_name=order_name,
        order=positions,
        slices=[len(ranges[position]) for position in positions],
        loss_costs=[cost / SCALE for cost in costs or [0] * len(positions)],
        steps=[Step(score / SCALE, count, ends[count]) for score, count in zip(scores, taken, strict=True)],
        needs=needs,
        reach=reach,
    )


@st.composite
def analyses(draw: st.DrawFn, metric: Metric = Metric.SSIM) -> SegmentAnalysis:
    """Any segment."""
    slice_ = st.tuples(st.integers(0, 3000), st.integers(1, 200_000))
    is_removed = draw(st.booleans())
    frames = draw(st.lists(st.lists(slice_, max_size=1 if is_removed else 3), max_size=12))
    while frames and not frames[-1]:  # what lies behind the last frame that may be missing is not told apart
        frames.pop()
    missable = sum(1 for frame in frames if frame)
    step_frames = sorted(draw(st.sets(st.integers(0, missable), max_size=6)) | {missable})
    return make_analysis(
        frames,
        draw(st.permutations(range(missable))),
        start=draw(st.integers(0, 2**40)),
        tail=draw(st.integers(1, 2000)),
        costs=draw(st.lists(st.integers(0, 10**6), min_size=missable, max_size=missable)),
        step_frames=step_frames,
        scores=draw(st.lists(st.integers(-SCALE, 100 * SCALE), min_size=len(step_frames), max_size=len(step_frames))),
        metric=metric,
        order_name=OrderName.CLOSED if is_removed else draw(st.sampled_from(CHOSEN_ORDERS)),
        needs=direct_needs(draw(needs_of(missable))) if is_removed else None,
        reach=None if is_removed or draw(st.booleans()) else draw(some_reach(missable)),
    )


def needs_of(frames: int) -> st.SearchStrategy[list[list[int]]]:
    """Any needs of so many frames, with all that they need."""
    return st.lists(st.integers(0, (1 << frames) - 1), min_size=frames, max_size=frames).map(
        lambda masks: [[need for need in range(place) if mask >> need & 1] for place, mask in enumerate(masks)]
    )


def some_reach(frames: int) -> st.SearchStrategy[list[int] | None]:
    """Any reach of so many frames; None where it is 0 of all."""
    return st.lists(st.integers(0, 20), min_size=frames, max_size=frames).map(
        lambda reach: reach if any(reach) else None
    )
