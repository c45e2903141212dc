"""Analyses all segments of all levels, several at a time."""

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
class LevelJob:
    """A level to analyse."""

    part: Part
    track: VideoTrack
    reference: VideoTrack
    cost: float
    """See cost.py."""

    def segment_part(self, index: int) -> Part:
        """Holds the analysis of that segment while others are still to be done."""
        return Part(f"{index}-{self.part.name}", self.part.key)


def analyse_levels(
    workspace: Workspace,
    jobs: Sequence[LevelJob],
    settings: AnalysisSettings,
    workers: Workers,
    progress: WorkProgress,
) -> None:
    """Makes the analysis parts of `jobs`: all levels between which a player switches. Raises `PreparationError`.

    Each finished segment is kept as a part of its own until all are finished, so that an interrupted run goes on.
    """
    segments = range(len(jobs[0].reference.segments) if jobs else 0)
    futures: dict[Future[list[SegmentAnalysis]], int] = {}
    for index in segments:
        if all(find_analysis(workspace, job.segment_part(index)) is not None for job in jobs):
            _advance(progress, jobs)
            continue
        sources = [job.track.segments[index] for job in jobs]
        futures[workers.submit(analyse_segments, sources, jobs[0].reference.segments[index], settings)] = index
    for future in as_completed(futures):
        index = futures.pop(future)
        for job, analysis in zip(jobs, future.result(), strict=True):
            _write(workspace, job.segment_part(index), [analysis])
        _advance(progress, jobs)
    for job in jobs:
        _write(workspace, job.part, list(_read_parts(workspace, map(job.segment_part, segments))))
    for job in jobs:
        workspace.discard([job.segment_part(index) for index in segments])


def find_analysis(workspace: Workspace, part: Part) -> list[SegmentAnalysis] | None:
    """What a finished analysis part says. None where there is none: one that cannot be read is discarded."""
    path = workspace.find(part)
    if path is None:
        return None
    try:
        return [SegmentAnalysis.from_json(fields) for fields in json.loads(path.read_bytes())]
    except (ValueError, KeyError, TypeError):
        workspace.discard([part])
        return None


def read_analysis(workspace: Workspace, part: Part) -> list[SegmentAnalysis]:
    """What an analysis part says that was finished in this run."""
    analyses = find_analysis(workspace, part)
    assert analyses is not None, f"{part.name} was made before"
    return analyses


def _advance(progress: WorkProgress, jobs: Sequence[LevelJob]) -> None:
    """A segment of each job is finished."""
    progress.advance(sum(job.cost / len(job.track.segments) for job in jobs))


def _write(workspace: Workspace, part: Part, analyses: Sequence[SegmentAnalysis]) -> None:
    with workspace.make(part) as path:
        path.write_text(json.dumps([asdict(analysis) for analysis in analyses]))


def _read_parts(workspace: Workspace, parts: Iterable[Part]) -> Iterator[SegmentAnalysis]:
    for part in parts:
        yield from read_analysis(workspace, part)
