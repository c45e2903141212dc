"""`npm run bench -- prepare`: see lab/bench/prepare.mjs."""

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cost import largest_process, prepare_and_time
from delivered import check_segment
from droppable import droppable_shares
from frontier import LADDER, frontier
from summary import print_summary, summarise
from voxel_prepare.analysis.encoded_segment import SegmentSource
from voxel_prepare.analysis.segment_analysis import CHOSEN_ORDERS, OrderName
from voxel_prepare.jobs.prepare import prepare
from voxel_prepare.jobs.request import Request
from voxel_prepare.jobs.workers import Workers, local_workers
from voxel_prepare.manifest.mpd import Presentation, VideoFile
from voxel_prepare.manifest.mpd_file import MANIFEST
from voxel_prepare.media.preset import Preset
from voxel_prepare.media.profile import Profile
from voxel_prepare.media.tracks import read_video

QUICK_REPRESENTATIONS = 3
"""Whose droppable bytes are measured, spread over the ladder; `--full` takes all."""

DROPPABLE_SEGMENTS = 4
"""Segments of each representation that are measured, spread evenly."""

FULL_DROPPABLE_SEGMENTS = 2
"""Segments of each clip and representation, with all clips, representations and orders."""

DRAWS = 8
"""Prefixes of each segment that is checked: one of each representation and clip, more than 200 with all clips."""


@dataclass(frozen=True, slots=True)
class Clip:
    """A clip that was prepared, with its media and indexes in a folder."""

    name: str
    folder: Path
    presentation: Presentation

    @property
    def representations(self) -> Sequence[VideoFile]:
        return self.presentation.video

    def sources(self, representation: VideoFile) -> list[SegmentSource]:
        media = representation.media
        return read_video(media.id, self.folder / media.name, media.name, self.presentation.segment).segments


def main() -> int:
    """The exit code: 1 where a bar is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--frontier", action="store_true")
    parser.add_argument("--profile", type=Profile, choices=list(Profile), default=Profile.DROPPABLE)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with TemporaryDirectory(prefix="prepare-bench-") as temporary:
        runs = _Runs(options, Path(temporary))
        results = [] if options.frontier else [runs.figures(path) for path in options.clips]
        frontiers = {path.stem: runs.frontier(path) for path in options.clips} if runs.with_frontier else {}
    summary = summarise(results, frontiers)
    if options.json:
        print(json.dumps(summary))
    else:
        print_summary(summary)
    missed = [bar["name"] for bar in summary["bars"] if not bar["holds"]]
    for name in missed:
        say(f"bar missed: {name}")
    return 1 if missed else 0


class _Runs:
    """What is measured of each clip, taken from an earlier run where that came so far."""

    def __init__(self, options: argparse.Namespace, work: Path) -> None:
        self._options = options
        self._work = work
        self._out: Path = options.out or work

    @property
    def with_frontier(self) -> bool:
        return bool(self._options.frontier or self._options.full)

    def figures(self, path: Path) -> Any:
        profile, is_full = self._options.profile, self._options.full
        request = _request(path, self._work / path.stem, self._options.seconds, profile)
        return self._kept(path, f"{profile}{'-full' if is_full else ''}", lambda: measure(request, is_full=is_full))

    def frontier(self, path: Path) -> Any:
        def prepared(profile: Profile) -> Presentation:
            folder = self._work / f"{path.stem}-{profile}"
            return prepare(replace(_request(path, folder, self._options.seconds, profile), representations=LADDER))

        return self._kept(path, "frontier", lambda: frontier(prepared))

    def _kept(self, path: Path, what: str, make: Callable[[], Any]) -> Any:
        kept = self._out / f"{path.stem}-{self._options.seconds:g}s-{what}.json"
        if kept.exists():
            say(f"{path.name}: {what} taken from {kept}")
        else:
            say(f"{path.name}: {what}: encoding and analysing {self._options.seconds:g} s")
            figures = make()
            self._out.mkdir(parents=True, exist_ok=True)
            unfinished = kept.with_suffix(".part")
            unfinished.write_text(json.dumps(figures))
            unfinished.rename(kept)
        return json.loads(kept.read_text())


def measure(request: Request, *, is_full: bool) -> dict[str, Any]:
    """All figures of one clip."""
    presentation, encoding, analysis = prepare_and_time(request)
    clip = Clip(request.inputs[0].stem, request.out, presentation)
    memory = largest_process()
    with local_workers(os.cpu_count() or 1) as workers:
        return {
            "clip": clip.name,
            "levels": len(clip.representations),
            "encodingSeconds": encoding.processor,
            "analysisSeconds": analysis.processor,
            "clockRatio": analysis.clock / encoding.clock,
            "largestProcessBytes": memory,
            "indexShares": [
                (representation.media.bandwidth(presentation.duration), _index_share(clip, representation))
                for representation in clip.representations
            ],
            "mpdRatio": _mpd_ratio(clip.folder / MANIFEST),
            "orders": _orders_chosen(clip),
            "deviations": _deviations(clip, workers),
            "droppable": _droppable(clip, workers, None if is_full else QUICK_REPRESENTATIONS),
        }


def say(message: str) -> None:
    """Progress."""
    print(message, file=sys.stderr, flush=True)


def _request(path: Path, folder: Path, seconds: float, profile: Profile) -> Request:
    """A request with the command's defaults, but for these."""
    return Request(
        inputs=(path,),
        out=folder,
        media="encode",
        representations=None,
        segment_seconds=4,
        slices=1,
        preset=Preset.SLOW,
        passes=2,
        start=0,
        duration=seconds,
        profile=profile,
        jobs=os.cpu_count() or 1,
        facts="index",
    )


