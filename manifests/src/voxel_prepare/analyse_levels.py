"""Analyses all segments of all levels, several at a time."""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

from voxel_prepare.analyse import analyse_segments
from voxel_prepare.media import VideoTrack
from voxel_prepare.progress import WorkProgress
from voxel_prepare.segment_analysis import SegmentAnalysis
from voxel_prepare.workers import Workers
from voxel_prepare.workspace import Part, Workspace


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


def analyse_levels(workspace: Workspace, jobs: Sequence[LevelJob], workers: Workers, progress: WorkProgress) -> None:
    """Makes the analysis parts of `jobs`. Raises `PreparationError`.

    Each finished segment is kept as a part of its own until its level is finished, so that an interrupted run goes on.
    """
    futures: dict[Future[list[SegmentAnalysis]], tuple[list[LevelJob], int]] = {}
    for group in _groups(jobs):
        for index, reference in enumerate(group[0].reference.segments):
            missing = [job for job in group if workspace.find(job.segment_part(index)) is None]
            _advance(progress, [job for job in group if job not in missing])
            if missing:
                sources = [job.track.segments[index] for job in missing]
                futures[workers.submit(analyse_segments, sources, reference)] = (missing, index)
    for future in as_completed(futures):
        members, index = futures.pop(future)
        for job, analysis in zip(members, future.result(), strict=True):
            _write(workspace, job.segment_part(index), [analysis])
        _advance(progress, members)
    for job in jobs:
        parts = [job.segment_part(index) for index in range(len(job.track.segments))]
        _write(workspace, job.part, list(_read_parts(workspace, parts)))
        workspace.discard(parts)


def read_analysis(path: Path) -> list[SegmentAnalysis]:
    """Reads a finished analysis part."""
    return [SegmentAnalysis.from_json(fields) for fields in json.loads(path.read_bytes())]


def _groups(jobs: Sequence[LevelJob]) -> list[list[LevelJob]]:
    """Levels to analyse together, so that their reference is decoded once; the reference itself, the largest, alone."""
    groups: list[list[LevelJob]] = [[], []]
    for job in jobs:
        groups[job.track is job.reference].append(job)
    return [group for group in groups if group]


def _advance(progress: WorkProgress, jobs: Sequence[LevelJob]) -> None:
    """A segment of each job is finished."""
    progress.advance(sum(job.cost / len(job.track.segments) for job in jobs))


def _write(workspace: Workspace, part: Part, analyses: Sequence[SegmentAnalysis]) -> None:
    with workspace.make(part) as path:
        path.write_text(json.dumps([asdict(analysis) for analysis in analyses]))


def _read_parts(workspace: Workspace, parts: Sequence[Part]) -> Iterator[SegmentAnalysis]:
    for part in parts:
        yield from read_analysis(workspace.path(part))
