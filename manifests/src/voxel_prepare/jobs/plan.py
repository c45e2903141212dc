"""Which media files to make from the inputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

from voxel_prepare.codecs import TITLES, codec_named
from voxel_prepare.errors import InputError
from voxel_prepare.ffmpeg import ffmpeg_version
from voxel_prepare.jobs.cost import encode_cost
from voxel_prepare.jobs.job import Json, source_identity
from voxel_prepare.jobs.progress import say
from voxel_prepare.jobs.request import Request
from voxel_prepare.jobs.workspace import Part
from voxel_prepare.manifest.mpd import check_attributes
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.media.encode import (
    Excerpt,
    audio_arguments,
    audio_copy_arguments,
    encoded_audio,
    video_arguments,
    video_copy_arguments,
)
from voxel_prepare.media.encoders import ENCODERS, CodecName, VideoSettings
from voxel_prepare.media.ladder import Representation, choose_representations, ladder_id
from voxel_prepare.media.recipes import VIDEO_FORM, CopyVideo, EncodeVideo, MediaRecipe, OnShare, WriteAudio
from voxel_prepare.media.source import AudioTrack, Source, check_encodable, probe
from voxel_prepare.media.timeline import LEAST_INTERVAL
from voxel_prepare.media.tracks import AAC_OBJECT_TYPES

SMALL_COST = 1.0
"""Cost of copying or of audio, for the progress bar."""

MOST_LATE_SECONDS = Fraction(1, 10)
"""Browsers begin to play where sound begins so much later than pictures."""


@dataclass(frozen=True, slots=True)
class PlannedMedia:
    """A media file to make."""

    part: Part
    source: Path
    recipe: MediaRecipe
    cost: float
    """Estimated work, see cost.py."""
    frames: int = 0
    """Approximate number; 0 for audio."""
    pixels: int = 0
    """Per frame; 0 for audio."""

    @property
    def id(self) -> str:
        """Id of the representation in the MPD."""
        return Path(self.part.name).stem


@dataclass(frozen=True, slots=True)
class PlannedAudio:
    """An audio file to make."""

    media: PlannedMedia
    track: AudioTrack
    """The track in the output."""


@dataclass(frozen=True, slots=True)
class PlannedLadder:
    """The representations of one codec."""

    video: list[PlannedMedia]
    """Ascending in bitrate."""

    @property
    def reference(self) -> PlannedMedia:
        """The top representation, with which all others are compared."""
        return max(self.video, key=lambda media: (media.pixels, self.video.index(media)))


@dataclass(frozen=True, slots=True)
class Plan:
    """All media files of a presentation."""

    segment: SegmentDuration
    ladders: list[PlannedLadder]
    """One for each codec, the preferred one first."""
    audio: list[PlannedAudio]

    @property
    def video(self) -> list[PlannedMedia]:
        """That of all ladders."""
        return [media for ladder in self.ladders for media in ladder.video]

    @property
    def media(self) -> list[PlannedMedia]:
        """Video and audio."""
        return [*self.video, *(audio.media for audio in self.audio)]


def make_plan(request: Request, on_share: OnShare = lambda share: None) -> Plan:
    """Examines the inputs; `on_share` gets the share that has been read. Raises `InputError`."""
    # By size, as copies are ascending in bitrate.
    sources = _probe_all(sorted(request.inputs, key=_file_size), on_share)
    return _plan_copy(request, sources) if request.media == "copy" else _plan_encode(request, sources[0])


def _probe_all(paths: Sequence[Path], on_share: OnShare) -> list[Source]:
    total = max(1, sum(map(_file_size, paths)))
    sources = []
    before = 0
    for path in paths:
        sources.append(probe(path, partial(_share_read, on_share, before, total)))
        before += _file_size(path)
    return sources


def _share_read(on_share: OnShare, before: int, total: int, size: int) -> None:
    on_share((before + size) / total)


def _plan_encode(request: Request, source: Source) -> Plan:
    check_encodable(source)
    check_attributes(request.facts, filter(None, map(codec_named, request.codecs)))
    excerpt = _excerpt(source, request)
    if source.colours.hdr is not None:
        say(f"{source.path}: HDR ({source.colours.hdr}): tone-mapped to SDR (BT.709)")
    if not source.timeline.is_constant:
        say(f"{source.path}: its frame rate is variable: prepared at {float(source.rate):g}, that of its busy parts")
    segment = SegmentDuration.nearest(request.segment_seconds, source.rate)
    settings = VideoSettings(request.preset, request.passes, request.slices, segment, request.profile)
    return Plan(
        segment=segment,
        ladders=[_encoded_ladder(codec, request, source, excerpt, settings) for codec in request.codecs],
        audio=[
            PlannedAudio(_audio(index, source, audio_arguments(source, excerpt, track, segment)), encoded_audio(track))
            for index, track in enumerate(source.audio)
        ],
    )


def _encoded_ladder(
    codec: CodecName, request: Request, source: Source, excerpt: Excerpt, settings: VideoSettings
) -> PlannedLadder:
    try:
        representations = choose_representations(source.width, source.height, request.representations, codec)
    except InputError as error:
        raise InputError(f"{source.path}: {error}") from error
    return PlannedLadder([_encoded_video(source, excerpt, one, settings) for one in representations])


def _encoded_video(
    source: Source, excerpt: Excerpt, representation: Representation, settings: VideoSettings
) -> PlannedMedia:
    encoder = ENCODERS[representation.codec]
    pixels = representation.width * representation.height
    passes, threads = encoder.passes(settings.passes), encoder.threads(pixels)
    arguments = video_arguments(source, excerpt, representation, settings, threads)
    frames = round(excerpt.duration * source.rate)
    return PlannedMedia(
        part=_part(f"{representation.id}.mp4", source, arguments, passes, VIDEO_FORM),
        source=source.path,
        recipe=EncodeVideo(tuple(arguments), passes, frames, settings.segment),
        cost=encode_cost(frames, pixels, settings.preset, passes * encoder.cost),
        frames=frames,
        pixels=pixels,
    )


def _audio(index: int, source: Source, arguments: Sequence[str]) -> PlannedMedia:
    part = _part(f"audio-{index}.mp4", source, arguments)
    return PlannedMedia(part, source.path, WriteAudio(tuple(arguments)), cost=SMALL_COST)


def _excerpt(source: Source, request: Request) -> Excerpt:
    """From `--start` on or, where that is before all, from the first picture or sound; or less than a frame later: so
    that pictures are shown just when they were.
    """
    start, timeline = Fraction(request.start), source.timeline
    begin = max(Fraction(0), min([timeline.first, *timeline.sounds.values()]) - start)
    later = (timeline.middle - start - begin) % (1 / source.rate)
    # Time stamps are rounded: a first picture just before its place is on the grid.
    origin = begin + (later if later < 1 / source.rate - LEAST_INTERVAL else 0)
    rest = timeline.end - start - origin
    if rest * source.rate < 1:
        raise InputError(
            f"--start must be before the end of {source.path} at {float(timeline.end):g} s, got {request.start:g}"
        )
    return Excerpt(request.start, origin, min(rest, Fraction(request.duration or rest)))


def _plan_copy(request: Request, sources: Sequence[Source]) -> Plan:
    """Copies the inputs, and the audio of the first input that has any."""
    segment = SegmentDuration.nearest(request.segment_seconds, sources[0].rate)
    for source in sources:
        codec = codec_named(source.video_codec)
        if codec is None:
            raise InputError(f"{source.path}: --copy takes {TITLES} video only, found {source.video_codec}")
        check_attributes(request.facts, [codec])
        if not source.timeline.is_stated:
            raise InputError(
                f"{source.path}: does not state when its pictures are shown, as raw streams and AVI do not, and --copy "
                "cannot tell: encode it, without --copy"
            )
        if source.timeline.hidden:
            raise InputError(
                f"{source.path}: an edit list hides the first {float(source.timeline.hidden):.2f} s of its pictures, "
                "which --copy cannot cut: encode it, without --copy"
            )
        if source.rate != sources[0].rate:
            expected = f"{float(sources[0].rate):g} frames/s as in {sources[0].path}"
            raise InputError(f"{source.path}: expected {expected}, found {float(source.rate):g}")
    with_audio = next(
        (source for path in request.inputs for source in sources if source.path == path and source.audio), None
    )
    return Plan(
        segment=segment,
        ladders=_copied_ladders(request, sources, segment),
        audio=_copied_audio(with_audio, segment) if with_audio else [],
    )


def _file_size(path: Path) -> int:
    """0 if it is not a file, which `probe` reports."""
    return path.stat().st_size if path.is_file() else 0


def _copied_ladders(request: Request, sources: Sequence[Source], segment: SegmentDuration) -> list[PlannedLadder]:
    """Those of the inputs' codecs; players prefer the codec of the first input."""
    codecs = {source.path: source.video_codec for source in sources}
    of_codecs = [
        [source for source in sources if source.video_codec == codec]
        for codec in dict.fromkeys(codecs[path] for path in request.inputs)
    ]
    return [
        PlannedLadder([_copied_video(index, source, segment) for index, source in enumerate(of_codec)])
        for of_codec in of_codecs
    ]


