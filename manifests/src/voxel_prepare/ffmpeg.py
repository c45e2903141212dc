"""Runs the FFmpeg program; PyAV decodes and measures, but only the program has progress and two-pass encoding."""

import asyncio
import errno
import os
import subprocess
from asyncio.subprocess import PIPE
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import imageio_ffmpeg

from voxel_prepare.errors import PreparationError

CONTAINERS = (
    *("mov", "matroska", "webm", "avi", "mpegts", "mpeg", "mpegvideo", "asf", "flv", "ogg", "mxf", "gxf", "dv", "nut"),
    *("ivf", "h264", "hevc", "m4v", "av1", "obu", "yuv4mpegpipe"),
)
"""FFmpeg's formats that are one file of video. Others, such as playlists, read whatever they name."""

INPUT_OPTIONS = {"format_whitelist": ",".join(CONTAINERS), "protocol_whitelist": "file"}
"""Options of each input that FFmpeg opens, here or through PyAV."""

STATISTICS_LOST = "stats file could not be written to"
"""What x264 says of a first pass on a full disk."""

ANY_TAGS = "replace"
"""What PyAV does with tags that are not UTF-8: old tools write others, and nobody reads them here."""

_INPUT_WORDS = [word for name, value in INPUT_OPTIONS.items() for word in (f"-{name}", value)]

BITRATE_TOO_LOW = "requested bitrate is too low"
"""What x264 says of a bitrate below what the pictures need at the coarsest quantizer."""

OnFrames = Callable[[int], None]
"""Called with the number of frames written so far."""


OnBytes = Callable[[int], None]
"""Called with the number of bytes read so far."""

SIZE_FIELD = 4
"""Place of a packet's size in a line of `framecrc`."""

SAID_BYTES = 1 << 22
"""So many bytes are read between two reports."""


def ffmpeg_program() -> str:
    """The static binary of imageio-ffmpeg."""
    program: str = imageio_ffmpeg.get_ffmpeg_exe()
    return program


def ffmpeg_version() -> str:
    """Identifies the build, on which an encoder's output depends."""
    return Path(ffmpeg_program()).name


@cache
def available_filters() -> frozenset[str]:
    """Names of the filters that this build has."""
    command = [ffmpeg_program(), "-v", "error", "-filters"]
    listing = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout
    # A line is such as " T.. zscale   V->V   Apply resizing …", below a legend.
    fields = [line.split() for line in listing.splitlines()]
    return frozenset(one[1] for one in fields if len(one) > 2 and "->" in one[2])


async def run_ffmpeg(
    arguments: Sequence[str], on_frames: OnFrames = lambda frames: None, folder: Path | None = None
) -> None:
    """Runs FFmpeg in `folder` until it ends; kills it if cancelled. Raises `PreparationError` with its last message.

    `arguments` name one input, which must be one of `CONTAINERS`.
    """
    process = await asyncio.create_subprocess_exec(
        *(ffmpeg_program(), "-nostdin", "-v", "error", "-y", "-progress", "pipe:1", *_INPUT_WORDS, *arguments),
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    try:
        async with asyncio.TaskGroup() as readers:
            readers.create_task(_read_progress(process.stdout, on_frames))
            messages = readers.create_task(process.stderr.read())
        exit_code = await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if exit_code != 0:
        raise PreparationError(f"ffmpeg: {_reason(messages.result().decode(errors='replace'), exit_code)}")


def list_packets(path: Path, streams: Sequence[int], on_bytes: OnBytes = lambda size: None) -> Iterator[str]:
    """Lists the packets of these streams of a file in FFmpeg's format `framecrc`, with the times that a run with the
    same streams gives them. Raises `PreparationError`.
    """
    maps = [word for stream in streams for word in ("-map", f"0:{stream}")]
    arguments = [*_INPUT_WORDS, "-i", str(path.absolute()), *maps, "-c", "copy", "-f", "framecrc", "-"]
    command = [ffmpeg_program(), "-nostdin", "-v", "fatal", *arguments]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        size = said = 0
        for line in process.stdout:
            yield line
            size += 0 if line.startswith("#") else int(line.split(",", SIZE_FIELD + 1)[SIZE_FIELD])
            if size - said >= SAID_BYTES:
                said = size
                on_bytes(size)
    if process.returncode != 0:
        raise PreparationError(f"{path}: cannot be read: ffmpeg exited with code {process.returncode}")


async def _read_progress(stdout: asyncio.StreamReader, on_frames: OnFrames) -> None:
    async for line in stdout:
        key, _, value = line.decode(errors="replace").strip().partition("=")
        if key == "frame" and value.isdigit():
            on_frames(int(value))


def _reason(messages: str, exit_code: int) -> str:
    """One line of FFmpeg's messages: a full disk or too low a bitrate explains all others."""
    full_disk = os.strerror(errno.ENOSPC)
    for cause, reason in ((full_disk, full_disk), (STATISTICS_LOST, full_disk), (BITRATE_TOO_LOW, BITRATE_TOO_LOW)):
        if cause in messages:
            return reason
    lines = [line for line in messages.splitlines() if line.strip()]
    return lines[-1] if lines else f"exited with code {exit_code} and no message"
