"""Analyses all segments of all representations in parallel."""

import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import asdict

from voxel_prepare.analysis.analyse import AnalysisSettings, analyse_segments
from voxel_prepare.analysis.segment_analysis import SegmentAnalysis
from voxel_prepare.jobs.planned import PlannedSet
from voxel_prepare.jobs.progress import WorkProgress
from voxel_prepare.jobs.workers import Workers
from voxel_prepare.jobs.workspace import Part, Workspace
from voxel_prepare.media.tracks import VideoTrack


def analyse_representations(
    workspace: Workspace,
    planned: PlannedSet,
    tracks: Sequence[VideoTrack],
    settings: AnalysisSettings,
    workers: Workers,
    progress: WorkProgress,
) -> None:
    """Makes the analysis parts of `planned`, whose finished media are `tracks`. Raises `PreparationError`.

    Each finished segment is stored as a separate part until all are finished, so that an interrupted run can continue.
    """
    representations, reference = planned.representations, tracks[planned.reference].segments
    segments = range(len(reference))
    cost = sum(one.cost for one in representations) / len(segments)
    futures: dict[Future[list[SegmentAnalysis]], int] = {}
    for index in segments:
        if all(find_analysis(workspace, one.segment_part(index)) is not None for one in representations):
            progress.skip(cost)
            continue
        sources = [track.segments[index] for track in tracks]
        futures[workers.submit(analyse_segments, sources, reference[index], settings)] = index
    for future in as_completed(futures):
        index = futures.pop(future)
        for one, analysis in zip(representations, future.result(), strict=True):
            _write(workspace, one.segment_part(index), [analysis])
        progress.advance(cost)
    for one in representations:
        _write(workspace, one.analysis, list(_read_parts(workspace, map(one.segment_part, segments))))
    for one in representations:
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


def _write(workspace: Workspace, part: Part, analyses: Sequence[SegmentAnalysis]) -> None:
    with workspace.make(part) as path:
        path.write_text(json.dumps([asdict(analysis) for analysis in analyses]))


def _read_parts(workspace: Workspace, parts: Iterable[Part]) -> Iterator[SegmentAnalysis]:
    for part in parts:
        yield from read_analysis(workspace, part)
