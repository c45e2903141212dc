"""Clips: a span of a stream, growing or ended, as a presentation of its own that is played on demand."""

import errno
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from pathlib import Path

from lxml import etree

from voxel_prepare.codecs import codec_of
from voxel_prepare.errors import InputError, PreparationError
from voxel_prepare.isobmff import parse_track
from voxel_prepare.jobs.durable import write_durably
from voxel_prepare.live.finish import describe_ended
from voxel_prepare.live.folder import INIT, TrackFolder
from voxel_prepare.live.moments import moment, utc
from voxel_prepare.live.playlists import TrackPlaylist
from voxel_prepare.live.publish import record_head
from voxel_prepare.live.state import LiveState
from voxel_prepare.manifest.hls_playlists import MULTIVARIANT
from voxel_prepare.manifest.live_mpd import LiveAudio, LivePresentation, LiveTrack, LiveVideo
from voxel_prepare.manifest.live_playlists import (
    WHOLE_PLAYLIST,
    Pace,
    ended_playlist,
    live_multivariant,
    target_duration,
)
from voxel_prepare.manifest.live_records import RecordError
from voxel_prepare.manifest.mpd import UNKNOWN_LANGUAGE
from voxel_prepare.manifest.mpd_file import MANIFEST, parse_mpd
from voxel_prepare.media.ladder import Representation


@dataclass(frozen=True, slots=True)
class ClipRequest:
    """Options of `voxel-live --clip`; the times as they were given."""

    folder: Path
    out: Path
    start: str
    end: str | None
    """None: the end of the newest segment."""


@dataclass(frozen=True, slots=True)
class Clip:
    """What has been made."""

    start: Fraction
    end: Fraction
    """Ms since 1970 (UTC)."""
    segment_seconds: Fraction
    tracks: Sequence[str]
    left_out: Sequence[str]
    """Representations that have not all of the segments."""


