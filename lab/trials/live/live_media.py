"""Recorded encodes of voxel-live, for trials.

live_media.py describe FOLDER
    One JSON line: `digest` of all media, `segmentSeconds`, `frameSeconds`, and `levels`, ascending: `id`, `bitrate`,
    `averageScore`, and for each segment `bytes`, `reliableBytes` and its `score`, SSIM against the same segment of the
    top level.
live_media.py score FOLDER APPENDED < REQUEST
    APPENDED has all bytes of video that a player appended, in that order. REQUEST is a JSON list of {"index",
    "representation", "start", "duration"}: segments, with their place in media time in seconds. For each that was
    appended to its end, one JSON line: `index`, its `score` as it was appended, and `replaced`: the media times of the
    pictures that are not as they were encoded.
"""

import hashlib
import json
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean

from voxel_prepare.analysis.encoded_segment import EncodedSegment
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.score import score_pictures
from voxel_prepare.analysis.segment_analysis import Metric
from voxel_prepare.codecs import codec_of
from voxel_prepare.isobmff import Fragment, SampleDefaults, Track, parse_fragments, parse_track
from voxel_prepare.live.finish import finished_numbers
from voxel_prepare.live.folder import INIT, TrackFolder
from voxel_prepare.live.publish import record_head
from voxel_prepare.live.replay import read_recorded
from voxel_prepare.repair.frames import read_frames

SCORE_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Level:
    """One representation of a recording."""

    id: str
    bitrate: int
    track: Track
    folder: TrackFolder

    def segment(self, number: int) -> EncodedSegment:
        return self.encoded(self.folder.media(number))

    def encoded(self, data: bytes) -> EncodedSegment:
        return EncodedSegment(codec_of(self.track.description), self.track.defaults, data)


class Recording:
    """The output folder of voxel-live."""

    def __init__(self, folder: Path) -> None:
        state = read_recorded(folder)
        self.timeline = state.timeline
        self.levels = [
            Level(
                level.id,
                level.bitrate,
                parse_track((folder / level.id / INIT).read_bytes()),
                TrackFolder(folder / level.id, record_head(1)),
            )
            for level in sorted(state.representations, key=lambda level: level.bitrate)
        ]
        self.numbers = finished_numbers(self.timeline, [level.folder for level in self.levels])
        self.comparer = PictureComparer(Metric.SSIM)

    def number(self, seconds: float) -> int:
        """Number of the segment at a media time."""
        return self.timeline.number(round(seconds / float(self.timeline.segment_seconds)))

    def score(self, delivered: EncodedSegment, number: int) -> float:
        """The mean over the segment's pictures."""
        return score_pictures(delivered.pictures(), self.levels[-1].segment(number).pictures(), self.comparer)


def describe(recording: Recording) -> dict[str, object]:
    """Media time 0 is the first segment."""
    if recording.numbers[0] != recording.timeline.first_number:
        raise SystemExit(f"live_media: the recording begins with segment {recording.numbers[0]}")
    digest = hashlib.sha256()
    levels = []
    for level in recording.levels:
        digest.update(f"{level.id} {level.bitrate} ".encode())
        segments = []
        for number in recording.numbers:
            segment = level.segment(number)
            for sample in segment.samples():
                digest.update(sample)
            reliable = sum(range_.size for chunk in level.folder.records(number).chunks for range_ in chunk.reliable)
            score = round(recording.score(segment, number), SCORE_DIGITS)
            segments.append({"bytes": len(segment.data), "reliableBytes": reliable, "score": score})
        average = round(fmean(segment["score"] for segment in segments), SCORE_DIGITS)
        levels.append({"id": level.id, "bitrate": level.bitrate, "averageScore": average, "segments": segments})
    return {
        "digest": digest.hexdigest(),
        "segmentSeconds": float(recording.timeline.segment_seconds),
        "frameSeconds": float(1 / recording.timeline.rate),
        "levels": levels,
    }


class Appended:
    """What a player appended."""

    def __init__(self, data: bytes, timescale: int) -> None:
        self._data = data
        self._timescale = timescale

    @cache  # noqa: B019  # one object for the life of the process
    def _fragments(self) -> dict[int, Fragment]:
        """Fragments by decode time; what was appended again takes the place of what was there."""
        return {fragment.base_decode_time: fragment for fragment in parse_fragments(self._data, SampleDefaults())}

    def between(self, start: float, end: float) -> bytes:
        """The media of a span of media time."""
        low, high = (round(seconds * self._timescale) for seconds in (start, end))
        found = sorted(time for time in self._fragments() if low <= time < high)
        fragments = [self._fragments()[time] for time in found]
        return b"".join(self._data[fragment.moof_start : fragment.end] for fragment in fragments)


def rate(recording: Recording, appended: Appended, request: dict[str, object]) -> dict[str, object] | None:
    """None: it was not appended to its end."""
    start, duration = float(str(request["start"])), float(str(request["duration"]))
    level = next(level for level in recording.levels if level.id == request["representation"])
    number = recording.number(start)
    whole, data = level.segment(number), appended.between(start, start + duration)
    if not data:
        return None
    delivered = level.encoded(data)
    samples, pairs = whole.samples(), delivered.samples()
    if len(samples) != len(pairs):
        return None
    frames = read_frames(whole.codec, whole.data, whole.defaults)
    earliest = min(frame.presentation_time for frame in frames)
    replaced = sorted(
        start + (frame.presentation_time - earliest) / level.track.timescale
        for frame, sample, own in zip(frames, samples, pairs, strict=True)
        if sample != own
    )
    score = round(recording.score(delivered, number), SCORE_DIGITS)
    return {"index": request["index"], "score": score, "replaced": replaced}


def main(command: str, folder: str, *files: str) -> None:
    recording = Recording(Path(folder))
    if command == "describe":
        print(json.dumps(describe(recording)))
        return
    [file] = files
    appended = Appended(Path(file).read_bytes(), recording.levels[0].track.timescale)
    for request in json.load(sys.stdin):
        line = rate(recording, appended, request)
        if line is not None:
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
