"""The whole preparation of video files: inputs in, media files and MPD out."""

import asyncio
from contextlib import closing

from voxel_prepare.analysis.analyse import AnalysisSettings
from voxel_prepare.errors import InputError
from voxel_prepare.jobs.analyse_representations import (
    PlannedAnalysis,
    analyse_representations,
    find_analysis,
    read_analysis,
)
from voxel_prepare.jobs.cluster import workers_for
from voxel_prepare.jobs.cost import analyse_cost
from voxel_prepare.jobs.finish import analysis_part, check_inputs, index_part, make_index, warn
from voxel_prepare.jobs.make_media import make_media
from voxel_prepare.jobs.plan import Plan, PlannedAudio, PlannedMedia, make_plan
from voxel_prepare.jobs.progress import say, work_progress
from voxel_prepare.jobs.request import Request
from voxel_prepare.jobs.workspace import Part, Workspace
from voxel_prepare.manifest.hls_playlists import MULTIVARIANT, media_playlist, multivariant_playlist
from voxel_prepare.manifest.mpd import AudioFile, Presentation, VideoFile, write_mpd
from voxel_prepare.media.tracks import VideoTrack, read_audio, read_video


def prepare(request: Request) -> Presentation:
    """Prepares the inputs and publishes them in the output folder. Raises `PreparationError`."""
    plan = make_plan(request)
    with closing(Workspace(request.out.absolute())) as workspace:
        check_inputs(workspace, request.inputs)
        return _Preparation(request, plan, workspace).run()


class _Preparation:
    """One run in an open workspace."""

    def __init__(self, request: Request, plan: Plan, workspace: Workspace) -> None:
        self._request = request
        self._plan = plan
        self._workspace = workspace
        self._media = plan.media
        self._settings = AnalysisSettings(request.metric, request.order, request.choice)
        all_media = [plan.reference.id, *(planned.part.key for planned in plan.video)]
        self._analyses = {planned.id: analysis_part(planned.id, all_media, self._settings) for planned in plan.video}
        self._indexes = {id_: index_part(id_, analysis) for id_, analysis in self._analyses.items()}

    def run(self) -> Presentation:
        workspace = self._workspace
        parts = [*(planned.part for planned in self._media), *self._analyses.values()]
        workspace.keep_only([*parts, *self._indexes.values()])
        missing_media = [planned for planned in self._media if workspace.find(planned.part) is None]
        is_analysed = all(find_analysis(workspace, part) is not None for part in self._analyses.values())
        missing_analyses = [] if is_analysed else self._plan.video
        reused = len(parts) - len(missing_media) - len(missing_analyses)
        if reused:
            say(f"reusing {reused} of {len(parts)} parts from an earlier run")
        costs = [planned.cost for planned in missing_media] + [
            self._analyse_cost(planned) for planned in missing_analyses
        ]
        with workers_for(self._request, workspace.folder) as workers, work_progress(sum(costs)) as progress:
            progress.phase("encoding")
            asyncio.run(make_media(workspace, missing_media, workers, progress))
            progress.phase("scoring")
            tracks = self._read_tracks()
            analyses = [self._planned_analysis(media, tracks) for media in missing_analyses]
            analyse_representations(workspace, analyses, self._settings, workers, progress)
        presentation = self._presentation(tracks)
        warn(presentation.video)
        playlists = self._make_playlists(presentation)
        names = {id_: workspace.published_name(part) for id_, part in playlists.items()}
        published = [*(planned.part for planned in self._media), *self._indexes.values(), *playlists.values()]
        beside = {MULTIVARIANT: multivariant_playlist(presentation, names)}
        workspace.publish(published, write_mpd(presentation, self._request.facts), beside)
        return presentation

    def _make_playlists(self, presentation: Presentation) -> dict[str, Part]:
        """A media playlist for each file, by the id of the file."""
        files = [*(one.media for one in presentation.video), *(one.media for one in presentation.audio)]
        contents = {media.id: media_playlist(media, presentation) for media in files}
        parts = {id_: Part.of(f"{id_}.m3u8", content.decode()) for id_, content in contents.items()}
        for id_, part in parts.items():
            if self._workspace.find(part) is None:
                with self._workspace.make(part) as path:
                    path.write_bytes(contents[id_])
        return parts

    def _analyse_cost(self, planned: PlannedMedia) -> float:
        return analyse_cost(planned.frames, planned.pixels, self._plan.reference.pixels)

    def _planned_analysis(self, planned: PlannedMedia, tracks: dict[str, VideoTrack]) -> PlannedAnalysis:
        reference = tracks[self._plan.reference.id]
        return PlannedAnalysis(self._analyses[planned.id], tracks[planned.id], reference, self._analyse_cost(planned))

    def _read_tracks(self) -> dict[str, VideoTrack]:
        """The representations by id. Raises `InputError` unless all have the same number of frames."""
        tracks = {
            planned.id: read_video(
                planned.id,
                self._workspace.path(planned.part),
                self._workspace.published_name(planned.part),
                self._plan.segment,
            )
            for planned in self._plan.video
        }
        lengths = {track.frames for track in tracks.values()}
        if len(lengths) > 1:
            raise InputError(
                f"all inputs must have the same number of frames, found {', '.join(map(str, sorted(lengths)))}"
            )
        return tracks

    def _presentation(self, tracks: dict[str, VideoTrack]) -> Presentation:
        video = [self._video(id_, track) for id_, track in tracks.items()]
        return Presentation(
            duration=tracks[self._plan.reference.id].frames / self._plan.segment.rate,
            segment=self._plan.segment,
            video=video,
            audio=[self._read_audio(audio, len(video[0].media.segments)) for audio in self._plan.audio],
        )

    def _video(self, id_: str, track: VideoTrack) -> VideoFile:
        analyses = read_analysis(self._workspace, self._analyses[id_])
        index = make_index(self._workspace, self._indexes[id_], analyses)
        return VideoFile(track.media, track.width, track.height, analyses, index)

    def _read_audio(self, audio: PlannedAudio, segments: int) -> AudioFile:
        part, track = audio.media.part, audio.track
        path, name = self._workspace.path(part), self._workspace.published_name(part)
        media = read_audio(audio.media.id, path, name, track.profile, segments)
        return AudioFile(media, track.language, track.sample_rate, track.channels)
