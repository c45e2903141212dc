"""How media files are made: small descriptions that any process can execute, also on another machine."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from voxel_prepare.errors import InputError, MisalignedSegments
from voxel_prepare.ffmpeg import OnFrames, run_ffmpeg
from voxel_prepare.manifest.segment_duration import SegmentDuration
from voxel_prepare.media.encode import encode_video, write_audio
from voxel_prepare.media.retime import retime
from voxel_prepare.media.tracks import check_copied_video, check_encoded_video

VIDEO_FORM = 2
"""Version of how video files are written, part of what identifies one: 2 has no negative composition offsets."""

OnShare: TypeAlias = Callable[[float], None]
"""Called with the finished share of the work, from 0 to about 1."""


class MediaRecipe(Protocol):
    """Makes one media file. It can be pickled, and gives the same bytes on every machine."""

    async def write(self, path: Path, on_share: OnShare) -> None:
        """Writes the file and checks it. Raises `PreparationError`."""
        ...


@dataclass(frozen=True, slots=True)
class EncodeVideo:
    """Encodes a representation from the source."""

    arguments: tuple[str, ...]
    passes: int
    frames: int
    """Approximate number of frames, for progress."""
    segment: SegmentDuration

    async def write(self, path: Path, on_share: OnShare) -> None:
        on_frames = _as_frames(on_share, self.frames * self.passes)
        await encode_video(self.arguments, path, passes=self.passes, on_frames=on_frames)
        await asyncio.to_thread(check_encoded_video, path, self.segment)
        await asyncio.to_thread(retime, path, self.segment)


@dataclass(frozen=True, slots=True)
class CopyVideo:
    """Copies a representation from the source."""

    arguments: tuple[str, ...]
    frames: int
    """Approximate number of frames, for progress."""
    segment: SegmentDuration

    async def write(self, path: Path, on_share: OnShare) -> None:
        await run_ffmpeg([*self.arguments, "-f", "mp4", str(path)], _as_frames(on_share, self.frames))
        try:
            await asyncio.to_thread(check_copied_video, path, self.segment)
            await asyncio.to_thread(retime, path, self.segment)
        except MisalignedSegments as error:
            raise InputError(str(error)) from error


@dataclass(frozen=True, slots=True)
class WriteAudio:
    """Encodes or copies an audio track."""

    arguments: tuple[str, ...]

    async def write(self, path: Path, on_share: OnShare) -> None:
        await write_audio(self.arguments, path)
        on_share(1)


def _as_frames(on_share: OnShare, frames: int) -> OnFrames:
    return lambda done: on_share(min(1, done / max(1, frames)))
