"""`npm run bench -- prepare`: see tools/bench/prepare.mjs."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from cost import prepare_and_time
from delivered import Deviation, check_segment
from droppable import CHOSEN, TARGETS, droppable_shares
from voxel_prepare.analyse import SegmentSource
from voxel_prepare.media import read_video
from voxel_prepare.mpd import Presentation, VideoFile
from voxel_prepare.request import Preset, Request
from voxel_prepare.segment_analysis import OrderName
from voxel_prepare.workers import Workers, local_workers

SECONDS = 32
QUICK_CLIP = "bbb_720p30_a.mp4"
QUICK_LEVELS = 3
"""Whose droppable bytes are measured, spread over the ladder; `--full` takes all."""

DROPPABLE_SEGMENTS = 4
"""Of each clip and level, spread evenly."""

CHECKED_PREFIXES = 4
"""Of each segment that is checked: one of each level and clip, two hundred and more with all clips."""

LOW_BITRATE = 300_000
"""bit/s: the index may take more of levels below."""


@dataclass(frozen=True, slots=True)
class Clip:
    """A clip that was prepared, with its media and indexes in a folder."""

    name: str
    folder: Path
    presentation: Presentation

    @property
    def levels(self) -> Sequence[VideoFile]:
        return self.presentation.video

    def sources(self, level: VideoFile) -> list[SegmentSource]:
        media = level.media
        return read_video(media.id, self.folder / media.name, media.name, self.presentation.segment).segments


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("clips", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    paths = sorted(options.clips.glob("*.mp4")) if options.full else [options.clips / QUICK_CLIP]
    results = []
    with TemporaryDirectory(prefix="prepare-bench-") as folder:
        for path in paths:
            say(f"{path.name}: encoding and analysing {SECONDS} s")
            results.append(measure(path, Path(folder) / path.stem, is_full=options.full))
    summary = summarise(results)
    print(json.dumps(summary) if options.json else "\n".join(f"{name}: {value}" for name, value in summary.items()))


def measure(path: Path, folder: Path, *, is_full: bool) -> dict[str, Any]:
    """All figures of one clip."""
    presentation, encoding, analysis = prepare_and_time(_request(path, folder))
    clip = Clip(path.stem, folder, presentation)
    with local_workers(os.cpu_count() or 1) as workers:
        return {
            "clip": clip.name,
            "levels": len(clip.levels),
            "encodingSeconds": encoding.processor,
            "analysisSeconds": analysis.processor,
            "clockRatio": analysis.clock / encoding.clock,
            "indexShares": [
                (level.media.bandwidth(presentation.duration), _index_share(clip, level)) for level in clip.levels
            ],
            "orders": _orders_chosen(clip),
            "deviations": _deviations(clip, workers),
            "droppable": _droppable(clip, workers, None if is_full else QUICK_LEVELS),
        }


def summarise(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Over all clips."""
    indexes = [share for result in results for share in result["indexShares"]]
    droppable = [row for result in results for rows in result["droppable"].values() for row in rows]
    names = [name for name in (*OrderName, CHOSEN) if all(name in row for row in droppable)]
    shares = {
        str(name): [fmean(row[name][target] for row in droppable) for target in range(len(TARGETS))] for name in names
    }
    deviations: dict[str, list[Deviation]] = {}
    for result in results:
        for kind, of_kind in result["deviations"].items():
            deviations.setdefault(kind, []).extend(Deviation(*pair) for pair in of_kind)
    return {
        "costRatio": sum(result["analysisSeconds"] for result in results)
        / sum(result["encodingSeconds"] for result in results),
        "indexShareMaxAbove300k": max((share for bitrate, share in indexes if bitrate > LOW_BITRATE), default=None),
        "indexShareMaxBelow300k": max((share for bitrate, share in indexes if bitrate <= LOW_BITRATE), default=None),
        "measuredOverTail": _ratio(shares, OrderName.ORIGINAL),
        "measuredOverUnreferenced": _ratio(shares, OrderName.UNREFERENCED),
        "droppable": shares,
        "deviations": {kind: _spread(of_kind) for kind, of_kind in deviations.items()},
        "clips": [{key: value for key, value in result.items() if key != "deviations"} for result in results],
    }


def say(message: str) -> None:
    """Progress."""
    print(message, file=sys.stderr, flush=True)


def _request(path: Path, folder: Path) -> Request:
    """As the command's defaults."""
    return Request(
        inputs=(path,),
        out=folder,
        media="encode",
        levels=None,
        segment_seconds=4,
        slices=1,
        preset=Preset.SLOW,
        passes=2,
        start=0,
        duration=SECONDS,
        jobs=os.cpu_count() or 1,
        facts="index",
    )


def _index_share(clip: Clip, level: VideoFile) -> float:
    media = sum(segment.size for segment in level.media.segments)
    return (clip.folder / level.index).stat().st_size / media


def _orders_chosen(clip: Clip) -> dict[str, int]:
    chosen = [analysis.order_name for level in clip.levels for analysis in level.analyses]
    return {name.value: chosen.count(name) for name in OrderName}


def _deviations(clip: Clip, workers: Workers) -> dict[str, list[tuple[float, float]]]:
    """One segment of each level, another for each."""
    top = clip.sources(clip.levels[-1])
    futures = []
    for number, level in enumerate(clip.levels):
        index = number % len(level.analyses)
        source = clip.sources(level)[index]
        futures.append(
            workers.submit(check_segment, source, level.analyses[index], top[index], CHECKED_PREFIXES, number)
        )
    result: dict[str, list[tuple[float, float]]] = {}
    for future in futures:
        for kind, of_kind in future.result().items():
            result.setdefault(kind, []).extend((deviation.told, deviation.decoded) for deviation in of_kind)
    return result


def _droppable(clip: Clip, workers: Workers, levels: int | None) -> dict[str, list[dict[str, list[float]]]]:
    """By level, a row for each segment."""
    chosen = clip.levels if levels is None else _spread_out(clip.levels, levels)
    names = list(OrderName) if levels is None else [OrderName.ORIGINAL, OrderName.UNREFERENCED, OrderName.MEASURED]
    futures = {
        level.media.id: [
            workers.submit(droppable_shares, source, names)
            for source in _spread_out(clip.sources(level), DROPPABLE_SEGMENTS)
        ]
        for level in chosen
    }
    return {id_: [future.result() for future in of_level] for id_, of_level in futures.items()}


def _spread_out(items: Sequence[Any], count: int) -> list[Any]:
    """So many, from the middle of as many equal parts."""
    count = min(count, len(items))
    return [items[(2 * number + 1) * len(items) // (2 * count)] for number in range(count)]


def _ratio(shares: dict[str, list[float]], other: OrderName) -> float:
    """Of the mean shares of order 5 and the other at each target; the mean over the targets."""
    pairs = zip(shares[OrderName.MEASURED], shares[other], strict=True)
    return fmean(measured / share for measured, share in pairs)


def _spread(deviations: Sequence[Deviation]) -> dict[str, float]:
    """Of what was told less what a decode gives."""
    sizes = [abs(deviation.error) for deviation in deviations]
    return {
        "count": len(sizes),
        "greatest": max(sizes),
        "median": median(sizes),
        "p95": quantiles(sizes, n=20)[-1] if len(sizes) > 1 else sizes[0],
        "mean": fmean(deviation.error for deviation in deviations),
    }


if __name__ == "__main__":
    main()
