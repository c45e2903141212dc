"""A VOXEL stream of an existing DASH presentation: an index for each representation, and a copy of the MPD."""

from collections.abc import Sequence

from voxel_prepare.analysis.analyse import AnalysisSettings
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.jobs.cost import analyse_cost
from voxel_prepare.jobs.job import Json, source_identity
from voxel_prepare.jobs.plan import PlannedMedia
from voxel_prepare.jobs.planned import PlannedSet, plan_representation
from voxel_prepare.jobs.progress import say
from voxel_prepare.jobs.request import Request
from voxel_prepare.jobs.workspace import Part, Workspace
from voxel_prepare.manifest.existing import ExistingRepresentation, read_existing
from voxel_prepare.manifest.indexed_mpd import write_indexed_mpd
from voxel_prepare.manifest.mpd import MediaFile, Presentation, VideoFile, check_attributes
from voxel_prepare.manifest.mpd_file import MANIFEST
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.media.recipes import OnShare
from voxel_prepare.media.tracks import VideoTrack


class IndexedPresentation:
    """Indexes for media that stay as they are. The sets are those of the MPD: its AdaptationSets, in their order."""

    called = "representations"
    """What is made, in messages."""
    texts: Sequence[str] = (MANIFEST,)
    """What is written under the same name every time."""
    media: Sequence[PlannedMedia] = ()

    making = ""
    """No media."""

    def __init__(self, request: Request, settings: AnalysisSettings, _: OnShare) -> None:
        """Reads the MPD, the only input. Raises `InputError`."""
        path = request.inputs[0]
        self._facts = request.facts
        self._existing = existing = read_existing(path, dict(request.keys))
        check_attributes(request.facts, (one.segments[0].codec for one in existing.representations))
        for warning in existing.warnings:
            say(f"warning: {path}: {warning}")
        self.inputs = {segment.path for one in existing.representations for segment in one.segments}
        self.sets: list[PlannedSet] = []
        for of_set in existing.switching_sets:
            reference = max(range(len(of_set)), key=lambda number: (_pixels(of_set[number]), number))
            identity: Json = [reference, *map(_identity, of_set)]
            first = sum(len(one.representations) for one in self.sets)
            planned = [
                plan_representation(
                    f"video-{first + number}",
                    identity,
                    settings,
                    analyse_cost(sum(one.segment_frames), _pixels(one), _pixels(of_set[reference])),
                )
                for number, one in enumerate(of_set)
            ]
            self.sets.append(PlannedSet(planned, reference))

    def tracks(self, _: Workspace) -> list[list[VideoTrack]]:
        """The representations of the sets."""
        return [[_track(one) for one in of_set] for of_set in self._existing.switching_sets]

    def presentation(self, _: Workspace, tracks: object, ladders: Sequence[Sequence[VideoFile]]) -> Presentation:
        """The video alone, of which all is known that is used."""
        first = self._existing.representations[0]
        frames = first.segment_frames
        segment = SegmentDuration(frames[0], sum(frames) / first.duration)
        return Presentation(self._existing.duration, segment, ladders, audio=[])

    def publish(self, workspace: Workspace, parts: Sequence[Part], presentation: Presentation) -> None:
        """Publishes `parts`, all of them indexes, with the copy of the MPD."""
        pairs = zip(self._existing.representations, presentation.video, strict=True)
        workspace.publish(parts, write_indexed_mpd(self._existing, pairs, workspace.folder, self._facts))


def _track(representation: ExistingRepresentation) -> VideoTrack:
    """The segments may be in several files; no file name is needed, as only the index is published."""
    ranges = [segment.range for segment in representation.segments]
    return VideoTrack(
        media=MediaFile(representation.name, "", "", ByteRange(0, 0), ranges, representation.duration),
        width=representation.width,
        height=representation.height,
        frames=sum(representation.segment_frames),
        segments=representation.segments,
    )


def _pixels(representation: ExistingRepresentation) -> int:
    return representation.width * representation.height


def _identity(representation: ExistingRepresentation) -> Json:
    """Changes with the media files, with the byte ranges of the segments, and with which of them have their keys."""
    segments = representation.segments
    paths = dict.fromkeys([representation.addresses.initialization.path, *(segment.path for segment in segments)])
    places: list[Json] = [str(segment.range) for segment in segments]
    return [[source_identity(path) for path in paths], places, [segment.is_opaque for segment in segments]]
