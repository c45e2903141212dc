"""Clips with a flash and a tone at the same moment, in every container and with every offset between the tracks; and
when both come in what is made of them.
"""

from pathlib import Path
from typing import NamedTuple

import av
import numpy as np
from clips import ffmpeg
from voxel_prepare.isobmff import parse_track

RATE = 25
FLASH_FRAME = 40
SECONDS = 2

CODECS = {
    "mp4": ("libx264", "aac"),
    "mov": ("libx264", "aac"),
    "fragmented.mp4": ("libx264", "aac"),
    "mkv": ("libx264", "aac"),
    "ts": ("libx264", "aac"),
    "flv": ("libx264", "aac"),
    "avi": ("libx264", "mp2"),
    "mpg": ("mpeg2video", "mp2"),
    "webm": ("libvpx-vp9", "libopus"),
}
"""Encoders of picture and sound by the end of the clip's name."""

STARTS = {"none": (0.0, 0.0), "picture first": (0.0, 0.73), "sound first": (0.73, 0.0), "trimmed": (0.0, 0.0)}
"""When picture and sound begin. `trimmed`: of what begins together the first .3 s were cut off, without encoding."""


class Moments(NamedTuple):
    """When flash and tone come, in seconds."""

    flash: float
    tone: float

    @property
    def late(self) -> float:
        """How much later the tone comes."""
        return self.tone - self.flash


def make_flash_and_tone(folder: Path, container: str, offset: str, *, b_frames: int | None = None) -> Path:
    """A clip of black pictures and silence with a white picture and the begin of a tone at the same moment.

    `b_frames`: in a row; by default two, and none in AVI.
    """
    video, audio = CODECS[container]
    picture_start, sound_start = STARTS[offset]
    picture, sound, clip = folder / "picture.nut", folder / "sound.nut", folder / f"whole.{container}"
    white = rf"drawbox=color=white:t=fill:enable=between(n\,{FLASH_FRAME}\,{FLASH_FRAME + 2})"
    end = picture_start + SECONDS
    tone_at = picture_start + FLASH_FRAME / RATE - sound_start
    # An AVI file says when pictures are decoded only: FFmpeg guesses when they are shown.
    run = (0 if container == "avi" else 2) if b_frames is None else b_frames
    speed = {"libx264": ("-preset", "ultrafast"), "libvpx-vp9": ("-deadline", "realtime", "-cpu-used", "8")}
    ffmpeg(
        *("-f", "lavfi", "-i", f"color=black:size=320x180:rate={RATE}:duration={SECONDS},{white},format=yuv420p"),
        *("-c:v", video, "-b:v", "300k", "-bf", f"{run}", "-g", str(RATE), *speed.get(video, ())),
        picture,
    )
    ffmpeg(
        *(
            "-f",
            "lavfi",
            "-i",
            rf"aevalsrc=gte(t\,{tone_at})*sin(6000*t):sample_rate=48000:duration={end - sound_start}",
        ),
        *("-c:a", audio, "-b:a", "128k", sound),
    )
    fragmented = ("-movflags", "+frag_keyframe+empty_moov") if container == "fragmented.mp4" else ()
    copy = ("-c", "copy", *fragmented, *(("-f", "vob") if container == "mpg" else ()))
    tracks = ("-itsoffset", f"{picture_start}", "-i", picture, "-itsoffset", f"{sound_start}", "-i", sound)
    ffmpeg(*tracks, "-map", "0:v", "-map", "1:a", *copy, clip)
    if offset != "trimmed":
        return clip
    ffmpeg("-ss", "0.3", "-i", clip, *copy, trimmed := folder / f"trimmed.{container}")
    return trimmed


def moments(path: Path) -> Moments:
    """Flash and tone of a file with both tracks, as FFmpeg times them."""
    return Moments(_flash(path), _tone(path))


def prepared_moments(video: Path, audio: Path) -> Moments:
    """Flash and tone of two tracks in fragments, as FFmpeg times them, and browsers: by `tfdt` and offsets alone."""
    track = parse_track(video.read_bytes())
    assert b"edts" not in track.init
    shown = [sample.presentation_time for fragment in track.fragments for sample in fragment.samples]
    with av.open(str(video)) as container:
        assert next(container.decode(video=0)).time == min(shown) / track.timescale
    late = _tone(audio)
    assert late == _tone(audio, ignore_editlist="1")
    return Moments(_flash(video), late)


def _flash(path: Path) -> float:
    with av.open(str(path)) as container:
        for number, frame in enumerate(container.decode(video=0)):
            if frame.to_ndarray(format="gray").mean() > 100:
                return _start(path) + number / RATE if path.suffix == ".avi" else float(frame.time or 0)
    raise AssertionError(f"{path} has no flash")


def _start(path: Path) -> float:
    """When the first picture is decoded: PyAV's times of pictures are those of others in an AVI file."""
    with av.open(str(path)) as container:
        packet = next(container.demux(video=0))
        return float((packet.dts or 0) * packet.time_base)


def _tone(path: Path, **options: str) -> float:
    with av.open(str(path), options=options) as container:
        resampler = av.AudioResampler(format="fltp", layout="mono")
        for decoded in container.decode(audio=0):
            for frame in resampler.resample(decoded):
                loud = np.flatnonzero(np.abs(frame.to_ndarray()[0]) > 0.1)
                if len(loud):
                    return float(decoded.time or 0) + int(loud[0]) / frame.sample_rate
    raise AssertionError(f"{path} has no tone")
