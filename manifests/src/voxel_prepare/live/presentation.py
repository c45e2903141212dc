"""A presentation in its folder: begins or goes on, grows, and ends as one to be played on demand."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from av.video.frame import VideoFrame

from voxel_prepare.errors import PreparationError
from voxel_prepare.jobs.progress import say
from voxel_prepare.live import resume, sound
from voxel_prepare.live.folder import LATE_REQUESTS_SECONDS, TrackFolder
from voxel_prepare.live.manifest_file import AUDIO, ManifestFile
from voxel_prepare.live.playlists import forget_playlists
from voxel_prepare.live.publish import record_head
from voxel_prepare.live.representation import LiveRepresentation
from voxel_prepare.live.room import AT_ONCE, Room
from voxel_prepare.live.sound import SoundWriter
from voxel_prepare.live.state import LiveState
from voxel_prepare.live.timeline import Timeline
from voxel_prepare.manifest.live_mpd import LiveVideo


class Presentation:
    """What an encoder publishes."""

    def __init__(
        self, folder: Path, state: LiveState, latency: float, window: float, *, keep: bool, room: Room = AT_ONCE
    ) -> None:
        """`state`: as wanted; its timeline is that of a new presentation. `latency`, `window`: in seconds.

        What grows waits for `room`.
        """
        self.state = state
        self.representations: list[LiveRepresentation] = []
        self._folder = folder
        self._latency, self._window, self._keep = latency, window, keep
        self._room = room
        self._audio: TrackFolder | None = None
        self._audio_first = 0, 0
        self._manifest: ManifestFile

    def begin(self, picture: VideoFrame, now: float) -> int:
        """Starts with the first picture, which is captured at `now`, in ms since 1970 (UTC).

        The segment to begin with, since media time 0. Goes on with what is in the folder if it has the same settings
        and has not paused for long: what is missing shows the picture.
        """
        before = LiveState.read(self._folder)
        self.state = replace(self.state, timeline=self._timeline(before, now))
        timeline = self.state.timeline
        top = self.state.representations[-1]
        self.representations = [
            LiveRepresentation(
                settings,
                self._track(settings.id, timeline.timescale),
                timeline,
                self.state.choice,
                (top.width, top.height),
            )
            for settings in self.state.representations
        ]
        self._room.write(lambda: self.state.write(self._folder))
        self._manifest = ManifestFile(self._folder, self.state, self._latency, self._window, room=self._room)
        for representation in self.representations:
            representation.write_init()
        if self.state.has_audio:
            self._audio = self._track(AUDIO, sound.SAMPLE_RATE)
            sound.open_folder(self._audio)
        first = max(0, timeline.frame_at(now) // timeline.segment_frames)
        is_continued = before is not None and before.timeline == timeline
        if is_continued:
            self._fill(first * timeline.segment_frames, picture)
        else:
            forget_playlists(self._folder)
        for representation in self.representations:
            representation.folder.begin(timeline.number(first))
        self._begin_audio(first if not is_continued else None)
        for representation in self.representations:
            self._manifest.follow(representation.folder)
        if self._audio is not None:
            self._manifest.follow(self._audio)
        self._write(now)
        return first

    def sound(self, on_record: Callable[[int], None]) -> SoundWriter | None:
        """Writes the audio representation, if there is one."""
        if self._audio is None:
            return None
        timeline, choice = self.state.timeline, self.state.choice
        return SoundWriter(self._audio, timeline, choice.chunk_frames / timeline.rate, *self._audio_first, on_record)

    def update(self, now: float, frames: int) -> None:
        """Renews the manifest now and then, and deletes what the window has left behind; `frames`: how many came."""
        if not self._manifest.is_due(now):
            return
        self._write(now)
        if self._keep:
            return
        timeline = self.state.timeline
        kept = Fraction(self._window + LATE_REQUESTS_SECONDS) * timeline.rate
        oldest = timeline.number(int(frames - kept) // timeline.segment_frames)
        for folder in self._folders():
            folder.remove_before(oldest)

    def end(self) -> None:
        """Replaces the manifest by one to be played on demand, with indexes. Raises `PreparationError`."""
        folders = [representation.folder for representation in self.representations]
        self._manifest.end(list(zip(folders, self._videos(), strict=True)))

    def _timeline(self, before: LiveState | None, now: float) -> Timeline:
        wanted = self.state.timeline
        if before is None:
            return replace(wanted, availability_start=round(now))
        old = before.timeline
        if self.state.continues(before):
            self._recover(before)
        folders = [self._track(settings.id, old.timescale) for settings in before.representations]
        written = min((resume.frames_written(folder, old.frame_ticks) for folder in folders), default=0)
        gap = (now - old.wall_time(written)) / 1000
        if self.state.continues(before) and -1 <= gap <= resume.MAX_GAP_SECONDS:
            say(f"going on with the presentation after {max(0.0, gap):.1f} s")
            return old
        newest = max((number for folder in folders for number in folder.numbers()), default=-1)
        return replace(wanted, availability_start=round(now), first_number=newest + 1)

    def _recover(self, before: LiveState) -> None:
        names = [*(settings.id for settings in before.representations), *([AUDIO] if before.has_audio else [])]
        for name in names:
            resume.recover(self._track(name, before.timeline.timescale), before.timeline)

    def _fill(self, end: int, picture: VideoFrame) -> None:
        """Stills up to frame `end`."""
        timeline = self.state.timeline
        for representation in self.representations:
            first = resume.frames_written(representation.folder, timeline.frame_ticks)
            if first > end:
                raise PreparationError(f"{representation.folder.folder}: ends in the future: is the clock right?")
            resume.write_stills(representation, timeline, self.state.choice, first, end, picture)

    def _begin_audio(self, first: int | None) -> None:
        """Begins the audio at a segment; None: where it has stopped."""
        if self._audio is None:
            return
        timeline = self.state.timeline
        seconds = timeline.segment_seconds
        if first is None:
            frame = resume.frames_written(self._audio, sound.FRAME_SAMPLES)
            first = int(frame * sound.FRAME_SECONDS / seconds)
            start = -int(-first * seconds // sound.FRAME_SECONDS)
        else:
            start = frame = -int(-first * seconds // sound.FRAME_SECONDS)
        if frame == start:
            resume.end_complete(self._audio, timeline.number(first - 1))
        self._audio_first = frame, frame - start
        self._audio.begin(timeline.number(first))

    def _write(self, now: float) -> None:
        self._room.write(lambda: self._manifest.write(self._videos(), now))

    def _videos(self) -> list[LiveVideo]:
        return [
            self._manifest.video(one.settings, one.encoder.codec, one.scores.whole if one.scores else None)
            for one in self.representations
        ]

    def _track(self, id_: str, timescale: int) -> TrackFolder:
        return TrackFolder(self._folder / id_, record_head(timescale), self._room)

    def _folders(self) -> list[TrackFolder]:
        return [one.folder for one in self.representations] + ([self._audio] if self._audio else [])
