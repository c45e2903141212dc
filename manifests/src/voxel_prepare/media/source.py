"""Examines a source file, and rejects what cannot be prepared."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
from av.container import InputContainer
from av.error import ArgumentError, FFmpegError
from av.stream import Disposition
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from voxel_prepare.errors import InputError
from voxel_prepare.ffmpeg import (
    ANY_TAGS,
    INPUT_OPTIONS,
    OnBytes,
    available_filters,
    ffmpeg_program,
    list_packets,
)
from voxel_prepare.isobmff.encryption import WHY_NOT_ENCRYPTED, has_encrypted_tracks
from voxel_prepare.media.colours import TONE_MAPPING_FILTERS, Colours
from voxel_prepare.media.timeline import LEAST_INTERVAL, Timeline, read_timeline

DOLBY_VISION_TAGS = {"dvh1", "dvhe", "dva1", "dvav"}
"""Codec tags of video that needs a decoder for Dolby Vision, unless its base layer is ordinary HDR."""

WHY_NOT_DOLBY_VISION = "Dolby Vision without a base layer for others (profile 5): export it as HLG or HDR10"

PROBED_FRAMES = 10

FIELD_ORDER_PROGRESSIVE = 1
"""AV_FIELD_PROGRESSIVE; 0 is unknown, everything above is interlaced."""

NTSC = Fraction(1000, 1001)

STANDARD_RATES = (
    *(Fraction(rate) for rate in (10, 12, 15, 24, 25, 30, 48, 50, 60)),
    *(rate * NTSC for rate in (24, 30, 60)),
)

RATE_TOLERANCE = Fraction(1, 2500)
"""Less than the 0.1 % between 24 and 23.976 frames per second, more than the error of rounded time stamps."""


@dataclass(frozen=True, slots=True)
class AudioTrack:
    """An audio track of a source or of the output."""

    stream_index: int
    language: str
    """ISO 639-2; `und` if the file does not state it."""
    channels: int
    sample_rate: int
    """Hz."""
    codec: str
    """FFmpeg's name of the codec, such as `aac`."""
    profile: str
    """Profile such as `LC`; empty if the codec has no profiles."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file with a video track to prepare, and any number of audio tracks."""

    path: Path
    video_stream: int
    video_codec: str
    width: int
    """Width as displayed, upright, in square pixels."""
    height: int
    rate: Fraction
    """Frames per second to encode at: the source's own if it is constant, otherwise the standard one nearest to that
    of its busy parts."""
    timeline: Timeline
    colours: Colours
    codec_tag: str
    """Four characters of the container's; may be empty."""
    is_interlaced: bool
    audio: tuple[AudioTrack, ...]


def probe(path: Path, on_bytes: OnBytes = lambda size: None) -> Source:
    """Decodes the first frames of `path` and reads the times of all, which takes a while. Raises `InputError`."""
    with _open(path) as container:
        if has_encrypted_tracks(path):
            raise InputError(f"{path}: {WHY_NOT_ENCRYPTED}")
        stream = _video_stream(container, path)
        frames, delay = _first_frames(container, stream, path)
        audio = _audio_tracks(container)
        tracks = [stream.index, *(track.stream_index for track in audio)]
        timeline = read_timeline(list_packets(path, tracks, on_bytes), delay)
        if timeline is None:
            raise InputError(f"{path}: not a video: no picture has a time")
        width, height = _display_size(frames[0], stream.sample_aspect_ratio or Fraction(1))
        field_order = stream.codec_context.field_order
        return Source(
            path=path,
            video_stream=stream.index,
            video_codec=stream.codec.canonical_name,
            width=width,
            height=height,
            rate=_rate(timeline, stream.average_rate),
            timeline=timeline,
            colours=_colours(frames[0]),
            codec_tag=stream.codec_tag,
            is_interlaced=field_order > FIELD_ORDER_PROGRESSIVE or any(frame.interlaced_frame for frame in frames),
            audio=audio,
        )


