"""Analyses all segments of all representations in parallel."""

import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import asdict, dataclass

from voxel_prepare.analysis.analyse import AnalysisSettings, analyse_segments
from voxel_prepare.analysis.segment_analysis import SegmentAnalysis
from voxel_prepare.jobs.progress import WorkProgress
from voxel_prepare.jobs.workers import Workers
from voxel_prepare.jobs.workspace import Part, Workspace
from voxel_prepare.media.tracks import VideoTrack


@dataclass(frozen=True, slots=True)
class PlannedAnalysis:
    """A representation to analyse."""

    part: Part
    track: VideoTrack
    reference: VideoTrack
    cost: float
    """Estimated work, see cost.py."""

    def segment_part(self, index: int) -> Part:
        """Stores the analysis of that segment until all segments are analysed."""
        return Part(f"{index}-{self.part.name}", self.part.key)


def analyse_representations(
    workspace: Workspace,
    planned: Sequence[PlannedAnalysis],
    settings: AnalysisSettings,
    workers: Workers,
    progress: WorkProgress,
) -> None:
    """Makes the analysis parts of `planned`: all representations of an AdaptationSet. Raises `PreparationError`.

    Each finished segment is stored as a separate part until all are finished, so that an interrupted run can continue.
    """
    segments = range(len(planned[0].reference.segments) if planned else 0)
    futures: dict[Future[list[SegmentAnalysis]], int] = {}
    for index in segments:
        if all(find_analysis(workspace, one.segment_part(index)) is not None for one in planned):
            _advance(progress, planned)
            continue
        sources = [one.track.segments[index] for one in planned]
        futures[workers.submit(analyse_segments, sources, planned[0].reference.segments[index], settings)] = index
    for future in as_completed(futures):
        index = futures.pop(future)
        for one, analysis in zip(planned, future.result(), strict=True):
            _write(workspace, one.segment_part(index), [analysis])
        _advance(progress, planned)
    for one in planned:
        _write(workspace, one.part, list(_read_parts(workspace, map(one.segment_part, segments))))
    for one in planned:
        workspace.discard([one.segment_part(index) for index in segments])


def find_analysis(workspace: Workspace, part: Part) -> list[SegmentAnalysis] | None:
    """The content of a finished analysis part; None if there is none. Discards one that cannot be read."""
    path = workspace.find(part)
    if path is None:
        return None
    try:
        return [SegmentAnalysis.from_json(fields) for fields in json.loads(path.read_bytes())]
    except (ValueError, KeyError, TypeError):
        workspace.discard([part])
        return None


def read_analysis(workspace: Workspace, part: Part) -> list[SegmentAnalysis]:
    """The content of an analysis part, which must be finished."""
    analyses = find_analysis(workspace, part)
    assert analyses is not None, f"{part.name} is finished"
    return analyses


def _advance(progress: WorkProgress, planned: Sequence[PlannedAnalysis]) -> None:
    """Reports a finished segment of each representation."""
    progress.advance(sum(one.cost / len(one.track.segments) for one in planned))


def _write(workspace: Workspace, part: Part, analyses: Sequence[SegmentAnalysis]) -> None:
    with workspace.make(part) as path:
        path.write_text(json.dumps([asdict(analysis) for analysis in analyses]))


def _read_parts(workspace: Workspace, parts: Iterable[Part]) -> Iterator[SegmentAnalysis]:
    for part in parts:
        yield from read_analysis(workspace, part)