def _copied_video(index: int, source: Source, segment: SegmentDuration) -> PlannedMedia:
    arguments = video_copy_arguments(source)
    frames = round(source.timeline.duration * source.rate)
    return PlannedMedia(
        part=_part(f"{ladder_id(source.video_codec, index)}.mp4", source, arguments, str(segment), VIDEO_FORM),
        source=source.path,
        recipe=CopyVideo(tuple(arguments), frames, segment),
        cost=SMALL_COST,
        frames=frames,
        pixels=source.width * source.height,
    )


def _copied_audio(source: Source, segment: SegmentDuration) -> list[PlannedAudio]:
    planned = []
    for index, track in enumerate(source.audio):
        late = source.timeline.sounds.get(index + 1, source.timeline.first) - source.timeline.first
        if late > MOST_LATE_SECONDS:
            raise InputError(
                f"{source.path}: its sound begins {float(late):.2f} s after its pictures, where --copy has no sound to "
                "put: encode it, without --copy"
            )
        if late < -MOST_LATE_SECONDS:
            say(f"{source.path}: left out the first {float(-late):.2f} s of sound, before the first picture")
        if track.codec != "aac" or track.profile not in AAC_OBJECT_TYPES:
            raise InputError(f"{source.path}: --copy takes AAC audio only, found {track.codec} {track.profile}")
        planned.append(PlannedAudio(_audio(index, source, audio_copy_arguments(source, track, segment)), track))
    return planned


def _part(name: str, source: Source, *facts: Json) -> Part:
    return Part.of(name, [ffmpeg_version(), source_identity(source.path), *facts])
