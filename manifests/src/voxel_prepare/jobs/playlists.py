"""The playlists of a presentation, and with `--hls-files` a file for each of their segments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from voxel_prepare.analysis.segment_analysis import SCORE_DECIMALS
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.jobs.plan import PlannedMedia
from voxel_prepare.jobs.workspace import Part, Workspace
from voxel_prepare.manifest.hls_playlists import MULTIVARIANT, media_playlist, multivariant_playlist
from voxel_prepare.manifest.index_file import write_index
from voxel_prepare.manifest.mpd import MediaFile, Presentation, SegmentFiles, VideoFile


@dataclass(frozen=True, slots=True)
class Playlists:
    """What is published of them."""

    parts: Sequence[Part]
    beside: Mapping[str, bytes]
    """Files whose names stay, with their content."""


def make_playlists(workspace: Workspace, presentation: Presentation) -> Playlists:
    """A media playlist for each file, by the id of the file, and the multivariant one."""
    files = [*(one.media for one in presentation.video), *(one.media for one in presentation.audio)]
    contents = {media.id: media_playlist(media, presentation) for media in files}
    parts = {
        id_: _made(workspace, Part.of(f"{id_}.m3u8", content.decode()), content) for id_, content in contents.items()
    }
    names = {id_: workspace.published_name(part) for id_, part in parts.items()}
    return Playlists([*parts.values()], {MULTIVARIANT: multivariant_playlist(presentation, names)})


def in_segment_files(
    workspace: Workspace, presentation: Presentation, media: Sequence[PlannedMedia]
) -> tuple[Presentation, list[Part]]:
    """The presentation with a file for each segment, from whose start the positions in indexes count; their parts."""
    sources = {one.id: one.part for one in media}
    parts: list[Part] = []

    def split(file: MediaFile) -> MediaFile:
        source = sources[file.id]
        path = workspace.path(source)

        def cut(name: str, range_: ByteRange) -> str:
            part = Part.of(name, [source.key, str(range_)])
            if workspace.find(part) is None:
                with workspace.make(part) as own, path.open("rb") as data:
                    data.seek(range_.start)
                    own.write_bytes(data.read(range_.size))
            parts.append(part)
            return workspace.published_name(part)

        segments = [cut(f"{file.id}-{number}.m4s", range_) for number, range_ in enumerate(file.segments, start=1)]
        return replace(file, files=SegmentFiles(cut(f"{file.id}-init.mp4", file.initialization), segments))

    def own_index(id_: str, index: bytes) -> str:
        parts.append(_made(workspace, Part.of(f"{id_}-files.index", index.hex()), index))
        return workspace.published_name(parts[-1])

    def own_video(one: VideoFile) -> VideoFile:
        index = write_index([analysis.from_start() for analysis in one.analyses], SCORE_DECIMALS)
        return replace(one, media=split(one.media), index=own_index(one.media.id, index))

    ladders = [[own_video(one) for one in ladder] for ladder in presentation.ladders]
    audio = [replace(one, media=split(one.media)) for one in presentation.audio]
    return replace(presentation, ladders=ladders, audio=audio), parts


def _made(workspace: Workspace, part: Part, content: bytes) -> Part:
    """The part, written unless it is finished from an earlier run."""
    if workspace.find(part) is None:
        with workspace.make(part) as path:
            path.write_bytes(content)
    return part
