"""Live encoders: pictures in, frames in decode order out, with as little delay as droppable frames allow."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from av.codec.context import Flags
from av.error import FFmpegError
from av.packet import Packet
from av.video.codeccontext import VideoCodecContext
from av.video.frame import PictureType, VideoFrame
from av.video.reformatter import Interpolation, VideoReformatter
from av.video.stream import VideoStream

from voxel_prepare.codecs import codec_named
from voxel_prepare.errors import PreparationError
from voxel_prepare.live.gop import Gop
from voxel_prepare.media.encoders import CodecName
from voxel_prepare.media.ladder import Representation

LONG_RUN_SECONDS = 0.75
"""Latency target from which on there is time for three B pictures in a row, which delay by three frames."""

LONG_RUN, SHORT_RUN = 3, 1
CHUNK_FRAMES, SHORT_CHUNK_FRAMES = 4, 2

LEAST_CHUNKS = 4
"""Least number of chunks of a segment: players estimate the throughput from the times between chunks."""

X264 = "b-adapt=0:rc-lookahead=0:sync-lookahead=0:mbtree=0:force-cfr=1:scenecut=0:b-pyramid=normal"
"""The frames' types are fixed, and nothing is looked at ahead."""

SEARCH = "partitions=i8x8,i4x4:me=dia"
"""Search of `veryfast`, without inter partitions below 16x8 and with the smaller search.

It takes 25 to 33 % less work, at an SSIM lower by .0002.
"""

SVT_PRESET = 11
"""SVT-AV1 makes the same of higher ones in low delay. 10 takes 1.3 to 2 times the time."""

SVT_AV1 = "pred-struct=1:rc=2:lp=1:scd=0:irefresh-type=2"
"""Low delay, in which no picture is held back, at a constant bitrate, in closed groups of pictures."""

SVT_QUIET = "1"
"""SVT-AV1 says errors only (`SVT_LOG`)."""

BUFFER_SECONDS = Fraction(1, 2)
"""Buffer of the rate control: no frame is so large that the link needs longer for it."""


