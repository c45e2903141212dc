"""Files as people have them, each odd in one way, made by FFmpeg; and how long their pictures are shown."""

import struct
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from clips import ffmpeg
from voxel_prepare.ffmpeg import ffmpeg_program

RATE = 25
SECONDS = 2.0
REORDERING = 2 / RATE
"""How late pictures are in MP4 files without an edit list."""

X264 = ("-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "25", "-sc_threshold", "0", "-pix_fmt", "yuv420p")
COPY = ("-map", "0", "-c", "copy")

Make = Callable[[Path], object]


@dataclass(frozen=True)
class OddFile:
    """A file to make."""

    name: str
    make: Make
    seconds: float = SECONDS
    """How long its pictures are shown."""
    late: float = 0
    """How long sound is heard before the first of them, which is then shown already; `--copy` leaves that out."""
    frame: float = 1 / RATE
    """How long one of them is, in seconds."""
    refused: str = ""
    """What `voxel-prepare` says where nothing can be made of it."""


def pictures(size: str = "256x144", rate: str = str(RATE), seconds: float = SECONDS) -> tuple[str, ...]:
    """A moving picture."""
    return ("-f", "lavfi", "-i", f"testsrc2=size={size}:rate={rate}:duration={seconds}")


def tone(seconds: float = SECONDS, sample_rate: int = 48000, layout: str = "mono") -> tuple[str, ...]:
    """A tone in all channels."""
    source = f"sine=frequency=440:sample_rate={sample_rate}:duration={seconds},aformat=channel_layouts={layout}"
    return ("-f", "lavfi", "-i", source)


def clip(*options: str, video: tuple[str, ...] = pictures(), audio: tuple[str, ...] = tone()) -> Make:
    """H.264 and AAC, or what these options of FFmpeg say instead."""
    return lambda path: ffmpeg(*video, *audio, *X264, "-c:a", "aac", *options, path)


def silent(*options: str, video: tuple[str, ...] = pictures()) -> Make:
    """The same without sound."""
    return lambda path: ffmpeg(*video, *X264, *options, path)


def wrapped(
    *options: str, before: tuple[str, ...] = (), more: tuple[str, ...] = (), whole: str = "mp4", make: Make = clip()
) -> Make:
    """A clip written again without encoding: `before` and `more` are options and inputs before and after it."""

    def wrap(path: Path) -> None:
        make(first := path.with_name(f"whole.{whole}"))
        ffmpeg(*before, "-i", first, *more, *(options or COPY), path)

    return wrap


def piped(make: Make, container: str) -> Make:
    """A clip that went through a pipe, so that nothing could be filled in when it ended, as MediaRecorder's."""

    def pipe(path: Path) -> None:
        make(whole := path.with_name("whole.mkv"))
        command = [ffmpeg_program(), "-nostdin", "-v", "error", "-i", f"{whole}", *COPY, "-f", container, "-"]
        path.write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)

    return pipe


def changed(make: Make, change: Callable[[bytes], bytes]) -> Make:
    """A file of which bytes were changed."""

    def both(path: Path) -> None:
        make(path)
        path.write_bytes(change(path.read_bytes()))

    return both


def joined(*parts: Make) -> Make:
    """Files put one behind the other, as `cat` does."""

    def join(path: Path) -> None:
        pieces = [path.with_name(f"part{number}{path.suffix}") for number in range(len(parts))]
        for part, piece in zip(parts, pieces, strict=True):
            part(piece)
        path.write_bytes(b"".join(piece.read_bytes() for piece in pieces))

    return join


def _write(content: bytes) -> Make:
    def write(path: Path) -> None:
        path.write_bytes(content)

    return write


def _with_number_after(key: bytes, value: float) -> Callable[[bytes], bytes]:
    """Another value of a number in FLV's script data: a type byte and a double follow the key."""

    def change(data: bytes) -> bytes:
        at = data.index(key) + len(key) + 1
        return data[:at] + struct.pack(">d", value) + data[at + 8 :]

    return change


