"""Synthetic clips, made by FFmpeg."""

import subprocess
from fractions import Fraction
from pathlib import Path

from voxel_prepare.ffmpeg import ffmpeg_program

RATE = 25
TONE_START_SECONDS = 2


def ffmpeg(*arguments: str | Path) -> str:
    """Runs FFmpeg and returns what it printed on standard output; fails on any error."""
    command = [ffmpeg_program(), "-nostdin", "-v", "error", "-y", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def make_clip(
    path: Path,
    *options: str,
    size: str = "320x180",
    seconds: float = 5,
    source: str = "testsrc2",
    rate: str = str(RATE),
) -> Path:
    """A moving picture in H.264, with a key frame each second; `options` override the encoder's."""
    key_frames = ("-g", str(round(Fraction(rate))), "-sc_threshold", "0")
    ffmpeg(
        *("-f", "lavfi", "-i", f"{source}=size={size}:rate={rate}:duration={seconds}"),
        *("-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", *key_frames),
        *options,
        path,
    )
    return path


def make_clip_with_sound(path: Path, seconds: float = 5) -> Path:
    """The same with a tone that starts after two seconds of silence."""
    video = make_clip(path.with_suffix(".video.mp4"), seconds=seconds)
    tone = f"aevalsrc=gte(t\\,{TONE_START_SECONDS})*sin(2000*t):sample_rate=48000:duration={seconds}"
    ffmpeg("-i", video, "-f", "lavfi", "-i", tone, "-c:v", "copy", "-c:a", "aac", path)
    return path
