"""The manifest in the folder of a live presentation, and the playlists beside it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from voxel_prepare.jobs.durable import write_durably
from voxel_prepare.live import sound
from voxel_prepare.live.finish import describe_ended, finished_numbers
from voxel_prepare.live.folder import TrackFolder
from voxel_prepare.live.playlists import Playlists, PresentationPlaylists
from voxel_prepare.live.publish import record_head
from voxel_prepare.live.room import AT_ONCE, Room
from voxel_prepare.live.state import LiveState
from voxel_prepare.manifest.live_mpd import (
    UPDATE_SECONDS,
    Growth,
    LiveAudio,
    LiveEvent,
    LivePresentation,
    LiveTrack,
    LiveVideo,
    write_live_mpd,
)
from voxel_prepare.manifest.mpd_file import MANIFEST
from voxel_prepare.media.ladder import Representation
from voxel_prepare.repair.codec import Codec

AUDIO = "a0"
"""The audio representation."""


class ManifestFile:
    """Writes it while the presentation grows, and at its end."""

    def __init__(
        self,
        folder: Path,
        state: LiveState,
        latency: float,
        window: float,
        *,
        sound: Sequence[LiveAudio] | None = None,
        playlists: PresentationPlaylists | None = None,
        room: Room = AT_ONCE,
    ) -> None:
        """`latency`, `window`: in seconds. `sound`, `playlists`: those of copied streams; else they are as `voxel-live`
        encodes it, and `follow` tells of the tracks, whose playlists wait for `room`.
        """
        self._folder, self._state, self._sound = folder, state, sound
        self._latency, self._window = latency, window
        self._parted = Playlists(folder, state, latency, window, room)
        self._playlists = self._parted if playlists is None else playlists
        self._written = 0.0

    def follow(self, track: TrackFolder) -> None:
        """Writes the playlist of a representation that has begun, from now on whenever it grows."""
        self._parted.follow(track, is_sound=track.folder.name == AUDIO)

    def is_due(self, now: float, seconds: float = UPDATE_SECONDS) -> bool:
        """Whether the last one is so old, as when players will soon ask for a newer one; `now`: ms since 1970 (UTC)."""
        return now - self._written >= 1000 * seconds

    def write(self, video: Sequence[LiveVideo], now: float, events: Sequence[LiveEvent] = ()) -> None:
        """While the presentation grows; `now`: ms since 1970 (UTC)."""
        self._written = now
        timeline = self._state.timeline
        growth = Growth(
            availability_start=timeline.availability_start,
            published=round(now),
            chunk_seconds=self._state.choice.chunk_frames / timeline.rate,
            latency=self._latency,
            window=self._window,
        )
        presentation = self._presentation(video, events)
        self._replace(write_live_mpd(presentation, growth))
        self._playlists.write_multivariant(presentation)

    def end(self, video: Sequence[tuple[TrackFolder, LiveVideo]], events: Sequence[LiveEvent] = ()) -> None:
        """Describes what is left, to be played on demand. Raises `PreparationError` if there is nothing."""
        state = self._state
        presentation = self._presentation([one for _, one in video], events)
        sound = [TrackFolder(self._folder / one.track.id, record_head(1)) for one in self._audio()]
        numbers = finished_numbers(state.timeline, [track for track, _ in video] + sound)
        self._playlists.end(presentation, numbers)
        self._replace(describe_ended(self._folder, state.timeline, state.choice, video, self._audio(), numbers, events))
        replace(state, is_ended=True).write(self._folder)

    def video(self, representation: Representation, codec: Codec, score: float | None) -> LiveVideo:
        """A representation; `score`: its present one."""
        codecs = codec.codecs(codec.sample_entries[0])
        track = LiveTrack(representation.id, codecs, representation.bitrate, self._state.timeline.timescale)
        return LiveVideo(track, representation.width, representation.height, score)

    def _presentation(self, video: Sequence[LiveVideo], events: Sequence[LiveEvent]) -> LivePresentation:
        timeline = self._state.timeline
        seconds, first = timeline.segment_seconds, timeline.first_number
        return LivePresentation(timeline.rate, seconds, first, video, self._audio(), events)

    def _audio(self) -> Sequence[LiveAudio]:
        if self._sound is not None:
            return self._sound
        own = LiveAudio(LiveTrack(AUDIO, sound.CODECS, sound.BITRATE, sound.SAMPLE_RATE), sound.CHANNELS)
        return [own] if self._state.has_audio else []

    def _replace(self, manifest: bytes) -> None:
        write_durably(self._folder / MANIFEST, manifest, through=self._folder)