def _without_durations(data: bytes) -> bytes:
    """An MP4 file whose movie and tracks claim to last no time (version 0 boxes)."""
    out = bytearray(data)
    for box, at in ((b"mvhd", 20), (b"tkhd", 24)):
        start = data.find(box)
        while start >= 0:
            out[start + at : start + at + 4] = bytes(4)
            start = data.find(box, start + 4)
    return bytes(out)


def _with_words(make: Make, path: Path, *options: str) -> None:
    make(whole := path.with_name("whole.mp4"))
    (subtitles := path.with_name("words.srt")).write_text("1\n00:00:00,500 --> 00:00:01,500\nHello\n")
    chapter = ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART={}\nEND={}\ntitle=Part\n"
    (chapters := path.with_name("chapters.txt")).write_text(chapter.format(0, 1000))
    inputs = ("-i", whole, "-i", subtitles, "-i", chapters)
    ffmpeg(*inputs, "-map", "0", "-map", "1", "-map_chapters", "2", "-c", "copy", *options, path)


_ALL_THREE = ("-map", "0", "-map", "1", "-map", "2")
_PAUSE = ("-vf", r"select=lt(t\,0.5)+gte(t\,1.5)", "-fps_mode", "vfr")
_VFR = ("-vf", r"select=lt(t\,1)+not(mod(n\,3))", "-fps_mode", "vfr")
_VP9 = ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus")
_AV1 = ("-c:v", "libsvtav1", "-preset", "12", "-svtav1-params", "lp=1")
_HEVC = ("-c:v", "libx265", "-x265-params", "log-level=none:pools=1")
_MPEG2 = ("-c:v", "mpeg2video", "-c:a", "mp2", "-g", "12")

UNREADABLE = "not a video"

CONTAINERS = [
    OddFile("fragmented.mp4", clip("-movflags", "+frag_keyframe+empty_moov"), late=REORDERING),
    OddFile("index first.mp4", clip("-movflags", "+faststart")),
    OddFile("time code.mov", clip("-timecode", "01:00:00:00")),
    OddFile("chapters and subtitles.mkv", lambda path: _with_words(clip(), path)),
    OddFile("chapters and subtitles.mp4", lambda path: _with_words(clip(), path, "-c:s", "mov_text")),
    OddFile("no duration.mkv", piped(clip(), "matroska")),
    OddFile("no duration.webm", piped(clip(*_VP9), "webm")),
    OddFile("no duration.flv", piped(clip(), "flv")),
    OddFile("picture order unknown.avi", clip("-c:a", "libmp3lame")),
    OddFile("no index.avi", piped(clip("-c:v", "mpeg4", "-bf", "0", "-c:a", "libmp3lame"), "avi")),
    OddFile("raw.264", silent("-f", "h264")),
    OddFile("raw.265", silent(*_HEVC, "-f", "hevc")),
    OddFile("raw.m4v", silent("-c:v", "mpeg4", "-bf", "0", "-f", "m4v")),
    OddFile("raw.ivf", silent(*_VP9[:-2])),
    OddFile("raw.obu", silent(*_AV1)),
    OddFile("pictures.y4m", silent("-c:v", "wrapped_avframe", "-f", "yuv4mpegpipe")),
    OddFile("program.mpg", clip(*_MPEG2, "-f", "vob")),
    OddFile("mpeg 1.mpg", clip("-c:v", "mpeg1video", "-c:a", "mp2")),
    OddFile("broadcast.mxf", clip("-c:v", "mpeg2video", "-c:a", "pcm_s16le")),
    OddFile("theora.ogv", clip("-c:v", "libtheora", "-c:a", "libvorbis")),
    OddFile("windows.wmv", clip("-c:v", "wmv2", "-bf", "0", "-c:a", "wmav2")),
    OddFile("vp8.webm", clip("-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libvorbis")),
    OddFile("vp9.mp4", clip(*_VP9)),
    OddFile("av1.mp4", clip(*_AV1)),
    OddFile("hevc.mp4", clip(*_HEVC, "-tag:v", "hvc1")),
    OddFile("lossless.nut", clip("-c:v", "ffv1", "-c:a", "flac")),
    OddFile("motion jpeg.avi", clip("-c:v", "mjpeg", "-bf", "0", "-pix_fmt", "yuvj420p", "-c:a", "pcm_s16le")),
]

