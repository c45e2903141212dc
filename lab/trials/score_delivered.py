"""Scores segments as they were delivered: score_delivered.py MEDIA OWN [METRIC …] < REQUEST.

REQUEST is a JSON list of {"index", "representation", "start", "duration", "file"}: the segment's number,
`Representation@id`, its place on the media time line in seconds, and the bytes that the player appended, or null for a
whole segment. For each, one JSON line comes out: `measures`, its score by each METRIC against the same segment of the
top level, as preparation measures it, and for a segment of a file its score by OWN, the manifest's metric, and
`references`: for each frame in decode order whether others may refer to it, from the media file.
"""

import json
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from voxel_prepare.analysis.encoded_segment import EncodedSegment
from voxel_prepare.analysis.metrics import PictureComparer
from voxel_prepare.analysis.score import score_pictures
from voxel_prepare.analysis.segment_analysis import Metric
from voxel_prepare.codecs import codec_of
from voxel_prepare.isobmff import Track, parse_track
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


def score(delivered: EncodedSegment, reference: EncodedSegment, metric: Metric) -> float:
    """The mean over the segment's pictures."""
    return score_pictures(delivered.pictures(), reference.pictures(), PictureComparer(metric))


def main() -> None:
    video = PreparedVideo(Path(sys.argv[1]))
    own, *metrics = [Metric(name) for name in sys.argv[2:]]
    for request in json.load(sys.stdin):
        whole, reference = (
            video.segment(level, request["start"], request["duration"])
            for level in (request["representation"], video.top)
        )
        file = request["file"]
        delivered = whole if file is None else replace(whole, data=Path(file).read_bytes())
        line: dict[str, object] = {
            "index": request["index"],
            "measures": {metric.value: score(delivered, reference, metric) for metric in metrics},
        }
        if file is not None:
            frames = read_frames(whole.codec, whole.data, whole.defaults)
            line |= {
                "score": score(delivered, reference, own),
                "references": [frame.is_reference for frame in frames],
            }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
