"""Analyses all segments of all levels in a pool of processes."""

import json
import multiprocessing
import signal
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from pathlib import Path

from voxel_prepare.analyse import SegmentAnalysis, analyse_segments
from voxel_prepare.errors import PreparationError
from voxel_prepare.media import VideoTrack
from voxel_prepare.progress import WorkProgress
from voxel_prepare.workspace import Part, Workspace


@dataclass(frozen=True, slots=True)
class LevelJob:
    """A level to analyse."""

    part: Part
    track: VideoTrack
    reference: VideoTrack
    cost: float
    """See cost.py."""


def analyse_levels(workspace: Workspace, jobs: Sequence[LevelJob], processes: int, progress: WorkProgress) -> None:
    """Makes the analysis parts of `jobs`. Raises `PreparationError`."""
    if not jobs:
        return
    # Not forked: this process has threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_leave_interrupts_to_parent) as pool:
        try:
            _analyse(workspace, jobs, pool, progress)
        except BrokenProcessPool as error:
            raise PreparationError("a worker process ended unexpectedly, perhaps for lack of memory") from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def read_analysis(path: Path) -> list[SegmentAnalysis]:
    """Reads a finished analysis part."""
    return [SegmentAnalysis.from_json(fields) for fields in json.loads(path.read_bytes())]


def _analyse(workspace: Workspace, jobs: Sequence[LevelJob], pool: ProcessPoolExecutor, progress: WorkProgress) -> None:
    futures: dict[Future[list[SegmentAnalysis]], tuple[list[LevelJob], int]] = {}
    for group in _groups(jobs):
        for index, reference in enumerate(group[0].reference.segments):
            sources = [job.track.segments[index] for job in group]
            futures[pool.submit(analyse_segments, sources, reference)] = (group, index)
    finished: dict[Part, dict[int, SegmentAnalysis]] = {job.part: {} for job in jobs}
    for future in as_completed(futures):
        group, index = futures[future]
        for job, analysis in zip(group, future.result(), strict=True):
            finished[job.part][index] = analysis
            _finish_segment(workspace, job, finished[job.part], progress)


def _groups(jobs: Sequence[LevelJob]) -> list[list[LevelJob]]:
    """Levels to analyse together, so that their reference is decoded once; the reference itself, the largest, alone."""
    groups: list[list[LevelJob]] = [[], []]
    for job in jobs:
        groups[job.track is job.reference].append(job)
    return [group for group in groups if group]


def _finish_segment(
    workspace: Workspace, job: LevelJob, analyses: dict[int, SegmentAnalysis], progress: WorkProgress
) -> None:
    segments = len(job.track.segments)
    progress.advance(job.cost / segments)
    if len(analyses) == segments:
        with workspace.make(job.part) as path:
            path.write_text(json.dumps([asdict(analyses[index]) for index in range(segments)]))


def _leave_interrupts_to_parent() -> None:
    """Ctrl-C reaches every process of the terminal; the parent ends its workers itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
