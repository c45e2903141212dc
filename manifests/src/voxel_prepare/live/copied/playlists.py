"""The HLS playlists of copied streams: ordinary ones, written with each segment. Their chunks are too unlike for parts,
which may differ by 15 % (draft-pantos-hls-rfc8216bis section 4.4.4.9).
"""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from voxel_prepare.jobs.durable import write_durably
from voxel_prepare.live.copied.cuts import NEAR_SHARE
from voxel_prepare.live.folder import TrackFolder
from voxel_prepare.live.playlists import TrackPlaylist, reach, replace_playlist
from voxel_prepare.live.room import Room
from voxel_prepare.live.timeline import Timeline
from voxel_prepare.manifest.hls_playlists import MULTIVARIANT
from voxel_prepare.manifest.live_mpd import LiveEvent, LivePresentation
from voxel_prepare.manifest.live_playlists import (
    LIVE_PLAYLIST,
    WHOLE_PLAYLIST,
    Pace,
    ended_playlist,
    live_multivariant,
    plain_playlist,
    target_duration,
)
from voxel_prepare.manifest.live_records import ChunkRecord

LONGEST = 1 + Fraction(2, NEAR_SHARE)
"""A segment that begins early and ends late, in segments."""


class CopiedPlaylists:
    """Those of all representations."""

    def __init__(self, folder: Path, timeline: Timeline, chunk_seconds: Fraction, window: float, room: Room) -> None:
        """`window`: seconds."""
        self._folder, self._chunk, self._room = folder, chunk_seconds, room
        target = target_duration(timeline.segment_seconds * LONGEST)
        # No parts, so no hold-back of such.
        self._pace = Pace(target, Fraction(0), timeline.availability_start, timeline.first_number)
        self._reach = reach(window, timeline.segment_seconds, target)
        self._tracks: dict[str, TrackPlaylist] = {}
        self._announced = b""
        self.events: Sequence[LiveEvent] = ()
        """What playlists say of cues from the next segment on."""

    def follow(self, track: TrackFolder) -> None:
        """Writes a representation's playlist whenever a segment of it is finished."""
        # Segments are listed once they are finished, so it does not matter when they should be.
        playlist = TrackPlaylist(track, lambda _: Fraction(0), self._reach, is_sound=False)
        self._tracks[track.folder.name] = playlist

        def grown(number: int, record: ChunkRecord | None) -> None:
            playlist.add(number, record)
            if record is None:
                content = plain_playlist(playlist.finished, self._pace, self.events)
                self._room.write(lambda: replace_playlist(playlist.folder / LIVE_PLAYLIST, content))

        track.on_growth = grown

    def write_multivariant(self, presentation: LivePresentation) -> None:
        """The playlist to start from, once all those that it names are there; again where others are listed."""
        if presentation.video and all(self._tracks[id_].finished for id_ in _listed(presentation)):
            self._announce(live_multivariant(presentation, self._chunk, LIVE_PLAYLIST))

    def end(self, presentation: LivePresentation, numbers: Sequence[int]) -> None:
        """Ends the playlists, and adds some of all segments that are left, for those who come later."""
        for track in self._tracks.values():
            if track.finished:
                replace_playlist(track.folder / LIVE_PLAYLIST, ended_playlist(track.finished, self._pace, self.events))
        for id_ in _listed(presentation):
            whole = [self._tracks[id_].whole(number) for number in numbers]
            replace_playlist(self._folder / id_ / WHOLE_PLAYLIST, ended_playlist(whole, self._pace, self.events))
        self._announce(live_multivariant(presentation, self._chunk, WHOLE_PLAYLIST))

    def _announce(self, content: bytes) -> None:
        if content != self._announced:
            write_durably(self._folder / MULTIVARIANT, content, through=self._folder)
            self._announced = content


def _listed(presentation: LivePresentation) -> list[str]:
    tracks = [one.track for one in presentation.video] + [one.track for one in presentation.audio]
    return [track.id for track in tracks]
