"""The HLS playlists in the folder of a live presentation: written anew with each chunk."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Protocol

from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.jobs.durable import new_file, write_durably
from voxel_prepare.live import sound
from voxel_prepare.live.folder import INIT, LATE_REQUESTS_SECONDS, TrackFolder
from voxel_prepare.live.room import AT_ONCE, Room
from voxel_prepare.live.state import LiveState
from voxel_prepare.manifest.hls_playlists import MULTIVARIANT
from voxel_prepare.manifest.live_mpd import LivePresentation
from voxel_prepare.manifest.live_playlists import (
    LIVE_PLAYLIST,
    PARTS_TARGETS,
    WHOLE_PLAYLIST,
    Pace,
    Part,
    PartedSegment,
    Past,
    Report,
    ended_playlist,
    live_multivariant,
    live_playlist,
    part_hold_back,
    target_duration,
)
from voxel_prepare.manifest.live_records import ChunkRecord

MOST_SECONDS = 300
"""Longest time of which playlists list segments: they are written some times a second. Servers add what is before."""


def reach(window: float, segment: Fraction, target: int) -> Fraction:
    """Seconds of which playlists list the segments where files stay for `window` and some more."""
    return max(Fraction(PARTS_TARGETS * target) + segment, min(whole_reach(window, segment), Fraction(MOST_SECONDS)))


def whole_reach(window: float, segment: Fraction) -> Fraction:
    """Seconds that playlists may reach back: a segment stays as long after it has left a playlist as that playlist and
    the segment last.
    """
    return (Fraction(window) + LATE_REQUESTS_SECONDS - segment) / 2


def forget_playlists(folder: Path) -> None:
    """Removes those of an earlier presentation: a player would take them for this one's."""
    folders = [folder, *(path.parent for path in folder.glob(f"*/{INIT}"))]
    for path in folders:
        for name in (MULTIVARIANT, LIVE_PLAYLIST, WHOLE_PLAYLIST):
            (path / name).unlink(missing_ok=True)


def replace_playlist(path: Path, content: bytes) -> None:
    """Replaces a file at once. It need not survive a loss of power: it will soon be written anew. Raises `OSError`."""
    new = new_file(path, path.parent)
    try:
        new.write_bytes(content)
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


class PresentationPlaylists(Protocol):
    """The playlists of a presentation, as its manifest's writer knows them."""

    def write_multivariant(self, presentation: LivePresentation) -> None:
        """The playlist to start from, once all those that it names are there."""

    def end(self, presentation: LivePresentation, numbers: Sequence[int]) -> None:
        """Ends the playlists, and adds some of all segments that are left, for those who come later."""


class Playlists:
    """Those of all representations."""

    def __init__(self, folder: Path, state: LiveState, latency: float, window: float, room: Room = AT_ONCE) -> None:
        """`latency`, `window`: in seconds. Playlists that grow wait for `room`."""
        timeline, choice = state.timeline, state.choice
        self._folder, self._state, self._room = folder, state, room
        self._chunk = choice.chunk_frames / timeline.rate
        sound_frames = max(1, round(self._chunk / sound.FRAME_SECONDS))
        self._part_targets = {False: self._chunk, True: sound_frames * sound.FRAME_SECONDS}
        delay = (choice.chunk_frames + choice.delay_frames - 1) / timeline.rate
        target = target_duration(timeline.segment_seconds)
        self.pace = Pace(
            target,
            part_hold_back(latency, delay, [self._part_targets[is_sound] for is_sound in (False, state.has_audio)]),
            timeline.availability_start,
            timeline.first_number,
        )
        self.reach = reach(window, timeline.segment_seconds, target)
        self._past_segments = int(whole_reach(window, timeline.segment_seconds) / timeline.segment_seconds)
        self._tracks: list[TrackPlaylist] = []
        self._has_multivariant = False

    def follow(self, track: TrackFolder, *, is_sound: bool) -> None:
        """Writes a representation's playlist whenever it grows, and with what is in its folder already."""
        timeline = self._state.timeline
        playlist = TrackPlaylist(
            track,
            lambda number: (number - timeline.first_number + 1) * timeline.segment_seconds,
            self.reach,
            is_sound=is_sound,
        )
        self._tracks.append(playlist)
        playlist.read(timeline.first_number, 2 + ceil(self.reach / timeline.segment_seconds))

        def grown(number: int, record: ChunkRecord | None) -> None:
            if playlist.add(number, record):
                self._write(playlist)

        track.on_growth = grown
        self._write(playlist)

    def write_multivariant(self, presentation: LivePresentation) -> None:
        """The playlist to start from, once all those that it names are there."""
        if self._has_multivariant or not self._tracks or not all(track.segments for track in self._tracks):
            return
        content = live_multivariant(presentation, self._chunk, LIVE_PLAYLIST, has_parts=True)
        write_durably(self._folder / MULTIVARIANT, content, through=self._folder)
        self._has_multivariant = True

    def end(self, presentation: LivePresentation, numbers: Sequence[int]) -> None:
        """Ends the playlists, and adds some of all segments that are left, for those who come later.

        Where no representation has one, none is added.
        """
        if not self._tracks:
            return
        for track in self._tracks:
            if track.finished:
                replace_playlist(track.folder / LIVE_PLAYLIST, ended_playlist(track.finished, self.pace))
            whole = [track.whole(number) for number in numbers]
            replace_playlist(track.folder / WHOLE_PLAYLIST, ended_playlist(whole, self.pace))
        content = live_multivariant(presentation, self._chunk, WHOLE_PLAYLIST)
        write_durably(self._folder / MULTIVARIANT, content, through=self._folder)

    def _write(self, playlist: "TrackPlaylist") -> None:
        if not playlist.segments:
            return
        reports = [
            Report(other.folder.name, *other.last) for other in self._tracks if other is not playlist and other.last
        ]
        part_target = self._part_targets[playlist.is_sound]
        content = live_playlist(playlist.segments, self.pace, part_target, reports, self._past(playlist))
        self._room.write(lambda: replace_playlist(playlist.folder / LIVE_PLAYLIST, content))

    def _past(self, playlist: "TrackPlaylist") -> Past:
        timeline = self._state.timeline
        newest = playlist.segments[-1].number
        return Past(
            max(playlist.oldest, newest + 1 - self._past_segments),
            timeline.first_number,
            timeline.segment_seconds,
            sound.FRAME_SECONDS if playlist.is_sound else 1 / timeline.rate,
        )


