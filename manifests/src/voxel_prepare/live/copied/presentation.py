"""A presentation of copied streams in its folder."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil
from pathlib import Path

from voxel_prepare.live.copied.aac import AacFormat
from voxel_prepare.live.copied.cues import Cue
from voxel_prepare.live.copied.cuts import Cuts
from voxel_prepare.live.copied.events import Events
from voxel_prepare.live.copied.notes import SoundFound, VideoFacts
from voxel_prepare.live.copied.packets import TICKS, Placed
from voxel_prepare.live.copied.playlists import CopiedPlaylists
from voxel_prepare.live.copied.tracks import CopiedSound, CopiedVideo
from voxel_prepare.live.encoder import FrameChoice
from voxel_prepare.live.folder import LATE_REQUESTS_SECONDS, MEDIA_SUFFIX
from voxel_prepare.live.manifest_file import AUDIO, ManifestFile
from voxel_prepare.live.playlists import forget_playlists
from voxel_prepare.live.room import Room
from voxel_prepare.live.state import LiveState
from voxel_prepare.live.timeline import Timeline
from voxel_prepare.manifest.live_mpd import UPDATE_SECONDS, LiveEvent, LiveVideo
from voxel_prepare.media.ladder import Representation

SOUND_BITRATE = 128_000
"""Bit/s that the manifest states."""
SOON_SECONDS = 0.2
"""A manifest with another event need not wait for longer."""
SOUND_TICKS = 3 * TICKS
"""So long the first manifest waits for all sounds to begin: players take no notice of those that come later."""

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
        sounds: Mapping[Key, SoundFound],
        on_record: Callable[[int], None],
        room: Room,
        *,
        keep: bool,
    ) -> None:
        """`availability_start`: ms since 1970 (UTC). `segment`: seconds, of so many `frames`. `seconds`: latency and
        window. `sounds`: by input and track, the one to begin with first.
        """
        numbers = [path.stem for path in folder.glob(f"*/*{MEDIA_SUFFIX}")]
        first = 1 + max((int(number) for number in numbers if number.isdecimal()), default=-1)
        self._timeline = Timeline(availability_start, frames / segment, frames, first)
        self._choice = FrameChoice(frames, 0, min(chunk_frames, frames), is_copied=True)
        self.videos: dict[Key, CopiedVideo] = {}
        self._events = Events()
        self._now = self._written = 0
        self._folder, self._cuts, self._keep, self._on_record = folder, cuts, keep, on_record
        self._room = room
        self._latency, self._window = seconds
        chunk_seconds = chunk_frames / self._timeline.rate
        self._sounds = {
            key: CopiedSound(found, f"{AUDIO[0]}{place}", folder, self._timeline, chunk_seconds, on_record, room)
            for place, (key, found) in enumerate(sounds.items())
        }
        forget_playlists(folder)
        self._playlists = CopiedPlaylists(folder, self._timeline, chunk_seconds, self._window, room)
        for sound in self._sounds.values():
            self._playlists.follow(sound.folder)
        self._listed: tuple[list[CopiedVideo], list[CopiedSound]] = [], []
        self._manifest = self._manifest_file()

    def add(self, key: Key, facts: VideoFacts, representation: Representation) -> CopiedVideo:
        """A representation, which begins with its next key frame at a cut."""
        chunk_frames = self._choice.chunk_frames
        video = CopiedVideo(
            facts, representation, self._folder, self._timeline, self._cuts, chunk_frames, self._on_record, self._room
        )
        self.videos[key] = video
        self._playlists.follow(video.folder)
        return video

    def came(self, key: Key, placed: Placed) -> None:
        """A frame of pictures."""
        self.videos[key].add(placed, self._top())

    def sound_came(self, key: Key, format_: AacFormat, placed: Placed) -> None:
        """A frame of sound; of one that is not published, or is coded in another way by now, it is left out."""
        sound = self._sounds.get(key)
        if sound is not None and sound.is_for(format_):
            sound.add(placed, 0)

    def cue_came(self, cue: Cue, time: int) -> None:
        """A cue that takes effect at `time`, in ticks since media time 0."""
        self._events.add(cue, time, self._now)
        self._playlists.events = self._present_events()

    def update(self, now: int, patience: int, clock: float) -> None:
        """Stands in for what should have come; renews the manifest; deletes what the window has left behind.

        `now`: media time, and `patience`, in ticks; `clock`: ms since 1970 (UTC).
        """
        self._now = now
        for video in self.videos.values():
            video.overdue(now - patience, self._top())
        for sound in self._sounds.values():
            sound.fill(now - patience)
        listed = self._present(), self._begun_sounds()
        has_news = self._events.version != self._written
        is_due = self._manifest.is_due(clock, SOON_SECONDS if has_news else UPDATE_SECONDS)
        if not listed[0] or (listed == self._listed and not is_due):
            return
        if not self._listed[0] and len(listed[1]) < len(self._sounds) and now < SOUND_TICKS:
            return
        if listed != self._listed:
            self._listed = listed
            self._manifest = self._manifest_file()
            self._room.write(lambda: self._state().write(self._folder))
        self._written = self._events.version
        self._playlists.events = self._present_events()
        described = [self._described(video) for video in listed[0]]
        self._room.write(lambda: self._manifest.write(described, clock, self._playlists.events))
        if not self._keep:
            kept = now - ceil((self._window + LATE_REQUESTS_SECONDS) * TICKS)
            oldest = self._timeline.number(int(kept // self._cuts.segment))
            for video in self.videos.values():
                video.folder.remove_before(oldest)
            for sound in self._sounds.values():
                sound.folder.remove_before(oldest)

    def end(self) -> None:
        """Replaces the manifest by one to be played on demand. Raises `PreparationError`."""
        for video in self.videos.values():
            video.finish(self._top())
        for sound in self._sounds.values():
            sound.finish()
        self._listed = self._present(), self._begun_sounds()
        self._manifest = self._manifest_file()
        self._playlists.events = self._present_events()
        described = [(video.folder, self._described(video)) for video in self._listed[0]]
        self._manifest.end(described, self._playlists.events)

    def _present(self) -> list[CopiedVideo]:
        """The representations that are there; all where none is, as they will come again."""
        begun = [video for video in self.videos.values() if video.bitrate > 0 and video.next > 0]
        there = [video for video in begun if video.is_listed]
        return sorted(there or begun, key=lambda video: video.bitrate)

    def _present_events(self) -> list[LiveEvent]:
        """Those that the window has not left behind."""
        return self._events.listed(0 if self._keep else self._now - ceil(self._window * TICKS))

    def _begun_sounds(self) -> list[CopiedSound]:
        """The sounds that are listed: players would wait for the first segment of one that never comes."""
        return [sound for sound in self._sounds.values() if sound.has_begun]

    def _top(self) -> float:
        return max((video.bitrate for video in self.videos.values()), default=0.0)

    def _described(self, video: CopiedVideo) -> LiveVideo:
        wanted = replace(video.representation, bitrate=round(video.bitrate))
        return self._manifest.video(wanted, video.facts.codec, video.scores(self._top()).whole)

    def _manifest_file(self) -> ManifestFile:
        listed = self._listed[1]
        roles = ["main", *(len(listed) - 1) * ["alternate"]] if len(listed) > 1 else [None]
        sounds = [sound.described(SOUND_BITRATE, role) for sound, role in zip(listed, roles, strict=False)]
        return ManifestFile(
            self._folder, self._state(), self._latency, self._window, sound=sounds, playlists=self._playlists
        )

    def _state(self) -> LiveState:
        representations = tuple(
            replace(video.representation, bitrate=round(video.bitrate)) for video in self.videos.values()
        )
        return LiveState(self._timeline, self._choice, representations, bool(self._listed[1]))
