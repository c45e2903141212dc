"""Scores segments as they were delivered: score_delivered.py [--reference MEDIA] MEDIA OWN [METRIC …] < REQUEST.

REQUEST is a JSON list of {"index", "representation", "start", "duration", "file"}: the segment's number,
`Representation@id`, its place on the media time line in seconds, and the bytes that the player appended, or null for a
whole segment. For each, one JSON line comes out: `measures`, its score by each METRIC against the same segment of the
top level, as preparation measures it, and for a segment of a file its score by OWN, the manifest's metric, and
`references`: for each frame in decode order whether others may refer to it, from the media file, where its codec says.
With `--reference`, scores are against the top level of that folder, and every line has `score` and `wholeScore`: what
the manifest says of whole segments is against another.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from av.video.frame import VideoFrame
from voxel_prepare.analysis.encoded_segment import EncodedSegment
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.score import score_pictures
from voxel_prepare.analysis.segment_analysis import Metric
from voxel_prepare.codecs import codec_of
from voxel_prepare.errors import UnsupportedStream
from voxel_prepare.isobmff import Track, parse_fragments, parse_track
from voxel_prepare.repair.frames import read_frames

ROUNDING = 1e-3
"""Seconds that times of the player and the file may differ by; less than any frame."""

MPD = "{urn:mpeg:dash:schema:mpd:2011}"


class PreparedVideo:
    """The levels of a folder that voxel-prepare made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        root = ElementTree.parse(folder / "manifest.mpd").getroot()
        videos = [set_ for set_ in root.iter(f"{MPD}AdaptationSet") if set_.get("contentType") == "video"]
        self._levels = {str(level.get("id")): level for set_ in videos for level in set_.iter(f"{MPD}Representation")}
        self.levels = list(self._levels)
        """`Representation@id` of each level."""
        self.top = max(self._levels, key=lambda id_: int(self._levels[id_].get("bandwidth", "0")))

    @cache  # noqa: B019  # one object for the life of the process
    def _file(self, representation: str) -> tuple[bytes, Track]:
        data = (self._folder / self._levels[representation].findtext(f"{MPD}BaseURL", "")).read_bytes()
        return data, parse_track(data)

    def segment(self, representation: str, start: float, duration: float) -> EncodedSegment:
        """What the level's file holds of a span of media time in seconds."""
        data, track = self._file(representation)
        fragments = [
            fragment
            for fragment in track.fragments
            if start <= fragment.base_decode_time / track.timescale + ROUNDING < start + duration
        ]
        if not fragments:
            raise SystemExit(f"score_delivered: {representation} has nothing at {start} s")
        return EncodedSegment(codec_of(track.description), track.defaults, data[fragments[0].start : fragments[-1].end])


def shown(delivered: EncodedSegment, whole: EncodedSegment) -> Iterator[VideoFrame]:
    """What is seen at the time of each picture of the whole segment: where one was taken out, the one before it."""
    ahead = zip(_times(delivered), delivered.pictures(), strict=True)
    _, picture = next(ahead)
    following = next(ahead, None)
    for time in _times(whole):
        while following is not None and following[0] <= time:
            _, picture = following
            following = next(ahead, None)
        yield picture


def _times(segment: EncodedSegment) -> list[int]:
    """Times of presentation, in order, in the track's timescale."""
    fragments = parse_fragments(segment.data, segment.defaults)
    return sorted(sample.presentation_time for fragment in fragments for sample in fragment.samples)


def score(delivered: EncodedSegment, whole: EncodedSegment, reference: EncodedSegment, metric: Metric) -> float:
    """The mean over the segment's pictures."""
    return score_pictures(shown(delivered, whole), reference.pictures(), PictureComparer(metric))


def _references(whole: EncodedSegment) -> dict[str, list[bool]]:
    try:
        frames = read_frames(whole.codec, whole.data, whole.defaults)
    except UnsupportedStream:
        return {}
    return {"references": [frame.is_reference for frame in frames]}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--reference", type=Path)
    parser.add_argument("media", type=Path)
    parser.add_argument("metrics", type=Metric, nargs="+")
    arguments = parser.parse_args()
    video = PreparedVideo(arguments.media)
    other = PreparedVideo(arguments.reference) if arguments.reference else video
    own, *metrics = arguments.metrics
    for request in json.load(sys.stdin):
        place = request["start"], request["duration"]
        whole, reference = video.segment(request["representation"], *place), other.segment(other.top, *place)
        file = request["file"]
        delivered = whole if file is None else replace(whole, data=Path(file).read_bytes())
        line: dict[str, object] = {
            "index": request["index"],
            "measures": {metric.value: score(delivered, whole, reference, metric) for metric in metrics},
        }
        if arguments.reference:
            line["wholeScore"] = line["score"] = score(whole, whole, reference, own)
        if file is not None:
            line |= {"score": score(delivered, whole, reference, own), **_references(whole)}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
