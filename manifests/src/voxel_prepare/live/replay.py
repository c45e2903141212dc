"""Plays a recorded presentation again in real time, for trials and tests: the same media, with the times of now."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from threading import Event

from voxel_prepare.codecs import codec_of
from voxel_prepare.errors import InputError
from voxel_prepare.isobmff import parse_track
from voxel_prepare.isobmff.writer import with_capture_time
from voxel_prepare.jobs.progress import say
from voxel_prepare.live import sound
from voxel_prepare.live.clock import WallClock
from voxel_prepare.live.finish import finished_numbers
from voxel_prepare.live.folder import INIT, TrackFolder
from voxel_prepare.live.manifest_file import AUDIO, ManifestFile
from voxel_prepare.live.publish import record_head
from voxel_prepare.live.state import STATE, LiveState, lock_folder
from voxel_prepare.manifest.live_mpd import LiveVideo
from voxel_prepare.manifest.live_records import ChunkRecord

LEAD_MS = 500
"""Time from the start of the command to media time."""

LATE_MS = 50
"""What is later than that, and than ever before, is said."""


@dataclass(frozen=True, slots=True)
class Release:
    """A recorded chunk, and when it is written."""

    seconds: Fraction
    """Media time."""
    track: str
    number: int
    record: ChunkRecord
    is_last: bool
    """Whether it is the last of its segment."""


def run_replay(source: Path, out: Path, latency: float, window: float, stop: Event) -> None:
    """Plays a recorded presentation again until its end or until `stop` is set. Raises `PreparationError`."""
    if (out / STATE).exists():
        raise InputError(f"{out}: --replay needs an empty folder, found a presentation")
    with lock_folder(out):
        Replay(source, out, latency, window, WallClock()).run(stop)


def read_recorded(folder: Path) -> LiveState:
    """What was recorded in a folder. Raises `InputError`."""
    state = LiveState.read(folder)
    if state is None:
        raise InputError(f"{folder}: --replay takes an output folder of voxel-live, found no {STATE}")
    return state


def releases(folder: Path, state: LiveState) -> Iterator[Release]:
    """All chunks of the finished segments, each when an encoder without computing time would have written it.

    Raises `PreparationError` if no segment was finished.
    """
    timeline = state.timeline
    names = [*(one.id for one in state.representations), *([AUDIO] if state.has_audio else [])]
    tracks = {name: TrackFolder(folder / name, record_head(1)) for name in names}
    numbers = finished_numbers(timeline, list(tracks.values()))
    delay = (state.choice.delay_frames - 1) / timeline.rate
    for name, track in tracks.items():
        for number in numbers:
            records = track.records(number)
            if records.head is None:
                continue
            for record in records.chunks:
                end = Fraction(record.decode_time + record.duration, records.head.timescale)
                seconds = end + (sound.FRAME_SECONDS if name == AUDIO else delay)
                yield Release(seconds, name, number, record, record is records.chunks[-1])


class Replay:
    """Writes a recorded presentation into another folder."""

    def __init__(self, source: Path, out: Path, latency: float, window: float, clock: WallClock) -> None:
        """Raises `PreparationError` if there is nothing to replay. `latency`, `window`: in seconds."""
        recorded = read_recorded(source)
        self._releases = sorted(releases(source, recorded), key=lambda release: release.seconds)
        first = min(release.number for release in self._releases) - recorded.timeline.first_number
        start = round(clock.now() + LEAD_MS - 1000 * first * recorded.timeline.segment_seconds)
        self._shift = start - recorded.timeline.availability_start
        self._state = replace(recorded, timeline=replace(recorded.timeline, availability_start=start), is_ended=False)
        self._source, self._out, self._clock = source, out, clock
        self._first = first
        self._manifest = ManifestFile(out, self._state, latency, window)
        self._tracks: dict[str, TrackFolder] = {}

    def run(self, stop: Event) -> None:
        """Writes to the end, or until `stop` is set. Raises `PreparationError`."""
        video = self._begin()
        start = self._state.timeline.availability_start
        latest = LATE_MS
        for release in self._releases:
            due = start + float(1000 * release.seconds)
            if stop.wait(max(0.0, (due - self._clock.now()) / 1000)):
                break
            self._write(release)
            late = round(self._clock.now() - due)
            if late > latest:
                latest = late
                say(f"a chunk was {late} ms late: this machine is too busy for the replay")
            if self._manifest.is_due(self._clock.now()):
                self._manifest.write(video, self._clock.now())
        for track in self._tracks.values():
            track.close()
        self._manifest.end([(self._tracks[one.track.id], one) for one in video])

    def _begin(self) -> list[LiveVideo]:
        video: list[LiveVideo] = []
        for name in sorted({release.track for release in self._releases}):
            init = (self._source / name / INIT).read_bytes()
            parsed = parse_track(init)
            track = self._tracks[name] = TrackFolder(self._out / name, record_head(parsed.timescale))
            track.write_init(init)
            track.begin(self._state.timeline.number(self._first))
            self._manifest.follow(track)
            for representation in self._state.representations:
                if representation.id == name:
                    score = next(each.record.whole_score for each in self._releases if each.track == name)
                    video.append(self._manifest.video(representation, codec_of(parsed.description), score / 10**5))
        self._state.write(self._out)
        self._manifest.write(video, self._clock.now())
        return video

    def _write(self, release: Release) -> None:
        track, record = self._tracks[release.track], release.record
        track.begin(release.number)
        media = TrackFolder(self._source / release.track, record_head(1)).media(release.number)
        captured = record.captured + self._shift
        chunk = with_capture_time(media[record.range.start : record.range.end], captured)
        track.append(chunk, replace(record, captured=captured))
        if release.is_last:
            track.finish()
