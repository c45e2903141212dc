"""Scores segments as they were delivered: score_delivered.py MEDIA < REQUEST.

REQUEST is a JSON list of {"index", "representation", "file"}: the segment's number, `Representation@id`, and the bytes
that the player appended. For each, one JSON line comes out: its score against the same segment of the top level, as
preparation measures it, and `references`: for each frame in decode order whether others may refer to it, from the media
file.
"""

import json
import re
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from voxel_prepare.analyse import SegmentSource
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.h264 import ParameterSets
from voxel_prepare.mp4 import parse_track
from voxel_prepare.score import UntouchedScoring, score_together
from voxel_prepare.segment_layout import read_frames

MPD = "{urn:mpeg:dash:schema:mpd:2011}"


class PreparedVideo:
    """The levels of a folder that voxel-prepare made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        root = ElementTree.parse(folder / "manifest.mpd").getroot()
        videos = [set_ for set_ in root.iter(f"{MPD}AdaptationSet") if set_.get("contentType") == "video"]
        self._levels = {str(level.get("id")): level for set_ in videos for level in set_.iter(f"{MPD}Representation")}
        self.top = max(self._levels, key=lambda id_: int(self._levels[id_].get("bandwidth", "0")))

    @cache  # noqa: B019  # one object for the life of the process
    def segments(self, representation: str) -> list[SegmentSource]:
        """The segments of a level, from its file and the manifest."""
        level = self._levels[representation]
        path = self._folder / level.findtext(f"{MPD}BaseURL", "")
        track = parse_track(path.read_bytes())
        ranges = [_range(url.get("mediaRange", "")) for url in level.iter(f"{MPD}SegmentURL")]
        return [SegmentSource(path, range_, track.codec_configuration, track.defaults) for range_ in ranges]


def _range(text: str) -> ByteRange:
    match = re.fullmatch(r"(\d+)-(\d+)", text)
    if match is None:
        raise SystemExit(f"score_delivered: no byte range: {text!r}")
    return ByteRange(int(match[1]), int(match[2]) + 1)


def main() -> None:
    video = PreparedVideo(Path(sys.argv[1]))
    for request in json.load(sys.stdin):
        index = request["index"]
        whole = video.segments(request["representation"])[index].read()
        reference = video.segments(video.top)[index].read()
        delivered = replace(whole, data=Path(request["file"]).read_bytes())
        [[score]] = score_together([UntouchedScoring(delivered)], reference)
        frames = read_frames(ParameterSets.from_avcc(whole.codec_configuration), whole.data, whole.defaults)
        references = [frame.is_reference for frame in frames]
        print(json.dumps({"index": index, "score": score, "references": references}), flush=True)


if __name__ == "__main__":
    main()