def make_clip(request: ClipRequest) -> Clip:
    """Makes a presentation of the segments in which the span lies, whatever becomes of the stream. Raises
    `PreparationError`.
    """
    _check_empty(request.out)
    stream = _Stream(request.folder)
    numbers = stream.span(request)
    wanted = stream.tracks
    tracks = [track for track in wanted if stream.has_all(track, numbers)]
    videos = [one for one in stream.representations if one.id in tracks]
    if not videos:
        raise InputError(f"{request.folder}: no representation has all segments of this span: choose a later --from")
    out = request.out.resolve()
    new = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        stream.link(new, tracks, numbers)
        stream.describe(new, videos, [one for one in stream.sounds if one.track.id in tracks], numbers)
        new.rename(out)
    except OSError as error:
        raise PreparationError(f"{request.out}: cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
    left_out = [track for track in wanted if track not in tracks]
    seconds = stream.state.timeline.segment_seconds
    return Clip(stream.start(numbers.start), stream.start(numbers.stop), seconds, tracks, left_out)


def _check_empty(out: Path) -> None:
    """Raises `InputError` for what would be written over."""
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: expected a folder, found a file")
    found = min((path.name for path in out.iterdir()), default=None) if out.exists() else None
    if found is not None:
        raise InputError(f"{out}: expected an empty folder, or none, found {found} in it")


class _Stream:
    """A stream in its folder, which an encoder may be writing."""

    def __init__(self, folder: Path) -> None:
        state = LiveState.read(folder)
        if state is None or not (folder / MANIFEST).exists():
            raise InputError(f"{folder}: --clip takes an output folder of voxel-live that has a manifest")
        self.state = state
        self._folder = folder
        mpd = parse_mpd(folder / MANIFEST).getroot()
        sets = {kind: mpd.findall(f".//{{*}}AdaptationSet[@contentType='{kind}']") for kind in ("video", "audio")}
        self.sounds = [_sound(one) for one in sets["audio"]]
        self.representations = sorted(
            (one for one in state.representations if one.bitrate), key=lambda one: one.bitrate
        )
        listed = [one.get("id") for of_set in sets["video"] for one in of_set.iterfind("{*}Representation")]
        present = [one.id for one in self.representations if one.id in listed]
        self.tracks = [one.id for one in self.representations] + [one.track.id for one in self.sounds]
        numbers = [self._numbers(track) for track in present]
        if not present or not all(numbers):
            raise InputError(f"{folder}: no segment is finished yet")
        self._oldest = min(of_track[0] for of_track in numbers)
        newest = min(self._newest(track) for track in [*present, *(one.track.id for one in self.sounds)])
        if newest < self._oldest:
            raise InputError(f"{folder}: no segment is finished yet")
        self._next = newest + 1

    def start(self, number: int) -> Fraction:
        """When a segment begins, in ms since 1970 (UTC)."""
        timeline = self.state.timeline
        return timeline.availability_start + 1000 * (number - timeline.first_number) * timeline.segment_seconds

    def span(self, request: ClipRequest) -> range:
        """The numbers of the segments in which the span lies. Raises `InputError` if it is not there."""
        timeline, newest = self.state.timeline, self.start(self._next)
        start = moment(request.start, newest, "--from")
        end = newest if request.end is None else moment(request.end, newest, "--to")
        given = request.end or utc(newest)
        if start < self.start(self._oldest):
            is_cut = self._oldest > timeline.first_number
            why = "not there any more: the stream goes back to" if is_cut else "not there: the stream begins at"
            raise InputError(f"--from {request.start}: {why} {utc(self.start(self._oldest))}")
        for option, text, time in (("--from", request.start, start), ("--to", given, end)):
            if time > newest or (time == newest and option == "--from"):
                why = (
                    "not there: the stream ends at"
                    if self.state.is_ended
                    else "not there yet: the newest segment ends at"
                )
                raise InputError(f"{option} {text}: {why} {utc(newest)}")
        if start >= end:
            raise InputError(f"--from must be before --to, got {request.start} and {given}")
        places = [(time - timeline.availability_start) / 1000 / timeline.segment_seconds for time in (start, end)]
        return range(timeline.number(floor(places[0])), timeline.number(ceil(places[1])))

    def has_all(self, track: str, numbers: range) -> bool:
        """Whether all of the segments are there, and finished."""
        return all(self._is_finished(track, number) for number in numbers)

    def link(self, out: Path, tracks: Sequence[str], numbers: range) -> None:
        """Puts files into `out` that stay when those of the stream are deleted. Raises `InputError` if some are."""
        folders = [(self._track(track), out / track) for track in tracks]
        try:
            for folder, into in folders:
                into.mkdir(parents=True)
                shutil.copyfile(folder.folder / INIT, into / INIT)
            for number in numbers:
                for folder, into in folders:
                    for path in folder.files(number):
                        _link(path, into / path.name)
        except FileNotFoundError as error:
            raise InputError(f"{error.filename}: it has gone meanwhile: choose a later --from") from error

    def describe(self, out: Path, video: Sequence[Representation], audio: Sequence[LiveAudio], numbers: range) -> None:
        """Writes manifest, indexes and playlists for the files in `out`. Raises `PreparationError`."""
        timeline = self.state.timeline
        described = [self._video(out, one) for one in video]
        tracks = [_written(out / one.id, numbers.start) for one in video]
        presentation = LivePresentation(
            timeline.rate, timeline.segment_seconds, timeline.first_number, described, audio
        )
        pairs = list(zip(tracks, described, strict=True))
        manifest = describe_ended(out, timeline, self.state.choice, pairs, audio, numbers)
        sounds = [_written(out / one.track.id, numbers.start) for one in audio]
        pace = Pace(target_duration(timeline.segment_seconds), Fraction(0), timeline.availability_start)
        for track in [*tracks, *sounds]:
            listed = TrackPlaylist(track, lambda _: Fraction(0), Fraction(0), is_sound=False)
            segments = [listed.whole(number) for number in numbers]
            (track.folder / WHOLE_PLAYLIST).write_bytes(ended_playlist(segments, pace))
        chunk = self.state.choice.chunk_frames / timeline.rate
        (out / MULTIVARIANT).write_bytes(live_multivariant(presentation, chunk, WHOLE_PLAYLIST))
        replace(self.state, representations=tuple(video), has_audio=bool(audio), is_ended=True).write(out)
        write_durably(out / MANIFEST, manifest, through=out)

    def _video(self, out: Path, one: Representation) -> LiveVideo:
        description = parse_track((out / one.id / INIT).read_bytes()).description
        codecs = codec_of(description).codecs(description.sample_entry)
        track = LiveTrack(one.id, codecs, one.bitrate, self.state.timeline.timescale)
        return LiveVideo(track, one.width, one.height, None)

    def _track(self, name: str) -> TrackFolder:
        return TrackFolder(self._folder / name, record_head(1))

    def _numbers(self, track: str) -> list[int]:
        return [number for number in self._track(track).numbers() if number >= self.state.timeline.first_number]

    def _newest(self, track: str) -> int:
        """The newest finished segment; -1: there is none."""
        numbers = reversed(self._numbers(track))
        return next((number for number in numbers if self._is_finished(track, number)), -1)

    def _is_finished(self, track: str, number: int) -> bool:
        try:
            return bool(self._track(track).records(number).length)
        except (OSError, RecordError):
            return False


def _written(folder: Path, number: int) -> TrackFolder:
    """The files of a representation, with the timescale that the records of a segment of it have."""
    head = TrackFolder(folder, record_head(1)).records(number).head
    assert head is not None
    return TrackFolder(folder, head)


def _sound(adaptation_set: etree._Element) -> LiveAudio:
    """A track of sound as the manifest has it."""
    one = adaptation_set.find("{*}Representation")
    assert one is not None
    channels = one.find("{*}AudioChannelConfiguration")
    role = adaptation_set.find("{*}Role")
    return LiveAudio(
        LiveTrack(
            one.get("id", ""),
            one.get("codecs", ""),
            int(one.get("bandwidth", "0")),
            int(one.get("audioSamplingRate", "0")),
        ),
        int(channels.get("value", "1")) if channels is not None else 1,
        adaptation_set.get("lang", UNKNOWN_LANGUAGE),
        role.get("value") if role is not None else None,
    )


def _link(path: Path, to: Path) -> None:
    """A file of the same content that stays. Raises `OSError`."""
    try:
        os.link(path, to)
    except OSError as error:
        if error.errno not in (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EACCES):
            raise
        shutil.copyfile(path, to)
