"""How each codec is encoded: the arguments of FFmpeg's encoder. Output must not depend on the machine."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from voxel_prepare.errors import InputError
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.media.preset import Preset
from voxel_prepare.media.profile import Profile, b_run

PEAK_FACTOR = 2
"""Capped variable bitrate: peaks of twice the average (thesis §6.4.2), over a buffer of one second at the peak."""

PIXELS_PER_ENCODER_THREAD = 1 << 19
"""One thread up to 480p, 2 for 720p, 4 for 1080p. x264's output depends on their number, so it must not depend
on the machine."""

MAX_ENCODER_THREADS = 8
"""Each thread keeps pictures in memory."""

SVT_PRESETS = {
    Preset.ULTRAFAST: 10,
    Preset.SUPERFAST: 9,
    Preset.VERYFAST: 9,
    Preset.FASTER: 8,
    Preset.FAST: 8,
    Preset.MEDIUM: 7,
    Preset.SLOW: 6,
    Preset.SLOWER: 5,
    Preset.VERYSLOW: 3,
}
"""SVT-AV1's presets: slow takes as long as both of x264's passes do."""

X265_LOOKAHEAD = 20
"""Frames that x265 looks ahead at its preset medium: faster ones look at fewer than droppable has B pictures in a row,
which it refuses."""

VP9_SPEEDS = {
    Preset.ULTRAFAST: 5,
    Preset.SUPERFAST: 5,
    Preset.VERYFAST: 4,
    Preset.FASTER: 4,
    Preset.FAST: 3,
    Preset.MEDIUM: 3,
    Preset.SLOW: 2,
    Preset.SLOWER: 1,
    Preset.VERYSLOW: 0,
}
"""libvpx's `-cpu-used` for good quality."""

VP9_LOOKAHEAD = 25
"""The most frames that libvpx takes: alternate references are made of them."""

VP9_ALTERNATE_LAYERS = 6
"""The most: fewer layers of alternate references leave less to drop."""

SVT_LAYERS = 4
"""Levels of the hierarchy beside its base: a group of 16 pictures."""


class CodecName(StrEnum):
    """FFmpeg's names of the codecs that are encoded."""

    H264 = "h264"
    AV1 = "av1"
    HEVC = "hevc"
    VP9 = "vp9"


def parse_codecs(text: str) -> tuple[CodecName, ...]:
    """Parses `CODEC,…`. Raises `InputError`."""
    names = [part.strip() for part in text.split(",")]
    unknown = next((name for name in names if name not in list(CodecName)), None)
    if unknown is not None:
        raise InputError(f"--codec must be {', '.join(CodecName)}, or several of them as a list, got {unknown!r}")
    if len(set(names)) < len(names):
        raise InputError(f"--codec: each codec must be different, got {text!r}")
    return tuple(map(CodecName, names))


@dataclass(frozen=True, slots=True)
class VideoSettings:
    """Encoder settings of all representations."""

    preset: Preset
    passes: int
    slices: int
    """Per picture, of H.264; more make repair finer."""
    segment: SegmentDuration
    profile: Profile


@dataclass(frozen=True, slots=True)
class Encoder:
    """One of FFmpeg's encoders."""

    arguments: Callable[[VideoSettings, int, int], list[str]]
    """Those for a bitrate in bit/s and for so many threads."""
    bitrate_share: float
    """Share of the thesis' bitrates, which are H.264's, that gives about the same SSIM."""
    cost: float
    """Processor time for a frame and pass, of x264's at the same preset."""
    most_passes: int
    most_threads: int
    """More would change the output from run to run."""

    def passes(self, wanted: int) -> int:
        """How many passes it makes if so many are wanted."""
        return min(wanted, self.most_passes)

    def threads(self, pixels: int) -> int:
        """The number of threads that encode a representation with `pixels` per frame."""
        return min(self.most_threads, max(1, round(pixels / PIXELS_PER_ENCODER_THREAD)))


