"""Makes a VOXEL stream of a DASH presentation that exists already: an index for each level, and a copy of its MPD."""

from contextlib import closing
from dataclasses import dataclass

from voxel_prepare.analysis.analyse import AnalysisSettings
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.errors import InputError
from voxel_prepare.jobs.analyse_representations import LevelJob, analyse_levels, find_analysis, read_analysis
from voxel_prepare.jobs.cluster import workers_for
from voxel_prepare.jobs.cost import analyse_cost
from voxel_prepare.jobs.finish import analysis_part, index_part, make_index, warn
from voxel_prepare.jobs.progress import say, work_progress
from voxel_prepare.jobs.request import Request
from voxel_prepare.jobs.workspace import Json, Part, Workspace, source_identity
from voxel_prepare.manifest.existing import Ladder, LadderLevel, read_ladder
from voxel_prepare.manifest.indexed_mpd import write_indexed_mpd
from voxel_prepare.manifest.mpd import MediaFile, Presentation, VideoFile
from voxel_prepare.manifest.mpd_file import MANIFEST
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.media.tracks import VideoTrack


def prepare_ladder(request: Request) -> Presentation:
    """Analyses the levels of the MPD that is the only input, and publishes what came out. Raises `PreparationError`."""
    path = request.inputs[0]
    if (request.out / MANIFEST).resolve() == path.resolve():
        raise InputError(f"{path}: the output would overwrite its input")
    ladder = read_ladder(path)
    settings = AnalysisSettings(request.metric, request.order)
    jobs = _jobs(ladder, settings)
    with closing(Workspace(request.out.absolute())) as workspace:
        _analyse(request, settings, workspace, [job.level_job for job in jobs])
        presentation = _presentation(ladder, jobs, workspace)
        warn(presentation.video)
        for job, level in zip(jobs, presentation.video, strict=True):
            make_index(workspace, job.index, level.analyses)
        described = [(job.level, level) for job, level in zip(jobs, presentation.video, strict=True)]
        manifest = write_indexed_mpd(ladder, described, workspace.folder, request.facts)
        workspace.publish([job.index for job in jobs], manifest)
    return presentation


@dataclass(frozen=True, slots=True)
class _Job:
    level: LadderLevel
    level_job: LevelJob
    index: Part


def _jobs(ladder: Ladder, settings: AnalysisSettings) -> list[_Job]:
    """One for each level, in the order of the MPD's sets."""
    jobs: list[_Job] = []
    for levels in ladder.switching_sets:
        tracks = [_track(level) for level in levels]
        top = max(range(len(levels)), key=lambda number: (_pixels(levels[number]), number))
        identity: Json = [top, *map(_identity, levels)]
        for level, track in zip(levels, tracks, strict=True):
            name = f"video-{len(jobs)}"
            analysis = analysis_part(name, identity, settings)
            cost = analyse_cost(sum(level.segment_frames), _pixels(level), _pixels(levels[top]))
            jobs.append(_Job(level, LevelJob(analysis, track, tracks[top], cost), index_part(name, analysis)))
    return jobs


def _analyse(request: Request, settings: AnalysisSettings, workspace: Workspace, jobs: list[LevelJob]) -> None:
    workspace.keep_only([job.part for job in jobs])
    missing = [job for job in jobs if find_analysis(workspace, job.part) is None]
    if len(missing) < len(jobs):
        say(f"{len(jobs) - len(missing)} of {len(jobs)} levels are finished from an earlier run")
    with (
        workers_for(request, workspace.folder) as workers,
        work_progress(sum(job.cost for job in missing)) as progress,
    ):
        progress.phase("scoring")
        for reference in {id(job.reference): job.reference for job in missing}.values():
            of_set = [job for job in jobs if job.reference is reference]
            analyse_levels(workspace, of_set, settings, workers, progress)


def _presentation(ladder: Ladder, jobs: list[_Job], workspace: Workspace) -> Presentation:
    first = ladder.levels[0].segment_frames
    return Presentation(
        duration=ladder.duration,
        segment=SegmentDuration(first[0], sum(first) / ladder.duration),
        video=[
            VideoFile(
                media=job.level_job.track.media,
                width=job.level.width,
                height=job.level.height,
                analyses=read_analysis(workspace, job.level_job.part),
                index=job.index.name,
            )
            for job in jobs
        ],
        audio=[],
    )


def _track(level: LadderLevel) -> VideoTrack:
    """Its segments may lie in many files; what is published are not they but the index."""
    ranges = [segment.range for segment in level.segments]
    return VideoTrack(
        media=MediaFile(level.id, "", "", ByteRange(0, 0), ranges),
        width=level.width,
        height=level.height,
        frames=sum(level.segment_frames),
        segments=level.segments,
    )


def _pixels(level: LadderLevel) -> int:
    return level.width * level.height


def _identity(level: LadderLevel) -> Json:
    """Changes when the media do, or which of their bytes the segments are."""
    paths = dict.fromkeys([level.addresses.initialization.path, *(segment.path for segment in level.segments)])
    return [[source_identity(path) for path in paths], [str(segment.range) for segment in level.segments]]
