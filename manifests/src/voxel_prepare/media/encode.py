"""Encodes and remuxes with FFmpeg: a fragmented MP4 file for each representation and audio track."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from voxel_prepare.errors import PreparationError
from voxel_prepare.ffmpeg import BITRATE_TOO_LOW, OnFrames, run_ffmpeg
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.media.encoders import ENCODERS, VideoSettings
from voxel_prepare.media.ladder import Representation
from voxel_prepare.media.source import AudioTrack, Source

AUDIO_BITRATE_PER_CHANNEL = 64_000
AUDIO_SAMPLE_RATE = 48_000
MAX_AUDIO_CHANNELS = 2

FOLLOW_TIMES = "async=1000:min_comp=0.005:min_hard_comp=0.02"
"""Sound follows its time stamps: a gap from .02 s on is filled with silence, a drift from .005 s on is stretched away.
By default swresample leaves gaps of up to .1 s out, and all after them comes earlier.
"""

AAC_PRIMING_SAMPLES = 1024
"""Output of FFmpeg's AAC encoder before the first sample."""

EARLY_SECONDS = 0.005
"""Copied sound that begins this little before the first picture is kept, and begins with it."""

FRAGMENTED = ("-movflags", "+frag_keyframe+empty_moov+default_base_moof+negative_cts_offsets+skip_trailer")
"""One fragment per key frame, and the first picture at time 0 without an edit list. `retime` then raises offsets."""

LEAST_FRAME_TICKS = 512
"""Duration of a frame in the timescale, or more: a few frames share one where a segment begins (`retime`)."""

