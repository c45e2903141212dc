"""Makes a VOXEL stream of an existing DASH presentation: an index for each representation, and a copy of the MPD."""

from contextlib import closing
from dataclasses import dataclass

from voxel_prepare.analysis.analyse import AnalysisSettings
from voxel_prepare.byte_ranges import ByteRange
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
from voxel_prepare.jobs.progress import say, work_progress
from voxel_prepare.jobs.request import Request
from voxel_prepare.jobs.workspace import Json, Part, Workspace, source_identity
from voxel_prepare.manifest.existing import ExistingPresentation, ExistingRepresentation, read_existing
from voxel_prepare.manifest.indexed_mpd import write_indexed_mpd
from voxel_prepare.manifest.mpd import MediaFile, Presentation, VideoFile
from voxel_prepare.manifest.mpd_file import MANIFEST
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.media.tracks import VideoTrack


def prepare_existing(request: Request) -> Presentation:
    """Analyses the representations of the MPD, the only input, and publishes the result. Raises `PreparationError`."""
    path = request.inputs[0]
    if (request.out / MANIFEST).resolve() == path.resolve():
        raise InputError(f"{path}: the output must not overwrite the input")
    existing = read_existing(path, dict(request.keys))
    settings = AnalysisSettings(request.metric, request.order, request.choice)
    planned = _plan(existing, settings)
    with closing(Workspace(request.out.absolute())) as workspace:
        check_inputs(workspace, {segment.path for one in existing.representations for segment in one.segments})
        _analyse(request, settings, workspace, [one.analysis for one in planned])
        presentation = _presentation(existing, planned, workspace)
        warn(presentation.video)
        pairs = zip((one.representation for one in planned), presentation.video, strict=True)
        manifest = write_indexed_mpd(existing, pairs, workspace.folder, request.facts)
        workspace.publish([one.index for one in planned], manifest)
    return presentation


@dataclass(frozen=True, slots=True)
class _Planned:
    representation: ExistingRepresentation
    analysis: PlannedAnalysis
    index: Part


def _plan(existing: ExistingPresentation, settings: AnalysisSettings) -> list[_Planned]:
    """All representations in the order of the MPD's AdaptationSets."""
    planned: list[_Planned] = []
    for representations in existing.switching_sets:
        tracks = [_track(representation) for representation in representations]
        top = max(range(len(representations)), key=lambda number: (_pixels(representations[number]), number))
        identity: Json = [top, *map(_identity, representations)]
        for representation, track in zip(representations, tracks, strict=True):
            name = f"video-{len(planned)}"
            part = analysis_part(name, identity, settings)
            cost = analyse_cost(track.frames, _pixels(representation), _pixels(representations[top]))
            analysis = PlannedAnalysis(part, track, tracks[top], cost)
            planned.append(_Planned(representation, analysis, index_part(name, part)))
    return planned


def _analyse(
    request: Request, settings: AnalysisSettings, workspace: Workspace, analyses: list[PlannedAnalysis]
) -> None:
    workspace.keep_only([analysis.part for analysis in analyses])
    missing = [analysis for analysis in analyses if find_analysis(workspace, analysis.part) is None]
    reused = len(analyses) - len(missing)
    if reused:
        say(f"reusing {reused} of {len(analyses)} representations from an earlier run")
    with (
        workers_for(request, workspace.folder) as workers,
        work_progress(sum(analysis.cost for analysis in missing)) as progress,
    ):
        progress.phase("scoring")
        for reference in {id(analysis.reference): analysis.reference for analysis in missing}.values():
            of_set = [analysis for analysis in analyses if analysis.reference is reference]
            analyse_representations(workspace, of_set, settings, workers, progress)


def _presentation(existing: ExistingPresentation, planned: list[_Planned], workspace: Workspace) -> Presentation:
    first = existing.representations[0].segment_frames
    return Presentation(
        duration=existing.duration,
        segment=SegmentDuration(first[0], sum(first) / existing.duration),
        video=[_video(one, workspace) for one in planned],
        audio=[],
    )


def _video(planned: _Planned, workspace: Workspace) -> VideoFile:
    analyses = read_analysis(workspace, planned.analysis.part)
    index = make_index(workspace, planned.index, analyses)
    representation = planned.representation
    return VideoFile(planned.analysis.track.media, representation.width, representation.height, analyses, index)


def _track(representation: ExistingRepresentation) -> VideoTrack:
    """The segments may be in several files; no file name is needed, as only the index is published."""
    ranges = [segment.range for segment in representation.segments]
    return VideoTrack(
        media=MediaFile(representation.id, "", "", ByteRange(0, 0), ranges),
        width=representation.width,
        height=representation.height,
        frames=sum(representation.segment_frames),
        segments=representation.segments,
    )


def _pixels(representation: ExistingRepresentation) -> int:
    return representation.width * representation.height


def _identity(representation: ExistingRepresentation) -> Json:
    """Changes with the media files, and with the byte ranges of the segments."""
    segments = representation.segments
    paths = dict.fromkeys([representation.addresses.initialization.path, *(segment.path for segment in segments)])
    return [[source_identity(path) for path in paths], [str(segment.range) for segment in segments]]
