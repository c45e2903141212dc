"""The whole preparation: inputs in, media files and manifest out."""

import asyncio
from contextlib import closing

from voxel_prepare.analysis.analyse import AnalysisSettings
from voxel_prepare.errors import InputError
from voxel_prepare.jobs.analyse_representations import LevelJob, analyse_levels, find_analysis, read_analysis
from voxel_prepare.jobs.cluster import workers_for
from voxel_prepare.jobs.cost import analyse_cost
from voxel_prepare.jobs.finish import analysis_part, index_part, make_index, warn
from voxel_prepare.jobs.make_media import make_media
from voxel_prepare.jobs.plan import AudioJob, MediaJob, Plan, make_plan
from voxel_prepare.jobs.progress import say, work_progress
from voxel_prepare.jobs.request import Request
from voxel_prepare.jobs.workspace import Workspace
from voxel_prepare.manifest.mpd import AudioFile, Presentation, VideoFile, write_mpd
from voxel_prepare.media.tracks import VideoTrack, read_audio, read_video


def prepare(request: Request) -> Presentation:
    """Prepares the inputs and publishes them in the output folder. Raises `PreparationError`."""
    plan = make_plan(request)
    _check_overwriting(request, plan)
    with closing(Workspace(request.out.absolute())) as workspace:
        return _Preparation(request, plan, workspace).run()


def _check_overwriting(request: Request, plan: Plan) -> None:
    inputs = {path.resolve() for path in request.inputs}
    for job in plan.media:
        if (request.out / job.part.name).resolve() in inputs:
            raise InputError(f"{request.out / job.part.name}: the output would overwrite its input")


class _Preparation:
    """One run in an open workspace."""

    def __init__(self, request: Request, plan: Plan, workspace: Workspace) -> None:
        self._request = request
        self._plan = plan
        self._workspace = workspace
        self._media = plan.media
        self._settings = AnalysisSettings(request.metric, request.order)
        levels = [plan.reference.id, *(job.part.key for job in plan.video)]
        self._analyses = {job.id: analysis_part(job.id, levels, self._settings) for job in plan.video}
        self._indexes = {id_: index_part(id_, analysis) for id_, analysis in self._analyses.items()}

    def run(self) -> Presentation:
        workspace = self._workspace
        parts = [*(job.part for job in self._media), *self._analyses.values()]
        workspace.keep_only([*parts, *self._indexes.values()])
        missing_media = [job for job in self._media if workspace.find(job.part) is None]
        is_analysed = all(find_analysis(workspace, part) is not None for part in self._analyses.values())
        missing_analyses = [] if is_analysed else self._plan.video
        reused = len(parts) - len(missing_media) - len(missing_analyses)
        if reused:
            say(f"{reused} of {len(parts)} parts are finished from an earlier run")
        costs = [job.cost for job in missing_media] + [self._analyse_cost(job) for job in missing_analyses]
        with workers_for(self._request, workspace.folder) as workers, work_progress(sum(costs)) as progress:
            progress.phase("encoding")
            asyncio.run(make_media(workspace, missing_media, workers, progress))
            progress.phase("scoring")
            tracks = self._read_tracks()
            jobs = [self._level_job(job, tracks) for job in missing_analyses]
            analyse_levels(workspace, jobs, self._settings, workers, progress)
        presentation = self._presentation(tracks)
        warn(presentation.video)
        for level in presentation.video:
            make_index(workspace, self._indexes[level.media.id], level.analyses)
        published = [*(job.part for job in self._media), *self._indexes.values()]
        workspace.publish(published, write_mpd(presentation, self._request.facts))
        return presentation

    def _analyse_cost(self, job: MediaJob) -> float:
        return analyse_cost(job.frames, job.pixels, self._plan.reference.pixels)

    def _level_job(self, job: MediaJob, tracks: dict[str, VideoTrack]) -> LevelJob:
        reference = tracks[self._plan.reference.id]
        return LevelJob(self._analyses[job.id], tracks[job.id], reference, self._analyse_cost(job))

    def _read_tracks(self) -> dict[str, VideoTrack]:
        """The levels by id, all of the same length. Raises `InputError`."""
        tracks = {
            job.id: read_video(job.id, self._workspace.path(job.part), job.part.name, self._plan.segment)
            for job in self._plan.video
        }
        lengths = {track.frames for track in tracks.values()}
        if len(lengths) > 1:
            raise InputError(f"the levels differ in length: {', '.join(map(str, sorted(lengths)))} frames")
        return tracks

    def _presentation(self, tracks: dict[str, VideoTrack]) -> Presentation:
        video = [
            VideoFile(
                media=track.media,
                width=track.width,
                height=track.height,
                analyses=read_analysis(self._workspace, self._analyses[id_]),
                index=self._indexes[id_].name,
            )
            for id_, track in tracks.items()
        ]
        return Presentation(
            duration=tracks[self._plan.reference.id].frames / self._plan.segment.rate,
            segment=self._plan.segment,
            video=video,
            audio=[self._read_audio(audio, len(video[0].media.segments)) for audio in self._plan.audio],
        )

    def _read_audio(self, audio: AudioJob, segments: int) -> AudioFile:
        part, track = audio.job.part, audio.track
        media = read_audio(audio.job.id, self._workspace.path(part), part.name, track.profile, segments)
        return AudioFile(media, track.language, track.sample_rate, track.channels)