NO_METADATA = ("-map_metadata", "-1", "-map_chapters", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of the source to prepare, in seconds."""

    start: float
    origin: Fraction
    """Time 0 of what is prepared, after `start`: so that the first picture lies on the grid of frames."""
    duration: Fraction


def video_arguments(
    source: Source, excerpt: Excerpt, representation: Representation, settings: VideoSettings, threads: int
) -> list[str]:
    """FFmpeg's arguments to encode one representation with so many threads, without passes and output."""
    filters = (
        f"{_from_origin('setpts', excerpt.origin + source.timeline.lag)}fps={settings.segment.rate}:start_time=0,"
        f"scale={representation.width}:{representation.height}:flags=bicubic{source.colours.scale_options()},setsar=1,"
        f"{','.join(source.colours.filters())}"
    )
    return [
        *_input(source, excerpt, source.video_stream),
        *("-map", f"0:{source.video_stream}", "-vf", filters),
        *ENCODERS[representation.codec].arguments(settings, representation.bitrate, threads),
        *("-video_track_timescale", str(_timescale(settings.segment.rate))),
        *("-threads", str(threads)),
        *NO_METADATA,
        *FRAGMENTED,
    ]


def _timescale(rate: Fraction) -> int:
    """In which a frame lasts for a whole number of ticks."""
    return rate.numerator * math.ceil(LEAST_FRAME_TICKS / rate.denominator)


async def encode_video(arguments: Sequence[str], output: Path, *, passes: int, on_frames: OnFrames) -> None:
    """Encodes one representation to `output`. `on_frames` gets the frames of all passes together."""
    if passes == 1:
        await run_ffmpeg([*arguments, "-f", "mp4", str(output)], on_frames)
        return
    statistics = ("-passlogfile", str(output.with_name(f"{output.name}.statistics")))
    written = ("-f", "mp4", str(output))
    first_pass_frames = 0

    def on_first_pass(frames: int) -> None:
        nonlocal first_pass_frames
        first_pass_frames = frames
        on_frames(frames)

    def on_second_pass(frames: int) -> None:
        on_frames(first_pass_frames + frames)

    await run_ffmpeg([*arguments, "-pass", "1", *statistics, "-f", "null", "-"], on_first_pass)
    try:
        await run_ffmpeg([*arguments, "-pass", "2", *statistics, *written], on_second_pass)
    except PreparationError as error:
        if BITRATE_TOO_LOW not in str(error):
            raise
        # x264 plans no second pass for fewer bytes than it can do with: one pass takes what it needs.
        await run_ffmpeg([*arguments, *written], on_second_pass)


def encoded_audio(track: AudioTrack) -> AudioTrack:
    """The track that `audio_arguments` produce."""
    channels = min(track.channels, MAX_AUDIO_CHANNELS)
    return replace(track, codec="aac", profile="LC", channels=channels, sample_rate=AUDIO_SAMPLE_RATE)


def audio_arguments(source: Source, excerpt: Excerpt, track: AudioTrack, segment: SegmentDuration) -> list[str]:
    """FFmpeg's arguments for one audio track: AAC, synchronous with the video and of the same duration."""
    encoded = encoded_audio(track)
    filters = (
        f"{_from_origin('asetpts', excerpt.origin)}aresample={encoded.sample_rate}:{FOLLOW_TIMES}:first_pts=0",
        # Players of fragments also play the encoder's priming: it replaces the first samples.
        f"atrim=start_sample={AAC_PRIMING_SAMPLES}",
        "asetpts=PTS-STARTPTS",
        "apad",
    )
    return [
        *_input(source, excerpt, track.stream_index),
        *("-map", f"0:{track.stream_index}", "-af", ",".join(filters), "-ac", str(encoded.channels)),
        *("-c:a", "aac", "-b:a", str(encoded.channels * AUDIO_BITRATE_PER_CHANNEL)),
        *_audio_segments(segment),
    ]


def video_copy_arguments(source: Source) -> list[str]:
    """FFmpeg's arguments to remux the video track unchanged."""
    return ["-i", _location(source), "-map", f"0:{source.video_stream}", "-c", "copy", *NO_METADATA, *FRAGMENTED]


def audio_copy_arguments(source: Source, track: AudioTrack, segment: SegmentDuration) -> list[str]:
    """FFmpeg's arguments to remux an audio track unchanged, but without what comes before the first picture, such as
    the encoder's priming.

    An edit list hides the priming in the source, but it is lost: players would play it and delay all sound.
    """
    first = float(source.timeline.first)
    # Other containers than MP4 have AAC with headers.
    unchanged = rf"aac_adtstoasc,noise=drop=lt(pts*tb\,{first - EARLY_SECONDS:.6f})"
    return [
        # A frame of AAC that was cut off, where a recording ends, is an error to decoders of browsers.
        *("-fflags", "+discardcorrupt"),
        *(*_input_with_all_tracks(source, track.stream_index), "-map", f"0:{track.stream_index}"),
        *("-c", "copy", "-bsf:a", unchanged, "-output_ts_offset", f"{-first:.6f}"),
        *_audio_segments(segment),
        # Sound that begins later says so in `tfdt`: browsers ignore the empty edit that FFmpeg writes otherwise.
        *("-hls_segment_options", "movflags=+frag_discont"),
    ]


async def write_audio(arguments: Sequence[str], output: Path) -> None:
    """Runs FFmpeg with `audio_arguments` or `audio_copy_arguments`.

    The muxer treats % in a path as a pattern: hence the relative path.
    """
    playlist = output.with_suffix(".m3u8")
    await run_ffmpeg([*arguments, "-hls_segment_filename", output.name, playlist.name], folder=output.parent)
    playlist.unlink()


def _input(source: Source, excerpt: Excerpt, stream: int) -> list[str]:
    """The input of a run that encodes one stream of an excerpt."""
    seek = ["-ss", f"{excerpt.start:.6f}"] if excerpt.start else []
    length = ["-t", f"{float(excerpt.duration):.6f}"]
    return [*seek, *_input_with_all_tracks(source, stream, length), *length]


def _input_with_all_tracks(source: Source, stream: int, length: Sequence[str] = ()) -> list[str]:
    """The input of a run that needs one stream. FFmpeg begins at the first time stamp of the streams that it reads: all
    other tracks are read, too, and go nowhere, so that each run begins at the same time.
    """
    tracks = [source.video_stream, *(track.stream_index for track in source.audio)]
    others = [word for track in tracks if track != stream for word in ("-map", f"0:{track}")]
    unused = [*others, "-c", "copy", *length, "-f", "null", "-"] if others else []
    return ["-i", _location(source), *unused]


def _from_origin(setpts: str, origin: Fraction) -> str:
    """The filter that makes this time 0."""
    return f"{setpts}=PTS-{float(origin):.9f}/TB," if origin else ""


def _location(source: Source) -> str:
    """Absolute, as FFmpeg would read text before a colon as a protocol."""
    return str(source.path.absolute())


def _audio_segments(segment: SegmentDuration) -> list[str]:
    """Uses FFmpeg's HLS muxer: it ends each segment at the frame nearest to a multiple of the duration.

    The MP4 and DASH muxers count from the end of the previous segment, and drift away from the video.
    """
    return [
        *NO_METADATA,
        *("-f", "hls", "-hls_time", f"{float(segment.seconds):.6f}", "-hls_segment_type", "fmp4"),
        *("-hls_flags", "single_file", "-hls_playlist_type", "vod", "-hls_list_size", "0"),
    ]
