"""Small clips in each codec, from the encoders that there are: one closed segment, one fragment."""

from dataclasses import dataclass
from pathlib import Path

from clips import ffmpeg

FRAMES = 64
SOURCE = f"testsrc2=size=192x108:rate=25:duration={FRAMES / 25},noise=alls=12:allf=t:all_seed=1,format=yuv420p"

X265 = f"log-level=error:keyint={FRAMES}:min-keyint={FRAMES}:scenecut=0:open-gop=0"
X265_KEYS = "log-level=error:keyint=16:min-keyint=16:scenecut=0:open-gop=1:repeat-headers=1:log2-max-poc-lsb=4:slices=2"
"""Open groups of pictures, parameter sets in samples, order counts that wrap every 16 pictures."""
SVT_KEYS = "keyint=16:film-grain=12"
X264 = f"keyint={FRAMES}:min-keyint={FRAMES}:scenecut=0:open-gop=0"
VP9_TWO_PASS = ("-c:v", "libvpx-vp9", "-deadline", "good", "-cpu-used", "5", "-lag-in-frames", "25")
VP9_LAYERS = "ts_number_layers=3:ts_target_bitrate=100,150,200:ts_rate_decimator=4,2,1:ts_layering_mode=3"
VP9_LIVE = ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "7", "-lag-in-frames", "0")


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a clip is encoded."""

    name: str
    codec: str
    options: tuple[str, ...]
    passes: int = 1


ENCODINGS = (
    Encoding("x264", "h264", ("-c:v", "libx264", "-x264-params", f"{X264}:bframes=15:b-adapt=0:b-pyramid=normal")),
    Encoding("x264-default", "h264", ("-c:v", "libx264", "-x264-params", X264)),
    Encoding(
        "x265-layers", "hevc", ("-c:v", "libx265", "-x265-params", f"{X265}:temporal-layers=4:bframes=7:b-adapt=0")
    ),
    Encoding("x265", "hevc", ("-c:v", "libx265", "-x265-params", X265)),
    Encoding("x265-keys", "hevc", ("-c:v", "libx265", "-x265-params", X265_KEYS)),
    Encoding("x265-pyramid", "hevc", ("-c:v", "libx265", "-x265-params", f"{X265}:bframes=15:b-adapt=0:b-pyramid=1")),
    Encoding("vp9", "vp9", (*VP9_TWO_PASS, "-auto-alt-ref", "6"), passes=2),
    Encoding("vp9-resilient", "vp9", (*VP9_TWO_PASS, "-auto-alt-ref", "6", "-error-resilient", "default"), passes=2),
    Encoding("vp9-layers", "vp9", (*VP9_LIVE, "-error-resilient", "default", "-ts-parameters", VP9_LAYERS)),
    Encoding("svt", "av1", ("-c:v", "libsvtav1", "-preset", "8", "-svtav1-params", f"keyint={FRAMES}")),
    Encoding(
        "svt-live",
        "av1",
        ("-c:v", "libsvtav1", "-preset", "9", "-svtav1-params", f"keyint={FRAMES}:pred-struct=1:rc=2"),
    ),
    Encoding("svt-keys", "av1", ("-c:v", "libsvtav1", "-preset", "9", "-g", "16", "-svtav1-params", SVT_KEYS)),
    Encoding("aom", "av1", ("-c:v", "libaom-av1", "-cpu-used", "8")),
    Encoding("rav1e", "av1", ("-c:v", "librav1e", "-speed", "10", "-keyint_min", str(FRAMES))),
)


def encode(encoding: Encoding, folder: Path, source: str = SOURCE, frames: int = FRAMES) -> Path:
    """The clip as fragmented MP4."""
    out, tag = folder / f"{encoding.name}.mp4", ("-tag:v", "hvc1") if encoding.codec == "hevc" else ()
    video = ("-f", "lavfi", "-i", source, "-an", "-g", str(frames), "-b:v", "200k", *encoding.options)
    for number in range(1, encoding.passes):
        ffmpeg(*video, "-pass", str(number), "-passlogfile", folder / encoding.name, "-f", "null", "-")
    last = ("-pass", "2", "-passlogfile", folder / encoding.name) if encoding.passes > 1 else ()
    ffmpeg(*video, *last, *tag, "-movflags", "+frag_keyframe+delay_moov+default_base_moof+cmaf", out)
    return out
