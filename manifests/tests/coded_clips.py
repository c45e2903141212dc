"""Small clips in each codec, from the encoders that there are, and what strict decoders say of what is left of them."""

import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from clips import ffmpeg
from voxel_prepare.byte_ranges import ByteRange, ReceivedRanges, complement
from voxel_prepare.codecs import codec_of
from voxel_prepare.ffmpeg import ffmpeg_program
from voxel_prepare.isobmff import Sample, Track, parse_track
from voxel_prepare.repair.codec import DependentFrame
from voxel_prepare.repair.removal import RemovableFrame, remove_missing

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
    Encoding("aom-resilient", "av1", ("-c:v", "libaom-av1", "-cpu-used", "8", "-error-resilience", "default")),
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


DECODERS: dict[str, tuple[str, ...]] = {
    "h264": ("h264",),
    "hevc": ("hevc",),
    "vp9": ("vp9", "libvpx-vp9"),
    "av1": ("libdav1d", "libaom-av1"),
}


@dataclass(frozen=True)
class Coded:
    """A clip of one segment."""

    encoding: Encoding
    path: Path

    @cached_property
    def data(self) -> bytes:
        return self.path.read_bytes()

    @cached_property
    def track(self) -> Track:
        return parse_track(self.data)

    @property
    def segment(self) -> bytes:
        return self.data[len(self.track.init) :]

    @cached_property
    def samples(self) -> list[Sample]:
        return [sample for fragment in self.track.fragments for sample in fragment.samples]

    @cached_property
    def frames(self) -> list[DependentFrame]:
        return codec_of(self.track.description).dependencies(self.data, self.samples)

    @cached_property
    def pictures(self) -> dict[str, dict[int, str]]:
        return {decoder: decode(self.path, decoder) for decoder in DECODERS[self.encoding.codec]}

    def without(self, missing: set[int]) -> bytes:
        """The file of which these frames have not arrived, with all that need them removed."""
        start = len(self.track.init)
        removable = [place for place, frame in enumerate(self.frames) if not frame.must_arrive]
        plan = [
            RemovableFrame(
                self.frames[place].start - start,
                self.frames[place].end - start,
                tuple(removable.index(need) for need in self.frames[place].needs if need in removable),
            )
            for place in removable
        ]
        gaps = sorted(ByteRange(frame.start, frame.end) for frame in (plan[removable.index(one)] for one in missing))
        segment = bytearray(self.segment)
        for start_, end in gaps:
            segment[start_:end] = bytes(end - start_)
        received = ReceivedRanges(complement(ByteRange(0, len(segment)), gaps))
        return self.track.init + remove_missing(self.track, bytes(segment), received, plan).bytes

    def closure(self, missing: set[int]) -> set[int]:
        """These frames and all that need them."""
        gone = set(missing)
        for place, frame in enumerate(self.frames):
            if gone.intersection(frame.needs):
                gone.add(place)
        return gone


def decode(path: Path, decoder: str) -> dict[int, str]:
    """The hash of each picture, as 8-bit 4:2:0, by its time from the first, in the track's timescale; fails on any
    message.
    """
    command = [ffmpeg_program(), "-nostdin", "-v", "warning", "-xerror", "-err_detect", "explode", "-threads", "1"]
    output = ("-pix_fmt", "yuv420p", "-fps_mode", "passthrough", "-enc_time_base", "demux", "-f", "framemd5", "-")
    done = subprocess.run([*command, "-c:v", decoder, "-i", path, *output], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split(",") for line in done.stdout.splitlines() if not line.startswith("#")]
    times = [int(line[2]) for line in lines]
    assert len(set(times)) == len(times)
    return {time - min(times): line[5].strip() for time, line in zip(times, lines, strict=True)}
