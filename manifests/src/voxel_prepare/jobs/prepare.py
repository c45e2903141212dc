"""The whole preparation: inputs in, indexes and MPD out, with the media files where they are made."""

import asyncio
from collections.abc import Sequence
from contextlib import closing

from voxel_prepare.analysis.analyse import AnalysisSettings
from voxel_prepare.analysis.score import HOLD_REACH
from voxel_prepare.analysis.segment_analysis import SCORE_DECIMALS
from voxel_prepare.errors import InputError
from voxel_prepare.jobs.analyse_representations import analyse_representations, find_analysis, read_analysis
from voxel_prepare.jobs.cluster import workers_for
from voxel_prepare.jobs.indexed_presentation import IndexedPresentation
from voxel_prepare.jobs.job import Job
from voxel_prepare.jobs.make_media import make_media
from voxel_prepare.jobs.new_presentation import NewPresentation
from voxel_prepare.jobs.planned import PlannedRepresentation
from voxel_prepare.jobs.progress import WorkProgress, say, work_progress
from voxel_prepare.jobs.request import Request
from voxel_prepare.jobs.warning_lines import warning_lines
from voxel_prepare.jobs.workspace import Workspace, replaced_in
from voxel_prepare.manifest.index_file import write_index
from voxel_prepare.manifest.mpd import Presentation, VideoFile
from voxel_prepare.media.tracks import VideoTrack


def prepare(request: Request) -> Presentation:
    """Prepares the inputs and publishes them in the output folder. Raises `PreparationError`."""
    settings = AnalysisSettings(request.metric, request.order, request.choice, HOLD_REACH if request.hold else 0)
    kind = IndexedPresentation if request.media == "existing" else NewPresentation
    job = Job.of(request)
    _check_replaced(request, job, kind.texts)  # at once: it may take minutes to read the inputs
    with work_progress() as progress:
        planned = kind(request, settings, progress.read)
        with closing(Workspace(request.out.absolute())) as workspace:
            for path in planned.inputs:
                if workspace.owns(path):  # a later publication may remove it
                    raise InputError(f"{path}: the output must not overwrite an input: use another --out")
            replaced = _check_replaced(request, job, kind.texts)  # meanwhile another run may have ended
            if replaced is not None:
                say(f"{request.out}: replacing {replaced}")
            workspace.begin(job)
            tracks = _make(request, planned, settings, workspace, progress)
            progress.phase("publishing")
            return _publish(planned, workspace, tracks)


def _publish(
    planned: IndexedPresentation | NewPresentation, workspace: Workspace, tracks: list[list[VideoTrack]]
) -> Presentation:
    representations = [one for planned_set in planned.sets for one in planned_set.representations]
    ladders = [
        [_described(workspace, *pair) for pair in zip(planned_set.representations, of_set, strict=True)]
        for planned_set, of_set in zip(planned.sets, tracks, strict=True)
    ]
    presentation = planned.presentation(workspace, tracks, ladders)
    for warning in warning_lines(presentation.video, [track.codec for of_set in tracks for track in of_set]):
        say(f"warning: {warning}")
    parts = [*(one.part for one in planned.media), *(one.index for one in representations)]
    planned.publish(workspace, parts, presentation)
    return presentation


def _check_replaced(request: Request, job: Job, texts: Sequence[str]) -> str | None:
    """What the run replaces, which the user has agreed to; None if nothing. Raises `InputError` otherwise."""
    inputs = {path.resolve() for path in request.inputs}
    for name in texts:
        if (request.out / name).resolve() in inputs:
            raise InputError(f"{request.out / name}: the output must not overwrite the input: use another --out")
    replaced = replaced_in(request.out, job, texts)
    if replaced is not None and not request.replace:
        raise InputError(f"{request.out}: would replace {replaced}: use --replace, or another --out")
    return replaced


def _make(
    request: Request,
    planned: IndexedPresentation | NewPresentation,
    settings: AnalysisSettings,
    workspace: Workspace,
    progress: WorkProgress,
) -> list[list[VideoTrack]]:
    """Makes all media and analyses that are not finished from an earlier run; the tracks of the sets."""
    media = [one.part for one in planned.media]
    representations = [one for planned_set in planned.sets for one in planned_set.representations]
    parts = [*media, *(one.analysis for one in representations)]
    workspace.keep_only([*parts, *(one.index for one in representations)])
    missing_media = [one for one in planned.media if workspace.find(one.part) is None]
    missing = [
        planned_set
        for planned_set in planned.sets
        if any(find_analysis(workspace, one.analysis) is None for one in planned_set.representations)
    ]
    costs = [one.cost for one in missing_media]
    costs += [one.cost for planned_set in missing for one in planned_set.representations]
    if len(costs) < len(parts):
        say(f"reusing {len(parts) - len(costs)} of {len(parts)} {planned.called} from an earlier run")
    with workers_for(request, workspace.folder) as workers:
        progress.begin(sum(costs))
        if missing_media:
            progress.phase(planned.making)
            asyncio.run(make_media(workspace, missing_media, workers, progress))
        progress.phase("scoring")
        tracks = planned.tracks(workspace)
        for planned_set, of_set in zip(planned.sets, tracks, strict=True):
            if planned_set in missing:
                analyse_representations(workspace, planned_set, of_set, settings, workers, progress)
    progress.finish() if costs else progress.hide()
    return tracks


def _described(workspace: Workspace, planned: PlannedRepresentation, track: VideoTrack) -> VideoFile:
    """The representation with its index, which is written unless it is finished from an earlier run."""
    analyses = read_analysis(workspace, planned.analysis)
    if workspace.find(planned.index) is None:
        with workspace.make(planned.index) as path:
            path.write_bytes(write_index(analyses, SCORE_DECIMALS))
    return VideoFile(track.media, track.width, track.height, analyses, workspace.published_name(planned.index))
