"""A presentation of copied streams in its folder."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import ceil
from pathlib import Path

from voxel_prepare.live.copied.aac import AacFormat
from voxel_prepare.live.copied.cuts import Cuts
from voxel_prepare.live.copied.demux import VideoFacts
from voxel_prepare.live.copied.packets import TICKS, Placed
from voxel_prepare.live.copied.tracks import CopiedSound, CopiedVideo
from voxel_prepare.live.encoder import FrameChoice
from voxel_prepare.live.folder import LATE_REQUESTS_SECONDS, MEDIA_SUFFIX
from voxel_prepare.live.manifest_file import ManifestFile
from voxel_prepare.live.playlists import forget_playlists
from voxel_prepare.live.state import LiveState
from voxel_prepare.live.timeline import Timeline
from voxel_prepare.manifest.live_mpd import LiveVideo
from voxel_prepare.media.ladder import Representation

SOUND_BITRATE = 128_000
"""Bit/s that the manifest states."""

Key = tuple[int, int]
"""Input and track of a representation."""


class CopiedPresentation:
    """What a copy publishes: always a new presentation, whose numbers come after those of others in the folder."""

    def __init__(
        self,
        folder: Path,
        cuts: Cuts,
        availability_start: int,
        segment: Fraction,
        frames: int,
        chunk_frames: int,
        seconds: tuple[float, float],
        sound: AacFormat | None,
        on_record: Callable[[int], None],
        *,
        keep: bool,
    ) -> None:
        """`availability_start`: ms since 1970 (UTC). `segment`: seconds, of so many `frames`. `seconds`: latency and
        window.
        """
        numbers = [path.stem for path in folder.glob(f"*/*{MEDIA_SUFFIX}")]
        first = 1 + max((int(number) for number in numbers if number.isdecimal()), default=-1)
        self._timeline = Timeline(availability_start, frames / segment, frames, first)
        self._choice = FrameChoice(frames, 0, min(chunk_frames, frames), is_copied=True)
        self.videos: dict[Key, CopiedVideo] = {}
        self._folder, self._cuts, self._keep, self._on_record = folder, cuts, keep, on_record
        self._latency, self._window = seconds
        self._sound = (
            CopiedSound(sound, folder, self._timeline, chunk_frames / self._timeline.rate, on_record) if sound else None
        )
        forget_playlists(folder)
        self._manifest = self._manifest_file()
        self._listed: list[CopiedVideo] = []

    def add(self, key: Key, facts: VideoFacts, representation: Representation) -> CopiedVideo:
        """A representation, which begins with its next key frame at a cut."""
        chunk_frames = self._choice.chunk_frames
        video = CopiedVideo(
            facts, representation, self._folder, self._timeline, self._cuts, chunk_frames, self._on_record
        )
        self.videos[key] = video
        return video

    def came(self, key: Key, placed: Placed) -> None:
        """A frame of pictures."""
        self.videos[key].add(placed, self._top())

    def sound_came(self, placed: Placed) -> None:
        """A frame of sound."""
        if self._sound is not None:
            self._sound.add(placed, 0)

    def update(self, now: int, patience: int, clock: float) -> None:
        """Stands in for what should have come; renews the manifest; deletes what the window has left behind.

        `now`: media time, and `patience`, in ticks; `clock`: ms since 1970 (UTC).
        """
        for video in self.videos.values():
            video.overdue(now - patience, self._top())
        if self._sound is not None:
            self._sound.fill(now - patience)
        listed = self._present()
        if not listed or (listed == self._listed and not self._manifest.is_due(clock)):
            return
        if listed != self._listed:
            self._listed = listed
            self._manifest = self._manifest_file()
            self._state().write(self._folder)
        self._manifest.write([self._described(video) for video in listed], clock)
        if not self._keep:
            kept = now - ceil((self._window + LATE_REQUESTS_SECONDS) * TICKS)
            oldest = self._timeline.number(int(kept // self._cuts.segment))
            for video in self.videos.values():
                video.folder.remove_before(oldest)
            if self._sound is not None:
                self._sound.folder.remove_before(oldest)

    def end(self) -> None:
        """Replaces the manifest by one to be played on demand. Raises `PreparationError`."""
        for video in self.videos.values():
            video.finish(self._top())
        if self._sound is not None:
            self._sound.finish()
        self._listed = self._present()
        self._manifest = self._manifest_file()
        self._manifest.end([(video.folder, self._described(video)) for video in self._listed])

    def _present(self) -> list[CopiedVideo]:
        """The representations that are there; all where none is, as they will come again."""
        begun = [video for video in self.videos.values() if video.bitrate > 0 and video.next > 0]
        there = [video for video in begun if video.is_listed]
        return sorted(there or begun, key=lambda video: video.bitrate)

    def _top(self) -> float:
        return max((video.bitrate for video in self.videos.values()), default=0.0)

    def _described(self, video: CopiedVideo) -> LiveVideo:
        wanted = replace(video.representation, bitrate=round(video.bitrate))
        return self._manifest.video(wanted, video.facts.codec, video.scores(self._top()).whole)

    def _manifest_file(self) -> ManifestFile:
        sound = self._sound.described(SOUND_BITRATE) if self._sound else None
        return ManifestFile(self._folder, self._state(), self._latency, self._window, sound=sound)

    def _state(self) -> LiveState:
        representations = tuple(
            replace(video.representation, bitrate=round(video.bitrate)) for video in self.videos.values()
        )
        return LiveState(self._timeline, self._choice, representations, self._sound is not None)
