"""VMAF of streams of pictures, by libvmaf in the FFmpeg program: PyAV is built without it."""

import json
import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from av.video.frame import VideoFrame
from av.video.reformatter import Interpolation

from voxel_prepare.analysis.decode import picture_bytes
from voxel_prepare.errors import PreparationError
from voxel_prepare.ffmpeg import ffmpeg_program

LOG = "scores.json"

FILTERS = (
    "split[a][b];[a]select=not(mod(n\\,2)),setpts=N[pictures];[b]select=mod(n\\,2),setpts=N[references];"
    f"[pictures][references]libvmaf=log_fmt=json:log_path={LOG}"
)
"""The input alternates between pictures and references."""


class VmafScores:
    """Scores a stream of pictures, scaled to their references' size (bicubic), with libvmaf's default model.

    libvmaf considers motion between pictures, so skipped pictures are measured too: their references take their place.
    """

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="vmaf-")
        self._process: subprocess.Popen[bytes] | None = None
        self._asked_for: list[bool] = []

    def add(self, picture: VideoFrame, reference: VideoFrame) -> None:
        scaled = picture.reformat(
            reference.width, reference.height, reference.format.name, interpolation=Interpolation.BICUBIC
        )
        self._write(scaled, reference)
        self._asked_for.append(True)

    def skip(self, reference: VideoFrame) -> None:
        self._write(reference, reference)
        self._asked_for.append(False)

    def result(self) -> list[float]:
        if self._process is None:
            return []
        _, messages = self._process.communicate()
        if self._process.returncode != 0:
            raise PreparationError(f"ffmpeg: libvmaf: {messages.decode(errors='replace').strip()[-200:]}")
        frames = json.loads((Path(self._folder.name) / LOG).read_bytes())["frames"]
        self._folder.cleanup()
        scores = [float(frame["metrics"]["vmaf"]) for frame in frames]
        return [score for score, asked_for in zip(scores, self._asked_for, strict=True) if asked_for]

    def _write(self, picture: VideoFrame, reference: VideoFrame) -> None:
        if self._process is None:
            self._process = self._start(reference)
        assert self._process.stdin is not None
        # `result` reports why the program has ended.
        with suppress(BrokenPipeError):
            self._process.stdin.write(picture_bytes(picture) + picture_bytes(reference))

    def _start(self, reference: VideoFrame) -> subprocess.Popen[bytes]:
        size = f"{reference.width}x{reference.height}"
        return subprocess.Popen(
            [
                *(ffmpeg_program(), "-v", "error", "-f", "rawvideo", "-s", size, "-pix_fmt", reference.format.name),
                *("-i", "pipe:0", "-filter_threads", "1", "-lavfi", FILTERS, "-f", "null", "-"),
            ],
            cwd=self._folder.name,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