def _x264(settings: VideoSettings, bitrate: int, _: int) -> list[str]:
    x264 = f"{_closed_groups(settings)}:slices={settings.slices}"
    if settings.profile is Profile.DROPPABLE:
        x264 += f":bframes={b_run(settings.segment.rate)}:b-adapt=0:b-pyramid=normal"
    return ["-c:v", "libx264", "-preset", settings.preset, *_capped(bitrate), "-x264-params", x264]


def _x265(settings: VideoSettings, bitrate: int, _: int) -> list[str]:
    # Threads: x265's output depends on their number, and on that of the machine's processors.
    x265 = f"log-level=error:info=0:{_closed_groups(settings)}:pools=none:frame-threads=1:wpp=0"
    if settings.profile is Profile.DROPPABLE:
        # Not temporal-layers=4: x265 then loses its second pass, and with it more than the layers give.
        x265 += f":bframes={b_run(settings.segment.rate)}:b-adapt=0:b-pyramid=1"
        if list(Preset).index(settings.preset) < list(Preset).index(Preset.MEDIUM):
            x265 += f":rc-lookahead={X265_LOOKAHEAD}"
    encoder = ("-c:v", "libx265", "-tag:v", "hvc1", "-preset", settings.preset)
    return [*encoder, *_capped(bitrate), "-x265-params", x265]


def _svt_av1(settings: VideoSettings, bitrate: int, _: int) -> list[str]:
    frames = settings.segment.frames
    # lp: with more threads than one VBR gives other bytes in each run. It takes no cap (`mbr`), and `maxsection-pct`
    # changes nothing.
    svt = f"rc=1:lp=1:scd=0:keyint={frames}:irefresh-type=2"
    if settings.profile is Profile.DROPPABLE:
        svt += f":hierarchical-levels={SVT_LAYERS}"
    preset = str(SVT_PRESETS[settings.preset])
    return ["-c:v", "libsvtav1", "-preset", preset, "-b:v", str(bitrate), "-g", str(frames), "-svtav1-params", svt]


def _libvpx_vp9(settings: VideoSettings, bitrate: int, threads: int) -> list[str]:
    frames = str(settings.segment.frames)
    droppable = (
        ("-error-resilient", "default", "-auto-alt-ref", str(VP9_ALTERNATE_LAYERS))
        if settings.profile is Profile.DROPPABLE
        else ()
    )
    return [
        *("-c:v", "libvpx-vp9", "-deadline", "good", "-cpu-used", str(VP9_SPEEDS[settings.preset]), *_capped(bitrate)),
        *("-g", frames, "-keyint_min", frames, "-lag-in-frames", str(VP9_LOOKAHEAD), *droppable),
        # A thread for each column of tiles: their number is part of the output.
        *("-row-mt", "0", "-tile-columns", str(round(math.log2(threads)))),
    ]


def _closed_groups(settings: VideoSettings) -> str:
    """What makes each segment a group of pictures of its own, of x264 and x265."""
    frames = settings.segment.frames
    return f"keyint={frames}:min-keyint={frames}:scenecut=0:open-gop=0"


def _capped(bitrate: int) -> list[str]:
    peak = str(PEAK_FACTOR * bitrate)
    return ["-b:v", str(bitrate), "-maxrate", peak, "-bufsize", peak]


ENCODERS = {
    CodecName.H264: Encoder(_x264, 1, cost=1, most_passes=2, most_threads=MAX_ENCODER_THREADS),
    CodecName.AV1: Encoder(_svt_av1, 0.72, cost=2, most_passes=1, most_threads=1),
    CodecName.HEVC: Encoder(_x265, 0.8, cost=2, most_passes=2, most_threads=1),
    CodecName.VP9: Encoder(_libvpx_vp9, 1, cost=3, most_passes=2, most_threads=MAX_ENCODER_THREADS),
}
