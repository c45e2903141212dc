"""A presentation whose media files are made from the inputs."""

from collections.abc import Sequence

from voxel_prepare.analysis.analyse import AnalysisSettings
from voxel_prepare.errors import InputError
from voxel_prepare.jobs.cost import analyse_cost
from voxel_prepare.jobs.plan import PlannedAudio, PlannedLadder, make_plan
from voxel_prepare.jobs.planned import PlannedSet, plan_representation
from voxel_prepare.jobs.playlists import in_segment_files, make_playlists
from voxel_prepare.jobs.request import Request
from voxel_prepare.jobs.workspace import Part, Workspace
from voxel_prepare.manifest.hls_playlists import MULTIVARIANT
from voxel_prepare.manifest.mpd import AudioFile, Presentation, VideoFile, write_mpd
from voxel_prepare.manifest.mpd_file import MANIFEST
from voxel_prepare.media.recipes import OnShare
from voxel_prepare.media.tracks import VideoTrack, read_audio, read_video


class NewPresentation:
    """Media files, with an MPD and playlists for them. The sets are the ladders of the codecs."""

    called = "parts"
    """What is made, in messages."""
    texts: Sequence[str] = (MANIFEST, MULTIVARIANT)
    """What is written under the same name every time."""

    def __init__(self, request: Request, settings: AnalysisSettings, on_share: OnShare) -> None:
        """Examines the inputs; `on_share` gets the share that has been read. Raises `InputError`."""
        self._facts = request.facts
        self._plan = plan = make_plan(request, on_share)
        self.making = "copying" if request.media == "copy" else "encoding"
        self._hls_files = request.hls_files
        self.inputs = request.inputs
        self.media = plan.media
        self.sets = [_planned_set(ladder, settings) for ladder in plan.ladders]

    def tracks(self, workspace: Workspace) -> list[list[VideoTrack]]:
        """Reads the finished video. Raises `InputError` unless all files have the same number of frames."""
        tracks = [
            [
                read_video(one.id, workspace.path(one.part), workspace.published_name(one.part), self._plan.segment)
                for one in ladder.video
            ]
            for ladder in self._plan.ladders
        ]
        frames = [track.frames for of_set in tracks for track in of_set]
        if len(set(frames)) > 1:
            pairs = zip(frames, self._plan.video, strict=True)
            found = ", ".join(f"{count} in {one.source}" for count, one in pairs)
            raise InputError(f"all inputs must have the same number of frames, found {found}")
        return tracks

    def presentation(
        self, workspace: Workspace, tracks: Sequence[Sequence[VideoTrack]], ladders: Sequence[Sequence[VideoFile]]
    ) -> Presentation:
        """Video and audio, all of it finished."""
        segments = len(ladders[0][0].media.segments)
        return Presentation(
            duration=tracks[0][0].frames / self._plan.segment.rate,
            segment=self._plan.segment,
            ladders=ladders,
            audio=[_read_audio(workspace, audio, segments) for audio in self._plan.audio],
        )

    def publish(self, workspace: Workspace, parts: Sequence[Part], presentation: Presentation) -> None:
        """Publishes `parts` with an MPD and with playlists."""
        listed, files = presentation, list[Part]()
        if self._hls_files:
            listed, files = in_segment_files(workspace, presentation, self.media)
        playlists = make_playlists(workspace, listed)
        mpd = write_mpd(presentation, self._facts)
        workspace.publish([*parts, *files, *playlists.parts], mpd, playlists.beside)


def _planned_set(ladder: PlannedLadder, settings: AnalysisSettings) -> PlannedSet:
    reference = ladder.reference
    identity = [reference.id, *(one.part.key for one in ladder.video)]
    representations = [
        plan_representation(one.id, identity, settings, analyse_cost(one.frames, one.pixels, reference.pixels))
        for one in ladder.video
    ]
    return PlannedSet(representations, ladder.video.index(reference))


def _read_audio(workspace: Workspace, audio: PlannedAudio, segments: int) -> AudioFile:
    part, track = audio.media.part, audio.track
    path, name = workspace.path(part), workspace.published_name(part)
    media = read_audio(audio.media.id, path, name, track.profile, segments)
    return AudioFile(media, track.language, track.sample_rate, track.channels)