def check_encodable(source: Source) -> None:
    """Raises `InputError` unless the pictures can be made progressive 8-bit SDR as they are."""
    if source.is_interlaced:
        raise InputError(
            f"{source.path}: the video must be progressive, found interlaced: deinterlace it first (ffmpeg -vf bwdif)"
        )
    if source.codec_tag in DOLBY_VISION_TAGS and source.colours.hdr is None:
        raise InputError(f"{source.path}: {WHY_NOT_DOLBY_VISION}")
    missing = set(TONE_MAPPING_FILTERS) - available_filters() if source.colours.hdr is not None else set()
    if missing:
        raise InputError(
            f"{source.path}: HDR ({source.colours.hdr}) must be tone-mapped, and {ffmpeg_program()} has no filter "
            f"{', '.join(sorted(missing))}: name an FFmpeg with libzimg in IMAGEIO_FFMPEG_EXE, such as Debian's"
        )


def _rate(timeline: Timeline, stated: Fraction | None) -> Fraction:
    """The rate to encode at; what the file states is more exact where the measured one is within rounding of it."""
    if not timeline.is_constant:
        return min(STANDARD_RATES, key=lambda rate: abs(rate - timeline.rate))
    rounding = 2 * LEAST_INTERVAL / timeline.duration
    is_right = stated is not None and abs(stated / timeline.rate - 1) <= max(RATE_TOLERANCE, rounding)
    rate = stated if stated is not None and is_right else timeline.rate
    return output_rate(rate, rate)


def output_rate(average: Fraction, base: Fraction | None) -> Fraction:
    """The constant frame rate for a stream with that average; `base` is the lowest rate that fits all time stamps."""
    is_constant = base is not None and abs(base / average - 1) < RATE_TOLERANCE
    nearest = min(STANDARD_RATES, key=lambda rate: abs(rate - average))
    if is_constant and abs(nearest / average - 1) >= RATE_TOLERANCE and average <= max(STANDARD_RATES):
        return average.limit_denominator(1001)
    return nearest


def _open(path: Path) -> InputContainer:
    if not path.exists():
        raise InputError(f"{path}: no such file")
    if not path.is_file():
        raise InputError(f"{path}: expected a file, found a folder or device")
    try:
        return av.open(str(path.absolute()), options=INPUT_OPTIONS, metadata_errors=ANY_TAGS)
    except PermissionError as error:
        raise InputError(f"{path}: permission denied") from error
    except ArgumentError as error:
        supported = "MP4, Matroska, WebM, MPEG-TS, AVI or another container"
        raise InputError(f"{path}: not a video in {supported}; playlists and pictures are not read") from error
    except FFmpegError as error:
        raise InputError(f"{path}: not a video") from error


def moving_pictures(container: InputContainer) -> VideoStream | None:
    """The first video stream that is not a cover picture."""
    return next((one for one in container.streams.video if not one.disposition & Disposition.attached_pic), None)


def _video_stream(container: InputContainer, path: Path) -> VideoStream:
    stream = moving_pictures(container)
    if stream is None:
        raise InputError(f"{path}: expected a video track, found none")
    return stream


def _first_frames(container: InputContainer, stream: VideoStream, path: Path) -> tuple[list[VideoFrame], int]:
    """The first frames, and how many packets are decoded before the one with which the first comes out."""
    frames: list[VideoFrame] = []
    delay = 0
    try:
        for packet in container.demux(stream):
            frames += packet.decode()
            delay += not frames
            if len(frames) >= PROBED_FRAMES:
                break
    except FFmpegError as error:
        raise InputError(f"{path}: the video cannot be decoded: {error.strerror}") from error
    if not frames:
        raise InputError(f"{path}: not a video: no frames found")
    return frames, delay


def _display_size(frame: VideoFrame, sample_aspect_ratio: Fraction) -> tuple[int, int]:
    width, height = round(frame.width * sample_aspect_ratio), frame.height
    return (height, width) if frame.rotation % 180 == 90 else (width, height)


def _colours(frame: VideoFrame) -> Colours:
    return Colours(frame.color_primaries, frame.color_trc, frame.colorspace, frame.format.is_rgb)


def _audio_tracks(container: InputContainer) -> tuple[AudioTrack, ...]:
    return tuple(
        AudioTrack(
            stream_index=stream.index,
            language=stream.language or "und",
            channels=stream.codec_context.channels,
            sample_rate=stream.codec_context.sample_rate,
            codec=stream.codec_context.name,
            profile=stream.profile or "",
        )
        for stream in container.streams.audio
    )