@dataclass(frozen=True, slots=True)
class FrameChoice:
    """Which frames the encoder makes, and how many make a chunk."""

    segment_frames: int
    run: int
    """B pictures in a row, of H.264."""
    chunk_frames: int
    """Those of all chunks of a segment but the first and the last one."""
    codec: CodecName = CodecName.H264
    is_copied: bool = False
    """Another encoder makes them: which ones is read from what it sends."""

    @classmethod
    def of(
        cls, segment_frames: int, latency: float, chunk_frames: int | None, codec: CodecName = CodecName.H264
    ) -> "FrameChoice":
        """The choice for a latency target in seconds; `chunk_frames`: at most so many, None for those that suit it.

        A chunk has whole groups of a P picture and the B pictures before it.
        """
        is_long = latency >= LONG_RUN_SECONDS
        suitable = min(CHUNK_FRAMES if is_long else SHORT_CHUNK_FRAMES, max(1, segment_frames // LEAST_CHUNKS))
        most = chunk_frames or suitable
        run = min(LONG_RUN if is_long else SHORT_RUN, max(0, segment_frames - 2), most - 1)
        run = run if codec == CodecName.H264 else 0
        return cls(segment_frames, run, most - most % (run + 1), codec)

    def gop(self, frames: int) -> Gop:
        """A closed GOP of so many frames."""
        return Gop.of_runs(frames, self.run) if self.codec == CodecName.H264 else Gop.of_layers(frames)

    @property
    def first_chunk_frames(self) -> int:
        """Those of a segment's first chunk: with B pictures the I frame alone, so that the next ones begin with P."""
        return 1 if self.run else self.chunk_frames

    def chunk_of(self, position: int) -> int:
        """The place in its segment of the chunk that has the frame at a position in decode order."""
        return (position - self.first_chunk_frames) // self.chunk_frames + 1

    @property
    def delay_frames(self) -> int:
        """Pictures that the encoder holds back."""
        return self.run


@dataclass(frozen=True, slots=True)
class EncodedFrame:
    """A frame as it comes out of an encoder."""

    data: bytes
    """A sample."""
    time: int
    """When it is presented, in frames since media time 0."""
    is_sync: bool


class RepresentationEncoder:
    """Encodes one representation, in one thread."""

    def __init__(self, settings: Representation, rate: Fraction, choice: FrameChoice) -> None:
        """Raises `PreparationError` for a size that the encoder does not take."""
        name, options = (_x264 if choice.codec == CodecName.H264 else _svt_av1)(settings.bitrate, choice)
        encoder = VideoCodecContext.create(name, "w")
        assert isinstance(encoder, VideoCodecContext)
        encoder.width, encoder.height, encoder.pix_fmt = settings.width, settings.height, "yuv420p"
        encoder.time_base, encoder.framerate = 1 / rate, rate
        encoder.bit_rate, encoder.gop_size = settings.bitrate, choice.segment_frames
        encoder.thread_count = 1
        encoder.flags |= Flags.global_header
        encoder.options = options
        try:
            encoder.open()
        except FFmpegError as error:
            raise PreparationError(
                f"{name} cannot encode {settings.width}x{settings.height}: {error.strerror}"
            ) from error
        codec = codec_named(encoder.codec.canonical_name)
        assert codec is not None, "the encoder is one of a codec that can be repaired"
        self.codec = codec.encoded(bytes(encoder.extradata or b""))
        self._encoder = encoder
        self._reformatter = VideoReformatter()
        self._time_base = 1 / rate

    def encode(self, picture: VideoFrame, time: int) -> Iterator[EncodedFrame]:
        """The frames that are finished with this picture, which is presented at `time` (see `EncodedFrame`).

        Leaves the picture as it is, and makes no copy of a `stamped` one of the right size and format.
        """
        scaled = self._reformatter.reformat(
            picture,
            self._encoder.width,
            self._encoder.height,
            "yuv420p",
            interpolation=Interpolation.BILINEAR,
            threads=1,
        )
        if scaled is picture and _stamp(picture) != (time, self._time_base, PictureType.NONE):
            scaled = VideoFrame.from_ndarray(picture.to_ndarray(), format="yuv420p")
        if scaled is not picture:
            stamped(scaled, time, self._time_base)
        yield from map(self._frame, self._encoder.encode(scaled))

    def flush(self) -> Iterator[EncodedFrame]:
        """The frames that are held back; nothing can be encoded afterwards."""
        yield from map(self._frame, self._encoder.encode(None))

    def _frame(self, packet: "Packet[VideoStream]") -> EncodedFrame:
        assert packet.pts is not None, "the encoder was given time stamps"
        return EncodedFrame(self.codec.to_sample(bytes(packet)), packet.pts, packet.is_keyframe)


def _x264(bitrate: int, choice: FrameChoice) -> tuple[str, dict[str, str]]:
    """Name and options of the encoder."""
    buffer = f"vbv-maxrate={bitrate // 1000}:vbv-bufsize={int(bitrate * BUFFER_SECONDS) // 1000}"
    frames = f"keyint={choice.segment_frames}:bframes={choice.run}"
    return "libx264", {"preset": "veryfast", "x264-params": f"{X264}:{SEARCH}:{frames}:{buffer}"}


def _svt_av1(_: int, choice: FrameChoice) -> tuple[str, dict[str, str]]:
    os.environ.setdefault("SVT_LOG", SVT_QUIET)
    params = f"{SVT_AV1}:keyint={choice.segment_frames}:buf-sz={int(1000 * BUFFER_SECONDS)}"
    return "libsvtav1", {"preset": str(SVT_PRESET), "svtav1-params": params}


def stamped(picture: VideoFrame, time: int, time_base: Fraction) -> VideoFrame:
    """The same picture, ready for encoders of its size; `time` in units of `time_base` seconds."""
    picture.pts, picture.time_base, picture.pict_type = time, time_base, PictureType.NONE
    return picture


def _stamp(picture: VideoFrame) -> tuple[int | None, Fraction | None, int]:
    return picture.pts, picture.time_base, picture.pict_type