TIMES = [
    OddFile("begins at ten hours.ts", clip("-output_ts_offset", "36000")),
    OddFile("clock wraps.ts", clip("-output_ts_offset", "95442.3")),
    OddFile("clock begins anew.ts", joined(clip(), clip()), seconds=2 * SECONDS),
    OddFile("noise before.ts", changed(clip(), lambda data: b"\x00" * 1000 + data)),
    OddFile("last packet cut.ts", changed(clip(), lambda data: data[:-100])),
    OddFile(
        "begins between key frames.ts", changed(silent(), lambda data: data[188 * (len(data) // 600) :]), seconds=1
    ),
    OddFile("empty edit.mp4", wrapped(before=("-itsoffset", "0.7"))),
    OddFile("trimmed.mp4", wrapped(before=("-ss", "0.52")), seconds=SECONDS - 0.52),
    OddFile("without edit list.mp4", clip("-use_editlist", "0"), late=REORDERING),
    OddFile("negative offsets.mp4", clip("-movflags", "+negative_cts_offsets")),
    OddFile("coarse clock.mov", clip("-video_track_timescale", "600")),
    OddFile("fine clock.mp4", clip("-video_track_timescale", "10000000")),
    OddFile("claims to last no time.mp4", changed(clip(), _without_durations)),
    OddFile("claims twice the rate.flv", changed(clip(), _with_number_after(b"framerate", 50))),
    OddFile("claims ten hours.flv", changed(clip(), _with_number_after(b"duration", 36000))),
    OddFile("pause.mp4", clip(*_PAUSE)),
    OddFile("variable rate.mp4", clip(*_VFR)),
    OddFile("variable rate.mkv", clip(*_VFR)),
    OddFile("one picture.mp4", silent("-frames:v", "1"), seconds=1 / RATE),
    OddFile("two pictures.mkv", silent("-frames:v", "2"), seconds=2 / RATE),
    OddFile("a picture a second.mp4", clip(video=pictures(rate="1", seconds=4), audio=tone(4)), seconds=4, frame=1),
    OddFile("seven and a half a second.mp4", silent(video=pictures(rate="15/2")), frame=2 / 15),
    OddFile("hundred and twenty a second.mp4", silent(video=pictures(rate="120"))),
    OddFile("film in milliseconds.mkv", silent(video=pictures(rate="24000/1001"))),
    OddFile("film in milliseconds.flv", silent(video=pictures(rate="24000/1001"))),
]

PICTURES = [
    OddFile("odd size.mkv", silent("-vf", "scale=321:181", "-c:v", "ffv1")),
    OddFile("wide pixels.mp4", silent("-vf", "setsar=4/3")),
    OddFile("full range.mp4", silent("-pix_fmt", "yuvj420p")),
    OddFile("cropped.mp4", silent("-vf", "scale=322:182")),
    OddFile("upright.mp4", silent(video=pictures("144x256"))),
    OddFile("very wide.mp4", silent(video=pictures("640x150"))),
    OddFile("turned.mp4", wrapped(before=("-display_rotation", "90"))),
    OddFile("upside down.mov", wrapped(before=("-display_rotation", "180"))),
    OddFile("mirrored.mp4", wrapped(before=("-display_rotation", "0", "-display_hflip"))),
    OddFile("transparent.webm", clip(*_VP9, "-pix_fmt", "yuva420p")),
    OddFile("open groups.mp4", clip("-x264-params", "open-gop=1:bframes=3:b-adapt=0")),
    OddFile("one key frame.mp4", clip("-g", "1000")),
    OddFile("intra refresh.mp4", clip("-x264-params", "intra-refresh=1:bframes=0")),
    OddFile("key frames only.mp4", clip("-g", "1")),
    OddFile("packed.avi", clip("-c:v", "mpeg4", "-bf", "2", "-c:a", "mp3")),
    OddFile("grows.ts", joined(silent(), silent("-vf", "scale=512:288")), seconds=2 * SECONDS),
    OddFile("two pictures tracks.mp4", wrapped("-map", "0", "-map", "0:v", "-c", "copy")),
    OddFile("grey.mkv", silent("-c:v", "ffv1", "-pix_fmt", "gray")),
    OddFile("ten bits.mp4", silent("-pix_fmt", "yuv420p10le")),
    OddFile("all colours.mp4", silent("-pix_fmt", "yuv444p")),
    OddFile("broadcast colours.mov", silent("-c:v", "prores_ks", "-pix_fmt", "yuv422p10le")),
]

SOUNDS = [
    OddFile("six channels.mp4", clip(audio=tone(layout="5.1"))),
    OddFile("eight channels.mkv", clip("-c:a", "flac", audio=tone(layout="7.1"))),
    OddFile("telephone.mkv", clip("-c:a", "pcm_mulaw", audio=tone(sample_rate=8000))),
    OddFile("studio.mkv", clip("-c:a", "flac", audio=tone(sample_rate=96000))),
    OddFile("opus.mp4", clip("-c:a", "libopus")),
    OddFile("mp3.mp4", clip("-c:a", "libmp3lame")),
    OddFile("uncompressed.mov", clip("-c:a", "pcm_s24le")),
    OddFile("dolby.ts", clip("-c:a", "ac3")),
    OddFile("sound ends early.mp4", clip(audio=tone(0.8))),
    OddFile("sound goes on.mp4", clip(audio=tone(3))),
    OddFile("hole in the sound.mkv", clip("-af", r"aselect=lt(t\,0.5)+gte(t\,1.5)")),
    OddFile("sound after the pictures.mkv", clip(audio=("-itsoffset", "2.5", *tone(1)))),
    OddFile("two sounds.mkv", clip(*_ALL_THREE, audio=(*tone(), "-itsoffset", "0.5", *tone(1)))),
]

NAMES = [
    OddFile(
        "latin 1 tag.mp4", changed(clip("-metadata", "title=XXXX"), lambda data: data.replace(b"XXXX", b"Caf\xe9"))
    ),
    OddFile("50% off: 'Ünï' \"%03d\" #1?.mp4", clip()),
    OddFile("-y.mp4", clip()),
]

REFUSED = [
    OddFile("empty.mp4", _write(b""), refused=UNREADABLE),
    OddFile("text.mp4", _write(b"Dear all, attached is the film.\n"), refused=UNREADABLE),
    OddFile("picture.png", lambda path: ffmpeg(*pictures(), "-frames:v", "1", path), refused=UNREADABLE),
    OddFile("moving picture.gif", lambda path: ffmpeg(*pictures(), path), refused=UNREADABLE),
    OddFile("playlist.m3u8", _write(b"#EXTM3U\n#EXTINF:2,\nfilm.ts\n#EXT-X-ENDLIST\n"), refused=UNREADABLE),
    OddFile("song.m4a", lambda path: ffmpeg(*tone(), path), refused="expected a video track, found none"),
    OddFile("end missing.mp4", changed(clip(), lambda data: data[: len(data) // 2]), refused=UNREADABLE),
    OddFile("interlaced.mp4", silent("-flags", "+ilme+ildct"), refused="must be progressive"),
    OddFile("too small.mp4", silent(video=pictures("64x48")), refused="larger than the source"),
]

ODD_FILES = [*CONTAINERS, *TIMES, *PICTURES, *SOUNDS, *NAMES, *REFUSED]