class TrackPlaylist:
    """What the playlist of one representation lists."""

    def __init__(self, track: TrackFolder, ends: Callable[[int], Fraction], reach: Fraction, *, is_sound: bool) -> None:
        """`ends`: when a segment is to end, in seconds of media time, by its number. `reach`: how far back it goes."""
        self.folder = track.folder
        self.segments: tuple[PartedSegment, ...] = ()
        self.last: tuple[int, int] | None = None
        """The last part: the number of its segment, and its place there."""
        self.oldest = 0
        """The first segment that is there without a gap after it, as far as it has been looked for."""
        self.is_sound = is_sound
        self._track, self._ends, self._reach = track, ends, reach

    @property
    def finished(self) -> list[PartedSegment]:
        """Those of `segments` after which another one comes, or that have ended."""
        return [segment for segment in self.segments if segment.is_finished]

    def read(self, first: int, count: int) -> None:
        """Takes what is in the folder from the segment `first` on, of that the last `count`: so many it may list."""
        there = [number for number in self._track.numbers() if number >= first]
        for number in there[-count:]:
            records = self._track.records(number)
            if records.chunks:
                self._set(self.segment(number, is_finished=records.length is not None))
        if self.segments:
            self.oldest = there[0] if there == list(range(there[0], there[-1] + 1)) else self.segments[0].number

    def segment(self, number: int, *, is_finished: bool) -> PartedSegment:
        """A segment as its records have it. Raises `RecordError` and `OSError`."""
        chunks = self._track.records(number).chunks
        parts = tuple(self._part(record, place) for place, record in enumerate(chunks))
        return PartedSegment(number, self._start(chunks[0]), parts, is_finished)

    def whole(self, number: int) -> PartedSegment:
        """A finished segment without its parts, of which there may be many. Raises `RecordError` and `OSError`."""
        chunks = self._track.records(number).chunks
        seconds = Fraction(sum(chunk.duration for chunk in chunks), self._track.timescale)
        part = Part(seconds, ByteRange(0, chunks[-1].range.end), is_independent=True)
        return PartedSegment(number, self._start(chunks[0]), (part,), is_finished=True)

    def add(self, number: int, record: ChunkRecord | None) -> bool:
        """Takes a chunk of a segment, or its end; whether the playlist is to be written.

        With the last part of a segment it waits for the end, which comes at once: after that part no other of it comes.
        """
        segment = self.segments[-1] if self.segments and self.segments[-1].number == number else None
        if record is None:
            if segment is None:
                return False
            self._set(replace(segment, is_finished=True))
            return True
        part = self._part(record, len(segment.parts) if segment else 0)
        if segment is None:
            self._set(PartedSegment(number, self._start(record), (part,), is_finished=False))
        else:
            self._set(replace(segment, parts=(*segment.parts, part), is_finished=False))
        return self._start(record) + part.seconds < self._ends(number)

    def _set(self, segment: PartedSegment) -> None:
        """Puts a segment in the place of the last one, or behind it; what has left the playlist goes."""
        others = self._others(segment)
        oldest = segment.start + segment.seconds - self._reach
        gone = next((place for place, other in enumerate(others) if other.start >= oldest), len(others))
        self.segments = (*others[gone:], segment)
        self.last = segment.number, len(segment.parts) - 1

    def _others(self, segment: PartedSegment) -> tuple[PartedSegment, ...]:
        last = self.segments[-1] if self.segments else None
        if last is not None and last.number == segment.number:
            return self.segments[:-1]
        if last is not None and last.number + 1 == segment.number:
            return (*self.segments[:-1], replace(last, is_finished=True))
        self.oldest = segment.number
        return ()

    def _part(self, record: ChunkRecord, place: int) -> Part:
        seconds = Fraction(record.duration, self._track.timescale)
        return Part(seconds, record.range, is_independent=self.is_sound or place == 0)

    def _start(self, record: ChunkRecord) -> Fraction:
        return Fraction(record.decode_time, self._track.timescale)