def _index_share(clip: Clip, representation: VideoFile) -> float:
    media = sum(segment.size for segment in representation.media.segments)
    return (clip.folder / representation.index).stat().st_size / media


def _mpd_ratio(path: Path) -> float:
    """Its size against what it would have if it said nothing of indexes and scores."""
    text = path.read_text()
    plain = re.sub(
        r' voxel:avgSSIM="[^"]*"| xmlns:voxel="[^"]*"', "", re.sub(r"\s*<SupplementalProperty[^>]*/>", "", text)
    )
    return len(text) / len(plain)


def _orders_chosen(clip: Clip) -> dict[str, int]:
    chosen = [analysis.order_name for representation in clip.representations for analysis in representation.analyses]
    return {name.value: chosen.count(name) for name in OrderName}


def _deviations(clip: Clip, workers: Workers) -> dict[str, list[tuple[float, float]]]:
    """One segment of each representation, another for each."""
    top = clip.sources(clip.representations[-1])
    futures = []
    for number, representation in enumerate(clip.representations):
        index = number % len(representation.analyses)
        source = clip.sources(representation)[index]
        futures.append(workers.submit(check_segment, source, representation.analyses[index], top[index], DRAWS, number))
    result: dict[str, list[tuple[float, float]]] = {}
    for future in futures:
        for kind, of_kind in future.result().items():
            result.setdefault(kind, []).extend((deviation.told, deviation.decoded) for deviation in of_kind)
    return result


def _droppable(clip: Clip, workers: Workers, representations: int | None) -> dict[str, list[dict[str, list[float]]]]:
    """Droppable shares by representation, a row for each segment."""
    chosen = clip.representations if representations is None else _spread_out(clip.representations, representations)
    names = (
        list(CHOSEN_ORDERS)
        if representations is None
        else [OrderName.ORIGINAL, OrderName.UNREFERENCED, OrderName.MEASURED]
    )
    segments = FULL_DROPPABLE_SEGMENTS if representations is None else DROPPABLE_SEGMENTS
    futures = {
        representation.media.id: [
            workers.submit(droppable_shares, source, names)
            for source in _spread_out(clip.sources(representation), segments)
        ]
        for representation in chosen
    }
    return {id_: [future.result() for future in of_representation] for id_, of_representation in futures.items()}


def _spread_out(items: Sequence[Any], count: int) -> list[Any]:
    """So many, from the middle of as many equal parts."""
    count = min(count, len(items))
    return [items[(2 * number + 1) * len(items) // (2 * count)] for number in range(count)]


if __name__ == "__main__":
    sys.exit(main())
