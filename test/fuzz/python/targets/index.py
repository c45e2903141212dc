"""An index: what is read is consistent, no larger than its bytes allow, and can be written and read again."""

from dataclasses import replace
from typing import Any

from voxel_prepare.analysis.segment_analysis import SegmentAnalysis
from voxel_prepare.byte_ranges import complement
from voxel_prepare.manifest.index_entry import MAX_RANGES, MAX_RANGES_PER_BYTE, IndexFormatError, direct_needs
from voxel_prepare.manifest.index_file import read_index, write_index


def fuzz(data: bytes) -> None:
    try:
        analyses = read_index(data)
    except IndexFormatError:
        return
    present = [analysis for analysis in analyses if analysis is not None]
    assert sum(len(analysis.unreliable) for analysis in present) <= MAX_RANGES_PER_BYTE * len(data)
    for analysis in present:
        assert sorted(set(analysis.order)) == sorted(analysis.order)
        assert len(analysis.slices) == len(analysis.loss_costs) == len(analysis.order) <= MAX_RANGES
        assert sum(analysis.slices) == len(analysis.unreliable)
        needs = analysis.needs or []
        assert all(0 <= need < place for place, of_frame in enumerate(needs) for need in of_frame)
        assert sum(map(len, needs)) <= MAX_RANGES_PER_BYTE * len(data)
        assert all(listed is None or len(listed) == len(analysis.order) for listed in (analysis.needs, analysis.reach))
        assert complement(analysis.range, analysis.unreliable) == analysis.reliable
        assert all(range_.size > 0 for range_ in analysis.unreliable)
        assert [step.frames for step in analysis.steps] == sorted({step.frames for step in analysis.steps})
        assert analysis.steps[-1].bytes == sum(range_.size for range_ in analysis.unreliable)
    if present and len(present) == len(analyses):
        # Numbers that a double or the format cannot hold do not come back as they were.
        small = all(analysis.range.end < 1 << 40 and _has_small_scores(analysis) for analysis in present)
        if small and data[6] <= 5:
            assert read_index(write_index(present, data[6])) == [_as_written(analysis) for analysis in present]


def _as_written(analysis: SegmentAnalysis) -> SegmentAnalysis:
    needs = None if analysis.needs is None else direct_needs(analysis.needs)
    return replace(analysis, needs=needs, reach=analysis.reach if any(analysis.reach or []) else None)


def _has_small_scores(analysis: Any) -> bool:
    numbers = [*analysis.loss_costs, *(abs(step.score) for step in analysis.steps)]
    return max(numbers, default=0) < 1 << 10
