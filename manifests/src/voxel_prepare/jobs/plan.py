"""What to make of the inputs: one job per media file."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from voxel_prepare.errors import InputError
from voxel_prepare.ffmpeg import ffmpeg_version
from voxel_prepare.jobs.cost import encode_cost
from voxel_prepare.jobs.request import Request
from voxel_prepare.jobs.workspace import Json, Part, source_identity
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.media.encode import (
    Excerpt,
    VideoSettings,
    audio_arguments,
    audio_copy_arguments,
    encoded_audio,
    encoder_threads,
    video_arguments,
    video_copy_arguments,
)
from voxel_prepare.media.ladder import Level, choose_levels
from voxel_prepare.media.recipes import CopyVideo, EncodeVideo, MediaRecipe, WriteAudio
from voxel_prepare.media.source import AudioTrack, Source, check_encodable, probe
from voxel_prepare.media.tracks import AAC_OBJECT_TYPES

SMALL_COST = 1.0
"""For the progress bar, where the work is copying or audio."""


@dataclass(frozen=True, slots=True)
class MediaJob:
    """A media file to make."""

    part: Part
    recipe: MediaRecipe
    cost: float
    """See cost.py."""
    frames: int = 0
    """About; 0 for audio."""
    pixels: int = 0
    """Of a frame; 0 for audio."""

    @property
    def id(self) -> str:
        """Of the representation."""
        return Path(self.part.name).stem


@dataclass(frozen=True, slots=True)
class AudioJob:
    """An audio file to make."""

    job: MediaJob
    track: AudioTrack
    """As it will be."""


@dataclass(frozen=True, slots=True)
class Plan:
    """All media files of a presentation."""

    segment: SegmentDuration
    video: list[MediaJob]
    """Ascending in bitrate."""
    audio: list[AudioJob]

    @property
    def media(self) -> list[MediaJob]:
        """Video and audio."""
        return [*self.video, *(audio.job for audio in self.audio)]

    @property
    def reference(self) -> MediaJob:
        """The top level: what all others are compared with."""
        return max(self.video, key=lambda job: (job.pixels, self.video.index(job)))


def make_plan(request: Request) -> Plan:
    """Looks at the inputs. Raises `InputError`."""
    return _plan_copy(request) if request.media == "copy" else _plan_encode(request)


def _plan_encode(request: Request) -> Plan:
    source = probe(request.inputs[0])
    check_encodable(source)
    excerpt = _excerpt(source, request)
    levels = choose_levels(source.width, source.height, request.levels)
    segment = SegmentDuration.nearest(request.segment_seconds, source.rate)
    settings = VideoSettings(request.preset, request.passes, request.slices, segment)
    return Plan(
        segment=segment,
        video=[_encode_job(source, excerpt, level, settings) for level in levels],
        audio=[
            AudioJob(_audio_job(index, source, audio_arguments(source, excerpt, track, segment)), encoded_audio(track))
            for index, track in enumerate(source.audio)
        ],
    )


def _encode_job(source: Source, excerpt: Excerpt, level: Level, settings: VideoSettings) -> MediaJob:
    arguments = video_arguments(source, excerpt, level, settings)
    frames = round(excerpt.duration * source.rate)
    pixels = level.width * level.height
    threads = encoder_threads(pixels)
    return MediaJob(
        part=_part(f"{level.id}.mp4", source, arguments, settings.passes, threads),
        recipe=EncodeVideo(tuple(arguments), settings.passes, threads, frames, settings.segment),
        cost=encode_cost(frames, pixels, settings.preset, settings.passes),
        frames=frames,
        pixels=pixels,
    )


def _audio_job(index: int, source: Source, arguments: Sequence[str]) -> MediaJob:
    return MediaJob(_part(f"audio-{index}.mp4", source, arguments), WriteAudio(tuple(arguments)), cost=SMALL_COST)


def _excerpt(source: Source, request: Request) -> Excerpt:
    rest = source.duration - request.start
    if rest * source.rate < 1:
        raise InputError(f"--start {request.start:g} is behind the end of {source.path} ({source.duration:g} s)")
    return Excerpt(request.start, min(rest, request.duration or rest))


def _plan_copy(request: Request) -> Plan:
    """The inputs as they are, the smallest file first; audio from the first input that has any."""
    sources = [probe(path) for path in sorted(request.inputs, key=_file_size)]
    segment = SegmentDuration.nearest(request.segment_seconds, sources[0].rate)
    for source in sources:
        if source.video_codec != "h264":
            raise InputError(f"{source.path}: {source.video_codec} video; --copy takes H.264 only")
        if source.rate != sources[0].rate:
            raise InputError(f"{source.path}: its frame rate differs from that of {sources[0].path}")
    with_audio = next(
        (source for path in request.inputs for source in sources if source.path == path and source.audio), None
    )
    return Plan(
        segment=segment,
        video=[_copy_job(index, source, segment) for index, source in enumerate(sources)],
        audio=_copied_audio(with_audio, segment) if with_audio else [],
    )


def _file_size(path: Path) -> int:
    """0 for what is no file: `probe` says so."""
    return path.stat().st_size if path.is_file() else 0


def _copy_job(index: int, source: Source, segment: SegmentDuration) -> MediaJob:
    arguments = video_copy_arguments(source)
    frames = round(source.duration * source.rate)
    return MediaJob(
        part=_part(f"q{index:02}.mp4", source, arguments, str(segment)),
        recipe=CopyVideo(source.path.absolute(), tuple(arguments), frames, segment),
        cost=SMALL_COST,
        frames=frames,
        pixels=source.width * source.height,
    )


def _copied_audio(source: Source, segment: SegmentDuration) -> list[AudioJob]:
    jobs = []
    for index, track in enumerate(source.audio):
        if track.codec != "aac" or track.profile not in AAC_OBJECT_TYPES:
            raise InputError(f"{source.path}: {track.codec} audio {track.profile}; --copy takes AAC only")
        jobs.append(AudioJob(_audio_job(index, source, audio_copy_arguments(source, track, segment)), track))
    return jobs


def _part(name: str, source: Source, *facts: Json) -> Part:
    return Part.of(name, [ffmpeg_version(), source_identity(source.path), *facts])
